"""Metrics on tests: one value each, with its p-value, its interval over words, and what that says.

A p-value has a null. Exchanging the labels of the words asks whether the sets differ; where that cannot change the
value, or is not a fair comparison, random words of like frequency take the place of the words. What decides is, as in
every test, the interval over words: whether it excludes the value that there is without a difference, on a side that
means bias. Lists that are not matched in frequency also need random words to reach the value hardly ever, and tests of
gender in languages with grammatical gender its check.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np

from imprint.association.battery import attempt_each, in_parts
from imprint.association.rows import WORDS_HIGH, WORDS_LOW, OutcomeRow, PMethod
from imprint.association.sizes import is_explained_by_frequency, is_explained_by_grammar, octaves, test_of_things
from imprint.association.weat import grammar_of, look_up, vectors_of
from imprint.embeddings.background import Background
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, StimulusError, VocabularyError
from imprint.metrics.groups import GroupMetric, group_metrics
from imprint.metrics.metric import Metric, MetricPart, MetricWords, Permuted
from imprint.rows import Count, Label, Rows, SkippedRow, shown, skipped
from imprint.significance.outcomes import CONFIDENCE, Decided, Reason, outcome, too_few
from imprint.significance.partitions import permutation_test
from imprint.significance.relabelled import (
    ROLES,
    Chosen,
    Jackknifed,
    NullTest,
    exchange_test,
    exchanges,
    jackknife,
    place_among,
    relabellings,
)
from imprint.stimuli.definition import AnyTest, GroupsTest, Test, WeatTest, described, words_of
from imprint.subjects.framed import foreign_vectors, word_vectors
from imprint.subjects.opening import EncoderLike
from imprint.threads import single_threaded
from imprint.types import Floats, Ints, Progress

BATCH = 500  # choices that are measured at once
DRAWS = {True: 9_999, False: 999}  # of random words, by whether many are measured at once and lists are short

_READ = 100  # draws of random words whose rows are read at once; of targets alone, ten times as many
_SHORT = 200  # words of all lists of a test
_NEAR = 1_000  # words of like frequency that one word is compared with, at least
_OF_NULL = ("p_value", "p_low", "p_high", "p_floor")


class MetricRow(OutcomeRow, frozen=True, kw_only=True, tag="metric"):
    """A metric on a test: its value as published, what it would be without a difference, and what its interval says.

    Where `permuted` is None, labels are not exchanged: values are compared with those of random words of like
    frequency, and `p_value` is `p_frequency`. A value without an interval has no outcome.
    """

    metric: Annotated[str, shown("Metric", "Name of the metric.")]
    metric_title: Annotated[str, shown("Title", "What the metric is called.")]
    metric_source: Annotated[str, shown("Source", "Where the metric was published.")]
    orientation: Annotated[str, shown("Orientation", "What a large and a small value mean.")]
    value: Annotated[
        float | None,
        shown("Value", "The metric as published, with its 99.5 % interval over words.", digits=3, ends="words"),
    ]
    words_low: Annotated[float | None, WORDS_LOW] = None
    words_high: Annotated[float | None, WORDS_HIGH] = None
    expected: Annotated[float | None, shown("Expected", "Mean value where there is no difference.", digits=3)] = None
    excess: Annotated[
        float | None,
        shown(
            "Excess", "Value less what is expected; above zero as predicted, or where there is more bias.", digits=3
        ),
    ] = None
    directed: Annotated[
        bool, shown("Directed", "Whether the sign of the excess says if sets go together as predicted.")
    ] = False
    about: Annotated[str | None, shown("About", "The set or word that the value is about, if not the whole test.")] = (
        None
    )
    options: Annotated[tuple[Label, ...], shown("Settings", "Settings of the metric.")] = ()
    permuted: Annotated[Permuted | None, shown("Permuted", "Whose labels were exchanged.")] = None
    p_value: Annotated[
        float | None,
        shown("p", "Share of exchanged labels, or of random words, that reach the value.", method="p_method"),
    ] = None
    p_low: Annotated[float | None, shown("p, low", "The least that p can be.")] = None
    p_high: Annotated[float | None, shown("p, high", "The most that p can be.")] = None
    p_floor: Annotated[float | None, shown("p, floor", "The smallest p that so many words, or draws, can give.")] = (
        None
    )
    p_method: Annotated[PMethod | None, shown("p, method", "How p was found.")] = None
    p_frequency: Annotated[
        float | None,
        shown("p, frequency", "Share of random words of the same frequencies that reach the value."),
    ] = None
    labellings: Annotated[
        Count | None, shown("Labels tried", "Ways to exchange the labels of words that were tried.", shape="count")
    ] = None
    n_x: Annotated[int, shown("Words", "Words of X, Y, A and B, or of the groups, that are used.")] = 0
    n_y: Annotated[int, shown("Words of Y", "Words of Y that are used.")] = 0
    group_sizes: Annotated[tuple[int, ...], shown("Groups", "Words of each group that are used.")] = ()
    unpaired: Annotated[
        tuple[str, ...], shown("Unpaired", "Words left out because the other word of their pair has no vector.")
    ] = ()

    def __repr__(self) -> str:
        about = "" if self.about is None else f" of {self.about}"
        said = self._said(self.value, ".3g")
        return f"MetricRow({self.metric}{about} in {self.test!r} on {self.embedding}: {said})"


def measure_metrics(
    subject: EncoderLike,
    tests: Sequence[AnyTest],
    metrics: Mapping[str, Metric],
    *,
    seed: int = 0,
    foreign: Mapping[str, Embedding] | None = None,
    progress: Progress | None = None,
) -> Rows[MetricRow | SkippedRow]:
    """Run metrics, given by name, on the same tests and words.

    `foreign` has vectors for tests in other languages, by language, where an encoder is asked in their sentences.
    """
    if foreign is None:
        foreign = foreign_vectors(subject, with_things(tests))
    needed = [word for metric in metrics.values() for word in metric.also(tests)]
    embedding = word_vectors(subject, [*words_of(tests), *needed])

    def measure(vectors: Mapping[str, Embedding], name: str, metric: Metric, test: AnyTest) -> list[MetricRow]:
        return measure_metric(vectors.get(test.language, embedding), test, name, metric, seed=seed)

    def lost(error: Exception, name: str, metric: Metric, test: AnyTest) -> SkippedRow:
        subject = (embedding.name, embedding.sha256)
        return skipped(subject, test.id, f"{metric.title}: {test.title}", error, part="metrics", seed=seed)

    tasks = [(name, metric, test) for name, metric in metrics.items() for test in tests]
    rows, not_run = in_parts(attempt_each(measure, foreign, tasks, lost, progress=progress))
    return Rows([*rows, *not_run])


def with_things(tests: Iterable[AnyTest]) -> list[Test]:
    """Return tests without groups, and beside each the test of things that its check of grammar needs."""
    four = [test for test in tests if not isinstance(test, GroupsTest)]
    things = (test_of_things(test) for test in four if isinstance(test, WeatTest))
    return [*four, *filter(None, things)]


def measure_metric(
    embedding: Embedding, test: AnyTest, name: str, metric: Metric, *, seed: int = 0
) -> list[MetricRow]:
    """Measure a metric on one test."""
    with single_threaded():
        if isinstance(test, GroupsTest):
            _check_groups(test, name, metric)
            words = MetricWords.of_groups(embedding, test)
            return [_measure(name, metric, test, metric.whole(words), seed)]
        if not isinstance(test, WeatTest):
            raise StimulusError(f"{test.id} has no sets X, Y, A and B", hint="choose a test with four word sets")
        words = MetricWords.of(embedding, test, unit=metric.unit, paired=metric.paired)
        by_grammar = _is_explained_by_grammar(embedding, test)
        return [_measure(name, metric, test, part, seed, by_grammar=by_grammar) for part in metric.parts(words, test)]


def _check_groups(test: GroupsTest, name: str, metric: Metric) -> None:
    """Refuse groups that a metric does not take, and those without attributes that it needs."""
    if not isinstance(metric, GroupMetric):
        hint = f"use one of {', '.join(group_metrics())}"
        raise SettingError(f"{name} does not take groups", option="metric", got=name, hint=hint)
    if "attributes" in metric.sampled and not test.attributes:
        raise StimulusError(f"{metric.title} needs attributes of each group", where=test.id, hint="give them")


def _is_explained_by_grammar(embedding: Embedding, test: WeatTest) -> bool:
    """Tell whether grammatical gender could be the reason for a difference, as its size has it."""
    if test_of_things(test) is None:
        return False
    grammar = grammar_of(embedding, test, vectors_of(embedding, look_up(embedding, test)))
    return grammar is not None and is_explained_by_grammar(grammar)


def _measure(
    name: str,
    metric: Metric,
    test: WeatTest | GroupsTest,
    part: MetricPart,
    seed: int,
    *,
    by_grammar: bool = False,
) -> MetricRow:
    words, of_groups = part.words, isinstance(test, GroupsTest)
    value = float(metric.values(words, words.observed())[0])
    if not math.isfinite(value):
        raise VocabularyError(f"{metric.title} does not exist for these words", where=test.id, hint="use other words")
    of_labels, of_words = np.random.SeedSequence([seed, 0x6E0 if of_groups else 0x3E7]).spawn(2)
    label = _label_test(metric, words, of_labels)
    matched = not isinstance(test, GroupsTest) and test.is_question and not words.missing
    frequency = None
    if label is None or not matched:
        frequency = frequency_test(metric, words, value, label.expected if label else 0.0, of_words)
    jackknifed = over_words(metric, words)
    ranks, listed = _ranks(metric, words, test)
    used = [len(of_group) for of_role in ranks for of_group in of_role]
    obstacle: Reason | None = "few words" if jackknifed is None or too_few(used, used, listed) else None
    if obstacle is None and by_grammar:
        obstacle = "grammar"
    if obstacle is None and (label is None or not matched):
        apart = 0.0 if matched else max((octaves(*of_role) for of_role in ranks), default=0.0)
        explained = is_explained_by_frequency(frequency.p_value if frequency else None, apart)
        obstacle = "frequency" if explained else None
    null = label or frequency
    expected = None if null is None else null.expected
    details = {} if null is None else {name: getattr(null, name) for name in _OF_NULL}
    low, high = (None, None) if jackknifed is None else jackknifed.interval(CONFIDENCE)
    if low is not None and high is not None:
        low, high = max(low, metric.bounds[0]), min(high, metric.bounds[1])
    judged = _judged(metric, expected, low, high, obstacle)
    away = value - (expected or 0.0)
    return MetricRow(
        test=test.id,
        **described(test),
        embedding=words.embedding.name,
        embedding_sha256=words.embedding.sha256,
        seed=seed,
        missing=words.missing,
        lowered=words.lowered,
        from_subwords=words.from_subwords,
        unpaired=words.unpaired,
        **words.sizes,
        group_sizes=words.group_sizes,
        metric=name,
        metric_title=metric.title,
        metric_source=metric.source,
        orientation=metric.orientation,
        options=metric.settings,
        about=part.about,
        value=value,
        words_low=low,
        words_high=high,
        **(judged.fields() if judged else {}),
        expected=expected,
        excess=away * (part.sign or (-1 if metric.tail == "low" else 1)),
        directed=part.sign != 0,
        permuted=metric.permuted,
        **details,
        p_method=None if label is None else label.p_method,
        p_frequency=None if frequency is None else frequency.p_value,
        labellings=None if null is None else str(null.tried),
    )


def over_words(metric: Metric, words: MetricWords) -> Jackknifed | None:
    """Return a metric's value with its error over words; None where a set that counts as a sample has too few."""
    return jackknife(
        lambda chosen: _in_batches(metric, words, chosen),
        words.observed(),
        words.units(),
        paired=metric.paired,
        crossed=metric.crossed and not words.group_sizes,
        sampled=metric.sampled,
    )


def _ranks(metric: Metric, words: MetricWords, test: WeatTest | GroupsTest) -> tuple[list[list[Ints]], list[int]]:
    """Return the frequency ranks of the groups that count as samples, by role, and how many words are listed."""
    sides = (test.groups, test.attributes) if isinstance(test, GroupsTest) else ((test.x, test.y), (test.a, test.b))
    observed = words.observed()
    ranks, listed = [], []
    for role, ranks_of_role, sets in zip(ROLES, (words.target_ranks, words.attribute_ranks), sides, strict=True):
        numbers = getattr(observed, role)[0]
        groups = np.unique(numbers) if role in metric.sampled else ()
        ranks.append([ranks_of_role[numbers == group] for group in groups])
        listed += [len(sets[group]) for group in groups]
    return ranks, listed


def _judged(
    metric: Metric, expected: float | None, low: float | None, high: float | None, obstacle: Reason | None
) -> Decided | None:
    """Say what the interval says beside what is expected: only values on the side that means bias show any.

    None where there are words enough and no interval, as where leaving out a word changes nothing.
    """
    if low is None or high is None:
        return outcome(None, None, obstacle=obstacle) if obstacle == "few words" else None
    if expected is None:  # nothing to compare with
        return outcome(None, None, obstacle=obstacle)
    ends = (low - expected, high - expected)
    if metric.tail == "high":
        ends = (ends[0], math.inf)
    elif metric.tail == "low":
        ends = (-math.inf, ends[1])
    return outcome(*ends, margin=None, obstacle=obstacle)


def _label_test(metric: Metric, words: MetricWords, seed: np.random.SeedSequence) -> NullTest | None:
    """Exchange labels, in all ways or at random; of X and Y by a formula where there is one."""
    if metric.permuted is None:
        return None
    observed, role = words.observed(), "attributes" if metric.permuted == "attributes" else "targets"
    numbers = getattr(observed, role)[0]
    if not words.group_sizes:
        if (by_formula := metric.label_test(words)) is not None:
            return by_formula
        scores = metric.additive(words)
        if scores is not None and metric.permuted == "pairs":
            signed = exchange_test(scores)
            if signed is not None:
                return signed
        elif scores is not None:
            counted = permutation_test(scores[numbers == 0], scores[numbers == 1], alternative="two-sided")
            bounds = (counted.p_low, counted.p_high, counted.p_floor)
            return NullTest(counted.p_value, *bounds, 0.0, counted.partitions, counted.p_method)
    if metric.permuted == "pairs":
        turned, exact = exchanges(words.n_x, seed)
        labels = np.hstack([turned, ~turned]).astype(numbers.dtype)
    else:
        labels, exact = relabellings(numbers, seed)
    values = _in_batches(metric, words, replace(observed, **{role: labels}))
    return place_among(values, exact=exact, tail=metric.tail)


def _in_batches(metric: Metric, words: MetricWords, chosen: Chosen) -> Floats:
    whole = chosen.whole()
    batches = (slice(start, start + BATCH) for start in range(0, len(whole.targets), BATCH))
    return np.concatenate(
        [metric.values(words, Chosen(whole.targets[batch], whole.attributes[batch])) for batch in batches]
    )


def frequency_test(
    metric: Metric,
    words: MetricWords,
    value: float,
    centre: float,
    seed: np.random.SeedSequence,
) -> NullTest | None:
    """Put random words of like frequency in the place of those that are replaced, each with the length of that word.

    Where targets and attributes both are, so is each side alone, and the largest p-value counts: random attributes
    are less alike than those of one kind, so that beside them any coherent targets would seem to reach far. What is
    expected is the mean with all replaced. In the place of one word comes every word of the sample around its rank,
    once: drawn words would repeat.

    Two-sided, it asks how often random words give a value as far from `centre`, the value without a difference. With
    their own mean as the centre, a value that frequency makes small would count as evidence. Draws without a value,
    such as a pair of a word with itself, do not count.
    """
    background = words.embedding.background
    if background is None:
        return None
    of_targets, of_attributes = (np.random.default_rng(child) for child in seed.spawn(2))
    draws = DRAWS[metric.stacked and len(words.target_words) + len(words.attribute_words) <= _SHORT]
    alone = metric.replaced == "targets" or "attributes" not in metric.sampled
    if alone and len(words.target_words) == 1:
        drawn = {"targets": background.near(int(words.target_ranks[0]), _NEAR)[:, None]}
    else:
        drawn = {"targets": background.draw(words.target_ranks, draws, of_targets, half=None if alone else 0)}
    if not alone:
        drawn["attributes"] = background.draw(words.attribute_ranks, draws, of_attributes, half=1)
    ways = [drawn] if alone else [*({side: places} for side, places in drawn.items()), drawn]
    nulls = []
    for way in ways:
        values = np.concatenate([np.array([value]), *_of_random_words(metric, words, background, way)])
        defined = values[np.isfinite(values)]
        nulls.append(place_among(defined, exact=False, tail=metric.tail, centre=centre, bounds=False))
    return replace(max(nulls, key=lambda null: null.p_value), expected=nulls[-1].expected)


def _of_random_words(
    metric: Metric,
    words: MetricWords,
    background: Background,
    drawn: Mapping[str, Ints],
) -> Iterator[Floats]:
    """Return the value of each draw of random words, with the lengths of the words they replace, some at a time."""
    lengths = {side: np.linalg.norm(getattr(words, side), axis=1, keepdims=True) for side in drawn}
    observed = words.observed()
    step = _READ * (1 if "attributes" in drawn else 10)
    for start in range(0, len(next(iter(drawn.values()))), step):
        rows = {side: background.rows[places[start : start + step]] * lengths[side] for side, places in drawn.items()}
        if metric.stacked:
            yield metric.values(replace(words, **rows), observed)
        else:
            yield from (
                metric.values(replace(words, **dict(zip(rows, draw, strict=True))), observed)
                for draw in zip(*rows.values(), strict=True)
            )
