"""The rotational null: how large would the scores be if names and words were aligned at random?

Swinger et al. (2019), section 3.4. There a Haar-random d x d rotation of the names is drawn for every simulation.
The groups' directions, less their mean, span few dimensions, so only a random frame of as many vectors matters:
with directions = F V^T and G Gaussian, G L^-T (L the Cholesky factor of G^T G) is such a frame, and no d x d
matrix is ever made. Many rotations go into one matrix product, a category at a time so that scores stay in cache.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from imprint.errors import SettingError
from imprint.threads import single_threaded
from imprint.types import Floats, Floats32, Ints

CHUNK = 256  # rotations drawn from one seed: the unit of work, whoever does it
_BATCH = 128  # rotations in one matrix product

_NO_DIRECTION = 1e-6  # relative: singular values below it are rounding
_ROUNDING = 1e-12  # absolute: what is left of equal means of unit rows


@dataclass(frozen=True, eq=False)
class Cells:
    """Words sorted by category, the groups' directions, and what is asked of every (category, group).

    `words` are unit rows; those of category j are `offsets[j]:offsets[j + 1]`. `directions` are the groups' means
    less the mean of those, one row each. A cell's score is the mean of its `top` largest products with the group's
    direction less the product with the category's `centres` row; unless `overlapping`, a word belongs only to the
    group it is closest to.
    """

    words: Floats32
    offsets: Ints
    directions: Floats
    centres: Floats32
    top: int
    overlapping: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Categories and groups."""
        return len(self.offsets) - 1, len(self.directions)

    def only(self, categories: Sequence[int]) -> "Cells":
        """Return some of the categories."""
        parts = [self.words[self.offsets[j] : self.offsets[j + 1]] for j in categories]
        offsets = np.cumsum([0, *map(len, parts)])
        return replace(self, words=np.concatenate(parts), offsets=offsets, centres=self.centres[list(categories)])

    @cached_property
    def factor(self) -> Floats:
        """F of directions = F V^T, V with orthonormal columns: all that a rotation leaves of them."""
        left, sizes, _ = np.linalg.svd(self.directions, full_matrices=False)
        largest = sizes.max(initial=0.0)
        if largest <= _ROUNDING:
            raise SettingError(
                "all groups have the same mean vector, so there is no direction to rotate", hint="use other names"
            )
        real = sizes > _NO_DIRECTION * largest
        return np.asarray(left[:, real] * sizes[real])


def observed_scores(cells: Cells) -> tuple[Floats, Ints]:
    """Score every cell as it is: (categories, groups) means less centre, and which rows made them.

    A cell with fewer than `top` words has score -inf and -1 for the rows it lacks.
    """
    categories, groups = cells.shape
    scores = np.full((categories, groups), -np.inf)
    rows = np.full((categories, groups, cells.top), -1, dtype=np.int64)
    for j in range(categories):
        start, end = cells.offsets[j], cells.offsets[j + 1]
        products = cells.words[start:end].astype(np.float64) @ cells.directions.T
        centre = cells.centres[j].astype(np.float64) @ cells.directions.T
        left = products.T.copy()
        if not cells.overlapping:
            left[np.arange(groups)[:, None] != products.argmax(axis=1)] = -np.inf
        largest = np.full((groups, cells.top), -np.inf)
        for rank in range(min(cells.top, end - start)):
            best = left.argmax(axis=1)  # the first of equals
            largest[:, rank] = left[np.arange(groups), best]
            rows[j, :, rank] = np.where(largest[:, rank] > -np.inf, start + best, -1)
            left[np.arange(groups), best] = -np.inf
        scores[j] = largest.mean(axis=1) - centre
    return scores, rows


def scores_of(cells: Cells, rows: Ints) -> Floats:
    """Score given words, (categories, groups, words), in each cell; NaN where one of them is -1."""
    with single_threaded():
        centres = cells.centres.astype(np.float64) @ cells.directions.T
    products = np.einsum("jitd,id->jit", cells.words[rows].astype(np.float64), cells.directions)
    return np.where((rows < 0).any(axis=2), np.nan, products.mean(axis=2) - centres)


def random_directions(cells: Cells, count: int, seed: np.random.SeedSequence) -> Floats32:
    """Draw the directions as they would be after so many Haar-random rotations: (count, dimension, groups)."""
    rng = np.random.default_rng(seed)
    factor = cells.factor
    gaussian = rng.standard_normal((count, cells.words.shape[1], factor.shape[1]))
    cholesky = np.linalg.cholesky(gaussian.transpose(0, 2, 1) @ gaussian)
    turned = np.linalg.solve(cholesky.transpose(0, 2, 1), np.broadcast_to(factor.T, (count, *factor.T.shape)))
    return (gaussian @ turned).astype(np.float32)


def scores_under(cells: Cells, directions: Floats32) -> Floats32:
    """Score every cell under given directions (count, dimension, groups): (count, categories, groups)."""
    from imprint.significance.kernels import ABSENT, keep_largest

    categories, groups = cells.shape
    scores = np.empty((len(directions), categories, groups), dtype=np.float32)
    largest_category = int(np.diff(cells.offsets).max())
    for start in range(0, len(directions), _BATCH):
        batch = directions[start : start + _BATCH]
        # Group-major columns: see the kernel.
        columns = np.ascontiguousarray(batch.transpose(1, 2, 0)).reshape(batch.shape[1], -1)
        products = np.empty((largest_category, columns.shape[1]), dtype=np.float32)
        largest = np.full((categories, cells.top, columns.shape[1]), ABSENT, dtype=np.float32)
        for j in range(categories):
            rows = cells.words[cells.offsets[j] : cells.offsets[j + 1]]
            here = np.matmul(rows, columns, out=products[: len(rows)])
            keep_largest(here, groups, cells.overlapping, largest[j])
        means = largest.mean(axis=1) - cells.centres @ columns
        means[largest[:, -1] == ABSENT] = -np.inf
        scores[start : start + len(batch)] = means.reshape(categories, groups, len(batch)).transpose(2, 0, 1)
    return scores


def chunks(count: int, seed: np.random.SeedSequence, size: int = CHUNK) -> list[tuple[int, np.random.SeedSequence]]:
    """Split so many draws into units of work, each with its own seed: whoever does them, every bit is the same."""
    sizes = [min(size, count - start) for start in range(0, count, size)]
    return list(zip(sizes, seed.spawn(len(sizes)), strict=True))


def rotated_scores(cells: Cells, count: int, seed: np.random.SeedSequence) -> Floats32:
    """Score every cell under so many random rotations: (count, categories, groups)."""
    with single_threaded():
        return scores_under(cells, random_directions(cells, count, seed))
