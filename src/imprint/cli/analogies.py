"""`imprint analogies`: which words are to each other as he is to she?"""

from dataclasses import asdict
from typing import Annotated

import typer

import imprint
from imprint.cli.options import AxisOption, EmbeddingArgument, JsonOption, PairsOption, pairs_given, with_settings
from imprint.directions.settings import AnalogySettings

CONTENT_NOTE = "These analogies are the embedding's own. Many are offensive, and none is a fact about anybody."


@with_settings
def analogies_command(
    embedding: EmbeddingArgument,
    axis: AxisOption = None,
    pairs: PairsOption = None,
    *,
    settings: AnalogySettings,
    unmask: Annotated[bool, typer.Option("--unmask", help="Print slurs in full.")] = False,
    json: JsonOption = False,
) -> None:
    """Find pairs of words that differ as he and she do.

    He is to she as surgeon is to nurse; --axis asks about other words. All pairs of the vocabulary are compared.
    Many of the analogies are offensive: they are the embedding's own.
    """
    from imprint.cli.console import open_embedding, print_note, progress_bar, show_findings

    ends = pairs_given(axis, pairs)
    opened = open_embedding(embedding)
    with progress_bar("comparing all pairs") as report:
        found = imprint.analogies(opened, ends, **asdict(settings), progress=report)
    show_findings(found.findings(), json=json, unmask=unmask, note=CONTENT_NOTE if found else "")
    if len(found) < settings.k:
        print_note(
            f"found {len(found):,} of {settings.k:,} analogies: no other words within {settings.delta:g} differ along "
            "the axis"
        )
