"""What is asked of a corpus, and how text is read, described once: for the command and for Python."""

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from imprint.checks import check_choice, check_whole
from imprint.settings import SEED, TOPIC, option

DocumentUnit = Literal["file", "line", "block"]

MOST_DOCUMENTS = 10  # that a row lists


@dataclass(frozen=True, kw_only=True)
class TextSettings:
    """How text is read as documents."""

    document: Annotated[
        DocumentUnit | None,
        option(
            "What one document is: a file, a line, or a block of about 5,000 words. [default: files of a folder, "
            "lines of JSON and rows of Parquet, blocks of a single text]"
        ),
    ] = None
    field: Annotated[str, option("Field of JSON lines that has the text.", metavar="NAME")] = "text"
    column: Annotated[str, option("Column of Parquet that has the text.", metavar="NAME")] = "text"
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


@dataclass(frozen=True, kw_only=True)
class CorpusSettings(TextSettings):
    """What is asked of a corpus, and how it is read."""

    window: Annotated[int, option("Words on either side within which two words are near.", min=1)] = 5
    against: Annotated[
        tuple[str, ...], option("Another corpus to test the difference from; may repeat.", metavar="TEXT")
    ] = ()
    without: Annotated[
        tuple[str, ...],
        option("Also measure without this document, by its name or a pattern; may repeat.", metavar="NAME"),
    ] = ()
    swapped: Annotated[bool, option("Also measure with a gender-swapped copy of every document joined to it.")] = False
    period: Annotated[int, option("Years of a period, of documents with dates.", min=1)] = 10
    snippets: Annotated[int, option("Passages per question, from the documents that move it most.", min=0)] = 0
    topics: Annotated[tuple[str, ...], TOPIC] = ()
    seed: Annotated[int, SEED] = 0

    def __post_init__(self) -> None:
        """Refuse numbers out of range."""
        super().__post_init__()
        check_whole("window", self.window, 1, 1000)
        check_whole("period", self.period, 1, 10_000)
        check_whole("snippets", self.snippets, 0, MOST_DOCUMENTS)
