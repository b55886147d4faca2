"""The questions in Spanish and Turkish: by rule, frozen, and equal in grammatical gender on both sides."""

import sys
from collections import Counter
from pathlib import Path

import pytest

from imprint.stimuli.catalog import foreign_questions, language_of, languages, published_tests, questions
from imprint.stimuli.definition import CONTROL, WeatTest, words_of
from imprint.stimuli.templates import bundled_templates, frames_of

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import build_languages  # noqa: E402
import packages  # noqa: E402

EACH = pytest.mark.parametrize("question", foreign_questions(), ids=lambda question: question.id)
SOURCES = pytest.mark.parametrize("source", build_languages.SOURCES, ids=lambda source: source.code)


def test_each_language_has_three_questions_about_gender_and_none_is_among_the_ten():
    asked = Counter(test.language for test in foreign_questions())
    assert asked == {"es": 3, "tr": 3}
    assert {test.topics for test in foreign_questions()} == {("gender",)}
    assert not set(foreign_questions()) & set(questions())


@pytest.mark.parametrize("code", ["en", "de", "es", "tr"])
def test_a_language_has_frames_ratings_templates_and_two_controls(code):
    controls = [test for test in published_tests() if test.language == code and CONTROL in test.topics]
    assert len(controls) == 2
    assert all(isinstance(test, WeatTest) and len(frames_of(test)) == 2 for test in controls)
    assert language_of(controls[0]) == languages()[code]
    rated = languages()[code].valence
    assert len(rated) > 100
    assert min(rated.values()) < -2 < 2 < max(rated.values())
    assert not rated.keys() & words_of(controls) or code == "en"
    assert bundled_templates(code).language == code


@EACH
def test_lists_are_balanced_apart_and_of_no_control(question):
    assert question.is_question
    assert (len(question.x), len(question.a)) == (len(question.y), len(question.b))
    assert min(len(question.x), len(question.a)) >= 50
    controls = [test for test in published_tests() if test.language == question.language and CONTROL in test.topics]
    assert not {*question.a.words, *question.b.words} & words_of(controls)
    stems = [{word[:5] for word in side.words} for side in (question.a, question.b)]
    assert not stems[0] & stems[1]
    assert [len(side) for side in stems] == [len(question.a), len(question.b)]


@pytest.mark.parametrize("theme", ["career", "science", "pleasant"])
def test_spanish_words_have_the_same_genders_on_both_sides(theme):
    source = build_languages.SOURCES[0]
    (question,) = (test for test in foreign_questions() if test.id == f"es-gender-{theme}")
    written = build_languages.read_list(source, "rated" if theme == "pleasant" else theme)
    others = build_languages.read_list(source, "rated" if theme == "pleasant" else build_languages.OPPOSITES[theme])
    first, second = (
        Counter(written[word].gender for word in question.a.words),
        Counter(others[word].gender for word in question.b.words),
    )
    assert first == second
    assert min(first["m"], first["f"]) >= 20


def test_turkish_is_put_into_lower_case_with_both_letters_i():
    assert build_languages.lower_turkish("İSTANBUL IŞIK") == "istanbul ışık"


@SOURCES
def test_the_files_are_what_the_script_writes(source):
    needed = {"vaderSentiment", "wordfreq", *(["faker", "hunspell-es"] if source.code == "es" else [])}
    if not all((packages.CACHE / packages.PACKAGES[name].file).exists() for name in needed):
        pytest.skip("needs VADER, wordfreq, Faker and Hunspell: run scripts/build_languages.py first")
    for path, text in build_languages.files(source).items():
        assert path.read_text(encoding="utf-8") == text, path.name
