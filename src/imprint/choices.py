"""Settings that are one of a few names, and the bound of p-values: values that library and command line share."""

from typing import Literal

Alternative = Literal["greater", "less", "two-sided"]
Centre = Literal["category", "all"]
Cleaning = Literal["margin", "centroid", "none"]
Context = Literal[
    "word",  # the word alone
    "bleached",  # in sentences that say as little else as possible
    "unbleached",  # in sentences that belong to the question asked
]
Correction = Literal["bh", "by", "max"]
Device = Literal["cpu", "cuda"]
EmbeddingFormat = Literal["safetensors", "word2vec", "glove", "word2vec-binary", "gensim"]
Layers = Literal["last", "sum", "mean"]
PairMethod = Literal["difference", "pca"]
PairScore = Literal["difference", "3cosmul"]
Pooling = Literal["mean", "max", "cls", "last"]
Protocol = Literal["ube", "offense", "analogy", "suggestion"]
SizeScale = Literal["cosine", "spread"]

SMALLEST_P = 1e-300  # smaller p-values are kept as this bound
