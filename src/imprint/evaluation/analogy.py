"""a is to b as c is to what? How often an embedding knows.

Benchmarks of Mikolov et al. (2013), answered by 3CosAdd and by 3CosMul (Levy and Goldberg, 2014). The words searched
are the most frequent of the vocabulary; a question that has a word outside them is not counted. Case is ignored, in
questions and answers alike.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

import msgspec
import numpy as np

from imprint.checks import check_whole
from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.evaluation.answers import METHODS, AnswerMethod, Vocabulary, best_answers
from imprint.evaluation.benchmarks import AnalogyBenchmark
from imprint.evaluation.resampling import RESAMPLES, Estimate, draw_counts, estimate
from imprint.evaluation.results import BenchmarkRow, benchmark_fields
from imprint.stimuli.definition import quote
from imprint.types import Flags, Floats, Ints, Progress

MOST_WORDS = 300_000  # gensim's own limit


class AnalogySection(msgspec.Struct, frozen=True):
    """Questions of one kind: how many there are, how many have all their words, and how many of those are right."""

    name: str
    asked: int
    found: int
    right_3cosadd: int
    right_3cosmul: int


def _in_json(field: str) -> str:
    """Return a field's name in JSON: no name in Python begins with a digit."""
    return f"3{field}" if field.startswith("cos") else field


class AnalogyBenchmarkRow(BenchmarkRow, frozen=True, kw_only=True, tag="analogy_benchmark", rename=_in_json):
    """Shares of questions answered correctly; the effect size is that of 3CosAdd. `n_words` were searched."""

    measures = METHODS

    sections: tuple[AnalogySection, ...]
    resamples: int
    against_n_words: int | None = None
    cosadd: float
    cosadd_low: float | None
    cosadd_high: float | None
    cosmul: float
    cosmul_low: float | None
    cosmul_high: float | None
    against_3cosadd: float | None = None
    against_3cosadd_low: float | None = None
    against_3cosadd_high: float | None = None
    against_3cosmul: float | None = None
    against_3cosmul_low: float | None = None
    against_3cosmul_high: float | None = None
    change_3cosadd: float | None = None
    change_3cosadd_low: float | None = None
    change_3cosadd_high: float | None = None
    change_3cosmul: float | None = None
    change_3cosmul_low: float | None = None
    change_3cosmul_high: float | None = None


def analogy(
    embedding: Embedding,
    benchmark: AnalogyBenchmark,
    *,
    against: Embedding | None = None,
    most_words: int = MOST_WORDS,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Progress | None = None,
) -> AnalogyBenchmarkRow:
    """Answer every question of the benchmark whose words are among the most frequent.

    Of two embeddings, the questions whose words both have; each searches its own vocabulary. Questions that share a
    pair are not independent, so intervals resample pairs.
    """
    embeddings = [embedding] if against is None else [against, embedding]
    check_whole("resamples", resamples)
    check_whole("most_words", most_words)
    vocabularies, places, missing = [], [], []
    for one in embeddings:
        if not one.has_vocabulary:
            raise VocabularyError(
                "analogies are answered from an embedding's vocabulary, and a sentence encoder has none",
                where=one.name,
                hint="similarity benchmarks can be run",
            )
        one.check_finite()
        vocabularies.append(Vocabulary.of(one, most_words))
        found = np.array([vocabularies[-1].find(question) for question in benchmark.questions]).reshape(-1, 4)
        places.append(found)
        missing.append(_missing(benchmark, found))
    shared: Flags = np.all([(found >= 0).all(axis=1) for found in places], axis=0)
    if not shared.any():
        names = " and ".join(one.name for one in embeddings)
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
    asked = [benchmark.questions[i] for i in np.flatnonzero(shared)]
    measured, change = _accuracies(asked, right, resamples, seed)
    return AnalogyBenchmarkRow(
        **benchmark_fields(benchmark.name, embeddings, missing, measured, change),
        found=int(shared.sum()),
        asked=len(shared),
        n_words=len(vocabularies[-1].rows),
        against_n_words=None if against is None else len(vocabularies[0].rows),
        sections=_sections(benchmark, shared, right[-1]),
        resamples=resamples,
        seed=seed,
    )


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
    flags = np.array([one[method] for one in right for method in METHODS], dtype=np.float64).T
    # The first draw counts every pair once: it is the value itself.
    shares = []
    for counts in chain([np.ones((1, len(number)))], draw_counts(len(number), resamples, seed)):
        occurring = counts[:, first] * counts[:, second]
        with np.errstate(invalid="ignore"):
            shares.append(occurring @ flags / occurring.sum(axis=1, keepdims=True))
    draws = np.concatenate(shares).reshape(-1, len(right), len(METHODS))

    def estimates(draws: Floats, *, difference: bool = False) -> dict[str, Estimate]:
        pairs = zip(METHODS, draws.T, strict=True)
        return {method: estimate(float(one[0]), one[1:], len(number), difference=difference) for method, one in pairs}

    return [estimates(side) for side in draws.swapaxes(0, 1)], estimates(draws[:, -1] - draws[:, 0], difference=True)


def _sections(
    benchmark: AnalogyBenchmark, found: Flags, right: Mapping[AnswerMethod, Flags]
) -> tuple[AnalogySection, ...]:
    names = np.array(benchmark.sections)
    kept = names[found]
    return tuple(
        AnalogySection(
            name=name,
            asked=int((names == name).sum()),
            found=int((kept == name).sum()),
            right_3cosadd=int(right["3cosadd"][kept == name].sum()),
            right_3cosmul=int(right["3cosmul"][kept == name].sum()),
        )
        for name in dict.fromkeys(benchmark.sections)
    )
