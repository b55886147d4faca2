"""The rotational null on a GPU: is it the CPU's, and how near the cost of its matrix product does it come?

Needs a CUDA GPU with torch and triton. First the same frames go through the GPU and through a plain numpy version of
the algorithm; then many rotations of the paper's problem are counted, beside the matrix product alone.
"""

import argparse
import time
from dataclasses import replace
from typing import Any

import numpy as np
from rotations import CATEGORIES, DIMENSION, GROUPS, TOP, random_cells

from imprint.significance.rotations import observed_scores, random_directions
from imprint.significance.rotations_gpu import GpuCells, reached_on_gpu


def check(torch: Any) -> None:
    """Compare with numpy on the same frames: scores to rounding, counts but for ties within it."""
    for overlapping in (False, True):
        for top in (1, 3, 5):
            cells = replace(random_cells(3_000, 50, 7, 20, top), overlapping=overlapping)
            directions = random_directions(cells, 40, np.random.SeedSequence(1))
            ours = GpuCells(cells).scores(torch.as_tensor(directions, device="cuda").permute(1, 2, 0))
            ours = ours.cpu().numpy().transpose(2, 0, 1)
            theirs = np.stack(
                [observed_scores(replace(cells, directions=d.T.astype(np.float64)))[0] for d in directions]
            )
            finite = np.isfinite(theirs)
            assert np.array_equal(finite, np.isfinite(ours))
            difference = np.abs(np.where(finite, ours - np.where(finite, theirs, 0), 0)).max()
            scores = observed_scores(cells)[0]
            near = np.abs(theirs - scores) < 1e-6
            counts = [np.sum((side >= scores) & ~near, axis=0) for side in (ours, theirs)]
            assert np.array_equal(*counts)
            print(f"top {top}, overlapping {overlapping}: scores differ by at most {difference:.1e}, counts equal")


def main() -> None:
    import torch

    parser = argparse.ArgumentParser()
    parser.add_argument("--rotations", type=int, default=1_000_000)
    parser.add_argument("--words", type=int, default=30_000)
    rotations, words = (value := parser.parse_args()).rotations, value.words
    print(f"{time.strftime('%Y-%m-%d')}, {torch.cuda.get_device_name()}, torch {torch.__version__}")
    check(torch)
    cells = random_cells(words)
    scores, _ = observed_scores(cells)
    reached_on_gpu(cells, scores, 2_048, seed=np.random.SeedSequence(0))  # compiles the kernel
    torch.cuda.synchronize()
    began = time.perf_counter()
    reached = reached_on_gpu(cells, scores, rotations, seed=np.random.SeedSequence(0))
    took = time.perf_counter() - began
    product = _product_alone(torch, words, rotations)
    flops = 2.0 * words * DIMENSION * GROUPS * rotations
    print(f"{rotations:,} rotations of {words:,} words, d={DIMENSION}, n={GROUPS}, m={CATEGORIES}, t={TOP}")
    print(f"{'':28}{'seconds':>10}{'TFLOP/s':>10}{'of the product':>16}")
    print(f"{'matrix product alone, fp32':28}{product:10.2f}{flops / product / 1e12:10.1f}{1:16.2f}")
    print(f"{'all of it':28}{took:10.2f}{flops / took / 1e12:10.1f}{product / took:16.2f}")
    mean_p = np.mean((reached + 1) / (rotations + 1))
    print(f"memory {torch.cuda.max_memory_allocated() / 1e9:.1f} GB; mean p {mean_p:.3f}")


def _product_alone(torch: Any, words: int, rotations: int) -> float:
    batch = 1_024
    left = torch.randn((words, DIMENSION), device="cuda")
    right = torch.randn((DIMENSION, GROUPS * batch), device="cuda")
    out = left @ right
    torch.cuda.synchronize()
    began = time.perf_counter()
    rounds = min(200, rotations // batch)
    for _ in range(rounds):
        torch.matmul(left, right, out=out)
    torch.cuda.synchronize()
    return (time.perf_counter() - began) * (rotations / batch) / rounds


if __name__ == "__main__":
    main()
