"""Debiasing as rows: what was fitted and how far it went, and where words lie before and after.

Bolukbasi et al. (2016), section 3 and Figure 2.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from imprint.debiasing.frontier import SHORTEST, FrontierPoint, Variances, moved_rows
from imprint.debiasing.transform import Transform
from imprint.directions.axis import Axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.finding import Finding
from imprint.stimuli import seeds as catalogue
from imprint.stimuli.definition import quote

Moved = dict[str, tuple[float, float | None]]


def debiasing_finding(embedding: Embedding, transform: Transform, axis: Axis, variances: Variances | None) -> Finding:
    """Return what was fitted, on what, and the variances before and after where they could be measured."""
    measured = None
    if variances is not None:
        measured = asdict(variances) | {
            name: getattr(variances, name) for name in ("reduction", "background_ratio", "selectivity")
        }
    details = {
        "method": transform.method,
        "fitted_on": transform.card.embedding_sha256,
        **transform.card.settings,
        **transform.card.measured,
        "variances": measured,
    }
    return _finding("debiasing", embedding, transform, axis, transform.card.missing, details)


def projection_finding(before: Embedding, after: Embedding, transform: Transform, axis: Axis) -> Finding:
    """Return the coordinates, before and after, of professions held out and of background words."""
    lists = {"held_out": catalogue.held_out(), "background": catalogue.background()}
    moved = {name: moved_words(before, after, axis, words) for name, words in lists.items()}
    details = {"method": transform.method, **moved}
    return _finding("debiased projection", before, transform, axis, axis.missing, details)


def frontier_finding(
    embedding: Embedding, transform: Transform, axis: Axis, points: Sequence[FrontierPoint]
) -> Finding:
    """Return what every strength would do to held-out and to background words, and the one that was chosen."""
    measured = [
        {
            "strength": point.strength,
            "reduction": point.variances.reduction,
            "background_ratio": point.variances.background_ratio,
            "axis_left": point.variances.axis_left,
        }
        for point in points
    ]
    details = {"method": transform.method, "chosen": transform.card.settings.get("strength"), "strengths": measured}
    return _finding("frontier", embedding, transform, axis, axis.missing, details)


def moved_words(before: Embedding, after: Embedding, axis: Axis, words: Sequence[str]) -> Moved:
    """Return each word's coordinate before and after, on the scale of `stereotype_variances`; words missing are out.

    Rows count at the length they have if the row before is taken at length one, and the axis after is the one that
    the same words make then: None where nothing is left of it.
    """
    tokens, *rows_of_words = moved_rows(before, after, words)
    if not tokens:
        raise VocabularyError(f"none of {quote(words)} is in {before.name}; use words it has")
    ends = [moved_rows(before, after, side)[1:] for side in (axis.positive, axis.negative)]
    coordinates = []
    for rows, first, second in zip(rows_of_words, *ends, strict=True):
        way = first.mean(axis=0) - second.mean(axis=0)
        length = float(np.linalg.norm(way))
        coordinates.append((rows @ way / length).tolist() if length > SHORTEST else [None] * len(tokens))
    return dict(zip(tokens, zip(*coordinates, strict=True), strict=True))


def _finding(
    kind: str,
    embedding: Embedding,
    transform: Transform,
    axis: Axis,
    missing: tuple[str, ...],
    details: dict[str, Any],
) -> Finding:
    measured = (embedding.name, embedding.sha256)
    return Finding.without_effect(kind, f"{transform.method} along {axis.name}", measured, details, missing=missing)
