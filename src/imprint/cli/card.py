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
    from imprint.cli.console import check_target, print_answer, print_written
    from imprint.files import replacing
    from imprint.reports.card import render_card

    rows = imprint.read_findings(findings)
    if out is not None:
        check_target(out, reading=str(findings))
    card = render_card(rows, front_matter=front_matter)
    if out is None:
        print_answer(card, end="")
        return
    with replacing(out) as part:
        # A path that is not text (Linux allows it) comes as lone surrogates, which UTF-8 cannot write.
        part.write_text(card, encoding="utf-8", errors="backslashreplace", newline="\n")
    print_written("card", out)
