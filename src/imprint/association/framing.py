"""The background of an encoder: bundled words of known frequency, in the sentences that a test puts its words into.

An encoder has no vocabulary to draw from. So words that come with the package stand in: 1,000 alone, or 500 in one
sentence each, in turn; more would take longer than the tests themselves. What a sentence gives besides its word is
taken off, because a test's own words all stand in the same sentences. The words are English, and so are their ranks:
tests in other languages have no such background.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from imprint.association.evidence import SetVectors, unit_rows
from imprint.association.sentences import SentenceTable, Side, by_word
from imprint.embeddings.background import Background
from imprint.encoders.encodings import Encodings
from imprint.stimuli.framed import CommonWords, ranked_words, ranks_of
from imprint.stimuli.templates import fill
from imprint.types import Floats, Ints

Patterns = tuple[str, ...]  # the templates of one word, "" for the word alone

_WORDS_IN_SENTENCES = 2  # of the bundled words, every second one is put into sentences
_ALONE: Patterns = ("",)


@dataclass(frozen=True, eq=False)
class FramedWords:
    """Bundled words by frequency, in the sentences of a test's own words."""

    patterns: tuple[Patterns, ...]
    common: CommonWords

    @classmethod
    def of(cls, sides: Sequence[Side]) -> "FramedWords":
        """Find which sentences the words of a test are in, and which bundled words are put into them."""
        used = dict.fromkeys(found for side in sides for found in _patterns_by_word(side).values())
        # A word whose forms coincide stands in some of the sentences of its kind.
        patterns = tuple(one for one in used if not any(set(one) < set(other) for other in used))
        return cls(patterns, ranked_words().every(1 if patterns == (_ALONE,) else _WORDS_IN_SENTENCES))

    def texts(self) -> list[str]:
        """Return every text to encode."""
        return [text for patterns in self.patterns for text, _ in self._turns(patterns)]

    def encoded(self, encodings: Encodings, missing: Iterable[str] = ()) -> "Framing | None":
        """Return the words with their vectors, those in the first patterns first; None where too few are left.

        Those that the encoder has no representation of are `missing`.
        """
        common = self.common.without(missing)
        if not common.words:
            return None
        known = np.isin(self.common.words, common.words)
        rows = []
        for patterns in self.patterns:
            texts, turns = zip(*self._turns(patterns), strict=True)
            vectors, turn = unit_rows(encodings.rows(texts))[known], np.array(turns)[known]
            mean = vectors.mean(axis=0)
            for one in np.unique(turn):
                vectors[turn == one] -= vectors[turn == one].mean(axis=0) - mean
            rows.append(vectors)
        background = common.background(rows)
        return None if background is None else Framing(self, encodings, background)

    def _turns(self, patterns: Patterns) -> Iterator[tuple[str, int]]:
        """Put each word into one of the patterns, in turn; return the text, and which pattern it is."""
        for place, word in enumerate(self.common.words):
            pattern = patterns[place % len(patterns)]
            yield fill(pattern, word) if pattern else word, place % len(patterns)


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
        offsets = np.array([self._home(found) for _, found in patterns]) * self.background.words
        return vectors, len(by_word(one)), offsets, ranks_of([word for word, _ in patterns])[0]

    def _home(self, patterns: Patterns) -> int:
        return next(place for place, known in enumerate(self.framed.patterns) if set(patterns) <= set(known))


def _patterns_by_word(side: Side) -> dict[str, Patterns]:
    return {word: tuple(side[place].template for place in places) for word, places in by_word(side).items()}
