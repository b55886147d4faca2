"""`imprint analogies`: which words are to each other as he is to she?"""

from typing import Annotated

import typer

import imprint
from imprint.checks import PairScore
from imprint.cli.options import AxisOption, EmbeddingArgument, JsonOption, PairsOption, pairs_given

CONTENT_NOTE = "These analogies are the embedding's own. Many are offensive, and none is a fact about anybody."


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
    score: Annotated[
        PairScore, typer.Option(help="How pairs are scored: by their difference, or by products of similarities.")
    ] = "difference",
    unmask: Annotated[bool, typer.Option("--unmask", help="Print slurs in full.")] = False,
    json: JsonOption = False,
) -> None:
    """Find pairs of words that differ as he and she do.

    He is to she as surgeon is to nurse; --axis asks about other words. All pairs of the vocabulary are compared.
    Many of the analogies are offensive: they are the embedding's own.
    """
    from imprint.cli.console import open_embedding, print_note, progress_bar, show_findings

    chosen = pairs_given(axis, pairs)
    opened = open_embedding(embedding)
    direction = imprint.pair_axis(opened, chosen)
    with progress_bar("comparing all pairs") as report:
        found = imprint.analogies(
            opened,
            direction,
            k=k,
            delta=delta,
            words=words,
            names=not no_names,
            neutral=neutral,
            score=score,
            progress=report,
        )
    show_findings(found.findings(), json=json, unmask=unmask, note=CONTENT_NOTE if found.pairs else "")
    if len(found.pairs) < k:
        print_note(
            f"found {len(found.pairs):,} of {k:,} analogies: no other words within {delta:g} differ along the axis"
        )
