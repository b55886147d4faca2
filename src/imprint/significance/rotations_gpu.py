"""The rotational null on a GPU: the same algorithm as `rotations.py`, drawn and counted on the device.

Single precision throughout, without the reduced precision that matrix units offer. One product scores every word
under a batch of rotations; a fused kernel then reads those scores once and keeps the largest of each cell.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from imprint.errors import MissingExtraError, SettingError
from imprint.significance.rotations import Cells
from imprint.types import Floats, Ints

_BATCH = 2_048  # rotations in one product
_MOST_TOP = 5


def reached_on_gpu(
    cells: Cells,
    scores: Floats,
    rotations: int,
    *,
    seed: np.random.SeedSequence,
    report: Callable[[int], None] | None = None,
) -> Ints:
    """Count the rotations under which each cell reaches its score: (categories, groups)."""
    device = GpuCells(cells)
    torch = device.torch
    generator = torch.Generator("cuda").manual_seed(int(seed.generate_state(1, np.uint64)[0] >> np.uint64(1)))
    observed = torch.as_tensor(scores, dtype=torch.float32, device="cuda").unsqueeze(2)
    reached = torch.zeros(cells.shape, dtype=torch.int64, device="cuda")
    for start in range(0, rotations, _BATCH):
        count = min(_BATCH, rotations - start)
        reached.add_((device.scores(device.random_directions(count, generator)) >= observed).sum(dim=2))
        if report is not None:
            report(count)
    return np.asarray(reached.cpu().numpy())


class GpuCells:
    """Cells copied to the GPU, and what is computed on them there."""

    def __init__(self, cells: Cells) -> None:
        self.torch = _torch()
        if cells.top > _MOST_TOP:
            raise SettingError(
                option="top", got=cells.top, expected=f"at most {_MOST_TOP} on a GPU", hint="use --device cpu"
            )
        self.torch.backends.cuda.matmul.allow_tf32 = False
        self.cells = cells
        self.words = self.torch.as_tensor(cells.words, device="cuda")
        self.centres = self.torch.as_tensor(np.ascontiguousarray(cells.centres), device="cuda")
        self.offsets = self.torch.as_tensor(cells.offsets, device="cuda")
        self.factor = self.torch.as_tensor(
            np.ascontiguousarray(cells.factor.T), dtype=self.torch.float32, device="cuda"
        )

    def random_directions(self, count: int, generator: Any) -> Any:
        """Draw directions as after so many Haar-random rotations: (dimension, groups, count)."""
        torch = self.torch
        rank = self.factor.shape[0]
        gaussian = torch.randn(
            (count, self.words.shape[1], rank), generator=generator, device="cuda", dtype=torch.float32
        )
        cholesky = torch.linalg.cholesky(gaussian.transpose(1, 2) @ gaussian)
        turned = torch.linalg.solve_triangular(cholesky.transpose(1, 2), self.factor.expand(count, -1, -1), upper=True)
        return (gaussian @ turned).permute(1, 2, 0)

    def scores(self, directions: Any) -> Any:
        """Score every cell under directions (dimension, groups, count): (categories, groups, count)."""
        from imprint.significance.rotations_triton import mean_of_largest

        columns = directions.reshape(directions.shape[0], -1).contiguous()
        products = self.words @ columns
        means = mean_of_largest(
            products, self.offsets, self.cells.shape[1], self.cells.top, overlapping=self.cells.overlapping
        )
        return means - (self.centres @ columns).reshape(means.shape)


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("torch", "gpu") from error
    if not torch.cuda.is_available():
        raise SettingError("no CUDA GPU was found", hint="leave --device out, or run on a machine with a GPU")
    return torch
