"""Findings told as sections: everything measured is told, nothing breaks on findings that say less."""

import re
from dataclasses import replace

import pytest
from markupsafe import escape

from imprint import load, pair_axis, professions, project, wefat
from imprint.association.battery import run_battery
from imprint.audit.summary import summarise
from imprint.finding import Finding
from imprint.report.marking import Words
from imprint.report.sections import parts, tell
from imprint.report.sections.weat import counted
from imprint.report.summary import sentences
from imprint.report.view import Chart, Prose, Table
from imprint.stimuli.catalog import catalogue


def finding(kind, **details):
    return Finding(kind, "a test", "vectors", "0" * 64, 0.5, 0.1, 0.02, 0, details=details)


@pytest.fixture(scope="module")
def bundled():
    return load("default")


@pytest.fixture(scope="module")
def battery(bundled):
    tests = [test for test in catalogue() if test.language == "en"]
    return [replace(one, details={**one.details, "part": one.kind}) for one in run_battery(bundled, tests).findings()]


def texts(section):
    """Every text of a section as it will be drawn."""
    for block in section.blocks:
        if isinstance(block, Prose):
            yield str(escape(block.text))
        for table in (block, getattr(block, "table", None)):
            if isinstance(table, Table):
                for row in table.rows:
                    yield from (str(escape(getattr(cell, "text", cell))) for cell in row)


def test_every_weat_stands_in_the_table_with_its_exact_p_value(battery):
    (section,) = (one for one in tell(battery, Words()) if one.name == "weat")
    said = " ".join(texts(section))
    for one in battery:
        if one.kind == "weat":
            assert f'value="{one.p_value!r}"' in said
            assert f'value="{one.effect_size!r}"' in said


def test_an_exact_count_is_told_with_all_partitions(battery):
    one = next(one for one in battery if one.test == "caliskan-6")
    assert re.sub("<[^>]*>", "", counted(one)) == f"{one.details['extreme']:,} of 12,870"


def test_a_certified_p_value_is_told_by_its_bounds():
    one = finding("weat", p_method="certified", extreme=None, extreme_low=3, extreme_high=5, partitions=100)
    assert re.sub("<[^>]*>", "", counted(one)) == "3 to 5 of 100"


def test_the_line_of_a_wefat_predicts_the_property_from_the_score(bundled):
    result = wefat(bundled, "caliskan-wefat-names")
    (section,) = parts(result.findings(), Words())
    (chart,) = (block for block in section.blocks if isinstance(block, Chart))
    row = result.finding().details
    ends = [layer for layer in chart.spec["layer"] if layer["mark"].get("type", layer["mark"]) in ("line", "rule")]
    drawn = [row for layer in ends for row in _values(chart.spec, layer) if {"x", "y"} <= set(row)]
    assert drawn
    for point in drawn:
        assert point["x"] == pytest.approx(row["slope"] * point["y"] + row["intercept"])


def _values(spec, layer):
    data = layer.get("data") or spec.get("data")
    values = data.get("values") or spec.get("datasets", {}).get(data.get("name"), [])
    return [{"x": row["x"], "y": row["y"]} for row in values if "y" in row] + [
        {"x": row["x2"], "y": row["y2"]} for row in values if "y2" in row
    ]


def test_a_part_that_was_not_run_says_why():
    why = "no he in it; use words it has"
    refused = replace(finding("part", ran=False, why=why), test="directions")
    (section,) = parts([refused], Words())
    assert section.name == "directions"
    assert why in section.blocks[0].text


@pytest.mark.parametrize(
    "kind",
    [
        "weat",
        "wefat",
        "ube",
        "ube-group",
        "ube-indirect",
        "pairs",
        "projection",
        "analogy",
        "debiasing",
        "debiased projection",
        "leakage",
        "similarity",
        "analogy_benchmark",
        "seat",
        "seat-coherence",
        "agreement",
        "projection comparison",
        "skipped",
        "something new",
    ],
)
def test_a_finding_that_says_nothing_but_its_kind_breaks_nothing(kind):
    assert tell([finding(kind)], Words())[-1].name == "method"


def test_the_summary_counts_only_tests_about_people(battery):
    (row,) = (one for one in summarise(battery) if one.test == "weat")
    people = [one for one in battery if one.kind == "weat" and "neutral" not in one.details["topics"]]
    assert row.details["tests"] == len(people)
    assert row.details["significant"] == sum(one.details["verdict"] == "significant" for one in people)
    assert (
        row.details["tests"]
        == row.details["significant"] + row.details["not_significant"] + row.details["cannot_reach"]
    )


def test_sentences_name_the_largest_significant_effect(battery):
    said = " ".join(re.sub("<[^>]*>", "", line) for line in sentences(summarise(battery)))
    found = [one for one in battery if one.kind == "weat" and one.details["verdict"] == "significant"]
    largest = max((one for one in found if "neutral" not in one.details["topics"]), key=lambda one: one.effect_size)
    sets = largest.details["sets"]
    assert f"The largest effect: {sets['x']} with {sets['a']}, {sets['y']} with {sets['b']}" in said
    assert f"(d = {largest.effect_size:.2f}, p = {largest.details['p_holm']:.2g} after correction)" in said


def test_the_forest_draws_the_effect_its_band_and_the_published_value(battery):
    (section,) = (one for one in tell(battery, Words()) if one.name == "weat")
    chart = next(block for block in section.blocks if isinstance(block, Chart))
    rows = [one for one in battery if one.kind == "weat"]
    drawn = {
        row["label"]: row for layer in chart.spec["layer"] for row in _rows(chart.spec, layer) if "estimate" in row
    }
    assert len(drawn) == len(rows)
    for one in rows:
        row = drawn[one.details["title"]]
        assert row["estimate"] == one.effect_size
        assert (row["low"], row["high"]) == (one.details["stability_low"], one.details["stability_high"])


@pytest.mark.parametrize(("found", "few"), [(9, True), (10, False), (None, False)])
def test_debiasing_judged_by_too_few_words_says_so(found, few):
    one = finding("debiasing", part="debiasing", method="linear", variances={"held_out": found, "held_out_asked": 58})
    (section,) = (one for one in tell([one], Words()) if one.name == "debiasing")
    assert ("too few to judge it by" in " ".join(texts(section))) == few


def test_two_embeddings_side_by_side_are_told_apart(battery):
    rows = [replace(one, details=one.details | {"part": None}) for one in battery if one.kind == "weat"]
    both = [*rows, *(replace(one, embedding="the other", embedding_sha256="1" * 64) for one in rows)]
    (section,) = (one for one in tell(both, Words()) if one.name == "weat")
    (table,) = (block for block in section.blocks if isinstance(block, Table))
    assert "Embedding" in [column.title for column in table.columns]
    assert len(table.rows) == len(both)
    assert not any(isinstance(block, Chart) for block in section.blocks)


def test_words_are_drawn_from_before_to_after_debiasing():
    moved = {"held_out": {"nurse": [-0.3, 0.1]}, "background": {"table": [0.2, -0.15]}}
    (section,) = parts([finding("debiased projection", method="linear", **moved)], Words())
    (chart,) = (block for block in section.blocks if isinstance(block, Chart))
    drawn = [row for layer in chart.spec["layer"] for row in _rows(chart.spec, layer) if row.get("word") == "nurse"]
    assert (drawn[0]["x"], drawn[0]["y"]) == (0.3, 0.1)


def _rows(spec, layer):
    data = layer.get("data") or spec.get("data") or {}
    return data.get("values") or spec.get("datasets", {}).get(data.get("name"), [])


def test_professions_are_all_in_the_table_of_the_strip(bundled):
    axis = pair_axis(bundled, [("he", "she")])
    placed = project(bundled, axis, [one.word for one in professions()])
    (section,) = parts(placed.findings(), Words())
    (chart,) = (block for block in section.blocks if isinstance(block, Chart))
    assert {row[0] for row in chart.table.rows} == set(placed.words)
