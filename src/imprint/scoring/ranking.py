"""What scores of documents about two groups come to: sizes with their controls, exposure and selection rates.

An effect is a share of the distance between relevant and irrelevant documents, and is only called relevance where
irrelevant documents do not show as much.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from imprint.rows import TemplateValue, WordValue
from imprint.scoring.rows import Specificity
from imprint.significance.crossed import Factor, contrast, crossed_interval
from imprint.significance.gaps import ShareOfGap
from imprint.significance.outcomes import CONFIDENCE, Reason, Size, outcome
from imprint.significance.partitions import permutation_test
from imprint.significance.swapped import sign_flips
from imprint.types import Floats, Ints

FEWEST_DRAWN = 8  # topics, documents or units, and names of a group: what coverage was simulated from

_SPLIT = 120  # names up to which their splits are counted
_DESCRIBED = 0.95  # confidence of what has no outcome, and of a pull on irrelevant documents


@dataclass(frozen=True, eq=False)
class Ranking:
    """Values of relevant and irrelevant documents, by topic (or query and document) and name, and moves by edits."""

    related: Floats
    others: Floats | None
    others_by_query: Floats | None
    exposures: Floats
    selected: Floats
    groups: Ints
    moves: Mapping[str, Sequence[float]]
    drawn: bool
    obstacle: Reason | None
    units: tuple[Ints, Ints] | None = None  # of pairs

    def row(self, signs: Floats, scale: float, levels: Sequence[str], units: Sequence[str]) -> dict[str, Any]:
        """Return the fields of the row of a comparison, from the coefficient of each level and the swap's scale."""
        effect = _less_first(self.related) * signs
        by_unit, factors = self._by_unit(effect), self._factors(self.related)
        first = by_unit if self.units is None else self._contrasts(effect).mean(axis=0)
        spread = crossed_interval(effect, factors, CONFIDENCE)
        low, high = (spread.low, spread.high) if spread else (None, None) if effect.any() else (0.0, 0.0)
        means = self.related.mean(axis=tuple(range(self.related.ndim - 1)))
        of_x, of_y = (float(self.selected[..., side].mean()) for side in (signs > 0, signs < 0))
        # The means of one to four groups are added up: each has the part of its side that it is.
        rates = [self.selected * side / len({*self.groups[side]}) for side in (signs > 0, signs < 0)]
        lower, higher = rates if of_x <= of_y else reversed(rates)
        fields = {
            "mean_difference": float(contrast(effect[None], factors)[0]),
            "mean_difference_low": low,
            "mean_difference_high": high,
            "p_value": self._p_value(means, by_unit * self._weights, signs, scale),
            "n_x": int((signs > 0).sum()),
            "n_y": int((signs < 0).sum()),
            "share_first": share_first(first),
            "exposure": float(self.exposures[..., signs > 0].mean() / self.exposures[..., signs < 0].mean()),
            "selected_x": of_x,
            "selected_y": of_y,
            **ShareOfGap(lower, higher, factors).size(_DESCRIBED).fields("ratio"),
            "scores": tuple(map(WordValue, levels, means.tolist())),
            **outcome(low, high, margin=None, obstacle=self._obstacle_of(self.related)).fields(),
        }
        if fields["ratio_low"] is not None:  # Fieller's interval does not know that no ratio of shares is below 0
            fields["ratio_low"] = max(0.0, fields["ratio_low"])
        distance = 1.0
        if self.others is not None and self.units is not None:
            fields["control"] = self._control_of_pairs(signs)
        elif self.others is not None:
            fields |= self._shares(signs)
            distance = fields["distance"] if fields["distance"] > 0 else 1.0
        return fields | {"by_query": tuple(map(TemplateValue, units, (by_unit / distance).tolist()))}

    def _shares(self, signs: Floats) -> dict[str, Any]:
        """Return the size and its controls, as shares of the distance, over topics that have irrelevant documents."""
        assert self.others is not None
        assert self.others_by_query is not None
        is_whole = ~np.isnan(self.others).any(axis=1)
        related, others = self.related[is_whole], self.others[is_whole]
        by_query = _less_first(self.others_by_query[is_whole])
        groups = int(self.groups.max()) + 1
        share = ShareOfGap(_less_first(related) * signs, (related - others) / groups, self._factors(related))
        size = share.size()
        pull = replace(share, effect=_less_first(others) * signs).size(_DESCRIBED)
        specific = replace(share, effect=_less_first(related - others) * signs).size()
        fields = {
            **size.fields(),
            **pull.fields("irrelevant"),
            **specific.fields("specific"),
            **outcome(size.low, size.high, obstacle=self._obstacle_of(related) or size.obstacle).fields(),
            "control": control(size, pull, specific),
            "distance": share.distance,
            "share_first_irrelevant": share_first(self._by_unit(by_query * signs)),
        }
        tried = [np.array(moves)[:, None] for moves in self.moves.values() if len(moves) > 1]
        if tried and share.distance > 0:
            if self.drawn:  # another name of the same group
                names = [np.diff(related[:, self.groups == group], axis=1) for group in range(groups)]
                tried.append(np.concatenate(names, axis=1))
            # The square of a mean of few topics is too large by its variance.
            squares = [np.mean(moves.mean(axis=0) ** 2 - moves.var(axis=0, ddof=1) / len(moves)) for moves in tried]
            fields["edits"] = math.sqrt(max(0.0, float(np.mean(squares)))) / share.distance
        return fields

    def _factors(self, table: Floats) -> list[Factor]:
        """Return the factors of a table, whose last axis are names with signs."""
        sizes = np.bincount(self.groups)
        names = Factor.of(*sizes, coefficients=[1.0] * len(sizes), is_random=self.drawn)
        factors = [Factor.of(size) for size in table.shape[:-1]]
        if self.units is not None:
            groups = [units for units in self.units if len(units)][: 1 + (table.shape[1] > len(self.units[0]))]
            factors[1] = Factor(tuple(groups), (1.0, -1.0)[: len(groups)])
        return [*factors, names]

    def _obstacle_of(self, table: Floats) -> Reason | None:
        """Return why nothing can be said of a table: too little was drawn for its interval, or what holds of all."""
        factors = self._factors(table)[: None if self.drawn else -1]
        return "few queries" if min(factor.fewest for factor in factors) < FEWEST_DRAWN else self.obstacle

    def _control_of_pairs(self, signs: Floats) -> Specificity:
        """Say whether pairs differ more than control pairs, from the intervals of both and of their difference."""
        assert self.others is not None
        assert self.units is not None
        controls = replace(self, units=(self.units[1], self.units[0][:0]))
        both, sizes = np.concatenate([self.related, self.others], axis=1), []
        compared = ((self, self.related, CONFIDENCE), (controls, self.others, _DESCRIBED), (self, both, CONFIDENCE))
        for ranking, table, confidence in compared:
            spread = crossed_interval(_less_first(table) * signs, ranking._factors(table), confidence)
            sizes.append(Size(None) if spread is None else Size(spread.difference, spread.low, spread.high))
        return control(*sizes)

    def _contrasts(self, effect: Floats) -> Floats:
        """Return the contrast of names for each topic, or query and document."""
        contrasts = self._factors(effect)[-1].mean(effect, effect.ndim - 1)[..., 0]
        return np.asarray(contrasts.reshape(len(contrasts), -1))

    def _by_unit(self, effect: Floats) -> Floats:
        """Return the contrast of names for each topic, or query; of pairs, for each of their units."""
        contrasts = self._contrasts(effect)
        if self.units is None:
            return np.asarray(contrasts.mean(axis=1))
        _, numbers = np.unique(self.units[0], return_inverse=True)
        return np.asarray(np.bincount(numbers, contrasts.mean(axis=0)) / np.bincount(numbers))

    @property
    def _weights(self) -> Floats:
        """The part of each unit in the mean over pairs, of which one may have more than another; on average 1."""
        counts = np.ones(1) if self.units is None else np.unique(self.units[0], return_counts=True)[1]
        return np.asarray(counts / counts.mean())

    def _p_value(self, means: Floats, by_unit: Floats, signs: Floats, scale: float) -> float | None:
        """Return p over exchanged versions of each query, or over splits of names, other effects being taken off."""
        if not self.drawn:
            return sign_flips(by_unit)
        if len(signs) > _SPLIT:
            return None
        centred = means - (np.bincount(self.groups, means) / np.bincount(self.groups))[self.groups]
        values = centred + np.sign(signs) / 2 * float(by_unit.mean()) / scale
        return permutation_test(values[signs > 0], values[signs < 0], alternative="two-sided").p_value


def control(size: Size, pull: Size, specific: Size) -> Specificity:
    """Say whether an effect is about relevance, from its size, that of irrelevant documents, and their difference."""
    sign = 1 if (size.value or 0.0) > 0 else -1

    def has_sign(other: Size) -> bool:
        return None not in (other.low, other.high) and min(sign * (other.low or 0.0), sign * (other.high or 0.0)) > 0

    return "specific" if has_sign(specific) else "general pull" if has_sign(pull) else "cannot be told apart"


def share_first(differences: Floats) -> float:
    """Return the share above zero; ties count half, so that the rest is the share of Y."""
    return float(np.mean((np.sign(differences) + 1) / 2))


def _less_first(table: Floats) -> Floats:
    """Return values less that of the first name: where a model ignores names, all are exactly zero."""
    return np.asarray(table - table[..., :1])
