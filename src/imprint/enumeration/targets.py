"""Whose names: the bundled tables, a list of one's own, or names found in the embedding; cleaned of other words.

Names that are mostly something else, such as May, Virginia and Will, are dropped. Swinger et al. (2019), appendix C.3:
a linear classifier learns to tell the names from as many frequent words, and the fifth of the names with the smallest
margin goes. Caliskan et al. drop those farthest from the names' centroid.
"""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from imprint.association.cosines import cosines
from imprint.checks import Cleaning
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.vocabulary import is_cased, rows_by_frequency
from imprint.errors import VocabularyError
from imprint.significance.learners import separating_plane
from imprint.stimuli.definition import quote
from imprint.stimuli.files import read_words
from imprint.stimuli.names import NameTable, first_names, surnames
from imprint.threads import single_threaded
from imprint.types import Floats, Floats32, Indices

Names = str | os.PathLike[str] | Sequence[str] | NameTable

FEWEST_BEARERS = 1_000  # appendix C.1 and C.2: a name is then nobody's in particular
WITHIN = "embedding"  # the names asked for are those found in it
FREQUENT = 50_000  # words among which names are told from other words

KEPT = 0.8  # of the names, by Caliskan et al. and by Swinger et al. alike


@dataclass(frozen=True, eq=False)
class Targets:
    """Names found in an embedding: as asked, the row of each, its bearers, the table they come from, and the rest."""

    names: tuple[str, ...]
    rows: Indices
    bearers: Floats32
    table: NameTable | None
    asked: int
    missing: tuple[str, ...]

    def take(self, kept: Indices) -> "Targets":
        """Return the chosen names."""
        names = tuple(self.names[i] for i in kept)
        return Targets(names, self.rows[kept], self.bearers[kept], self.table, self.asked, self.missing)


def find_targets(embedding: Embedding, names: Names, *, seed: np.random.SeedSequence) -> Targets:
    """Find names in an embedding: "first", "surnames", "embedding", a file of one name per line, or a list.

    Each is looked up as spelt, else in lower case; of two that meet in one entry the first is kept.
    """
    if isinstance(names, str) and names == WITHIN:
        return _looked_up(embedding, _names_within(embedding, seed), None)
    return _looked_up(embedding, *asked_names(names))


def asked_names(names: Names) -> tuple[tuple[str, ...], NameTable | None]:
    """Return the names of a bundled table but its rarest, with that table, or those of a file or a list."""
    if isinstance(names, NameTable):
        return names.names, names
    tables = {"first": first_names, "surnames": surnames}
    if isinstance(names, str) and names in tables:
        table = tables[names]().at_least(FEWEST_BEARERS)
        return table.names, table
    return (read_words(Path(names)) if isinstance(names, str | os.PathLike) else tuple(names)), None


def name_likeness(
    names: Floats32, words: Floats32, *, cleaning: Cleaning, seed: np.random.SeedSequence
) -> Floats32 | Floats:
    """Return a number for each name, larger for what is more like a name (unit rows; `words` to tell them from)."""
    if cleaning == "centroid":
        return _closeness_to_centroid(names)
    classifier = fit_name_classifier(names, words, seed=seed)
    return np.asarray(names @ classifier[:-1] + classifier[-1])


def largest_share(values: Floats32 | Floats) -> Indices:
    """Return the places of the largest values, in order; among equal values the first ones."""
    count = math.ceil(round(KEPT * len(values), 9))
    return np.sort(np.argsort(-values, kind="stable")[:count])


def fit_name_classifier(names: Floats32, words: Floats32, *, seed: np.random.SeedSequence) -> Floats32:
    """Tell names from as many randomly chosen words with a linear SVM: its weights, then its intercept."""
    rng = np.random.default_rng(seed)
    others = words[rng.choice(len(words), size=min(len(names), len(words)), replace=False)]
    labels = np.repeat([1, 0], [len(names), len(others)])
    with single_threaded():
        return separating_plane(np.concatenate([names, others]), labels).astype(np.float32)


def _looked_up(embedding: Embedding, names: tuple[str, ...], table: NameTable | None) -> Targets:
    rows: dict[int, int] = {}
    missing = []
    for i, name in enumerate(names):
        for spelling in (name, name.lower()):
            row = embedding.index.get(spelling)
            if row is not None and embedding.norms[row] > 0:
                rows.setdefault(row, i)
                break
        else:
            missing.append(name)
    if not rows:
        raise VocabularyError(
            f"has none of the {len(names):,} names ({quote(names)})",
            where=embedding.name,
            words=names,
            hint="give names that it has, one per line",
        )
    first_of = np.fromiter(rows.values(), dtype=np.intp)
    present = tuple(names[i] for i in first_of)
    bearers = (np.ones(len(names)) if table is None else table.counts)[first_of].astype(np.float32)
    return Targets(present, np.fromiter(rows, dtype=np.intp), bearers, table, len(names), tuple(missing))


def _names_within(embedding: Embedding, seed: np.random.SeedSequence) -> tuple[str, ...]:
    """Return frequent words that a classifier, taught by the table of first names, takes for names."""
    first = find_targets(embedding, "first", seed=seed)
    frequent = rows_by_frequency(embedding)[:FREQUENT]
    others = np.setdiff1d(frequent, first.rows)
    if not len(others):
        return first.names
    weights = fit_name_classifier(embedding.unit[first.rows], embedding.unit[others], seed=seed)
    likely = embedding.unit[frequent] @ weights[:-1] + weights[-1] > 0
    cased = is_cased(embedding)
    words = (embedding.words[row] for row in frequent[likely])
    names = tuple(word for word in words if word.isalpha() and (not cased or word.istitle()))
    if not names:
        raise VocabularyError(
            "has no frequent words that look like names", where=embedding.name, hint="give a list of names"
        )
    return names


def _closeness_to_centroid(names: Floats32) -> Floats:
    """Return each row's cosine with the mean of all rows at unit length."""
    unit = names / np.linalg.norm(names, axis=1, keepdims=True)
    return cosines(names, unit.mean(axis=0, keepdims=True))[:, 0]
