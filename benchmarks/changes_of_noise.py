"""How often a change is found where there is only noise: the questions, asked of an embedding and of noisy copies.

Run: python benchmarks/changes_of_noise.py [copies] [seed]. Noise is added to every vector of the bundled embedding, as
a share of its length. It leaves the sizes as they are on average, so a change that is found is a false one.
"""

import sys

import numpy as np

from imprint import Embedding, load
from imprint.association.changes import test_changes
from imprint.association.weat import measure
from imprint.stimuli.catalog import questions
from imprint.stimuli.definition import words_of

NOISE = (0.1, 0.3, 1.0)  # length of the noise, beside that of the vector


def main(copies: int, seed: int) -> None:
    """Print a line per length of the noise."""
    embedding = load("default")
    asked = questions()
    found = embedding.lookup(sorted(words_of(asked)))
    before = [measure(embedding, question) for question in asked]
    lengths = np.linalg.norm(found.vectors, axis=1, keepdims=True) / np.sqrt(embedding.dimension)
    print("| noise, as a share of the vector | copies with any change found | changes found |")
    print("|---|---|---|")
    for noise in NOISE:
        rng = np.random.default_rng([seed, round(100 * noise)])
        counts = []
        for _ in range(copies):
            vectors = found.vectors + noise * lengths * rng.standard_normal(found.vectors.shape)
            copy = Embedding("copy", found.words, vectors.astype(np.float32))
            changes = test_changes(before, [measure(copy, question) for question in asked])
            counts.append(sum(change.row.found for change in changes))
        some = np.mean(np.array(counts) > 0)
        print(f"| {noise:.0%} | {some:.1%} of {copies} | {np.mean(counts) / len(asked):.2%} |", flush=True)


if __name__ == "__main__":
    main(*(int(given) for given in (sys.argv[1:] + ["100", "31"][len(sys.argv) - 1 :])))
