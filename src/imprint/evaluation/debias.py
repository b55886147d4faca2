"""Debiasing, before and after: fit or apply a transform, write what it makes, and measure what it changed.

An embedding is debiased along an axis, and judged by stereotype words, background words and the WEATs of gender; or it
is fitted on words of several groups, and judged on held-out words of theirs. An encoder is fitted and judged in
`debiased_encoder`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from imprint.association.battery import run_battery
from imprint.association.changes import before_and_after
from imprint.debiasing.debiaser import GENDER, find_debiaser
from imprint.debiasing.frontier import stereotype_variances
from imprint.debiasing.labelled import Groups, check_groups
from imprint.debiasing.rows import FrontierRow, debiasing_finding, fitted_finding, frontier_finding
from imprint.debiasing.settings import DebiasSettings
from imprint.debiasing.transform import MATRIX, DebiasedEncoder, Transform
from imprint.directions.axis import Axis, pair_axis
from imprint.embeddings.convert import convert
from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import Encoder
from imprint.errors import VocabularyError
from imprint.evaluation.debiased_encoder import Fit, fit_sentences
from imprint.evaluation.leakage import PART, group_leakage, hold_out
from imprint.evaluation.left import fit_gender, is_gender, judging_axis, measure_left
from imprint.evaluation.resampling import flatten
from imprint.files import FilePath
from imprint.rows import Row, Rows, SkippedRow, skipped
from imprint.settings import settable
from imprint.stimuli.catalog import GENDER_TESTS, catalogue, choose
from imprint.stimuli.definition import WeatTest
from imprint.subjects.opening import EncoderLike, load, open_subject
from imprint.subjects.sources import SourceKind
from imprint.types import Report


class Debiasing(Rows[Row]):
    """What was fitted, and what it changed.

    Attributes
    ----------
    result
        The debiased embedding or encoder.
    transform
        The transform that made it.
    notes
        How settings were chosen, what to check, and what was written where.
    """

    def __init__(
        self, rows: Iterable[Row], result: Embedding | DebiasedEncoder, transform: Transform, notes: Sequence[str]
    ) -> None:
        super().__init__(row.in_part(PART) for row in rows)
        self.result, self.transform, self.notes = result, transform, tuple(notes)


@dataclass(frozen=True)
class DebiasedCopy:
    """An embedding before and after debiasing along an axis, and what is measured of both."""

    before: Embedding
    after: Embedding
    transform: Transform
    axis: Axis
    seed: int = 0

    def fitted_alone(self) -> Row:
        """Say what was fitted."""
        return debiasing_finding(self.before, self.transform, self.axis, None)

    def fitted(self, judges: Sequence[str] | None = None) -> list[Row]:
        """Say what was fitted, and how far words spread; where words to judge it by are missing, without."""
        try:
            variances = stereotype_variances(self.before, self.after, self.axis, held_out=judges)
        except VocabularyError as error:
            return [self.fitted_alone(), self.skip("variances", "Variances before and after", error)]
        return [debiasing_finding(self.before, self.transform, self.axis, variances, **self._left(judges))]

    def _left(self, judges: Sequence[str] | None) -> dict[str, Any]:
        """Say what is left along the gender axis, or along one of another name; nothing where pairs are missing."""
        try:
            axis = judging_axis(self.before) if is_gender(self.axis) else self.axis
        except VocabularyError:
            return {}
        left = measure_left(self.before, self.after, axis, judges)
        return flatten(left) | {"n_pairs": 0 if axis is self.axis else len(axis.positive)}

    def frontier(self, **words: Any) -> list[FrontierRow]:
        """Say what other strengths would do; words are `imprint.frontier`'s."""
        kind = find_debiaser(self.transform.method)
        points = kind.frontier(self.before, self.transform, axis=self.axis, **words)
        return [frontier_finding(self.before, self.transform, self.axis, points)]

    def tests(self, tests: Sequence[WeatTest] | None = None, *, report: Report) -> list[Row]:
        """Run WEATs, by default those of gender, before and after."""
        chosen = choose(catalogue(), GENDER_TESTS) if tests is None else tests
        label, runs = "testing before and after", 2 * len(chosen)
        report(label, 0, runs)
        first = run_battery(
            self.before, chosen, seed=self.seed, progress=lambda done, total: report(label, done, runs)
        )
        last = run_battery(
            self.after, chosen, seed=self.seed, progress=lambda done, total: report(label, total + done, runs)
        )
        return [row.in_part(PART) for row in before_and_after(first, last)]

    def skip(self, test: str, title: str, error: VocabularyError) -> SkippedRow:
        """Return the row of something that could not be measured."""
        return skipped((self.before.name, self.before.sha256), test, title, error, part=PART, seed=self.seed)


@settable(DebiasSettings)
def debias(subject: EncoderLike, settings: DebiasSettings) -> Debiasing:
    """Debias an embedding or a sentence encoder, and measure what changed on words that were not fitted on.

    Parameters
    ----------
    subject
        An embedding or an encoder, as `open_subject` accepts it.

    Returns
    -------
    Debiasing
        Rows of what was fitted and what changed; `result` is the debiased embedding or encoder.

    Examples
    --------
    >>> debiased = imprint.debias("default", method="hard")
    >>> debiased.result.name
    'glove.6B.100d debiased (hard)'
    """
    opened, target, report = open_subject(subject), settings.target, settings.report or _unreported
    kind: SourceKind = "encoder" if isinstance(opened, Encoder) else "embedding"
    settings.check(kind)
    step = partial(report, f"debiasing {opened.name}")
    step(0, 2)
    if isinstance(opened, Encoder):
        fit = fit_sentences(opened, settings, report)
    elif settings.groups is not None:
        fit = _fit_groups(opened, settings, settings.groups)
    else:
        fit = _fit_along(opened, settings, report)
    step(1, 2)
    result = fit.transform.apply(opened)
    step(2, 2)
    notes, fitted_on = [*fit.notes], fit.transform.card
    if fitted_on.embedding_sha256 != opened.sha256:
        notes.append(f"note: the transform was fitted on another {kind} ({fitted_on.embedding}); check what changed")
    if target is not None:
        result, written = _write(result, target, settings, report)
        notes += written
    if settings.transform is not None:
        fit.transform.save(settings.transform)
        notes.append(f"the transform written to {settings.transform}")
    return Debiasing(fit.judge(result), result, fit.transform, notes)


def _fit_along(embedding: Embedding, settings: DebiasSettings, report: Report) -> Fit:
    """Fit along an axis. Held-out seeds judge, or all where none are held out, and without seeds professions."""
    given = settings.read_pairs() or ((settings.axis,) if settings.axis else GENDER)
    axis, is_plain = pair_axis(embedding, given), tuple(given) == GENDER
    seeds = settings.read_seeds()
    fitted, held_out = (None, None) if seeds is None else (seeds.fitted, seeds.held_out or None)
    transform, notes = settings.load_transform(), []
    if transform is None:
        progress = partial(report, "choosing a strength")
        if is_plain and seeds is None:
            method = settings.fitter("embedding") if settings.number is not None else settings.method_for("embedding")
            transform, note = fit_gender(embedding, method, seed=settings.seed, progress=progress)
        else:
            seeded: dict[str, Any] = {} if fitted is None else {"seeds": fitted}
            fitter, note = settings.fitter("embedding").choose_settings(
                embedding, axis=axis, judges=held_out or (), progress=progress, **seeded
            )
            transform = fitter.fit(embedding, pairs=given, **seeded)
        notes += [note] if note else []
        if seeds is None and transform.card.seeds and not is_gender(axis):
            listed = f"seeds: {len(transform.card.seeds)} professions, listed for gender"
            notes.append(f"{listed}; give seeds, words to remove {axis.name} from")

    def judge(after: Embedding) -> list[Row]:
        copy = DebiasedCopy(embedding, after, transform, axis, settings.seed)
        rows = copy.fitted(held_out or fitted) if is_plain or seeds is not None else [copy.fitted_alone()]
        attempts: list[tuple[str, str, Callable[[], Sequence[Row]]]] = []
        if settings.frontier:
            attempts.append(("frontier", "Other strengths", lambda: copy.frontier(seeds=fitted, held_out=held_out)))
        if is_plain or settings.tests is not None:
            run = partial(copy.tests, settings.tests, report=report)
            attempts.append(("weats", "WEATs of gender before and after", run))
        for name, title, work in attempts:
            try:
                rows += work()
            except VocabularyError as error:
                rows.append(copy.skip(name, title, error))
        return rows

    return Fit(transform, judge, notes)


def _fit_groups(embedding: Embedding, settings: DebiasSettings, groups: Groups) -> Fit:
    fitted, held_out = hold_out(check_groups(groups))
    transform = settings.fitter("embedding").fit_groups(embedding, fitted)
    seeds = transform.card.seeds

    def judge(after: Embedding) -> list[Row]:
        left = group_leakage(embedding, after, transform, fitted, held_out, seed=settings.seed)
        return [fitted_finding(transform), left]

    return Fit(transform, judge, [f"seeds: {len(seeds)} professions, listed for gender"] if seeds else [])


def _write(
    result: Embedding | DebiasedEncoder, target: FilePath, settings: DebiasSettings, report: Report
) -> tuple[Embedding | DebiasedEncoder, list[str]]:
    """Write an embedding or encoder; return what anybody will find there, and what to say of it."""
    if isinstance(result, Embedding):
        convert(result, target, format=settings.format, progress=partial(report, f"writing {target}"))
        written = load(target, progress=partial(report, f"reading {target}"))
        return written, [f"{len(written):,} words written to {target}"]
    model = result.save(target)
    if model is None:
        alone = f"{MATRIX} alone, since this encoder is not a model that can be written"
        return result, [f"written to {target}: {alone}; apply it to the encoder's vectors x: weight @ x + bias"]
    notes = [f"written to {target}: a {model} and {MATRIX} (weight and bias)"]
    if settings.apply is not None:
        notes.append(f"see what changed: imprint audit {target} --against {result.base.name}")
    return result, notes


def _unreported(label: str, done: int, total: int) -> None:
    pass
