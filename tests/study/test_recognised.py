"""Whom people are asked about, and what raters of known skill make of it, computed exactly and through the store."""

import math
import random
import re
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from msgspec.structs import replace
from refusals import refuses

from imprint.stimuli.names import RACES, first_names
from imprint.study.analysis import score, write_page
from imprint.study.design import CANNOT_TELL, StudyError
from imprint.study.exam import choose_groups, majority_rate
from imprint.study.kinds import agreement
from imprint.study.protocols import ube_design

from .test_exam import GROUPS

NAMED = dict(zip("ABCD", (GROUPS[letter] for letter in "ADIL"), strict=True))
DOCS = Path(__file__).parents[2] / "docs" / "study.md"


@pytest.fixture
def real(findings):
    """The findings with names of the United States."""
    return [replace(row, names=NAMED[row.group]) if row.kind in ("ube", "ube-group") else row for row in findings]


def test_people_see_common_names_that_point_to_their_group_and_every_page_offers_all_groups(real):
    design = ube_design(real)
    table = first_names()
    shown = [name for group in design.groups for name in group.names]
    assert len(shown) == len({*shown}) == 20
    assert min(table.counts[table.index[name]] for name in shown) >= 10_000
    assert {group.cues for group in design.groups} == {group.names for group in design.groups}
    assert {block.groups for block in design.blocks} == {(*"ABCD", CANNOT_TELL)}
    assert len(design.blocks) == 4, "the category with one association too"


def test_a_group_that_no_names_point_to_is_left_out(real):
    hidden = {"C": GROUPS["B"]}  # rarer names of white women, as most of A's are
    rows = [
        replace(row, names=hidden.get(row.group, row.names)) if row.kind in ("ube", "ube-group") else row
        for row in real
    ]
    design = ube_design(rows)
    assert {group.letter for group in design.groups} == {"A", "B", "D"}
    assert {item.expected for block in design.blocks for item in block.items} == {"A", "B", "D"}


def test_only_associations_that_recur_are_asked_about(real):
    tried = [
        replace(row, recurrence=0.5 if row.test == "A-1" else 0.55, recurrence_runs=20) if row.kind == "ube" else row
        for row in real
    ]
    asked = {item.words for block in ube_design(tried).blocks for item in block.items}
    assert ("a1x", "a1y", "a1z") not in asked
    assert ("b1x", "b1y", "b1z") in asked
    with refuses(StudyError, "recurs"):
        ube_design([replace(row, recurrence=0.0) if row.kind == "ube" else row for row in real])


def test_only_associations_of_which_few_are_false_are_asked_about(real):
    q = {"A-1": 0.051, "B-1": 0.05}
    rows = [replace(row, q=q.get(row.test, 0.001)) if row.kind == "ube" else row for row in real]
    asked = {item.words for block in ube_design(rows).blocks for item in block.items}
    assert ("a1x", "a1y", "a1z") not in asked
    assert ("b1x", "b1y", "b1z") in asked


def test_associations_with_family_names_are_not_asked_about(real):
    words = {"A-1": ("wright", "butler", "tree"), "B-1": ("law", "act", "rules")}
    rows = [replace(row, words=words.get(row.test, row.words)) if row.kind == "ube" else row for row in real]
    asked = {item.words for block in ube_design(rows).blocks for item in block.items}
    assert words["A-1"] not in asked
    assert words["B-1"] in asked, "one word of three may be a name too"


def test_muslim_names_are_known_by_a_list_since_the_census_counts_them_among_all_origins(real):
    theirs = {"C": ("Ahmad", "Ibrahim", "Muhammad", "Sharon", "Eben")}
    rows = [
        replace(row, names=theirs.get(row.group, row.names)) if row.kind in ("ube", "ube-group") else row
        for row in real
    ]
    groups = {group.letter: group.names for group in ube_design(rows).groups}
    assert groups["C"] == ("Ahmad", "Muhammad", "Ibrahim", "Mohamed", "Ahmed"), "the group's own come first"
    table = first_names()
    assert max(table.races[race][table.index["Ahmad"]] for race in RACES) < 0.5


def test_a_group_that_has_less_than_two_thirds_of_the_people_with_such_names_is_left_out(real):
    """Of Ahmad, Muhammad and Mohamed a third of the bearers, or more, are in the other group."""
    split = {"C": ("Ahmad", "Muhammad"), "D": ("Mohamed", "Ibrahim", "Scott", "Barry")}
    pooled = {"A": NAMED["A"], "B": NAMED["B"], **split}
    assert {group.letter for group in choose_groups(pooled)[0]} == {"A", "B", "D"}
    whole = pooled | {"C": ("Ahmad", "Muhammad", "Mohamed", "Ibrahim"), "D": ("Scott", "Barry")}
    assert {group.letter for group in choose_groups(whole)[0]} == {"A", "B", "C", "D"}


@pytest.mark.parametrize(("choices", "people"), [(2, 3), (3, 4), (4, 3)])
@pytest.mark.parametrize("skill", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("telling", [0.0, 0.3, 1.0])
def test_the_chance_of_a_majority_is_that_of_all_votes(choices, people, skill, telling):
    guess = (1 - skill) * (1 - telling) / choices
    chances = [skill + guess, *[guess] * (choices - 1), (1 - skill) * telling]
    assert sum(chances) == pytest.approx(1)
    total = 0.0
    for votes in product(range(choices + 1), repeat=people):
        counts = Counter(votes)
        if all(counts[0] > counts[other] for other in range(1, choices + 1)):
            total += math.prod(chances[vote] for vote in votes)
    assert majority_rate(skill, choices, people, telling=telling) == pytest.approx(total)


def test_the_figures_in_the_documentation_are_these():
    pattern = r"^\| (\d|any number of) groups, (guess|half of each|cannot tell) \|((?: [\d.]+ % \|)+)$"
    rows = re.findall(pattern, DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    shares = {"guess": 0.0, "half of each": 0.5, "cannot tell": 1.0}
    assert len(rows) == 5
    for groups, telling, cells in rows:
        for choices in [int(groups)] if groups.isdigit() else [2, 3, 4]:
            rates = [majority_rate(skill / 10, choices, 18, telling=shares[telling]) for skill in range(0, 11, 2)]
            assert [cell.strip() for cell in cells.strip("|").split("|")] == [f"{100 * rate:.1f} %" for rate in rates]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("skill", "telling"), [(0.2, 0.0), (0.4, 0.0), (0.8, 0.0), (0.4, 1.0), (0.6, 1.0), (0.4, 0.5)]
)
def test_raters_of_known_skill_reach_the_accuracy_that_the_design_promises(
    make_store, real, take_part, skill, telling
):
    """Through the store: answers, votes and pages, in studies of 18 people."""
    design = ube_design(real, participants=18)
    accurate = asked = named = given = 0
    for study in range(6):
        rng = random.Random(f"{skill} {telling} {study}")
        store = make_store(design=design, seed=study, name=f"{study}.db")
        expected = {item.number: item.expected for item in store.items()}

        def choose(who, question, task, rng=rng, expected=expected):
            if rng.random() < skill:
                return expected[question.number]
            guess = rng.choice([group.letter for group in task.groups])
            return CANNOT_TELL if rng.random() < telling else guess

        for _ in range(18):
            take_part(store, choose)
        whole = score(store)[0]
        accurate, asked = accurate + whole.n_accurate, asked + whole.associations
        named, given = named + whole.share_judgments * whole.judgments, given + whole.judgments
        assert whole.share_low <= whole.share_accurate <= whole.share_high
    assert (asked, given) == (60, 1080)
    promised = majority_rate(skill, 4, 18, telling=telling)
    right = skill + (1 - skill) * (1 - telling) / 4
    assert abs(named / given - right) < 4 * (right * (1 - right) / given) ** 0.5
    assert abs(accurate / asked - promised) < max(4 * (promised * (1 - promised) / asked) ** 0.5, 1 / asked)


def test_the_results_are_a_page_with_agreement_and_intervals(make_store, real, take_part, tmp_path):
    store = make_store(design=ube_design(real), quota=2)
    expected = {item.number: item.expected for item in store.items()}
    for _ in range(3):
        take_part(store, lambda who, question, task: expected[question.number])
    write_page(store, tmp_path / "results.html")
    whole, page = score(store)[0], (tmp_path / "results.html").read_text(encoding="utf-8")
    assert (whole.share_accurate, whole.alpha, whole.associations) == (1.0, 1.0, 10)
    assert whole.share_low == pytest.approx(0.025**0.1), "Clopper and Pearson, ten of ten"
    verdict = re.search("<h1>(.*?)</h1>", page, re.DOTALL)[1]
    assert {repr(whole.share_accurate), repr(whole.expected)} <= {*re.findall(r'<data value="([^"]*)">', verdict)}
    assert page.count('class="range"') == whole.associations, "an interval for each association"
    assert whole.above_guessing == 10
    assert "Nothing about bias" not in page
    assert "Cosine" not in page, "people's answers need no terms of vectors"


@pytest.mark.parametrize(
    ("alpha", "said"),
    [
        (0.8, "nearly always give the same"),
        (0.667, "mostly give the same"),
        (0.66, "often give different"),
        (-0.01, "no more than"),
    ],
)
def test_the_results_say_in_words_what_alpha_means(make_store, real, alpha, said):
    whole = replace(score(make_store(design=ube_design(real)))[0], alpha=alpha)
    (told,) = agreement([whole], ())
    assert said in str(told)
    assert not list(agreement([replace(whole, alpha=None)], ())), "nobody has answered"
