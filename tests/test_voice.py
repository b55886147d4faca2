"""What users read is plain English: no phrase that has a plainer form."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "voice.py"


@pytest.fixture(scope="module")
def voice():
    spec = importlib.util.spec_from_file_location("voice", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("alpha is 2.0; a number between 0 and 1 is wanted", ["wanted"]),
        ("'weat' is no\ncondition", ["is no"]),
        ("There is no test 'x'; these are no longer used", []),
        ("One vector a text, and eight words a set", ["vector a text", "words a set"]),
        ("Each column is a group, each row a category", []),
        ("One vector per text", []),
        ("Words that stand in a sentence, and cells that stand out", ["stand"]),
    ],
)
def test_phrases_are_found_across_lines_and_plain_ones_are_not(voice, text, found):
    hits = list(voice.hits([voice.Text(Path("page.md"), 7, text)]))
    assert [hit.found.replace("\n", " ") for hit in hits] == found
    assert all(hit.line == 7 for hit in hits)


def test_strings_and_public_docstrings_are_read_but_not_comments(voice, tmp_path):
    package = tmp_path / "src" / "imprint"
    package.mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("Nobody.\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 2\nmended\n\n## 1\ntold\n")
    (package / "one.html").write_text("<p>\n{# told #}{{ wanted }} wanted</p>")
    (package / "one.py").write_text(
        'def shown(n):\n    """Is told."""\n    return f"{n} words are wanted"  # dealt\n\n\n'
        'def _hidden():\n    """It stands."""\n'
    )
    hits = [(hit.path.name, hit.line, hit.found) for hit in voice.hits(voice.texts(tmp_path))]
    assert hits == [
        ("one.py", 2, "told"),
        ("one.py", 3, "wanted"),
        ("one.html", 2, "wanted"),
        ("README.md", 1, "Nobody"),
        ("CHANGELOG.md", 4, "mended"),
    ]


def test_nothing_that_users_read_has_a_plainer_form(voice):
    assert [f"{hit.path}:{hit.line}: {hit.found}" for hit in voice.hits(voice.texts())] == []


def test_long_sentences_are_counted(voice):
    long = " ".join(["word"] * 26)
    assert len(list(voice.long_sentences([voice.Text(Path("page.md"), 1, f"Short. {long}. Short.")]))) == 1
