"""From an embedding and names to cells that can be scored: steps 1 and 2 of the algorithm.

Swinger et al. (2019), sections 3.1 and 3.2: clean the names, group them, choose the words, categorise them.

Word frequency shapes every model: common names lie near common words. A group of the commonest names is therefore near
the most frequent words of every category. Mirrored copies that keep word frequency are what it is compared with; and
the direction of frequency can be removed first.
"""

from dataclasses import dataclass, replace

import numpy as np

from imprint.embeddings.embedding import Embedding
from imprint.embeddings.vocabulary import frequent_words, rows_by_frequency
from imprint.enumeration.groups import category_centres, cluster, cluster_means, letters, order_groups
from imprint.enumeration.settings import Settings
from imprint.enumeration.targets import FREQUENT, Names, Targets, find_targets, largest_share, name_likeness
from imprint.errors import SettingError, VocabularyError
from imprint.significance.rotations import Cells
from imprint.stimuli.definition import quote
from imprint.threads import single_threaded
from imprint.types import Floats, Floats32, Indices, Ints


@dataclass(frozen=True, eq=False)
class Problem:
    """Groups of names, and words sorted by category, ready to be scored.

    `labels` number the groups in the order shown; `rows` are the embedding's rows of `cells.words`.
    """

    targets: Targets
    dropped: tuple[str, ...]
    labels: Indices
    name_vectors: Floats32
    rows: Indices
    frequency: Floats
    cells: Cells


def build_problem(
    embedding: Embedding, names: Names, settings: Settings, seeds: tuple[np.random.SeedSequence, ...]
) -> Problem:
    """Prepare the cells; `seeds` are for finding names, cleaning them, grouping them and categorising words."""
    finding, cleaning, grouping, categorising = seeds
    embedding.check_finite()
    all_targets = find_targets(embedding, names, seed=finding)
    targets, dropped = clean_names(embedding, all_targets, settings, cleaning)
    if len(targets.names) < settings.groups:
        raise SettingError(
            f"{len(targets.names)} of the {all_targets.asked:,} names are left for {settings.groups} groups",
            option="groups",
            got=settings.groups,
            hint="ask for fewer groups, or give more names",
        )
    names_used = {embedding.words[row] for row in targets.rows}
    rows = frequent_words(embedding, settings.words, leaving_out=names_used)
    frequency = log_frequency(embedding, rows)
    name_vectors, words = _vectors(embedding, targets.rows, rows, frequency, settings)
    labels, by_category, cells = _clustered(targets, name_vectors, words, settings, grouping, categorising)
    _check_top(cells)
    return Problem(targets, dropped, labels, name_vectors, rows[by_category], frequency[by_category], cells)


def clean_names(
    embedding: Embedding, found: Targets, settings: Settings, seed: np.random.SeedSequence
) -> tuple[Targets, tuple[str, ...]]:
    """Return the names that are left after cleaning, and those that it drops."""
    others = np.setdiff1d(rows_by_frequency(embedding)[:FREQUENT], found.rows)
    if settings.cleaning == "none" or (settings.cleaning == "margin" and not len(others)):
        return found, ()
    vectors = embedding.unit[found.rows]
    likeness = name_likeness(vectors, embedding.unit[others], cleaning=settings.cleaning, seed=seed)
    likely = largest_share(likeness)
    gone = np.setdiff1d(np.arange(len(found.names)), likely)
    return found.take(likely), tuple(found.names[i] for i in gone)


def cluster_again(
    problem: Problem, settings: Settings, grouping: np.random.SeedSequence, categorising: np.random.SeedSequence
) -> Problem:
    """Group the same names and categorise the same words with other seeds."""
    names, words = problem.name_vectors, problem.cells.words
    labels, by_category, cells = _clustered(problem.targets, names, words, settings, grouping, categorising)
    rows, frequency = problem.rows[by_category], problem.frequency[by_category]
    return replace(problem, labels=labels, rows=rows, frequency=frequency, cells=cells)


def log_frequency(embedding: Embedding, rows: Indices) -> Floats:
    """Return a proxy for log frequency: minus the logarithm of the rank, as Zipf's law has it."""
    ranks = rows if embedding.ranks is None else embedding.ranks[rows]
    return -np.log(np.asarray(ranks, dtype=np.float64) + 1)


def frequency_direction(words: Floats32, frequency: Floats) -> Floats:
    """Return the unit direction of the covariance of words with frequency; zero where there is none.

    Across it no direction is correlated with frequency. That is not so of the regression's slope: on the bundled
    embedding, words without the slope still tell three quarters of the variance of frequency.
    """
    with single_threaded():
        covariance = (frequency - frequency.mean()) @ (words.astype(np.float64) - words.mean(axis=0, dtype=np.float64))
    length = np.linalg.norm(covariance)
    return np.asarray(covariance / length if length > 0 else covariance)


def drop_direction(vectors: Floats32 | Floats, direction: Floats) -> Floats:
    """Return the coordinates of rows in the space across a direction, which has one dimension less.

    Rows that merely lost the direction would stay in the larger space, and there a random rotation turns part of
    every name away from all words: the null would be too low.
    """
    # The reflection that takes the direction to the last axis; then that axis goes.
    mirror = direction.copy()
    mirror[-1] += np.copysign(1.0, mirror[-1])
    with single_threaded():
        reflected = vectors - np.outer(vectors @ mirror, mirror * (2 / (mirror @ mirror)))
    return np.asarray(reflected[:, :-1])


def without_direction(vectors: Floats32, direction: Floats) -> Floats32:
    """Remove a direction from unit rows and scale what is left of them to unit length again."""
    if not direction.any():
        return vectors
    rest = drop_direction(vectors, direction)
    lengths = np.maximum(np.linalg.norm(rest, axis=1, keepdims=True), 1e-12)
    return np.asarray(rest / lengths, dtype=np.float32)


def _clustered(
    targets: Targets,
    name_vectors: Floats32,
    words: Floats32,
    settings: Settings,
    grouping: np.random.SeedSequence,
    categorising: np.random.SeedSequence,
) -> tuple[Indices, Indices, Cells]:
    """Return the group of each name, the order of words by category, and the cells of both."""
    weights = targets.bearers if settings.weighted else None
    clusters = cluster(name_vectors, settings.groups, what="names", seed=grouping, weights=weights)
    order = order_groups(targets, clusters, settings.groups)
    labels = np.argsort(order)[clusters]
    means = cluster_means(name_vectors, labels, settings.groups, weights)
    categories = cluster(words, settings.categories, what="words", seed=categorising)
    by_category = np.argsort(categories, kind="stable")
    sizes = np.bincount(categories, minlength=settings.categories)
    return labels, by_category, _cells(words[by_category], sizes, means, settings)


def transfer_problem(
    problem: Problem, embedding: Embedding, other: Embedding, settings: Settings
) -> tuple[Problem, Indices]:
    """Put a problem posed in one embedding to another: the same groups and categories, of what the other has.

    Nothing is cleaned or clustered anew. Also returned: for each of the problem's words its place among the words of
    the new one, -1 where the other lacks it.
    """
    other.check_finite()
    targets, labels = _same_names(problem, other, settings)
    rows = np.array([other.index.get(embedding.words[row], -1) for row in problem.rows], dtype=np.intp)
    # Without capitals, will is Will: a word that is a name over there would be found close to itself.
    there = (rows >= 0) & (other.norms[rows] > 0) & ~np.isin(rows, targets.rows)
    categories = np.repeat(np.arange(settings.categories), np.diff(problem.cells.offsets))
    sizes = np.bincount(categories[there], minlength=settings.categories)
    if not sizes.all():
        lacking = [embedding.words[row] for row in problem.rows[categories == sizes.argmin()]]
        raise VocabularyError(
            f"has none of the {len(lacking):,} words of a category ({quote(lacking)})",
            where=other.name,
            words=lacking,
            hint="ask about fewer words, the most frequent, or compare embeddings that share words",
        )
    rows = rows[there]
    frequency = log_frequency(other, rows)
    name_vectors, words = _vectors(other, targets.rows, rows, frequency, settings)
    weights = targets.bearers if settings.weighted else None
    cells = _cells(words, sizes, cluster_means(name_vectors, labels, settings.groups, weights), settings)
    _check_top(cells)
    places = np.where(there, np.cumsum(there) - 1, -1)
    return Problem(targets, (), labels, name_vectors, rows, frequency, cells), places


def _same_names(problem: Problem, other: Embedding, settings: Settings) -> tuple[Targets, Indices]:
    """Look up the names of the groups, those left after cleaning, in another embedding."""
    first = problem.targets
    second = find_targets(other, first.names, seed=np.random.SeedSequence(settings.seed))
    index_of = {name: i for i, name in enumerate(first.names)}
    chosen = np.array([index_of[name] for name in second.names], dtype=np.intp)
    labels = problem.labels[chosen]
    counts = np.bincount(labels, minlength=settings.groups)
    if not counts.all():
        empty = int(counts.argmin())
        lacking = [name for name, label in zip(first.names, problem.labels, strict=True) if label == empty]
        raise VocabularyError(
            f"has none of the {len(lacking):,} names of group {letters(settings.groups)[empty]}",
            where=other.name,
            words=lacking,
            hint="ask for fewer groups, or compare embeddings that share names",
        )
    return replace(second, bearers=first.bearers[chosen], table=first.table), labels


def _vectors(
    embedding: Embedding, names: Indices, words: Indices, frequency: Floats, settings: Settings
) -> tuple[Floats32, Floats32]:
    """Return the unit rows of names and of words, without the direction of frequency where that is asked."""
    name_vectors, word_vectors = embedding.unit[names], embedding.unit[words]
    if settings.without_frequency:
        direction = frequency_direction(word_vectors, frequency)
        return without_direction(name_vectors, direction), without_direction(word_vectors, direction)
    return name_vectors, word_vectors


def _cells(words: Floats32, sizes: Ints, means: Floats, settings: Settings) -> Cells:
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Cells(
        words=np.ascontiguousarray(words),
        offsets=offsets,
        directions=means - means.mean(axis=0),
        centres=category_centres(words, offsets, settings.centre),
        top=settings.top,
        overlapping=settings.overlapping,
    )


def _check_top(cells: Cells) -> None:
    largest = np.diff(cells.offsets).max()
    if cells.top > largest:
        raise SettingError(
            option="top",
            got=cells.top,
            expected=f"at most {largest}, the size of the largest category",
            hint="ask for fewer words per cell, or for fewer categories",
        )
