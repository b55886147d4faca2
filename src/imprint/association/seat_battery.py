"""Many tests in several contexts on one or more encoders: every text encoded once, one family a unit.

May et al. (2019), section 4 and table 4; the correction runs over all tests and all encoders given, as its
footnote 8 does. One star for p below alpha, two for a p that is so after Holm's correction.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar, get_args

from imprint.association.coherence import CoherenceRow, check_coherence
from imprint.association.seat import SentenceQuestion, ask, measure
from imprint.association.seat_result import SeatResult
from imprint.association.sensitivity import AnisotropyRow, mean_cosine
from imprint.association.sentences import Unit
from imprint.association.verdicts import InFamily, JudgedTest, check_alpha, judge
from imprint.choices import Alternative, Context
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingCache
from imprint.encoders.encodings import Encodings, encode_texts
from imprint.errors import SettingError, StimulusError, VocabularyError
from imprint.rows import Result, Row, SkippedRow, skipped
from imprint.stimuli.definition import UNDETERMINED, Published, WeatTest
from imprint.stimuli.templates import Templates, contexts
from imprint.subjects.opening import EncoderLike, open_encoder
from imprint.types import Progress, Report

WorkItem = TypeVar("WorkItem")
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
    """The result of many SEATs, corrected together by Holm within each unit.

    Attributes
    ----------
    seats
        Results per test, context, unit and encoder, each with its corrected p-value and verdict.
    skipped
        Tests that could not be run, with the reason.
    anisotropy
        The mean cosine of all texts, per encoder and context.
    coherence
        Checks of the paper, such as whether tests that ask the same agree.
    alpha
        Chance of any false discovery among the tests of a unit.
    encoded
        Texts computed in this run; the others came from the cache.
    """

    seats: tuple[InFamily[SeatResult], ...]
    skipped: tuple[SkippedRow, ...]
    anisotropy: tuple[AnisotropyRow, ...]
    coherence: tuple[CoherenceRow, ...]
    alpha: float
    encoded: int

    def findings(self) -> list[Row]:
        """Return one row per test, context, unit and encoder, then checks of the whole and what could not be run."""
        seats = [
            one.result.finding(**one.fields(self.alpha), stars=self._stars(one), published=_published(one.result))
            for one in self.seats
        ]
        return [*seats, *self.coherence, *self.anisotropy, *self.skipped]

    def _stars(self, one: InFamily[SeatResult]) -> str:
        return "**" if one.verdict == "significant" else "*" if one.result.p_value <= self.alpha else ""

    def __repr__(self) -> str:
        by_unit = ", ".join(
            f"{sum(one.verdict == 'significant' for one in family)} of {len(family)} by {unit}s"
            for unit in UNITS
            for family in (self.of_unit(unit),)
        )
        return f"SeatBattery(significant after Holm at {self.alpha}: {by_unit}; {len(self.skipped)} skipped)"

    def of_unit(self, unit: Unit) -> list[InFamily[SeatResult]]:
        """Return the results of one family."""
        return [one for one in self.seats if one.result.unit == unit]


def run_seat_battery(
    encoders: Sequence[EncoderLike],
    tests: Sequence[WeatTest],
    *,
    context: Context | None = None,
    templates: Templates | None = None,
    alternative: Alternative = "greater",
    alpha: float = 0.01,
    cache: EncodingCache | None = None,
    seed: int = 0,
    skip: bool = True,
    report: Report | None = None,
) -> SeatBattery:
    """Run many SEATs on one or more encoders and correct their p-values together.

    Parameters
    ----------
    encoders
        Models, embeddings or functions, each as `open_encoder` takes it.
    tests
        WEATs, from the catalogue or your own.
    context
        "word", "bleached" or "unbleached"; by default every context that a test has.
    templates
        Sentence templates of your own, from `read_templates`.
    alternative
        "greater" asks whether x goes with a and y with b, "less" the reverse, "two-sided" either.
    alpha
        Chance of any false discovery among the tests of a unit (Holm's correction).
    cache
        Where encodings are kept between runs.
    seed
        Seed of everything random.
    skip
        Skip a test that cannot be run; if False, raise.
    report
        Called with what is being done, how much of it is done, and how much there is.

    Returns
    -------
    SeatBattery
        One result per test, context, unit and encoder, and the tests that were skipped.

    Examples
    --------
    >>> imprint.run_seat_battery(["cbow"], imprint.catalogue()[:1])
    SeatBattery(significant after Holm at 0.01: 2 of 2 by words, 2 of 2 by sentences; 0 skipped)
    """
    check_alpha(alpha)
    opened = [open_encoder(encoder) for encoder in encoders]
    _refuse_repeated(opened)
    questions, refused = put(tests, context, templates, skip=skip)
    not_run = [_skipped(opened[0], test, reason, seed) for test, reason in refused]
    results: list[SeatResult] = []
    anisotropy: list[AnisotropyRow] = []
    encoded = 0
    for encoder in opened:
        texts = [text for question in questions for text in question.texts + question.frames]
        encodings = encode_texts(
            encoder, texts, cache=cache, progress=_labelled(report, f"encoding with {encoder.name}")
        )
        encoded += encodings.encoded
        anisotropy += _anisotropy(encoder, questions, encodings, seed)
        measured, failed = _measure_all(encoder, questions, encodings, alternative, seed, skip=skip, report=report)
        results += measured
        not_run += failed
    if not results:
        reason = f"for example, {not_run[0].test}: {not_run[0].reason}" if not_run else "no tests were given"
        raise VocabularyError(f"none of {len(tests)} tests can be run ({reason})")
    seats = _side_by_side(
        lambda pair: InFamily.of(*pair, powered=pair[0].unit == "word"),
        list(zip(results, _judge(results, alpha), strict=True)),
        _labelled(report, "asking what each test could have found"),
    )
    return SeatBattery(
        seats=tuple(seats),
        skipped=tuple(dict.fromkeys(not_run)),
        anisotropy=tuple(anisotropy),
        coherence=tuple(check_coherence(results, alpha)),
        alpha=alpha,
        encoded=encoded,
    )


def put(
    tests: Sequence[WeatTest], context: Context | None, templates: Templates | None, *, skip: bool = True
) -> tuple[list[SentenceQuestion], list[tuple[WeatTest, str]]]:
    """Put every test into sentences, in the contexts it has or in the one asked for; return what could not be, too."""
    questions, refused = [], []
    for test in tests:
        for one in contexts(test) if context is None else (context,):
            try:
                questions.append(ask(test, one, templates))
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


def _measure_all(
    encoder: Encoder,
    questions: Sequence[SentenceQuestion],
    encodings: Encodings,
    alternative: Alternative,
    seed: int,
    *,
    skip: bool,
    report: Report | None,
) -> tuple[list[SeatResult], list[SkippedRow]]:
    lacking = encoder.lacks(dict.fromkeys(form for question in questions for form in question.forms))

    def run(question: SentenceQuestion) -> tuple[list[SeatResult], list[SkippedRow]]:
        test = question.test
        try:
            measured = measure(question, encoder, encodings, lacking, alternative=alternative, seed=seed)
        except VocabularyError as error:
            if not skip:
                raise
            return [], [_skipped(encoder, test, str(error), seed)]
        if "sentence" in measured:
            return list(measured.values()), []
        counts = " and ".join(f"{len(question.sides[key]):,}" for key in "xy")
        reason = f"{counts} {question.context} sentences have too many partitions to count; by words it was run"
        return list(measured.values()), [_skipped(encoder, test, reason, seed)]

    outcomes = _side_by_side(run, questions, _labelled(report, f"testing {encoder.name}"))
    return [one for done, _ in outcomes for one in done], [one for _, failed in outcomes for one in failed]


def _skipped(encoder: Encoder, test: WeatTest, reason: str, seed: int) -> SkippedRow:
    return skipped((encoder.name, encoder.identity), test.id, test.title, reason, part="seat", seed=seed)


def _judge(results: Sequence[SeatResult], alpha: float) -> list[JudgedTest]:
    """Correct the results of each unit together, whatever their context and encoder; one a result, in their order."""
    judged: dict[int, JudgedTest] = {}
    for unit in UNITS:
        places = [place for place, result in enumerate(results) if result.unit == unit]
        family = [results[place].significance for place in places]
        judged |= dict(zip(places, judge(family, alpha), strict=True))
    return [judged[place] for place in range(len(results))]


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
    work: Callable[[WorkItem], Finished], items: Sequence[WorkItem], progress: Progress | None
) -> list[Finished]:
    """Do the work, whose heavy parts release Python's lock, for several items at once; results in their order."""
    done: list[Finished] = []
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for outcome in pool.map(work, items):
            done.append(outcome)
            if progress is not None:
                progress(len(done), len(items))
    return done


def _anisotropy(
    encoder: Encoder, questions: Sequence[SentenceQuestion], encodings: Encodings, seed: int
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
