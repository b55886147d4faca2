"""The probe with translators whose behaviour is known, and with a real one where it is installed."""

import json
import math
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from refusals import refuses
from systems import posix

import imprint
from imprint.errors import SettingError, StimulusError, TranslatorError
from imprint.kinds.findings import read_findings
from imprint.kinds.translation import sentences
from imprint.masking import Words
from imprint.render.numbers import plain
from imprint.stimuli.neutral import LANGUAGES, NeutralSentence, neutral_sentences, target_language
from imprint.translation.probe import pronoun_of, translate_probe

START = "import sys\nsys.stdin.reconfigure(encoding='utf-8')\nsys.stdout.reconfigure(encoding='utf-8')\n"
TURKISH = neutral_sentences(("tr",))[0].sentences
ENGLISH = target_language("en")
DOCTOR = NeutralSentence("doctor", "doktor", "O bir doktor.", 37.9)


@pytest.fixture
def program(tmp_path):
    """Write a program of these lines, and return the translator that runs it."""

    def write(code):
        path = tmp_path / "translate.py"
        path.write_text(START + code, encoding="utf-8")
        return f"command:{shlex.quote(sys.executable)} {shlex.quote(str(path))} {{source}}"

    return write


@pytest.fixture(scope="module")
def server():
    path = Path(__file__).with_name("translate_server.py")
    process = subprocess.Popen([sys.executable, path], stdout=subprocess.PIPE, text=True)
    yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    process.kill()
    process.communicate()


def counts(row):
    return row.n_he, row.n_she, row.n_neither, row.n_untranslated


def follow(chosen):
    """Return a program's lines that write She for these sentences and He for all others."""
    return (
        f"chosen = set({json.dumps(sorted(chosen))})\n"
        "for line in sys.stdin:\n    print('She' if line.strip() in chosen else 'He', 'is one.')\n"
    )


@pytest.mark.parametrize(
    ("translation", "pronoun"),
    [
        ("He is a doctor.", "he"),
        ("he's a doctor", "he"),
        ("That the doctor HE is.", "he"),
        ("She is a doctor.", "she"),
        ("Her job is doctor.", "she"),
        ("They are a doctor.", "neither"),
        ("He/she is a doctor.", "neither"),
        ("The doctor is here with these.", "neither"),
        ("O bir doktor.", "untranslated"),
        ("o bir doktor", "untranslated"),
        ("He is a *doktor.", "untranslated"),
        ("", "untranslated"),
    ],
)
def test_the_pronoun_is_a_whole_word_and_a_word_left_as_it_was_is_untranslated(translation, pronoun):
    assert pronoun_of(translation, DOCTOR, ENGLISH) == pronoun


@pytest.mark.parametrize(
    ("target", "translation", "pronoun"),
    [
        ("de", "Er ist Arzt.", "he"),
        ("de", "Sie ist Ärztin.", "she"),
        ("de", "Er ist Doktor.", "he"),  # a German word too
        ("de", "Sie sind Arzt.", "neither"),  # they, or a polite you
        ("de", "Er/sie ist Arzt.", "neither"),
        ("de", "Das ist ihr Arzt.", "neither"),  # her, their or your
        ("de", "He is a doctor.", "neither"),
        ("fr", "Il est médecin.", "he"),
        ("fr", "Je crois qu'elle est médecin.", "she"),
        ("fr", "C'est une médecin.", "neither"),  # the noun's gender is not counted
        ("fr", "Ils sont médecins.", "neither"),
        ("fr", "Elle est doktor.", "untranslated"),
    ],
)
def test_each_target_counts_its_own_pronouns(target, translation, pronoun):
    assert pronoun_of(translation, DOCTOR, target_language(target)) == pronoun


def test_a_form_that_is_the_english_word_is_not_taken_for_untranslated():
    assert pronoun_of("He is a pilot.", NeutralSentence("pilot", "pilot", "O bir pilot.", None), ENGLISH) == "he"


def test_a_translator_that_always_writes_he(program):
    found = translate_probe(program("for line in sys.stdin:\n    print('He is a', len(line))\n"))
    assert [(row.language, *counts(row)) for row in found] == [(code, 50, 0, 0, 0) for code in LANGUAGES]
    assert {(one.outcome, one.reason) for row in found for one in row.predictions} == {("cannot tell", "few words")}
    assert {(row.share_she, row.statistic, row.p_value) for row in found} == {(0.0, None, None)}


def test_a_translator_that_copies_is_untranslated(program):
    found = translate_probe(program("for line in sys.stdin:\n    print(line, end='')\n"), ["hu", "eu"])
    assert [(row.language, *counts(row)) for row in found] == [("hu", 0, 0, 0, 50), ("eu", 0, 0, 0, 50)]
    assert found["translate-eu"].share_she is None


def test_a_translator_that_follows_the_share_of_women_is_predicted_by_it(program):
    she = {one.text for one in TURKISH if one.women is not None and one.women > 50}
    row = translate_probe(program(follow(she)), ["tr"])["translate-tr"]
    assert counts(row) == (50 - len(she), len(she), 0, 0)
    association, women = row.predictions
    known = sum(one.women is not None for one in TURKISH)
    assert (women.n_she, women.n_he, women.auc, women.outcome) == (len(she), known - len(she), 1.0, "present")
    # Equal percentages make the ranks uneven: the mirror image of this split is less extreme.
    assert women.p_value == pytest.approx(1 / math.comb(known, len(she)), rel=1e-9)
    assert 0.7 < women.auc_low < women.auc_high == 1.0
    assert association.p_value < 0.01


@pytest.mark.parametrize(
    ("turned", "auc", "said"), [(False, 1.0, "predicts the pronoun"), (True, 0.0, "predicts the opposite pronoun")]
)
def test_a_translator_that_follows_the_embedding_is_predicted_by_it(program, turned, auc, said):
    axis = imprint.pair_axis("default", [("she", "he")])
    near = imprint.project("default", axis, [one.word for one in TURKISH]).to_mapping()
    she = {one.text for one in TURKISH if (near[one.word] > 0) != turned}
    row = translate_probe(program(follow(she)), ["tr"])["translate-tr"]
    assert (row.n_she, row.statistic, row.predictions[0].outcome) == (len(she), auc, "present")
    assert any(said in plain(text, Words()) for text in sentences([row]))
    assert row.p_value == pytest.approx(2 / math.comb(50, len(she)), rel=1e-9)


def test_predictions_need_four_words_of_each(program):
    found = [
        translate_probe(program(follow({one.text for one in TURKISH[:count]})), ["tr"])["translate-tr"].predictions[0]
        for count in (3, 4)
    ]
    assert [(one.n_she, one.reason, one.auc is None) for one in found] == [
        (3, "few words", True),
        (4, None, False),
    ]


def test_a_command_gets_the_code_of_the_language(program):
    code = "for line in sys.stdin:\n    print('She' if sys.argv[1] == 'fi' else 'It', 'is one.')\n"
    found = translate_probe(program(code), ["fi", "tr"], batch=7)
    assert [counts(row) for row in found] == [(0, 50, 0, 0), (0, 0, 50, 0)]


@pytest.mark.parametrize(("target", "he", "she"), [("de", "Er ist", "Sie ist"), ("fr", "Il est", "Elle est")])
def test_a_command_gets_the_target_and_its_pronouns_are_counted(program, target, he, she):
    code = (
        f"assert sys.argv[2] == {target!r}\n"
        f"for number, line in enumerate(sys.stdin):\n    print({she!r} if number % 5 == 0 else {he!r}, number)\n"
    )
    rows = translate_probe(f"{program(code)} {{target}}", ["tr", "sw"], target=target)
    assert [counts(row) for row in rows] == [(40, 10, 0, 0)] * 2
    assert [row.test for row in rows] == [f"translate-{source}-{target}" for source in ("tr", "sw")]
    assert {row.target for row in rows} == {target_language(target).name}
    assert [row.predictions[0].n_she for row in rows] == [10, 10]


def test_a_service_is_told_the_target(server):
    (row,) = translate_probe(f"{server}/translate", ["fi"], target="de")
    assert counts(row) == (0, 50, 0, 0)


def test_targets_of_ones_own(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(OWN + '[[targets]]\nid = "da"\nname = "Danish"\nhe = ["han"]\nshe = ["hun"]\n', encoding="utf-8")
    (row,) = translate_probe(lambda sentences, _: ["Hun er læge."], sentences=path, target="da")
    assert (row.title, row.target, counts(row)) == ("Estonian", "Danish", (0, 1, 0, 0))
    for target in ("en", "sv"):
        with refuses(SettingError, option="target", got=target):
            target_language(target, path)
    path.write_text(OWN + '[[targets]]\nid = "da"\nname = "Danish"\nhe = ["han"]\n', encoding="utf-8")
    with refuses(StimulusError, "own.toml"):
        target_language("da", path)


def test_progress_counts_sentences(program):
    seen = []
    code = "for line in sys.stdin:\n    print('He is one.')\n"
    translate_probe(program(code), ["fi", "tr"], progress=lambda *one: seen.append(one))
    assert seen == [(done, 100) for done in range(1, 101)]


@pytest.mark.parametrize(
    ("code", "mentioned"),
    [
        (
            "for n, line in enumerate(sys.stdin):\n    if n == 20: sys.exit('no\\nmemory')\n    print('He')",
            ("exit code 1", "20 of 50", "no memory"),
        ),
        ("print('He is one.')", ("1 lines", "50")),
        ("print('He is one.\\n' * 51)", ("52 lines", "50")),
        ("pass", ("0 lines",)),
    ],
)  # fmt: skip
def test_a_command_that_fails_or_writes_other_lines_is_one_line(program, code, mentioned):
    translator = program(code)
    with refuses(TranslatorError, *mentioned, where=translator.removeprefix("command:")):
        translate_probe(translator, ["tr"])


def test_a_command_that_hangs_is_stopped(program):
    with refuses(TranslatorError, "0.3 s"):
        translate_probe(program("import time\ntime.sleep(60)"), ["tr"], timeout=0.3)


@posix
def test_a_command_that_hangs_is_stopped_whoever_holds_its_pipes(program, left_behind):
    with refuses(TranslatorError, "3 s"):
        translate_probe(program(f"{left_behind.code}import time\ntime.sleep(60)"), ["tr"], timeout=3.0)
    assert left_behind.is_running


@pytest.mark.parametrize("translator", ["apertium eu-en", "", "ftp://host/translate", "command:", "command:'"])
def test_what_names_no_translator_is_refused(translator):
    with refuses(SettingError):
        translate_probe(translator, ["tr"])


def test_a_program_that_does_not_exist_is_named():
    with refuses(SettingError, option="the program", got="no-such-program-here"):
        translate_probe("command:no-such-program-here eu-en", ["eu"])


@pytest.mark.parametrize("batch", [None, 1, 7])
def test_a_service_gets_one_text_or_several(server, batch):
    found = translate_probe(f"{server}/translate", ["fi", "hu"], batch=batch)
    assert [counts(row) for row in found] == [(0, 50, 0, 0), (0, 0, 50, 0)]
    first = found["translate-fi"].translations[0]
    assert first.translation == f"She is {len(first.sentence)} letters."


@pytest.mark.parametrize(
    ("kind", "mentioned"),
    [
        ("unknown", "tr is not supported"),
        ("short", "24 lines"),
        ("null", "translatedText"),
        ("list", "translatedText"),
        ("single", "--batch 1"),
    ],
)
def test_a_service_that_answers_otherwise_is_one_line(server, kind, mentioned):
    with refuses(TranslatorError, mentioned, where=f"{server}/{kind}"):
        translate_probe(f"{server}/{kind}", ["tr"])


def test_a_function_translates_too():
    found = translate_probe(lambda sentences, language: [f"She is {language}." for _ in sentences], ["eu"])
    assert counts(found["translate-eu"]) == (0, 50, 0, 0)
    with refuses(TranslatorError, "int"):
        translate_probe(lambda sentences, language: [1 for _ in sentences], ["eu"])


@pytest.mark.skipif(shutil.which("apertium") is None, reason="needs the Debian package apertium-eu-en")
def test_a_real_translator_from_basque_never_writes_she():
    row = translate_probe("command:apertium {source}-en", ["eu"])["translate-eu"]
    assert (row.n_she, row.n_sentences, sum(counts(row))) == (0, 50, 50)
    assert row.n_he >= 25
    assert row.n_untranslated >= 1  # words that it does not have
    assert {one.word: one.pronoun for one in row.translations}["doctor"] == "he"


def test_the_bundled_words_are_the_same_in_every_language():
    languages = neutral_sentences()
    assert tuple(language.code for language in languages) == LANGUAGES
    words = [[one.word for one in language.sentences] for language in languages]
    assert {len(set(one)) for one in words} == {50}
    assert words[1:] == words[:-1]
    assert [sum(one.women is not None for one in language.sentences) for language in languages] == [35] * len(
        LANGUAGES
    )
    assert all(len({one.form for one in language.sentences}) == 50 for language in languages)
    assert not [one for language in languages for one in language.sentences if one.form.casefold() == one.word]
    texts = {one.word: one.text for one in languages[1].sentences}
    assert texts["doctor"] == "Hura medikua da."


OWN = """[[languages]]
id = "et"
name = "Estonian"
occupation = "Ta on {}."
trait = "Ta on {}."
[[words]]
word = "doctor"
kind = "occupation"
et = "arst"
"""


def test_sentences_of_ones_own(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    (row,) = translate_probe(lambda sentences, _: ["He is a doctor." for _ in sentences], sentences=path)
    assert (row.title, row.translations[0].sentence, counts(row)) == ("Estonian", "Ta on arst.", (1, 0, 0, 0))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ta on {}.", "Ta on."),
        ("kind = \"occupation\"", "kind = \"job\""),
        ('et = "arst"', 'ee = "arst"'),
        ('et = "arst"', ""),
        ('name = "Estonian"\n', ""),
        (OWN, ""),
        ('et = "arst"\n', 'et = "arst"\n[[words]]\nword = "doctor"\nkind = "trait"\net = "x"\n'),
    ],
)  # fmt: skip
def test_a_file_that_is_not_sentences_is_refused(tmp_path, old, new):
    path = tmp_path / "own.toml"
    path.write_text(OWN.replace(old, new), encoding="utf-8")
    with refuses(StimulusError, "own.toml"):
        neutral_sentences((), path)


@pytest.mark.parametrize("languages", [("de",), "tr"])
def test_a_language_without_sentences_is_refused(languages):
    with refuses(SettingError):
        neutral_sentences(languages)


def test_rows_are_read_back_as_they_were_written(tmp_path, program):
    found = translate_probe(program(follow({one.text for one in TURKISH[:9]})), ["tr"])
    found.save(tmp_path / "found.jsonl")
    assert list(read_findings(tmp_path / "found.jsonl")) == list(found)
