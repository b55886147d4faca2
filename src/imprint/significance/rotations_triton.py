"""The fused selection for GPUs: from scores of all words to the mean of each cell's largest, read once.

One program takes one category and a block of rotations; it keeps the largest few scores of every group in registers
while walking over the category's words. Imported only on a machine with a GPU.
"""

from typing import Any

import torch
import triton
import triton.language as tl

_ROTATIONS_PER_PROGRAM = 32


@triton.jit
def _walk(
    products,
    offsets,
    means,
    groups,
    rotations,
    top: tl.constexpr,
    padded: tl.constexpr,
    block: tl.constexpr,
    overlapping: tl.constexpr,
):
    category = tl.program_id(0)
    rotation = tl.program_id(1) * block + tl.arange(0, block)
    group = tl.arange(0, padded)
    inside = (group < groups)[:, None] & (rotation < rotations)[None, :]
    column = group[:, None] * rotations + rotation[None, :]
    absent = -1e30
    first = tl.full((padded, block), absent, tl.float32)
    second = tl.full((padded, block), absent, tl.float32)
    third = tl.full((padded, block), absent, tl.float32)
    fourth = tl.full((padded, block), absent, tl.float32)
    fifth = tl.full((padded, block), absent, tl.float32)
    start = tl.load(offsets + category)
    end = tl.load(offsets + category + 1)
    width = (groups * rotations).to(tl.int64)
    for row in range(start, end):
        score = tl.load(products + row * width + column, mask=inside, other=absent)
        if not overlapping:
            score = tl.where(score >= tl.max(score, axis=0)[None, :], score, absent)
        # An insertion into a descending list: each rank keeps the larger and hands the smaller down.
        pushed = tl.minimum(first, score)
        first = tl.maximum(first, score)
        if top > 1:
            kept = second
            second = tl.maximum(kept, pushed)
            pushed = tl.minimum(kept, pushed)
        if top > 2:
            kept = third
            third = tl.maximum(kept, pushed)
            pushed = tl.minimum(kept, pushed)
        if top > 3:
            kept = fourth
            fourth = tl.maximum(kept, pushed)
            pushed = tl.minimum(kept, pushed)
        if top > 4:
            fifth = tl.maximum(fifth, pushed)
    total = first
    last = first
    if top > 1:
        total += second
        last = second
    if top > 2:
        total += third
        last = third
    if top > 3:
        total += fourth
        last = fourth
    if top > 4:
        total += fifth
        last = fifth
    result = tl.where(last > absent, total / top, float("-inf"))
    tl.store(means + category.to(tl.int64) * width + column, result, mask=inside)


def mean_of_largest(products: Any, offsets: Any, groups: int, top: int, *, overlapping: bool) -> Any:
    """Return, for each category, group and rotation, the mean of the `top` largest scores, -inf where fewer.

    `products` is (words, groups * rotations), group-major; words are sorted by category as `offsets` say.
    """
    rotations = products.shape[1] // groups
    means = torch.empty((len(offsets) - 1, groups, rotations), dtype=torch.float32, device=products.device)
    grid = (len(offsets) - 1, triton.cdiv(rotations, _ROTATIONS_PER_PROGRAM))
    _walk[grid](
        products,
        offsets,
        means,
        groups,
        rotations,
        top=top,
        padded=triton.next_power_of_2(groups),
        block=_ROTATIONS_PER_PROGRAM,
        overlapping=overlapping,
    )
    return means
