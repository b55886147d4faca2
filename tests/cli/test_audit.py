"""The main job as a person runs it: what it prints, what it writes, and what it refuses."""

import csv
import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pytest

from imprint.kinds.findings import read_findings
from imprint.masking import Words
from imprint.render.numbers import plain
from imprint.reports.page import render_page
from imprint.reports.summary import verdict
from imprint.stimuli.published import published_pair

IMPRINT = Path(sys.executable).with_name("imprint")


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Run the quick audit of the bundled embedding once, where other findings lay before."""
    folder = tmp_path_factory.mktemp("audit")
    (folder / "findings.jsonl").write_text("old")
    command = [str(IMPRINT), "audit", "default", "--quick"]
    return folder, subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)


@pytest.fixture
def tiny(tmp_path):
    """Words with hardly any that a part could use: every command ends at once."""
    rows = np.random.default_rng(0).normal(size=(40, 5))
    words = ["he", "she", "nurse", "engineer", "king", "queen", *(f"word{number}" for number in range(34))]
    path = tmp_path / "tiny.txt"
    path.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in zip(words, rows, strict=True)))
    return path


def test_the_audit_writes_a_page_and_findings_and_ends_with_the_path(quick):
    folder, result = quick
    assert result.returncode == 0, result.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["findings.jsonl", "report.html"]
    assert result.stdout.splitlines()[-1] == "report: report.html"
    findings = read_findings(folder / "findings.jsonl")
    assert result.stderr.count("findings.jsonl") == 2, "where they are, and that others were replaced"
    assert [row.test for row in findings if row.kind == "part" and row.ran] == [
        "weat", "calibration", "wefat", "directions", "enumeration", "analogies", "debiasing", "benchmarks",
    ]  # fmt: skip


def test_the_summary_is_short_plain_and_made_of_findings(quick):
    folder, result = quick
    sentences = [line for line in result.stdout.splitlines()[:-1] if not line.startswith("  ")]
    assert 6 <= len(sentences) <= 12
    assert not re.search("<[a-z/]", result.stdout)
    findings = read_findings(folder / "findings.jsonl")
    assert findings[0].judged is True
    opening = " ".join(plain(verdict(findings), Words()).split())
    assert " ".join(result.stdout.split()).startswith(opening)
    asked = [row for row in findings if row.kind == row.part == "weat" and row.is_question]
    found = {row.set_name(role) for row in asked if row.outcome == "substantial" for role in "xy"}
    assert found
    assert all(name in opening for name in found), "the verdict is about what is substantial"
    (counts,) = (line for line in sentences if line.startswith("Gender: "))
    assert f"{sum(row.outcome == 'substantial' for row in asked)} substantial" in counts


def test_the_page_can_be_drawn_again_from_the_findings_alone(quick, tmp_path, in_process):
    folder, _ = quick
    result = in_process("report", folder / "findings.jsonl", "--out", "again.html")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "report: again.html\n"
    assert (tmp_path / "again.html").read_bytes() == (folder / "report.html").read_bytes()


def test_the_table_can_be_of_one_kind_with_its_columns_alone(quick, tmp_path, in_process):
    findings = quick[0] / "findings.jsonl"
    assert in_process("report", findings, "--csv", "weat.csv", "--kind", "weat").returncode == 0
    with (tmp_path / "weat.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    asked = [row for row in read_findings(findings) if row.kind == "weat"]
    assert [line["test"] for line in lines] == [row.test for row in asked]
    assert set(lines[0]) <= set(asked[0].to_dict())
    for wrong in (("--csv", "x.csv", "--kind", "wea"), ("--kind", "weat")):
        refused = in_process("report", findings, *wrong)
        assert (refused.returncode, "--kind" in refused.stderr) == (1, True)


def numbers_in(thing):
    """Every number of the data, and how many things each list has."""
    if isinstance(thing, dict):
        for value in thing.values():
            yield from numbers_in(value)
        yield len(thing)
    elif isinstance(thing, list):
        for value in thing:
            yield from numbers_in(value)
        yield len(thing)
    elif isinstance(thing, int | float) and not isinstance(thing, bool):
        yield thing
    elif isinstance(thing, str) and thing.isdecimal():
        yield int(thing)


def test_every_number_on_the_page_is_in_the_findings(quick):
    folder, _ = quick
    rows = [json.loads(line) for line in (folder / "findings.jsonl").read_text().splitlines()]
    known = {repr(number) for row in rows for number in numbers_in(row)}
    # A sentence that names the group that is nearer first says by how much, without the sign.
    turned = [row for row in rows if row["kind"] == "weat" and row["is_question"] and row["size"] < 0]
    known |= {repr(-row[key]) for row in turned for key in ("size", "size_low", "size_high")}
    page = (folder / "report.html").read_text()
    shown = re.findall(r'<data value="([^"]*)">', page)
    assert len(shown) > 2_000
    assert [number for number in shown if number not in known] == []


def test_no_measured_number_is_unmarked_on_the_page(quick):
    """Cells of tables that hold a number and nothing else are all marked as data, but for those of papers."""
    folder, _ = quick
    page = (folder / "report.html").read_text()
    cells = re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", page, flags=re.DOTALL)
    assert len(cells) > 2_000
    papers = {f"{value:g}" for words in ("held-out", "background") for value in published_pair(f"bolukbasi-{words}")}
    bare = [cell for cell in cells if re.fullmatch(r"\s*[-−]?\d[\d,]*(\.\d+)?(e-?\d+)?\s*%?\s*", cell)]
    assert set(bare) <= papers


def test_slurs_are_shown_when_asked_for(quick, tmp_path, in_process):
    folder, _ = quick
    assert in_process("report", folder / "findings.jsonl", "--unmask").returncode == 0
    shown = (tmp_path / "report.html").read_text()
    assert shown == render_page(read_findings(folder / "findings.jsonl"), unmask=True, file="findings.jsonl")


def test_parts_that_cannot_run_say_why_and_json_is_all_that_is_printed(in_process, tiny, tmp_path):
    (tmp_path / "kept").mkdir()
    result = in_process(
        "audit", tiny, "--json", "--debias", "none", "--quick", "--out", "p.html", "--findings", "kept/f.jsonl"
    )
    assert result.returncode == 3, result.stderr
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.stdout == (tmp_path / "kept" / "f.jsonl").read_text()
    parts = {row["test"]: row for row in rows if row["kind"] == "part"}
    assert parts["analogies"]["ran"]
    assert parts["weat"]["why"].startswith("tiny: ")
    assert (parts["debiasing"]["ran"], parts["debiasing"]["why"]) == (False, None)
    assert "report: p.html" in result.stderr
    assert "tests can be run" in (tmp_path / "p.html").read_text()


def test_an_encoder_and_another_embedding_are_asked_too(in_process, tiny, tmp_path, monkeypatch):
    monkeypatch.setenv("IMPRINT_CACHE", str(tmp_path))
    other = tmp_path / "other.txt"
    other.write_text(tiny.read_text().replace("word1 ", "word0x "))
    result = in_process("audit", tiny, "--quick", "--encoder", tiny, "--against", other, "--json")
    assert result.returncode == 3, result.stderr
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert rows[0]["settings"]["encoder"] == "tiny"
    assert rows[0]["settings"]["against"] == "other"
    why = {row["test"]: row["why"] for row in rows if row["kind"] == "part"}
    assert "none of" in why["seat"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--debias", "soft"], "debias"),
        (["--rotations", "10"], "--rotations"),
        (["--alpha", "0.05"], "--alpha"),
        (["--language", "fr"], "language"),
        (["--out", "."], "."),
        (["--out", "no/such/report.html"], "no/such/report.html"),
        (["--findings", "no/such/f.jsonl"], "no/such/f.jsonl"),
        (["--out", "x.html", "--findings", "x.html"], "x.html"),
        (["--out", "tiny.txt"], "tiny.txt"),
        (["--against", "other.txt", "--findings", "other.txt"], "other.txt"),
        (["--encoder", "nowhere"], "nowhere"),
        (["--against", "nowhere.txt"], "nowhere.txt"),
    ],
)
def test_bad_options_are_one_line_and_nothing_is_written(in_process, tiny, tmp_path, options, message):
    (tmp_path / "other.txt").write_text(tiny.read_text())
    before = sorted(tmp_path.iterdir())
    result = in_process("audit", tiny, *options)
    assert (result.returncode, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert message in result.stderr
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{}\n", "line 1"),
        (b"not json\n", "line 1"),
        (b"[1, 2]\n", "line 1"),
        (b"\xff\xfe\n", "f.jsonl"),
        (b"", "no findings"),
        (None, "f.jsonl"),
    ],
)
def test_a_file_without_findings_is_one_line(in_process, tmp_path, content, message):
    path = tmp_path / "f.jsonl"
    if content is not None:
        path.write_bytes(content)
    result = in_process("report", path)
    assert (result.returncode, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert message in result.stderr
    assert not (tmp_path / "report.html").exists()


def test_a_page_is_not_written_over_its_findings(in_process, quick):
    path = quick[0] / "findings.jsonl"
    before = path.read_bytes()
    result = in_process("report", path, "--out", path)
    assert result.returncode == 1
    assert str(path) in result.stderr
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("weat:caliskan-66:p<0.01", "'caliskan-6'"),
        ("seat:nothing-like-it:p<0.01", "imprint stimuli"),
    ],
)
def test_a_condition_on_a_test_that_nobody_knows_is_refused_before_the_work(condition, said, tmp_path):
    command = [str(IMPRINT), "audit", "default", "--fail-on", condition]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (result.returncode, result.stdout) == (1, "")
    assert said in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def server():
    program = Path(__file__).parents[1] / "encoders" / "embedding_server.py"
    process = subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True)
    yield f"http://127.0.0.1:{int(process.stdout.readline())}/audited"
    process.kill()
    process.communicate()


def sent(server):
    with urllib.request.urlopen(f"{server}/log") as log:
        return sum(len(request["input"]) for request in json.load(log))


def test_an_audit_that_could_ask_nothing_about_people_exits_with_3_and_says_why(imprint, server):
    options = ("--model", "use-multilingual", "--no-cache", "--timeout", "60")
    result = imprint("audit", server, *options, "--quick", "--max-texts", "800")
    assert result.returncode == 3
    assert result.stdout.startswith("No test about people was run: ")
    assert result.stderr.splitlines()[0] == "use-multilingual: 698 texts will be sent"
    assert sent(server) == 698


@pytest.mark.slow
def test_a_quick_audit_of_a_server_says_first_how_many_texts_it_sends(imprint, server):
    options = ("--model", "use-multilingual", "--no-cache", "--timeout", "60", "--batch", "512")
    result = imprint("audit", server, *options, "--quick")
    assert result.returncode == 0, result.stderr
    (said,) = re.findall(r"([\d,]+) texts will be sent", result.stderr)
    assert int(said.replace(",", "")) == sent(server) <= 8_000
    assert re.search(r"\d of 10 answers (is|are) present or substantial", result.stdout)
