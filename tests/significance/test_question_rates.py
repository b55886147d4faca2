"""The script that counts how often questions are wrong: what it plants, counts and writes; and that rates are met."""

import importlib.util
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

from imprint.association.calibration import calibrate, original_of
from imprint.association.vectors import SetVectors
from imprint.significance.outcomes import CONFIDENCE, MARGIN
from imprint.significance.partitions import binomial_interval
from imprint.significance.shares import ShareOfDistance
from imprint.stimuli.catalog import questions
from imprint.subjects.opening import load
from imprint.threads import single_threaded

SCRIPT = Path(__file__).parents[2] / "scripts" / "question_rates.py"
SEED = 99


@pytest.fixture(scope="module")
def rates():
    spec = importlib.util.spec_from_file_location("question_rates", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["question_rates"] = module  # its frozen values look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["question_rates"]


@pytest.fixture(scope="module")
def asked():
    return original_of(load("default"), questions()).asked


def test_a_planted_size_is_the_size_of_the_pools(rates):
    rng = np.random.default_rng(0)
    names, words = (tuple(f"{kind}{number}" for number in range(20)) for kind in ("name", "word"))
    of_sets = SetVectors(names, words, 9, 11, rng.normal(size=(20, 8)), rng.normal(size=(20, 8)))
    x, y, a, b = rates.Pools(of_sets).planted(0.2)
    v = a.mean(axis=0) - b.mean(axis=0)
    assert [len(rows) for rows in (x, y, a, b)] == [9, 11, 11, 9]
    assert (x.mean(axis=0) - y.mean(axis=0)) @ v / (v @ v) == pytest.approx(0.2)


def test_a_size_is_covered_where_its_interval_contains_it(rates):
    """And `small` and `substantial` are false on the other side of the margin, and both at the margin itself."""
    count, runs, size = 60, 40, 0.2  # a little less than is planted
    x, y, a, b = np.random.default_rng(1).normal(size=(4, runs, count, 20)) * 0.08
    a[..., 0] += 0.5
    x[..., 0] += 0.5 * 0.25
    share = rates.of_sets((x, y), (a, b))
    repetitions = rates.Repetitions.of(size, [share])
    for confidence in (0.95, CONFIDENCE):
        intervals = [
            ShareOfDistance.of(np.concatenate([x[run], y[run]]), np.concatenate([a[run], b[run]]), count, count).size(
                confidence
            )
            for run in range(runs)
        ]
        inside = [interval.low <= size <= interval.high for interval in intervals]
        assert repetitions.covered(confidence).tolist() == inside
    assert 0 < repetitions.covered(0.95).sum() < repetitions.covered(CONFIDENCE).sum() < runs
    substantial = repetitions.decisions.substantial
    assert substantial.any()
    assert not repetitions.false.any()
    for false_at in (0.0, MARGIN):
        assert rates.Repetitions.of(false_at, [share]).false.tolist() == substantial.tolist()


def test_the_verdict_is_that_of_the_exact_lower_bound(rates):
    assert [rates.most_accepted(200, goal) for goal in (0.06, 0.08)] == [20, 25]
    for count, runs, goal in ((20, 200, 0.06), (25, 200, 0.08), (18, 1_000, 0.01)):
        assert rates.verdict(count, runs, goal) == "ok"
        assert rates.verdict(count + 1, runs, goal) == "fails"
        assert binomial_interval(count + 1, runs, 0.98)[0] > goal


def test_the_summary_has_a_row_per_goal_and_names_what_is_missed(rates, asked):
    drawings = list(rates.of_pools(asked[:1], 5, SEED))
    assert len(drawings) == len(rates.SIZES_OF_POOLS) * len(rates.PLANTED_IN_POOLS)
    calibration = calibrate("default", tests=questions()[:2], copies=20, seed=SEED)
    good = rates.of_altered_copies(calibration)
    assert [(row.altered, row.questions) for row in good] == [(kind, 2) for kind in rates.ANY_OF_TEN]
    bad = [msgspec.structs.replace(row, copies_found=15) for row in good]
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
def test_rates_on_the_bundled_embedding_meet_their_goals(rates, asked):
    of_copies = rates.of_altered_copies(calibrate("default", copies=400, seed=SEED))
    assert [(row.altered, row.questions) for row in of_copies] == [(kind, 10) for kind in rates.ANY_OF_TEN]
    for row in of_copies:
        assert rates.judged(row) == "ok", rates.copies_row(row)
        # Where nothing keeps A and B apart, outcomes alone say little. Ten times .005, of words that questions share.
        differing = rates.verdict(row.copies_differing, row.copies, rates.ANY_OF_TEN[row.altered])
        assert differing == "ok", rates.copies_row(row)
    with single_threaded():
        drawings = list(rates.of_pools(asked, 250, SEED))
    for drawing in drawings:
        repetitions = drawing.repetitions
        covered, false = repetitions.covered(0.95), repetitions.false
        low, high = binomial_interval(int(covered.sum()), len(covered), 0.98)
        assert low <= rates.COVERAGE[1], drawing.row
        assert high >= rates.COVERAGE[0], drawing.row
        if repetitions.size == MARGIN:
            assert rates.verdict(int(false.sum()), len(false), rates.FALSE_AT_MARGIN) == "ok", drawing.row
        elif drawing.count == max(rates.SIZES_OF_POOLS):
            unseen = ~repetitions.decisions.shows_difference
            assert rates.verdict(int(unseen.sum()), len(unseen), 1 - rates.POWER) == "ok", drawing.row
