"""Rows: typed, written as JSON lines, and read back by their kind."""

import json
import math
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_rows import make_row
from refusals import refuses
from systems import posix

import imprint
from imprint.errors import ImprintError, MissingExtraError, pip_install
from imprint.kinds import all_kinds, row_type
from imprint.kinds.findings import read_findings
from imprint.rows import SCHEMA_VERSION, RawRow, Row, Rows, SkippedRow, WordValue, read_row, skipped
from imprint.writing import write_findings

KINDS = [kind.name for kind in all_kinds()]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_read_back_as_it_was_written(kind):
    row = make_row(kind, missing=("rose",), part="debiasing", p_value=0.1)
    again = read_row(json.loads(row.to_json()), row_type)
    assert again == row
    assert type(again) is type(row)
    assert again.kind == kind


def test_one_key_has_one_type_in_all_kinds():
    def shape(schema, defs):
        while "$ref" in schema:
            schema = defs[schema["$ref"].rsplit("/", 1)[1]]
        if "anyOf" in schema:
            return frozenset().union(*(shape(one, defs) for one in schema["anyOf"])) - {"null"}
        if "enum" in schema:
            return frozenset({"boolean" if isinstance(schema["enum"][0], bool) else "string"})
        if schema.get("type") == "array":
            inner = schema.get("items", schema.get("prefixItems", [{}])[0] if "prefixItems" in schema else {})
            return frozenset({("array", shape(inner, defs) if isinstance(inner, dict) else frozenset())})
        return frozenset({"number" if schema.get("type") == "integer" else schema.get("type", "any")})

    seen = {}
    schemas, defs = msgspec.json.schema_components([kind.row for kind in all_kinds()])
    for kind, schema in zip(KINDS, schemas, strict=True):
        for key, field in defs[schema["$ref"].rsplit("/", 1)[1]]["properties"].items():
            found = shape(field, defs) - {"null"}
            if key != "kind" and found:
                first, known = seen.setdefault(key, (kind, found))
                assert found == known, f"{key} is {found} in {kind} and {known} in {first}"


def test_every_field_says_what_it_is():
    _, defs = msgspec.json.schema_components([kind.row for kind in all_kinds()])
    fields = {(name, key): field for name, schema in defs.items() for key, field in schema["properties"].items()}
    silent = [f"{name}.{key}" for (name, key), field in fields.items() if key != "kind" and "title" not in field]
    assert silent == []
    assert all(field["description"].endswith(".") for (_, key), field in fields.items() if key != "kind")


def test_no_field_is_a_map():
    _, defs = msgspec.json.schema_components([kind.row for kind in all_kinds()])
    assert [name for name, schema in defs.items() if schema.get("additionalProperties") not in (None, False)] == []


@given(st.floats(allow_nan=False, allow_infinity=False), st.text())
def test_json_gives_the_same_numbers_and_words_back(number, text):
    row = make_row("weat", effect_size=number, scores=(WordValue(text, number),), title=text)
    assert read_row(json.loads(row.to_json()), row_type) == row


@given(st.text())
def test_any_word_stays_on_one_line(text):
    assert len(make_row("weat", title=text).to_json().splitlines()) == 1


@given(st.text(st.characters(categories=["Cc", "Zl", "Zp"])))
def test_json_holds_nothing_that_steers_a_terminal(text):
    line = make_row("weat", title=text).to_json()
    assert line.isprintable()
    assert json.loads(line)["title"] == text


def test_numbers_that_do_not_exist_become_null():
    row = make_row("weat", size_low=-math.inf, size_high=math.nan, d_within=np.float64(0.5), n_x=np.int64(3))
    plain = row.to_dict()
    assert [plain[key] for key in ("size_low", "size_high", "d_within", "n_x")] == [None, None, 0.5, 3]
    assert {type(plain["d_within"]), type(plain["n_x"])} == {float, int}


def test_what_is_unknown_keeps_every_field_and_is_written_as_it_was():
    fields = {"kind": "later", "test": "t", "embedding": "e", "embedding_sha256": "s", "new": {"a": [1, None]}}
    row = read_row(fields, row_type)
    assert isinstance(row, RawRow)
    assert (row.kind, row.to_dict()) == ("later", fields)


@pytest.mark.parametrize("schema", [None, 1, 2, SCHEMA_VERSION + 1])
def test_rows_of_another_schema_are_kept_raw(schema):
    fields = make_row("weat").to_dict() | {"schema_version": schema}
    fields = {key: value for key, value in fields.items() if value is not None}
    assert isinstance(read_row(fields, row_type), RawRow)


@pytest.mark.parametrize("line", ["{", "[1]", '{"kind": "weat"}', "null", '"text"'])
def test_a_line_that_is_not_a_finding_is_named(tmp_path, line):
    path = tmp_path / "findings.jsonl"
    path.write_text(make_row().to_json() + "\n" + line + "\n")
    with pytest.raises(ImprintError, match=r"findings\.jsonl: line 2"):
        read_findings(path)


@pytest.mark.parametrize("name", ["test", "embedding", "embedding_sha256", "version", "title", "alternative"])
@pytest.mark.parametrize("value", [None, 1, ["a"], {"a": 1}])
def test_a_field_of_another_type_is_named(name, value):
    with pytest.raises(ImprintError, match=name):
        read_row(make_row().to_dict() | {name: value}, row_type)


@pytest.mark.parametrize("value", [None, "abc", 1, [["a"]], ["a", None], {"a": 1}])
def test_missing_words_that_are_not_a_list_of_words_are_refused(value):
    with pytest.raises(ImprintError, match="missing"):
        read_row(make_row().to_dict() | {"missing": value}, row_type)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "latin.jsonl").write_bytes(b"\xff\xfe")
    for name in ("none.jsonl", "latin.jsonl", "find\0ings.jsonl"):
        with pytest.raises(ImprintError, match="cannot be read"):
            read_findings(tmp_path / name)


def test_a_file_name_that_is_not_text_is_written_and_read_back(tmp_path):
    path = tmp_path / "findings.jsonl"
    odd = (os.fsdecode(b"caf\xe9"), "\ud800", "a\u2028b\x85c\x0bd")
    write_findings(path, [make_row("weat", missing=odd)])
    assert path.read_text("ascii").endswith("\n")
    assert read_findings(path)[0].missing == odd


def test_a_line_nested_too_deeply_is_named(tmp_path):
    path = tmp_path / "findings.jsonl"
    path.write_text("[" * 200_000 + "\n")
    with pytest.raises(ImprintError, match=r"findings\.jsonl: line 1"):
        read_findings(path)


@posix
def test_a_pipe_is_read_and_a_folder_or_a_device_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    with ThreadPoolExecutor(1) as other:
        read = other.submit(read_findings, tmp_path / "pipe.jsonl")
        (tmp_path / "pipe.jsonl").write_text(make_row().to_json() + "\n")
        assert read.result() == [make_row()]
    for path in (tmp_path, "/dev/zero"):
        with pytest.raises(ImprintError, match="folder or a device"):
            read_findings(path)


def test_every_kind_has_its_tag_for_a_name():
    assert all(issubclass(kind.row, Row) and kind.row.__struct_config__.tag == kind.name for kind in all_kinds())


def test_numbers_that_json_does_not_have_are_null_in_rows_of_unknown_kinds_too():
    row = read_row(
        {"kind": "new", "test": "t", "embedding": "e", "embedding_sha256": "", "x": [float("nan")]}, row_type
    )
    assert json.loads(row.to_json())["x"] == [None]


def test_a_data_frame_needs_the_extra_for_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with refuses(MissingExtraError, "pip install", hint=f"install it with {pip_install('pandas')}"):
        imprint.weat("default", "caliskan-6").to_frame()


def test_rows_of_several_measurements_are_counted_chosen_and_saved(tmp_path):
    first, second = (Row(test=name, embedding="small", embedding_sha256="0" * 64) for name in ("one", "two"))
    lost = skipped(("small", "0" * 64), "three", "Three", "no words", part="weat")
    rows = Rows([first, second, lost])
    assert (len(rows), rows[1], list(rows)) == (3, second, [first, second, lost])
    assert rows.skipped == rows.of(SkippedRow) == (lost,)
    assert repr(rows) == "Rows(2 Row; 1 skipped)"
