"""Similarity benchmarks and loading through every tool."""

import math
from pathlib import Path
from typing import Any

from peers.environment import do, timed
from peers.page import Row, Section, measured, yes
from peers.rules import SAME_CORRELATION

Scores = list[tuple[str, str, float]]


def similarity(cases: list[tuple[str, dict[str, Any]]], facts: dict[str, Any]) -> Section:
    """RG-65 on embeddings and from copies of the file."""
    rows = []
    asked = set()
    for work, given in cases:
        scores = read_pairs(Path(given["pairs"]))
        asked.add(len(scores))
        truth = do("oracles", "similarity", {"arrays": given["arrays"], "scores": scores})["value"]
        rows.append(Row(work, "truth", f"{truth['spearman']:.4f} over {truth['found']} of {len(scores)} pairs", "-"))
        ours = timed("imprint_jobs", "similarity", given)
        theirs = timed("wefe_jobs", "similarity", given)
        for label, ran in (("imprint", ours), ("WEFE (gensim)", theirs)):
            value = ran["value"]
            default = f"; its default gives {told(value['default'])}" if "default" in value else ""
            right = agrees(value, truth)
            rows.append(measured("", label, ran, told(value) + default, yes(right), ours))
    return Section(
        "RG-65",
        f"Spearman's correlation of cosines with people's scores of {' or '.join(map(str, sorted(asked)))} pairs.",
        rows,
        (
            "imprint also computes an interval; that is in its CPU time.",
            "WEFE has no similarity benchmark; gensim's `evaluate_word_pairs(file, delimiter=None, "
            "case_insensitive=False)` is judged instead.",
            f"gensim's defaults are `delimiter={facts['delimiter']!r}` and `case_insensitive={facts['any_case']}`. "
            "Words match in any case. Lines with other separators are left out, as its log says at level INFO.",
            differing(*(Path(cases[place][1]["pairs"]) for place in (0, -1))),
        ),
    )


def told(value: dict[str, Any]) -> str:
    """Write a correlation, its pairs and the lines that were left out."""
    number = "no value" if value["spearman"] is None else f"{value['spearman']:.4f}"
    return f"{number} over {value['found']} pairs" + (
        f", {value['skipped']} lines skipped" if value.get("skipped") else ""
    )


def agrees(value: dict[str, Any], truth: dict[str, Any]) -> bool:
    """Judge a correlation and the number of its pairs."""
    number = value["spearman"]
    close = number is not None and math.isclose(number, truth["spearman"], rel_tol=0, abs_tol=SAME_CORRELATION)
    return close and value["found"] == truth["found"]


def loading(cases: list[tuple[str, dict[str, Any]]]) -> Section:
    """Load the same vectors from files."""
    rows = []
    for work, given in cases:
        ours = timed("imprint_jobs", "load", given)
        theirs = timed("wefe_jobs", "load", given)
        same = ours["value"]["sha256"] == theirs["value"]["sha256"]
        for label, ran in (("imprint", ours), ("WEFE (gensim)", theirs)):
            gives = f"{ran['value']['rows']:,} rows, {ran['added'] / 1e6:.0f} MB more than before"
            rows.append(measured(work if label == "imprint" else "", label, ran, gives, yes(same), ours))
    return Section(
        "Loading",
        "Right means that both give the same words in the same order, and the same bytes of every vector.",
        rows,
        (
            "WEFE: `WordEmbeddingModel(KeyedVectors.load(path))` or `KeyedVectors.load_word2vec_format(path)`.",
            "A .kv file is a pickle: gensim runs what it holds, imprint reads arrays out of it and refuses the rest.",
            "imprint loads numba at the first text or binary file of a process: that is in its CPU time and "
            "memory here.",
        ),
    )


def read_pairs(path: Path) -> Scores:
    """Read two words and a score a line, whatever stands between them."""
    rows = (line.split() for line in _lines(path))
    return [(first, second, float(score)) for first, second, score in rows]


def doubled(path: Path) -> str:
    """Say in how many lines a separator is doubled."""
    lines = _lines(path)
    return f"{sum(chr(9) * 2 in line for line in lines)} of {len(lines)} lines"


def differing(one: Path, other: Path) -> str:
    """Count the pairs of which two copies of a benchmark do not say the same."""
    first, second = ({(frozenset((a, b)), score) for a, b, score in read_pairs(path)} for path in (one, other))
    return f"In the copy, {len(first - second)} of the {len(first)} pairs have another score or another word."


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
