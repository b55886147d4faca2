from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imprint.enumeration.groups import describe, illustrate, letters, order_groups
from imprint.enumeration.rows import Races
from imprint.enumeration.targets import Targets
from imprint.stimuli.names import NameTable


def test_letters_go_on_after_z():
    names = letters(26 + 26 * 26 + 2)
    assert names[:3] == ["A", "B", "C"]
    assert names[24:29] == ["Y", "Z", "AA", "AB", "AC"]
    assert names[51:53] == ["AZ", "BA"]
    assert names[-3:] == ["ZZ", "AAA", "AAB"]
    assert len(set(names)) == len(names)


def illustrate_by_definition(vectors, count):
    """Section 4: the name which, averaged with those before it, is as central as possible."""
    centre = vectors.mean(axis=0)
    chosen = []
    while len(chosen) < min(count, len(vectors)):
        cosines = {}
        for name in range(len(vectors)):
            if name not in chosen:
                average = np.mean([vectors[k] for k in [*chosen, name]], axis=0)
                cosines[name] = average @ centre / np.linalg.norm(average) / np.linalg.norm(centre)
        chosen.append(max(cosines, key=cosines.get))
    return chosen


@settings(deadline=None, derandomize=True)
@given(st.integers(0, 5_000), st.integers(1, 30), st.integers(1, 6))
def test_illustrative_names_are_those_of_the_definition(seed, size, count):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(size, 7)) + rng.normal(size=7)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert illustrate(vectors.astype(np.float32), count) == illustrate_by_definition(
        vectors.astype(np.float32).astype(np.float64), count
    )


def test_the_first_illustrative_name_is_the_most_central_one():
    vectors = np.array([[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.96, 0.28]], dtype=np.float32)
    assert illustrate(vectors)[0] == int(np.argmax(vectors @ vectors.mean(axis=0)))
    assert len(illustrate(vectors)) == 4


@pytest.fixture
def targets():
    """Five names of which the table knows different things; Ann has a thousand times the bearers of Bob."""
    unknown = np.nan
    table = NameTable(
        kind="first names",
        names=("Ann", "Bob", "Cid", "Dee", "Eve"),
        counts=np.array([1_000_000, 1_000, 1_000, 1_000, 1_000]),
        share_women=np.array([1.0, 0.0, 0.1, 0.9, unknown]),
        mean_birth_year=np.array([1950.0, 1990.0, 1970.0, unknown, unknown]),
        races=MappingProxyType(
            {
                "white": np.array([0.2, 0.4, unknown, 0.9, unknown]),
                "black": np.array([unknown] * 5),
            }
        ),
    )
    # Found in another order than the table's.
    names = ("Eve", "Dee", "Cid", "Bob", "Ann")
    return Targets(names, np.arange(5), np.ones(5, dtype=np.float32), table, 5, ())


def test_demographics_average_each_name_once_where_something_is_known_of_it(targets):
    found = describe(targets, np.array([True, False, True, True, True]))
    assert found["share_women"] == pytest.approx((1.0 + 0.0 + 0.1) / 3)
    assert found["mean_birth_year"] == pytest.approx((1950 + 1990 + 1970) / 3)
    assert (found["races"].white, found["races"].black, found["races"].native) == (pytest.approx(0.3), None, None)


def test_what_is_known_of_nobody_is_none(targets):
    found = describe(targets, np.array([True, False, False, False, False]))
    assert found == {"share_women": None, "mean_birth_year": None, "races": Races()}
    without_table = Targets(targets.names, targets.rows, targets.bearers, None, 5, ())
    assert {*describe(without_table, np.ones(5, dtype=np.bool_)).values()} == {None}


def test_groups_come_by_share_of_women_and_the_unknown_last(targets):
    labels = np.array([2, 1, 0, 0, 1])  # Eve alone, Dee with Ann, Cid with Bob
    assert order_groups(targets, labels, 3) == [1, 0, 2]


def test_without_a_table_groups_come_by_size(targets):
    without_table = Targets(targets.names, targets.rows, targets.bearers, None, 5, ())
    assert order_groups(without_table, np.array([0, 1, 1, 2, 2]), 3) == [1, 2, 0]
