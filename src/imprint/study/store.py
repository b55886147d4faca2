"""The study's answers: people join, are given pages, answer and leave; what was acknowledged is on disk.

Calls may come from any thread and from several processes: each has its own connection and one transaction.
"""

import contextlib
import hmac
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Self

from imprint.files import FilePath
from imprint.study import database, people, records, steps
from imprint.study.design import StudyError
from imprint.study.people import check_panel_id, fingerprint_of, number_in, pseudonym_of, token_of
from imprint.study.records import check_sound
from imprint.study.turn import Turn

_LONGEST_TOKEN = 120
_WAIT_TO_FOLD = 50  # milliseconds: everybody who answers waits as long


def held_in(path: FilePath) -> str:
    """Say what is lost with a study: its answers, also those in a damaged file or in another version's format."""
    if not database.is_readable(path):
        return "answers in the format of another version of imprint"
    try:
        with Store.open(path) as store:
            counts = store.overview()
    except StudyError:
        return "answers in a file that cannot be read"
    return f"{counts.answers} answers of {counts.participants} people"


class Store:
    """An open study. Use it as a context manager, or close it."""

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = clock
        self._writers = threading.Lock()  # threads queue here; between processes SQLite polls
        self._folding = threading.Lock()
        self._folded = False  # a server that was killed may have left in the log what was deleted
        # Held open for nothing else: when the last connection closes, SQLite folds the log into the file.
        self._anchor = database.connect(path)
        try:
            with self._reading() as connection:
                self.study = records.read_study(connection)
                self.terms = records.read_terms(connection)
                self._admin, self.secret = records.read_secrets(connection)
                check_sound(self.study, records.read_answers(connection))
        except StudyError as error:
            self._anchor.close()
            raise StudyError(f"is damaged ({error})", where=path, hint="restore it from a backup") from error

    @classmethod
    def open(cls, path: FilePath, *, clock: Callable[[], float] = time.time) -> Self:
        """Open a study that `create_study` made; `clock` tells the seconds by which pages are freed."""
        return cls(database.recognise(path), clock=clock)

    def close(self) -> None:
        """Let go of the file."""
        if not self._folded:
            self._fold()
        self._anchor.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check_writable(self) -> None:
        """Refuse a study to which no answer can be added."""
        with self._writing() as connection:
            connection.execute("UPDATE study SET seed = seed")

    def is_admin(self, token: str) -> bool:
        """Tell whether this is the administrator's token."""
        return hmac.compare_digest(people.hash_token(token), self._admin)

    def join(self, panel_id: str | None = None) -> steps.Visitor:
        """Take in a new participant, of whom nothing is stored but that there is one.

        A panel's number that comes again is the same participant, who goes on under the same private link; one that
        has withdrawn is refused. The number is in the token, and is stored with the consent.
        """
        if panel_id is None:
            token, fingerprint = people.new_token(), None
        else:
            token = token_of(self.secret, check_panel_id(panel_id))
            fingerprint = fingerprint_of(self.secret, panel_id)
        with self._writing() as connection:
            return steps.Visitor(people.let_in(connection, people.hash_token(token), fingerprint), token)

    def participant(self, token: str) -> int | None:
        """Return the number of the participant with this token, None for an unknown token."""
        if len(token) > _LONGEST_TOKEN:
            return None
        with self._reading() as connection:
            return people.find(connection, people.hash_token(token))

    def panel_ids(self) -> dict[int, str]:
        """Return the panel's numbers by participant, of those whose link carried one and who agreed to take part."""
        with self._reading() as connection:
            return people.panel_ids(connection)

    def panel_id(self, token: str) -> str | None:
        """Return the panel's number that a participant's token carries, None where it carries none."""
        return number_in(self.secret, token)

    def pseudonym(self, participant: int) -> str:
        """Return what published answers call a participant."""
        return pseudonym_of(self.secret, participant)

    def payments(self) -> tuple[steps.Payment, ...]:
        """Return how far those have come whom a panel pays, by the panel's number."""
        paid = []
        with self._reading() as connection:
            for participant, panel_id in people.panel_ids(connection).items():
                turn = self._turn(connection, participant)
                out = turn.is_screened_out()
                paid.append(steps.Payment(panel_id, turn.progress(), turn.is_finished(), out))
        return tuple(sorted(paid, key=lambda one: one.panel_id))

    def consent(self, participant: int, token: str = "") -> None:
        """Note that a person agreed to take part; one who had left takes part again.

        From now on the panel's number that their token carries is stored.
        """
        with self._writing() as connection:
            people.person(connection, participant)
            connection.execute(
                "UPDATE participants SET consented = 1, away = 0, panel_id = coalesce(?, panel_id) "
                "WHERE participant = ?",
                (self.panel_id(token), participant),
            )

    def familiarised(self, participant: int) -> None:
        """Note that a person has seen the groups."""
        if not isinstance(self.step(participant), steps.Familiarise):
            return
        with self._writing() as connection:
            connection.execute("UPDATE participants SET familiar = 1 WHERE participant = ?", (participant,))

    def leave(self, participant: int) -> None:
        """Let a person stop: the open page goes to somebody else, what was answered stays."""
        with self._writing() as connection:
            people.person(connection, participant)
            connection.execute("UPDATE participants SET away = 1 WHERE participant = ?", (participant,))
            connection.execute(
                "UPDATE assignments SET state = 'freed' WHERE participant = ? AND state = 'open' "
                "AND block IN (SELECT block FROM blocks WHERE stage = 'main')",
                (participant,),
            )

    def withdraw(self, participant: int) -> int:
        """Delete everything of a person, who asks for it, and return how many answers that were.

        Of a panel's number a fingerprint is kept, so that it does not take part again.
        """
        with self._writing() as connection:
            panel_id = people.person(connection, participant).panel_id
            fingerprint = None if panel_id is None else fingerprint_of(self.secret, panel_id)
            answers = people.forget(connection, participant, fingerprint)
        self._fold(wait=_WAIT_TO_FOLD)
        return answers

    def step(self, participant: int) -> steps.Step:
        """Return what a person sees now; asked again, the same."""
        with self._writing() as connection:
            return self._turn(connection, participant).step(self.terms)

    def answer(self, participant: int, values: Mapping[int, str]) -> steps.Receipt:
        """Store the answers to all questions of a page; when this returns they are on disk.

        The same answers may come again, as when a browser sends a form twice, and change nothing.
        """
        with self._writing() as connection:
            return self._turn(connection, participant).answer(values)

    def progress(self, participant: int) -> steps.PagesDone:
        """Return how far a person has come."""
        with self._reading() as connection:
            return self._turn(connection, participant).progress()

    def overview(self) -> steps.Overview:
        """Return how far everybody has come."""
        with self._reading() as connection:
            return records.overview(connection, self.study, int(self._clock()))

    def items(self) -> tuple[steps.StoredItem, ...]:
        """Return every item, the exam's first."""
        return self.study.items

    def answers(self) -> tuple[steps.StoredAnswer, ...]:
        """Return every answer, item by item."""
        with self._reading() as connection:
            return records.read_answers(connection)

    def _turn(self, connection: sqlite3.Connection, participant: int) -> Turn:
        return Turn(connection, self.study, participant, int(self._clock()))

    def _fold(self, *, wait: int = 0) -> None:
        """Empty the log, which holds what was deleted; where somebody reads, again after the next change."""
        with self._folding:
            self._folded = database.fold(self._path, wait=wait)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        try:
            with contextlib.closing(database.connect(self._path)) as connection:
                connection.execute("BEGIN")
                yield connection
        except database.BROKEN as error:
            raise StudyError(
                f"cannot be read ({error})", where=self._path, hint="check that the study still exists"
            ) from error

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Give a transaction that is committed, and on disk, when the block ends, or rolled back where it raises."""
        try:
            with self._writers, contextlib.closing(database.connect(self._path)) as connection:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
        except database.BROKEN as error:
            raise StudyError(f"nothing was stored ({error})", where=self._path, hint="try again") from error
        if not self._folded:
            self._fold()
