"""Who takes part: let in once, known by the hash of a token or by the number that a panel gave, and let go.

Every function works within the caller's transaction.
"""

import hashlib
import secrets
import sqlite3
from dataclasses import dataclass

from imprint.study.refusals import StudyError, WithdrawnError

_TOKEN_BYTES = 24
_MOST = 100_000  # a link that anybody may open must not fill the disk


@dataclass(frozen=True)
class Person:
    """How far somebody is, and the panel's number for them where their link carried one."""

    consented: bool
    familiar: bool
    away: bool
    finished: bool
    panel_id: str | None


def new_token() -> str:
    """Return a token that cannot be guessed; only its hash is stored."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def hash_token(token: str) -> bytes:
    """Return what is stored of a token."""
    return hashlib.sha256(token.encode(errors="replace")).digest()


def let_in(connection: sqlite3.Connection, token_hash: bytes, fingerprint: bytes | None) -> int:
    """Return a new participant's number, or that of the one who has this token already.

    `fingerprint` is that of the panel's number; one that has withdrawn is refused.
    """
    known = find(connection, token_hash)
    if known is not None:
        return known
    if connection.execute("SELECT 1 FROM withdrawn WHERE fingerprint = ?", (fingerprint,)).fetchone():
        raise WithdrawnError(
            "the answers of this participant number were deleted", hint="the number cannot be used again"
        )
    (count,) = connection.execute("SELECT count(*) FROM participants").fetchone()
    if count >= _MOST:
        raise StudyError(f"{count:,} people have joined, and the study is full", got=count)
    row = connection.execute("INSERT INTO participants (token_hash) VALUES (?)", (token_hash,))
    assert row.lastrowid is not None
    return row.lastrowid


def find(connection: sqlite3.Connection, token_hash: bytes) -> int | None:
    """Return the number of the participant with this token, None for an unknown token."""
    row = connection.execute("SELECT participant FROM participants WHERE token_hash = ?", (token_hash,)).fetchone()
    return None if row is None else int(row[0])


def person(connection: sqlite3.Connection, participant: int) -> Person:
    """Return what is known of a participant."""
    row = connection.execute(
        "SELECT consented, familiar, away, finished, panel_id FROM participants WHERE participant = ?", (participant,)
    ).fetchone()
    if row is None:
        raise WithdrawnError(f"there is no participant {participant}", got=participant, hint="join first")
    consented, familiar, away, finished, panel_id = row
    return Person(bool(consented), bool(familiar), bool(away), bool(finished), panel_id)


def panel_ids(connection: sqlite3.Connection) -> dict[int, str]:
    """Return the panel's numbers by participant, of those whose link carried one and who agreed to take part."""
    rows = connection.execute("SELECT participant, panel_id FROM participants WHERE panel_id IS NOT NULL")
    return dict(rows.fetchall())


def forget(connection: sqlite3.Connection, participant: int, fingerprint: bytes | None) -> int:
    """Delete everything of a participant, and return how many answers that were; the number is never given again.

    `fingerprint`, of the panel's number where there was one, is kept.
    """
    (answers,) = connection.execute("SELECT count(*) FROM answers WHERE participant = ?", (participant,)).fetchone()
    for table in ("answers", "assignments", "participants"):
        connection.execute(f"DELETE FROM {table} WHERE participant = ?", (participant,))  # noqa: S608 - our own names
    if fingerprint is not None:
        connection.execute("INSERT OR IGNORE INTO withdrawn VALUES (?)", (fingerprint,))
    return int(answers)
