"""Options about encoders that several commands share, and opening what they name."""

from collections.abc import Collection
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

import imprint
from imprint.choices import Layers, Pooling
from imprint.cli.options import is_file
from imprint.errors import EncoderError, SettingError

ENCODER_HELP = (
    "A model's folder or .onnx file, an installed package that carries a model, a model in the Hugging Face cache "
    "(org/name), the URL of a server, an embedding file (mean of its words), 'cbow' (of the bundled GloVe), or "
    "'default' (bundled Universal Sentence Encoder)."
)
ModelOption = Annotated[str | None, typer.Option("--model", help="The server's name for the model.")]
PoolingOption = Annotated[Pooling | None, typer.Option("--pooling", help="How token vectors are pooled into one.")]
LayersOption = Annotated[Layers | None, typer.Option("--layers", help="Use the last layer, or all layers.")]
PrefixOption = Annotated[str | None, typer.Option("--prefix", help="A prefix for every text, such as 'query: '.")]
PromptOption = Annotated[
    str | None, typer.Option("--prompt-name", help="One of the model's own prompts, such as query or document.")
]
TokenizerOption = Annotated[
    Path | None, typer.Option("--tokenizer", callback=is_file, help="tokenizer.json of an .onnx file.")
]
BatchOption = Annotated[int | None, typer.Option("--batch", min=1, help="Texts a server gets at once.")]
TimeoutOption = Annotated[float | None, typer.Option("--timeout", help="Seconds to wait for a server's answer.")]
RetriesOption = Annotated[int | None, typer.Option("--retries", min=0, help="Retries per request to a server.")]
MaxTextsOption = Annotated[
    int | None, typer.Option("--max-texts", min=1, help="Texts that may be sent to a server. [default: 20,000]")
]
CacheOption = Annotated[
    Path | None, typer.Option("--cache", help="Cache file for encodings. [default: in your cache folder]")
]
NoCacheOption = Annotated[bool, typer.Option("--no-cache", help="Neither read nor write the cache of encodings.")]


def opened_encoder(source: str, *, texts: Collection[str] | None = None, **options: Any) -> "imprint.Encoder":
    """Open an encoder, showing progress where it is an embedding to be read."""
    from imprint.cli.console import progress_bar

    with progress_bar(f"reading {source}") as report:
        return imprint.open_encoder(source, texts=texts, progress=report, **options)


def opened_cache(path: Path | None, *, unused: bool) -> "AbstractContextManager[imprint.EncodingCache | None]":
    """Open the cache asked for; where the usual one cannot be used, say so and go on without."""
    from imprint.cli.console import print_note
    from imprint.encoders.cache import default_cache

    if unused and path is not None:
        raise SettingError(
            "--cache and --no-cache cannot be used together", option="--cache", got=path, hint="give one of them"
        )
    if unused:
        return nullcontext()
    try:
        return imprint.EncodingCache(path or default_cache())
    except EncoderError as error:
        if path is not None:
            raise
        print_note(f"note: encodings are not cached: {error}")
        return nullcontext()
