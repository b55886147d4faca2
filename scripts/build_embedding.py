"""Cut the bundled default embedding out of GloVe 6B 100d and write its card.

Run it again whenever the catalogue or the table of first names changes; the same inputs give the same bytes.

    python scripts/build_embedding.py
"""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from card import measure_rounding, write_card
from glove import read_glove
from vocabulary import LEAST_COMMON, catalogue_forms, cut

from imprint.embeddings.embedding import Embedding
from imprint.files import replacing

NAME = "glove.6B.100d"
FOLDER = Path(__file__).resolve().parents[1] / "src/imprint/embeddings/bundled"


def main() -> None:
    began = time.perf_counter()
    words, vectors = read_glove()
    chosen = cut(words)
    whole = Embedding(
        name=NAME,
        words=[words[row] for row in chosen.rows],
        vectors=vectors[chosen.rows],
        ranks=chosen.rows.astype(np.int32),
        common=chosen.common,
    )
    lost = sorted(word for word in catalogue_forms() & set(words) if word not in whole)
    if lost or chosen.common.sum() < LEAST_COMMON:
        raise SystemExit(f"{chosen.common.sum():,} common words; catalogue words lost: {lost}")

    target = FOLDER / f"{NAME}.safetensors"
    with replacing(target) as path:
        path.write_bytes(_serialise(whole))
    half = replace(whole, vectors=whole.vectors.astype(np.float16).astype(np.float32))
    write_card(
        FOLDER / "CARD.md",
        target,
        source=words,
        cut=chosen,
        rounding=measure_rounding(whole, half),
    )
    print(f"{half}: {target.stat().st_size / 1e6:.1f} MB, {time.perf_counter() - began:.0f} s")
    for reason, count in chosen.added.items():
        print(f"  {reason}: {count:,}")
    print(f"  common: {chosen.common.sum():,}; first names among the dictionary's: {len(chosen.ambiguous):,}")


def _serialise(embedding: Embedding) -> bytes:
    """Return the embedding in imprint's own form: one safetensors file, rows in float16."""
    from safetensors.numpy import save

    assert embedding.ranks is not None
    assert embedding.common is not None
    tensors: dict[str, npt.NDArray[Any]] = {
        "vectors": embedding.vectors.astype(np.float16),
        "words": np.frombuffer("\n".join(embedding.words).encode(), dtype=np.uint8),
        "ranks": embedding.ranks,
        "common": embedding.common.astype(np.uint8),
    }
    data: bytes = save(tensors, metadata={"format": "imprint", "name": embedding.name})
    # The library writes metadata in another order from run to run; in order, the same rows give the same bytes.
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    return data[:8] + text.ljust(size) + data[8 + size :]


if __name__ == "__main__":
    main()
