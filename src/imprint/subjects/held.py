"""Subjects that a process holds between units of work: each is opened once, and few are kept."""

import os
import threading
from collections import deque
from typing import Unpack
from weakref import WeakValueDictionary

from imprint.errors import SubjectError
from imprint.subjects.opening import EncoderLike, EncoderOptions, Subject, open_subject

_KEPT = 2  # that nothing uses any more: the next unit is often about the same one

_lock = threading.Lock()
_alive: "WeakValueDictionary[tuple[str, str, str], Subject]" = WeakValueDictionary()
_kept: deque[Subject] = deque(maxlen=_KEPT)


def open_once(source: EncoderLike, sha256: str, **options: Unpack[EncoderOptions]) -> Subject:
    """Open a subject as `open_subject` does, once per process; refuse one whose hash is not the expected one.

    A worker on another machine may find another file under the same name.
    """
    if not isinstance(source, str | os.PathLike):
        return open_subject(source, **options)
    key = (str(source), sha256, repr(sorted(options.items())))
    with _lock:
        subject = _alive.get(key)
        if subject is None:
            subject = open_subject(source, **options)
            if subject.sha256 != sha256:
                raise SubjectError(
                    "is not what it was when the run began, or is another one on this worker",
                    where=str(source),
                    expected=f"the hash {sha256[:12]}",
                    got=subject.sha256,
                    hint="give every worker the same files, and start again",
                )
            _alive[key] = subject
            _kept.append(subject)
    return subject
