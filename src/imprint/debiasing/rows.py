"""Debiasing as rows: what was fitted and how far it went, and where words lie before and after.

Bolukbasi et al. (2016), section 3 and Figure 2.
"""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import msgspec
import numpy as np

from imprint.debiasing.frontier import SHORTEST, FrontierPoint, Variances, moved_rows
from imprint.debiasing.transform import Transform
from imprint.directions.axis import Axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.rows import HighEnd, LowEnd, Row, shown
from imprint.stimuli import seeds as catalogue
from imprint.stimuli.definition import quote


class Fact(msgspec.Struct, frozen=True):
    """A setting of a debiaser, or something it measured while fitting: a number, a text, or (yes and no) both."""

    name: Annotated[str, shown("Fitted")]
    value: Annotated[float | None, shown("Value", shape="significant")]
    text: Annotated[str | None, shown("Text", "What is shown in place of the number.")] = None


class WordChange(msgspec.Struct, frozen=True):
    """A word's coordinate before and after."""

    word: Annotated[str, shown("Word", shape="word")]
    before: Annotated[float, shown("Before", "Coordinate along the axis.", digits=3)]
    after: Annotated[
        float | None,
        shown("After", "Coordinate along the axis of the same words; none where nothing of it is left.", digits=3),
    ]


class StrengthPoint(msgspec.Struct, frozen=True):
    """What one strength of linear debiasing does."""

    strength: Annotated[
        float, shown("Strength", "How much the stereotype counts in the fit, without units.", shape="significant")
    ]
    reduction: Annotated[
        float | None,
        shown(
            "Held-out words: times less variance", "Variance along the axis before, divided by that after.", digits=1
        ),
    ]
    background_ratio: Annotated[
        float | None,
        shown(
            "Background variance left",
            "Share that common words keep of their variance along the axis.",
            shape="percent",
        ),
    ]
    axis_left: Annotated[
        float,
        shown("Length of the axis left", "Share of the axis' length that is left after debiasing.", shape="percent"),
    ]


_Before = Annotated[float | None, shown("Variance before", "Of words at unit length, along the axis.", digits=4)]
_NewAxis = Annotated[
    float | None, shown("Variance after", "Along the axis that the same words make after debiasing.", digits=4)
]
_Found = Annotated[int, shown("Found", "Words the embedding has, of those asked for.")]
_Asked = Annotated[int, shown("Asked", "Words asked for.")]


class MeasuredVariances(msgspec.Struct, frozen=True, kw_only=True):
    """How far words spread along an axis, and along the axis that its words make after debiasing."""

    held_out_before: _Before
    held_out_after: _NewAxis
    background_before: _Before
    background_after: _NewAxis
    axis_left: Annotated[float, shown("Axis left", "Share of its length that the axis keeps.", shape="percent")]
    held_out: _Found
    background: _Found
    held_out_asked: _Asked
    background_asked: _Asked
    reduction_low: LowEnd
    reduction_high: HighEnd
    reduction: Annotated[
        float | None, shown("Reduction", "Held-out words: variance before, divided by that on the new axis.")
    ]
    background_ratio: Annotated[
        float | None, shown("Change of other words", "Their variance on the new axis, as a share of that before.")
    ]
    selectivity: Annotated[
        float | None,
        shown("Selectivity", "How many times more the variance of held-out words shrinks than that of other words."),
    ]

    @classmethod
    def of(cls, measured: Variances) -> "MeasuredVariances":
        """Work out what follows from the variances."""
        return cls(
            **{name: value for name, value in asdict(measured).items() if not name.endswith("_fixed")},
            reduction=measured.reduction,
            background_ratio=measured.background_ratio,
            selectivity=measured.selectivity,
        )


_Method = Annotated[str, shown("Method", "Name of the debiaser.")]


class LeftRow(Row, frozen=True, kw_only=True):
    """What is left of a bias along an axis, before debiasing; vectors have unit length, before and after."""

    bias_left: Annotated[
        float | None,
        shown(
            "Bias left",
            "Share of their variance along the axis that held-out professions, or held-out words of your own, keep, "
            "with 95 % interval if other words had been chosen.",
            shape="percent",
        ),
    ] = None
    bias_left_low: LowEnd = None
    bias_left_high: HighEnd = None
    background_left: Annotated[
        float | None,
        shown("Other words left", "Share of their variance along the axis that other words keep.", shape="percent"),
    ] = None
    background_left_low: LowEnd = None
    background_left_high: HighEnd = None
    difference: Annotated[
        float | None,
        shown("Professions less other words", "Bias left less other words left, with 95 % interval.", shape="percent"),
    ] = None
    difference_low: LowEnd = None
    difference_high: HighEnd = None
    n_pairs: Annotated[
        int, shown("Pairs", "Pairs of words that make the gender axis; none along an axis of your own.")
    ] = 0


class DebiasingRow(LeftRow, frozen=True, kw_only=True, tag="debiasing"):
    """What was fitted, on which embedding, and how far it went where that could be measured."""

    method: _Method
    fitted_on: Annotated[
        str, shown("Fitted on", "Hash of the embedding or encoder that it was fitted on.", shape="word")
    ]
    fitted: Annotated[tuple[Fact, ...], shown("Fitted", "Settings, and what was measured while fitting.")]
    variances: Annotated[MeasuredVariances | None, shown("Variances", "How far words spread, before and after.")]


class FrontierRow(Row, frozen=True, kw_only=True, tag="frontier"):
    """What every strength of linear debiasing would do, and the one that was used."""

    method: _Method
    chosen: Annotated[float | None, shown("Chosen", "The strength that was used.", shape="significant")]
    strengths: Annotated[tuple[StrengthPoint, ...], shown("Strengths", "What each strength would do.")]


class DebiasedProjectionRow(Row, frozen=True, kw_only=True, tag="debiased projection"):
    """Where words lie along the axis, before and after."""

    method: _Method
    held_out: Annotated[tuple[WordChange, ...], shown("Held-out professions")]
    background: Annotated[tuple[WordChange, ...], shown("Background words")]


def debiasing_finding(
    embedding: Embedding, transform: Transform, axis: Axis, variances: Variances | None, **left: Any
) -> DebiasingRow:
    """Return what was fitted, on what, and what is left and the variances where they could be measured."""
    return DebiasingRow(
        **_common(embedding, transform, axis),
        missing=transform.card.missing,
        fitted_on=transform.card.embedding_sha256,
        fitted=facts_of(transform),
        variances=None if variances is None else MeasuredVariances.of(variances),
        **left,
    )


def fitted_finding(transform: Transform) -> DebiasingRow:
    """Return what was fitted on an encoder."""
    card = transform.card
    return DebiasingRow(
        test=f"{transform.method} fitted on {card.settings.get('fitted_on', 'words')}",
        embedding=card.embedding,
        embedding_sha256=card.embedding_sha256,
        method=transform.method,
        missing=card.missing,
        fitted_on=card.embedding_sha256,
        fitted=facts_of(transform),
        variances=None,
    )


def projection_finding(before: Embedding, after: Embedding, transform: Transform, axis: Axis) -> DebiasedProjectionRow:
    """Return the coordinates, before and after, of held-out professions and of background words."""
    return DebiasedProjectionRow(
        **_common(before, transform, axis),
        missing=axis.missing,
        held_out=moved_words(before, after, axis, catalogue.held_out()),
        background=moved_words(before, after, axis, catalogue.background()),
    )


def frontier_finding(
    embedding: Embedding, transform: Transform, axis: Axis, points: Sequence[FrontierPoint]
) -> FrontierRow:
    """Return what every strength would do to held-out and to background words, and the one that was used."""
    return FrontierRow(
        **_common(embedding, transform, axis),
        missing=axis.missing,
        chosen=transform.card.settings.get("strength"),
        strengths=tuple(
            StrengthPoint(
                point.strength, point.variances.reduction, point.variances.background_ratio, point.variances.axis_left
            )
            for point in points
        ),
    )


def moved_words(before: Embedding, after: Embedding, axis: Axis, words: Sequence[str]) -> tuple[WordChange, ...]:
    """Return each word's coordinate before and after, on the scale of `stereotype_variances`; words missing are out.

    Rows count at the length they have if the row before is taken at length one. The axis after is the one that the
    same words make then. It is None where nothing is left of it.
    """
    tokens, *rows_of_words = moved_rows(before, after, words)
    if not tokens:
        raise VocabularyError(f"has none of {quote(words)}", where=before.name, words=words, hint="use words it has")
    ends = [moved_rows(before, after, side)[1:] for side in (axis.positive, axis.negative)]
    coordinates = []
    for rows, first, second in zip(rows_of_words, *ends, strict=True):
        way = first.mean(axis=0) - second.mean(axis=0)
        length = float(np.linalg.norm(way))
        coordinates.append((rows @ way / length).tolist() if length > SHORTEST else [None] * len(tokens))
    return tuple(map(WordChange, tokens, *coordinates))


def facts_of(transform: Transform) -> tuple[Fact, ...]:
    """Return the settings of a fitted transform, and what was measured while fitting it."""
    card = transform.card
    return tuple(_fact(name, value) for name, value in {**card.settings, **card.measured}.items())


def _common(embedding: Embedding, transform: Transform, axis: Axis) -> dict[str, Any]:
    return {
        "test": f"{transform.method} along {axis.name}",
        "embedding": embedding.name,
        "embedding_sha256": embedding.sha256,
        "method": transform.method,
    }


def _fact(name: str, value: Any) -> Fact:
    if isinstance(value, bool):
        return Fact(name, float(value), "yes" if value else "no")
    # A saved transform's card is whatever its file holds.
    if isinstance(value, int | float) and abs(value) <= sys.float_info.max:
        return Fact(name, float(value))
    return Fact(name, None, str(value))
