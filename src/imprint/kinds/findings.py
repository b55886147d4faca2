"""Files of findings, read back as rows of their kinds."""

import json
import os
import stat
from pathlib import Path

from imprint.errors import ImprintError, SettingError
from imprint.kinds import row_type
from imprint.rows import Row, read_row


def read_findings(path: str | os.PathLike[str]) -> list[Row]:
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
    return [_read(source, place, line) for place, line in enumerate(text.split("\n"), start=1) if line]


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
