"""The exam: raters of known skill, computed exactly, and the names that it asks about."""

import dataclasses
import itertools
from fractions import Fraction
from math import comb

import pytest
from msgspec.structs import replace
from refusals import refuses

from imprint.stimuli.names import RACES, first_names
from imprint.study.design import StudyError
from imprint.study.exam import MOST_GROUPS, choose_groups, exam_rule
from imprint.study.protocols import ube_design
from imprint.study.steps import Finish

SIZES = range(2, MOST_GROUPS + 1)


def chance_to_pass(rule, skill):
    """Sum the exact probabilities over the names known and, of those not known, the names guessed right."""
    guess = Fraction(1, rule.groups)
    total = Fraction(0)
    for known in range(rule.lines + 1):
        others = rule.lines - known
        knows = comb(rule.lines, known) * skill**known * (1 - skill) ** others
        lucky = sum(
            comb(others, right) * guess**right * (1 - guess) ** (others - right)
            for right in range(max(rule.mark - known, 0), others + 1)
        )
        total += knows * lucky
    return total


@pytest.mark.parametrize("groups", SIZES)
def test_a_rater_of_normal_skill_passes_and_random_clicks_do_not(groups):
    rule = exam_rule(groups)
    assert chance_to_pass(rule, Fraction(8, 10)) >= Fraction(95, 100)
    assert chance_to_pass(rule, Fraction(0)) <= Fraction(5, 100)
    for tenths in range(11):
        assert rule.pass_rate(tenths / 10) == pytest.approx(float(chance_to_pass(rule, Fraction(tenths, 10))))
    rates = [rule.pass_rate(tenths / 10) for tenths in range(11)]
    assert rates == sorted(rates)


@pytest.mark.parametrize("groups", SIZES)
def test_no_shorter_exam_does_that(groups):
    rule = exam_rule(groups)
    for each, mark in itertools.product(range(1, rule.each), range(rule.lines)):
        shorter = dataclasses.replace(rule, each=each, mark=mark)
        assert shorter.pass_rate(0) > 0.05 or shorter.pass_rate(0.8) < 0.95


def test_the_exam_of_four_groups_is_eight_lines_of_which_five_must_be_right():
    rule = exam_rule(4)
    assert (rule.each, rule.lines, rule.mark) == (2, 8, 5)
    assert rule.pass_rate(0.8) == pytest.approx(0.9786, abs=5e-5)
    assert rule.pass_rate(0) == pytest.approx(0.0273, abs=5e-5)


@pytest.mark.parametrize("groups", [-1, 1, MOST_GROUPS + 1, 10**9])
def test_an_exam_of_any_other_number_of_groups_is_refused(groups):
    with refuses(StudyError, got=groups):
        exam_rule(groups)


def test_always_choosing_the_same_group_does_not_pass():
    for groups in SIZES:
        rule = exam_rule(groups)
        assert rule.each < rule.mark


GROUPS = {
    "A": ("Emma", "Renee", "Christina", "Dorothy", "Meredith"),
    "B": ("Rhoda", "Felicia", "Siobhan", "Mathilda", "Marcie"),
    "D": ("Liliana", "Francisca", "Concetta", "Kitana", "Rosalinda"),
    "G": ("Cathryn", "Garey", "Kedrick", "Caroll", "Kristopher"),
    "I": ("Gerardo", "Manuel", "Felice", "Vicente", "Matteo"),
    "L": ("Scott", "Parker", "Barry", "Chris", "Russell"),
}


def bearers(name):
    """The sex and origin of most who have this name, and how large the smaller of both shares is."""
    table = first_names()
    row = table.index[name]
    women = table.share_women[row]
    sex = max((women, "women"), (1 - women, "men"))
    origin = max((float(table.races[race][row]), race) for race in RACES)
    return (sex[1], origin[1]), min(sex[0] - 0.15, origin[0])


def test_the_exam_asks_about_names_of_one_sex_and_origin_in_each_group():
    exam, is_clear = choose_groups(GROUPS)
    assert is_clear
    assert {group.letter for group in exam} == {"A", "D", "I", "L"}
    kinds = []
    for group in exam:
        told = [bearers(name) for name in group.shown]
        assert min(share for _, share in told) >= 0.8
        (kind,) = {kind for kind, _ in told}
        kinds.append(kind)
        assert len({*group.asked}) == 10
        assert all(len({*line}) == 3 for line in group.asked)
    assert sorted(kinds) == sorted(itertools.product(("men", "women"), ("hispanic", "white")))


def test_a_line_of_the_exam_goes_with_one_group_by_the_meaning_of_its_words():
    exam, _ = choose_groups(GROUPS)
    lines = [line for group in exam for line in group.asked]
    assert len({*lines}) == len(lines) == 40
    by_kind = {bearers(group.shown[0])[0]: group.asked for group in exam}
    for sex in ("women", "men"):
        kin = [{line[0] for line in by_kind[sex, origin]} for origin in ("white", "hispanic")]
        assert kin[0] == kin[1], "the places decide"
    for origin in ("white", "hispanic"):
        places = [{word for line in by_kind[sex, origin] for word in line[1:]} for sex in ("women", "men")]
        assert places[0] == places[1], "the word for the sex decides"
    assert {word for line in by_kind["men", "white"] for word in line}.isdisjoint(
        word for line in by_kind["women", "hispanic"] for word in line
    )


def test_names_that_the_table_does_not_know_are_asked_about_as_they_are():
    exam, is_clear = choose_groups({letter: [f"{letter}{n}" for n in range(5)] for letter in "ABCDEF"})
    assert not is_clear
    assert next((group.letter, group.shown, group.asked) for group in exam) == (
        "A",
        ("A0", "A1"),
        (("A2",), ("A3",), ("A4",)),
    )
    assert len(exam) == MOST_GROUPS


def test_two_groups_known_by_five_names_are_too_few_for_an_exam():
    with refuses(StudyError, where="group A", words=tuple(f"A{n}" for n in range(5))):
        choose_groups({letter: [f"{letter}{n}" for n in range(5)] for letter in "AB"})


def test_everybody_who_answers_the_exam_of_words_passes_from_the_mark_on(make_store, findings):
    """Through the store: every number of right answers, against the mark."""
    named = dict(zip("ABCD", (GROUPS[letter] for letter in "ADIL"), strict=True))
    real = [replace(one, names=named[one.group]) if one.kind in ("ube", "ube-group") else one for one in findings]
    store = make_store(design=ube_design(real))
    assert {item.kind for item in store.items()} == {"triple"}, "the same kind of question as the pages after it"
    assert not any("census" in note for note in store.study.notes)
    expected = {item.number: item.expected for item in store.items()}
    for right in range(9):
        who = store.join().number
        store.consent(who)
        task = store.step(who)
        assert len(task.questions) == 8
        wrong = dict(zip("ABCD", "BCDA", strict=True))
        letters = [expected[question.number] for question in task.questions]
        answers = [letter if n < right else wrong[letter] for n, letter in enumerate(letters)]
        store.answer(who, dict(zip((question.number for question in task.questions), answers, strict=True)))
        assert isinstance(store.step(who), Finish) == (right < 5)
    assert (store.overview().qualified, store.overview().not_qualified) == (4, 5)
