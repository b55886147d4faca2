"""The real MiniLM through several adapters: one model, one set of findings, one page."""

import pytest
from agreeing import differences
from small import small_audits

import imprint
from imprint.association.changes import ChangeRow
from imprint.debiasing.debiaser import debiaser
from imprint.debiasing.sentences import RememberingEncoder, label_texts
from imprint.encoders.onnx import OnnxEncoder
from imprint.evaluation.benchmarks import bundled_benchmarks
from imprint.evaluation.comparison import AgreementRow, compare
from imprint.kinds.comparison import say_changes
from imprint.kinds.sections import sections
from imprint.render.terminal import draw_text
from imprint.reports.page import render_page
from imprint.reports.summary import people, tiles
from imprint.stimuli.catalog import choose
from imprint.subjects.opening import open_encoder

OUTCOMES = {"substantial", "present", "small", "cannot tell"}

small = pytest.fixture(small_audits, scope="module", autouse=True)


def small_audit(subject, cache=None):
    return imprint.audit(subject, quick=True, topics=("gender",), cache=cache)


@pytest.fixture(scope="module")
def folder(minilm, kept):
    return small_audit(minilm, kept)


@pytest.fixture(scope="module")
def glove():
    return small_audit("default")


def test_a_folder_an_onnx_file_and_a_server_give_the_same_findings(folder, minilm_float32, served, kept):
    server = open_encoder(served, model="sentence-transformers", timeout=120.0, retries=0)
    server.max_texts = None  # else a quick audit would leave parts out, to send fewer texts
    for subject in (minilm_float32, server):
        found = small_audit(subject, kept)
        assert found.rows[0].embedding_sha256 != folder.rows[0].embedding_sha256
        assert differences(folder.rows, found.rows) == []
        assert [one.name for one in sections(found.rows)] == [one.name for one in sections(folder.rows)]


def test_retrieval_is_the_same_through_a_folder_an_onnx_file_and_a_server(minilm, minilm_float32, served, kept):
    first, *others = (
        imprint.retrieval(open_encoder(subject, **options), ["grep-biasir"], edits=False, cache=kept)
        for subject, options in (
            (minilm, {}),
            (minilm_float32, {}),
            (served, {"model": "sentence-transformers", "timeout": 120.0, "retries": 0}),
        )
    )
    for rows in others:
        assert rows[0].embedding_sha256 != first[0].embedding_sha256
        assert differences(first.findings(), rows.findings()) == []


def test_the_model_itself_gives_the_same_findings(folder, sentence_transformer):
    found = imprint.wefat(sentence_transformer, "caliskan-wefat-occupations")
    (row,) = [row for row in folder.rows if row.test == "caliskan-wefat-occupations"]
    assert found.r == pytest.approx(row.r, abs=1e-4)
    seat = imprint.seat(sentence_transformer, "caliskan-7", context="word")
    assert (seat.test, seat.unit, len(seat.missing)) == ("caliskan-7", "word", 0)


def test_the_page_has_the_parts_and_outcomes_of_an_embedding(folder, glove):
    own, words = ([one.name for one in sections(audit.rows)] for audit in (folder, glove))
    assert [name for name in own if name != "retrieval"] == ["seat" if name == "weat" else name for name in words]
    assert own.index("retrieval") < own.index("directions")  # what is asked of people comes first
    for audit, kind in ((folder, "seat"), (glove, "weat")):
        tests = people(audit.rows)
        assert {row.kind for row in tests} == {kind}
        assert {row.outcome for row in tests} <= OUTCOMES
        assert {tile.title for tile in tiles(audit.rows).tiles}
    assert (folder.rows[0].subject, folder.rows[0].judged, folder.rows[0].dimension) == ("encoder", True, 384)
    page = render_page(folder.rows)
    for one in sections(folder.rows):
        assert one.title in page


def test_eight_bits_differ_little_and_the_comparison_says_how_much(minilm, minilm_float32, minilm_onnx, kept):
    eight = OnnxEncoder(minilm_onnx, tokenizer=minilm / "tokenizer.json")
    tests = choose(imprint.catalogue(), ("caliskan-6",))
    found = compare(minilm_float32, eight, tests=tests, benchmarks=bundled_benchmarks("rg-65"), cache=kept)
    (change,) = found.of(ChangeRow)
    assert change.size_low < change.size < change.size_high
    assert 0 < abs(change.size) < 0.1
    *_, largest = map(draw_text, say_changes([change]))
    assert change.title in largest
    assert min(row.pearson for row in found.of(AgreementRow)) > 0.98


def test_a_debiased_model_reloaded_from_its_folder_shows_the_change_with_its_interval(minilm, kept, tmp_path):
    transform = debiaser("leace").fit_rows(label_texts(RememberingEncoder(open_encoder(minilm), cache=kept)))
    transform.apply(open_encoder(minilm)).save(tmp_path / "out")
    found = imprint.audit(
        tmp_path / "out",
        against=minilm,
        quick=True,
        topics=("gender",),
        parts=("seat", "against"),
        cache=kept,
    )
    assert (found.rows[0].subject, found.rows[0].judged) == ("encoder", True)
    changes = [row for row in found.rows if row.kind == "change" and row.size is not None]
    assert changes
    for row in changes:
        assert row.size_low < row.size < row.size_high
    career = next(row for row in changes if row.test == "gender-career")
    assert career.size > 0.01  # from the debiased model back to the original
