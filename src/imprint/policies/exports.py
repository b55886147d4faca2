"""What a pipeline shows besides an exit code: JUnit XML for its list of tests, Markdown for its summary."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree as Xml

from imprint.errors import ImprintError, raising_as
from imprint.files import FilePath, replacing
from imprint.kinds.audit import judgement
from imprint.masking import Words
from imprint.policies.gate import Gate
from imprint.policies.kinds import (
    GRAVEST_FIRST,
    GateRow,
    Outcome,
    Verdict,
    because,
    condition_of,
    limit_of,
    line,
    name_of,
    policies,
    sized,
)
from imprint.render.markdown import draw_blocks
from imprint.render.numbers import plain
from imprint.tables import Field, table
from imprint.view import NOTHING, Block, Given, Prose, Text, count, join, say, title

_MOST_LINES = 100  # of the summary's table, gravest first; JUnit XML has them all
_ELEMENTS = {"failed": "failure", "cannot tell": "error", "no answer": "skipped"}
_MEANINGS: dict[Verdict, str] = {
    "passed": "Every requirement holds.",
    "failed": "At least one requirement does not hold.",
    "cannot tell": "The findings do not decide every requirement, so nothing was cleared.",
}


@dataclass(frozen=True)
class TestCase:
    """A condition and one test that it is about; an alarm does not need the tests that could not run."""

    row: GateRow
    test: Text
    value: Text
    verdict: Verdict | Literal["no answer"]
    said: Text
    why: str | None = None


def cases(gate: Gate) -> Iterator[TestCase]:
    """Give every condition and test; the gravest verdict of them is the gate's."""
    for condition, row in zip(gate.conditions, gate.rows, strict=True):
        several = len({outcome.embedding for outcome in row.outcomes}) > 1
        for outcome in row.outcomes:
            said = line(row, outcome, several=several)
            name = name_of(outcome, several=several)
            yield TestCase(row, name, sized(row, outcome), outcome.verdict, said, outcome.why)
        if not row.outcomes:
            said = say("No finding matches; {}.", title(str(row.why)))
            yield TestCase(row, "no finding", NOTHING, "cannot tell", said, row.why)
        needed = not condition.is_alarm
        for tests, why in ((row.skipped, "not run"), (row.cannot_reach, "too few words to meet it")):
            for test in tests if row.outcomes or not needed else ():
                said = say("{}: {}.", Given(test), why)
                yield TestCase(row, Given(test), NOTHING, "cannot tell" if needed else "no answer", said, why)


def write_junit(path: FilePath, gate: Gate) -> None:
    """Write one test suite: a test case per condition and test; an undecided test is an error."""
    listed, words = list(cases(gate)), Words()  # which spell out the characters that XML does not allow
    counted = Counter(case.verdict for case in listed)
    root = Xml.Element("testsuites")
    numbers = {f"{_ELEMENTS[verdict]}s": str(counted[verdict]) for verdict in ("failed", "cannot tell")}
    numbers |= {"tests": str(len(listed)), "skipped": str(counted["no answer"]), "time": "0"}
    suite = Xml.SubElement(root, "testsuite", {"name": f"imprint {words.text(gate.about.embedding)}", **numbers})
    for tested in listed:
        names = {"classname": plain(condition_of(tested.row), words), "name": plain(tested.test, words), "time": "0"}
        case = Xml.SubElement(suite, "testcase", names)
        if tested.verdict != "passed":
            said = {"message": plain(tested.said, words), "type": tested.verdict}
            Xml.SubElement(case, _ELEMENTS[tested.verdict], said)
    Xml.indent(root)
    with replacing(path) as part:
        part.write_bytes(Xml.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n")


def append_summary(path: FilePath, gate: Gate) -> None:
    """Add a summary in Markdown to the end of a file, as $GITHUB_STEP_SUMMARY needs it."""
    lines = ["", f"## imprint: {gate.verdict}", "", *draw_blocks(_summary(gate))]
    with (
        raising_as(OSError, ImprintError, "cannot be written ({})", where=path, hint="choose another file"),
        # Names come from files, and a file may hold half of a character pair, which UTF-8 cannot write.
        open(path, "a", encoding="utf-8", errors="backslashreplace") as file,  # noqa: PTH123
    ):
        file.write("\n".join(lines))


def _summary(gate: Gate) -> Iterator[Block]:
    said: list[Text] = [_MEANINGS[gate.verdict], *_judged(gate)]
    if gate.policy is not None:
        said += policies(gate.rows)
        said.append(say("Policy file: {}, SHA-256 {}.", title(gate.policy.path.name), gate.policy.sha256[:12]))
    if gate.changed:
        said.append("The findings were made under another policy than this one.")
    yield from (Prose(sentence, media=("card",)) for sentence in said)
    answered, others = list[TestCase](), list[Text]()
    for case in cases(gate):
        if case.verdict == "no answer":
            others.append(case.test)
        else:
            answered.append(case)
    answered.sort(key=lambda case: GRAVEST_FIRST.index(case.verdict))
    columns = (
        Field("test", cell=lambda case: case.test),
        Field("value", cell=lambda case: case.value, numeric=False),
        Field(title="Requirement", cell=_requirement),
        Field("verdict", cell=_answer),
    )
    yield table(Outcome, "Requirements", answered[:_MOST_LINES], columns)
    if len(answered) > _MOST_LINES:
        more = say("{} more; the findings have them all.", count(len(answered) - _MOST_LINES))
        yield Prose(more, media=("card",))
    if others:
        yield Prose(say("Not run, or too few words to fail: {}.", join(others)), media=("card",))


def _requirement(case: TestCase) -> Text:
    what = case.row.field.strip("|").replace("_", " ")
    return say("{} {}{}", what, limit_of(case.row), because(case.row.reason))


def _answer(case: TestCase) -> Text:
    return case.verdict if case.why is None else say("{}: {}", case.verdict, title(case.why))


def _judged(gate: Gate) -> Iterator[Text]:
    """Say whether the subjects can be judged."""
    if not gate.controls:
        yield "These findings have no controls: whether their subject can be judged is not known."
    yield from judgement(gate.controls)
