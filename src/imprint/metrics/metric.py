"""What every metric is: settings, what it says of itself, and its value on the words of a test.

The functions after it are what several metrics need of a test's sets, for many choices of words, or many draws of
random ones, at once.
"""

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from imprint.association.vectors import FEWEST_WORDS, SetVectors, find_rows
from imprint.association.weat import look_up
from imprint.embeddings.embedding import Embedding, unit_rows
from imprint.errors import StimulusError, VocabularyError
from imprint.rows import Label
from imprint.significance.relabelled import ROLES, BiasedTail, Chosen, NullTest, Role
from imprint.stimuli.catalog import language_of
from imprint.stimuli.definition import AnyTest, GroupsTest, Language, WeatTest
from imprint.stimuli.inflection import units
from imprint.types import Flags, Floats, Ints

Permuted = Literal["targets", "attributes", "pairs"]
Replaced = Literal["targets", "all"]


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricWords(SetVectors):
    """The words of a test, and what metrics need of them besides. A set that is not asked about is empty.

    Of groups, `group_sizes` and `attribute_sizes` count the words of each. `unpaired` are words that are left out
    because the other word of their pair has no vector. Rows may have an axis before them, one draw of random words
    each, if the metric is `stacked`.
    """

    embedding: Embedding
    target_ranks: Ints
    attribute_ranks: Ints
    missing: tuple[str, ...] = ()
    lowered: tuple[str, ...] = ()
    from_subwords: tuple[str, ...] = ()
    unpaired: tuple[str, ...] = ()
    paired: bool = False
    group_sizes: tuple[int, ...] = ()
    attribute_sizes: tuple[int, ...] = ()
    language: Language | None = None

    @classmethod
    def of(cls, embedding: Embedding, test: WeatTest, *, unit: bool, paired: bool = False) -> "MetricWords":
        """Find the words of a test; where they come in pairs, only pairs that have both words."""
        asked, missing, unpaired = _whole_pairs(embedding, test) if paired else (test, (), ())
        rows = look_up(embedding, asked)
        return cls.of_lookups(
            embedding,
            rows.sets[:2],
            rows.sets[2:],
            unit=unit,
            embedding=embedding,
            missing=(*missing, *rows.missing),
            lowered=rows.lowered,
            from_subwords=rows.from_subwords,
            unpaired=unpaired,
            paired=paired,
            language=language_of(test),
        )

    @classmethod
    def of_groups(cls, embedding: Embedding, test: GroupsTest) -> "MetricWords":
        """Find the words of groups, and their attributes, at length one."""
        rows = find_rows(embedding, test.groups, test.attributes)
        groups, attributes = rows.sets[: len(test.groups)], rows.sets[len(test.groups) :]
        return cls.of_lookups(
            embedding,
            groups,
            attributes,
            embedding=embedding,
            missing=rows.missing,
            lowered=rows.lowered,
            from_subwords=rows.from_subwords,
            group_sizes=tuple(len(lookup.words) for lookup in groups),
            attribute_sizes=tuple(len(lookup.words) for lookup in attributes),
        )

    @cached_property
    def cosines(self) -> Floats:
        """The cosine of every target with every attribute."""
        targets, attributes = (unit_rows(rows) for rows in (self.targets, self.attributes))
        return np.asarray(targets @ attributes.T)

    @cached_property
    def products(self) -> Floats:
        """The inner product of every target with every attribute."""
        return np.asarray(self.targets @ np.swapaxes(self.attributes, -1, -2))

    @cached_property
    def gram(self) -> Floats:
        """The inner product of every target with every target."""
        return np.asarray(self.targets @ np.swapaxes(self.targets, -1, -2))

    @cached_property
    def attribute_squares(self) -> Floats:
        """The squared length of every attribute."""
        return np.asarray((self.attributes**2).sum(axis=-1))

    def observed(self) -> Chosen:
        """Return the sets as the test has them."""
        return Chosen.of(self.group_sizes or (self.n_x, self.n_y), self.attribute_sizes or (self.n_a, self.n_b))

    def units(self) -> tuple[list[int], list[int]]:
        """Return the numbers of units: a word and its inflections, within a set, are one; so are words of a pair."""
        observed = self.observed()
        sides = ((self.target_words, observed.targets[0]), (self.attribute_words, observed.attributes[0]))
        targets, attributes = (
            [
                group * len(words) + unit
                for group in np.unique(numbers).tolist()
                for unit in units([words[index] for index in np.flatnonzero(numbers == group)])
            ]
            for words, numbers in sides
        )
        if self.paired:
            for index in range(self.n_x):
                unit_of_x, joined = targets[index], targets[self.n_x + index]
                targets = [unit_of_x if unit == joined else unit for unit in targets]
        return targets, attributes


@dataclass(frozen=True, eq=False)
class MetricPart:
    """What one value is about: the whole test, or one of its attribute sets or words.

    `sign` is +1 where a larger value means what the test predicts, X with A and Y with B. It is -1 where a smaller one
    does, and 0 where the value has no direction.
    """

    words: MetricWords
    sign: int
    about: str | None = None


class Metric(ABC):
    """Settings of a metric and its value; a subclass is a frozen dataclass of its settings.

    `paired` says that the first word of X belongs to the first of Y, and so on. `directed` says that a large value
    means what the test predicts. `stacked` says that `values` reads words through the tables of `MetricWords` alone,
    so that rows may be those of many draws at once. `crossed` says that the value is quick and changes smoothly with
    words, so that the interaction of targets and attributes is taken off its variance. `replaced` says which words
    give way to random ones of like frequency. Attributes that stay are those the metric is about: random words would
    be less coherent, and so give other values. `bounds` are the values that the metric can have. A subclass gives what
    may depend on settings as an attribute or a property.
    """

    title: ClassVar[str]
    summary: ClassVar[str]  # one line for the list of metrics
    source: ClassVar[str]
    sampled: ClassVar[tuple[Role, ...]] = ROLES  # whose words count as a sample; the interval is over these
    paired: ClassVar[bool] = False
    directed: ClassVar[bool] = True
    stacked: ClassVar[bool] = False
    crossed: ClassVar[bool] = False
    replaced: ClassVar[Replaced] = "all"
    bounds: ClassVar[tuple[float, float]] = (-math.inf, math.inf)

    @property
    @abstractmethod
    def orientation(self) -> str:
        """What a large and a small value mean."""

    @property
    def tail(self) -> BiasedTail:
        """Which values mean bias."""
        return "both"

    @property
    def permuted(self) -> Permuted | None:
        """Whose labels are exchanged to find the values without bias.

        None where exchanging labels cannot change the value, or takes words as independent that are not, so that
        random words of like frequency alone decide.
        """
        return "targets"

    @abstractmethod
    def values(self, words: MetricWords, chosen: Chosen) -> Floats:
        """Return the value for each choice of words; NaN where it does not exist."""

    def parts(self, words: MetricWords, test: WeatTest) -> Iterator[MetricPart]:
        """Return what the metric is asked about, one value each."""
        yield self.whole(words)

    def whole(self, words: MetricWords) -> MetricPart:
        """Return the whole test as one part."""
        return MetricPart(words, int(self.directed))

    def additive(self, words: MetricWords) -> Floats | None:
        """Return one score per permuted word, whose mean over the first set less the second's is the value.

        Where pairs are exchanged, one score per pair, whose mean is the value. The p-value is then exact for any
        number of words, or of up to 34 pairs. None where the value is not of this form.
        """
        return None

    def label_test(self, words: MetricWords) -> NullTest | None:
        """Return the exact test over all labels where there is a formula for it; None where they are tried."""
        return None

    def also(self, tests: Sequence[AnyTest]) -> Collection[str]:
        """Return words that are needed besides those of the tests."""
        return ()

    @property
    def unit(self) -> bool:
        """Whether vectors are scaled to length one first, as a setting `normalize` may say."""
        return bool(getattr(self, "normalize", True))

    @property
    def settings(self) -> tuple[Label, ...]:
        """Its settings by name."""
        return tuple(Label(setting.name, str(getattr(self, setting.name))) for setting in fields(self))  # type: ignore[arg-type]


def is_metric(thing: object, kind: type[Any] = Metric) -> bool:
    """Tell a metric of this form, or of this kind, from a function of a plug-in."""
    return inspect.isclass(thing) and issubclass(thing, kind)


def by_attributes(words: MetricWords, test: WeatTest, *, sign: int) -> Iterator[MetricPart]:
    """Return the test with A alone, whose predicted sign is given, and with B alone, which has the other."""
    targets = range(len(words.target_words))
    for sign_of_set, words_of_set, places in (
        (sign, test.a, range(words.n_a)),
        (-sign, test.b, range(words.n_a, len(words.attribute_words))),
    ):
        yield MetricPart(words.only(targets, places), sign_of_set, words_of_set.name)


def standardised(cosines: Floats, chosen: Chosen) -> Floats:
    """Return SC-WEAT's d of each target (column) with each choice of attributes (row); NaN where cosines are equal."""
    in_a, in_b = (side @ cosines.T / side.sum(axis=1, keepdims=True) for side in (chosen.a, chosen.b))
    every = chosen.a | chosen.b
    size = every.sum(axis=1, keepdims=True)
    centred = cosines - cosines.mean(axis=1, keepdims=True)
    spread = (every @ (centred**2).T - (every @ centred.T) ** 2 / size) / (size - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((in_a - in_b) / np.sqrt(np.where(spread > 0, spread, np.nan)))


def shares(side: Flags) -> Floats:
    """Return the weight of each word in the mean of those that are in, one choice a row."""
    return np.asarray(side / side.sum(axis=1, keepdims=True))


def pooled(sizes: tuple[int, int], first: Flags, second: Flags) -> Floats:
    """Return the weight of each word in the mean of two sets together.

    A set keeps its weight when one of its words is left out, or an interval over words would be too narrow.
    """
    sides = [size * shares(side) for size, side in zip(sizes, (first, second), strict=True) if size]
    return np.asarray(sum(sides) / sum(sizes))


def weighted(weights: Floats, table: Floats) -> Floats:
    """Return the sum of a table's rows by weight, one choice a row; there may be one table per choice."""
    return np.asarray(weights @ table if table.ndim == 2 else (weights[:, None] @ table)[:, 0])


def length(weights: Floats, words: MetricWords) -> Floats:
    """Return the length of the sum of targets by weight, one choice a row, as a column."""
    return np.asarray(np.sqrt(np.maximum((weighted(weights, words.gram) * weights).sum(axis=1, keepdims=True), 0.0)))


def signs(words: MetricWords, chosen: Chosen) -> Floats:
    """Return for each pair 1, or -1 where its words are exchanged, or 0 where they are left out."""
    return np.asarray(chosen.x[:, : words.n_x].astype(np.float64) - chosen.x[:, words.n_x :])


def pair_differences(words: MetricWords) -> tuple[Floats, Floats]:
    """Return the inner products of the pairs' differences, x - y, with each other and with every attribute."""
    n = words.n_x
    halved = words.gram[..., :n, :] - words.gram[..., n:, :]
    return halved[..., :n] - halved[..., n:], words.products[..., :n, :] - words.products[..., n:, :]


def along_component(words: MetricWords, chosen: Chosen) -> Floats:
    """Return every attribute's inner product with the first principal component of the pairs' differences.

    The component has unit length and points from Y to X, as the differences do on average.
    """
    squares, products = pair_differences(words)
    way, which = np.unique(signs(words, chosen), axis=0, return_inverse=True)  # many differ in attributes alone
    values, vectors = np.linalg.eigh(squares * (way[:, :, None] * way[:, None, :]))
    top = vectors[..., -1] * np.where(vectors[..., -1].sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = top * way / np.sqrt(np.maximum(values[:, -1:], 0.0))
    return weighted(
        weights if len(which) == 1 else weights[which], products
    )  # of one choice, there may be many tables


def _whole_pairs(embedding: Embedding, test: WeatTest) -> tuple[WeatTest, tuple[str, ...], tuple[str, ...]]:
    """Return the test with the pairs alone that have both words, the missing words, and those whose partner is."""
    if len(test.x) != len(test.y):
        raise StimulusError(
            f"X has {len(test.x)} words and Y has {len(test.y)}",
            where=test.id,
            expected="pairs of words: as many in X as in Y",
            hint="give the words of a pair the same place in both sets",
        )
    missing = tuple(word for words in (test.x, test.y) for word in embedding.lookup(words.words).missing)
    pairs = list(zip(test.x.words, test.y.words, strict=True))
    paired = [pair for pair in pairs if not {*missing}.intersection(pair)]
    if len(paired) < FEWEST_WORDS:
        raise VocabularyError(
            f"{len(pairs) - len(paired)} of {len(pairs)} pairs lack a word in {embedding.name}",
            where=test.id,
            expected=f"at least {FEWEST_WORDS} pairs",
            words=missing,
            hint="use other words or a larger embedding",
        )
    first, second = zip(*paired, strict=True)
    whole = replace(test, x=test.x.subset(first), y=test.y.subset(second))
    return whole, missing, tuple(word for pair in pairs if pair not in paired for word in pair if word not in missing)
