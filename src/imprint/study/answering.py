"""Taking answers: all of a page or nothing, each once, and only from a person who was given the page."""

import sqlite3
from collections.abc import Mapping

from imprint.study.assignment import check_page, exam_page
from imprint.study.design import check_value
from imprint.study.records import exam_block, strings
from imprint.study.refusals import AnsweredError, AnswerError
from imprint.study.steps import Receipt, Study

_MOST = 1_000  # answers at once, far more than a page asks for
_LARGEST = 2**63 - 1  # SQLite's integers end here


def take_answers(
    connection: sqlite3.Connection, study: Study, participant: int, values: Mapping[int, str], now: int
) -> Receipt:
    """Store a page's answers within the caller's transaction; the same ones sent again change nothing."""
    if not 0 < len(values) <= _MOST:
        raise AnswerError(f"{len(values)} answers arrived", got=len(values), hint="answer every question of the page")
    answers = {item: _checked(connection, item, value) for item, value in values.items()}
    before: dict[int, str] = dict(
        connection.execute("SELECT item, value FROM answers WHERE participant = ?", (participant,)).fetchall()
    )
    if any(before.get(item, value) != value for item, value in answers.items()):
        raise AnsweredError("you have already answered this differently", hint="your first answer is kept")
    repeated = answers.keys() <= before.keys()
    if not repeated:
        _insert(connection, study, participant, answers, now)
    return Receipt(len(before | answers), repeated)


def _checked(connection: sqlite3.Connection, item: int, value: str) -> str:
    row = connection.execute(
        "SELECT kind, letters FROM items JOIN blocks USING (block) WHERE item = ?",
        (item if 0 < item <= _LARGEST else 0,),
    ).fetchone()
    if row is None:
        raise AnswerError("this study has no such question", got=item, hint="open your link again")
    return check_value(row[0], value, strings(row[1]))


def _insert(
    connection: sqlite3.Connection, study: Study, participant: int, answers: Mapping[int, str], now: int
) -> None:
    block = check_page(connection, study, participant, set(answers), now)
    connection.executemany(
        "INSERT INTO answers (participant, item, block, value) VALUES (?, ?, ?, ?)",
        [(participant, item, block, value) for item, value in answers.items()],
    )
    if block != exam_block(connection) or not exam_page(connection, study, participant, block):
        connection.execute(
            "UPDATE assignments SET state = 'answered' WHERE participant = ? AND block = ?", (participant, block)
        )
