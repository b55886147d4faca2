"""What one SEAT says: its size or the effect as published, and what the effect depends on."""

from typing import Annotated, Literal

from imprint.association.rows import AssociationRow
from imprint.association.sentences import Unit
from imprint.checks import Context
from imprint.rows import Label, TemplateValue, WordValue, shown


class SeatRow(AssociationRow, frozen=True, kw_only=True, tag="seat"):
    """One test in one context and unit: framed words have a size, other contexts are as the paper has them.

    Effects of single templates and words are given by words only.
    """

    context: Annotated[
        Context,
        shown(
            "Context",
            "The same sentences for all words (framed), sentences that say nothing of the word (bleached), the "
            "test's own (unbleached), or the word alone.",
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

    @property
    def by_words(self) -> bool:
        """Whether words are its units: sentences of one word are not independent observations."""
        return self.unit == "word"
