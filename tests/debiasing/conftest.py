"""A vocabulary with a planted axis: `he` and `she` apart along it, professions leaning to one end or the other."""

import numpy as np
import pytest

from imprint.embeddings.embedding import Embedding

SEEDS = tuple(f"job{number}" for number in range(40))
FITTED, HELD_OUT = SEEDS[:30], SEEDS[30:]
OTHERS = tuple(f"thing{number}" for number in range(400))
MEN = ("he", "man", "king", "uncle", "Dad")
WOMEN = ("she", "woman", "queen", "aunt", "Mom")


@pytest.fixture
def planted():
    """Twelve dimensions, gender the first; jobs lie in dimensions 0 to 5, things anywhere, rows have any length."""
    generator = np.random.default_rng(7)
    jobs = np.zeros((len(SEEDS), 12))
    jobs[:, :6] = generator.normal(size=(len(SEEDS), 6))
    jobs[:, 0] = 1.5 * np.sign(generator.normal(size=len(SEEDS)))
    things = generator.normal(size=(len(OTHERS), 12))
    stems = generator.normal(size=(len(MEN), 12)) * 0.3
    stems[:, 0] = 0.0
    gender = np.eye(12)[0]
    rows = np.concatenate([jobs, things, stems + gender, stems - gender])
    rows *= generator.uniform(0.5, 3.0, size=(len(rows), 1))
    words = [*SEEDS, *OTHERS, *MEN, *WOMEN]
    return Embedding("planted", words, rows.astype(np.float32), notes=("first note",))


@pytest.fixture
def shuffled(planted):
    order = np.random.default_rng(1).permutation(len(planted))
    return Embedding("planted", [planted.words[row] for row in order], planted.vectors[order])


def row(embedding, word):
    return embedding.vectors[embedding.index[word]].astype(np.float64)
