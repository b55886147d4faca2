"""First names and surnames of the United States, with the demographics of those who bear them.

The tables are prepared as in Swinger et al. (2019), appendix C; scripts/build_names.py writes them.
"""

import csv
import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from imprint.checks import check_whole
from imprint.errors import SettingError, requiring
from imprint.files import bundled_file
from imprint.types import Floats, Indices, Ints

if TYPE_CHECKING:
    import pandas as pd


ONE_SEX = 0.95  # share of bearers from which on a first name is a woman's, or a man's
COMMON_SURNAME = 10_000  # bearers
RACES = ("white", "black", "hispanic", "asian_pacific", "native", "two_or_more")


@dataclass(frozen=True, repr=False, eq=False)
class NameTable:
    """Names, most borne first, and one column per fact; NaN where the source does not say.

    `counts` are births (first names) or bearers (surnames). Shares lie between 0 and 1; those in `races`
    sum to one up to rounding, Hispanics of any race being counted in their own group alone.
    """

    kind: str
    names: tuple[str, ...]
    counts: Ints
    share_women: Floats
    mean_birth_year: Floats
    races: Mapping[str, Floats]

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"NameTable({self.kind}, {len(self):,} names, {int(self.counts.sum()):,} people)"

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Row number by name, spelt with a capital first letter and small ones after it."""
        return MappingProxyType({name: row for row, name in enumerate(self.names)})

    def at_least(self, count: int) -> "NameTable":
        """Keep the names with at least so many births or bearers."""
        return self.take(np.flatnonzero(self.counts >= count))

    def by_sex(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the names that nearly only women bear, and those that nearly only men do."""
        chosen = (self.share_women >= ONE_SEX, self.share_women <= 1.0 - ONE_SEX)
        women, men = (tuple(self.names[row] for row in np.flatnonzero(rows)) for rows in chosen)
        return women, men

    def take(self, rows: Indices) -> "NameTable":
        """Return the chosen rows, in the order given."""
        return replace(
            self,
            names=tuple(self.names[row] for row in rows),
            counts=self.counts[rows],
            share_women=self.share_women[rows],
            mean_birth_year=self.mean_birth_year[rows],
            races=MappingProxyType({group: shares[rows] for group, shares in self.races.items()}),
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return a data frame: one row per name, one column per fact."""
        with requiring("pandas", "pandas"):
            import pandas as pd

        return pd.DataFrame(
            {
                "name": self.names,
                "count": self.counts,
                "share_women": self.share_women,
                "mean_birth_year": self.mean_birth_year,
                **self.races,
            }
        )


@cache
def first_names() -> NameTable:
    """First names with at least 100 births registered with the Social Security Administration, 1938-2017.

    Names are cut at fifteen letters there and carry no accents. Race shares are those of everyone so named in
    the 2020 census, where it lists the name.
    """
    return _read("first names", "first-names.csv.gz")


@cache
def surnames() -> NameTable:
    """Surnames with at least 1,000 bearers in the 2010 census; share of women and birth years are unknown.

    The census writes capitals alone, so a second capital is lost: McDonald is Mcdonald here.
    """
    return _read("surnames", "surnames.csv.gz")


def are_surnames(words: Sequence[str]) -> bool:
    """Tell whether most of these words are common surnames, written small or not."""
    table = surnames()
    rows = (table.index.get(word.capitalize()) for word in words)
    return 2 * sum(1 for row in rows if row is not None and table.counts[row] >= COMMON_SURNAME) > len(words)


def most_popular_by_window(
    table: NameTable, *, windows: int = 10, each: int = 5, least_share: float = 0.025
) -> tuple[tuple[str, ...], ...]:
    """Return the `each` most popular names in each window of the share of women, from men's to women's.

    This is how Caliskan et al. chose androgynous names (Methods, WEFAT): windows of 10 %. A name counts as
    androgynous if either sex has `least_share` of it; the rarest in the paper's fifty is 2.55 %.
    """
    check_whole("windows", windows)
    check_whole("each", each)
    if not 0.0 <= least_share <= 0.5:
        raise SettingError(
            option="least_share", got=least_share, expected="between 0 and 0.5, as the rarer sex's share"
        )
    share = table.share_women
    # A comparison with NaN is false: names of unknown share fall out here.
    androgynous = np.minimum(share, 1.0 - share) >= least_share
    window = np.full(len(table), -1)
    window[androgynous] = np.minimum(share[androgynous] * windows, windows - 1).astype(int)
    by_popularity = np.argsort(-table.counts, kind="stable")
    return tuple(
        tuple(table.names[row] for row in by_popularity[window[by_popularity] == number][:each])
        for number in range(windows)
    )


def _read(kind: str, file: str) -> NameTable:
    packed = bundled_file(f"stimuli/data/names/{file}").read_bytes()
    header, *rows = csv.reader(gzip.decompress(packed).decode("utf-8").splitlines())
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    unknown = ("",) * len(rows)
    return NameTable(
        kind=kind,
        names=columns["name"],
        counts=_frozen(np.array(columns["count"], dtype=np.int64)),
        share_women=_floats(columns.get("share_women", unknown)),
        mean_birth_year=_floats(columns.get("mean_birth_year", unknown)),
        races=MappingProxyType({group: _floats(columns[group]) for group in RACES}),
    )


def _floats(texts: tuple[str, ...]) -> Floats:
    return _frozen(np.array([text or "nan" for text in texts], dtype=np.float64))


def _frozen(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    # One table serves every caller, so none may write into it.
    column.setflags(write=False)
    return column
