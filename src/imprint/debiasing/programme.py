"""The debiasing programme, solved with a certificate: min over X >= 0 of |A X A' - A A'|^2 + weight |P X B'|^2.

Bolukbasi et al. (2016), eq. 2-4. With H = A'A and Z = H^1/2 X H^1/2 it reads |Z - H|^2 + weight tr(G Z M Z), where G
and M are P'P and B'B between two H^-1/2. Without the cone the optimum solves a system as large as the number of
directions squared. If that optimum leaves the cone, the dual problem is solved, whose variable has a rank no larger
than the number of directions: by a quasi-Newton search among thin factors, then by accelerated projected gradients.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from imprint.errors import SettingError
from imprint.types import Floats

TARGET_GAP = 1e-9
MOST_DIRECTIONS = 32  # the closed form solves a system of this squared

_MOST_ITERATIONS = 5_000
_CHECK_EVERY = 5
_SMALL_START = 1e-3  # of columns that nothing calls for yet: at zero they could never grow
_ROUGH = 1e-9  # change of the dual, relatively, at which a search without a proof ends
_RANK = 1e-10  # directions of A this much weaker, squared, than its strongest count as not spanned
_ROUNDING = 1e-13  # negative eigenvalues this small, beside the largest, are rounding


@dataclass(frozen=True, eq=False)
class Solution:
    """The optimal X, and the proof: `gap` bounds (objective - optimum) / objective through the dual problem.

    `data_term` is |A X A' - A A'|^2, `stereotype_term` is |P X B'|^2 without its weight. Off the span of A, which the
    data term does not see, X is the identity and the stereotype term is not counted.
    """

    matrix: Floats
    data_term: float
    stereotype_term: float
    gap: float
    iterations: int
    cone_active: bool


def choose_weight(strength: float, gram: Floats, seeds: Floats, directions: Floats) -> float:
    """Return the weight at which `strength` is free of units.

    Two plain answers frame the problem. X = I keeps everything and costs weight |P B'|^2. X = I - D, D the projection
    on the directions, takes them out altogether and costs |A D A'|^2. Strength 1 makes both cost the same, whatever
    the number of words and the lengths of their rows.
    """
    basis = np.linalg.svd(directions, full_matrices=False)[2]
    removal = float(((basis @ gram @ basis.T) ** 2).sum())
    stereotype = float(np.einsum("ij,jk,ik->", directions, seeds, directions))
    return strength * removal / stereotype if stereotype > 0.0 else 0.0


def solve(gram: Floats, seeds: Floats, directions: Floats, weight: float) -> Solution:
    """Solve for `gram` = A'A and `seeds` = P'P, r x r, and `directions` = B, k x r."""
    if len(directions) > MOST_DIRECTIONS:
        raise SettingError(option="axis", got=len(directions), expected=f"at most {MOST_DIRECTIONS} directions")
    if weight == 0.0:
        stereotype = float(np.einsum("ij,jk,ik->", directions, seeds, directions))
        return Solution(np.eye(len(gram)), 0.0, stereotype, 0.0, 0, cone_active=False)
    weighted = Whitened(Whitening(gram), seeds, directions).weighted(weight)
    free = weighted.respond(weighted.target)
    values = np.linalg.eigvalsh(free)
    if values[0] >= -_ROUNDING * values[-1]:
        return weighted.finish(_project(free), np.zeros_like(free), 0, cone_active=False)
    factors, steps = _find_slack(weighted, free)
    return _climb(weighted, factors @ factors.T, steps)


class Whitening:
    """H and its H^-1/2, up to a rotation; one serves every choice of seeds."""

    def __init__(self, gram: Floats) -> None:
        strengths, axes = np.linalg.eigh(gram)
        spanned = strengths > _RANK * strengths[-1]
        self.span: Floats = axes[:, spanned]
        self.strengths: Floats = strengths[spanned]
        self.half: Floats = self.span / np.sqrt(self.strengths)


class Whitened:
    """The problem between two H^-1/2, in coordinates where G is diagonal; one serves every weight."""

    def __init__(self, whitening: Whitening, seeds: Floats, directions: Floats) -> None:
        values, turn = np.linalg.eigh(whitening.half.T @ seeds @ whitening.half)
        self.seeds: Floats = np.maximum(values, 0.0)
        self.span = whitening.span
        self.unwhiten: Floats = whitening.half @ turn
        self.target: Floats = (turn.T * whitening.strengths) @ turn
        _, sizes, self.ways = np.linalg.svd(directions @ self.unwhiten, full_matrices=False)
        self.sizes: Floats = sizes**2

    def weighted(self, weight: float, own: float = 1.0, shared: float = 0.0) -> "_Weighted":
        """Return the problem at a weight, with own G + shared H in the place of G."""
        return _Weighted(self, weight, own * self.seeds + shared)

    def path(self, weights: Sequence[float], vectors: Floats, own: float, shared: float) -> Iterator[Floats]:
        """Yield X's product with vectors at each weight, to some four digits and without a proof: enough to choose by.

        Each search starts where the one before it ended.
        """
        inner = self.unwhiten.T @ vectors
        outer = vectors - self.span @ (self.span.T @ vectors)
        factors = None
        for weight in weights:
            weighted = self.weighted(weight, own, shared)
            free = weighted.respond(self.target)
            point = free @ inner
            if factors is not None or not _is_positive(free):
                factors, _ = _find_slack(weighted, free, factors, _ROUGH)
                point += weighted.respond_to_factors(factors, inner)
                if (factors**2).sum() <= _ROUGH * np.trace(self.target):  # back inside the cone
                    factors = None
            yield self.unwhiten @ point + outer


class _Weighted:
    """The whitened problem at one weight."""

    def __init__(self, whitened: Whitened, weight: float, seeds: Floats) -> None:
        self.target, self.ways = whitened.target, whitened.ways
        self._span, self._unwhiten, self._sizes = whitened.span, whitened.unwhiten, whitened.sizes
        self._seeds = seeds
        self._half = weight / 2
        self._shrink = 1.0 + self._half * self._seeds[:, None] * self._sizes  # r x k
        self._inverse = np.linalg.inv(self._small_system())  # well conditioned: one plus what is positive

    def respond(self, target: Floats) -> Floats:
        """Return the Z that minimises |Z - target|^2 + weight tr(G Z M Z) over all symmetric Z."""
        change = self._change(target @ self.ways.T) @ self.ways
        point: Floats = target - (change + change.T)
        return point

    def respond_to_factors(self, factors: Floats, vectors: Floats) -> Floats:
        """Return `respond` of the factors' product, times vectors, without the r x r matrix."""
        change = self._change(factors @ (factors.T @ self.ways.T))
        product: Floats = (
            factors @ (factors.T @ vectors) - change @ (self.ways @ vectors) - self.ways.T @ (change.T @ vectors)
        )
        return product

    def _change(self, seen: Floats) -> Floats:
        """Return what the seeds take off a target that makes `seen` of the ways, r x k; its mirror comes off too."""
        ways, seeds, sizes = self.ways.T, self._seeds[:, None], self._sizes
        count = len(sizes)
        right = sizes[:, None] * ((seen / self._shrink).T @ (seeds * ways))
        small = (self._inverse @ right.ravel()).reshape(count, count)
        answer = (seen - self._half * ways @ small) / self._shrink  # Z's product with the directions
        change: Floats = self._half * seeds * answer * sizes
        return change

    def _small_system(self) -> Floats:
        """Return the equations of s = D Y' G W, the only part of Y = Z W that ties its rows together."""
        count = len(self._sizes)
        system = np.eye(count * count).reshape(count, count, count, count)
        for way in range(count):
            weights = self._seeds / self._shrink[:, way]
            system[way, :, :, way] += self._half * self._sizes[way] * (self.ways * weights) @ self.ways.T
        return system.reshape(count * count, count * count)

    def terms(self, point: Floats) -> tuple[float, float]:
        """Return the data term and the unweighted stereotype term at Z."""
        products = point @ self.ways.T
        stereotype = float((self._seeds[:, None] * self._sizes * products**2).sum())
        return float(((point - self.target) ** 2).sum()), stereotype

    def objective(self, point: Floats) -> float:
        data, stereotype = self.terms(point)
        return data + 2 * self._half * stereotype

    def finish(self, point: Floats, slack: Floats, iterations: int, *, cone_active: bool) -> Solution:
        """Take Z back to X, with the gap to the dual objective at slack >= 0, below which no Z in the cone goes."""
        free = self.respond(self.target + slack)
        # Below a point with gradient g, a function as convex as |Z|^2 falls by at most |g|^2 / 4: were `respond` not
        # quite the minimum, the bound would still be one.
        change = (self._seeds[:, None] * (free @ self.ways.T) * self._sizes) @ self.ways
        gradient = 2 * (free - self.target - slack) + 2 * self._half * (change + change.T)
        bound = self.objective(free) - 2 * float((slack * free).sum()) - float((gradient**2).sum()) / 4
        total = self.objective(point)
        matrix = self._unwhiten @ point @ self._unwhiten.T + (np.eye(len(self._span)) - self._span @ self._span.T)
        gap = max(total - bound, 0.0) / max(total, np.finfo(float).eps * float((self.target**2).sum()))
        return Solution((matrix + matrix.T) / 2, *self.terms(point), gap, iterations, cone_active)


def _find_slack(
    weighted: _Weighted, free: Floats, start: Floats | None = None, tolerance: float = 0.0
) -> tuple[Floats, int]:
    """Return thin factors of a slack near the best, and the evaluations spent; rounding ends the search by default.

    The dual asks for the slack >= 0 that, added to H, draws the free optimum into the cone. The directions, k of them,
    can push k eigenvalues below zero, so k columns are enough; no eigenvalues are needed to search among them.
    """
    from scipy.optimize import minimize

    columns = len(weighted.ways)
    if start is None:
        values, vectors = np.linalg.eigh(free)
        start = vectors[:, :columns] * np.sqrt(np.maximum(-values[:columns], -_SMALL_START * values[0]))
    unit = float((start**2).sum()) / columns

    def dual(flat: Floats) -> tuple[float, Floats]:
        factors = flat.reshape(-1, columns)
        # Differences to the dual at slack 0, which is larger by many orders.
        pushed, answered = free @ factors / unit, weighted.respond_to_factors(factors, factors)
        gradient: Floats = 4.0 * (pushed + answered)
        return float((factors * (2.0 * pushed + answered)).sum()), gradient.ravel()

    search = minimize(
        dual,
        (start / math.sqrt(unit)).ravel(),
        jac=True,
        method="L-BFGS-B",
        options={"maxcor": 30, "maxiter": 1_000, "ftol": tolerance, "gtol": 0.0},
    )
    factors: Floats = math.sqrt(unit) * search.x.reshape(-1, columns)
    return factors, int(search.nfev)


def _climb(weighted: _Weighted, slack: Floats, steps: int) -> Solution:
    """Climb the dual from there by accelerated projected gradients until the gap is small enough.

    The free optimum is the dual's gradient, up to sign and a factor, and its Lipschitz constant is 1 because the
    primal is strongly convex.
    """
    momentum, speed = slack, 1.0
    for iteration in range(_MOST_ITERATIONS + 1):
        if iteration % _CHECK_EVERY == 0:
            inside = _project(weighted.respond(weighted.target + slack))
            solution = weighted.finish(inside, slack, steps + iteration, cone_active=True)
            if solution.gap <= TARGET_GAP:
                break
        step = _project(momentum - weighted.respond(weighted.target + momentum))
        if ((momentum - step) * (step - slack)).sum() > 0.0:  # momentum carried it past the top: start afresh
            speed, momentum = 1.0, slack
        else:
            faster = (1.0 + math.sqrt(1.0 + 4.0 * speed**2)) / 2.0
            momentum, slack, speed = step + (speed - 1.0) / faster * (step - slack), step, faster
    return solution


def _is_positive(matrix: Floats) -> bool:
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return False
    return True


def _project(matrix: Floats) -> Floats:
    values, vectors = np.linalg.eigh(matrix)
    positive = values > 0.0
    inside: Floats = (vectors[:, positive] * values[positive]) @ vectors[:, positive].T
    return inside
