"""Altered copies: what each keeps and breaks, whether they are judged as the subject is, and what is counted."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from planted import planted
from refusals import refuses

from imprint.association import calibration
from imprint.association.calibration import ANY, Altered, AskedTest, calibrate, exchanged, original_of
from imprint.association.seat import seat
from imprint.association.settings import MOST_COPIES
from imprint.association.sizes import octaves_apart
from imprint.association.weat import weat
from imprint.embeddings.background import FEWEST_RANKS
from imprint.errors import SettingError, VocabularyError
from imprint.significance.crossed import two_sided
from imprint.significance.outcomes import CONFIDENCE, FOUND, outcome
from imprint.significance.partitions import binomial_interval
from imprint.stimuli.catalog import get, questions
from imprint.subjects.opening import load, open_encoder

EXCHANGES = [altered for altered in get_args(Altered) if altered != "mirrored"]


@pytest.fixture(scope="module")
def original():
    return original_of(load("default"), questions())


def rng_of(seed):
    return np.random.default_rng(seed)


def by_vector(rows):
    return {row.tobytes() for row in np.asarray(rows, dtype=np.float32).reshape(-1, rows.shape[-1])}


@pytest.mark.parametrize("altered", ["shuffled", "shuffled by frequency"])
def test_exchanged_vectors_are_the_subjects_and_a_word_has_one_in_all_questions(original, altered):
    vectors = {}
    known = by_vector(original.background.rows)
    for test, (targets, attributes) in zip(original.asked, original.copies(altered, 3, rng_of(1)), strict=True):
        for words, rows in ((test.words.target_words, targets), (test.words.attribute_words, attributes)):
            assert rows.shape[:2] == (3, len(words))
            assert by_vector(rows) <= known
            for word, row in zip(words, rows.swapaxes(0, 1), strict=True):
                assert np.array_equal(vectors.setdefault(word, row), row)


def test_vectors_by_frequency_come_from_the_block_of_the_word(original):
    test, background = original.asked[0], original.background
    targets, _ = next(iter(original.copies("shuffled by frequency", 2, rng_of(1))))
    blocks = np.searchsorted(background.lowest, test.words.target_ranks, side="right") - 1
    for copy in targets:
        for row, block in zip(copy, blocks, strict=True):
            start, end = background.starts[block : block + 2]
            assert (background.rows[start:end] == row).all(axis=1).any()


def test_exchanged_names_keep_their_vectors_and_the_other_words_theirs(original):
    for test, (targets, attributes) in zip(
        original.asked, original.copies("names exchanged", 2, rng_of(1)), strict=True
    ):
        assert by_vector(targets[0]) == by_vector(targets[1]) == by_vector(test.words.targets)
        assert not np.array_equal(targets[0], targets[1])
        assert np.array_equal(attributes[0], test.words.attributes.astype(np.float32))


def test_names_are_exchanged_within_their_cells():
    cells = np.array([1, 2, 2, 5, 5, 9, 2, 1, 2, 5, 5, 9])
    order = exchanged(cells, rng_of(0).random((50, 12)))
    assert (np.sort(order, axis=1) == np.arange(12)).all()
    assert (cells[order] == cells).all()
    assert len({tuple(row) for row in order.tolist()}) > 40


def test_the_names_of_every_question_are_matched_cell_by_cell(original):
    for test in original.asked:
        n_x = test.words.n_x
        assert test.is_matched
        assert sorted(test.cells[:n_x].tolist()) == sorted(test.cells[n_x:].tolist())
        octaves = np.log2(test.words.target_ranks + 1.0).astype(int)
        for cell in np.unique(test.cells):
            assert len(set(octaves[test.cells == cell].tolist())) == 1


@pytest.mark.parametrize("altered", EXCHANGES)
def test_a_copy_is_judged_as_a_subject_is(original, altered):
    """Each copy alone, by the interval of its size, says what all copies at once do."""
    some = replace(original, asked=original.asked[4:7])
    found, differing = some.findings(altered, calibration._AT_ONCE, rng_of(3), seed=0)
    for index, (targets, attributes) in enumerate(some.copies(altered, calibration._AT_ONCE, rng_of(3))):
        test = some.asked[index]
        for copy, sides in enumerate(zip(targets.astype(np.float64), attributes.astype(np.float64), strict=True)):
            words = replace(test.words, targets=sides[0], attributes=sides[1])
            size = words.share.size()
            assert bool(found[index, copy]) == (outcome(size.low, size.high, obstacle=size.obstacle).outcome in FOUND)
            difference, spread = words.share.contrast(0.0)
            p_value = two_sided(float(difference / np.sqrt(spread.variance)), float(spread.df))
            assert bool(differing[index, copy]) == (p_value < 1 - CONFIDENCE)


def test_differences_are_found_where_there_are_some(original, monkeypatch):
    """Where every name is in a cell of its own, none is exchanged, and the subject's own answers are counted."""
    asked = [AskedTest(test.test, test.words) for test in original.asked[:3]]
    for test in asked:
        vars(test)["cells"] = np.arange(len(test.words.targets))
    monkeypatch.setattr(AskedTest, "is_matched", True)
    found, _ = replace(original, asked=tuple(asked)).findings("names exchanged", 2, rng_of(0), seed=0)
    outcomes = [weat("default", test.test).outcome for test in asked]
    assert found.tolist() == [2 * [answer in FOUND] for answer in outcomes]
    assert "substantial" in outcomes


def test_lists_that_are_not_matched_pass_the_check_of_frequency_too():
    """A difference that random words of like frequency have, too, is counted as one only if the lists are matched."""
    original = original_of(load("default"), [get("caliskan-6"), get("caliskan-8")])
    test, background = original.asked[0], original.background
    assert octaves_apart(test.words) >= 1
    sides = test.words.targets.astype(np.float32), test.words.attributes.astype(np.float32)
    assert not test.passes_frequency(*sides, background, 0)
    alike = replace(test.words, target_ranks=np.arange(100, 116), attribute_ranks=np.arange(100, 116))
    assert replace(test, words=alike).passes_frequency(*sides, background, 0)
    turned = sides[0][rng_of(0).permutation(16)]
    assert not replace(test, words=alike).passes_frequency(turned, sides[1], background, 0)
    assert replace(test, test=replace(test.test, is_question=True)).passes_frequency(*sides, background, 0)


def test_only_matched_lists_have_exchanged_names(original):
    test = get("caliskan-6")
    rows = calibrate("default", tests=[test], copies=4)
    assert [row.altered for row in rows] == ["shuffled", "shuffled by frequency", "mirrored"]
    assert len(original.usable("names exchanged")) == len(questions())


def test_mirrored_copies_reach_what_their_own_vectors_do(original):
    """The size of a copy is that of its names, mirrored along the axes one at a time."""
    axes, test = original.background.axes, original.asked[0]
    sizes = original.mirrored_sizes(4, rng_of(2))
    signs = rng_of(2).choice([-1.0, 1.0], size=(4, axes.shape[1]))
    for copy in range(4):
        words = replace(test.words, targets=test.words.targets @ (axes * signs[copy]) @ axes.T)
        assert abs(words.share.value) == pytest.approx(sizes[0, copy])


def test_rows_count_copies_of_any_question_and_of_each():
    copies = 12
    rows = calibrate("default", copies=copies, seed=3)
    for altered in get_args(Altered):
        of_kind = [row for row in rows if row.altered == altered]
        overall, *single = of_kind
        assert [row.test for row in of_kind] == [ANY, *(test.id for test in questions())]
        assert (overall.questions, {row.questions for row in single}) == (len(single), {1})
        assert {row.copies for row in of_kind} == {copies}
        if altered == "mirrored":
            assert overall.size_reached >= max(row.size_reached for row in single) > 0
            assert {row.copies_found for row in of_kind} == {None}
            continue
        assert overall.share_expected == pytest.approx((1 - CONFIDENCE) * len(single))
        for row in of_kind:
            assert row.share == row.copies_found / copies
            assert (row.share_low, row.share_high) == binomial_interval(row.copies_found, copies, 0.95)
            assert row.copies_found <= row.copies_differing
        counts = [row.copies_found for row in single]
        assert max(counts) <= overall.copies_found <= sum(counts)


def test_copies_depend_on_the_seed_alone_and_not_on_how_many_follow(monkeypatch):
    first, same, other = ([*calibrate("default", copies=8, seed=seed)] for seed in (1, 1, 2))
    assert first == same
    assert [row.size_reached for row in first] != [row.size_reached for row in other]
    monkeypatch.setattr(calibration, "_CHUNK", 4)
    original = original_of(load("default"), questions())
    chunks = [calibration.measure_copies(original, "shuffled", chunk, 4, 1) for chunk in (0, 1)]
    whole = [row for row in calibrate("default", copies=8, seed=1) if row.altered == "shuffled"]
    assert whole[0].copies_differing == np.concatenate(chunks, axis=-1)[1].max(axis=0).sum()


def test_an_encoder_is_asked_in_frames_as_seat_asks_it():
    tests = questions()[:2]
    encoder = open_encoder("cbow")
    for test, asked in zip(tests, original_of(encoder, tests).asked, strict=True):
        assert asked.words.share.value == pytest.approx(seat(encoder, test).size)
        assert asked.is_matched


def test_a_subject_without_the_words_is_refused():
    with refuses(VocabularyError, got=None, expected=f"at least {FEWEST_RANKS:,} words"):
        calibrate(planted())
    test = get("caliskan-6")
    few = replace(test, x=test.x.subset(test.x.words[:3]))
    with refuses(VocabularyError, hint="choose tests in English with more words"):
        calibrate("default", tests=[few])


def test_the_number_of_copies_is_checked():
    with refuses(SettingError, option="copies"):
        calibrate("default", copies=MOST_COPIES + 1)
