"""The rotational null as Swinger et al. (2019) print it (sections 3.3, 3.4): rotate the names, run it all again."""

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from peers.measuring import Given, Steps, run

Doubles = npt.NDArray[np.float64]


def enumeration(given: Given) -> Steps:
    """Score the groups as they are and under so many rotations."""
    with np.load(given["problem"]) as problem:
        names, labels, words = problem["names"].astype(np.float64), problem["labels"], problem["words"]
        offsets, top = problem["offsets"], int(problem["top"])
    words = words.astype(np.float64)

    def work() -> Any:
        rng = np.random.default_rng(2)
        observed = score(names, labels, words, offsets, top)
        reached = np.zeros(observed.shape)
        for _ in range(given["rotations"]):
            turned = names @ haar(names.shape[1], rng)
            reached += score(turned, labels, words, offsets, top) >= observed
        return observed, np.where(np.isfinite(observed), (reached + 1) / (given["rotations"] + 1), 1.0)

    return work, lambda result: {
        "scores": np.where(np.isfinite(result[0]), result[0], 0.0).tolist(),
        "p": result[1].tolist(),
    }


def score(names: Doubles, labels: Any, words: Doubles, offsets: Any, top: int) -> Doubles:
    """Return sigma_ij of every category and group; -inf where fewer than `top` words are nearest to the group."""
    groups = int(labels.max()) + 1
    means = np.array([names[labels == group].mean(axis=0) for group in range(groups)])
    centred = means - means.mean(axis=0)
    everything = words.mean(axis=0)
    sigma = np.full((len(offsets) - 1, groups), -np.inf)
    for j, (start, end) in enumerate(pairwise(offsets)):
        category = words[start:end]
        nearest = (category @ means.T).argmax(axis=1)
        for i in range(groups):
            voronoi = category[nearest == i]
            if len(voronoi) >= top:
                order = np.argsort((voronoi - category.mean(axis=0)) @ centred[i])
                sigma[j, i] = centred[i] @ (voronoi[order[-top:]].mean(axis=0) - everything)
    return sigma


def haar(dimension: int, rng: np.random.Generator) -> Doubles:
    """Draw an orthogonal matrix uniformly: the QR factor of a Gaussian one, its signs made unique."""
    orthogonal, triangular = np.linalg.qr(rng.normal(size=(dimension, dimension)))
    return np.asarray(orthogonal * np.sign(np.diag(triangular)))


if __name__ == "__main__":
    run({"enumeration": enumeration})
