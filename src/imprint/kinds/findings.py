"""Files of findings, read back as rows of their kinds."""

import json
import os
import stat
from pathlib import Path

from imprint.errors import ImprintError
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
            raise ImprintError(f"{source}: is a folder or a device; give a findings.jsonl")
        text = source.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ImprintError(f"{source}: cannot be read ({_reason(error)}); give a findings.jsonl") from error
    return [_read(source, place, line) for place, line in enumerate(text.split("\n"), start=1) if line]


def _read(source: Path, place: int, line: str) -> Row:
    try:
        return read_row(json.loads(line), row_type)
    except json.JSONDecodeError as error:
        raise ImprintError(
            f"{source}: line {place} is not JSON; give the findings.jsonl of imprint audit, or what --json prints"
        ) from error
    except RecursionError as error:
        raise ImprintError(f"{source}: line {place} is nested too deeply; give a file that imprint wrote") from error
    except (ValueError, TypeError, ImprintError) as error:
        raise ImprintError(f"{source}: line {place} is not a finding ({error})") from error


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is not text"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
