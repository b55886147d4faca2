"""The 2 x 2 of group and gender: what just adds up is no interaction, and what does not is one."""

from dataclasses import replace

import pytest

from imprint.association.battery import run_battery
from imprint.association.rows import Measured
from imprint.association.topics import InteractionRow, by_gender, contrasts, interaction_rows
from imprint.association.weat import measure
from imprint.significance.shares import combined
from imprint.stimuli.catalog import get
from imprint.subjects.opening import load

ROLES = ("women of X", "women of Y", "men of X", "men of Y")


@pytest.fixture(scope="module")
def question():
    return measure(load("default"), get("black-pleasant"))


def moved(question, effects):
    """Move the names of every cell along A - B, so that its mean is as many distances from that of all as planted."""
    words = question.words
    cells, way = by_gender(words), words.share.v
    targets = words.targets.copy()
    for places, effect in zip(cells, effects, strict=True):
        mean = targets[places].mean(axis=0)
        now = (mean @ way) / float(words.share.distance)
        targets[places] += (effect - now) * way * float(words.share.distance) / (way @ way)
    return Measured(question.row, replace(words, targets=targets))


@pytest.mark.parametrize(
    ("effects", "interaction", "group", "gender"),
    [
        ((0.3, 0.0, 0.3, 0.0), 0.0, 0.3, 0.0),  # of the group alone
        ((0.3, 0.3, 0.0, 0.0), 0.0, 0.0, 0.3),  # of gender alone
        ((0.6, 0.3, 0.3, 0.0), 0.0, 0.3, 0.3),  # both, added up
        ((0.4, 0.0, 0.0, 0.0), 0.4, 0.2, 0.2),  # of one cell
        ((0.2, -0.2, -0.2, 0.2), 0.8, 0.0, 0.0),  # crossed
    ],
)
def test_effects_that_are_planted_are_measured_and_an_added_one_is_no_interaction(
    question, effects, interaction, group, gender
):
    (row,) = interaction_rows([moved(question, effects)])
    measured = (row.size, row.group_size, row.gender_size)
    assert measured == pytest.approx((interaction, group, gender), abs=1e-6)
    assert row.found == (interaction != 0.0)
    assert row.size == pytest.approx(row.size_women - row.size_men)


def test_the_cells_are_matched_and_their_sizes_are_those_of_their_names(question):
    (row,) = interaction_rows([question])
    words = question.words
    cells = by_gender(words)
    assert row.cell_sizes == tuple(map(len, cells)) == (62, 62, 100, 100)
    means = [words.targets[places].mean(axis=0) for places in cells]
    v, distance = words.share.v, float(words.share.distance)
    women, men = ((means[first] - means[first + 1]) @ v / distance for first in (0, 2))
    assert (row.size_women, row.size_men, row.size) == pytest.approx((women, men, women - men))
    assert row.group_size == pytest.approx(question.row.size, abs=0.01)  # cells have other numbers of names
    assert row.size_low < row.size < row.size_high
    assert row.size_high - row.size_low > 1.5 * (question.row.size_high - question.row.size_low)


def test_turning_the_groups_turns_every_sign_but_that_of_gender(question):
    parts = contrasts(question.words, by_gender(question.words))
    turned = contrasts(question.words, [by_gender(question.words)[place] for place in (1, 0, 3, 2)])
    for name, sign in (("interaction", -1), ("group", -1), ("gender", 1)):
        first, second = combined(parts[name]), combined(turned[name])
        ends = (second.low, second.high) if sign > 0 else (-second.high, -second.low)
        assert (first.value, first.low, first.high) == pytest.approx((sign * second.value, *ends))


def test_only_tests_with_names_of_both_genders_have_one():
    tests = [get(name) for name in ("age-pleasant", "gender-career", "muslim-pleasant", "caliskan-3")]
    battery = run_battery("default", tests, by_gender=True)
    rows = {row.test: row for row in battery.of(InteractionRow)}
    assert set(rows) == {"age-pleasant", "caliskan-3"}
    assert {"Darnell", "Theo"} <= set(rows["caliskan-3"].left_out)
    assert run_battery("default", tests).of(InteractionRow) == ()


def test_the_angry_black_woman_has_fifteen_names_a_cell_and_its_words_are_those_of_the_paper():
    test, paper = get("angry-black-woman"), get("seat-abw-names")
    (row,) = interaction_rows([measure(load("default"), test)])
    assert (test.a, test.b) == (paper.a, paper.b)
    assert set(paper.x.words) < set(test.x.words)
    assert len(test.x) == len(test.y) == 30
    assert (row.cell_sizes[0], row.left_out) == (15, ())
