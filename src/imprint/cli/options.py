"""Arguments and options that several commands share, said once."""

from typing import Annotated

import typer

_EMBEDDING = typer.Argument(
    metavar="EMBEDDING",
    help="An embedding file of any supported format, or a bundled one: 'default' (GloVe 6B, 100d), "
    "'glove-840b-stimuli' (the words of the published tests).",
)
EmbeddingArgument = Annotated[str, _EMBEDDING]
OptionalEmbeddingArgument = Annotated[str | None, _EMBEDDING]
DEFAULT_PAIR = ("he", "she")
AxisOption = Annotated[
    tuple[str, str] | None,
    typer.Option("--axis", metavar="WORD WORD", help="Two words, the positive end first. [default: he she]"),
]
AlphaOption = Annotated[
    float, typer.Option("--alpha", help="Chance of any false discovery among the tests run (Holm's correction).")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON lines, one finding a line.")]
