"""WEFE's part, by the calls its documentation shows; run by the Python of its own environment."""

import json
import logging
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import wefe.metrics  # type: ignore[import-not-found]
from gensim.models import KeyedVectors
from wefe.debias.double_hard_debias import DoubleHardDebias  # type: ignore[import-not-found]
from wefe.debias.half_sibling_regression import HalfSiblingRegression  # type: ignore[import-not-found]
from wefe.debias.hard_debias import HardDebias  # type: ignore[import-not-found]
from wefe.debias.multiclass_hard_debias import MulticlassHardDebias  # type: ignore[import-not-found]
from wefe.metrics import WEAT
from wefe.query import Query  # type: ignore[import-not-found]
from wefe.word_embedding_model import WordEmbeddingModel  # type: ignore[import-not-found]

from peers.measuring import Given, Steps, digest, run

# Words as they are written, and any white space between columns; the defaults are another case and one tab.
SPLIT = {"case_insensitive": False, "delimiter": None}


def weat(given: Given) -> Steps:
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
            warn_not_found_words=given.get("warn", False),
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


def metric(given: Given) -> Steps:
    """Run a metric on a query, or on many whose targets are exchanged; one value per attribute set."""
    model, asked = _model(given), getattr(wefe.metrics, given["metric"])()
    sets = [[given["a"], given["b"]]] if given["metric"] == "MAC" else [[given["a"]], [given["b"]]]
    order, pool, size = random.Random(0), given["x"] + given["y"], len(given["x"])

    def work() -> Any:
        values: list[float] = []
        for turn in range(given["queries"]):
            words = order.sample(pool, len(pool)) if turn else pool
            queries = (Query([words[:size], words[size:]], attributes) for attributes in sets)
            values += [asked.run_query(query, model)["result"] for query in queries]
        return values

    return work, lambda values: {"values": [float(value) for value in values[: len(sets)]]}


def load(given: Given) -> Steps:
    """Load a file by gensim, as WEFE's user guide does."""
    return lambda: _model(given), lambda model: {
        "rows": len(model.wv),
        "sha256": digest(model.wv.index_to_key, np.ascontiguousarray(model.wv.vectors, dtype=np.float32).tobytes()),
    }


def similarity(given: Given) -> Steps:
    """WEFE has no such benchmark; gensim, which it is built on, has."""
    model = _model(given)

    def tell(result: Any) -> Any:
        return {**_counted(model, given, **SPLIT), "spearman": result, "default": _counted(model, given)}

    return lambda: _spearman(model, given, **SPLIT), tell


def debias(given: Given) -> Steps:
    """Hard debiasing as the class's own example does it, and the benchmark on what comes out."""
    model = _model(given)

    def work() -> Any:
        fitted = HardDebias(criterion_name="gender").fit(
            model, definitional_pairs=given["definitional"], equalize_pairs=given["equalize"]
        )
        changed = fitted.transform(model, ignore=given["specific"], copy=True)
        return changed, _spearman(changed, given, **SPLIT)

    def tell(result: Any) -> Any:
        changed, scored = result
        np.savez(given["out"], words=np.array(changed.wv.index_to_key), vectors=changed.wv.vectors)
        return {"spearman": scored}

    return work, tell


def debiaser(given: Given) -> Steps:
    """Fit a debiaser and apply it to a copy, as the classes' own examples do; keep Double-Hard's components."""
    model, pairs = _model(given), given["definitional"]

    def work() -> Any:
        if given["method"] == "multiclass-hard":
            several = MulticlassHardDebias(pca_args={"n_components": len(given["sets"][0]) - 1})
            several.fit(model, definitional_sets=given["sets"], equalize_sets=given["sets"])
            return several.transform(model, copy=True), np.empty(0)
        if given["method"] == "half-sibling":
            half = HalfSiblingRegression().fit(model, definitional_words=given["specific"])
            return half.transform(model, copy=True), np.empty(0)
        double = DoubleHardDebias(n_components=given["tried"])
        double.fit(model, definitional_pairs=pairs, bias_representation=["he", "she"])
        return double.transform(model, ignore=given["specific"], copy=True), double.pca[: given["tried"]]

    def tell(result: Any) -> Any:
        changed, ways = result
        np.savez(given["out"], words=np.array(changed.wv.index_to_key), vectors=changed.wv.vectors, ways=ways)
        return {}

    return work, tell


def _model(given: Given) -> Any:
    path, form = given["file"], given.get("form", "kv")
    if form == "kv":
        return WordEmbeddingModel(KeyedVectors.load(path))
    return WordEmbeddingModel(KeyedVectors.load_word2vec_format(path, binary=form == "bin"))


def _spearman(model: Any, given: Given, **options: Any) -> float | None:
    try:
        _, spearman, _ = model.wv.evaluate_word_pairs(given["pairs"], **options)
    except ValueError:  # no pair was scored
        return None
    return _number(spearman.statistic)


def _counted(model: Any, given: Given, **options: Any) -> dict[str, Any]:
    """Count the pairs as well: what is left out is told to the log alone, at a level that is off by default."""
    heard: list[str] = []
    handler = logging.Handler(logging.INFO)
    handler.emit = lambda record: heard.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("gensim.models.keyedvectors")
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    value = _spearman(model, given, **options)
    logger.removeHandler(handler)
    skipped, unknown = (sum(sign in line for line in heard) for sign in ("invalid line", "OOV words"))
    lines = len(Path(given["pairs"]).read_text(encoding="utf-8").splitlines())
    return {"spearman": value, "found": lines - skipped - unknown, "skipped": skipped}


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


if __name__ == "__main__":
    run(
        {
            "weat": weat,
            "metric": metric,
            "load": load,
            "similarity": similarity,
            "debias": debias,
            "debiaser": debiaser,
        }
    )
