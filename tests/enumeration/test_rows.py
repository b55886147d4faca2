"""Rows of groups and of indirect associations, checked against the cells they sum up."""

from dataclasses import replace

import pytest

from imprint.enumeration import rows as rows_of
from imprint.enumeration.enumerate import enumerate_biases


@pytest.fixture(scope="module")
def found(planted):
    names = [name for group in planted.names for name in group]
    return enumerate_biases(
        planted.embedding, names, groups=4, categories=6, rotations=200, cleaning="none", repeats=3
    )


def test_a_group_counts_its_own_associations(found):
    cells = rows_of.cells(found)
    rows = rows_of.groups(found)
    assert [row.test for row in rows] == [group.letter for group in found.groups]
    assert sum(row.associations for row in rows) == len(found.significant) > 0
    for row in rows:
        own = [cell for cell in cells if cell.group == row.test and cell.significant]
        assert row.statistic == row.associations == len(own)
        assert row.recurrent == sum(cell.recurrence > 0.5 for cell in own)
        assert {cell.recurrence_runs for cell in own} <= {3}
        left = sum(cell.survives_without_frequency for cell in own)
        assert row.survive_without_frequency == left
        assert row.n_names == len(found.group(row.test).names)
        assert row.names == found.group(row.test).illustrative


def test_without_the_check_of_frequency_nothing_is_said_to_survive(planted):
    names = [name for group in planted.names for name in group]
    found = enumerate_biases(
        planted.embedding,
        names,
        groups=4,
        categories=6,
        rotations=200,
        cleaning="none",
        without_frequency=True,
        repeats=0,
    )
    rows = [row for row in rows_of.groups(found) if row.associations]
    assert rows
    assert {row.survive_without_frequency for row in rows} == {None}


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
    assert row.statistic == row.associations == len(found.significant)
    assert row.survive_without_frequency == sum(one.survives for one in found.significant)
    assert row.n_cells == len(found.associations)
    assert (row.repeats, row.recurrent) == (3, sum(one.recurrence > 0.5 for one in found.significant))
    assert (row.rotated_copies, row.flipped_copies) == (found.rotated_copies, found.flipped_copies)
    assert (row.lost_without_random, row.lost_without_third_axis) == (
        found.lost_without_random,
        found.lost_without_third_axis,
    )
    settings = found.settings
    assert (row.groups, row.categories, row.n_words, row.top, row.rotations, row.fdr) == (4, 6, 30_000, 3, 200, 0.05)
    assert (row.cleaning, row.centre, row.correction) == (settings.cleaning, settings.centre, settings.correction)
    assert (row.overlapping, row.weighted, row.without_frequency, row.seed) == (False, False, False, settings.seed)


def test_a_group_of_a_table_of_names_says_who_bears_them(make_enumeration):
    found = make_enumeration({"A": ["Ann"], "B": ["Bob"]}, [("A", 1, ["nurse"], True)])
    row = rows_of.groups(found)[0]
    assert (row.share_women, row.mean_birth_year, row.races.white, row.races.black) == (0.5, 1980.0, 0.5, None)
    bare = replace(found, groups=tuple(replace(group, demographics=None) for group in found.groups))
    assert rows_of.groups(bare)[0].races is None
