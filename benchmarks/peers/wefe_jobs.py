"""WEFE's part, by the calls its documentation shows; run by the Python of its own environment."""

import json
import logging
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from gensim.models import KeyedVectors
from wefe.debias.hard_debias import HardDebias  # type: ignore[import-not-found]
from wefe.metrics import WEAT  # type: ignore[import-not-found]
from wefe.query import Query  # type: ignore[import-not-found]
from wefe.word_embedding_model import WordEmbeddingModel  # type: ignore[import-not-found]

from peers.measuring import Given, run


def weat(given: Given) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    """Run a query with its p-value; note what the log says, at the level a user sees."""
    model, query = _model(given), Query([given["x"], given["y"]], [given["a"], given["b"]])
    heard: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    iterations = given.get("iterations")

    def work() -> Any:
        return WEAT().run_query(
            query,
            model,
            calculate_p_value=iterations is not None,
            p_value_iterations=iterations or 1,
            p_value_test_type=given.get("sided", "right-sided"),
        )

    def tell(result: Any) -> Any:
        unknown = [word for key in "xyab" for word in given[key] if word not in model]
        return {
            "effect": _number(result["effect_size"]),
            "p": _number(result.get("p_value", math.nan)),
            "in_result": sum(word in json.dumps(result, default=str) for word in unknown),
            "in_log": sum(word in " ".join(heard) for word in unknown),
            "said": " ".join(heard),
        }

    return work, tell


def load(given: Given) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    """Load a file by gensim, as WEFE's user guide does."""
    return lambda: _model(given), lambda model: {"rows": len(model.wv), "sha256": _digest(model.wv.vectors)}


def similarity(given: Given) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    """WEFE has no such benchmark; gensim, which it is built on, has."""
    model = _model(given)
    skipped: list[str] = []
    handler = logging.Handler(logging.INFO)
    handler.emit = lambda record: skipped.append(record.getMessage())  # type: ignore[method-assign]

    def tell(result: Any) -> Any:
        # Lines it cannot split are told to the log alone, at a level that is off by default.
        logger = logging.getLogger("gensim.models.keyedvectors")
        logger.setLevel(logging.INFO)
        logger.addHandler(handler)
        default = _spearman(model, given, any_case=True)
        return {**result, "skipped": sum("invalid line" in line for line in skipped), "default": default["spearman"]}

    return lambda: _spearman(model, given), tell


def debias(given: Given) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    """Hard debiasing as the class's own example does it, and the benchmark on what comes out."""
    model = _model(given)

    def work() -> Any:
        fitted = HardDebias(criterion_name="gender").fit(
            model, definitional_pairs=given["definitional"], equalize_pairs=given["equalize"]
        )
        changed = fitted.transform(model, ignore=given["specific"], copy=True)
        return changed, _spearman(changed, given)

    def tell(result: Any) -> Any:
        changed, scored = result
        np.savez(given["out"], words=np.array(changed.wv.index_to_key), vectors=changed.wv.vectors)
        return scored

    return work, tell


def _model(given: Given) -> Any:
    path, form = given["file"], given.get("form", "kv")
    if form == "kv":
        return WordEmbeddingModel(KeyedVectors.load(path))
    return WordEmbeddingModel(KeyedVectors.load_word2vec_format(path, binary=form == "bin"))


def _spearman(model: Any, given: Given, *, any_case: bool = False) -> Any:
    try:
        _, spearman, missing = model.wv.evaluate_word_pairs(given["pairs"], case_insensitive=any_case)
    except ValueError as error:
        return {"spearman": None, "told": f"{type(error).__name__}: {error}"}
    return {"spearman": _number(spearman.statistic), "missing_percent": float(missing)}


def _digest(vectors: Any) -> str:
    import hashlib

    return hashlib.sha256(np.ascontiguousarray(vectors, dtype=np.float32).tobytes()).hexdigest()


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


if __name__ == "__main__":
    run({"weat": weat, "load": load, "similarity": similarity, "debias": debias})
