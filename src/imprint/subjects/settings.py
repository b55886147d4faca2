"""How an encoder is opened, described once: for the options of commands and for keywords in Python."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from imprint.checks import Device, Layers, Pooling, Quantization
from imprint.settings import option

if TYPE_CHECKING:
    from imprint.files import FilePath
else:
    FilePath = Path


@dataclass(frozen=True, kw_only=True)
class OpeningSettings:
    """What is said about an encoder, or another model that scores texts."""

    model: Annotated[str | None, option("The server's name for the model.")] = None
    pooling: Annotated[Pooling | None, option("How token vectors are pooled into one.")] = None
    layers: Annotated[Layers | None, option("Use the last layer, or the sum or mean of all.")] = None
    prefix: Annotated[str | None, option("A prefix for every text, such as 'query: '.")] = None
    prompt_name: Annotated[str | None, option("One of the model's own prompts, such as query or document.")] = None
    device: Annotated[
        Device | None, option("Where a sentence-transformers model runs, or the paper's rotations. [default: cpu]")
    ] = None
    tokenizer: Annotated[
        FilePath | None, option("tokenizer.json of an .onnx file.", names_a="file", metavar="<path>")
    ] = None
    dims: Annotated[int | None, option("Use the first numbers of each vector only.", metavar="N", min=1)] = None
    quantize: Annotated[Quantization | None, option("Store vectors in 8 bits per number, or in one.")] = None
    batch: Annotated[int | None, option("Texts per request to a server.", min=1)] = None
    timeout: Annotated[float | None, option("Seconds to wait for a server's answer.")] = None
    retries: Annotated[int | None, option("Retries per request to a server.", min=0)] = None
    max_texts: Annotated[int | None, option("Texts that may be sent to a server. [default: 20,000]", min=1)] = None

    @property
    def given(self) -> dict[str, Any]:
        """What was said about the model itself."""
        about = {field.name: getattr(self, field.name) for field in fields(OpeningSettings)}
        return {name: value for name, value in about.items() if value is not None}
