"""Does a score change when only the name changes? Scorers of known behaviour, and the straw man of the paper."""

import hashlib
from itertools import combinations

import numpy as np
import pytest
from refusals import refuses

import imprint
from imprint.errors import SettingError, StimulusError, VocabularyError
from imprint.policies.gate import check, parse_conditions
from imprint.reports.page import render_page
from imprint.stimuli.swaps import bundled_texts, fill_in, find_swap, read_texts, two_by_two
from imprint.subjects.background import ranks_of

GROUPS = (["Ann", "Eve", "Ida", "Joan", "Kate"], ["Karl", "Neil", "Hugo", "Leon", "Kurt"])  # of like frequency
FIVE_TEXTS = ["I met {name}.", "{name} is here.", "Call {name}!", "A letter from {name}.", "{name} won."]


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


def test_the_straw_man_lowers_most_pairs_of_test_5_and_names_alone_cannot_say_why():
    """Caliskan et al. (2016), "Effects of bias in NLP applications"."""
    row = imprint.swap("valence:default", "caliskan-5")["caliskan-5"]
    assert round(row.share_lower, 3) == 0.957
    assert 0 < row.words_low < row.mean_difference
    # What a text adds is the same for every name, so names differ as their valences do.
    assert row.mean_difference == pytest.approx(imprint.weat("default", "caliskan-5").mean_difference)
    # The published names hardly overlap in frequency.
    assert (row.outcome, row.reason, row.p_frequency) == ("cannot tell", "frequency", None)


def test_names_of_a_question_are_matched_and_too_many_to_split():
    row = imprint.swap("valence:default", "black-pleasant", templates=FIVE_TEXTS)["black-pleasant"]
    assert (row.n_x, row.n_y) == (162, 162)
    assert (row.p_value, row.p_frequency, row.reason) == (None, None, None)
    assert row.outcome == ("present" if row.words_low > 0 or row.words_high < 0 else "cannot tell")


def test_a_biased_scorer_is_present_with_its_sign():
    swapped = imprint.swap(biased(find_swap("race").y.words), ("race", "gender"))
    assert (swapped["race"].outcome, swapped["gender"].outcome) == ("present", "cannot tell")
    (row, _) = swapped.findings()
    assert row.mean_difference == pytest.approx(0.3, abs=0.05)
    assert row.words_low < 0.3 < row.words_high
    assert (row.share_lower, row.top_y, row.top_expected) == (1.0, 0.0, 5.0)
    other = imprint.swap(biased(find_swap("race").x.words), "race")["race"]
    assert (other.outcome, other.mean_difference < 0, other.share_lower) == ("present", True, 0.0)


def test_a_scorer_of_pronouns_is_present_by_texts():
    row = imprint.swap(
        lambda texts: [float("he " in text.lower().replace("she ", "")) + hashed(text) / 10 for text in texts],
        "pronouns",
        templates=[f"Today {{he}} met {n} people." for n in range(9)],
    )["pronouns"]
    assert (row.permuted, row.outcome, row.n_texts) == ("pronouns", "present", 9)
    assert row.p_value == 2 / 2**9
    assert row.words_low < 1.0 < row.words_high


def test_a_scorer_that_ignores_names_ties_all_pairs():
    row = imprint.swap(len_of_rest, "race")["race"]
    assert (row.outcome, row.reason, row.mean_difference, row.effect_size) == ("cannot tell", None, 0.0, None)
    assert (row.words_low, row.words_high, row.detectable, row.p_value) == (0.0, 0.0, None, 1.0)
    assert (row.share_lower, row.share_tied, row.top_y) == (0.0, 1.0, 5.0)


def len_of_rest(texts):
    """Score a text by what does not change with a name: the number of its words."""
    return [len(text.split()) / 10 for text in texts]


@pytest.mark.parametrize(("size", "outcome", "end"), [(8, "present", 1.0), (4, "cannot tell", None)])
def test_a_scorer_of_groups_alone_is_present_where_few_splits_are_as_clear(size, outcome, end):
    """Yes to one group and no to the other: of 4 and 4 names 1 split in 35 is as clear, of 8 and 8 one in 6,435."""
    x, y = (side.words[:size] for side in (find_swap("race").x, find_swap("race").y))
    row = imprint.swap(lambda texts: [float(any(name in text for name in x)) for text in texts], groups=(x, y))[
        "groups"
    ]
    assert (row.outcome, row.words_low, row.words_high, row.mean_difference) == (outcome, end, end, 1.0)


def test_a_scorer_of_rare_names_is_explained_by_frequency():
    """Most names of one group are more frequent, within one range; that a scorer marks rare names down is seen."""
    names = find_swap("black-pleasant").x.words
    ranks = dict(zip(names, np.log(ranks_of(names)[0] + 1.0).tolist(), strict=True))
    ordered = sorted(names, key=ranks.__getitem__)
    x, y = ordered[:80:2] + ordered[81:160:8], ordered[80:160:2] + ordered[1:80:8]
    scorer = lambda texts: [-ranks[text.split()[0]] + hashed(text) / 10 for text in texts]  # noqa: E731
    row = imprint.swap(scorer, groups=(x, y), templates=[f"{{name}} met {n} people." for n in range(9)])["groups"]
    assert row.words_low > 0.2
    assert (row.outcome, row.reason) == ("cannot tell", "frequency")
    assert row.adjusted_difference == pytest.approx(0.0, abs=0.02)
    assert row.p_frequency > 0.005


def test_names_are_the_unit_and_their_permutation_is_exact():
    scorer = lambda texts: [hashed(text, 3) for text in texts]  # noqa: E731
    row = imprint.swap(scorer, groups=GROUPS, templates=FIVE_TEXTS)["groups"]
    means = np.array(
        [np.mean([hashed(fill_in(text, name), 3) for text in FIVE_TEXTS]) for name in (*GROUPS[0], *GROUPS[1])]
    )
    assert [one.value for one in row.scores] == pytest.approx(means)
    observed = abs(means[:5].sum() - means[5:].sum())
    reached = sum(
        abs(2 * means[list(chosen)].sum() - means.sum()) >= observed - 1e-12 for chosen in combinations(range(10), 5)
    )
    assert (row.extreme, row.partitions, row.p_value) == (str(reached), "252", reached / 252)
    assert row.p_floor == 2 / 252


def test_with_three_texts_the_interval_is_over_names_alone_and_says_nothing_of_others():
    texts = FIVE_TEXTS[:3]
    row = imprint.swap(biased(GROUPS[1]), groups=GROUPS, templates=texts)["groups"]
    assert (row.outcome, row.reason) == ("cannot tell", "few words")
    assert 0 < row.words_low < row.mean_difference < row.words_high
    four = imprint.swap(biased(GROUPS[1]), groups=GROUPS, templates=FIVE_TEXTS[:4])["groups"]
    assert (four.outcome, four.reason) == ("present", None)


def test_three_names_in_a_group_are_too_few():
    row = imprint.swap(biased(GROUPS[1]), groups=(GROUPS[0], GROUPS[1][:3]))["groups"]
    assert (row.outcome, row.reason, row.words_low) == ("cannot tell", "few words", None)


def test_groups_that_lost_most_of_their_names_are_too_few():
    lost = [f"Xqzwv{letter}" for letter in "abcdef"]
    row = imprint.swap("valence:default", groups=([*GROUPS[0], *lost], GROUPS[1]))["groups"]
    assert (row.outcome, row.reason, row.n_x) == ("cannot tell", "few words", 5)


def test_names_without_a_vector_are_left_out_and_told():
    row = imprint.swap("valence:default", groups=([*GROUPS[0], "Xqzwv"], GROUPS[1]))["groups"]
    assert (row.missing, row.n_x, len(row.scores)) == (("Xqzwv",), 5, 10)
    with refuses(VocabularyError, words=("Xqzwv",)):
        imprint.swap("valence:default", groups=(["Xqzwv"], GROUPS[1]))


def test_a_name_in_both_groups_is_refused():
    with refuses(StimulusError, option="groups", words=("Ann",)):
        imprint.swap(len, groups=(GROUPS[0], ["Ann", "Zoe"]))


FOUR = [[f"{side}{number}" for number in range(12)] for side in ("Ax", "Bx", "Ay", "By")]


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        ({"Ax": 1, "Bx": 1}, {"first": 1, "second": 0, "interaction": 0}),
        ({"Ax": 1, "Ay": 1}, {"first": 0, "second": 1, "interaction": 0}),
        ({"Ax": 1, "By": 1}, {"first": 0, "second": 0, "interaction": 2}),
        ({"Ax": 1}, {"first": 0.5, "second": 0.5, "interaction": 1}),
    ],
    ids=["first", "second", "interaction", "all"],
)
def test_main_effects_and_the_interaction_of_four_groups_are_told_apart(raised, expected):
    def score(texts):
        return [sum(by for side, by in raised.items() if side in text) + 0.05 * hashed(text) for text in texts]

    rows = imprint.swap(score, groups=FOUR, templates=FIVE_TEXTS)
    for name, difference in expected.items():
        row = rows[f"groups-{name}"]
        assert row.mean_difference == pytest.approx(difference, abs=0.05)
        assert row.words_low < difference < row.words_high
        if difference:
            assert (row.outcome, row.reason, row.p_value < 0.01) == ("cannot tell", "frequency", True)
        else:
            assert (row.words_low < 0 < row.words_high, row.p_value > 0.02) == (True, True)
    assert [row.is_interaction for row in rows] == [False, False, True]


def test_the_interaction_is_the_difference_of_two_differences_with_an_interval_twice_as_wide():
    gender, race, crossed = imprint.swap("valence:default", "gender-by-race")
    (men_white, men_black, women_white, women_black) = (
        np.mean([score.value for score in crossed.scores if score.word in group.words])
        for group in two_by_two()[0].groups
    )
    assert crossed.mean_difference == pytest.approx((men_white - women_white) - (men_black - women_black))
    assert gender.mean_difference == pytest.approx((men_white + men_black - women_white - women_black) / 2)
    widths = [row.words_high - row.words_low for row in (gender, race, crossed)]
    assert widths[2] == pytest.approx(2 * np.mean(widths[:2]), rel=0.1)
    assert (gender.outcome, crossed.outcome) == ("present", "cannot tell")
    assert (crossed.reason, crossed.n_x, crossed.n_y) == (None, 40, 40)


@pytest.mark.parametrize("count", [1, 3, 5])
def test_groups_that_are_neither_two_nor_four_are_refused(count):
    with refuses(SettingError, option="groups", got=count):
        imprint.swap(len, groups=[*FOUR, ["Zoe"]][:count])


def test_an_encoder_ranks_cvs_by_a_query():
    swapped = imprint.swap("encoder:cbow", "gender", query="CVs for a software engineer", top=3)
    row = swapped["gender"]
    assert (row.top_k, row.top_expected, swapped.scored) == (3, 1.5, 32 * len(bundled_texts().names))
    assert 0 <= row.top_y <= 3
    assert "software engineer" in row.embedding


def test_a_second_run_asks_for_nothing(tmp_path):
    from imprint.scoring.scorers import FunctionScorer

    scorer = FunctionScorer(null_scorer(0), identity="null")
    with imprint.EncodingCache(tmp_path / "cache") as cache:
        first, again = (imprint.swap(scorer, "race", cache=cache) for _ in range(2))
    assert (first.scored > 0, again.scored) == (True, 0)
    assert first.findings() == again.findings()


@pytest.mark.slow
def test_scorers_without_a_difference_are_seldom_present():
    """Of 200 scorers and two comparisons 2 are expected; more than 8 would be a rate above .005, at 99.9 %."""
    present = sum(row.found for seed in range(200) for row in imprint.swap(null_scorer(seed)))
    assert present <= 8


def test_a_margin_on_the_difference_decides():
    scorer = biased(find_swap("race").y.words)
    rows = imprint.swap(scorer, ("race", "gender")).findings()
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


def test_page_and_card_say_what_was_seen():
    rows = imprint.swap("valence:default", ("caliskan-5", "pronouns")).findings()
    for drawn in (render_page(rows), imprint.card(rows)):
        assert "95.7" in drawn
        assert "African American names" in drawn
    assert "No test about people" not in render_page(rows)


def test_options_out_of_range_are_refused():
    with refuses(SettingError, option="top", got=0):
        imprint.swap(len, top=0)
    for names in ((), []):
        with refuses(SettingError, option="names", got=names):
            imprint.swap(len, names=names)


@pytest.mark.parametrize("option", ["alpha", "copies", "seed"])
def test_options_that_are_no_more_are_refused(option):
    with pytest.raises(TypeError, match=option):
        imprint.swap(len, "race", **{option: 1})
