"""Everything that decides an enumeration, in one frozen value: the paper's Table 2 and our options.

Two runs with equal settings on equal data give the same bytes; a checkpoint is good for its own settings alone.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Annotated, Literal, get_args, get_origin

from imprint.checks import Centre, Cleaning, Correction, NullMethod, check_between, check_choice, check_whole
from imprint.errors import SettingError
from imprint.settings import fields_of, option

RATES: dict[NullMethod, float] = {"mirrored": 0.1, "paper": 0.05}

# Settings that mean nothing to the other method.
_ONLY: dict[str, NullMethod] = {
    "copies": "mirrored",
    "repeats": "mirrored",
    "rotations": "paper",
    "correction": "paper",
}

_LEAST = {"groups": 2, "seed": 0, "repeats": 0}  # of whole numbers; of the others 1


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of an enumeration: those of Swinger et al. (2019), Table 2, and ours."""

    groups: Annotated[int, option("Number of name groups.")] = 12
    categories: Annotated[int, option("Number of word categories.")] = 64
    words: Annotated[int, option("Most frequent lower-case words to ask about.")] = 30_000
    top: Annotated[int, option("Words per association.")] = 3
    method: Annotated[
        NullMethod, option("Compare with mirrored copies of the names, or with the paper's rotations.")
    ] = "mirrored"
    copies: Annotated[int, option("Mirrored copies of each kind.")] = 400
    rotations: Annotated[int, option("With the paper's method: random rotations behind each p-value.")] = 10_000
    fdr: Annotated[float | None, option("False discovery rate. [default: 0.1; 0.05 with the paper's method]")] = None
    seed: Annotated[int, option("Random seed.", min=0)] = 0
    cleaning: Annotated[Cleaning, option("How to find words that are not names; they are dropped.")] = "margin"
    centre: Annotated[Centre, option("Measure scores from the mean of these words.")] = "category"
    correction: Annotated[
        Correction, option("With the paper's method: correction for many tests; max is family-wise.")
    ] = "bh"
    overlapping: Annotated[bool, option("Let groups share words (footnote 2).")] = False
    weighted: Annotated[bool, option("Count each name by its bearers (footnote 4).")] = False
    without_frequency: Annotated[bool, option("Remove the direction of word frequency first.")] = False
    repeats: Annotated[
        int, option("Repeats with other K-means seeds: how often does each association recur? 0 for none.")
    ] = 20

    def __post_init__(self) -> None:
        for name, (field, _) in fields_of(Settings).items():
            value = getattr(self, name)
            if field.annotation is int:
                object.__setattr__(self, name, check_whole(name, value, _LEAST.get(name, 1)))
            if get_origin(field.annotation) is Literal:
                check_choice(name, value, get_args(field.annotation))
            method = _ONLY.get(name, self.method)
            if method != self.method and value not in (field.default, 0):
                raise SettingError(
                    f"{name} belongs to method {method!r}",
                    option=name,
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
