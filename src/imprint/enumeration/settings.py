"""Everything that decides an enumeration, in one frozen value: the paper's Table 2 and our options.

Two runs with equal settings on equal data give the same bytes; a checkpoint is good for its own settings alone.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from typing import Literal, get_args, get_origin

from imprint.checks import Centre, Cleaning, Correction, NullMethod, check_between, check_choice, check_whole
from imprint.errors import SettingError

RATES: dict[NullMethod, float] = {"mirrored": 0.1, "paper": 0.05}

# Settings that mean nothing to the other method.
_ONLY: dict[str, NullMethod] = {
    "copies": "mirrored",
    "repeats": "mirrored",
    "rotations": "paper",
    "correction": "paper",
}


@dataclass(frozen=True)
class Settings:
    """The settings of an enumeration: those of Swinger et al. (2019), Table 2, and ours.

    Parameters
    ----------
    groups
        Groups of names.
    categories
        Categories of words.
    words
        How many of the most frequent lower-case words to use.
    top
        Words per association.
    method
        What cells are compared with: "mirrored" copies of the names, or the random rotations of the "paper".
    copies
        Mirrored copies of each kind.
    rotations
        Random rotations behind each p-value of the paper.
    fdr
        False discovery rate; None for 0.10, and for 0.05 with the paper's method.
    seed
        Seed of everything random.
    cleaning
        How the 20 % of names least like names are found and dropped: by the "margin" of a classifier, by distance to
        the "centroid", or "none".
    centre
        What scores are measured from: the mean of the word's "category", or of "all" words.
    correction
        The paper's correction for many tests: "bh", "by", or "max", which is family-wise.
    overlapping
        Let groups share words.
    weighted
        Count each name by its bearers.
    without_frequency
        Remove the direction along which word frequency varies most.
    repeats
        Further runs with other K-means seeds, which say how often each association recurs; 0 makes none, as does the
        paper's method.

    Examples
    --------
    >>> imprint.Settings(groups=8).rate
    0.1
    """

    groups: int = 12
    categories: int = 64
    words: int = 30_000
    top: int = 3
    method: NullMethod = "mirrored"
    copies: int = 400
    rotations: int = 10_000
    fdr: float | None = None
    seed: int = 0
    cleaning: Cleaning = "margin"
    centre: Centre = "category"
    correction: Correction = "bh"
    overlapping: bool = False
    weighted: bool = False
    without_frequency: bool = False
    repeats: int = 20

    def __post_init__(self) -> None:
        for name, least in (
            ("groups", 2),
            ("categories", 1),
            ("words", 1),
            ("top", 1),
            ("copies", 1),
            ("rotations", 1),
            ("seed", 0),
            ("repeats", 0),
        ):
            object.__setattr__(self, name, check_whole(name, getattr(self, name), least))
        for field in fields(self):
            value = getattr(self, field.name)
            if get_origin(field.type) is Literal:
                check_choice(field.name, value, get_args(field.type))
            method = _ONLY.get(field.name, self.method)
            if method != self.method and value not in (field.default, 0):
                raise SettingError(
                    f"{field.name} belongs to method {method!r}",
                    option=field.name,
                    got=value,
                    hint="choose that method",
                )
        check_between("fdr", self.rate)

    @property
    def rate(self) -> float:
        """The false discovery rate."""
        return RATES[self.method] if self.fdr is None else self.fdr

    def fingerprint(self, *data: str) -> str:
        """Return a hash of the settings and of whatever else decides the result."""
        text = json.dumps([asdict(self), *data], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()
