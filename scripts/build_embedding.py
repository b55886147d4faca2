"""Cut the bundled default embedding out of GloVe 6B 100d and write its card.

Run it again whenever the catalogue or the table of first names changes; the same inputs give the same bytes.

    python scripts/build_embedding.py
"""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from card import measure_rounding, write_card
from glove import read_glove
from vocabulary import LEAST_COMMON, catalogue_forms, cut

from imprint.embeddings.convert import convert
from imprint.embeddings.embedding import Embedding

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
    convert(whole, target, half=True)
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


if __name__ == "__main__":
    main()
