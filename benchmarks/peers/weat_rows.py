"""WEAT through every tool: effect sizes and p-values, exchanged targets, words that are missing."""

import math
from typing import Any

from peers.environment import do, finish, start
from peers.page import Row, Section, measured, yes

ITERATIONS = 200  # WEFE's draws for each test: its default for all ten takes more than an hour
DEFAULT = 10_000  # WEFE's own default, for the test with the fewest words
SAMPLED = 100_000
PRINTED = 0.005  # half a unit of the last printed digit of an effect size
UNKNOWN = tuple(f"zzunknown{letter}" for letter in "abcdefgh")

Tests = dict[str, dict[str, Any]]


def association(file: str, arrays: str, tests: Tests) -> Section:
    """Ten tests of Caliskan et al. through all tools."""
    fewest = min(tests, key=lambda name: len(tests[name]["x"]) + len(tests[name]["y"]))
    # The long one runs beside the others; they are timed by CPU.
    default = start("wefe_jobs", "weat", {"file": file, **tests[fewest], "iterations": DEFAULT})
    rows: list[Row] = []
    truths = {}
    for name, test in tests.items():
        given = {"file": file, "arrays": arrays, **test}
        truth = truths[name] = do("oracles", "weat", given)["value"]
        ours = do("imprint_jobs", "weat", given)
        sampled = do("sampling", "weat", given)
        theirs = do("wefe_jobs", "weat", {**given, "iterations": ITERATIONS})
        label = f"{name}: {test['title']}"
        printed = "" if test["printed"] is None else f"; the paper prints d {test['printed']:.2f}"
        rows += [
            Row(label, "truth", f"d {truth['effect']:.4f}, p {_p(truth['p'])} ({truth['how']}){printed}", "-"),
            measured("", "imprint", ours, _gives(ours, ours["value"]["method"]), _right(ours, truth, test), ours),
            measured(
                "",
                "sampling",
                sampled,
                _gives(sampled, f"{SAMPLED:,} draws"),
                _right(sampled, truth, test, SAMPLED),
                ours,
            ),
            measured(
                "",
                "WEFE",
                theirs,
                _gives(theirs, f"{ITERATIONS} draws"),
                _right(theirs, truth, test, ITERATIONS),
                ours,
            ),
            Row(
                "",
                "WEFE's draw, repeated",
                f"p {_p(truth['replaced'])} (1,000,000 draws with replacement)",
                f"p {yes(_fits(truth['replaced'], truth, 1_000_000))}",
            ),
        ]
        if name == fewest:
            ours_for_default = ours
    long = finish(default)
    truth, p = truths[fewest], long["value"]["p"]
    rows.append(
        measured(
            f"{fewest}, WEFE's default",
            "WEFE",
            long,
            _gives(long, f"{DEFAULT:,} draws"),
            _right(long, truth, tests[fewest], DEFAULT),
            ours_for_default,
        )
    )
    fits = _near(p, truth["replaced"], DEFAULT)
    return Section(
        "WEAT 1-10",
        "Google News vectors (word2vec, 13,013 words, from the package wefe): effect size d and one-sided p-value.",
        rows,
        (
            "imprint: `imprint.weat(embedding, targets=(X, Y), attributes=(A, B))`.",
            "WEFE: `WEAT().run_query(query, model, calculate_p_value=True, p_value_iterations=n)`. It has no exact "
            '`p_value_method`: "exact" raises NotImplementedError.',
            f"WEFE on {fewest} with its default {DEFAULT:,} draws gives p = {_p(p)}. A million draws of words with "
            f"replacement give {_p(truth['replaced'])}, all partitions {_p(truth['p'])}: its p-value "
            + ("fits draws with replacement." if fits else "does not fit draws with replacement."),
            "WEFE divides by the standard deviation with n, the paper's table by that with n−1: "
            + _spread_note(tests, truths),
            "sampling: May et al. (2019), 100,000 partitions drawn, the observed one among them, so never below 1e-5.",
            "truth of the largest test: its partitions are too many to count here, so a million were drawn.",
        ),
    )


def exchange(file: str, arrays: str, name: str, test: dict[str, Any]) -> Section:
    """X and Y exchanged: d changes its sign, a two-sided p-value stays."""
    swapped = {**test, "x": test["y"], "y": test["x"]}
    truth = do("oracles", "weat", {"arrays": arrays, **test})["value"]
    rows = [Row(f"{name}, X and Y exchanged", "truth", f"d {truth['effect']:.4f}, then {-truth['effect']:.4f}", "-")]
    two_sided = [Row("two-sided p", "truth", f"p {_p(truth['two_sided'])}, then the same", "-")]
    baseline: dict[str, dict[str, Any]] = {}
    for label, tool, sided, draws in (
        ("imprint", "imprint_jobs", "two-sided", None),
        ("WEFE", "wefe_jobs", "two-sided", ITERATIONS),
    ):
        first, then = (do(tool, "weat", {"file": file, **one}) for one in (test, swapped))
        d, e = first["value"]["effect"], then["value"]["effect"]
        rows.append(
            measured(
                "", label, then, f"d {d:.4f}, then {e:.4f}", yes(abs(d + e) < 1e-6), baseline.setdefault("d", then)
            )
        )
        both = [
            do(tool, "weat", {"file": file, **one, "sided": sided, "iterations": draws}) for one in (test, swapped)
        ]
        p, q = (one["value"]["p"] for one in both)
        right = all(_near(value, truth["two_sided"], draws) for value in (p, q))
        two_sided.append(
            measured("", label, both[1], f"p {_p(p)}, then {_p(q)}", yes(right), baseline.setdefault("p", both[1]))
        )
    return Section(
        "Exchanged targets",
        "Exchanging X and Y must negate d and leave a two-sided p-value as it was.",
        rows + two_sided,
        (f'imprint: `alternative="two-sided"`. WEFE: `p_value_test_type="two-sided"`, {ITERATIONS} draws.',),
    )


def missing(file: str, name: str, test: dict[str, Any]) -> Section:
    """Words without a vector: are they told?"""
    rows = []
    cases = (
        (f"1 unknown word beside {len(test['x'])} in X", [*test["x"], *UNKNOWN[:1]]),
        (f"3 unknown words beside {len(test['x'])} in X", [*test["x"], *UNKNOWN[:3]]),
        ("8 unknown words beside 1 in X", [test["x"][0], *UNKNOWN]),
    )
    for work, words in cases:
        given = {"file": file, **test, "x": words}
        ours = do("imprint_jobs", "weat", given)
        theirs = do("wefe_jobs", "weat", given)
        for label, ran in (("imprint", ours), ("WEFE", theirs)):
            value = ran["value"]
            told = max(value["in_result"], value["in_log"])
            asked = sum(word in UNKNOWN for word in words)
            result = "no value" if value["effect"] is None else f"d {value['effect']:.4f}"
            said = f'; says "{value["said"]}"' if value["said"] else ""
            verdict = "yes" if told == asked else f"in part: {told} of {asked}" if value["said"] else yes(False)
            gives = f"{result}; names {told} of the {asked} words{said}"
            rows.append(measured(work if label == "imprint" else "", label, ran, gives, verdict, ours))
    return Section(
        "Missing words",
        f"{name} with words that no vocabulary has. Right means that every missing word is named by "
        "default; in part, that the user learns of missing words without all their names.",
        rows,
        ("WEFE names them in its log with `warn_not_found_words=True`; its default is False.",),
    )


def _gives(ran: dict[str, Any], how: str) -> str:
    return f"d {ran['value']['effect']:.4f}, p {_p(ran['value']['p'])} ({how})"


def _right(ran: dict[str, Any], truth: dict[str, Any], test: dict[str, Any], draws: int | None = None) -> str:
    d, p = ran["value"]["effect"], ran["value"]["p"]
    effect = abs(d - truth["effect"]) < 1e-5
    paper = "" if test["printed"] is None else f" (printed: {yes(abs(d - test['printed']) <= PRINTED + 1e-9)})"
    sampled_truth = draws is None and "drawn" in truth["how"]
    fine = _near(truth["p"], p, 1_000_000) if sampled_truth else _fits(p, truth, draws)
    return f"d {yes(effect)}{paper}, p {yes(fine)}"


def _fits(p: float, truth: dict[str, Any], draws: int | None) -> bool:
    """Allow a tool that draws either definition: partitions at least as extreme, or more extreme."""
    return _near(p, truth["p"], draws) or (draws is not None and _near(p, truth["strict"], draws))


def _near(p: float, truth: float, draws: int | None) -> bool:
    if draws is None:
        return math.isclose(p, truth, rel_tol=1e-9)
    return abs(p - truth) <= 4 * math.sqrt(truth * (1 - truth) / draws) + 1 / draws


def _spread_note(tests: Tests, truths: Tests) -> str:
    known = [name for name, test in tests.items() if test["printed"] is not None]
    parts = (
        f"{truths[name]['effect']:.2f} with n−1, {truths[name]['effect_n']:.2f} with n on {name}, printed "
        f"{tests[name]['printed']:.2f}"
        for name in known
    )
    return "; ".join(parts) + "."


def _p(p: float) -> str:
    return f"{p:.3g}"
