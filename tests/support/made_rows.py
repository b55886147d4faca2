"""Rows made up for tests: a kind's required fields get plain values, the test says the rest."""

import types
import typing

import msgspec

from imprint.kinds import row_type
from imprint.rows import Count

_PLAIN = {str: "text", int: 0, float: 0.5, bool: False, dict: {}}


def make_row(kind="weat", /, **fields):
    """Return a row of a kind with these fields; what it must have besides is filled in by type."""
    made = row_type(kind)
    given = {"test": "caliskan-6", "embedding": "vectors", "embedding_sha256": "0" * 64} | fields
    for field in msgspec.structs.fields(made):
        if field.required and field.name not in given:
            given[field.name] = _plain(field.type)
    return made(**given)


def judged(rows, judged=True):
    """Return rows, and controls that let their made-up subjects be judged, or do not."""
    subjects = dict.fromkeys((row.embedding, row.embedding_sha256) for row in rows)
    made = [make_row("controls", embedding=name, embedding_sha256=sha, judged=judged) for name, sha in subjects]
    return [*rows, *made]


def _plain(kind):
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return None if type(None) in arguments else _plain(arguments[0])
    if origin is typing.Literal:
        return arguments[0]
    if origin is typing.Annotated:  # Python flattens annotations: a count has its own beside the field's
        return "12" if kind.__metadata__[:1] == Count.__metadata__ else _plain(kind.__origin__)
    if origin is tuple:
        return () if arguments[-1] is ... else tuple(_plain(one) for one in arguments)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind(**{field.name: _plain(field.type) for field in msgspec.structs.fields(kind)})
    return _PLAIN[origin or kind]
