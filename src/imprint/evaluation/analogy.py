"""a is to b as c is to what? How often an embedding knows.

Benchmarks of Mikolov et al. (2013), answered by 3CosAdd and by 3CosMul (Levy and Goldberg, 2014). The words searched
are the most frequent of the vocabulary; a question that has a word outside them is not counted. Case is ignored, in
questions and answers alike.

3CosAdd and 3CosMul (Levy and Goldberg, sections 3 and 6) need only the cosines of the words that occur in questions
with the vocabulary: a few hundred rows where there are tens of thousands of questions. They are computed in float32,
block by block, with a bound on the error; a question whose two best answers are closer than that is settled in
float64.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from imprint.embeddings.embedding import Embedding
from imprint.embeddings.vocabulary import rows_by_frequency
from imprint.errors import VocabularyError
from imprint.evaluation.benchmarks import (
    AnalogyBenchmark,
    BenchmarkRow,
    EvaluationSettings,
    OtherValue,
    ValueChange,
    benchmark_fields,
)
from imprint.evaluation.resampling import Estimate, draw_counts, estimate
from imprint.rows import HighEnd, LowEnd, shown
from imprint.stimuli.definition import quote
from imprint.threads import single_threaded
from imprint.types import Flags, Floats, Floats32, Ints, Progress

AnswerMethod = Literal["3cosadd", "3cosmul"]

METHODS: tuple[AnswerMethod, ...] = ("3cosadd", "3cosmul")
EPSILON = 0.001  # Levy and Goldberg's, against division by zero

_BLOCK = 1_024  # words of the vocabulary at a time: the table of their cosines stays in the cache
_UNIT = 2.0**-24  # relative error of one operation in float32
_TIE = 1e-12  # scores in float64 closer than this are equal, and the more frequent word is the answer


class AnalogySection(msgspec.Struct, frozen=True):
    """Questions of one kind."""

    name: Annotated[str, shown("Section")]
    asked: Annotated[int, shown("Asked", "How many there are.")]
    found: Annotated[int, shown("Found", "How many have all their words.")]
    right_3cosadd: Annotated[int, shown("3CosAdd", "How many of those found 3CosAdd answers correctly.")]
    right_3cosmul: Annotated[int, shown("3CosMul", "How many of those found 3CosMul answers correctly.")]


def _in_json(field: str) -> str:
    """Return a field's name in JSON: no name in Python begins with a digit."""
    return f"3{field}" if field.startswith("cos") else field


class AnalogyBenchmarkRow(BenchmarkRow, frozen=True, kw_only=True, tag="analogy_benchmark", rename=_in_json):
    """Shares of questions answered correctly; the effect size is that of 3CosAdd."""

    measures = METHODS

    found: Annotated[int, shown("Questions", "Questions all of whose words the embedding has, of all.")]
    n_words: Annotated[int, shown("Words", "Words that were searched for answers.")]
    sections: Annotated[tuple[AnalogySection, ...], shown("Sections", "The questions by their kind.")]
    resamples: Annotated[int, shown("Resamples", "Resamples of pairs of words behind the intervals.")]
    against_n_words: Annotated[int | None, shown("Words of A", "Words that were searched in the other embedding.")] = (
        None
    )
    cosadd: Annotated[float, shown("3CosAdd", "Share right by 3CosAdd, with its 95 % interval.", digits=3)]
    cosadd_low: LowEnd
    cosadd_high: HighEnd
    cosmul: Annotated[float, shown("3CosMul", "Share right by 3CosMul, with its 95 % interval.", digits=3)]
    cosmul_low: LowEnd
    cosmul_high: HighEnd
    against_3cosadd: OtherValue = None
    against_3cosadd_low: LowEnd = None
    against_3cosadd_high: HighEnd = None
    against_3cosmul: OtherValue = None
    against_3cosmul_low: LowEnd = None
    against_3cosmul_high: HighEnd = None
    change_3cosadd: ValueChange = None
    change_3cosadd_low: LowEnd = None
    change_3cosadd_high: HighEnd = None
    change_3cosmul: ValueChange = None
    change_3cosmul_low: LowEnd = None
    change_3cosmul_high: HighEnd = None


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


def analogy(
    embedding: Embedding,
    benchmark: AnalogyBenchmark,
    settings: EvaluationSettings = EvaluationSettings(),  # noqa: B008 - it is frozen
    *,
    against: Embedding | None = None,
    progress: Progress | None = None,
) -> AnalogyBenchmarkRow:
    """Answer every question of the benchmark whose words are among the most frequent.

    Of two embeddings, the questions whose words both have; each searches its own vocabulary. Questions that share a
    pair are not independent, so intervals resample pairs.
    """
    embeddings = [embedding] if against is None else [against, embedding]
    vocabularies, places, missing = [], [], []
    for each in embeddings:
        if not each.has_vocabulary:
            raise VocabularyError(
                "analogies are answered from an embedding's vocabulary, and a sentence encoder has none",
                where=each.name,
                hint="similarity benchmarks can be run",
            )
        each.check_finite()
        vocabularies.append(Vocabulary.of(each, settings.most_words))
        places_of = np.array([vocabularies[-1].find(question) for question in benchmark.questions]).reshape(-1, 4)
        places.append(places_of)
        missing.append(_missing(benchmark, places_of))
    shared: Flags = np.all([(rows >= 0).all(axis=1) for rows in places], axis=0)
    if not shared.any():
        names = " and ".join(embedding.name for embedding in embeddings)
        raise VocabularyError(
            f"none of {len(shared):,} questions has all its words in {names} ({quote(missing[0])} missing)",
            where=benchmark.name,
            words=missing[0],
            hint="use a larger embedding, or more of its words",
        )
    right = [
        _right(vocabulary, found[shared], _part(progress, part, len(embeddings)))
        for part, (vocabulary, found) in enumerate(zip(vocabularies, places, strict=True))
    ]
    questions = [benchmark.questions[i] for i in np.flatnonzero(shared)]
    measured, change = _accuracies(questions, right, settings.resamples, settings.seed)
    return AnalogyBenchmarkRow(
        **benchmark_fields(benchmark.name, embeddings, missing, measured, change),
        found=int(shared.sum()),
        asked=len(shared),
        n_words=len(vocabularies[-1].rows),
        against_n_words=None if against is None else len(vocabularies[0].rows),
        sections=_sections(benchmark, shared, right[-1]),
        resamples=settings.resamples,
        seed=settings.seed,
    )


def best_answers(
    vocabulary: Vocabulary, questions: Ints, progress: Progress | None = None
) -> dict[AnswerMethod, Ints]:
    """Return, for each method, the word that answers each question (a, b, c), -1 where there is none.

    No spelling of a question's own words is an answer. Of words whose scores are equal, the most frequent is.
    """
    from imprint.evaluation.kernels import keep_best

    distinct, places = np.unique(questions, return_inverse=True)
    places = np.ascontiguousarray(places.reshape(questions.shape), dtype=np.int64)
    questions = np.ascontiguousarray(questions, dtype=np.int64)
    best = {method: _Best.of(len(questions)) for method in METHODS}
    sums, products = best["3cosadd"], best["3cosmul"]
    least = np.float32(2.0)
    with single_threaded():
        words = vocabulary.unit(distinct, np.float32)
        for block in vocabulary.blocks():
            groups = vocabulary.groups[block]
            table = words @ vocabulary.unit(block, np.float32).T
            where = (places, questions, groups, block.start)
            keep_best(False, table, table, *where, sums.best, sums.second, sums.at)
            # Twice the paper's (1 + cos) / 2 throughout, which changes no order.
            table += np.float32(1)
            least = min(least, table.min(initial=2.0))
            inverse = np.float32(1) / (table + np.float32(2 * EPSILON))
            keep_best(True, table, inverse, *where, products.best, products.second, products.at)
            if progress is not None:
                progress(block.stop, len(vocabulary.rows))
        error = (vocabulary.embedding.dimension + 4) * _UNIT
        sums.settle(vocabulary, questions, 2 * (3 * error + 6 * _UNIT) * np.ones(len(questions)), "3cosadd")
        products.settle(vocabulary, questions, 2 * _product_error(products.best, error, float(least)), "3cosmul")
    return {method: answers.at for method, answers in best.items()}


def answer_exactly(vocabulary: Vocabulary, questions: Ints, method: AnswerMethod) -> Ints:
    """Answer questions in float64, without tricks."""
    distinct, places = np.unique(questions, return_inverse=True)
    a, b, c = places.reshape(questions.shape).T
    words = vocabulary.unit(distinct, np.float64)
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
        better = highest > best + tie
        at[better] = block.start + np.argmax(scores >= (highest - tie)[:, None], axis=1)[better]
        best[better] = highest[better]
    return at


def _missing(benchmark: AnalogyBenchmark, places: Ints) -> tuple[str, ...]:
    return tuple(dict.fromkeys(benchmark.questions[row][column] for row, column in np.argwhere(places < 0).tolist()))


def _right(vocabulary: Vocabulary, questions: Ints, progress: Progress | None) -> Mapping[AnswerMethod, Flags]:
    answers = best_answers(vocabulary, questions[:, :3], progress)
    # Without any answer the place is -1; the last word's group is looked up for it and thrown away.
    return {
        method: (answers[method] >= 0) & (vocabulary.groups[answers[method]] == questions[:, 3]) for method in METHODS
    }


def _part(progress: Progress | None, part: int, parts: int) -> Progress | None:
    """Show one of several equal pieces of work within the whole."""
    if progress is None:
        return None
    return lambda done, total: progress(part * total + done, parts * total)


def _accuracies(
    questions: Sequence[tuple[str, ...]], right: Sequence[Mapping[AnswerMethod, Flags]], resamples: int, seed: int
) -> tuple[list[dict[str, Estimate]], dict[str, Estimate]]:
    """Return the accuracies of every embedding, and the last one's less the first one's.

    Pairs of words are resampled, not questions, of which each pair is in dozens, first in some and second in others:
    a question occurs as often as its two pairs' counts multiplied.
    """
    halves = [(question[:2], question[2:]) for question in questions]
    number = {pair: at for at, pair in enumerate(dict.fromkeys(pair for half in halves for pair in half))}
    first, second = (np.array([number[half[side]] for half in halves]) for side in (0, 1))
    flags = np.array([flags_of[method] for flags_of in right for method in METHODS], dtype=np.float64).T
    # The first draw counts every pair once: it is the value itself.
    shares = []
    for counts in chain([np.ones((1, len(number)))], draw_counts(len(number), resamples, seed)):
        occurring = counts[:, first] * counts[:, second]
        with np.errstate(invalid="ignore"):
            shares.append(occurring @ flags / occurring.sum(axis=1, keepdims=True))
    draws = np.concatenate(shares).reshape(-1, len(right), len(METHODS))

    def estimates(draws: Floats, *, difference: bool = False) -> dict[str, Estimate]:
        return {
            method: estimate(float(drawn[0]), drawn[1:], len(number), difference=difference)
            for method, drawn in zip(METHODS, draws.T, strict=True)
        }

    return [estimates(side) for side in draws.swapaxes(0, 1)], estimates(draws[:, -1] - draws[:, 0], difference=True)


def _sections(
    benchmark: AnalogyBenchmark, found: Flags, right: Mapping[AnswerMethod, Flags]
) -> tuple[AnalogySection, ...]:
    names = np.array(benchmark.sections)
    found_names = names[found]
    return tuple(
        AnalogySection(
            name=name,
            asked=int((names == name).sum()),
            found=int((found_names == name).sum()),
            right_3cosadd=int(right["3cosadd"][found_names == name].sum()),
            right_3cosmul=int(right["3cosmul"][found_names == name].sum()),
        )
        for name in dict.fromkeys(benchmark.sections)
    )


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


def _product_error(best: Floats32, error: float, least: float) -> Floats:
    """Bound the error of a product no larger than `best`, whose factors (at most 2) are off by `error`."""
    largest = np.maximum(best.astype(np.float64), 0.0)
    error += 2 * _UNIT
    divisor = least + 2 * EPSILON - error
    if divisor <= 0:
        return np.full(len(best), np.inf)
    bound: Floats = (4 * error + error**2 + largest * error) / divisor + 6 * _UNIT * largest
    return bound
