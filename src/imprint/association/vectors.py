"""The words of a test that a subject has, with their vectors: what sizes, changes and altered copies are made of."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from imprint.association.wordrows import FEWEST_WORDS
from imprint.significance.shares import ShareOfDistance
from imprint.stimuli.inflection import units
from imprint.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class SetVectors:
    """Unit vectors of the words of X before Y, and of A before B, and their frequency ranks where these are known.

    A word in several sentences has the mean of its unit vectors.
    """

    target_words: tuple[str, ...]
    attribute_words: tuple[str, ...]
    n_x: int
    n_a: int
    targets: Floats
    attributes: Floats
    target_ranks: Ints | None = None
    attribute_ranks: Ints | None = None

    @cached_property
    def share(self) -> ShareOfDistance:
        """The size that they give: a word and its inflections, within a set, are one unit."""
        return shares_of([self])[0]

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """How many words X, Y, A and B have."""
        return self.n_x, len(self.target_words) - self.n_x, self.n_a, len(self.attribute_words) - self.n_a

    def subset(self, targets: Collection[str], attributes: Collection[str]) -> "SetVectors":
        """Return these of its words alone."""
        rows, columns = (
            np.array([index for index, word in enumerate(words) if word in chosen], dtype=np.intp)
            for words, chosen in ((self.target_words, targets), (self.attribute_words, attributes))
        )
        return SetVectors(
            tuple(self.target_words[row] for row in rows),
            tuple(self.attribute_words[column] for column in columns),
            int(np.sum(rows < self.n_x)),
            int(np.sum(columns < self.n_a)),
            self.targets[rows],
            self.attributes[columns],
            None if self.target_ranks is None else self.target_ranks[rows],
            None if self.attribute_ranks is None else self.attribute_ranks[columns],
        )


def shares_of(questions: Sequence[SetVectors]) -> list[ShareOfDistance]:
    """Return the size of each question; a word that several ask about is one unit in all of them."""
    words = list(dict.fromkeys(w for one in questions for w in (*one.target_words, *one.attribute_words)))
    numbers = dict(zip(words, units(words), strict=True))
    return [
        ShareOfDistance.of(
            question.targets,
            question.attributes,
            question.n_x,
            question.n_a,
            units=(
                [numbers[word] for word in question.target_words],
                [numbers[word] for word in question.attribute_words],
            ),
        )
        for question in questions
    ]


def words_of_both(first: SetVectors, second: SetVectors) -> tuple[SetVectors, SetVectors] | None:
    """Return the words that two subjects both have; None where a set keeps fewer than two."""
    targets = {*first.target_words} & {*second.target_words}
    attributes = {*first.attribute_words} & {*second.attribute_words}
    shared = first.subset(targets, attributes), second.subset(targets, attributes)
    return None if min(shared[0].counts) < FEWEST_WORDS else shared
