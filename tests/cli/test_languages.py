"""Other languages than English on the bundled encoder: those of the package, and one that a user's file adds."""

import json
import re
from pathlib import Path

import pytest
from command_results import lines
from refusals import refuses

from imprint.errors import StimulusError
from imprint.stimuli.catalog import language_of, read_tests
from imprint.subjects.framed import foreign_words

PAGE = Path(__file__).parents[2] / "docs" / "stimuli.md"
FRENCH = re.search(r"^```toml\n# french\.toml\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)[1]
SPANISH_AGAIN = """
[language]
id = "es"
frames = ["Esto es {word}."]
valence = { "perro" = 1, "gato" = -1 }
[[weat]]
id = "mine"
topics = ["neutral"]
x = ["rosa", "lirio"]
y = ["mosca", "pulga"]
a = ["odio", "guerra"]
b = ["amor", "paz"]
"""


@pytest.fixture
def french(tmp_path):
    """Write the worked example of docs/stimuli.md, with some words changed, and return the file."""

    def write(*changes):
        text = FRENCH
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / "french.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def seat(imprint, path):
    return lines(imprint("seat", "default-encoder", "--tests", path, "--context", "framed", "--json"))


def test_a_language_of_ones_own_is_asked_in_its_frames_and_judged_by_its_controls(imprint, french):
    rows = seat(imprint, french())
    (controls,) = (row for row in rows if row["kind"] == "controls")
    assert (controls["language"], controls["judged"]) == ("fr", True)
    assert [one["name"] for one in controls["controls"]] == [
        "words found", "Fleurs et insectes", "Instruments et armes", "pleasant words",
    ]  # fmt: skip
    career = next(row for row in rows if row["test"] == "fr-career")
    assert [one["name" if "name" in one else "template"] for one in career["size_by_frame"]] == [
        "C'est {word}.", "Voici {word}.",
    ]  # fmt: skip
    assert career["grammar_difference"] is not None


def test_a_language_whose_ratings_are_wrong_cannot_be_judged(imprint, french):
    ratings = re.findall(r"^(\S+ = )(-?)(\d\.\d)$", FRENCH, re.MULTILINE)
    assert len(ratings) >= 10
    turned = [(f"{name}{sign}{value}\n", f"{name}{'' if sign else '-'}{value}\n") for name, sign, value in ratings]
    (controls,) = (row for row in seat(imprint, french(*turned)) if row["kind"] == "controls")
    assert controls["judged"] is False
    assert [one["name"] for one in controls["controls"] if not one["passed"]] == ["pleasant words"]


def test_a_language_without_ratings_has_no_controls(imprint, french):
    without = re.search(r"^\[language\.valence\]\n(?:\S+ = \S+\n)+", FRENCH, re.MULTILINE)[0]
    (controls,) = (row for row in seat(imprint, french((without, ""))) if row["kind"] == "controls")
    assert (controls["judged"], controls["controls"]) == (None, [])


def test_a_language_of_the_package_is_not_replaced_by_that_of_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(SPANISH_AGAIN, encoding="utf-8")
    with refuses(StimulusError, option="id", got="es"):
        read_tests(path)


def test_contexts_that_a_language_of_ones_own_lacks_are_left_out(imprint, french):
    rows = lines(imprint("seat", "default-encoder", "--tests", french(), "--json"))
    rows = [row for row in rows if (row["kind"], row["test"]) == ("seat", "fr-career")]
    assert {row["context"] for row in rows} == {"framed", "word"}


def test_words_of_a_language_of_ones_own_are_not_asked_alone_of_an_encoder(french):
    with refuses(StimulusError, "French"):
        foreign_words(read_tests(french()))


def test_the_language_of_ones_own_tests_can_be_audited_alone(imprint, french, tmp_path):
    refused = imprint("audit", "default", "--language", "fr")
    assert refused.returncode == 1
    assert "--tests FILE" in refused.stderr
    vectors = tmp_path / "few.txt"
    words = sorted(word for word in language_of(read_tests(french())[0]).valence)
    vectors.write_text("".join(f"{word} {place} 1\n" for place, word in enumerate(words)), encoding="utf-8")
    printed = imprint("audit", vectors, "--tests", french(), "--language", "fr", "--quick", "--json")
    assert printed.returncode == 3
    rows = [json.loads(line) for line in printed.stdout.splitlines()]
    (whole,) = (row for row in rows if row["kind"] == "audit")
    assert (whole["language"], whole["settings"]["language"], whole["judged"]) == ("fr", "fr", False)
    assert not any(row["test"].startswith("gender-") for row in rows)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("joie = 2.8", 'joie = "much"', "joie"),
        ("frames = [", "frame = [", "frame"),
        ('"masculine", "feminine"', '"masculine"', "things"),
        ('"masculine", "feminine"', '"masculine", "nowhere"', "nowhere"),
        ("Voici {word}.", "Voici {a word}.", "{a word}"),
    ],
)
def test_what_is_no_language_is_one_line(imprint, french, old, new, said):
    result = imprint("stimuli", "--tests", french((old, new)))
    assert (result.returncode, result.stdout, len(result.stderr.splitlines())) == (1, "", 1)
    assert said in result.stderr
