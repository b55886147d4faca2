"""An embedding's file in, an Embedding out: the reader is chosen by the file's first bytes."""

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Protocol

from imprint.checks import check_list
from imprint.embeddings import BUNDLED, DEFAULT
from imprint.embeddings.background import WordsToKeep
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.formats.streams import Source, check_regular
from imprint.errors import EmbeddingFileError, raising_as, reading_file
from imprint.files import check_bundled
from imprint.registry import Registry
from imprint.types import Progress

# Asked in this order what a file is; then text, then plug-ins; what nobody knows is refused by text, line by line.
READERS = Registry(
    "imprint.readers",
    {
        name: f"imprint.embeddings.formats.{name}"
        for name in ("safetensors", "keyedvectors", "fasttext", "word2vec", "text")
    },
)


class Reader(Protocol):
    """A module, or an object, that knows one file format; files are hostile until read.

    `head` are the first bytes of the content, decompressed; `only`, where given, are the words to keep.
    """

    def recognises(self, head: bytes, path: Path) -> bool:
        """Whether the file is of this format."""

    def read(self, path: Path, only: Collection[str] | None, progress: Progress | None) -> Embedding:
        """Read the file; tell `progress` now and then the bytes done and the bytes in all."""


def read_embedding(
    path: Path, *, only: Iterable[str] | None = None, background: bool = False, progress: Progress | None = None
) -> Embedding:
    """Read an embedding from a file of any known format, keeping all words or `only` these, also in lower case.

    With `background`, a sample of words of every frequency stays too.
    """
    keep = None if only is None else WordsToKeep(_with_lower_case(only), background=background)
    absent, advice = "does not exist", "check the path"
    if path in BUNDLED.values():
        absent, advice = "is missing, though it comes with imprint", "install imprint again"
    large = "load only the words needed, with only="
    with (
        raising_as(MemoryError, EmbeddingFileError, "does not fit in memory", where=path, hint=large),
        reading_file(EmbeddingFileError, path),
        raising_as(FileNotFoundError, EmbeddingFileError, absent, where=path, hint=advice),
    ):
        check_regular(check_bundled(path))
        with path.open("rb", buffering=0) as raw:
            head = Source(path, raw).head
        if not head:
            raise EmbeddingFileError("is empty", where=path, hint="fetch or write it again")
        return _reader(head, path).read(path, keep, progress)


@cache
def frequency_table() -> Mapping[str, int]:
    """Return the frequency ranks of the words of the bundled embedding, 0 for the most frequent."""
    bundled = read_embedding(BUNDLED[DEFAULT])
    return dict(zip(bundled.words, bundled.frequency_ranks.tolist(), strict=True))


def _reader(head: bytes, path: Path) -> Reader:
    for name in READERS.builtin:
        reader: Reader = READERS.get(name)
        if reader.recognises(head, path):
            return reader
    text = reader  # the last one, whose refusal says what an embedding looks like
    return next((found for name in READERS.plugins() if (found := READERS.get(name)).recognises(head, path)), text)


def _with_lower_case(words: Iterable[str]) -> frozenset[str]:
    check_list("only", words)
    exact = list(words)
    return frozenset(exact) | frozenset(word.lower() for word in exact)
