"""TOML tables read strictly: an unknown or missing key or a wrong type is an error that names its place."""

import difflib
import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from imprint.errors import StimulusError
from imprint.stimuli.wordfiles import FilePath, read_text

_Value = TypeVar("_Value")
_TYPE_NAMES = {
    str: "text in quotation marks without control characters",
    int: "a whole number",
    float: "a finite number",
    list: "a list",
    dict: "a table",
}


@dataclass(frozen=True)
class TomlTable:
    """A TOML table that knows its file and its place in it."""

    values: Mapping[str, Any]
    where: tuple[str, ...]

    def allow(self, keys: Iterable[str]) -> "TomlTable":
        """Return the table, or raise StimulusError if it has a key other than these."""
        keys = tuple(keys)
        for key in self.values:
            if key not in keys:
                hint = did_you_mean(key, keys) or f"known keys are {', '.join(keys)}"
                raise StimulusError(f"unknown key {key!r}", option=key, where=self.where, hint=hint)
        return self

    def get(self, key: str, wanted: type[_Value]) -> _Value | None:
        """Return the value of that key as the type wanted, None where there is none."""
        value = self.values.get(key)
        if wanted is float and type(value) is int:
            # TOML writes 2 for 2.0; a whole number too large for a float is left for the check below
            value = float(value) if abs(value) < 2**1023 else value
        if value is None or _fits(value, wanted):
            return cast("_Value | None", value)
        raise StimulusError(option=key, got=value, expected=_TYPE_NAMES[wanted], where=self.where)

    def need(self, key: str, wanted: type[_Value]) -> _Value:
        """Return the value of a key that has to be there."""
        value = self.get(key, wanted)
        if value is None:
            raise StimulusError(f"the key {key!r} is missing", option=key, where=self.where, hint=f"add {key} = ...")
        return value

    def text(self, key: str, default: str = "") -> str:
        """Return text as one line, whatever the line breaks in the file."""
        return " ".join((self.get(key, str) or default).split())

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts, empty where there is none."""
        items = self.get(key, list) or []
        odd = [item for item in items if type(item) is not str]
        if odd:
            raise StimulusError(option=f"each item of {key}", got=odd[0], expected=_TYPE_NAMES[str], where=self.where)
        return tuple(items)

    def tables(self, key: str) -> list["TomlTable"]:
        """Return a list of tables, empty where there is none; each is called by its id or its number."""
        items = self.values.get(key, [])
        if type(items) is not list or any(type(item) is not dict for item in items):
            raise StimulusError(
                option=key, got=items, expected="a list of tables", where=self.where, hint=f"begin each with [[{key}]]"
            )
        return [
            TomlTable(item, (*self.where, f"{key} {_label(item, number)}")) for number, item in enumerate(items, 1)
        ]


def read_table(path: FilePath) -> TomlTable:
    """Read a TOML file as one table."""
    text = read_text(path)
    try:
        return TomlTable(tomllib.loads(text), (str(path),))
    except RecursionError as error:
        raise StimulusError(
            "is not valid TOML: brackets are nested too deeply", where=path, hint="correct the file"
        ) from error
    except ValueError as error:  # TOMLDecodeError, or an integer with more digits than Python converts
        raise StimulusError(f"is not valid TOML: {error}", where=path, hint="correct the file there") from error


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return 'did you mean ...?' with the nearest choice, or nothing where none is near."""
    near = difflib.get_close_matches(word, list(choices), n=1)
    return f"did you mean {near[0]!r}?" if near else ""


def _fits(value: object, wanted: type) -> bool:
    if type(value) is not wanted:  # not isinstance: true is no number here
        return False
    if isinstance(value, str):
        return " ".join(value.split()).isprintable()
    return not isinstance(value, float) or math.isfinite(value)


def _label(item: Mapping[str, Any], number: int) -> str:
    name = item.get("id", item.get("embedding"))
    return repr(name) if type(name) is str else f"number {number}"
