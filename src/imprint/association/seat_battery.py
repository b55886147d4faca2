"""Many tests in several contexts on one or more encoders: every text encoded once.

May et al. (2019), section 4 and table 4. An encoder's tests by words are two families: words alone, and words in
sentences. By sentences, the correction runs over the tests of one encoder: one star for p below alpha, two for a p
that is so after Holm's correction.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from imprint.association.coherence import CoherenceRow, check_coherence
from imprint.association.seat import KnownEncoder, SentenceTest, in_sentences, measure
from imprint.association.seat_result import SeatResult
from imprint.association.sensitivity import AnisotropyRow, mean_cosine
from imprint.association.sentences import Framing, Unit
from imprint.association.topics import TopicRow, topic_rows
from imprint.association.verdicts import ALPHA, Judged, check_alpha, count_found, judge
from imprint.checks import Alternative, Context
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingStore
from imprint.errors import SettingError, StimulusError, VocabularyError
from imprint.rows import Result, Row, SkippedRow, skipped
from imprint.significance.corrections import holm
from imprint.stimuli.definition import UNDETERMINED, Published, WeatTest
from imprint.stimuli.templates import Side, Templates, contexts
from imprint.subjects.common import FramedWords
from imprint.subjects.encodings import Encodings, encode_texts, fresh_texts
from imprint.subjects.opening import EncoderLike, open_encoder
from imprint.threads import single_threaded
from imprint.types import Progress, Report
from imprint.workers import in_order, threads

Finished = TypeVar("Finished")

UNITS: tuple[Unit, ...] = get_args(Unit)

# How the models of the paper's table 3 are recognised: by the whole name of the model and how it was pooled.
_OF_THE_PAPER = (
    ("CBoW (GloVe 840B)", re.compile(r"glove\.840b\.300d(\.stimuli)?", re.IGNORECASE), "mean"),
    ("GPT", re.compile(r"openai-gpt"), "last"),
    ("BERT", re.compile(r"bert-large-cased"), "cls"),
)
_AT_ONCE = 2  # tests counted side by side: each may take a gigabyte


@dataclass(frozen=True, repr=False)
class SeatBattery(Result):
    """The result of many SEATs; those by words of one encoder and context are judged together.

    Attributes
    ----------
    seats
        Results per test, context, unit and encoder.
    skipped
        Tests that could not be run, with the reason.
    anisotropy
        The mean cosine of all texts, per encoder and context.
    coherence
        Checks of the paper, such as whether tests that ask the same agree.
    alpha
        Chance of any false discovery in a family.
    encoded
        Texts computed in this run; the others came from the cache.
    """

    seats: tuple[SeatResult, ...]
    skipped: tuple[SkippedRow, ...]
    anisotropy: tuple[AnisotropyRow, ...]
    coherence: tuple[CoherenceRow, ...]
    alpha: float
    encoded: int

    def findings(self) -> list[Row]:
        """Return one row per test, context, unit and encoder, topics, checks of the whole, and what was not run."""
        seats = [one.finding(stars=self._stars(one), published=_published(one)) for one in self.seats]
        return [*seats, *self._topics(), *self.coherence, *self.anisotropy, *self.skipped]

    def _topics(self) -> list[TopicRow]:
        """Return each encoder's topics, of words in sentences; of words alone where no sentences were asked for."""
        rows: list[TopicRow] = []
        for encoder in dict.fromkeys(one.embedding_sha256 for one in self.seats):
            own = [one for one in self.of_unit("word") if one.embedding_sha256 == encoder]
            lost = [one for one in self.skipped if one.embedding_sha256 == encoder]
            # A test counts once, in the sentences that all tests have.
            asked = [[one for one in own if one.context == context] for context in ("bleached", "unbleached", "word")]
            rows += topic_rows(next(filter(None, asked), []), lost, part="seat")
        return rows

    def _stars(self, one: SeatResult) -> str:
        """Mark a p-value of sentences as the paper does."""
        if one.unit == "word" or one.judged is None or one.judged.p_holm is None:
            return ""
        return "**" if one.judged.p_holm <= self.alpha else "*" if one.p_value <= self.alpha else ""

    def __repr__(self) -> str:
        by_words = self.of_unit("word")
        return f"SeatBattery({len(by_words)} SEATs by words: {count_found(by_words)}; {len(self.skipped)} skipped)"

    def of_unit(self, unit: Unit) -> list[SeatResult]:
        """Return the results of one unit."""
        return [one for one in self.seats if one.unit == unit]


def run_seat_battery(
    encoders: Sequence[EncoderLike],
    tests: Sequence[WeatTest],
    *,
    context: Context | None = None,
    templates: Templates | None = None,
    alternative: Alternative = "greater",
    alpha: float = ALPHA,
    units: Sequence[Unit] = UNITS,
    alone: bool = True,
    cache: EncodingStore | None = None,
    seed: int = 0,
    skip: bool = True,
    executor: Executor | None = None,
    report: Report | None = None,
) -> SeatBattery:
    """Run many SEATs on one or more encoders and correct each encoder's p-values together.

    Parameters
    ----------
    encoders
        Models, embeddings or functions, each as `open_encoder` accepts it.
    tests
        WEATs, from the catalogue or your own.
    context
        "word", "bleached" or "unbleached"; by default every context that a test has.
    templates
        Sentence templates of your own, from `read_templates`.
    alternative
        "greater" tests whether x is associated with a and y with b, "less" the reverse, "two-sided" either.
    alpha
        Chance of any false discovery among an encoder's tests about people (Holm's correction).
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
        One result per test, context, unit and encoder, and the tests that were skipped.

    Examples
    --------
    >>> imprint.run_seat_battery(["cbow"], imprint.catalogue()[:1])
    SeatBattery(2 SEATs by words: no evidence; 0 skipped)
    """
    check_alpha(alpha)
    opened = [open_encoder(encoder) for encoder in encoders]
    _refuse_repeated(opened)
    questions, refused = all_in_sentences(tests, context, templates, skip=skip)
    if context is None and not alone:
        questions = [question for question in questions if question.context != "word"]
    not_run = [_skipped(opened[0], test, reason, seed) for test, reason in refused]
    results: list[SeatResult] = []
    anisotropy: list[AnisotropyRow] = []
    encoded = 0
    for encoder in opened:
        texts = [text for question in questions for text in question.asked]
        framed = _affordable(encoder, texts, questions, cache)
        beside = [text for words in framed.values() for text in words.texts()]
        encodings = encode_texts(
            encoder, texts, beside, cache=cache, progress=_labelled(report, f"encoding with {encoder.name}")
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
    seats = _judge(results, alpha, executor, _labelled(report, "computing the smallest detectable effects"))
    return SeatBattery(
        seats=tuple(seats),
        skipped=tuple(dict.fromkeys(not_run)),
        anisotropy=tuple(anisotropy),
        coherence=tuple(check_coherence(results, alpha)),
        alpha=alpha,
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
    """Refuse one encoder given twice: its tests would count twice in their family, under one name."""
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
    framings: Mapping[Context, Framing | None]
    alternative: Alternative
    units: Sequence[Unit]
    seed: int
    skip: bool


def _measure_all(
    encoder: Encoder,
    questions: Sequence[SentenceTest],
    encodings: Encodings,
    framed: Mapping[Context, FramedWords],
    alternative: Alternative,
    seed: int,
    *,
    units: Sequence[Unit],
    skip: bool,
    executor: Executor | None,
    report: Report | None,
) -> tuple[list[SeatResult], list[SkippedRow]]:
    asked = _AskedEncoder(
        KnownEncoder(encoder.name, encoder.identity, encoder.settings),
        encodings,
        tuple(encoder.lacks(dict.fromkeys(form for question in questions for form in question.forms))),
        {
            context: Framing.of(words, encodings, encoder.lacks(words.common.words))
            for context, words in framed.items()
        },
        alternative,
        units,
        seed,
        skip,
    )
    tasks = [(question,) for question in questions]
    outcomes = _side_by_side(executor, _measure_one, asked, tasks, _labelled(report, f"testing {encoder.name}"))
    return [one for done, _ in outcomes for one in done], [one for _, failed in outcomes for one in failed]


def _measure_one(asked: _AskedEncoder, question: SentenceTest) -> tuple[list[SeatResult], list[SkippedRow]]:
    """Measure one test; return the results, and what could not be measured."""
    encoder, test, units, seed = asked.encoder, question.test, asked.units, asked.seed
    try:
        with single_threaded():
            measured = measure(
                question,
                encoder,
                asked.encodings,
                asked.lacking,
                asked.framings.get(question.context) if question.ranked else None,
                units=units,
                alternative=asked.alternative,
                seed=seed,
            )
    except VocabularyError as error:
        if not asked.skip:
            raise
        return [], [_skipped(encoder, test, str(error), seed)]
    if "sentence" in measured or "sentence" not in units:
        return list(measured.values()), []
    counts = " and ".join(f"{len(question.sides[key]):,}" for key in "xy")
    reason = f"{counts} {question.context} sentences have too many partitions to count; the test by words was run"
    return list(measured.values()), [_skipped(encoder, test, reason, seed)]


def _skipped(encoder: Encoder | KnownEncoder, test: WeatTest, reason: str, seed: int) -> SkippedRow:
    measured = (encoder.name, encoder.identity)
    return skipped(measured, test.id, test.title, reason, part="seat", seed=seed, topics=test.topics)


def _affordable(
    encoder: Encoder, texts: Sequence[str], questions: Sequence[SentenceTest], cache: EncodingStore | None
) -> dict[Context, FramedWords]:
    """Return the bundled words in the sentences of each context; none where the encoder may not be sent so many."""
    sides: dict[Context, list[Side]] = {}
    for question in questions:
        if question.ranked:
            sides.setdefault(question.context, []).extend(question.sides.values())
    framed = {context: FramedWords.of(some) for context, some in sides.items()}
    if encoder.max_texts is not None:
        asked = (*texts, *(text for one in framed.values() for text in one.texts()))
        try:
            encoder.check_count(fresh_texts(encoder, asked, cache))
        except SettingError:
            return {}
    return framed


def _judge(
    results: Sequence[SeatResult], alpha: float, executor: Executor | None, progress: Progress | None
) -> list[SeatResult]:
    """Judge tests by words, alone and in sentences, each together; correct p by sentences as published."""
    families: dict[tuple[str, Unit, bool], list[int]] = {}
    for place, result in enumerate(results):
        alone = result.unit == "word" and result.context == "word"
        families.setdefault((result.embedding_sha256, result.unit, alone), []).append(place)
    judged: dict[int, Judged] = {}
    for (_, unit, _), places in families.items():
        family = [results[place] for place in places]
        if unit == "word":
            found = judge([result.case for result in family], alpha)
        else:
            adjusted = holm([result.p_value for result in family]).tolist()
            found = [Judged(alpha, p_holm=p_value, family_size=len(family)) for p_value in adjusted]
        judged |= dict(zip(places, found, strict=True))
    tasks = [(result, judged[place]) for place, result in enumerate(results)]
    return _side_by_side(executor, _in_family, None, tasks, progress)


def _in_family(_: None, result: SeatResult, judged: Judged) -> SeatResult:
    with single_threaded():
        return result.in_family(judged)


def _published(result: SeatResult) -> tuple[Published, ...]:
    """Return the paper's figure where the encoder is one of its own."""
    settings = result.settings
    if result.test.adapted or settings.get("layers", "last") != "last" or settings.keys() & {"prefix", "prompt"}:
        return ()
    for model, name, pooling in _OF_THE_PAPER:
        if name.fullmatch(result.embedding) and settings.get("pooling") == pooling:
            for figure in result.test.published:
                if figure.embedding == model and figure.context == result.context and figure.effect is not None:
                    return (figure,)
    return ()


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
