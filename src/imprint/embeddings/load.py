"""The one door to every embedding: a path, or the name `default`, in; an Embedding out."""

import os
import stat
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Protocol

from imprint.checks import check_list
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.formats import fasttext, keyedvectors, safetensors, text, word2vec
from imprint.embeddings.formats.streams import Source
from imprint.errors import EmbeddingFileError
from imprint.types import Progress

DEFAULT = "default"
BUNDLED = Path(__file__).parent / "bundled" / "glove.6B.100d.safetensors"


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
    """Read an embedding from a file of any known format, or the bundled one by the name `default`.

    The format is recognised by content: GloVe, word2vec or fastText text and word2vec binary, each also inside
    gzip, xz or a zip of one file; fastText .bin; gensim .kv and .model; a file written by `convert`.

    `only` keeps the rows of these words and of their lower-case forms, and holds memory to them; rows of other
    words are not checked then. `progress` is called now and then with the bytes done and the bytes in all.
    """
    wanted = None if only is None else _with_lower_case(only)
    path = BUNDLED if source == DEFAULT else Path(source)
    if "\0" in str(path):
        raise EmbeddingFileError("has a NUL in its name", where=repr(str(path)), hint="check the path")
    try:
        # Before it is opened: opening a pipe would wait for a writer.
        if not stat.S_ISREG(mode := path.stat().st_mode):
            kind = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
            raise EmbeddingFileError(f"is {kind}", where=path, hint="name an embedding file")
        with path.open("rb", buffering=0) as raw:
            opened = Source(path, raw, progress)
            if not opened.head:
                raise EmbeddingFileError("is empty", where=path, hint="fetch or write it again")
            reader = next((reader for reader in _READERS if reader.recognises(opened.head)), text)
            embedding = reader.read(opened, wanted)
            opened.report(1.0)
            return embedding
    except FileNotFoundError as error:
        if path == BUNDLED:
            raise EmbeddingFileError(
                "is missing, though it comes with imprint", where=path, hint="install imprint again"
            ) from error
        raise EmbeddingFileError(
            "does not exist", where=path, hint=f"the bundled embedding is called {DEFAULT!r}"
        ) from error
    except OSError as error:
        raise EmbeddingFileError(
            f"cannot be read ({error.strerror})", where=path, hint="check the path and its permissions"
        ) from error
    except MemoryError as error:
        raise EmbeddingFileError(
            "does not fit in memory", where=path, hint="load only the words needed, with only="
        ) from error


def _with_lower_case(words: Iterable[str]) -> frozenset[str]:
    check_list("only", words)
    exact = list(words)
    return frozenset(exact) | frozenset(word.lower() for word in exact)
