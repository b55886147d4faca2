"""How two models differ: the change of every size from one to the other, on the words that both have.

Which of two sizes is the larger one without its sign: |b| > |a| exactly where b - a and b + a have the same sign. So a
model has less bias only where the intervals of both, the difference and the sum, exclude zero. The larger size must be
`substantial` or `present` by itself, and where lists are not matched, frequency must not explain it. No model has less
bias where something keeps one of the two from an answer.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from imprint.association.changes import ChangeRow, TestChange, TopicChangeRow, test_changes, topic_changes
from imprint.association.rows import Measured
from imprint.association.topics import obstacle_of
from imprint.association.vectors import shares_of
from imprint.boards.rows import BoardDifferenceRow, BoardTopicDifferenceRow
from imprint.rows import WordList
from imprint.significance.outcomes import FOUND, outcome
from imprint.significance.shares import combined, mean_size

DifferenceRow = BoardDifferenceRow | BoardTopicDifferenceRow


def differences(first: Sequence[Measured[Any]], second: Sequence[Measured[Any]]) -> Iterator[DifferenceRow]:
    """Return how two models differ in each question, in tests where a topic has no question, and in each topic."""
    changes = {change.before.test: change for change in test_changes(first, second)}
    topics = list(topic_changes([*changes.values()]))
    counted = {test for row in topics for test in (*row.tests, *row.tests_left_out)}
    rows: dict[str, BoardDifferenceRow] = {}
    for test, change in changes.items():
        if test in counted or not change.before.topics:
            less = _less(change.row, [change])
            sets = names_of(change.row.sets)
            rows[test] = BoardDifferenceRow(**msgspec.structs.asdict(change.row) | {"sets": sets, "less": less})
    yield from rows.values()
    for row in topics:
        less = _less(row, [changes[test] for test in row.tests])
        if any(rows[test].less not in (None, less) for test in row.tests):
            less = None
        yield BoardTopicDifferenceRow(**msgspec.structs.asdict(row) | {"less": less})


def names_of(sets: Sequence[WordList]) -> tuple[WordList, ...]:
    """Return word sets without their words: the models' own findings have these."""
    return tuple(WordList(one.role, one.name, ()) for one in sets)


def _less(row: ChangeRow | TopicChangeRow, changes: Sequence[TestChange]) -> str | None:
    """Return the model whose size, without its sign, is the smaller one; None unless the words decide it."""
    if not row.found or row.size is None:
        return None
    shares = [shares_of(side) for side in zip(*(change.words for change in changes), strict=True)]
    total = combined([(share, 1 / len(changes)) for side in shares for share in side])
    if total.value is None or not outcome(total.low, total.high, obstacle=total.obstacle).excludes_zero:
        return None
    second_is_larger = row.size * total.value > 0
    tests = [change.after if second_is_larger else change.before for change in changes]
    larger = mean_size(shares[second_is_larger])
    rows = [row for change in changes for row in (change.before, change.after)]
    obstacle = next((row.reason for row in rows if row.reason is not None), None) or obstacle_of(tests)
    if outcome(larger.low, larger.high, obstacle=obstacle or larger.obstacle).outcome not in FOUND:
        return None
    return row.change_from if second_is_larger else row.change_to
