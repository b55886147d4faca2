"""The one door to every embedding: a path, or the name `default`, in; an Embedding out."""

import os
import stat
from collections.abc import Collection, Iterable
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from imprint.embeddings.embedding import Embedding
from imprint.embeddings.formats.streams import Source
from imprint.errors import EmbeddingFileError, SettingError
from imprint.types import Progress

DEFAULT = "default"
BUNDLED = Path(__file__).parent / "bundled" / "glove.6B.100d.safetensors"


class _Reader(Protocol):
    def recognises(self, head: bytes) -> bool: ...
    def read(self, source: Source, wanted: Collection[str] | None) -> Embedding: ...


# Asked in this order what a file is, each imported when it is asked; what none of them knows is text, or nothing.
_READERS = ("safetensors", "keyedvectors", "fasttext", "word2vec")


def load(
    source: str | os.PathLike[str],
    *,
    only: Iterable[str] | None = None,
    progress: Progress | None = None,
) -> Embedding:
    """Read an embedding from a file of any known format, or the bundled one by the name `default`.

    The format is recognised by content: GloVe, word2vec or fastText text and word2vec binary, each also inside
    gzip, xz or a zip of one file; fastText .bin; gensim .kv and .model; a file written by `convert`.

    `only` keeps the rows of these words and of their lower-case forms, and holds memory to them; rows of other
    words are not checked then. `progress` is called now and then with the bytes done and the bytes in all.
    """
    wanted = None if only is None else _with_lower_case(only)
    path = BUNDLED if source == DEFAULT else Path(source)
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
            readers = map(_reader, _READERS)
            reader = next((reader for reader in readers if reader.recognises(opened.head)), None) or _reader("text")
            embedding = reader.read(opened, wanted)
            opened.report(1.0)
            return embedding
    except FileNotFoundError as error:
        if path == BUNDLED:
            raise EmbeddingFileError(f"{path}: the bundled embedding is missing; install imprint again") from error
        raise EmbeddingFileError(
            f"{path}: there is no such file; the bundled embedding is called {DEFAULT!r}"
        ) from error
    except OSError as error:
        raise EmbeddingFileError(
            f"{path}: cannot be read ({error.strerror}); check the path and its rights"
        ) from error
    except MemoryError as error:
        raise EmbeddingFileError(f"{path}: does not fit in memory; load only the words needed, with only=") from error


def _reader(name: str) -> _Reader:
    return cast(_Reader, import_module(f"imprint.embeddings.formats.{name}"))


def _with_lower_case(words: Iterable[str]) -> frozenset[str]:
    if isinstance(words, str):
        raise SettingError(f"only={words!r} is one string; a list of words is wanted")
    exact = list(words)
    return frozenset(exact) | frozenset(word.lower() for word in exact)
