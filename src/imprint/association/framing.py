"""The background of an encoder: bundled words of known frequency, in the sentences that a test puts its words into.

An encoder has no vocabulary to draw from. So words that come with the package stand in: 1,000 alone, or 500 in one
sentence each, in turn; more would take longer than the tests themselves. What a sentence gives besides its word is
taken off, because a test's own words all stand in the same sentences.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from imprint.association.evidence import SetVectors, unit_rows
from imprint.association.sentences import SentenceTable, Side, by_word
from imprint.embeddings.background import Background
from imprint.embeddings.bundled import frequency_table
from imprint.encoders.encodings import Encodings
from imprint.stimuli import seeds
from imprint.stimuli.templates import fill
from imprint.types import Floats, Ints

Patterns = tuple[str, ...]  # the templates of one word, "" for the word alone

_WORDS_IN_SENTENCES = 2  # of the bundled words, every second one is put into sentences
_ALONE: Patterns = ("",)
_GROUP = 50  # words that are taken to be of one frequency


@dataclass(frozen=True, eq=False)
class FramedWords:
    """Bundled words by frequency, in the sentences of a test's own words."""

    patterns: tuple[Patterns, ...]
    words: tuple[str, ...]
    ranks: Ints

    @classmethod
    def of(cls, sides: Sequence[Side]) -> "FramedWords":
        """Find which sentences the words of a test are in, and which bundled words are put into them."""
        used = dict.fromkeys(found for side in sides for found in _patterns_by_word(side).values())
        # A word whose forms coincide stands in some of the sentences of its kind.
        patterns = tuple(one for one in used if not any(set(one) < set(other) for other in used))
        words, ranks = _bundled()
        step = 1 if patterns == (_ALONE,) else _WORDS_IN_SENTENCES
        return cls(patterns, words[::step], ranks[::step])

    def texts(self) -> list[str]:
        """Return every text to encode."""
        places = range(len(self.words))
        return [self._text(patterns, word) for patterns in self.patterns for word in places]

    def encoded(self, encodings: Encodings) -> "Framing":
        """Return the words with their vectors, those in the first patterns first."""
        rows = []
        for patterns in self.patterns:
            vectors = unit_rows(encodings.rows([self._text(patterns, word) for word in range(len(self.words))]))
            mean = vectors.mean(axis=0)
            for turn in range(len(patterns)):
                vectors[turn :: len(patterns)] -= vectors[turn :: len(patterns)].mean(axis=0) - mean
            rows.append(vectors)
        starts = np.arange(0, len(self.words) - _GROUP + 1, _GROUP)
        background = Background(
            rows=np.vstack(rows).astype(np.float32),
            lowest=self.ranks[starts],
            starts=np.append(starts, len(self.words)),
            spreading=np.vstack([of_one - of_one.mean(axis=0) for of_one in rows]).astype(np.float32),
            words=len(self.words),
        )
        return Framing(self, encodings, background)

    def _text(self, patterns: Patterns, word: int) -> str:
        pattern = patterns[word % len(patterns)]
        return fill(pattern, self.words[word]) if pattern else self.words[word]


@dataclass(frozen=True, eq=False)
class Framing:
    """Bundled words that were encoded: what a test's own words are compared with."""

    framed: FramedWords
    encodings: Encodings
    background: Background

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
        patterns = [*_patterns_by_word(one).items(), *_patterns_by_word(two).items()]
        offsets = np.array([self._home(found) for _, found in patterns]) * len(self.framed.words)
        return vectors, len(by_word(one)), offsets, ranks_of([word for word, _ in patterns])[0]

    def _home(self, patterns: Patterns) -> int:
        return next(place for place, known in enumerate(self.framed.patterns) if set(patterns) <= set(known))


def ranks_of(words: Sequence[str]) -> tuple[Ints, float]:
    """Return the frequency ranks of words in the bundled table, and the share of words that it has.

    A phrase is as rare as its rarest word; what the table does not have is rarer than all of it.
    """
    table = frequency_table()
    rarest = max(table.values()) + 1
    parts = [[table.get(part) for part in word.replace("_", " ").lower().split()] or [None] for word in words]
    ranks = [rarest if None in found else max(rank for rank in found if rank is not None) for found in parts]
    return np.array(ranks, dtype=np.int64), float(np.mean([None not in found for found in parts]))


def _patterns_by_word(side: Side) -> dict[str, Patterns]:
    return {word: tuple(side[place].template for place in places) for word, places in by_word(side).items()}


@cache
def _bundled() -> tuple[tuple[str, ...], Ints]:
    words = seeds.background()
    ranks, _ = ranks_of(words)
    order = np.argsort(ranks, kind="stable")
    return tuple(words[place] for place in order), ranks[order]
