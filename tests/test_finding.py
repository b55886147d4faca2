import json
import math
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.errors import ImprintError
from imprint.finding import COMMON_FIELDS, Finding, read_findings, write_findings


def finding(**details):
    return Finding("weat", "t", "e", "0" * 64, 1.5, 0.25, 0.01, 0, ("rose",), details=details)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(), st.text())
def test_json_gives_the_same_numbers_and_words_back(number, whole, text):
    row = json.loads(finding(number=number, whole=whole, text=text).to_json())
    assert (row["number"], row["whole"], row["text"]) == (number, whole, text)
    assert Finding.from_dict(row).to_dict() == row


@given(st.text())
def test_any_word_stays_on_one_line(text):
    assert len(finding(words=[text]).to_json().splitlines()) == 1


def test_numbers_that_do_not_exist_become_null():
    row = finding(low=-math.inf, high=math.nan, numpy=np.float32(0.5), nested={"a": (np.int64(3), math.inf)}).to_dict()
    assert (row["low"], row["high"], row["numpy"], row["nested"]) == (None, None, 0.5, {"a": [3, None]})


def test_every_finding_has_the_common_fields():
    assert set(COMMON_FIELDS) <= set(finding().to_dict())


@pytest.mark.parametrize("line", ["{", "[1]", '{"kind": "weat"}', "null", '"text"'])
def test_a_line_that_is_no_finding_is_named(tmp_path, line):
    path = tmp_path / "findings.jsonl"
    path.write_text(finding().to_json() + "\n" + line + "\n")
    with pytest.raises(ImprintError, match=r"findings\.jsonl: line 2 is not (a finding|JSON)"):
        read_findings(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ImprintError, match="cannot be read"):
        read_findings(tmp_path / "none.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(ImprintError, match="cannot be read"):
        read_findings(tmp_path / "latin.jsonl")


def test_an_unprintable_word_cannot_break_the_file_into_other_lines(tmp_path):
    path = tmp_path / "findings.jsonl"
    write_findings(path, [finding(word="a\u2028b\x85c\x0bd")])
    assert read_findings(path)[0].details["word"] == "a\u2028b\x85c\x0bd"


def test_a_file_name_that_is_no_text_is_written_and_read_back(tmp_path):
    path = tmp_path / "findings.jsonl"
    name = os.fsdecode(b"caf\xe9")
    write_findings(path, [finding(source=name, high="\ud800", low="\udfff")])
    assert path.read_text("ascii").endswith("\n")
    details = read_findings(path)[0].details
    assert (details["source"], details["high"], details["low"]) == (name, "\ud800", "\udfff")


@given(st.text(st.characters(categories=["Cc", "Zl", "Zp"])))
def test_json_holds_nothing_that_steers_a_terminal(text):
    line = finding(word=text).to_json()
    assert line.isprintable()
    assert json.loads(line)["word"] == text


def test_a_line_nested_too_deeply_is_named(tmp_path):
    path = tmp_path / "findings.jsonl"
    path.write_text("[" * 200_000 + "\n")
    with pytest.raises(ImprintError, match=r"findings\.jsonl: line 1 is not a finding \(it is nested too deeply\)"):
        read_findings(path)


def test_a_pipe_is_read_and_a_folder_or_a_device_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    with ThreadPoolExecutor(1) as other:
        read = other.submit(read_findings, tmp_path / "pipe.jsonl")
        (tmp_path / "pipe.jsonl").write_text(finding().to_json() + "\n")
        assert read.result()[0].to_dict() == finding().to_dict()
    for path in (tmp_path, "/dev/zero"):
        with pytest.raises(ImprintError, match=r"is a folder or a device; give a findings\.jsonl"):
            read_findings(path)


def test_a_name_that_holds_a_nul_is_refused():
    with pytest.raises(ImprintError, match="cannot be read"):
        read_findings("find\0ings.jsonl")


@pytest.mark.parametrize("name", ["kind", "test", "embedding", "embedding_sha256", "version"])
@pytest.mark.parametrize("value", [None, 1, ["a"], {"a": 1}])
def test_a_field_that_is_no_text_is_named(name, value):
    with pytest.raises(ImprintError, match=f"{name} is {type(value).__name__}; text is wanted"):
        Finding.from_dict(finding().to_dict() | {name: value})


@pytest.mark.parametrize("value", [None, "abc", 1, [["a"]], ["a", None], {"a": 1}])
def test_missing_words_that_are_no_list_of_words_are_refused(value):
    with pytest.raises(ImprintError, match="missing is not a list of words"):
        Finding.from_dict(finding().to_dict() | {"missing": value})
