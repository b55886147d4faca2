"""German: its own controls, both forms of a profession, grammatical gender, and tests that keep few words."""

from collections import Counter
from dataclasses import replace
from importlib import resources

import numpy as np
import pytest
from fields import values
from refusals import refuses

from imprint.association.battery import run_battery
from imprint.association.seat import seat
from imprint.association.sizes import beside_things, is_explained_by_grammar, over_words
from imprint.association.sizes import test_of_things as of_things
from imprint.association.vectors import SetVectors
from imprint.association.weat import WeatRow, weat
from imprint.association.wefat import wefat
from imprint.embeddings.embedding import Embedding
from imprint.errors import StimulusError
from imprint.evaluation.controls import control_words, controls
from imprint.metrics.by_name import make_metric
from imprint.metrics.run import measure_metric
from imprint.policies.conditions import UNJUDGED
from imprint.policies.gate import check, parse_conditions
from imprint.significance.crossed import two_sided
from imprint.stimuli.catalog import catalogue, get, languages, shared_sets
from imprint.stimuli.definition import WefatTest, WordSet, words_of
from imprint.stimuli.files import read_property

GERMAN = [test for test in catalogue() if test.language == "de"]
SOCIAL = [test for test in GERMAN if "neutral" not in test.topics]
DIMENSION = 40


def german(pleasant=1.0, gender=0.0, grammar=0.0, seed=0, leave_out=()):
    """Return German vectors: neutral tests, one test of gender and things lean along axes, as strongly as asked."""
    rng = np.random.default_rng(seed)
    words = sorted((words_of(GERMAN) | control_words(["de"])) - {*leave_out})
    filler = [f"wort{number}" for number in range(4_000)]
    rows = rng.normal(size=(len(words) + len(filler), DIMENSION))
    places = {word: place for place, word in enumerate(words)}

    def lean(axis, strength, *names):
        for sign, name in zip((1, -1), names, strict=True):
            for word in shared_sets()[f"de-{name}"].words:
                if word in places:
                    rows[places[word], axis] += sign * strength

    lean(0, 3 * pleasant, "pleasant-long", "unpleasant-long")
    lean(0, 3 * pleasant, "flowers", "insects")
    lean(0, 3 * pleasant, "instruments", "weapons")
    for word, value in ratings().items():
        rows[places[word], 0] += 2 * pleasant * value
    lean(1, 4, "male-terms", "female-terms")
    lean(1, gender, "science", "arts")
    lean(1, grammar, "masculine-things", "feminine-things")
    order = rng.permutation(len(rows))
    every = [*words, *filler]
    return Embedding("deutsch", [every[place] for place in order], rows[order].astype(np.float32))


def ratings():
    text = (resources.files("imprint.stimuli") / "data" / "properties" / "valence-de.csv").read_text("utf-8")
    return {word: float(value) for word, value in (line.split(",") for line in text.splitlines()[1:])}


# Controls


def test_a_german_embedding_is_judged_by_german_controls():
    found = controls(german(), languages=["de"])
    (row,) = found.findings()
    assert (row.language, row.judged, found.judged) == ("de", True, True)
    assert [one.name for one in row.controls] == [
        "words found",
        "Blumen und Insekten, angenehm und unangenehm",
        "Musikinstrumente und Waffen, angenehm und unangenehm",
        "pleasant words",
    ]
    assert all(one.missing == 0 for one in row.controls)


@pytest.mark.parametrize("seed", range(3))
def test_vectors_without_meaning_cannot_be_judged_in_german_and_pass_no_gate(seed):
    subject = german(pleasant=0.0, gender=4.0, seed=seed)
    rows = [*run_battery(subject, SOCIAL).findings(), *controls(subject, languages=["de"]).findings()]
    gate = check(rows, parse_conditions((), ["weat:talk-de-science:|size|<1"]))
    assert gate.exit_code == 3
    assert {one.why for one in gate.rows[0].outcomes} == {UNJUDGED}
    usable = german(gender=4.0, seed=seed)
    rows = [*run_battery(usable, SOCIAL).findings(), *controls(usable, languages=["de"]).findings()]
    (condition,) = parse_conditions((), ["weat:talk-de-science:|size|<1"])
    assert check(rows, (replace(condition, limit=9.0),)).exit_code == 0  # what is planted is as large


def test_each_language_has_a_row_and_speaks_for_itself_alone():
    found = controls("default", languages=["de", "en", "und", "fr"])
    assert [(row.language, row.judged) for row in found.findings()] == [("en", True), ("de", False), ("fr", None)]
    assert found.judged is False
    assert controls("default", languages=["und"]).judged is True


# Professions


def test_professions_have_both_forms_and_the_share_of_their_sector():
    test = get("de-wefat-occupations")
    assert isinstance(test, WefatTest)
    words = test.words.words
    assert (len(words), test.forms, test.shared) == (104, 2, True)
    pairs = list(zip(words[::2], words[1::2], strict=True))
    assert all(test.property[one] == test.property[two] for one, two in pairs)
    assert Counter(test.property[one] for one, _ in pairs) == {
        6.72: 6, 17.5: 10, 23.49: 1, 28.56: 1, 31.16: 6, 61.78: 5, 65.22: 7, 79.36: 16,
    }  # fmt: skip
    assert test.property["Fotograf"] == 17.5
    assert not any(word.endswith(("mann", "frau")) or " " in word for word in words)


def professions(sectors=5, each=4, slope=0.0, suffix=0.0, within=0.0, seed=0):
    """Return professions with two forms, their numbers by sector, and vectors in which sectors are alike."""
    rng = np.random.default_rng(seed)
    words, rows, values = [], [], {}
    for sector, number in enumerate(np.linspace(0, 1, sectors)):
        middle = rng.normal(size=DIMENSION) * within
        for place in range(each):
            stem = middle + rng.normal(size=DIMENSION)
            stem[0] += slope * number
            for form, sign in (("er", -1), ("erin", 1)):
                row = stem + 0.3 * rng.normal(size=DIMENSION)
                row[0] += sign * suffix
                words.append(f"b{sector}{place}{form}")
                rows.append(row)
                values[words[-1]] = 100 * number
    sides = [[f"{side}{place}" for place in range(6)] for side in ("frau", "mann")]
    for sign in (1, -1):
        rows.extend(rng.normal(size=(6, DIMENSION)) + 6 * sign * np.eye(DIMENSION)[0])
    subject = Embedding("berufe", [*words, *sides[0], *sides[1]], np.array(rows, dtype=np.float32))
    sets = [WordSet.of(name, side) for name, side in zip(("berufe", "a", "b"), (words, *sides), strict=True)]
    return subject, WefatTest("berufe", "", "", "de", *sets, property=values, forms=2, shared=True)


def test_a_profession_scores_by_the_mean_cosines_of_its_forms():
    subject, test = professions(suffix=2.0)
    unit = np.asarray(subject.unit, dtype=float)
    a, b = (unit[[subject.index[word] for word in side.words]] for side in (test.a, test.b))
    near = [unit[subject.index[word]] @ np.vstack([a, b]).T for word in ("b00er", "b00erin")]
    mean = np.mean(near, axis=0)
    result = wefat(subject, test)
    scores = values(result.scores)
    assert scores["b00er/b00erin"] == pytest.approx((mean[:6].mean() - mean[6:].mean()) / mean.std(ddof=1))
    assert len(scores) == result.n_words == 20


def test_a_profession_that_lacks_a_form_is_left_out_and_half_of_them_are_too_few():
    subject, test = professions(slope=9.0)
    kept = [word for word in subject.words if word not in ("b00er", "b11erin")]
    rows = subject.vectors[[subject.index[word] for word in kept]]
    result = wefat(Embedding("fewer", kept, rows), test)
    assert result.missing == ("b00er", "b11erin")
    assert {"b00er/b00erin", "b11er/b11erin"}.isdisjoint(values(result.scores))
    assert (result.n_words, result.words_low is None) == (18, False)
    # every masculine form, and the feminine one of fewer than half
    kept = [word for word in subject.words if not word.endswith("erin") or word < "b2"]
    rows = subject.vectors[[subject.index[word] for word in kept]]
    result = wefat(Embedding("half", kept, rows), test)
    assert (result.n_words, result.outcome, result.reason) == (8, "cannot tell", "few words")


def test_professions_of_a_sector_are_left_out_together():
    subject, test = professions(slope=1.0)
    result, apart = wefat(subject, test), wefat(subject, replace(test, shared=False))
    assert result.r == apart.r
    assert (result.p_value, apart.p_value > 0) == (None, True)
    assert result.words_low is not None
    assert (result.words_low, result.words_high) != (apart.words_low, apart.words_high)


def test_coherent_sectors_without_an_effect_are_rarely_found():
    """Counting words of one sector as independent finds an effect far too often; counting sectors does not."""
    excluded = {True: 0, False: 0}
    for seed in range(100):
        subject, test = professions(within=1.5, each=5, seed=seed)
        for shared in excluded:
            row = wefat(subject, replace(test, shared=shared))
            excluded[shared] += not row.words_low <= 0 <= row.words_high
    assert excluded[True] <= 4  # reached in one run of 500 where 1 in 200 is expected
    assert excluded[False] >= 10


def test_forms_must_divide_the_words_and_share_their_number():
    _, test = professions()
    with refuses(StimulusError):
        wefat("default", replace(test, forms=3))
    with refuses(StimulusError):
        wefat("default", replace(test, property={**test.property, "b00er": 1.0}))


# Grammatical gender


def test_things_are_balanced_and_are_words_of_no_other_german_test():
    masculine, feminine = languages()["de"].things
    assert len(masculine) == len(feminine) == 24
    assert not {*masculine.words, *feminine.words} & words_of(GERMAN)
    assert languages()["en"].things is languages()["tr"].things is None


def test_things_are_compared_with_the_gendered_side_of_tests_of_gender():
    for name, sides in (("talk-de-science", "ab"), ("talk-de-career", "xy")):
        test = get(name)
        beside = of_things(test)
        assert (beside.x, beside.y) == languages()["de"].things
        assert (beside.a, beside.b) == tuple(getattr(test, side) for side in sides)
    assert of_things(get("talk-de-nationality")) is None
    assert all(
        of_things(test) is None for test in catalogue() if not isinstance(test, WefatTest) and test.language == "en"
    )


def test_a_difference_that_things_show_as_well_cannot_be_told():
    row = weat(german(gender=2.0, grammar=2.5), "talk-de-science")
    assert row.grammar_difference > row.mean_difference > 0
    assert row.size_low > 0
    assert (row.p_grammar, row.outcome, row.reason) == (1.0, "cannot tell", "grammar")
    row = weat(german(gender=4.0), "talk-de-science")
    assert abs(row.grammar_difference) < 0.1 < row.mean_difference
    assert row.p_grammar < 0.005
    assert (row.outcome, row.reason) == ("substantial", None)


@pytest.mark.parametrize("name", ["group-association", "rnd", "same", "mac"])
def test_a_metric_cannot_tell_what_things_show_as_well(name):
    explained, other = german(gender=2.0, grammar=2.5), german(gender=4.0)
    test = get("talk-de-science")
    rows = measure_metric(explained, test, name, make_metric(name))
    assert {(row.outcome, row.reason) for row in rows} == {("cannot tell", "grammar")}
    assert not any(row.reason == "grammar" for row in measure_metric(other, test, name, make_metric(name)))


def test_without_nouns_for_things_the_check_is_not_run_and_nothing_can_be_told():
    nouns = {word for one in languages()["de"].things for word in one.words}
    row = weat(german(gender=4.0, leave_out=nouns), "talk-de-science")
    assert (row.p_grammar, row.grammar_difference) == (None, None)
    assert (row.outcome, row.reason) == ("cannot tell", "grammar")


def crossed(rng, difference, n=8, m=8, spread=0.3):
    """Return sets whose X and Y differ by so much in their mean cosine with A less that with B, over random words."""
    leans = np.concatenate([np.full(n, difference / 2), np.full(n, -difference / 2)]) + spread * rng.normal(size=2 * n)
    signs = np.concatenate([np.ones(m), -np.ones(m)]) / 2
    targets = np.hstack([leans[:, None], 0.1 * rng.normal(size=(2 * n, 2 * m))])
    names = [tuple(f"{side}{place}" for place in range(2 * size)) for side, size in (("t", n), ("a", m))]
    return SetVectors(*names, n, m, targets, np.hstack([signs[:, None], np.eye(2 * m)]))


def test_the_check_adds_the_errors_and_rejects_rarely_where_things_differ_as_much():
    rng = np.random.default_rng(0)
    words, nouns = crossed(rng, 1.0), crossed(rng, 0.2, n=24)
    by_words, by_things = over_words(words), over_words(nouns)
    grammar = beside_things(words, lambda: nouns)
    more = abs(by_words.difference) - abs(by_things.difference)
    error = by_words.error + by_things.error
    assert grammar.p_value == pytest.approx(two_sided(more / error, min(by_words.df, by_things.df)))
    assert grammar.difference == by_things.difference
    null = [beside_things(crossed(rng, 0.5), lambda: crossed(rng, 0.5, n=24)) for _ in range(400)]
    assert np.mean([one.p_value <= 0.05 for one in null]) <= 0.05
    assert all(is_explained_by_grammar(one) == (one.p_value > 0.005) for one in null)


# The bundled encoder


def test_the_bundled_encoder_is_asked_in_german_sentences():
    result = wefat("default-encoder", "de-wefat-occupations")
    assert result.r == pytest.approx(0.351, abs=0.02)
    assert (result.n_words, result.missing, result.p_frequency) == (52, (), None)
    assert result.words_low < 0 < result.r < result.words_high
    row = seat("default-encoder", "talk-de-career")
    assert row.grammar_difference == pytest.approx(0.011, abs=0.005)
    assert row.p_grammar > 0.9
    assert (row.p_frequency, row.unrelated) == (None, None)
    assert (row.outcome, row.reason) == ("cannot tell", "grammar")
    (known,) = controls("default-encoder", languages=["de"]).findings()
    assert known.judged is True


# Two of eight words


@pytest.mark.parametrize("role", ["x", "b"])
def test_two_of_eight_words_are_too_few_for_any_outcome(role):
    test = get("talk-de-science")
    lost = set(getattr(test, role).words[2:])
    subject = german(gender=9.0, leave_out=lost)
    for row in (weat(subject, test), seat(subject, test)):
        assert {*row.missing} == lost
        assert (row.outcome, row.reason, row.found) == ("cannot tell", "few words", False)
    (row,) = run_battery(subject, [test]).of(WeatRow)
    assert (row.outcome, row.reason) == ("cannot tell", "few words")


def test_a_wefat_with_two_of_eight_attributes_has_too_few_words():
    subject, test = professions(slope=9.0)
    attributes = {*test.a.words[2:]}
    kept = [word for word in subject.words if word not in attributes]
    rows = subject.vectors[[subject.index[word] for word in kept]]
    row = wefat(Embedding("fewer", kept, rows), test)
    assert (row.words_low, row.outcome, row.reason) == (None, "cannot tell", "few words")


def test_the_table_of_shares_is_the_catalogues():
    test = get("de-wefat-occupations")
    file = resources.files("imprint.stimuli") / "data" / "properties" / "occupations-women-de-sectors.csv"
    assert read_property(str(file)) == test.property
    assert len(test.property) == 104
