"""The rows of a board: sizes per subject and topic, or test; differences of two subjects; the ranks of a topic."""

from typing import Annotated

import msgspec

from imprint.association.rows import P_WORDS, WORDS_HIGH, WORDS_LOW
from imprint.association.topics import TopicRow
from imprint.association.verdicts import Direction, Evidence
from imprint.checks import SizeScale
from imprint.rows import Row, shown
from imprint.subjects.sources import SourceKind

PART = "board"

Page = Annotated[str, msgspec.Meta(pattern=r"^subjects/[a-z0-9][a-z0-9-]*\.html$")]


# Said of fields of several rows.
_SCALE = shown("Scale", "Whether sizes are in cosines, or in spreads of the model's cosines.")
_PAGE = shown("Page", "The model's own page, beside the board's.")


class BoardRow(TopicRow, frozen=True, kw_only=True, tag="board"):
    """A subject in one topic: its size over words, its own evidence, its ranks by size, and its quality."""

    subject: Annotated[SourceKind, shown("Type", "Whether it is an embedding or an encoder.")]
    scale: Annotated[SizeScale, _SCALE] = "cosine"
    spread: Annotated[
        float | None,
        shown(
            "Spread",
            "Standard deviation of the model's cosines between targets and attributes of all tests asked.",
            digits=3,
        ),
    ] = None
    judged: Annotated[bool | None, shown("Judged", "Whether the model passes the controls, and so can be judged.")] = (
        None
    )
    evidence: Annotated[
        Evidence | None,
        shown("Evidence", "The strongest of the topic's tests in the model's own family."),
    ] = None
    n_found: Annotated[int, shown("Tests with evidence", "Tests of the topic with any evidence.")] = 0
    rank_best: Annotated[
        int | None,
        shown("Best rank", "The best rank that the size may have: 1 is the smallest. None where nothing is ranked."),
    ] = None
    rank_worst: Annotated[int | None, shown("Worst rank", "The worst rank that the size may have.")] = None
    benchmark: Annotated[str | None, shown("Benchmark", "The benchmark that the quality is of.")] = None
    quality: Annotated[
        float | None,
        shown("Quality", "Spearman's correlation with people's ratings in the benchmark, with its 95 % interval."),
    ] = None
    quality_low: Annotated[float | None, shown("Quality, low", "Low end of the interval.")] = None
    quality_high: Annotated[float | None, shown("Quality, high", "High end of the interval.")] = None
    quality_pairs: Annotated[int | None, shown("Pairs", "Pairs of the benchmark that the model has.")] = None
    quality_asked: Annotated[int | None, shown("Pairs asked", "Pairs of the benchmark.")] = None
    efficient: Annotated[
        bool,
        shown(
            "Efficient",
            "Whether no other model is at least as good in both size and quality, and better in one of them. This is "
            "by the estimates; sizes are compared on the words that both have.",
        ),
    ] = False
    page: Annotated[Page | None, _PAGE] = None

    @property
    def about_people(self) -> bool:
        """Whether it is about people: every topic is."""
        return True


class BoardTestRow(Row, frozen=True, kw_only=True, tag="board-test"):
    """A subject in one test about people."""

    title: Annotated[str, shown("Title", "What the test asks.")]
    topics: Annotated[tuple[str, ...], shown("Topics", "What the test is about.")]
    mean_difference: Annotated[
        float | None,
        shown(
            "Mean difference",
            "In cosines, with its 95 % interval over words and any sentences.",
            digits=3,
            ends="words",
        ),
    ] = None
    words_low: Annotated[float | None, WORDS_LOW] = None
    words_high: Annotated[float | None, WORDS_HIGH] = None
    evidence: Annotated[Evidence | None, shown("Evidence", "In the model's own family of tests.")] = None
    direction: Annotated[Direction | None, shown("Direction", "Whether the sign is the predicted one.")] = None
    page: Annotated[Page | None, _PAGE] = None


class BoardDifferenceRow(Row, frozen=True, kw_only=True, tag="board-difference"):
    """How two subjects differ in a topic, on the words that both have: the first's size less the second's."""

    topic: Annotated[str, shown("Topic")]
    other: Annotated[str | None, shown("Compared with", "Name of the second model.")]
    other_sha256: Annotated[str | None, shown("SHA-256 of the second", shape="word")]
    scale: Annotated[SizeScale, _SCALE] = "cosine"
    tests: Annotated[tuple[str, ...], shown("Tests", "Tests that both models have.")]
    mean_difference: Annotated[
        float | None,
        shown(
            "Difference",
            "With the interval that holds for all pairs and topics at once.",
            digits=3,
            ends="together",
        ),
    ] = None
    mean_difference_first: Annotated[float | None, shown("First", "Size of the first model.", digits=3)] = None
    mean_difference_second: Annotated[float | None, shown("Second", "Size of the second model.", digits=3)] = None
    words_low: Annotated[float | None, WORDS_LOW] = None
    words_high: Annotated[float | None, WORDS_HIGH] = None
    p_words: Annotated[float | None, P_WORDS] = None
    together_low: Annotated[
        float | None,
        shown("Low, together", "Low end of the interval that holds for all pairs and topics at once.", digits=3),
    ] = None
    together_high: Annotated[float | None, shown("High, together", "High end of that interval.", digits=3)] = None
    p_together: Annotated[
        float | None,
        shown("p, corrected", "Corrected for all pairs and topics of the board together."),
    ] = None
    p_other_scale: Annotated[
        float | None,
        shown(
            "p, other scale",
            "The same with sizes on the other scale: cosines, or cosines divided by the model's spread of cosines.",
        ),
    ] = None
    p_order: Annotated[
        float | None,
        shown("p, larger size", "p of one size being the larger, corrected over all such claims."),
    ] = None
    larger: Annotated[str | None, shown("Larger size", "The model whose absolute size is the larger one.")] = None
    alpha: Annotated[float | None, shown("Alpha", "Chance of any false discovery among the differences.")] = None


class BoardRankingRow(Row, frozen=True, kw_only=True, tag="board-ranking"):
    """Whether the subjects have an order in a topic."""

    topic: Annotated[str, shown("Topic")]
    subjects: Annotated[
        tuple[str, ...],
        shown("Order", "The models by rank, then by absolute size, the smallest first."),
    ]
    tests: Annotated[tuple[str, ...], shown("Tests", "Tests that all models have.")] = ()
    ranks_best: Annotated[
        tuple[int, ...],
        shown("Best ranks", "The best rank that each model can have; empty without an order."),
    ] = ()
    ranks_worst: Annotated[tuple[int, ...], shown("Worst ranks", "The worst rank that each model can have.")] = ()
    has_order: Annotated[bool, shown("Ranked", "Whether the topic is ranked; if not, the order means nothing.")]
    agreement: Annotated[
        float | None,
        shown(
            "Halves agree",
            "How often both halves of the words put two models in the same order.",
            shape="percent",
        ),
    ]
    least: Annotated[float, shown("Least", "The agreement that a ranking needs, on both scales.", shape="percent")]
    splits: Annotated[int, shown("Splits", "How many times the words are split into halves.")]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.has_order:
            self.check_lengths("subjects", "ranks_best", "ranks_worst")
