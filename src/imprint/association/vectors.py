"""The words of a test that a subject has, with their vectors: what sizes, changes and altered copies are made of."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Self

import numpy as np

from imprint.embeddings.embedding import Embedding, Lookup, unit_rows
from imprint.errors import SettingError, VocabularyError
from imprint.significance.shares import ShareOfDistance
from imprint.stimuli.definition import WordSet, quote
from imprint.stimuli.inflection import units
from imprint.types import Floats, Ints

FEWEST_WORDS = 2
MOST_NAMED = 110  # missing words a refusal names: every published set whole, and not all of a file given by mistake


@dataclass(frozen=True, eq=False)
class SetVectors:
    """Vectors of the words of X before Y, and of A before B, and their frequency ranks where these are known.

    They have unit length, but for metrics that keep lengths. A word in several sentences has the mean of its unit
    vectors.
    """

    target_words: tuple[str, ...]
    attribute_words: tuple[str, ...]
    n_x: int
    n_a: int
    targets: Floats
    attributes: Floats
    target_ranks: Ints | None = None
    attribute_ranks: Ints | None = None

    @classmethod
    def of_lookups(
        cls,
        source: Embedding,
        /,
        targets: Sequence[Lookup],
        attributes: Sequence[Lookup],
        *,
        unit: bool = True,
        **more: Any,
    ) -> Self:
        """Put the sets of each side together, in their order; rows keep their lengths unless they are `unit` rows."""
        none = np.empty((0, source.dimension), dtype=np.float32)
        rows = [np.concatenate([none, *(words.vectors for words in side)]) for side in (targets, attributes)]
        vectors = [unit_rows(side) if unit else side.astype(np.float64) for side in rows]
        return cls(
            target_words=tuple(word for words in targets for word in words.words),
            attribute_words=tuple(word for words in attributes for word in words.words),
            n_x=len(targets[0].words),
            n_a=sum(len(words.words) for words in attributes[:1]),
            targets=vectors[0],
            attributes=vectors[1],
            target_ranks=source.ranks_of([token for words in targets for token in words.tokens]),
            attribute_ranks=source.ranks_of([token for words in attributes for token in words.tokens]),
            **more,
        )

    @cached_property
    def share(self) -> ShareOfDistance:
        """The size that they give: a word and its inflections, within a set, are one unit."""
        return shares_of([self])[0]

    @property
    def n_y(self) -> int:
        """Words of Y."""
        return len(self.target_words) - self.n_x

    @property
    def n_b(self) -> int:
        """Words of B."""
        return len(self.attribute_words) - self.n_a

    @property
    def sizes(self) -> dict[str, Any]:
        """How many words X, Y, A and B have, by the names of a row's fields."""
        return {"n_x": self.n_x, "n_y": self.n_y, "n_a": self.n_a, "n_b": self.n_b}

    @property
    def counts(self) -> tuple[int, ...]:
        """The same without the names."""
        return tuple(self.sizes.values())

    def only(self, targets: Sequence[int], attributes: Sequence[int]) -> Self:
        """Return the words at these places alone."""
        rows, columns = list(targets), list(attributes)
        return replace(
            self,
            target_words=tuple(self.target_words[row] for row in rows),
            attribute_words=tuple(self.attribute_words[column] for column in columns),
            n_x=sum(row < self.n_x for row in rows),
            n_a=sum(column < self.n_a for column in columns),
            targets=self.targets[rows],
            attributes=self.attributes[columns],
            target_ranks=None if self.target_ranks is None else self.target_ranks[rows],
            attribute_ranks=None if self.attribute_ranks is None else self.attribute_ranks[columns],
        )


def unit_numbers(questions: Sequence[SetVectors]) -> list[tuple[list[int], list[int]]]:
    """Return the number of each target's and each attribute's unit; a word that several ask about has one in all."""
    words = list(dict.fromkeys(w for asked in questions for w in (*asked.target_words, *asked.attribute_words)))
    numbers = dict(zip(words, units(words), strict=True))
    return [
        ([numbers[word] for word in question.target_words], [numbers[word] for word in question.attribute_words])
        for question in questions
    ]


def shares_of(questions: Sequence[SetVectors]) -> list[ShareOfDistance]:
    """Return the size of each question; a word that several ask about is one unit in all of them."""
    return [
        ShareOfDistance.of(question.targets, question.attributes, question.n_x, question.n_a, units=numbers)
        for question, numbers in zip(questions, unit_numbers(questions), strict=True)
    ]


def words_of_both(first: SetVectors, second: SetVectors) -> tuple[SetVectors, SetVectors] | None:
    """Return the words that two subjects both have; None where a set keeps fewer than two."""
    targets = {*first.target_words} & {*second.target_words}
    attributes = {*first.attribute_words} & {*second.attribute_words}
    shared = tuple(
        side.only(
            [row for row, word in enumerate(side.target_words) if word in targets],
            [column for column, word in enumerate(side.attribute_words) if word in attributes],
        )
        for side in (first, second)
    )
    return None if min(shared[0].counts) < FEWEST_WORDS else (shared[0], shared[1])


@dataclass(frozen=True)
class WordRows:
    """Each set's rows, in the order of the sets; `missing` and `lowered` over all of them."""

    sets: tuple[Lookup, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """Words without a vector, each once."""
        return tuple(dict.fromkeys(word for rows in self.sets for word in rows.missing))

    @property
    def lowered(self) -> tuple[str, ...]:
        """Words found only in lower case, each once."""
        return _matched(self.sets, "lower")

    @property
    def from_subwords(self) -> tuple[str, ...]:
        """Words whose vector was made from subwords, each once."""
        return _matched(self.sets, "subword")


def find_rows(embedding: Embedding, *sides: Sequence[WordSet]) -> WordRows:
    """Look every set up; refuse one that keeps fewer than two words, and sets of a side that share an entry.

    They meet in one entry of the vocabulary as "Rose" and "rose" do in lower case, also within a set.
    """
    looked_up = [[(words, _find_set(embedding, words)) for words in side] for side in sides]
    for side_rows in looked_up:
        for first, second in combinations(side_rows, 2):
            _refuse_shared(embedding, *first, *second)
    return WordRows(tuple(rows for side_rows in looked_up for _, rows in side_rows))


def require_pair(name: str, pair: object) -> None:
    """Refuse what is not two lists of words."""
    fine = isinstance(pair, tuple | list) and len(pair) == 2 and not any(isinstance(part, str) for part in pair)
    if not fine or not all(isinstance(word, str) for part in pair for word in part):  # type: ignore[attr-defined]
        raise SettingError(
            option=name, got=pair, expected="two lists of words, such as (['rose', 'lily'], ['ant', 'wasp'])"
        )


def _find_set(embedding: Embedding, words: WordSet) -> Lookup:
    rows = embedding.lookup(words.words)
    if len(rows.words) < FEWEST_WORDS:
        raise VocabularyError(
            f"{len(rows.missing)} of {len(words)} words are missing from {embedding.name} "
            f"({quote(rows.missing, MOST_NAMED)})",
            expected=f"at least {FEWEST_WORDS} words",
            where=words.name,
            words=rows.missing,
            hint="use other words or a larger embedding",
        )
    _refuse_shared(embedding, words, rows, words, rows)
    return rows


def _refuse_shared(embedding: Embedding, first: WordSet, left: Lookup, second: WordSet, right: Lookup) -> None:
    by_token = dict(zip(left.tokens, left.words, strict=True))
    for word, token in zip(right.words, right.tokens, strict=True):
        if token in by_token and (first.name != second.name or by_token[token] != word):
            both = f"both {first.name} and {second.name}" if first.name != second.name else first.name
            raise VocabularyError(
                f"{by_token[token]!r} and {word!r} of {both} are one entry, {token!r}",
                where=embedding.name,
                words=[by_token[token], word],
                hint="keep one of them",
            )


def _matched(sets: tuple[Lookup, ...], match: str) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            word for rows in sets for word, how in zip(rows.words, rows.matches, strict=True) if how == match
        )
    )
