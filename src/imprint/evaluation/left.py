"""What debiasing leaves of gender: one axis, and the words that judge, for every command and page.

Rows are scaled to unit length after debiasing, so that shorter vectors are not less bias. No method is fitted on the
words that judge.
"""

import math
from collections.abc import Callable, Collection, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from imprint.debiasing import DEBIASERS
from imprint.debiasing.debiaser import GENDER, Debiaser
from imprint.debiasing.folds import choose, draw_background
from imprint.debiasing.frontier import judged_rows, stereotype_variances
from imprint.debiasing.labelled import gendered_words
from imprint.debiasing.transform import Transform
from imprint.directions.axis import Axis, pair_axis
from imprint.embeddings.embedding import Embedding, unit_rows
from imprint.errors import VocabularyError
from imprint.evaluation.leakage import FEWEST_PER_LABEL, names_by_sex
from imprint.evaluation.recovering import OwnedRows, RecoveryAttempt, recover_group
from imprint.evaluation.resampling import Estimate, estimate
from imprint.stimuli import seeds as catalogue
from imprint.types import Indices, Progress

_FEWEST_PAIRS = 10  # to judge along
_RESAMPLES = 1_000
_EXACT = 6  # digits that single precision bears out: where nothing changes, resamples must agree
_NOTHING = 1e-9  # variance of words along an axis that was removed before


def is_gender(axis: Axis) -> bool:
    """Tell whether every word of an axis is gendered by meaning, or among the pairs that define gender."""
    defining = (word for pair in catalogue.definitional_pairs() for word in pair)
    gendered = {word.lower() for word in (*catalogue.gender_specific(), *defining)}
    return all(word.lower() in gendered for word in axis.positive + axis.negative)


def judging_axis(embedding: Embedding) -> Axis:
    """Return the gender axis of the catalogue's equalize pairs without a word that gives a debiaser its direction."""
    used = {word.lower() for words in (*gendered_words(), *GENDER) for word in words}  # Prince is a first name
    pairs = dict.fromkeys((first.lower(), second.lower()) for first, second in catalogue.equalize_pairs())
    usable = [pair for pair in pairs if used.isdisjoint(pair) and not embedding.lookup(pair).missing]
    if len(usable) < _FEWEST_PAIRS:
        raise VocabularyError(
            f"has {len(usable)} of the pairs to judge debiasers by, such as uncle and aunt",
            expected=f"at least {_FEWEST_PAIRS}",
            where=embedding.name,
            hint="use a larger embedding",
        )
    return pair_axis(embedding, usable, method="pca")


def measure_left(
    before: Embedding, after: Embedding, axis: Axis, held_out: Sequence[str] | None = None
) -> dict[str, Estimate]:
    """Return the shares of their variance along the axis that professions and other words keep, and the difference.

    Other held-out words may judge in place of professions. Intervals are over resamples of both sets of words.
    """
    judges = catalogue.held_out() if held_out is None else held_out
    generators = map(np.random.default_rng, np.random.SeedSequence(0).spawn(2))
    shares, draws, counts = [], [], []
    for words, what in (judges, "held-out"), (catalogue.background(), "background"):
        old, new = judged_rows(before, after, words, what)
        old, new = old @ axis.direction, unit_rows(new) @ axis.direction
        drawn = next(generators).integers(len(old), size=(_RESAMPLES, len(old)))
        with np.errstate(divide="ignore", invalid="ignore"):
            share = new.var() / old.var() if old.var() > _NOTHING else math.nan
            shares.append(round(float(share), _EXACT))
            draws.append(np.round(new[drawn].var(axis=1) / old[drawn].var(axis=1), _EXACT))
        counts.append(len(old))
    left, background = (estimate(*measured) for measured in zip(shares, draws, counts, strict=True))
    difference = estimate(shares[0] - shares[1], draws[0] - draws[1], min(counts), difference=True)
    return {"bias_left": left, "background_left": background, "difference": difference}


class JudgingNames(NamedTuple):
    """First names and their sex: every second one of each sex is held out from debiasers."""

    words: list[str]
    labels: Indices
    held_out: Indices  # places among them

    @classmethod
    def of(cls, embedding: Embedding) -> "JudgingNames":
        """Return those that an embedding has."""
        words, labels = names_by_sex(embedding)
        sides = [np.flatnonzero(labels == label)[1::2] for label in np.unique(labels)]
        return cls(words, labels, np.sort(np.concatenate([np.empty(0, dtype=np.intp), *sides])))

    @property
    def judging(self) -> set[str]:
        """The names held out."""
        return {self.words[index] for index in self.held_out}

    def recover(self, embedding: Embedding, seed: int) -> RecoveryAttempt | None:
        """Try to read the sex off held-out names, or return None where they are too few."""
        labels = self.labels[self.held_out]
        if len(np.unique(labels)) < 2 or np.bincount(labels).min() < FEWEST_PER_LABEL:
            return None
        rows = unit_rows(embedding.lookup(self.words).vectors)
        others = np.setdiff1d(np.arange(len(self.words)), self.held_out)
        parts = [OwnedRows(rows[part], self.labels[part], np.arange(len(part))) for part in (self.held_out, others)]
        return recover_group(parts[0], parts[1], seed)


def words_that_judge(embedding: Embedding) -> set[str]:
    """Return the names, and the words of the gender axis if it can be made, that no debiaser is fitted on."""
    judging = JudgingNames.of(embedding).judging
    try:
        axis = judging_axis(embedding)
    except VocabularyError:
        return judging
    return judging | {*axis.positive, *axis.negative}


def fit_gender(
    embedding: Embedding,
    method: str | Debiaser,
    *,
    leave_out: Collection[str] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[Transform, str]:
    """Fit a debiaser of gender without the words that judge it; return a note on how its settings were chosen.

    Of a debiaser named alone, settings are those that suit the professions to fit on.
    """
    apart = words_that_judge(embedding) if leave_out is None else leave_out
    axis = pair_axis(embedding, GENDER)

    def fit(debiaser: Debiaser) -> Transform:
        return debiaser.fit_gender(embedding, leave_out=apart)

    chosen = _settled(embedding, DEBIASERS.get(method), fit, axis, seed) if isinstance(method, str) else method
    chosen, note = chosen.choose_settings(embedding, axis=axis, progress=progress)
    return fit(chosen), note


def _settled(
    embedding: Embedding, kind: type[Debiaser], fit: Callable[[Debiaser], Transform], axis: Axis, seed: int
) -> Debiaser:
    """Return the debiaser with those of its candidates that suit the professions to fit on best.

    A debiaser with candidates is not fitted on these professions, so that all of them are unseen. Linear debiasing,
    which is, chooses on folds of them by itself.
    """
    every = [kind(**dict(zip(kind.candidates, values, strict=True))) for values in product(*kind.candidates.values())]
    if len(every) == 1:
        return every[0]
    apart = {*catalogue.fitted(), *axis.positive, *axis.negative}
    background = draw_background(embedding, apart, np.random.default_rng(seed))
    measured = []
    for candidate in every:
        after = fit(candidate).apply(embedding)
        spread = stereotype_variances(embedding, after, axis, held_out=catalogue.fitted(), background=background)
        measured.append((_share(spread.held_out_before, spread.held_out_fixed, math.inf),
                         _share(spread.background_fixed, spread.background_before, 0.0)))  # fmt: skip
    return every[choose(measured)]


def _share(part: float, whole: float, otherwise: float) -> float:
    """Divide; what is not there has no share."""
    return part / whole if part > 0.0 and whole > 0.0 else otherwise
