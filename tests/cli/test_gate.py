"""A pipeline's view: conditions in, an exit code and a few lines out."""

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from made_rows import judged, make_row
from refusals import refuses
from systems import posix

import imprint
from imprint.errors import SettingError
from imprint.evaluation.controls import control_words
from imprint.kinds.findings import read_findings
from imprint.stimuli.catalog import catalogue, choose
from imprint.stimuli.definition import words_of
from imprint.subjects.opening import load
from imprint.writing import write_findings

IMPRINT = Path(sys.executable).with_name("imprint")
OLD = Path(__file__).parents[1] / "policy" / "findings-schema-2.jsonl"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The bundled embedding's words of some tests about gender, and of the controls: little else can run."""
    bundled = load("default")
    asked = words_of(choose(catalogue(), ("gender-career", "caliskan-[678]"))) | control_words()
    words = sorted({word.lower() for word in asked} & bundled.index.keys())
    path = tmp_path_factory.mktemp("small") / "small.txt"
    rows = (f"{word} {' '.join(map(str, bundled.vectors[bundled.index[word]].tolist()))}\n" for word in words)
    path.write_text("".join(rows))
    return path


@pytest.fixture
def rows(tmp_path):
    """Findings: a published test with a p of 0.02, and a question with a size surely between -1 % and 3 %."""
    published = make_row("weat", effect_size=0.2, **dict.fromkeys(("p_value", "p_low", "p_high"), 0.02))
    sizes = {"size": 0.01, "size_low": -0.01, "size_high": 0.03}
    question = make_row("weat", test="gender-career", is_question=True, **sizes)
    write_findings(tmp_path / "f.jsonl", judged([published, question]))
    return tmp_path / "f.jsonl"


def test_a_topic_that_does_not_exist_is_a_mistake_and_one_that_was_not_measured_is_undecided(rows):
    condition = "topic:{}:|size|<0.05"
    with refuses(SettingError, option="--require", got=condition.format("gander"), hint="did you mean 'gender'?"):
        imprint.gate(rows, require=[condition.format("gander")])
    own = make_row("weat", topics=("gardening",))
    write_findings(rows, [*read_findings(rows), own])
    for known in ("gender", "gend*", "gardening"):
        assert imprint.gate(rows, require=[condition.format(known)]).exit_code == 3


@posix
@pytest.mark.parametrize("form", [(), ("--json",)])
@pytest.mark.parametrize(
    ("condition", "code"),
    [
        (("--fail-on", "weat:p<0.05"), 2),
        (("--fail-on", "weat:p<0.001"), 0),
        (("--require", "topic:gender:|size|<0.05"), 3),
    ],
)
def test_a_verdict_reaches_the_pipeline_although_nobody_reads_the_sentences(rows, condition, code, form):
    reader, writer = os.pipe()
    os.close(reader)
    command = [str(IMPRINT), "gate", str(rows), *condition, *form, "--junit", str(rows.with_name("gate.xml"))]
    ended = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (code, "")
    assert ElementTree.parse(rows.with_name("gate.xml")).getroot().tag == "testsuites"


def audit(in_process, path, *conditions):
    return in_process("audit", path, "--quick", "--debias", "none", "--topic", "gender", *conditions)


def test_a_condition_that_holds_ends_the_audit_with_two_and_opens_the_page(in_process, small, tmp_path):
    margin = "weat:gender-career:|size|<0.1"
    files = ["--junit", "gate.xml", "--summary", "summary.md"]
    result = audit(in_process, small, "--fail-on", "weat:p<0.001", "--require", margin, *files)
    assert result.returncode == 2, result.stderr
    (suite,) = ElementTree.parse(tmp_path / "gate.xml").getroot()
    assert int(suite.get("failures")) > 0
    assert "## imprint: failed" in (tmp_path / "summary.md").read_text()
    assert "weat:p<0.001" in result.stderr
    assert "7.77e-05" in result.stderr
    assert result.stdout.splitlines()[-1] == "report: report.html"
    gates = [row for row in read_findings(tmp_path / "findings.jsonl") if row.kind == "gate"]
    assert [row.test for row in gates] == ["weat:p<0.001", margin]
    assert [row.verdict for row in gates] == ["failed", "failed"]
    (career,) = gates[1].outcomes
    assert 0.1 < career.low < career.value < career.high
    assert "caliskan-6" in [one.test for one in gates[0].outcomes if one.verdict == "failed"]
    page = (tmp_path / "report.html").read_text()
    opens = ('<section id="gate">', f"--require {margin.replace('<', '&lt;')}", '<section id="weat">')
    assert [page.index(one) for one in opens] == sorted(map(page.index, opens))
    assert in_process("report", "findings.jsonl").returncode == 0
    assert (tmp_path / "report.html").read_text() == page


@pytest.mark.parametrize(
    ("conditions", "code", "line"),
    [
        (["--require", "weat:gender-career:|size|<0.5"], 0, "weat:gender-career:"),
        (["--fail-on", "weat:caliskan-9:p<0.01"], 3, "weat:caliskan-9:"),
    ],
)
def test_every_audit_writes_its_findings_and_ends_with_its_code(in_process, small, tmp_path, conditions, code, line):
    result = audit(in_process, small, "--json", *conditions)
    assert result.returncode == code, result.stderr
    assert line in result.stderr
    assert result.stdout == (tmp_path / "findings.jsonl").read_text()
    assert json.loads(result.stdout.splitlines()[1])["kind"] == "gate"
    assert (tmp_path / "report.html").exists()
    assert in_process("gate", "findings.jsonl", *conditions).returncode == code


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        (["--fail-on", "p<0.01"], "KIND[:TEST]:FIELD OP NUMBER"),
        (["--fail-on", "weat:p<0.01", "--require", "weat:p>0.05"], "weat:p>0.05"),
        (["--fail-on", "waet:p<0.01"], "waet"),
        (["--fail-on", "weat:mean_diference<0.01"], "mean_difference"),
        (["--fail-on", "weat:p_holm<0.01"], "weat has no field 'p_holm'"),
    ],
)
def test_a_malformed_condition_is_one_line_before_anything_is_read(in_process, tmp_path, conditions, message):
    for command in (["audit", "default"], ["gate", os.devnull]):
        result = in_process(*command, *conditions)
        assert (result.returncode, result.stdout) == (1, "")
        assert len(result.stderr.splitlines()) == 1
        assert message in result.stderr
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("conditions", "code"),
    [
        (["--fail-on", "weat:p<0.01"], 0),
        (["--fail-on", "weat:p<0.05"], 2),
        (["--fail-on", "weat:gender-career:p<0.05"], 3),
        (["--require", "weat:|size|<0.05"], 0),
        (["--require", "weat:|size|<0.02"], 3),
        (["--require", "weat:size>0.05"], 2),
        (["--require", "weat:|size|<0.02", "--fail-on", "weat:p<0.05"], 2),
    ],
)
def test_a_file_of_findings_is_held_against_conditions(in_process, rows, conditions, code):
    result = in_process("gate", rows, *conditions)
    assert (result.returncode, result.stderr) == (code, "")
    assert result.stdout.startswith({0: "Passed: ", 2: "Failed: ", 3: "Cannot tell: "}[code])
    as_json = in_process("gate", rows, *conditions, "--json")
    assert as_json.returncode == code
    assert {json.loads(line)["kind"] for line in as_json.stdout.splitlines()} == {"gate"}


def test_verdicts_are_written_where_they_are_asked_for(in_process, rows, tmp_path):
    (tmp_path / "summary.md").write_text("Built.\n")
    for margin, code in ((0.05, 0), (0.02, 3)):
        condition = f"weat:|size|<{margin}"
        files = ["--junit", "gate.xml", "--summary", "summary.md"]
        assert in_process("gate", rows, "--require", condition, *files).returncode == code
        (suite,) = ElementTree.parse(tmp_path / "gate.xml").getroot()
        assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "0", "1" if code else "0")
    headings = [line for line in (tmp_path / "summary.md").read_text().splitlines() if line[:1] in ("#", "B")]
    assert headings == ["Built.", "## imprint: passed", "## imprint: cannot tell"]


def test_no_output_takes_the_place_of_another_file(in_process, rows, tmp_path):
    policy = tmp_path / "imprint.toml"
    policy.write_text('[[require]]\ntopic = "gender"\nsize = 0.1\n')
    for files, mentioned in (
        (["--junit", rows], "f.jsonl"),
        (["--summary", policy], "imprint.toml"),
        (["--junit", "same", "--summary", "same"], "--junit"),
        (["--junit", "nowhere/gate.xml"], "nowhere"),
    ):
        before = {path: path.read_bytes() for path in tmp_path.iterdir()}
        result = in_process("gate", rows, "--policy", policy, *files)
        assert (result.returncode, result.stdout) == (1, "")
        assert mentioned in result.stderr
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "mentioned"),
    [
        (["--junit", "gate.xml"], "--junit"),
        (["--summary", "summary.md"], "--summary"),
        (["--require", "topic:gendr:|size|<0.1"], "gender"),
        (["--require", "similarity:ws-354:spearman>0.4"], "ws-353"),
        (["--policy", "imprint.toml"], "ws-353"),
    ],
)
def test_an_audit_refuses_what_it_cannot_decide_before_it_starts(in_process, tmp_path, arguments, mentioned):
    (tmp_path / "imprint.toml").write_text('[[require]]\nbenchmark = "ws-354"\nleast = 0.4\n')
    result = in_process("audit", "default", *arguments)
    assert (result.returncode, result.stdout) == (1, "")
    assert mentioned in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["imprint.toml"]


def test_a_gate_without_conditions_or_findings_is_an_error(in_process, rows, tmp_path):
    (tmp_path / "empty.jsonl").write_text("")
    for arguments, message in (
        ([rows], "--fail-on"),
        (["empty.jsonl", "--fail-on", "weat:p<0.01"], "no findings"),
        (["nowhere.jsonl", "--fail-on", "weat:p<0.01"], "nowhere.jsonl"),
    ):
        result = in_process("gate", *arguments)
        assert (result.returncode, result.stdout) == (1, "")
        assert message in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_a_policy_that_cannot_be_written_is_named(in_process, tmp_path):
    path = tmp_path / ("long" * 100)
    refused = in_process("policy", "init", path)
    assert refused.returncode == 1
    assert refused.stderr.startswith(f"imprint: {path}: ")


def test_findings_of_an_older_schema_are_tables_and_decide_nothing(in_process, tmp_path):
    result = in_process("gate", OLD, "--require", "weat:gender-career:|size|<0.1")
    assert result.returncode == 3
    assert "run the audit again" in result.stdout
    assert in_process("report", OLD, "--out", "old.html").returncode == 0
    page = (tmp_path / "old.html").read_text()
    old = [json.loads(line) for line in OLD.read_text().splitlines()]
    assert all(f"{row['embedding']}" in page and f"{row['test']}" in page for row in old)
