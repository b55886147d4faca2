"""Findings whose fields contradict one another are refused in one line, or drawn."""

import json

import pytest
from fuzz import SEEDS, draw_findings
from msgspec.structs import replace
from refusals import refuses

from imprint.errors import ImprintError
from imprint.kinds import all_kinds
from imprint.kinds.findings import read_findings
from imprint.render.charts.axis import dots
from imprint.render.charts.points import Point
from imprint.rows import RawRow

SEED_FILES = sorted((SEEDS / "findings").iterdir())
SEED_ROWS = {row["kind"]: row for path in SEED_FILES for row in map(json.loads, path.read_text("utf-8").splitlines())}


def far(field, size, after):
    """Return the numbers of a WEFAT's words as large ones, whose sign changes after so many words."""
    return [one | {"value": size * (-1) ** (at // after)} for at, one in enumerate(SEED_ROWS["wefat"][field])]


@pytest.fixture
def findings(tmp_path):
    """Write the seed of a kind with some fields changed."""

    def write(kind, **changed):
        path = tmp_path / "findings.jsonl"
        path.write_text(json.dumps(SEED_ROWS[kind] | changed), encoding="utf-8")
        return path

    return write


def test_the_seeds_hold_every_kind_as_it_is_written_now():
    rows = [row for path in SEED_FILES for row in read_findings(path)]
    assert {row.kind for row in rows} == {kind.name for kind in all_kinds()}
    assert not any(isinstance(row, RawRow) for row in rows)


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("gate", {"operator": "=="}),
        ("translation", {"predictions": SEED_ROWS["translation"]["predictions"][:1]}),
        ("leakage", {"group_names": ["men"], "group_sizes": [1, 2]}),
    ],
)
def test_refused(findings, kind, changed):
    path = findings(kind, **changed)
    with refuses(ImprintError, list(changed)[-1], where=(path, 1)):
        read_findings(path)


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("seat", {"unit": "sentence", "outcome": "present", "size": None}),
        ("weat", {"outcome": "substantial", "size": None, "size_low": None, "size_high": None}),
        ("topic", {"size_low": 0.3, "size_high": 0.1}),
        ("calibration", {"part": "of a later version"}),
        ("swap", {"scores": []}),
        ("swap", {"outcome": "present", "share_tied": 0.0, "words_low": None}),
        ("swap", {"outcome": "present", "share_tied": 0.0, "words_low": None, "words_high": None}),
        ("audit", {"language": "\ud800", "judged": False}),
        ("board", {"quality_pairs": 2**62}),
        ("removed-names", {"excess_removed": 1e300}),
        ("wefat", {"values": far("values", 1e308, 1), "scores": far("scores", 1e10, 2)}),
    ],
)
def test_drawn(findings, tmp_path, kind, changed):
    (row,) = read_findings(findings(kind, **changed))
    draw_findings([row], tmp_path)


def test_means_of_groups_leave_out_what_is_beyond_all_measure():
    points = [Point(f"word{n}", value, group=group) for group in "ab" for n, value in enumerate((1e308, 1e308, 1.0))]
    drawn = dots(points, x_title="x")["datasets"].values()
    assert [row["mean"] for rows in drawn for row in rows if "mean" in row] == [1.0, 1.0]


def test_topics_of_a_board_are_drawn_without_its_models(tmp_path, findings):
    """As rows of one kind, chosen from a board's findings, are."""
    (row,) = read_findings(findings("board-topic", size=0.1, reason=None))
    draw_findings([row, replace(row, embedding="another")], tmp_path)


def test_a_row_of_an_unknown_part_is_shown_with_all_its_fields(findings):
    (row,) = read_findings(findings("weat", part="of a later version"))
    assert isinstance(row, RawRow)
    assert row.to_dict()["part"] == "of a later version"
    assert row.to_dict()["mean_difference"] == SEED_ROWS["weat"]["mean_difference"]


def test_log_odds_beyond_all_measure_are_drawn(findings, tmp_path):
    changed = {
        "log_odds": 2.0**62,
        "log_odds_low": 1.0,
        "log_odds_high": 2.0**62,
        "outcome": "present",
        "reason": None,
    }
    draw_findings(read_findings(findings("corpus", **changed)), tmp_path)
