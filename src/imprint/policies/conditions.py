"""Conditions: which findings, which number of theirs, the limit it is held against, and what they say of one row.

Rows count of subjects that can be judged, in a language that has controls.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import cast

from msgspec import structs

from imprint.association.rows import SIZES
from imprint.checks import did_you_mean, unknown_choice
from imprint.descriptions import descriptions
from imprint.errors import SettingError
from imprint.evaluation.controls import ControlsRow, controlled_in, controls_among
from imprint.kinds import Kind, all_kinds, find_kind, part_of
from imprint.kinds.tests import REASONS
from imprint.policies.kinds import Operator, Outcome, Rule, Verdict, is_probability
from imprint.rows import Row

GRAMMAR = "KIND[:TEST]:FIELD OP NUMBER"
EXAMPLES: dict[Rule, str] = {"fail-on": "weat:p<0.01", "require": "weat:gender-career:|size|<0.1"}
UNJUDGED = "the subject cannot be judged"
NO_CONTROLS = (
    "the subject has no controls here; imprint audit, weat and seat write them, and imprint.controls(subject)"
)
NO_LANGUAGE = "there are no controls in its language"

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


def judge(condition: Condition, finding: Row) -> Outcome:
    """Hold a finding against a condition: its number, the ends between which that is known to lie, and the verdict.

    Numbers are sizes where the condition asks for a size. `why` says what is lacking where there are no ends.
    What keeps the row itself from an outcome keeps it from a verdict, too. Frequency does not keep it from passing,
    since a difference that is within the limit is so whatever its reason.
    """
    field = finding.own_field(condition.target[1])
    value, reason = _number(finding, field), _obstacle(finding, field)
    undecided = Outcome(
        test=finding.test,
        embedding=finding.audited,
        context=finding.context,
        value=None,
        low=None,
        high=None,
        verdict="cannot tell",
        why=None,
    )
    obstacle = None if reason is None else REASONS[reason]
    if value is None:
        return structs.replace(undecided, why=obstacle or f"it has no {field}")
    if condition.absolute:
        undecided = structs.replace(undecided, value=abs(value), nearer=_nearer(finding, field, value))
    else:
        undecided = structs.replace(undecided, value=value)
    if cannot_reach(condition, finding):
        few = "words or draws" if finding.p_method == "sampled" else "words"
        why_none = obstacle or f"so few {few} cannot give a p that small"
        return structs.replace(undecided, why=why_none)
    try:
        ends = _interval(finding, field) if condition.rule == "require" else _possible(finding, field, value)
    except _UnknownError as error:
        return structs.replace(undecided, why=obstacle or str(error))
    verdict = _verdict(condition, condition.holds(*ends))
    # An alarm is about the tests that can answer; one that was named has to be the test that its author wrote.
    why = None if condition.is_alarm or (condition.rule, verdict) == ("fail-on", "failed") else finding.lost_most()
    if obstacle is not None and (verdict == "failed" or reason != "frequency"):
        why = obstacle
    if why is not None:
        return structs.replace(undecided, why=why)
    low, high = ends
    if condition.absolute and value < 0:  # as pages show it: whichever group leads, the size is above zero
        low, high = -high, -low
    return structs.replace(undecided, verdict=verdict, low=low, high=high)


def cannot_reach(condition: Condition, finding: Row) -> bool:
    """Tell whether a test has too few words for the condition ever to hold: that it does not says nothing."""
    field = condition.target[1]
    if _obstacle(finding, field) == "few words":
        return True
    floor = finding.p_floor if field == "p_value" else None
    return floor is not None and condition.operator.startswith("<") and condition.holds(floor, floor) is False


class _UnknownError(Exception):
    """The interval of a number is unknown; the message says why."""


def _nearer(finding: Row, field: str, value: float) -> str | None:
    """Say which group is nearer to the first kind of words, as pages turn sizes; None of other numbers."""
    names = {words.role: words.name for words in finding.sets}
    group = names.get("x" if value > 0 else "y")
    return f"{group} nearer to {names['a']}" if field == "size" and value and group and "a" in names else None


def _verdict(condition: Condition, holds: bool | None) -> Verdict:
    if holds is None:
        return "cannot tell"
    return "passed" if holds == (condition.rule == "require") else "failed"


def _obstacle(finding: Row, field: str) -> str | None:
    """Return what keeps a row from an outcome, if the field is the number that has one, or an end of its interval."""
    name = field_names(type(finding)).get(field)
    fields = descriptions(type(finding)).items()
    judged = {part for field_name, how in fields if how.low for part in (field_name, how.low, how.high)}
    return finding.obstacle or finding.reason if name in judged else None


def _interval(finding: Row, field: str) -> tuple[float, float]:
    """Return the interval of a field."""
    described = descriptions(type(finding))[field_names(type(finding))[field]]
    low, high = (getattr(finding, end) if end else None for end in (described.low, described.high))
    if low is None or high is None or low > high:
        raise _UnknownError(f"it has no interval of {field}")
    return low, high


def _possible(finding: Row, field: str, value: float) -> tuple[float, float]:
    """Return the ends between which a number lies: the bounds of p, and for all else the number itself."""
    if field != "p_value":
        return value, value
    low, high = (_number(finding, name) for name in ("p_low", "p_high"))
    low, high = value if low is None else low, value if high is None else high
    if not 0 <= low <= value <= high <= 1:
        raise _UnknownError(f"the p of {finding.test} and its bounds are not probabilities, or contradict each other")
    return low, high


def _number(row: Row, field: str) -> float | None:
    """Return a number of the row; None where there is none, or something else in its place."""
    value: object = getattr(row, field_names(type(row)).get(field, ""), None)
    if isinstance(value, str) and value.isdecimal():
        value = int(value)  # a count
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None


@dataclass(frozen=True)
class Known:
    """What findings say of their subjects, by hash: the controls' rows, and the language of each test."""

    controls: tuple[ControlsRow, ...]
    languages: dict[tuple[str, str], str]

    @classmethod
    def of(cls, findings: Iterable[Row]) -> "Known":
        """Gather what findings say."""
        listed = list(findings)
        languages = {(row.audited_sha256, row.test): row.language for row in listed if row.language is not None}
        return cls(tuple(controls_among(listed)), languages)

    def why_not(self, finding: Row, *, controlled: bool = True) -> str | None:
        """Say why a finding neither passes nor fails; one that is not `controlled` counts without any controls."""
        subject = finding.audited_sha256
        judged = {control.language: control.judged for control in self.controls if control.embedding_sha256 == subject}
        spoken = {controlled_in(self.languages.get((subject, test), "en")) for test in finding.tests_asked}
        answers = {judged.get(language) for language in spoken}
        if False in answers:
            return UNJUDGED
        if not controlled:
            return None
        if not judged:
            return NO_CONTROLS
        return NO_LANGUAGE if None in answers else None
