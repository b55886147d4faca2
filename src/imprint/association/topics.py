"""Sizes of several contrasts together, with an interval over the words that they share: per topic, and of a 2 x 2.

A topic has the mean of what its tests measure. Two tests that ask about the same names are not two findings. The
questions of a topic count, or its tests where none of its questions could be answered; each counts once. A test
without a size is named and does not count.

The names of X and Y can be split by the gender of their bearers, which gives a 2 x 2: what is of the group, what of
gender, and what is neither alone. The group's effect is the mean of the sizes among women and among men, gender's that
of women against men within X and within Y. The interaction is the size among women less that among men: zero where
both effects just add up. All are sums of sizes over the same words, so one function gives their intervals.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import numpy as np

from imprint.association.rows import Measured, OutcomeRow, SizedRow, Tested, TopicRow
from imprint.association.sizes import size_fields
from imprint.association.vectors import SetVectors, shares_of, unit_numbers
from imprint.rows import SkippedRow, shown
from imprint.significance.outcomes import Reason, Size
from imprint.significance.shares import ShareOfDistance, combined, mean_size
from imprint.stimuli.definition import CONTROL
from imprint.stimuli.names import ONE_SEX, first_names
from imprint.threads import single_threaded
from imprint.types import Ints

Parts = list[tuple[ShareOfDistance, float]]


def topic_rows(
    measured: Sequence[Measured[Tested]], skipped: Sequence[SkippedRow] = (), part: str | None = None
) -> list[TopicRow]:
    """Return one row per topic of each subject's tests; tests that were not run are among those left out."""
    subjects = dict.fromkeys(test.row.embedding_sha256 for test in measured if test.words is not None)
    return [
        row
        for subject in subjects
        for row in _topics_of(
            [test for test in measured if test.words is not None and test.row.embedding_sha256 == subject],
            [row for row in skipped if row.embedding_sha256 == subject],
            part,
        )
    ]


def by_topic(measured: Iterable[Measured[Tested]]) -> Mapping[str, list[Measured[Tested]]]:
    """Return what is asked about each topic of people: its questions; its tests where no question has an answer."""
    found: dict[str, list[Measured[Tested]]] = {}
    for test in measured:
        for topic in test.row.topics if CONTROL not in test.row.topics else ():
            found.setdefault(topic, []).append(test)
    return {topic: _questions(own) or own for topic, own in found.items()}


def left_out(
    topic: str,
    asked: Sequence[Measured[Any]],
    counted: Sequence[Measured[Any]],
    skipped: Sequence[SkippedRow],
) -> tuple[str, ...]:
    """Return the tests of a topic that do not count; where questions do, tests that were not run are not missed."""
    tests = dict.fromkeys(test.row.test for test in counted)
    by_questions = any(test.row.is_question for test in counted)
    not_run = (row.test for row in skipped if topic in row.topics and (row.is_question or not by_questions))
    every = (*(test.row.test for test in asked), *not_run)
    return tuple(dict.fromkeys(name for name in every if name not in tests))


def n_units(shares: Sequence[ShareOfDistance]) -> int:
    """Count the different units of several tests."""
    units = [sample.units for share in shares for sample in share.samples]
    return len(np.unique(np.concatenate(units))) if units else 0


def obstacle_of(rows: Iterable[OutcomeRow]) -> Reason | None:
    """Return what keeps several tests together from an answer: what keeps one of them from it."""
    return next((row.obstacle for row in rows if row.obstacle is not None), None)


class InteractionRow(SizedRow, frozen=True, kw_only=True, tag="interaction"):
    """How much more, or less, X and Y differ among women's names than among men's."""

    size: Annotated[
        float | None,
        shown(
            "Interaction",
            "The size among women's names less that among men's, with its 99.5 % interval over words. Zero where the "
            "effects of group and gender just add up.",
            shape="percent",
        ),
    ] = None
    size_women: Annotated[float | None, shown("Among women", "The size among women's names.", shape="percent")] = None
    size_men: Annotated[float | None, shown("Among men", "The size among men's names.", shape="percent")] = None
    group_size: Annotated[float | None, shown("Group", "The mean of both: the effect of X or Y.", shape="percent")] = (
        None
    )
    group_size_low: Annotated[float | None, shown("Group, low", shape="percent")] = None
    group_size_high: Annotated[float | None, shown("Group, high", shape="percent")] = None
    gender_size: Annotated[
        float | None,
        shown("Gender", "How much nearer women's names are to A than men's, within X and Y.", shape="percent"),
    ] = None
    gender_size_low: Annotated[float | None, shown("Gender, low", shape="percent")] = None
    gender_size_high: Annotated[float | None, shown("Gender, high", shape="percent")] = None
    cell_sizes: Annotated[
        tuple[int, ...], shown("Names", "Women's names of X and of Y, then men's of X and of Y.")
    ] = ()
    left_out: Annotated[tuple[str, ...], shown("Left out", "Names that are not of one gender, or not known.")] = ()


def interaction_rows(measured: Iterable[Measured[Any]]) -> list[InteractionRow]:
    """Return a row for every test whose X and Y both have names of women and of men."""
    rows = []
    for row, words in measured:
        if words is not None and min(map(len, cells := by_gender(words))) > 1:
            rows.append(_row(row, words, cells))
    return rows


def by_gender(words: SetVectors) -> list[Ints]:
    """Return the places of women's names of X and of Y, then of men's."""
    table = first_names()
    shares = np.array([_share_of_women(table.index.get(name), table.share_women) for name in words.target_words])
    in_x = np.arange(len(shares)) < words.n_x
    return [
        np.flatnonzero(is_gender & is_set)
        for is_gender in (shares >= ONE_SEX, shares <= 1 - ONE_SEX)
        for is_set in (in_x, ~in_x)
    ]


def contrasts(words: SetVectors, cells: Sequence[Ints]) -> dict[str, Parts]:
    """Return the sizes that each effect of a 2 x 2 is a sum of, with their weights."""
    ((targets, attributes),) = unit_numbers([words])

    def share(first: Ints, second: Ints) -> ShareOfDistance:
        rows = [*first, *second]
        units = ([targets[row] for row in rows], attributes)
        return ShareOfDistance.of(words.targets[rows], words.attributes, len(first), words.n_a, units=units)

    women_x, women_y, men_x, men_y = cells
    among = share(women_x, women_y), share(men_x, men_y)
    within = share(women_x, men_x), share(women_y, men_y)
    return {
        "interaction": [(among[0], 1.0), (among[1], -1.0)],
        "group": [(size, 0.5) for size in among],
        "gender": [(size, 0.5) for size in within],
    }


def _topics_of(
    measured: Sequence[Measured[Tested]], skipped: Sequence[SkippedRow], part: str | None
) -> Iterator[TopicRow]:
    first = measured[0].row
    for topic, of_topic in by_topic(measured).items():
        counted = [test for test in of_topic if test.row.size_low is not None]
        shares = _shares(counted)
        size = mean_size(shares) if shares else Size(None)
        yield TopicRow(
            test=topic,
            embedding=first.embedding,
            embedding_sha256=first.embedding_sha256,
            seed=first.seed,
            part=part,
            topic=topic,
            tests=tuple(test.row.test for test in counted),
            tests_left_out=left_out(topic, of_topic, counted, skipped),
            test_outcomes=tuple(test.row.outcome for test in of_topic if test.row.outcome is not None),
            n_words=n_units(shares),
            **size_fields(size, obstacle_of(test.row for test in counted or of_topic)),
        )


def _questions(measured: Sequence[Measured[Tested]]) -> list[Measured[Tested]]:
    questions = [test for test in measured if test.row.is_question]
    return questions if any(question.row.size_low is not None for question in questions) else []


def _shares(measured: Sequence[Measured[Any]]) -> list[ShareOfDistance]:
    return shares_of([test.words for test in measured if test.words is not None])


def _share_of_women(row: int | None, shares: np.ndarray) -> float:
    return np.nan if row is None else float(shares[row])


def _row(row: Any, words: SetVectors, cells: Sequence[Ints]) -> InteractionRow:
    with single_threaded():
        parts = contrasts(words, cells)
        sizes = {name: combined(of_effect) for name, of_effect in parts.items()}
    women, men = (share.value for share, _ in parts["interaction"])
    in_cells = {int(index) for cell in cells for index in cell}
    return InteractionRow(
        **{field: getattr(row, field) for field in ("test", "title", "topics", "sets", "source", "language")},
        **{field: getattr(row, field) for field in ("embedding", "embedding_sha256", "seed", "missing")},
        part=row.part or (row.kind if row.kind != "weat" else None),
        **size_fields(sizes["interaction"], row.obstacle if row.obstacle == "frequency" else None),
        size_women=women,
        size_men=men,
        **sizes["group"].fields("group_size"),
        **sizes["gender"].fields("gender_size"),
        cell_sizes=tuple(map(len, cells)),
        left_out=tuple(name for index, name in enumerate(words.target_words) if index not in in_cells),
        n_a=words.n_a,
        n_b=words.n_b,
    )
