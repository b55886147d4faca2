"""What one SEAT says: an effect in one unit, the count behind its p-value, and what the effect hangs on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from imprint.association.rows import AssociationResult, AssociationRow
from imprint.association.sensitivity import Sensitivity
from imprint.association.sentences import Unit
from imprint.checks import Context
from imprint.rows import Label, TemplateValue, WordValue, shown, word_values
from imprint.stimuli.definition import word_sets


@dataclass(frozen=True)
class Frames:
    """What the sentences of a test say without its words: effects of grammar, where X and Y differ in it."""

    mean_difference: float
    p_value: float


class SeatRow(AssociationRow, frozen=True, kw_only=True, tag="seat"):
    """One test in one context and unit; effects of single templates and words are given by words only.

    The interval is over words and the templates counted in `n_target_templates` and `n_attribute_templates`. They are
    0 where a set has fewer than three: its sentences then count as fixed.
    """

    context: Annotated[
        Context,
        shown("Context", "The word alone, in sentences that say nothing of it (bleached), or in the test's own."),
    ]
    unit: Annotated[Unit, shown("Unit", "Whether words or sentences were permuted.")]
    effect_label: Annotated[Literal["d", "d_word"], shown("Effect", "Which effect size it is, by the unit.")]
    encoder_settings: Annotated[tuple[Label, ...], shown("Settings", "Settings of the encoder.")]
    texts: Annotated[int, shown("Texts", "Texts that were encoded.")]
    left_out: Annotated[tuple[str, ...], shown("Left out", "Sentences whose form of the word has no vector.")] = ()
    ranked: Annotated[
        float | None, shown("Ranked", "Share of the words whose frequency is known.", shape="percent")
    ] = None
    n_unknown_kinds: Annotated[int, shown("Unknown kinds", "Words whose part of speech is not known.")] = 0
    n_target_templates: Annotated[int, shown("Target templates", "Templates of targets in the interval.")] = 0
    n_attribute_templates: Annotated[int, shown("Attribute templates", "Templates of attributes in it.")] = 0
    stars: Annotated[str, shown("Stars", "How the paper marks small p-values.")] = ""
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
        tuple[TemplateValue, ...], shown("Size by sentence", "The size of a question in each of its sentences alone.")
    ] = ()

    @property
    def family(self) -> tuple[str, ...]:
        """By words, single words and words in sentences are two families; by sentences there is one."""
        alone = "alone" if self.unit == "word" and self.context == "word" else ""
        return *super().family, self.unit, alone

    @property
    def by_words(self) -> bool:
        """Whether words are its units: sentences of one word are not independent observations."""
        return self.unit == "word"


@dataclass(frozen=True, repr=False, kw_only=True)
class SeatResult(AssociationResult):
    """The result of one SEAT: one test, context and encoder; positive if x is associated with a, and y with b.

    Attributes
    ----------
    test
        The test that was run.
    embedding
        Name of the encoder.
    embedding_sha256
        Hash of everything that decides the encoder's vectors.
    effect_size
        The mean difference divided by the standard deviation of all scores: d, or d_word if words were permuted.
    d_within
        The mean difference divided by the standard deviation within the sets (Cohen's d).
    statistic
        The sum of the scores of x less that of y.
    mean_difference
        The mean score of x less that of y: a difference in cosines.
    interval
        Interval of the mean difference; None for sentences, because those of one word are not independent.
    significance
        The p-value and the counts behind it.
    scores
        The score of each target word or sentence.
    x_scores
        Scores of x that were permuted.
    y_scores
        Scores of y that were permuted.
    n_a
        Words or sentences of a.
    n_b
        Words or sentences of b.
    missing
        Words without a vector.
    seed
        Seed of everything random.
    checks
        Four p-values: of the label permutation, and of what frequency, other words and the space's axes explain.
    table
        The mean cosine of every target word with every attribute word.
    judged
        The level of evidence within the test's family; sentences have none.
    detectable_shift
        If nothing was found, the smallest detectable difference, with a power of 80 %.
    sized
        Of a question, its size with its interval, and what it says.
    context
        Words alone, or the kind of sentences they were put into.
    unit
        What was permuted and counted: words or sentences.
    settings
        The encoder's adapter, pooling and layers.
    texts
        How many texts were encoded.
    centred
        The effect after the mean of the test's vectors is subtracted from each.
    frames
        The same sentences without their words; None if all targets share the same frames.
    sensitivity
        Effects of single templates, and without single templates or words; None for questions.
    left_out
        Sentences whose form of a word has no vector.
    ranked
        Share of the words whose frequency is known.
    size_by_frame
        The size of a question in each of its sentences alone.
    """

    context: Context
    unit: Unit
    settings: Mapping[str, str] = field(hash=False)
    texts: int
    centred: float | None = None
    frames: Frames | None = None
    sensitivity: Sensitivity | None = None
    left_out: tuple[str, ...] = ()
    ranked: float | None = None
    size_by_frame: Mapping[str, float | None] = field(default_factory=dict, hash=False)

    _shuffles: ClassVar[int] = 200  # with a standard error of some 3 %: a battery asks for dozens

    @property
    def label(self) -> Literal["d", "d_word"]:
        """What the effect is called."""
        return "d_word" if self.unit == "word" else "d"

    def findings(self) -> list[SeatRow]:
        """Return the one row in a list, as every result does."""
        return [self.finding()]

    def finding(self, **more: Any) -> SeatRow:
        """Return the row, with whatever the caller knows besides."""
        return SeatRow(
            # A figure of the test's own source is of words alone; the battery adds those of the same model.
            **(self._fields() | {"published": ()} | more),
            context=self.context,
            unit=self.unit,
            effect_label=self.label,
            encoder_settings=tuple(Label(name, value) for name, value in self.settings.items()),
            texts=self.texts,
            left_out=self.left_out,
            ranked=self.ranked,
            n_unknown_kinds=sum(words.kinds.count("unknown") for words in word_sets(self.test).values()),
            size_by_frame=tuple(TemplateValue(*item) for item in self.size_by_frame.items()),
            **(self._parts() if self.unit == "word" else {}),
        )

    def _parts(self) -> dict[str, Any]:
        """Return what is known of words: their scores, and the effects of parts of the test."""
        parts = self.sensitivity
        if parts is None:
            return {"scores": word_values(self.scores)}
        of_targets, of_attributes = (0, 0) if self.checks.words_low is None else self.table.alone.templates()
        return {
            "effect_centred": self.centred,
            **self._frames(),
            "effect_by_template": tuple(TemplateValue(*one) for one in parts.by_template.items()),
            "effect_without_template": tuple(TemplateValue(*one) for one in parts.without_template.items()),
            "effect_without_word": word_values(parts.without_word),
            "flips": parts.flips(self.effect_size),
            "scores": word_values(self.scores),
            "n_target_templates": of_targets,
            "n_attribute_templates": of_attributes,
        }

    def _frames(self) -> dict[str, float | None]:
        if self.frames is None:
            return {}
        difference, whole = self.frames.mean_difference, self.mean_difference
        return {
            "difference_of_frames": difference,
            "share_of_frames": difference / whole if whole else None,
            "p_of_frames": self.frames.p_value,
        }

    def __repr__(self) -> str:
        found = self._found(self.label)
        return (
            f"SeatResult({self.test.id!r}, {self.context}, on {self.embedding}: {found}, {len(self.missing)} missing)"
        )
