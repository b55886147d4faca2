"""A study's file in whole values: written from a design, checked for sense, and read.

What is read: what was fixed, what is asked, what was answered, and how far people have come. A file from elsewhere may
have our tables and nonsense in them.
"""

import json
import secrets
import sqlite3
from collections import Counter
from collections.abc import Iterable

from imprint.checks import Protocol, check_whole
from imprint.files import FilePath
from imprint.study import database
from imprint.study.design import AnswerError, Design, ItemBlock, ItemKind, NameGroup, Stage, StudyError, check_value
from imprint.study.people import hash_token, new_token
from imprint.study.settings import Terms
from imprint.study.steps import BlockCount, Overview, StoredAnswer, StoredItem, Study

PATIENCE = 30 * 60  # seconds for which an open page holds its place

_ID_BYTES = 16
_LARGEST_SEED = 2**63 - 1  # SQLite's integers end here
_KINDS: dict[Protocol, tuple[ItemKind, ...]] = {
    "ube": ("name", "triple"),
    "offense": ("rating",),
    "analogy": ("sense", "stereotype"),
    "suggestion": ("words",),
}
_STAGES: dict[Stage, tuple[ItemKind, ...]] = {
    "exam": ("name", "triple"),
    "main": ("triple", "rating", "sense", "stereotype", "words"),
}
_ENDS = 2  # of an axis, and of a pair


def create_study(path: FilePath, design: Design, *, seed: int = 0, terms: Terms | None = None) -> str:
    """Write a study into a new file and return the administrator's token, which is stored nowhere."""
    check_whole("seed", seed, 0, _LARGEST_SEED)
    terms = terms or Terms()
    token = new_token()
    with database.creating(path) as connection:
        connection.execute(
            "INSERT INTO study VALUES (1, :id, :parent, :protocol, :embedding, :embedding_sha256, :seed, :quota, "
            ":least, :n_found, :notes, :consent, :completion_code, :screen_out_code, :return_url, :admin_hash, "
            ":secret)",
            vars(design)
            | vars(terms)
            | {
                "id": secrets.token_hex(_ID_BYTES),
                "seed": seed,
                "notes": json.dumps(design.notes),
                "consent": json.dumps(terms.consent),
                "admin_hash": hash_token(token),
                "secret": secrets.token_bytes(32),
            },
        )
        connection.executemany(
            "INSERT INTO name_groups VALUES (?, ?, ?, ?)",
            [(g.letter, i, json.dumps(g.names), json.dumps(g.cues)) for i, g in enumerate(design.groups)],
        )
        if design.exam:
            _insert(
                connection,
                "exam",
                ItemBlock((), design.exam, tuple(group.letter for group in design.groups if group.cues)),
            )
        for block in design.blocks:
            _insert(connection, "main", block)
    return token


def check_sound(study: Study, answers: Iterable[StoredAnswer]) -> None:
    """Refuse items that the protocol does not ask, and answers that their items do not allow."""
    letters = [group.letter for group in study.groups]
    by_number = {item.number: item for item in study.items}
    for item in by_number.values():
        if item.kind not in _KINDS[study.protocol] or not _is_sound(item, letters):
            raise StudyError(
                f"question {item.number} does not belong to a study of protocol {study.protocol}", got=item.number
            )
    if not any(item.stage == "main" for item in by_number.values()):
        raise StudyError("it has no questions")
    asked = Counter(item.expected for item in by_number.values() if item.stage == "exam")
    if len(asked) != study.exam.groups or min(asked.values(), default=0) < study.exam.each:
        raise StudyError("its exam has too few questions")
    if study.protocol == "analogy":
        _check_pairs(by_number.values())
    for answer in answers:
        item = by_number[answer.item]
        try:
            sound = check_value(item.kind, answer.value, item.letters) == answer.value
        except AnswerError:
            sound = False
        if not sound:
            raise StudyError(
                f"participant {answer.participant} has an impossible answer to question {answer.item}", got=answer.item
            )


def read_study(connection: sqlite3.Connection) -> Study:
    """Read what was fixed when the study was created."""
    identity, parent, protocol, embedding, sha256, seed, quota, least, n_found, notes = connection.execute(
        "SELECT id, parent, protocol, embedding, embedding_sha256, seed, quota, least, n_found, notes FROM study"
    ).fetchone()
    groups = connection.execute("SELECT letter, names, cues FROM name_groups ORDER BY place").fetchall()
    named = tuple(NameGroup(letter, strings(names), strings(cues)) for letter, names, cues in groups)
    told = strings(notes)
    items = _read_items(connection)
    return Study(identity, parent, protocol, embedding, sha256, seed, quota, least, n_found, told, named, items)


def read_terms(connection: sqlite3.Connection) -> Terms:
    """Read what those who run the study added to it."""
    consent, *others = connection.execute(
        "SELECT consent, completion_code, screen_out_code, return_url FROM study"
    ).fetchone()
    return Terms(strings(consent), *others)


def overview(connection: sqlite3.Connection, fixed: Study, now: int) -> Overview:
    """Count people and answers."""
    people, consented, left = connection.execute(
        "SELECT count(*), coalesce(sum(consented), 0), coalesce(sum(away), 0) FROM participants"
    ).fetchone()
    examined = connection.execute(
        "SELECT sum(value = expected) >= ? FROM answers JOIN items USING (item) "
        "JOIN blocks ON blocks.block = answers.block WHERE stage = 'exam' GROUP BY answers.participant",
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


def read_answers(connection: sqlite3.Connection) -> tuple[StoredAnswer, ...]:
    """Read every answer, item by item."""
    rows = connection.execute("SELECT participant, item, value FROM answers ORDER BY item, participant")
    return tuple(StoredAnswer(*row) for row in rows)


def read_secrets(connection: sqlite3.Connection) -> tuple[bytes, bytes]:
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


def _read_items(connection: sqlite3.Connection) -> tuple[StoredItem, ...]:
    """Read every item, the exam's first."""
    rows = connection.execute(
        "SELECT item, block, stage, kind, words, expected, title, letters "
        "FROM items JOIN blocks USING (block) ORDER BY item"
    ).fetchall()
    return tuple(
        StoredItem(item, block, stage, kind, strings(words), expected, strings(title), strings(letters))
        for item, block, stage, kind, words, expected, title, letters in rows
    )


def _insert(connection: sqlite3.Connection, stage: str, block: ItemBlock) -> None:
    row = connection.execute(
        "INSERT INTO blocks (stage, title, letters) VALUES (?, ?, ?)",
        (stage, json.dumps(block.title), json.dumps(block.groups)),
    )
    connection.executemany(
        "INSERT INTO items (block, kind, words, expected) VALUES (?, ?, ?, ?)",
        [(row.lastrowid, item.kind, json.dumps(item.words), item.expected) for item in block.items],
    )


def _is_sound(item: StoredItem, letters: list[str]) -> bool:
    if item.kind not in _STAGES[item.stage] or not item.words:
        return False
    if item.kind in ("name", "triple", "rating"):
        return item.expected in item.groups and set(item.groups) <= set(letters)
    if item.kind == "words":
        return bool(item.title)
    return len(item.title) == len(item.words) == _ENDS


def _check_pairs(items: Iterable[StoredItem]) -> None:
    blocks: dict[int, list[str]] = {}
    for item in items:
        blocks.setdefault(item.block, []).append(item.kind)
    if any(kinds != list(_KINDS["analogy"]) for kinds in blocks.values()):
        raise StudyError("a page does not ask both questions about its pair")
