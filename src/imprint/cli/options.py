"""Arguments and options that several commands share, said once."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from imprint.errors import SettingError

if TYPE_CHECKING:
    from imprint.stimuli.seeds import WordPair
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
TargetArgument = Annotated[
    Path, typer.Argument(metavar="OUT", help="The file to write: a name that ends in .safetensors.")
]
FindingsArgument = Annotated[Path, typer.Argument(metavar="FINDINGS", help="A findings.jsonl that imprint wrote.")]
DEFAULT_PAIR = ("he", "she")
DEFAULT_PAIRS = "default"
AxisOption = Annotated[
    tuple[str, str] | None,
    typer.Option("--axis", metavar="WORD WORD", help="Two words, the positive end first. [default: he she]"),
]
PairsOption = Annotated[
    str | None,
    typer.Option("--pairs", metavar="FILE", help="Pairs of words, one per line (he,she), or 'default': ten pairs."),
]
AlphaOption = Annotated[
    float, typer.Option("--alpha", help="Chance of any false discovery among tests about people (Holm's correction).")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON lines, one finding per line.")]


def pairs_given(axis: "WordPair | None", pairs: str | Path | None) -> "tuple[WordPair, ...]":
    """Return the pairs of words that --axis or --pairs name, he and she without either."""
    from imprint.stimuli.seeds import definitional_pairs, read_pairs

    if axis is not None and pairs is not None:
        raise SettingError("--axis and --pairs cannot be used together", option="--axis", hint="give one of them")
    if pairs is None:
        return (axis or DEFAULT_PAIR,)
    return definitional_pairs() if pairs == DEFAULT_PAIRS else read_pairs(pairs)
