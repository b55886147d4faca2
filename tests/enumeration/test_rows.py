"""Rows of groups and of indirect associations, checked against the cells they sum up."""

from dataclasses import replace

import pytest

from imprint.enumeration import rows as rows_of
from imprint.enumeration.enumerate import enumerate_biases


@pytest.fixture(scope="module")
def found(planted, small):
    names = [name for group in planted.names for name in group]
    return enumerate_biases(planted.embedding, names, **small | {"cleaning": "none", "repeats": 3})


@pytest.fixture(scope="module")
def by_rotations(planted, paper):
    return enumerate_biases(planted.embedding, **paper)


def test_a_group_counts_its_own_associations(found):
    cells = rows_of.cells(found)
    rows = rows_of.groups(found)
    assert [row.test for row in rows] == [group.letter for group in found.groups]
    assert sum(row.associations for row in rows) == len(found.standing_out) > 0
    for row in rows:
        own = [cell for cell in cells if cell.group == row.test and cell.stands_out]
        assert row.statistic == row.associations == len(own)
        assert row.recurrent == sum(cell.recurrence > 0.5 for cell in own)
        assert {cell.recurrence_runs for cell in own} <= {3}
        assert row.n_names == len(found.group(row.test).names)
        assert row.names == found.group(row.test).illustrative
        assert row.spelling == found.group(row.test).spelling


def test_cells_have_what_their_method_gives_and_nothing_of_the_other(found, by_rotations):
    for row in rows_of.cells(found):
        assert (row.method, row.copies, row.rotations) == ("mirrored", 100, None)
        assert (row.p_value, row.p_adjusted) == (None, None)
        assert row.stands_out == (row.q <= 0.1)
    for row in rows_of.cells(by_rotations):
        assert (row.method, row.copies, row.rotations) == ("paper", None, 599)
        assert (row.z, row.q, row.spelling, row.recurrence, row.recurrence_runs) == (None, None, None, None, 0)
        assert row.stands_out == (row.p_adjusted <= 0.05)


def test_the_indirect_row_holds_what_was_found(found):
    (row,) = rows_of.indirect(found)
    assert row.statistic == found.indirect.share
    assert {name: getattr(row, name) for name in vars(found.indirect)} == vars(found.indirect)
    assert set(row.to_dict()["strongest"][0]) == {"groups", "categories", "words", "product", "standard_deviations"}


def test_the_overview_counts_names_and_keeps_the_notes(found):
    row = rows_of.overview(found)
    assert row.names_asked == found.names_asked == 96
    assert row.names_found == row.names_asked - row.names_missing
    assert row.notes == found.notes
    assert row.statistic == row.associations == len(found.standing_out)
    assert row.n_cells == len(found.associations)
    assert (row.repeats, row.recurrent) == (3, sum(cell.recurrence > 0.5 for cell in found.standing_out))
    assert (row.expected_mirrored, row.expected_frequency_kept) == found.expected
    assert (row.method, row.copies, row.rotations, row.correction) == ("mirrored", 100, None, None)
    assert row.groups_left_out == ()
    settings = found.settings
    assert (row.groups, row.categories, row.n_words, row.top, row.fdr) == (4, 6, 10_000, 3, 0.1)
    assert (row.cleaning, row.centre) == (settings.cleaning, settings.centre)
    assert (row.overlapping, row.weighted, row.without_frequency, row.seed) == (False, False, False, settings.seed)


def test_the_overview_of_the_papers_method_has_its_rotations_and_correction(by_rotations):
    row = rows_of.overview(by_rotations)
    assert (row.method, row.copies, row.rotations, row.correction, row.fdr) == ("paper", None, 599, "bh", 0.05)
    assert (row.expected_mirrored, row.expected_frequency_kept, row.repeats, row.recurrent) == (None, None, 0, None)


def test_a_group_of_a_table_of_names_says_who_bears_them(make_enumeration):
    found = make_enumeration({"A": ["Ann"], "B": ["Bob"]}, [("A", 1, ["nurse"], True)])
    row = rows_of.groups(found)[0]
    assert (row.share_women, row.mean_birth_year, row.races.white, row.races.black) == (0.5, 1980.0, 0.5, None)
    bare = replace(found, groups=tuple(replace(group, demographics=None) for group in found.groups))
    assert rows_of.groups(bare)[0].races is None
