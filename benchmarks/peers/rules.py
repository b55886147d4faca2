"""What counts as right, and how many draws it rests on. Standard library alone: every process reads it."""

import math
from collections.abc import Iterable

TRUTH_DRAWS = 1_000_000  # where partitions are too many to count, and for draws with replacement
SAMPLED = 100_000  # May et al. (2019), footnote 10
ERRORS = 4  # standard errors that a sampled p-value may be off
CELL_ERRORS = 5  # the same for the largest of some hundred cells
PRINTED = 0.005  # half a unit of the last printed digit of an effect size
SAME_EFFECT = 1e-5
SAME_CORRELATION = 1e-6
NEAR = 1e-4  # float32 vectors give cosines to some 1e-7; a direction left in place gives 0.1
SAME_VECTOR = 1e-6  # between coordinates of one word; float32 keeps some 1e-7
LEVEL = 0.05


def near(p: float, truth: float, *draws: int) -> bool:
    """Compare p-values of which one or both were drawn; without draws they must agree to rounding."""
    if not draws:
        return math.isclose(p, truth, rel_tol=1e-9)
    error = math.sqrt(truth * (1 - truth) * sum(1 / count for count in draws))
    return abs(p - truth) <= ERRORS * error + 1 / min(draws)


def fits(p: float, truths: Iterable[float], *draws: int) -> bool:
    """Allow a tool that draws either definition: partitions at least as extreme, or more extreme."""
    return any(near(p, truth, *draws) for truth in truths)
