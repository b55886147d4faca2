"""One estimate per topic: the mean of what its tests measure, with an interval over the words that they share.

Two tests of race that ask about the same 32 names are not two findings. Every test about people counts once; a
test that is left with too few words is named and does not count.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeVar

import numpy as np

from imprint.association.cosines import mean
from imprint.association.evidence import CosineTable
from imprint.association.rows import P_WORDS, WORDS_HIGH, WORDS_LOW, AssociationResult
from imprint.rows import Row, SkippedRow, shown
from imprint.significance.crossed import FEWEST_UNITS
from imprint.significance.pooled import UnitTable, pooled
from imprint.stimuli.definition import CONTROL, WeatTest
from imprint.stimuli.inflection import units

_CONFIDENCE = 0.95

_Test = TypeVar("_Test", WeatTest, "TopicTest")


class TopicRow(Row, frozen=True, kw_only=True, tag="topic"):
    """The mean difference of a topic's tests, and its interval over words; an estimate, which is not judged."""

    topic: Annotated[str, shown("Topic")]
    tests: Annotated[tuple[str, ...], shown("Tests", "Tests about people that ask about the topic.")]
    tests_left_out: Annotated[
        tuple[str, ...], shown("Left out", "Tests with too few words, or that did not run.")
    ] = ()
    mean_difference: Annotated[
        float | None,
        shown(
            "Mean difference",
            "Mean of the tests' mean differences, with its 95 % interval over words and any sentences.",
            digits=3,
            ends="words",
        ),
    ] = None
    words_low: Annotated[float | None, WORDS_LOW] = None
    words_high: Annotated[float | None, WORDS_HIGH] = None
    p_words: Annotated[float | None, P_WORDS] = None
    n_words: Annotated[
        int, shown("Words", "Different words of these tests; a word and its inflections count once.")
    ] = 0

    @property
    def tests_asked(self) -> tuple[str, ...]:
        """The tests whose words it counts."""
        return self.tests

    def lost_most(self) -> str | None:
        """Say that most of its tests were left out."""
        asked = len(self.tests) + len(self.tests_left_out)
        return f"{len(self.tests)} of its {asked} tests have words enough" if 2 * len(self.tests) < asked else None


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
    return {topic: {"topic": topic} | _estimate(own) for topic, own in tests_by_topic(tests).items()}


def tests_by_topic(tests: Iterable[_Test]) -> dict[str, list[_Test]]:
    """Return the tests about people of each topic."""
    found: dict[str, list[_Test]] = {}
    for test in tests:
        for topic in test.topics if CONTROL not in test.topics else ():
            found.setdefault(topic, []).append(test)
    return found


def _estimate(tests: Sequence[TopicTest]) -> dict[str, Any]:
    tables = number_units([one.table for one in tests])
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
    words = {
        unit for place in kept for unit in np.concatenate([role.units for role in tables[place].roles()]).tolist()
    }
    fields |= {"mean_difference": mean(np.array([tests[place].mean_difference for place in kept]))}
    if found is not None:
        fields |= {"words_low": found.low, "words_high": found.high, "p_words": found.p_value}
    return fields | {"n_words": len(words)}


def number_units(tables: Sequence[CosineTable]) -> list[UnitTable]:
    """Give numbers to the units of all tables: templates, and words with their inflections, in whichever sets."""
    return list(map(numbering(tables), tables))


def numbering(tables: Iterable[CosineTable]) -> Callable[[CosineTable], UnitTable]:
    """Return what numbers the units of these tables, and of others of the same words and templates."""
    listed = list(tables)
    words = list(dict.fromkeys(word for one in listed for word in (*one.targets, *one.attributes)))
    _, own = np.unique(units(words), return_inverse=True)
    numbers = dict(zip(words, own.tolist(), strict=True))
    names = dict.fromkeys(name for one in listed if one.sentences is not None for name in one.sentences.templates)
    templates = {name: len(words) + place for place, name in enumerate(names)}
    known: dict[Hashable, UnitTable] = {}

    def number(one: CosineTable) -> UnitTable:
        # Tables of the same words, of however many subjects, share what depends on the words alone.
        own = one.sentences
        layout = (one.targets, one.attributes, one.n_x, one.n_a, own and (own.targets, own.attributes))
        if layout not in known:
            known[layout] = one.numbered(
                [numbers[word] for word in one.targets], [numbers[word] for word in one.attributes], templates
            )
        return replace(known[layout], cosines=one.cosines if own is None else own.cosines)

    return number
