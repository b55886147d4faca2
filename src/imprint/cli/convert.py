"""`imprint convert`: any embedding file into one that opens at once, or one that other tools read."""

from pathlib import Path
from typing import Annotated

import typer

from imprint.cli.options import EmbeddingArgument, FormatOption


def convert_command(
    embedding: EmbeddingArgument,
    target: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="The file to write: .safetensors, .txt, .vec, .bin or .kv."),
    ],
    form: FormatOption = None,
    half: Annotated[bool, typer.Option("--half", help="Store float16: half the size, cosines good to 1e-3.")] = False,
) -> None:
    """Write an embedding in another format.

    A safetensors file holds the vocabulary too, and opens at once by mapping memory. The others are for other tools.
    """
    from imprint.cli.console import check_target, open_embedding, print_note, progress_bar
    from imprint.embeddings.convert import choose_format, convert

    check_target(target, reading=embedding)
    choose_format(target, form, half=half)
    opened = open_embedding(embedding)
    with progress_bar(f"writing {target}") as report:
        convert(opened, target, format=form, half=half, progress=report)
    print_note(f"{len(opened):,} words of {opened.dimension} dimensions written to {target}")
