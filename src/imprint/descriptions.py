"""What the fields of rows are: read from their annotations, for tables, pages and the JSON Schema."""

from collections.abc import Collection
from functools import cache
from typing import Literal, NamedTuple

import msgspec

# How a field is drawn, where neither its type nor its name says it: a text from a file as a single word, a whole
# number kept as a decimal string, a share in percent or in percentage points, a p-value, a number with two significant
# digits, or both ends of an interval whose low end the field is.
Shape = Literal["word", "count", "percent", "points", "p", "significant", "interval"]


class Description(NamedTuple):
    """What `shown`, the type and the name say of a field; `is_ours` where its texts are a few of our own."""

    title: str
    meaning: str
    shape: Shape | None
    digits: int | None
    low: str
    high: str
    method: str
    is_number: bool
    is_ours: bool


@cache
def descriptions(row: type[msgspec.Struct]) -> dict[str, Description]:
    """Return the description of each field that has one."""
    fields = {field.name: field.type for field in msgspec.inspect.type_info(row).fields}  # type: ignore[attr-defined]
    return {
        name: _describe(name, kind, fields)
        for name, kind in fields.items()
        if isinstance(kind, msgspec.inspect.Metadata) and kind.extra and "meaning" in kind.extra
    }


def table_fields(kind: type[msgspec.Struct]) -> set[str]:
    """Return the fields that fit one cell of a table: no lists of structs, and no structs."""
    fields = msgspec.inspect.type_info(kind).fields  # type: ignore[attr-defined]
    return {field.encode_name for field in fields if not _holds_struct(field.type)}


def _describe(name: str, kind: msgspec.inspect.Metadata, fields: Collection[str]) -> Description:
    drawn = dict(kind.extra or {})
    types = _alternatives(kind)
    is_number = any(
        isinstance(alternative, msgspec.inspect.IntType | msgspec.inspect.FloatType) for alternative in types
    )
    shape: Shape | None = drawn["shape"] or ("p" if is_number and name.startswith("p_") else None)
    stem = name.removesuffix("_low") if shape == "interval" else name
    stem = stem if drawn["ends"] is None else drawn["ends"]
    low, high = (f"{stem}_{end}".removeprefix("_") for end in ("low", "high"))
    has_ends = low in fields and high in fields
    return Description(
        (kind.extra_json_schema or {})["title"],
        drawn["meaning"],
        shape,
        drawn["digits"],
        low if has_ends else "",
        high if has_ends else "",
        drawn["method"],
        is_number=is_number,
        is_ours=any(isinstance(alternative, msgspec.inspect.LiteralType) for alternative in types),
    )


def _holds_struct(kind: msgspec.inspect.Type) -> bool:
    return any(
        _holds_struct(alternative.item_type)
        if isinstance(alternative, msgspec.inspect.VarTupleType)
        else isinstance(alternative, msgspec.inspect.StructType | msgspec.inspect.DataclassType)
        for alternative in _alternatives(kind)
    )


def _alternatives(kind: msgspec.inspect.Type) -> tuple[msgspec.inspect.Type, ...]:
    """Return the types that a field's type allows, without what describes it."""
    if isinstance(kind, msgspec.inspect.Metadata):
        return _alternatives(kind.type)
    return kind.types if isinstance(kind, msgspec.inspect.UnionType) else (kind,)
