"""A vocabulary seen through a sentence encoder, so that its biases can be enumerated like an embedding's.

Swinger et al. (2019) ask embeddings of words. An encoder takes sentences, so names and words go into the bleached
frames of May et al. (2019), section 3: the same for both, so that no frame tells a name from a word.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from imprint.checks import check_whole
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.vocabulary import frequent_words
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingCache
from imprint.encoders.encodings import Encodings, encode_texts
from imprint.enumeration.targets import WITHIN, Names, asked_names
from imprint.errors import EncoderError, SettingError
from imprint.subjects.opening import EncoderLike, load, open_encoder
from imprint.types import Floats32, Progress

FRAMES = ("This is {word}.", "That is {word}.", "It is {word}.")

_NOTHING = 1e-5  # relative: what rounding leaves of vectors that are all the same


def embed_vocabulary(
    encoder: EncoderLike,
    *,
    words: int = 30_000,
    names: Names = "first",
    cache: EncodingCache | None = None,
    progress: Progress | None = None,
) -> Embedding:
    """Make an embedding of names and frequent words from a sentence encoder, to enumerate its biases.

    A word's vector is the mean of its vectors in three bleached frames. Each frame's mean over the vocabulary is
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
    Embedding('glove.6B.100d through templates', 102 words, 100 dimensions)
    """
    check_whole("words", words)
    if isinstance(names, str) and names == WITHIN:
        raise SettingError(
            option="names",
            got=names,
            expected="first, surnames or a file",
            hint="a sentence encoder has no vocabulary to find names in",
        )
    opened = open_encoder(encoder)
    bundled = load("default")
    people, _ = asked_names(names)
    entries = dict.fromkeys([*_common_words(bundled, words, people), *people])
    missing = set(opened.lacks(entries))
    vocabulary = [entry for entry in entries if entry not in missing]
    encodings = encode_texts(opened, _sentences(FRAMES, vocabulary), cache=cache, progress=progress)
    rows = np.array([bundled.index.get(entry.lower(), -1) for entry in vocabulary])
    exact = np.array([entry in bundled.index for entry in vocabulary])
    assert bundled.ranks is not None
    assert bundled.common is not None
    return Embedding(
        name=f"{opened.name} through templates",
        words=vocabulary,
        vectors=_mean_over_frames(opened.name, encodings, vocabulary),
        notes=(_note(opened, vocabulary),),
        # A name too rare to have a rank comes after all that have one.
        ranks=np.where(rows < 0, bundled.ranks.max() + 1, bundled.ranks[rows]),
        common=bundled.common[rows] & exact,
    )


def _common_words(bundled: Embedding, count: int, people: tuple[str, ...]) -> list[str]:
    """Return the most frequent words, so many that `count` are left without those that are somebody's name."""
    ordered = [bundled.words[row] for row in frequent_words(bundled, len(bundled), leaving_out=set())]
    names = {name.lower() for name in people}
    left = np.cumsum([word not in names for word in ordered])
    return ordered[: int(np.searchsorted(left, count)) + 1]


def _sentences(frames: Iterable[str], vocabulary: Sequence[str]) -> list[str]:
    return [frame.format(word=word) for frame in frames for word in vocabulary]


def _mean_over_frames(name: str, encodings: Encodings, vocabulary: Sequence[str]) -> Floats32:
    total: Floats32 | None = None
    for frame in FRAMES:
        rows = encodings.rows(_sentences([frame], vocabulary))
        largest = np.abs(rows).max()
        rows -= rows.mean(axis=0, dtype=np.float64).astype(np.float32)
        if np.abs(rows).max() <= _NOTHING * largest:
            raise EncoderError(
                f"gives the same vector for every word in {frame!r}", where=name, hint="check its weights and pooling"
            )
        rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.finfo(np.float32).tiny)
        total = rows if total is None else total + rows
    assert total is not None
    return total / np.float32(len(FRAMES))


def _note(encoder: Encoder, vocabulary: Sequence[str]) -> str:
    settings = ", ".join(f"{key} {value}" for key, value in encoder.settings.items())
    return (
        f"{len(vocabulary):,} words and names were encoded with {encoder.name} ({settings}) in the sentences "
        f"{' '.join(FRAMES)}; each vector is the mean of its sentences, less the mean of all words"
    )
