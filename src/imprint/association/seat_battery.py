"""Many tests in several contexts on one or more encoders: every text encoded once, one family a unit.

May et al. (2019), section 4 and table 4; the correction runs over all tests and all encoders given, as its
footnote 8 does.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from imprint.association.coherence import Coherence, check_coherence
from imprint.association.seat import SentenceQuestion, ask, measure
from imprint.association.seat_result import SeatResult
from imprint.association.seat_rows import UNITS, SeatInFamily, judge_results, make_row
from imprint.association.sensitivity import mean_cosine
from imprint.association.sentences import Unit
from imprint.association.verdicts import check_alpha
from imprint.choices import Alternative, Context
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingCache
from imprint.encoders.encodings import Encodings, encode_texts
from imprint.encoders.opening import as_encoder
from imprint.errors import SettingError, StimulusError, VocabularyError
from imprint.rows import Result, Row, SkippedRow, skipped
from imprint.stimuli.definition import UNDETERMINED, WeatTest
from imprint.stimuli.templates import Templates, contexts
from imprint.types import Progress, Report

WorkItem = TypeVar("WorkItem")
Finished = TypeVar("Finished")

_AT_ONCE = 2  # tests counted side by side: each may take a gigabyte


class AnisotropyRow(Row, frozen=True, kw_only=True, tag="seat-anisotropy"):
    """The mean cosine of all pairs of the texts asked about in one context."""

    context: Context
    texts: int
    mean_cosine: float


@dataclass(frozen=True, repr=False)
class SeatBattery(Result):
    """Every test in every context and unit, corrected by Holm within each unit, and what it rests on.

    `encoded` texts were computed in this run; the others came from the cache.
    """

    rows: tuple[SeatInFamily, ...]
    skipped: tuple[SkippedRow, ...]
    anisotropy: tuple[AnisotropyRow, ...]
    coherence: tuple[Coherence, ...]
    alpha: float
    encoded: int

    def findings(self) -> list[Row]:
        """Return one row per test, context, unit and encoder, then checks of the whole and what could not be run."""
        rows = [
            row.result.finding(
                p_holm=row.p_holm,
                alpha=self.alpha,
                verdict=row.verdict,
                stars=row.stars,
                detectable_shift=row.detectable_shift,
                published=(row.published,) if row.published else (),
                human=row.result.test.human,
                adapted=row.result.test.adapted,
            )
            for row in self.rows
        ]
        seed = self.rows[0].result.seed
        return [*rows, *(check.finding(seed) for check in self.coherence), *self.anisotropy, *self.skipped]

    def __repr__(self) -> str:
        by_unit = ", ".join(
            f"{sum(row.significant for row in self.of_unit(unit))} of {len(self.of_unit(unit))} by {unit}s"
            for unit in UNITS
        )
        return f"SeatBattery(significant after Holm at {self.alpha}: {by_unit}; {len(self.skipped)} skipped)"

    def of_unit(self, unit: Unit) -> list[SeatInFamily]:
        """Return the rows of one family."""
        return [row for row in self.rows if row.result.unit == unit]


def run_seats(
    encoders: Sequence[object],
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
    """Run every test in every context it has, or in one, on encoders, embeddings or functions.

    A test that cannot be run is skipped, or raises where `skip` is False.

    `report` is told what is being done, how much of it is done, and how much there is.
    """
    check_alpha(alpha)
    opened = [as_encoder(encoder) for encoder in encoders]
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
        reason = f"{not_run[0].test}, for one: {not_run[0].reason}" if not_run else "no test was asked for"
        raise VocabularyError(f"none of {len(tests)} tests can be run; {reason}")
    judged = judge_results(results, alpha)
    rows = _side_by_side(
        lambda pair: make_row(*pair, alpha),
        list(zip(results, judged, strict=True)),
        _labelled(report, "asking what each test could have found"),
    )
    return SeatBattery(
        rows=tuple(rows),
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
            raise SettingError(f"{encoder.name} was given twice; give every encoder once, under a name of its own")
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
