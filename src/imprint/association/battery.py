"""Many tests on one embedding, nothing left out without a reason; and the loop of every battery."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, TypeVar

from imprint.association.rows import Measured, MeasuredRows, TopicRow
from imprint.association.settings import BatterySettings
from imprint.association.topics import InteractionRow, interaction_rows, topic_rows
from imprint.association.weat import WeatRow, find_test, measure
from imprint.association.wefat import WefatRow
from imprint.association.wefat import measure as measure_wefat
from imprint.embeddings.embedding import Embedding
from imprint.errors import StimulusError, VocabularyError
from imprint.rows import SkippedRow, skipped
from imprint.settings import option, settable
from imprint.stimuli.definition import Test, WeatTest
from imprint.subjects.opening import EmbeddingLike, load
from imprint.types import Progress
from imprint.workers import in_order

Finished = TypeVar("Finished")


@dataclass(frozen=True)
class BatteryArguments(BatterySettings):
    """All that a battery is given."""

    tests: Annotated[Sequence[Test], option("WEATs and WEFATs, from the catalogue or your own.")]
    _: KW_ONLY
    skip: Annotated[bool, option("Skip a test that lacks words or its property; if False, raise.")] = True
    foreign: Annotated[
        Mapping[str, Embedding] | None,
        option("Vectors for tests in other languages, by language, where an encoder is asked in their sentences."),
    ] = None
    progress: Annotated[Progress | None, option("Called with the tests done and the total number of tests.")] = None


@settable(BatteryArguments)
def run_battery(
    embedding: EmbeddingLike, arguments: BatteryArguments
) -> MeasuredRows[WeatRow | WefatRow | TopicRow | InteractionRow | SkippedRow]:
    """Run many tests on one embedding.

    Parameters
    ----------
    embedding
        A file, `default` or an object, as `load` accepts it.

    Returns
    -------
    Rows
        One row per test, one per topic if there are several WEATs, and last the tests that were skipped.

    Examples
    --------
    >>> imprint.run_battery("default", imprint.catalogue()[:3])
    Rows(3 weat: 2 present, 1 substantial; 1 topic: 1 substantial)
    """
    embedding, tests, seed = load(embedding), arguments.tests, arguments.seed

    def measure_test(vectors: Mapping[str, Embedding], test: Test) -> list[Measured[Any]]:
        subject = vectors.get(test.language, embedding)
        if isinstance(test, WeatTest):
            return [measure(subject, find_test(test), arguments)]
        return [Measured(measure_wefat(subject, test, seed=seed), None)]

    def lost(error: Exception, test: Test) -> SkippedRow:
        part = "weat" if isinstance(test, WeatTest) else "wefat"
        return skipped_test((embedding.name, embedding.sha256), test, error, part=part, seed=seed)

    tasks = [(test,) for test in tests]
    foreign, skip = arguments.foreign or {}, arguments.skip
    outcomes = attempt_each(measure_test, foreign, tasks, lost, skip=skip, progress=arguments.progress)
    measured, not_run = in_parts(outcomes)
    require_any(measured, not_run, len(tests), where=embedding.name)
    weats = [pair for pair in measured if pair.words is not None]
    topics = topic_rows(weats, not_run) if len(weats) > 1 else []
    crossed = interaction_rows(weats) if arguments.by_gender else []
    return MeasuredRows(measured, [*(pair.row for pair in measured), *topics, *crossed, *not_run])


def attempt_each(
    work: Callable[..., Iterable[Finished]],
    shared: object,
    tasks: Sequence[tuple[Any, ...]],
    lost: Callable[..., SkippedRow],
    *,
    skip: bool = True,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> list[Finished | SkippedRow]:
    """Return what `work(shared, *task)` gives for each task, and a row in the place of what cannot be measured.

    `lost(error, *task)` makes this row; unless `skip`, the first error is raised. An executor needs a function of a
    module.
    """
    job = (work, shared)
    attempts = in_order(executor, _attempt, job, tasks) if executor else (_attempt(job, *task) for task in tasks)
    outcomes: list[Finished | SkippedRow] = []
    for done, (task, outcome) in enumerate(zip(tasks, attempts, strict=True), 1):
        if not isinstance(outcome, Exception):
            outcomes += outcome
        elif skip:
            outcomes.append(lost(outcome, *task))
        else:
            raise outcome
        if progress is not None:
            progress(done, len(tasks))
    return outcomes


def skipped_test(measured: tuple[str, str], test: Test, reason: object, *, part: str, seed: int) -> SkippedRow:
    """Return the row of a test that could not be measured; `measured` is a name and its hash."""
    asks = isinstance(test, WeatTest) and test.is_question
    about = (measured, test.id, test.title, reason)
    return skipped(*about, part=part, seed=seed, topics=test.topics, is_question=asks)


def in_parts(outcomes: Iterable[Finished | SkippedRow]) -> tuple[list[Finished], list[SkippedRow]]:
    """Return what was measured, and what was not, each once."""
    listed = list(outcomes)
    not_run = dict.fromkeys(outcome for outcome in listed if isinstance(outcome, SkippedRow))
    return [outcome for outcome in listed if not isinstance(outcome, SkippedRow)], list(not_run)


def require_any(
    measured: Sequence[object], not_run: Sequence[SkippedRow], tests: int, where: str | None = None
) -> None:
    """Refuse a battery of which nothing could be measured."""
    if not measured:
        reason = f"for example, {not_run[0].test}: {not_run[0].reason}" if not_run else "no tests were given"
        raise VocabularyError(f"none of {tests} tests can be run ({reason})", where=where)


def _attempt(
    job: tuple[Callable[..., Iterable[Finished]], object], *task: Any
) -> list[Finished] | VocabularyError | StimulusError:
    work, shared = job
    try:
        return list(work(shared, *task))
    except (VocabularyError, StimulusError) as error:
        return error
