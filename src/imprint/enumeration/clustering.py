"""Groups of names and categories of words, by K-means++ with the settings of the paper."""

from itertools import pairwise

import numpy as np

from imprint.choices import Centre
from imprint.errors import SettingError
from imprint.significance.learners import k_means
from imprint.types import Floats, Floats32, Indices, Ints


def cluster(
    vectors: Floats32, count: int, *, what: str, seed: np.random.SeedSequence, weights: Floats32 | None = None
) -> Indices:
    """Label each row with its cluster; `what` is clustered is named in errors."""
    if len(vectors) < count:
        raise SettingError(
            f"{len(vectors):,} {what} cannot make {count} clusters",
            got=count,
            hint=f"ask for fewer, or give more {what}",
        )
    different = set()
    for row in vectors:
        different.add(row.tobytes())
        if len(different) == count:
            break
    else:
        raise SettingError(
            f"the {what} have only {len(different)} different vectors, so {count} clusters cannot be made",
            got=count,
            hint="check that this is a real embedding",
        )
    state = int(np.random.default_rng(seed).integers(2**31))
    return k_means(vectors, count, seed=state, weights=weights)


def category_centres(words: Floats32, offsets: Ints, centre: Centre) -> Floats32:
    """Return what each category's scores are measured from: its own mean, or that of all words."""
    if centre == "all":
        return np.repeat(words.mean(axis=0)[None], len(offsets) - 1, axis=0)
    return np.stack([words[start:end].mean(axis=0) for start, end in pairwise(offsets)])


def cluster_means(vectors: Floats32, labels: Indices, count: int, weights: Floats32 | None = None) -> Floats:
    """Return each cluster's mean vector, one row a cluster."""
    means = np.empty((count, vectors.shape[1]))
    for label in range(count):
        members = labels == label
        means[label] = np.average(
            vectors[members].astype(np.float64), axis=0, weights=None if weights is None else weights[members]
        )
    return means
