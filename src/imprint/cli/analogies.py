"""`imprint analogies`: which words are to each other as he is to she?"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from imprint.cli.options import DEFAULT_PAIR, AxisOption, EmbeddingArgument, JsonOption
from imprint.errors import SettingError

if TYPE_CHECKING:
    from imprint.directions.analogies import Analogies

DEFAULT_PAIRS = "default"

LEGEND = (
    "Score: cosine of the difference between the two words with the axis, 1 at most. Distance: between them, at unit\n"
    "length. No word comes first twice, none comes second twice: what is shown depends on what stands above it."
)


def analogies_command(
    embedding: EmbeddingArgument,
    axis: AxisOption = None,
    pairs: Annotated[
        str | None,
        typer.Option("--pairs", metavar="FILE", help="Pairs of words, one a line (he,she), or 'default': ten pairs."),
    ] = None,
    k: Annotated[int, typer.Option("--k", help="Analogies to find.")] = 30,
    delta: Annotated[float, typer.Option("--delta", help="How far apart two words may be, at unit length.")] = 1.0,
    words: Annotated[int, typer.Option("--words", help="Most frequent entries to pair.")] = 50_000,
    no_names: Annotated[bool, typer.Option("--no-names", help="Leave out entries that are US first names.")] = False,
    neutral: Annotated[
        bool, typer.Option("--neutral", help="Leave out the axis' own words and words gendered by meaning (king).")
    ] = False,
    unmask: Annotated[bool, typer.Option("--unmask", help="Print slurs in full.")] = False,
    json: JsonOption = False,
) -> None:
    """Find the pairs of words that differ as the two ends of an axis do: he is to she as surgeon is to nurse.

    All pairs of the vocabulary are compared. Many of the analogies are offensive: they are the embedding's own.
    """
    from imprint.cli.console import open_embedding, print_findings, progress_bar
    from imprint.directions.analogies import analogies
    from imprint.directions.axis import pair_axis
    from imprint.stimuli.seeds import definitional_pairs, read_pairs

    if axis is not None and pairs is not None:
        raise SettingError("give --axis or --pairs, not both")
    chosen: Sequence[tuple[str, str]] = (axis or DEFAULT_PAIR,)
    if pairs is not None:
        chosen = definitional_pairs() if pairs == DEFAULT_PAIRS else read_pairs(pairs)
    opened = open_embedding(embedding)
    direction = pair_axis(opened, chosen)
    with progress_bar("comparing all pairs") as report:
        found = analogies(
            opened, direction, k=k, delta=delta, words=words, names=not no_names, neutral=neutral, progress=report
        )
    if json:
        print_findings(found.findings())
    else:
        _show(found, unmask=unmask)


def _show(found: "Analogies", *, unmask: bool) -> None:
    from imprint.cli.console import say
    from imprint.cli.formats import make_table, show_table
    from imprint.directions.analogies import CONTENT_NOTE

    say(f"{CONTENT_NOTE}\n--unmask prints slurs in full. Nothing is masked in --json.")
    if found.pairs:
        title = f"Analogies along {found.axis.name} in {found.embedding}, of {found.words:,} words"
        table = make_table(title, ("", "right"), ("analogy", "left"), ("score", "right"), ("distance", "right"))
        for rank, pair in enumerate(found.pairs, start=1):
            table.add_row(str(rank), found.phrase(pair, unmask=unmask), f"{pair.score:.3f}", f"{pair.distance:.3f}")
        show_table(table)
    if len(found.pairs) < found.k:
        say(f"{len(found.pairs):,} of {found.k:,} asked for: no other words within {found.delta:g} lie along the axis")
    if found.axis.missing:
        say(f"missing words of the axis: {', '.join(found.axis.missing)}")
    say(LEGEND)
