"""Text as documents: every format, however it is split, and files that mean harm."""

import bz2
import datetime
import errno
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

import imprint
from imprint import files
from imprint.errors import CorpusError, SettingError
from imprint.subjects import reading
from imprint.subjects.reading import read_part, text_parts
from imprint.subjects.settings import TextSettings


def documents(*sources, **settings):
    """Return the year and the text of every document, part by part."""
    found = []
    for part in text_parts(sources, TextSettings(**settings)):
        own = {}
        for piece in read_part(part):
            year, text = own.get(piece.document, (piece.year, ""))
            own[piece.document] = (year, text + piece.text)
        found += own.values()
    return found


def texts(*sources, **settings):
    return [text for _, text in documents(*sources, **settings)]


@pytest.fixture
def small_parts(monkeypatch):
    for name, value in {"_PART_BYTES": 64, "_READ_BYTES": 16, "_BLOCK_BYTES": 24, "_LONGEST_WORD": 32}.items():
        monkeypatch.setattr(reading, name, value)


TEXT = st.text(st.sampled_from("ab é\n\t,"), max_size=400)


@pytest.mark.parametrize("unit", ["line", "block"])
@given(text=TEXT)
def test_parts_of_a_file_are_the_whole_file(tmp_path_factory, unit, text):
    file = tmp_path_factory.mktemp("parts") / "one.txt"
    file.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"_PART_BYTES": 64, "_READ_BYTES": 16, "_BLOCK_BYTES": 24}.items():
            patch.setattr(reading, name, value)
        found = texts(file, document=unit)
    assert "".join(found) == text
    if unit == "line":
        assert found == text.splitlines(keepends=True) if "\t" not in text else True
        assert len(found) == len(text.split("\n")) - text.endswith("\n") - (not text)
    else:
        assert all(block[-1].isspace() for block in found[:-1])


def test_a_word_without_an_end_is_cut_where_every_part_expects_it(tmp_path, small_parts):
    file = tmp_path / "endless.txt"
    for text in ("a" * 1000, "b " * 20 + "a" * 500 + " c" * 20):
        file.write_text(text)
        assert "".join(texts(file, document="block")) == text


def test_the_files_of_a_folder_are_documents_in_the_order_of_their_names(tmp_path):
    (tmp_path / "b").mkdir()
    for name, text in {"b/2.txt": "two", "a.txt": "one", ".hidden": "no"}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "loop").symlink_to(tmp_path)
    assert texts(tmp_path) == ["one", "two"]
    assert texts(tmp_path, tmp_path / "a.txt", document="line") == ["one", "two", "one"]


@pytest.mark.parametrize(
    ("ending", "pack"),
    [
        ("gz", gzip.compress),
        ("bz2", bz2.compress),
        ("xz", lzma.compress),
        ("zst", lambda text: pyarrow.compress(text, codec="zstd", asbytes=True)),
    ],
)
def test_compressed_text_is_read_and_damage_is_refused(tmp_path, ending, pack):
    text = "".join(f"line {number} of many\n" for number in range(20_000))
    file = tmp_path / f"text.txt.{ending}"
    file.write_bytes(pack(text.encode()))
    assert "".join(texts(file)) == text
    assert len(texts(file, document="line")) == 20_000
    file.write_bytes(file.read_bytes()[:-200])
    with pytest.raises(CorpusError) as refused:
        texts(file)
    assert refused.value.where == file


def test_a_file_that_unpacks_to_far_more_than_text_does_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "FREE_BYTES", 1 << 20)
    file = tmp_path / "bomb.txt.bz2"
    file.write_bytes(bz2.compress(b"a " * (1 << 20)))
    with pytest.raises(CorpusError, match="times its size"):
        texts(file)


def test_lines_without_an_end_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "_LONGEST_LINE", 1 << 12)
    for name in ("text.txt", "text.jsonl"):
        file = tmp_path / name
        file.write_text("a" * (1 << 20))
        with pytest.raises(CorpusError) as refused:
            texts(file, document="line")
        assert refused.value.where == str(file)


def test_a_byte_order_mark_is_no_text_and_other_encodings_are_refused(tmp_path):
    file = tmp_path / "marked.txt"
    file.write_bytes("Zoë is here\n".encode("utf-8-sig"))
    assert texts(file) == texts(file, document="line") == ["Zoë is here\n"]
    (tmp_path / "rows.jsonl").write_bytes('{"text": "one"}'.encode("utf-8-sig"))
    assert texts(tmp_path / "rows.jsonl") == ["one"]
    file.write_bytes("Zoë is here\n".encode("utf-16"))
    for source in (file, tmp_path):
        with pytest.raises(CorpusError) as refused:
            texts(source)
        assert refused.value.where == file


def test_bytes_that_are_not_utf8_are_replaced_and_told(tmp_path):
    file = tmp_path / "latin.txt"
    file.write_bytes("Zoë\nhere\n".encode("latin-1"))
    (part,) = text_parts([file], TextSettings(document="line"))
    found = [(piece.text, piece.is_damaged) for piece in read_part(part)]
    assert found == [("Zo\N{REPLACEMENT CHARACTER}\n", True), ("here\n", False)]


def test_json_lines_have_a_field_and_a_date(tmp_path):
    file = tmp_path / "rows.jsonl"
    rows = [{"body": "one", "when": "1913-04-08"}, {"body": None, "when": 1914}, {"body": "three"}]
    file.write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    assert documents(file, field="body", date="when") == [(1913, "one"), (1914, ""), (0, "three"), (0, "")]


@pytest.mark.parametrize(
    "line", ['{"text": 1}', '{"body": "x"}', "[1]", "{", "[" * 100_000, '{"text": "\udc80"}'], ids=range(6)
)
def test_a_line_that_has_no_text_is_named(tmp_path, line):
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b'{"text": "fine"}\n' + line.encode("utf-8", "surrogateescape"))
    with pytest.raises(CorpusError) as refused:
        texts(file)
    assert refused.value.where == (str(file), 2)


def test_parquet_has_a_column_and_a_date(tmp_path):
    file = tmp_path / "rows.parquet"
    table = pyarrow.table(
        {"body": ["one", None, "three"], "day": [datetime.date(1913, 4, 8), None, None], "n": [1] * 3}
    )
    pyarrow.parquet.write_table(table, file, row_group_size=2)
    assert documents(file, column="body", date="day") == [(1913, "one"), (0, ""), (0, "three")]
    for settings in ({"column": "text"}, {"column": "n"}, {"column": "body", "date": "year"}):
        with pytest.raises(CorpusError):
            documents(file, **settings)
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(CorpusError) as refused:
        documents(file, column="body")
    assert refused.value.where == file


def test_standard_input_is_text(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\ntwo")))
    assert texts("-", document="line") == ["one\n", "two"]


@pytest.mark.parametrize(
    ("pattern", "year"),
    [("{year}-*.txt", 1913), ("*-{year}.txt", 0), ("1913-{year}.txt", 0), ("{year}*", 1913), ("(.+)+{year}", 0)],
)
def test_the_year_is_in_the_name_of_the_file(tmp_path, pattern, year):
    (tmp_path / "1913-Wilson.txt").write_text("text")
    assert documents(tmp_path, date=pattern) == [(year, "text")]


def test_what_is_no_text_is_refused(tmp_path):
    binary, empty = tmp_path / "model.bin", tmp_path / "empty"
    binary.write_bytes(b"\0\1\2")
    empty.mkdir()
    for source in (binary, empty, tmp_path / "nothing.txt", "/dev/zero"):
        with pytest.raises(CorpusError):
            texts(source)
    (tmp_path / "a.jsonl").write_text("{}")
    with pytest.raises(SettingError):
        texts(tmp_path / "a.jsonl", document="block")
    with pytest.raises(SettingError):
        TextSettings(document="page")


@pytest.mark.parametrize("name", ["docs.csv", "docs.tsv.gz", "DOCS.CSV"])
def test_csv_is_refused_rather_than_read_as_plain_text(tmp_path, name):
    file = tmp_path / name
    file.write_bytes(gzip.compress(b"id,text\n") if name.endswith(".gz") else b"id,text\n1,He\n")
    for source in (file, tmp_path):
        with pytest.raises(CorpusError, match="CSV") as refused:
            texts(source)
        assert refused.value.where == file


@pytest.mark.parametrize(
    ("start", "what"),
    [
        (b"<!DOCTYPE html>", "HTML"),
        (b"\xef\xbb\xbf\n<html lang='en'>", "HTML"),
        (b"<?xml version='1.0'?>", "XML"),
        (b"{\\rtf1\\ansi ", "RTF"),
        (b"%PDF-1.7\n", "PDF"),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_markup_is_refused_rather_than_counted_as_words(tmp_path, start, what, pack):
    file = tmp_path / "page.txt"
    file.write_bytes(pack(start + b" He has a career."))
    for source in (file, tmp_path):
        with pytest.raises(CorpusError, match=what) as refused:
            texts(source)
        assert refused.value.where == file


def test_the_documents_of_an_office_program_are_refused_also_within_a_folder(tmp_path):
    file = tmp_path / "real.docx"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", "<w:t>He has a career.</w:t>")
    for source in (file, tmp_path):
        with pytest.raises(CorpusError, match="Word") as refused:
            texts(source)
        assert refused.value.where == file
        assert ".txt" in refused.value.hint


def test_a_zip_of_text_is_no_document_of_an_office_program_for_its_name(tmp_path):
    for name in ("mimetypes.txt", "xl/words.txt"):
        with zipfile.ZipFile(tmp_path / "text.zip", "w") as archive:
            archive.writestr(name, "He has a career.")
        assert texts(tmp_path / "text.zip") == ["He has a career."]


def test_a_folder_without_files_names_what_is_read(tmp_path):
    with pytest.raises(CorpusError) as refused:
        texts(tmp_path)
    assert all(ending in refused.value.hint for ending in (".txt", ".jsonl", ".ndjson", ".json", ".parquet"))


def test_a_folder_below_that_cannot_be_read_is_refused_rather_than_left_out(tmp_path, monkeypatch):
    closed = tmp_path / "more" / "closed"
    closed.mkdir(parents=True)
    (tmp_path / "a.txt").write_text("rose")
    scan = os.scandir

    def refused(folder):
        if Path(folder) == closed:
            raise PermissionError(errno.EACCES, "Permission denied", str(folder))
        return scan(folder)

    monkeypatch.setattr(os, "scandir", refused)
    with refuses(CorpusError, "Permission denied", where=str(closed)):
        texts(tmp_path)


@pytest.mark.parametrize(("option", "name"), [("field", "docs.txt"), ("column", "docs.jsonl")])
def test_options_that_no_file_has_a_use_for_are_refused(tmp_path, option, name):
    (tmp_path / name).write_text('{"text": "He sings"}\n' * 3)
    with pytest.raises(SettingError, match=f"--{option}") as refused:
        imprint.corpus(tmp_path / name, **{option: "body"})
    assert (refused.value.option, refused.value.got) == (option, "body")


def test_a_field_of_one_corpus_and_a_column_of_another_go_together(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"body": "He sings"}\n' * 3)
    pyarrow.parquet.write_table(pyarrow.table({"words": ["She sings"]}), tmp_path / "b.parquet")
    rows = imprint.corpus(tmp_path / "a.jsonl", against=[tmp_path / "b.parquet"], field="body", column="words")
    assert {row.n_documents_read for row in rows if row.kind == "corpus"} == {1, 3}


def test_damage_that_pyarrow_ends_the_process_for_is_passed_over_or_refused(tmp_path):
    """A histogram of a column's metadata that lies about its size: asked for, it aborts."""
    file = tmp_path / "rows.parquet"
    content = bytearray((Path(__file__).parents[1] / "support/fuzz_seeds/text/rows.parquet").read_bytes())
    assert content[1445] == 2
    content[1445] = 1
    file.write_bytes(content)
    code = "import sys, imprint; imprint.corpus([sys.argv[1]])"
    done = subprocess.run([sys.executable, "-P", "-c", code, file], stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0 or "CorpusError" in done.stderr, done.stderr


def test_a_text_that_a_parquet_file_repeats_is_held_once(tmp_path):
    file, rows = tmp_path / "rows.parquet", 200_000
    column = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * rows, pyarrow.int32()), ["she sings " * 100_000])
    pyarrow.parquet.write_table(pyarrow.table({"text": column}), file, store_schema=False)
    (part,) = text_parts([file], TextSettings())
    before = pyarrow.total_allocated_bytes()
    pieces = read_part(part)
    for _ in range(2000):
        next(pieces)
    assert pyarrow.total_allocated_bytes() - before < 100_000_000  # 1 GB for 1,000 rows, as text


def test_parquet_that_unpacks_to_far_more_than_text_does_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "FREE_BYTES", 1 << 20)
    file = tmp_path / "bomb.parquet"
    table = pyarrow.table({"text": ["a " * (1 << 22)]})
    pyarrow.parquet.write_table(table, file, compression="zstd", use_dictionary=False, write_statistics=False)
    with pytest.raises(CorpusError, match="times its size"):
        texts(file)


@pytest.mark.parametrize("names", [("text", "text"), ("list", "n")])
def test_columns_of_parquet_that_have_no_single_value_or_name_are_refused(tmp_path, names):
    arrays = [pyarrow.array([["one"]]) if name == "list" else pyarrow.array(["one"]) for name in names]
    pyarrow.parquet.write_table(pyarrow.Table.from_arrays(arrays, names=names), tmp_path / "rows.parquet")
    with pytest.raises(CorpusError, match="no column"):
        texts(tmp_path / "rows.parquet", column=names[0])


def test_a_long_document_comes_in_pieces_that_end_between_words(tmp_path, small_parts):
    text = "she sings " * 20 + "a" * 100
    pyarrow.parquet.write_table(pyarrow.table({"text": [text, "one"]}), tmp_path / "rows.parquet")
    (tmp_path / "rows.jsonl").write_text(json.dumps({"text": text}) + '\n{"text": "one"}')
    for name in ("rows.parquet", "rows.jsonl"):
        assert texts(tmp_path / name) == [text, "one"]
        (part, *_) = text_parts([tmp_path / name], TextSettings())
        pieces = [piece.text for piece in read_part(part)]
        assert max(map(len, pieces)) <= 16 + 32
        assert sum(piece.split().count("sings") for piece in pieces) == 20


def test_a_pattern_of_many_stars_takes_no_time(tmp_path):
    (tmp_path / ("1913" + "a" * 200)).write_text("text")
    assert documents(tmp_path, date="*a" * 30 + "{year}" + "*a" * 30 + "b") == [(0, "text")]
    assert documents(tmp_path, date="{year}" + "*a" * 30) == [(1913, "text")]


def test_a_row_with_a_field_like_the_pattern_of_file_names_has_the_year_of_its_file(tmp_path):
    (tmp_path / "1913.jsonl").write_text('{"text": "one", "{year}.jsonl": 3}')
    assert documents(tmp_path, date="{year}.jsonl", document="line") == [(1913, "one")]


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path):
    file = tmp_path / "log.txt"
    file.write_text("one\n")
    (part,) = text_parts([file], TextSettings(document="line"))
    file.write_text("one\ntwo\n")
    with pytest.raises(CorpusError, match="changed") as refused:
        list(read_part(part))
    assert refused.value.where == str(file)
    pieces = read_part(part)
    next(pieces)
    file.unlink()
    with pytest.raises(CorpusError, match="cannot be read"):
        list(pieces)
