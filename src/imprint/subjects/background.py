"""The background of an encoder: bundled words of known frequency, alone or in sentences.

An encoder has no vocabulary to draw from. So words that come with the package stand in: 1,000 alone, or 500 in the
frames of questions; more would take longer than the tests themselves. The words are English, and so are their ranks:
tests in other languages have no such background.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from imprint.embeddings.background import Background
from imprint.embeddings.embedding import unit_rows
from imprint.embeddings.reading import frequency_table
from imprint.embeddings.vocabulary import frequent_words
from imprint.stimuli import seeds
from imprint.stimuli.catalog import languages
from imprint.stimuli.templates import fill, spaced
from imprint.subjects.encodings import Encodings
from imprint.subjects.opening import load
from imprint.types import Floats, Floats32, Ints

GROUP = 26  # words that are taken to be of one frequency; two halves

_RANKED = 1_000
_FIRST_RANK = 200  # words before it are few, and most have little meaning
_WORDS_IN_SENTENCES = 2  # of the bundled words, every second one is put into sentences


@dataclass(frozen=True, eq=False)
class CommonWords:
    """Bundled words by frequency, used in place of the vocabulary that an encoder does not have."""

    words: tuple[str, ...]
    ranks: Ints

    def every(self, step: int) -> "CommonWords":
        """Return every so many of them."""
        return CommonWords(self.words[::step], self.ranks[::step])

    def without(self, missing: Iterable[str]) -> "CommonWords":
        """Return the others."""
        lost = set(missing)
        rows = [row for row, word in enumerate(self.words) if word not in lost]
        return CommonWords(tuple(self.words[row] for row in rows), self.ranks[rows])

    def background(self, rows: Floats | Floats32) -> Background | None:
        """Return what words are compared with, from vectors of these words; None where there are too few."""
        if len(self.words) < 2 * GROUP:
            return None
        starts = np.arange(0, len(self.words) - GROUP + 1, GROUP)
        vectors = rows.astype(np.float32)
        return Background(vectors, self.ranks[starts], np.append(starts, len(self.words)), vectors, halved=True)


@cache
def ranked_words() -> CommonWords:
    """Return a thousand bundled words, the most frequent first, even in the logarithm of their rank.

    Neighbours are then of like frequency among frequent words too, which tests ask about.
    """
    bundled = load("default")
    rows = frequent_words(bundled, len(bundled), leaving_out=set(seeds.gender_specific()))
    ranks = bundled.frequency_ranks[rows]
    places = np.searchsorted(ranks, np.geomspace(_FIRST_RANK, ranks[-1], _RANKED))
    # Where words are too few, the next ones follow.
    places = np.maximum.accumulate(places - np.arange(_RANKED)) + np.arange(_RANKED)
    places = places[places < len(rows)]
    return CommonWords(tuple(bundled.words[row] for row in rows[places]), ranks[places].astype(np.int64))


@cache
def common_words() -> CommonWords:
    """Return a thousand bundled words, the most frequent first."""
    words = seeds.background()
    ranks, _ = ranks_of(words)
    order = np.argsort(ranks, kind="stable")
    return CommonWords(tuple(words[row] for row in order), ranks[order])


def ranks_of(words: Sequence[str]) -> tuple[Ints, float]:
    """Return the frequency ranks of words in the bundled table, and the share of words that it has.

    A phrase is as rare as its rarest word; what the table does not have is rarer than all of it.
    """
    table = frequency_table()
    rarest = max(table.values()) + 1
    parts = [[table.get(part) for part in spaced(word).lower().split()] or [None] for word in words]
    ranks = [rarest if None in each else max(rank for rank in each if rank is not None) for each in parts]
    return np.array(ranks, dtype=np.int64), float(np.mean([None not in each for each in parts] or [True]))


@dataclass(frozen=True, eq=False)
class FramedWords:
    """Bundled words by frequency, in the frames that words of questions are in."""

    @cached_property
    def common(self) -> CommonWords:
        """The words: every second one of the bundled ones."""
        return ranked_words().every(_WORDS_IN_SENTENCES)

    def texts(self) -> list[str]:
        """Return every text to encode."""
        return [fill(frame, word) for word in self.common.words for frame in languages()["en"].frames]

    def background(self, encodings: Encodings, missing: Iterable[str] = ()) -> Background | None:
        """Return the words' vectors, each the mean of its unit vectors; None where too few are left.

        Those that the encoder has no representation of are `missing`.
        """
        common = self.common.without(missing)
        if not common.words:
            return None
        is_known = np.isin(self.common.words, common.words)
        rows = unit_rows(encodings.rows(self.texts()))
        return common.background(rows.reshape(len(is_known), len(languages()["en"].frames), -1).mean(axis=1)[is_known])
