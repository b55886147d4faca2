"""Hard debiasing and the rotational null through every tool that has them."""

import math
from itertools import chain
from pathlib import Path
from typing import Any

from peers.environment import do, timed
from peers.page import Row, Section, measured, yes
from peers.rules import CELL_ERRORS, LEVEL, NEAR, SAME_CORRELATION, SAME_EFFECT
from peers.vector_rows import read_pairs

# words, groups, categories, rotations of imprint's, rotations of the literal version
PROBLEMS = ((2_000, 6, 8, 20_000, 2_000), (10_000, 12, 64, 10_000, 300))


def debiasing(folder: Path, given: dict[str, Any]) -> Section:
    """Hard debiasing of the Google News vectors, and RG-65 afterwards."""
    scores = read_pairs(Path(given["pairs"]))
    rows = []
    ours: dict[str, Any] = {}
    others: dict[str, dict[str, str]] = {}
    for label, tool in (("imprint", "imprint_jobs"), ("WEFE", "wefe_jobs")):
        out = str(folder / f"{tool}.npz")
        ran = timed(tool, "debias", {**given, "out": out})
        ours = ours or ran
        seen = do("oracles", "debiased", {**given, "out": out, "scores": scores})["value"]
        before, after, claimed = seen["before"]["spearman"], seen["after"]["spearman"], ran["value"]["spearman"]
        for a, b, equal in seen["others"]:
            others.setdefault(f"`{a}` / `{b}`", {})[label] = "equidistant" if equal else "not equidistant"
        gives = (
            f"largest cosine with the axis {seen['was']:.3f} → {seen['left']:.1e} over {seen['neutral']:,} neutral "
            f"words; {seen['equal']} of {seen['pairs']} pairs equidistant; RG-65 {before:.4f} → {claimed:.4f}"
        )
        fine = seen["left"] < NEAR and seen["equal"] == seen["pairs"] and abs(after - claimed) < SAME_CORRELATION
        work = "hard debiasing, then RG-65" if label == "imprint" else ""
        rows.append(measured(work, label, ran, gives, yes(fine), ours))
    return Section(
        "Debiasing and what it costs",
        "Bolukbasi et al. (2016), hard debiasing with their lists. Right means three things. No neutral word is left "
        f"with a cosine over {NEAR:g} with the axis. Every pair to be equalised is within {NEAR:g} of equidistant "
        "from every neutral word. RG-65 is what the vectors give. The pairs are those that the authors' published "
        "code looks up. It tries each given pair in lower, title and upper case, where the vocabulary has both words. "
        "Debiasing and benchmark are timed together.",
        rows,
        (
            "imprint: `HardDebiaser().fit(embedding, axis=, specific=, pairs=)`, `.transform(embedding)`.",
            "WEFE: `HardDebias().fit(model, definitional_pairs=, equalize_pairs=)`, `.transform(model, ignore=)`.",
            *(
                f"Not judged: {pair} is given in none of the three forms. WEFE and the authors' code look up no "
                "others; imprint looks up the given form too. After "
                + ", after ".join(f"{label} it is {told}" for label, told in tools.items())
                + "."
                for pair, tools in others.items()
            ),
        ),
    )


def rotations(folder: Path) -> Section:
    """Run the null of bias enumeration beside its literal version, on the bundled embedding."""
    rows = []
    for words, groups, categories, ours_count, literal_count in PROBLEMS:
        problem = str(folder / "problem.npz")
        given = {"problem": problem, "words": words, "groups": groups, "categories": categories}
        ours = timed("imprint_jobs", "enumeration", {**given, "rotations": ours_count})
        literal = timed("literal_ube", "enumeration", {**given, "rotations": literal_count})
        apart = _largest_z(ours["value"], literal["value"], ours_count, literal_count)
        same = max(
            abs(a - b) for a, b in zip(_flat(ours["value"]["scores"]), _flat(literal["value"]["scores"]), strict=True)
        )
        cells = sum(_flat(ours["value"]["finite"]))
        fine = same < SAME_EFFECT and apart < CELL_ERRORS
        # Counts of rotations differ, so the ratio is of CPU time a rotation.
        each = ours["cpu"] / ours_count
        for label, ran, count in (("imprint", ours, ours_count), ("literal", literal, literal_count)):
            low = sum(p <= LEVEL for p in _flat(ran["value"]["p"]))
            gives = (
                f"{count:,} rotations, {count / ran['cpu']:,.0f} a CPU second; {low} of {cells} cells with p ≤ {LEVEL}"
            )
            work = f"{words:,} words, {groups} groups, {categories} categories" if label == "imprint" else ""
            right = f"{yes(fine)}: scores within {same:.0e}, p within {apart:.1f} standard errors"
            rows.append(
                Row(work, label, gives, right, ran["cpu"], ran["again"], ran["peak"], ran["cpu"] / count / each)
            )
    return Section(
        "The null of bias enumeration",
        "Swinger et al. (2019), section 3.4, on the bundled embedding, one thread. Right means: the same scores, "
        f"and p-values of all cells within {CELL_ERRORS} standard errors of each other. The ratio is of CPU time per "
        "rotation.",
        rows,
        (
            "literal: a Haar-random d x d matrix turns every name. Then groups' means, nearest words and scores are "
            "computed again, as printed. It is our own code, since we know of no public one.",
            'Both score from the mean of all words (`centre="all"`), as section 3.4 prints it.',
            "WEFE and sampling: no such method.",
        ),
    )


def _largest_z(ours: dict[str, Any], literal: dict[str, Any], n: int, m: int) -> float:
    largest = 0.0
    for p, q, real in zip(_flat(ours["p"]), _flat(literal["p"]), _flat(ours["finite"]), strict=True):
        pooled = (p * n + q * m) / (n + m)
        if real and pooled < 1:
            largest = max(largest, (abs(p - q) - 1 / m) / math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m)))
    return largest


def _flat(table: list[list[Any]]) -> list[Any]:
    return list(chain(*table))
