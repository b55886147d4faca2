"""What pipelines show: JUnit XML whose counts hold, and a Markdown summary, whatever the names contain."""

from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_rows import judged, make_row
from refusals import refuses

import imprint
from imprint.errors import ImprintError
from imprint.evaluation.controls import Control
from imprint.policies.exports import append_summary, cases, write_junit
from imprint.policies.gate import check, parse_conditions

REQUIRED = ["weat:|size|<0.1"]
CONTROL = Control("similar words", 0.1, 0.25, False, 65, 0)
PASSED = Control("similar words", 0.7, 0.25, True, 65, 0)


def association(test, low, high, **fields):
    known = {"is_question": True, "size": (low + high) / 2, "size_low": low, "size_high": high, "part": "weat"}
    return make_row(test=test, **(known | fields))


def paper(test, **fields):
    return make_row(test=test, part="weat", **fields)


def skipped(test):
    return make_row("skipped", test=test, title=test, reason="its words are missing", part="weat")


ROWS = [association("in", -0.02, 0.08), association("out", 0.12, 0.3), association("between", 0.05, 0.2)]


def junit(folder, gate):
    write_junit(folder / "gate.xml", gate)
    root = ElementTree.fromstring((folder / "gate.xml").read_bytes())
    (suite,) = root.findall("testsuite")
    assert root.tag == "testsuites"
    return suite


def outcomes(suite):
    """Return what each test case says, after checking that the suite counts them rightly."""
    listed = suite.findall("testcase")
    said = [next((child.tag for child in case), "passed") for case in listed]
    assert all(len(case) <= 1 and {"classname", "name"} <= set(case.keys()) for case in listed)
    counted = {"tests": len(said), **{name: said.count(name.removesuffix("s")) for name in ("failures", "errors")}}
    counted["skipped"] = said.count("skipped")
    assert {name: int(suite.get(name)) for name in counted} == counted
    return [(case.get("name"), tag) for case, tag in zip(listed, said, strict=True)]


def summary(folder, gate):
    append_summary(folder / "summary.md", gate)
    return (folder / "summary.md").read_text()


def test_junit_has_a_case_per_requirement_and_test(tmp_path):
    suite = junit(tmp_path, check(judged(ROWS), parse_conditions((), REQUIRED)))
    assert outcomes(suite) == [("in", "passed"), ("out", "failure"), ("between", "error")]
    assert {case.get("classname") for case in suite} == {f"--require {REQUIRED[0]}"}
    messages = [child.get("message") for case in suite for child in case]
    assert ["21" in messages[0], "12" in messages[1]] == [True, True]


@pytest.mark.parametrize(
    ("rows", "fail_on", "require", "expected"),
    [
        ([*ROWS[:1], skipped("gone")], (), REQUIRED, [("in", "passed"), ("gone", "error")]),
        ([skipped("gone")], (), REQUIRED, [("no finding", "error")]),
        (ROWS[:1], ["wefat:r>0"], (), [("no finding", "error")]),
        (
            [*ROWS[:1], skipped("gone")],
            ["weat:|size|>0.5"],
            (),
            [("in", "passed"), ("gone", "skipped")],
        ),
        (
            [paper("few", p_value=0.5, p_floor=0.2), paper("able", p_value=0.5)],
            ["weat:p<0.01"],
            (),
            [("able", "passed"), ("few", "skipped")],
        ),
    ],
)
def test_a_test_that_did_not_answer_is_an_error_only_where_it_had_to(tmp_path, rows, fail_on, require, expected):
    assert outcomes(junit(tmp_path, check(judged(rows), parse_conditions(fail_on, require)))) == expected


@given(
    st.lists(
        st.builds(
            lambda test, ends: association(test, *sorted(ends)) if ends else skipped(test),
            st.sampled_from("abcd"),
            st.none() | st.tuples(*[st.floats(-0.3, 0.3)] * 2),
        ),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from([((), REQUIRED), (["weat:|size|>0.1"], ()), (["weat:a:size>0"], REQUIRED)]),
)
def test_the_gravest_case_is_the_gates_verdict(rows, conditions):
    gate = check(judged(rows), parse_conditions(*conditions))
    found = {one.verdict for one in cases(gate)}
    assert gate.verdict == next(one for one in ("failed", "cannot tell", "passed") if one in found)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(), min_size=1, max_size=20), st.text(st.characters(), max_size=20))
def test_hostile_names_leave_both_files_whole(tmp_path, test, embedding):
    rows = [association(test, 0.05, 0.2, embedding=embedding), association("b", 0.2, 0.3, embedding="other")]
    gate = check(judged(rows), parse_conditions((), REQUIRED))
    assert [tag for _, tag in outcomes(junit(tmp_path, gate))] == ["error", "failure"]
    (tmp_path / "summary.md").unlink(missing_ok=True)
    table = [line for line in summary(tmp_path, gate).split("\n") if line.startswith("|")]
    assert [line.count("|") for line in table] == [5] * 4


def test_hostile_names_are_text_in_markup(tmp_path):
    name = '</testcase><x y="&z;">\x00\x1b[31m\ufffe\ud800|`$(id)`'
    gate = check(judged([association(name, 0.2, 0.3)]), parse_conditions((), REQUIRED))
    ((shown, _),) = outcomes(junit(tmp_path, gate))
    assert shown == '</testcase><x y="&z;">\\u0000\\u001b[31m\\ufffe\\ud800|`$(id)`'
    said = summary(tmp_path, gate)
    assert "<" not in said
    assert "`" not in said


def test_the_summary_has_the_verdict_and_a_line_per_requirement(tmp_path):
    path = tmp_path / "imprint.toml"
    path.write_text(
        'owner = "us"\nreason = "it ranks people"\n[[require]]\ntest = "caliskan-6"\nsize = 0.1\nreason = "a step"\n'
    )
    audit = make_row("audit", judged=True, controls=(PASSED,) * 5)
    gate = check([audit, association("caliskan-6", 0.05, 0.2)], (), imprint.policy(path))
    said = summary(tmp_path, gate)
    shown = ("cannot tell", "can be judged", "of us", "it ranks people", "a step")
    assert [one for one in shown if one not in said] == []
    said_of_it = (
        "| caliskan-6 | 12 % \\[5 to 20\\] | size must be below 10 % in either direction: a step | cannot tell |"
    )
    assert said_of_it in said.replace("\N{NO-BREAK SPACE}", " ")
    assert summary(tmp_path, gate) == said * 2


def test_a_subject_that_cannot_be_judged_passes_and_fails_nothing(tmp_path):
    audit = make_row("audit", judged=False, controls=(CONTROL,))
    gate = check([audit, *ROWS], parse_conditions(["weat:|size|>0.1"], REQUIRED))
    assert gate.exit_code == 3
    assert {tag for _, tag in outcomes(junit(tmp_path, gate))} == {"error"}
    assert [(row.failed, row.cannot_tell) for row in gate.findings()] == [(0, 3)] * 2
    said = summary(tmp_path, gate)
    assert all(shown in said for shown in (CONTROL.name, f"{CONTROL.value:.2f}", f"{CONTROL.least:.2f}"))
    assert said.count("the subject cannot be judged") == 6


@pytest.mark.parametrize("judged", [None, "no audit"])
def test_the_summary_says_where_nothing_is_known_of_the_controls(tmp_path, judged):
    about = [make_row("audit", judged=None)] if judged is None else []
    assert "is not known" in summary(tmp_path, check([*about, *ROWS], parse_conditions((), REQUIRED)))


def test_a_long_summary_shows_the_gravest_and_counts_the_rest(tmp_path):
    rows = [association(f"t{place}", 0, 0.01) for place in range(150)] + ROWS[1:2]
    said = summary(tmp_path, check(judged(rows), parse_conditions((), REQUIRED)))
    assert "51 more" in said
    assert said.index("| out |") < said.index("| t0 |")


def test_a_file_that_cannot_be_written_is_one_error(tmp_path):
    gate = check(judged(ROWS), parse_conditions((), REQUIRED))
    for write in (write_junit, append_summary):
        with refuses(ImprintError, "nowhere"):
            write(tmp_path / "nowhere" / "file", gate)
    (tmp_path / "gate.xml").write_text("old")
    write_junit(tmp_path / "gate.xml", gate)
    assert [one.name for one in tmp_path.iterdir()] == ["gate.xml"]


def test_both_read_as_before(tmp_path, snapshot):
    audit = make_row("audit", judged=True, controls=(PASSED,))
    conditions = parse_conditions(["weat:in:size>0.5", "weat:gone:p<0.01"], REQUIRED)
    gate = check([audit, *ROWS, skipped("gone")], conditions)
    junit(tmp_path, gate)
    assert f"{(tmp_path / 'gate.xml').read_text()}\n{summary(tmp_path, gate)}" == snapshot
