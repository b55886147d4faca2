"""Axes, analogies and debiasing as an audit runs and shows them."""

import math

import numpy as np
import pytest

from imprint.debiasing.frontier import Variances
from imprint.debiasing.rows import (
    DebiasedProjectionRow,
    DebiasingRow,
    Fact,
    FrontierRow,
    MeasuredVariances,
    StrengthPoint,
    WordChange,
)
from imprint.directions.axis import PairsRow
from imprint.directions.projection import ProjectionComparisonRow, ProjectionRow
from imprint.embeddings.embedding import Embedding
from imprint.jobs.job import Job, Plan
from imprint.kinds.analogies import ANALOGY
from imprint.kinds.debiasing import DEBIASING, FRONTIER, MOVED
from imprint.kinds.directions import COMPARISON, PAIRS, PROJECTION, show_projections
from imprint.render.html import draw_fragment
from imprint.render.terminal import draw_blocks
from imprint.rows import WordPoint, WordValue
from imprint.stimuli.seeds import professions
from imprint.subjects.opening import load
from imprint.view import Number, Section

KNOWN = {"test": "he - she", "embedding": "<b>", "embedding_sha256": "0" * 64}
SLUR = "whore"


@pytest.fixture(scope="module")
def job():
    return Job(load("default"), Plan(quick=True))


def run(kind, job):
    return list(kind.run(job, lambda done, total: None))


def numbers(texts):
    return [part.value for text in texts for part in text if isinstance(part, Number)]


def drawn(kind, rows):
    """Draw rows on a page and in a terminal, and check that words are masked and escaped on the page."""
    page = draw_fragment([Section("part", "Part", tuple(kind.blocks(rows)))])
    assert SLUR not in page
    assert "<b>" not in page
    return page, draw_blocks(kind.blocks(rows))[0]


def projection(words=("nurse", SLUR, "<b>"), **changes):
    placed = tuple(WordValue(word, place / 10) for place, word in enumerate(words))
    known = {"method": "difference", "positive": ("he",), "negative": ("she",), "explained": None, "agreement": None}
    counted = {"axis_missing": (), "n_words": len(words), "mean": 0.1, "variance": None, "coordinates": placed}
    return ProjectionRow(**KNOWN | known | counted | changes)


def variances(held_out=52, before=0.5, after=0.1):
    fixed = {"held_out_fixed": after, "background_fixed": 0.5, "background_before": 0.5, "background_after": 0.25}
    asked = {"held_out_asked": 58, "background": 9, "background_asked": 10}
    ends = {"reduction_low": 2.0, "reduction_high": 8.0, "axis_left": 0.4}
    return MeasuredVariances.of(
        Variances(held_out_before=before, held_out_after=after, held_out=held_out, **fixed, **asked, **ends)
    )


def debiasing(measured, **changes):
    facts = (Fact("strength", 10.0), Fact("cone_active", 0.0, "no"), Fact(SLUR, None, "<b>"))
    known = {"method": "linear", "fitted_on": "0" * 64, "fitted": facts, "variances": measured, "bias_left": 0.2}
    return DebiasingRow(**KNOWN | {"test": "linear along he - she"} | known | changes)


def test_professions_are_placed_compared_with_the_crowd_and_pairs_are_drawn(job):
    placed, crowd, pairs = run(PROJECTION, job)
    assert [type(row) for row in (placed, crowd, pairs)] == [ProjectionRow, ProjectionComparisonRow, PairsRow]
    assert (placed.n_words, crowd.n_words, len(pairs.pairs)) == (259, 259, 10)
    assert numbers(PROJECTION.sentences([placed])) == [259]
    assert numbers(COMPARISON.sentences([crowd])) == [crowd.pearson]
    for kind, row in ((PROJECTION, placed), (COMPARISON, crowd), (PAIRS, pairs)):
        assert kind.part.name == "directions"
        assert isinstance(row, kind.row)


def test_what_cannot_be_measured_along_the_axis_is_a_row_that_says_why():
    words = ["he", "she", *(one.word for one in professions()[:9] if "_" not in one.word)][:5]
    vectors = np.random.default_rng(0).normal(size=(len(words), 4)).astype(np.float32)
    rows = run(PROJECTION, Job(Embedding("few", words, vectors), Plan()))
    assert [(row.kind, row.test) for row in rows] == [
        ("projection", "he - she"),
        ("skipped", "crowd"),
        ("skipped", "pairs"),
    ]
    assert {row.part for row in rows[1:]} == {"directions"}


def test_analogies_leave_out_names_and_words_gendered_by_meaning(job):
    rows = run(ANALOGY, job)
    assert [row.rank for row in rows] == list(range(1, len(rows) + 1))
    assert {(row.with_names, row.neutral, row.n_words) for row in rows} == {(False, True, 15_000)}
    assert ANALOGY.part.offensive


def test_debiasing_is_followed_by_what_it_moved_and_the_tests_of_gender(job):
    first, moved, *others = run(DEBIASING, job)
    weats = [row for row in others if row.kind == "weat"]
    assert (first.kind, moved.kind, others[-1].test) == ("debiasing", "debiased projection", "leakage")
    before, after = weats[: len(weats) // 2], weats[len(weats) // 2 :]
    assert [row.test for row in before] == [row.test for row in after]
    assert {row.embedding for row in before} == {job.embedding.name}
    assert {row.embedding for row in after} == {job.debiased.name}
    assert {row.part for row in others} == {"debiasing"}
    assert numbers(DEBIASING.sentences([first])) == [
        first.bias_left,
        first.bias_left_low,
        first.bias_left_high,
        first.background_left,
    ]


def test_too_few_judges_are_counted_and_nothing_is_concluded():
    row = debiasing(variances(held_out=3))
    assert numbers(DEBIASING.sentences([row])) == [3, 58]
    assert list(DEBIASING.sentences([debiasing(None)])) == []


@pytest.mark.parametrize(
    "measured", [variances(), variances(3), variances(after=math.nan), variances(before=0.0), None]
)
def test_debiasing_is_drawn_whatever_could_be_measured(measured):
    page, table = drawn(DEBIASING, [debiasing(measured)])
    assert ("20\N{NO-BREAK SPACE}%" in page) == (measured is not None)
    assert "w****" in table


def test_strengths_without_a_reduction_are_drawn():
    points = (StrengthPoint(1.0, 2.0, 0.5, 0.9), StrengthPoint(1_000.0, None, None, 0.0))
    row = FrontierRow(**KNOWN, method="linear", chosen=1.0, strengths=points)
    page, table = drawn(FRONTIER, [row])
    assert "<svg" in page
    assert "1,000" in table


def test_words_are_drawn_before_and_after_unless_the_axis_is_gone():
    held_out = (WordChange(SLUR, 0.5, 0.1), WordChange("<b>", -0.2, None))
    row = DebiasedProjectionRow(**KNOWN, method="hard", held_out=held_out, background=())
    page, _ = drawn(MOVED, [row])
    assert "w****" in page


@pytest.mark.parametrize("row", [projection(), projection(words=("one",)), projection(positive=(), negative=())])
def test_words_of_an_axis_are_masked_and_escaped(row):
    page, table = drawn(PROJECTION, [row, row])
    assert row.coordinates[0].word in page
    assert table.count("Coordinate") == 1


def test_the_ends_have_as_many_words_as_asked_for():
    row = projection(words=tuple(f"word{place}" for place in range(9)))
    table, _ = draw_blocks(show_projections([row], 3))
    shown = {word: table.count(f"{word} ") for word in (one.word for one in row.coordinates)}
    assert shown["word8"] == 1
    assert shown["word4"] == 0
    assert table.count("Coordinate") == 3


def test_comparisons_and_pairs_are_masked_and_escaped():
    points = tuple(WordPoint(word, place, place**2) for place, word in enumerate((SLUR, "<b>", "nurse", "cook")))
    correlated = {"pearson": 0.5, "pearson_p_value": 0.2, "spearman": 0.4, "spearman_p_value": 0.3, "n_words": 4}
    other = {"other": "<b>", "other_sha256": None, "other_missing": ()}
    row = ProjectionComparisonRow(**KNOWN | {"test": "he - she and <b>"}, **correlated, **other, points=points)
    page, _ = drawn(COMPARISON, [row])
    assert "&lt;b&gt;" in page
    pairs = PairsRow(**KNOWN, pairs=(), points=points, explained_shares=(0.5, 0.2), agreement=0.1)
    assert "w****" in drawn(PAIRS, [pairs])[0]
