"""Rows of groups and of indirect associations, checked against the cells they sum up."""

from dataclasses import asdict

import pytest

from imprint.enumeration import rows as rows_of
from imprint.enumeration.enumerate import enumerate_biases


@pytest.fixture(scope="module")
def found(planted):
    names = [name for group in planted.names for name in group]
    return enumerate_biases(planted.embedding, names, groups=4, categories=6, rotations=200, cleaning="none")


def test_a_group_counts_its_own_associations(found):
    cells = [row.to_dict() for row in found.findings() if row.kind == "ube"]
    rows = rows_of.groups(found)
    assert [row.test for row in rows] == [group.letter for group in found.groups]
    assert sum(row.details["associations"] for row in rows) == len(found.significant) > 0
    for row in rows:
        own = [cell for cell in cells if cell["group"] == row.test and cell["significant"]]
        assert row.statistic == row.details["associations"] == len(own)
        left = sum(cell["survives_without_frequency"] for cell in own)
        assert row.details["survive_without_frequency"] == left
        assert row.details["n_names"] == len(found.group(row.test).names)
        assert row.details["names"] == found.group(row.test).illustrative


def test_without_the_check_of_frequency_nothing_is_said_to_survive(planted):
    names = [name for group in planted.names for name in group]
    found = enumerate_biases(
        planted.embedding, names, groups=4, categories=6, rotations=200, cleaning="none", without_frequency=True
    )
    rows = [row for row in rows_of.groups(found) if row.details["associations"]]
    assert rows
    assert {row.details["survive_without_frequency"] for row in rows} == {None}


def test_the_indirect_row_holds_what_was_found(found):
    (row,) = rows_of.indirect(found)
    assert row.statistic == found.indirect.share
    assert dict(row.details) == asdict(found.indirect)
    assert set(row.to_dict()["strongest"][0]) == {"groups", "categories", "words", "product", "standard_deviations"}


def test_the_overview_counts_names_and_keeps_the_notes(found):
    row = rows_of.overview(found)
    assert row.details["names_asked"] == found.names_asked == 96
    assert row.details["names_found"] == row.details["names_asked"] - row.details["names_missing"]
    assert row.details["notes"] == found.notes
    assert row.statistic == row.details["associations"] == len(found.significant)
