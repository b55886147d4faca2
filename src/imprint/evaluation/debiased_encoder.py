"""An encoder debiased on sentences, and what that did, on words and sentences that it was not fitted on.

The same method is fitted on words alone too, because erasure fitted on words need not carry over to sentences. Both
are judged alike: the group that a classifier still reads off sentences, SEATs before and after, similarity lost.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, get_args

import numpy as np

from imprint.association.changes import change_rows
from imprint.association.rows import Measured, SeatRow
from imprint.association.seat_battery import framed_texts, run_seat_battery
from imprint.debiasing.labelled import check_groups
from imprint.debiasing.rows import fitted_finding
from imprint.debiasing.sentences import (
    PER_WORD,
    FittedOn,
    FittingGroups,
    RememberingEncoder,
    gender_groups,
    in_turn,
    known_words,
    label_texts,
    own_groups,
)
from imprint.debiasing.settings import DebiasSettings
from imprint.debiasing.transform import DebiasedEncoder, Transform
from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import Encoder, FunctionEncoder
from imprint.errors import SettingError, VocabularyError
from imprint.evaluation.benchmarks import PairBenchmark, bundled_benchmarks, pair_words
from imprint.evaluation.leakage import PART, SentenceLeakageRow
from imprint.evaluation.recovering import FOLDS, OwnedRows, estimate_change, estimate_recovery, recover_group
from imprint.evaluation.resampling import flatten
from imprint.evaluation.similarity import similarity
from imprint.rows import Row, SkippedRow, skipped
from imprint.stimuli.catalog import GENDER_TESTS, catalogue, choose
from imprint.stimuli.definition import WeatTest, WordSet
from imprint.stimuli.templates import bundled_templates, fill
from imprint.subjects.encodings import announce_texts
from imprint.types import Floats, Indices, Report

FEWEST_HELD_OUT = 2 * FOLDS  # words of each group that folds can be made of

_BENCHMARKS = ("rg-65", "ws-353", "men")
_FITS: tuple[FittedOn, ...] = ("sentences", "words")


class Fit(NamedTuple):
    """A transform, what measures the debiased embedding or encoder, and notes on how it was fitted."""

    transform: Transform
    judge: Callable[[Any], list[Row]]
    notes: Sequence[str] = ()


def fit_sentences(encoder: Encoder, settings: DebiasSettings, report: Report) -> Fit:
    """Fit on sentences, and for comparison on words alone; a transform that is applied is not judged."""
    applied, groups, tests = settings.load_transform(), settings.groups, settings.tests
    if applied is not None:
        dimension = encoder.encode(["word"]).shape[1]
        if dimension != applied.dimension:
            expected = f"a transform of {dimension} dimensions, as {encoder.name} has"
            raise SettingError(option="apply", got=applied.dimension, expected=expected)
        return Fit(applied, lambda after: [fitted_finding(applied)])
    progress = partial(report, f"encoding with {encoder.name}")
    before = RememberingEncoder(encoder, cache=settings.cache, progress=progress)
    fitting = gender_groups() if groups is None else own_groups(check_groups(groups))
    if tests is None:
        chosen = choose(catalogue(), GENDER_TESTS) if groups is None else ()
        tests = [test for test in chosen if isinstance(test, WeatTest)]
    fitter = settings.fitter("encoder")
    label = partial(label_texts, groups=fitting, templates=settings.templates, others=fitter.needs_background)
    if encoder.max_texts is not None:
        texts = judging_texts(encoder, fitting, tests)

        def note(fitted: Sequence[str]) -> Floats:
            texts.extend(fitted)
            return np.ones((len(fitted), 1))

        for on in get_args(FittedOn):
            label(FunctionEncoder(note), on=on)
        announce_texts(encoder, [texts], settings.cache)
    transforms = {on: fitter.fit_rows(label(before, on=on)) for on in get_args(FittedOn)}
    copies = DebiasedEncoders(before, transforms, fitting, tests, settings.seed)
    return Fit(transforms["sentences"], lambda after: copies.judge(report))


@dataclass(frozen=True)
class DebiasedEncoders:
    """An encoder before debiasing, what was fitted on sentences and on words, and what is measured of all."""

    before: Encoder
    transforms: Mapping[FittedOn, Transform]
    asked: FittingGroups
    tests: Sequence[WeatTest]
    seed: int

    def judge(self, report: Report) -> list[Row]:
        """Return what was fitted, what can still be read off sentences, SEATs before and after, and benchmarks."""
        after = [self.transforms[on].apply(self.before) for on in _FITS]
        fitted = (fitted_finding(self.transforms[on]) for on in _FITS)
        return [*fitted, *self._leakage(after), *self._changes(after, report), *self._similarity(after)]

    def skip(self, test: str, title: str, reason: str | VocabularyError) -> SkippedRow:
        """Return the row of something that could not be measured."""
        return skipped((self.before.name, self.before.identity), test, title, reason, part=PART, seed=self.seed)

    def _leakage(self, after: Sequence[DebiasedEncoder]) -> Iterator[Row]:
        """Try to read the group off held-out words in SEAT's sentences, with the encoder as it was and as it is.

        The classifier may learn from every word fitted on, in the same sentences: whoever uses the encoder can too.
        """
        names = tuple(group.name for group in self.asked.held_out)
        held_out, missing = known_words(self.before, self.asked.held_out)
        fewest = min(map(len, held_out))
        if fewest < FEWEST_HELD_OUT:
            reason = f"a group has {fewest} held-out words that the encoder knows, fewer than {FEWEST_HELD_OUT}"
            yield self.skip("leakage", "What is left of the groups", reason)
            return
        judged = self._encoded(*seat_texts(held_out))
        others = self._encoded(*seat_texts(known_words(self.before, self.asked.fitted)[0], PER_WORD))
        of_words = judged.of_words()
        first = recover_group(judged, others, self.seed)
        for on, encoder in zip(_FITS, after, strict=True):
            moved = [rows._replace(rows=encoder.transform(rows.rows)) for rows in (judged, others)]
            last = recover_group(moved[0], moved[1], self.seed)
            measured = {
                "accuracy": estimate_recovery(last, of_words),
                "against_accuracy": estimate_recovery(first, of_words),
                "change": estimate_change(first, last, of_words),
            }
            yield SentenceLeakageRow(
                test=f"{encoder.transform.method} fitted on {on}",
                embedding=encoder.name,
                embedding_sha256=encoder.identity,
                statistic=measured["accuracy"].value,
                seed=self.seed,
                missing=missing,
                method=encoder.transform.method,
                fit_texts=on,
                group_names=names,
                n_words=len(of_words),
                n_trained=len(others.of_words()) + len(of_words) * (FOLDS - 1) // FOLDS,
                texts=len(judged.rows),
                chance=1.0 / len(names),
                against=self.before.name,
                against_sha256=self.before.identity,
                **flatten(measured),
            )

    def _encoded(self, texts: Sequence[str], labels: Indices, owners: Indices) -> OwnedRows:
        return OwnedRows(self.before.encode(texts).astype(np.float64), labels, owners)

    def _changes(self, after: Sequence[DebiasedEncoder], report: Report) -> list[Row]:
        """Return the SEATs of all three, and what changed."""
        if not self.tests:
            return []
        encoders = [self.before, *after]
        try:
            battery = run_seat_battery(encoders, self.tests, context="framed", seed=self.seed, report=report)
        except VocabularyError as error:
            return [self.skip("seats", "SEATs before and after", error)]
        seats: dict[str, list[Measured[SeatRow]]] = {encoder.identity: [] for encoder in encoders}
        for seat in battery.measured:
            seats[seat.row.embedding_sha256].append(seat)
        first = seats[self.before.identity]
        changed = (row for encoder in after for row in change_rows(first, seats[encoder.identity]))
        return [*(seat.row for measured in seats.values() for seat in measured), *changed, *battery.skipped]

    def _similarity(self, after: Sequence[DebiasedEncoder]) -> Iterator[Row]:
        """Return what similarity benchmarks lose, on words alone."""
        for benchmark in _similarities():
            words = sorted(pair_words([benchmark]))
            lacking = set(self.before.lacks(words))
            present = [word for word in words if word not in lacking]
            for encoder in after:
                try:
                    yield similarity(_of(encoder, present), benchmark, against=_of(self.before, present))
                except VocabularyError as error:
                    measured = (encoder.name, encoder.identity)
                    yield skipped(measured, benchmark.name, benchmark.name, error, part=PART, seed=self.seed)


def judging_texts(encoder: Encoder, asked: FittingGroups, tests: Sequence[WeatTest]) -> list[str]:
    """Return the texts that judging has an encoder encode."""
    held_out, fitted = (known_words(encoder, groups)[0] for groups in (asked.held_out, asked.fitted))
    return [
        *seat_texts(held_out)[0],
        *seat_texts(fitted, PER_WORD)[0],
        *chain(*framed_texts(tests)),
        *pair_words(_similarities()),
    ]


def seat_texts(groups: Sequence[WordSet], most: int | None = None) -> tuple[list[str], Indices, Indices]:
    """Return SEAT's sentences about words, at most so many of each in turn; their groups; numbers of their words."""
    frames = bundled_templates().by_kind
    texts: list[str] = []
    labels: list[int] = []
    owners: list[int] = []
    word_number = 0
    for label, group in enumerate(groups):
        for turn, (word, kind) in enumerate(zip(group.words, group.kinds, strict=True)):
            made = [fill(pattern, word) for pattern in in_turn(frames[kind], turn, most)]
            texts += made
            labels += [label] * len(made)
            owners += [word_number] * len(made)
            word_number += 1
    return texts, np.array(labels, dtype=np.intp), np.array(owners, dtype=np.intp)


def _similarities() -> list[PairBenchmark]:
    return [benchmark for benchmark in bundled_benchmarks(*_BENCHMARKS) if isinstance(benchmark, PairBenchmark)]


def _of(encoder: Encoder, words: Sequence[str]) -> Embedding:
    """Return an encoder's vectors of words as an embedding of its name."""
    return Embedding(encoder.name, list(words), encoder.encode(words))
