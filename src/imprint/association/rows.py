"""What the rows and results of association tests share, and what a test that keeps few of its words is."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from imprint.association.evidence import Checks, CosineTable
from imprint.association.verdicts import FOUND, Case, Check, Direction, Evidence, InFamily, Judged
from imprint.checks import Alternative
from imprint.rows import Count, Result, Row, WordList, WordValue, shown
from imprint.significance.outcomes import FOUND as DIFFERENT
from imprint.significance.outcomes import Reason, SizeOutcome
from imprint.significance.partitions import PermutationTest
from imprint.significance.shifts import Interval
from imprint.stimuli.definition import CONTROL, UNDETERMINED, AnyTest, Human, Published, WeatTest, described, word_sets
from imprint.types import Floats

if TYPE_CHECKING:
    from imprint.association.questions import Sized

SPARSE = 0.75  # share of a set's words below which a test is not what its author wrote

KEPT = 0.5  # share of a set's words below which a test is not judged
FEWEST = 4  # words of a set, below which a test is not judged

# Called the same on a result and in its row.
_ALIKE = ("embedding", "embedding_sha256", "effect_size", "statistic", "p_value", "seed", "missing")
_ALIKE_OF_SETS = ("mean_difference", "d_within", "n_x", "n_y", "n_a", "n_b")


_SIZES = ("size", "size_low", "size_high", "unrelated")

PMethod = Literal["exact", "certified", "sampled"]

# Said of fields of several rows.
P_WORDS = shown("p, words", "Two-sided p against no difference among all words of these kinds.")
WORDS_LOW = shown("Low", "Low end of the 95 % interval over words.", digits=3)
WORDS_HIGH = shown("High", "High end of the 95 % interval over words.", digits=3)


class TestRow(Row, frozen=True, kw_only=True):
    """A row of a test with word sets."""

    title: Annotated[str, shown("Title", "What the test asks.")]
    topics: Annotated[tuple[str, ...], shown("Topic", "What the test is about.")] = ()
    sets: Annotated[tuple[WordList, ...], shown("Sets", "The word sets of the test.")] = ()
    source: Annotated[str, shown("Source", "Where the words come from.")] = ""
    language: Annotated[str, shown("Language", "Language of the words (ISO 639).")] = UNDETERMINED
    published: Annotated[tuple[Published, ...], shown("Published", "Figures that the source prints.")] = ()
    human: Annotated[Human | None, shown("People", "Effect in the Implicit Association Test, another scale.")] = None
    adapted: Annotated[str | None, shown("Adapted", "Why the words are not the source's own.")] = None
    scores: Annotated[tuple[WordValue, ...], shown("Scores", "The score of each word.")] = ()
    n_a: Annotated[int, shown("Words of A", "Words of A that have a vector.")] = 0
    n_b: Annotated[int, shown("Words of B", "Words of B that have a vector.")] = 0
    lowered: Annotated[tuple[str, ...], shown("In lower case", "Words found in lower case only.")] = ()
    from_subwords: Annotated[tuple[str, ...], shown("From subwords", "Words with a vector made from subwords.")] = ()

    @property
    def about_people(self) -> bool:
        """Whether the test asks about people; flowers and instruments say whether a subject can be judged."""
        return not self.is_control

    @property
    def is_control(self) -> bool:
        """Whether it is a control, in which a difference is right."""
        return CONTROL in self.topics

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

    def lost_most(self) -> str | None:
        """Say which set lost more than half of its words: the rest is not what the test's author wrote."""
        lost = (line for line in self.words_kept() if 2 * line[1] < line[2])
        return next((f"it has {kept} of the {words} words of {name}" for name, kept, words in lost), None)

    def sparse(self) -> list[tuple[str, int, int]]:
        """Return the sets that keep so few of their words that the test is not what its author wrote."""
        return [(name, kept, words) for name, kept, words in self.words_kept() if kept < SPARSE * words]


class OutcomeRow(TestRow, frozen=True, kw_only=True):
    """A test with what its 99.5 % interval says."""

    outcome: Annotated[
        SizeOutcome | None,
        shown("Outcome", "What the interval says: substantial, present, small, or that it cannot tell."),
    ] = None
    reason: Annotated[Reason | None, shown("Reason", "Why it cannot tell, where more than the interval is why.")] = (
        None
    )

    @property
    def found(self) -> bool:
        """Whether the interval shows a difference."""
        return self.outcome in DIFFERENT


class JudgedRow(TestRow, frozen=True, kw_only=True):
    """A test within its family: two-sided p-values of its checks, and the level of evidence after Holm's correction.

    A control, such as flowers and insects, is in no family and has no evidence.
    """

    p_label: Annotated[float | None, shown("p, label", "Two-sided p of the label permutation.", method="p_method")] = (
        None
    )
    p_label_low: Annotated[float | None, shown("p, label, low", "The least that p_label can be.")] = None
    p_label_high: Annotated[float | None, shown("p, label, high", "The most that p_label can be.")] = None
    p_label_floor: Annotated[
        float | None, shown("p, label, floor", "The smallest p_label that so many words can give.")
    ] = None
    p_frequency: Annotated[
        float | None,
        shown("p, frequency", "Share of random words of the same frequencies that differ as much."),
    ] = None
    p_words: Annotated[float | None, P_WORDS] = None
    p_axes: Annotated[
        float | None,
        shown("p, axes", "Two-sided p: how often unrelated contrasts in this space differ as much."),
    ] = None
    p_grammar: Annotated[float | None, shown("p, grammar", "Two-sided p against what grammatical gender gives.")] = (
        None
    )
    evidence: Annotated[
        Evidence | None,
        shown("Evidence", "What is left of the difference when other explanations are checked."),
    ] = None
    direction: Annotated[Direction | None, shown("Direction", "Whether the sign is the predicted one.")] = None
    checks_failed: Annotated[tuple[Check, ...], shown("Failed", "Checks that keep evidence from being strong.")] = ()
    alpha: Annotated[float | None, shown("Alpha", "Chance of any false discovery in the family.")] = None
    family_size: Annotated[int | None, shown("Family", "Tests that were corrected together.")] = None
    p_holm: Annotated[
        float | None,
        shown(
            "p, two-sided, Holm",
            "Two-sided p after Holm's correction over the tests of its family.",
            method="p_method",
        ),
    ] = None
    p_moderate_holm: Annotated[float | None, shown("p, moderate, Holm", "The same for moderate evidence.")] = None
    p_strong_holm: Annotated[float | None, shown("p, strong, Holm", "The same for strong evidence.")] = None
    words_low: Annotated[float | None, WORDS_LOW] = None
    words_high: Annotated[float | None, WORDS_HIGH] = None

    @property
    def found(self) -> bool:
        """Whether there is any evidence of a difference."""
        return self.evidence in FOUND

    @property
    def family(self) -> tuple[str, ...]:
        """What tells the family apart in which its p-values were corrected."""
        return self.kind, self.embedding_sha256

    @property
    def uncorrected(self) -> str:
        """The field whose p was corrected with those of its family; none where it was not."""
        return "" if self.p_holm is None else "p_label"


class AssociationRow(JudgedRow, frozen=True, kw_only=True):
    """A test of X and Y against A and B: the effect, what is behind its p-value, and its family.

    The interval is over words, and over sentences where words are in sentences.
    """

    effect_size: Annotated[
        float | None,
        shown(
            "d", "Difference of the sets' mean scores, in their standard deviations; at most about 2, not Cohen's d."
        ),
    ] = None
    p_value: Annotated[
        float | None,
        shown(
            "p",
            "As published: share of all splits of the target words with at least this difference.",
            method="p_method",
        ),
    ] = None
    mean_difference: Annotated[
        float | None,
        shown(
            "Mean difference",
            "Difference of the sets' mean cosines, with its 95 % interval over words.",
            digits=3,
            ends="words",
        ),
    ]
    interval_low: Annotated[
        float | None,
        shown(
            "Interval of the permutation",
            "95 % interval of the mean difference for these words.",
            shape="interval",
            digits=3,
        ),
    ]
    interval_high: Annotated[float | None, shown("Interval, high", "High end of the same interval.", digits=3)]
    confidence: Annotated[float | None, shown("Confidence", "Confidence of the interval of the permutation.")]
    d_within: Annotated[float | None, shown("d within", "Mean difference in standard deviations within the sets.")]
    p_strict: Annotated[float | None, shown("p, strict", "Share of splits with more than this difference.")] = None
    p_floor: Annotated[float | None, shown("p, floor", "The smallest p that so many words can give.")] = None
    p_method: Annotated[PMethod | None, shown("p, method", "How p was found: exact, certified bounds or sampled.")] = (
        None
    )
    p_low: Annotated[float | None, shown("p, low", "The least that p can be.")] = None
    p_high: Annotated[float | None, shown("p, high", "The most that p can be.")] = None
    log10_p: Annotated[float | None, shown("log10 p")] = None
    partitions: Annotated[Count | None, shown("All splits", "Splits of the target words.", shape="count")] = None
    log10_partitions: Annotated[float | None, shown("log10 splits", "Logarithm of the number of splits.")] = None
    extreme: Annotated[
        Count | None, shown("Splits", "Splits of the target words at least as extreme, of all splits.", shape="count")
    ] = None
    extreme_low: Annotated[Count | None, shown("Splits, low", "The least that they can be.", shape="count")] = None
    extreme_high: Annotated[Count | None, shown("Splits, high", "The most that they can be.", shape="count")] = None
    alternative: Annotated[
        Literal["greater", "less", "two-sided"], shown("Alternative", "Which differences p_value counts.")
    ] = "two-sided"
    n_x: Annotated[int, shown("Words of X", "Words of X that have a vector.")]
    n_y: Annotated[int, shown("Words of Y", "Words of Y that have a vector.")]
    detectable_shift: Annotated[
        float | None,
        shown("Detectable", "Where nothing was found: the smallest difference found four times in five.", digits=3),
    ] = None
    rank_x: Annotated[
        float | None,
        shown("Median ranks", "Median frequency ranks of both target sets; 1 is the most frequent word.", digits=0),
    ] = None
    rank_y: Annotated[float | None, shown("Median rank of Y", digits=0)] = None
    adjusted_difference: Annotated[
        float | None,
        shown("At equal frequency", "The mean difference adjusted for the logarithm of the rank.", digits=3),
    ] = None
    specificity: Annotated[
        float | None,
        shown("Specificity", "Share of random attributes that separate the targets as well.", shape="percent"),
    ] = None
    grammar_difference: Annotated[
        float | None, shown("By grammar", "What nouns for things of either grammatical gender differ by.", digits=3)
    ] = None
    grammar_low: Annotated[float | None, shown("By grammar, low", "Low end of its interval.", digits=3)] = None
    grammar_high: Annotated[float | None, shown("By grammar, high", "High end of its interval.", digits=3)] = None
    is_question: Annotated[
        bool, shown("Question", "Whether it is a standard question: long lists, matched in frequency.")
    ] = False
    size: Annotated[
        float | None,
        shown(
            "Size",
            "How much nearer X is to A than Y is, as a share of the distance between A and B, with its 99.5 % "
            "interval over words. Below zero, Y is nearer to A.",
            shape="percent",
        ),
    ] = None
    size_low: Annotated[float | None, shown("Size, low", "Low end of the interval.", shape="percent")] = None
    size_high: Annotated[float | None, shown("Size, high", "High end of the interval.", shape="percent")] = None
    outcome: Annotated[
        SizeOutcome | None,
        shown("Outcome", "What the interval says: substantial, present, small, or that it cannot tell."),
    ] = None
    reason: Annotated[Reason | None, shown("Reason", "Why it cannot tell, where more than the interval is why.")] = (
        None
    )
    unrelated: Annotated[
        float | None,
        shown(
            "Unrelated words",
            "What 19 of 20 contrasts of unrelated words stay below in this model.",
            shape="percent",
        ),
    ] = None

    @property
    def found(self) -> bool:
        """Whether there is any evidence of a difference; of a question, whether the interval shows one."""
        return self.outcome in ("substantial", "present") if self.is_question else super().found

    def answers(self, field: str) -> bool:
        """Tell whether a condition on this field of all tests is about it: questions have sizes, tests all else."""
        return self.is_question == (field in _SIZES)


@dataclass(frozen=True, repr=False, kw_only=True)
class AssociationResult(InFamily, Result):
    """A test of X and Y against A and B; positive means X with A and Y with B. `Effect` explains the effect sizes.

    `scores` has what was scored, words or sentences, in the order of the test; `x_scores` and `y_scores` are what was
    permuted. The interval is None where scores are not independent. `table` has the cosines of words. `judged` places
    the test in its family; a question has `sized` instead.
    """

    test: WeatTest
    embedding: str
    embedding_sha256: str
    effect_size: float
    d_within: float
    statistic: float
    mean_difference: float
    interval: Interval | None
    significance: PermutationTest | None
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
    sized: "Sized | None" = None

    _shuffles: ClassVar[int] = 1_000  # random shuffles behind a detectable shift

    @property
    def p_value(self) -> float:
        """Share of partitions at least as extreme as the observed one; NaN for questions, which permute nothing."""
        return self.significance.p_value if self.significance else math.nan

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
        alternative = self.significance.alternative if self.significance else "two-sided"
        return direction_of(self.mean_difference, alternative)

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

    def _found(self, effect: str) -> str:
        """Say what was found in a few words."""
        if self.significance is None:
            return str(self.sized)
        return f"{effect} = {self.effect_size:.2f}, p = {self.p_value:.3g} ({self.significance.p_method})"

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
            **(self.significance.details() if self.significance else {}),
            **self.checks.fields(),
            **(self.judged.fields() if self.judged else {}),
            "direction": self.direction,
            "detectable_shift": self.detectable_shift,
            "is_question": self.test.is_question,
            **(self.sized.fields() if self.sized else {}),
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
