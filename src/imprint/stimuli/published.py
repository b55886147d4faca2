"""Figures that the five works print: those of the catalogue's tests, and those of data/published/figures.toml.

A figure is kept as it is printed, so that its last digit says how far a computed one may lie from it.
"""

import csv
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from imprint.files import bundled_file

_DATA = Path(__file__).with_name("data") / "published"
_ROUNDING = 1e-9  # of the half digit itself, as binary numbers have it


@dataclass(frozen=True)
class Figure:
    """A printed figure: where, of what, on which model; `value` and `p` as printed, `cannot` why it has no other."""

    id: str
    paper: str
    source: str
    title: str
    model: str
    value: str | None = None
    p: str | None = None
    cannot: str | None = None

    @property
    def number(self) -> float | None:
        """The value as a number; percentages stay percentages, words have none."""
        return None if self.value is None else printed_number(self.value)


@dataclass(frozen=True)
class Model:
    """A model that figures were measured on: its names in the papers, why it is not bundled, and how to get it."""

    id: str
    names: tuple[str, ...]
    reason: str
    get: str
    pooling: str | None = None
    words: int = 0  # of its vocabulary
    remark: str = ""  # what is known to be wrong with its figures


@dataclass(frozen=True)
class RecordedScores:
    """Scores of targets by test, set and word, and attributes without vectors; the vectors are not bundled."""

    embedding: str
    sha256: str
    source: str
    missing_attributes: frozenset[str]
    scores: Mapping[str, Mapping[str, Mapping[str, float]]]


@cache
def figures() -> Mapping[str, Figure]:
    """Return the figures that belong to no test of the catalogue, by id."""
    return MappingProxyType({table["id"]: Figure(**table) for table in _read()["figure"]})


@cache
def papers() -> Mapping[str, str]:
    """Return the five works: a short name, and what each is."""
    return MappingProxyType(_read()["papers"])


@cache
def models() -> Mapping[str, Model]:
    """Return the models of the five works, by the name to give them by."""
    tables: Mapping[str, Any] = _read()["models"]
    return MappingProxyType(
        {name: Model(id=name, **table | {"names": tuple(table["names"])}) for name, table in tables.items()}
    )


def model_of(name: str) -> Model | None:
    """Return the model that a paper calls by this name; None for a name that is not known."""
    return next((model for model in models().values() if name in model.names), None)


def name_groups() -> Sequence[Mapping[str, Any]]:
    """Return the tables of groups of first names by Swinger et al., one per embedding."""
    groups: Sequence[Mapping[str, Any]] = _read()["groups"]
    return groups


def puzzles() -> Mapping[str, Any]:
    """Return the analogies that Bolukbasi et al. print."""
    printed: Mapping[str, Any] = _read()["bolukbasi"]
    return printed


@cache
def recorded_scores() -> RecordedScores:
    """Return scores of Google News vectors, which are not bundled themselves."""
    about = _read()["recorded"]
    scores: dict[str, dict[str, dict[str, float]]] = {}
    with bundled_file(f"stimuli/data/published/{about['file']}").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            scores.setdefault(row["test"], {}).setdefault(row["set"], {})[row["word"]] = float(row["score"])
    missing = frozenset(about["missing_attributes"])
    return RecordedScores(about["embedding"], about["sha256"], about["source"], missing, MappingProxyType(scores))


def published_pair(prefix: str) -> tuple[float, float]:
    """Return the figures before and after debiasing whose ids begin so."""
    before, after = (figures()[f"{prefix}-{when}"].number for when in ("before", "after"))
    assert before is not None
    assert after is not None
    return before, after


def printed_number(text: str) -> float | None:
    """Return a printed number; None for a bound or a word."""
    try:
        return float(text.removesuffix("%").strip())
    except ValueError:
        return None


def digits(text: str) -> int:
    """Return how many digits after the point are printed."""
    return len(text.removesuffix("%").strip().partition(".")[2])


def agrees(printed: str, value: float, *, floor: float = 0.0) -> bool:
    """Tell whether a number is the printed one, to its rounding; `floor` is the least p that could be printed.

    "<1e-7" and ">0.01" are bounds; words after a bound are not looked at. "1e-2" is an order of magnitude, rounded up
    where there is a floor, as May et al. do (p-values above 0.01 they print in full). "0" is an identity, up to
    rounding of floats. A percentage is compared with a share of one.
    """
    if printed[0] in "<>":
        bound = float(printed[1:].split()[0])
        return value < bound if printed[0] == "<" else value > bound
    expected = printed_number(printed)
    if expected is None:
        return False
    if "e" in printed:
        power = math.log10(max(value, floor))
        return (math.ceil(power) if floor else round(power)) == round(math.log10(expected))
    scale = 100.0 if printed.endswith("%") else 1.0
    half = 0.0 if printed == "0" else 0.5 * 10.0 ** -digits(printed)
    return abs(scale * value - expected) <= half + _ROUNDING


@cache
def _read() -> Mapping[str, Any]:
    return tomllib.loads((_DATA / "figures.toml").read_text(encoding="utf-8"))
