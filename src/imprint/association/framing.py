"""The background of an encoder: bundled words of known frequency, in the sentences that a test puts its words into.

An encoder has no vocabulary to draw from. So words that come with the package stand in: 1,000 alone, or 500 in one
sentence each, in turn; more would take longer than the tests themselves. What a sentence gives besides its word is
taken off, because a test's own words all stand in the same sentences.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imprint.association.evidence import SetVectors, unit_rows
from imprint.association.sentences import SentenceTable, Side, by_word
from imprint.embeddings.background import Background
from imprint.encoders.encodings import Encodings
from imprint.stimuli.framed import CommonWords, common_words, ranks_of
from imprint.stimuli.templates import fill
from imprint.types import Floats, Ints

Patterns = tuple[str, ...]  # the templates of one word, "" for the word alone

_WORDS_IN_SENTENCES = 2  # of the bundled words, every second one is put into sentences
_ALONE: Patterns = ("",)


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
        common = common_words().every(1 if patterns == (_ALONE,) else _WORDS_IN_SENTENCES)
        return cls(patterns, common.words, common.ranks)

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
        background = CommonWords(self.words, self.ranks).background(rows)
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


def _patterns_by_word(side: Side) -> dict[str, Patterns]:
    return {word: tuple(side[place].template for place in places) for word, places in by_word(side).items()}
