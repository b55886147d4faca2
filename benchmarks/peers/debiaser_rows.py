"""Debiasers through every tool that has them: what is left, whether it follows the papers, and what it costs."""

from pathlib import Path
from typing import Any

from peers.environment import do, timed
from peers.page import Row, Section, measured, yes
from peers.rules import SAME_VECTOR

FAITHS = (
    ("judaism", "christianity", "islam"),
    ("jew", "christian", "muslim"),
    ("synagogue", "church", "mosque"),
    ("torah", "bible", "quran"),
    ("rabbi", "priest", "imam"),
)  # Manzini et al. (2019)
COMPONENTS = 4  # that WEFE tries by default
METHODS = ("multiclass-hard", "half-sibling", "double-hard")
ALONE = ("projection", "leace", "inlp")


def debiasers(folder: Path, given: dict[str, Any]) -> Section:
    """Debias the Google News vectors by each method of both tools, and by those that imprint alone has."""
    asked = {**given, "sets": [list(words) for words in FAITHS], "tried": COMPONENTS}
    rows: list[Row] = []
    for method in METHODS:
        ours: dict[str, Any] = {}
        for label, tool in (("imprint", "imprint_jobs"), ("WEFE", "wefe_jobs")):
            out = str(folder / f"{tool}-{method}.npz")
            ran = timed(tool, "debiaser", {**asked, "method": method, "out": out})
            ours = ours or ran
            seen = do("debiaser_oracles", "debiaser", {**asked, "method": method, "tool": tool, "out": out})["value"]
            gives = f"{seen['changed']:,} words changed, within {seen['apart']:.0e} of the formula; {seen['bias']}"
            work = method if label == "imprint" else ""
            rows.append(measured(work, label, ran, gives, yes(seen["apart"] < SAME_VECTOR), ours))
    for method in ALONE:
        out = str(folder / f"imprint-{method}.npz")
        ran = timed("imprint_jobs", "debiaser", {**asked, "method": method, "out": out})
        seen = do("debiaser_oracles", "debiaser", {**asked, "method": method, "tool": "imprint_jobs", "out": out})[
            "value"
        ]
        gives = f"{seen['changed']:,} words changed; {seen['bias']}"
        rows.append(measured(method, "imprint", ran, gives, yes(seen["gone"]), ran))
    return Section(
        "Debiasers",
        "Google News vectors, each method fitted and applied. Right means: every changed word is within "
        f"{SAME_VECTOR:g} of the paper's formula in double precision. Of methods that imprint alone has: what the "
        "method promises to remove is gone. Rows are compared at unit length where a tool normalises them.",
        rows,
        (
            "multiclass-hard (Manzini et al. 2019): five sets of three faiths, two components, the same sets "
            "equalised. WEFE's default is ten components; it is given two. imprint: "
            '`debiaser("multiclass-hard").fit(embedding, groups=)`.',
            "half-sibling (Yang and Feng 2020): the list of gendered words, alpha 60. imprint applies it as one "
            "matrix of the embedding's dimension, since the method is linear.",
            f"double-hard (Wang et al. 2020): {COMPONENTS} components tried, 1,000 words of each side. imprint "
            "changes every word, as the paper does, and takes the axis from pairs at unit length after the component "
            "is dropped. WEFE changes only the 2,000 words that it clusters, and takes the axis from pairs as stored, "
            "before. Each is judged by its own axis, WEFE also by its own component: its default, IncrementalPCA, is "
            "not exact. Its clusters have no seed, so the component that it drops changes from run to run.",
            "projection (Dev and Phillips 2019), LEACE and INLP: WEFE has none of them. LEACE and INLP are fitted on "
            "the three lists of faiths' words, projection on the definitional pairs. WEFE also has RAN (Kumar et al. "
            "2020), which imprint has not.",
        ),
    )
