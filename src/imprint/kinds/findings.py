"""Files of findings, read back as rows of their kinds, and what these rows hold as JSON Schema."""

import inspect
import json
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from imprint.checks import unknown_choice
from imprint.errors import ImprintError, SettingError
from imprint.files import FilePath
from imprint.kinds import REGISTRY, all_kinds, row_type
from imprint.rows import SCHEMA_VERSION, Findings, Row, read_row

FindingsLike = FilePath | Findings | Iterable[Row]


def read_findings(path: FilePath) -> list[Row]:
    """Read findings from a file of JSON lines; rows of unknown kinds keep every field.

    Parameters
    ----------
    path
        A findings.jsonl that `write_findings` wrote, or a pipe that brings one.

    Returns
    -------
    list of Row
        One typed row per line.

    Examples
    --------
    >>> imprint.weat("default", "caliskan-6").save("findings.jsonl")
    >>> [row.kind for row in imprint.read_findings("findings.jsonl")]
    ['weat']
    """
    source = Path(path)
    try:
        # A pipe brings what another command prints; a device may never end.
        kind = source.stat().st_mode
        if not (stat.S_ISREG(kind) or stat.S_ISFIFO(kind)):
            raise ImprintError("is a folder or a device", where=source, hint="give a findings.jsonl")
        text = source.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ImprintError(f"cannot be read ({_reason(error)})", where=source, hint="give a findings.jsonl") from error
    return [_read(source, number, line) for number, line in enumerate(text.split("\n"), start=1) if line]


def rows_of(findings: FindingsLike) -> list[Row]:
    """Return the rows of a file, of a result, or as they are."""
    if isinstance(findings, str | os.PathLike):
        return read_findings(findings)
    rows = list(findings.findings() if isinstance(findings, Findings) else findings)
    if not all(isinstance(row, Row) for row in rows):
        expected = "a findings.jsonl, rows, or a result such as that of imprint.audit"
        raise SettingError(option="findings", got=findings, expected=expected)
    return rows


def schema(kind: str | None = None) -> dict[str, Any]:
    """Return the JSON Schema of the rows in findings.jsonl.

    Parameters
    ----------
    kind
        One kind, such as weat; by default all.

    Returns
    -------
    dict
        The schema: one alternative per kind.

    Examples
    --------
    >>> list(imprint.schema("topic")["$defs"])
    ['TopicRow']
    """
    kinds = [each for each in all_kinds() if kind in (None, each.name)]
    if not kinds:
        raise unknown_choice("KIND", kind, REGISTRY.names())
    schemas, parts = msgspec.json.schema_components([each.row for each in kinds], ref_template="#/$defs/{name}")
    for part in parts.values():  # Python 3.13 takes the indentation off docstrings, older ones keep it
        if "description" in part:
            part["description"] = inspect.cleandoc(part["description"])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A row of findings.jsonl, schema version {SCHEMA_VERSION}",
        "oneOf": list(schemas),
        "$defs": parts,
    }


def _read(source: Path, place: int, line: str) -> Row:
    try:
        return read_row(json.loads(line), row_type)
    except json.JSONDecodeError as error:
        hint = "give the findings.jsonl of imprint audit, or what --json prints"
        raise ImprintError("is not JSON", where=(source, place), hint=hint) from error
    except RecursionError as error:
        raise ImprintError(
            "is nested too deeply", where=(source, place), hint="give a file that imprint wrote"
        ) from error
    except SettingError:  # a plug-in that cannot be imported: not the file's fault
        raise
    except (ValueError, TypeError, ImprintError) as error:
        raise ImprintError(f"is not a finding ({error})", where=(source, place)) from error


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is not text"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
