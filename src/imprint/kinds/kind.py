"""A kind of finding: its row, how an audit runs it, and how it is shown; and the part of an audit it belongs to."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from imprint.rows import Row
from imprint.view import Block, Text

if TYPE_CHECKING:
    from imprint.kinds.job import Job, Plan
    from imprint.types import Progress


@dataclass(frozen=True)
class Part:
    """A part of an audit and a section of its page; `needs` is what must be given for it to run."""

    name: str
    title: str
    order: int
    offensive: bool = False
    needs: Literal["encoder", "against", "debias"] | None = None


def _nothing(_: Sequence[Any]) -> Iterable[Any]:
    return ()


@dataclass(frozen=True, eq=False)
class Kind:
    """Everything that belongs to one kind of finding.

    `blocks` draws rows as tables, charts and paragraphs for page, terminal and card; `sentences` says what they mean,
    for the top of the page. `run` asks an audit's subject, and takes `seconds` on two cores (`quick_seconds` in a
    quick audit); a long one that shares nothing with others runs `beside` them. `aliases` are short names of fields in
    conditions; `card` puts the tables on a model card. In a section, kinds come by `rank`.
    """

    name: str
    row: type[Row]
    part: Part
    blocks: Callable[[Sequence[Any]], Iterable[Block]] = _nothing
    sentences: Callable[[Sequence[Any]], Iterable[Text]] = _nothing
    run: "Callable[[Job, Progress], Iterable[Row]] | None" = None
    seconds: "float | Callable[[Plan], float]" = 1.0
    quick_seconds: float | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    card: bool = False
    beside: bool = False
    rank: int = 0
