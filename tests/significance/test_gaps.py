"""Intervals over crossed factors and of shares of a gap: the formulas written out, their coverage, what is refused."""

import numpy as np
import pytest
from scipy import stats

from imprint.significance.crossed import Factor, contrast, crossed_interval
from imprint.significance.gaps import ShareOfGap, per_topic


def test_three_factors_have_the_variance_written_out():
    """V_Q + V_D + V_X + V_Y - V_QD - V_QN - V_DN + V_QDN, each a mean square over its numbers."""
    table = np.random.default_rng(0).normal(size=(5, 6, 11))
    sides = table[..., :4], table[..., 4:]
    effect = sides[0].mean(axis=2) - sides[1].mean(axis=2)
    of_q, of_d = effect.mean(axis=1), effect.mean(axis=0)
    of_x, of_y = (side.mean(axis=(0, 1)) for side in sides)
    terms = [values.var(ddof=1) / len(values) for values in (of_q, of_d, of_x, of_y)]
    qd = residual_of_two(effect)
    qn, dn = (sum(residual_of_two(side.mean(axis=axis)) for side in sides) for axis in (1, 0))
    qdn = 0.0
    for side in sides:
        rest = side.copy()
        for axis in range(3):
            rest = rest - rest.mean(axis=axis, keepdims=True)
        q, d, n = side.shape
        qdn += (rest**2).sum() / ((q - 1) * (d - 1) * (n - 1)) / (q * d * n)
    variance = max(sum(terms) - qd - qn - dn + qdn, *terms)
    df = sum(terms) ** 2 / sum(term**2 / (n - 1) for term, n in zip(terms, (5, 6, 4, 7), strict=True))
    names = Factor.of(4, 7, coefficients=(1.0, -1.0))
    found = crossed_interval(table, (Factor.of(5), Factor.of(6), names), 0.9)
    low, high = stats.t.interval(0.9, df, effect.mean(), np.sqrt(variance))
    assert (found.low, found.high) == pytest.approx((low, high))


def residual_of_two(table):
    rest = table - table.mean(axis=0) - table.mean(axis=1)[:, None] + table.mean()
    n, m = table.shape
    return (rest**2).sum() / ((n - 1) * (m - 1)) / (n * m)


def test_main_effects_and_the_interaction_of_a_2_x_2_are_contrasts_of_its_means():
    table = np.random.default_rng(1).normal(size=(1, 8, 20))
    a, b, c, d = (table[0, :, 5 * group : 5 * group + 5].mean() for group in range(4))
    wanted = {(0.5, 0.5, -0.5, -0.5): (a + b - c - d) / 2, (1.0, -1.0, -1.0, 1.0): (a - b) - (c - d)}
    for coefficients, value in wanted.items():
        names = Factor.of(5, 5, 5, 5, coefficients=coefficients)
        assert contrast(table, (Factor.of(8), names))[0] == pytest.approx(value)


def test_a_share_over_one_factor_is_fiellers():
    rng = np.random.default_rng(2)
    effect, gap = 0.1 + rng.normal(size=30) / 10, 1 + rng.normal(size=30) / 3
    size = ShareOfGap(effect, gap, (Factor.of(30),)).size(0.95)
    assert size.value == pytest.approx(effect.mean() / gap.mean())
    margins = np.linspace(-0.2, 0.4, 6001)
    contrasts = effect - margins[:, None] * gap
    t = np.abs(contrasts.mean(axis=1)) / (contrasts.std(axis=1, ddof=1) / np.sqrt(30))
    inside = margins[t <= stats.t.isf(0.025, 29)]
    assert (size.low, size.high) == pytest.approx((inside.min(), inside.max()), abs=2e-4)


def test_a_share_of_no_gap_or_of_three_units_has_no_interval():
    rng = np.random.default_rng(3)
    effect = rng.normal(size=20)
    size = ShareOfGap(effect, rng.normal(size=20) / 100, (Factor.of(20),)).size()
    assert (size.low, size.obstacle) == (None, "attributes not distinguished")
    few = ShareOfGap(effect[:3], np.ones(3), (Factor.of(3),)).size()
    assert (few.low, few.obstacle) == (None, "few words")
    nothing = ShareOfGap(np.zeros(20), 1 + effect / 10, (Factor.of(20),)).size()
    assert (nothing.value, nothing.low, nothing.high) == (0.0, 0.0, 0.0)


def test_topics_have_the_means_of_their_pairs():
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(6, 6, 3))
    of_query, of_document = (index.ravel() for index in np.indices((6, 6)))
    related, others, _ = per_topic(scores.reshape(36, 3), of_query, of_document, of_query == of_document)
    assert related == pytest.approx(np.array([scores[i, i] for i in range(6)]))
    apart = ~np.eye(6, dtype=bool)
    assert others.mean(axis=0) == pytest.approx(scores[apart].mean(axis=0))
    # What all pairs of a topic share, as queries' or as documents', is its own.
    shifted = scores.copy()
    shifted[2, :] += 1.0
    moved = per_topic(shifted.reshape(36, 3), of_query, of_document, of_query == of_document).irrelevant - others
    assert moved == pytest.approx(np.where(np.arange(6) == 2, 5 / 6, 1 / 30)[:, None] * np.ones(3))


def test_irrelevant_documents_of_the_query_itself_are_its_own():
    scores = np.arange(16.0).reshape(8, 2)
    of_query = np.repeat(np.arange(4), 2)
    relevant = np.tile([True, False], 4)
    related, others, _ = per_topic(scores, of_query, of_query, relevant)
    assert related.tolist() == scores[::2].tolist()
    assert others.tolist() == scores[1::2].tolist()
    assert per_topic(scores[::2], np.arange(4), np.arange(4), np.ones(4, dtype=bool)).irrelevant is None


@pytest.mark.parametrize("heavy", [False, True])
def test_intervals_over_three_factors_cover_what_they_promise(heavy):
    rng, inside = np.random.default_rng(5), 0

    def draw(*shape):
        return rng.standard_t(3, shape) / np.sqrt(3) if heavy else rng.normal(size=shape)

    factors = (Factor.of(8), Factor.of(12), Factor.of(8, 8, coefficients=(1.0, -1.0)))
    for _ in range(400):
        sides = [draw(8, 1, 1) + draw(1, 12, 1) + draw(1, 1, 8) + draw(8, 12, 8) for _ in range(2)]
        found = crossed_interval(np.concatenate(sides, axis=2), factors, 0.95)
        inside += found.low <= 0 <= found.high
    assert 0.92 <= inside / 400 <= 0.985
