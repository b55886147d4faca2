"""A program that leaves a process in a session of its own, which holds copies of the program's pipes."""

import contextlib
import os
import signal
from pathlib import Path

_SECONDS = 30


class LeftBehind:
    """Python lines that start the process, and whether it is still there."""

    def __init__(self, folder: Path) -> None:
        self._number, self._end = folder / "helper", folder / "helper has ended"
        sleep = f"import pathlib, time; time.sleep({_SECONDS}); pathlib.Path({str(self._end)!r}).touch()"
        self.code = (
            "import pathlib, subprocess, sys\n"
            f"helper = subprocess.Popen([sys.executable, '-c', {sleep!r}], start_new_session=True)\n"
            f"pathlib.Path({str(self._number)!r}).write_text(str(helper.pid))\n"
        )

    @property
    def is_running(self) -> bool:
        """Whether it was started and has not ended."""
        return self._number.exists() and not self._end.exists()

    def kill(self) -> None:
        """End it."""
        if self._number.exists():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(self._number.read_text()), signal.SIGKILL)
