"""Debiasing in Python: what is returned and written, and what is refused."""

import pytest
from refusals import refuses

import imprint
from imprint.debiasing.rows import DebiasingRow
from imprint.errors import ImprintError, SettingError
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import WordSet
from imprint.stimuli.seeds import Seeds

TESTS = [get("caliskan-6")]
FAITHS = [["christian", "church", "bible"], ["muslim", "mosque", "quran"]]


@pytest.fixture(scope="module")
def hard(bundled):
    return imprint.debias(bundled, method="hard", tests=TESTS)


def test_what_is_written_is_what_was_measured(bundled, hard, tmp_path):
    target, saved = tmp_path / "out.safetensors", tmp_path / "hard.safetensors"
    written = imprint.debias(bundled, target, method="hard", transform=saved, tests=TESTS)
    assert imprint.load(target).sha256 == written.result.sha256
    assert [(row.test, row.effect_size) for row in written] == [(row.test, row.effect_size) for row in hard]
    assert [row.kind for row in hard] == ["debiasing", "weat", "weat", "change", "topic-change"]
    assert {row.part for row in hard} == {"debiasing"}
    again = imprint.debias(bundled, apply=imprint.load_transform(saved), tests=TESTS)
    assert [*again] == [*hard]
    assert again.notes == ()


def test_nothing_is_written_without_a_target(hard, tmp_path):
    assert hard.result.name == "glove.6B.100d debiased (hard)"
    assert hard.notes == ()
    assert list(tmp_path.iterdir()) == []


def test_an_axis_that_is_not_gender_is_judged_by_seeds_alone(bundled):
    alone = imprint.debias(bundled, method="hard", axis=("young", "old"))
    assert [(row.kind, row.variances) for row in alone] == [("debiasing", None)]
    seeds = Seeds(("child", "baby", "teenager"), ("grandfather", "veteran"))
    (row,) = imprint.debias(bundled, strength=20.0, axis=("young", "old"), seeds=seeds).of(DebiasingRow)
    assert (row.variances.held_out, row.variances.held_out_asked) == (2, 2)


def test_a_transform_of_another_embedding_is_noted(bundled, hard):
    other = imprint.Embedding("other", bundled.words, bundled.vectors * 2)
    (note,) = imprint.debias(other, apply=hard.transform, tests=TESTS).notes
    assert bundled.name in note


def test_groups_need_no_names(bundled):
    named = imprint.debias(bundled, groups=[WordSet.of(f"group {n}", faith) for n, faith in enumerate(FAITHS, 1)])
    assert [*imprint.debias(bundled, groups=FAITHS)] == [*named]


@pytest.mark.parametrize(
    ("settings", "option"),
    [
        ({"axis": ("he", "she"), "pairs": [("he", "she")]}, "axis"),
        ({"method": "hard", "seeds": Seeds(("nurse",), ())}, "seeds"),
        ({"method": "hard", "frontier": True}, "frontier"),
        ({"method": imprint.LinearDebiaser(), "strength": 2.0}, "strength"),
        ({"groups": FAITHS, "frontier": True}, "frontier"),
        ({"groups": FAITHS, "tests": TESTS}, "tests"),
        ({"templates": {"name": ["This is {}."]}}, "templates"),
        ({"target": "out.safetensors", "transform": "out.safetensors"}, "transform"),
        ({"target": "out.txt", "format": "gensim"}, "path"),
    ],
)
def test_settings_without_a_meaning_are_refused(bundled, settings, option):
    with refuses(ImprintError, option=option):
        imprint.debias(bundled, **settings)


@pytest.mark.parametrize("option", ["axis", "pairs", "seeds", "frontier", "format"])
def test_settings_of_embeddings_mean_nothing_to_an_encoder(option):
    with refuses(SettingError, option=option):
        imprint.debias("default-encoder", **{option: True})
