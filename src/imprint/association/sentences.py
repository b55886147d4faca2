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
from imprint.association.evidence import CosineTable, SentenceCosines, SetVectors
from imprint.association.wordrows import FEWEST_WORDS, MOST_NAMED
from imprint.embeddings.background import Background
from imprint.embeddings.embedding import unit_rows
from imprint.errors import VocabularyError
from imprint.stimuli.definition import WeatTest, quote, word_sets
from imprint.stimuli.templates import Side, by_word, patterns_by_word
from imprint.subjects.common import FramedWords, ranks_of
from imprint.subjects.encodings import Encodings
from imprint.types import Floats, Floats32, Ints

Unit = Literal["word", "sentence"]
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


@dataclass(frozen=True, eq=False)
class Framing:
    """Bundled words that were encoded: what a test's own words are compared with."""

    framed: FramedWords
    encodings: Encodings
    background: Background

    @classmethod
    def of(cls, framed: FramedWords, encodings: Encodings, missing: Iterable[str] = ()) -> "Framing | None":
        """Return them; None where too few are left of those that the encoder has a representation of."""
        background = framed.background(encodings, missing)
        return None if background is None else cls(framed, encodings, background)

    def contrast(self, table: SentenceTable) -> SetVectors:
        """Return the vectors of a test's words, each the mean of its sentences."""
        (targets, n_x, of_targets, target_ranks), (attributes, n_a, of_attributes, attribute_ranks) = (
            self._side(one, two) for one, two in ((table.x, table.y), (table.a, table.b))
        )
        return SetVectors(targets, attributes, n_x, n_a, target_ranks, attribute_ranks, of_targets, of_attributes)

    def _side(self, one: Side, two: Side) -> tuple[Floats, int, Ints, Ints]:
        texts = [sentence.text for sentence in (*one, *two)]
        places = [*by_word(one).values(), *([len(one) + place for place in at] for at in by_word(two).values())]
        rows = unit_rows(self.encodings.rows(texts))
        vectors = np.array([rows[at].mean(axis=0) for at in places])
        patterns = [*patterns_by_word(one).items(), *patterns_by_word(two).items()]
        offsets = np.array([self._home(found) for _, found in patterns]) * self.background.words
        return vectors, len(by_word(one)), offsets, ranks_of([word for word, _ in patterns])[0]

    def _home(self, patterns: tuple[str, ...]) -> int:
        return next(place for place, known in enumerate(self.framed.patterns) if set(patterns) <= set(known))


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
