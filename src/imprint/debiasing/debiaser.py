"""What every debiaser is, and all of them by name: the built-in ones and those of installed plug-ins."""

import inspect
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from imprint.debiasing import DEBIASERS
from imprint.debiasing.transform import Transform
from imprint.directions.axis import Axis, Pairs
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError

GENDER = (("he", "she"),)


class Debiaser(ABC):
    """Settings and `fit`; a subclass is a frozen dataclass of its settings."""

    summary: ClassVar[str]  # what it does, after "The method ...": "removes the axis from every word"

    @abstractmethod
    def fit(self, embedding: Embedding, *, axis: Axis | None = None, pairs: Pairs | None = None) -> Transform:
        """Fit along an axis, or on pairs of words that define one; on gender if neither is given."""

    def fit_gender(self, embedding: Embedding) -> Transform:
        """Fit along he - she, with the catalogue's words of gender."""
        return self.fit(embedding)


def debiaser(name: str, **settings: Any) -> Debiaser:
    """Make a debiaser by name.

    Parameters
    ----------
    name
        linear, hard, leace, or a name from a plug-in (entry points of the group `imprint.debiasers`).
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
        if setting not in known:
            raise SettingError(
                option=f"a setting of {name}", got=setting, expected=f"one of {', '.join(known) or 'none'}"
            )
    made: Debiaser = kind(**settings)
    return made


def summarise(name: str) -> str:
    """Tell what a debiaser does; of one that is not installed, what all do."""
    try:
        return str(DEBIASERS.get(name).summary)
    except SettingError:
        return "changes the vectors"
