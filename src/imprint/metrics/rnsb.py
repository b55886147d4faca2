"""Relative negative sentiment bias: are some targets more like B, the negative words, than others?

Sweeney and Najafian (2019), "A transparent framework for evaluating unintended demographic bias in word embeddings":
a logistic regression tells A from B; each target's probability of B, as a share of all targets' probabilities, is
compared with equal shares by the Kullback-Leibler divergence. The classifier is WEFE's, liblinear's: a squared penalty
of 1 / 2 on weights and intercept. It is solved here to rounding, for many labels at once, through inner products.

The classifier of random labels is a weaker one, which spreads its probabilities less over any words. So the classifier
stays, and random words of like frequency take the targets' place.
"""

import math
from dataclasses import dataclass

import numpy as np

from imprint.checks import check_whole
from imprint.errors import StimulusError, requiring
from imprint.metrics.metric import Metric, MetricWords, weighted
from imprint.significance.relabelled import Chosen
from imprint.types import Flags, Floats

_STEPS = 100
_CLOSE = 1e-10  # probabilities move by less with another step
_HELD_OUT = 0.2


@dataclass(frozen=True)
class Rnsb(Metric):
    """Relative negative sentiment bias.

    `holdout` leaves out a fifth of each attribute set, as WEFE does by default; `split` is WEFE's random_state.
    """

    normalize: bool = True
    holdout: bool = False
    split: int = 0

    title = "Relative negative sentiment bias"
    summary = "How unequally a classifier of A and B, the negative words, spreads its probability of B over targets"
    source = "Sweeney and Najafian (2019)"
    orientation = "0: all targets are equally likely to be of B; larger: some are likelier, whatever their set"
    tail = "high"
    permuted = None
    replaced = "targets"
    directed = False
    stacked = True
    bounds = (0.0, math.inf)

    def __post_init__(self) -> None:
        check_whole("split", self.split, 0)

    def values(self, words: MetricWords, chosen: Chosen) -> Floats:
        """Return the divergence of the targets' shares from equal ones."""
        train = (chosen.a, chosen.b)
        if self.holdout:
            train = tuple(
                side & used[side.cumsum(axis=1) - 1] for side, used in zip(train, self._kept(words), strict=True)
            )
        signs = train[1].astype(np.float64) - train[0]
        inner = words.attributes @ words.attributes.T + 1
        signs, which = np.unique(signs, axis=0, return_inverse=True)  # choices often differ in targets alone
        weights = dual_weights(inner, signs)[which]
        negative = _logistic(weighted(weights, np.swapaxes(words.products + 1, -1, -2)))
        targets = chosen.x | chosen.y
        shares = np.where(targets, negative, 0.0)
        shares /= shares.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(shares > 0, shares * np.log(shares * targets.sum(axis=1, keepdims=True)), 0.0)
        return np.asarray(terms.sum(axis=1))

    def _kept(self, words: MetricWords) -> tuple[Flags, Flags]:
        """Return which places of A and of B train the classifier, as scikit-learn splits them."""
        with requiring("scikit-learn", "sklearn"):
            from sklearn.model_selection import train_test_split

        labels = np.repeat([1, -1], [words.n_a, words.n_b])
        try:
            train, _ = train_test_split(
                np.arange(len(labels)), test_size=_HELD_OUT, stratify=labels, random_state=self.split
            )
        except ValueError as error:
            raise StimulusError(
                f"{words.n_a} and {words.n_b} attributes are too few to hold a fifth out", hint="use holdout=false"
            ) from error
        is_trained = np.isin(np.arange(len(labels)), train)
        return is_trained[: words.n_a], is_trained[words.n_a :]


def dual_weights(inner: Floats, signs: Floats) -> Floats:
    """Return a logistic regression's weights of training words, for each row of signs (0: not trained on).

    Newton's method for sum log(1 + exp(-s f)) + |w|^2 / 2 with f = inner @ weights, for all rows at once.
    """
    weights = np.zeros_like(signs)
    trained = signs != 0
    scores = np.zeros_like(signs)
    for _ in range(_STEPS):
        chance = _logistic(-signs * scores)  # of the other label
        curve = np.where(trained, chance * (1 - chance), 0.0)
        right = curve * scores + signs * chance * trained
        root = np.sqrt(curve)
        system = np.eye(signs.shape[1]) + root[:, :, None] * inner * root[:, None, :]
        solved = np.linalg.solve(system, (root * (right @ inner))[..., None])[..., 0]
        weights = right - root * solved
        before, scores = scores, weights @ inner
        if np.abs(_logistic(scores) - _logistic(before)).max() < _CLOSE:
            break
    return weights


def _logistic(scores: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(scores / 2)))
