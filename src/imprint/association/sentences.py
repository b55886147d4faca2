"""One test's sentences and the cosines between them: what SEAT's scores, and their sensitivity, are read from.

May et al. (2019), section 2. Two units are possible. Sentences, as in the paper: every target sentence scores by
its mean cosine with all sentences of A less that with all of B. Words: cosines are first averaged within each
attribute word and each target word, so that a word with fourteen templates weighs as much as one with three.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from imprint.association.cosines import cosines, mean
from imprint.association.evidence import CosineTable, SentenceCosines
from imprint.association.wordrows import FEWEST_WORDS, MOST_NAMED
from imprint.errors import VocabularyError
from imprint.stimuli.definition import WeatTest, quote, word_sets
from imprint.stimuli.templates import Sentence
from imprint.types import Floats, Floats32

Unit = Literal["word", "sentence"]
Side = tuple[Sentence, ...]
RowSource = Callable[[Sequence[str]], Floats32]


@dataclass(frozen=True, eq=False, repr=False)
class SentenceTable:
    """The cosine of every target sentence (X's, then Y's) with every attribute sentence (A's, then B's).

    `missing` are words without any sentence, `left_out` sentences of words that have others.
    """

    x: Side
    y: Side
    a: Side
    b: Side
    cosines: Floats
    missing: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    def scores(self, unit: Unit) -> tuple[list[str], Floats, int]:
        """Return what was scored, words or texts, its scores, and how many of them, the first, are X's."""
        if unit == "sentence":
            middle = len(self.a)
            values = [mean(row[:middle]) - mean(row[middle:]) for row in self.cosines]
            return [sentence.text for sentence in self.x + self.y], np.array(values), len(self.x)
        table = self.by_words()
        return list(table.targets), table.scores(), table.n_x

    def by_words(self) -> CosineTable:
        """Return the mean cosine of each target word with every attribute word."""
        return self._by_words

    @cached_property
    def _by_words(self) -> CosineTable:
        targets, attributes = self.x + self.y, self.a + self.b
        columns, rows = by_word(attributes), by_word(targets)
        by_column = _levels(self.cosines, columns.values())
        table = _levels(by_column.T, rows.values()).T
        x, a = (len(by_word(side)) for side in (self.x, self.a))
        return CosineTable(
            tuple(rows),
            tuple(columns),
            x,
            a,
            np.ascontiguousarray(table),
            None if self.one_each else self._sentences(),
        )

    def _sentences(self) -> SentenceCosines:
        targets, attributes = (
            tuple((sentence.word, sentence.template) for sentence in side)
            for side in (self.x + self.y, self.a + self.b)
        )
        return SentenceCosines(targets, attributes, self.cosines)

    @property
    def one_each(self) -> bool:
        """Tell whether every word has one sentence, so that the two units are one."""
        return all(len({sentence.word for sentence in side}) == len(side) for side in (self.x, self.y, self.a, self.b))


def table_of(
    test: WeatTest, sides: Mapping[str, Side], rows: RowSource, *, encoder: str, lacking: Sequence[str] = ()
) -> SentenceTable:
    """Compare the sentences of a test; those whose word the encoder lacks, or without a direction, are left out.

    Refuses a set that keeps fewer than two words, and a sentence that appears on both sides.
    """
    unknown = set(lacking)
    kept: dict[str, Side] = {}
    vectors: dict[str, Floats32] = {}
    missing: dict[str, None] = {}
    left_out: dict[str, None] = {}
    for key, words in word_sets(test).items():
        side = tuple(sentence for sentence in sides[key] if sentence.form not in unknown)
        found = rows([sentence.text for sentence in side]) if side else np.empty((0, 0), dtype=np.float32)
        directed = np.flatnonzero(found.any(axis=1))
        kept[key] = tuple(side[place] for place in directed)
        vectors[key] = found[directed]
        left = {sentence.word for sentence in kept[key]}
        gone = [word for word in words.words if word not in left]
        missing.update(dict.fromkeys(gone))
        texts = {sentence.text for sentence in kept[key]}
        left_out.update((s.text, None) for s in sides[key] if s.word in left and s.text not in texts)
        if len(left) < FEWEST_WORDS:
            raise VocabularyError(
                f"{encoder} has no vector for {len(gone)} of {len(words)} words ({quote(gone, MOST_NAMED)})",
                expected=f"at least {FEWEST_WORDS} with one",
                where=words.name,
                words=gone,
                hint="use other words or another encoder",
            )
    for first, second in (("x", "y"), ("a", "b")):
        shared = {sentence.text for sentence in kept[first]} & {sentence.text for sentence in kept[second]}
        if shared:
            raise VocabularyError(
                f"{quote(sorted(shared))} appears in both {first} and {second}",
                words=sorted(shared),
                hint="change a template or a word",
            )
    targets, attributes = (np.concatenate([vectors[one], vectors[two]]) for one, two in (("x", "y"), ("a", "b")))
    return SentenceTable(
        **kept, cosines=cosines(targets, attributes), missing=tuple(missing), left_out=tuple(left_out)
    )


def _levels(table: Floats, places: Iterable[Sequence[int]]) -> Floats:
    """Return each row's means over columns; of equal values their own, which division may miss by a bit.

    Words that tie would part otherwise.
    """
    groups = [list(at) for at in places]
    return np.array([[_level([row[place] for place in at]) for at in groups] for row in table.tolist()])


def _level(values: list[float]) -> float:
    first = values[0]
    return first if values.count(first) == len(values) else math.fsum(values) / len(values)


def by_word(side: Side) -> dict[str, list[int]]:
    """Return the places of each word's sentences."""
    places: dict[str, list[int]] = {}
    for place, sentence in enumerate(side):
        places.setdefault(sentence.word, []).append(place)
    return places
