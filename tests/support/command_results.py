"""What a command printed, read by tests of any folder."""

import json


def lines(result):
    """Return the JSON lines of a command that succeeded."""
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def refused(result):
    """Return the one line that says what was wrong."""
    assert (result.returncode, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    return line
