"""Many tests in several contexts on one or more encoders: every text encoded once.

May et al. (2019), section 4 and table 4. Questions and tests in frames have sizes. Words alone, and in the paper's
sentences, have its effects and p-values; p-values by sentences have its stars: one for p below .01, two for a p that
is so after Holm's correction over the tests of an encoder.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

import msgspec

from imprint.association.coherence import STARRED, CoherenceRow, check_coherence
from imprint.association.rows import Measured, SeatRow, Unit, outcome_counts
from imprint.association.seat import KnownEncoder, SentenceTest, in_sentences, measure
from imprint.association.sensitivity import AnisotropyRow, mean_cosine
from imprint.association.topics import TopicRow, topic_rows
from imprint.checks import Alternative, Context
from imprint.embeddings.background import Background
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingStore
from imprint.errors import SettingError, StimulusError, VocabularyError
from imprint.rows import Result, Row, SkippedRow, skipped
from imprint.significance.corrections import holm
from imprint.stimuli.definition import UNDETERMINED, WeatTest
from imprint.stimuli.templates import Templates, contexts
from imprint.subjects.common import FramedWords
from imprint.subjects.encodings import Encodings, encode_texts, fresh_texts
from imprint.subjects.opening import EncoderLike, open_encoder
from imprint.threads import single_threaded
from imprint.types import Progress, Report
from imprint.workers import in_order, threads

Finished = TypeVar("Finished")

UNITS: tuple[Unit, ...] = get_args(Unit)

_AT_ONCE = 2  # tests counted side by side: each may take a gigabyte


@dataclass(frozen=True, repr=False)
class SeatBattery(Result):
    """The result of many SEATs.

    Attributes
    ----------
    measured
        Each test in a context, unit and encoder: its row, and the words behind it; `seats` are the rows alone.
    skipped
        Tests that could not be run, with the reason.
    anisotropy
        The mean cosine of all texts, per encoder and context.
    coherence
        Checks of the paper, such as whether tests that ask the same agree.
    encoded
        Texts computed in this run; the others came from the cache.
    """

    measured: tuple[Measured[SeatRow], ...]
    skipped: tuple[SkippedRow, ...]
    anisotropy: tuple[AnisotropyRow, ...]
    coherence: tuple[CoherenceRow, ...]
    encoded: int

    @property
    def seats(self) -> tuple[SeatRow, ...]:
        """One row per test, context, unit and encoder."""
        return tuple(one.row for one in self.measured)

    def findings(self) -> list[Row]:
        """Return one row per test, context, unit and encoder, topics, checks of the whole, and what was not run."""
        return [*self.seats, *self._topics(), *self.coherence, *self.anisotropy, *self.skipped]

    def _topics(self) -> list[TopicRow]:
        """Return each encoder's topics, of what has sizes."""
        rows: list[TopicRow] = []
        sized = [one for one in self.measured if one.words is not None]
        for encoder in dict.fromkeys(one.row.embedding_sha256 for one in sized):
            lost = [row for row in self.skipped if row.embedding_sha256 == encoder]
            rows += topic_rows([one for one in sized if one.row.embedding_sha256 == encoder], lost, part="seat")
        return rows

    def __repr__(self) -> str:
        by_words = self.of_unit("word")
        return f"SeatBattery({len(by_words)} SEATs by words: {outcome_counts(by_words)}; {len(self.skipped)} skipped)"

    def of_unit(self, unit: Unit) -> list[SeatRow]:
        """Return the rows of one unit."""
        return [row for row in self.seats if row.unit == unit]


def run_seat_battery(
    encoders: Sequence[EncoderLike],
    tests: Sequence[WeatTest],
    *,
    context: Context | None = None,
    templates: Templates | None = None,
    alternative: Alternative = "greater",
    units: Sequence[Unit] = UNITS,
    alone: bool = True,
    cache: EncodingStore | None = None,
    seed: int = 0,
    skip: bool = True,
    executor: Executor | None = None,
    report: Report | None = None,
) -> SeatBattery:
    """Run many SEATs on one or more encoders.

    Parameters
    ----------
    encoders
        Models, embeddings or functions, each as `open_encoder` accepts it.
    tests
        WEATs, from the catalogue or your own.
    context
        "framed", "word", "bleached" or "unbleached"; by default every context that a test has.
    templates
        Sentence templates of your own, from `read_templates`.
    alternative
        Which differences p-values count: "greater" counts x with a and y with b, "less" the reverse, "two-sided"
        either.
    units
        What is permuted: words, sentences as in the paper, or both.
    alone
        Ask words alone too, where no `context` is chosen.
    cache
        Where encodings are kept between runs.
    seed
        Seed of everything random.
    skip
        Skip a test that cannot be run; if False, raise.
    executor
        Any `concurrent.futures.Executor` to run the tests, one at a time; texts are encoded here. The result is the
        same to the byte.
    report
        Called with the name of the step, the work done and the total work.

    Returns
    -------
    SeatBattery
        One row per test, context, unit and encoder, and the tests that were skipped.

    Examples
    --------
    >>> imprint.run_seat_battery(["cbow"], imprint.catalogue()[:1])
    SeatBattery(1 SEATs by words: 1 substantial; 0 skipped)
    """
    opened = [open_encoder(encoder) for encoder in encoders]
    _refuse_repeated(opened)
    questions, refused = all_in_sentences(tests, context, templates, skip=skip)
    if context is None and not alone:
        questions = [question for question in questions if question.context != "word"]
    not_run = [_skipped(opened[0], test, reason, seed) for test, reason in refused]
    results: list[Measured[SeatRow]] = []
    anisotropy: list[AnisotropyRow] = []
    encoded = 0
    for encoder in opened:
        texts = [text for question in questions for text in question.asked]
        framed = _affordable(encoder, texts, questions, cache)
        encodings = encode_texts(
            encoder,
            texts,
            framed.texts() if framed else [],
            cache=cache,
            progress=_labelled(report, f"encoding with {encoder.name}"),
        )
        encoded += encodings.encoded
        anisotropy += _anisotropy(encoder, questions, encodings, seed)
        measured, failed = _measure_all(
            encoder,
            questions,
            encodings,
            framed,
            alternative,
            seed,
            units=units,
            skip=skip,
            executor=executor,
            report=report,
        )
        results += measured
        not_run += failed
    if not results:
        reason = f"for example, {not_run[0].test}: {not_run[0].reason}" if not_run else "no tests were given"
        raise VocabularyError(f"none of {len(tests)} tests can be run ({reason})")
    stars = _stars([one.row for one in results])
    marked = [
        Measured(msgspec.structs.replace(one.row, stars=star), one.words)
        for one, star in zip(results, stars, strict=True)
    ]
    return SeatBattery(
        measured=tuple(marked),
        skipped=tuple(dict.fromkeys(not_run)),
        anisotropy=tuple(anisotropy),
        coherence=tuple(check_coherence(one.row for one in marked if not one.row.is_question)),
        encoded=encoded,
    )


def all_in_sentences(
    tests: Sequence[WeatTest], context: Context | None, templates: Templates | None, *, skip: bool = True
) -> tuple[list[SentenceTest], list[tuple[WeatTest, str]]]:
    """Put every test into sentences, in the contexts it has or in the one asked for; return what could not be, too."""
    questions, refused = [], []
    for test in tests:
        for one in contexts(test) if context is None else (context,):
            try:
                questions.append(in_sentences(test, one, templates))
            except StimulusError as error:
                # Words of no stated language can still be asked alone.
                alone = context is None and one == "bleached" and test.language == UNDETERMINED
                if not skip and not alone:
                    raise
                refused.append((test, str(error)))
    return questions, refused


def _refuse_repeated(encoders: Sequence[Encoder]) -> None:
    """Refuse one encoder given twice: its rows would be there twice, under one name."""
    known: set[str] = set()
    for encoder in encoders:
        if encoder.identity in known:
            raise SettingError(
                f"{encoder.name} is duplicated",
                option="encoders",
                got=encoder.name,
                hint="give each encoder once, under its own name",
            )
        known.add(encoder.identity)


@dataclass(frozen=True, eq=False)
class _AskedEncoder:
    """All that the tests of one encoder share."""

    encoder: KnownEncoder
    encodings: Encodings
    lacking: tuple[str, ...]
    background: Background | None
    alternative: Alternative
    units: Sequence[Unit]
    seed: int
    skip: bool


def _measure_all(
    encoder: Encoder,
    questions: Sequence[SentenceTest],
    encodings: Encodings,
    framed: FramedWords | None,
    alternative: Alternative,
    seed: int,
    *,
    units: Sequence[Unit],
    skip: bool,
    executor: Executor | None,
    report: Report | None,
) -> tuple[list[Measured[SeatRow]], list[SkippedRow]]:
    asked = _AskedEncoder(
        KnownEncoder(encoder.name, encoder.identity, encoder.settings),
        encodings,
        tuple(encoder.lacks(dict.fromkeys(form for question in questions for form in question.forms))),
        framed.background(encodings, encoder.lacks(framed.common.words)) if framed else None,
        alternative,
        units,
        seed,
        skip,
    )
    tasks = [(question,) for question in questions]
    outcomes = _side_by_side(executor, _measure_one, asked, tasks, _labelled(report, f"testing {encoder.name}"))
    return [one for done, _ in outcomes for one in done], [one for _, failed in outcomes for one in failed]


def _measure_one(asked: _AskedEncoder, question: SentenceTest) -> tuple[list[Measured[SeatRow]], list[SkippedRow]]:
    """Measure one test; return the rows, and what could not be measured."""
    encoder, test, units, seed = asked.encoder, question.test, asked.units, asked.seed
    try:
        with single_threaded():
            measured = measure(
                question,
                encoder,
                asked.encodings,
                asked.lacking,
                asked.background if question.ranked else None,
                units=units,
                alternative=asked.alternative,
                seed=seed,
            )
    except VocabularyError as error:
        if not asked.skip:
            raise
        return [], [_skipped(encoder, test, str(error), seed)]
    if "sentence" in measured or "sentence" not in units or question.context == "framed":
        return list(measured.values()), []
    counts = " and ".join(f"{len(question.sides[key]):,}" for key in "xy")
    reason = f"{counts} {question.context} sentences have too many partitions to count; the test by words was run"
    return list(measured.values()), [_skipped(encoder, test, reason, seed)]


def _skipped(encoder: Encoder | KnownEncoder, test: WeatTest, reason: str, seed: int) -> SkippedRow:
    measured = (encoder.name, encoder.identity)
    return skipped(measured, test.id, test.title, reason, part="seat", seed=seed, topics=test.topics)


def _affordable(
    encoder: Encoder, texts: Sequence[str], questions: Sequence[SentenceTest], cache: EncodingStore | None
) -> FramedWords | None:
    """Return the bundled words in frames where a test needs them; None where the encoder may not be sent so many."""
    if not any(question.ranked for question in questions):
        return None
    framed = FramedWords()
    if encoder.max_texts is not None:
        try:
            encoder.check_count(fresh_texts(encoder, (*texts, *framed.texts()), cache))
        except SettingError:
            return None
    return framed


def _stars(rows: Sequence[SeatRow]) -> list[str]:
    """Mark p-values of sentences as the paper does, corrected over the tests of each encoder."""
    stars = [""] * len(rows)
    for encoder in dict.fromkeys(row.embedding_sha256 for row in rows):
        own = [place for place, row in enumerate(rows) if row.embedding_sha256 == encoder and row.unit == "sentence"]
        p_values = [rows[place].p_value or 0.0 for place in own]
        for place, p_value, adjusted in zip(own, p_values, holm(p_values).tolist(), strict=True):
            stars[place] = "**" if adjusted <= STARRED else "*" if p_value <= STARRED else ""
    return stars


def _side_by_side(
    executor: Executor | None,
    work: Callable[..., Finished],
    shared: object,
    tasks: Sequence[tuple[Any, ...]],
    progress: Progress | None,
) -> list[Finished]:
    """Do several tasks at once, in threads where there is no executor: the heavy parts release Python's lock."""
    done: list[Finished] = []
    with nullcontext(executor) if executor else threads(_AT_ONCE) as pool:
        for outcome in in_order(pool, work, shared, tasks):
            done.append(outcome)
            if progress is not None:
                progress(len(done), len(tasks))
    return done


def _anisotropy(
    encoder: Encoder, questions: Sequence[SentenceTest], encodings: Encodings, seed: int
) -> Iterable[AnisotropyRow]:
    for context in dict.fromkeys(question.context for question in questions):
        texts = list(dict.fromkeys(t for question in questions if question.context == context for t in question.texts))
        cosine = mean_cosine(encodings.rows(texts))
        yield AnisotropyRow(
            test=context,
            embedding=encoder.name,
            embedding_sha256=encoder.identity,
            statistic=cosine,
            seed=seed,
            context=context,
            texts=len(texts),
            mean_cosine=cosine,
        )


def _labelled(report: Report | None, label: str) -> Progress | None:
    return None if report is None else lambda done, total: report(label, done, total)
