"""The gate: every condition held against the findings, and one exit code for a pipeline."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from imprint.checks import did_you_mean
from imprint.errors import SettingError
from imprint.evaluation.controls import ControlsRow
from imprint.kinds.audit import audit_row
from imprint.kinds.findings import FindingsLike, rows_of
from imprint.policies.conditions import Condition, Known, cannot_reach, judge, known_kind, parse_condition
from imprint.policies.kinds import GateRow, Lacking, OnCannotTell, Rule, Verdict, gravest
from imprint.policies.policy import Policy
from imprint.policies.policy import policy as read_policy
from imprint.policies.settings import GateSettings, PolicyLike
from imprint.rows import PartRow, RawRow, Result, Row, SkippedRow
from imprint.settings import settable
from imprint.stimuli.catalog import catalogue, language_name
from imprint.stimuli.definition import Test

EXIT_CODES: dict[Verdict, int] = {"passed": 0, "failed": 2, "cannot tell": 3}
ON_CANNOT_TELL: dict[OnCannotTell, int] = {"cannot tell": 3, "fail": 2, "warn": 0}


@dataclass(frozen=True, repr=False)
class Gate(Result):
    """What every condition says of findings.

    Attributes
    ----------
    about
        The finding that says what was measured.
    conditions
        What findings were held against; the requirements of a policy come first.
    rows
        What each condition says.
    policy
        The policy, if any.
    controls
        Whether the subjects can be judged.
    changed
        Whether the findings were made under another policy than this one.
    """

    about: Row
    conditions: tuple[Condition, ...]
    rows: tuple[GateRow, ...]
    policy: Policy | None = None
    controls: tuple[ControlsRow, ...] = ()
    changed: bool = False

    @property
    def verdict(self) -> Verdict:
        """The gravest answer: failed, then cannot tell, then passed."""
        return gravest(row.verdict for row in self.rows)

    @property
    def exit_code(self) -> int:
        """0 passed, 2 failed, 3 cannot tell, unless the policy counts that otherwise; 1 is for errors."""
        if self.verdict != "cannot tell":
            return EXIT_CODES[self.verdict]
        codes = {ON_CANNOT_TELL[row.on_cannot_tell] for row in self.rows if row.verdict == "cannot tell"}
        return EXIT_CODES["failed"] if EXIT_CODES["failed"] in codes else max(codes)

    def findings(self) -> list[GateRow]:
        """Return one row per condition."""
        return list(self.rows)

    def __repr__(self) -> str:
        return f"Gate({self.verdict}: {', '.join(f'{row.test} {row.verdict}' for row in self.rows)})"


@settable(GateSettings)
def gate(findings: FindingsLike, settings: GateSettings) -> Gate:
    """Hold findings against a policy and conditions. Nothing is computed.

    Parameters
    ----------
    findings
        A findings.jsonl, rows, or any result such as that of `imprint.audit`.

    Returns
    -------
    Gate
        The verdict (passed, failed or cannot tell), the exit code of `imprint gate`, and one row per condition.

    Examples
    --------
    >>> findings = imprint.with_controls(imprint.weat("default", "gender-career"), "default")
    >>> imprint.gate(findings, require=["weat:|size|<0.1"])
    Gate(failed: weat:|size|<0.1 failed)
    """
    settings.check()
    policy, conditions = parse_requirements(settings.policy, settings.fail_on, settings.require)
    rows = rows_of(findings)
    # A misspelt name would be undecided for ever; a test that these findings lack may come with others.
    refuse_unknown(conditions, findings=rows)
    return check(rows, conditions, policy)


def parse_requirements(
    policy: PolicyLike | None, fail_on: Iterable[str] = (), require: Iterable[str] = ()
) -> tuple[Policy | None, tuple[Condition, ...]]:
    """Read a policy and the conditions of both rules, which costs nothing: do it before what they are about."""
    conditions = parse_conditions(fail_on, require)
    return None if policy is None else read_policy(policy), conditions


def parse_conditions(fail_on: Iterable[str] = (), require: Iterable[str] = ()) -> tuple[Condition, ...]:
    """Read the conditions of both rules; a text alone is one condition."""
    rules: tuple[tuple[Rule, Iterable[str]], ...] = (("fail-on", fail_on), ("require", require))
    return tuple(
        parse_condition(text, rule) for rule, texts in rules for text in ([texts] if isinstance(texts, str) else texts)
    )


def refuse_unknown(
    conditions: Iterable[Condition], *, tests: Iterable[Test] = (), findings: Sequence[Row] | None = None
) -> None:
    """Refuse a condition on a name that does not exist, with the catalogue or these tests.

    With findings, tests may have been added, so that only names that no file adds to are refused.
    """
    for condition in conditions:
        find = known_kind(condition.kind).names
        if condition.pattern is None or find is None:
            continue
        what, names, fixed = find((*catalogue(), *tests), findings or ())
        if (fixed or findings is None) and not any(map(condition.names, names)):
            listed = "`imprint stimuli` lists them" if what == "test" else f"there are {', '.join(names)}"
            raise SettingError(
                f"there is no {what} {condition.pattern!r}",
                option=f"--{condition.rule}",
                got=str(condition),
                hint=did_you_mean(condition.pattern, names) or listed,
            )


def check(findings: Sequence[Row], conditions: Iterable[Condition], policy: Policy | None = None) -> Gate:
    """Hold findings against conditions, and against what a policy requires."""
    if not findings:
        raise SettingError("there are no findings to check", hint="give those of imprint audit or of any test")
    audit = audit_row(findings)
    known = Known.of(findings)
    asked = (*(policy.conditions if policy else ()), *conditions)
    if audit is not None and audit.subject == "encoder":
        asked = tuple(condition.of_encoder() for condition in asked)
    about = audit or findings[0]
    rows = [_answer(condition, about, findings, known) for condition in asked]
    if policy is not None:
        said = {
            "policy_sha256": policy.sha256,
            "policy_file": str(policy.path),
            "on_cannot_tell": policy.on_cannot_tell,
            "owner": policy.owner,
            "policy_reason": policy.reason,
        }
        for index in range(len(policy.conditions)):
            rows[index] = msgspec.structs.replace(rows[index], **said)
    measured_under = None if audit is None else audit.settings.policy_sha256
    changed = policy is not None and measured_under not in (None, policy.sha256)
    return Gate(about, asked, tuple(rows), policy, known.controls, changed)


def _answer(condition: Condition, about: Row, findings: Sequence[Row], known: Known) -> GateRow:
    """Hold findings against a condition.

    Without a pattern, --fail-on is about the tests that can answer. A test that is named or required must have run,
    with enough words. The verdict is the gravest of the outcomes; undecided if there are none, or if a test that it
    needs is missing.
    """
    able, unable = list[Row](), list[Row]()
    for row in findings:
        if condition.matches(row):
            (unable if condition.is_alarm and cannot_reach(condition, row) else able).append(row)
    skipped = [
        row
        for row in findings
        if isinstance(row, SkippedRow) and row.part in (None, condition.part) and condition.names(row.test)
    ]
    outcomes = [judge(condition, row) for row in able]
    barred = [known.why_not(row, controlled=condition.controlled) for row in able]
    for index, reason in enumerate(barred):
        if reason is not None:  # it neither passes nor fails
            outcomes[index] = msgspec.structs.replace(outcomes[index], verdict="cannot tell", why=reason)
    if able:
        why = barred[0] if len({*barred}) == 1 else None
    else:
        why = "its tests have too few words" if unable else _why_none(condition, about, findings, skipped)
    verdicts = [outcome.verdict for outcome in outcomes]
    is_undecided = not outcomes or (skipped and not condition.is_alarm)
    return GateRow(
        test=str(condition),
        embedding=about.embedding,
        embedding_sha256=about.embedding_sha256,
        seed=about.seed,
        part="gate",
        rule=condition.rule,
        reason=condition.reason,
        field=condition.name,
        operator=condition.operator,
        limit=condition.limit,
        verdict=gravest([*verdicts, "cannot tell"] if is_undecided else verdicts),
        checked=len(verdicts),
        failed=verdicts.count("failed"),
        cannot_tell=verdicts.count("cannot tell"),
        skipped=_tests(skipped),
        cannot_reach=_tests(unable),
        why=why,
        lacking=tuple(Lacking(row.test, len(row.missing)) for row in able if row.missing),
        outcomes=tuple(outcomes),
    )


def _tests(findings: Iterable[Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(row.test for row in findings))


def _why_none(condition: Condition, about: Row, findings: Sequence[Row], skipped: Sequence[SkippedRow]) -> str:
    """Say what is known of a condition that matches nothing."""
    kind = condition.target[0]
    part = next((row for row in findings if isinstance(row, PartRow) and row.test == condition.part), None)
    if part is not None and not part.ran:
        reason = part.why or "it was not asked for"
        return f"the part {condition.part!r} of the audit was not run: {reason}"
    if skipped:
        return f"{skipped[0].test} could not be run: {skipped[0].reason}"
    if any(isinstance(row, RawRow) and row.kind == kind for row in findings):
        return "its rows were written by another version of imprint; run the audit again"
    known = [row.test for row in findings if row.kind == kind]
    if not known:
        return f"there are no findings of kind {kind!r}"
    if asked := [test for test in catalogue() if condition.pattern and condition.names(test.id)]:
        language = about.tests_language
        is_foreign = language != "all" and all(test.language != language for test in asked)
        where = f": this audit is in {language_name(language)}" if language and is_foreign else ""
        return f"{condition.pattern} was not asked{where}"
    near = difflib.get_close_matches(condition.pattern or "", known, n=1)
    return f"there are other tests of kind {kind!r}{f', such as {near[0]}' if near else ''}"
