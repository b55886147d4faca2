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
from imprint.association.rows import AssociationRow, Measured
from imprint.association.topics import obstacle_of
from imprint.association.vectors import shares_of
from imprint.boards.rows import BoardDifferenceRow, BoardTopicDifferenceRow
from imprint.rows import WordList, WordValue, word_values
from imprint.significance.outcomes import FOUND, outcome
from imprint.significance.shares import combined, mean_size

_STRONGEST = 5  # words of each group that are named where they move a difference

DifferenceRow = BoardDifferenceRow | BoardTopicDifferenceRow


def differences(first: Sequence[Measured[Any]], second: Sequence[Measured[Any]]) -> Iterator[DifferenceRow]:
    """Return how two models differ in each question, in tests where a topic has no question, and in each topic."""
    changes = {change.before.test: change for change in test_changes(first, second)}
    topics = list(topic_changes([*changes.values()]))
    counted = {test for row in topics for test in (*row.tests, *row.tests_left_out)}
    rows: dict[str, BoardDifferenceRow] = {}
    for test, change in changes.items():
        if test in counted or not change.before.topics:
            own = {
                "sets": names_of(change.row.sets),
                "scores": _moves(change),
                "less": _less(change.row, [change]),
                **_ends([change]),
            }
            rows[test] = BoardDifferenceRow(**msgspec.structs.asdict(change.row) | own)
    yield from rows.values()
    for row in topics:
        of_topic = [changes[test] for test in row.tests]
        less = _less(row, of_topic)
        if any(rows[test].less not in (None, less) for test in row.tests):
            less = None
        fields = msgspec.structs.asdict(row) | {"less": less} | _ends(of_topic)
        fields["test_outcomes"] = tuple(rows[test].outcome or "cannot tell" for test in row.tests)
        yield BoardTopicDifferenceRow(**fields)


def names_of(sets: Sequence[WordList]) -> tuple[WordList, ...]:
    """Return word sets without their words: the models' own findings have these."""
    return tuple(WordList(one.role, one.name, ()) for one in sets)


def _ends(changes: Sequence[TestChange]) -> dict[str, float | None]:
    """Return the ends of the intervals of both models' sizes, on the words that both have."""
    ends: dict[str, float | None] = {}
    for side, when in enumerate(("before", "after") if changes else ()):
        row: AssociationRow = getattr(changes[0], when)
        words = [change.words[side] for change in changes]
        if len(changes) == 1 and words[0].counts == (row.n_x, row.n_y, row.n_a, row.n_b):  # all that the model has
            low, high = row.size_low, row.size_high
        else:
            size = mean_size(shares_of(words))
            low, high = size.low, size.high
        ends |= {f"size_{when}_low": low, f"size_{when}_high": high}
    return ends


def _moves(change: TestChange) -> tuple[WordValue, ...]:
    """Return the words of X, then of Y, that make the difference larger without its sign, the strongest first."""
    sizes = [words.share.value for words in change.words]
    if sizes[0] is None or sizes[1] is None:
        return ()
    first, second = (words.targets @ words.share.v / float(words.share.distance) for words in change.words)
    moves = second - first
    moves -= (moves[: change.words[0].n_x].mean() + moves[change.words[0].n_x :].mean()) / 2
    values: dict[str, float] = {}
    for group, sign in ((slice(None, change.words[0].n_x), 1), (slice(change.words[0].n_x, None), -1)):
        by_word = dict(zip(change.words[0].target_words[group], moves[group].tolist(), strict=True))
        towards = sign if sizes[1] > sizes[0] else -sign
        strongest = sorted(by_word, key=lambda word: -towards * by_word[word])[:_STRONGEST]
        values |= {word: by_word[word] for word in strongest if towards * by_word[word] > 0}
    return word_values(values)


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
