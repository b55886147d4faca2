"""WEAT and WEFAT as kinds: every number is shown, charts draw the rows, sentences count what the rows hold."""

import numpy as np
import pytest
from made_rows import make_row
from msgspec.structs import replace
from refusals import refuses

import imprint
from imprint import load, metric, weat, wefat
from imprint.association.battery import run_battery
from imprint.association.rows import outcome_counts
from imprint.association.seat_battery import run_seat_battery
from imprint.errors import SettingError
from imprint.kinds.findings import read_findings
from imprint.kinds.sections import blocks, sections, sentences
from imprint.kinds.tests import counts_cell, name_cell, outcome_text, published_figures
from imprint.kinds.verdict import say_leanings
from imprint.masking import Words
from imprint.render.html import draw_fragment
from imprint.render.numbers import plain
from imprint.stimuli.catalog import catalogue, get, without_more
from imprint.stimuli.definition import Published
from imprint.view import AnswerChart, Chart, Table, flat

SHOWN = Words()


@pytest.fixture(scope="module")
def battery(bundled):
    return run_battery(bundled, without_more([test for test in catalogue() if test.language == "en"], ())).findings()


def of_kind(kind, rows):
    return [row for row in rows if row.kind == kind]


def drawn_rows(spec):
    for layer in spec["layer"]:
        data = layer.get("data") or spec.get("data") or {}
        yield from data.get("values") or spec.get("datasets", {}).get(data.get("name"), [])


def charts(rows):
    return [block for block in flat(blocks(rows)) if isinstance(block, Chart)]


def test_every_weat_is_shown_with_its_exact_numbers(battery):
    page = draw_fragment(sections(battery))
    for row in of_kind("weat", battery):
        numbers = [row.effect_size, row.size] if row.is_question else [row.effect_size, row.p_value]
        assert [number for number in numbers if f'value="{number!r}"' not in page] == []


def test_an_exact_count_is_shown_with_all_partitions(battery):
    row = next(row for row in battery if row.test == "caliskan-6")
    assert plain(counts_cell(row).text, SHOWN) == f"{int(row.extreme):,} of 12,870"


def test_a_certified_p_value_is_shown_by_its_bounds():
    row = make_row(p_method="certified", extreme=None, extreme_low="3", extreme_high="5", partitions="100")
    assert plain(counts_cell(row).text, SHOWN) == "3 to 5 of 100"


def test_the_line_of_a_wefat_fits_the_points_as_they_are_drawn(bundled):
    result = wefat(bundled, "caliskan-wefat-names")
    (chart,) = charts(result.findings())
    drawn = [row for row in drawn_rows(chart.draw(SHOWN, 860)) if {"x", "y"} <= set(row)]
    ends = [row for row in drawn if "word" not in row]
    x, y = np.array(sorted({(row["x"], row["y"]) for row in drawn if "word" in row})).T
    slope, intercept = np.polyfit(x, y, 1)
    assert ends
    for point in ends:
        assert point["y"] == pytest.approx(slope * point["x"] + intercept)
    assert slope * result.slope == pytest.approx(result.r**2)  # the paper's line predicts x from y


def test_the_forest_draws_the_questions_with_their_intervals_and_outcomes(battery):
    rows = [row for row in of_kind("weat", battery) if row.is_question]
    (chart,) = (block.chart for block in blocks(of_kind("weat", battery)) if isinstance(block, AnswerChart))
    drawn = {row["hint0"]: row for row in drawn_rows(chart.draw(SHOWN, 860)) if "estimate" in row}
    assert len(drawn) == len(rows)
    for row in rows:
        shown = drawn[row.test]
        ends = (shown["estimate"], shown["low"], shown["high"])
        assert ends == pytest.approx((100 * row.size, 100 * row.size_low, 100 * row.size_high))
        assert shown["outcome"] == row.outcome


def test_one_test_alone_draws_every_word(battery):
    row = next(row for row in battery if row.test == "caliskan-6")
    (chart,) = charts([row])
    drawn = {one["word"]: one["x"] for one in drawn_rows(chart.draw(SHOWN, 860)) if "word" in one}
    assert drawn == {one.word: one.value for one in row.scores}


def test_two_embeddings_side_by_side_are_told_apart(battery):
    rows = of_kind("weat", battery)
    both = [*rows, *(replace(row, embedding="the other", embedding_sha256="1" * 64) for row in rows)]
    shown = list(flat(blocks(both)))
    (table,) = (block for block in shown if isinstance(block, Table))
    assert "Model" in [column.title for column in table.columns]
    assert len(table.rows) == len(both)
    assert not any(isinstance(block, Chart) for block in shown)


def test_sentences_count_the_outcomes_of_questions_and_say_who_leans_where(battery):
    rows = of_kind("weat", battery)
    asked = [row for row in rows if row.is_question]
    first, *others = (plain(text, SHOWN) for text in sentences(rows))
    assert first == f"{len(asked)} questions: {outcome_counts(asked)}."
    assert others == [plain(say_leanings(asked), SHOWN)]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"outcome": "substantial"}, "substantial"),
        ({"outcome": "cannot tell"}, "cannot tell"),
        ({"outcome": "cannot tell", "reason": "frequency"}, "cannot tell: frequency may explain it"),
        ({"outcome": "cannot tell", "reason": "few words"}, "cannot tell: too few words"),
        ({}, "not judged"),
    ],
)
def test_an_outcome_says_why_it_cannot_tell(changes, expected):
    assert outcome_text(make_row("weat", **changes)) == expected


def test_a_part_that_was_not_run_says_why():
    why = "no he in it; use words it has"
    (section,) = sections([make_row("part", test="weat", ran=False, why=why)])
    assert section.name == "weat"
    assert why in plain(section.blocks[0].text, SHOWN)


def test_neutral_and_adapted_tests_say_so_in_every_row(bundled, battery):
    for row in of_kind("weat", battery):
        assert ("(neutral)" in plain(name_cell(row).text, SHOWN)) == ("neutral" in row.topics)
        assert weat(bundled, row.test).adapted == row.adapted


def test_a_card_of_an_encoder_gives_words_alone_with_their_outcome():
    tests = [test for test in catalogue() if test.id == "caliskan-6"]
    card = imprint.card(run_seat_battery(["cbow"], tests).findings())
    assert "too many" not in card
    assert "Outcome" in card


def test_counts_beyond_every_float_are_written_read_and_drawn(tmp_path):
    words = [f"w{place}" for place in range(1_400)]
    embedding = load((words, np.random.default_rng(0).normal(size=(1_400, 4)).astype(np.float32)))
    targets, attributes = (words[:600], words[600:1_200]), (words[1_200:1_300], words[1_300:])
    result = weat(embedding, targets=targets, attributes=attributes, draws=200)
    result.save(tmp_path / "f.jsonl")
    assert read_findings(tmp_path / "f.jsonl") == result.findings()
    assert result.partitions in result._repr_html_()


def test_tables_of_results_have_the_same_columns_whatever_a_test_has_published(bundled):
    frames = [weat(bundled, test).to_frame() for test in ("caliskan-6", "seat-6b")]
    assert list(frames[0]) == list(frames[1])
    assert not any(isinstance(value, list) and value and isinstance(value[0], dict) for value in frames[0].iloc[0])


@pytest.mark.parametrize(
    ("name", "test"), [("weat", "caliskan-wefat-names"), ("wefat", "caliskan-6"), ("seat", "caliskan-wefat-names")]
)
def test_a_metric_refuses_a_test_of_another_form(bundled, name, test):
    with refuses(SettingError, option="test", got=test):
        metric(name, bundled, get(test))


@pytest.mark.parametrize(
    ("embedding", "figures", "heading", "shown"),
    [
        ("glove.6B.100d", {"GloVe 840B": 1.5}, "Published (GloVe 840B)", "1.50"),
        ("glove.840B.300d", {"GloVe 840B": 1.5}, "Published", "1.50"),
        ("glove.840B.300d.stimuli", {"word2vec GoogleNews": 1.9, "GloVe 840B": 1.5}, "Published", "1.50"),
        ("glove.840B.300d debiased (linear)", {"GloVe 840B": 1.5}, "Published (GloVe 840B)", "1.50"),
    ],
)
def test_a_published_figure_names_its_embedding_unless_it_is_this_one(embedding, figures, heading, shown):
    published = tuple(Published(name, value, None, "") for name, value in figures.items())
    row = make_row("weat", embedding=embedding, published=published)
    (column,) = published_figures([row], "d", lambda figure: figure.effect)
    assert (column.title, plain(column.cell(row), Words())) == (heading, shown)


def test_figures_of_several_embeddings_each_name_theirs_and_none_make_no_column():
    rows = [
        make_row("weat", published=(Published("GloVe 840B", 1.5, None, ""),)),
        make_row("weat", published=(Published("ELMo", 0.25, None, ""),)),
        make_row("weat", published=(Published("ELMo", 0.25, None, ""),), adapted="other words"),
    ]
    (column,) = published_figures(rows, "d", lambda figure: figure.effect)
    assert column.title == "Published elsewhere"
    assert [plain(column.cell(row), Words()) for row in rows] == ["1.50 (GloVe 840B)", "0.25 (ELMo)", "–"]
    assert published_figures(rows[2:], "d", lambda figure: figure.effect) == []
