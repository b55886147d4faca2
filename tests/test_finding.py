import json
import math

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
