"""The rows of a board: models, their sizes in questions, tests and topics, and how two of them differ in these."""

from typing import Annotated, ClassVar

import msgspec

from imprint.association.changes import ChangeRow, TopicChangeRow
from imprint.association.rows import OutcomeRow, SizedRow, TopicRow
from imprint.rows import Row, WordValue, shown
from imprint.subjects.sources import SourceKind

PART = "board"

Page = Annotated[str, msgspec.Meta(pattern=r"^subjects/[a-z0-9][a-z0-9-]*\.html$")]

# Said of fields of several rows.
_PAGE = shown("Page", "The model's own page, beside the board's.")
_LESS = shown(
    "Less bias",
    "The model whose size, without its sign, is the smaller one: where the other model shows a difference itself, "
    "and both the difference and the sum of the two sizes exclude zero.",
)

_BEFORE_LOW = shown("Before, low", "Low end of its 99.5 % interval.", shape="percent")
_BEFORE_HIGH = shown("Before, high", "High end of its 99.5 % interval.", shape="percent")
_AFTER_LOW = shown("After, low", "Low end of its 99.5 % interval.", shape="percent")
_AFTER_HIGH = shown("After, high", "High end of its 99.5 % interval.", shape="percent")
_MOVES = shown(
    "Words that move it",
    "Words of X and Y that make the difference larger without its sign, the strongest of each: how much nearer to A, "
    "and further from B, they are in the second model than in the first, as a share of the distance.",
)


class BoardRow(Row, frozen=True, kw_only=True, tag="board"):
    """A model: its type, whether it can be judged, and its quality."""

    subject: Annotated[SourceKind, shown("Type", "Whether it is an embedding or an encoder.")]
    judged: Annotated[bool | None, shown("Judged", "Whether the model passes the controls, and so can be judged.")] = (
        None
    )
    benchmark: Annotated[str | None, shown("Benchmark", "The benchmark that the quality is of.")] = None
    quality: Annotated[
        float | None,
        shown("Quality", "Spearman's correlation with people's ratings in the benchmark, with its 95 % interval."),
    ] = None
    quality_low: Annotated[float | None, shown("Quality, low", "Low end of the interval.")] = None
    quality_high: Annotated[float | None, shown("Quality, high", "High end of the interval.")] = None
    quality_pairs: Annotated[int | None, shown("Pairs", "Pairs of the benchmark that the model has.")] = None
    quality_asked: Annotated[int | None, shown("Pairs asked", "Pairs of the benchmark.")] = None
    page: Annotated[Page | None, _PAGE] = None


class BoardTestRow(SizedRow, frozen=True, kw_only=True, tag="board-test"):
    """A model in a question or a test about people; `sets` are named without their words."""

    is_question: Annotated[bool, shown("Question", "Whether it is a standard question.")] = False
    n_x: Annotated[int, shown("Words of X", "Words of X that have a vector.")] = 0
    n_y: Annotated[int, shown("Words of Y", "Words of Y that have a vector.")] = 0
    page: Annotated[Page | None, _PAGE] = None


class BoardMeasuredRow(OutcomeRow, frozen=True, kw_only=True, tag="board-measured"):
    """What another command measured of a model, as `imprint swap`, with its 99.5 % interval."""

    measure: Annotated[str, shown("Measured", "The kind of the row that it comes from.", shape="word")]
    value: Annotated[float | None, shown("Value", "What was measured, in its own unit.", digits=3)] = None
    value_low: Annotated[float | None, shown("Value, low", "Low end of the interval.", digits=3)] = None
    value_high: Annotated[float | None, shown("Value, high", "High end of the interval.", digits=3)] = None
    is_share: Annotated[bool, shown("Share", "Whether the value is a share, shown in percent.")] = False

    interval_of: ClassVar[str] = "value"


class BoardTopicRow(TopicRow, frozen=True, kw_only=True, tag="board-topic"):
    """A model in a topic: the mean size of its questions, or of its tests where there are none."""

    page: Annotated[Page | None, _PAGE] = None


class BoardDifferenceRow(ChangeRow, frozen=True, kw_only=True, tag="board-difference"):
    """How the size of a question or a test differs between two models, on the words that both have.

    `size` is the second model's less the first's; `sets` are named without their words.
    """

    size_before_low: Annotated[float | None, _BEFORE_LOW] = None
    size_before_high: Annotated[float | None, _BEFORE_HIGH] = None
    size_after_low: Annotated[float | None, _AFTER_LOW] = None
    size_after_high: Annotated[float | None, _AFTER_HIGH] = None
    scores: Annotated[tuple[WordValue, ...], _MOVES] = ()
    less: Annotated[str | None, _LESS] = None


class BoardTopicDifferenceRow(TopicChangeRow, frozen=True, kw_only=True, tag="board-topic-difference"):
    """How the mean size of a topic differs between two models, on the words that both have.

    No model has `less` in a topic if it has more in one of its questions.
    """

    size_before_low: Annotated[float | None, _BEFORE_LOW] = None
    size_before_high: Annotated[float | None, _BEFORE_HIGH] = None
    size_after_low: Annotated[float | None, _AFTER_LOW] = None
    size_after_high: Annotated[float | None, _AFTER_HIGH] = None
    less: Annotated[str | None, _LESS] = None
