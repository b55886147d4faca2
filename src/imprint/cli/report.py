"""`imprint report`: the page of an audit drawn again from its findings, nothing computed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

import imprint
from imprint.checks import check_choice
from imprint.cli.options import FindingsArgument, with_settings
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
        from imprint.cli.console import note_missing_charts, open_in_browser

        note_missing_charts()
        if self.open:
            open_in_browser(page)


@with_settings
def report_command(
    findings: FindingsArgument,
    *,
    page: PageSettings,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the findings as a table, one line per row.")
    ] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="KIND", help="In the table, only rows of this kind, such as weat; may repeat."),
    ] = None,
    all_columns: Annotated[
        bool, typer.Option("--all", help="In the table, every column; otherwise at most 15.")
    ] = False,
    latex: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the answers as a LaTeX table, and its .bib beside.")
    ] = None,
    methods: Annotated[
        bool, typer.Option("--methods", help="Also print a paragraph for the methods section of a paper.")
    ] = False,
) -> None:
    """Write the page again from saved findings.

    The findings are those of an audit, or of any command's --json.
    """
    from imprint.cli.console import check_targets, print_answer, print_written
    from imprint.files import write_text
    from imprint.reports.latex import bibliography_of
    from imprint.reports.page import render_page

    rows = imprint.read_findings(findings)  # first: a page given instead is the wrong input, not the wrong output
    bibliography = None if latex is None else bibliography_of(latex)
    targets = {"--out": page.out, "--csv": csv, "--latex": latex, "the .bib beside --latex": bibliography}
    check_targets(targets, reading=[findings])
    for kind in kinds or ():
        check_choice("--kind", kind, dict.fromkeys(row.kind for row in rows))
    for option_name, given in (("--kind", kinds), ("--all", all_columns)):
        if given and csv is None:
            raise SettingError(
                f"{option_name} works with --csv only", option=option_name, got=given, hint="add --csv FILE"
            )
    if latex is not None:
        imprint.write_latex(latex, rows, unmask=page.unmask)
        print_written("LaTeX", latex)
    write_text(page.out, render_page(rows, unmask=page.unmask, file=findings))
    print_written("report", page.out)
    if csv is not None:
        imprint.write_csv(csv, (row for row in rows if not kinds or row.kind in kinds), all=all_columns)
        print_written("table", csv)
    if methods:
        from imprint.masking import Words
        from imprint.render.numbers import plain
        from imprint.reports.method import methods_paragraph

        print_answer(plain(methods_paragraph(rows), Words(unmask=page.unmask)))
    page.finish(page.out)
