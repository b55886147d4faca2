"""What the rows of association tests share, and how they are made."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Annotated, Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

import numpy as np
from msgspec import Struct

from imprint.association.cosines import Effect
from imprint.association.vectors import SetVectors
from imprint.checks import Context
from imprint.rows import Count, Label, Row, Rows, RowType, TemplateValue, WordList, WordValue, shown, word_values
from imprint.significance.outcomes import FOUND, OUTCOMES, Reason, SizeOutcome
from imprint.significance.partitions import PermutationTest
from imprint.stimuli.definition import CONTROL, UNDETERMINED, Human, Published, WeatTest, described
from imprint.types import Floats

SPARSE = 0.75  # share of a set's words below which a test is not what its author wrote

Tested = TypeVar("Tested", bound="AssociationRow")

SIZES = ("size", "size_low", "size_high", "unrelated", "detectable")

PMethod = Literal["exact", "certified", "sampled"]
Unit = Literal["word", "sentence"]

# Said of fields of several rows.
WORDS_LOW = shown("Low", "Low end of the 99.5 % interval over words.", digits=3)
WORDS_HIGH = shown("High", "High end of the 99.5 % interval over words.", digits=3)
SIZE = shown(
    "Size",
    "How much nearer X is to A than Y is, as a share of the distance between A and B, with its 99.5 % interval over "
    "words. Below zero, Y is nearer to A.",
    shape="percent",
)
SIZE_LOW = shown("Size, low", "Low end of the interval.", shape="percent")
SIZE_HIGH = shown("Size, high", "High end of the interval.", shape="percent")
OUTCOME = shown("Outcome", "What the interval says: substantial, present, small, or that it cannot tell.")
REASON = shown("Reason", "Why it cannot tell, where more than the interval is why.")
OBSTACLE = shown("Obstacle", "What keeps it from being present or substantial, whatever its interval.")


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
        return len({word for side in self.sets for word in side.words})

    def set_name(self, role: str) -> str:
        """Return what a set is called."""
        return next((listed.name for listed in self.sets if listed.role == role), role)

    def words_kept(self) -> list[tuple[str, int, int]]:
        """Return each set's name, how many of its words have a vector, and how many it has."""
        missing = set(self.missing)
        return [(side.name, sum(word not in missing for word in side.words), len(side.words)) for side in self.sets]

    def lost_most(self) -> str | None:
        """Say which set lost more than half of its words: the rest is not what the test's author wrote."""
        lost = (line for line in self.words_kept() if 2 * line[1] < line[2])
        return next((f"it has {kept} of the {words} words of {name}" for name, kept, words in lost), None)

    def sparse(self) -> list[tuple[str, int, int]]:
        """Return the sets that keep so few of their words that the test is not what its author wrote."""
        return [(name, kept, words) for name, kept, words in self.words_kept() if kept < SPARSE * words]


class OutcomeRow(TestRow, frozen=True, kw_only=True):
    """A test with what its 99.5 % interval says."""

    outcome: Annotated[SizeOutcome | None, OUTCOME] = None
    reason: Annotated[Reason | None, REASON] = None
    obstacle: Annotated[Reason | None, OBSTACLE] = None

    interval_of: ClassVar[str] = "words"

    @property
    def found(self) -> bool:
        """Whether the interval shows a difference."""
        return self.outcome in FOUND

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 99.5 % interval over words, which the outcome is about; None where there is none."""
        low, high = (getattr(self, f"{self.interval_of}_{end}") for end in ("low", "high"))
        return None if low is None or high is None else (low, high)

    def _said(self, value: float | None, digits: str) -> str:
        """Say a value with its interval, and the outcome, in a few words."""
        shown = "none" if value is None else f"{value:{digits}}"
        ends = "" if self.interval is None else " [{} to {}]".format(*(f"{end:{digits}}" for end in self.interval))
        return f"{shown}{ends}, {_judged(self) or 'not judged'}"


class SizedRow(OutcomeRow, frozen=True, kw_only=True):
    """A test of X and Y against A and B with its size."""

    size: Annotated[float | None, SIZE] = None
    size_low: Annotated[float | None, SIZE_LOW] = None
    size_high: Annotated[float | None, SIZE_HIGH] = None

    interval_of: ClassVar[str] = "size"


class AssociationRow(SizedRow, frozen=True, kw_only=True):
    """A test of X and Y against A and B: its size, what it says, and the effect and p-value as published.

    Sentences have sizes where all words are in the same ones. `p_value` and what is behind it are None for questions,
    whose interval decides.
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
        float | None, shown("Mean difference", "Difference of the sets' mean cosines.", digits=3)
    ]
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
    is_question: Annotated[
        bool, shown("Question", "Whether it is a standard question: long lists, matched in frequency.")
    ] = False
    papers: Annotated[tuple[str, ...], shown("In papers", "Published tests that ask the same with fewer words.")] = ()
    unrelated: Annotated[
        float | None,
        shown(
            "Unrelated words",
            "What 19 of 20 contrasts of unrelated words stay below in this model.",
            shape="percent",
        ),
    ] = None
    detectable: Annotated[
        float | None,
        shown(
            "Detectable",
            "The smallest size, either way, whose interval would exclude zero four times in five.",
            shape="percent",
        ),
    ] = None
    p_frequency: Annotated[
        float | None,
        shown(
            "p, frequency",
            "Of lists that are not matched in frequency, or lack words of a question: share of random words of the "
            "same frequencies that differ as much, in the place of X and Y, of A and B, or of all; the largest of the "
            "three.",
        ),
    ] = None
    rank_x: Annotated[
        float | None,
        shown("Median ranks", "Median frequency ranks of both target sets; 1 is the most frequent word.", digits=0),
    ] = None
    rank_y: Annotated[float | None, shown("Median rank of Y", digits=0)] = None
    p_grammar: Annotated[float | None, shown("p, grammar", "Two-sided p against what grammatical gender gives.")] = (
        None
    )
    grammar_difference: Annotated[
        float | None,
        shown("By grammar", "Mean difference of nouns for things that differ in grammatical gender.", digits=3),
    ] = None

    def answers(self, field: str, *, named: bool = False) -> bool:
        """Tell whether a condition on this field is about it: of questions sizes; of tests, if named, sizes too."""
        return self.is_question == (field in SIZES) or (named and not self.is_question)

    def __repr__(self) -> str:
        parts = [_judged(self), f"{len(self.missing)} missing"]
        if self.p_value is not None:
            parts.insert(1, f"p = {self.p_value:.3g} ({self.p_method})")
        if self.effect_size is not None:
            parts.insert(1, f"d = {self.effect_size:.2f}")
        if self.size is not None and self.interval is not None:
            low, high = self.interval
            parts.insert(0, f"{100 * self.size:.0f} % [{100 * low:.0f} to {100 * high:.0f}]")
        return f"{type(self).__name__}({self.test!r} on {self.embedding}: {', '.join(filter(None, parts))})"


class TopicRow(Row, frozen=True, kw_only=True, tag="topic"):
    """The mean size of a topic's tests, with its interval over words."""

    topic: Annotated[str, shown("Topic")]
    size: Annotated[float | None, SIZE] = None
    size_low: Annotated[float | None, SIZE_LOW] = None
    size_high: Annotated[float | None, SIZE_HIGH] = None
    outcome: Annotated[SizeOutcome | None, OUTCOME] = None
    reason: Annotated[Reason | None, REASON] = None
    obstacle: Annotated[Reason | None, OBSTACLE] = None
    tests: Annotated[tuple[str, ...], shown("Tests", "Questions about the topic, or tests where there are none.")]
    tests_left_out: Annotated[tuple[str, ...], shown("Left out", "Those without a size, or that did not run.")] = ()
    test_outcomes: Annotated[
        tuple[SizeOutcome, ...], shown("Of its questions", "The outcome of each of its questions or tests.")
    ] = ()
    n_words: Annotated[
        int, shown("Words", "Different words of these tests; a word and its inflections count once.")
    ] = 0

    @property
    def found(self) -> bool:
        """Whether the interval shows a difference."""
        return self.outcome in FOUND

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 99.5 % interval over words, which the outcome is about; None where there is none."""
        return None if self.size_low is None or self.size_high is None else (self.size_low, self.size_high)

    @property
    def tests_asked(self) -> tuple[str, ...]:
        """The tests whose words it counts."""
        return self.tests

    def lost_most(self) -> str | None:
        """Say that most of its tests were left out."""
        every = len(self.tests) + len(self.tests_left_out)
        return f"{len(self.tests)} of its {every} tests have a size" if 2 * len(self.tests) < every else None


class Measured(NamedTuple, Generic[Tested]):
    """A row, and the vectors that its size was measured by; None where words have no size."""

    row: Tested
    words: SetVectors | None


class MeasuredRows(Rows[RowType]):
    """Rows of tests, and each test's row with its words: changes, and topics of several, are measured by these."""

    def __init__(self, measured: Iterable[Measured[Any]], rows: Iterable[RowType]) -> None:
        super().__init__(rows)
        self.measured = tuple(measured)


def association_fields(
    test: WeatTest,
    effect: Effect,
    significance: PermutationTest | None,
    size: Mapping[str, Any],
    scores: Mapping[str, float],
) -> dict[str, Any]:
    """Return the fields that the rows of all these tests have, besides what was measured of which subject."""
    return {
        "test": test.id,
        **described(test),
        **asdict(effect),
        **({} if significance is None else {"p_value": significance.p_value, **significance.details()}),
        **size,
        "scores": word_values(scores),
        "is_question": test.is_question,
        "papers": test.papers,
    }


def fields_of_words(
    test: WeatTest, words: SetVectors, scores: Floats, significance: PermutationTest | None, size: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the same of words with one vector each, whose scores are given, and how many words there are."""
    effect = Effect.of(*np.split(scores, [words.n_x]))
    by_word = dict(zip(words.target_words, scores.tolist(), strict=True))
    return association_fields(test, effect, significance, size, by_word) | words.sizes


def outcome_counts(rows: Iterable[OutcomeRow]) -> str:
    """Say how many rows have each outcome, the most serious first."""
    return outcomes_text(row.outcome for row in rows if row.outcome is not None)


def outcomes_text(outcomes: Iterable[SizeOutcome]) -> str:
    """Say how often each outcome is reached, the most serious first."""
    counts = Counter(outcomes)
    return ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES if counts[outcome]) or "no outcomes"


def _judged(row: OutcomeRow) -> str | None:
    """Return the outcome, and why it cannot tell."""
    return f"{row.outcome} ({row.reason})" if row.reason else row.outcome


class WordContexts(Struct, frozen=True):
    """How many sentences of a text have a word, and how many of them were used."""

    word: Annotated[str, shown("Word", shape="word")]
    found: Annotated[int, shown("Found", "Sentences of the text that have it, each as often as it is there.")]
    used: Annotated[int, shown("Used", "Distinct sentences that were sampled and have no other word of the test.")]


class SeatRow(AssociationRow, frozen=True, kw_only=True, tag="seat"):
    """One test in one context and unit: framed words have a size, other contexts are as the paper has them.

    Effects of single templates and words are given by words only.
    """

    context: Annotated[
        Context,
        shown(
            "Context",
            "The same sentences for all words (framed), sentences that say nothing of the word (bleached), the "
            "test's own (unbleached), the word alone, or sentences of a text (corpus).",
        ),
    ]
    unit: Annotated[Unit, shown("Unit", "Whether words or sentences were permuted.")]
    effect_label: Annotated[Literal["d", "d_word"], shown("Effect", "Which effect size it is, by the unit.")]
    encoder_settings: Annotated[tuple[Label, ...], shown("Settings", "Settings of the encoder.")]
    texts: Annotated[int, shown("Texts", "Texts that were encoded.")]
    left_out: Annotated[tuple[str, ...], shown("Left out", "Sentences whose form of the word has no vector.")] = ()
    n_unknown_kinds: Annotated[int, shown("Unknown kinds", "Words whose part of speech is not known.")] = 0
    stars: Annotated[
        str,
        shown("Stars", "As the paper marks p-values of sentences: * below .01, ** also after Holm's correction."),
    ] = ""
    effect_centred: Annotated[
        float | None,
        shown("Centred", "d_word after the mean of the test's vectors is subtracted from all of them."),
    ] = None
    difference_of_frames: Annotated[
        float | None, shown("Frames' difference", "Mean difference of the sentences without their words.", digits=3)
    ] = None
    share_of_frames: Annotated[
        float | None,
        shown("Frames", "Share of the mean difference that the sentences give without their words.", shape="percent"),
    ] = None
    p_of_frames: Annotated[float | None, shown("p, frames", "p of the sentences without their words.")] = None
    effect_by_template: Annotated[
        tuple[TemplateValue, ...], shown("By template", "d_word in each template alone.")
    ] = ()
    effect_without_template: Annotated[
        tuple[TemplateValue, ...],
        shown("Without one template", "Smallest and largest d_word when one template is left out."),
    ] = ()
    effect_without_word: Annotated[
        tuple[WordValue, ...], shown("Without one word", "Smallest and largest d_word when one word is left out.")
    ] = ()
    flips: Annotated[tuple[str, ...], shown("Sign changed by", "What, left out, changes the sign of d_word.")] = ()
    size_by_frame: Annotated[
        tuple[TemplateValue, ...], shown("Size by sentence", "The size in each of its sentences alone.")
    ] = ()

    text: Annotated[str, shown("Text", "The text that sentences were sampled from.")] = ""
    vectors: Annotated[
        Literal["word", "sentence"] | None,
        shown("Vectors", "In sentences of a text: the word's tokens in its sentence, or the whole sentence."),
    ] = None
    contexts: Annotated[
        tuple[WordContexts, ...], shown("Sentences", "How many sentences have each word, and how many were used.")
    ] = ()
    draws: Annotated[int | None, shown("Draws", "Random choices of a sentence per word.")] = None
    d_ceat: Annotated[
        float | None,
        shown(
            "CEAT d",
            "As published: d of one random sentence per word, combined over draws, and where 95 % of draws lie.",
        ),
    ] = None
    d_ceat_low: Annotated[float | None, shown("CEAT d, low", "Above 2.5 % of the draws.")] = None
    d_ceat_high: Annotated[float | None, shown("CEAT d, high", "Above 97.5 % of the draws.")] = None
    between_draws: Annotated[
        float | None, shown("Between draws", "Standard deviation of d between draws, by DerSimonian and Laird.")
    ] = None
    z_ceat: Annotated[float | None, shown("CEAT z", "CEAT's d in units of its published error.")] = None
    p_ceat: Annotated[
        float | None,
        shown("p, CEAT", "As published: it shrinks as draws grow, whatever the words, and decides nothing."),
    ] = None

    @property
    def by_words(self) -> bool:
        """Whether words are its units: sentences of one word are not independent observations."""
        return self.unit == "word"
