"""Two embeddings side by side: their biases, whether they associate words alike, and what they are good for.

Effects on the words that both have, corrected as one family, as May et al. (2019), footnote 8, correct encoders; the
agreement of single words' scores; and benchmarks. Every difference is the second embedding's less the first one's.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from imprint.association.battery import run_battery
from imprint.association.measured import PER_WORD
from imprint.association.verdicts import Verdict, check_alpha, judge
from imprint.association.weat import WeatResult
from imprint.association.wordrows import FEWEST_WORDS
from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.evaluation.agreement import (
    AXIS,
    Agreement,
    Scores,
    agree,
    missing_words,
    projected_scores,
    wefat_scores,
    without,
)
from imprint.evaluation.analogy import MOST_WORDS
from imprint.evaluation.benchmarks import Benchmark
from imprint.evaluation.evaluate import Evaluation, evaluate
from imprint.evaluation.resampling import RESAMPLES
from imprint.evaluation.similarity import flatten
from imprint.finding import Finding, Findings, Skipped
from imprint.stimuli.catalog import catalogue, choose
from imprint.stimuli.definition import WeatTest, WefatTest, quote
from imprint.types import Report

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_TESTS = "caliskan-[0-9]*"
POOLED = "weat-words"

Family = tuple[WeatResult, float, Verdict]


@dataclass(frozen=True)
class EffectRow:
    """One WEAT on both embeddings, on the words that both have; `left_out` names the others.

    Each result has its p after Holm over all tests on both, and its verdict.
    """

    test: WeatTest
    first: Family
    second: Family
    left_out: tuple[str, ...]

    @property
    def change(self) -> float:
        """The second embedding's effect size less the first one's."""
        return self.second[0].effect_size - self.first[0].effect_size

    def findings(self, alpha: float) -> list[Finding]:
        """Return a row an embedding, each naming the other, and in both the second's effect less the first's."""
        change = {
            "change_effect_size": self.change,
            "change_from": self.first[0].embedding,
            "change_to": self.second[0].embedding,
        }
        rows = []
        for (result, p_holm, verdict), (other, *_) in ((self.first, self.second), (self.second, self.first)):
            more = {"p_holm": p_holm, "alpha": alpha, "verdict": verdict, "left_out": self.left_out, **change}
            finding = result.finding(**more, other=other.embedding, other_sha256=other.embedding_sha256)
            rows.append(replace(finding, missing=self.left_out))  # by either: both are asked about the same words
        return rows


@dataclass(frozen=True, repr=False)
class EmbeddingComparison(Findings):
    """Effects, agreement of words' scores, and benchmarks; differences are the second embedding's less the first's."""

    first: str
    second: str
    first_sha256: str
    second_sha256: str
    effects: tuple[EffectRow, ...]
    agreements: tuple[Agreement, ...]
    benchmarks: Evaluation
    skipped: tuple[Skipped, ...]
    alpha: float
    seed: int

    def findings(self) -> list[Finding]:
        """Return two rows a WEAT, one an agreement, one a benchmark and one what could not be run on both."""
        measured = (self.first, self.first_sha256)
        return self._results() + [one.finding(measured, self.seed) for one in self.skipped]

    def _results(self) -> list[Finding]:
        rows = [finding for row in self.effects for finding in row.findings(self.alpha)]
        rows += [self._agreement(one) for one in self.agreements]
        return rows + [row.finding() for row in self.benchmarks.rows]

    def to_frame(self) -> "pd.DataFrame":
        """Return one row a thing measured, without single words and sections."""
        import pandas as pd

        parts = {*PER_WORD, "points", "sections"}
        rows = [finding.to_dict() for finding in self._results()]
        return pd.DataFrame([{key: value for key, value in row.items() if key not in parts} for row in rows])

    def _agreement(self, one: Agreement) -> Finding:
        details: dict[str, Any] = {
            "title": one.title,
            "other": self.second,
            "other_sha256": self.second_sha256,
            **flatten(one.measures),
            "n_words": one.words,
            "n_scores": len(one.points),
            "points": one.points,
            "published": one.published,
        }
        value = one.measures["pearson"].value
        return Finding(
            "agreement",
            one.id,
            self.first,
            self.first_sha256,
            value,
            None,
            None,
            seed=self.seed,
            missing=one.missing,
            details=details,
        )

    def __repr__(self) -> str:
        return (
            f"EmbeddingComparison({self.first} and {self.second}: {len(self.effects)} tests, "
            f"{len(self.agreements)} agreements, {len(self.benchmarks.rows)} benchmarks)"
        )


def compare(
    first: Embedding,
    second: Embedding,
    *,
    tests: Sequence[WeatTest] | None = None,
    benchmarks: Sequence[Benchmark] | None = None,
    alpha: float = 0.05,
    most_words: int = MOST_WORDS,
    resamples: int = RESAMPLES,
    seed: int = 0,
    report: Report | None = None,
) -> EmbeddingComparison:
    """Compare two embeddings; what cannot be run on both is skipped with the reason."""
    check_alpha(alpha)
    every = catalogue()
    chosen = tests or [test for test in choose(every, (DEFAULT_TESTS,)) if isinstance(test, WeatTest)]
    skipped: list[Skipped] = []
    effects = _effects((first, second), chosen, alpha, seed, skipped, report)
    sources: list[tuple[str, str, Callable[[], tuple[Scores, Scores, tuple[str, ...]]]]] = [
        (test.id, test.title, partial(wefat_scores, test, first, second))
        for test in every
        if isinstance(test, WefatTest)
    ]
    pooled, owners = _pooled(effects)
    sources.append((POOLED, "Target words of the WEATs above, pooled", lambda: pooled))
    sources.append(("professions", f"Professions along {' - '.join(AXIS)}", partial(projected_scores, first, second)))
    agreements = []
    for id_, title, scores in sources:
        try:
            words = owners if id_ == POOLED else None
            agreements.append(agree(id_, title, *scores(), words=words, resamples=resamples, seed=seed))
        except VocabularyError as error:
            skipped.append(Skipped("against", id_, title, str(error)))
    try:
        evaluation = evaluate(
            second, benchmarks, against=first, most_words=most_words, resamples=resamples, seed=seed, report=report
        )
    except VocabularyError as error:
        if not effects and not agreements:
            raise
        evaluation = Evaluation((), (Skipped("benchmarks", "benchmarks", "Benchmarks", str(error)),))
    return EmbeddingComparison(
        first=first.name,
        second=second.name,
        first_sha256=first.sha256,
        second_sha256=second.sha256,
        effects=effects,
        agreements=tuple(agreements),
        benchmarks=evaluation,
        skipped=(*skipped, *evaluation.skipped),
        alpha=alpha,
        seed=seed,
    )


def _effects(
    embeddings: tuple[Embedding, Embedding],
    tests: Sequence[WeatTest],
    alpha: float,
    seed: int,
    skipped: list[Skipped],
    report: Report | None,
) -> tuple[EffectRow, ...]:
    left_out = {test.id: missing_words((test.x, test.y, test.a, test.b), embeddings) for test in tests}
    shared: list[WeatTest] = []
    for test in tests:
        x, y, a, b = (without(group, left_out[test.id]) for group in (test.x, test.y, test.a, test.b))
        if min(map(len, (x, y, a, b))) < FEWEST_WORDS:
            lost = quote(left_out[test.id])
            reason = f"a set keeps fewer than {FEWEST_WORDS} words that both have ({lost} missing)"
            skipped.append(Skipped("weat", test.id, test.title, reason))
        else:
            shared.append(replace(test, x=x, y=y, a=a, b=b))
    if not shared:
        return ()
    found: list[dict[str, WeatResult]] = []
    for embedding in embeddings:
        progress = None if report is None else partial(report, f"testing {embedding.name}")
        battery = run_battery(embedding, shared, alpha=alpha, seed=seed, progress=progress)
        found.append({row.result.test.id: row.result for row in battery.weats})
        skipped += battery.skipped
    both = [test for test in shared if all(test.id in results for results in found)]
    family = [results[test.id] for test in both for results in found]
    judged = judge([result.significance for result in family], alpha) if family else []
    rows = [(result, one.p_holm, one.verdict) for result, one in zip(family, judged, strict=True)]
    return tuple(EffectRow(test, rows[2 * at], rows[2 * at + 1], left_out[test.id]) for at, test in enumerate(both))


def _pooled(effects: Sequence[EffectRow]) -> tuple[tuple[Scores, Scores, tuple[str, ...]], dict[str, str]]:
    """Return all scores of both by test and word, the words left out, and the word of each score."""
    sides: tuple[dict[str, float], dict[str, float]] = ({}, {})
    owners: dict[str, str] = {}
    for row in effects:
        for scores, (result, *_) in zip(sides, (row.first, row.second), strict=True):
            for word, score in result.scores.items():
                scores[f"{row.test.id}: {word}"] = score
                owners[f"{row.test.id}: {word}"] = word
    return (*sides, tuple(dict.fromkeys(word for row in effects for word in row.left_out))), owners
