"""`imprint analogies`: which words are to each other as he is to she?"""

from typing import Annotated

import typer

import imprint
from imprint.cli.options import AxisOption, EmbeddingArgument, JsonOption, PairsOption, pairs_given

CONTENT_NOTE = (
    "These analogies come from the embedding. Many are offensive, and none is a fact about anyone. Slurs are masked; "
    "--unmask prints them. --json masks nothing."
)


def analogies_command(
    embedding: EmbeddingArgument,
    axis: AxisOption = None,
    pairs: PairsOption = None,
    k: Annotated[int, typer.Option(help="Analogies to find.")] = 30,
    delta: Annotated[float, typer.Option(help="How far apart two words may be, at unit length.")] = 1.0,
    words: Annotated[int, typer.Option(help="Most frequent entries to pair.")] = 50_000,
    no_names: Annotated[bool, typer.Option("--no-names", help="Leave out entries that are US first names.")] = False,
    neutral: Annotated[
        bool, typer.Option("--neutral", help="Leave out the axis' own words and a list of words gendered by meaning.")
    ] = False,
    unmask: Annotated[bool, typer.Option("--unmask", help="Print slurs in full.")] = False,
    json: JsonOption = False,
) -> None:
    """Find the pairs of words that differ as the two ends of an axis do: he is to she as surgeon is to nurse.

    All pairs of the vocabulary are compared. Many of the analogies are offensive. They come from the embedding.
    """
    from imprint.cli.console import open_embedding, print_note, progress_bar, show_findings
    from imprint.render.terminal import draw_text

    chosen = pairs_given(axis, pairs)
    opened = open_embedding(embedding)
    direction = imprint.pair_axis(opened, chosen)
    with progress_bar("comparing all pairs") as report:
        found = imprint.analogies(
            opened, direction, k=k, delta=delta, words=words, names=not no_names, neutral=neutral, progress=report
        )
    if not json:
        print_note(draw_text(CONTENT_NOTE))
    show_findings(found.findings(), json=json, unmask=unmask)
    if len(found.pairs) < k:
        print_note(
            f"found {len(found.pairs):,} of {k:,} analogies: no other words within {delta:g} differ along the axis"
        )
