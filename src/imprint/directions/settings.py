"""The settings of a search for analogies, described once: for the options of the command and for Python."""

import math
from dataclasses import dataclass
from numbers import Real
from typing import Annotated, get_args

from imprint.checks import PairScore, check_choice, check_whole
from imprint.errors import SettingError
from imprint.settings import option


@dataclass(frozen=True, kw_only=True)
class AnalogySettings:
    """Which analogies are looked for."""

    k: Annotated[int, option("Analogies to find.")] = 30
    delta: Annotated[float, option("How far apart two words may be, at unit length.")] = 1.0
    words: Annotated[int, option("Most frequent entries to pair.")] = 50_000
    no_names: Annotated[bool, option("Leave out entries that are US first names.")] = False
    neutral: Annotated[bool, option("Leave out the axis' own words and a list of words gendered by meaning.")] = False
    score: Annotated[
        PairScore, option("How pairs are scored: by their difference, or by products of similarities.")
    ] = "difference"

    def __post_init__(self) -> None:
        check_whole("k", self.k)
        check_whole("words", self.words, 2)
        if not (isinstance(self.delta, Real) and math.isfinite(self.delta) and self.delta > 0):
            raise SettingError(option="delta", got=self.delta, expected="a distance above 0, such as 1")
        check_choice("score", self.score, get_args(PairScore))
