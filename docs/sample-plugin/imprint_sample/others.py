"""A debiaser and an encoder; neither is of any use."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from imprint.debiasing.debiaser import Debiaser
from imprint.debiasing.transform import Card, LinearTransform
from imprint.embeddings.embedding import Embedding
from imprint.types import Floats32


@dataclass(frozen=True)
class FlipDebiaser(Debiaser):
    """Turns every vector round, which changes no cosine; `length` multiplies all lengths."""

    summary = "turns every vector round"
    labels: ClassVar[Mapping[str, str]] = {"length": "lengths multiplied by"}  # on pages
    compared = ("length",)  # shown by `imprint debias --compare`

    length: float = 1.0

    def fit(self, embedding: Embedding, *, axis: Any = None, pairs: Any = None) -> LinearTransform:
        """Return the transform; nothing is changed yet."""
        card = Card(embedding.name, embedding.sha256, (), (), (), settings=asdict(self))
        matrix = -self.length * np.eye(embedding.dimension)
        return LinearTransform("flip", card, matrix, np.zeros(embedding.dimension))


def open_letters(letters: str = "e") -> Callable[[Sequence[str]], Floats32]:
    """Return an encoder that counts letters: `letters`, or `letters:abc` for others than e."""

    def encode(texts: Sequence[str]) -> Floats32:
        counts = [[len(text), sum(map(text.count, letters)), 1.0] for text in texts]
        return np.array(counts, dtype=np.float32)

    return encode
