"""What every tool is given: words, vectors and pairs, as imprint bundles them, in forms that all can read."""

from pathlib import Path
from typing import Any

import numpy as np

import imprint
from imprint.stimuli.definition import WeatTest
from imprint.stimuli.seeds import definitional_pairs, equalize_pairs, gender_specific
from peers.measuring import Given, Steps, run


def inputs(given: Given) -> Steps:
    """Write the vectors as arrays and in three formats; return the words of every test and the lists of pairs."""

    def work() -> Any:
        embedding = imprint.load(given["file"])
        words, vectors = np.array(embedding.words), np.asarray(embedding.vectors, dtype=np.float32)
        np.savez(given["arrays"], words=words, vectors=vectors)
        _write_text(given["text"], words, vectors)
        with Path(given["binary"]).open("wb") as file:
            file.write(f"{len(words)} {vectors.shape[1]}\n".encode())
            for word, row in zip(words, vectors, strict=True):
                file.write(word.encode() + b" " + row.tobytes() + b"\n")
        bundled = imprint.load("default")
        _write_text(given["bundled"], np.array(bundled.words), np.asarray(bundled.vectors, dtype=np.float32))
        np.savez(given["bundled_arrays"], words=np.array(bundled.words), vectors=np.asarray(bundled.vectors))
        return {
            "tests": {name: _told(name) for name in given["tests"]},
            "definitional": [list(pair) for pair in definitional_pairs()],
            "equalize": [list(pair) for pair in equalize_pairs()],
            "specific": list(gender_specific()),
            "rows": [list(vectors.shape), list(bundled.vectors.shape)],
        }

    return work, lambda result: result


def _told(name: str) -> dict[str, Any]:
    test = next(one for one in imprint.catalogue() if one.id == name)
    assert isinstance(test, WeatTest)
    printed = [one.effect for one in test.published if one.embedding == "word2vec GoogleNews"]
    sets = {key: list(getattr(test, key).words) for key in "xyab"}
    return {**sets, "title": f"{test.x.name} / {test.y.name}", "printed": printed[0] if printed else None}


def _write_text(path: str, words: Any, vectors: Any) -> None:
    with Path(path).open("w", encoding="utf-8") as file:
        file.write(f"{len(words)} {vectors.shape[1]}\n")
        for word, row in zip(words, vectors, strict=True):
            file.write(f"{word} " + " ".join(map(repr, row.tolist())) + "\n")


if __name__ == "__main__":
    run({"inputs": inputs})
