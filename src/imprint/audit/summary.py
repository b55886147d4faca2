"""The audit in a few numbers: one finding a part, from which the report makes its sentences."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from imprint.association.wordrows import SPARSE
from imprint.finding import Finding
from imprint.stimuli.seeds import FEWEST_JUDGES

Numbers = Mapping[str, Any]

_NAMED = 3  # words named at each end of an axis
_MEASURES = ("spearman", "3cosadd")  # of a benchmark


def summarise(findings: Sequence[Finding]) -> list[Finding]:
    """Return one row a part that found anything; nothing is measured here, only counted."""
    rows = []
    for part, summary in _SUMMARIES.items():
        own = [one for one in findings if one.details.get("part") == part]
        numbers = summary(own)
        if numbers:
            measured = (own[0].embedding, own[0].embedding_sha256)
            details = {"part": part, **numbers}
            rows.append(Finding.without_effect("summary", part, measured, details, seed=own[0].seed))
    return rows


def _weat(findings: Sequence[Finding]) -> Numbers:
    rows = [one for one in findings if one.kind == "weat"]
    if not rows:
        return {}
    people = _about_people(rows)
    found = [one for one in people if one.details.get("verdict") == "significant"]
    skipped = [one.test for one in findings if one.kind == "skipped"]
    verdicts = Counter(one.details.get("verdict") for one in people)
    asked, shown = (Counter(" and ".join(one.details.get("topics") or ()) for one in some) for some in (people, found))
    return {
        "tests": len(people),
        "significant": len(found),
        "not_significant": verdicts["not significant"],
        "cannot_reach": verdicts["cannot reach"],
        "skipped": len(skipped),
        "skipped_tests": skipped,
        "alpha": rows[0].details.get("alpha"),
        "topics": {topic: {"significant": shown[topic], "tests": asked[topic]} for topic in asked},
        "strongest": _strongest(found),
    }


def _strongest(found: Sequence[Finding]) -> Numbers | None:
    """Return the significant test with the largest effect: p-values of sets of different size are no ranking."""
    if not found:
        return None
    one = max(found, key=lambda row: (row.effect_size or 0.0, row.test))
    keys = ("title", "sets", "p_method", "p_holm")
    told = {key: one.details.get(key) for key in keys}
    return {"test": one.test, "effect_size": one.effect_size, **told, "sparse": _sparse(one)}


def _sparse(one: Finding) -> list[Numbers]:
    """Return the sets with so few of their words left that the test is not what its author wrote."""
    return [
        {"set": name, "kept": kept, "words": words} for name, kept, words in one.words_kept() if kept < SPARSE * words
    ]


def _wefat(findings: Sequence[Finding]) -> Numbers:
    known = [
        {
            "title": one.details.get("title"),
            "r": one.effect_size,
            "p_value": one.p_value,
            "n_words": one.details.get("n_words"),
        }
        for one in findings
        if one.kind == "wefat"
    ]
    return {"correlations": known} if known else {}


def _enumeration(findings: Sequence[Finding]) -> Numbers:
    cells = [one for one in findings if one.kind == "ube"]
    if not cells:
        return {}
    whole = next((one.details for one in findings if one.kind == "ube-overview"), {})
    found = [one for one in cells if one.details.get("significant")]
    settings = cells[0].details.get("settings") or {}
    return {
        "associations": len(found),
        "left_without_frequency": sum(bool(one.details.get("survives_without_frequency")) for one in found),
        "groups": settings.get("groups"),
        "categories": settings.get("categories"),
        "cells": (settings.get("groups") or 0) * (settings.get("categories") or 0),
        "fdr": settings.get("fdr"),
        "rotations": settings.get("rotations"),
        "names_found": whole.get("names_found"),
        "names_asked": whole.get("names_asked"),
    }


def _directions(findings: Sequence[Finding]) -> Numbers:
    placed = next((one for one in findings if one.kind == "projection"), None)
    if placed is None:
        return {}
    order = sorted(placed.details["coordinates"].items(), key=lambda item: (item[1], item[0]))
    crowd = next((one for one in findings if one.kind == "projection comparison"), None)
    return {
        "positive": placed.details.get("positive"),
        "negative": placed.details.get("negative"),
        "n_words": placed.details.get("n_words"),
        "most_positive": [word for word, _ in order[: -_NAMED - 1 : -1]],
        "most_negative": [word for word, _ in order[:_NAMED]],
        "crowd_r": crowd.effect_size if crowd else None,
    }


def _debiasing(findings: Sequence[Finding]) -> Numbers:
    done = next((one for one in findings if one.kind == "debiasing"), None)
    if done is None:
        return {}
    variances = done.details.get("variances") or {}
    leaks = [one for one in findings if one.kind == "leakage" and one.details.get("against_accuracy") is not None]
    # Names: nothing that was debiased for, and what an application meets.
    names = [one for one in leaks if str(one.details.get("words")).startswith("first names")]
    worst = max(names, key=lambda one: one.details["accuracy"], default=None)
    return {
        "method": done.details.get("method"),
        "held_out": variances.get("held_out"),
        "held_out_asked": variances.get("held_out_asked"),
        "judged": (variances.get("held_out") or 0) >= FEWEST_JUDGES,
        "held_out_ratio": _ratio(variances.get("held_out_after"), variances.get("held_out_before")),
        "ratio_low": _ratio(1.0, variances.get("reduction_high")),
        "ratio_high": _ratio(1.0, variances.get("reduction_low")),
        "background_ratio": _ratio(variances.get("background_after"), variances.get("background_before")),
        "recovered": None if worst is None else worst.details["accuracy"],
        "recovered_before": None if worst is None else worst.details["against_accuracy"],
        "recovered_words": None if worst is None else worst.details.get("words"),
        "recovered_by": None if worst is None else worst.details.get("method"),
        "recovered_chance": None if worst is None else worst.details.get("chance"),
    }


def _benchmarks(findings: Sequence[Finding]) -> Numbers:
    changes = [(one, measure) for one in findings for measure in _MEASURES if f"change_{measure}" in one.details]
    if not changes:
        return {}
    shown = [
        {"test": one.test, "change": one.details[f"change_{measure}"]}
        for one, measure in changes
        if one.details[f"change_{measure}_low"] > 0 or one.details[f"change_{measure}_high"] < 0
    ]
    found, asked = (sum(one.details.get(key) or 0 for one, _ in changes) for key in ("found", "asked"))
    skipped = [one.test for one in findings if one.kind == "skipped"]
    return {"benchmarks": len(changes), "found": found, "asked": asked, "changed": shown, "skipped_tests": skipped}


def _seat(findings: Sequence[Finding]) -> Numbers:
    rows = [one for one in findings if one.kind == "seat" and one.details.get("unit") == "word"]
    people = _about_people(rows)
    if not people:
        return {}
    alone = [one for one in people if one.details.get("context") == "word"]
    sentences = [one for one in people if one.details.get("context") != "word"]
    return {"encoder": people[0].embedding, "sentences": _found(sentences), "words": _found(alone)}


def _found(rows: Sequence[Finding]) -> Numbers:
    return {"tests": len(rows), "significant": sum(one.details.get("verdict") == "significant" for one in rows)}


def _about_people(rows: Sequence[Finding]) -> list[Finding]:
    """Leave out the tests of flowers and instruments, which show that the method works."""
    return [one for one in rows if "neutral" not in (one.details.get("topics") or ())]


def _against(findings: Sequence[Finding]) -> Numbers:
    rows = _about_people([one for one in findings if one.kind == "weat"])
    # By their hashes: two versions of a file may have one name.
    known = {one.embedding_sha256: one.embedding for one in rows}
    counts = [
        {"embedding": name, **_found([one for one in rows if one.embedding_sha256 == digest])}
        for digest, name in known.items()
    ]
    return {"embeddings": counts} if counts else {}


def _ratio(one: float | None, other: float | None) -> float | None:
    return one / other if one is not None and other else None


_SUMMARIES: dict[str, Callable[[Sequence[Finding]], Numbers]] = {
    "weat": _weat,
    "wefat": _wefat,
    "enumeration": _enumeration,
    "directions": _directions,
    "debiasing": _debiasing,
    "benchmarks": _benchmarks,
    "seat": _seat,
    "against": _against,
}
