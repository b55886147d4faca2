"""Conditions: which findings, which number of theirs, and the limit it is held against."""

import math
import re
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import cast

from imprint.association.rows import SIZES
from imprint.checks import did_you_mean, unknown_choice
from imprint.descriptions import descriptions
from imprint.errors import SettingError
from imprint.kinds import Kind, all_kinds, find_kind, part_of
from imprint.policies.kinds import Operator, Rule, is_probability
from imprint.rows import Row

GRAMMAR = "KIND[:TEST]:FIELD OP NUMBER"
EXAMPLES: dict[Rule, str] = {"fail-on": "weat:p<0.01", "require": "weat:gender-career:|size|<0.1"}

_LONGEST = 200  # characters of a condition
_COMPARISON = re.compile(
    r"\s*(?P<bar>\|?)\s*(?P<field>[0-9A-Za-z_]+)\s*(?P=bar)\s*(?P<operator>[<>]=?)"
    r"\s*(?P<limit>[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*"
)


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
    operator: Operator
    limit: float
    within: str | None = None  # the part that answers, where it is not the kind's own
    reason: str = ""  # why a policy requires it

    def of_encoder(self) -> "Condition":
        """Return what it asks of a sentence encoder: its words are tested in sentences, and gender beside he - she."""
        answering = known_kind(self.kind).of_encoder
        return self if answering is None else replace(self, kind=answering[0], within=answering[1])

    @property
    def target(self) -> tuple[str, str]:
        """The kind of row and the field that the condition means; an alias may name a field of another kind."""
        meant = known_kind(self.kind).aliases.get(self.field, self.field)
        kind, colon, field = meant.rpartition(":")
        return (kind, field) if colon else (self.kind, meant)

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

    @property
    def part(self) -> str:
        """The part of an audit that answers: debiasing and comparing ask some tests again, of other vectors."""
        return self.within or known_kind(self.target[0]).part.name

    @property
    def controlled(self) -> bool:
        """Whether it is about findings that count only for subjects that pass their controls."""
        return known_kind(self.target[0]).part.controlled

    def matches(self, row: Row) -> bool:
        """Tell whether a row is one that the condition is about.

        Neutral tests (flowers and insects) are controls, in which a difference is right: they count only where they
        are named in full. So do questions for what only published tests have. Published tests count for sizes where a
        pattern names them. SEATs count by words: sentences of one word are not independent observations. Of an encoder
        that is audited by itself, words in sentences count, not words alone. Only the same sentences for all words
        give sizes.
        """
        if row.context not in (None, "framed") and self.target[1] in SIZES:
            return False
        if self.within is not None and row.context == "word":
            return False
        if row.kind != self.target[0] or part_of(row) != self.part or not row.by_words:
            return False
        if self.pattern == row.test:
            return True
        answers = row.answers(self.target[1], named=self.pattern is not None)
        return self.names(row.test) and not row.is_control and answers

    def _compared(self, low: float, high: float) -> tuple[float, float]:
        """Return the ends of what is compared: of numbers from low to high, or of their sizes."""
        if not self.absolute:
            return low, high
        return 0.0 if low <= 0 <= high else min(abs(low), abs(high)), max(abs(low), abs(high))

    def holds(self, low: float, high: float) -> bool | None:
        """Tell whether the condition holds for every number from low to high, for none (False), or for some (None)."""
        first, last = (self._compare(end) for end in self._compared(low, high))
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
    known_kind(kind, f"--{rule} {text}")
    operator = cast(Operator, found["operator"])
    condition = Condition(rule, kind, pattern or None, found["field"], bool(found["bar"]), operator, limit)
    _refuse_unknown_field(condition, text)
    if rule == "require":
        _refuse_without_interval(condition, text)
    if is_probability(condition.target[1]) and not 0 <= limit <= 1:
        raise SettingError(option="the limit of p", got=limit, expected="between 0 and 1", where=f"--{rule} {text}")
    kind_name, field = condition.target
    row = known_kind(kind_name).row
    if descriptions(row)[field_names(row)[field]].shape == "percent":
        check_share(f"the limit of {condition.field}", limit, f"--{rule} {text}")
    return condition


def check_share(option: str, limit: float, where: str | tuple[str, ...]) -> None:
    """Refuse percents where a share belongs: every size is below 1000 %."""
    if abs(limit) > 1:
        hint = f"it is a share: write {limit / 100:.2g} for {limit:g} %"
        raise SettingError(option=option, got=limit, expected="between -1 and 1", where=where, hint=hint)


def _malformed(text: str, rule: Rule) -> SettingError:
    return SettingError(
        option=f"--{rule}", got=text, expected=f"a condition, {GRAMMAR}", hint=f"for example {EXAMPLES[rule]!r}"
    )


def known_kind(name: str, where: str | None = None) -> Kind:
    """Return a kind that conditions can be about."""
    kind = find_kind(name)
    if kind is None or not kind.measured:
        raise unknown_choice("the kind", name, [other.name for other in all_kinds() if other.measured], where)
    return kind


def field_names(row: type[Row]) -> dict[str, str]:
    """Return the attributes of a row's fields by their names in JSON."""
    return dict(zip(row.__struct_encode_fields__, row.__struct_fields__, strict=True))


def _refuse_unknown_field(condition: Condition, text: str) -> None:
    """Refuse a misspelt field before any work is done."""
    kind, field = condition.target
    fields = field_names(known_kind(kind).row)
    if field not in fields:
        known = [*known_kind(condition.kind).aliases, *fields]
        raise SettingError(
            f"{kind} has no field {condition.field!r}",
            option=f"--{condition.rule}",
            got=condition.field,
            where=f"--{condition.rule} {text}",
            hint=did_you_mean(condition.field, known) or "imprint schema lists the fields",
        )


def _refuse_without_interval(condition: Condition, text: str) -> None:
    kind, field = condition.target
    row, reason = known_kind(kind).row, None
    if is_probability(field):
        reason = "a large p-value does not show that there is no difference"
    elif not descriptions(row)[field_names(row)[field]].low:
        reason = f"{condition.field} has no interval"
    if reason is not None:
        hint = f"require a size, for example {EXAMPLES['require']!r}"
        raise SettingError(reason, option="--require", got=condition.field, where=f"--require {text}", hint=hint)
