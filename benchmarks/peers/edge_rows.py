"""WEAT where tools differ in what they tell: exchanged targets, words that are missing."""

from textwrap import shorten
from typing import Any

from peers.environment import do, timed
from peers.page import Row, Section, measured, short, yes
from peers.rules import fits, near
from peers.weat_rows import ITERATIONS

UNKNOWN = tuple(f"zzunknown{letter}" for letter in "abcdefgh")
QUOTED = 160  # characters of a message


def exchange(file: str, arrays: str, name: str, test: dict[str, Any]) -> Section:
    """X and Y exchanged: d changes its sign, a two-sided p-value stays."""
    swapped = {**test, "x": test["y"], "y": test["x"]}
    truth = do("oracles", "weat", {"arrays": arrays, **test})["value"]
    d, p = truth["effect"], truth["two_sided"][0]
    rows = [
        Row(f"{name}, X and Y exchanged", "truth", f"d {d:.4f}, then {-d:.4f}; p {short(p)}, then {short(p)}", "-")
    ]
    ours: dict[str, Any] = {}
    for label, tool in (("imprint", "imprint_jobs"), ("WEFE", "wefe_jobs")):
        given = {"file": file, "sided": "two-sided", "iterations": ITERATIONS}
        first, then = do(tool, "weat", {**given, **test})["value"], timed(tool, "weat", {**given, **swapped})
        ours, last = ours or then, then["value"]
        both = first["p"], last["p"]
        exact = label == "imprint"
        fine = all(near(one, p) if exact else fits(one, truth["two_sided"], ITERATIONS) for one in both)
        gives = f"d {first['effect']:.4f}, then {last['effect']:.4f}; p {short(both[0])}, then {short(both[1])}"
        right = f"d {yes(abs(first['effect'] + last['effect']) < 1e-6)}; p {yes(fine)}"
        rows.append(measured("", label, then, gives, right, ours))
    return Section(
        "Exchanged targets",
        "Exchanging X and Y must negate d and leave a two-sided p-value unchanged.",
        rows,
        (
            'imprint: `alternative="two-sided"`. WEFE: `p_value_test_type="two-sided"`.',
            f"WEFE's p-values are judged by the rule for draws: {ITERATIONS} are few, so only a value far off is "
            "wrong.",
            "imprint always computes p, so WEFE is asked for it too; the second of the two runs is timed.",
        ),
    )


def missing(file: str, name: str, test: dict[str, Any], *, warns: bool) -> Section:
    """Words without a vector: are they told? `warns` is WEFE's default."""
    rows = []
    cases = (
        (f"1 unknown word beside {len(test['x'])} in X", [*test["x"], *UNKNOWN[:1]]),
        (f"3 unknown words beside {len(test['x'])} in X", [*test["x"], *UNKNOWN[:3]]),
        (f"{len(UNKNOWN)} unknown words beside 1 in X", [test["x"][0], *UNKNOWN]),
    )
    for work, words in cases:
        given = {"file": file, **test, "x": words, "iterations": ITERATIONS}
        asked = sum(word in UNKNOWN for word in words)
        ours = timed("imprint_jobs", "weat", given)
        others = (timed("wefe_jobs", "weat", {**given, "warn": warn}) for warn in (warns, not warns))
        labels = ("imprint", "WEFE", f"WEFE, `warn_not_found_words={not warns}`")
        for label, ran in zip(labels, (ours, *others), strict=True):
            value = ran["value"]
            told = max(value["in_result"], value["in_log"])
            result = "no value" if value["effect"] is None else f"d {value['effect']:.4f}"
            said = f'; says "{shorten(value["said"], QUOTED, placeholder=" …")}"' if value["said"] else ""
            gives = f"{result}; names {told} of the {asked} words{said}"
            alike = value["effect"] is not None and ours["value"]["effect"] is not None
            verdict = telling(told, asked, said=bool(said))
            rows.append(measured(work if ran is ours else "", label, ran, gives, verdict, ours if alike else None))
    return Section(
        "Missing words",
        f"{name} with words that no vocabulary has. Right means that every missing word is named, in the result or in "
        'a message. "Reported, none named" means that a message says how much is missing and not which words.',
        rows,
        (
            f"WEFE's default is `warn_not_found_words={warns}`; p from {ITERATIONS} draws, since imprint always "
            "computes p.",
        ),
    )


def telling(told: int, asked: int, *, said: bool) -> str:
    """Judge what a user learns of missing words."""
    if told == asked:
        return yes(True)
    if told:
        return f"in part: {told} of {asked}"
    return "reported, none named" if said else yes(False)
