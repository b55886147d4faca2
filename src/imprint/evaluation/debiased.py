"""What debiasing did: to an embedding along an axis, and to an encoder, on words and sentences it was not fitted on.

On an encoder the same method is fitted on words alone too, because erasure fitted on words need not carry over to
sentences. Both are judged alike: the group that a classifier still reads off sentences, SEATs before and after,
similarity lost.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from imprint.association.battery import run_battery
from imprint.association.changes import before_and_after, change_rows
from imprint.association.rows import Measured, SeatRow
from imprint.association.seat_battery import framed_texts, run_seat_battery
from imprint.debiasing.debiaser import find_debiaser
from imprint.debiasing.frontier import stereotype_variances
from imprint.debiasing.rows import FrontierRow, debiasing_finding, fitted_finding, frontier_finding
from imprint.debiasing.sentences import PER_WORD, FittedOn, FittingGroups, in_turn, known_words
from imprint.debiasing.transform import DebiasedEncoder, Transform
from imprint.directions.axis import Axis
from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import Encoder
from imprint.errors import VocabularyError
from imprint.evaluation.benchmarks import PairBenchmark, bundled_benchmarks, pair_words
from imprint.evaluation.leakage import PART, SentenceLeakageRow
from imprint.evaluation.left import is_gender, judging_axis, measure_left
from imprint.evaluation.recovering import (
    FOLDS,
    OwnedRows,
    RecoveryAttempt,
    estimate_change,
    estimate_recovery,
    recover_group,
)
from imprint.evaluation.resampling import flatten
from imprint.evaluation.similarity import similarity
from imprint.rows import Row, SkippedRow, skipped
from imprint.stimuli.catalog import GENDER_TESTS, catalogue, choose
from imprint.stimuli.definition import WeatTest, WordSet
from imprint.stimuli.templates import bundled_templates, fill
from imprint.types import Indices, Report

FEWEST_HELD_OUT = 2 * FOLDS  # words of each group that folds can be made of

_BENCHMARKS = ("rg-65", "ws-353", "men")


@dataclass(frozen=True)
class DebiasedCopy:
    """An embedding before and after debiasing along an axis, and what is measured of both."""

    before: Embedding
    after: Embedding
    transform: Transform
    axis: Axis
    seed: int = 0

    def fitted_alone(self) -> Row:
        """Say what was fitted."""
        return debiasing_finding(self.before, self.transform, self.axis, None)

    def fitted(self, judges: Sequence[str] | None = None) -> list[Row]:
        """Say what was fitted, and how far words spread; where words to judge it by are missing, without."""
        try:
            variances = stereotype_variances(self.before, self.after, self.axis, held_out=judges)
        except VocabularyError as error:
            return [self.fitted_alone(), self.skip("variances", "Variances before and after", error)]
        return [debiasing_finding(self.before, self.transform, self.axis, variances, **self._left(judges))]

    def _left(self, judges: Sequence[str] | None) -> dict[str, Any]:
        """Say what is left along the gender axis, or along one of another name; nothing where pairs are missing."""
        try:
            axis = judging_axis(self.before) if is_gender(self.axis) else self.axis
        except VocabularyError:
            return {}
        left = measure_left(self.before, self.after, axis, judges)
        return flatten(left) | {"n_pairs": 0 if axis is self.axis else len(axis.positive)}

    def frontier(self, **words: Any) -> list[FrontierRow]:
        """Say what other strengths would do; words are `imprint.frontier`'s."""
        kind = find_debiaser(self.transform.method)
        points = kind.frontier(self.before, self.transform, axis=self.axis, **words)
        return [frontier_finding(self.before, self.transform, self.axis, points)]

    def tests(self, tests: Sequence[WeatTest] | None = None, *, report: Report) -> list[Row]:
        """Run WEATs, by default those of gender, before and after."""
        chosen = choose(catalogue(), GENDER_TESTS) if tests is None else tests
        label, runs = "testing before and after", 2 * len(chosen)
        report(label, 0, runs)
        first = run_battery(
            self.before, chosen, seed=self.seed, progress=lambda done, total: report(label, done, runs)
        )
        last = run_battery(
            self.after, chosen, seed=self.seed, progress=lambda done, total: report(label, total + done, runs)
        )
        return [row.in_part(PART) for row in before_and_after(first, last)]

    def skip(self, test: str, title: str, error: VocabularyError) -> SkippedRow:
        """Return the row of something that could not be measured."""
        return skipped((self.before.name, self.before.sha256), test, title, error, part=PART, seed=self.seed)


def judge_encoder(
    before: Encoder,
    transforms: Mapping[FittedOn, Transform],
    asked: FittingGroups,
    tests: Sequence[WeatTest],
    seed: int,
    report: Report,
) -> list[Row]:
    """Return what was fitted, what can still be read off sentences, SEATs before and after, and benchmarks."""
    after = {on: transform.apply(before) for on, transform in transforms.items()}
    return [
        *(fitted_finding(transforms[on]) for on in ("sentences", "words")),
        *_leakage(before, after, asked, seed),
        *_changes(before, after, tests, seed, report),
        *_similarity(before, after, seed),
    ]


def judging_texts(encoder: Encoder, asked: FittingGroups, tests: Sequence[WeatTest]) -> list[str]:
    """Return the texts that `judge_encoder` has an encoder encode."""
    held_out, fitted = (known_words(encoder, groups)[0] for groups in (asked.held_out, asked.fitted))
    return [
        *seat_texts(held_out)[0],
        *seat_texts(fitted, PER_WORD)[0],
        *chain(*framed_texts(tests)),
        *pair_words(_similarities()),
    ]


def _leakage(before: Encoder, after: dict[FittedOn, DebiasedEncoder], asked: FittingGroups, seed: int) -> list[Row]:
    """Try to read the group off held-out words in SEAT's sentences, with the encoder as it was and as it is.

    The classifier may learn from every word fitted on, in the same sentences: whoever uses the encoder can do so too.
    """
    names = tuple(group.name for group in asked.held_out)
    held_out, missing = known_words(before, asked.held_out)
    fewest = min(map(len, held_out))
    if fewest < FEWEST_HELD_OUT:
        reason = f"a group has {fewest} held-out words that the encoder knows, fewer than {FEWEST_HELD_OUT}"
        about = (before.name, before.identity)
        return [skipped(about, "leakage", "What is left of the groups", reason, part=PART, seed=seed)]

    def encoded(texts: Sequence[str], labels: Indices, owners: Indices) -> OwnedRows:
        return OwnedRows(before.encode(texts).astype(np.float64), labels, owners)

    judged = encoded(*seat_texts(held_out))
    others = encoded(*seat_texts(known_words(before, asked.fitted)[0], PER_WORD))
    of_words = judged.of_words()

    def attempt(move: Transform) -> RecoveryAttempt:
        return recover_group(judged._replace(rows=move(judged.rows)), others._replace(rows=move(others.rows)), seed)

    first = recover_group(judged, others, seed)
    found: list[Row] = []
    for on in ("sentences", "words"):
        encoder = after[on]
        last = attempt(encoder.transform)
        measured = {
            "accuracy": estimate_recovery(last, of_words),
            "against_accuracy": estimate_recovery(first, of_words),
            "change": estimate_change(first, last, of_words),
        }
        found.append(
            SentenceLeakageRow(
                test=f"{encoder.transform.method} fitted on {on}",
                embedding=encoder.name,
                embedding_sha256=encoder.identity,
                statistic=measured["accuracy"].value,
                seed=seed,
                missing=missing,
                method=encoder.transform.method,
                fit_texts=on,
                group_names=names,
                n_words=len(of_words),
                n_trained=len(others.of_words()) + len(of_words) * (FOLDS - 1) // FOLDS,
                texts=len(judged.rows),
                chance=1.0 / len(names),
                against=before.name,
                against_sha256=before.identity,
                **flatten(measured),
            )
        )
    return found


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


def _changes(
    before: Encoder,
    after: dict[FittedOn, DebiasedEncoder],
    tests: Sequence[WeatTest],
    seed: int,
    report: Report,
) -> list[Row]:
    """Return the SEATs of all three, and what changed."""
    if not tests:
        return []
    encoders = [before, after["sentences"], after["words"]]
    try:
        battery = run_seat_battery(encoders, tests, context="framed", seed=seed, report=report)
    except VocabularyError as error:
        about = (before.name, before.identity)
        return [skipped(about, "seats", "SEATs before and after", error, part=PART, seed=seed)]
    seats: dict[str, list[Measured[SeatRow]]] = {encoder.identity: [] for encoder in encoders}
    for seat in battery.measured:
        seats[seat.row.embedding_sha256].append(seat)
    rows: list[Row] = [seat.row for own in seats.values() for seat in own]
    for encoder in encoders[1:]:
        rows += change_rows(seats[before.identity], seats[encoder.identity])
    return [*rows, *battery.skipped]


def _similarity(before: Encoder, after: dict[FittedOn, DebiasedEncoder], seed: int) -> list[Row]:
    """Return what similarity benchmarks lose, on words alone."""
    rows: list[Row] = []
    for benchmark in _similarities():
        words = sorted({word for pair in benchmark.pairs for word in pair})
        lacking = set(before.lacks(words))
        known = [word for word in words if word not in lacking]
        for on in ("sentences", "words"):
            try:
                rows.append(similarity(_of(after[on], known), benchmark, against=_of(before, known)))
            except VocabularyError as error:
                measured = (after[on].name, after[on].identity)
                rows.append(skipped(measured, benchmark.name, benchmark.name, error, part=PART, seed=seed))
    return rows


def _similarities() -> list[PairBenchmark]:
    return [benchmark for benchmark in bundled_benchmarks(*_BENCHMARKS) if isinstance(benchmark, PairBenchmark)]


def _of(encoder: Encoder, words: Sequence[str]) -> Embedding:
    """Return an encoder's vectors of words as an embedding of its name."""
    return Embedding(encoder.name, list(words), encoder.encode(words))
