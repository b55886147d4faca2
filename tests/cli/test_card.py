"""The card as a person makes it: printed or written, never over its findings."""

from functools import partial
from pathlib import Path

import pytest
from made_rows import make_row
from refusals import refuses

from imprint.cli.findings import PageSettings, card_command, report_command
from imprint.errors import ImprintError
from imprint.reports.card import FRONT_MATTER, HEADING
from imprint.writing import write_findings


@pytest.fixture
def rows(tmp_path):
    write_findings(tmp_path / "f.jsonl", [make_row("weat", effect_size=0.2, p_value=0.02)])
    return tmp_path / "f.jsonl"


def test_the_card_is_printed_or_written_the_same(in_process, rows, tmp_path):
    printed, written = in_process("card", rows), in_process("card", rows, "--out", "CARD.md")
    assert (printed.returncode, printed.stderr) == (0, "")
    front, _, section = printed.stdout.partition(HEADING)
    assert front == "\n".join((*FRONT_MATTER, ""))
    assert in_process("card", rows, "--no-front-matter").stdout == HEADING + section
    assert written.stdout == "card: CARD.md\n"
    assert (tmp_path / "CARD.md").read_text() == printed.stdout


def test_a_page_given_for_findings_is_the_wrong_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = Path("report.html")
    page.write_text("<!doctype html>\n")
    for command in (partial(report_command, page=PageSettings(out=page)), partial(card_command, out=page)):
        with refuses(ImprintError, "JSON", "findings.jsonl", where=(page, 1)):
            command(findings=page)
    assert page.read_text() == "<!doctype html>\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["f.jsonl", "--out", "f.jsonl"], "f.jsonl"),
        (["f.jsonl", "--out", "no/such/CARD.md"], "no/such/CARD.md"),
        (["nowhere.jsonl"], "nowhere.jsonl"),
        (["empty.jsonl"], "no findings"),
    ],
)
def test_what_cannot_be_is_one_line(in_process, rows, tmp_path, arguments, message):
    (tmp_path / "empty.jsonl").write_text("")
    before = rows.read_bytes()
    result = in_process("card", *arguments)
    assert (result.returncode, result.stdout) == (1, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert rows.read_bytes() == before
