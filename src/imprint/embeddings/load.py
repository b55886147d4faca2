"""The one door to every embedding: a path, or the name of a bundled one, in; an Embedding out."""

import os
import stat
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Protocol

from imprint.embeddings.embedding import Embedding
from imprint.embeddings.formats import fasttext, keyedvectors, safetensors, text, word2vec
from imprint.embeddings.formats.streams import Source
from imprint.errors import EmbeddingFileError, SettingError
from imprint.types import Progress

DEFAULT = "default"
_FOLDER = Path(__file__).with_name("bundled")
BUNDLED = {
    DEFAULT: _FOLDER / "glove.6B.100d.safetensors",
    "glove-840b-stimuli": _FOLDER / "glove.840B.300d.stimuli.safetensors",
}


class _Reader(Protocol):
    def recognises(self, head: bytes) -> bool: ...
    def read(self, source: Source, wanted: Collection[str] | None) -> Embedding: ...


# Asked in this order what a file is; what none of them knows is text, or nothing.
_READERS: tuple[_Reader, ...] = (safetensors, keyedvectors, fasttext, word2vec)


def load(
    source: str | os.PathLike[str],
    *,
    only: Iterable[str] | None = None,
    progress: Progress | None = None,
) -> Embedding:
    """Read an embedding from a file of any known format, or a bundled one by its name.

    Bundled are `default` (GloVe 6B, 100 dimensions) and `glove-840b-stimuli` (GloVe 840B, 300 dimensions: the words of
    the published tests alone).

    The format is recognised by content: GloVe, word2vec or fastText text and word2vec binary, each also inside
    gzip, xz or a zip of one file; fastText .bin; gensim .kv and .model; a file written by `convert`.

    `only` keeps the rows of these words and of their lower-case forms, and holds memory to them; rows of other
    words are not checked then. `progress` is called now and then with the bytes done and the bytes in all.
    """
    wanted = None if only is None else _with_lower_case(only)
    path = BUNDLED.get(str(source)) or Path(source)
    if "\0" in str(path):
        raise EmbeddingFileError(f"{str(path)!r}: no file name may hold a NUL; check the path")
    try:
        # Before it is opened: opening a pipe would wait for a writer.
        if not stat.S_ISREG(mode := path.stat().st_mode):
            kind = "a folder" if stat.S_ISDIR(mode) else "no regular file"
            raise EmbeddingFileError(f"{path}: is {kind}; name an embedding file")
        with path.open("rb", buffering=0) as raw:
            opened = Source(path, raw, progress)
            if not opened.head:
                raise EmbeddingFileError(f"{path}: is empty; fetch or write it again")
            reader = next((reader for reader in _READERS if reader.recognises(opened.head)), text)
            embedding = reader.read(opened, wanted)
            opened.report(1.0)
            return embedding
    except FileNotFoundError as error:
        if path in BUNDLED.values():
            raise EmbeddingFileError(f"{path}: the bundled embedding is missing; install imprint again") from error
        raise EmbeddingFileError(
            f"{path}: there is no such file; the bundled embeddings are called {', '.join(BUNDLED)}"
        ) from error
    except OSError as error:
        raise EmbeddingFileError(
            f"{path}: cannot be read ({error.strerror}); check the path and its rights"
        ) from error
    except MemoryError as error:
        raise EmbeddingFileError(f"{path}: does not fit in memory; load only the words needed, with only=") from error


def _with_lower_case(words: Iterable[str]) -> frozenset[str]:
    if isinstance(words, str):
        raise SettingError(f"only={words!r} is one string; a list of words is wanted")
    exact = list(words)
    return frozenset(exact) | frozenset(word.lower() for word in exact)
