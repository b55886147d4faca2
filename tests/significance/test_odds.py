"""Log odds of co-occurrences: the jackknife against leaving out one by one, and intervals against the truth."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.significance.odds import (
    CountedOdds,
    Drawn,
    log_odds,
    odds_spread,
    over_documents_and_words,
)

PLANTING = Path(__file__).parents[2] / "benchmarks" / "coverage_of_corpora.py"
specification = importlib.util.spec_from_file_location("coverage_of_corpora", PLANTING)
planting = importlib.util.module_from_spec(specification)
specification.loader.exec_module(planting)


def table(rng, documents=12, words=9, rate=0.3, fixed=()):
    """Return counts of every document, target and attribute, and the same as they are measured."""
    cube = rng.poisson(rate, (documents, 2 * words, 2 * words))
    sides = np.repeat([0, 1], words)
    cells = 2 * sides[:, None] + sides[None, :]

    def by_cell(counts):
        return [counts[cells == cell].sum() for cell in range(4)]

    def drawn(start, tables):
        return Drawn(np.arange(start, start + len(tables)), np.array([by_cell(each) for each in tables]))

    def alone(axis, word):
        kept = np.zeros_like(cube.sum(axis=0))
        place = (word, slice(None)) if axis == 0 else (slice(None), word)
        kept[place] = cube.sum(axis=0)[place]
        return kept

    of_words = [
        drawn(100 * (axis + 1) + side * words, [alone(axis, side * words + word) for word in range(words)])
        for axis in (0, 1)
        for side in (0, 1)
        if (axis, side) not in fixed
    ]
    return cube, CountedOdds(drawn(1000, list(cube)), tuple(of_words))


def brute_force(cube, words, fixed=()):
    """Return the variance by leaving out every document and word, and the degrees of freedom."""

    def value(counts):
        halves = [counts[:words, :words], counts[:words, words:], counts[words:, :words], counts[words:, words:]]
        return float(log_odds(np.array([half.sum() for half in halves])))

    def term(values):
        n = len(values)
        return (n - 1) / n * np.sum((np.array(values) - np.mean(values)) ** 2), n - 1

    total = cube.sum(axis=0)
    terms = [term([value(total - document) for document in cube if document.any()])]
    for axis in (0, 1):
        for side in (0, 1):
            if (axis, side) in fixed:
                continue
            left = []
            for word in range(side * words, (side + 1) * words):
                without = total.copy()
                without[(word, slice(None)) if axis == 0 else (slice(None), word)] = 0
                left += [value(without)] if (without != total).any() else []
            terms.append(term(left))
    sums, degrees = (np.array(column) for column in zip(*terms, strict=True))
    cells = [total[:words, :words], total[:words, words:], total[words:, :words], total[words:, words:]]
    single = sum(1 / (half.sum() + 0.5) for half in cells)
    return max(sums.sum() - single, sums.max()), sums.sum() ** 2 / (sums**2 / degrees).sum()


@pytest.mark.parametrize("fixed", [(), ((0, 0), (0, 1))])
@pytest.mark.parametrize("rate", [0.02, 0.3])
def test_the_variance_is_that_of_leaving_out_one_by_one(fixed, rate):
    cube, odds = table(np.random.default_rng(3), rate=rate, fixed=fixed)
    spread = odds_spread([(odds, 1.0)])
    variance, df = brute_force(cube, 9, fixed)
    assert spread.variance[0] == pytest.approx(variance)
    assert spread.df[0] == pytest.approx(df)


def test_two_corpora_leave_out_their_words_together_and_their_documents_apart():
    first, second = (table(np.random.default_rng(seed))[1] for seed in (1, 2))
    second = CountedOdds(Drawn(second.documents.units + 5000, second.documents.cells), second.words)
    spread = odds_spread([(first, 1.0), (second, -1.0)])
    of_words = [
        a.moved_by(x) - b.moved_by(y) for a, b in [(first, second)] for x, y in zip(a.words, b.words, strict=True)
    ]
    of_documents = [odds.moved_by(odds.documents) for odds in (first, second)]
    terms = [(1 - 1 / len(moved)) * np.sum((moved - moved.mean()) ** 2) for moved in (*of_words, *of_documents)]
    assert spread.variance[0] == pytest.approx(sum(terms) - first.wald_variance - second.wald_variance)
    assert second.value - first.value == pytest.approx(
        over_documents_and_words([(second, 1.0), (first, -1.0)]).difference
    )


def test_what_does_not_differ_does_not_vary():
    odds = table(np.random.default_rng(0))[1]
    assert over_documents_and_words([(odds, 1.0), (odds, -1.0)], shared=True) is None


@given(st.integers(0, 10_000))
def test_documents_to_halve_are_those_of_removing_them_one_after_the_other(seed):
    odds = table(np.random.default_rng(seed), documents=8)[1]
    supports = np.sign(odds.value) * odds.moved_by(odds.documents)
    left, gone = odds.cells.copy(), 0
    for document in np.argsort(-supports, kind="stable"):
        left, gone = left - odds.documents.cells[document], gone + 1
        if np.sign(odds.value) * log_odds(left) <= abs(odds.value) / 2:
            break
    assert odds.to_halve() == gone


def test_a_planted_document_is_found_and_the_rest_is_spread():
    rng = np.random.default_rng(5)
    even = np.array([rng.multinomial(40, [0.25] * 4) for _ in range(50)])
    planted = np.vstack([even, [[300, 0, 0, 300]]])
    odds = CountedOdds(Drawn(np.arange(51), planted), ())
    order, values = odds.removal()
    assert order[0] == 50
    assert (values[0] > 0.4, odds.to_halve()) == (True, 1)
    spread = odds.to_halve_if_spread(0, 39)
    assert spread == odds.to_halve_if_spread(0, 39)
    assert spread[0] > 3


def test_few_counts_documents_or_words_say_nothing():
    odds = table(np.random.default_rng(0), rate=1.0)[1]
    assert odds.obstacle is None
    few = Drawn(odds.words[0].units[:7], odds.words[0].cells[:7])
    assert CountedOdds(odds.documents, (few, *odds.words[1:])).obstacle == "few words"
    seven = CountedOdds(Drawn(odds.documents.units[:7], odds.documents.cells[:7]), odds.words)
    assert seven.obstacle == "few documents"
    assert (
        CountedOdds(Drawn(odds.documents.units, odds.documents.cells * 0 + [4, 0, 9, 9]), ()).obstacle == "few counts"
    )


@pytest.mark.parametrize(("documents", "truth"), [(30, 0.0), (300, 1.0)])
def test_intervals_hold_a_planted_association(documents, truth):
    """A thousand runs of every setting are in benchmarks/coverage_of_corpora.py."""
    covered = [
        planting._one_run(np.random.default_rng([9, documents, run]), documents, 12, 400, truth, bursty=False)
        for run in range(150)
    ]
    whole, _, alone, wald = np.mean(covered, axis=0)
    assert 0.90 <= whole <= 0.99
    assert wald < alone < 0.75
