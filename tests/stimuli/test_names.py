"""The tables of names hold what their sources say, and androgynous names are chosen as the paper does."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from imprint.errors import SettingError
from imprint.stimuli.names import RACES, NameTable, first_names, most_popular_by_window, surnames

TABLES = pytest.mark.parametrize("table", [first_names(), surnames()], ids=["first names", "surnames"])


def small_table(counts: list[int], shares: list[float]) -> NameTable:
    unknown = np.full(len(counts), np.nan)
    return NameTable(
        kind="first names",
        names=tuple(f"Name{number}" for number in range(len(counts))),
        counts=np.array(counts, dtype=np.int64),
        share_women=np.array(shares, dtype=np.float64),
        mean_birth_year=unknown,
        races=dict.fromkeys(RACES, unknown),
    )


@TABLES
def test_every_column_has_one_value_a_name(table: NameTable) -> None:
    columns = [table.counts, table.share_women, table.mean_birth_year, *table.races.values()]
    assert {column.shape for column in columns} == {(len(table),)}
    assert tuple(table.races) == RACES


@TABLES
def test_names_are_unique_and_spelt_with_one_capital(table: NameTable) -> None:
    assert len(set(table.names)) == len(table)
    assert all(name.isalpha() and name == name.capitalize() for name in table.names)


@TABLES
def test_names_are_ordered_by_count_from_the_most_borne(table: NameTable) -> None:
    assert np.all(np.diff(table.counts) <= 0)


@TABLES
def test_race_shares_are_known_together_and_sum_to_one(table: NameTable) -> None:
    shares = np.array(list(table.races.values()))
    known = ~np.isnan(shares)
    assert np.all(known.all(axis=0) == known.any(axis=0))
    assert known.mean() > 0.9
    assert np.all((shares[known] >= 0) & (shares[known] <= 1))
    # Six shares, each rounded to two decimals of a per cent.
    np.testing.assert_allclose(shares.sum(axis=0)[known[0]], 1.0, atol=6 * 0.5e-4)


def test_first_names_know_sex_and_year_and_surnames_do_not() -> None:
    share, year = first_names().share_women, first_names().mean_birth_year
    assert np.all((share >= 0) & (share <= 1))
    assert np.all((year >= 1938) & (year <= 2017))
    assert np.isnan(surnames().share_women).all()
    assert np.isnan(surnames().mean_birth_year).all()


def test_thresholds_are_those_the_docstrings_state() -> None:
    assert first_names().counts.min() == 100
    assert surnames().counts.min() == 1_000


@pytest.mark.parametrize("word", ["Unknown", "Unnamed", "Baby", "Infant", "Male", "Female"])
def test_what_stands_for_a_missing_name_is_not_a_name(word: str) -> None:
    assert word not in first_names().index


@pytest.mark.parametrize(("name", "low", "high"), [("Mary", 0.99, 1.0), ("John", 0.0, 0.01), ("Kelly", 0.7, 0.95)])
def test_share_of_women_is_that_of_girls_among_births(name: str, low: float, high: float) -> None:
    assert low <= first_names().share_women[first_names().index[name]] <= high


def test_older_names_have_earlier_years() -> None:
    year = {name: first_names().mean_birth_year[first_names().index[name]] for name in ("Ethel", "Lisa", "Aiden")}
    assert year["Ethel"] < 1955 < year["Lisa"] < 1980 < 2000 < year["Aiden"]


@pytest.mark.parametrize(
    ("table", "name", "race"),
    [
        (first_names(), "Lakisha", "black"),
        (first_names(), "Jose", "hispanic"),
        (first_names(), "Meredith", "white"),
        (surnames(), "Nguyen", "asian_pacific"),
        (surnames(), "Garcia", "hispanic"),
        (surnames(), "Washington", "black"),
        (surnames(), "Begay", "native"),
    ],
)
def test_the_largest_race_share_is_the_one_known_of_the_name(table: NameTable, name: str, race: str) -> None:
    shares = {group: column[table.index[name]] for group, column in table.races.items()}
    assert max(shares, key=shares.__getitem__) == race
    assert shares[race] > 0.75


@given(st.integers(min_value=0, max_value=5_000_000))
def test_at_least_keeps_exactly_the_names_with_that_many(count: int) -> None:
    kept = first_names().at_least(count)
    assert len(kept) == np.count_nonzero(first_names().counts >= count)
    assert kept.names == first_names().names[: len(kept)]
    assert np.array_equal(kept.races["black"], first_names().races["black"][: len(kept)], equal_nan=True)


def test_the_shared_table_cannot_be_written_into() -> None:
    with pytest.raises(ValueError, match="read-only"):
        first_names().counts[0] = 0


def test_the_frame_has_a_row_a_name_and_a_column_a_fact() -> None:
    frame = first_names().at_least(1_000_000).to_frame()
    assert list(frame.columns) == ["name", "count", "share_women", "mean_birth_year", *RACES]
    assert tuple(frame["name"]) == first_names().at_least(1_000_000).names


def test_the_repr_is_one_line_that_counts() -> None:
    assert repr(small_table([3, 2], [0.5, 0.5])) == "NameTable(first names, 2 names, 5 people)"


@given(
    rows=st.lists(st.tuples(st.integers(1, 9), st.one_of(st.floats(0, 1), st.just(np.nan))), max_size=40),
    windows=st.integers(1, 7),
    each=st.integers(1, 4),
    least=st.sampled_from([0.0, 0.025, 0.2]),
)
def test_windows_hold_the_most_popular_names_of_their_share(
    rows: list[tuple[int, float]], windows: int, each: int, least: float
) -> None:
    table = small_table([count for count, _ in rows], [share for _, share in rows])
    chosen = most_popular_by_window(table, windows=windows, each=each, least_share=least)
    assert len(chosen) == windows
    for number, names in enumerate(chosen):
        inside = [
            (-count, row)
            for row, (count, share) in enumerate(rows)
            if min(share, 1 - share) >= least and min(int(share * windows), windows - 1) == number
        ]
        assert names == tuple(f"Name{row}" for _, row in sorted(inside)[:each])


def test_windows_of_the_bundled_names_are_full_and_hold_the_papers_names() -> None:
    chosen = most_popular_by_window(first_names())
    assert [len(names) for names in chosen] == [5] * 10
    assert {"Jesse", "Casey", "Jackie", "Taylor", "Kelly", "Courtney"} <= {name for names in chosen for name in names}


@pytest.mark.parametrize(
    "settings", [{"windows": 0}, {"each": 0}, {"least_share": 0.6}, {"least_share": float("nan")}]
)
def test_settings_out_of_range_are_refused(settings: dict[str, float]) -> None:
    with refuses(SettingError, option=next(iter(settings))):
        most_popular_by_window(first_names(), **settings)


def test_importing_the_tables_reads_neither_pandas_nor_the_data() -> None:
    code = (
        "import sys, imprint.stimuli.names as t;"
        "assert 'pandas' not in sys.modules;"
        "assert t.first_names.cache_info().currsize == 0"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
