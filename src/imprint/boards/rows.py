"""The rows of a board: sizes per subject and topic, or test; differences of two subjects; the ranks of a topic."""

from typing import Annotated

import msgspec

from imprint.association.topics import TopicRow
from imprint.association.verdicts import Direction, Evidence
from imprint.checks import SizeScale
from imprint.rows import Row
from imprint.subjects.sources import SourceKind

PART = "board"

Page = Annotated[str, msgspec.Meta(pattern=r"^subjects/[a-z0-9][a-z0-9-]*\.html$")]


class BoardRow(TopicRow, frozen=True, kw_only=True, tag="board"):
    """A subject in one topic: its size over words, its own evidence, its ranks by size, and its quality.

    `evidence` is the strongest of the topic's tests in the subject's own family, which `n_found` tests have any of.
    The size may have each rank from `rank_best`, 1 for the smallest, to `rank_worst`; None where the topic is not
    ranked. `quality` is Spearman's correlation in the `benchmark`, over `quality_pairs` of the pairs asked. A subject
    is `efficient` if no other one is at least as good in both size and quality, and better in one of them. This is by
    the estimates; sizes are compared on the words that both have. `page` is the subject's own, beside the board's.
    `spread` is the standard deviation of the subject's cosines between targets and attributes of all tests asked.
    Where the `scale` is `spread`, sizes and differences are in this unit instead of cosines.
    """

    subject: SourceKind
    scale: SizeScale = "cosine"
    spread: float | None = None
    judged: bool | None = None
    evidence: Evidence | None = None
    n_found: int = 0
    rank_best: int | None = None
    rank_worst: int | None = None
    benchmark: str | None = None
    quality: float | None = None
    quality_low: float | None = None
    quality_high: float | None = None
    quality_pairs: int | None = None
    quality_asked: int | None = None
    efficient: bool = False
    page: Page | None = None

    @property
    def about_people(self) -> bool:
        """Whether it is about people: every topic is."""
        return True


class BoardTestRow(Row, frozen=True, kw_only=True, tag="board-test"):
    """A subject in one test about people: the mean difference in cosines, its interval over words, the evidence."""

    title: str
    topics: tuple[str, ...]
    mean_difference: float | None = None
    words_low: float | None = None
    words_high: float | None = None
    evidence: Evidence | None = None
    direction: Direction | None = None
    page: Page | None = None


class BoardDifferenceRow(Row, frozen=True, kw_only=True, tag="board-difference"):
    """How two subjects differ in a topic, on the words that both have: the first's size less the second's.

    `words_low` and `words_high` are the interval of this difference alone. `together_low` and `together_high` are one
    of those that hold for all pairs and topics of the board at once; `p_together` is corrected likewise.
    `p_other_scale` is the same in spreads where sizes are in cosines, and the reverse. `larger` names the subject
    whose absolute size is the larger one, None where that is not known. `p_order` is its p-value, corrected over all
    such claims.
    """

    topic: str
    other: str | None
    other_sha256: str | None
    scale: SizeScale = "cosine"
    tests: tuple[str, ...]
    mean_difference: float | None = None
    mean_difference_first: float | None = None
    mean_difference_second: float | None = None
    words_low: float | None = None
    words_high: float | None = None
    p_words: float | None = None
    together_low: float | None = None
    together_high: float | None = None
    p_together: float | None = None
    p_other_scale: float | None = None
    p_order: float | None = None
    larger: str | None = None
    alpha: float | None = None


class BoardRankingRow(Row, frozen=True, kw_only=True, tag="board-ranking"):
    """Whether the subjects have an order in a topic, on the `tests` and words that all of them have.

    `agreement` says how often two halves of the words put two subjects into the same order, on the scale on which they
    agree less. It must be at least `least`. `subjects` are in order of rank, then of size, the smallest first. Where
    `has_order` is false, that order means nothing and the ranks are empty. `ranks_best` and `ranks_worst` are the
    ranks that each of them can have.
    """

    topic: str
    subjects: tuple[str, ...]
    tests: tuple[str, ...] = ()
    ranks_best: tuple[int, ...] = ()
    ranks_worst: tuple[int, ...] = ()
    has_order: bool
    agreement: float | None
    least: float
    splits: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.has_order:
            self.check_lengths("subjects", "ranks_best", "ranks_worst")
