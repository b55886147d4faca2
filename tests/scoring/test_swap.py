"""Does a score change when only the name changes? Scorers of known behaviour, and the straw man of the paper."""

import hashlib
from itertools import combinations

import numpy as np
import pytest
from refusals import refuses

import imprint
from imprint.errors import SettingError, StimulusError, VocabularyError
from imprint.policy.gate import check, parse_conditions
from imprint.report.card import render_card
from imprint.report.page import render_page
from imprint.scoring.checks import ScoreTable, check_table, null_rates
from imprint.stimuli.swaps import bundled_texts, fill_in, find_swap, read_texts
from imprint.subjects.common import ranks_of

GROUPS = (["Ann", "Eve", "Ida", "Joan", "Kate"], ["Bob", "Carl", "Dan", "Emil", "Finn"])


def hashed(text, seed=0):
    """A random score that only the text decides."""
    digest = hashlib.sha256(f"{seed} {text}".encode()).digest()
    return int.from_bytes(digest[:6]) / 2**48


def null_scorer(seed):
    """Random scores of words, and so of names and texts, that know no groups."""
    return lambda texts: [hashed(text, seed) + sum(hashed(word, seed) for word in text.split()) for text in texts]


def biased(names, by=-0.3):
    return lambda texts: [hashed(text) / 4 + by * any(name in text for name in names) for text in texts]


@pytest.mark.parametrize("name", ["race", "gender"])
def test_bundled_names_are_matched_in_frequency(name):
    one = find_swap(name)
    (x, found), (y, also) = (ranks_of(side.words) for side in (one.x, one.y))
    assert (len(x), len(y), found, also) == (16, 16, 1.0, 1.0)
    # In the order of the file each name stands beside its partner.
    assert np.max(np.abs(np.log((x + 1) / (y + 1)))) < 0.06


def test_the_bundled_texts_are_enough_to_allow_for_others():
    texts = bundled_texts()
    assert len(texts.names) >= 8
    assert len(texts.pronouns) >= 8


def test_pronouns_take_the_form_of_their_place():
    text = "{He} said that {his} dog likes {him}, {himself}."
    assert fill_in(text, "she") == "She said that her dog likes her, herself."
    assert fill_in(text, "he") == "He said that his dog likes him, himself."
    assert fill_in("{name} and {name}", "Ann") == "Ann and Ann"


@pytest.mark.parametrize("text", ["nobody", "{name} and {he}", "{word}", "{", "{name} {", "x" * 5_000 + "{name}"])
def test_a_text_that_cannot_be_filled_is_refused(text):
    with refuses(StimulusError, where=("templates", 1)):
        read_texts([text])


@pytest.mark.parametrize("name", ["caliskan-1", "raec", ""])
def test_names_that_are_not_known_are_refused(name):
    with refuses(StimulusError, "caliskan-5", option="names", got=name):
        find_swap(name)


def test_the_straw_man_lowers_most_pairs_of_test_5():
    """Caliskan et al. (2016), "Effects of bias in NLP applications"."""
    found = imprint.swap("valence:default", "caliskan-5", copies=0)["caliskan-5"]
    assert round(found.share_lower, 3) == 0.957
    assert found.mean_difference > 0
    # What a text adds is the same for every name, so names differ as their valences do.
    assert found.mean_difference == pytest.approx(imprint.weat("default", "caliskan-5").mean_difference)
    # These names differ so much in frequency that nobody can tell the two apart.
    assert (found.evidence, found.checked.checks.p_frequency) == ("moderate", None)


def test_a_biased_scorer_is_found_with_its_sign():
    scorer = biased(find_swap("race").y.words)
    found = imprint.swap(scorer, ("race", "gender"), copies=0)
    assert (found["race"].evidence, found["gender"].evidence) == ("strong", "none shown")
    (row, _) = found.findings()
    assert row.mean_difference == pytest.approx(0.3, abs=0.05)
    assert row.words_low < row.mean_difference < row.words_high
    assert (row.share_lower, row.top_y, row.top_expected) == (1.0, 0.0, 5.0)
    other = imprint.swap(biased(find_swap("race").x.words), "race", copies=0)["race"]
    assert (other.evidence, other.mean_difference < 0, other.share_lower) == ("strong", True, 0.0)


def test_a_scorer_of_pronouns_is_found_by_texts():
    row = imprint.swap(
        lambda texts: [float("he " in text.lower().replace("she ", "")) + hashed(text) / 10 for text in texts],
        "pronouns",
        copies=0,
        templates=[f"Today {{he}} met {n} people." for n in range(9)],
    ).findings()[0]
    assert (row.permuted, row.evidence, row.n_texts) == ("pronouns", "moderate", 9)
    assert row.p_label == 2 / 2**9
    assert row.mean_difference == pytest.approx(1.0, abs=0.1)


def test_a_scorer_that_ignores_names_shows_nothing_and_ties_all_pairs():
    row = imprint.swap(lambda texts: [1.0] * len(texts), "race", copies=0).findings()[0]
    assert (row.evidence, row.mean_difference, row.effect_size, row.p_label) == ("none shown", 0.0, None, 1.0)
    assert (row.share_lower, row.share_tied, row.top_y) == (0.0, 1.0, 5.0)


def test_a_scorer_of_rare_names_is_not_strong_evidence():
    """The published names differ in frequency; a scorer that marks rare words down is found out by that check."""
    names = find_swap("caliskan-5").words
    ranks = dict(zip(names, np.log(ranks_of(names)[0] + 1.0), strict=True))
    scorer = lambda texts: [-next(r for n, r in ranks.items() if n in t) + hashed(t) for t in texts]  # noqa: E731
    found = imprint.swap(scorer, "caliskan-5", copies=0)["caliskan-5"]
    assert found.evidence == "moderate"
    assert found.judged.checks_failed == ("frequency",)


def test_names_are_the_unit_and_their_permutation_is_exact():
    scorer = lambda texts: [hashed(text, 3) for text in texts]  # noqa: E731
    texts = ["I met {name}.", "{name} is here.", "Call {name}!", "A letter from {name}.", "{name} won."]
    row = imprint.swap(scorer, groups=GROUPS, templates=texts, copies=0).findings()[0]
    means = np.array(
        [np.mean([hashed(fill_in(text, name), 3) for text in texts]) for name in (*GROUPS[0], *GROUPS[1])]
    )
    assert [one.value for one in row.scores] == pytest.approx(means)
    observed = abs(means[:5].sum() - means[5:].sum())
    reached = sum(
        abs(2 * means[list(chosen)].sum() - means.sum()) >= observed - 1e-12 for chosen in combinations(range(10), 5)
    )
    assert (row.extreme, row.partitions, row.p_label) == (str(reached), "252", reached / 252)
    assert row.p_label_floor == 2 / 252


def test_with_three_texts_the_interval_is_over_names_alone_and_evidence_limited():
    scorer = biased(GROUPS[1])
    texts = ["I met {name}.", "{name} is here.", "Call {name}!"]
    row = imprint.swap(scorer, groups=GROUPS, templates=texts, copies=0).findings()[0]
    assert (row.texts_random, row.p_words, row.evidence) == (False, None, "limited")
    assert row.words_low < row.mean_difference < row.words_high
    assert "words" in row.checks_failed


def test_three_names_in_a_group_are_too_few():
    row = imprint.swap(biased(GROUPS[1]), groups=(GROUPS[0], GROUPS[1][:3]), copies=0).findings()[0]
    assert (row.evidence, row.words_low) == ("too few words", None)


def test_names_without_a_vector_are_left_out_and_told():
    found = imprint.swap("valence:default", groups=([*GROUPS[0], "Xqzwv"], GROUPS[1]), copies=0)
    row = found.findings()[0]
    assert (row.missing, row.n_x, len(row.scores)) == (("Xqzwv",), 5, 10)
    with refuses(VocabularyError, words=("Xqzwv",)):
        imprint.swap("valence:default", groups=(["Xqzwv"], GROUPS[1]), copies=0)


def test_a_name_in_both_groups_is_refused():
    with refuses(StimulusError, option="groups", words=("Ann",)):
        imprint.swap(len, groups=(GROUPS[0], ["Ann", "Zoe"]))


def test_an_encoder_ranks_cvs_by_a_query():
    found = imprint.swap("encoder:cbow", "gender", query="CVs for a software engineer", copies=0, top=3)
    row = found.findings()[0]
    assert (row.top_k, row.top_expected, found.asked) == (3, 1.5, 32 * len(bundled_texts().names))
    assert 0 <= row.top_y <= 3
    assert "software engineer" in row.embedding


def test_a_second_run_asks_for_nothing(tmp_path):
    from imprint.scoring.scorers import FunctionScorer

    scorer = FunctionScorer(null_scorer(0), identity="null")
    with imprint.EncodingCache(tmp_path / "cache") as cache:
        first, again = (imprint.swap(scorer, "race", cache=cache, copies=0) for _ in range(2))
    assert (first.asked > 0, again.asked) == (True, 0)
    assert first.findings() == again.findings()


def test_the_same_seed_gives_the_same_rows_and_nulls_are_rarely_found():
    first, again = (imprint.swap(null_scorer(1), "race", copies=60, seed=5) for _ in range(2))
    assert first.findings() == again.findings()
    for rate in first.nulls:
        assert rate.copies == 60
        assert rate.strong <= rate.moderate <= rate.limited <= 0.15


def test_planted_differences_do_not_reach_the_null_tables():
    table = ScoreTable(
        np.random.default_rng(0).standard_normal((16, 6)) + np.r_[np.ones(8), np.zeros(8)][:, None] * 3, 8
    )
    assert check_table(table).checks.p_label < 0.01
    assert max(rate.limited for rate in null_rates([table], alpha=0.05, copies=100, seed=1)) <= 0.12


@pytest.mark.slow
def test_null_scorers_show_nothing_in_93_of_100_seeds():
    clear = 0
    for seed in range(100):
        found = imprint.swap(null_scorer(seed), ("race", "gender"), copies=0)
        clear += all(one.evidence == "none shown" for one in found.results)
    print(f"null scorers: none shown in {clear} of 100 seeds")
    assert clear >= 93


def test_a_margin_on_the_difference_decides():
    scorer = biased(find_swap("race").y.words)
    rows = imprint.swap(scorer, ("race", "gender"), copies=0).findings()
    verdicts = {
        condition: check(rows, parse_conditions((), [condition])).verdict
        for condition in (
            "swap:gender:|mean_difference|<0.2",
            "swap:race:|mean_difference|<0.2",
            "swap:|mean_difference|<0.2",
        )
    }
    assert list(verdicts.values()) == ["passed", "failed", "failed"]
    assert check(rows, parse_conditions(["swap:p<0.001"])).verdict == "failed"


def test_page_and_card_say_what_was_found():
    rows = imprint.swap("valence:default", ("caliskan-5", "pronouns"), copies=20).findings()
    for drawn in (render_page(rows), render_card(rows)):
        assert "95.7" in drawn
        assert "African American names" in drawn
    assert "No test about people" not in render_page(rows)


def test_options_out_of_range_are_refused():
    for option, value in (("top", 0), ("copies", -1), ("alpha", 2.0)):
        with refuses(SettingError, option=option, got=value):
            imprint.swap(len, **{option: value})
    with refuses(SettingError, option="names"):
        imprint.swap(len, names=())
