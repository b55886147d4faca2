"""A small embedding in which it is known which group of names goes with which words."""

from dataclasses import dataclass

import numpy as np
import pytest

from imprint.embeddings.embedding import Embedding
from imprint.stimuli.names import first_names

GROUPS, CATEGORIES, NAMES_EACH, WORDS_EACH, DIMENSION = 4, 6, 24, 100, 60
# Which group (row of names) three words of which category were moved towards.
PLANTED = {(0, 0), (0, 1), (1, 0), (1, 1), (2, 3), (3, 3), (3, 4)}


@dataclass(frozen=True)
class Planted:
    """An embedding, its names group by group, and the words moved towards each (group, category)."""

    embedding: Embedding
    names: tuple[tuple[str, ...], ...]
    words: dict[tuple[int, int], frozenset[str]]


def spell(number: int, first: str) -> str:
    """Write a number in letters, so that it passes for a word (and, beginning with x, for nobody's name)."""
    return first + "".join(chr(ord("a") + number // 26**place % 26) for place in (2, 1, 0))


def plant(seed: int = 0, strength: float = 1.0) -> Planted:
    """Names of four groups, two of women's and two of men's names, and words of six categories, in random order.

    Words vary along axes of their own, and each group's direction lies across many of them: mirroring turns it away.
    """
    rng = np.random.default_rng(seed)
    axes, spread = (np.linalg.qr(rng.normal(size=(DIMENSION, DIMENSION)))[0] for _ in range(2))
    spread *= np.geomspace(0.2, 0.05, DIMENSION)[:, None]
    directions, centres, person = axes[:GROUPS], axes[GROUPS : GROUPS + CATEGORIES], axes[GROUPS + CATEGORIES]
    table = first_names().at_least(1_000)
    women, men = ([table.names[i] for i in np.flatnonzero(chosen)] for chosen in
                  (table.share_women > 0.99, table.share_women < 0.01))  # fmt: skip
    names = [tuple((women if i < 2 else men)[i % 2 :: 2][:NAMES_EACH]) for i in range(GROUPS)]
    rows = {
        name: person + 0.9 * directions[i] + rng.normal(scale=0.05, size=DIMENSION)
        for i in range(GROUPS)
        for name in names[i]
    }
    words = {}
    for j in range(CATEGORIES):
        for number in range(WORDS_EACH):
            rows[spell(100 * j + number, "xw")] = centres[j] + rng.normal(size=DIMENSION) @ spread
        for i in range(GROUPS):
            if (i, j) in PLANTED:
                chosen = [spell(100 * j + 10 * i + number, "xp") for number in range(3)]
                for word in chosen:
                    noise = rng.normal(scale=0.05, size=DIMENSION)
                    rows[word] = centres[j] + strength * directions[i] + noise
                words[i, j] = frozenset(chosen)
    order = rng.permutation(len(rows))
    spelt = list(rows)
    # Lengths differ, so that only who normalises gets it right.
    vectors = np.array([rows[spelt[k]] for k in order]) * rng.uniform(0.5, 3, size=(len(rows), 1))
    embedding = Embedding("planted", [spelt[k] for k in order], vectors.astype(np.float32))
    return Planted(embedding, tuple(names), words)


@pytest.fixture(scope="session")
def planted() -> Planted:
    return plant()


@pytest.fixture(scope="session")
def small() -> dict[str, int]:
    """Settings that suit the planted embedding, with few copies."""
    return {"groups": GROUPS, "categories": CATEGORIES, "words": 10_000, "copies": 100, "repeats": 0}


@pytest.fixture(scope="session")
def paper() -> dict[str, int | str]:
    """The same with the paper's method: 24 cells, so 479 rotations find a lone one."""
    given = {"method": "paper", "rotations": 599}
    return {"groups": GROUPS, "categories": CATEGORIES, "words": 10_000, "repeats": 0} | given
