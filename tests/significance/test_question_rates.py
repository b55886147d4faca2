"""The script that simulates outcomes: it decides as a question is judged, and its copies keep what they should."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from imprint.association.evidence import SetVectors

from imprint.association.seat import seat
from imprint.significance.outcomes import MARGIN, outcome
from imprint.significance.partitions import binomial_interval
from imprint.significance.shares import ShareOfDistance
from imprint.stimuli.catalog import questions
from imprint.subjects.opening import open_encoder
from imprint.threads import single_threaded

SCRIPT = Path(__file__).parents[2] / "scripts" / "question_rates.py"


@pytest.fixture(scope="module")
def rates():
    spec = importlib.util.spec_from_file_location("question_rates", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["question_rates"] = module  # its frozen values look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["question_rates"]


@pytest.mark.parametrize(("size", "distance", "count"), [(0.0, 0.3, 150), (0.25, 0.3, 60), (0.4, 0.06, 25)])
def test_tests_at_the_margins_decide_as_the_interval_does(rates, size, distance, count):
    runs = 30
    drawn = rates.Space(size, distance, False).draw(np.random.default_rng(count), count, runs)
    decisions = rates.decide(drawn, size)
    outcomes = []
    for run in range(runs):
        x, y, a, b = (
            sample.moves[run] * count / np.sqrt(count / (count - 1)) + sample.mean[run] for sample in drawn.samples
        )
        interval = ShareOfDistance.of(np.concatenate([x, y]), np.concatenate([a, b]), count, count).size()
        judged = outcome(interval.low, interval.high, obstacle=interval.obstacle)
        outcomes.append(judged.outcome)
        assert decisions.distinguished[run] == (interval.obstacle is None)
        assert decisions.excludes_zero[run] == judged.excludes_zero
    assert decisions.substantial.tolist() == [outcome == "substantial" for outcome in outcomes]
    assert decisions.small.tolist() == [outcome == "small" for outcome in outcomes]
    assert decisions.present.tolist() == [outcome in ("substantial", "present") for outcome in outcomes]
    assert len(set(outcomes)) > 1


def test_a_planted_size_is_the_size_of_the_pools(rates):
    rng = np.random.default_rng(0)
    contrast = SetVectors(rng.normal(size=(20, 8)), rng.normal(size=(20, 8)), 9, 11, np.arange(20), np.arange(20))
    x, y, a, b = rates.Pools(contrast).planted(0.2)
    v = a.mean(axis=0) - b.mean(axis=0)
    assert (x.mean(axis=0) - y.mean(axis=0)) @ v / (v @ v) == pytest.approx(0.2)


def test_names_are_exchanged_within_their_cells(rates):
    cells = np.array([1, 2, 2, 5, 5, 9, 2, 1, 2, 5, 5, 9])
    order = rates.exchanged(cells, np.random.default_rng(0).random((50, 12)))
    assert (np.sort(order, axis=1) == np.arange(12)).all()
    assert (cells[order] == cells).all()
    assert len({tuple(row) for row in order.tolist()}) > 40


@pytest.fixture(scope="module")
def subject(rates):
    return rates.opened("default", questions())


def test_the_names_of_every_question_are_matched_cell_by_cell(subject):
    for question in subject.asked:
        n_x = question.contrast.n_x
        assert question.is_matched
        assert sorted(question.alike[:n_x].tolist()) == sorted(question.alike[n_x:].tolist())
        octaves = np.log2(question.contrast.target_ranks + 1.0).astype(int)
        for cell in np.unique(question.alike):
            assert len(set(octaves[question.alike == cell].tolist())) == 1


def test_an_encoder_is_asked_in_frames_as_seat_asks_it(rates):
    tests = questions()[:2]
    encoder = open_encoder("cbow")
    for question, test in zip(rates.framed(encoder, tests), tests, strict=True):
        contrast = question.contrast
        share = ShareOfDistance.of(contrast.targets, contrast.attributes, contrast.n_x, contrast.n_a)
        assert share.value == pytest.approx(seat(encoder, test).sized.size.value)
        assert question.is_matched


def test_the_summary_has_a_row_per_goal_and_names_what_is_missed(rates, subject):
    few = rates.Opened(subject.name, subject.asked[:2], subject.background)
    drawings = list(rates.of_pools(few.asked, 20, 1))
    good = list(rates.altered(few.asked, few.background, 20, 1))
    assert len(drawings) == 2 * len(rates.SIZES_OF_POOLS) * len(rates.PLANTED_IN_POOLS)
    assert [(copies.kind, copies.questions) for copies in good[::2]] == [(kind, 2) for kind in rates.ANY_OF_TEN]
    bad = [replace(copies, findings=15) for copies in good]
    text = rates.summary([rates.Rates("fine", drawings, good), rates.Rates("worse", drawings, bad)])
    missed = [line for line in text.splitlines() if line.startswith("- worse") and "of copies" in line]
    assert len(missed) == 3
    assert all("75.0 %; the goal is at most" in line for line in missed)
    assert not any(line.startswith("- fine") and "of copies" in line for line in text.splitlines())
    assert text.count("**75.0 %**") == 3  # rows without a goal are not judged


def test_the_page_has_the_marks_that_the_summary_is_written_between(rates):
    page = rates.PAGE.read_text(encoding="utf-8")
    assert [page.count(mark) for mark in rates.MARKS] == [1, 1]
    assert page.index(rates.MARKS[0]) < page.index(rates.MARKS[1])


@pytest.mark.slow
def test_rates_on_the_bundled_embedding_meet_their_goals(rates, subject):
    with single_threaded():
        of_copies = list(rates.altered(subject.asked, subject.background, 200, 99))
        drawings = list(rates.of_pools(subject.asked, 250, 99))
    # "d is not 0" is held against the same figures: where nothing keeps A and B apart, outcomes alone say little.
    assert len(of_copies) == 6
    for copies in of_copies:
        assert copies.questions == 10
        assert copies.verdict == "ok", copies.row
    for drawing in drawings:
        runs, covered = len(drawing.decisions.covered), int(drawing.decisions.covered.sum())
        low, high = binomial_interval(covered, runs, 0.98)
        assert low <= rates.COVERAGE[1], drawing.row
        assert high >= rates.COVERAGE[0], drawing.row
        if drawing.planted == MARGIN:
            wrong = int(rates.false_outcomes(drawing.decisions, MARGIN).sum())
            assert rates.verdict(wrong, runs, rates.FALSE_AT_MARGIN) == "ok", drawing.row
        elif drawing.count == max(rates.SIZES_OF_POOLS):
            unseen = runs - int(drawing.decisions.present.sum())
            assert rates.verdict(unseen, runs, 1 - rates.POWER) == "ok", drawing.row
