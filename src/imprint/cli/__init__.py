"""The command line: one file a command. stdout is data, stderr is talk; an error is one line and exit code 1."""

import os
import sys


def main() -> None:
    """Run the command given; turn every error a user can mend into one line."""
    import typer

    from imprint.cli.app import app
    from imprint.errors import ImprintError

    try:
        code = app(standalone_mode=False)
    except (ImprintError, typer.TyperException) as error:
        message = error.format_message() if isinstance(error, typer.TyperException) else str(error)
        sys.exit(_fail(" ".join(message.split())))
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(_fail("stopped; nothing half-written was left behind"))
    except BrokenPipeError:
        # The reader of our stdout has left, as `head` does. Python would complain again when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    sys.exit(code)


def _fail(message: str) -> int:
    sys.stderr.write(f"imprint: {message}\n")
    return 1
