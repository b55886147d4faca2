"""A whole board of small subjects: its rows, its pages, what fails, and what is not measured again."""

import json
import os
import re
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from refusals import refuses

from imprint.association.changes import change_rows
from imprint.association.weat import measure
from imprint.boards import run, subjects
from imprint.boards.pages import write_board
from imprint.boards.rows import BoardDifferenceRow, BoardRankingRow, BoardRow, BoardTestRow
from imprint.boards.run import board
from imprint.boards.subjects import BoardEntry, Measured, measure_subject, read_models
from imprint.checks import SizeScale
from imprint.embeddings.convert import convert
from imprint.encoders import universal
from imprint.encoders.onnx_files import _message
from imprint.errors import ImprintError, SettingError, StimulusError
from imprint.evaluation.benchmarks import bundled_benchmarks, pair_words
from imprint.evaluation.controls import control_words
from imprint.kinds.findings import read_findings
from imprint.render.terminal import draw_text
from imprint.report.conclusions import claims
from imprint.report.page import render_page
from imprint.report.summary import verdict
from imprint.rows import SkippedRow
from imprint.stimuli.catalog import catalogue, choose
from imprint.stimuli.definition import words_of
from imprint.subjects.opening import load
from imprint.work import run_units

HOSTILE = "</script><img src=x onerror=alert(1)>"
TESTS = choose(catalogue(), ["caliskan-6", "caliskan-7"])


@pytest.fixture(scope="module")
def vectors():
    """GloVe on the words that a board asks about, with noise as a share of its length."""
    similar = [one for one in bundled_benchmarks() if one.name != "google"]
    glove = load("default", only=[*words_of(TESTS), *control_words(), *pair_words(similar)])

    def noisy(share, seed=0):
        noise = np.random.default_rng(seed).normal(size=glove.vectors.shape)
        length = np.linalg.norm(glove.vectors, axis=1, keepdims=True)
        rows = glove.vectors + share * length * noise / np.sqrt(glove.dimension)
        return list(glove.words), rows.astype(np.float32)

    return noisy


@pytest.fixture(scope="module")
def found(vectors):
    listed = {"GloVe": vectors(0.0), HOSTILE: vectors(0.5), "noise": vectors(30.0, 1)}
    entries = [BoardEntry(source, name) for name, source in listed.items()]
    return board([*entries, BoardEntry("no/such/file", "missing")], tests=TESTS)


def of(found, kind):
    return [row for row in found.findings() if type(row) is kind]


def test_a_board_has_a_row_per_subject_and_topic_and_test(found):
    rows = of(found, BoardRow)
    assert [(row.embedding, row.topic) for row in rows] == [(name, "gender") for name in ("GloVe", HOSTILE, "noise")]
    assert [row.judged for row in rows] == [True, True, False]
    assert [(row.embedding, row.test) for row in of(found, BoardTestRow)][:2] == [
        ("GloVe", "caliskan-6"),
        ("GloVe", "caliskan-7"),
    ]
    assert rows[0].quality > rows[1].quality > 0.4
    assert rows[0].benchmark == "men"


def test_sizes_and_evidence_are_the_subjects_own(found):
    (first, *_), own = of(found, BoardRow), found.subjects[0]
    tests = [row for row in own if row.kind == "weat"]
    (topic,) = [row for row in own if row.kind == "topic"]
    assert first.mean_difference == pytest.approx(np.mean([row.mean_difference for row in tests]))
    assert (first.words_low, first.words_high) == pytest.approx((topic.words_low, topic.words_high))
    assert first.n_found == sum(row.found for row in tests)
    listed = [row for row in of(found, BoardTestRow) if row.embedding == "GloVe"]
    assert [(row.evidence, row.mean_difference) for row in listed] == [
        (row.evidence, row.mean_difference) for row in tests
    ]


def test_differences_are_those_of_two_versions(found, vectors):
    (row,) = of(found, BoardDifferenceRow)
    first, second = ([measure(load(vectors(share)), test) for test in TESTS] for share in (0.0, 0.5))
    *_, topic = change_rows(second, first, 0.05)
    assert (row.embedding, row.other) == ("GloVe", HOSTILE)
    assert row.mean_difference == pytest.approx(topic.mean_difference)
    assert (row.words_low, row.words_high) == pytest.approx((topic.words_low, topic.words_high))
    assert row.p_together >= row.p_words


def test_what_cannot_be_judged_or_opened_is_not_ranked(found):
    (ranking,) = of(found, BoardRankingRow)
    assert {*ranking.subjects} == {"GloVe", HOSTILE}
    (failed,) = of(found, SkippedRow)
    assert failed.test == "missing"
    assert "no/such/file" in failed.reason


def test_a_board_with_a_subject_that_could_not_be_opened_does_not_claim_to_lack_controls(found):
    without, whole = (
        claims([row for row in found.findings() if isinstance(row, kept)])
        for kept in (BoardRow, BoardRow | SkippedRow)
    )
    assert without == whole


def test_a_board_of_one_subject_says_that_there_is_nothing_to_compare(vectors):
    alone = board([BoardEntry(vectors(0.0), "GloVe")], tests=TESTS)
    assert not of(alone, BoardDifferenceRow)
    assert "nothing to compare" in draw_text(verdict(alone.findings()))


def test_an_efficient_subject_is_beaten_by_no_other(found):
    rows = of(found, BoardRow)
    assert [row.efficient for row in rows] in ([True, True, False], [True, False, False])
    assert rows[1].efficient == (abs(rows[1].mean_difference) < abs(rows[0].mean_difference))


def test_an_efficient_subject_is_compared_on_the_words_that_both_have(vectors):
    words, rows = vectors(0.3)
    lacking = {word for word in words_of(TESTS[1:]) if word not in words_of(TESTS[:1])}
    kept = [place for place, word in enumerate(words) if word not in lacking]
    made = board({"all": vectors(0.0), "some": ([words[place] for place in kept], rows[kept])}, tests=TESTS)
    whole, part = of(made, BoardRow)
    assert (whole.tests, part.tests) == (("caliskan-6", "caliskan-7"), ("caliskan-6",))
    assert abs(whole.mean_difference) < abs(part.mean_difference), "over the tests of each"
    assert whole.quality > part.quality
    (both,) = of(made, BoardDifferenceRow)
    assert abs(both.mean_difference_first) > abs(both.mean_difference_second)
    assert part.efficient


def test_tests_that_a_subject_lacks_are_named(vectors):
    words, rows = vectors(0.0)
    lacking = {*words_of(TESTS[1:])} - {*words_of(TESTS[:1])}
    kept = [place for place, word in enumerate(words) if word not in lacking]
    made = board([([words[place] for place in kept], rows[kept]), vectors(0.1)], tests=TESTS)
    part, whole = of(made, BoardRow)
    assert (part.tests, part.tests_left_out) == (("caliskan-6",), ("caliskan-7",))
    assert (whole.tests, whole.tests_left_out) == (("caliskan-6", "caliskan-7"), ())
    (ranking,) = of(made, BoardRankingRow)
    assert ranking.tests == ("caliskan-6",)
    assert part.quality_pairs < part.quality_asked == 3_000


def test_each_difference_has_its_p_value_on_the_other_scale(vectors):
    sources = {"one": vectors(0.0), "two": vectors(0.5)}
    (cosine,), (spread,) = (
        of(board(sources, tests=TESTS, scale=scale), BoardDifferenceRow) for scale in get_args(SizeScale)
    )
    assert (cosine.p_together, cosine.p_other_scale) == (spread.p_other_scale, spread.p_together)
    assert (cosine.scale, spread.scale) == ("cosine", "spread")


def test_a_level_that_resampling_cannot_reach_is_refused(vectors):
    with refuses(SettingError, option="alpha", got=1e-5):
        board([vectors(0.0)], tests=TESTS, alpha=1e-5)


def test_only_the_topics_asked_for_are_shown(vectors):
    tests = choose(catalogue(), ["caliskan-6", "seat-abw-terms"])
    assert tests[1].topics == ("race", "gender")
    made = board([vectors(0.0), vectors(0.5)], tests=tests, topics=["gender"])
    assert {row.topic for row in made.findings() if hasattr(row, "topic")} == {"gender"}


def test_the_files_link_to_pages_that_are_there_and_escape_every_name(found, tmp_path):
    rows = write_board(tmp_path, found, parquet=True, script=lambda: "")
    assert [row.to_dict() for row in read_findings(tmp_path / "board.jsonl")] == [row.to_dict() for row in rows]
    page = (tmp_path / "board.html").read_text()
    linked = {link.split("#")[0] for link in re.findall(r'<a href="(subjects/[^"]+)"', page)}
    assert len(linked) == 3
    assert all((tmp_path / link).is_file() for link in linked)
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page
    assert "findings.jsonl" not in page
    import pyarrow.parquet as pq

    assert pq.read_table(tmp_path / "board.parquet").num_rows == len(rows)


def test_a_link_that_leaves_the_folder_is_refused(found):
    row = of(found, BoardRow)[0].to_dict() | {"page": "javascript:alert(1)"}
    with pytest.raises(ImprintError, match="page"):
        render_page([type("Row", (), {"to_dict": lambda self: row})()])


def test_subjects_of_one_name_are_named_apart(vectors):
    sources = [vectors(0.0), vectors(0.1), vectors(0.2)]
    made = board([BoardEntry(source, "same") for source in sources], tests=TESTS)
    assert [row.embedding for row in of(made, BoardRow)] == ["same (same)", "same (same), 2", "same (same), 3"]
    assert {row.embedding for row in made.subjects[1]} == {"same (same), 2"}


def test_a_worker_in_another_folder_finds_the_files(vectors, tmp_path, monkeypatch):
    words, rows = vectors(0.0)
    convert(load((words, rows)), tmp_path / "mine.safetensors")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    units = [
        subjects.board_unit(BoardEntry(one), subjects.Asked(TESTS, 0.05, 0)) for one in ("mine.safetensors", "cbow")
    ]
    monkeypatch.chdir(tmp_path / "elsewhere")
    found, bundled = run_units(units)
    assert Measured.read(found).subject == "embedding"
    assert Measured.read(bundled).subject == "encoder"


def test_a_comma_in_a_name_is_no_number():
    names = ["GloVe, 100d", "GloVe", "one", "one", "one (one), 2"]
    named = [(BoardEntry("default", name), Measured(name, "", "embedding", (), ())) for name in names]
    expected = ["GloVe, 100d", "GloVe", "one (one)", "one (one), 3", "one (one), 2"]
    assert [one.name for one in run._named_apart(named)] == expected


def test_what_was_measured_is_not_measured_again(vectors, tmp_path, monkeypatch):
    asked = {"one": vectors(0.0), "two": vectors(0.3)}
    first = board(asked, tests=TESTS, folder=tmp_path / "measured")
    monkeypatch.setattr(subjects, "measure_subject", None)
    again = board(asked, tests=TESTS, folder=tmp_path / "measured")
    assert [row.to_json() for row in again.findings()] == [row.to_json() for row in first.findings()]


def test_a_unit_keeps_rows_and_tables_to_the_bit(vectors):
    asked = subjects.Asked(TESTS, 0.05, 0)
    made = Measured.read(measure_subject(BoardEntry(vectors(0.0), "mine"), asked))
    table = made.tables()["caliskan-6"]
    expected = measure(load(vectors(0.0)), TESTS[0]).table
    assert np.array_equal(table.cosines, expected.cosines)
    assert (table.targets, table.attributes) == (expected.targets, expected.attributes)
    assert {row.embedding for row in made.rows()} == {"mine"}


def test_controls_are_asked_in_the_languages_of_the_tests(vectors):
    german = replace(TESTS[0], language="de")
    made = board({"GloVe": vectors(0.0)}, tests=[german, TESTS[1]])
    judged = {row.language: row.judged for row in made.subjects[0] if row.kind == "controls"}
    assert judged == {"en": True, "de": False}
    assert {row.judged for row in of(made, BoardRow)} == {False}
    (alone,) = board({"GloVe": vectors(0.0)}, tests=[german]).subjects
    assert [row.language for row in alone if row.kind == "controls"] == ["de"]


def key(source, **options):
    return subjects.board_unit(BoardEntry(source, options=options), subjects.Asked(TESTS, 0.05, 0)).key


def test_a_unit_is_another_when_a_file_it_reads_changes(tmp_path):
    graph, words, given = (tmp_path / name for name in ("model.onnx", "tokenizer.json", "other.json"))
    for file in (graph, words, given):
        file.write_text("{}")
    keys = [key(str(graph), tokenizer=str(given))]
    for file in (given, words, graph):
        file.write_text("{ }")
        keys.append(key(str(graph), tokenizer=str(given)))
    assert len({*keys}) == 4
    assert key(str(graph), tokenizer=str(given)) == keys[-1]


def overwrite(path, content):
    """Change a file and nothing that a listing of its folder shows."""
    before = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    ("named", "changed"),
    [
        ("x.txt", "x.txt"),
        ("x.kv", "x.kv.vectors.npy"),
        ("x.model", "x.model.wv.vectors_ngrams.npy"),
        ("model.onnx", "weights.bin"),
        ("folder", "folder/1_Pooling/config.json"),
    ],
)
def test_a_unit_is_another_when_the_content_of_a_file_is(tmp_path, named, changed):
    (tmp_path / "folder" / "1_Pooling").mkdir(parents=True)
    (tmp_path / "folder" / "config.json").write_text("{}")
    for name in ("x.txt", "x.kv", "x.model"):
        (tmp_path / name).write_bytes(b"")
    location = _message(1, b"location") + _message(2, b"weights.bin")
    (tmp_path / "model.onnx").write_bytes(_message(7, _message(5, _message(13, location))))
    (tmp_path / changed).write_bytes(b"before")
    first = key(str(tmp_path / named))
    assert key(str(tmp_path / named)) == first
    overwrite(tmp_path / changed, b"after.")
    assert key(str(tmp_path / named)) != first


def test_vectors_that_gensim_keeps_beside_a_file_are_measured_again_when_they_change(vectors, tmp_path):
    gensim = pytest.importorskip("gensim.models", reason="writes the files")
    words, rows = vectors(0.0)
    saved = gensim.KeyedVectors(rows.shape[1])
    saved.add_vectors(words, rows)
    path, beside = tmp_path / "x.kv", tmp_path / "x.kv.vectors.npy"
    saved.save(str(path), sep_limit=0)
    asked = {"tests": TESTS, "folder": tmp_path / "measured"}
    before = board([path], **asked)
    content = beside.read_bytes()
    overwrite(beside, content[: -rows.nbytes] + vectors(0.5)[1].tobytes())
    after = board([path], **asked)
    assert of(after, BoardRow)[0].mean_difference != of(before, BoardRow)[0].mean_difference
    overwrite(beside, content)
    assert [row.to_json() for row in board([path], **asked).findings()] == [row.to_json() for row in before.findings()]


def test_functions_of_one_name_are_subjects_of_their_own(tmp_path):
    def encoder(sign):
        return lambda texts: [[sign, float(len(text))] for text in texts]

    functions = [encoder(1.0), encoder(-1.0)]
    units = [subjects.board_unit(BoardEntry(function), subjects.Asked(TESTS, 0.05, 0)) for function in functions]
    assert units[0].key != units[1].key, "one run computes units of one key once"
    assert [unit.kept for unit in units] == [False, False], "the next run could not tell which function it was"


def test_a_unit_is_another_when_the_package_of_its_encoder_is(monkeypatch):
    before = key("default-encoder")
    assert key("default-encoder") == before
    monkeypatch.setattr(universal.metadata, "version", lambda package: "99")
    assert key("default-encoder") != before


def test_what_a_server_said_is_not_taken_from_an_earlier_run():
    asked = subjects.Asked(TESTS, 0.05, 0)
    kept = [subjects.board_unit(BoardEntry(one), asked).kept for one in ("http://127.0.0.1:8080/v1", "default")]
    assert kept == [False, True]


@pytest.mark.parametrize("url", ["http://user:s3cret@host/v1", "HTTPS://s3cret@host", "ftp://user:s3cret@host/x.bin"])
def test_a_password_in_a_url_is_refused_when_subjects_are_read(tmp_path, url):
    listed = tmp_path / "models.toml"
    listed.write_text(f'[[model]]\nsubject = "{url}"\n')
    for ask in (lambda: board([url]), lambda: board({"name": url}), lambda: read_models(listed)):
        with refuses(SettingError, option="url", got=None) as refused:
            ask()
        assert "s3cret" not in str(refused.value)


def test_encoders_keep_their_sentences(tmp_path):
    asked = subjects.Asked(TESTS[:1], 0.05, 0)
    made = Measured.read(measure_subject(BoardEntry("cbow", "average"), asked))
    table = made.tables()["caliskan-6"]
    assert made.subject == "encoder"
    assert len(table.sentences.targets) > len(table.targets)


def test_models_are_read_with_paths_that_start_at_their_file(tmp_path):
    (tmp_path / "vectors.txt").write_text("a 1 2\n")
    listed = tmp_path / "models.toml"
    models = ('name = "Mine"\nsubject = "vectors.txt"', 'subject = "default-encoder"\nprefix = "query: "')
    listed.write_text("".join(f"[[model]]\n{one}\n" for one in models))
    first, second = read_models(listed)
    assert (first.source, first.name, first.options) == (str(tmp_path / "vectors.txt"), "Mine", {})
    assert (second.source, second.name, second.options) == ("default-encoder", None, {"prefix": "query: "})


@pytest.mark.parametrize(
    ("text", "kind", "fields"),
    [
        ("", SettingError, {}),
        ('[[model]]\nname = "x"\n', StimulusError, {"option": "subject"}),
        ('[[model]]\nsubject = "default"\npoling = "mean"\n', StimulusError, {"option": "poling"}),
    ],
)
def test_a_wrong_list_of_models_is_refused(tmp_path, text, kind, fields):
    (tmp_path / "models.toml").write_text(text)
    with refuses(kind, **fields):
        read_models(tmp_path / "models.toml")


def test_no_subject_at_all_is_refused():
    with refuses(SettingError, option="subjects"):
        board([])
    with refuses(SettingError, option="subjects"):
        board({})
    with refuses(SettingError, option="subjects", got="default"):
        board("default")
    with refuses(SettingError, "no/such/file"):
        board(["no/such/file"], tests=TESTS)


def test_quality_is_the_largest_bundled_benchmark():
    sizes = {one.name: len(one.pairs) for one in bundled_benchmarks() if one.name != "google"}
    assert max(sizes, key=sizes.get) == run.QUALITY


def test_rows_of_a_board_are_plain_json(found):
    for row in found.findings():
        assert json.loads(row.to_json())["kind"] == row.kind


def test_sizes_can_be_in_the_spread_of_a_subjects_own_cosines(vectors, found):
    asked = {"GloVe": vectors(0.0), HOSTILE: vectors(0.5)}
    scaled = of(board(asked, tests=TESTS, scale="spread"), BoardRow)
    for one, two in zip(scaled, of(found, BoardRow), strict=False):
        assert one.scale == "spread"
        assert one.spread == two.spread
        assert one.mean_difference == pytest.approx(two.mean_difference / two.spread)
        assert one.words_low == pytest.approx(two.words_low / two.spread)
        assert one.evidence == two.evidence
    with refuses(SettingError, option="scale", got="d"):
        board(asked, tests=TESTS, scale="d")
