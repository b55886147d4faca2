"""Conditions: which findings, which number of theirs, and the limit it is held against."""

import math
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from imprint.errors import SettingError
from imprint.finding import Finding

Rule = Literal["fail-on", "require"]

GRAMMAR = "KIND[:TEST]:FIELD OP NUMBER"
EXAMPLES: dict[Rule, str] = {"fail-on": "weat:p<0.01", "require": "weat:caliskan-6:|mean_difference|<0.05"}

# Each kind and the part of an audit it is taken from. Debiasing and comparing ask some tests again, of other
# vectors than those audited; a gate is about these.
HOMES = {
    "weat": "weat",
    "wefat": "wefat",
    "pairs": "directions",
    "projection": "directions",
    "projection comparison": "directions",
    "ube": "enumeration",
    "ube-group": "enumeration",
    "ube-indirect": "enumeration",
    "ube-overview": "enumeration",
    "analogy": "analogies",
    "debiasing": "debiasing",
    "debiased projection": "debiasing",
    "frontier": "debiasing",
    "leakage": "debiasing",
    "similarity": "benchmarks",
    "analogy_benchmark": "benchmarks",
    "seat": "seat",
    "seat-coherence": "seat",
    "seat-anisotropy": "seat",
    "agreement": "against",
}

_LONGEST = 200  # characters of a condition
_COMPARISON = re.compile(
    r"\s*(?P<bar>\|?)\s*(?P<field>[0-9A-Za-z_]+)\s*(?P=bar)\s*(?P<operator>[<>]=?)"
    r"\s*(?P<limit>[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*"
)
_SHORT = {"p": "p_value", "d": "effect_size"}
# Where a word means another field, or the number stands in another kind of row.
_SHORT_IN_KIND = {
    ("similarity", "change"): ("similarity", "change_spearman"),
    ("analogy_benchmark", "change"): ("analogy_benchmark", "change_3cosadd"),
    ("ube", "associations"): ("ube-overview", "associations"),
}
_WITHOUT_INTERVAL = ("effect_size", "d_within", "statistic")


@dataclass(frozen=True)
class Condition:
    """A condition as it was written; `pattern` is None where it is about every test of its kind.

    "fail-on" fails where the condition holds; "require" passes only where it holds throughout an interval.
    """

    rule: Rule
    kind: str
    pattern: str | None
    field: str
    absolute: bool
    operator: str
    limit: float

    @property
    def target(self) -> tuple[str, str]:
        """The kind of row and the field that the words of the condition mean."""
        return _SHORT_IN_KIND.get((self.kind, self.field), (self.kind, _SHORT.get(self.field, self.field)))

    @property
    def is_alarm(self) -> bool:
        """Whether it only sounds where something is found, whatever tests can answer: it names and requires none."""
        return self.rule == "fail-on" and self.pattern is None

    @property
    def name(self) -> str:
        """The field as written, within bars where its size alone counts."""
        return f"|{self.field}|" if self.absolute else self.field

    def names(self, test: str) -> bool:
        """Tell whether a test is one that the condition is about."""
        return self.pattern is None or fnmatchcase(test, self.pattern)

    def matches(self, finding: Finding) -> bool:
        """Tell whether a finding is one that the condition is about.

        Neutral tests (flowers and insects) show that a test works: they count where a pattern names them. SEATs count
        by words: sentences of one word are not independent observations.
        """
        kind, details = self.target[0], finding.details
        if finding.kind != kind or details.get("part") not in (None, HOMES[kind]) or details.get("unit") == "sentence":
            return False
        if self.pattern is None:
            return "neutral" not in (details.get("topics") or ())
        return self.names(str(finding.test))

    def sizes(self, low: float, high: float) -> tuple[float, float]:
        """Return the ends of what is compared: of numbers from low to high, or of their sizes."""
        if not self.absolute:
            return low, high
        return 0.0 if low <= 0 <= high else min(abs(low), abs(high)), max(abs(low), abs(high))

    def holds(self, low: float, high: float) -> bool | None:
        """Tell whether the condition holds for every number from low to high, for none (False), or for some (None)."""
        first, last = (self._compare(end) for end in self.sizes(low, high))
        return first if first == last else None

    def _compare(self, value: float) -> bool:
        if self.operator.startswith("<"):
            return value < self.limit or (self.operator == "<=" and value == self.limit)
        return value > self.limit or (self.operator == ">=" and value == self.limit)

    def __str__(self) -> str:
        tests = () if self.pattern is None else (self.pattern,)
        return ":".join((self.kind, *tests, f"{self.name}{self.operator}{repr(self.limit).removesuffix('.0')}"))


def parse_condition(text: str, rule: Rule = "fail-on") -> Condition:
    """Read KIND[:TEST]:FIELD OP NUMBER, where TEST is an id or a pattern such as caliskan-* and OP < <= > or >=."""
    head, _, tail = text.rpartition(":")
    kind, colon, pattern = (part.strip() for part in head.partition(":"))
    found = _COMPARISON.fullmatch(tail)
    if found is None or len(text) > _LONGEST or not text.isprintable() or not kind or (colon and not pattern):
        raise _malformed(text, rule)
    limit = float(found["limit"])
    if not math.isfinite(limit):
        raise _malformed(text, rule)
    if kind not in HOMES:
        raise SettingError(f"--{rule} {text!r} is about {kind!r}; a kind of finding is wanted: {', '.join(HOMES)}")
    condition = Condition(rule, kind, pattern or None, found["field"], bool(found["bar"]), found["operator"], limit)
    if rule == "require":
        _refuse_without_interval(condition, text)
    if _is_probability(condition) and not 0 <= limit <= 1:
        raise SettingError(f"--{rule} {text!r} holds a p-value against {limit:g}; a number from 0 to 1 is wanted")
    return condition


def _malformed(text: str, rule: Rule) -> SettingError:
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return SettingError(f"--{rule} {shown!r} is no condition; {GRAMMAR} is wanted, for example {EXAMPLES[rule]!r}")


def _is_probability(condition: Condition) -> bool:
    field = condition.target[1]
    return field.startswith("p_") or field.endswith("p_value")


def _refuse_without_interval(condition: Condition, text: str) -> None:
    field = condition.target[1]
    if _is_probability(condition):
        raise SettingError(
            f"--require {text!r} asks for a p-value, and a large one clears nothing; require a margin, for example "
            f"{EXAMPLES['require']!r}"
        )
    if field in _WITHOUT_INTERVAL:
        raise SettingError(
            f"--require {text!r} asks for {condition.field}, which has no interval; use mean_difference, for example "
            f"{EXAMPLES['require']!r}"
        )
