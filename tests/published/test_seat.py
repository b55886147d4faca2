"""May et al. (2019): the figures that can be computed, and the paper's own beside ours only where the model is its."""

import pytest

from imprint.association.rows import SeatRow
from imprint.association.seat import seat
from imprint.association.seat_battery import run_seat_battery
from imprint.association.weat import weat
from imprint.encoders.bag_of_words import BagOfWordsEncoder
from imprint.encoders.universal import UniversalEncoder
from imprint.stimuli.catalog import get
from imprint.subjects.opening import load


@pytest.mark.parametrize("number", range(1, 11))
def test_bags_of_one_word_are_a_weat_to_the_bit(glove, number):
    expected, result = weat(glove, f"caliskan-{number}"), seat(glove, f"caliskan-{number}", context="word")
    for field in ("effect_size", "statistic", "p_value", "p_method", "extreme", "partitions", "p_floor"):
        assert getattr(result, field) == getattr(expected, field)
    assert [score.value for score in result.scores] == [score.value for score in expected.scores]
    assert result.missing == expected.missing == ()


@pytest.mark.parametrize("unit", ["word", "sentence"])
def test_word_test_7_on_bags_of_words_has_the_printed_p(glove, unit):
    assert round(seat(glove, "caliskan-7", context="word", unit=unit).p_value, 3) == 0.016


def test_the_papers_figures_stand_beside_those_of_its_own_model(glove):
    battery = run_seat_battery([BagOfWordsEncoder(glove)], [get("caliskan-6")])
    assert "glove.840B" in battery.of(SeatRow)[0].embedding
    assert {row.context for row in battery.of(SeatRow)} == {"framed", "word", "bleached"}
    for row in battery.of(SeatRow):
        if row.context == "framed":  # which the paper does not have
            assert row.published == ()
            continue
        (figure,) = row.published
        assert (figure.embedding, figure.context) == ("CBoW (GloVe 840B)", row.context)
        assert figure.source.startswith("May et al. 2019")
        assert (row.p_value < 0.01) == figure.p.startswith("<0.01")
        # The file lacks the words around those asked about: only single words have the printed effect.
        if row.context == "word":
            assert abs(row.effect_size - figure.effect) <= 0.005 + 1e-9


def test_they_do_not_stand_beside_those_of_another_model():
    # The second is a bag of words too, of another GloVe.
    encoders = [UniversalEncoder(), BagOfWordsEncoder(load("default"))]
    battery = run_seat_battery(encoders, [get("caliskan-6"), get("seat-double-bind-likable")], context="word")
    assert [row.published for row in battery.findings()[:8]] == [()] * 8
