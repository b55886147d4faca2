"""The audit of a sentence encoder by itself: the mean of the bundled words, and the default encoder."""

import re
import zlib

import numpy as np
import pytest
from refusals import refuses
from small import small_audits

import imprint
from imprint.encoders.base import FunctionEncoder
from imprint.encoders.cache import EncodingCache
from imprint.errors import EncoderError, SettingError
from imprint.evaluation.controls import control_words, controls
from imprint.kinds.sections import sections
from imprint.policies.gate import check, parse_conditions
from imprint.render.terminal import draw_text
from imprint.reports.page import render_page
from imprint.reports.summary import brief, people, steps, tiles
from imprint.stimuli.catalog import questions
from imprint.subjects.opening import load, open_encoder

KINDS = {
    "seat": {"seat", "seat-anisotropy", "seat-coherence", "topic"},
    "calibration": {"calibration"},
    "wefat": {"wefat"},
    "directions": {"projection", "projection comparison", "pairs", "skipped"},
    "enumeration": {"ube", "ube-group", "ube-overview"},
    "benchmarks": {"similarity", "skipped"},
    "analogies": set(),
    "debiasing": set(),
}


small = pytest.fixture(small_audits, scope="module", autouse=True)


@pytest.fixture(scope="module")
def encoder():
    return open_encoder("cbow")


@pytest.fixture(scope="module")
def audit(encoder):
    return imprint.audit(encoder, quick=True, topics=("gender",))


def test_every_part_that_can_ask_an_encoder_does(audit):
    rows = {name: {row.kind for row in audit.rows if row.part == name} - {"part"} for name in KINDS}
    assert rows == KINDS
    reasons = {row.test: row.why for row in audit.parts if not row.ran}
    assert reasons.keys() == {"analogies", "debiasing", "against"}
    assert reasons["analogies"]
    assert reasons["debiasing"]
    assert reasons["against"] is None
    assert "weat" not in {row.test for row in audit.parts}


def test_the_first_row_is_about_the_encoder_and_its_controls(audit, encoder):
    first = audit.rows[0]
    assert (first.subject, first.embedding, first.dimension) == ("encoder", encoder.name, 100)
    assert (first.judged, first.controls) == (True, controls(encoder)[0].controls)
    assert (first.settings.encoder, first.settings.debias) == (None, None)
    assert "This is {word}." in first.embedding_notes[0]
    assert not [row for row in audit.rows if row.kind == "controls"]


def test_every_row_is_the_encoders(audit, encoder):
    assert {row.embedding_sha256 for row in audit.rows} == {encoder.identity}
    names = {row.kind: row.embedding for row in audit.rows if row.kind not in ("part", "skipped")}
    assert {kind for kind, name in names.items() if name.endswith("(in sentences)")} >= {
        "wefat",
        "ube",
        "similarity",
    }


def test_the_verdict_is_about_questions_in_the_same_sentences(audit):
    asked = people(audit.rows)
    assert {row.test for row in asked} == {test.id for test in questions() if "gender" in test.topics}
    assert {(row.kind, row.unit, row.context, row.is_question) for row in asked} == {("seat", "word", "framed", True)}
    assert {row.outcome for row in asked} <= {"substantial", "present", "small", "cannot tell"}
    assert all(row.size_low < row.size < row.size_high for row in asked)
    assert {row.p_value for row in asked} == {None}
    *topics, search = tiles(audit.rows).tiles
    assert len(topics) == len({topic for row in asked for topic in row.topics})
    assert (search.link, len(search.counts)) == ("retrieval", 1)


def test_published_tests_have_sizes_in_frames_and_p_values_as_published(audit):
    tests = [row for row in audit.rows if row.kind == "seat" and not row.is_question]
    assert {(row.test, row.unit, row.context) for row in tests} == {
        (f"caliskan-{number}", "word", context) for number in (6, 7, 8) for context in ("framed", "bleached")
    }
    assert {row.context: row.outcome is not None for row in tests} == {"framed": True, "bleached": False}
    assert all(0 < row.p_value < 1 for row in tests)
    (any_question,) = {row.questions for row in audit.rows if row.kind == "calibration" and row.test == "any"}
    assert any_question == len(people(audit.rows))


def test_the_page_has_the_sections_of_an_embedding_in_their_order(audit):
    names = [section.name for section in sections(audit.rows)]
    assert names[0] == "seat"
    assert [name for name in names if name in KINDS] == [
        *("seat", "calibration", "wefat", "directions", "enumeration", "analogies", "debiasing", "benchmarks"),
    ]
    page = render_page(audit.rows)
    text = re.sub("<[^>]*>", "", page)
    assert "Quick bias audit of a sentence encoder · 100 dimensions" in text
    assert "Who goes with what, and how much?" in text


def test_next_steps_and_the_card_name_commands_for_encoders(audit):
    assert [commands for _, *commands in steps(audit.rows)] == [
        ["imprint swap command:./score --names gender"],
        ["imprint retrieval ENCODER --queries queries.jsonl --documents documents.jsonl"],
        ["imprint policy init", "imprint audit ENCODER --policy imprint.toml"],
        ["imprint debias ENCODER debiased"],
        ["imprint audit ENCODER"],
    ]
    (command,) = re.findall(r"^\$ (.*)$", imprint.card(audit.rows), re.MULTILINE)
    assert command == "imprint audit ENCODER --debias none --quick --language en --topic gender --seed 0"
    assert "--encoder" not in command


def test_the_summary_reads_as_before(audit, snapshot):
    assert "\n".join(draw_text(one) for one in brief(audit.rows)) == snapshot


def test_conditions_on_words_are_answered_in_sentences(audit):
    required = ["weat:gender-career:|size|<1", "weat:caliskan-8:|size|<1", "topic:gender:|size|<1"]
    gate = check(audit.rows, parse_conditions(require=required))
    assert gate.exit_code == 0
    assert [(one.target[0], one.part) for one in gate.conditions] == [
        (kind, "seat") for kind in ("seat", "seat", "topic")
    ]
    assert [[one.context for one in row.outcomes] for row in gate.rows] == [["framed"], ["framed"], [None]]


def test_words_that_may_not_be_sent_leave_out_the_enumeration_alone(encoder):
    class Limited(type(encoder)):
        max_texts = 7_500

    limited = Limited(load("default"))
    found = imprint.audit(limited, quick=True, topics=("gender",), parts=("enumeration", "wefat"))
    (why,) = [row.why for row in found.parts if not row.ran]
    assert "max_texts" in why or "texts would be sent" in why
    assert {row.kind for row in found.rows} >= {"wefat"}


def counted(encoder, limit):
    """The same vectors as those of a server that may be sent so many texts."""
    counts = FunctionEncoder(encoder.embed, name="server", identity="1")
    counts.max_texts = limit
    return counts


def counts_of(announced):
    return [int(re.fullmatch(r"server: ([\d,]+) texts will be sent", line)[1].replace(",", "")) for line in announced]


def test_a_quick_audit_of_a_server_asks_the_questions_and_says_how_many_texts_it_sends(encoder, audit, announced):
    texts = []
    server = counted(FunctionEncoder(lambda asked: texts.extend(asked) or encoder.embed(asked)), 20_000)
    found = imprint.audit(server, quick=True, topics=("gender",))
    assert counts_of(announced) == [len(texts)] == [len(set(texts))]
    assert (found.rows[0].judged, found.rows[0].dimension) == (True, 100)
    sizes = {row.test: row.size for row in people(audit.rows)}
    assert {row.test: row.size for row in people(found.rows)} == pytest.approx(sizes)
    assert not [row for row in found.rows if row.kind == "seat" and not row.is_question]
    assert {row.test for row in found.parts if row.ran} == {"seat", "calibration", "retrieval"}
    reasons = [row.why for row in found.parts if row.test in ("wefat", "directions", "enumeration", "benchmarks")]
    assert all("at most 8,000" in why and "without --quick" in why for why in reasons)


def test_a_limit_is_spent_on_questions_first(encoder, announced):
    server = counted(encoder, 3_000)
    found = imprint.audit(server, topics=("gender",))
    asked = {row.test for row in people(found.rows)}
    left = {row.test for row in found.rows if row.kind == "skipped" and row.is_question}
    assert asked
    assert left
    assert asked | left == {test.id for test in questions() if "gender" in test.topics}
    assert counts_of(announced)[0] <= 3_000
    assert check(found.rows, parse_conditions(require=["weat:gender-pleasant:|size|<1"])).exit_code == 3


def test_without_room_for_any_question_the_first_line_says_so(encoder, announced):
    server = counted(encoder, 800)
    found = imprint.audit(server, quick=True, topics=("gender",))
    assert not people(found.rows)
    first = draw_text(brief(found.rows)[0])
    assert first.startswith("No test about people was run: ")
    assert "expected at most 800" in " ".join(first.split())
    assert counts_of(announced) == [len(control_words())]


def test_a_server_is_audited_in_a_language_without_controls(encoder, audit, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        '[language]\nid = "eo"\nframes = ["Jen {word}."]\n[[weat]]\nid = "mine"\ntitle = "Mine"\nsource = "mine"\n'
        'x = ["patro", "filo"]\ny = ["patrino", "filino"]\na = ["laboro", "oficejo"]\nb = ["hejmo", "familio"]\n'
    )
    found = imprint.audit(counted(encoder, 900), quick=True, tests=path, language="eo")
    assert [row.language for row in found.findings() if row.kind == "audit"] == ["eo"]


def test_an_encoder_is_not_asked_beside_itself(encoder):
    with refuses(SettingError, option="encoder", where=encoder.name):
        imprint.audit(encoder, encoder="cbow")


def noise(text):
    return np.random.default_rng(zlib.crc32(text.encode())).normal(size=16)


def encoder_of(row):
    return FunctionEncoder(lambda texts: [row(text) for text in texts], name="bad")


@pytest.mark.parametrize(
    "row",
    [
        lambda text: np.ones(16),
        lambda text: np.ones(16) + 1e-7 * noise(text),
        lambda text: np.zeros(16),
        lambda text: noise(text) * (np.nan if "doctor" in text else 1),
        lambda text: noise(text)[: 15 + ("doctor" in text)],
    ],
    ids=["one vector", "nearly one vector", "zeros", "a NaN", "two sizes"],
)
def test_an_encoder_that_gives_no_vectors_is_refused_in_one_line(row):
    with refuses(EncoderError, "bad"):
        imprint.audit(encoder_of(row), quick=True, topics=("gender",))


@pytest.mark.parametrize("size", [1e-30, 1, 1e30])
def test_random_vectors_cannot_be_judged(size):
    found = imprint.audit(encoder_of(lambda text: size * noise(text)), quick=True, topics=("gender",))
    assert found.rows[0].judged is False
    assert {row.test for row in found.parts if row.why} == {"analogies", "debiasing"}
    assert check(found.rows, parse_conditions(require=["weat:gender-career:|size|<1"])).exit_code == 3


def test_vectors_along_one_line_cannot_be_judged():
    found = imprint.audit(encoder_of(lambda text: noise(text)[:1]), quick=True, topics=("gender",))
    assert found.rows[0].judged is False
    assert {row.test for row in found.parts if row.why} >= {"directions", "enumeration"}


@pytest.mark.slow
def test_the_default_encoder_has_its_gender_recovered(tmp_path):
    with EncodingCache(tmp_path / "kept.sqlite") as cache:
        found = imprint.audit("default-encoder", topics=("gender",), parts=("directions",), cache=cache)
    recovered = [row for row in found.rows if row.kind == "leakage"]
    assert {(row.part, row.against) for row in recovered} == {("directions", None)}
    names = [row.accuracy for row in recovered if row.word_list == "first names, by sex"]
    assert max(names) > 0.8
