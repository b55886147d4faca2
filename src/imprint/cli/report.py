"""`imprint report`: the page of an audit drawn again from its findings, nothing computed."""

from pathlib import Path
from typing import Annotated

import typer

import imprint
from imprint.checks import check_choice
from imprint.cli.audit import OpenOption, OutOption, UnmaskOption
from imprint.cli.options import FindingsArgument
from imprint.errors import SettingError


def report_command(
    findings: FindingsArgument,
    out: OutOption = Path("report.html"),
    unmask: UnmaskOption = False,
    open_page: OpenOption = False,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the findings as a table, one line per row.")
    ] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="KIND", help="In the table, only rows of this kind, such as weat; may repeat."),
    ] = None,
    methods: Annotated[
        bool, typer.Option("--methods", help="Also print a paragraph for the methods section of a paper.")
    ] = False,
) -> None:
    """Write the page again from saved findings.

    The findings are those of an audit, or of any command's --json.
    """
    from imprint.cli.console import (
        check_targets,
        note_missing_charts,
        open_in_browser,
        print_answer,
        print_written,
    )

    rows = imprint.read_findings(findings)  # first: a page given instead is the wrong input, not the wrong output
    check_targets({"--out": out, "--csv": csv}, reading=[str(findings)])
    for kind in kinds or ():
        check_choice("--kind", kind, dict.fromkeys(row.kind for row in rows))
    if kinds and csv is None:
        raise SettingError("--kind works with --csv only", option="--kind", got=kinds, hint="add --csv FILE")
    imprint.write_page(out, rows, unmask=unmask)
    print_written("report", out)
    if csv is not None:
        imprint.write_csv(csv, (row for row in rows if not kinds or row.kind in kinds))
        print_written("table", csv)
    if methods:
        from imprint.masking import Words
        from imprint.render.numbers import plain
        from imprint.reports.method import methods_paragraph

        print_answer(plain(methods_paragraph(rows), Words(unmask=unmask)))
    note_missing_charts()
    if open_page:
        open_in_browser(out)
