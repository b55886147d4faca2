"""What one SEAT says: an effect in one unit, the count behind its p-value, and what the effect hangs on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from imprint.association.effects import Effect
from imprint.association.rows import AssociationRow
from imprint.association.sensitivity import Sensitivity
from imprint.association.sentences import Unit
from imprint.choices import Context
from imprint.rows import Label, Result, TemplateValue, WordValue
from imprint.significance.intervals import Interval
from imprint.significance.partitions import PermutationTest
from imprint.significance.power import smallest_detectable_shift
from imprint.stimuli.definition import WeatTest, described
from imprint.types import Floats

_DEALS = 200  # random deals behind a detectable shift, with a standard error of some 3 %: a battery asks for dozens


@dataclass(frozen=True)
class Frames:
    """What the sentences of a test say without its words: effects of grammar, where X and Y differ in it."""

    effect_size: float
    p_value: float


class SeatRow(AssociationRow, frozen=True, kw_only=True, tag="seat"):
    """One test in one context and unit; effects of single templates and words are given by words only."""

    context: Context
    unit: Unit
    effect_label: Literal["d", "d_word"]
    encoder_settings: tuple[Label, ...]
    texts: int
    left_out: tuple[str, ...] = ()
    stars: str = ""
    effect_centred: float | None = None
    effect_of_frames: float | None = None
    p_of_frames: float | None = None
    effect_by_template: tuple[TemplateValue, ...] = ()
    effect_without_template: tuple[TemplateValue, ...] = ()
    effect_without_word: tuple[WordValue, ...] = ()
    flips: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class SeatResult(Result):
    """One test in one context on one encoder; positive means X with A and Y with B.

    `unit` is what was permuted and what n_x to n_b count; `effect` is d_word where that is words. The interval is
    given for words alone: sentences of one word are not independent. `centred` is the effect after the mean of
    the test's vectors is taken off all of them. `frames` is the test of the same sentences without their words,
    None where all targets stand in the same ones. `left_out` are sentences whose form of a word has no vector.
    `Effect` explains the effect sizes.
    """

    test: WeatTest
    context: Context
    unit: Unit
    embedding: str
    embedding_sha256: str
    settings: Mapping[str, str] = field(hash=False)
    effect: Effect
    centred: float
    frames: Frames | None
    interval: Interval | None
    significance: PermutationTest
    scored: tuple[str, ...]
    scores: Floats = field(compare=False)
    sensitivity: Sensitivity
    n_x: int
    n_y: int
    n_a: int
    n_b: int
    texts: int
    missing: tuple[str, ...]
    left_out: tuple[str, ...]
    seed: int

    @property
    def p_value(self) -> float:
        """Share of partitions at least as extreme as the observed one."""
        return self.significance.p_value

    @property
    def effect_size(self) -> float:
        """The paper's effect size: d_word where the unit is words."""
        return self.effect.effect_size

    @property
    def label(self) -> Literal["d", "d_word"]:
        """What the effect is called."""
        return "d_word" if self.unit == "word" else "d"

    def smallest_detectable_shift(self, alpha: float, *, power: float = 0.8) -> float | None:
        """Return the shift of X's scores this test would find with that power, None if p cannot reach alpha."""
        return smallest_detectable_shift(
            self.scores[: self.n_x],
            self.scores[self.n_x :],
            alpha=alpha,
            power=power,
            alternative=self.significance.alternative,
            deals=_DEALS,
            seed=self.seed,
        )

    def findings(self) -> list[SeatRow]:
        """Return the one row in a list, as every result does."""
        return [self.finding()]

    def finding(self, **more: Any) -> SeatRow:
        """Return the row, with whatever the caller knows besides (a corrected p-value, a verdict)."""
        return SeatRow(
            test=self.test.id,
            embedding=self.embedding,
            embedding_sha256=self.embedding_sha256,
            effect_size=self.effect.effect_size,
            statistic=self.effect.statistic,
            p_value=self.p_value,
            seed=self.seed,
            missing=self.missing,
            **described(self.test),
            context=self.context,
            unit=self.unit,
            effect_label=self.label,
            encoder_settings=tuple(Label(name, value) for name, value in self.settings.items()),
            mean_difference=self.effect.mean_difference,
            interval_low=self.interval.low if self.interval else None,
            interval_high=self.interval.high if self.interval else None,
            confidence=self.interval.confidence if self.interval else None,
            d_within=self.effect.d_within,
            **self.significance.details(),
            n_x=self.n_x,
            n_y=self.n_y,
            n_a=self.n_a,
            n_b=self.n_b,
            texts=self.texts,
            left_out=self.left_out,
            **(self._parts() if self.unit == "word" else {}),
            **more,
        )

    def _parts(self) -> dict[str, Any]:
        """Return what is known of words: their scores, and the effects of parts of the test."""
        parts = self.sensitivity
        scores = zip(self.scored, self.scores.tolist(), strict=True)
        return {
            "effect_centred": self.centred,
            "effect_of_frames": self.frames.effect_size if self.frames else None,
            "p_of_frames": self.frames.p_value if self.frames else None,
            "effect_by_template": tuple(TemplateValue(*one) for one in parts.by_template.items()),
            "effect_without_template": tuple(TemplateValue(*one) for one in parts.without_template.items()),
            "effect_without_word": tuple(WordValue(*one) for one in parts.without_word.items()),
            "flips": tuple(parts.flips(self.effect_size)),
            "scores": tuple(WordValue(*one) for one in scores),
        }

    def __repr__(self) -> str:
        return (
            f"SeatResult({self.test.id!r}, {self.context}, on {self.embedding}: {self.label} = {self.effect_size:.2f}, "
            f"p = {self.p_value:.3g} ({self.significance.p_method}), {len(self.missing)} missing)"
        )
