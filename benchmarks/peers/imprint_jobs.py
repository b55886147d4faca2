"""imprint's part, by its public names; and what the others are given: words, vectors, an enumeration's problem."""

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import imprint
from imprint.enumeration.null import rotate
from imprint.enumeration.problem import Problem, pose
from imprint.enumeration.settings import Settings
from imprint.enumeration.solution import posing_seeds
from imprint.errors import ImprintError
from imprint.evaluation.benchmarks import PairBenchmark, bundled_benchmarks, read_benchmarks
from imprint.evaluation.similarity import similarity as similarity_of
from imprint.significance.rotations import observed_scores
from imprint.stimuli.definition import WeatTest
from imprint.stimuli.seeds import definitional_pairs, equalize_pairs, gender_specific
from peers.measuring import Given, run

Steps = tuple[Callable[[], Any], Callable[[Any], Any]]


def inputs(given: Given) -> Steps:
    """Write the vectors as arrays and in three formats; return the words of every test and the lists of pairs."""

    def work() -> Any:
        embedding = imprint.load(given["file"])
        words, vectors = np.array(embedding.words), np.asarray(embedding.vectors, dtype=np.float32)
        np.savez(given["arrays"], words=words, vectors=vectors)
        _write_text(given["text"], words, vectors)
        with Path(given["binary"]).open("wb") as file:
            file.write(f"{len(words)} {vectors.shape[1]}\n".encode())
            for word, row in zip(words, vectors, strict=True):
                file.write(word.encode() + b" " + row.tobytes() + b"\n")
        bundled = imprint.load("default")
        _write_text(given["bundled"], np.array(bundled.words), np.asarray(bundled.vectors, dtype=np.float32))
        np.savez(given["bundled_arrays"], words=np.array(bundled.words), vectors=np.asarray(bundled.vectors))
        return {
            "tests": {name: _told(name) for name in given["tests"]},
            "definitional": [list(pair) for pair in definitional_pairs()],
            "equalize": [list(pair) for pair in equalize_pairs()],
            "specific": list(gender_specific()),
            "rows": [list(vectors.shape), list(bundled.vectors.shape)],
        }

    return work, lambda result: result


def weat(given: Given) -> Steps:
    """Run four lists of words; a refusal is a result."""
    embedding = imprint.load(given["file"])
    _warm(embedding)

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
            "p_strict": result.significance.p_strict,
            "method": result.significance.p_method,
            "low": result.significance.p_low,
            "high": result.significance.p_high,
            "extreme": str(result.significance.extreme),
            "in_result": _named(unknown, " ".join(result.missing)),
            "in_log": 0,
            "said": "",
        }

    return work, tell


def load(given: Given) -> Steps:
    """Load a file of any format."""
    return lambda: imprint.load(given["file"]), lambda found: {
        "rows": len(found.words),
        "sha256": _digest(found.vectors),
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


def enumeration(given: Given) -> Steps:
    """Pose a problem with the printed centring, write it for the literal version, and rotate on one thread."""
    settings = Settings(
        groups=given["groups"], categories=given["categories"], words=given["words"], centre="all", seed=0
    )
    problem: Problem = pose(imprint.load("default"), "first", settings, posing_seeds(settings))
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

    def rotated(count: int) -> Any:
        with ThreadPoolExecutor(1) as pool:
            return rotate(cells, scores, count, seed=np.random.SeedSequence(1), executor=pool)

    rotated(1)  # compiles the kernel
    return lambda: rotated(given["rotations"]), lambda p: {
        "p": p.tolist(),
        "scores": np.where(np.isfinite(scores), scores, 0.0).tolist(),
        "finite": np.isfinite(scores).tolist(),
    }


def _told(name: str) -> dict[str, Any]:
    test = next(one for one in imprint.catalogue() if one.id == name)
    assert isinstance(test, WeatTest)
    printed = [one.effect for one in test.published if one.embedding == "word2vec GoogleNews"]
    sets = {key: list(getattr(test, key).words) for key in "xyab"}
    return {**sets, "title": f"{test.x.name} / {test.y.name}", "printed": printed[0] if printed else None}


def _write_text(path: str, words: Any, vectors: Any) -> None:
    with Path(path).open("w", encoding="utf-8") as file:
        file.write(f"{len(words)} {vectors.shape[1]}\n")
        for word, row in zip(words, vectors, strict=True):
            file.write(f"{word} " + " ".join(map(repr, row.tolist())) + "\n")


def _warm(embedding: Any) -> None:
    """Fetch the compiled kernels: they are compiled once a machine, at whatever is measured first."""
    for size in (8, 18):
        words = [str(word) for word in embedding.words[: 2 * size + 8]]
        imprint.weat(embedding, targets=(words[:size], words[size : 2 * size]), attributes=(words[-8:-4], words[-4:]))


def _named(words: list[str], text: str) -> int:
    return sum(word in text for word in words)


def _score(result: Any) -> dict[str, Any]:
    return {"spearman": result.measures["spearman"].value, "found": result.found, "missing": len(result.missing)}


def _digest(vectors: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(vectors, dtype=np.float32).tobytes()).hexdigest()


if __name__ == "__main__":
    run(
        {
            "inputs": inputs,
            "weat": weat,
            "load": load,
            "similarity": similarity,
            "debias": debias,
            "enumeration": enumeration,
        }
    )
