"""The bundled embeddings, with their cards and licences."""

from collections.abc import Mapping
from functools import cache


@cache
def frequency_table() -> Mapping[str, int]:
    """Return the frequency ranks of the words of the bundled embedding, 0 for the most frequent."""
    from imprint.embeddings import BUNDLED, DEFAULT
    from imprint.embeddings.reading import read_embedding

    bundled = read_embedding(BUNDLED[DEFAULT])
    return dict(zip(bundled.words, bundled.frequency_ranks.tolist(), strict=True))
