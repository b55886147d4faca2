"""Relational inner product association: how far do attributes reach along the relation of X to Y?

Ethayarajh, Duvenaud and Hirst (2019), "Understanding undesirable word embedding associations", section 4: the inner
product of a word with the relation vector of pairs. WEFE takes the unit difference of each pair and the mean of what
they give; the paper takes the first principal component of the differences.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from imprint.checks import check_choice
from imprint.metrics.metric import (
    Metric,
    MetricPart,
    MetricWords,
    Permuted,
    along_component,
    by_attributes,
    pair_differences,
    shares,
    signs,
    weighted,
)
from imprint.significance.relabelled import Chosen
from imprint.stimuli.definition import WeatTest
from imprint.types import Floats

Relation = Literal["pairs", "component"]


@dataclass(frozen=True)
class Ripa(Metric):
    """Relational inner product association.

    `relation` "pairs" takes the mean over pairs, as WEFE does. "component" takes the first principal component of
    their differences, as the paper does. `normalize` scales vectors to length one first.
    """

    relation: Relation = "pairs"
    normalize: bool = False

    title = "Relational inner product association"
    summary = "Inner product of the attributes with the relation vector of the pairs of X and Y"
    source = "Ethayarajh et al. (2019)"
    orientation = "positive: the attributes are nearer to X; negative: nearer to Y"
    paired = True
    stacked = True
    crossed = True

    def __post_init__(self) -> None:
        check_choice("relation", self.relation, get_args(Relation))

    @property
    def permuted(self) -> Permuted | None:
        """Pairs are exchanged; a principal component does not change by that."""
        return "pairs" if self.relation == "pairs" else None

    def parts(self, words: MetricWords, test: WeatTest) -> Iterator[MetricPart]:
        """Ask about A, and about B."""
        return by_attributes(words, test, sign=1)

    def values(self, words: MetricWords, chosen: Chosen) -> Floats:
        """Return the mean inner product over attributes and, where there are several, relation vectors."""
        if self.relation == "component":
            along = along_component(words, chosen)
        else:
            way = signs(words, chosen)
            along = weighted(way / np.abs(way).sum(axis=1, keepdims=True), _by_pair(words))
        return np.asarray((along * shares(chosen.a | chosen.b)).sum(axis=1))

    def additive(self, words: MetricWords) -> Floats | None:
        """Return the mean inner product of each pair's relation vector."""
        return _by_pair(words).mean(axis=-1) if self.relation == "pairs" else None


def _by_pair(words: MetricWords) -> Floats:
    """Return the inner product of every pair's unit difference with every attribute, NaN for a word with itself."""
    squares, products = pair_differences(words)
    squared = squares.diagonal(axis1=-2, axis2=-1)[..., None]
    return np.asarray(products / np.sqrt(np.where(squared > 0, squared, np.nan)))
