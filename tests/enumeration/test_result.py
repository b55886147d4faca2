import json

import pytest
from refusals import refuses

from imprint.errors import SettingError

SLUR = "faggot"  # named in Swinger et al. (2019), appendix A


@pytest.fixture
def result(make_enumeration):
    return make_enumeration(
        {"A": ["Ann", 'Amy"><script>alert(1)</script>', "Ada"], "B": ["Bob", "Ben"]},
        [
            ("A", 1, ["nurse", "<b>bold</b>"], True),
            ("B", 1, [SLUR, "ale"], True),
            ("A", 2, ["quiet", "words"], False),
            ("B", 2, ["other", "things"], False),
        ],
    )


def test_findings_have_every_field_that_is_promised_and_one_row_a_cell(result):
    findings = [row for row in result.findings() if row.kind == "ube"]
    assert len(findings) == 4
    row = findings[1].to_dict()
    assert (row["kind"], row["test"], row["embedding"], row["embedding_sha256"]) == ("ube", "B-1", "made", "0" * 64)
    assert row["effect_size"] == row["statistic"] == row["score"] == pytest.approx(0.4)
    assert (row["group"], row["category"], row["stands_out"], row["method"]) == ("B", 1, True, "mirrored")
    assert (row["words"], row["names"]) == ([SLUR, "ale"], ["Bob", "Ben"])
    assert (row["z"], row["q"], row["copies"], row["rotations"]) == (4.5, 0.01, 400, None)
    assert (row["p_value"], row["p_adjusted"], row["seed"], row["missing"]) == (None, None, 0, [])
    assert (row["category_words"], row["spelling"], row["reason"]) == (["central1"], 0.2, None)
    assert (row["recurrence"], row["recurrence_runs"]) == (None, 20)
    assert all(json.loads(finding.to_json())["version"] for finding in findings)


def test_nothing_is_masked_in_the_data(result):
    assert any(SLUR in row.to_json() for row in result.findings())
    assert SLUR in result.to_frame().loc[1, "words"]
    assert SLUR in repr(result.to_dict())
    assert result.findings()[0].categories == 64


def test_a_result_is_one_line(result):
    assert repr(result) == "Enumeration(made: 2 associations of 2 groups with 2 categories)"


def test_a_frame_has_a_row_a_cell(result):
    frame = result.to_frame()
    assert frame.columns.tolist() == [
        "group", "category", "words", "score", "stands_out", "z", "q", "p_value", "p_adjusted",
        "recurrence", "reason",
    ]  # fmt: skip
    assert frame["group"].tolist() == ["A", "B", "A", "B"]
    assert frame.loc[frame["stands_out"], "category"].tolist() == [1, 1]


def test_a_group_is_found_by_its_letter(result):
    assert result.group("B").names == ("Bob", "Ben")
    with refuses(SettingError, option="letter", got="Z"):
        result.group("Z")
