"""What the result of an enumeration says beside its rows, on rows made by hand."""

import json

import pytest

from imprint.enumeration.result import Enumeration, beside
from imprint.enumeration.rows import UbeGroupRow, UbeOverviewRow, UbeRow

SLUR = "faggot"  # named in Swinger et al. (2019), appendix A
MODEL = {"embedding": "made", "embedding_sha256": "0" * 64}
COMPARED = {"method": "mirrored", "copies": 400, "rotations": None, "names_asked": 10, "names_missing": 1}


def cell(group, category, words, stands_out, **more):
    score = 0.5 - 0.1 * category
    given = MODEL | COMPARED | {"effect_size": score, "score": score, "words": tuple(words), "names": ("Ann",)}
    named = {"test": f"{group}-{category}", "group": group, "category": category, "category_words": ("central",)}
    return UbeRow(**given | named | {"stands_out": stands_out, "z": 4.5, "q": 0.01} | more)


def overview(cells, **more):
    given = {"groups": 2, "categories": 2, "n_words": 100, "top": 2, "fdr": 0.1, "cleaning": "margin"}
    given |= {"centre": "category", "correction": None, "overlapping": False, "weighted": False}
    given |= {"without_frequency": False, "names_found": 9, "names_dropped": 0, "groups_left_out": ()}
    given |= {"n_cells": len(cells), "associations": sum(row.stands_out for row in cells)}
    return UbeOverviewRow(**MODEL | COMPARED | given | {"test": "overview", "notes": (), "embedding_notes": ()} | more)


def group(letter):
    given = {"share_women": None, "mean_birth_year": None, "races": None, "frequency": 0.1, "associations": 1}
    return UbeGroupRow(**MODEL, test=letter, group=letter, n_names=3, names=("Ann",), **given)


def made(cells, **more):
    names = {"A": ("Ann", "Amy", "Ada"), "B": ("Bob", "Ben")}
    rows = (overview(cells, **more), *cells, group("A"), group("B"))
    return Enumeration(rows, names, ("Nobody",), ())


@pytest.fixture
def result():
    return made(
        [
            cell("A", 1, ["nurse", "<b>bold</b>"], stands_out=True),
            cell("B", 1, [SLUR, "ale"], stands_out=True),
            cell("A", 2, ["quiet", "words"], stands_out=False),
            cell("B", 2, ["other", "things"], stands_out=False),
        ]
    )


def test_its_parts_are_its_rows(result):
    assert result.findings() == (result.overview, *result.cells, *result.groups)
    assert [row.test for row in result.standing_out] == ["A-1", "B-1"]
    assert result.indirect is None
    assert {group.group for group in result.groups} == {*result.names}


def test_nothing_is_masked_in_the_data(result):
    assert any(SLUR in row.to_json() for row in result.findings())
    assert SLUR in result.to_frame().loc[1, "words"]
    assert SLUR in repr(result.to_dict())
    assert SLUR in json.dumps([row.to_dict() for row in result])


def test_a_result_is_one_line(result):
    assert repr(result) == "Enumeration(made: 2 associations of 2 groups with 2 categories)"


def test_a_frame_has_a_row_a_cell(result):
    frame = result.to_frame()
    assert {"group", "category", "words", "score", "stands_out", "z", "q", "recurrence", "reason"} <= {*frame.columns}
    assert frame["group"].tolist() == ["A", "B", "A", "B"]
    assert frame.loc[frame["stands_out"], "category"].tolist() == [1, 1]


def test_beside_a_second_one_each_cell_says_what_became_of_it(result):
    other = {"embedding": "other", "embedding_sha256": "1" * 64}
    second = made(
        [
            cell("A", 1, ["nurse", "bold"], stands_out=True, **other),
            cell("B", 1, [SLUR, "beer"], stands_out=False, **other),
            cell("B", 2, ["other", "things"], stands_out=True, **other),
        ],
        **other,
    )
    found = beside(result, second, same_words=[0.3, None, 0.1, 0.2], words_asked=40, words_missing=("ale", "tea"))
    assert [(row.test, row.left) for row in found.cells] == [
        ("A-1", True),
        ("B-1", False),
        ("A-2", None),
        ("B-2", None),
    ]
    assert [row.against_words for row in found.cells][1:3] == [(SLUR, "beer"), None]
    assert [row.against_score_of_same_words for row in found.cells] == [0.3, None, 0.1, 0.2]
    assert [row.against_missing for row in found.cells] == [(), ("ale",), (), ()]
    assert [(row.test, row.new) for row in found.cells_of_other] == [("A-1", False), ("B-1", None), ("B-2", True)]
    assert {row.groups_of for row in found.cells_of_other} == {"made"}
    whole = found.of(UbeOverviewRow)[1]
    assert (whole.embedding, whole.groups_of, whole.words_asked, whole.words_missing) == ("other", "made", 40, 2)
    assert found.words_missing == ("ale", "tea")
    assert repr(found).endswith("with 2 categories; in other: 1 left, 1 lost, 1 new)")
