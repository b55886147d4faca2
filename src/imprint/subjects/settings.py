"""How text is read, described once: for commands and for Python."""

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from imprint.checks import check_choice
from imprint.settings import option

FEWEST_CONTEXTS = 5  # sentences, below which a word is left out

DocumentUnit = Literal["file", "line", "block"]


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
