"""How an encoder is opened and how text is read, described once: for the options of commands and for Python."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from imprint.checks import Device, Layers, Pooling, Quantization, check_choice
from imprint.settings import option

if TYPE_CHECKING:
    from imprint.files import FilePath
else:
    FilePath = Path

FEWEST_CONTEXTS = 5  # sentences, below which a word is left out

DocumentUnit = Literal["file", "line", "block"]


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


@dataclass(frozen=True, kw_only=True)
class FieldSettings:
    """Where rows of JSON lines and Parquet have their text."""

    field: Annotated[str, option("Field of JSON lines that has the text.", metavar="NAME")] = "text"
    column: Annotated[str, option("Column of Parquet that has the text.", metavar="NAME")] = "text"


@dataclass(frozen=True, kw_only=True)
class TextSettings(FieldSettings):
    """How text is read as documents."""

    document: Annotated[
        DocumentUnit | None,
        option(
            "What one document is: a file, a line, or a block of about 5,000 words. [default: files of a folder, "
            "lines of JSON and rows of Parquet, blocks of a single text]"
        ),
    ] = None
    date: Annotated[
        str | None,
        option(
            "Where a document's year is: a field or column, or a pattern of the file's name such as '*{year}.txt'.",
            metavar="NAME",
        ),
    ] = None

    def __post_init__(self) -> None:
        """Refuse a document that is none of the three."""
        if self.document is not None:
            check_choice("document", self.document, get_args(DocumentUnit))

    @property
    def dates_files(self) -> bool:
        """Whether the year is in the name of the file."""
        return self.date is not None and "{year}" in self.date

    @property
    def date_field(self) -> str | None:
        """The field or column with the year, if it is not in the name of the file."""
        return None if self.dates_files else self.date
