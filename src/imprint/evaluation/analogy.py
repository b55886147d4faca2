"""a is to b as c is to what? How often an embedding knows.

Benchmarks of Mikolov et al. (2013), answered by 3CosAdd and by 3CosMul (Levy and Goldberg, 2014). The words searched
are the most frequent of the vocabulary; a question that has a word outside them is not counted. Case is ignored, in
questions and answers alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from imprint.checks import check_whole
from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.evaluation.answers import METHODS, AnswerMethod, Vocabulary, best_answers
from imprint.evaluation.benchmarks import AnalogyBenchmark
from imprint.evaluation.resampling import RESAMPLES, Estimate, check_resamples, draw_counts, estimate
from imprint.evaluation.results import BenchmarkResult, BenchmarkRow
from imprint.stimuli.definition import quote
from imprint.types import Flags, Floats, Ints, Progress

if TYPE_CHECKING:
    import pandas as pd

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


@dataclass(frozen=True, repr=False)
class AnalogyResult(BenchmarkResult):
    """One benchmark on one embedding: `measures` has the accuracy of 3cosadd and of 3cosmul.

    Questions that share a pair are not independent, so intervals resample pairs. `n_words` is how many words were
    searched.
    """

    sections: tuple[AnalogySection, ...]
    resamples: int
    seed: int

    def finding(
        self, against: BenchmarkResult | None = None, change: Mapping[str, Estimate] | None = None
    ) -> AnalogyBenchmarkRow:
        """Return the row; against another result, with that one's measures and the change from it."""
        return AnalogyBenchmarkRow(
            **self._fields(against, change),
            against_n_words=None if against is None else against.n_words,
            sections=self.sections,
            resamples=self.resamples,
            seed=self.seed,
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return one line per section."""
        import pandas as pd

        return pd.DataFrame([msgspec.structs.asdict(one) for one in self.sections])

    def __repr__(self) -> str:
        accuracies = ", ".join(f"{name} {one.value:.3f}" for name, one in self.measures.items())
        return (
            f"AnalogyResult({self.benchmark!r} on {self.embedding}: {accuracies}, "
            f"{self.found:,} of {self.asked:,} questions)"
        )


def analogy(
    embedding: Embedding,
    benchmark: AnalogyBenchmark,
    *,
    most_words: int = MOST_WORDS,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Progress | None = None,
) -> AnalogyResult:
    """Answer every question of the benchmark whose words are among the most frequent."""
    ((result,), _) = analogies_answered(
        [embedding], benchmark, most_words=most_words, resamples=resamples, seed=seed, progress=progress
    )
    return result


def analogies_answered(
    embeddings: Sequence[Embedding],
    benchmark: AnalogyBenchmark,
    *,
    most_words: int = MOST_WORDS,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[tuple[AnalogyResult, ...], Mapping[str, Estimate]]:
    """Ask embeddings the same questions, those whose words all have; each searches its own vocabulary.

    The second value is the last embedding's accuracies less the first one's.
    """
    check_resamples(resamples)
    check_whole("most_words", most_words)
    vocabularies, places, missing = [], [], []
    for embedding in embeddings:
        embedding.check_finite()
        vocabularies.append(Vocabulary.of(embedding, most_words))
        found = np.array([vocabularies[-1].find(question) for question in benchmark.questions]).reshape(-1, 4)
        places.append(found)
        missing.append(_missing(benchmark, found))
    shared: Flags = np.all([(found >= 0).all(axis=1) for found in places], axis=0)
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
    asked = [benchmark.questions[i] for i in np.flatnonzero(shared)]
    measured, change = _accuracies(asked, right, resamples, seed)
    results = tuple(
        AnalogyResult(
            benchmark=benchmark.name,
            embedding=embedding.name,
            embedding_sha256=embedding.sha256,
            measures=measures,
            sections=_sections(benchmark, shared, answers),
            found=int(shared.sum()),
            asked=len(shared),
            n_words=len(vocabulary.rows),
            missing=words,
            resamples=resamples,
            seed=seed,
        )
        for embedding, vocabulary, words, answers, measures in zip(
            embeddings, vocabularies, missing, right, measured, strict=True
        )
    )
    return results, change


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
    # The first draw counts every pair once: it is the value itself.
    chunks = []
    for counts in chain([np.ones((1, len(number)))], draw_counts(len(number), resamples, seed)):
        occurring = counts[:, first] * counts[:, second]
        asked = occurring.sum(axis=1)
        with np.errstate(invalid="ignore"):
            chunks.append([{method: occurring @ flags / asked for method, flags in one.items()} for one in right])
    draws: list[dict[str, Floats]] = [
        {method: np.concatenate([chunk[side][method] for chunk in chunks]) for method in METHODS}
        for side in range(len(right))
    ]
    pairs = len(number)
    measured = [{method: estimate(float(rows[0]), rows[1:], pairs) for method, rows in one.items()} for one in draws]
    changes = {method: draws[-1][method] - draws[0][method] for method in METHODS}
    return measured, {
        method: estimate(float(rows[0]), rows[1:], pairs, difference=True) for method, rows in changes.items()
    }


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
