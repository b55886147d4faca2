"""Rows of groups and of the whole, checked against the cells they sum up."""

import pytest

from imprint.enumeration.enumerate import enumerate_biases


@pytest.fixture(scope="module")
def found(planted, small):
    names = [name for group in planted.names for name in group]
    return enumerate_biases(planted.embedding, names=names, **small | {"cleaning": "none", "repeats": 3})


@pytest.fixture(scope="module")
def by_rotations(planted, paper):
    return enumerate_biases(planted.embedding, **paper)


def test_a_group_counts_its_own_associations(found):
    assert [row.test for row in found.groups] == [row.group for row in found.groups] == [*found.names]
    assert sum(row.associations for row in found.groups) == len(found.standing_out) > 0
    for row in found.groups:
        own = [cell for cell in found.standing_out if cell.group == row.test]
        assert row.statistic == row.associations == len(own)
        assert row.recurrent == sum(cell.recurrence > 0.5 for cell in own)
        assert {cell.recurrence_runs for cell in own} <= {3}
        assert row.n_names == len(found.names[row.group])
        assert {cell.names for cell in own} <= {row.names}
        assert {cell.spelling for cell in own} <= {row.spelling}


def test_cells_have_what_their_method_gives_and_nothing_of_the_other(found, by_rotations):
    for row in found.cells:
        assert (row.method, row.copies, row.rotations) == ("mirrored", 100, None)
        assert (row.p_value, row.p_adjusted) == (None, None)
        assert row.stands_out == (row.q <= 0.1)
        assert (row.recurrence is not None) == row.stands_out
        assert row.effect_size == row.statistic == row.score
        assert row.test == f"{row.group}-{row.category}"
    for row in by_rotations.cells:
        assert (row.method, row.copies, row.rotations) == ("paper", None, 599)
        assert (row.z, row.q, row.spelling, row.recurrence, row.recurrence_runs) == (None, None, None, None, 0)
        assert row.stands_out == (row.p_adjusted <= 0.05)


def test_the_overview_counts_names_and_cells(found):
    row = found.overview
    assert row.names_asked == 96
    assert row.names_found == row.names_asked - row.names_missing
    assert row.names_dropped == len(found.names_dropped) == 0
    assert row.notes == ()
    assert row.statistic == row.associations == len(found.standing_out)
    assert row.n_cells == len(found.cells)
    assert (row.repeats, row.recurrent) == (3, sum(cell.recurrence > 0.5 for cell in found.standing_out))
    assert (row.method, row.copies, row.rotations, row.correction) == ("mirrored", 100, None, None)
    assert row.groups_left_out == ()
    assert (row.groups, row.categories, row.n_words, row.top, row.fdr) == (4, 6, 10_000, 3, 0.1)
    assert (row.cleaning, row.centre) == ("none", "category")
    assert (row.overlapping, row.weighted, row.without_frequency, row.seed) == (False, False, False, 0)


def test_the_overview_of_the_papers_method_has_its_rotations_and_correction(by_rotations):
    row = by_rotations.overview
    assert (row.method, row.copies, row.rotations, row.correction, row.fdr) == ("paper", None, 599, "bh", 0.05)
    assert (row.expected_mirrored, row.expected_frequency_kept, row.repeats, row.recurrent) == (None, None, 0, None)


def test_only_a_table_of_names_says_who_bears_them(found, by_rotations):
    assert {(row.share_women, row.mean_birth_year, row.races) for row in found.groups} == {(None, None, None)}
    assert all(row.races.white > 0 and row.mean_birth_year > 1900 for row in by_rotations.groups)
