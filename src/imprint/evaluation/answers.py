"""The best answer to every analogy question, over a whole vocabulary, as float64 would find it.

3CosAdd and 3CosMul (Levy and Goldberg, 2014, sections 3 and 6) need only the cosines of the words that occur in
questions with the vocabulary: a few hundred rows where there are tens of thousands of questions. They are computed in
float32, block by block, with a bound on the error; a question whose two best answers are closer than that is settled
in float64.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from imprint.embeddings.embedding import Embedding
from imprint.embeddings.vocabulary import rows_by_frequency
from imprint.threads import single_threaded
from imprint.types import Floats, Floats32, Ints, Progress

AnswerMethod = Literal["3cosadd", "3cosmul"]

METHODS: tuple[AnswerMethod, ...] = ("3cosadd", "3cosmul")
EPSILON = 0.001  # Levy and Goldberg's, against division by zero

_BLOCK = 1_024  # words of the vocabulary at a time: the table of their cosines stays in the cache
_UNIT = 2.0**-24  # relative error of one operation in float32
_TIE = 1e-12  # scores in float64 closer than this are equal, and the more frequent word is the answer


@dataclass(frozen=True)
class Vocabulary:
    """Words that may be answers: rows of the embedding, most frequent first, and the group of each.

    Words that differ in case alone are one group, numbered by its first word; a word without direction has group -1.
    """

    embedding: Embedding
    rows: Ints
    groups: Ints
    first: dict[str, int]

    @classmethod
    def of(cls, embedding: Embedding, most: int) -> "Vocabulary":
        """Take the most frequent words, at most so many."""
        rows = rows_by_frequency(embedding)[:most].astype(np.int64)
        directed = (embedding.norms[rows] > 0).tolist()
        first: dict[str, int] = {}
        groups = [
            first.setdefault(embedding.words[row].upper(), at) if has_direction else -1
            for at, (row, has_direction) in enumerate(zip(rows.tolist(), directed, strict=True))
        ]
        return cls(embedding, rows, np.array(groups, dtype=np.int64), first)

    def find(self, words: Sequence[str]) -> list[int]:
        """Return the group of each word in any case, -1 for one that is missing."""
        return [self.first.get(word.upper(), -1) for word in words]

    def unit(self, at: Ints | slice, dtype: npt.DTypeLike) -> npt.NDArray[np.floating]:
        """Return words at unit length, divided in float64."""
        rows = self.rows[at]
        lengths = self.embedding.norms[rows]
        vectors = np.asarray(self.embedding.vectors[rows], dtype=np.float64)
        return np.asarray(vectors / np.where(lengths == 0, 1.0, lengths)[:, None], dtype=dtype)

    def blocks(self) -> Iterator[slice]:
        """Cut the vocabulary into blocks."""
        return (slice(start, min(start + _BLOCK, len(self.rows))) for start in range(0, len(self.rows), _BLOCK))


def best_answers(
    vocabulary: Vocabulary, questions: Ints, progress: Progress | None = None
) -> dict[AnswerMethod, Ints]:
    """Return, for each method, the word that answers each question (a, b, c), -1 where there is none.

    No spelling of a question's own words is an answer. Of words whose scores are equal, the most frequent is.
    """
    from imprint.evaluation.kernels import keep_best_products, keep_best_sums

    asked, places = np.unique(questions, return_inverse=True)
    places = np.ascontiguousarray(places.reshape(questions.shape), dtype=np.int64)
    questions = np.ascontiguousarray(questions, dtype=np.int64)
    kept = {method: _Best.of(len(questions)) for method in METHODS}
    sums, products = kept["3cosadd"], kept["3cosmul"]
    least = np.float32(2.0)
    with single_threaded():
        words = vocabulary.unit(asked, np.float32)
        for block in vocabulary.blocks():
            groups = vocabulary.groups[block]
            table = words @ vocabulary.unit(block, np.float32).T
            where = (places, questions, groups, block.start)
            keep_best_sums(table, *where, sums.best, sums.second, sums.at)
            # Twice the paper's (1 + cos) / 2 throughout, which changes no order.
            table += np.float32(1)
            least = min(least, table.min(initial=2.0))
            inverse = np.float32(1) / (table + np.float32(2 * EPSILON))
            keep_best_products(table, inverse, *where, products.best, products.second, products.at)
            if progress is not None:
                progress(block.stop, len(vocabulary.rows))
        error = (vocabulary.embedding.dimension + 4) * _UNIT
        sums.settle(vocabulary, questions, 2 * (3 * error + 6 * _UNIT) * np.ones(len(questions)), "3cosadd")
        products.settle(vocabulary, questions, 2 * _product_error(products.best, error, float(least)), "3cosmul")
    return {method: one.at for method, one in kept.items()}


@dataclass(frozen=True)
class _Best:
    """The two largest scores of each question in float32, and where the largest is."""

    best: Floats32
    second: Floats32
    at: Ints

    @classmethod
    def of(cls, questions: int) -> "_Best":
        lowest = np.full(questions, -np.inf, dtype=np.float32)
        return cls(lowest, lowest.copy(), np.full(questions, -1, dtype=np.int64))

    def settle(self, vocabulary: Vocabulary, questions: Ints, margin: Floats, method: AnswerMethod) -> None:
        """Answer again, in float64, the questions whose best two are within the margin."""
        with np.errstate(invalid="ignore"):
            close = np.flatnonzero(~(self.best.astype(np.float64) - self.second > margin))
        # Memory for the float64 table is bounded by answering so many at a time.
        for start in range(0, len(close), _BLOCK):
            some = close[start : start + _BLOCK]
            self.at[some] = answer_exactly(vocabulary, questions[some], method)


def answer_exactly(vocabulary: Vocabulary, questions: Ints, method: AnswerMethod) -> Ints:
    """Answer questions in float64, without tricks."""
    asked, places = np.unique(questions, return_inverse=True)
    a, b, c = places.reshape(questions.shape).T
    words = vocabulary.unit(asked, np.float64)
    best = np.full(len(questions), -np.inf)
    at = np.full(len(questions), -1, dtype=np.int64)
    for block in vocabulary.blocks():
        cosines = words @ vocabulary.unit(block, np.float64).T
        if method == "3cosadd":
            scores = cosines[b] + cosines[c] - cosines[a]
        else:
            shifted = (1 + cosines) / 2
            scores = shifted[b] * shifted[c] / (shifted[a] + EPSILON)
        groups = vocabulary.groups[block]
        scores[(groups == questions[:, :, None]).any(axis=1) | (groups < 0)] = -np.inf
        highest = scores.max(axis=1)
        tie = _TIE * np.clip(np.abs(highest), 1, 1 / EPSILON)  # no score is larger
        found = highest > best + tie
        at[found] = block.start + np.argmax(scores >= (highest - tie)[:, None], axis=1)[found]
        best[found] = highest[found]
    return at


def _product_error(best: Floats32, error: float, least: float) -> Floats:
    """Bound the error of a product no larger than `best`, whose factors (at most 2) are off by `error`."""
    largest = np.maximum(best.astype(np.float64), 0.0)
    error += 2 * _UNIT
    divisor = least + 2 * EPSILON - error
    if divisor <= 0:
        return np.full(len(best), np.inf)
    bound: Floats = (4 * error + error**2 + largest * error) / divisor + 6 * _UNIT * largest
    return bound
