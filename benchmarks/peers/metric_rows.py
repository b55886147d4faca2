"""Metrics of other works through every tool that has them: values, and p-values by exchanged labels."""

from typing import Any

from peers.environment import do, timed
from peers.page import Row, Section, measured, short, yes
from peers.rules import SAME_CORRELATION, near

# WEFE's name, ours, and our settings where WEFE's defaults are others
METRICS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("RND", "rnd", {"normalize": False}),
    ("MAC", "mac", {}),
    ("ECT", "ect", {}),
    ("RIPA", "ripa", {}),
)


def metrics(file: str, arrays: str, name: str, test: dict[str, Any]) -> Section:
    """Four metrics of WEFE on one test, both attribute sets; WEFE is asked as often as imprint evaluates."""
    rows = []
    for theirs, own, settings in METRICS:
        given = {"file": file, "arrays": arrays, "metric": theirs, "own": own, "settings": settings, **test}
        truth = do("oracles", "metric", given)["value"]
        labels = truth["labels"]
        ours = timed("imprint_jobs", "metric", given)
        evaluated = labels + ours["value"]["draws"]
        once, often = (timed("wefe_jobs", "metric", {**given, "queries": queries}) for queries in (1, evaluated))
        fine = _same(ours, truth)
        rows.append(Row(f"{theirs}, {name}", "truth", _numbers(truth), "-"))
        rows.append(
            measured("", "imprint", ours, _with_interval(ours["value"]), f"value {yes(fine)}{_p(ours, truth)}", ours)
        )
        rows.append(measured("", "WEFE", once, _numbers(once["value"]), f"value {yes(_same(once, truth))}", ours))
        rows.append(measured("", "WEFE, as often as imprint", often, f"{evaluated:,} queries", "-", ours))
    return Section(
        "Metrics of other works",
        f"The metrics of WEFE on {name}, vectors as stored, one value per attribute set where a metric takes one set. "
        f"Right means: within {SAME_CORRELATION:g} of the formula in double precision, and p the share of all labels.",
        rows,
        (
            "imprint: `imprint.metric(name, embedding, test)`. Its CPU time includes p over all exchanged labels, p "
            "against draws of random words of like frequency, and the interval over words.",
            "WEFE: `RND().run_query(query, model)` and so on, which give no p-value and no interval. The second row "
            "asks it as often as imprint evaluates the metric, with targets in another order, as is needed for a "
            "p-value.",
            "MAC does not change when labels are exchanged: its p-value is that of random words, which is not judged.",
        ),
    )


def _same(ran: dict[str, Any], truth: dict[str, Any]) -> bool:
    pairs = zip(ran["value"]["values"], truth["values"], strict=True)
    return all(abs(one - other) <= SAME_CORRELATION for one, other in pairs)


def _p(ran: dict[str, Any], truth: dict[str, Any]) -> str:
    if not truth["p"]:
        return ""
    return f"; p {yes(all(near(one, other) for one, other in zip(ran['value']['p'], truth['p'], strict=True)))}"


def _numbers(value: dict[str, Any]) -> str:
    found = "; ".join(f"{one:.4f}" for one in value["values"])
    return found + (f", p {'; '.join(map(short, value['p']))}" if value.get("p") else "")


def _with_interval(value: dict[str, Any]) -> str:
    over = "; ".join(f"{low:.3f} to {high:.3f}" for low, high in value["intervals"])
    label = {**value, "p": value["p"] if value["labelled"] else []}
    random = "; ".join(map(short, value["frequency"]))
    return f"{_numbers(label)} (over words {over}; p against random words {random})"
