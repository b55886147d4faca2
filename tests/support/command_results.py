"""What a command printed, read by tests of any folder."""

import json


def lines(result, kind=None):
    """Return the JSON lines of a command that succeeded; where a kind is given, those of this kind."""
    assert result.returncode == 0, result.stderr
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    return [row for row in rows if kind in (None, row["kind"])]


def refused(result):
    """Return the one line that says what was wrong."""
    assert (result.returncode, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    return line
