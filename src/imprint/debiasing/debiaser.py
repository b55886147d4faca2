"""What every debiaser is, and all of them by name: the built-in ones and those of installed plug-ins."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from imprint.checks import check_choice
from imprint.debiasing import DEBIASERS
from imprint.debiasing.labelled import LABELS, Groups, LabelledRows, labelled_words
from imprint.debiasing.transform import LinearTransform, Transform
from imprint.directions.axis import Axis, Pairs
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError
from imprint.subjects.opening import EmbeddingLike, load
from imprint.types import Progress

if TYPE_CHECKING:
    from imprint.debiasing.frontier import FrontierPoint

DebiaserOption = Literal["strength", "seeds", "frontier"]

GENDER = (("he", "she"),)


class Debiaser(ABC):
    """Settings and `fit`; a subclass is a frozen dataclass of its settings.

    Commands, comparisons and pages tell debiasers apart by these class attributes alone. A fact is a setting, or
    something measured while fitting, on the card of the transform.

    Attributes
    ----------
    summary
        What it does, after "The method ...": "removes the axis from every word".
    labels
        What its facts are called on pages, by name; a fact without a label is called by its name.
    compared
        Names of the facts that a comparison of debiasers shows.
    candidates
        Values of settings that a comparison chooses among.
    options
        Options of `imprint debias` that it has a meaning for. `strength`: it has a setting of that name, a number.
        `seeds`: `fit` takes them. `frontier`: `frontier` measures other strengths.
    takes_groups
        Whether `fit_groups` can be fitted on words of several groups.
    needs_background
        Whether `fit_rows` asks for seeds and background.
    """

    summary: ClassVar[str] = "changes the vectors"
    labels: ClassVar[Mapping[str, str]] = {}
    compared: ClassVar[Sequence[str]] = ()
    candidates: ClassVar[Mapping[str, Sequence[Any]]] = {}
    options: ClassVar[Collection[DebiaserOption]] = ()
    takes_groups: ClassVar[bool] = False
    needs_background: ClassVar[bool] = False

    @abstractmethod
    def fit(self, embedding: Embedding, *, axis: Axis | None = None, pairs: Pairs | None = None) -> Transform:
        """Fit along an axis, or on pairs of words that define one; on gender if neither is given."""

    def fit_gender(self, embedding: Embedding, *, leave_out: Collection[str] = ()) -> Transform:
        """Fit along he - she, with the catalogue's words of gender.

        Words to leave out are names and gendered words that judge the result. A debiaser that is fitted on more words
        than he and she must not be fitted on them.
        """
        return self.fit(embedding)

    def fit_groups(self, embedding: EmbeddingLike, groups: Groups) -> Transform:
        """Fit on words of two groups or more; by default with the `groups` of `fit`."""
        if not self.takes_groups:
            *others, last = (method for method in DEBIASERS.builtin if DEBIASERS.get(method).takes_groups)
            raise SettingError(
                f"{type(self).__name__} cannot be fitted on several groups",
                option="method",
                hint=f"choose {', '.join(others)} or {last}",
            )
        return self.fit(load(embedding), groups=groups)  # type: ignore[call-arg]

    def fit_rows(self, labelled: LabelledRows) -> LinearTransform:
        """Fit on labelled vectors, as of sentences; one affine map moves every vector."""
        raise SettingError(
            f"{type(self).__name__} cannot be fitted on vectors of sentences", option="method", hint="choose another"
        )

    def choose_settings(
        self,
        embedding: Embedding,
        *,
        axis: Axis,
        seeds: Sequence[str] | None = None,
        judges: Collection[str] = (),
        progress: Progress | None = None,
    ) -> "tuple[Debiaser, str]":
        """Return the debiaser with settings that suit an embedding, and a note on how they were chosen.

        Words of `judges` have no say. Without a choice to make it is the same debiaser, and no note.
        """
        return self, ""

    @classmethod
    def frontier(cls, embedding: Embedding, transform: Transform, **options: Any) -> "tuple[FrontierPoint, ...]":
        """Measure what strengths would do, that of a fitted transform among them; options are `imprint.frontier`'s."""
        raise SettingError(f"{cls.__name__} has no strengths", option="method", hint="choose another")


class LabelledDebiaser(Debiaser):
    """A debiaser that needs labelled vectors alone, of words or of sentences: its subclass has `fit_rows` only."""

    takes_groups = True

    @abstractmethod
    def fit_rows(self, labelled: LabelledRows) -> LinearTransform:
        """Fit on labelled vectors."""

    def fit(
        self,
        embedding: EmbeddingLike,
        *,
        axis: Axis | None = None,
        pairs: Pairs | None = None,
        groups: Groups | None = None,
    ) -> LinearTransform:
        """Fit on lists of labelled words, by default words that define gender and one-sided first names.

        Where the labelled words are fewer than the dimensions, what lies outside their span is unchanged.

        Parameters
        ----------
        embedding
            A file, `default` or an object, as `load` accepts it.
        axis
            An axis whose positive and negative words are two lists.
        pairs
            Pairs whose first and second words are two lists.
        groups
            Lists of words, one per group, of two groups or more; instead of an axis or pairs.
        """
        return self.fit_rows(labelled_words(embedding, axis, pairs, groups))

    def fit_gender(self, embedding: Embedding, *, leave_out: Collection[str] = ()) -> LinearTransform:
        """Fit on words that define gender and one-sided first names, but for those left out."""
        return self.fit_rows(labelled_words(embedding).without(leave_out))


def debiaser(name: str, **settings: Any) -> Debiaser:
    """Make a debiaser by name.

    Parameters
    ----------
    name
        A name of `imprint.debiasing.METHODS`, such as linear, or a plug-in's (entry points of the group
        `imprint.debiasers`).
    settings
        The debiaser's own settings, such as `strength` of linear.

    Returns
    -------
    Debiaser
        Its `fit` returns a transform.

    Examples
    --------
    >>> imprint.debiaser("linear", strength=20.0)
    LinearDebiaser(strength=20.0, spread=0.02)
    """
    kind = DEBIASERS.get(name)
    parameters = inspect.signature(kind).parameters
    for setting in settings:
        check_choice(f"a setting of {name}", setting, parameters)
    made: Debiaser = kind(**settings)
    return made


def find_debiaser(name: str) -> type[Debiaser]:
    """Return the class of a debiaser; for a name that is not installed, what holds for all."""
    try:
        kind: type[Debiaser] = DEBIASERS.get(name)
    except SettingError:
        return Debiaser
    return kind


def label_fact(method: str, name: str) -> str:
    """Return what a fact of a debiaser is called on pages."""
    return {**LABELS, **find_debiaser(method).labels}.get(name) or name.replace("_", " ")
