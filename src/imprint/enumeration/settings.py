"""Everything that decides an enumeration, in one frozen value: the paper's Table 2 and our options.

Two runs with equal settings on equal data give the same bytes; a checkpoint is good for its own settings alone.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from typing import get_args

from imprint.checks import Centre, Cleaning, Correction, check_between, check_choice, check_whole


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
    rotations
        Random rotations behind each p-value.
    fdr
        False discovery rate.
    seed
        Seed of everything random.
    cleaning
        How the 20 % of names least like names are found and dropped: by the "margin" of a classifier, by distance to
        the "centroid", or "none".
    centre
        What scores are measured from: the mean of the word's "category", or of "all" words.
    correction
        Correction for many tests: "bh", "by", or "max", which is family-wise.
    overlapping
        Let groups share words.
    weighted
        Count each name by its bearers.
    without_frequency
        Remove the direction along which word frequency varies most.
    repeats
        Further runs with other K-means seeds, which say how often each association recurs; 0 makes none.

    Examples
    --------
    >>> imprint.Settings(groups=8).rotations
    10000
    """

    groups: int = 12
    categories: int = 64
    words: int = 30_000
    top: int = 3
    rotations: int = 10_000
    fdr: float = 0.05
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
            ("rotations", 1),
            ("seed", 0),
            ("repeats", 0),
        ):
            object.__setattr__(self, name, check_whole(name, getattr(self, name), least))
        check_between("fdr", self.fdr)
        for field in fields(self):
            if choices := get_args(field.type):
                check_choice(field.name, getattr(self, field.name), choices)

    def fingerprint(self, *data: str) -> str:
        """Return a hash of the settings and of whatever else decides the result."""
        text = json.dumps([asdict(self), *data], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()
