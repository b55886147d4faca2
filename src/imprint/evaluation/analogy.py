"""a is to b as c is to what? How often an embedding knows.

Benchmarks of Mikolov et al. (2013), answered by 3CosAdd and by 3CosMul (Levy and Goldberg, 2014). The words searched
are the most frequent of the vocabulary; a question that has a word outside them is not counted. Case is ignored, in
questions and answers alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from imprint.association.measured import Measured
from imprint.association.wordrows import require_embedding
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, VocabularyError
from imprint.evaluation.answers import METHODS, AnswerMethod, Vocabulary, best_answers
from imprint.evaluation.benchmarks import AnalogyBenchmark
from imprint.evaluation.resampling import RESAMPLES, Estimate, check_resamples, draw_counts, estimate
from imprint.evaluation.similarity import flatten
from imprint.finding import Finding
from imprint.stimuli.definition import quote
from imprint.types import Flags, Floats, Ints, Progress

if TYPE_CHECKING:
    import pandas as pd

MOST_WORDS = 300_000  # gensim's own limit


@dataclass(frozen=True)
class AnalogySection:
    """Questions of one kind: how many there are, how many have all their words, and how many of those are right."""

    name: str
    asked: int
    found: int
    right: Mapping[str, int] = field(hash=False)


@dataclass(frozen=True, repr=False)
class AnalogyResult(Measured):
    """One benchmark on one embedding: `measures` has the accuracy of 3cosadd and of 3cosmul.

    Questions that share a pair stand or fall together, so intervals resample pairs. `words` is how many words were
    searched.
    """

    benchmark: str
    embedding: str
    embedding_sha256: str
    measures: Mapping[str, Estimate] = field(hash=False)
    sections: tuple[AnalogySection, ...]
    found: int
    asked: int
    words: int
    missing: tuple[str, ...]
    resamples: int
    seed: int

    def finding(self, **more: Any) -> Finding:
        """Return the row; its effect size is the accuracy of 3CosAdd."""
        return Finding(
            kind="analogy_benchmark",
            test=self.benchmark,
            embedding=self.embedding,
            embedding_sha256=self.embedding_sha256,
            effect_size=self.measures["3cosadd"].value,
            statistic=None,
            p_value=None,
            seed=self.seed,
            missing=self.missing,
            details={
                **flatten(self.measures),
                "found": self.found,
                "asked": self.asked,
                "words": self.words,
                "sections": [
                    {"name": one.name, "asked": one.asked, "found": one.found, "right": one.right}
                    for one in self.sections
                ],
                "resamples": self.resamples,
                **more,
            },
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return one row a section."""
        import pandas as pd

        return pd.DataFrame(
            [{"section": one.name, "asked": one.asked, "found": one.found, **one.right} for one in self.sections]
        )

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
    if most_words < 1:
        raise SettingError(f"most_words is {most_words}; at least 1 is wanted")
    vocabularies, places, missing = [], [], []
    for embedding in embeddings:
        require_embedding(embedding)
        embedding.check_finite()
        vocabularies.append(Vocabulary.of(embedding, most_words))
        found = np.array([vocabularies[-1].find(question) for question in benchmark.questions]).reshape(-1, 4)
        places.append(found)
        missing.append(_missing(benchmark, found))
    shared: Flags = np.all([(found >= 0).all(axis=1) for found in places], axis=0)
    if not shared.any():
        raise VocabularyError(
            f"{benchmark.name}: none of {len(shared):,} questions has all its words in "
            f"{' and '.join(embedding.name for embedding in embeddings)} ({quote(missing[0])} missing); "
            "use a larger embedding, or more of its words"
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
            words=len(vocabulary.rows),
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
            right={method: int(flags[kept == name].sum()) for method, flags in right.items()},
        )
        for name in dict.fromkeys(benchmark.sections)
    )
