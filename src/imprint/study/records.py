"""Reading a study: what was fixed, what is asked, what was answered, and how far people have come."""

import json
import sqlite3

from imprint.study.design import NameGroup
from imprint.study.refusals import StudyError
from imprint.study.steps import BlockCount, Overview, StoredAnswer, StoredItem, Study
from imprint.study.terms import Terms

PATIENCE = 30 * 60  # seconds for which an open page holds its place


def study(connection: sqlite3.Connection) -> Study:
    """Read what was fixed when the study was created."""
    identity, parent, protocol, embedding, sha256, seed, quota, least, significant, notes = connection.execute(
        "SELECT id, parent, protocol, embedding, embedding_sha256, seed, quota, least, significant, notes FROM study"
    ).fetchone()
    groups = connection.execute("SELECT letter, names, cues FROM name_groups ORDER BY place").fetchall()
    named = tuple(NameGroup(letter, strings(names), strings(cues)) for letter, names, cues in groups)
    told = strings(notes)
    return Study(identity, parent, protocol, embedding, sha256, seed, quota, least, significant, told, named)


def terms(connection: sqlite3.Connection) -> Terms:
    """Read what those who run the study added to it."""
    consent, *others = connection.execute(
        "SELECT consent, completion_code, screen_out_code, return_url FROM study"
    ).fetchone()
    return Terms(strings(consent), *others)


def exam_block(connection: sqlite3.Connection) -> int | None:
    """Return the number of the exam's block, None where there is no exam."""
    row = connection.execute("SELECT block FROM blocks WHERE stage = 'exam'").fetchone()
    return None if row is None else int(row[0])


def overview(connection: sqlite3.Connection, fixed: Study, now: int) -> Overview:
    """Count people and answers."""
    people, consented, left = connection.execute(
        "SELECT count(*), coalesce(sum(consented), 0), coalesce(sum(away), 0) FROM participants"
    ).fetchone()
    examined = connection.execute(
        "SELECT sum(value = expected) >= ? FROM answers JOIN items USING (item) "
        "JOIN assignments ON assignments.participant = answers.participant AND assignments.block = answers.block "
        "WHERE kind = 'name' AND state = 'answered' GROUP BY answers.participant",
        (fixed.exam.mark,),
    ).fetchall()
    (stored,) = connection.execute("SELECT count(*) FROM answers").fetchone()
    rows = connection.execute(
        "SELECT block, title, coalesce(sum(state = 'answered'), 0), coalesce(sum(state = 'open' AND given > ?), 0) "
        "FROM blocks LEFT JOIN assignments USING (block) WHERE stage = 'main' GROUP BY block ORDER BY block",
        (now - PATIENCE,),
    ).fetchall()
    passed = sum(one for (one,) in examined)
    counts = tuple(BlockCount(row[0], strings(row[1]), row[2], row[3], fixed.quota) for row in rows)
    return Overview(people, consented, passed, len(examined) - passed, left, stored, counts)


def items(connection: sqlite3.Connection) -> tuple[StoredItem, ...]:
    """Read every item, the exam's first."""
    rows = connection.execute(
        "SELECT item, block, stage, kind, words, expected, title, letters "
        "FROM items JOIN blocks USING (block) ORDER BY item"
    ).fetchall()
    return tuple(
        StoredItem(item, block, stage, kind, strings(words), expected, strings(title), strings(letters))
        for item, block, stage, kind, words, expected, title, letters in rows
    )


def answers(connection: sqlite3.Connection) -> tuple[StoredAnswer, ...]:
    """Read every answer, item by item."""
    rows = connection.execute("SELECT participant, item, value FROM answers ORDER BY item, participant")
    return tuple(StoredAnswer(*row) for row in rows)


def secrets(connection: sqlite3.Connection) -> tuple[bytes, bytes]:
    """Read the hash of the administrator's token and the key that signs forms."""
    admin, secret = connection.execute("SELECT admin_hash, secret FROM study").fetchone()
    return admin, secret


def strings(text: str) -> tuple[str, ...]:
    """Read a list of words as it is stored."""
    try:
        words = json.loads(text)
    except (ValueError, TypeError, RecursionError) as error:
        raise StudyError(f"a list of words cannot be read: {error}") from error
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise StudyError("a list of words holds something else")
    return tuple(words)
