"""WEAT as May et al. (2019) run it: the p-value from sampled partitions, the observed one among them.

Their footnote 10 gives the precision, 10^-5; ties count. Drawn here in batches, the quickest way numpy has. The scores
are computed here too, and the seed is another than that of `oracles`, so that neither can lend the other its error.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from peers.measuring import Given, Steps, run
from peers.rules import SAMPLED

_BATCH = 10_000
_SEED = 2019


def weat(given: Given) -> Steps:
    """Score the words and draw partitions of the scores."""
    with np.load(given["arrays"]) as arrays:
        words, vectors = arrays["words"].tolist(), arrays["vectors"]

    def work() -> Any:
        pool, size = associations(words, vectors, given)
        rng = np.random.default_rng(_SEED)
        reached, observed = 1, pool[:size].sum()
        for start in range(1, SAMPLED, _BATCH):
            count = min(_BATCH, SAMPLED - start)
            drawn = rng.permuted(np.broadcast_to(pool, (count, len(pool))), axis=1)[:, :size].sum(axis=1)
            reached += int(np.count_nonzero(drawn >= observed - 1e-12))
        return (pool[:size].mean() - pool[size:].mean()) / pool.std(ddof=1), reached / SAMPLED

    return work, lambda result: {"effect": float(result[0]), "p": float(result[1])}


def associations(words: list[str], vectors: Any, given: Given) -> tuple[npt.NDArray[np.float64], int]:
    """Return s(w, A, B) of all X and Y words that have a vector, X first, and how many are of X."""
    places = {word: place for place, word in enumerate(words)}
    rows = {}
    for key in "xyab":
        chosen = vectors[[places[word] for word in given[key] if word in places]].astype(np.float64)
        rows[key] = chosen / np.sqrt(np.einsum("ij,ij->i", chosen, chosen))[:, None]
    direction = rows["a"].mean(axis=0) - rows["b"].mean(axis=0)
    return np.vstack([rows["x"], rows["y"]]) @ direction, len(rows["x"])


if __name__ == "__main__":
    run({"weat": weat})
