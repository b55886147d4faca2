"""Sizes as shares of a distance: formulas written out, intervals against a grid, words left out, and coverage."""

import numpy as np
import pytest
from scipy import stats

from imprint.significance.crossed import Factor, crossed_terms, total_spread
from imprint.significance.outcomes import Size, outcome
from imprint.significance.partitions import binomial_interval
from imprint.significance.shares import ShareOfDistance, change_of_size, combined, jackknifed, mean_size

TARGETS, ATTRIBUTES = np.arange(20), 20 + np.arange(24)


def question(seed=0, *, n_x=9, n_a=11, dimensions=12, apart=3.0, size=0.3, units=None):
    """Draw 20 targets and 24 attributes, with means so far apart along one axis."""
    rng = np.random.default_rng(seed)
    targets, attributes = rng.normal(size=(20, dimensions)), rng.normal(size=(24, dimensions))
    attributes[:n_a, 0] += 2 * apart
    targets[:n_x, 0] += 2 * apart * size
    targets += 3 * rng.normal(size=dimensions)
    rows = [side / np.linalg.norm(side, axis=1, keepdims=True) for side in (targets, attributes)]
    return rows[0], rows[1], n_x, n_a, units or (TARGETS, ATTRIBUTES)


def share_of(question):
    targets, attributes, n_x, n_a, units = question
    return ShareOfDistance.of(targets, attributes, n_x, n_a, units=units)


def without(question, unit):
    """Return the question without the words of one unit."""
    targets, attributes, n_x, n_a, units = question
    of_targets, of_attributes = (np.asarray(side) != unit for side in units)
    left = (np.asarray(units[0])[of_targets], np.asarray(units[1])[of_attributes])
    return (
        targets[of_targets],
        attributes[of_attributes],
        int(of_targets[:n_x].sum()),
        int(of_attributes[:n_a].sum()),
        left,
    )


def inflected():
    """Number some words of each set as inflections of others."""
    targets = np.concatenate([[0, 0, 1, 2, 3, 4, 4, 4, 5], 10 + np.array([0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 8])])
    attributes = np.concatenate([30 + np.array([0, 1, 1, 2, 3, 4, 5, 6, 6, 7, 8]), 50 + np.arange(13)])
    return targets, attributes


def p_of(share, margin):
    value, varying = share.contrast(margin)
    return 2 * stats.t.sf(abs(value) / np.sqrt(varying.variance), varying.df)


def test_the_size_is_the_formula_written_out():
    targets, attributes, n_x, n_a, _ = drawn = question()
    x, y, a, b = targets[:n_x], targets[n_x:], attributes[:n_a], attributes[n_a:]
    u, v = x.mean(axis=0) - y.mean(axis=0), a.mean(axis=0) - b.mean(axis=0)
    noise = sum(np.trace(np.cov(side.T)) / len(side) for side in (a, b))
    share = share_of(drawn)
    assert share.difference == pytest.approx(u @ v)
    assert share.distance == pytest.approx(v @ v - noise)
    assert share.size().value == pytest.approx(u @ v / (v @ v - noise))


def test_the_distance_is_a_mean_over_pairs_of_different_words():
    """A U-statistic, which has no noise to take off: no word is compared with itself."""
    _, attributes, _, n_a, _ = drawn = question()
    a, b = attributes[:n_a], attributes[n_a:]
    within = sum((np.sum(gram := side @ side.T) - np.trace(gram)) / len(side) / (len(side) - 1) for side in (a, b))
    assert share_of(drawn).distance == pytest.approx(within - 2 * np.mean(a @ b.T))


@pytest.mark.parametrize("margin", [0.0, 0.1, -0.35])
def test_the_variance_is_the_formula_written_out(margin):
    targets, attributes, n_x, n_a, _ = drawn = question()
    u = targets[:n_x].mean(axis=0) - targets[n_x:].mean(axis=0)
    v = attributes[:n_a].mean(axis=0) - attributes[n_a:].mean(axis=0)
    of_targets, of_attributes = targets @ v, attributes @ (u - 2 * margin * v)
    sides = (of_targets[:n_x], of_targets[n_x:], of_attributes[:n_a], of_attributes[n_a:])
    terms = [side.var(ddof=1) / len(side) for side in sides]
    twice = 0.0
    for rows in (targets[:n_x], targets[n_x:]):
        for columns in (attributes[:n_a], attributes[n_a:]):
            block = rows @ columns.T
            rest = block - block.mean(axis=0) - block.mean(axis=1)[:, None] + block.mean()
            n, m = block.shape
            twice += (rest**2).sum() / ((n - 1) * (m - 1)) / (n * m)
    value, varying = share_of(drawn).contrast(margin)
    assert value == pytest.approx(share_of(drawn).difference - margin * share_of(drawn).distance)
    assert varying.variance == pytest.approx(max(sum(terms) - twice, *terms))
    df = sum(terms) ** 2 / sum(term**2 / (len(side) - 1) for term, side in zip(terms, sides, strict=True))
    assert varying.df == pytest.approx(df)


@pytest.mark.parametrize("units", [None, inflected()])
def test_without_a_margin_the_variance_is_that_of_the_cosines(units):
    targets, attributes, n_x, n_a, units = drawn = question(units=units)
    value, varying = share_of(drawn).contrast(0.0)
    groups = [(numbers[:first], numbers[first:]) for numbers, first in zip(units, (n_x, n_a), strict=True)]
    factors = [Factor(sides, (1.0, -1.0)) for sides in groups]
    of_cosines = total_spread(*crossed_terms((targets @ attributes.T)[None], factors))
    assert varying.variance == pytest.approx(of_cosines.variance[0])
    assert varying.df == pytest.approx(of_cosines.df[0])
    assert value == share_of(drawn).difference


@pytest.mark.parametrize("confidence", [0.95, 0.995])
@pytest.mark.parametrize(("seed", "apart"), [(0, 1.5), (1, 1.2), (2, 3.0), (3, 1.3), (4, 2.0), (5, 1.0)])
def test_the_interval_is_every_margin_that_is_not_rejected(seed, apart, confidence):
    share = share_of(question(seed, apart=apart))
    size = share.size(confidence)
    if size.obstacle is not None:
        assert not p_of(share, 1e9) < 1 - confidence
        return
    width = size.high - size.low
    margins = np.linspace(size.low - 3 * width, size.high + 3 * width, 2_001)
    accepted = np.array([p_of(share, margin) >= 1 - confidence for margin in margins])
    step = margins[1] - margins[0]
    assert margins[accepted][[0, -1]] == pytest.approx([size.low, size.high], abs=1.01 * step)
    assert p_of(share, size.low) == pytest.approx(1 - confidence)
    assert p_of(share, size.high) == pytest.approx(1 - confidence)
    for margin in (-1e6, 1e6):
        assert p_of(share, margin) < 1 - confidence


def test_a_distance_that_could_be_nothing_has_no_interval():
    """Fieller's interval is unbounded exactly where D is not told apart from 0."""
    decided = set()
    for seed in range(40):
        share = share_of(question(seed, apart=1.3))
        size = share.size()
        rejected = p_of(share, 1e12) < 0.005 and share.distance > 0
        assert rejected == share.is_distinguished() == (size.obstacle is None)
        assert outcome(size.low, size.high, obstacle=size.obstacle).reason == size.obstacle
        decided.add(size.obstacle)
    assert decided == {None, "attributes not distinguished"}


def test_a_negative_distance_has_no_size():
    rng = np.random.default_rng(0)
    sizes = [ShareOfDistance.of(rng.normal(size=(20, 5)), rng.normal(size=(20, 5)), 10, 10) for _ in range(30)]
    negative = [share for share in sizes if share.distance <= 0]
    assert negative
    for share in negative:
        assert share.size() == Size(None, obstacle="attributes not distinguished")
        assert mean_size([share, sizes[0]]).obstacle == "attributes not distinguished"
        assert share.unrelated(np.eye(5)) is None


def test_three_words_are_too_few():
    targets, attributes, _, n_a, _ = question()
    assert ShareOfDistance.of(targets, attributes, 3, n_a).size().obstacle == "few words"
    doubled = np.array([0, 0, 1, 2, *range(3, 19)])
    assert ShareOfDistance.of(targets, attributes, 4, n_a, units=(doubled, ATTRIBUTES)).size().obstacle == "few words"


def test_words_that_do_not_vary_cannot_tell():
    targets, attributes = np.repeat(np.eye(4)[:2], 6, axis=0), np.repeat(np.eye(4)[2:], 6, axis=0)
    size = ShareOfDistance.of(targets, attributes, 6, 6).size()
    assert (size.low, size.high) == (None, None)


def test_exchanging_both_sets_changes_nothing_and_exchanging_two_turns_the_sign():
    targets, attributes, n_x, n_a, _ = question()
    size = ShareOfDistance.of(targets, attributes, n_x, n_a).size()
    turned = ShareOfDistance.of(targets, attributes[::-1], n_x, len(attributes) - n_a).size()
    assert (turned.value, turned.low, turned.high) == pytest.approx((-size.value, -size.high, -size.low))
    back = ShareOfDistance.of(targets[::-1], attributes[::-1], len(targets) - n_x, len(attributes) - n_a).size()
    assert (back.value, back.low, back.high) == pytest.approx((size.value, size.low, size.high))


def test_twice_the_association_is_twice_the_size():
    """X and Y twice as far apart, in all directions, and as noisy."""
    targets, attributes, n_x, n_a, _ = question()
    size, twice = (ShareOfDistance.of(factor * targets, attributes, n_x, n_a).size() for factor in (1, 2))
    assert twice.value == pytest.approx(2 * size.value)
    assert ShareOfDistance.of(5 * targets, 5 * attributes, n_x, n_a).size().low == pytest.approx(size.low)


def test_rotations_and_offsets_change_nothing():
    targets, attributes, n_x, n_a, _ = question()
    size = ShareOfDistance.of(targets, attributes, n_x, n_a).size()
    rotation = np.linalg.qr(np.random.default_rng(1).normal(size=(12, 12))).Q
    offset = np.random.default_rng(2).normal(size=12)
    for moved in ((targets @ rotation, attributes @ rotation), (targets + offset, attributes + offset)):
        same = ShareOfDistance.of(*moved, n_x, n_a).size()
        assert (same.value, same.low, same.high) == pytest.approx((size.value, size.low, size.high))


def test_a_common_offset_before_the_rows_are_scaled_hardly_changes_the_size():
    rng = np.random.default_rng(3)
    targets, attributes = rng.normal(size=(200, 60)), rng.normal(size=(200, 60))
    attributes[:100, 0] += 4
    targets[:100, 0] += 0.8
    differences, sizes = [], []
    for offset in (0, 4, 12):
        rows = [side + offset * np.eye(60)[1] for side in (targets, attributes)]
        share = ShareOfDistance.of(*(side / np.linalg.norm(side, axis=1, keepdims=True) for side in rows), 100, 100)
        differences.append(share.difference)
        sizes.append(share.size().value)
    assert differences[2] < 0.4 * differences[0]
    assert sizes == pytest.approx([sizes[0]] * 3, abs=0.04)


def test_repetitions_are_decided_as_each_alone():
    drawn = [question(seed) for seed in range(3)]
    n_x, n_a = drawn[0][2:4]
    every = ShareOfDistance.of(np.stack([one[0] for one in drawn]), np.stack([one[1] for one in drawn]), n_x, n_a)
    value, varying = every.contrast(0.1)
    for row, one in enumerate(drawn):
        alone, of_one = share_of(one).contrast(0.1)
        assert value[row] == pytest.approx(alone)
        assert (varying.variance[row], varying.df[row]) == pytest.approx((of_one.variance, of_one.df))


def test_unrelated_contrasts_reach_what_random_signs_of_the_axes_do():
    share = share_of(question())
    axes = np.linalg.qr(np.random.default_rng(1).normal(size=(12, 12))).Q
    signs = np.random.default_rng(2).choice([-1.0, 1.0], size=(20_000, 12))
    reached = np.abs(signs @ ((share.u @ axes) * (share.v @ axes))) / share.distance
    assert np.mean(reached <= share.unrelated(axes)) == pytest.approx(0.95, abs=0.02)
    assert share.unrelated(axes, 1.5) == pytest.approx(1.5 * share.unrelated(axes))


@pytest.mark.parametrize("units", [None, inflected()])
def test_sizes_without_each_unit_are_those_computed_again(units):
    drawn = question(units=units)
    share = share_of(drawn)
    for sample, sizes in zip(share.samples, share.without_each(), strict=True):
        again = [share_of(without(drawn, unit)) for unit in sample.units]
        assert sizes == pytest.approx([float(one.difference / one.distance) for one in again])


def two_questions():
    """Ask two questions about the same targets; four attributes are in both."""
    first = question(1)
    _, attributes, n_x, n_a, _ = question(2)
    attributes[:4] = first[1][:4]
    of_second = np.concatenate([ATTRIBUTES[:4], 100 + np.arange(20)])
    return first, (first[0], attributes, n_x, n_a, (TARGETS, of_second))


def test_the_jackknife_leaves_a_unit_out_of_all_questions_at_once():
    drawn = two_questions()
    shares = [share_of(one) for one in drawn]
    every = np.unique(np.concatenate([sample.units for share in shares for sample in share.samples]))
    moves, strata = {}, {}
    for unit in every:
        deviations = 0.0
        inside = []
        for number, share in enumerate(shares):
            for place, sample in enumerate(share.samples):
                if unit in sample.units:
                    left = [share_of(without(drawn[number], other)) for other in sample.units]
                    sizes = np.array([float(one.difference / one.distance) for one in left])
                    n = len(sizes)
                    deviations += (sizes[list(sample.units).index(unit)] - sizes.mean()) * np.sqrt((n - 1) / n) / 2
                    inside.append((number, place, n))
        moves[unit] = deviations
        strata.setdefault(tuple(inside), []).append(unit)
    twice = 0.0
    pairs = {}
    for share in shares:
        x, y, a, b = share.samples
        for target, attribute, sign in ((x, a, 1), (x, b, -1), (y, a, -1), (y, b, 1)):
            table = sign * target.moves @ attribute.moves.T / share.distance / 2
            for row, one in enumerate(target.units):
                for column, other in enumerate(attribute.units):
                    pairs[one, other] = pairs.get((one, other), 0.0) + table[row, column]
    twice = sum(value**2 for value in pairs.values())
    terms = {inside: sum(moves[unit] ** 2 for unit in units) for inside, units in strata.items()}
    # A unit in sets of different sizes has the degrees of freedom of the smallest.
    degrees = {inside: len(units) * min(1 - 1 / n for *_, n in inside) for inside, units in strata.items()}
    varying = jackknifed([(share, 0.5) for share in shares])
    assert varying.variance[0] == pytest.approx(max(sum(terms.values()) - twice, *terms.values()))
    df = sum(terms.values()) ** 2 / sum(terms[inside] ** 2 / degrees[inside] for inside in strata)
    assert varying.df[0] == pytest.approx(df)
    size = mean_size(shares)
    assert size.value == pytest.approx(np.mean([share.size().value for share in shares]))
    half = stats.t.isf(0.0025, df) * np.sqrt(varying.variance[0])
    assert (size.low, size.high) == pytest.approx((size.value - half, size.value + half))


def test_a_mean_of_one_question_is_that_question():
    share = share_of(question())
    assert mean_size([share]) == share.size()


def test_the_same_question_asked_twice_is_the_same_mean():
    share = share_of(question())
    assert mean_size([share, share]).low == pytest.approx(mean_size([share] * 3).low)
    assert mean_size([share, share]).value == pytest.approx(share.size().value)


def test_a_change_that_is_none_is_small():
    share = share_of(question())
    size = change_of_size([share], [share])
    assert (size.value, size.low, size.high) == (0.0, 0.0, 0.0)
    assert outcome(size.low, size.high).outcome == "small"


def test_a_change_has_its_direction_and_is_surer_than_two_sizes():
    drawn = question()
    targets, attributes, n_x, n_a, _ = drawn
    moved = (targets + 0.1 * (np.arange(20) < n_x)[:, None] * share_of(drawn).v, attributes, n_x, n_a, drawn[4])
    change = change_of_size([share_of(drawn)], [share_of(moved)])
    back = change_of_size([share_of(moved)], [share_of(drawn)])
    assert 0 < change.low <= change.high
    assert (back.low, back.high) == pytest.approx((-change.high, -change.low))
    size = share_of(drawn).size()
    assert change.high - change.low < 0.5 * (size.high - size.low)


def test_a_change_from_what_is_not_told_apart_cannot_be_told():
    apart = share_of(question())
    near = next(share for seed in range(40) if not (share := share_of(question(seed, apart=0.3))).is_distinguished())
    assert change_of_size([near], [apart]).obstacle == "attributes not distinguished"
    assert combined([(apart, 0.5), (near, 0.5)]).obstacle == "attributes not distinguished"


def rejected(share, truth, level):
    value, varying = share.contrast(truth)
    return 2 * stats.t.sf(np.abs(value) / np.sqrt(varying.variance), varying.df) < level


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("size", [0.0, 0.3])
def test_intervals_cover_what_they_promise_where_the_distance_is_noisy(size, heavy):
    rng = np.random.default_rng([1, heavy, round(10 * size)])
    runs, count, dimensions = 1_000, 25, 30
    shape = (runs, 4, count, dimensions)
    words = (rng.standard_t(3, shape) / np.sqrt(3) if heavy else rng.normal(size=shape)) / np.sqrt(dimensions)
    words[:, 2, :, 0] += 0.4
    words[:, 0, :, 0] += 0.4 * size
    words[:, 0, :, 1] += 0.5
    share = ShareOfDistance.of(
        words[:, :2].reshape(runs, -1, dimensions), words[:, 2:].reshape(runs, -1, dimensions), count, count
    )
    for level in (0.05, 0.005):
        low, high = binomial_interval(int(rejected(share, size, level).sum()), runs, 0.98)
        assert high >= level / 2
        assert low <= 1.4 * level


def test_jackknife_intervals_of_sizes_that_share_words_cover_what_they_promise():
    rng = np.random.default_rng(5)
    runs, count, dimensions, size = 250, 20, 20, 0.2
    covered = {"mean": 0, "change": 0}
    for _ in range(runs):
        words = rng.normal(size=(8, count, dimensions)) / np.sqrt(dimensions)
        words[2] += np.eye(dimensions)[0] * 0.8
        words[4] += np.eye(dimensions)[1] * 0.8
        words[0] += size * 0.8 * (np.eye(dimensions)[0] + np.eye(dimensions)[1])
        targets = np.concatenate(words[:2])
        of_first, of_second = (np.concatenate(words[sides]) for sides in (slice(2, 4), slice(4, 6)))
        first = ShareOfDistance.of(targets, of_first, count, count)
        second = ShareOfDistance.of(
            targets, of_second, count, count, units=(range(2 * count), range(4 * count, 6 * count))
        )
        mean = mean_size([first, second], 0.95)
        later = ShareOfDistance.of(targets + 0.5 * np.concatenate(words[6:]), of_first, count, count)
        change = change_of_size([first], [later], 0.95)
        covered["mean"] += mean.low <= size <= mean.high
        covered["change"] += change.low <= 0 <= change.high
    for count in covered.values():
        low, high = binomial_interval(count, runs, 0.99)
        assert low <= 0.95 <= high
