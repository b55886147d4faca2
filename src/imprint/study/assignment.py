"""Who is asked what: everybody's own exam, then the pages that the fewest people hold or have answered.

Every function works within the caller's transaction, so that two people are never given the same last place.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Sequence

from imprint.study.design import EXAM_NAMES, ItemKind, NameGroup, Stage
from imprint.study.order import shuffled
from imprint.study.records import PATIENCE, strings
from imprint.study.refusals import AnswerError, LateError
from imprint.study.steps import Question, Study, Task

EXAM_PAGE = 12  # names asked about on one page


def exam_items(connection: sqlite3.Connection, study: Study, participant: int, block: int) -> list[int]:
    """Return this person's names: so many of every group, drawn and ordered by seed and number."""
    pools: dict[str, list[int]] = defaultdict(list)
    for item, expected in connection.execute("SELECT item, expected FROM items WHERE block = ?", (block,)):
        pools[expected].append(item)
    key = (study.seed, participant, "exam")
    drawn = [item for pool in pools.values() for item in shuffled(pool, *key)[:EXAM_NAMES]]
    return shuffled(drawn, *key, "order")


def open_exam(connection: sqlite3.Connection, study: Study, participant: int, block: int, now: int) -> Task | None:
    """Return the next page of the exam, None when it is done."""
    connection.execute("INSERT OR IGNORE INTO assignments VALUES (?, ?, 'open', ?)", (participant, block, now))
    items = exam_page(connection, study, participant, block)
    return _task(connection, study, participant, block, items) if items else None


def exam_page(connection: sqlite3.Connection, study: Study, participant: int, block: int) -> list[int]:
    """Return the names to ask about next."""
    answered = {
        item for (item,) in connection.execute("SELECT item FROM answers WHERE participant = ?", (participant,))
    }
    drawn = exam_items(connection, study, participant, block)
    return [item for item in drawn if item not in answered][:EXAM_PAGE]


def open_page(connection: sqlite3.Connection, study: Study, participant: int, now: int) -> Task | None:
    """Return the page this person has open, or else give the one with the fewest people; None when none is open.

    The time runs from when the page was given: looking at it again does not hold it for longer.
    """
    held = connection.execute(
        "SELECT block FROM assignments WHERE participant = ? AND state = 'open'", (participant,)
    ).fetchone()
    if held is not None and not has_place(connection, study, participant, held[0], now):
        connection.execute(
            "UPDATE assignments SET state = 'freed' WHERE participant = ? AND block = ?", (participant, held[0])
        )
        held = None
    block = _emptiest(connection, study, participant, now) if held is None else held[0]
    if block is None:
        return None
    if held is None:
        connection.execute(
            "INSERT INTO assignments VALUES (?, ?, 'open', ?) "
            "ON CONFLICT (participant, block) DO UPDATE SET state = 'open', given = excluded.given",
            (participant, block, now),
        )
    items = [item for (item,) in connection.execute("SELECT item FROM items WHERE block = ?", (block,))]
    if study.protocol == "ube":
        items = shuffled(items, study.seed, participant, "items")
    return _task(connection, study, participant, block, items)


def check_page(connection: sqlite3.Connection, study: Study, participant: int, items: set[int], now: int) -> int:
    """Return the block that these unanswered items are a whole page of, if this person may still answer it."""
    marks = ", ".join("?" * len(items))
    blocks = connection.execute(
        f"SELECT DISTINCT block, stage FROM items JOIN blocks USING (block) WHERE item IN ({marks})",  # noqa: S608
        tuple(items),
    ).fetchall()
    if len(blocks) != 1:
        raise AnswerError("these answers belong to several pages", hint="answer one page at a time")
    block, stage = blocks[0]
    given = connection.execute(
        "SELECT 1 FROM assignments WHERE participant = ? AND block = ?", (participant, block)
    ).fetchone()
    if given is None:
        raise AnswerError("that page was not given to you", hint="open your link again for the next one")
    if stage == "exam":
        wanted = set(exam_page(connection, study, participant, block))
    else:
        wanted = {item for (item,) in connection.execute("SELECT item FROM items WHERE block = ?", (block,))}
    if items != wanted:
        raise AnswerError(
            f"{len(items)} answers arrived, but the page has {len(wanted)} questions",
            got=len(items),
            hint="answer all of them",
        )
    if stage == "main" and not has_place(connection, study, participant, block, now):
        raise LateError(
            "that page was open for so long that it was given to somebody else", hint="go on with the next one"
        )
    return int(block)


def has_place(connection: sqlite3.Connection, study: Study, participant: int, block: int, now: int) -> bool:
    """Tell whether a person's page is still theirs: open in time, or nobody has taken its place."""
    return bool(
        connection.execute(
            "SELECT count(*) < ? FROM assignments WHERE block = ? AND participant != ? "
            "AND (state = 'answered' OR state = 'open' AND given > ?)",
            (study.quota, block, participant, now - PATIENCE),
        ).fetchone()[0]
    )


def is_wanted(connection: sqlite3.Connection, study: Study, participant: int) -> bool:
    """Tell whether there is a page with too few answers that this person has not answered, given out or not."""
    row = connection.execute(
        "SELECT 1 FROM blocks LEFT JOIN assignments ON assignments.block = blocks.block AND state = 'answered' "
        "WHERE stage = 'main' GROUP BY blocks.block "
        "HAVING count(participant) < ? AND coalesce(sum(participant = ?), 0) = 0",
        (study.quota, participant),
    ).fetchone()
    return row is not None


def _emptiest(connection: sqlite3.Connection, study: Study, participant: int, now: int) -> int | None:
    """Return the block with the fewest people that this person has not answered; chance decides between equals."""
    rows = connection.execute(
        "SELECT block, coalesce(sum(state = 'answered' OR state = 'open' AND given > :since), 0) AS people, "
        "coalesce(sum(participant = :participant), 0) AS seen "
        "FROM blocks LEFT JOIN assignments USING (block) WHERE stage = 'main' AND block NOT IN "
        "(SELECT block FROM assignments WHERE participant = :participant AND state != 'freed') "
        "GROUP BY block HAVING people < :quota",
        {"since": now - PATIENCE, "participant": participant, "quota": study.quota},
    ).fetchall()
    if not rows:
        return None
    fewest = min((seen, people) for _, people, seen in rows)
    equals = [int(block) for block, people, seen in rows if (seen, people) == fewest]
    return shuffled(equals, study.seed, participant, "block")[0]


def _task(connection: sqlite3.Connection, study: Study, participant: int, block: int, items: Sequence[int]) -> Task:
    stage, title, letters = connection.execute(
        "SELECT stage, title, letters FROM blocks WHERE block = ?", (block,)
    ).fetchone()
    known: dict[int, tuple[ItemKind, str]] = {
        item: (kind, words)
        for item, kind, words in connection.execute("SELECT item, kind, words FROM items WHERE block = ?", (block,))
    }
    questions = tuple(Question(item, known[item][0], strings(known[item][1])) for item in items)
    groups = ordered_groups(study, participant, strings(letters), stage)
    return Task(block, stage, strings(title), questions, groups)


def ordered_groups(study: Study, participant: int, letters: Sequence[str], stage: Stage) -> tuple[NameGroup, ...]:
    """Return groups in this person's order, on every page the same; in the exam with the names that stand for them."""
    chosen = {group.letter: group for group in study.groups if group.letter in letters}
    order = shuffled(chosen, study.seed, participant, "groups")
    return tuple(
        NameGroup(letter, chosen[letter].cues if stage == "exam" else chosen[letter].names) for letter in order
    )
