"""Metrics on tests: one value each, with its p-value, its interval over words and its evidence.

A p-value has a null. Exchanging the labels of the words asks whether the sets differ; where that cannot change the
value, or is not a fair comparison, random words of like frequency take the place of the words. The interval is over
words, as in every test. What strong evidence needs, the axes of the space, is not asked of these metrics, so they
reach moderate evidence at most. The values of one metric are a family: whoever runs several and reports one has more
chances to find something.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np

from imprint.association.evidence import Checks
from imprint.association.rows import JudgedRow, PMethod, case_of, direction_of
from imprint.association.verdicts import ALPHA, Case, Check, InFamily, Judged, check_alpha, count_found, judge_all
from imprint.embeddings.embedding import Embedding
from imprint.errors import StimulusError, VocabularyError
from imprint.metrics.metric import Metric, MetricPart, MetricWords, Permuted
from imprint.rows import Count, Label, Result, Row, SkippedRow, shown, skipped
from imprint.significance.partitions import permutation_test
from imprint.significance.relabelled import (
    Chosen,
    Jackknifed,
    NullTest,
    exchange_test,
    exchanges,
    jackknife,
    place_among,
    relabellings,
)
from imprint.stimuli.definition import AnyTest, GroupsTest, WeatTest, described, words_of
from imprint.subjects.framed import foreign_vectors, word_vectors
from imprint.subjects.opening import EncoderLike
from imprint.threads import single_threaded
from imprint.types import Floats, Progress

FEWEST_DRAWS = {True: 9_999, False: 999}  # of random words, by whether many are measured at once

_CONFIDENCE = 0.95
_BATCH = 500  # choices that are measured at once
_DRAWS = 100  # of random words, whose rows are read at once; of targets alone, ten times as many
_REACHED = {True: 20, False: 2}  # draws that reach a value whose p is just small enough, at least
_NEAR = 1_000  # words of like frequency that one word is compared with, at least
_NEAR_REACHED = 4


class MetricRow(JudgedRow, frozen=True, kw_only=True, tag="metric"):
    """A metric on a test: its value as published, and what it would be without a difference.

    Where `permuted` is None, labels are not exchanged: values are compared with those of random words of like
    frequency, and `p_label_floor` is that of `p_frequency`. `p_label_low` and `p_label_high` bound the p-value where
    labels were drawn.
    """

    p_value: Annotated[float | None, shown("p", "p of the metric alone, before correction.", method="p_method")] = None
    p_holm: Annotated[
        float | None,
        shown(
            "p, Holm",
            "p of the metric after Holm's correction over its values; two-sided where both signs mean bias.",
            method="p_method",
        ),
    ] = None
    p_frequency: Annotated[float | None, shown("p, frequency", "Against random words of the same frequencies.")] = None
    p_words: Annotated[
        float | None,
        shown("p, words", "Two-sided p against the expected value among all words of these kinds."),
    ] = None
    metric: Annotated[str, shown("Metric", "Name of the metric.")]
    metric_title: Annotated[str, shown("Title", "What the metric is called.")]
    metric_source: Annotated[str, shown("Source", "Where the metric was published.")]
    orientation: Annotated[str, shown("Orientation", "What a large and a small value mean.")]
    value: Annotated[
        float | None,
        shown(
            "Value",
            "The metric as published, with its 95 % interval over words.",
            digits=3,
            ends="words",
        ),
    ]
    expected: Annotated[float | None, shown("Expected", "Mean value where there is no difference.", digits=3)] = None
    excess: Annotated[
        float | None,
        shown(
            "Excess", "Value less what is expected; above zero as predicted, or where there is more bias.", digits=3
        ),
    ] = None
    about: Annotated[str | None, shown("About", "The set or word that the value is about, if not the whole test.")] = (
        None
    )
    options: Annotated[tuple[Label, ...], shown("Settings", "Settings of the metric.")] = ()
    permuted: Annotated[Permuted | None, shown("Permuted", "Whose labels were exchanged.")] = None
    p_method: Annotated[PMethod | None, shown("p, method", "How p was found.")] = None
    labellings: Annotated[
        Count | None, shown("Labels tried", "Ways to exchange the labels of words that were tried.", shape="count")
    ] = None
    n_x: Annotated[int, shown("Words", "Words of X, Y, A and B, or of the groups, that are used.")] = 0
    n_y: Annotated[int, shown("Words of Y", "Words of Y that are used.")] = 0
    group_sizes: Annotated[tuple[int, ...], shown("Groups", "Words of each group that are used.")] = ()
    unpaired: Annotated[
        tuple[str, ...], shown("Unpaired", "Words left out because the other word of their pair has no vector.")
    ] = ()

    @property
    def family(self) -> tuple[str, ...]:
        """What tells the family apart in which its p-values were corrected: the values of one metric."""
        return *super().family, self.metric


@dataclass(frozen=True, repr=False)
class MetricResult(InFamily):
    """One value of one metric, and its place in the family."""

    name: str
    metric: Metric
    test: WeatTest | GroupsTest
    part: MetricPart
    value: float
    expected: float | None
    checks: Checks
    null: NullTest | None
    p_method: PMethod | None
    seed: int
    judged: Judged | None = None

    @property
    def case(self) -> Case:
        """What is judged of it within a family."""
        return case_of(self.checks, self.test, self.part.words.missing + self.part.words.unpaired)

    def finding(self) -> MetricRow:
        """Return the row."""
        words, embedding = self.part.words, self.part.words.embedding
        known = {name: value for name, value in self.checks.fields().items() if name in MetricRow.__struct_fields__}
        away = self.value - (self.expected or 0.0)
        asked = self.null.tried if self.null else None
        return MetricRow(
            test=self.test.id,
            **described(self.test),
            embedding=embedding.name,
            embedding_sha256=embedding.sha256,
            seed=self.seed,
            missing=words.missing,
            lowered=words.lowered,
            from_subwords=words.from_subwords,
            unpaired=words.unpaired,
            n_x=words.n_x,
            n_y=words.n_y,
            n_a=words.n_a,
            n_b=words.n_b,
            group_sizes=words.group_sizes,
            metric=self.name,
            metric_title=self.metric.title,
            metric_source=self.metric.source,
            orientation=self.metric.orientation,
            options=self.metric.settings,
            about=self.part.about,
            value=self.value,
            expected=self.expected,
            excess=away * (self.part.sign or (-1 if self.metric.tail == "low" else 1)),
            statistic=self.value,
            p_value=self.checks.p_of(self.checks.first),
            p_method=self.p_method,
            labellings=None if asked is None else str(asked),
            permuted=self.metric.permuted,
            direction=direction_of(away * self.part.sign) if self.part.sign else None,
            **known,
            **(self.judged.fields() if self.judged else {}),
        )


@dataclass(frozen=True, repr=False)
class MetricBattery(Result):
    """Values of metrics on tests; those of one metric about people are judged together.

    Attributes
    ----------
    results
        One result per metric, test, and attribute set or word that the metric is about.
    skipped
        What could not be measured, with the reason.
    alpha
        Chance of any false discovery.
    """

    results: tuple[MetricResult, ...]
    skipped: tuple[SkippedRow, ...]
    alpha: float

    def findings(self) -> list[Row]:
        """Return one row per value, and what could not be measured last."""
        return [*(one.finding() for one in self.results), *self.skipped]

    def __repr__(self) -> str:
        return f"MetricBattery({len(self.results)} values: {count_found(self.results)}; {len(self.skipped)} skipped)"


def run_metrics(
    subject: EncoderLike,
    tests: Sequence[AnyTest],
    metrics: Mapping[str, Metric],
    *,
    alpha: float = ALPHA,
    seed: int = 0,
    foreign: Mapping[str, Embedding] | None = None,
    progress: Progress | None = None,
) -> MetricBattery:
    """Run metrics, given by name, on the same tests and words, and judge the values of each together.

    `foreign` has vectors for tests in other languages, by language, where an encoder is asked in their sentences.
    """
    check_alpha(alpha)
    if foreign is None:
        foreign = foreign_vectors(subject, [test for test in tests if not isinstance(test, GroupsTest)])
    needed = [word for metric in metrics.values() for word in metric.also(tests)]
    embedding = word_vectors(subject, [*words_of(tests), *needed])
    results: list[MetricResult] = []
    not_run: list[SkippedRow] = []
    asked = [(test, foreign.get(test.language, embedding)) for test in tests]
    levels = {name: alpha / max(_values_of(metric, asked), 1) for name, metric in metrics.items()}
    for done, (name, metric, (test, vectors)) in enumerate((n, m, one) for n, m in metrics.items() for one in asked):
        try:
            results += measure_metric(vectors, test, name, metric, seed=seed, level=levels[name])
        except (VocabularyError, StimulusError) as error:
            measured = (embedding.name, embedding.sha256)
            not_run.append(
                skipped(measured, test.id, f"{metric.title}: {test.title}", error, part="metrics", seed=seed)
            )
        if progress is not None:
            progress(done + 1, len(metrics) * len(tests))
    judged = [judge_all([one for one in results if one.name == name], alpha) for name in metrics]
    return MetricBattery(tuple(one for own in judged for one in own), tuple(not_run), alpha)


def measure_metric(
    embedding: Embedding, test: AnyTest, name: str, metric: Metric, *, seed: int = 0, level: float = ALPHA
) -> list[MetricResult]:
    """Measure a metric on one test; there are so many random words that a p-value can be well below `level`."""
    if isinstance(test, GroupsTest):
        from imprint.metrics.groups import measure_groups

        with single_threaded():
            return [measure_groups(embedding, test, name, metric, seed=seed, level=level)]
    four = _four_sets(test)
    with single_threaded():
        return [_measure(name, metric, four, part, seed, level) for part in _parts(embedding, four, metric)]


def _values_of(metric: Metric, asked: Sequence[tuple[AnyTest, Embedding]]) -> int:
    """Count the values of a metric: the family that is corrected together, controls included."""
    count = 0
    for test, embedding in asked:
        with suppress(VocabularyError, StimulusError):
            count += 1 if isinstance(test, GroupsTest) else len(_parts(embedding, _four_sets(test), metric))
    return count


def _four_sets(test: AnyTest) -> WeatTest:
    if not isinstance(test, WeatTest):
        raise StimulusError(f"{test.id} has no sets X, Y, A and B", hint="choose a test with four word sets")
    return test


def _parts(embedding: Embedding, test: WeatTest, metric: Metric) -> list[MetricPart]:
    found = MetricWords.of(embedding, test, unit=metric.unit, paired=metric.paired)
    return list(metric.parts(found, test))


def _measure(name: str, metric: Metric, test: WeatTest, part: MetricPart, seed: int, level: float) -> MetricResult:
    words = part.words
    observed = words.observed()
    value = float(metric.values(words, observed)[0])
    if not math.isfinite(value):
        raise VocabularyError(f"{metric.title} does not exist for these words", where=test.id, hint="use other words")
    of_labels, of_words = np.random.SeedSequence([seed, 0x3E7]).spawn(2)
    label, method = _label_test(metric, words, of_labels)
    frequency = frequency_test(
        metric,
        words,
        value,
        label.expected if label else 0.0,
        of_words,
        lambda random: metric.values(random, observed),
        level,
    )
    jackknifed = jackknife(
        lambda chosen: _in_batches(metric, words, chosen),
        observed,
        words.units(),
        paired=metric.paired,
        crossed=metric.crossed,
        sampled=metric.sampled,
    )
    return measured(name, metric, test, part, value, (label, method), frequency, jackknifed, seed)


def measured(
    name: str,
    metric: Metric,
    test: WeatTest | GroupsTest,
    part: MetricPart,
    value: float,
    labelled: tuple[NullTest | None, PMethod | None],
    frequency: NullTest | None,
    jackknifed: Jackknifed | None,
    seed: int,
) -> MetricResult:
    """Put together what was found about one value."""
    label, method = labelled
    null = label or frequency
    expected = None if null is None else null.expected
    asked: tuple[Check, ...] = ("label", "frequency", "words") if metric.permuted else ("frequency", "words")
    fields: dict[str, Any] = {}
    if jackknifed is not None:
        over = jackknifed.interval(0.0 if expected is None else expected, _CONFIDENCE)
        lowest, highest = metric.bounds
        fields |= {"words_low": max(over.low, lowest), "words_high": min(over.high, highest)}
        fields["p_words"] = None if expected is None else over.p_value
    if label is not None:
        fields |= {
            "p_label_low": label.p_low,
            "p_label_high": label.p_high,
            "p_label_floor": label.p_floor,
        }
    elif frequency is not None:
        fields["p_label_floor"] = frequency.p_floor
    checks = Checks(
        p_label=label.p_value if label else None,
        p_frequency=frequency.p_value if frequency else None,
        asked=asked,
        **fields,
    )
    return MetricResult(name, metric, test, part, value, expected, checks, null, method, seed)


def _label_test(
    metric: Metric, words: MetricWords, seed: np.random.SeedSequence
) -> tuple[NullTest | None, PMethod | None]:
    """Exchange labels, in all ways or at random."""
    if metric.permuted is None:
        return None, None
    if (found := metric.label_test(words)) is not None:
        return found, "exact"
    observed = words.observed()
    of_targets = metric.permuted != "attributes"
    own = observed.x[0] if of_targets else observed.a[0]
    scores = metric.additive(words)
    if scores is not None and metric.permuted == "pairs":
        signed = exchange_test(scores)
        if signed is not None:
            return signed, "exact"
    elif scores is not None:
        counted = permutation_test(scores[own], scores[~own], alternative="two-sided")
        return (
            NullTest(
                counted.p_value, counted.p_low, counted.p_high, counted.p_floor, 0.0, counted.partitions, exact=True
            ),
            counted.p_method,
        )
    if metric.permuted == "pairs":
        turned, exact = exchanges(words.n_x, seed)
        chosen = np.hstack([~turned, turned])
    else:
        chosen, exact = relabellings(int(own.sum()), len(own), seed)
    sides = {"x": chosen, "y": ~chosen} if of_targets else {"a": chosen, "b": ~chosen}
    values = _in_batches(metric, words, replace(observed, **sides))
    return place_among(values, exact=exact, tail=metric.tail), "exact" if exact else "sampled"


def _in_batches(metric: Metric, words: MetricWords, chosen: Chosen) -> Floats:
    whole = chosen.whole()
    sides = (whole.x, whole.y, whole.a, whole.b)
    return np.concatenate(
        [
            metric.values(words, Chosen(*(side[start : start + _BATCH] for side in sides)))
            for start in range(0, len(whole), _BATCH)
        ]
    )


def frequency_test(
    metric: Metric,
    words: MetricWords,
    value: float,
    centre: float,
    seed: np.random.SeedSequence,
    measure: Callable[[MetricWords], Floats],
    level: float,
) -> NullTest | None:
    """Put random words of like frequency in the place of those that are replaced, each with the length of that word.

    In the place of one word comes every word of the sample around its rank, once: drawn words would repeat.

    Two-sided, it asks how often random words give a value as far from `centre`, the value without a difference. With
    their own mean as the centre, a value that frequency makes small would count as evidence. Draws without a value,
    such as a pair of a word with itself, do not count.
    """
    background = words.embedding.background
    if background is None:
        return None
    of_targets, of_attributes = (np.random.default_rng(child) for child in seed.spawn(2))
    draws = max(FEWEST_DRAWS[metric.stacked], math.ceil(_REACHED[metric.stacked] / level))
    alone = metric.replaced == "targets"
    if alone and len(words.target_words) == 1:
        least = max(_NEAR, math.ceil(_NEAR_REACHED / level))
        drawn = {"targets": background.near(int(words.target_ranks[0]), least)[:, None]}
    else:
        drawn = {"targets": background.draw(words.target_ranks, draws, of_targets, half=None if alone else 0)}
    if not alone:
        drawn["attributes"] = background.draw(words.attribute_ranks, draws, of_attributes, half=1)
    lengths = {side: np.linalg.norm(getattr(words, side), axis=1, keepdims=True) for side in drawn}
    values = [np.array([value])]
    step = _DRAWS * (10 if alone else 1)
    for start in range(0, len(drawn["targets"]), step):
        rows = {side: background.rows[own[start : start + step]] * lengths[side] for side, own in drawn.items()}
        if metric.stacked:
            values.append(measure(replace(words, **rows)))
        else:
            values += [
                measure(replace(words, **dict(zip(rows, one, strict=True))))
                for one in zip(*rows.values(), strict=True)
            ]
    known = np.concatenate(values)
    return place_among(known[np.isfinite(known)], exact=False, tail=metric.tail, centre=centre, bounds=False)
