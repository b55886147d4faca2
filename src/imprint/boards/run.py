"""A board: every subject asked the same, each with its own evidence, and the differences corrected together."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from itertools import count, permutations
from pathlib import Path
from typing import Any, get_args

import msgspec

from imprint.association.rows import AssociationRow
from imprint.association.topics import by_topic, tests_by_topic
from imprint.association.verdicts import FOUND, best_known, check_alpha
from imprint.boards.comparing import (
    LEAST_AGREEMENT,
    SPLITS,
    PairEstimate,
    TopicRanks,
    compare_pairs,
    compare_subjects,
    spread_of,
    topic_tests,
)
from imprint.boards.rows import PART, BoardDifferenceRow, BoardRankingRow, BoardRow, BoardTestRow
from imprint.boards.subjects import Asked, BoardEntry, Measured, board_unit
from imprint.checks import SizeScale, check_choice
from imprint.errors import ImprintError, SettingError
from imprint.evaluation.controls import ControlsRow, judged_by
from imprint.evaluation.similarity import SimilarityRow
from imprint.files import FilePath
from imprint.rows import Result, Row, skipped
from imprint.significance.corrections import DRAWS
from imprint.stimuli.catalog import about, tests_in
from imprint.stimuli.definition import CONTROL, WeatTest
from imprint.subjects.opening import EncoderLike
from imprint.threads import single_threaded
from imprint.types import Report
from imprint.work import run_units

_SIZES = ("mean_difference", "words_low", "words_high")
QUALITY = "men"  # the largest of the bundled benchmarks, so the one with the narrowest interval


@dataclass(frozen=True, repr=False)
class Board(Result):
    """The result of a board.

    Attributes
    ----------
    rows
        Rows per subject and topic, per subject and test, per pair and topic, and per topic; failed subjects last.
    subjects
        The rows of each subject, in the order of the board.
    """

    rows: tuple[Row, ...]
    subjects: tuple[tuple[Row, ...], ...]

    def findings(self) -> list[Row]:
        """Return the board's own rows."""
        return list(self.rows)

    def __repr__(self) -> str:
        ranks = [row for row in self.rows if isinstance(row, BoardRankingRow)]
        ranked = sum(row.has_order for row in ranks)
        return f"Board({len(self.subjects)} subjects; {ranked} of {len(ranks)} topics ranked)"


def board(
    subjects: Sequence[EncoderLike] | Mapping[str, EncoderLike] | Sequence[BoardEntry],
    *,
    tests: Sequence[WeatTest] | None = None,
    topics: Sequence[str] = (),
    scale: SizeScale = "cosine",
    alpha: float = 0.05,
    cache: FilePath | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    folder: FilePath | None = None,
    report: Report | None = None,
) -> Board:
    """Ask many embeddings and encoders the same tests, and say which of them differ.

    Parameters
    ----------
    subjects
        Embeddings and encoders, each as `open_subject` accepts it; a dictionary gives them names.
    tests
        WEATs to run; by default the catalogue's English ones. Encoders are asked in sentences.
    topics
        Run only the tests about these, such as `gender`, and show no other topics.
    scale
        "cosine" compares mean differences in cosines. "spread" divides them by the standard deviation of each
        subject's own cosines, because models differ in it.
    alpha
        Chance of any false discovery among a subject's tests, and among the differences between subjects.
    cache
        A file where encodings are kept between runs.
    seed
        Seed of everything random.
    executor
        Any `concurrent.futures.Executor` to measure the subjects.
    folder
        Where measured subjects are kept; what is there and unchanged is not measured again.
    report
        Called with the subject that is done, the number of subjects done and the total number. Then called likewise
        with the topics in which they are compared.

    Returns
    -------
    Board
        Sizes, differences and ranks; a subject that could not be measured is a row with the reason.

    Examples
    --------
    >>> imprint.board({"GloVe": "default", "average of GloVe": "cbow"}, topics=["gender"])
    Board(2 subjects; 1 of 1 topics ranked)
    """
    check_alpha(alpha)
    if alpha * (1 + DRAWS) < 1:
        raise SettingError(option="alpha", got=alpha, expected=f"at least 1 in {1 + DRAWS:,}, as words are resampled")
    check_choice("scale", scale, get_args(SizeScale))
    entries = _entries(subjects)
    chosen = [test for test in tests_in("en") if isinstance(test, WeatTest)] if tests is None else tests
    asked = Asked(about(tuple(chosen), topics), alpha, seed, None if cache is None else Path(cache))
    units = [board_unit(entry, asked) for entry in entries]
    outcomes = run_units(units, executor=executor, folder=folder, report=report)
    found = _named_apart(
        [
            (entry, Measured.read(outcome))
            for entry, outcome in zip(entries, outcomes, strict=True)
            if isinstance(outcome, bytes)
        ]
    )
    failed = [
        skipped((entry.shown, ""), entry.shown, entry.shown, outcome, part=PART, seed=seed)
        for entry, outcome in zip(entries, outcomes, strict=True)
        if isinstance(outcome, ImprintError)
    ]
    if not found:
        raise SettingError("no subject could be measured", hint=f"for example, {failed[0].test}: {failed[0].reason}")
    with single_threaded():  # the tables are small, and threads would wait for each other
        rows = _board_rows(found, asked, scale, topics, report)
    return Board((*rows, *failed), tuple(tuple(one.rows()) for one in found))


def _entries(subjects: Any) -> list[BoardEntry]:
    if isinstance(subjects, str | os.PathLike):
        hint = "put it into a list"
        raise SettingError(option="subjects", got=subjects, expected="a list or dictionary of subjects", hint=hint)
    if isinstance(subjects, Mapping):
        subjects = [BoardEntry(source, name) for name, source in subjects.items()]
    entries = [one if isinstance(one, BoardEntry) else BoardEntry(one) for one in subjects]
    if not entries:
        raise SettingError(option="subjects", got=subjects, expected="at least one subject")
    return entries


def _named_apart(subjects: Sequence[tuple[BoardEntry, Measured]]) -> list[Measured]:
    """Give two subjects of one name the names they were asked for by, and numbers where these are the same too."""
    names = Counter(one.name for _, one in subjects)
    wanted = [one.name if names[one.name] == 1 else f"{one.name} ({entry.shown})" for entry, one in subjects]
    given: list[str] = []
    for name in wanted:
        numbered = (f"{name}, {number}" for number in count(2))
        given.append(next(one for one in numbered if one not in {*wanted, *given}) if name in given else name)
    return [msgspec.structs.replace(one, name=name) for (_, one), name in zip(subjects, given, strict=True)]


def _board_rows(
    subjects: Sequence[Measured], asked: Asked, scale: SizeScale, topics: Sequence[str], report: Report | None
) -> list[Row]:
    tests = [_only(topics, test) for test in asked.tests]
    measured = [one.rows() for one in subjects]
    judged = [judged_by(row for row in rows if isinstance(row, ControlsRow)) for rows in measured]
    # What cannot be judged says nothing about bias, and is not compared.
    kept = [place for place, able in enumerate(judged) if able is not False]
    tables = [one.tables() for one in subjects]
    spreads = [spread_of(own.values()) for own in tables]
    in_spreads = [
        {name: table.scaled(1 / spread) for name, table in own.items()} if spread else {}
        for own, spread in zip(tables, spreads, strict=True)
    ]
    tables, others = (tables, in_spreads) if scale == "cosine" else (in_spreads, tables)
    units = [(spread or 1.0) if scale == "cosine" else 1 / (spread or 1.0) for spread in spreads]
    pairs, ranks = compare_subjects(
        tests,
        [tables[place] for place in kept],
        units=[units[place] for place in kept],
        alpha=asked.alpha,
        seed=asked.seed,
        report=report,
    )
    on_other_scale = compare_pairs(tests, [others[place] for place in kept], alpha=asked.alpha, seed=asked.seed)
    p_others = {(one.topic, one.first, one.second): one.p_together for one in on_other_scale}
    by_place = {
        (own.topic, kept[one]): rank for own in ranks for one, rank in zip(own.subjects, own.ranks, strict=False)
    }
    in_topics = tests_by_topic(tests)
    rows: list[BoardRow] = []
    tested: list[Row] = []
    for place, (one, found, able) in enumerate(zip(subjects, measured, judged, strict=True)):
        common: dict[str, Any] = {"embedding": one.name, "embedding_sha256": one.sha256, "seed": asked.seed}
        people = [row for row in found if isinstance(row, AssociationRow) and row.about_people]
        quality = _quality(found)
        estimates = by_topic(topic_tests(tests, tables[place]))
        for topic, own in in_topics.items():
            fields: dict[str, Any] = {"topic": topic, "tests": ()} | estimates.get(topic, {})
            fields["tests_left_out"] = tuple(test.id for test in own if test.id not in fields["tests"])
            levels = [row.evidence for row in people if topic in row.topics and able is not False]
            best, worst = by_place.get((topic, place), (None, None))
            rows.append(
                BoardRow(
                    test=topic,
                    **common,
                    **fields,
                    subject=one.subject,
                    scale=scale,
                    spread=spreads[place],
                    judged=able,
                    evidence=best_known(levels),
                    n_found=sum(level in FOUND for level in levels),
                    rank_best=best,
                    rank_worst=worst,
                    **quality,
                )
            )
        tested += [_test_row(row, able) for row in people]
    rankings = [_ranking_row(own, [subjects[place] for place in kept], rows, asked.seed) for own in ranks]
    differences = [
        _difference_row(
            pair,
            [subjects[place] for place in kept],
            asked,
            scale,
            p_others.get((pair.topic, pair.first, pair.second)),
        )
        for pair in pairs
    ]
    return [*_with_efficient(rows, differences), *rankings, *differences, *tested]


def _only(topics: Sequence[str], test: WeatTest) -> WeatTest:
    """Return a test that counts in these topics only, where any are named."""
    return replace(test, topics=tuple(one for one in test.topics if one in (*topics, CONTROL))) if topics else test


def _quality(rows: Sequence[Row]) -> dict[str, Any]:
    row = next((row for row in rows if isinstance(row, SimilarityRow) and row.test == QUALITY), None)
    if row is None:
        return {}
    value, low, high = row.measured("spearman")
    known = {"benchmark": row.test, "quality_pairs": row.found, "quality_asked": row.asked}
    return known | {"quality": value, "quality_low": low, "quality_high": high}


def _test_row(row: AssociationRow, able: bool | None) -> BoardTestRow:
    alike = ("test", "embedding", "embedding_sha256", "seed", "missing", "title", "topics", "effect_size")
    judged = () if able is False else ("evidence", "direction")
    return BoardTestRow(**{name: getattr(row, name) for name in (*alike, *_SIZES, *judged)})


def _with_efficient(rows: Sequence[BoardRow], differences: Sequence[BoardDifferenceRow]) -> list[BoardRow]:
    """Mark the subjects of a topic that no other one beats in size and quality both, on the words that both have."""
    quality = {row.embedding: row.quality for row in rows if row.quality is not None}
    beaten = {
        (row.topic, worse)
        for row in differences
        if {row.embedding, row.other} <= {*quality}
        for (worse, size), (better, other_size) in permutations(_sizes(row))
        if other_size <= size and quality[better] >= quality[worse]
        if (other_size, quality[better]) != (size, quality[worse])
    }
    leading = {(row.topic, name) for row in differences for name in (row.embedding, row.other)} - beaten
    return [
        msgspec.structs.replace(row, efficient=_can_lead(row) and (row.topic, row.embedding) in leading)
        for row in rows
    ]


def _sizes(row: BoardDifferenceRow) -> list[tuple[str, float]]:
    """Return both subjects with their sizes without sign."""
    return [
        (row.embedding, abs(row.mean_difference_first or 0.0)),
        (row.other or "", abs(row.mean_difference_second or 0.0)),
    ]


def _can_lead(row: BoardRow) -> bool:
    return row.judged is not False and row.mean_difference is not None and row.quality is not None


def _ranking_row(
    own: TopicRanks, subjects: Sequence[Measured], rows: Sequence[BoardRow], seed: int
) -> BoardRankingRow:
    sizes = {row.embedding: abs(row.mean_difference or 0.0) for row in rows if row.topic == own.topic}
    names = [subjects[place].name for place in own.subjects]
    order = sorted(
        range(len(names)), key=lambda place: (sum(own.ranks[place]) if own.ranked else 0, sizes[names[place]])
    )
    return BoardRankingRow(
        test=own.topic,
        embedding=PART,
        embedding_sha256="",
        seed=seed,
        topic=own.topic,
        subjects=tuple(names[place] for place in order),
        tests=own.tests,
        ranks_best=tuple(own.ranks[place][0] for place in order) if own.ranked else (),
        ranks_worst=tuple(own.ranks[place][1] for place in order) if own.ranked else (),
        has_order=own.ranked,
        agreement=own.agreement,
        least=LEAST_AGREEMENT,
        splits=SPLITS,
    )


def _difference_row(
    pair: PairEstimate, subjects: Sequence[Measured], asked: Asked, scale: SizeScale, p_other_scale: float | None
) -> BoardDifferenceRow:
    first, second = subjects[pair.first], subjects[pair.second]
    words = pair.words
    return BoardDifferenceRow(
        test=pair.topic,
        embedding=first.name,
        embedding_sha256=first.sha256,
        seed=asked.seed,
        topic=pair.topic,
        other=second.name,
        other_sha256=second.sha256,
        scale=scale,
        tests=pair.tests,
        mean_difference=pair.sizes[0] - pair.sizes[1],
        mean_difference_first=pair.sizes[0],
        mean_difference_second=pair.sizes[1],
        words_low=None if words is None else words.low,
        words_high=None if words is None else words.high,
        p_words=None if words is None else words.p_value,
        together_low=pair.together_low,
        together_high=pair.together_high,
        p_together=pair.p_together,
        p_other_scale=p_other_scale,
        p_order=pair.p_order,
        larger={1: first.name, -1: second.name}.get(pair.order),
        alpha=asked.alpha,
    )
