"""The command line, by families of commands. stdout is data, stderr is talk; an error is one line and exit code 1."""

import atexit
import gc
import io
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer
    from _typeshed import ReadableBuffer

INTERRUPTED = 130  # what shells call a program that Ctrl-C ended
TERMINATED = 143  # and one that was told to end

# New objects after which Python looks for unused cycles. At the usual 700 that took a twentieth of
# an audit; most of what it looked at are modules and rows, which stay.
_OBJECTS = 50_000
# About a few words of an embedding: it takes longer to start BLAS's threads than to do the work.
_SMALL = ("weat", "neighbours")


def main() -> None:
    """Run the command given; turn every error a user can correct into one line."""
    usual = gc.get_threshold()
    gc.set_threshold(_OBJECTS)
    try:
        code = _run()
    except KeyboardInterrupt:  # while modules are imported; typer turns later ones into the code
        code = INTERRUPTED
    finally:
        gc.set_threshold(*usual)
    if code == INTERRUPTED:
        _fail("stopped; nothing half-written is left")
    sys.exit(code)


def _run() -> int:
    import typer

    from imprint.announcing import announced_to
    from imprint.cli.app import make_app
    from imprint.errors import ImprintError
    from imprint.masking import one_line

    # Closed by the shell (`>&-`), a stream is None. A note on stderr may be lost. An answer that cannot be written is
    # an error, as on a full disk: exit code 0 would say that somebody has it.
    sys.stdout = sys.stdout or open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: PTH123, SIM115
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    is_ours = sys.stdout is sys.__stdout__
    if is_ours and not sys.stdout.isatty():
        pipe = io.BufferedWriter(_StandardOutput(sys.stdout.fileno(), "wb", closefd=False))
        sys.stdout = io.TextIOWrapper(pipe, sys.stdout.encoding)
    signal.signal(signal.SIGTERM, _end)
    for stream in (sys.stdout, sys.stderr):
        # A terminal without the characters of a table gets question marks, not a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        arguments = sys.argv[1:] or ["--help"]
        if arguments[0] in _SMALL:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported
            end_quickly()
        with announced_to(_announce):
            code: int = make_app()(arguments, standalone_mode=False, prog_name="imprint") or 0
        sys.stdout.flush()
    except typer.TyperException as error:
        return _fail(one_line(_explain(error)))
    except ImprintError as error:
        return _fail(one_line(str(error)))
    except typer.Abort as error:
        # typer takes the end of any file for the end of what a person types.
        return _fail("a file ended too early; fetch or write it again") if error.__cause__ else INTERRUPTED
    except MemoryError:
        return _fail("there is not enough memory; close other programs, or raise the limit (ulimit -v)")
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        said = one_line(error.strerror or str(error))
        return _fail(f"cannot write or read ({said}); check the disk and the output")
    return code


class _StandardOutput(io.FileIO):
    """Standard output whose reader may leave, as `head` does: the command still writes its files and has its code."""

    def write(self, content: "ReadableBuffer", /) -> int:
        """Write to the pipe, or nowhere once it is closed."""
        try:
            return super().write(content)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return super().write(content)


def end_quickly() -> None:
    """Let a program that ends leave its modules as they are: to look for cycles among them takes up to half a second.

    Not for programs that load libraries of others, which may complain of what is left, nor for those that call `main`.
    """
    if getattr(sys.modules["__main__"], "main", None) is main:
        atexit.register(_freeze)


def _freeze() -> None:
    """Keep all objects as they are, unless a plug-in is loaded: its files may be written, or removed, at the end."""
    from imprint.registry import Registry

    if not Registry.used_plugin:
        gc.freeze()


def _announce(message: str) -> None:
    from imprint.cli.console import print_note

    print_note(message)


def _end(*_: object) -> None:
    """End as Ctrl-C does, by an exception, so that whatever is open tidies up behind itself."""
    sys.exit(TERMINATED)


def _explain(error: "typer.TyperException") -> str:
    """Say what came, where a value was refused: typer names the option alone; and where to read on."""
    from imprint.checks import did_you_mean

    message = error.format_message().rstrip(". \n")
    refused = getattr(error.__cause__, "errors", None)  # pydantic's, who checks the values for typer
    param = getattr(error, "param", None)
    if refused is not None and param is not None:
        first, option = refused()[0], param.get_error_hint().replace("'", "")
        came, wanted = str(first["input"]), first["msg"].replace("Input should be", "must be")
        _, _, choices = wanted.partition(" is not one of ")
        if choices:
            choices = choices.rstrip(".").replace("'", "")
            near = did_you_mean(came, choices.split(", "))
            message = f"{option} must be one of {choices}, got {came!r}{near and f'; {near}'}"
        else:
            message = f"{option} {wanted}, got {came if came.lstrip('-').isdecimal() else repr(came)}"
    context = getattr(error, "ctx", None)
    where = "imprint COMMAND" if context is None else context.command_path
    return f"{message}{'' if message.endswith('?') else ';'} {where} --help explains"


def _fail(message: str) -> int:
    sys.stderr.write(f"imprint: {message}\n")
    return 1
