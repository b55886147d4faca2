"""`imprint card`: the section on bias of a model card, written from findings, nothing computed."""

from pathlib import Path
from typing import Annotated

import typer

import imprint
from imprint.cli.options import FindingsArgument


def card_command(
    findings: FindingsArgument,
    out: Annotated[Path | None, typer.Option(metavar="CARD.md", help="The file to write. [default: print it]")] = None,
    front_matter: Annotated[
        bool, typer.Option("--front-matter/--no-front-matter", help="Begin with Hugging Face's front matter.")
    ] = True,
) -> None:
    """Write a model card's section on bias from findings."""
    from imprint.cli.console import check_targets, print_answer, print_written

    rows = imprint.read_findings(findings)  # first: a page given instead is the wrong input, not the wrong output
    check_targets({"--out": out}, reading=[findings])
    card = imprint.card(rows, out, front_matter=front_matter)
    if out is None:
        print_answer(card, end="")
    else:
        print_written("card", out)
