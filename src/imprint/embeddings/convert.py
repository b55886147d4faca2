"""An embedding written as a file: a safetensors file that opens in an instant, or a format that other tools read."""

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import IO, get_args

import numpy as np

from imprint.checks import check_choice
from imprint.choices import EmbeddingFormat
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.writers import (
    Chunks,
    check_vocabulary,
    write_glove,
    write_safetensors,
    write_word2vec,
    write_word2vec_binary,
)
from imprint.errors import EmbeddingFileError, SettingError, requiring
from imprint.files import FilePath, replacing
from imprint.types import Progress

ENDINGS: Mapping[EmbeddingFormat, tuple[str, ...]] = {
    "safetensors": (".safetensors",),
    "word2vec": (".txt", ".vec"),
    "glove": (".txt",),
    "word2vec-binary": (".bin",),
    "gensim": (".kv",),
}

_SYNC_BYTES = 64 << 20
_PICKLE_PROTOCOL = 5  # writes a matrix as it lies in memory, without a copy


def convert(
    embedding: Embedding,
    path: FilePath,
    *,
    format: EmbeddingFormat | None = None,  # noqa: A002 - what the command line calls it
    half: bool = False,
    progress: Progress | None = None,
) -> None:
    """Write an embedding as a safetensors file that opens quickly, or in a format of other tools.

    Values are written exactly in every format. Only safetensors keeps name, notes, ranks and flags. A fastText model's
    vectors of unseen words are not written.

    Parameters
    ----------
    embedding
        What to write.
    path
        The file to write; its name ends in .safetensors, .txt, .vec, .bin or .kv.
    format
        By default the ending's: word2vec text for .txt and .vec, word2vec binary for .bin, gensim for .kv. GloVe's
        text, which has no header, must be asked for.
    half
        Round the vectors to float16; safetensors only.
    progress
        Called with the rows written and the total number of rows.

    Examples
    --------
    >>> imprint.convert(imprint.load({"rose": [1.0, 2.0], "ant": [3.0, -4.0]}), "small.safetensors")
    >>> imprint.load("small.safetensors")
    Embedding('dict', 2 words, 2 dimensions)
    """
    chosen = choose_format(path, format, half=half)
    if embedding.source is not None and Path(path).exists() and Path(path).samefile(embedding.source):
        raise EmbeddingFileError("is the file being converted", where=path, hint="give another name for the copy")
    if chosen == "gensim":
        save = _gensim_saver(embedding)
        with replacing(path) as part, part.open("wb") as file:
            save(file)
        if progress is not None:
            progress(len(embedding), len(embedding))
        return
    writers: dict[str, Callable[[Embedding], Chunks]] = {
        "safetensors": partial(write_safetensors, half=half),
        "word2vec": write_word2vec,
        "glove": write_glove,
        "word2vec-binary": write_word2vec_binary,
    }
    with replacing(path) as part, part.open("wb") as file:
        unsynced = reported = 0
        for done, chunk in writers[chosen](embedding):
            file.write(chunk)
            unsynced += memoryview(chunk).nbytes
            if unsynced > _SYNC_BYTES:
                # Left to the end, waiting for the disk would take longer than all the rest, and no bar would tell.
                os.fsync(file.fileno())
                unsynced = 0
            if progress is not None and done > reported:
                progress(done, len(embedding))
                reported = done


def choose_format(path: FilePath, asked: str | None = None, *, half: bool = False) -> EmbeddingFormat:
    """Return the format to write; refuse a name that promises another kind of file."""
    if asked is not None:
        check_choice("format", asked, get_args(EmbeddingFormat))
    fitting = [
        name
        for name, endings in ENDINGS.items()
        if asked in (None, name) and os.fspath(path).lower().endswith(endings)
    ]
    if not fitting:
        endings = [ending for name, some in ENDINGS.items() if asked in (None, name) for ending in some]
        *others, last = dict.fromkeys(endings)
        expected = f"a name that ends in {', '.join(others)}{' or ' if others else ''}{last}"
        raise SettingError(option="path", got=path, expected=expected)
    if half and fitting[0] != "safetensors":
        raise SettingError(
            f"half precision cannot be used with {fitting[0]}",
            option="half",
            hint="leave it out or use .safetensors",
        )
    if fitting[0] == "gensim":
        with requiring("gensim", "gensim"):
            import gensim.models  # noqa: F401 - refused now, before any work is done
    return fitting[0]


def _gensim_saver(embedding: Embedding) -> Callable[[IO[bytes]], None]:
    """Return what writes a file of gensim's, all in one: a matrix beside it is easily left behind."""
    from gensim.models import KeyedVectors

    check_vocabulary(embedding)
    embedding.check_finite()
    keyed = KeyedVectors(vector_size=embedding.dimension)
    keyed.index_to_key = list(embedding.words)
    keyed.key_to_index = {word: row for row, word in enumerate(keyed.index_to_key)}
    keyed.vectors, keyed.next_index = np.ascontiguousarray(np.asarray(embedding.vectors)), len(embedding)
    return partial(keyed.save, pickle_protocol=_PICKLE_PROTOCOL)
