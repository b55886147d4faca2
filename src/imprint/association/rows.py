"""What the rows and results of association tests share, and what a test that keeps few of its words is."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

from imprint.association.evidence import Checks, CosineTable
from imprint.association.verdicts import FOUND, Case, Check, Direction, Evidence, InFamily, Judged
from imprint.checks import Alternative
from imprint.rows import Count, Result, Row, WordList, WordValue
from imprint.significance.partitions import PermutationTest
from imprint.significance.shifts import Interval
from imprint.stimuli.definition import CONTROL, UNDETERMINED, AnyTest, Human, Published, WeatTest, described, word_sets
from imprint.types import Floats

SPARSE = 0.75  # share of a set's words below which a test is not what its author wrote

KEPT = 0.5  # share of a set's words below which a test is not judged
FEWEST = 4  # words of a set, below which a test is not judged

# Called the same on a result and in its row.
_ALIKE = ("embedding", "embedding_sha256", "effect_size", "statistic", "p_value", "seed", "missing")
_ALIKE_OF_SETS = ("mean_difference", "d_within", "n_x", "n_y", "n_a", "n_b")


class TestRow(Row, frozen=True, kw_only=True):
    """A row of a test with word sets; `adapted` says why the words are not the source's own, None where they are."""

    title: str
    topics: tuple[str, ...] = ()
    sets: tuple[WordList, ...] = ()
    source: str = ""
    language: str = UNDETERMINED
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
        """Whether the test asks about people; flowers and instruments say whether a subject can be judged."""
        return CONTROL not in self.topics

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


class JudgedRow(TestRow, frozen=True, kw_only=True):
    """A test within its family: two-sided p-values of its checks, and the level of evidence after Holm's correction.

    A control, such as flowers and insects, is in no family and has no evidence. `p_label` is known to lie between
    `p_label_low` and `p_label_high`, and could not be below `p_label_floor`.
    """

    p_label: float | None = None
    p_label_low: float | None = None
    p_label_high: float | None = None
    p_label_floor: float | None = None
    p_frequency: float | None = None
    p_words: float | None = None
    p_axes: float | None = None
    p_grammar: float | None = None
    evidence: Evidence | None = None
    direction: Direction | None = None
    checks_failed: tuple[Check, ...] = ()
    alpha: float | None = None
    family_size: int | None = None
    p_holm: float | None = None
    p_moderate_holm: float | None = None
    p_strong_holm: float | None = None
    words_low: float | None = None
    words_high: float | None = None

    @property
    def found(self) -> bool:
        """Whether there is any evidence of a difference."""
        return self.evidence in FOUND

    @property
    def family(self) -> tuple[str, ...]:
        """What tells the family apart in which its p-values were corrected."""
        return self.kind, self.embedding_sha256


class AssociationRow(JudgedRow, frozen=True, kw_only=True):
    """A test of X and Y against A and B: the effect, what is behind its p-value, and its family.

    Counts are decimal strings. `detectable_shift` is given where nothing was found: the smallest shift of X's scores
    that the test finds with 80 % power. `words_low` and `words_high` are the interval of the mean difference over
    words, and over sentences where words are in sentences. `interval_low` and `interval_high` belong to the label
    permutation. `grammar_difference` is what nouns for things of either grammatical gender differ by.
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
    detectable_shift: float | None = None
    rank_x: float | None = None
    rank_y: float | None = None
    adjusted_difference: float | None = None
    specificity: float | None = None
    grammar_difference: float | None = None
    grammar_low: float | None = None
    grammar_high: float | None = None


@dataclass(frozen=True, repr=False, kw_only=True)
class AssociationResult(InFamily, Result):
    """A test of X and Y against A and B; positive means X with A and Y with B. `Effect` explains the effect sizes.

    `scores` has what was scored, words or sentences, in the order of the test; `x_scores` and `y_scores` are what was
    permuted. The interval is None where scores are not independent. `table` has the cosines of words. `judged` places
    the test in its family.
    """

    test: WeatTest
    embedding: str
    embedding_sha256: str
    effect_size: float
    d_within: float
    statistic: float
    mean_difference: float
    interval: Interval | None
    significance: PermutationTest
    scores: Mapping[str, float] = field(hash=False)
    x_scores: Floats = field(compare=False)
    y_scores: Floats = field(compare=False)
    n_a: int
    n_b: int
    missing: tuple[str, ...]
    seed: int
    checks: Checks
    table: CosineTable = field(compare=False)
    judged: Judged | None = None
    detectable_shift: float | None = None

    _shuffles: ClassVar[int] = 1_000  # random shuffles behind a detectable shift

    @property
    def p_value(self) -> float:
        """Share of partitions at least as extreme as the observed one."""
        return self.significance.p_value

    @property
    def n_x(self) -> int:
        """How many scores X has."""
        return len(self.x_scores)

    @property
    def n_y(self) -> int:
        """How many scores Y has."""
        return len(self.y_scores)

    @property
    def direction(self) -> Direction | None:
        """Whether the difference has the sign that was asked for."""
        return direction_of(self.mean_difference, self.significance.alternative)

    @property
    def case(self) -> Case:
        """What is judged of it within a family."""
        return case_of(self.checks, self.test, self.missing)

    def in_family(self, judged: Judged) -> Self:
        """Return the result with its judgement; computing the smallest detectable effect takes a moment."""
        unseen = judged.evidence == "none shown" and judged.level is not None
        shift = self.smallest_detectable_shift(judged.level) if unseen else None  # type: ignore[arg-type]
        return replace(self, judged=judged, detectable_shift=shift)

    def smallest_detectable_shift(self, alpha: float, *, power: float = 0.8) -> float | None:
        """Return the shift of X's scores, either way, that this test would find with that power.

        None if there are too few words for p to fall to alpha.
        """
        from imprint.significance.shifts import smallest_detectable_shift

        return smallest_detectable_shift(
            self.x_scores,
            self.y_scores,
            alpha=alpha,
            power=power,
            alternative="two-sided",
            shuffles=self._shuffles,
            seed=self.seed,
        )

    def _fields(self) -> dict[str, Any]:
        """Return the fields of the row that all these tests have, scores aside."""
        interval = self.interval
        return {
            "test": self.test.id,
            **described(self.test),
            **{name: getattr(self, name) for name in _ALIKE + _ALIKE_OF_SETS},
            "interval_low": interval.low if interval else None,
            "interval_high": interval.high if interval else None,
            "confidence": interval.confidence if interval else None,
            **self.significance.details(),
            **self.checks.fields(),
            **(self.judged.fields() if self.judged else {}),
            "direction": self.direction,
            "detectable_shift": self.detectable_shift,
        }


def case_of(checks: Checks, test: AnyTest, missing: Collection[str]) -> Case:
    """Return what is judged of a test: a set that lost half of its words, or keeps fewer than four, is too small."""
    lost = set(missing)
    kept = [(sum(word not in lost for word in one.words), len(one.words)) for one in word_sets(test).values()]
    enough = all(found >= max(FEWEST, KEPT * words) for found, words in kept)
    return Case(checks, control=CONTROL in test.topics, enough=enough)


def direction_of(difference: float, alternative: Alternative = "greater") -> Direction | None:
    """Return whether a difference has the sign that was asked for; None where it has none."""
    if not difference or math.isnan(difference):
        return None
    return "as predicted" if (difference > 0) == (alternative != "less") else "reversed"
