"""Who takes part: let in once, known by the hash of a token or by the number that a panel gave, and let go.

A panel needs to pay: the link carries the number under which it knows a participant. Every function that takes a
connection works within the caller's transaction.
"""

import base64
import hashlib
import hmac
import secrets
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from imprint.study.design import AnswerError, StudyError, WithdrawnError
from imprint.study.settings import is_short

PANEL_FIELDS = ("participant", "PROLIFIC_PID")  # of the link; Prolific fills in the second one

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


def check_panel_id(text: str) -> str:
    """Return a participant's number; refuse any other text, such as a field that nothing was filled into."""
    if not is_short(text):
        raise AnswerError(
            "the participant number in this link is not valid",
            got=text,
            hint="open the link exactly as you received it, or ask the people who sent it",
        )
    return text


def carried_id(query: Iterable[tuple[str, str]]) -> str | None:
    """Return the participant's number that a link carries, None where it carries none; two different are refused."""
    given = {value for field, value in query if field in PANEL_FIELDS}
    if len(given) > 1:
        raise AnswerError("this link has two participant numbers", hint="open the link exactly as you received it")
    return check_panel_id(given.pop()) if given else None


def token_of(secret: bytes, panel_id: str) -> str:
    """Return the private link's token of a panel's participant: the same whenever this number comes back.

    It ends with the number itself, so that nothing has to be stored of somebody who has not agreed yet.
    """
    digest = base64.urlsafe_b64encode(_keyed(secret, "link of", panel_id)).decode().rstrip("=")
    return f"{digest}.{panel_id}"


def number_in(secret: bytes, token: str) -> str | None:
    """Return the panel's number that a token carries, None for a token of anybody else or of another study."""
    panel_id = token.partition(".")[2]
    if not is_short(panel_id):
        return None
    is_theirs = hmac.compare_digest(token_of(secret, panel_id).encode(), token.encode(errors="replace"))
    return panel_id if is_theirs else None


def fingerprint_of(secret: bytes, panel_id: str) -> bytes:
    """Return what is kept of a number that has withdrawn: without the study's secret it tells nothing."""
    return _keyed(secret, "withdrawn", panel_id)


def pseudonym_of(secret: bytes, participant: int) -> str:
    """Return what published answers call a participant; who joined when or as whom does not follow from it."""
    return f"p{_keyed(secret, 'published', str(participant)).hex()[:12]}"


def _keyed(secret: bytes, purpose: str, text: str) -> bytes:
    return hmac.new(secret, f"{purpose} {text}".encode(), sha256).digest()
