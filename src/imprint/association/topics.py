"""One estimate per topic: the mean of what its tests measure, with an interval over the words that they share.

Seven tests of race that ask about the same 32 names are not seven findings. Every test about people counts once; a
test that is left with too few words is named and does not count.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from imprint.association.cosines import mean
from imprint.association.evidence import CosineTable
from imprint.association.rows import AssociationResult
from imprint.rows import Row, SkippedRow
from imprint.significance.crossed import FEWEST_UNITS
from imprint.significance.pooled import UnitTable, pooled
from imprint.stimuli.definition import CONTROL
from imprint.stimuli.inflection import units

_CONFIDENCE = 0.95


class TopicRow(Row, frozen=True, kw_only=True, tag="topic"):
    """The mean difference of a topic's tests, and its interval over words; an estimate, which is not judged.

    `n_words` counts a word and its inflections once. `p_words` is two-sided and not corrected. The tests in
    `tests_left_out` have too few words to count.
    """

    topic: str
    tests: tuple[str, ...]
    tests_left_out: tuple[str, ...] = ()
    mean_difference: float | None = None
    words_low: float | None = None
    words_high: float | None = None
    p_words: float | None = None
    n_words: int = 0


@dataclass(frozen=True, eq=False)
class TopicTest:
    """What a topic takes of one test."""

    test: str
    topics: tuple[str, ...]
    mean_difference: float
    table: CosineTable
    enough: bool


def topic_rows(
    results: Sequence[AssociationResult], skipped: Sequence[SkippedRow] = (), part: str | None = None
) -> list[TopicRow]:
    """Return one row per topic of the results, which are all of one subject and by words.

    Tests that were not run count among those left out.
    """
    tests = [
        TopicTest(one.test.id, one.test.topics, one.mean_difference, one.table, one.case.enough) for one in results
    ]
    return [
        TopicRow(
            test=topic,
            embedding=results[0].embedding,
            embedding_sha256=results[0].embedding_sha256,
            seed=results[0].seed,
            part=part,
            **fields | {"tests_left_out": (*fields.get("tests_left_out", ()), *_not_run(topic, fields, skipped))},
        )
        for topic, fields in by_topic(tests).items()
    ]


def _not_run(topic: str, fields: Mapping[str, Any], skipped: Sequence[SkippedRow]) -> list[str]:
    """Return the tests of a topic that were not run in any way."""
    ran = {*fields.get("tests", ()), *fields.get("tests_left_out", ())}
    return [test for test in dict.fromkeys(row.test for row in skipped if topic in row.topics) if test not in ran]


def by_topic(tests: Iterable[TopicTest]) -> Mapping[str, dict[str, Any]]:
    """Return the estimate of each topic about people, as the fields of its row."""
    topics: dict[str, list[TopicTest]] = {}
    for test in tests:
        for topic in test.topics if CONTROL not in test.topics else ():
            topics.setdefault(topic, []).append(test)
    return {topic: {"topic": topic} | _estimate(own) for topic, own in topics.items()}


def _estimate(tests: Sequence[TopicTest]) -> dict[str, Any]:
    numbers = _number_units(tests)
    tables = [_numbered(one.table, numbers) for one in tests]
    kept = [place for place, one in enumerate(tests) if one.enough and tables[place].fewest >= FEWEST_UNITS]
    names = tuple(one.test for one in tests)
    counted = tuple(dict.fromkeys(names[place] for place in kept))
    fields: dict[str, Any] = {
        "tests": counted,
        "tests_left_out": tuple(dict.fromkeys(one for one in names if one not in counted)),
    }
    if not kept:
        return fields
    found = pooled([tables[place] for place in kept], confidence=_CONFIDENCE)
    words = {unit for place in kept for unit in (*tables[place].rows.tolist(), *tables[place].columns.tolist())}
    fields |= {"mean_difference": mean(np.array([tests[place].mean_difference for place in kept]))}
    if found is not None:
        fields |= {"words_low": found.low, "words_high": found.high, "p_words": found.p_value}
    return fields | {"n_words": len(words)}


def _number_units(tests: Iterable[TopicTest]) -> dict[str, int]:
    """Return the number of each word's unit: a word and its inflections are one, whichever sets they are in."""
    words = list(dict.fromkeys(word for one in tests for word in (*one.table.targets, *one.table.attributes)))
    _, numbers = np.unique(units(words), return_inverse=True)
    return dict(zip(words, numbers.tolist(), strict=True))


def _numbered(table: CosineTable, numbers: Mapping[str, int]) -> UnitTable:
    rows, columns = (np.array([numbers[word] for word in words]) for words in (table.targets, table.attributes))
    return UnitTable(table.cosines, table.n_x, table.n_a, rows, columns)
