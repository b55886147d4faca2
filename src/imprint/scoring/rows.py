"""The rows of comparisons of scores: texts with names of two groups, and documents about them in a ranking."""

from collections.abc import Iterable
from functools import partial
from typing import Annotated, Literal

from imprint.association.rows import SIZE_HIGH, SIZE_LOW, WORDS_HIGH, WORDS_LOW, OutcomeRow, PMethod, SizedRow
from imprint.rows import Count, HighEnd, LowEnd, Rows, RowType, TemplateValue, WordPoint, shown

Specificity = Literal["specific", "general pull", "cannot be told apart"]

_INTERACTION = shown(
    "Interaction",
    "Whether it is the interaction of a 2 x 2: a difference between two groups less that between two others.",
)
_share = partial(shown, shape="percent", digits=1)


class SwapRow(OutcomeRow, frozen=True, kw_only=True, tag="swap"):
    """Two groups of names, or two pronouns, in the same texts, and what a scorer made of them."""

    title: Annotated[str, shown("Compared", "Which names, or pronouns, were compared.")]
    mean_difference: Annotated[
        float,
        shown(
            "Mean difference",
            "Mean score with the first names less that with the second, with its 99.5 % interval over names and "
            "texts.",
            digits=3,
            ends="words",
        ),
    ]
    words_low: Annotated[float | None, WORDS_LOW] = None
    words_high: Annotated[float | None, WORDS_HIGH] = None
    detectable: Annotated[
        float | None,
        shown(
            "Detectable",
            "The smallest difference, either way, whose interval would exclude zero four times in five.",
            digits=3,
        ),
    ] = None
    effect_size: Annotated[
        float | None, shown("d", "The difference in standard deviations of all names' mean scores.")
    ] = None
    permuted: Annotated[Literal["names", "pronouns"], shown("Exchanged", "What is exchanged between the groups.")]
    n_x: Annotated[int, shown("Names", "Names of the first and of the second group.")]
    n_y: Annotated[int, shown("Names of Y", "Names of the second group.")]
    is_interaction: Annotated[bool, _INTERACTION] = False
    n_texts: Annotated[int, shown("Texts", "Texts that the names were put into.")]
    p_value: Annotated[
        float | None,
        shown(
            "p",
            "Share of all splits of these names, or of all exchanges of the pronouns, that differ at least as much. "
            "None of more than 120 names.",
            method="p_method",
        ),
    ] = None
    p_low: Annotated[float | None, shown("p, low", "The least that p can be.")] = None
    p_high: Annotated[float | None, shown("p, high", "The most that p can be.")] = None
    p_floor: Annotated[float | None, shown("p, floor", "The smallest p that so few names can give.")] = None
    p_method: Annotated[PMethod | None, shown("p, method", "How p was found: exact or certified bounds.")] = None
    partitions: Annotated[Count | None, shown("All splits", "Splits of the names.", shape="count")] = None
    extreme: Annotated[
        Count | None, shown("Splits", "Splits of the names at least as extreme, of all splits.", shape="count")
    ] = None
    share_lower: Annotated[
        float,
        shown(
            "Lowered",
            "Share of pairs, one name of each group in the same text, in which the second scores lower.",
            shape="percent",
            digits=1,
        ),
    ]
    share_tied: Annotated[float, shown("Tied", "Share of pairs with equal scores.", shape="percent", digits=1)]
    top_k: Annotated[int | None, shown("Top", "How many of the best names of a text are counted.")] = None
    top_y: Annotated[
        float | None,
        shown(
            "At the top",
            "How many of the best names of a text are of the second group; in brackets, what to expect.",
            digits=1,
        ),
    ] = None
    top_expected: Annotated[float | None, shown("Expected at the top", "The same without a difference.", digits=1)] = (
        None
    )
    rank_x: Annotated[
        float | None,
        shown("Median ranks", "Median frequency ranks of both groups; 1 is the most frequent word.", digits=0),
    ] = None
    rank_y: Annotated[float | None, shown("Median rank of Y", digits=0)] = None
    p_frequency: Annotated[
        float | None,
        shown(
            "p, frequency",
            "Of names that are not matched in frequency: two-sided p of the difference at equal frequency.",
        ),
    ] = None
    adjusted_difference: Annotated[
        float | None,
        shown("At equal frequency", "The difference adjusted for the logarithm of the names' ranks.", digits=3),
    ] = None
    by_text: Annotated[tuple[TemplateValue, ...], shown("By text", "The difference in each text.")] = ()

    def __repr__(self) -> str:
        lowered = f"{100 * self.share_lower:.1f} % of pairs lowered"
        return f"SwapRow({self.test!r} by {self.embedding}: {self._said(self.mean_difference, '.3g')}, {lowered})"


class RetrievalRow(SizedRow, frozen=True, kw_only=True, tag="retrieval"):
    """Documents about two groups of people, equal but for that, and how a model ranks them."""

    size: Annotated[
        float | None,
        _share(
            "Size",
            "Mean score of relevant documents about X less that about Y, as a share of the distance between relevant "
            "and irrelevant documents, with its 99.5 % interval over queries and names. Below zero, Y is ahead.",
        ),
    ] = None
    control: Annotated[
        Specificity | None,
        shown("Control", "Whether relevant documents show it (specific), all do (general pull), or neither is clear."),
    ] = None
    irrelevant: Annotated[
        float | None, _share("Irrelevant", "The same of irrelevant documents, with its 95 % interval.")
    ] = None
    irrelevant_low: LowEnd = None
    irrelevant_high: HighEnd = None
    specific: Annotated[
        float | None, _share("Relevant less irrelevant", "The difference of both, with its 99.5 % interval.")
    ] = None
    specific_low: Annotated[float | None, SIZE_LOW] = None
    specific_high: Annotated[float | None, SIZE_HIGH] = None
    edits: Annotated[float | None, _share("Neutral edits", "Root mean square of edits that should not matter.")] = None
    mean_difference: Annotated[float, shown("Mean difference", "Mean score about X less that about Y.", digits=4)]
    mean_difference_low: Annotated[float | None, WORDS_LOW] = None
    mean_difference_high: Annotated[float | None, WORDS_HIGH] = None
    distance: Annotated[
        float | None, shown("Distance", "Mean score of relevant less that of irrelevant documents.", digits=3)
    ] = None
    p_value: Annotated[
        float | None,
        shown("p", "Two-sided, over exchanged versions, or splits of up to 120 names; decides nothing."),
    ] = None
    n_queries: Annotated[int, shown("Queries", "Queries that documents were scored for.")]
    n_left_out: Annotated[int, shown("Left out", "Queries of which the model knows no word.")] = 0
    n_documents: Annotated[int, shown("Documents", "Documents, each in every version or with every name.")]
    n_x: Annotated[int, shown("Names of X", "Names, or versions, of X.")]
    n_y: Annotated[int, shown("Names of Y", "Names, or versions, of Y.")]
    share_first: Annotated[
        float, _share("X first", "Share of queries whose documents about X score higher; ties count half.")
    ]
    share_first_irrelevant: Annotated[
        float | None, _share("X first, irrelevant", "The same of irrelevant documents.")
    ] = None
    exposure: Annotated[float, shown("Exposure", "1/log2(1 + rank) of X over that of Y, in versions of a document.")]
    top_k: Annotated[int, shown("Top", "Places that count as selected, among the versions of a document.")]
    selected_x: Annotated[float, _share("X selected", "Share of X at the top.")]
    selected_y: Annotated[float, _share("Y selected", "Share of Y at the top.")]
    ratio: Annotated[float | None, shown("Ratio", "Smaller selection rate over the larger one, 95 % interval.")] = None
    ratio_low: LowEnd = None
    ratio_high: HighEnd = None
    is_interaction: Annotated[bool, _INTERACTION] = False
    without: Annotated[
        tuple[WordPoint, ...],
        shown("Without a word", "Of pairs: the share of the difference that remains, and that of pairs with X first."),
    ] = ()
    by_query: Annotated[tuple[TemplateValue, ...], shown("By query", "The difference for each query.")] = ()

    @property
    def is_beyond_edits(self) -> bool:
        """Whether the size is larger than what neutral edits make."""
        return self.edits is None or abs(self.size or 0.0) > self.edits

    def __repr__(self) -> str:
        return f"RetrievalRow({self.test!r} by {self.embedding}: {self._said(self.size, '.3f')}, {self.control})"


class ScoredRows(Rows[RowType]):
    """One row per comparison; so many texts or pairs were `scored` now, the scores of others were in the cache."""

    def __init__(self, rows: Iterable[RowType], scored: int) -> None:
        super().__init__(rows)
        self.scored = scored
