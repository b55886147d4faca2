"""Arguments and options that several commands share, said once."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from imprint.subjects.sources import SourceKind


def is_embedding(given: Any) -> Any:
    """Refuse what names no embedding while options are read, before anything large is imported."""
    return _checked(given, "embedding")


def is_encoder(given: Any) -> Any:
    """Refuse what names no encoder, as above."""
    return _checked(given, "encoder")


def _checked(given: Any, kind: "SourceKind") -> Any:
    from imprint.subjects.sources import find_source

    sources: Iterable[str] = [given] if isinstance(given, str) else given or ()
    for source in sources:
        find_source(source, kind)
    return given


_EMBEDDING = typer.Argument(
    callback=is_embedding,
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
    float, typer.Option("--alpha", help="Chance of any false discovery among tests about people (Holm's correction).")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON lines, one finding a line.")]
