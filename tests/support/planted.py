"""Random vectors with an effect planted in them."""

import numpy as np

from imprint.embeddings.embedding import Embedding

SETS = {
    "x": ("aster", "clover", "lily", "rose", "iris", "tulip"),
    "y": ("ant", "flea", "wasp", "moth", "gnat", "fly"),
    "a": ("love", "peace", "gift", "joy"),
    "b": ("abuse", "filth", "hatred", "grief", "poison"),
}


def planted(seed: int = 0, strength: float = 0.8, dimension: int = 20) -> Embedding:
    """Make x lean towards a, and y towards b, along one direction."""
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=dimension)
    words, rows = [], []
    for name, sign in (("x", 1), ("y", -1), ("a", 1), ("b", -1)):
        for word in SETS[name]:
            words.append(word)
            rows.append(rng.normal(size=dimension) + sign * strength * direction)
    return Embedding("planted", words, np.array(rows, dtype=np.float32))
