"""imprint's part, by its public names; an enumeration's problem is written for the literal version too."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import imprint
from imprint.enumeration.null import rotation_p_values
from imprint.enumeration.problem import Problem, build_problem
from imprint.enumeration.settings import Settings
from imprint.enumeration.solution import problem_seeds
from imprint.errors import ImprintError
from imprint.evaluation.benchmarks import PairBenchmark, bundled_benchmarks, read_benchmarks
from imprint.evaluation.similarity import similarity as similarity_of
from imprint.metrics import METRICS
from imprint.metrics.run import DRAWS
from imprint.significance.rotations import observed_scores
from peers.measuring import Given, Steps, digest, run


def weat(given: Given) -> Steps:
    """Run four lists of words; a refusal is a result."""
    embedding = imprint.load(given["file"])

    def work() -> Any:
        try:
            return imprint.weat(
                embedding,
                targets=(given["x"], given["y"]),
                attributes=(given["a"], given["b"]),
                alternative=given.get("sided", "greater"),
            )
        except ImprintError as error:
            return error

    def tell(result: Any) -> Any:
        unknown = [word for key in "xyab" for word in given[key] if word not in embedding]
        if isinstance(result, ImprintError):
            return {
                "effect": None,
                "p": None,
                "in_result": 0,
                "in_log": _named(unknown, str(result)),
                "said": str(result),
            }
        return {
            "effect": result.effect_size,
            "p": result.p_value,
            "p_strict": result.p_strict,
            "method": result.p_method,
            "low": result.p_low,
            "high": result.p_high,
            "extreme": result.extreme,
            "in_result": _named(unknown, " ".join(result.missing)),
            "in_log": 0,
            "said": "",
        }

    return work, tell


def metric(given: Given) -> Steps:
    """Run a metric of another work with its p-values and intervals."""
    embedding = imprint.load(given["file"])
    sets = [imprint.WordSet.of(key, given[key]) for key in "xyab"]
    test = imprint.WeatTest("compared", "Compared", "none", "en", *sets)

    def tell(result: Any) -> Any:
        rows = result.findings()
        own = METRICS.get(given["own"])
        replacements = 1 if own.replaced == "targets" else 3  # of targets, of attributes, and of both
        return {
            "values": [row.value for row in rows],
            "labelled": rows[0].permuted is not None,
            "p": [row.p_value for row in rows],
            "frequency": [row.p_frequency for row in rows],
            "intervals": [[row.words_low, row.words_high] for row in rows],
            "draws": replacements * DRAWS[own.stacked],
        }

    return lambda: imprint.metric(given["own"], embedding, test, **given["settings"]), tell


def load(given: Given) -> Steps:
    """Load a file of any format."""
    return lambda: imprint.load(given["file"]), lambda found: {
        "rows": len(found.words),
        "sha256": digest(found.words, np.ascontiguousarray(found.vectors, dtype=np.float32).tobytes()),
    }


def similarity(given: Given) -> Steps:
    """Correlate with people's scores."""
    embedding, (benchmark,) = imprint.load(given["file"]), read_benchmarks(given["folder"])
    assert isinstance(benchmark, PairBenchmark)
    return lambda: similarity_of(embedding, benchmark), _score


def debias(given: Given) -> Steps:
    """Hard debiasing along the same pairs, and the benchmark on what comes out."""
    embedding, (benchmark,) = imprint.load(given["file"]), [one for one in bundled_benchmarks() if one.name == "rg-65"]
    assert isinstance(benchmark, PairBenchmark)

    def work() -> Any:
        axis = imprint.pair_axis(embedding, given["definitional"], method="pca")
        fitted = imprint.HardDebiaser().fit(embedding, axis=axis, specific=given["specific"], pairs=given["equalize"])
        changed = fitted.transform(embedding)
        return changed, similarity_of(changed, benchmark)

    def tell(result: Any) -> Any:
        changed, scored = result
        np.savez(given["out"], words=np.array(changed.words), vectors=changed.vectors)
        return _score(scored)

    return work, tell


def debiaser(given: Given) -> Steps:
    """Fit a debiaser and apply it."""
    embedding, method = imprint.load(given["file"]), given["method"]
    groups = [list(group) for group in zip(*given["sets"], strict=True)]
    pairs = [tuple(pair) for pair in given["definitional"]]
    settings = {"tried": given["tried"]} if method == "double-hard" else {}
    options: Any = {"groups": groups}
    if method in ("half-sibling", "double-hard"):
        options = {"specific": given["specific"]}
    elif method == "projection":
        options = {"pairs": pairs}

    def work() -> Any:
        return imprint.debiaser(method, **settings).fit(embedding, **options).apply(embedding)

    def tell(changed: Any) -> Any:
        np.savez(given["out"], words=np.array(changed.words), vectors=changed.vectors)
        return {}

    return work, tell


def enumeration(given: Given) -> Steps:
    """Pose a problem with the printed centring, write it for the literal version, and rotate on one thread."""
    settings = Settings(
        groups=given["groups"], categories=given["categories"], words=given["words"], centre="all", seed=0
    )
    problem: Problem = build_problem(imprint.load("default"), "first", settings, problem_seeds(settings))
    cells = problem.cells
    np.savez(
        given["problem"],
        names=problem.name_vectors,
        labels=problem.labels,
        words=cells.words,
        offsets=cells.offsets,
        top=cells.top,
    )
    scores, _ = observed_scores(cells)

    def work() -> Any:
        with ThreadPoolExecutor(1) as pool:
            return rotation_p_values(cells, scores, given["rotations"], seed=np.random.SeedSequence(1), executor=pool)

    return work, lambda p: {
        "p": p.tolist(),
        "scores": np.where(np.isfinite(scores), scores, 0.0).tolist(),
        "finite": np.isfinite(scores).tolist(),
    }


def _named(words: list[str], text: str) -> int:
    return sum(word in text for word in words)


def _score(result: Any) -> dict[str, Any]:
    return {"spearman": result.spearman, "found": result.found, "missing": len(result.missing)}


if __name__ == "__main__":
    run(
        {
            "weat": weat,
            "metric": metric,
            "load": load,
            "similarity": similarity,
            "debias": debias,
            "debiaser": debiaser,
            "enumeration": enumeration,
        }
    )
