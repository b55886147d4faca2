"""Debiasing, before and after: fit or apply a transform, write what it makes, and measure what it changed.

An embedding is debiased along an axis, and judged by stereotype words, background words and the WEATs of gender; or it
is fitted on words of several groups, and judged on held-out words of theirs. An encoder is fitted on sentences, and
judged on names and sentences that it was not fitted on.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args

from imprint.checks import EmbeddingFormat
from imprint.debiasing import DEBIASERS, LABELS_METHOD, METHODS
from imprint.debiasing.debiaser import GENDER, Debiaser, DebiaserOption, debiaser
from imprint.debiasing.labelled import Groups, check_groups
from imprint.debiasing.rows import fitted_finding
from imprint.debiasing.sentences import FittedOn, RememberingEncoder, gender_groups, label_texts, own_groups
from imprint.debiasing.transform import DebiasedEncoder, Transform
from imprint.directions.axis import Axis, Pairs, pair_axis
from imprint.embeddings.convert import choose_format, convert
from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingStore
from imprint.encoders.export import MATRIX
from imprint.errors import SettingError, VocabularyError
from imprint.evaluation.debiased import DebiasedCopy, judge_encoder
from imprint.evaluation.leakage import PART, group_leakage, hold_out
from imprint.files import FilePath, free_folder
from imprint.rows import Row, Rows
from imprint.settings import option, settable
from imprint.stimuli.catalog import GENDER_TESTS, catalogue, choose
from imprint.stimuli.definition import WeatTest
from imprint.stimuli.seeds import Seeds, WordPair, definitional_pairs, gender_specific
from imprint.stimuli.templates import Templates
from imprint.subjects.opening import EncoderLike, load, open_subject
from imprint.subjects.sources import SourceKind
from imprint.types import Report

_NOT_OF_ENCODERS = ("axis", "pairs", "seeds", "frontier", "format")
_NOT_OF_GROUPS = ("axis", "pairs", "strength", "seeds", "apply", "frontier", "tests")
_OF_FITTING = ("method", "strength", "seeds", "groups", "transform", "frontier")


@dataclass(frozen=True)
class DebiasSettings:
    """How an embedding or an encoder is debiased."""

    target: Annotated[
        FilePath | None, option("The file to write; of an encoder, the folder to make. Nothing is written without it.")
    ] = None
    _: KW_ONLY
    method: Annotated[
        str | Debiaser | None,
        option(
            "The name of a debiaser, a plug-in's too, or a debiaser with settings of its own. By default linear; "
            "leace for an encoder, and for groups."
        ),
    ] = None
    axis: Annotated[
        WordPair | None, option("Two words that the axis goes through, the positive end first; by default he and she.")
    ] = None
    pairs: Annotated[Pairs | None, option("Pairs of words that make the axis, or leace's labels.")] = None
    strength: Annotated[
        float | None,
        option("Of linear debiasing; by default chosen on folds of the seeds, and 10 for an encoder, which has none."),
    ] = None
    seeds: Annotated[
        Seeds | None, option("Words to remove the axis from, from `read_seeds`; by default professions.")
    ] = None
    groups: Annotated[
        Groups | None,
        option(
            "Two or more lists of words whose group should not be found any more. An encoder's are by default men's "
            "and women's names and terms. Every fifth word is held out. Methods that need pairs cannot be fitted on "
            "them."
        ),
    ] = None
    apply: Annotated[
        Transform | None, option("A transform to apply instead of fitting one, from `load_transform`.")
    ] = None
    transform: Annotated[FilePath | None, option("A file to save the transform in.")] = None
    frontier: Annotated[bool, option("Also measure what other strengths of linear debiasing would do.")] = False
    format: Annotated[
        EmbeddingFormat | None, option("The format of the file, as in `convert`; by default that of its ending.")
    ] = None
    templates: Annotated[
        Templates | None,
        option(
            "Sentences to fit an encoder on, from `read_templates`; by default, and for kinds of words it leaves out, "
            "sentences of this package. SEAT's own sentences are refused, because they judge the result."
        ),
    ] = None
    tests: Annotated[
        Sequence[WeatTest] | None,
        option(
            "WEATs to run before and after, of an encoder in sentences; by default those of gender, if it is removed."
        ),
    ] = None
    cache: Annotated[EncodingStore | None, option("Where encodings are kept between runs.")] = None
    seed: Annotated[int, option("Seed of everything random.")] = 0
    report: Annotated[Report | None, option("Called with the name of the step, the work done and the total work.")] = (
        None
    )

    def fitter(self, kind: SourceKind) -> Debiaser:
        """Return the debiaser to fit."""
        method = self._method(kind)
        if isinstance(method, Debiaser):
            return method
        return debiaser(method, **({} if self.strength is None else {"strength": self.strength}))

    def check(self, kind: SourceKind) -> None:
        """Refuse settings that mean nothing for a subject or beside each other, and a target that cannot be used."""
        given = {name for name, value in vars(self).items() if value is not None and value is not False}
        if kind == "encoder":
            _refuse(given, _NOT_OF_ENCODERS, "a sentence encoder")
        else:
            _refuse(given, ("templates",), "an embedding")
            _refuse(given, _NOT_OF_GROUPS if "groups" in given else (), "groups of an embedding")
        if "apply" in given:
            _refuse(given, _OF_FITTING, "apply, which uses a transform as it is")
        if "pairs" in given:
            _refuse(given, ("axis",), "pairs")
        method = self._method(kind)
        if isinstance(method, Debiaser):
            _refuse(given, ("strength",), "a debiaser, which has settings of its own")
        else:
            known = DEBIASERS.get(method).options
            unknown = [name for name in get_args(DebiaserOption) if name not in known]
            _refuse(given, unknown, f"method {method}", f"use method {METHODS[0]}, or leave it out")
        if self.target is not None:
            if self.transform is not None and Path(self.transform).absolute() == Path(self.target).absolute():
                problem = "is named for both the result and the transform"
                raise SettingError(problem, option="transform", where=self.target, hint="give two names")
            if kind == "encoder":
                free_folder(self.target)
            else:
                choose_format(Path(self.target), self.format)

    def _method(self, kind: SourceKind) -> str | Debiaser:
        return self.method or (LABELS_METHOD if kind == "encoder" or self.groups is not None else METHODS[0])


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


class Fit(NamedTuple):
    """A transform, what measures the debiased embedding or encoder, and notes on how it was fitted."""

    transform: Transform
    judge: Callable[[Any], list[Row]]
    notes: Sequence[str] = ()


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
        fit = _fit_sentences(opened, settings, report)
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


def _refuse(given: Collection[str], names: Iterable[str], about: str, hint: str = "leave it out") -> None:
    for name in names:
        if name in given:
            raise SettingError(f"{name} cannot be used with {about}", option=name, hint=hint)


def _fit_along(embedding: Embedding, settings: DebiasSettings, report: Report) -> Fit:
    """Fit along an axis. Held-out seeds judge, or all where none are held out, and without seeds professions."""
    given = settings.pairs or ((settings.axis,) if settings.axis else GENDER)
    axis, is_gender = pair_axis(embedding, given), tuple(given) == GENDER
    seeds = settings.seeds
    fitted, held_out = (None, None) if seeds is None else (seeds.fitted, seeds.held_out or None)
    transform, notes = settings.apply, []
    if transform is None:
        seeded: dict[str, Any] = {} if fitted is None else {"seeds": fitted}
        progress = partial(report, "choosing a strength")
        fitter, note = settings.fitter("embedding").choose_settings(
            embedding, axis=axis, judges=held_out or (), progress=progress, **seeded
        )
        by_default = is_gender and seeds is None
        transform = fitter.fit_gender(embedding) if by_default else fitter.fit(embedding, pairs=given, **seeded)
        notes += [note] if note else []
        if seeds is None and transform.card.seeds and not _is_gender(axis):
            listed = f"seeds: {len(transform.card.seeds)} professions, listed for gender"
            notes.append(f"{listed}; give seeds, words to remove {axis.name} from")

    def judge(after: Embedding) -> list[Row]:
        copy = DebiasedCopy(embedding, after, transform, axis, settings.seed)
        rows = copy.fitted(held_out or fitted) if is_gender or seeds is not None else [copy.fitted_alone()]
        attempts: list[tuple[str, str, Callable[[], Sequence[Row]]]] = []
        if settings.frontier:
            attempts.append(("frontier", "Other strengths", lambda: copy.frontier(seeds=fitted, held_out=held_out)))
        if is_gender or settings.tests is not None:
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


def _fit_sentences(encoder: Encoder, settings: DebiasSettings, report: Report) -> Fit:
    """Fit on sentences, and for comparison on words alone; a transform that is applied is not judged."""
    applied, groups, tests = settings.apply, settings.groups, settings.tests
    if applied is not None:
        dimension = encoder.encode(["word"]).shape[1]
        if dimension != applied.dimension:
            expected = f"a transform of {dimension} dimensions, as {encoder.name} has"
            raise SettingError(option="apply", got=applied.dimension, expected=expected)
        return Fit(applied, lambda after: [fitted_finding(applied)])
    progress = partial(report, f"encoding with {encoder.name}")
    before = RememberingEncoder(encoder, cache=settings.cache, progress=progress)
    asked = gender_groups() if groups is None else own_groups(check_groups(groups))
    fitter, templates = settings.fitter("encoder"), settings.templates
    transforms = {
        on: fitter.fit_rows(label_texts(before, asked, on=on, templates=templates, others=fitter.needs_background))
        for on in get_args(FittedOn)
    }
    if tests is None:
        chosen = choose(catalogue(), GENDER_TESTS) if groups is None else ()
        tests = [test for test in chosen if isinstance(test, WeatTest)]
    judge = partial(judge_encoder, before, transforms, asked, tests, settings.seed, report)
    return Fit(transforms["sentences"], lambda after: judge())


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


def _is_gender(axis: Axis) -> bool:
    """Tell whether every word of an axis is gendered by meaning, or among the pairs that define gender."""
    known = {word.lower() for word in (*gender_specific(), *(word for pair in definitional_pairs() for word in pair))}
    return all(word.lower() in known for word in axis.positive + axis.negative)


def _unreported(label: str, done: int, total: int) -> None:
    pass
