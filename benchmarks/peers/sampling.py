"""WEAT as May et al. (2019) run it: the p-value from 100,000 sampled partitions, the observed one among them.

Their footnote 10 gives the precision, 10^-5; ties count. Drawn here in batches, the quickest way numpy has.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from peers.measuring import Given, run
from peers.oracles import read_scores

DRAWS = 100_000
_BATCH = 10_000


def weat(given: Given) -> tuple[Callable[[], Any], Callable[[Any], Any]]:
    """Score the words and draw partitions of the scores."""
    with np.load(given["arrays"]) as arrays:
        words, vectors = arrays["words"].tolist(), arrays["vectors"]

    def work() -> Any:
        x, y = read_scores(words, vectors, given)
        pool = np.concatenate([x, y])
        rng = np.random.default_rng(0)
        reached, observed = 1, x.sum()
        for start in range(1, DRAWS, _BATCH):
            size = min(_BATCH, DRAWS - start)
            drawn = rng.permuted(np.broadcast_to(pool, (size, len(pool))), axis=1)[:, : len(x)].sum(axis=1)
            reached += int(np.count_nonzero(drawn >= observed - 1e-12))
        return (x.mean() - y.mean()) / pool.std(ddof=1), reached / DRAWS

    return work, lambda result: {"effect": float(result[0]), "p": float(result[1])}


if __name__ == "__main__":
    run({"weat": weat})
