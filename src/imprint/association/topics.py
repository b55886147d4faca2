"""One size per topic: the mean of what its tests measure, with an interval over the words that they share.

Two tests that ask about the same names are not two findings. The questions of a topic count, or its tests where none
of its questions could be answered; each counts once. A test without a size is named and does not count.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from imprint.association.rows import OBSTACLE, OUTCOME, REASON, SIZE, SIZE_HIGH, SIZE_LOW, Measured, OutcomeRow, Tested
from imprint.association.sizes import size_fields
from imprint.association.vectors import shares_of
from imprint.rows import Row, SkippedRow, shown
from imprint.significance.outcomes import FOUND, Reason, Size, SizeOutcome
from imprint.significance.shares import ShareOfDistance, mean_size
from imprint.stimuli.definition import CONTROL


class TopicRow(Row, frozen=True, kw_only=True, tag="topic"):
    """The mean size of a topic's tests, with its interval over words."""

    topic: Annotated[str, shown("Topic")]
    size: Annotated[float | None, SIZE] = None
    size_low: Annotated[float | None, SIZE_LOW] = None
    size_high: Annotated[float | None, SIZE_HIGH] = None
    outcome: Annotated[SizeOutcome | None, OUTCOME] = None
    reason: Annotated[Reason | None, REASON] = None
    obstacle: Annotated[Reason | None, OBSTACLE] = None
    tests: Annotated[tuple[str, ...], shown("Tests", "Questions about the topic, or tests where there are none.")]
    tests_left_out: Annotated[tuple[str, ...], shown("Left out", "Those without a size, or that did not run.")] = ()
    test_outcomes: Annotated[
        tuple[SizeOutcome, ...], shown("Of its questions", "The outcome of each of its questions or tests.")
    ] = ()
    n_words: Annotated[
        int, shown("Words", "Different words of these tests; a word and its inflections count once.")
    ] = 0

    @property
    def found(self) -> bool:
        """Whether the interval shows a difference."""
        return self.outcome in FOUND

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 99.5 % interval over words, which the outcome is about; None where there is none."""
        return None if self.size_low is None or self.size_high is None else (self.size_low, self.size_high)

    @property
    def tests_asked(self) -> tuple[str, ...]:
        """The tests whose words it counts."""
        return self.tests

    def lost_most(self) -> str | None:
        """Say that most of its tests were left out."""
        asked = len(self.tests) + len(self.tests_left_out)
        return f"{len(self.tests)} of its {asked} tests have a size" if 2 * len(self.tests) < asked else None


def topic_rows(
    measured: Sequence[Measured[Tested]], skipped: Sequence[SkippedRow] = (), part: str | None = None
) -> list[TopicRow]:
    """Return one row per topic of each subject's tests; tests that were not run are among those left out."""
    subjects = dict.fromkeys(one.row.embedding_sha256 for one in measured if one.words is not None)
    return [
        row
        for subject in subjects
        for row in _topics_of(
            [one for one in measured if one.words is not None and one.row.embedding_sha256 == subject],
            [row for row in skipped if row.embedding_sha256 == subject],
            part,
        )
    ]


def _topics_of(
    measured: Sequence[Measured[Tested]], skipped: Sequence[SkippedRow], part: str | None
) -> Iterator[TopicRow]:
    first = measured[0].row
    for topic, own in by_topic(measured).items():
        counted = [one for one in own if one.row.size_low is not None]
        shares = _shares(counted)
        size = mean_size(shares) if shares else Size(None)
        yield TopicRow(
            test=topic,
            embedding=first.embedding,
            embedding_sha256=first.embedding_sha256,
            seed=first.seed,
            part=part,
            topic=topic,
            tests=tuple(one.row.test for one in counted),
            tests_left_out=left_out(topic, own, counted, skipped),
            test_outcomes=tuple(one.row.outcome for one in own if one.row.outcome is not None),
            n_words=n_units(shares),
            **size_fields(size, obstacle_of(one.row for one in counted or own)),
        )


def by_topic(measured: Iterable[Measured[Tested]]) -> Mapping[str, list[Measured[Tested]]]:
    """Return what is asked about each topic of people: its questions; its tests where no question has an answer."""
    found: dict[str, list[Measured[Tested]]] = {}
    for one in measured:
        for topic in one.row.topics if CONTROL not in one.row.topics else ():
            found.setdefault(topic, []).append(one)
    return {topic: _questions(own) or own for topic, own in found.items()}


def left_out(
    topic: str,
    asked: Sequence[Measured[Any]],
    counted: Sequence[Measured[Any]],
    skipped: Sequence[SkippedRow],
) -> tuple[str, ...]:
    """Return the tests of a topic that do not count; where questions do, tests that were not run are not missed."""
    tests = dict.fromkeys(one.row.test for one in counted)
    by_questions = any(one.row.is_question for one in counted)
    not_run = (row.test for row in skipped if topic in row.topics and (row.is_question or not by_questions))
    return tuple(dict.fromkeys(test for test in (*(one.row.test for one in asked), *not_run) if test not in tests))


def n_units(shares: Sequence[ShareOfDistance]) -> int:
    """Count the different units of several tests."""
    units = [sample.units for share in shares for sample in share.samples]
    return len(np.unique(np.concatenate(units))) if units else 0


def obstacle_of(rows: Iterable[OutcomeRow]) -> Reason | None:
    """Return what keeps several tests together from an answer: what keeps one of them from it."""
    return next((row.obstacle for row in rows if row.obstacle is not None), None)


def _questions(measured: Sequence[Measured[Tested]]) -> list[Measured[Tested]]:
    asked = [one for one in measured if one.row.is_question]
    return asked if any(one.row.size_low is not None for one in asked) else []


def _shares(measured: Sequence[Measured[Any]]) -> list[ShareOfDistance]:
    return shares_of([one.words for one in measured if one.words is not None])
