"""What holds for every measure alike: its rows and their files, seeds, refusals, missing words and intervals."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import pytest
from planted import SETS, planted
from refusals import refuses

import imprint
from imprint.embeddings.embedding import Embedding
from imprint.errors import ImprintError, SettingError, StimulusError, VocabularyError
from imprint.rows import SkippedRow
from imprint.stimuli.definition import WeatTest, WefatTest, WordSet

X, Y, A, B = (SETS[key] for key in "xyab")
NUMBERS = dict(zip((*X, *Y), np.linspace(1, 12, 12).tolist(), strict=True))
GROUPS = (["Ann", "Eve", "Ida", "Joan", "Kate"], ["Karl", "Neil", "Hugo", "Leon", "Kurt"])


@dataclass(frozen=True)
class Measure:
    """A function of a subject and word sets, and what it takes for them."""

    run: Callable[..., Any]
    targets: tuple[Any, ...]
    others: str = "caliskan-wefat-names"  # a test of another kind
    more: tuple[tuple[str, Any], ...] = ()
    fewer: type[ImprintError] = VocabularyError  # too few words are left

    def row(self, subject=None, *, targets=None, attributes=(A, B), **settings):
        subject = planted() if subject is None else subject
        given = {"targets": targets or self.targets, "attributes": attributes, **dict(self.more), **settings}
        return self.run(subject, **given).findings()[0]


def named(name):
    return lambda *given, **settings: imprint.metric(name, *given, **settings)


MEASURES = {
    "weat": Measure(imprint.weat, (X, Y)),
    "seat": Measure(imprint.seat, (X, Y)),
    "wefat": Measure(imprint.wefat, (*X, *Y), "caliskan-1", (("property", NUMBERS),), StimulusError),
    "metric weat": Measure(named("weat"), (X, Y)),
    "metric rnd": Measure(named("rnd"), (X, Y), fewer=SkippedRow),
    "metric clustering": Measure(named("clustering"), (X, Y), fewer=SkippedRow),
}
every = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)


def own_test(measure, id_="<b>id</b>"):
    """Return the measure's sets as a test, of a name that a page must escape."""
    if "property" in dict(measure.more):
        words = [WordSet.of(name, listed) for name, listed in zip("WAB", (measure.targets, A, B), strict=True)]
        return WefatTest(id_, "t", "s", "en", *words, NUMBERS)
    return WeatTest(id_, "t", "s", "en", *(WordSet.of(n, s) for n, s in zip("XYAB", (X, Y, A, B), strict=True)))


@every
def test_a_row_is_one_line_safe_in_a_notebook_and_the_same_from_a_file(measure, tmp_path):
    row = measure.run(planted(), own_test(measure)).findings()[0]
    assert "\n" not in repr(row)
    assert "<b>" not in row._repr_html_()
    row.save(tmp_path / "found.jsonl")
    assert list(imprint.read_findings(tmp_path / "found.jsonl")) == [row] == list(row.findings())
    assert row.to_frame().loc[0, "p_value"] == row.p_value


@every
def test_words_given_themselves_are_a_test_of_their_own(measure):
    row = measure.row()
    of_test = measure.run(planted(), own_test(measure, "custom")).findings()[0]
    same = ("title", "source", "language", "sets")
    assert row == msgspec.structs.replace(of_test, **{name: getattr(row, name) for name in same})
    assert row.test == "custom"


@every
def test_a_seed_is_in_the_row_and_gives_the_same_row_again(measure):
    first, again, other = (measure.row(seed=seed) for seed in (3, 3, 4))
    assert first == again
    assert (first.seed, other.seed) == (3, 4)


@every
def test_missing_words_are_named_and_change_nothing_else(measure):
    targets = measure.targets
    wider = (*targets, "orchid") if targets == (*X, *Y) else ((*X, "orchid"), Y)
    settings = {"property": NUMBERS | {"orchid": 5.0}} if "property" in dict(measure.more) else {}
    row = measure.row(targets=wider, attributes=(A, (*B, "vomit")), **settings)
    without = measure.row()
    assert row.missing == ("orchid", "vomit")
    assert (row.interval, row.effect_size) == (without.interval, without.effect_size)
    assert (row.p_value, row.n_a, row.n_b) == (without.p_value, without.n_a, without.n_b)


@every
def test_too_few_words_are_refused_or_listed(measure):
    few = ["rose", "orchid", "peony"] if measure.targets == (*X, *Y) else (["rose", "orchid", "peony"], Y)
    settings = {"property": dict.fromkeys(few, 1.0)} if "property" in dict(measure.more) else {}
    if measure.fewer is SkippedRow:
        row = measure.row(targets=few)
        assert isinstance(row, SkippedRow)
        assert "'orchid', 'peony'" in row.reason
        return
    with refuses(ImprintError):
        measure.row(targets=few, **settings)


@every
def test_a_call_needs_a_test_or_words_and_not_both(measure):
    for given in ({}, {"targets": measure.targets}, {"test": own_test(measure), "targets": measure.targets}):
        with refuses(SettingError, option="test"):
            measure.run(planted(), **given)


@every
def test_sets_that_are_no_lists_of_words_are_refused(measure):
    for attributes in (["love", "filth"], ([1], [2]), (A,)):
        with refuses(SettingError, option="attributes", got=attributes):
            measure.row(attributes=attributes)


@every
def test_a_test_of_another_kind_is_refused_or_listed(measure):
    if measure.fewer is SkippedRow:
        row = measure.run(planted(), measure.others).findings()[0]
        assert isinstance(row, SkippedRow)
        return
    with refuses(SettingError, option="test", got=measure.others):
        measure.run(planted(), measure.others)


@every
def test_the_interval_is_that_over_words_and_decides(measure):
    row = measure.row()
    ends = {
        (name, getattr(row, f"{name}_low"), getattr(row, f"{name}_high"))
        for name in ("size", "words")
        if hasattr(row, f"{name}_low")
    }
    ((_, low, high),) = ends
    assert row.interval == (None if low is None else (low, high))
    assert row.interval is not None or row.outcome in (None, "cannot tell")


def test_a_swap_has_the_interval_of_its_names():
    row = imprint.swap(lambda texts: [len(text) for text in texts], groups=GROUPS)["groups"]
    assert row.interval == (row.words_low, row.words_high)


def test_controls_follow_the_rows_of_any_measure(tmp_path):
    rows = imprint.with_controls(imprint.run_metrics("default", [imprint.catalogue()[5]], {"rnd": {}}), "default")
    assert [row.kind for row in rows][-1] == "controls"
    small = Embedding("small", [*X, *Y, *A, *B], planted().vectors)
    assert imprint.with_controls(MEASURES["weat"].row(small), small)["controls"].judged is False
