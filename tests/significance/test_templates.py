"""Templates as units besides words: the variance of a balanced design written out, invariances, and coverage."""

import importlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from imprint.association.evidence import CosineTable, SentenceCosines
from imprint.significance.crossed import over_words
from imprint.significance.pooled import InSentences, Role, UnitTable, _spread, pooled

N, T, S = 5, 4, 6  # words of each set, templates of targets and of attributes

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def role(templates, first_word, first_template):
    """Return two sets of N words, each word in all templates."""
    sentences = InSentences(
        np.repeat(np.arange(2 * N), templates), first_template + np.tile(np.arange(templates), 2 * N)
    )
    return Role(first_word + np.arange(2 * N), N, sentences)


def made(rng, *, of_templates=1.0):
    """Return a balanced table: every word of a side is in all of its templates."""
    table = rng.normal(size=(2, N, T, 2, N, S))
    for axes in ((2, N, 1, 2, 1, 1), (2, 1, 1, 2, N, 1), (2, N, 1, 2, N, 1)):
        table = table + rng.normal(size=axes)
    for axes in ((2, 1, T, 2, 1, 1), (2, 1, 1, 2, 1, S), (1, 1, T, 2, 1, 1), (2, N, T, 2, 1, 1), (2, 1, 1, 2, N, S)):
        table = table + of_templates * rng.normal(size=axes)
    return UnitTable(table.reshape(2 * N * T, 2 * N * S), role(T, 0, 4 * N), role(S, 2 * N, 4 * N + T))


def mean_square(values, ranks):
    """Return the mean square of an effect: what is left without lower effects, over its degrees of freedom."""
    rest = values
    for axis in range(values.ndim):
        rest = rest - rest.mean(axis=axis, keepdims=True)
    return (rest**2).sum() / np.prod([size - 1 for size in ranks]) / np.prod(ranks)


def test_the_variance_of_a_balanced_design_is_that_of_mean_squares():
    table = made(np.random.default_rng(0))
    cells = table.cosines.reshape(2, N, T, 2, N, S)
    signs = np.array([1, -1])
    scores = np.einsum("xwtavs,a->xwt", cells, signs) / (N * S)
    contrasts = np.einsum("xwtavs,x->avs", cells, signs) / (N * T)
    of_words = [mean_square(one.mean(axis=1), (N,)) for one in (*scores, *contrasts)]
    shares = [
        mean_square(np.einsum("xt,x->t", scores.mean(axis=1), signs), (T,)),
        mean_square(np.einsum("as,a->s", contrasts.mean(axis=1), signs), (S,)),
    ]
    both = cells.mean(axis=(2, 5))
    twice = sum(mean_square(both[x, :, a], (N, N)) for x in (0, 1) for a in (0, 1))
    twice += sum(mean_square(one, (N, T)) for one in scores) + sum(mean_square(one, (N, S)) for one in contrasts)
    by_other = np.einsum("xwtavs,a->xws", cells, signs) / (N * T)  # words with the other side's templates
    twice += sum(mean_square(one, (N, S)) for one in by_other)
    by_other = np.einsum("xwtavs,x->avt", cells, signs) / (N * S)
    twice += sum(mean_square(one, (N, T)) for one in by_other)
    terms = np.array(of_words + shares)
    found, _ = _spread([table])
    assert found.variance[0] == pytest.approx(max(terms.sum() - twice, terms.max()))
    degrees = np.array([N - 1] * 4 + [T - 1, S - 1])
    assert found.df[0] == pytest.approx(terms.sum() ** 2 / (terms**2 / degrees).sum())


def test_a_template_that_shifts_x_and_y_alike_changes_nothing():
    table = made(np.random.default_rng(1))
    shift = np.random.default_rng(2).normal(size=4 * N + T + S)
    shifted = replace(table, cosines=table.cosines + 100 * shift[table.targets.sentences.templates][:, None])
    one, two = (pooled([each], confidence=0.95) for each in (table, shifted))
    assert (one.low, one.high, one.df) == pytest.approx((two.low, two.high, two.df))


def test_templates_that_only_one_set_has_count_in_full():
    table = made(np.random.default_rng(3))
    sentences = table.targets.sentences
    moved = replace(sentences, templates=sentences.templates + np.where(sentences.words >= N, 100, 0))
    own = replace(table.targets, sentences=moved)
    shift = 3 * np.random.default_rng(4).normal(size=200)
    scores = shift[own.templates][:, None] * np.repeat([1.0, 0.0], N * S)  # with A alone
    apart = replace(table, targets=own, cosines=table.cosines + scores)
    together = replace(apart, targets=table.targets)
    assert _spread([apart])[0].variance[0] > 1.5 * _spread([together.by_words()])[0].variance[0]


def test_the_order_of_words_and_templates_does_not_matter():
    rng = np.random.default_rng(5)
    table = made(rng)
    targets, attributes = (role.sentences for role in table.roles())
    rows = rng.permutation(len(table.cosines))
    names = rng.permutation(T + S) + 4 * N
    words = np.concatenate([rng.permutation(N), N + rng.permutation(N)])
    mixed = replace(
        table,
        cosines=table.cosines[rows],
        targets=Role(
            table.targets.units[words],
            N,
            InSentences(np.argsort(words)[targets.words[rows]], names[targets.templates[rows] - 4 * N]),
        ),
        attributes=replace(
            table.attributes, sentences=replace(attributes, templates=names[attributes.templates - 4 * N])
        ),
    )
    one, two = (pooled([each], confidence=0.95) for each in (table, mixed))
    assert (one.low, one.high, one.df) == pytest.approx((two.low, two.high, two.df))


def test_the_interval_is_never_of_less_variance_than_that_over_words():
    for seed in range(20):
        table = made(np.random.default_rng(seed), of_templates=0.0)
        both, words = (pooled([each], confidence=0.95) for each in (table, table.by_words()))
        widths = [(one.high - one.difference) / stats.t.isf(0.025, one.df) for one in (both, words)]
        assert widths[0] >= widths[1] * (1 - 1e-9)


def test_two_templates_count_as_fixed():
    table = made(np.random.default_rng(6))
    own = table.targets.sentences
    few = replace(table, targets=replace(table.targets, sentences=replace(own, templates=4 * N + own.templates % 2)))
    assert (table.templates(), few.templates()) == ((T, S), (0, S))
    assert few.drawn().targets.sentences is None
    assert few.drawn().attributes is few.attributes


def test_three_words_are_too_few():
    table = made(np.random.default_rng(7))
    targets = replace(table.targets, units=np.array([0, 0, 0, 1, 2, *range(5, 10)]))
    assert pooled([replace(table, targets=targets)], confidence=0.95) is None


@pytest.mark.parametrize("templates", [1, 2])
def test_words_with_too_few_templates_have_the_interval_over_words_to_the_last_bit(templates):
    rng = np.random.default_rng(8)
    words = tuple("abcdefghij"), tuple("klmnopqrst")
    sentences = rng.normal(size=(10 * templates, 10 * templates))
    cosines = sentences.reshape(10, templates, 10, templates).mean(axis=(1, 3))
    placed = [tuple((word, f"{place}") for word in own for place in range(templates)) for own in words]
    table = CosineTable(*words, 5, 5, cosines, SentenceCosines(*placed, sentences))
    assert table.over_words() == over_words(cosines, 5, 5, confidence=0.95)
    assert table.over_words() == CosineTable(*words, 5, 5, cosines).over_words()


@pytest.fixture
def simulated(monkeypatch):
    """Return the simulation of benchmarks/coverage_of_intervals.py."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("coverage_of_intervals")


def test_where_templates_matter_the_interval_over_words_is_too_narrow(simulated):
    design, world = simulated.DESIGNS["8 words, 4 and 4 templates"], simulated.WORLDS["large effects on single sets"]
    both, words = simulated.coverage(design, world, heavy=False, trials=300)
    assert words < 0.87 < 0.91 < both < 0.99


@pytest.mark.slow
@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("templates", [3, 4, 8, 14])
def test_intervals_cover_what_they_promise(simulated, templates, heavy):
    design = simulated.balanced(8, templates, 0), simulated.balanced(8, 4, 20)
    for world in simulated.WORLDS.values():
        both, _ = simulated.coverage(design, world, heavy=heavy, trials=1_500)
        assert 0.93 <= both <= 0.985
