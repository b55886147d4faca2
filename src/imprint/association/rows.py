"""What the rows of association tests share, and what a test that keeps few of its words is."""

from typing import Literal

from imprint.rows import Count, Row, WordList, WordValue
from imprint.stimuli.definition import Human, Published

SPARSE = 0.75  # share of a set's words below which a test is not what its author wrote

Verdict = Literal["significant", "not significant", "cannot reach"]


class TestRow(Row, frozen=True, kw_only=True):
    """A row of a test with word sets; `adapted` says why the words are not the source's own, None where they are."""

    title: str
    topics: tuple[str, ...] = ()
    sets: tuple[WordList, ...] = ()
    source: str = ""
    published: tuple[Published, ...] = ()
    human: Human | None = None
    adapted: str | None = None
    scores: tuple[WordValue, ...] = ()
    n_a: int = 0
    n_b: int = 0
    lowered: tuple[str, ...] = ()
    from_subwords: tuple[str, ...] = ()

    @property
    def about_people(self) -> bool:
        """Whether the test asks about people; flowers and instruments show that the method works."""
        return "neutral" not in self.topics

    @property
    def asked(self) -> int:
        """How many words the test has."""
        return len({word for one in self.sets for word in one.words})

    def set_name(self, role: str) -> str:
        """Return what a set is called."""
        return next((one.name for one in self.sets if one.role == role), role)

    def words_kept(self) -> list[tuple[str, int, int]]:
        """Return each set's name, how many of its words have a vector, and how many it has."""
        missing = set(self.missing)
        return [(one.name, sum(word not in missing for word in one.words), len(one.words)) for one in self.sets]

    def sparse(self) -> list[tuple[str, int, int]]:
        """Return the sets that keep so few of their words that the test is not what its author wrote."""
        return [(name, kept, words) for name, kept, words in self.words_kept() if kept < SPARSE * words]


class AssociationRow(TestRow, frozen=True, kw_only=True):
    """A test of X and Y against A and B: the effect, what is behind its p-value, and its family.

    Counts are decimal strings. `detectable_shift` is given where nothing was found: the smallest shift of X's scores
    that the test finds with 80 % power.
    """

    mean_difference: float | None
    interval_low: float | None
    interval_high: float | None
    confidence: float | None
    d_within: float | None
    p_strict: float
    p_floor: float
    p_method: Literal["exact", "certified", "sampled"]
    p_low: float
    p_high: float
    log10_p: float | None
    partitions: Count
    log10_partitions: float
    extreme: Count | None
    extreme_low: Count | None
    extreme_high: Count | None
    alternative: Literal["greater", "less", "two-sided"]
    n_x: int
    n_y: int
    p_holm: float | None = None
    alpha: float | None = None
    verdict: Verdict | None = None
    detectable_shift: float | None = None
