"""Four questions about one difference: is it more than labels, frequency, these words, or this space give by chance?

The label permutation asks whether X and Y differ along A - B; it takes words as exchangeable, which coherent sets of
unequal frequency are not. So three more questions are asked of u = mean X - mean Y and v = mean A - mean B, whose
product is the mean difference. Frequency: do random words of the same frequencies differ as much? Words: would other
words of these kinds, and other sentences? Axes: would unrelated contrasts in this space align as well?
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import KW_ONLY, asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from imprint.association.cosines import mean
from imprint.association.verdicts import Check
from imprint.embeddings.background import Background
from imprint.significance.crossed import OverWords, over_words
from imprint.significance.partitions import PermutationTest
from imprint.significance.pooled import InSentences, Role, UnitTable, pooled
from imprint.significance.relabelled import sign_test
from imprint.stimuli.inflection import units
from imprint.threads import single_threaded
from imprint.types import Floats, Floats32, Ints

DRAWS = 2_000  # random targets, and as many random attributes, in all pairs: worth thousands of independent draws

_CONFIDENCE = 0.95
_SEED = 0xF4E0


@dataclass(frozen=True)
class Checks:
    """The p-values of one test, all two-sided, and descriptions that decide nothing.

    A check that could not run is None. `p_label` lies between its bounds, which are itself where it was counted; its
    floor is the smallest that it could be. `rank_x` and `rank_y` are the median frequency ranks of X and Y.
    `adjusted_difference` is the mean difference at equal log rank. `specificity` is the share of random attributes of
    the same frequencies that separate the targets as well. `grammar_difference` is what nouns for things of either
    grammatical gender differ by, with its interval over words; only tests of gender in some languages ask.
    """

    p_label: float | None
    _: KW_ONLY
    p_label_low: float | None = None
    p_label_high: float | None = None
    p_label_floor: float | None = None
    p_frequency: float | None = None
    p_words: float | None = None
    p_axes: float | None = None
    p_grammar: float | None = None
    words_low: float | None = None
    words_high: float | None = None
    rank_x: float | None = None
    rank_y: float | None = None
    adjusted_difference: float | None = None
    specificity: float | None = None
    grammar_difference: float | None = None
    grammar_low: float | None = None
    grammar_high: float | None = None
    asked: tuple[Check, ...] = ("label", "frequency", "words", "axes")
    strictest: Check = "axes"  # which strong evidence needs, and moderate evidence does not

    def fields(self) -> dict[str, Any]:
        """Return the fields of the row."""
        return {name: value for name, value in asdict(self).items() if name not in ("asked", "strictest")}

    def needed(self, level: str) -> tuple[Check, ...]:
        """Return the checks that a level of evidence needs; what is not asked is not needed."""
        if level == "limited":
            return (self.first,)
        return tuple(check for check in self.asked if level == "strong" or check != self.strictest)

    @property
    def first(self) -> Check:
        """The check that every level needs: that of labels, unless exchanging them cannot change the value."""
        return self.asked[0] if self.asked else "label"

    def p_of(self, check: Check) -> float:
        """Return a check's p-value, 1 where it could not run."""
        found: float | None = getattr(self, f"p_{check}")
        return 1.0 if found is None else found

    @property
    def can_be_strong(self) -> bool:
        """Whether what strong evidence needs is asked."""
        return self.strictest in self.asked

    def largest(self, level: str) -> float:
        """Return the largest p-value of a level's checks; 1 where the level cannot be reached."""
        if level == "strong" and not self.can_be_strong:
            return 1.0
        return max(self.p_of(check) for check in self.needed(level))


NO_CHECKS = Checks(p_label=None, asked=())  # of sentences: those of one word are not independent


@dataclass(frozen=True, eq=False)
class SentenceCosines:
    """The cosine of every target sentence with every attribute sentence, each given as its word and its template."""

    targets: tuple[tuple[str, str], ...]
    attributes: tuple[tuple[str, str], ...]
    cosines: Floats

    @property
    def templates(self) -> list[str]:
        """Every template, once."""
        return list(dict.fromkeys(template for _, template in self.targets + self.attributes))


@dataclass(frozen=True, eq=False)
class CosineTable:
    """The cosine of every target word with every attribute word: X before Y, A before B.

    Where words have several sentences, it is the mean of theirs, and `sentences` has these.
    """

    targets: tuple[str, ...]
    attributes: tuple[str, ...]
    n_x: int
    n_a: int
    cosines: Floats
    sentences: SentenceCosines | None = None

    def scores(self) -> Floats:
        """Return each target's mean cosine with A less that with B."""
        return np.array([mean(row[: self.n_a]) - mean(row[self.n_a :]) for row in self.cosines])

    def sides(self) -> tuple[Floats, Floats]:
        """Return the scores of X and of Y."""
        scores = self.scores()
        return scores[: self.n_x], scores[self.n_x :]

    def subset(self, targets: Collection[str], attributes: Collection[str]) -> "CosineTable":
        """Return the table with these of its words alone."""
        rows, columns = (
            [place for place, word in enumerate(own) if word in kept]
            for own, kept in ((self.targets, targets), (self.attributes, attributes))
        )
        return CosineTable(
            tuple(self.targets[place] for place in rows),
            tuple(self.attributes[place] for place in columns),
            sum(place < self.n_x for place in rows),
            sum(place < self.n_a for place in columns),
            self.cosines[np.ix_(rows, columns)],
            None if self.sentences is None else _of_words(self.sentences, targets, attributes),
        )

    def scaled(self, factor: float) -> "CosineTable":
        """Return the table with every cosine times a number."""
        own = self.sentences
        sentences = None if own is None else replace(own, cosines=factor * own.cosines)
        return replace(self, cosines=factor * self.cosines, sentences=sentences)

    @cached_property
    def units(self) -> tuple[list[int], list[int]]:
        """The numbers of units: a word and its inflections, within a set, are one."""
        targets, attributes = (
            [*units(words[:first]), *(first + unit for unit in units(words[first:]))]
            for words, first in ((self.targets, self.n_x), (self.attributes, self.n_a))
        )
        return targets, attributes

    def numbered(self, targets: Sequence[int], attributes: Sequence[int], templates: Mapping[str, int]) -> UnitTable:
        """Return the table with the numbers of the units of its words, and of its templates."""
        own = self.sentences
        placed = (
            (None, None)
            if own is None
            else (_placed(own.targets, self.targets, templates), _placed(own.attributes, self.attributes, templates))
        )
        return UnitTable(
            self.cosines if own is None else own.cosines,
            Role(np.array(targets), self.n_x, placed[0]),
            Role(np.array(attributes), self.n_a, placed[1]),
        )

    @cached_property
    def alone(self) -> UnitTable:
        """The table by itself: no unit is a target and an attribute."""
        targets, attributes = self.units
        first = 1 + max(targets)
        start = first + 1 + max(attributes)
        names = [] if self.sentences is None else self.sentences.templates
        templates = {name: start + place for place, name in enumerate(names)}
        return self.numbered(targets, [first + unit for unit in attributes], templates)

    def over_words(self) -> OverWords | None:
        """Return the interval of the mean difference over words and, where there are enough, over their templates."""
        if any(self.alone.templates()):
            return pooled([self.alone], confidence=_CONFIDENCE)
        return over_words(self.cosines, self.n_x, self.n_a, units=self.units, confidence=_CONFIDENCE)


def _of_words(own: SentenceCosines, targets: Collection[str], attributes: Collection[str]) -> SentenceCosines:
    """Return the sentences of these words alone."""
    rows, columns = (
        [place for place, (word, _) in enumerate(side) if word in kept]
        for side, kept in ((own.targets, targets), (own.attributes, attributes))
    )
    return SentenceCosines(
        tuple(own.targets[place] for place in rows),
        tuple(own.attributes[place] for place in columns),
        own.cosines[np.ix_(rows, columns)],
    )


def _placed(sentences: Sequence[tuple[str, str]], words: Sequence[str], templates: Mapping[str, int]) -> InSentences:
    places = {word: place for place, word in enumerate(words)}
    return InSentences(
        np.array([places[word] for word, _ in sentences]), np.array([templates[name] for _, name in sentences])
    )


@dataclass(frozen=True, eq=False)
class SetVectors:
    """The unit vectors of a test's words, and their frequency ranks: X before Y, A before B.

    Where words are in sentences, `offsets` say which of the background's rows have the sentences of each word.
    """

    targets: Floats
    attributes: Floats
    n_x: int
    n_a: int
    target_ranks: Ints
    attribute_ranks: Ints
    target_offsets: Ints | int = 0
    attribute_offsets: Ints | int = 0

    @property
    def u(self) -> Floats:
        """Mean X less mean Y."""
        return difference(self.targets, self.n_x)

    @property
    def v(self) -> Floats:
        """Mean A less mean B."""
        return difference(self.attributes, self.n_a)


def check(
    contrast: SetVectors | None, background: Background | None, label: PermutationTest, table: CosineTable, seed: int
) -> Checks:
    """Make the four checks of a test; two of them need a background of other words."""
    fields: dict[str, Any] = {}
    found = table.over_words()
    if found is not None:
        fields |= {"p_words": found.p_value, "words_low": found.low, "words_high": found.high}
    if contrast is not None and background is not None:
        fields |= against_frequency(contrast, background, seed) | {"p_axes": along_axes(contrast, background)}
    return Checks(
        p_label=label.p_value,
        p_label_low=label.p_low,
        p_label_high=label.p_high,
        p_label_floor=label.p_floor,
        **fields,
    )


def difference(rows: Floats | Floats32, first: int) -> Floats:
    """Return the mean of the first rows less that of the others."""
    return np.asarray(rows[:first].mean(axis=0) - rows[first:].mean(axis=0))


def against_frequency(contrast: SetVectors, background: Background, seed: int) -> dict[str, float]:
    """Compare a test with words of the same frequencies, drawn at random."""
    with single_threaded():
        u, v = random_contrasts(contrast, background, seed)
        observed = abs(float(contrast.u @ contrast.v))
        sizes = u @ v.T
        reached = int(np.count_nonzero(np.abs(sizes, out=sizes) >= observed * (1 - 1e-6)))
        scores = contrast.targets @ np.vstack([contrast.v, v]).T.astype(np.float64)
    return {
        "p_frequency": float(frequency_p(reached, DRAWS)),
        "specificity": _specificity(np.asarray(scores), contrast.n_x),
        **_described(np.asarray(scores[:, 0]), contrast),
    }


def frequency_p(reached: Ints | int, draws: int) -> Floats:
    """Return the share of pairs of draws that reached the observed difference; pairs share draws, so none is 0."""
    return np.maximum(1 / (draws + 1), np.asarray(reached) / draws**2)


def random_contrasts(
    contrast: SetVectors, background: Background, seed: int, draws: int = DRAWS
) -> tuple[Floats32, Floats32]:
    """Return u and v of random words of the test's frequencies, one a row."""
    of_targets, of_attributes = (
        np.random.default_rng(child) for child in np.random.SeedSequence([seed, _SEED]).spawn(2)
    )
    targets = background.draw(contrast.target_ranks, draws, of_targets, half=0) + contrast.target_offsets
    attributes = background.draw(contrast.attribute_ranks, draws, of_attributes, half=1) + contrast.attribute_offsets
    return (
        _random_differences(background.rows, targets, contrast.n_x),
        _random_differences(background.rows, attributes, contrast.n_a),
    )


def along_axes(contrast: SetVectors, background: Background) -> float:
    """Return the p-value of the alignment of u and v if the sign of each axis of the space were random."""
    axes = background.axes
    with single_threaded():
        terms = (contrast.u @ axes) * (contrast.v @ axes)
    return sign_test(terms, background.misfit)


def _random_differences(rows: Floats32, chosen: Ints, first: int) -> Floats32:
    """Return the mean of the first chosen rows less that of the others, one difference a draw, in single precision."""
    draws, size = chosen.shape
    total = np.zeros((draws, rows.shape[1]), dtype=np.float32)
    for place, drawn in enumerate(chosen.T):
        total += rows[drawn] / np.float32(first if place < first else first - size)
    return total


def _specificity(scores: Floats, n_x: int) -> float:
    """Return the share of the columns after the first whose d is at least as large as that of the first."""
    spread = scores.std(axis=0, ddof=1)
    d = np.abs(scores[:n_x].mean(axis=0) - scores[n_x:].mean(axis=0)) / np.where(spread > 0, spread, np.inf)
    return float(np.mean(d[1:] >= d[0]))


def _described(scores: Floats, contrast: SetVectors) -> dict[str, float]:
    """Return the median ranks of X and Y, and their difference adjusted for log rank."""
    x, y = (contrast.target_ranks[: contrast.n_x], contrast.target_ranks[contrast.n_x :])
    in_x = np.arange(len(scores)) < contrast.n_x
    model = np.column_stack([np.ones(len(scores)), in_x, np.log(contrast.target_ranks + 1.0)])
    adjusted = np.linalg.lstsq(model, scores, rcond=None)[0][1]
    if np.linalg.matrix_rank(model) < model.shape[1]:
        adjusted = math.nan
    return {
        "rank_x": float(np.median(x)) + 1,
        "rank_y": float(np.median(y)) + 1,
        "adjusted_difference": float(adjusted),
    }
