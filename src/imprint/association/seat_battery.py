"""Many tests in several contexts on one or more encoders: every text encoded once, one family a unit.

May et al. (2019), section 4 and table 4; the correction runs over all tests and all encoders given, as its
footnote 8 does.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypeVar

from imprint.association.coherence import Coherence, check_coherence
from imprint.association.seat import Progress, Question, ask, measure
from imprint.association.seat_result import SeatResult
from imprint.association.seat_rows import UNITS, SeatRow, judge_results, make_row
from imprint.association.sensitivity import mean_cosine
from imprint.association.sentences import Unit
from imprint.association.verdicts import check_alpha
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingCache
from imprint.encoders.encodings import Encodings, encode_texts
from imprint.encoders.opening import as_encoder
from imprint.errors import SettingError, StimulusError, VocabularyError
from imprint.finding import Finding, Findings, Skipped
from imprint.significance.partitions import Alternative
from imprint.stimuli.definition import UNDETERMINED, Context, WeatTest
from imprint.stimuli.templates import Templates, contexts

if TYPE_CHECKING:
    import pandas as pd

Report = Callable[[str, int, int], None]
Item = TypeVar("Item")
Done = TypeVar("Done")

_AT_ONCE = 2  # tests counted side by side: each may take a gigabyte


@dataclass(frozen=True)
class Anisotropy:
    """The mean cosine of all pairs of the texts asked about in one context."""

    encoder: str
    encoder_sha256: str
    context: Context
    texts: int
    mean_cosine: float

    def finding(self, seed: int) -> Finding:
        """Return the measure as a row."""
        return Finding(
            kind="seat-anisotropy",
            test=self.context,
            embedding=self.encoder,
            embedding_sha256=self.encoder_sha256,
            effect_size=None,
            statistic=self.mean_cosine,
            p_value=None,
            seed=seed,
            details={"context": self.context, "texts": self.texts, "mean_cosine": self.mean_cosine},
        )


@dataclass(frozen=True, repr=False)
class SeatBattery(Findings):
    """Every test in every context and unit, corrected by Holm within each unit, and what it rests on.

    `encoded` texts were computed in this run; the others came from the cache.
    """

    rows: tuple[SeatRow, ...]
    skipped: tuple[Skipped, ...]
    anisotropy: tuple[Anisotropy, ...]
    coherence: tuple[Coherence, ...]
    alpha: float
    encoded: int

    def findings(self) -> list[Finding]:
        """Return one row a test, context, unit and encoder, then the checks of the whole and what could not be run."""
        rows = [
            row.result.finding(
                p_holm=row.p_holm,
                alpha=self.alpha,
                verdict=row.verdict,
                stars=row.stars,
                detectable_shift=row.detectable_shift,
                published=asdict(row.published) if row.published else None,
                human=asdict(row.result.test.human) if row.result.test.human else None,
                adapted=row.result.test.adapted,
            )
            for row in self.rows
        ]
        first = self.rows[0].result
        measured = (first.encoder, first.encoder_sha256)
        return [
            *rows,
            *(check.finding(first.seed) for check in self.coherence),
            *(row.finding(first.seed) for row in self.anisotropy),
            *(one.finding(measured, first.seed) for one in self.skipped),
        ]

    def to_frame(self) -> "pd.DataFrame":
        """Return one row a test, context, unit and encoder, without the numbers of single words and templates."""
        import pandas as pd

        frames = [row.result.to_frame().assign(p_holm=row.p_holm, stars=row.stars) for row in self.rows]
        return pd.concat(frames, ignore_index=True)

    def __repr__(self) -> str:
        by_unit = ", ".join(
            f"{sum(row.significant for row in self.of_unit(unit))} of {len(self.of_unit(unit))} by {unit}s"
            for unit in UNITS
        )
        return f"SeatBattery(significant after Holm at {self.alpha}: {by_unit}; {len(self.skipped)} skipped)"

    def of_unit(self, unit: Unit) -> list[SeatRow]:
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
    questions, skipped = put(tests, context, templates, skip=skip)
    results: list[SeatResult] = []
    anisotropy: list[Anisotropy] = []
    encoded = 0
    for encoder in opened:
        texts = [text for question in questions for text in question.texts + question.frames]
        encodings = encode_texts(
            encoder, texts, cache=cache, progress=_labelled(report, f"encoding with {encoder.name}")
        )
        encoded += encodings.encoded
        anisotropy += _anisotropy(encoder, questions, encodings)
        measured, failed = _measure_all(encoder, questions, encodings, alternative, seed, skip=skip, report=report)
        results += measured
        skipped += failed
    if not results:
        reason = f"{skipped[0].test}, for one: {skipped[0].reason}" if skipped else "no test was asked for"
        raise VocabularyError(f"none of {len(tests)} tests can be run; {reason}")
    judged = judge_results(results, alpha)
    rows = _side_by_side(
        lambda pair: make_row(*pair, alpha),
        list(zip(results, judged, strict=True)),
        _labelled(report, "asking what each test could have found"),
    )
    return SeatBattery(
        rows=tuple(rows),
        skipped=tuple(dict.fromkeys(skipped)),
        anisotropy=tuple(anisotropy),
        coherence=tuple(check_coherence(results, alpha)),
        alpha=alpha,
        encoded=encoded,
    )


def put(
    tests: Sequence[WeatTest], context: Context | None, templates: Templates | None, *, skip: bool = True
) -> tuple[list[Question], list[Skipped]]:
    """Put every test into sentences, in the contexts it has or in the one asked for."""
    questions, skipped = [], []
    for test in tests:
        for one in contexts(test) if context is None else (context,):
            try:
                questions.append(ask(test, one, templates))
            except StimulusError as error:
                # Words of no stated language can still be asked alone.
                alone = context is None and one == "bleached" and test.language == UNDETERMINED
                if not skip and not alone:
                    raise
                skipped.append(Skipped("seat", test.id, test.title, str(error)))
    return questions, skipped


def _refuse_repeated(encoders: Sequence[Encoder]) -> None:
    """Refuse one encoder given twice: its tests would count twice in their family, under one name."""
    known: set[str] = set()
    for encoder in encoders:
        if encoder.identity in known:
            raise SettingError(f"{encoder.name} was given twice; give every encoder once, under a name of its own")
        known.add(encoder.identity)


def _measure_all(
    encoder: Encoder,
    questions: Sequence[Question],
    encodings: Encodings,
    alternative: Alternative,
    seed: int,
    *,
    skip: bool,
    report: Report | None,
) -> tuple[list[SeatResult], list[Skipped]]:
    lacking = encoder.lacks(dict.fromkeys(form for question in questions for form in question.forms))

    def run(question: Question) -> tuple[list[SeatResult], list[Skipped]]:
        test = question.test
        try:
            measured = measure(question, encoder, encodings, lacking, alternative=alternative, seed=seed)
        except VocabularyError as error:
            if not skip:
                raise
            return [], [Skipped("seat", test.id, test.title, str(error))]
        if "sentence" in measured:
            return list(measured.values()), []
        counts = " and ".join(f"{len(question.sides[key]):,}" for key in "xy")
        reason = f"{counts} {question.context} sentences have too many partitions to count; by words it was run"
        return list(measured.values()), [Skipped("seat", test.id, test.title, reason)]

    outcomes = _side_by_side(run, questions, _labelled(report, f"testing {encoder.name}"))
    return [one for done, _ in outcomes for one in done], [one for _, failed in outcomes for one in failed]


def _side_by_side(work: Callable[[Item], Done], items: Sequence[Item], progress: Progress | None) -> list[Done]:
    """Do the work, whose heavy parts release Python's lock, for several items at once; results in their order."""
    done: list[Done] = []
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for outcome in pool.map(work, items):
            done.append(outcome)
            if progress is not None:
                progress(len(done), len(items))
    return done


def _anisotropy(encoder: Encoder, questions: Sequence[Question], encodings: Encodings) -> Iterable[Anisotropy]:
    for context in dict.fromkeys(question.context for question in questions):
        texts = list(dict.fromkeys(t for question in questions if question.context == context for t in question.texts))
        cosine = mean_cosine(encodings.rows(texts))
        yield Anisotropy(encoder.name, encoder.identity, context, len(texts), cosine)


def _labelled(report: Report | None, label: str) -> Progress | None:
    return None if report is None else lambda done, total: report(label, done, total)
