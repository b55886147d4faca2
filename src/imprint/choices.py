"""Settings that are one of a few names: the library and the command line read the same lists."""

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
