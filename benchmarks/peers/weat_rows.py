"""WEAT 1-10 through every tool: effect sizes and p-values."""

import subprocess
from typing import Any

from peers.environment import do, finish, start, timed
from peers.page import Row, Section, measured, short, yes
from peers.rules import PRINTED, SAME_EFFECT, SAMPLED, TRUTH_DRAWS, fits, near

ITERATIONS = 200  # WEFE's draws for each test: its default for all ten takes more than an hour

Tests = dict[str, dict[str, Any]]


def fewest_words(tests: Tests) -> str:
    """Name the test that WEFE is quickest at."""
    return min(tests, key=lambda name: len(tests[name]["x"]) + len(tests[name]["y"]))


def begin(file: str, test: dict[str, Any], draws: int) -> subprocess.Popen[str]:
    """Start WEFE with many draws; it runs beside all else, which is timed by CPU."""
    return start("wefe_jobs", "weat", {"file": file, **test, "iterations": draws})


def association(
    file: str, arrays: str, tests: Tests, facts: dict[str, Any], running: subprocess.Popen[str], draws: int, size: int
) -> Section:
    """Ten tests of Caliskan et al. through all tools; `running` is WEFE with so many draws on the shortest."""
    rows: list[Row] = []
    truths, all_ours, wefe_seconds = {}, {}, 0.0
    for name, test in tests.items():
        given = {"file": file, "arrays": arrays, **test}
        truth = truths[name] = do("oracles", "weat", given)["value"]
        ours = all_ours[name] = timed("imprint_jobs", "weat", given)
        sampled = timed("sampling", "weat", given)
        theirs = timed("wefe_jobs", "weat", {**given, "iterations": ITERATIONS})
        wefe_seconds += theirs["cpu"]
        printed = "" if test["printed"] is None else f"; the paper prints d {test['printed']:.2f}"
        fine = yes(near(ours["value"]["p"], truth["p"][0], *truth["drawn"]))
        drawn = yes(fits(sampled["value"]["p"], truth["p"], SAMPLED, *truth["drawn"]))
        rows += [
            Row(
                f"{name}: {test['title']}",
                "truth",
                f"d {truth['effect']:.4f}, p {short(truth['p'][0])} ({truth['how']}){printed}",
                "-",
            ),
            _row("imprint", ours, ours["value"]["method"], f"{effect(ours, truth, test)}; p {fine}", ours),
            _row("sampling", sampled, f"{SAMPLED:,} draws", f"{effect(sampled, truth, test)}; p {drawn}", ours),
            _row("WEFE", theirs, f"{ITERATIONS} draws", f"{effect(theirs, truth, test)}; p not judged", ours),
            Row(
                "",
                "our simulation of WEFE's draw",
                f"p {short(truth['replaced'])} ({TRUTH_DRAWS:,} draws with replacement)",
                "-",
            ),
        ]
    fewest = fewest_words(tests)
    long, truth = finish(running), truths[fewest]
    right = f"{effect(long, truth, tests[fewest])}; p {yes(fits(long['value']['p'], truth['p'], draws))}"
    rows.append(_row("WEFE", long, f"{draws:,} draws", right, all_ours[fewest], f"{fewest}, {draws:,} draws"))
    return Section(
        "WEAT 1-10",
        f"Google News vectors (word2vec, {size:,} words, from the package wefe): effect size d and one-sided p-value. "
        "Caliskan, Bryson and Narayanan (Science, 2017) define d as a difference of means over a standard deviation. "
        'They print "std-dev" alone: whether its divisor is n or n−1 is not said. ' + spread_note(tests, truths) + " "
        'd is judged by n−1; "by n, not n−1" marks a d that would be right with n.',
        rows,
        (
            "imprint: `imprint.weat(embedding, targets=(X, Y), attributes=(A, B))`.",
            *certified_note(all_ours),
            "WEFE: `WEAT().run_query(query, model, calculate_p_value=True, p_value_iterations=n)`. "
            + (f'`p_value_method="exact"` raises {facts["exact"]}.' if facts["exact"] else ""),
            f"{ITERATIONS} draws hardly tell, so p is not judged there; WEFE's default of {facts['draws']:,} for all "
            f"{len(tests)} tests would take some {wefe_seconds * facts['draws'] / ITERATIONS / 60:.0f} CPU minutes.",
            f"WEFE on {fewest} with {draws:,} draws, {draws / facts['draws']:g} times its default, gives p = "
            f"{short(long['value']['p'])}. {TRUTH_DRAWS:,} draws of words with replacement give "
            f"{short(truth['replaced'])}, all partitions {short(truth['p'][0])} (at least as extreme) or "
            f"{short(truth['p'][1])} (more extreme). " + replacement_note(long["value"]["p"], truth, draws, facts),
            f"sampling: May et al. (2019), {SAMPLED:,} partitions drawn, the observed one among them, so never below "
            f"{1 / SAMPLED:.0e}; its scores and draws are its own.",
            f"Where truth was drawn, partitions are too many to count here: {TRUTH_DRAWS:,} were drawn, and the "
            "errors of both draws are allowed.",
        ),
    )


def effect(ran: dict[str, Any], truth: dict[str, Any], test: dict[str, Any]) -> str:
    """Judge d by n−1; say where dividing by n alone explains it, and whether it rounds to what the paper prints."""
    d = ran["value"]["effect"]
    verdict = yes(abs(d - truth["effect"]) < SAME_EFFECT)
    if verdict != "yes" and abs(d - truth["effect_n"]) < SAME_EFFECT:
        verdict = "by n, not n−1"
    printed = "" if test["printed"] is None else f" (printed: {yes(_rounds(d, test['printed']))})"
    return f"d {verdict}{printed}"


def replacement_note(p: float, truth: dict[str, Any], draws: int, facts: dict[str, Any]) -> str:
    """Say which null WEFE's p-value fits, by the value alone; beside it, the call that its source draws with."""
    replaced, exact = near(p, truth["replaced"], draws, TRUTH_DRAWS), fits(p, truth["p"], draws)
    source = f"Its `_calc_p_value` calls `{facts['choice']}`, " + (
        "with" if facts["says_replace_false"] else "without"
    )
    source += " `replace=False`" + ("; numpy's default is to replace." if facts["numpy_replaces"] else ".")
    if replaced and not exact:
        return f"So it fits draws with replacement, and not the partitions. {source}"
    seen = {(True, True): "both, so these draws do not tell them apart", (False, True): "the partitions alone"}
    return f"It fits {seen.get((replaced, exact), 'neither')}. {source}"


def spread_note(tests: Tests, truths: Tests) -> str:
    """Count the printed values that either divisor gives."""
    known = [name for name, test in tests.items() if test["printed"] is not None]
    agree = {
        key: sum(_rounds(truths[name][key], tests[name]["printed"]) for name in known)
        for key in ("effect", "effect_n")
    }
    listed = "; ".join(
        f"{name} {truths[name]['effect']:.2f} with n−1, {truths[name]['effect_n']:.2f} with n, printed "
        f"{tests[name]['printed']:.2f}"
        for name in known
    )
    return (
        f"Of the {len(known)} values that they print for these vectors, {agree['effect']} agree with n−1 and "
        f"{agree['effect_n']} with n ({listed})."
    )


def certified_note(all_ours: dict[str, dict[str, Any]]) -> list[str]:
    """Explain a p-value that is bounded instead of counted."""
    return [
        f'"certified" ({name}): the partitions are too many to count one by one. So imprint gives an interval that '
        f"surely holds the exact p-value, here [{value['low']:.6f}, {value['high']:.6f}], and p is its upper end."
        for name, value in ((name, ran["value"]) for name, ran in all_ours.items())
        if value["method"] == "certified"
    ]


def _row(tool: str, ran: dict[str, Any], how: str, right: str, ours: dict[str, Any], work: str = "") -> Row:
    gives = f"d {ran['value']['effect']:.4f}, p {short(ran['value']['p'])} ({how})"
    return measured(work, tool, ran, gives, right, ours)


def _rounds(d: float, printed: float) -> bool:
    return abs(d - printed) <= PRINTED + 1e-9
