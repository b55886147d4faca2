"""The rotational null against the algorithm as the paper prints it: a d x d Haar matrix for every rotation."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses
from scipy.stats import ks_2samp, ortho_group
from threadpoolctl import threadpool_info, threadpool_limits

from imprint.errors import SettingError
from imprint.significance.rotations import (
    CHUNK,
    Cells,
    chunks,
    observed_scores,
    random_directions,
    rotated_scores,
    scores_under,
)
from imprint.threads import single_threaded

DRAWS = 3_000


def make_cells(
    seed=0, *, sizes=(30, 20, 2), dimension=6, groups=4, top=2, overlapping=False, centre="category", rank=None
):
    """Random unit words around category centres, and directions of so many groups (of a rank, if one is given)."""
    rng = np.random.default_rng(seed)
    words = np.concatenate([rng.normal(size=(size, dimension)) + rng.normal(size=dimension) for size in sizes])
    words = (words / np.linalg.norm(words, axis=1, keepdims=True)).astype(np.float32)
    means = rng.normal(size=(groups, rank or dimension)) @ rng.normal(size=(rank or dimension, dimension)) / 5
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    centres = [words.mean(axis=0) if centre == "all" else words[a:b].mean(axis=0) for a, b in pairwise(offsets)]
    return Cells(words, offsets, means - means.mean(axis=0), np.array(centres), top, overlapping)


def literal_scores(cells, means):
    """Section 3.3 and 3.4 word by word, for group means that need not be centred: (categories, groups)."""
    mu = means.mean(axis=0)
    scores = np.full(cells.shape, -np.inf)
    for j, (start, end) in enumerate(pairwise(cells.offsets)):
        category = cells.words[start:end].astype(np.float64)
        nearest = [int(np.argmax([word @ mean for mean in means])) for word in category]
        for i, mean in enumerate(means):
            voronoi = [w for w, group in zip(category, nearest, strict=True) if cells.overlapping or group == i]
            products = sorted(((mean - mu) @ (word - cells.centres[j]) for word in voronoi), reverse=True)
            if len(products) >= cells.top:
                scores[j, i] = np.mean(products[: cells.top])
    return scores


def literal_null(cells, count, seed):
    """Rotate the names by Haar matrices of full size and run the algorithm again, vectorised over nothing."""
    turns = ortho_group.rvs(cells.words.shape[1], size=count, random_state=seed)
    directions = np.array([cells.directions @ turn for turn in turns])
    return directions, np.array([literal_scores(cells, turned) for turned in directions])


def run(cells, rotations):
    return [rotated_scores(cells, *task) for task in chunks(rotations, np.random.SeedSequence(5))]


# Always the same examples: of enough random ones, some word would lie between two groups to the last bit.
@settings(deadline=None, max_examples=30, derandomize=True)
@given(
    seed=st.integers(0, 10_000),
    sizes=st.lists(st.integers(1, 12), min_size=1, max_size=4),
    groups=st.integers(2, 5),
    top=st.integers(1, 3),
    overlapping=st.booleans(),
    centre=st.sampled_from(["category", "all"]),
)
def test_scores_under_given_directions_are_those_of_the_paper(seed, sizes, groups, top, overlapping, centre):
    cells = make_cells(seed, sizes=sizes, groups=groups, top=top, overlapping=overlapping, centre=centre)
    directions = random_directions(cells, 3, np.random.SeedSequence(seed))
    literal = [literal_scores(cells, turned.T.astype(np.float64) + 0.3) for turned in directions]
    np.testing.assert_allclose(scores_under(cells, directions), literal, atol=1e-5)


def test_more_rotations_than_one_product_holds_are_scored_each_by_itself():
    cells = make_cells()
    directions = random_directions(cells, 150, np.random.SeedSequence(0))
    one_by_one = np.concatenate([scores_under(cells, directions[r : r + 1]) for r in range(150)])
    np.testing.assert_allclose(scores_under(cells, directions), one_by_one, atol=1e-5)


@pytest.mark.parametrize("overlapping", [False, True])
def test_a_cell_with_fewer_words_than_asked_for_scores_minus_infinity(overlapping):
    cells = make_cells(sizes=(9, 2), top=3, overlapping=overlapping)
    scores = scores_under(cells, random_directions(cells, 40, np.random.SeedSequence(1)))
    assert np.all(scores[:, 1] == -np.inf)
    assert np.isfinite(scores[:, 0]).all() == overlapping
    assert np.isneginf(observed_scores(cells)[0][1]).all()


@settings(deadline=None, max_examples=30, derandomize=True)
@given(st.integers(0, 10_000), st.booleans(), st.integers(1, 4))
def test_observed_scores_are_those_of_the_paper_and_of_the_words_they_name(seed, overlapping, top):
    cells = make_cells(seed, overlapping=overlapping, top=top)
    scores, rows = observed_scores(cells)
    np.testing.assert_allclose(scores, literal_scores(cells, cells.directions + 0.7), atol=1e-7)
    for j, i in np.ndindex(*cells.shape):
        chosen = rows[j, i][rows[j, i] >= 0]
        assert ((cells.offsets[j] <= chosen) & (chosen < cells.offsets[j + 1])).all()
        if len(chosen) < top:
            assert scores[j, i] == -np.inf
        else:
            products = (cells.words[chosen] - cells.centres[j]) @ cells.directions[i]
            assert products.mean() == pytest.approx(scores[j, i], abs=1e-6)
            assert (np.diff(products) <= 1e-6).all()


@pytest.mark.parametrize(
    ("dimension", "groups", "rank"), [(6, 4, None), (6, 4, 2), (6, 4, 1), (3, 7, None), (1, 3, None), (300, 12, None)]
)
def test_rotations_keep_every_angle_and_length_among_directions(dimension, groups, rank):
    cells = make_cells(dimension=dimension, groups=groups, rank=rank)
    gram = cells.directions @ cells.directions.T
    for turned in random_directions(cells, 20, np.random.SeedSequence(3)).astype(np.float64):
        np.testing.assert_allclose(turned.T @ turned, gram, atol=1e-5 * np.abs(gram).max())


def test_directions_that_two_groups_share_stay_shared():
    cells = make_cells()
    doubled = replace(cells, directions=np.concatenate([cells.directions, cells.directions[:1]]))
    for turned in random_directions(doubled, 20, np.random.SeedSequence(3)):
        np.testing.assert_allclose(turned[:, 0], turned[:, 4], atol=1e-6)


def test_no_matrix_of_the_size_of_the_space_is_needed():
    assert make_cells(dimension=300, groups=12).factor.shape == (12, 11)
    assert make_cells(dimension=300, groups=12, rank=2).factor.shape == (12, 2)


def functionals(directions):
    """Linear, quadratic, of one group and of several; (count, dimension, groups) in, one row a functional out."""
    return np.array(
        [
            directions[:, 0, 0],
            directions[:, 3, 2],
            directions[:, 1, 0] * directions[:, 4, 1],
            directions[:, 2, 1] * directions[:, 2, 3],
            directions[:, 0, :].max(axis=1),
            np.abs(directions).max(axis=(1, 2)),
            np.linalg.norm(directions[:, :2, :], axis=(1, 2)),
            np.linalg.det(directions[:, :3, :3]),
        ]
    )


def smallest_p(ours, literal):
    """Kolmogorov-Smirnov over rows, corrected for how many there are."""
    p = [ks_2samp(a, b, method="asymp").pvalue for a, b in zip(ours, literal, strict=True)]
    return min(p) * len(p)


# A category of exactly `top` words would score zero under every rotation; one of six often has cells too small.
SOME_SHORT = (30, 20, 6)


@pytest.fixture(scope="module")
def literal():
    return {
        overlapping: literal_null(make_cells(sizes=SOME_SHORT, overlapping=overlapping), DRAWS // 3, 11)
        for overlapping in (False, True)
    }


@pytest.mark.parametrize("overlapping", [False, True])
def test_directions_and_all_cell_scores_have_the_law_of_haar_rotations(literal, overlapping):
    cells = make_cells(sizes=SOME_SHORT, overlapping=overlapping)
    directions, scores = literal[overlapping]
    assert np.isneginf(scores).any() != overlapping
    ours = random_directions(cells, DRAWS, np.random.SeedSequence(12))
    assert smallest_p(functionals(ours), functionals(directions.transpose(0, 2, 1))) > 0.01
    assert smallest_p(scores_under(cells, ours).reshape(DRAWS, -1).T, scores.reshape(len(scores), -1).T) > 0.01


def test_the_comparison_tells_directions_that_are_only_nearly_random_rotations(literal):
    cells = make_cells(sizes=SOME_SHORT)
    directions, scores = literal[False]
    rng = np.random.default_rng(13)
    lengths_vary = rng.normal(size=(DRAWS, 6, 3)) @ cells.factor.T / np.sqrt(6)
    # An orthogonal factor whose signs were left as the QR decomposition happens to give them.
    signs_fixed = np.linalg.qr(rng.normal(size=(DRAWS, 6, 3)))[0] @ cells.factor.T
    for wrong in (lengths_vary, signs_fixed):
        assert smallest_p(functionals(wrong), functionals(directions.transpose(0, 2, 1))) < 1e-6
    under = scores_under(cells, lengths_vary.astype(np.float32))
    assert smallest_p(under.reshape(DRAWS, -1).T, scores.reshape(len(scores), -1).T) < 1e-6


def test_rotations_come_in_chunks_with_a_remainder():
    assert [len(chunk) for chunk in run(make_cells(), 2 * CHUNK + 100)] == [CHUNK, CHUNK, 100]


def test_a_longer_run_begins_with_the_shorter_one():
    longer, shorter = run(make_cells(), 3 * CHUNK), run(make_cells(), 2 * CHUNK)
    assert b"".join(chunk.tobytes() for chunk in longer).startswith(b"".join(c.tobytes() for c in shorter))


def test_chunks_differ_from_each_other():
    first, second = run(make_cells(), 2 * CHUNK)
    assert not np.any(np.all(first[:, :1] == second[:, :1], axis=(1, 2)))


def test_centring_changes_neither_the_words_nor_the_sum_of_a_row():
    by_category, by_all = (make_cells(sizes=(90, 60), centre=centre, top=1) for centre in ("category", "all"))
    scores, rows = observed_scores(by_category)
    other_scores, other_rows = observed_scores(by_all)
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(rows, other_rows)
    assert np.abs(scores - other_scores).max() > 0.01
    np.testing.assert_allclose(scores.sum(axis=1), other_scores.sum(axis=1), atol=1e-6)
    directions = random_directions(by_category, 50, np.random.SeedSequence(0))
    sums, other_sums = (scores_under(cells, directions).sum(axis=2) for cells in (by_category, by_all))
    np.testing.assert_allclose(sums[np.isfinite(sums)], other_sums[np.isfinite(other_sums)], atol=1e-5)


# 0.1 and 0.3 are not what three of them, added and divided, round to.
@pytest.mark.parametrize("mean", [[0.0, 0.0], [0.5, 0.25], [0.1, 0.3]])
def test_groups_that_all_have_one_mean_are_refused(mean):
    means = np.repeat([mean], 3, axis=0)
    cells = replace(make_cells(dimension=2), directions=means - means.mean(axis=0))
    with refuses(SettingError, "same mean vector"):
        run(cells, 10)


def blas_threads():
    """Threads of every BLAS that has any: a package may bring one built for a single thread."""
    libraries = [library for library in threadpool_info() if library["user_api"] == "blas"]
    return {library["num_threads"] for library in libraries if library["threading_layer"] != "disabled"}


def openmp_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "openmp"}


@pytest.fixture
def three_threads():
    """Three threads on any machine, so that a limit of one can be seen."""
    import sklearn.cluster  # noqa: F401 - brings an OpenMP library

    with threadpool_limits(3):
        assert blas_threads() == {3}
        yield
        assert blas_threads() == {3}
        assert openmp_threads() == {3}


def test_limits_are_held_and_restored_when_nested(three_threads):
    with single_threaded():
        assert blas_threads() == openmp_threads() == {1}
        with single_threaded():
            assert blas_threads() == openmp_threads() == {1}
        assert blas_threads() == openmp_threads() == {1}
    assert blas_threads() == openmp_threads() == {3}


def test_limits_are_restored_after_an_error(three_threads):
    with pytest.raises(ZeroDivisionError), single_threaded():
        1 / 0  # noqa: B018
    assert blas_threads() == openmp_threads() == {3}


def test_the_last_worker_to_leave_restores_whoever_came_first(three_threads):
    # Main sets limits before its workers do, as clustering comes before rotating.
    with single_threaded():
        pass
    seen = {}
    second_is_in, first_is_out = threading.Event(), threading.Event()

    def first():
        with single_threaded():
            seen["first"] = blas_threads()
            assert second_is_in.wait(30)
        first_is_out.set()

    def second():
        with single_threaded():
            second_is_in.set()
            assert first_is_out.wait(30)
            seen["second"] = blas_threads()
        seen["after"] = blas_threads()

    with ThreadPoolExecutor(2) as pool:
        work = [pool.submit(first), pool.submit(second)]
        for future in work:
            future.result(timeout=60)
    assert seen == {"first": {1}, "second": {1}, "after": {3}}
