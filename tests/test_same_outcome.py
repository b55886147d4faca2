"""A question has one answer: the same size, interval and outcome in every command, alone or beside other tests."""

import pytest
from command_results import lines

import imprint
from imprint import board, seat, weat
from imprint.explorer.queries import AskedQuestion, Explorer, sets_of
from imprint.jobs import job
from imprint.stimuli.catalog import catalogue, choose, get
from imprint.subjects.opening import load, open_encoder

TESTS = ("gender-career", "black-pleasant", "caliskan-6", "seat-6b")
SAID = ("size", "size_low", "size_high", "outcome", "reason", "p_frequency", "unrelated")
ON_BOARDS = SAID[:5]


@pytest.fixture(scope="module", autouse=True)
def fewer_in_sentences():
    """Let audits put few tests into sentences: each takes its time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job, "SEAT_TESTS", (*TESTS, "gender-maths"))
        yield


def said(rows):
    """Return what rows that have outcomes say of each of the tests."""
    listed = [row if isinstance(row, dict) else row.to_dict() for row in rows]
    judged = [row for row in listed if row["kind"] in ("weat", "seat", "board-test") and row["outcome"] is not None]
    return {row["test"]: {key: row[key] for key in SAID if key in row} for row in judged if row["test"] in TESTS}


@pytest.fixture(scope="module")
def sources():
    """An embedding, and the encoder that takes the mean of its words."""
    return {"weat": load("default"), "seat": open_encoder("cbow")}


@pytest.fixture(scope="module")
def alone(sources):
    """What Python says of each test alone, by words and in sentences."""
    return {
        "weat": said(weat(sources["weat"], test) for test in TESTS),
        "seat": said(seat(sources["seat"], test) for test in TESTS),
    }


def test_tests_of_every_outcome_are_asked(alone):
    assert alone["weat"].keys() == alone["seat"].keys() == {*TESTS}
    assert len({row["outcome"] for row in alone["weat"].values()}) > 1
    assert all(row["size_low"] < row["size"] < row["size_high"] for rows in alone.values() for row in rows.values())


@pytest.mark.parametrize(("kind", "subject"), [("weat", "default"), ("seat", "cbow")])
def test_a_command_says_the_same(in_process, alone, kind, subject):
    options = [option for test in TESTS for option in ("--test", test)]
    assert said(lines(in_process(kind, subject, *options, "--json"))) == alone[kind]


@pytest.mark.parametrize("topics", [(), ("gender",)])
@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("kind", ["weat", "seat"])
def test_an_audit_says_the_same(sources, alone, kind, quick, topics):
    audit = imprint.audit(sources[kind], quick=quick, topics=topics, parts=(kind,))
    asked = [test for test in TESTS if not topics or {*topics} & {*get(test).topics}]
    assert said(row for row in audit.rows if row.part == kind) == {test: alone[kind][test] for test in asked}


def test_a_board_says_the_same(sources, alone):
    rows = board(sources, tests=choose(catalogue(), TESTS))
    for name in sources:
        expected = {test: {key: row[key] for key in ON_BOARDS} for test, row in alone[name].items()}
        assert said(row for row in rows if row.embedding == name) == expected


@pytest.mark.parametrize("test", TESTS)
def test_the_explorer_says_the_same(sources, alone, test):
    explorer = Explorer(sources["weat"], "default")
    assert said([explorer.measure(AskedQuestion(sets_of(get(test)))).finding]) == {test: alone["weat"][test]}
