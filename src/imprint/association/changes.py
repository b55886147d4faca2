"""What changed between two versions of a subject: every test asked of both, on the words that both have.

A change is the size after less that before, with its interval over words: the same words are in both, so what they
share cancels. Frequency needs no check here, since the words of both are the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from imprint.association.cosines import Effect
from imprint.association.rows import AssociationRow, Measured, MeasuredRows, SizedRow, Tested, TopicRow
from imprint.association.sizes import lack_words, size_fields
from imprint.association.topics import by_topic, left_out, n_units, obstacle_of
from imprint.association.vectors import SetVectors, shares_of, words_of_both
from imprint.rows import Row, shown
from imprint.significance.outcomes import Size
from imprint.significance.shares import change_of_size

_ABOUT = ("title", "topics", "sets", "source", "language", "adapted")  # what a change is about is what the test is

_SIZE_BEFORE = shown("Before", "The size in the first.", shape="percent")
_SIZE_AFTER = shown("After", "The size in the second.", shape="percent")
_FROM = shown("From", "Name of the first.")
_TO = shown("To", "Name of the second.")
_SHA256_BEFORE = shown("SHA-256 before", "Hash of the first.", shape="word")
_CHANGE = shown(
    "Change",
    "The size after less that before, with its 99.5 % interval over words.",
    shape="percent",
)


class ChangeRow(SizedRow, frozen=True, kw_only=True, tag="change"):
    """How the size of a test changed from one subject to another, on the words that both have.

    `missing` are words that one of the two does not have.
    """

    size: Annotated[float | None, _CHANGE] = None
    size_before: Annotated[float | None, _SIZE_BEFORE] = None
    size_after: Annotated[float | None, _SIZE_AFTER] = None
    effect_size: Annotated[float | None, shown("Change of d", "The second's d less the first's.")] = None
    effect_size_before: Annotated[float | None, shown("d before", "d in the first.")]
    effect_size_after: Annotated[float | None, shown("d after", "d in the second.")]
    is_question: Annotated[bool, shown("Question", "Whether it is a standard question.")] = False
    n_x: Annotated[int, shown("Words of X", "Words of X that both have.")]
    n_y: Annotated[int, shown("Words of Y", "Words of Y that both have.")]
    change_from: Annotated[str, _FROM]
    change_to: Annotated[str, _TO]
    other_sha256: Annotated[str, _SHA256_BEFORE]


class TopicChangeRow(TopicRow, frozen=True, kw_only=True, tag="topic-change"):
    """How the mean size of a topic's tests changed from one subject to another."""

    size: Annotated[float | None, _CHANGE] = None
    size_before: Annotated[float | None, _SIZE_BEFORE] = None
    size_after: Annotated[float | None, _SIZE_AFTER] = None
    change_from: Annotated[str, _FROM]
    change_to: Annotated[str, _TO]
    other_sha256: Annotated[str, _SHA256_BEFORE]


@dataclass(frozen=True, eq=False)
class TestChange:
    """One test before and after, on the words that both have."""

    before: AssociationRow
    after: AssociationRow
    words: tuple[SetVectors, SetVectors]

    @cached_property
    def row(self) -> ChangeRow:
        """The row of the change."""
        first, second = map(_effect, self.words)
        few = lack_words(self.words[0], (side.words for side in self.before.sets))
        return ChangeRow(
            test=self.before.test,
            **{name: getattr(self.before, name) for name in _ABOUT},
            **_between(self.before, self.after),
            **(size_fields(Size(None, obstacle="few words")) if few else _change([self.words])),
            effect_size=second - first,
            effect_size_before=first,
            effect_size_after=second,
            is_question=self.before.is_question,
            missing=self._missing,
            **self.words[0].sizes,
        )

    @property
    def _missing(self) -> tuple[str, ...]:
        shared = {*self.words[0].target_words, *self.words[0].attribute_words}
        words = (word for side in self.before.sets for word in side.words)
        return tuple(dict.fromkeys(word for word in words if word not in shared))


def change_rows(
    before: Sequence[Measured[Tested]], after: Sequence[Measured[Tested]]
) -> list[ChangeRow | TopicChangeRow]:
    """Return one row per test that has a size in both, and one per topic."""
    changes = test_changes(before, after)
    return [*(change.row for change in changes), *topic_changes(changes)]


def test_changes(before: Sequence[Measured[Tested]], after: Sequence[Measured[Tested]]) -> list[TestChange]:
    """Return the tests that both were asked and have enough words of."""
    others = {test.row.test: test for test in after}
    return [
        TestChange(test.row, others[test.row.test].row, words)
        for test in before
        if test.row.test in others and (words := _shared(test, others[test.row.test])) is not None
    ]


def before_and_after(before: MeasuredRows[Any], after: MeasuredRows[Any]) -> list[Row]:
    """Return the rows of the same tests before and after, what changed, and what could not be run."""
    tests = [test.row for battery in (before, after) for test in battery.measured]
    return [*tests, *change_rows(before.measured, after.measured), *before.skipped, *after.skipped]


def _shared(before: Measured[Any], after: Measured[Any]) -> tuple[SetVectors, SetVectors] | None:
    return None if before.words is None or after.words is None else words_of_both(before.words, after.words)


def topic_changes(changes: Sequence[TestChange]) -> Iterator[TopicChangeRow]:
    """Return one row per topic of tests that changed from one subject to another."""
    by_test = {change.before.test: change for change in changes}
    for topic, asked in by_topic([Measured(change.before, change.words[0]) for change in changes]).items():
        counted = [test for test in asked if by_test[test.row.test].row.size_low is not None]
        words = [by_test[test.row.test].words for test in counted]
        obstacle = obstacle_of(by_test[test.row.test].row for test in asked)
        change = _change(words) if words else size_fields(Size(None, obstacle=obstacle))
        yield TopicChangeRow(
            test=topic,
            topic=topic,
            **_between(changes[0].before, changes[0].after),
            **change,
            tests=tuple(test.row.test for test in counted),
            tests_left_out=left_out(topic, asked, counted, ()),
            n_words=n_units(shares_of([first for first, _ in words])),
        )


def _change(words: Sequence[tuple[SetVectors, SetVectors]]) -> dict[str, Any]:
    """Return the mean size before and after of several tests, and the fields of its change."""
    before, after = (shares_of(side) for side in zip(*words, strict=True))
    sizes = [[share.value for share in shares] for shares in (before, after)]
    means = [None if None in side else float(np.mean(np.array(side, dtype=np.float64))) for side in sizes]
    return {"size_before": means[0], "size_after": means[1], **size_fields(change_of_size(before, after))}


def _effect(words: SetVectors) -> float:
    scores = words.targets @ words.share.v
    return Effect.of(*np.split(scores, [words.n_x])).effect_size


def _between(before: AssociationRow, after: AssociationRow) -> Mapping[str, Any]:
    return {
        "embedding": before.embedding,
        "embedding_sha256": before.embedding_sha256,
        "change_from": before.embedding,
        "change_to": after.embedding,
        "other_sha256": after.embedding_sha256,
        "seed": before.seed,
    }
