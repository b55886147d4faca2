"""The verdicts of a gate in plain lines, for the top of the page and for a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from imprint.errors import ImprintError
from imprint.finding import Finding
from imprint.report.marking import Words, count

_MOST_TESTS = 20  # named under one condition; the findings have them all
_WORDS = Words()


def gate_lines(findings: Sequence[Finding]) -> list[Markup]:
    """Return a line a condition, and under it one a test that failed it or cannot be decided."""
    try:
        return [line for one in findings if one.kind == "gate" for line in _lines(one)]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        wrong = f"{type(error).__name__}: {error}"
        raise ImprintError(
            f"the findings of the gate cannot be read ({wrong}); give a file as imprint wrote it"
        ) from error


def _lines(one: Finding) -> Iterator[Markup]:
    yield _headline(one)
    named = [test for test in one.details["tests"] if test["verdict"] != "passed"]
    named.sort(key=lambda test: test["verdict"] != "failed")
    several = len({test["embedding"] for test in one.details["tests"]}) > 1
    for test in named[:_MOST_TESTS]:
        yield _line(one, test, several)
    if len(named) > _MOST_TESTS:
        yield Markup("More of them, all in the findings: {}.").format(f"{len(named) - _MOST_TESTS:,}")


def _headline(one: Finding) -> Markup:
    get = one.details.get
    condition = _WORDS.text(f"--{get('rule')} {one.test}")
    checked = count(one.details["checked"])
    if not get("checked"):
        return Markup("Inconclusive: no finding matches {}; {}.").format(condition, _WORDS.text(str(get("why"))))
    said = Markup("{}: {}, {}").format(str(get("verdict")).capitalize(), condition, _outcome(one, checked))
    for label, tests in (("not run", get("skipped")), ("with too few words to meet it", get("cannot_reach"))):
        if tests:
            said += Markup("; {}: {}").format(label, _WORDS.joined(tests))
    lacking = get("lacking") or {}
    if lacking:
        lost = [Markup("{} of {}").format(count(number), _WORDS.plain(str(test))) for test, number in lacking.items()]
        said += Markup("; words missing: {}").format(Markup(", ").join(lost[:_MOST_TESTS]))
    return said + "."


def _outcome(one: Finding, checked: Markup) -> Markup:
    get = one.details.get
    if get("verdict") == "failed":
        return Markup("by {} of {} findings").format(count(get("failed")), checked)
    if get("verdict") == "inconclusive":
        return Markup("cannot be decided for {} of {} findings").format(count(get("inconclusive")), checked)
    if get("rule") == "require":
        return Markup("throughout the interval in all of {} findings").format(checked)
    # A p that is not small is no evidence of absence.
    warning = ", which does not show that there is no bias" if str(get("field")).startswith("p") else ""
    return Markup("met by none of {} findings{}").format(checked, warning)


def _line(one: Finding, test: Mapping[str, Any], several: bool) -> Markup:
    name = _WORDS.plain(str(test["test"]))
    if test["context"]:
        name += f" ({_WORDS.plain(str(test['context']))})"
    if several:
        name += f" on {_WORDS.plain(str(test['embedding']))}"
    said = Markup("{}: {}").format(str(test["verdict"]).capitalize(), name)
    if test["value"] is not None:
        said += Markup(", {} = {}").format(str(one.details["field"]), _datum(test["value"]))
    if test["why"] is not None:
        return said + Markup(": {}.").format(_WORDS.text(str(test["why"])))
    if test["low"] != test["high"]:
        said += Markup(", between {} and {}").format(_datum(test["low"]), _datum(test["high"]))
    return said + Markup(", limit {}.").format(_datum(one.details["limit"]))


def _datum(value: float) -> Markup:
    """Mark a number, with digits enough to tell it from its limit."""
    if isinstance(value, int):
        return count(value)
    return Markup('<data value="{}">{}</data>').format(repr(value), f"{value:.4g}")
