"""The comparison with other tools: its judges are right themselves, and its page is whole."""

import itertools
import math
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "comparison.md"


@pytest.fixture(scope="module")
def peers():
    """Import a module of benchmarks/peers by its name, as the jobs are run: from the folder of benchmarks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        yield lambda name: import_module(f"peers.{name}")


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(-50, 50), min_size=4, max_size=11), st.data())
def test_counting_by_halves_equals_listing_every_partition(peers, scores, data):
    size = data.draw(st.integers(1, len(scores) - 1))
    sums, observed = [sum(chosen) for chosen in itertools.combinations(scores, size)], sum(scores[:size])
    count, pool = peers("oracles").count_by_halves, np.array(scores, dtype=float)
    assert count(pool, size) == sum(one >= observed for one in sums)
    assert count(pool, size, strict=True) == sum(one > observed for one in sums)


def test_rotations_of_the_literal_version_are_orthogonal_and_not_all_of_one_kind(peers):
    rng = np.random.default_rng(0)
    drawn = [peers("literal_ube").haar(5, rng) for _ in range(40)]
    for matrix in drawn:
        np.testing.assert_allclose(matrix @ matrix.T, np.eye(5), atol=1e-12)
    assert {round(float(np.linalg.det(matrix))) for matrix in drawn} == {-1, 1}


def test_literal_scores_equal_those_of_imprint(peers):
    from imprint.significance.rotations import Cells, observed_scores

    rng = np.random.default_rng(3)
    names, words = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in rng.normal(size=(2, 60, 6)))
    labels, offsets = np.arange(60) % 3, np.array([0, 35, 60])
    means = np.array([names[labels == group].mean(axis=0) for group in range(3)])
    centres = np.tile(words.mean(axis=0), (2, 1))
    cells = Cells(words.astype(np.float32), offsets, means - means.mean(axis=0), centres, 2)
    literal = peers("literal_ube").score(names, labels, words, offsets, 2)
    np.testing.assert_allclose(literal, observed_scores(cells)[0], atol=1e-6)


@pytest.mark.parametrize(("p", "near"), [(0.05, True), (0.058, True), (0.06, False), (0.04, False)])
def test_a_sampled_p_value_is_right_within_four_standard_errors(peers, p, near):
    assert math.isclose(4 * math.sqrt(0.05 * 0.95 / 10_000), 0.0087, rel_tol=0.01)
    assert peers("weat_rows")._near(p, 0.05, 10_000) is near


def test_a_row_shows_what_was_not_measured_and_keeps_to_its_columns(peers):
    row = peers("page").Row("a|b", "tool", "1.0", "yes")
    assert row.line() == r"| a\|b | tool | 1.0 | yes | - | - | - |"


def test_every_row_of_the_page_fills_every_column():
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    assert len(lines) > 50
    for line in lines:
        cells = [cell.strip() for cell in line.replace(r"\|", "").strip("|").split("|")]
        assert len(cells) == 7
        assert all(cells[1:])


def test_imprint_is_nowhere_wrong_on_the_page():
    judged = [line for line in PAGE.read_text().splitlines() if "| imprint |" in line]
    assert len(judged) > 20
    assert [line for line in judged if "**no**" in line] == []
