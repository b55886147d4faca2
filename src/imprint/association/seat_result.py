"""What one SEAT says: an effect in one unit, the count behind its p-value, and what the effect hangs on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from imprint.association.rows import AssociationResult, AssociationRow
from imprint.association.sensitivity import Sensitivity
from imprint.association.sentences import Unit
from imprint.checks import Context
from imprint.rows import Label, TemplateValue, WordValue, word_values
from imprint.stimuli.definition import word_sets


@dataclass(frozen=True)
class Frames:
    """What the sentences of a test say without its words: effects of grammar, where X and Y differ in it."""

    mean_difference: float
    p_value: float


class SeatRow(AssociationRow, frozen=True, kw_only=True, tag="seat"):
    """One test in one context and unit; effects of single templates and words are given by words only.

    `n_unknown_kinds` counts the words of the test whose kind (name, adjective, ...) is not known. `share_of_frames` is
    the mean difference of the sentences without their words as a share of the whole one. Effect sizes would not do:
    each is divided by a spread of its own, and sentences without words differ little. `n_target_templates` and
    `n_attribute_templates` count the templates over which `words_low` and `words_high` hold, besides words. They are 0
    where a set has fewer than three: its sentences then count as fixed.
    """

    context: Context
    unit: Unit
    effect_label: Literal["d", "d_word"]
    encoder_settings: tuple[Label, ...]
    texts: int
    left_out: tuple[str, ...] = ()
    ranked: float | None = None
    n_unknown_kinds: int = 0
    n_target_templates: int = 0
    n_attribute_templates: int = 0
    stars: str = ""
    effect_centred: float | None = None
    difference_of_frames: float | None = None
    share_of_frames: float | None = None
    p_of_frames: float | None = None
    effect_by_template: tuple[TemplateValue, ...] = ()
    effect_without_template: tuple[TemplateValue, ...] = ()
    effect_without_word: tuple[WordValue, ...] = ()
    flips: tuple[str, ...] = ()

    @property
    def family(self) -> tuple[str, ...]:
        """By words, single words and words in sentences are two families; by sentences there is one."""
        alone = "alone" if self.unit == "word" and self.context == "word" else ""
        return *super().family, self.unit, alone


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
    context
        Words alone, or the kind of sentences they were put into.
    unit
        What was permuted and counted: words or sentences.
    settings
        The encoder's adapter, pooling and layers.
    centred
        The effect after the mean of the test's vectors is subtracted from each.
    frames
        The same sentences without their words; None if all targets share the same frames.
    sensitivity
        Effects of single templates, and without single templates or words.
    texts
        How many texts were encoded.
    left_out
        Sentences whose form of a word has no vector.
    ranked
        Share of the words whose frequency is known.
    """

    context: Context
    unit: Unit
    settings: Mapping[str, str] = field(hash=False)
    centred: float
    frames: Frames | None
    sensitivity: Sensitivity
    texts: int
    left_out: tuple[str, ...]
    ranked: float

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
            **(self._parts() if self.unit == "word" else {}),
        )

    def _parts(self) -> dict[str, Any]:
        """Return what is known of words: their scores, and the effects of parts of the test."""
        parts = self.sensitivity
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
        return (
            f"SeatResult({self.test.id!r}, {self.context}, on {self.embedding}: {self.label} = "
            f"{self.effect_size:.2f}, p = {self.p_value:.3g} ({self.significance.p_method}), "
            f"{len(self.missing)} missing)"
        )
