import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.explorer.drawing import WIDTH, draw_dots
from imprint.report.charts.placement import text_width

SCORES = st.lists(st.floats(-2, 2, allow_subnormal=False), min_size=1, max_size=30)


@given(SCORES)
def test_dots_stand_in_the_order_of_their_scores_inside_the_drawing(scores):
    drawing = draw_dots([f"w{number}" for number in range(len(scores))], scores, [0] * len(scores))
    assert [dot.score for dot in drawing.dots] == sorted(scores, reverse=True)
    assert [dot.y for dot in drawing.dots] == sorted({dot.y for dot in drawing.dots})
    assert all(drawing.labels < dot.x < WIDTH and drawing.top < dot.y < drawing.height for dot in drawing.dots)
    places = [dot.x for dot in drawing.dots]
    assert places == sorted(places, reverse=True)


@given(SCORES)
def test_the_scale_has_few_round_numbers_with_zero_among_them(scores):
    drawing = draw_dots(["word"] * len(scores), scores, [0] * len(scores))
    assert 1 <= len(drawing.ticks) <= 7
    assert len({tick.text for tick in drawing.ticks}) == len(drawing.ticks), "no two numbers look alike"
    (zero,) = [tick for tick in drawing.ticks if float(tick.text) == 0]
    assert zero.x == drawing.zero
    assert not zero.text.startswith("-")


def test_each_side_has_its_mean():
    drawing = draw_dots(["a", "b", "c", "d"], [0.1, 0.3, -0.2, -0.4], [0, 0, 1, 1])
    by_word = {dot.word: dot.x for dot in drawing.dots}
    expected = [(by_word["a"] + by_word["b"]) / 2, (by_word["c"] + by_word["d"]) / 2]
    assert drawing.means == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("word", ["w" * 48, "語" * 40, "Ω" * 30])
def test_long_words_are_cut_in_the_drawing_alone(word):
    drawing = draw_dots([word, "rose"], [0.1, 0.2], [0, 0])
    rose, long = drawing.dots
    assert rose.label == "rose"
    assert long.word == word
    assert long.label.endswith("…")
    assert text_width(long.label) <= drawing.labels
