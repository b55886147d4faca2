"""Encoders, templates and caches that are broken: one clear line, and what was kept stays."""

import pytest
from command_results import refused

GARDEN = """
[[weat]]
id = "garden"
language = "en"
x = ["rose", "lily", "iris"]
y = ["ant", "flea", "wasp"]
a = ["love", "peace"]
b = ["filth", "grief"]
"""
ASKED = ("rose", "lily", "iris", "ant", "flea", "wasp", "love", "peace", "filth", "grief")
AROUND = ("the", "term", "is", "this", "that", "it", "says")


@pytest.fixture
def seat(in_process, tmp_path, monkeypatch):
    monkeypatch.setenv("IMPRINT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "garden.toml").write_text(GARDEN)
    return lambda *arguments: in_process("seat", *arguments, "--tests", "garden.toml")


def write_vectors(path, vector, words=ASKED + AROUND):
    path.write_text("".join(f"{word} {' '.join(map(str, vector(place)))}\n" for place, word in enumerate(words)))


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("This is it.", "'This is it.'"),
        ("{word} is {word}.", "2 slots"),
        ("This is {word.__class__}.", "'{word.__class__}'"),
        ("{word}", None),
        ("{word} \\u0007", "300"),
        ("{word}" + "x" * 400, "300"),
        ("[bold]{word}[/bold] %s %(word)s $word", None),
    ],
)
def test_templates_are_data_and_bad_ones_are_one_line(seat, tmp_path, pattern, said):
    (tmp_path / "mine.toml").write_text(f'language = "en"\n[templates]\nunknown = ["{pattern}"]\n')
    result = seat("cbow", "--templates", "mine.toml")
    if said is None:
        assert result.returncode == 0, result.stderr
    else:
        line = refused(result)
        assert line.startswith("imprint: mine.toml: templates: unknown: ")
        assert said in line


def test_an_encoder_that_gives_one_vector_for_everything_is_one_line(seat, tmp_path):
    write_vectors(tmp_path / "flat.txt", lambda _: (1.0, 2.0))
    assert "flat: " in refused(seat("flat.txt"))


def test_targets_all_alike_have_no_effect_and_no_traceback(seat, tmp_path):
    write_vectors(tmp_path / "half.txt", lambda place: (1.0, 2.0) if place < 6 else (1.0, float(place)))
    result = seat("half.txt")
    assert result.returncode == 0, result.stderr
    assert " – " in result.stdout
    assert "nan" not in result.stdout.lower()
    assert "nan" not in result.stderr.lower()
    assert seat("half.txt", "--json").returncode == 0


def test_an_embedding_with_none_of_the_words_is_one_line_that_names_them(seat, tmp_path):
    write_vectors(tmp_path / "around.txt", lambda place: (1.0, float(place)), AROUND)
    assert "'rose', 'lily', 'iris'" in refused(seat("around.txt"))
    write_vectors(tmp_path / "other.txt", lambda place: (1.0, float(place)), ("cat", "dog"))
    assert "other: " in refused(seat("other.txt"))


@pytest.mark.parametrize("contents", [b"", b"SQLite format 3\0" + b"\xff" * 200, b"not a database at all" * 50])
def test_a_cache_that_is_none_is_named_or_done_without(seat, tmp_path, contents):
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "encodings.sqlite").write_bytes(contents)
    told = seat("cbow")
    assert told.returncode == 0, told.stderr
    assert ("note: encodings are not cached" in told.stderr) == bool(contents)
    if contents:
        assert (tmp_path / "cache" / "encodings.sqlite").read_bytes() == contents
        assert "cache/encodings.sqlite: " in refused(seat("cbow", "--cache", "cache/encodings.sqlite"))
