"""Who does the work: threads, processes that fail one at a time, or any other `concurrent.futures.Executor`."""

import contextlib
import ctypes
import functools
import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor, wait
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any, TypeVar

from imprint.errors import SettingError

_Result = TypeVar("_Result")

LOOK = 1.0  # seconds between looks at a cluster whose answer is awaited
_ANY_SIZE = 2**62  # bytes: what is large and shared is meant to be sent once
_GRACE = 5.0  # seconds for a process to end
_NANNY_TRIM = "65536"  # what Dask's nannies set unless they are configured otherwise
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of malloc.h
_MMAP_THRESHOLD = 32 * 2**20  # bytes: what glibc itself arrives at in a process that frees large arrays


def executor_or_threads(executor: Executor | None) -> contextlib.AbstractContextManager[Executor]:
    """Give the executor, which stays open afterwards, or threads of our own if there is none."""
    return contextlib.nullcontext(executor) if executor else threads()


def threads(count: int | None = None) -> contextlib.AbstractContextManager[Executor]:
    """Give so many threads to work in, else one per core: the kernels release Python's lock."""
    return _stopping(ThreadPoolExecutor(count or os.cpu_count()))


def processes(count: int | None = None) -> contextlib.AbstractContextManager[Executor]:
    """Give so many processes to work in, else one per core; they are ended at the end."""
    return _stopping(Processes(count or os.cpu_count()))


@contextlib.contextmanager
def _stopping(pool: Executor) -> Iterator[Executor]:
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class Processes(ThreadPoolExecutor):
    """Processes that fail one at a time: one that is killed breaks its own task, and another takes its place.

    In the standard library's pool one killed process breaks the tasks of all. Each thread here has a process of its
    own, and passes its tasks on to it. With `cancel_futures`, shutdown also ends the tasks that are running.
    """

    def __init__(self, max_workers: int | None = None) -> None:
        super().__init__(max_workers)
        self._idle: queue.SimpleQueue[_Process] = queue.SimpleQueue()
        self._known: set[_Process] = set()
        self._lock = threading.Lock()
        self._closed = False

    def submit(self, fn: Callable[..., _Result], /, *args: Any, **kwargs: Any) -> "Future[_Result]":
        """Have a process call the function."""
        return super().submit(self._elsewhere, fn, args, kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes: at once with `cancel_futures`, else when their tasks are done."""
        if cancel_futures:
            super().shutdown(wait=False, cancel_futures=True)
            self._end_all()
        super().shutdown(wait=wait, cancel_futures=cancel_futures)
        if wait:
            self._end_all()

    def _elsewhere(self, function: Callable[..., _Result], args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Result:
        process = self._take()
        try:
            answer: _Result = process.call(function, args, kwargs)
        except BrokenExecutor:
            with self._lock:
                self._known.discard(process)
            process.end()
            raise
        except BaseException:
            self._idle.put(process)
            raise
        self._idle.put(process)
        return answer

    def _take(self) -> "_Process":
        with contextlib.suppress(queue.Empty):
            return self._idle.get_nowait()
        with self._lock:
            if self._closed:
                raise BrokenExecutor("the processes were ended")
            process = _Process()
            self._known.add(process)
        return process

    def _end_all(self) -> None:
        with self._lock:
            self._closed = True
            known, self._known = self._known, set()
        for process in known:
            process.end()


class _Process:
    """One process, and the line to it; when either end is gone, the other reads the end of the line."""

    def __init__(self) -> None:
        # A fork of a process with threads may stop for ever.
        context = multiprocessing.get_context("spawn")
        self._line, theirs = context.Pipe()
        self._calling = threading.Lock()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return or raise what the function does there."""
        task = ForkingPickler.dumps((function, args, kwargs))
        try:
            with self._calling:
                self._line.send_bytes(task)
                answered = self._line.recv_bytes()
        except (EOFError, OSError) as error:
            raise BrokenExecutor("the worker process was killed") from error
        done, answer = ForkingPickler.loads(answered)
        if done:
            return answer
        raise answer

    def end(self) -> None:
        """End it now; a task that waits for it is broken."""
        self._process.terminate()
        self._process.join(_GRACE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        with self._calling:  # a call that waits reads the end of the line first
            self._line.close()


def _serve(line: Connection) -> None:
    """Call what is sent, until the line ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of Ctrl-C, the process that waits hears too, and ends this one
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            task = line.recv_bytes()
            try:
                function, args, kwargs = ForkingPickler.loads(task)
                answer = True, function(*args, **kwargs)
            except Exception as error:  # noqa: BLE001 - it is raised where the answer is awaited
                answer = False, error
            try:
                packed = ForkingPickler.dumps(answer)
            except Exception as error:  # noqa: BLE001 - what cannot be pickled is described
                packed = ForkingPickler.dumps((False, RuntimeError(f"the answer cannot be sent ({error})")))
            line.send_bytes(packed)


def _end_with_parent() -> None:
    """End at once when the process that waits is killed, instead of finishing what nobody waits for."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def in_order(
    executor: Executor, work: Callable[..., _Result], shared: object, tasks: Iterable[tuple[Any, ...]]
) -> Generator[_Result, None, None]:
    """Yield `work(shared, *task)` of each task in order; cancel the tasks whose results are no longer needed."""
    sent = _share(shared, executor)
    waiting = deque(submit(executor, work, task, sent) for task in tasks)
    try:
        while waiting:
            yield _wait_for(waiting.popleft(), executor)
    finally:
        for future in waiting:
            future.cancel()


def submit(
    executor: Executor, work: Callable[..., _Result], arguments: tuple[Any, ...], *futures: object
) -> "Future[_Result]":
    """Have an executor call a function, on a Dask cluster with futures of its own before the arguments.

    There it goes as bytes: a task whose message a worker cannot read, since it lacks a module, is pending for ever.
    """
    if not hasattr(executor, "_client"):
        return executor.submit(_call, work, *futures, *arguments)
    header, buffers = _packed((work, arguments))
    return executor.submit(_call_packed, header, buffers, *futures)


def _call(work: Callable[..., _Result], /, *arguments: Any) -> _Result:
    reuse_freed_memory()
    return work(*arguments)


def _call_packed(header: bytes, buffers: Sequence[Any], *before: Any) -> Any:
    work, arguments = _unpacked(header, buffers)
    return _call(work, *before, *arguments)


def _packed(value: object) -> tuple[bytes, list[Any]]:
    """Return a value as Dask would send it, and its arrays, which are not copied."""
    import numpy as np
    from distributed.protocol.pickle import dumps

    buffers: list[Any] = []
    header = dumps(value, buffer_callback=buffers.append)  # type: ignore[no-untyped-call]
    return header, [np.frombuffer(buffer.raw(), np.uint8) for buffer in buffers]


def _unpacked(header: bytes, buffers: Sequence[Any]) -> Any:
    try:
        return pickle.loads(header, buffers=buffers)  # noqa: S301 - Dask itself would have read it
    except Exception as error:
        raise SettingError(
            f"a worker of the Dask cluster cannot read what it is to do ({error})",
            option="workers",
            hint="install the module on every worker",
        ) from error


@functools.cache
def reuse_freed_memory() -> None:
    """Have a Dask worker keep memory that is freed for its next arrays, as other processes do.

    A nanny's default gives it back to the system at once, so that each large array is made of new pages, which took as
    long as the work itself. Another value than the default is somebody's choice, and stays.
    """
    if sys.platform == "linux" and os.environ.get("MALLOC_TRIM_THRESHOLD_") == _NANNY_TRIM:
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # of glibc
        if mallopt is not None:
            mallopt(_M_MMAP_THRESHOLD, _MMAP_THRESHOLD)
            mallopt(_M_TRIM_THRESHOLD, 2 * _MMAP_THRESHOLD)


def is_gone(executor: Executor) -> bool:
    """Tell whether a Dask cluster has gone away; its executor then may leave what it has pending for ever."""
    client = getattr(executor, "_client", None)
    return client is not None and client.status == "closed"


def worker_count(executor: Executor) -> int:
    """Return how many tasks an executor does at once, as far as it tells."""
    client = getattr(executor, "_client", None)
    if client is not None:
        return sum(client.nthreads().values())
    return getattr(executor, "_max_workers", None) or os.cpu_count() or 1


def _share(large: object, executor: Executor) -> object:
    """Send what is large once to a Dask cluster, instead of along with every task.

    It goes as a task that returns it: should the workers that hold it be killed, the scheduler has it made again,
    whereas data scattered over workers would be lost with them.
    """
    client = getattr(executor, "_client", None)
    if client is None:
        return large
    import dask

    with dask.config.set({"distributed.admin.large-graph-warning-threshold": _ANY_SIZE}):
        return client.submit(_unpacked, *_packed(large))  # a future, put in place by Dask


def _wait_for(task: "Future[_Result]", executor: Executor) -> _Result:
    while hasattr(executor, "_client") and not task.done():
        wait([task], timeout=LOOK)
        if is_gone(executor) and not task.done():
            raise CancelledError("the cluster has gone away")
    return task.result()
