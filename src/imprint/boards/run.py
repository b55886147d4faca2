"""A board: every model asked the same, and how every two of them differ."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from imprint.announcing import listener
from imprint.association.changes import ChangeRow
from imprint.association.rows import AssociationRow, OutcomeRow, TopicRow, outcome_counts
from imprint.boards.comparing import DifferenceRow, differences, names_of
from imprint.boards.rows import PART, BoardDifferenceRow, BoardMeasuredRow, BoardRow, BoardTestRow, BoardTopicRow
from imprint.boards.subjects import Asked, BoardEntry, MeasuredModel, board_unit, is_list_of_models, read_models
from imprint.clusters import Workers, working
from imprint.descriptions import descriptions
from imprint.errors import ImprintError, SettingError
from imprint.evaluation.controls import ControlsRow, judged_by
from imprint.evaluation.similarity import SimilarityRow
from imprint.files import FilePath
from imprint.kinds.findings import read_findings
from imprint.rows import Row, Rows, skipped
from imprint.stimuli.catalog import about, tests_in, without_more
from imprint.stimuli.definition import CONTROL, WeatTest
from imprint.subjects.opening import EncoderLike
from imprint.threads import single_threaded
from imprint.types import Report
from imprint.view import several
from imprint.work import run_units

QUALITY = "men"  # the largest of the bundled benchmarks, so the one with the narrowest interval

_OF_TESTS = (
    "test", "embedding", "embedding_sha256", "seed", "missing", "title", "topics", "language", "adapted",
    "size", "size_low", "size_high", "outcome", "reason", "obstacle", "n_x", "n_y", "n_a", "n_b", "is_question",
)  # fmt: skip
_OF_OTHERS = (
    "test", "embedding", "embedding_sha256", "seed", "title", "topics", "language", "outcome", "reason", "obstacle",
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
        return f"Board({len(self.subjects)} models; {several(len(pairs), 'difference')}: {outcome_counts(pairs)})"


def board(
    subjects: Sequence[EncoderLike | BoardEntry] | Mapping[str, EncoderLike] | FilePath,
    *,
    tests: Sequence[WeatTest] | None = None,
    topics: Sequence[str] = (),
    cache: FilePath | None = None,
    seed: int = 0,
    workers: Workers | None = None,
    folder: FilePath | None = None,
    report: Report | None = None,
) -> Board:
    """Ask many embeddings and encoders the same questions, and say which of them have less bias.

    Parameters
    ----------
    subjects
        Two embeddings and encoders or more, each as `open_subject` accepts it, or a models.toml that lists some; a
        dictionary gives them names.
    tests
        WEATs to run; by default the catalogue's English ones. Encoders are asked in sentences.
    topics
        Run only the tests about these, such as `gender`, and show no other topics.
    cache
        A file where encodings are kept between runs.
    seed
        Seed of everything random.
    workers
        How many processes, the address of a Dask scheduler, or any `concurrent.futures.Executor`, to measure the
        subjects.
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
    others = [[] if entry.findings is None else [*measured_elsewhere(entry.findings)] for entry in entries]
    catalogued = without_more(tests_in("en", ()), topics)
    chosen = [test for test in catalogued if isinstance(test, WeatTest)] if tests is None else tests
    asked = Asked(about(tuple(chosen), topics), seed, None if cache is None else Path(cache), listener())
    units = [board_unit(entry, asked) for entry in entries]
    with working(workers, separate=True) as executor:
        outcomes = run_units(units, executor=executor, folder=folder, report=report)
    done = list(zip(entries, outcomes, strict=True))
    measured = [(entry, MeasuredModel.read(outcome)) for entry, outcome in done if isinstance(outcome, bytes)]
    beside = [rows for rows, outcome in zip(others, outcomes, strict=True) if isinstance(outcome, bytes)]
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
    of_others = []
    hashes = {model.sha256 for model in models}
    for model, rows in zip(models, beside, strict=True):
        if others_hash := {row.embedding_sha256 for row in rows} & (hashes - {model.sha256}):
            name = next(other.name for other in models if other.sha256 in others_hash)
            problem = SettingError(f"its findings are those of {name}", option="findings", hint="name its own file")
            failed.append(skipped((model.name, ""), model.name, model.name, problem, part=PART, seed=seed))
            continue
        of_others += [
            msgspec.structs.replace(row, embedding=model.name, embedding_sha256=model.sha256) for row in rows
        ]
    return Board((*of_models, *of_others, *of_pairs, *failed), tuple(model.rows for model in on_board))


def measured_elsewhere(findings: FilePath) -> list[BoardMeasuredRow]:
    """Return what a file's rows say of a model with an outcome, apart from what a board measures itself."""
    rows = []
    for row in read_findings(findings):
        if not isinstance(row, OutcomeRow) or isinstance(row, AssociationRow | ChangeRow) or row.is_control:
            continue
        ends, (low, high) = f"{row.interval_of}_low", row.interval or (None, None)
        for name, how in descriptions(type(row)).items():
            if how.low == ends:  # what has the interval that the outcome is about
                same = {field: getattr(row, field) for field in _OF_OTHERS}
                interval = {"value": getattr(row, name), "value_low": low, "value_high": high}
                rows.append(BoardMeasuredRow(**same, **interval, measure=row.kind, is_share=how.shape == "percent"))
                break
    if len(names := dict.fromkeys(row.embedding for row in rows)) > 1:
        hint = "give each model the file that was measured of it"
        raise SettingError(f"has findings of {' and '.join(names)}", option="findings", where=findings, hint=hint)
    return rows


def board_entries(subjects: Any) -> list[BoardEntry]:
    """Return the subjects of a board; refuse fewer than two."""
    if isinstance(subjects, str | os.PathLike):
        if not is_list_of_models(subjects):
            expected, hint = "a list or dictionary of subjects, or a models.toml", "put it into a list"
            raise SettingError(option="subjects", got=subjects, expected=expected, hint=hint)
        subjects = [subjects]
    if isinstance(subjects, Mapping):
        subjects = [BoardEntry(source, name) for name, source in subjects.items()]
    entries = [entry for subject in subjects for entry in _entries_of(subject)]
    if len(entries) < 2:
        got = entries[0].shown if entries else "none"
        hint = "to look at one model alone, run imprint audit"
        raise SettingError(option="subjects", got=got, expected="two models or more", hint=hint)
    return entries


def _entries_of(subject: Any) -> list[BoardEntry]:
    if is_list_of_models(subject):
        return read_models(subject)
    return [subject if isinstance(subject, BoardEntry) else BoardEntry(subject)]


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
