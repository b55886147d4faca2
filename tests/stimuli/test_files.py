"""Plain word files and property tables."""

import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from imprint.errors import StimulusError
from imprint.stimuli.files import read_property, read_words, weat_from_files

WORDS = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters='#,;"'), min_size=1, max_size=8)


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_document_of_an_office_program_is_told_from_other_bytes(tmp_path: Path) -> None:
    for name, part in (("words.docx", "[Content_Types].xml"), ("words.odt", "mimetype")):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr(part, "x")
            archive.writestr("content.xml", "nurse")
        with refuses(StimulusError, "file", "plain text", "one word per line", where=tmp_path / name):
            read_words(tmp_path / name)
    cut = write(tmp_path, "cut.docx", (tmp_path / "words.docx").read_bytes()[:40] + b"\xff")
    with refuses(StimulusError, "UTF-8", where=(cut, 1)):
        read_words(cut)


@given(words=st.lists(WORDS, min_size=1, unique=True), separators=st.data())
def test_words_survive_any_layout(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], separators: st.DataObject
) -> None:
    layouts = st.sampled_from(["\n", "\r\n", ",", " , ", ";", "\n\n# a comment, too\n", "  # rest\n"])
    text = "".join(word + separators.draw(layouts) for word in words)
    path = write(tmp_path_factory.getbasetemp(), "words.txt", text)
    assert read_words(path) == tuple(words)


def test_a_byte_order_mark_is_not_part_of_the_first_word(tmp_path: Path) -> None:
    assert read_words(write(tmp_path, "w.txt", b"\xef\xbb\xbfrose\ntulip\n")) == ("rose", "tulip")


def test_a_phrase_keeps_its_blanks_and_a_sharp_its_letter(tmp_path: Path) -> None:
    assert read_words(write(tmp_path, "w.txt", "black woman\nC#\n")) == ("black woman", "C#")


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        ("", None, "words"),
        ("# only this\n , \n", None, "words"),
        ("rose\ntulip\nrose\n", 3, "'rose'"),
        (b"rose\nd\xe9j\xe0\n", 2, "UTF-8"),
    ],
)
def test_a_bad_word_file_is_refused_by_name(tmp_path: Path, content: str | bytes, line: int | None, said: str) -> None:
    path = write(tmp_path, "w.txt", content)
    with refuses(StimulusError, said, where=(path, line) if line else path):
        read_words(path)


def test_a_missing_file_a_folder_and_an_impossible_path_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.txt", tmp_path, "a\0b"):
        with refuses(StimulusError, where=path):
            read_words(path)


def test_a_file_too_large_for_a_word_list_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "embedding.txt"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a sparse file: a terabyte that takes no room
    with refuses(StimulusError, "8 MiB", where=path):
        read_words(path)


def test_four_files_make_a_test_named_after_them(tmp_path: Path) -> None:
    contents = {"flowers": "rose, tulip", "my insects": "ant, flea", "good": "joy, love", "bad": "war, grief"}
    paths = [write(tmp_path, f"{name}.txt", text) for name, text in contents.items()]
    test = weat_from_files(*paths)
    assert test.id == "flowers-my-insects-good-bad"
    assert test.title == "flowers / my insects and good / bad"
    assert (test.x.words, test.b.words) == (("rose", "tulip"), ("war", "grief"))
    assert set(test.y.kinds) == {"unknown"}


@pytest.mark.parametrize(
    ("y", "b", "said"),
    [
        ("rose, ant", "war, grief", "'rose'"),
        ("ant, flea", "war, joy", "'joy'"),
        ("ant", "war, grief", "'ant'"),
        ("ant, fl\u200bea", "war, grief", "invisible characters"),
    ],
)
def test_four_files_that_make_no_test_are_refused(tmp_path: Path, y: str, b: str, said: str) -> None:
    contents = {"x": "rose, tulip", "y": y, "a": "joy, love", "b": b}
    paths = [write(tmp_path, f"{name}.txt", text) for name, text in contents.items()]
    with refuses(StimulusError, said) as caught:
        weat_from_files(*paths)
    assert all(str(path) in str(caught.value) for path in paths)


@pytest.mark.parametrize("header", ["", "word,value\n", "occupation,percent_women\n", "\ufeffword,value\r\n"])
def test_a_property_table_may_have_a_header(tmp_path: Path, header: str) -> None:
    path = write(tmp_path, "p.csv", header + 'nurse,90\n\n"night nurse", 1e1\nplumber,-.5')
    assert read_property(path) == {"nurse": 90.0, "night nurse": 10.0, "plumber": -0.5}


@given(
    values=st.dictionaries(
        st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1),
        st.floats(allow_nan=False, allow_infinity=False),
        min_size=1,
    )
)
def test_a_table_written_by_csv_comes_back(tmp_path_factory: pytest.TempPathFactory, values: dict[str, float]) -> None:
    import csv

    path = tmp_path_factory.getbasetemp() / "p.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("word", "value"), *values.items()])
    assert read_property(path) == values


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        ("", None, "values"),
        ("word,value\n", None, "values"),
        ("nurse,90\nplumber,few\n", 2, "'plumber'"),
        ("nurse,90%\n", 1, "'90%'"),
        ("nurse,\n", 1, "'nurse'"),
        ("nurse,nan\n", 1, "'nan'"),
        ("nurse,9\nplumber,inf\n", 2, "'inf'"),
        ("nurse,90,5\n", 1, "3 columns"),
        ("word;value\nnurse,90\n", 2, "1 columns"),
        ("nurse,90\nnurse,91\n", 2, "'nurse'"),
        ("word,value\n,91\n", 2, "word"),
        ('nurse,90\n"plumber,2\n', 2, "CSV"),
        (b"nurse,90\nsoign\xe9,2\n", 2, "UTF-8"),
    ],
)
def test_a_bad_property_table_is_refused_with_its_line(
    tmp_path: Path, content: str | bytes, line: int | None, said: str
) -> None:
    path = write(tmp_path, "p.csv", content)
    with refuses(StimulusError, said, where=(path, line) if line else path):
        read_property(path)


def test_a_spreadsheet_of_semicolons_and_decimal_commas_is_read(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("Beruf;Anteil\nPflege;89,5\nTechnik;10\n")
    assert read_property(tmp_path / "p.csv") == {"Pflege": 89.5, "Technik": 10.0}


def test_words_may_be_quoted_or_separated_by_semicolons(tmp_path: Path) -> None:
    (tmp_path / "w.txt").write_text('"cooking";"sewing"\nlaundry; "black woman"\n')
    assert read_words(tmp_path / "w.txt") == ("cooking", "sewing", "laundry", "black woman")
