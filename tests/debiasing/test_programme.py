import cvxpy
import numpy as np
import pytest
from refusals import refuses

from imprint.debiasing import programme
from imprint.debiasing.programme import choose_weight, solve
from imprint.errors import SettingError


def instance(seed, *, dimension=10, directions=1, words=200, seeds=8, leaning=3.0):
    """Background rows, seed rows that lean along the directions, and the directions."""
    generator = np.random.default_rng(seed)
    a = generator.normal(size=(words, dimension)) * generator.uniform(0.2, 2.0, size=dimension)
    b = generator.normal(size=(directions, dimension))
    b /= np.linalg.norm(b, axis=1, keepdims=True)
    p = generator.normal(size=(seeds, dimension)) + leaning * generator.normal(size=(seeds, directions)) @ b
    return a, p, b


def literal(a, p, b, weight, x):
    return ((a @ x @ a.T - a @ a.T) ** 2).sum() + weight * ((p @ x @ b.T) ** 2).sum()


def solved(a, p, b, strength):
    weight = choose_weight(strength, a.T @ a, p.T @ p, b)
    return solve(a.T @ a, p.T @ p, b, weight), weight


def instance_in(regime, **shape):
    """The first instance whose free optimum lies inside the cone, or outside it, with a strength."""
    strength, leaning = {"inside": (0.05, 0.2), "outside": (300.0, 3.0)}[regime]
    for seed in range(50):
        a, p, b = instance(seed, leaning=leaning, **shape)
        if solved(a, p, b, strength)[0].cone_active is (regime == "outside"):
            return a, p, b, strength
    raise AssertionError(f"no instance {regime} the cone")


both_regimes = pytest.mark.parametrize("regime", ["inside", "outside"])


@both_regimes
def test_iterations_are_spent_where_the_cone_is_active_alone(regime):
    solution, _ = solved(*instance_in(regime, directions=2))
    assert (solution.iterations > 0) is solution.cone_active is (regime == "outside")
    smallest = np.linalg.eigvalsh(solution.matrix)[0]
    assert bool(smallest < 1e-6) is (regime == "outside")


@pytest.mark.parametrize("dimension", [4, 12, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.parametrize("directions", [1, 3])
@both_regimes
def test_an_independent_conic_solver_agrees(dimension, directions, regime):
    a, p, b, strength = instance_in(regime, dimension=dimension, directions=directions, seeds=max(3, dimension - 2))
    solution, weight = solved(a, p, b, strength)
    h = np.linalg.cholesky(a.T @ a).T
    x = cvxpy.Variable((dimension, dimension), PSD=True)
    # |A (X - I) A'| = |L' (X - I) L| for A'A = L L'; scaled so that the solver's tolerances are relative.
    scale = np.linalg.norm(h @ h.T)
    data = cvxpy.sum_squares((h @ (x - np.eye(dimension)) @ h.T) / scale)
    problem = cvxpy.Problem(cvxpy.Minimize(data + weight / scale**2 * cvxpy.sum_squares(p @ x @ b.T)))
    problem.solve(solver=cvxpy.CLARABEL, tol_gap_rel=1e-10, tol_gap_abs=1e-12, tol_feas=1e-10)
    ours = literal(a, p, b, weight, solution.matrix)
    assert ours == pytest.approx(problem.value * scale**2, rel=1e-6)
    np.testing.assert_allclose(solution.matrix, x.value, atol=1e-4)


@pytest.mark.parametrize("directions", [1, 2])
@both_regimes
def test_plain_projected_gradients_arrive_at_the_same_matrix(directions, regime):
    a, p, b, strength = instance_in(regime, dimension=6, directions=directions, seeds=4)
    solution, weight = solved(a, p, b, strength)
    gram, seeds, ways = a.T @ a, p.T @ p, b.T @ b
    values, vectors = np.linalg.eigh(gram)
    half = (vectors / np.sqrt(values)) @ vectors.T
    g, m = half @ seeds @ half, half @ ways @ half
    step = 1.0 / (2.0 + 2.0 * weight * np.linalg.norm(g, 2) * np.linalg.norm(m, 2))
    z = gram.copy()
    for _ in range(10_000):
        z = z - step * (2.0 * (z - gram) + weight * (g @ z @ m + m @ z @ g))
        values, vectors = np.linalg.eigh(z)
        z = (vectors * np.maximum(values, 0.0)) @ vectors.T
    np.testing.assert_allclose(solution.matrix, half @ z @ half, atol=2e-5)


@both_regimes
def test_the_certificate_is_tight_and_nothing_in_the_cone_beats_it(regime):
    generator = np.random.default_rng(0)
    a, p, b, strength = instance_in(regime, directions=2)
    solution, weight = solved(a, p, b, strength)
    ours = literal(a, p, b, weight, solution.matrix)
    assert solution.gap <= programme.TARGET_GAP
    assert solution.data_term + weight * solution.stereotype_term == pytest.approx(ours, rel=1e-9)
    for size in (1e-4, 1e-2, 0.3):
        for _ in range(50):
            factor = np.linalg.cholesky(solution.matrix + 1e-12 * np.eye(10))
            factor += size * generator.normal(size=factor.shape)
            assert literal(a, p, b, weight, factor @ factor.T) >= ours * (1.0 - 1e-8)


def test_the_gap_bounds_how_far_from_the_optimum_a_search_cut_short_has_come(monkeypatch):
    a, p, b, strength = instance_in("outside", directions=2)
    best, weight = solved(a, p, b, strength)
    optimum = literal(a, p, b, weight, best.matrix)
    search = programme._find_slack
    monkeypatch.setattr(programme, "_MOST_ITERATIONS", 0)
    for factor in (0.0, 0.3, 0.8, 0.99, 1.01, 1.5):
        monkeypatch.setattr(programme, "_find_slack", lambda *given, f=factor: (f**0.5 * search(*given)[0], 0))
        rough, _ = solved(a, p, b, strength)
        ours = literal(a, p, b, weight, rough.matrix)
        assert rough.gap >= (ours - optimum) / ours > 1e-6
    assert best.gap < 1e-9


def test_projected_gradients_alone_arrive_too_from_a_start_that_knows_nothing(monkeypatch):
    a, p, b, strength = instance_in("outside", directions=2)
    best, _ = solved(a, p, b, strength)
    monkeypatch.setattr(programme, "_find_slack", lambda _, free: (np.zeros((len(free), 1)), 0))
    slow, _ = solved(a, p, b, strength)
    assert slow.iterations > 0
    assert slow.gap <= programme.TARGET_GAP
    np.testing.assert_allclose(slow.matrix, best.matrix, atol=1e-4)


@both_regimes
def test_x_is_symmetric_and_positive_semidefinite(regime):
    for directions in (1, 3):
        solution, _ = solved(*instance_in(regime, directions=directions))
        assert (solution.matrix == solution.matrix.T).all()
        assert np.linalg.eigvalsh(solution.matrix)[0] >= -1e-12


def test_strength_zero_gives_the_identity():
    solution, weight = solved(*instance(0), 0.0)
    assert weight == 0.0
    assert (solution.matrix == np.eye(10)).all()
    assert solution.data_term == solution.gap == 0.0


@pytest.mark.parametrize("leaning", [1.0, 0.2])
def test_more_strength_is_never_less_debiased_nor_less_costly(leaning):
    a, p, b = instance(4, directions=2, leaning=leaning)
    results = [solved(a, p, b, strength)[0] for strength in (0.0, 0.1, 1.0, 10.0, 100.0, 1000.0)]
    left, cost = [one.stereotype_term for one in results], [one.data_term for one in results]
    assert left == sorted(left, reverse=True)
    assert cost == sorted(cost)
    assert left[0] == pytest.approx(((p @ b.T) ** 2).sum())
    assert left[-1] < 1e-3 * left[0]


@both_regimes
def test_a_common_rotation_rotates_the_answer(regime):
    a, p, b, strength = instance_in(regime, directions=2)
    rotation = np.linalg.qr(np.random.default_rng(1).normal(size=(10, 10)))[0]
    turned, _ = solved(a @ rotation, p @ rotation, b @ rotation, strength)
    np.testing.assert_allclose(turned.matrix, rotation.T @ solved(a, p, b, strength)[0].matrix @ rotation, atol=1e-6)


def test_strength_has_no_unit():
    a, p, b = instance(9)
    plain = solved(a, p, b, 2.0)[0].matrix
    for other in (solved(7 * a, p, b, 2.0), solved(a, 0.01 * p, b, 2.0), solved(a, p, 30 * b, 2.0)):
        np.testing.assert_allclose(other[0].matrix, plain, atol=1e-10)
    doubled = solved(np.concatenate([a, a]), np.concatenate([p, p, p]), b, 2.0)
    np.testing.assert_allclose(doubled[0].matrix, plain, atol=1e-10)


def test_at_strength_one_keeping_the_axes_costs_what_removing_them_costs():
    a, p, b = instance(10, directions=2)
    weight = choose_weight(1.0, a.T @ a, p.T @ p, b)
    basis = np.linalg.qr(b.T)[0]
    removed = np.eye(10) - basis @ basis.T
    assert literal(a, p, b, weight, np.eye(10)) == pytest.approx(literal(a, p, b, weight, removed))


def test_a_direction_given_twice_counts_as_one_of_twice_the_weight():
    a, p, b = instance(11, leaning=1.0)
    gram, seeds = a.T @ a, p.T @ p
    once, twice = solve(gram, seeds, b, 2.0), solve(gram, seeds, np.concatenate([b, b]), 1.0)
    np.testing.assert_allclose(once.matrix, twice.matrix, atol=1e-10)


def test_off_the_span_of_the_background_x_is_the_identity():
    a, p, b = instance(12, leaning=1.0)
    a[:, 7:] = 0.0
    solution, _ = solved(a, p, b, 5.0)
    expected = np.zeros((10, 3))
    expected[7:] = np.eye(3)
    np.testing.assert_allclose(solution.matrix[:, 7:], expected, atol=1e-12)
    inner, _ = solved(a[:, :7], p[:, :7], b[:, :7], 5.0)
    weight = choose_weight(5.0, a.T @ a, p.T @ p, b)
    inner = solve(a[:, :7].T @ a[:, :7], p[:, :7].T @ p[:, :7], b[:, :7], weight)
    np.testing.assert_allclose(solution.matrix[:7, :7], inner.matrix, atol=1e-9)


def test_seeds_without_a_part_along_the_axis_leave_everything_as_it_is():
    a, p, b = instance(13)
    p -= (p @ b.T) @ b
    gram = a.T @ a
    assert choose_weight(0.0, gram, p.T @ p, b) == 0.0
    assert choose_weight(3.0, gram, np.zeros((10, 10)), b) == 0.0


def test_too_many_directions_are_refused():
    with refuses(SettingError, "32", got=33):
        solve(np.eye(100), np.eye(100), np.eye(100)[:33], 1.0)
