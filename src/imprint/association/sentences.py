"""One test's sentences and the cosines between them: what SEAT's scores, and their sensitivity, are read from.

May et al. (2019), section 2. Two units are possible. Sentences, as in the paper: every target sentence scores by
its mean cosine with all sentences of A less that with all of B. Words: cosines are first averaged within each
attribute word and each target word, so that a word with fourteen templates weighs as much as one with three.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from imprint.association.cosines import cosines, scores
from imprint.association.rows import Unit
from imprint.association.vectors import FEWEST_WORDS, MOST_NAMED, SetVectors
from imprint.embeddings.embedding import unit_rows
from imprint.errors import VocabularyError
from imprint.stimuli.definition import WeatTest, WordSet, quote, word_sets
from imprint.stimuli.templates import Side, by_word
from imprint.subjects.background import ranks_of
from imprint.subjects.encodings import Encodings
from imprint.types import Floats, Floats32, Ints

RowSource = Callable[[Sequence[str]], Floats32]

_FEWEST_RANKED = 0.8  # share of words of known frequency


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
        targets, attributes = self.x + self.y, self.a + self.b
        if unit == "sentence":
            return [sentence.text for sentence in targets], scores(self.cosines, len(self.a)), len(self.x)
        rows, columns = by_word(targets), by_word(attributes)
        table = _levels(_levels(self.cosines, columns.values()).T, rows.values()).T
        return list(rows), scores(np.ascontiguousarray(table), len(by_word(self.a))), len(by_word(self.x))

    @property
    def one_each(self) -> bool:
        """Tell whether every word has one sentence, so that the two units are one."""
        return all(len({sentence.word for sentence in side}) == len(side) for side in (self.x, self.y, self.a, self.b))


@dataclass(frozen=True, eq=False)
class FramedSides:
    """The words of a test that an encoder has in frames, or in a text: each one's mean, and its unit vectors."""

    words: SetVectors
    targets: tuple[Floats, ...]  # of each word, one row per sentence
    attributes: tuple[Floats, ...]
    missing: tuple[str, ...]

    @classmethod
    def of(
        cls,
        test: WeatTest,
        sides: Mapping[str, Side],
        encodings: Encodings,
        lacking: Sequence[str],
        encoder: str,
        *,
        ranked: bool = False,
        fewest: int | None = None,
    ) -> "FramedSides":
        """Look the sentences of a test up; `lacking` are forms that the encoder has no representation of.

        A word needs a vector in so many sentences at least, by default in all.
        Words have ranks if they are to be `ranked` and these are known. Refuses a set that keeps fewer than two words.
        """
        missing: dict[str, None] = {}
        vectors: list[dict[str, Floats]] = []
        unknown = set(lacking)
        for key, asked in word_sets(test).items():
            indices = by_word(sides[key])
            rows = (
                unit_rows(encodings.rows([sentence.text for sentence in sides[key]])) if indices else np.empty((0, 1))
            )
            of_word = {word: rows[indices.get(word, [])] for word in asked.words}
            directed = {word: each[each.any(axis=1)] for word, each in of_word.items() if word not in unknown}
            has_vectors = {
                word: each for word, each in directed.items() if len(each) >= (fewest or len(of_word[word])) > 0
            }
            vectors.append(has_vectors)
            gone = [word for word in asked.words if word not in has_vectors]
            missing.update(dict.fromkeys(gone))
            require_words(has_vectors, gone, asked, encoder)
        x, y, a, b = map(tuple, vectors)
        targets, attributes = (tuple((first | second).values()) for first, second in (vectors[:2], vectors[2:]))
        words = SetVectors(
            x + y,
            a + b,
            len(x),
            len(a),
            *(np.array([rows.mean(axis=0) for rows in side]) for side in (targets, attributes)),
            *(_known_ranks(side) if ranked else None for side in (x + y, a + b)),
        )
        return cls(words, targets, attributes, tuple(missing))


def _known_ranks(words: Sequence[str]) -> Ints | None:
    """Return the frequency ranks of words; None where too many are not known, and count as rare ones."""
    ranks, share = ranks_of(words)
    return ranks if share >= _FEWEST_RANKED else None


def require_words(left: Collection[str], gone: Sequence[str], words: WordSet, encoder: str) -> None:
    """Refuse a set that keeps fewer than two of its words."""
    if len(left) < FEWEST_WORDS:
        raise VocabularyError(
            f"{encoder} has no vector for {len(gone)} of {len(words)} words ({quote(gone, MOST_NAMED)})",
            expected=f"at least {FEWEST_WORDS} with one",
            where=words.name,
            words=gone,
            hint="use other words or another encoder",
        )


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
        vectors_of_side = rows([sentence.text for sentence in side]) if side else np.empty((0, 0), dtype=np.float32)
        directed = np.flatnonzero(vectors_of_side.any(axis=1))
        kept[key] = tuple(side[index] for index in directed)
        vectors[key] = vectors_of_side[directed]
        left = {sentence.word for sentence in kept[key]}
        gone = [word for word in words.words if word not in left]
        missing.update(dict.fromkeys(gone))
        texts = {sentence.text for sentence in kept[key]}
        left_out.update((s.text, None) for s in sides[key] if s.word in left and s.text not in texts)
        require_words(left, gone, words, encoder)
    for first, second in (("x", "y"), ("a", "b")):
        shared = {sentence.text for sentence in kept[first]} & {sentence.text for sentence in kept[second]}
        if shared:
            raise VocabularyError(
                f"{quote(sorted(shared))} appears in both {first} and {second}",
                words=sorted(shared),
                hint="change a template or a word",
            )
    targets, attributes = (np.concatenate([vectors[left], vectors[right]]) for left, right in (("x", "y"), ("a", "b")))
    return SentenceTable(
        **kept, cosines=cosines(targets, attributes), missing=tuple(missing), left_out=tuple(left_out)
    )


def _levels(table: Floats, places: Iterable[Sequence[int]]) -> Floats:
    """Return each row's means over columns; of equal values their own, which division may miss by a bit.

    Words that tie would part otherwise.
    """
    groups = [list(at) for at in places]
    return np.array([[_level([row[index] for index in at]) for at in groups] for row in table.tolist()])


def _level(values: list[float]) -> float:
    first = values[0]
    return first if values.count(first) == len(values) else math.fsum(values) / len(values)
