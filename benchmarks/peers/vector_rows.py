"""Similarity benchmarks, loading, debiasing and the rotational null through every tool that has them."""

import math
from itertools import chain
from pathlib import Path
from typing import Any

from peers.environment import do
from peers.page import Row, Section, measured, yes

Scores = list[tuple[str, str, float]]

# words, groups, categories, rotations of imprint's, rotations of the literal version
PROBLEMS = ((2_000, 6, 8, 4_000, 2_000), (10_000, 12, 64, 2_000, 300))


def similarity(cases: list[tuple[str, dict[str, Any]]]) -> Section:
    """RG-65 on two embeddings and from two copies of the file."""
    rows = []
    for work, given in cases:
        scores = read_pairs(Path(given["pairs"]))
        truth = do("oracles", "similarity", {"arrays": given["arrays"], "scores": scores})["value"]
        rows.append(Row(work, "truth", f"{truth['spearman']:.4f} over {truth['found']} of {len(scores)} pairs", "-"))
        ours = do("imprint_jobs", "similarity", given)
        theirs = do("wefe_jobs", "similarity", given)
        for label, ran in (("imprint", ours), ("WEFE (gensim)", theirs)):
            value = ran["value"]
            if value["spearman"] is None or not math.isfinite(value["spearman"]):
                rows.append(measured("", label, ran, f"no value: {value.get('told', 'nan')}", yes(False), ours))
                continue
            found, default = value.get("found"), ""
            if found is None:
                read = len(scores) - value["skipped"]
                found = round(read * (1 - value["missing_percent"] / 100))
                default = f"; {value['default']:.4f} by its default"
                default += f"; {value['skipped']} lines skipped" if value["skipped"] else ""
            right = abs(value["spearman"] - truth["spearman"]) < 1e-6 and found == truth["found"]
            rows.append(
                measured("", label, ran, f"{value['spearman']:.4f} over {found} pairs{default}", yes(right), ours)
            )
    return Section(
        "RG-65",
        "Spearman's correlation of cosines with people's scores of 65 pairs.",
        rows,
        (
            "imprint also computes an interval; that is in its CPU time.",
            "WEFE has no similarity benchmark; gensim's `evaluate_word_pairs(file, case_insensitive=False)` stands "
            "for it. By default gensim takes words in any case.",
            "The two copies of the file differ in some pairs. One has two tabs between columns; gensim tells of lines "
            "it skips only in its log, at level INFO.",
        ),
    )


def loading(cases: list[tuple[str, dict[str, Any]]]) -> Section:
    """Load the same vectors from files."""
    rows = []
    for work, given in cases:
        ours = do("imprint_jobs", "load", given)
        theirs = do("wefe_jobs", "load", given)
        same = ours["value"]["sha256"] == theirs["value"]["sha256"]
        for label, ran in (("imprint", ours), ("WEFE (gensim)", theirs)):
            gives = f"{ran['value']['rows']:,} rows, {ran['added'] / 1e6:.0f} MB more than before"
            rows.append(measured(work if label == "imprint" else "", label, ran, gives, yes(same), ours))
    return Section(
        "Loading",
        "The same vectors from four files. Right means that both give the same bytes.",
        rows,
        (
            "WEFE: `WordEmbeddingModel(KeyedVectors.load(path))` or `KeyedVectors.load_word2vec_format(path)`.",
            "A .kv file is a pickle: gensim runs what it holds, imprint reads arrays out of it and refuses the rest.",
            "imprint loads numba at the first text or binary file of a process: that is in its CPU time and "
            "memory here.",
        ),
    )


def debiasing(folder: Path, given: dict[str, Any]) -> Section:
    """Hard debiasing of the Google News vectors, and RG-65 afterwards."""
    scores = read_pairs(Path(given["pairs"]))
    rows = []
    ours: dict[str, Any] = {}
    for label, tool in (("imprint", "imprint_jobs"), ("WEFE", "wefe_jobs")):
        out = str(folder / f"{tool}.npz")
        ran = do(tool, "debias", {**given, "out": out})
        ours = ours or ran
        seen = do("oracles", "debiased", {**given, "out": out, "scores": scores})["value"]
        before, after, claimed = seen["before"]["spearman"], seen["after"]["spearman"], ran["value"]["spearman"]
        gives = (
            f"largest cosine with the axis {seen['was']:.3f} → {seen['left']:.1e} over {seen['neutral']:,} neutral "
            f"words; "
            f"{seen['equal']} of {seen['pairs']} pairs equidistant; RG-65 {before:.4f} → {claimed:.4f}"
        )
        fine = seen["left"] < 1e-4 and seen["equal"] == seen["pairs"] and abs(after - claimed) < 1e-6
        rows.append(
            measured("hard debiasing, then RG-65" if label == "imprint" else "", label, ran, gives, yes(fine), ours)
        )
    return Section(
        "Debiasing and what it costs",
        "Bolukbasi et al. (2016), hard debiasing with their lists. Right means: no neutral word is left with a cosine "
        "over 1e-4 with the axis, every pair to be equalised is within 1e-4 of equidistant from every neutral word, "
        "and RG-65 is what the vectors give. Debiasing and benchmark are timed together.",
        rows,
        (
            "imprint: `HardDebiaser().fit(embedding, axis=, specific=, pairs=)`, `.transform(embedding)`.",
            "WEFE: `HardDebias().fit(model, definitional_pairs=, equalize_pairs=)`, `.transform(model, ignore=)`. It "
            "looks pairs up in lower, title and upper case, and not as they are given.",
        ),
    )


def rotations(folder: Path) -> Section:
    """Run the null of bias enumeration beside its literal version, on the bundled embedding."""
    rows = []
    for words, groups, categories, ours_count, literal_count in PROBLEMS:
        problem = str(folder / "problem.npz")
        given = {"problem": problem, "words": words, "groups": groups, "categories": categories}
        ours = do("imprint_jobs", "enumeration", {**given, "rotations": ours_count})
        literal = do("literal_ube", "enumeration", {**given, "rotations": literal_count})
        apart = _largest_z(ours["value"], literal["value"], ours_count, literal_count)
        same = max(
            abs(a - b) for a, b in zip(_flat(ours["value"]["scores"]), _flat(literal["value"]["scores"]), strict=True)
        )
        cells = sum(_flat(ours["value"]["finite"]))
        fine = same < 1e-5 and apart < 5
        # Counts of rotations differ, so the ratio is of CPU time a rotation.
        each = ours["cpu"] / ours_count
        for label, ran, count in (("imprint", ours, ours_count), ("literal", literal, literal_count)):
            low = sum(p <= 0.05 for p in _flat(ran["value"]["p"]))
            gives = (
                f"{count:,} rotations, {count / ran['cpu']:,.0f} a CPU second; {low} of {cells} cells with p ≤ 0.05"
            )
            work = f"{words:,} words, {groups} groups, {categories} categories" if label == "imprint" else ""
            right = f"{yes(fine)}: scores within {same:.0e}, p within {apart:.1f} standard errors"
            rows.append(Row(work, label, gives, right, ran["cpu"], ran["peak"], ran["cpu"] / count / each))
    return Section(
        "The null of bias enumeration",
        "Swinger et al. (2019), section 3.4, on the bundled embedding, one thread. Right means: the same scores, and "
        "p-values of all cells within five standard errors of each other. The ratio is of CPU time a rotation.",
        rows,
        (
            "literal: a Haar-random d x d matrix turns every name, then groups' means, nearest words and scores are "
            "computed again, as printed; our own code, since we know of no public one.",
            'Both score from the mean of all words (`centre="all"`), as section 3.4 prints it.',
            "WEFE and sampling: no such method.",
        ),
    )


def read_pairs(path: Path) -> Scores:
    """Read two words and a score a line, whatever stands between them."""
    rows = (line.split() for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    return [(first, second, float(score)) for first, second, score in rows]


def _largest_z(ours: dict[str, Any], literal: dict[str, Any], n: int, m: int) -> float:
    largest = 0.0
    for p, q, real in zip(_flat(ours["p"]), _flat(literal["p"]), _flat(ours["finite"]), strict=True):
        pooled = (p * n + q * m) / (n + m)
        if real and pooled < 1:
            largest = max(largest, (abs(p - q) - 1 / m) / math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m)))
    return largest


def _flat(table: list[list[Any]]) -> list[Any]:
    return list(chain(*table))
