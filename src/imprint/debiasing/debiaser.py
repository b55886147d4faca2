"""What every debiaser is, and all of them by name: the built-in ones and those of installed plug-ins."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from imprint.checks import check_choice
from imprint.debiasing import DEBIASERS
from imprint.debiasing.labelled import Groups, LabelledRows, labelled_words
from imprint.debiasing.transform import LinearTransform, Transform
from imprint.directions.axis import Axis, Pairs
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError
from imprint.subjects.opening import EmbeddingLike

GENDER = (("he", "she"),)


class Debiaser(ABC):
    """Settings and `fit`; a subclass is a frozen dataclass of its settings."""

    summary: ClassVar[str]  # what it does, after "The method ...": "removes the axis from every word"
    needs_background: ClassVar[bool] = False  # whether `fit_rows` asks for seeds and background
    candidates: ClassVar[Mapping[str, Sequence[Any]]] = {}  # values of settings that a comparison chooses among

    @abstractmethod
    def fit(self, embedding: Embedding, *, axis: Axis | None = None, pairs: Pairs | None = None) -> Transform:
        """Fit along an axis, or on pairs of words that define one; on gender if neither is given."""

    def fit_gender(self, embedding: Embedding) -> Transform:
        """Fit along he - she, with the catalogue's words of gender."""
        return self.fit(embedding)

    def fit_groups(self, embedding: EmbeddingLike, groups: Groups) -> Transform:
        """Fit on words of two groups or more."""
        raise SettingError(
            f"{type(self).__name__} cannot be fitted on several groups",
            option="method",
            hint="choose leace, inlp, projection or multiclass-hard",
        )

    def fit_rows(self, labelled: LabelledRows) -> LinearTransform:
        """Fit on labelled vectors, as of sentences; one affine map moves every vector."""
        raise SettingError(
            f"{type(self).__name__} cannot be fitted on vectors of sentences", option="method", hint="choose another"
        )


class LabelledDebiaser(Debiaser):
    """A debiaser that needs labelled vectors alone, of words or of sentences."""

    @abstractmethod
    def fit_rows(self, labelled: LabelledRows) -> LinearTransform:
        """Fit on labelled vectors."""

    def fit(
        self,
        embedding: EmbeddingLike,
        *,
        axis: Axis | None = None,
        pairs: Pairs | None = None,
        positive: Sequence[str] | None = None,
        negative: Sequence[str] | None = None,
        groups: Groups | None = None,
    ) -> LinearTransform:
        """Fit on lists of labelled words, by default words that define gender and one-sided first names.

        Where the labelled words are fewer than the dimensions, what lies outside their span is unchanged.

        Parameters
        ----------
        embedding
            A file, `default` or an object, as `load` accepts it.
        axis
            An axis whose positive and negative words are the two lists.
        pairs
            Pairs whose first and second words are the two lists.
        positive
            Words of the first label.
        negative
            Words of the second label.
        groups
            Lists of words, one per group, of two groups or more; instead of the others.
        """
        return self.fit_rows(labelled_words(embedding, axis, pairs, positive, negative, groups))

    def fit_groups(self, embedding: EmbeddingLike, groups: Groups) -> LinearTransform:
        """Fit on words of two groups or more."""
        return self.fit(embedding, groups=groups)


def debiaser(name: str, **settings: Any) -> Debiaser:
    """Make a debiaser by name.

    Parameters
    ----------
    name
        linear, hard, leace, inlp, sentence-debias, projection, multiclass-hard, double-hard, half-sibling, or a
        plug-in's (entry points of the group `imprint.debiasers`).
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
    known = inspect.signature(kind).parameters
    for setting in settings:
        check_choice(f"a setting of {name}", setting, known)
    made: Debiaser = kind(**settings)
    return made


def summarise(name: str) -> str:
    """Tell what a debiaser does; of one that is not installed, what all do."""
    try:
        return str(DEBIASERS.get(name).summary)
    except SettingError:
        return "changes the vectors"
