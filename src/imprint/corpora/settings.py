"""What is asked of a corpus, described once: for the command and for Python."""

from dataclasses import dataclass
from typing import Annotated

from imprint.checks import check_whole
from imprint.settings import SEED, TOPIC, option
from imprint.subjects.settings import TextSettings

MOST_DOCUMENTS = 10  # that a row lists


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
