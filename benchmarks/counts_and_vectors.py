"""How well counts in a text predict the vectors trained on it: both place words between he and she.

gensim's word2vec is trained on a folder of text; a word's place is its cosine with he less that with she. Its count
is the log odds of occurring near he rather than she, in the same window. Usage: counts_and_vectors.py TEXT [SEEDS]
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
from gensim.models import Word2Vec
from scipy.stats import spearmanr

from imprint.subjects.reading import TOKEN

WINDOW, FEWEST = 5, 20


def main(folder: str, seeds: int) -> None:
    """Print the rank correlation over words, for each seed."""
    texts = [TOKEN.findall(path.read_text(encoding="utf-8").lower()) for path in sorted(Path(folder).rglob("*.txt"))]
    near = {"he": Counter[str](), "she": Counter[str]()}
    for text in texts:
        for place, word in enumerate(text):
            if word in near:
                near[word].update(text[max(0, place - WINDOW) : place] + text[place + 1 : place + 1 + WINDOW])
    totals = {word: near["he"][word] + near["she"][word] for word in near["he"] | near["she"]}
    words = sorted(word for word, total in totals.items() if total >= FEWEST and word not in near)
    counts = [np.log((near["he"][word] + 0.5) / (near["she"][word] + 0.5)) for word in words]
    for seed in range(seeds):
        model = Word2Vec(texts, vector_size=100, window=WINDOW, min_count=5, sg=1, epochs=10, seed=seed, workers=1).wv
        places = [model.similarity(word, "he") - model.similarity(word, "she") for word in words]
        print(f"seed {seed}: {len(words):,} words, rank correlation {spearmanr(counts, places).statistic:.3f}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1)
