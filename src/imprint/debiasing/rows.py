"""Debiasing as rows: what was fitted and how far it went, and where words lie before and after.

Bolukbasi et al. (2016), section 3 and Figure 2.
"""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import msgspec
import numpy as np

from imprint.debiasing.frontier import SHORTEST, FrontierPoint, Variances, moved_rows
from imprint.debiasing.transform import Transform
from imprint.directions.axis import Axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.rows import Row
from imprint.stimuli import seeds as catalogue
from imprint.stimuli.definition import quote


class Fact(msgspec.Struct, frozen=True):
    """A setting of a debiaser, or something it measured while fitting: a number, a text, or (yes and no) both."""

    name: str
    value: float | None
    text: str | None = None


class WordChange(msgspec.Struct, frozen=True):
    """A word's coordinate before and after; no coordinate after where nothing of the axis is left."""

    word: str
    before: float
    after: float | None


class StrengthPoint(msgspec.Struct, frozen=True):
    """What one strength of linear debiasing does."""

    strength: float
    reduction: float | None
    background_ratio: float | None
    axis_left: float


class MeasuredVariances(msgspec.Struct, frozen=True, kw_only=True):
    """`Variances` with what follows from them.

    `held_out_left` is the share of their variance along the original axis that held-out words keep, from `left_low` to
    `left_high`. `background_left` is that of background words. `held_out_ratio` and `background_ratio` are those along
    the axis that the same words make afterwards.
    """

    held_out_before: float | None
    held_out_after: float | None
    background_before: float | None
    background_after: float | None
    held_out_fixed: float | None
    background_fixed: float | None
    axis_left: float
    held_out: int
    background: int
    held_out_asked: int
    background_asked: int
    reduction_low: float | None
    reduction_high: float | None
    left_low: float | None
    left_high: float | None
    reduction: float | None
    background_ratio: float | None
    selectivity: float | None
    held_out_ratio: float | None
    held_out_left: float | None
    background_left: float | None

    @classmethod
    def of(cls, measured: Variances) -> "MeasuredVariances":
        """Work out what follows from the variances."""
        return cls(
            **asdict(measured),
            reduction=measured.reduction,
            background_ratio=measured.background_ratio,
            selectivity=measured.selectivity,
            held_out_ratio=_ratio(measured.held_out_after, measured.held_out_before),
            held_out_left=_ratio(measured.held_out_fixed, measured.held_out_before),
            background_left=_ratio(measured.background_fixed, measured.background_before),
        )


class DebiasingRow(Row, frozen=True, kw_only=True, tag="debiasing"):
    """What was fitted, on which embedding (by its hash), and how far it went where that could be measured."""

    method: str
    fitted_on: str
    fitted: tuple[Fact, ...]
    variances: MeasuredVariances | None


class FrontierRow(Row, frozen=True, kw_only=True, tag="frontier"):
    """What every strength of linear debiasing would do, and the one that was used."""

    method: str
    chosen: float | None
    strengths: tuple[StrengthPoint, ...]


class DebiasedProjectionRow(Row, frozen=True, kw_only=True, tag="debiased projection"):
    """Where held-out professions and background words lie along the axis, before and after."""

    method: str
    held_out: tuple[WordChange, ...]
    background: tuple[WordChange, ...]


def debiasing_finding(
    embedding: Embedding, transform: Transform, axis: Axis, variances: Variances | None
) -> DebiasingRow:
    """Return what was fitted, on what, and the variances before and after where they could be measured."""
    return DebiasingRow(
        **_common(embedding, transform, axis),
        missing=transform.card.missing,
        fitted_on=transform.card.embedding_sha256,
        fitted=facts_of(transform),
        variances=None if variances is None else MeasuredVariances.of(variances),
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


def _ratio(one: float, other: float) -> float | None:
    """Divide; NaN compares as false, and has no ratio."""
    return one / other if one >= 0.0 and other > 0.0 else None
