"""Tables of rows by the names of their fields, with headings, hover texts and formats that the row describes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from imprint.descriptions import Description, descriptions
from imprint.view import (
    NOTHING,
    Cell,
    Column,
    Given,
    Medium,
    Number,
    Table,
    Text,
    count,
    estimate,
    interval,
    number,
    percent,
    points,
    probability,
    say,
    words,
)


@dataclass(frozen=True)
class Field:
    """A column that is a field of the rows, with what one table says or draws in another way.

    `name` is the field that describes the column; a column that no field describes has a `title` alone. `cell` draws
    the column from a whole line. `numeric` columns are aligned to the right. A `folded` column is one of those that a
    page shows when asked for, among the others.
    """

    name: str = ""
    title: Text = ""
    meaning: str = ""
    cell: Callable[[Any], Cell | Text] | None = None
    numeric: bool | None = None
    folded: bool = False


Columns = Sequence[str | Field]


def table(
    row: type[msgspec.Struct],
    caption: Text,
    rows: Iterable[Any],
    columns: Columns,
    *,
    more: Columns = (),
    extra: Columns = (),
    of: Callable[[Any], Any] = lambda line: line,
    filtered: bool = False,
    folded: bool = False,
    main: bool = False,
    media: tuple[Medium, ...] = ("page", "terminal", "card"),
) -> Table:
    """Return a table with a line for each of the rows, whose fields `row` describes.

    `of` gives what has the fields, where a line is more than that. A page shows `more` columns when asked for; `extra`
    ones are shown nowhere else. It shows six columns at most.
    """
    fields = [_field(column) for column in (*columns, *more, *extra)]
    places = ["shown"] * len(columns) + ["folded"] * len(more) + ["extra"] * len(extra)
    headings = tuple(_heading(row, field, place) for field, place in zip(fields, places, strict=True))
    lines = tuple(
        tuple(field.cell(line) if field.cell else draw_field(of(line), field.name) for field in fields)
        for line in rows
    )
    return Table(caption, headings, lines, filtered=filtered, folded=folded, main=main, media=media)


def draw_field(row: msgspec.Struct, name: str) -> Cell | Text:
    """Draw a field of a row as tables do."""
    return _draw(row, getattr(row, name), descriptions(type(row))[name])


def as_text(cell: Cell | Text) -> Text:
    """Return what a cell says, for a sentence."""
    return cell.text if isinstance(cell, Cell) else cell


def _field(column: str | Field) -> Field:
    return Field(column) if isinstance(column, str) else column


def _heading(row: type[msgspec.Struct], field: Field, place: str) -> Column:
    described = descriptions(row)[field.name] if field.name else None
    is_number = described is not None and (described.is_number or described.shape == "count")
    return Column(
        field.title or (described.title if described else ""),
        field.meaning or (described.meaning if described else ""),
        numeric=is_number if field.numeric is None else field.numeric,
        folded=field.folded or place == "folded",
        extra=place == "extra",
    )


def _draw(row: Any, value: Any, how: Description) -> Cell | Text:
    """Draw a value as its field says; without a shape, as its type does."""
    low, high = (getattr(row, end) if end else None for end in (how.low, how.high))
    if how.shape == "interval":
        return Cell(interval(value, high, how.digits or 2), order=value)
    if value is None:
        return NOTHING
    if how.shape == "p":
        return Cell(probability(value, getattr(row, how.method, None) if how.method else None), order=value)
    if how.shape in ("percent", "points"):
        return _share(value, low, high, how)
    if how.shape == "significant":
        return significant(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if how.shape == "count" or isinstance(value, int):
        return count(value)
    if isinstance(value, float):
        digits = 2 if how.digits is None else how.digits
        return Cell(estimate(value, low, high, digits), order=value) if how.low else number(value, digits)
    if isinstance(value, str):
        return value if how.is_ours else Given(value, long=how.shape != "word")
    return words(value)


def _share(value: float, low: float | None, high: float | None, how: Description) -> Cell | Text:
    """Return a share, with its interval in percentage points."""
    digits = how.digits or 0
    share = percent(value, digits) if how.shape == "percent" else points(value, digits)
    if not how.low:
        return share
    ends = (points(low, digits), points(high, digits))
    return Cell(share if low is None or high is None else say("{} [{} to {}]", share, *ends), order=value)


def significant(value: float | None) -> Number:
    """Return a number with two significant digits, or a whole number."""
    return count(int(value)) if value is not None and value.is_integer() else Number(value, "p")
