from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from made_rows import make_row
from refusals import refuses

from imprint.debiasing import METHODS
from imprint.debiasing.debiaser import Debiaser
from imprint.debiasing.labelled import labelled_words
from imprint.debiasing.linear import LinearDebiaser
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, VocabularyError
from imprint.evaluation.debiasers import (
    DebiasComparisonRow,
    _judge,
    compare_debiasers,
)
from imprint.evaluation.left import JudgingNames, judging_axis, measure_left
from imprint.kinds.debiasers import DEBIASERS
from imprint.masking import Words
from imprint.render.numbers import plain
from imprint.stimuli import seeds as catalogue


def only(embedding, words):
    words = [word for word in dict.fromkeys(words) if word in embedding]
    return Embedding("few", words, embedding.vectors[[embedding.index[word] for word in words]])


def facts(row):
    return {fact.name: fact.value for fact in row.fitted}


def test_each_method_has_what_it_leaves_and_what_it_costs(compared, bundled):
    rows = {row.method: row for row in compared}
    assert tuple(rows) == ("none", *METHODS)
    none = rows.pop("none")
    assert (none.bias_left, none.background_left, none.difference, none.quality_change) == (1.0, 1.0, 0.0, 0.0)
    assert (none.bias_left_low, none.recovered, none.efficient) == (None, none.recovered_before, False)
    for row in rows.values():
        assert (row.embedding_sha256, row.chance, row.n_judged) == (bundled.sha256, 0.5, 500)
        assert row.difference == pytest.approx(row.bias_left - row.background_left)
        assert row.n_pairs == 32
        assert row.recovered_low < row.recovered < row.recovered_high
        assert row.recovered_before > 0.95
        assert [one.benchmark for one in row.benchmarks] == ["rg-65", "ws-353", "men"]
        assert row.quality_change == pytest.approx(np.mean([one.change for one in row.benchmarks]))
        assert row.seconds > 0.0
    assert rows["linear"].bias_left_low < rows["linear"].bias_left == pytest.approx(0.34, abs=0.01)
    assert 0.2 < rows["hard"].bias_left < 0.3  # it projects another gender axis out
    assert rows["hard"].recovered > 0.9  # and what it leaves can be read off names all the same
    assert rows["leace"].recovered < rows["hard"].recovered_low


def test_linear_debiasing_is_the_default_one(compared, bundled):
    fitted = LinearDebiaser().fit(bundled).card.settings
    assert {name: facts(compared[1])[name] for name in fitted} == fitted


def test_settings_are_chosen_and_labels_fitted_without_any_word_that_judges(compared, bundled):
    names = JudgingNames.of(bundled)
    axis = judging_axis(bundled)
    judges = {*names.judging, *catalogue.held_out(), *catalogue.background(), *axis.positive, *axis.negative}
    judges -= {word for pair in catalogue.definitional_pairs() for word in pair} | {"he", "she"}
    rows = [bundled.index[word] for word in judges if word in bundled]
    vectors = np.array(bundled.vectors)
    vectors[rows] = vectors[np.random.default_rng(0).permutation(rows)]
    other = compare_debiasers(Embedding("other", bundled.words, vectors), ["leace", "sentence-debias", "half-sibling"])
    for again in other.findings()[1:]:
        row = compared[again.method]
        assert facts(row) == pytest.approx(facts(again))
        assert row.bias_left != again.bias_left


@dataclass(frozen=True)
class Watching(Debiaser):
    """Hard debiasing that remembers what it was told to leave out, and has a setting to choose."""

    summary = "watches"
    compared = ("share",)
    candidates: ClassVar = {"share": (0.5, 1.0)}
    told: ClassVar[list[set[str]]] = []

    share: float = 0.0

    def fit(self, embedding, *, axis=None, pairs=None):
        fitted = LinearDebiaser(1.0).fit(embedding)
        return replace(fitted, card=replace(fitted.card, settings={"share": self.share, "strength": 1.0}))

    def fit_gender(self, embedding, *, leave_out=()):
        self.told.append(set(leave_out))
        return self.fit(embedding)


def test_a_debiaser_of_a_plug_in_is_told_which_words_judge_and_shows_its_setting(bundled, plug_in, monkeypatch):
    plug_in("imprint.debiasers", f"watching = {__name__}:Watching")
    monkeypatch.setattr(Watching, "told", [])
    row = compare_debiasers(bundled, ["watching"])[1]
    axis = judging_axis(bundled)
    assert (
        Watching.told == [{*JudgingNames.of(bundled).judging, *axis.positive, *axis.negative}] * 3
    )  # two to choose among
    table = next(DEBIASERS.blocks([row]))
    (line,) = table.rows
    shown = {column.title: plain(cell, Words()) for column, cell in zip(table.columns, line, strict=True)}
    assert shown["Settings"] == f"share {row.fitted[0].value:g}"


def test_the_axis_to_judge_along_shares_no_word_with_the_pairs_that_methods_are_fitted_on(bundled):
    axis = judging_axis(bundled)
    fitted = {"he", "she"} | {word.lower() for group in labelled_words(bundled).groups for word in group}
    assert not fitted & {*axis.positive, *axis.negative}
    assert {("uncle", "aunt"), ("grandfather", "grandmother")} < set(zip(axis.positive, axis.negative, strict=True))
    assert len({*axis.positive, *axis.negative}) == 64  # Dad and dad are one word


def test_shorter_vectors_are_not_less_bias(bundled):
    small = Embedding("small", bundled.words, bundled.vectors * np.float32(0.2))
    for name, one in measure_left(bundled, small, judging_axis(bundled)).items():
        assert one.value == pytest.approx(0.0 if name == "difference" else 1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("methods", "efficient", "recommended"),
    [
        ({"a": (0.5, 0.0, 0.9, 1.0), "b": (0.1, -0.005, 0.9, 1.0)}, "ab", "b"),
        ({"a": (0.1, 0.0, 0.9, 1.0), "b": (0.5, -0.005, 0.6, 1.0)}, "a", "a"),  # one is worse in both
        ({"a": (0.5, 0.0, 0.9, 1.0), "b": (0.1, -0.05, 0.9, 1.0)}, "ab", "a"),  # one costs too much
        ({"a": (0.12, 0.02, 0.6, 1.0), "b": (0.1, -0.005, 0.9, 1.0)}, "ab", "a"),  # a gain is no cost, and near alike
        ({"a": (0.5, -0.02, 0.9, 1.0), "b": (0.1, -0.05, 0.9, 1.0)}, "ab", None),  # all cost too much
        ({"a": (0.1, 0.0, 0.9, 0.2), "b": (0.1, 0.0, 0.94, 0.8)}, "ab", "b"),  # other words decide
        ({"a": (0.1, 0.0, 0.7, 0.2), "b": (0.14, 0.0, 0.9, 0.8, -0.1)}, "a", "b"),  # one is selective
        ({"a": (0.1, 0.0, 0.7, 0.2), "b": (0.3, 0.0, 0.9, 0.8, -0.1)}, "a", "a"),  # but leaves too much
        ({"a": (0.1, 0.0, 0.9, 0.8), "b": (0.1, 0.01, 0.9, 0.8)}, "ab", "b"),  # equal but for a gain
        ({"none": (0.0, 0.0, 0.5, 1.0), "b": (0.1, 0.0, 0.9, 0.8)}, "b", "b"),  # before debiasing is no method
        ({"a": (None, 0.0, 0.9, 1.0), "b": (0.1, None, 0.9, 1.0)}, "", None),
    ],
)
def test_the_efficient_methods_are_marked_and_one_is_recommended(methods, efficient, recommended):
    names = ("bias_left", "quality_change", "recovered", "background_left", "difference_high")
    rows = [
        make_row("debias-comparison", method=method, **dict(zip(names, values, strict=False)))
        for method, values in methods.items()
    ]
    judged = list(_judge(rows))
    assert "".join(row.method for row in judged if row.efficient) == efficient
    assert next((row.method for row in judged if row.recommended), None) == recommended
    explained = any("is recommended because" in plain(text, Words()) for text in DEBIASERS.sentences(judged))
    assert explained == (recommended is not None and recommended not in efficient)


def test_what_cannot_be_fitted_is_said_and_nothing_at_all_is_refused(bundled):
    kept = [*catalogue.held_out(), *catalogue.background(), *catalogue.fitted(), "he", "she"]
    with refuses(VocabularyError, where="few"):  # no pairs to judge along
        compare_debiasers(only(bundled, kept), ["linear"])
    axis = judging_axis(bundled)
    few = only(bundled, [*kept, *axis.positive, *axis.negative])
    with refuses(VocabularyError, where="few"):
        compare_debiasers(few, ["leace"])
    partly = compare_debiasers(few, ["leace", "linear"])
    assert [(row.method, row.recovered, row.n_judged) for row in partly.of(DebiasComparisonRow)] == [
        ("none", None, 0),
        ("linear", None, 0),
    ]
    assert [row.test for row in partly.skipped] == ["leace"]
    with refuses(SettingError, got="soft"):
        compare_debiasers(bundled, ["soft"])
