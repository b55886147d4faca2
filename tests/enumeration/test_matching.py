from dataclasses import replace

import pytest

from imprint.enumeration.enumerate import enumerate_biases
from imprint.enumeration.matching import SEEDS, match_groups, recurring, with_stability

GROUPS = {"A": ["Ann", "Amy", "Ada"], "B": ["Bob", "Ben", "Bill"]}
CELLS = [
    ("A", 1, ["nurse", "midwife"], True),
    ("B", 1, ["mechanic", "plumber"], True),
    ("B", 2, ["beer", "ale"], True),
    ("A", 2, ["wine", "tea"], False),
]


def test_the_same_enumeration_recurs_wholly(make_enumeration):
    result = make_enumeration(GROUPS, CELLS)
    assert match_groups(result, result) == {"A": "A", "B": "B"}
    assert recurring(result, result) == {("A", 1), ("B", 1), ("B", 2)}


def test_letters_that_changed_places_and_categories_in_another_order_are_matched(make_enumeration):
    first = make_enumeration(GROUPS, CELLS)
    second = make_enumeration(
        {"A": GROUPS["B"], "B": GROUPS["A"]},
        [
            ("B", 7, ["midwife", "doctor"], True),
            ("A", 3, ["beer", "stout"], True),
            ("A", 4, ["gun", "rifle"], True),
            ("A", 5, ["mechanic", "plumber"], False),
        ],
    )
    assert match_groups(first, second) == {"A": "B", "B": "A"}
    assert recurring(first, second) == {("A", 1), ("B", 2)}


def test_the_same_words_of_another_group_are_no_recurrence(make_enumeration):
    first = make_enumeration(GROUPS, CELLS)
    second = make_enumeration(GROUPS, [("B", 1, ["nurse", "midwife"], True)])
    assert recurring(first, second) == set()


@pytest.mark.parametrize(
    ("names", "matched"),
    [
        (["Ann", "Amy", "Ada", "Abe", "Al", "Art"], True),  # 3 of 6
        (["Ann", "Amy", "Ada", "Abe", "Al", "Art", "Axl"], False),  # 3 of 7
        (["Ann", "Amy"], True),
        (["Ann"], False),
        (["Zoe"], False),
    ],
)
def test_groups_match_at_a_jaccard_index_of_one_half(make_enumeration, names, matched):
    first = make_enumeration(GROUPS, CELLS)
    second = make_enumeration({"A": names, "B": ["Cy"]}, CELLS)
    assert match_groups(first, second) == ({"A": "A"} if matched else {})


def test_a_group_that_is_anothers_second_best_has_no_match(make_enumeration):
    whole = ["Ann", "Amy", "Ada", "Abe"]
    first = make_enumeration({"A": whole, "B": ["Ann", "Amy", "Ada"]}, [("A", 1, ["x"], True), ("B", 1, ["x"], True)])
    second = make_enumeration({"A": whole, "B": ["Cy"]}, [("A", 1, ["x"], True)])
    assert match_groups(first, second) == {"A": "A"}
    assert recurring(first, second) == {("A", 1)}


@pytest.mark.slow
def test_stability_is_the_share_of_other_seeds_that_find_an_association_again(planted, small):
    found = enumerate_biases(planted.embedding, **small)
    calls = []
    stable = with_stability(
        found, planted.embedding, "first", progress=lambda done, total: calls.append((done, total))
    )
    assert calls == [(run, SEEDS) for run in range(1, SEEDS + 1)]
    assert replace(stable, associations=found.associations) == found
    again = {(cell.group, cell.category): 0 for cell in found.significant}
    for seed in range(1, SEEDS + 1):
        for cell in recurring(found, enumerate_biases(planted.embedding, **small | {"seed": seed})):
            again[cell] += 1
    assert min(again.values()) >= 8
    for cell in stable.associations:
        assert cell.stability == (again[cell.group, cell.category] / SEEDS if cell.significant else None)
