"""How tests are run and altered copies made, described once: for commands and for Python."""

from dataclasses import dataclass
from typing import Annotated, get_args

from imprint.checks import MOST_DRAWS, Alternative, check_choice, check_whole
from imprint.settings import SEED, option

COPIES = 200
MOST_COPIES = 100_000


@dataclass(frozen=True, kw_only=True)
class WeatSettings:
    """How the p-value of a test is found."""

    alternative: Annotated[Alternative, option("Which side p counts.")] = "greater"
    draws: Annotated[
        int | None,
        option("Estimate p from this many random partitions instead of counting.", "--sampled", min=1),
    ] = None
    seed: Annotated[int, SEED] = 0

    def __post_init__(self) -> None:
        """Refuse a side that is none of the three, and numbers out of range."""
        check_choice("alternative", self.alternative, get_args(Alternative))
        check_whole("seed", self.seed, 0)
        if self.draws is not None:
            check_whole("draws", self.draws, most=MOST_DRAWS)


@dataclass(frozen=True, kw_only=True)
class GenderSplit:
    """Whether a 2 x 2 is asked about, too."""

    by_gender: Annotated[bool, option("Also split the names of X and Y by gender: main effects, and interaction.")] = (
        False
    )


@dataclass(frozen=True, kw_only=True)
class BatterySettings(GenderSplit, WeatSettings):
    """How many tests are run."""


@dataclass(frozen=True, kw_only=True)
class CalibrationSettings:
    """How many altered copies are made."""

    copies: Annotated[int, option("How many copies of each kind to make.", min=1)] = COPIES
    seed: Annotated[int, SEED] = 0

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        check_whole("copies", self.copies, most=MOST_COPIES)
        check_whole("seed", self.seed, 0)
