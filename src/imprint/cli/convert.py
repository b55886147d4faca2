"""`imprint convert`: any embedding file into one that opens at once."""

from typing import Annotated

import typer

from imprint.cli.options import EmbeddingArgument, TargetArgument


def convert_command(
    embedding: EmbeddingArgument,
    target: TargetArgument,
    half: Annotated[bool, typer.Option("--half", help="Store float16: half the size, cosines good to 1e-3.")] = False,
) -> None:
    """Write an embedding as safetensors, which opens at once.

    The file holds the vocabulary too, and opens by mapping memory.
    """
    from imprint.cli.console import check_target, open_embedding, print_note, progress_bar
    from imprint.embeddings.convert import check_name, convert

    check_target(target, reading=embedding)
    check_name(target)
    opened = open_embedding(embedding)
    with progress_bar(f"writing {target}") as report:
        convert(opened, target, half=half, progress=report)
    print_note(f"{len(opened):,} words of {opened.dimension} dimensions written to {target}")
