"""LEACE: the smallest affine change after which linear predictors of the group of words do no better than a constant.

Belrose et al. (2023), "LEACE: Perfect linear concept erasure in closed form", theorem 4.3: the cross-covariance of the
erased rows with the labels is zero, and among all affine maps that do it the mean squared change is least. Then, by
their section 3, no affine predictor has a smaller mean loss on these words than the best constant, for any convex
loss (squared, logistic, hinge). Counting errors is no convex loss: a linear rule may still put more than half of the
words on the right side, and other words, or predictors that are not linear, are not covered.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from imprint.debiasing.debiaser import Debiaser
from imprint.debiasing.transform import Card, LinearTransform
from imprint.directions.axis import Axis, Pairs, pair_axis
from imprint.errors import SettingError, VocabularyError
from imprint.names.tables import first_names
from imprint.stimuli import seeds as catalogue
from imprint.stimuli.definition import quote
from imprint.subjects.opening import EmbeddingLike, load
from imprint.threads import single_threaded
from imprint.types import Floats

_FEWEST = 2  # words on each side
_ONE_SIDED = 0.95  # share of a name's bearers of one sex from which on it labels a word
_BIRTHS = 10_000
_RANK = 1e-10  # variances this much smaller than the largest are rounding


@dataclass(frozen=True)
class LeaceDebiaser(Debiaser):
    """Least-squares concept erasure: no linear predictor is then better than a constant; it has no settings.

    Examples
    --------
    >>> imprint.LeaceDebiaser().fit("default").method
    'leace'
    """

    summary: ClassVar[str] = (
        "makes the smallest change after which no linear predictor, judged by a convex loss on the labelled words, "
        "does better than a constant"
    )

    def fit(
        self,
        embedding: EmbeddingLike,
        *,
        axis: Axis | None = None,
        pairs: Pairs | None = None,
        positive: Sequence[str] | None = None,
        negative: Sequence[str] | None = None,
    ) -> LinearTransform:
        """Fit on two lists of labelled words, by default words that define gender and one-sided first names.

        Where the labelled words are fewer than the dimensions, what lies outside their span is unchanged.

        Parameters
        ----------
        embedding
            A file, `default` or an object, as `load` accepts it.
        axis
            An axis whose positive and negative words are the two lists.
        pairs
            Pairs whose first and second words are the two lists.
        positive
            Words of the first label.
        negative
            Words of the second label.
        """
        if axis is None and pairs is not None:
            axis = pair_axis(embedding, pairs)
        if axis is not None:
            positive, negative = axis.positive, axis.negative
        if (positive is None) != (negative is None):
            raise SettingError(
                "positive and negative words belong together",
                option="negative" if negative is None else "positive",
                hint="give both, or neither",
            )
        sides = _gendered() if positive is None or negative is None else (positive, negative)
        both = set(sides[0]) & set(sides[1])
        if both:
            raise SettingError(
                f"{quote(sorted(both)[:5])} appear on both sides",
                words=sorted(both),
                hint="keep each word on one side",
            )
        embedding = load(embedding)
        embedding.check_finite()
        found = [embedding.lookup(dict.fromkeys(words)) for words in sides]
        for name, side in zip(("positive", "negative"), found, strict=True):
            if len(side.words) < _FEWEST:
                raise VocabularyError(
                    f"has {len(side.words)} of the {name} words (missing: {quote(side.missing[:5])})",
                    expected=f"at least {_FEWEST} on each side",
                    where=embedding.name,
                    words=side.missing,
                )
        rows = np.concatenate([side.vectors for side in found]).astype(np.float64)
        labels = np.repeat([1.0, 0.0], [len(side.words) for side in found])
        centre = rows.mean(axis=0)
        with single_threaded():
            matrix = _erasure(rows - centre, labels - labels.mean())
        card = Card(
            embedding=embedding.name,
            embedding_sha256=embedding.sha256,
            positive=found[0].words,
            negative=found[1].words,
            seeds=(),
            missing=(*(() if axis is None else axis.missing), *found[0].missing, *found[1].missing),
            measured={"changed": _changed(rows - centre, matrix)},
        )
        return LinearTransform("leace", card, matrix, centre)


def _erasure(rows: Floats, labels: Floats) -> Floats:
    """Return I - W+ Q W: W whitens the rows, Q projects on the whitened cross-covariance with the labels."""
    variances, axes = np.linalg.eigh(rows.T @ rows / len(rows))
    spanned = variances > _RANK * variances[-1]
    axes, deviations = axes[:, spanned], np.sqrt(variances[spanned])
    cross = (rows.T @ labels) @ axes / deviations
    length = math.sqrt(float(cross @ cross))
    if length == 0.0:
        return np.eye(rows.shape[1])
    way = cross / length
    return np.eye(rows.shape[1]) - np.outer(axes @ (deviations * way), axes @ (way / deviations))


def _changed(rows: Floats, matrix: Floats) -> float:
    """Return the share of the labelled rows' variance that was taken away."""
    total = float((rows**2).sum())
    return float(((rows - rows @ matrix.T) ** 2).sum()) / total if total > 0.0 else 0.0


def _gendered() -> tuple[tuple[str, ...], tuple[str, ...]]:
    men, women = (tuple(side) for side in zip(*catalogue.definitional_pairs(), strict=True))
    names = first_names().at_least(_BIRTHS)
    share = dict(zip(names.names, names.share_women.tolist(), strict=True))
    return (
        tuple(dict.fromkeys((*men, *(name for name, women in share.items() if women <= 1.0 - _ONE_SIDED)))),
        tuple(dict.fromkeys((*women, *(name for name, women in share.items() if women >= _ONE_SIDED)))),
    )
