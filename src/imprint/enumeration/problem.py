"""From an embedding and names to cells that can be scored: steps 1 and 2 of the algorithm.

Swinger et al. (2019), sections 3.1 and 3.2: clean the names, group them, choose the words, categorise them.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from imprint.association.preparation import largest_share
from imprint.embeddings.embedding import Embedding
from imprint.enumeration.cleaning import name_likeness
from imprint.enumeration.clustering import category_centres, cluster, cluster_means
from imprint.enumeration.frequency import frequency_direction, log_frequency, without_direction
from imprint.enumeration.groups import order_groups
from imprint.enumeration.settings import Settings
from imprint.enumeration.targets import FREQUENT, Names, Targets, find_targets
from imprint.enumeration.vocabulary import frequent_words, rows_by_frequency
from imprint.errors import SettingError
from imprint.significance.rotations import Cells

Floats = npt.NDArray[np.float32]
Labels = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Problem:
    """Groups of names, and words sorted by category, ready to be scored.

    `labels` number the groups in the order shown; `rows` are the embedding's rows of `cells.words`.
    """

    targets: Targets
    dropped: tuple[str, ...]
    labels: Labels
    name_vectors: Floats
    rows: Labels
    frequency: npt.NDArray[np.float64]
    cells: Cells


def pose(embedding: Embedding, names: Names, settings: Settings, seeds: tuple[np.random.SeedSequence, ...]) -> Problem:
    """Prepare the cells; `seeds` are for finding names, cleaning them, grouping them and categorising words."""
    finding, cleaning, grouping, categorising = seeds
    embedding.check_finite()
    found = find_targets(embedding, names, seed=finding)
    targets, dropped = _clean(embedding, found, settings, cleaning)
    if len(targets.names) < settings.groups:
        raise SettingError(
            f"{len(targets.names)} of the {found.asked:,} names asked for are left for {settings.groups} groups; ask "
            "for fewer groups, or give more names"
        )
    kept = {embedding.words[row] for row in targets.rows}
    rows = frequent_words(embedding, settings.words, leaving_out=kept)
    name_vectors, words = embedding.unit[targets.rows], embedding.unit[rows]
    frequency = log_frequency(embedding, rows)
    if settings.without_frequency:
        direction = frequency_direction(words, frequency)
        name_vectors, words = (without_direction(vectors, direction) for vectors in (name_vectors, words))
    weights = targets.bearers if settings.weighted else None
    clusters = cluster(name_vectors, settings.groups, what="names", seed=grouping, weights=weights)
    order = order_groups(targets, clusters, settings.groups)
    labels = np.argsort(order)[clusters]
    means = cluster_means(name_vectors, labels, settings.groups, weights)
    categories = cluster(words, settings.categories, what="words", seed=categorising)
    by_category = np.argsort(categories, kind="stable")
    cells = _cells(words[by_category], np.bincount(categories, minlength=settings.categories), means, settings)
    return Problem(targets, dropped, labels, name_vectors, rows[by_category], frequency[by_category], cells)


def _clean(
    embedding: Embedding, found: Targets, settings: Settings, seed: np.random.SeedSequence
) -> tuple[Targets, tuple[str, ...]]:
    others = np.setdiff1d(rows_by_frequency(embedding)[:FREQUENT], found.rows)
    if settings.cleaning == "none" or (settings.cleaning == "margin" and not len(others)):
        return found, ()
    vectors = embedding.unit[found.rows]
    likeness = name_likeness(vectors, embedding.unit[others], cleaning=settings.cleaning, seed=seed)
    kept = largest_share(likeness)
    gone = np.setdiff1d(np.arange(len(found.names)), kept)
    return found.take(kept), tuple(found.names[i] for i in gone)


def _cells(words: Floats, sizes: npt.NDArray[np.int64], means: npt.NDArray[np.float64], settings: Settings) -> Cells:
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    if settings.top > sizes.max():
        raise SettingError(
            f"top is {settings.top}, and the largest category has {sizes.max()} words; ask for fewer words a cell, or "
            "for fewer categories"
        )
    return Cells(
        words=np.ascontiguousarray(words),
        offsets=offsets,
        directions=means - means.mean(axis=0),
        centres=category_centres(words, offsets, settings.centre),
        top=settings.top,
        overlapping=settings.overlapping,
    )
