"""What a reader takes from findings into a paper: a table, a chart, and how it was measured."""

import csv
import re

import pytest
from msgspec.structs import replace
from refusals import refuses

from imprint import controls, run_battery, weat, write_csv, write_latex
from imprint.association.weat import WeatRow
from imprint.errors import ImprintError
from imprint.masking import Words
from imprint.render.numbers import plain
from imprint.reports.conclusions import methods_paragraph
from imprint.reports.latex import latex_table
from imprint.rows import RawRow, Row
from imprint.stimuli.catalog import catalogue, choose


@pytest.fixture(scope="module")
def found(bundled):
    return run_battery(bundled, choose(catalogue(), ("gender-career", "black-pleasant", "caliskan-[16]")))


def test_the_table_has_one_line_per_row_and_every_number(found, tmp_path):
    rows = found.findings()
    write_csv(tmp_path / "findings.csv", rows, all=True)
    with (tmp_path / "findings.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(rows)
    assert [line["size"] for line in lines] == [repr(row.size) for row in rows]
    assert [line["p_value"] for line in lines[:4]] == [repr(row.p_value) if row.p_value else "" for row in rows[:4]]
    assert "scores" not in lines[0]


def test_a_text_that_begins_like_a_formula_stays_a_text(tmp_path):
    write_csv(tmp_path / "hostile.csv", [Row(test="=cmd()", embedding="@x", embedding_sha256="0")])
    with (tmp_path / "hostile.csv").open(encoding="utf-8", newline="") as file:
        (line,) = csv.DictReader(file)
    assert (line["test"], line["embedding"]) == ("'=cmd()", "'@x")


def test_every_cell_is_quoted_and_headings_of_unknown_rows_are_texts_too(tmp_path):
    fields = {"kind": "odd", "=1+1": "a;=1+1", "@x": "\n=1+1", "fine": 1.5, "none": None}
    write_csv(tmp_path / "hostile.csv", [RawRow(test="t", embedding="e", embedding_sha256="0", fields=fields)])
    assert (tmp_path / "hostile.csv").read_text(encoding="utf-8") == (
        '"kind","\'=1+1","\'@x","fine"\n"odd","a;=1+1","\'\n=1+1","1.5"\n'
    )


def test_a_table_has_fifteen_columns_at_most_unless_all_are_asked_for(found, tmp_path):
    columns = {}
    for all_of_them in (False, True):
        write_csv(tmp_path / "table.csv", found.findings(), all=all_of_them)
        with (tmp_path / "table.csv").open(encoding="utf-8", newline="") as file:
            columns[all_of_them] = next(csv.reader(file))
    assert len(columns[False]) == 15
    assert {"test", "size", "size_low", "size_high", "outcome", "effect_size", "p_value"} < {*columns[False]}
    assert {*columns[False]} < {*columns[True]}


def test_a_latex_table_has_a_line_per_question_and_nothing_that_latex_would_run(found, tmp_path):
    rows = [replace(row, title=r"50 % & more_\input{x} ~^$#") for row in found.of(WeatRow)]
    write_latex(tmp_path / "answers.tex", rows)
    table = (tmp_path / "answers.tex").read_text()
    assert table == latex_table(rows)
    lines = [line for line in table.splitlines() if line.endswith(r"\\")][1:]
    asked = [row for row in rows if row.is_question]
    assert len(lines) == len(asked) == 2
    for line, row in zip(lines, asked, strict=True):
        assert f"${100 * row.size:.0f}$ [${100 * row.size_low:.0f}$, ${100 * row.size_high:.0f}$]" in line
        assert r"50 \% \& more\_\textbackslash{}input\{x\} \textasciitilde{}\textasciicircum{}\$\#" in line
        assert row.outcome in line
    cited = {key for keys in re.findall(r"\\cite\{(.*?)\}", table) for key in keys.split(",")}
    assert cited == {*re.findall(r"^@\w+\{(\w+),", (tmp_path / "answers.bib").read_text(), re.MULTILINE)}


def test_a_title_is_no_option_of_the_end_of_the_line_before(found):
    rows = [replace(row, title=title) for row, title in zip(found.of(WeatRow), ("[9cm] a", '*<|>"'), strict=False)]
    table = latex_table(rows)
    assert "{[}9cm] a &" in table
    assert r"{*}\textless{}\textbar{}\textgreater{}{''} &" in table
    assert not re.search(r"\\\\\s*[\[*]", table)


def test_citations_of_others_are_not_overwritten(found, tmp_path):
    (tmp_path / "paper.bib").write_text("@misc{mine, title = {Mine}}")
    for _ in range(2):
        with refuses(ImprintError, where=tmp_path / "paper.bib"):
            write_latex(tmp_path / "paper.tex", found)
    assert [path.name for path in tmp_path.iterdir()] == ["paper.bib"]
    for _ in range(2):
        write_latex(tmp_path / "answers.tex", found)
    with refuses(ImprintError, option="path"):
        write_latex(tmp_path / "table.bib", found)


def test_a_latex_table_needs_a_test_about_people():
    with pytest.raises(ImprintError):
        latex_table([Row(test="t", embedding="e", embedding_sha256="0")])


def test_the_paragraph_says_what_was_measured_and_what_decides(found):
    said = plain(methods_paragraph(found.findings()), Words())
    assert found.findings()[0].embedding in said
    assert "99.5 % interval over words" in said
    assert said.count("Word Embedding Association Test") == 1


def test_a_result_gives_its_main_chart(found):
    chart = found.chart().to_dict()
    assert chart["$schema"].endswith(".json")
    assert {key for key in ("layer", "mark", "vconcat", "hconcat") if key in chart}


def test_a_result_without_a_chart_says_so(bundled):
    with pytest.raises(ImprintError):
        controls(bundled).chart()


def test_each_row_of_one_result_is_drawn(bundled):
    assert weat(bundled, "caliskan-6").chart().to_dict()
