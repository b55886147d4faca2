"""A board: every model asked the same, and how every two of them differ."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from imprint.association.rows import AssociationRow, outcome_counts
from imprint.association.topics import TopicRow
from imprint.boards.comparing import DifferenceRow, differences, names_of
from imprint.boards.rows import PART, BoardDifferenceRow, BoardRow, BoardTestRow, BoardTopicRow
from imprint.boards.subjects import Asked, BoardEntry, MeasuredModel, board_unit
from imprint.errors import ImprintError, SettingError
from imprint.evaluation.controls import ControlsRow, judged_by
from imprint.evaluation.similarity import SimilarityRow
from imprint.files import FilePath
from imprint.rows import Row, Rows, skipped
from imprint.stimuli.catalog import about, tests_in
from imprint.stimuli.definition import CONTROL, WeatTest
from imprint.subjects.opening import EncoderLike
from imprint.threads import single_threaded
from imprint.types import Report
from imprint.work import run_units

QUALITY = "men"  # the largest of the bundled benchmarks, so the one with the narrowest interval

_OF_TESTS = (
    "test", "embedding", "embedding_sha256", "seed", "missing", "title", "topics", "language", "adapted",
    "size", "size_low", "size_high", "outcome", "reason", "obstacle", "n_x", "n_y", "n_a", "n_b", "is_question",
)  # fmt: skip
_CANNOT_TELL: dict[str, Any] = {"outcome": "cannot tell", "reason": "controls", "obstacle": "controls"}


class Board(Rows[Row]):
    """The result of a board.

    Parameters
    ----------
    rows
        One row per model; per model and test, or topic; per pair of models and test, or topic; and per failed subject.
    subjects
        The rows of each model, in the order of the board.
    """

    def __init__(self, rows: Iterable[Row], subjects: tuple[tuple[Row, ...], ...]) -> None:
        super().__init__(rows)
        self.subjects = subjects

    def __repr__(self) -> str:
        pairs = self.of(BoardDifferenceRow)
        return f"Board({len(self.subjects)} models; {len(pairs)} differences: {outcome_counts(pairs)})"


def board(
    subjects: Sequence[EncoderLike] | Mapping[str, EncoderLike] | Sequence[BoardEntry],
    *,
    tests: Sequence[WeatTest] | None = None,
    topics: Sequence[str] = (),
    cache: FilePath | None = None,
    seed: int = 0,
    executor: Executor | None = None,
    folder: FilePath | None = None,
    report: Report | None = None,
) -> Board:
    """Ask many embeddings and encoders the same questions, and say which of them have less bias.

    Parameters
    ----------
    subjects
        Two embeddings and encoders or more, each as `open_subject` accepts it; a dictionary gives them names.
    tests
        WEATs to run; by default the catalogue's English ones. Encoders are asked in sentences.
    topics
        Run only the tests about these, such as `gender`, and show no other topics.
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
        with the pairs that are compared.

    Returns
    -------
    Board
        Sizes and differences; a subject that could not be measured is a row with the reason.

    Examples
    --------
    >>> imprint.board({"GloVe": "default", "average of GloVe": "cbow"}, topics=["gender"])
    Board(2 models; 5 differences: 5 small)
    """
    entries = board_entries(subjects)
    chosen = [test for test in tests_in("en") if isinstance(test, WeatTest)] if tests is None else tests
    asked = Asked(about(tuple(chosen), topics), seed, None if cache is None else Path(cache))
    units = [board_unit(entry, asked) for entry in entries]
    outcomes = run_units(units, executor=executor, folder=folder, report=report)
    done = list(zip(entries, outcomes, strict=True))
    measured = [(entry, MeasuredModel.read(outcome)) for entry, outcome in done if isinstance(outcome, bytes)]
    models = _named_apart(measured)
    failed = [
        skipped((entry.shown, ""), entry.shown, entry.shown, outcome, part=PART, seed=seed)
        for entry, outcome in done
        if isinstance(outcome, ImprintError)
    ]
    if len(models) < 2:
        said = "no subject could be measured" if not models else "only one subject could be measured"
        raise SettingError(said, hint=f"for example, {failed[0].test}: {failed[0].reason}")
    on_board = [_Model(model, tuple(model.rows()), frozenset(topics)) for model in models]
    of_models = [row for model in on_board for row in model.on_board(asked.seed)]
    with single_threaded():  # threads would wait for each other
        of_pairs = list(_differences([model for model in on_board if model.judged is not False], report))
    return Board((*of_models, *of_pairs, *failed), tuple(model.rows for model in on_board))


def board_entries(subjects: Any) -> list[BoardEntry]:
    """Return the subjects of a board; refuse fewer than two."""
    if isinstance(subjects, str | os.PathLike):
        hint = "put it into a list"
        raise SettingError(option="subjects", got=subjects, expected="a list or dictionary of subjects", hint=hint)
    if isinstance(subjects, Mapping):
        subjects = [BoardEntry(source, name) for name, source in subjects.items()]
    entries = [one if isinstance(one, BoardEntry) else BoardEntry(one) for one in subjects]
    if len(entries) < 2:
        got = [entry.shown for entry in entries]
        hint = "to look at one model alone, run imprint audit"
        raise SettingError(option="subjects", got=got, expected="two models or more", hint=hint)
    return entries


def _named_apart(subjects: Sequence[tuple[BoardEntry, MeasuredModel]]) -> list[MeasuredModel]:
    """Give two subjects of one name the names they were asked for by, and numbers where these are the same too."""
    names = Counter(one.name for _, one in subjects)
    wanted = [one.name if names[one.name] == 1 else f"{one.name} ({entry.shown})" for entry, one in subjects]
    given: list[str] = []
    for name in wanted:
        numbered = (f"{name}, {number}" for number in count(2))
        given.append(next(one for one in numbered if one not in {*wanted, *given}) if name in given else name)
    return [msgspec.structs.replace(one, name=name) for (_, one), name in zip(subjects, given, strict=True)]


@dataclass(frozen=True, eq=False)
class _Model:
    """A model with its rows; of its tests, these topics count, or all."""

    model: MeasuredModel
    rows: tuple[Row, ...]
    topics: frozenset[str]

    @cached_property
    def judged(self) -> bool | None:
        """Whether it passes the controls."""
        return judged_by(row for row in self.rows if isinstance(row, ControlsRow))

    @property
    def tests(self) -> list[AssociationRow]:
        """Its tests about people."""
        people = (row for row in self.rows if isinstance(row, AssociationRow) and row.about_people)
        return [msgspec.structs.replace(row, topics=self._counted(row.topics)) for row in people]

    def on_board(self, seed: int) -> Iterator[Row]:
        """Return its rows on the board; what cannot be judged says nothing about bias."""
        unknown = _CANNOT_TELL if self.judged is False else {}
        yield BoardRow(
            test=PART,
            embedding=self.model.name,
            embedding_sha256=self.model.sha256,
            seed=seed,
            subject=self.model.subject,
            judged=self.judged,
            **_quality(self.rows),
        )
        for row in self.tests:
            fields = {name: getattr(row, name) for name in _OF_TESTS}
            yield BoardTestRow(**fields | {"sets": names_of(row.sets)} | unknown)
        for topic in self.rows:
            if isinstance(topic, TopicRow) and self._counted((topic.topic,)):
                yield BoardTopicRow(**msgspec.structs.asdict(topic) | {"part": None} | unknown)

    def _counted(self, topics: Sequence[str]) -> tuple[str, ...]:
        """Return the topics that the board is about."""
        return tuple(topic for topic in topics if topic in self.topics or topic == CONTROL or not self.topics)


def _differences(models: Sequence[_Model], report: Report | None) -> Iterator[DifferenceRow]:
    """Compare every two models; the vectors of two at a time are in memory in full."""
    pairs = len(models) * (len(models) - 1) // 2
    done = 0
    for index, first in enumerate(models):
        measured = first.model.measured(first.tests)
        for second in models[index + 1 :]:
            yield from differences(measured, second.model.measured(second.tests))
            done += 1
            if report is not None:
                report("comparing", done, pairs)


def _quality(rows: Sequence[Row]) -> dict[str, Any]:
    row = next((row for row in rows if isinstance(row, SimilarityRow) and row.test == QUALITY), None)
    if row is None:
        return {}
    value, low, high = row.measured("spearman")
    known = {"benchmark": row.test, "quality_pairs": row.found, "quality_asked": row.asked}
    return known | {"quality": value, "quality_low": low, "quality_high": high}
