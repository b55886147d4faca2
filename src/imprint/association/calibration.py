"""How often a subject in which nothing is to be found would seem to show a difference.

The questions are asked of altered copies of the subject's own vectors, and answered by the rule that answers them for
the subject. Three kinds of copies have no difference between X and Y left. In the fourth, mirrored ones, the groups
lie where chance puts them in this space: they do differ, and show which sizes that gives.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Literal, get_args

import numpy as np

from imprint.association.seat import AskedEncoder
from imprint.association.seat_battery import all_in_sentences, labelled
from imprint.association.settings import CalibrationSettings
from imprint.association.sizes import is_explained_by_frequency, is_matched, lack_words, octaves_apart, replacement_p
from imprint.association.vectors import SetVectors, unit_numbers
from imprint.association.weat import look_up, vectors_of
from imprint.clusters import WORKERS, Workers, working
from imprint.embeddings.background import FEWEST_RANKS, Background
from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingStore
from imprint.errors import StimulusError, VocabularyError
from imprint.rows import Row, Rows, shown
from imprint.settings import CACHE, REPORT, option, settable
from imprint.significance.outcomes import CONFIDENCE
from imprint.significance.partitions import binomial_interval
from imprint.significance.shares import Decisions, ShareOfDistance
from imprint.stimuli.catalog import questions
from imprint.stimuli.definition import CONTROL, WeatTest, word_sets
from imprint.stimuli.names import ONE_SEX, RACES, first_names
from imprint.subjects.background import FramedWords
from imprint.subjects.opening import EncoderLike, open_subject
from imprint.threads import single_threaded
from imprint.types import Floats, Floats32, Ints, Progress, Report
from imprint.workers import executor_or_threads, in_order

Altered = Literal["shuffled", "shuffled by frequency", "names exchanged", "mirrored"]
SideBySide = tuple[Floats32, Floats32]  # targets and attributes of one test in every copy: copies, words, dimensions

ANY = "any"

_CHUNK = 100  # copies with one seed: the unit of work, whoever does it
_AT_ONCE = 5  # copies, whose vectors stay in the processor's cache
_RATE_CONFIDENCE = 0.95
_STAY_BELOW = 0.95
_BORN_BETWEEN = 1980  # strata that names of questions are matched in
_UNMATCHED = 0.1  # share of the words of a set without a partner in their cell, at most


class CalibrationRow(Row, frozen=True, kw_only=True, tag="calibration"):
    """What one question, or any of them, shows in altered copies of one kind."""

    altered: Annotated[Altered, shown("Altered copies", "How the copies were made.")]
    title: Annotated[str, shown("Title", "What the question asks.")]
    questions: Annotated[int, shown("Questions", "How many questions the row counts: one, or all of them.")]
    copies: Annotated[int, shown("Copies", "How many copies of the kind there are.")]
    copies_found: Annotated[
        int | None, shown("With a finding", "Copies in which the question, or any of them, is present or substantial.")
    ] = None
    share: Annotated[
        float | None, shown("Share", "Their share, with its 95 % interval.", shape="percent", digits=1)
    ] = None
    share_low: Annotated[float | None, shown("Share, low", "Low end of the interval.", shape="percent", digits=1)] = (
        None
    )
    share_high: Annotated[
        float | None, shown("Share, high", "High end of the interval.", shape="percent", digits=1)
    ] = None
    share_expected: Annotated[
        float | None,
        shown("Expected", "The most that chance gives: 0.5 % per question.", shape="percent", digits=1),
    ] = None
    copies_differing: Annotated[
        int | None,
        shown(
            "Difference alone",
            "Copies whose mean difference excludes zero, whether or not A and B are distinguished.",
        ),
    ] = None
    size_reached: Annotated[
        float | None, shown("Size", "What the size of 19 of 20 mirrored copies stays below.", shape="percent")
    ] = None


@dataclass(frozen=True, kw_only=True)
class CalibrationArguments(CalibrationSettings):
    """All that a calibration is given."""

    tests: Annotated[
        Sequence[WeatTest] | None,
        option(
            "Tests with word sets, by default the questions. Controls are left out, and so is what lacks words. Lists "
            "that are not matched in frequency pass the check of frequency, as always."
        ),
    ] = None
    cache: Annotated[EncodingStore | None, CACHE] = None
    workers: Annotated[Workers | None, option(WORKERS)] = None
    report: Annotated[Report | None, REPORT] = None


@settable(CalibrationArguments)
def calibrate(subject: EncoderLike, arguments: CalibrationArguments) -> Rows[CalibrationRow]:
    """Count how often questions find a difference in copies of a subject in which there is none.

    Vectors are exchanged among all words, or among words of like frequency; or names are exchanged among like names
    while the other words keep their vectors. Mirrored copies show which sizes chance gives in this space.

    Parameters
    ----------
    subject
        An embedding or an encoder, as `open_subject` accepts it.

    Returns
    -------
    Rows
        For each kind of copy, how often any question is present or substantial, then how often each is.

    Examples
    --------
    >>> imprint.calibrate("default", copies=20)["any"].share
    0.0
    """
    opened, copies, seed, report = open_subject(subject), arguments.copies, arguments.seed, arguments.report
    tests = questions() if arguments.tests is None else arguments.tests
    original = original_of(opened, tests, arguments.cache, report)
    chunks = [(start // _CHUNK, min(_CHUNK, copies - start)) for start in range(0, copies, _CHUNK)]
    tasks = [(altered, chunk, size, seed) for altered in get_args(Altered) for chunk, size in chunks]
    parts: dict[Altered, list[Floats]] = {altered: [] for altered in get_args(Altered)}
    with working(arguments.workers) as executor, executor_or_threads(executor) as pool:
        for done, part in enumerate(in_order(pool, measure_copies, original, tasks)):
            parts[tasks[done][0]].append(part)
            if report is not None:
                report("testing altered copies", done + 1, len(tasks))
    measured = {"embedding": opened.name, "embedding_sha256": opened.sha256, "seed": seed, "copies": copies}
    return Rows(
        row
        for altered, arrays in parts.items()
        for row in _rows(original.usable(altered), altered, np.concatenate(arrays, axis=-1), measured)
    )


@dataclass(frozen=True, eq=False)
class AskedTest:
    """A test as a subject has its words, with the frequency ranks of all of them."""

    test: WeatTest
    words: SetVectors

    @cached_property
    def cells(self) -> Ints:
        """A number per name, the same for names of like frequency and, of questions, of the same strata."""
        names, ranks = self.words.target_words, self.words.target_ranks
        octaves = np.log2(np.asarray(ranks) + 1.0).astype(np.int64)
        table = first_names()
        rows = [table.index.get(name, -1) for name in names]
        if not self.test.is_question or min(rows) < 0:
            return np.asarray(octaves)
        women = table.share_women[rows]
        gender = np.where(women >= ONE_SEX, 2, np.where(women <= 1 - ONE_SEX, 1, 0))
        is_late = table.mean_birth_year[rows] >= _BORN_BETWEEN
        race = np.argmax([table.races[race][rows] for race in RACES], axis=0)
        strata = {"gender": (race, is_late), "race": (gender, is_late), "age": (gender,)}
        cells = np.stack([octaves, *strata.get(self.test.topics[0], ())])
        return np.asarray(np.unique(cells, axis=1, return_inverse=True)[1])

    @property
    def is_matched(self) -> bool:
        """Whether X and Y have nearly as many names in each cell; otherwise their cells would tell them apart."""
        sides = np.split(self.cells, [self.words.n_x])
        x, y = (np.bincount(side, minlength=self.cells.max() + 1) / len(side) for side in sides)
        return bool(np.abs(x - y).sum() / 2 <= _UNMATCHED)

    def share(self, targets: Floats32, attributes: Floats32) -> ShareOfDistance:
        """Return the size in every copy; words and their inflections are one unit, as in the subject itself."""
        return ShareOfDistance.of(targets, attributes, self.words.n_x, self.words.n_a, units=self._units)

    @cached_property
    def _units(self) -> tuple[list[int], list[int]]:
        return unit_numbers([self.words])[0]

    def passes_frequency(self, targets: Floats32, attributes: Floats32, background: Background, seed: int) -> bool:
        """Tell whether a difference in one copy is one, and not of frequency; that of matched lists always is."""
        if is_matched(self.test, self.words):
            return True
        octaves = octaves_apart(self.words)
        if is_explained_by_frequency(0.0, octaves):
            return False
        copy = replace(self.words, targets=targets.astype(np.float64), attributes=attributes.astype(np.float64))
        return not is_explained_by_frequency(replacement_p(copy, background, seed), octaves)


@dataclass(frozen=True, eq=False)
class Original:
    """What a subject is asked, and the words that its words are exchanged with."""

    asked: tuple[AskedTest, ...]
    background: Background

    def usable(self, altered: Altered) -> Sequence[AskedTest]:
        """Return the tests that have copies of a kind: names are only exchanged between sets that are matched."""
        return [test for test in self.asked if altered != "names exchanged" or test.is_matched]

    def copies(self, altered: Altered, count: int, rng: np.random.Generator) -> Iterator[SideBySide]:
        """Yield the vectors of every usable test in some copies; a word has one new vector in all tests of a copy."""
        usable = self.usable(altered)
        ranks: dict[str, int] = {}
        for test in usable:
            ranks |= _ranked(test.words)
        columns = {word: column for column, word in enumerate(ranks)}
        keys = rng.random((count, len(ranks)))
        if altered == "shuffled by frequency":
            drawn = self.background.draw(np.array(list(ranks.values())), count, rng)
        else:
            drawn = (keys * self.background.starts[-1]).astype(np.int64)
        for test in usable:
            targets, attributes = (
                [columns[word] for word in words] for words in (test.words.target_words, test.words.attribute_words)
            )
            if altered == "names exchanged":
                single = test.words.attributes.astype(np.float32)
                order = exchanged(test.cells, keys[:, targets])
                yield test.words.targets.astype(np.float32)[order], np.broadcast_to(single, (count, *single.shape))
            else:
                yield self.background.rows[drawn[:, targets]], self.background.rows[drawn[:, attributes]]

    def findings(self, altered: Altered, count: int, rng: np.random.Generator, seed: int) -> Floats:
        """Return 1 for each test and copy that show a difference; then the same for the mean difference alone."""
        pool = self.background
        if altered == "shuffled":  # words of any frequency are alike there
            pool = replace(pool, lowest=np.array([0]), starts=pool.starts[[0, -1]])
        found, differing = [], []
        for test, (targets, attributes) in zip(self.usable(altered), self.copies(altered, count, rng), strict=True):
            decisions = Decisions.of(test.share(targets, attributes))
            shows = decisions.shows_difference.copy()
            for copy in np.flatnonzero(shows):
                shows[copy] = test.passes_frequency(targets[copy], attributes[copy], pool, seed)
            found.append(shows)
            differing.append(decisions.differs)
        return np.array([found, differing], dtype=np.float64)

    def mirrored_sizes(self, count: int, rng: np.random.Generator) -> Floats:
        """Return the size of every test in some copies whose names are mirrored along random axes of the space.

        It is 0 where A and B are not distinguished.
        """
        axes = self.background.axes
        signs = rng.choice([-1.0, 1.0], size=(count, axes.shape[1]))
        sizes = []
        for test in self.asked:
            share = test.words.share
            distance = float(share.distance) if share.is_distinguished() else np.inf
            sizes.append(np.abs(signs @ ((share.u @ axes) * (share.v @ axes))) / distance)
        return np.array(sizes)


def measure_copies(original: Original, altered: Altered, chunk: int, count: int, seed: int) -> Floats:
    """Ask some copies of one kind, which have a seed of their own; the last axis is the copies."""
    rng = np.random.default_rng(np.random.SeedSequence([seed, *altered.encode()], spawn_key=(chunk,)))
    with single_threaded():
        if altered == "mirrored":
            return original.mirrored_sizes(count, rng)
        sizes = [min(_AT_ONCE, count - start) for start in range(0, count, _AT_ONCE)]
        return np.concatenate([original.findings(altered, size, rng, seed) for size in sizes], axis=-1)


def exchanged(cells: Ints, keys: Floats) -> Ints:
    """Return orders of the names of both sets, each exchanged with others of its cell alone."""
    order = np.empty(keys.shape, dtype=np.int64)
    order[:, np.argsort(cells, kind="stable")] = np.argsort(cells + 0.5 * keys, axis=1)
    return order


def original_of(
    subject: Embedding | Encoder,
    tests: Sequence[WeatTest],
    cache: EncodingStore | None = None,
    report: Report | None = None,
) -> Original:
    """Look up what a subject is asked; an encoder has words in frames, which only English ones are compared in."""
    people = [test for test in tests if CONTROL not in test.topics]
    if isinstance(subject, Embedding):
        background = subject.background
        if background is None:
            raise VocabularyError(
                f"{len(subject):,} words are too few to draw other words from",
                expected=f"at least {FEWEST_RANKS:,} words",
                where=subject.name,
                hint="calibrate the embedding with its whole vocabulary",
            )
        usable = [*_usable(people, lambda test: vectors_of(subject, look_up(subject, test)))]
    else:
        usable, background = _framed(subject, people, cache, labelled(report, f"encoding with {subject.name}"))
    if not usable:
        raise VocabularyError(
            "has too few words of each test", where=subject.name, hint="choose tests in English with more words"
        )
    return Original(tuple(usable), background)


def _framed(
    encoder: Encoder, tests: Sequence[WeatTest], cache: EncodingStore | None, progress: Progress | None
) -> tuple[list[AskedTest], Background]:
    in_frames, _ = all_in_sentences(tests, "framed", None)
    questions = {question.test: question for question in in_frames if question.ranked}
    if not questions:
        raise StimulusError("copies need frequencies, which are known of English words only", where=encoder.name)
    about = AskedEncoder.of(encoder, [*questions.values()], FramedWords(), cache=cache, progress=progress)
    if about.background is None:
        raise VocabularyError(
            "has too few common words to draw others from", where=encoder.name, hint="use a larger vocabulary"
        )
    return [*_usable(questions, lambda test: about.sides(questions[test]).words)], about.background


def _usable(tests: Iterable[WeatTest], find_words: Callable[[WeatTest], SetVectors]) -> Iterator[AskedTest]:
    """Return the tests of which a subject has the words that a size needs, of known frequency."""
    for test in tests:
        try:
            words = find_words(test)
        except VocabularyError:
            continue
        few = lack_words(words, word_sets(test).values())
        if not few and words.target_ranks is not None and words.attribute_ranks is not None:
            yield AskedTest(test, words)


def _ranked(words: SetVectors) -> dict[str, int]:
    pairs = ((words.target_words, words.target_ranks), (words.attribute_words, words.attribute_ranks))
    return {word: int(rank) for side, ranks in pairs for word, rank in zip(side, np.asarray(ranks), strict=True)}


def _rows(
    asked: Sequence[AskedTest], altered: Altered, copies: Floats, measured: Mapping[str, Any]
) -> Iterator[CalibrationRow]:
    """Return the row for any test, if there are several, and one per test."""
    lines = [(ANY, "Any question", slice(None))] if len(asked) > 1 else []
    lines += [(one.test.id, one.test.title, slice(index, index + 1)) for index, one in enumerate(asked)]
    for name, title, chosen in lines:
        of_tests = copies[..., chosen, :]
        counted = _reached(of_tests) if altered == "mirrored" else _counted(of_tests)
        yield CalibrationRow(
            test=name, title=title, altered=altered, questions=of_tests.shape[-2], **counted, **measured
        )


def _counted(copies: Floats) -> dict[str, Any]:
    found, differing = (int(count) for count in copies.max(axis=1).sum(axis=-1))
    _, count, size = copies.shape
    low, high = binomial_interval(found, size, _RATE_CONFIDENCE)
    return {
        "copies_found": found,
        "share": found / size,
        "share_low": low,
        "share_high": high,
        "share_expected": (1 - CONFIDENCE) * count,
        "copies_differing": differing,
    }


def _reached(sizes: Floats) -> dict[str, float | None]:
    reached = float(np.quantile(sizes.max(axis=0), _STAY_BELOW, method="higher"))
    return {"size_reached": reached or None}
