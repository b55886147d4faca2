"""`imprint report`, `card` and `schema`: findings drawn and described again, nothing computed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

import imprint
from imprint.checks import check_choice
from imprint.cli import console
from imprint.cli.options import FindingsArgument
from imprint.errors import SettingError
from imprint.settings import option


@dataclass(frozen=True, kw_only=True)
class PageSettings:
    """The page that a command writes."""

    out: Annotated[Path, option("The page to write.")] = Path("report.html")
    unmask: Annotated[bool, option("Show slurs in full on the page.")] = False
    open: Annotated[bool, option("Open the page in your browser.")] = False

    def finish(self, page: Path) -> None:
        """Say so where charts are missing, and open the page where that was asked for."""
        console.note_missing_charts()
        if self.open:
            console.open_in_browser(page)


def report_command(
    findings: FindingsArgument,
    *,
    page: PageSettings,
    csv: Annotated[
        Path | None, option("Also write the findings as a table, one line per row.", metavar="FILE")
    ] = None,
    kinds: Annotated[
        Sequence[str] | None,
        option("In the table, only rows of this kind, such as weat; may repeat.", "--kind", metavar="KIND"),
    ] = None,
    all_columns: Annotated[bool, option("In the table, every column; otherwise at most 15.", "--all")] = False,
    latex: Annotated[
        Path | None, option("Also write the answers as a LaTeX table, and its .bib beside.", metavar="FILE")
    ] = None,
    methods: Annotated[bool, option("Also print a paragraph for the methods section of a paper.")] = False,
) -> None:
    """Write the page again from saved findings.

    The findings are those of an audit, or of any command's --json.
    """
    from imprint.files import write_text
    from imprint.reports.latex import bibliography_of
    from imprint.reports.page import render_page

    rows = imprint.read_findings(findings)  # first: a page given instead is the wrong input, not the wrong output
    bibliography = None if latex is None else bibliography_of(latex)
    targets = {"--out": page.out, "--csv": csv, "--latex": latex, "the .bib beside --latex": bibliography}
    console.check_targets(targets, reading=[findings])
    for kind in kinds or ():
        check_choice("--kind", kind, dict.fromkeys(row.kind for row in rows))
    for flag, given in (("--kind", kinds), ("--all", all_columns)):
        if given and csv is None:
            raise SettingError(f"{flag} works with --csv only", option=flag, got=given, hint="add --csv FILE")
    if latex is not None:
        imprint.write_latex(latex, rows, unmask=page.unmask)
        console.print_written("LaTeX", latex)
    write_text(page.out, render_page(rows, unmask=page.unmask, file=findings))
    console.print_written("report", page.out)
    if csv is not None:
        imprint.write_csv(csv, (row for row in rows if not kinds or row.kind in kinds), all=all_columns)
        console.print_written("table", csv)
    if methods:
        from imprint.masking import Words
        from imprint.render.numbers import plain
        from imprint.reports.conclusions import methods_paragraph

        console.print_answer(plain(methods_paragraph(rows), Words(unmask=page.unmask)))
    page.finish(page.out)


def card_command(
    findings: FindingsArgument,
    out: Annotated[Path | None, option("The file to write. [default: print it]", metavar="CARD.md")] = None,
    front_matter: Annotated[
        bool, typer.Option("--front-matter/--no-front-matter", help="Begin with Hugging Face's front matter.")
    ] = True,
) -> None:
    """Write a model card's section on bias from findings."""
    rows = imprint.read_findings(findings)  # first: a page given instead is the wrong input, not the wrong output
    console.check_targets({"--out": out}, reading=[findings])
    card = imprint.card(rows, out, front_matter=front_matter)
    if out is None:
        console.print_answer(card, end="")
    else:
        console.print_written("card", out)


def schema_command(
    kind: Annotated[str | None, typer.Argument(metavar="KIND", help="One kind, such as weat. [default: all]")] = None,
) -> None:
    """Print the JSON Schema of the rows in findings.jsonl."""
    import json

    console.print_answer(json.dumps(imprint.schema(kind), indent=2))
