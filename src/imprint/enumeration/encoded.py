"""A vocabulary seen through a sentence encoder, so that its biases can be enumerated like an embedding's.

Swinger et al. (2019) ask embeddings of words; names and words go into the frames of `imprint.stimuli.framed`.
"""

import numpy as np

from imprint.checks import check_whole
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.vocabulary import frequent_words
from imprint.encoders.cache import EncodingStore
from imprint.enumeration.targets import WITHIN, Names, asked_names
from imprint.errors import SettingError
from imprint.stimuli.framed import word_vectors
from imprint.subjects.opening import EncoderLike, load, open_encoder
from imprint.types import Progress


def embed_vocabulary(
    encoder: EncoderLike,
    *,
    words: int = 30_000,
    names: Names = "first",
    cache: EncodingStore | None = None,
    progress: Progress | None = None,
) -> Embedding:
    """Make an embedding of names and frequent words from a sentence encoder, to enumerate its biases.

    A word's vector is the mean of its vectors in three bleached frames. Each frame's mean over common words is
    subtracted first: what a frame adds to every sentence says nothing about words, and it blurs the comparison with
    rotated names. Then each vector is scaled to unit length, so that every frame counts the same.

    Parameters
    ----------
    encoder
        A model, an embedding or a function, as `open_encoder` accepts it.
    words
        How many of the most frequent common words of the bundled embedding to encode.
    names
        "first" or "surnames" (bundled tables), a file or a list; give `enumerate_biases` the same.
    cache
        Where encodings are kept between runs.
    progress
        Called with the texts encoded and the total number of texts.

    Returns
    -------
    Embedding
        Names and words with the encoder's vectors.

    Examples
    --------
    >>> imprint.embed_vocabulary("cbow", words=100, names=["Mary", "John"])
    Embedding('glove.6B.100d (in sentences)', 102 words, 100 dimensions)
    """
    check_whole("words", words)
    check_names(names)
    return word_vectors(open_encoder(encoder), vocabulary_words(words, names), cache=cache, progress=progress)


def check_names(names: Names) -> None:
    """Refuse to look for names in a vocabulary that there is not."""
    if isinstance(names, str) and names == WITHIN:
        raise SettingError(
            option="names",
            got=names,
            expected="first, surnames or a file",
            hint="a sentence encoder has no vocabulary to find names in",
        )


def vocabulary_words(count: int, names: Names) -> list[str]:
    """Return names and the most frequent words, so many that `count` are left without those that are a name."""
    bundled, (people, _) = load("default"), asked_names(names)
    ordered = [bundled.words[row] for row in frequent_words(bundled, len(bundled), leaving_out=set())]
    theirs = {name.lower() for name in people}
    left = np.cumsum([word not in theirs for word in ordered])
    return [*ordered[: int(np.searchsorted(left, count)) + 1], *people]
