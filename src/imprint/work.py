"""Units of work: done by any executor, kept on disk as they come, and not done again by the next run.

Each finished unit is a file of its own, named by the hash of all that decides its result, with a checksum. It is
written beside its place and renamed, so that a run killed at any moment leaves whole files alone. A unit that fails
is a result too; it is not kept, and the next run tries it again.
"""

import hashlib
import json
import re
import traceback
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from imprint.errors import ImprintError, SettingError, raising_as
from imprint.files import FilePath, replacing
from imprint.threads import single_threaded
from imprint.types import Report
from imprint.version import __version__
from imprint.workers import LOOK, is_gone, processes, submit, worker_count

UnitResult = bytes | ImprintError

MANIFEST = "manifest.json"
_TRIES = 3  # of a unit whose worker is killed
_AHEAD = 2  # units in flight per worker: one that is done finds the next waiting
_KEY = re.compile("[0-9a-f]{64}")
_LONGEST_REASON = 300  # characters


@dataclass(frozen=True)
class WorkUnit:
    """Something to be computed anywhere.

    Parameters
    ----------
    key
        Hash of all that decides the result, see `unit_key`.
    run
        A function of a module, which another process can import; it returns the result.
    arguments
        What it is called with; they can be pickled.
    name
        What progress and errors call it.
    kept
        Whether the next run may take the result from the folder. False where the key cannot tell what it depends on.
    """

    key: str
    run: Callable[..., bytes]
    arguments: tuple[Any, ...]
    name: str
    kept: bool = True

    def __post_init__(self) -> None:
        if not _KEY.fullmatch(self.key):
            raise SettingError(option="key", got=self.key, expected="64 hexadecimal digits", hint="use unit_key")


def unit_key(*parts: Any) -> str:
    """Return the hash of what decides a result, values of JSON; this version of imprint is one of them."""
    return hashlib.sha256(json.dumps([__version__, *parts], sort_keys=True).encode()).hexdigest()


def run_units(
    units: Sequence[WorkUnit],
    *,
    executor: Executor | None = None,
    folder: FilePath | None = None,
    report: Report | None = None,
) -> list[UnitResult]:
    """Run units that do not depend on each other; return each one's result, or why it failed, in their order.

    Parameters
    ----------
    units
        What to compute. Units with the same key are computed once.
    executor
        Any `concurrent.futures.Executor`: processes, threads, Dask's `client.get_executor()`. Without it, this
        process does the work. A unit whose worker is killed is tried three times; other units are not affected.
    folder
        Where finished units are kept, and taken from where they are whole. It is made if it is not there.
    report
        Called with the name of a unit that is done, the number of units done and the total number.

    Returns
    -------
    list of bytes or ImprintError
        The same whoever does the work, in whatever order.
    """
    distinct = {unit.key: unit for unit in reversed(units)}
    kept = None if folder is None else FinishedUnits(folder)
    found: dict[str, UnitResult] = {}

    def finish(unit: WorkUnit, outcome: UnitResult) -> None:
        found[unit.key] = outcome
        if report is not None:
            report(unit.name, len(found), len(distinct))

    def finish_new(unit: WorkUnit, outcome: UnitResult) -> None:
        if kept is not None and unit.kept and isinstance(outcome, bytes):
            kept.put(unit.key, outcome)
        finish(unit, outcome)

    if kept is not None:
        kept.describe(units)
        for unit in distinct.values():
            if unit.kept and (data := kept.get(unit.key)) is not None:
                finish(unit, data)
    left = deque(distinct[key] for key in dict.fromkeys(unit.key for unit in units) if key not in found)
    if executor is None:
        for unit in left:
            finish_new(unit, _attempt(unit))
    else:
        _run_on(executor, left, finish_new)
    if kept is not None:
        kept.describe(units, found)
    return [found[unit.key] for unit in units]


class FinishedUnits:
    """A folder of finished units; several runs may use one, also at once.

    `manifest.json` lists the units of the latest run and, once it has ended, their checksums and what failed.
    """

    def __init__(self, folder: FilePath) -> None:
        self.folder = Path(folder)
        with self._writing():
            self.folder.mkdir(parents=True, exist_ok=True)
            # A run killed while it writes leaves a hidden file behind.
            others = any(path.name != MANIFEST and path.name[0] != "." for path in self.folder.iterdir())
            own = not others or _is_manifest(self.folder / MANIFEST)
        if not own:
            raise SettingError(
                "holds other files", option="folder", where=self.folder, hint="give an empty folder, or a new name"
            )

    def get(self, key: str) -> bytes | None:
        """Return a finished unit; None where there is none, or a damaged one."""
        try:
            head, _, data = (self.folder / f"{key}.unit").read_bytes().partition(b"\n")
        except OSError:
            return None
        return data if head == _head(key, data) else None

    def put(self, key: str, data: bytes) -> None:
        """Keep a finished unit; it is on disk when this returns."""
        self._write(f"{key}.unit", _head(key, data) + b"\n" + data)

    def describe(self, units: Sequence[WorkUnit], found: Mapping[str, UnitResult] | None = None) -> None:
        """Write which units a run has, and what became of them."""
        rows = [{"name": unit.name, "key": unit.key} | _described((found or {}).get(unit.key)) for unit in units]
        manifest = {"imprint": "units", "version": __version__, "units": rows}
        self._write(MANIFEST, json.dumps(manifest, indent=1).encode())

    def _write(self, name: str, content: bytes) -> None:
        with self._writing(), replacing(self.folder / name) as part:
            part.write_bytes(content)

    def _writing(self) -> AbstractContextManager[None]:
        hint = "choose another folder, or make room; what is finished is kept"
        return raising_as(OSError, SettingError, "cannot be written ({})", where=self.folder, hint=hint)


def _head(key: str, data: bytes) -> bytes:
    """Return the first line of a unit's file; the key is part of it, so that a renamed file is not taken."""
    return json.dumps({"imprint": "unit", "key": key, "sha256": hashlib.sha256(data).hexdigest()}).encode()


def _is_manifest(path: Path) -> bool:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.get("imprint") == "units"


def _described(outcome: UnitResult | None) -> dict[str, str]:
    if outcome is None:
        return {}
    if isinstance(outcome, bytes):
        return {"sha256": hashlib.sha256(outcome).hexdigest()}
    return {"failed": str(outcome)}


def _run_on(executor: Executor, left: deque[WorkUnit], finish: Callable[[WorkUnit, UnitResult], None]) -> None:
    """Have workers run units, a few ahead of them; who is killed is replaced, and its unit tried again."""
    tries: Counter[str] = Counter()
    flying: dict[Future[UnitResult], WorkUnit] = {}
    with ExitStack() as stack:
        try:
            while left or flying:
                most = max(1, _AHEAD * worker_count(executor))
                try:
                    while left and len(flying) < most:
                        flying[submit(executor, _attempt, (left[0],))] = left[0]
                        left.popleft()
                except BrokenExecutor:  # the standard library's processes, which are of no use once one is killed
                    executor = stack.enter_context(processes(worker_count(executor)))
                for future in wait(flying, timeout=LOOK, return_when=FIRST_COMPLETED).done:
                    unit = flying.pop(future)
                    try:
                        outcome = future.result()
                    except BrokenExecutor:
                        tries[unit.key] += 1
                        if tries[unit.key] < _TRIES:
                            left.append(unit)
                            continue
                        outcome = _killed(unit)
                    except (CancelledError, ModuleNotFoundError, TimeoutError, SettingError):
                        raise  # the workers are gone, or lack a module: that is not about the unit
                    except Exception as error:  # noqa: BLE001 - it could not be sent, or Dask gave it up
                        outcome = _killed(unit) if type(error).__name__ == "KilledWorker" else _failure(unit, error)
                    finish(unit, outcome)
                if is_gone(executor):
                    raise CancelledError("the cluster has gone away")
        finally:
            for future in flying:
                future.cancel()


def _attempt(unit: WorkUnit) -> UnitResult:
    """Run a unit; whatever it raises is its result. One thread each: workers share the cores already."""
    try:
        with single_threaded():
            return bytes(unit.run(*unit.arguments))
    except ImprintError as error:
        return error
    except Exception as error:  # noqa: BLE001 - one unit of many must not end the others
        return _failure(unit, error)


def _failure(unit: WorkUnit, error: Exception) -> ImprintError:
    """Return an error that was not foreseen in one line, with the place it comes from."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    reason = " ".join(str(error).split())[:_LONGEST_REASON]
    return ImprintError(f"failed with {type(error).__name__}: {reason}{place}", where=unit.name)


def _killed(unit: WorkUnit) -> ImprintError:
    hint = "it may need more memory than the worker has"
    return ImprintError("the worker that ran it was killed several times", where=unit.name, hint=hint)
