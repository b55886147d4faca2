"""Dropping names that are mostly something else: May, Virginia, Will.

Swinger et al. (2019), appendix C.3: a linear classifier learns to tell the names from as many frequent words, and
the fifth of the names with the smallest margin goes. Caliskan et al. drop those farthest from the names' centroid.
"""

import math

import numpy as np

from imprint.association.cosines import cosines
from imprint.choices import Cleaning
from imprint.significance.learners import separating_plane
from imprint.threads import single_threaded
from imprint.types import Floats, Floats32, Indices

KEPT = 0.8  # of the names, by Caliskan et al. and by Swinger et al. alike


def name_likeness(
    names: Floats32, words: Floats32, *, cleaning: Cleaning, seed: np.random.SeedSequence
) -> Floats32 | Floats:
    """Return a number for each name, larger for what is more like a name (unit rows; `words` to tell them from)."""
    if cleaning == "centroid":
        return _closeness_to_centroid(names)
    classifier = fit_name_classifier(names, words, seed=seed)
    return np.asarray(names @ classifier[:-1] + classifier[-1])


def largest_share(values: Floats32 | Floats, share: float = KEPT) -> Indices:
    """Return the places of the largest values, in order; among equal values the first ones."""
    count = math.ceil(round(share * len(values), 9))
    return np.sort(np.argsort(-values, kind="stable")[:count])


def fit_name_classifier(names: Floats32, words: Floats32, *, seed: np.random.SeedSequence) -> Floats32:
    """Tell names from as many randomly chosen words with a linear SVM: its weights, then its intercept."""
    rng = np.random.default_rng(seed)
    others = words[rng.choice(len(words), size=min(len(names), len(words)), replace=False)]
    labels = np.repeat([1, 0], [len(names), len(others)])
    with single_threaded():
        return separating_plane(np.concatenate([names, others]), labels).astype(np.float32)


def _closeness_to_centroid(names: Floats32) -> Floats:
    """Return each row's cosine with the mean of all rows at unit length."""
    unit = names / np.linalg.norm(names, axis=1, keepdims=True)
    return cosines(names, unit.mean(axis=0, keepdims=True))[:, 0]
