"""Whom people are asked about, and what raters of known skill make of it, computed exactly and through the store."""

import random
import re
from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from msgspec.structs import replace
from refusals import refuses

from imprint.stimuli.names import first_names
from imprint.study.analysis import score, write_page
from imprint.study.design import StudyError
from imprint.study.exam import majority_rate
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
    assert {block.groups for block in design.blocks} == {tuple("ABCD")}
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


@pytest.mark.parametrize(("choices", "people"), [(2, 3), (3, 4), (4, 3)])
@pytest.mark.parametrize("skill", [0.0, 0.4, 1.0])
def test_the_chance_of_a_majority_is_that_of_all_votes(choices, people, skill):
    right = skill + (1 - skill) / choices
    chances = [right, *[(1 - right) / (choices - 1)] * (choices - 1)]
    total = 0.0
    for votes in product(range(choices), repeat=people):
        counts = Counter(votes)
        if all(counts[0] > counts[other] for other in range(1, choices)):
            chance = 1.0
            for vote in votes:
                chance *= chances[vote]
            total += chance
    assert majority_rate(skill, choices, people) == pytest.approx(total)


def test_the_figures_in_the_documentation_are_these():
    rows = re.findall(r"^\| (\d) groups \|((?: [\d.]+ % \|)+)$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    assert [int(groups) for groups, _ in rows] == [2, 3, 4]
    for groups, cells in rows:
        expected = [f"{100 * majority_rate(tenths / 10, int(groups), 18):.1f} %" for tenths in range(0, 11, 2)]
        assert [cell.strip() for cell in cells.strip("|").split("|")] == expected


@pytest.mark.slow
@pytest.mark.parametrize("skill", [0.2, 0.4, 0.8])
def test_raters_of_known_skill_reach_the_accuracy_that_the_design_promises(make_store, real, take_part, skill):
    """Through the store: answers, votes and pages, in studies of 18 people."""
    design = ube_design(real, participants=18)
    accurate = asked = named = given = 0
    for study in range(6):
        rng = random.Random(f"{skill} {study}")
        store = make_store(design=design, seed=study, name=f"{study}.db")
        expected = {item.number: item.expected for item in store.items()}

        def choose(who, question, task, rng=rng, expected=expected):
            known = rng.random() < skill
            return expected[question.number] if known else rng.choice([group.letter for group in task.groups])

        for _ in range(18):
            take_part(store, choose)
        whole = score(store)[0]
        accurate, asked = accurate + whole.n_accurate, asked + whole.associations
        named, given = named + whole.share_judgments * whole.judgments, given + whole.judgments
        assert whole.share_low <= whole.share_accurate <= whole.share_high
    assert (asked, given) == (60, 1080)
    promised, right = majority_rate(skill, 4, 18), skill + (1 - skill) / 4
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
