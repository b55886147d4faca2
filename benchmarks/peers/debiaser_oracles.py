"""What debiased vectors should be, by the papers' formulas in double precision, with nothing of any tool's."""

import itertools
from typing import Any

import numpy as np

from peers.measuring import Given, Steps, run
from peers.oracles import FORMS, Floats, read_arrays, unit_rows
from peers.rules import NEAR

ALPHA = 60.0  # the penalty of half-sibling regression, WEFE's default and imprint's


def debiaser(given: Given) -> Steps:
    """Say how many words changed, how far they are from the formula, and what is left of the bias."""

    def work() -> Any:
        words, before = read_arrays(given["arrays"])
        changed_words, after = read_arrays(given["out"])
        assert changed_words == words
        row = {word: place for place, word in enumerate(words)}
        x, y = before.astype(np.float64), after.astype(np.float64)
        told: dict[str, Any] = _METHODS[given["method"]](row, x, y, given)
        # Some tools store rows at unit length: a word is changed where its direction is.
        changed = np.abs(unit_rows(y) - unit_rows(x)).max(axis=1) > NEAR
        return {"changed": int(changed.sum()), **told}

    return work, lambda result: result


def _multiclass(row: dict[str, int], x: Floats, y: Floats, given: Given) -> dict[str, Any]:
    units, sets = unit_rows(x), [[row[word] for word in words] for words in given["sets"]]
    spread = sum(
        (units[rows] - units[rows].mean(axis=0)).T @ (units[rows] - units[rows].mean(axis=0)) for rows in sets
    )
    basis = np.linalg.eigh(spread)[1].T[::-1][: len(sets[0]) - 1]
    expected = unit_rows(units - units @ basis.T @ basis)
    neutral = np.setdiff1d(np.arange(len(x)), np.concatenate(sets))
    for rows in sets:
        inside = units[rows] @ basis.T @ basis
        middle = (units[rows] - inside).mean(axis=0)
        ways = unit_rows(inside - inside.mean(axis=0))
        expected[rows] = middle + np.sqrt(1.0 - middle @ middle) * ways
    was, left = (np.linalg.norm(unit_rows(rows)[neutral] @ basis.T, axis=1).max() for rows in (x, y))
    apart = float(np.abs(unit_rows(y) - expected).max())
    return {"apart": apart, "bias": f"largest cosine with the subspace {was:.2f} → {left:.0e}"}


def _half_sibling(row: dict[str, int], x: Floats, y: Floats, given: Given) -> dict[str, Any]:
    defining = sorted({row[word] for word in given["specific"] if word in row})
    others = np.setdiff1d(np.arange(len(x)), defining)
    v = x[defining].T  # a column for each defining word, as the paper writes it
    weights = np.linalg.solve(v.T @ v + ALPHA * np.eye(v.shape[1]), v.T @ x[others].T)
    expected = x[others] - (v @ weights).T
    return {"apart": float(np.abs(y[others] - expected).max()), "bias": _leaning(row, x, y, others)}


def _double_hard(row: dict[str, int], x: Floats, y: Floats, given: Given) -> dict[str, Any]:
    pairs = [(row[a], row[b]) for a, b in given["definitional"] if a in row and b in row]
    forms = {change(word) for pair in given["equalize"] for word in pair for change in (str, *FORMS)}
    named = {*given["specific"], *forms, *itertools.chain(*given["definitional"])}
    neutral = np.array([place for word, place in row.items() if word not in named])
    neutral = neutral[np.abs(y[neutral] - x[neutral]).max(axis=1) > NEAR]
    mean, exact = x.mean(axis=0), np.linalg.eigh(np.cov(x.T))[1].T[::-1][: given["tried"]]
    with np.load(given["out"]) as arrays:
        ways = arrays["ways"].astype(np.float64) if "ways" in arrays else exact
    best = (np.inf, 0)
    for component, u in enumerate(ways):
        dropped = x - mean - np.outer(x @ u, u)
        ends = unit_rows(dropped) if given["tool"] == "imprint_jobs" else x
        g = np.linalg.svd(np.array([ends[a] - ends[b] for a, b in pairs]))[2][0]
        expected = dropped[neutral] - np.outer(dropped[neutral] @ g, g)
        best = min(best, (float(np.abs(y[neutral] - expected).max()), component))
    near = abs(float(ways[best[1]] @ exact[best[1]]))
    told = f"component {best[1] + 1} dropped, cosine {near:.3f} with the exact one; {_leaning(row, x, y, neutral)}"
    return {"apart": best[0], "bias": told}


def _projection(row: dict[str, int], x: Floats, y: Floats, given: Given) -> dict[str, Any]:
    units = unit_rows(x)
    pairs = [(row[a], row[b]) for a, b in given["definitional"] if a in row and b in row]
    axis = np.linalg.svd(np.array([units[a] - units[b] for a, b in pairs]))[2][0]
    was, left = (np.abs(unit_rows(rows) @ axis).max() for rows in (x, y))
    return {"gone": bool(left < NEAR), "bias": f"largest cosine with the axis {was:.2f} → {left:.0e}"}


def _leace(row: dict[str, int], x: Floats, y: Floats, given: Given) -> dict[str, Any]:
    rows = [row[word] for words in given["sets"] for word in words]
    labels = np.tile(np.eye(len(given["sets"][0])), (len(given["sets"]), 1))
    was, left = (
        np.abs((part[rows] - part[rows].mean(axis=0)).T @ (labels - labels.mean(axis=0)) / len(rows)).max()
        for part in (x, y)
    )
    return {"gone": bool(left < NEAR * was), "bias": f"largest covariance with a label {was:.2f} → {left:.0e}"}


def _inlp(row: dict[str, int], x: Floats, y: Floats, given: Given) -> dict[str, Any]:
    _, lengths, ways = np.linalg.svd(x - y - (x - y).mean(axis=0), full_matrices=False)
    basis = ways[lengths > NEAR * lengths[0]]
    was, left = (np.abs((part - part.mean(axis=0)) @ basis.T).max() for part in (x, y))
    removed = f"{len(basis)} directions removed"
    return {"gone": bool(left < NEAR), "bias": f"{removed}; furthest word along them {was:.2f} → {left:.0e}"}


def _leaning(row: dict[str, int], x: Floats, y: Floats, words: Any) -> str:
    axis = unit_rows(unit_rows(x)[[row["he"]]] - unit_rows(x)[[row["she"]]])[0]
    was, left = (np.abs(unit_rows(rows[words]) @ axis).mean() for rows in (x, y))
    return f"mean |cosine with he - she| {was:.3f} → {left:.3f}"


_METHODS = {
    "multiclass-hard": _multiclass,
    "half-sibling": _half_sibling,
    "double-hard": _double_hard,
    "projection": _projection,
    "leace": _leace,
    "inlp": _inlp,
}

if __name__ == "__main__":
    run({"debiaser": debiaser})
