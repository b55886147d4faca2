"""A whole board of small subjects: its rows, its pages, what fails, and what is not measured again."""

import json
import os
import re
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from refusals import refuses

from imprint.association.changes import change_rows
from imprint.association.weat import measure
from imprint.boards import run, subjects
from imprint.boards.pages import write_board
from imprint.boards.rows import (
    BoardDifferenceRow,
    BoardMeasuredRow,
    BoardRow,
    BoardTestRow,
    BoardTopicDifferenceRow,
    BoardTopicRow,
)
from imprint.boards.run import board, board_entries
from imprint.boards.subjects import BoardEntry, MeasuredModel, measure_subject, read_models
from imprint.embeddings.convert import convert
from imprint.encoders import universal
from imprint.encoders.onnx_files import _message
from imprint.errors import ImprintError, SettingError, StimulusError
from imprint.evaluation.benchmarks import bundled_benchmarks, pair_words
from imprint.evaluation.controls import control_words
from imprint.kinds.findings import read_findings
from imprint.render.terminal import draw_text
from imprint.reports.conclusions import claims
from imprint.reports.page import render_page
from imprint.reports.summary import verdict
from imprint.rows import SkippedRow, write_findings
from imprint.scoring.swap import swap
from imprint.stimuli.catalog import catalogue, choose
from imprint.stimuli.definition import Language, words_of
from imprint.subjects.opening import load
from imprint.work import run_units

HOSTILE = "</script><img src=x onerror=alert(1)>"
QUESTIONS = choose(catalogue(), ["gender-career", "gender-science"])
TESTS = choose(catalogue(), ["caliskan-6", "caliskan-7"])  # quicker, where what they say does not matter


@pytest.fixture(scope="module")
def vectors():
    """GloVe on the words that a board asks about, with noise as a share of its length, and with less of its bias."""
    similar = [one for one in bundled_benchmarks() if one.name != "google"]
    asked = [*words_of(QUESTIONS), *words_of(TESTS), *control_words(), *pair_words(similar)]
    glove = load("default", only=asked)
    words = list(glove.words)
    between_names = measure(glove, QUESTIONS[0]).words.share.u
    axis = between_names / np.linalg.norm(between_names)

    def changed(share, seed=0, *, debiased=False):
        noise = np.random.default_rng(seed).normal(size=glove.vectors.shape)
        length = np.linalg.norm(glove.vectors, axis=1, keepdims=True)
        rows = glove.vectors + share * length * noise / np.sqrt(glove.dimension)
        if debiased:
            rows = rows - np.outer(rows @ axis, axis)
        return words, rows.astype(np.float32)

    return changed


@pytest.fixture(scope="module")
def found(vectors):
    listed = {"GloVe": vectors(0.0), HOSTILE: vectors(0.3, debiased=True), "noise": vectors(30.0, 1)}
    entries = [BoardEntry(source, name) for name, source in listed.items()]
    return board([*entries, BoardEntry("no/such/file", "missing")], tests=QUESTIONS)


def of(found, kind):
    return [row for row in found.findings() if type(row) is kind]


def size(row):
    return row.size, row.size_low, row.size_high, row.outcome, row.reason


def test_a_board_has_a_row_per_model_and_per_model_and_question_and_topic(found):
    names = ("GloVe", HOSTILE, "noise")
    rows = of(found, BoardRow)
    assert [(row.embedding, row.judged) for row in rows] == [*zip(names, (True, True, False), strict=True)]
    assert [(row.embedding, row.test) for row in of(found, BoardTestRow)] == [
        (name, test.id) for name in names for test in QUESTIONS
    ]
    assert [(row.embedding, row.topic) for row in of(found, BoardTopicRow)] == [(name, "gender") for name in names]
    assert rows[0].quality > rows[1].quality > 0.4
    assert rows[0].benchmark == "men"


def test_sizes_are_the_models_own_and_what_cannot_be_judged_says_nothing(found):
    for kind, own in ((BoardTestRow, "weat"), (BoardTopicRow, "topic")):
        rows = of(found, kind)
        measured = [row for subject in found.subjects for row in subject if row.kind == own]
        measured = [row for row in measured if not getattr(row, "is_control", False)]
        assert [row.embedding for row in rows] == [row.embedding for row in measured]
        for row, expected in zip(rows, measured, strict=True):
            if row.embedding == "noise":
                assert (row.outcome, row.reason) == ("cannot tell", "controls")
            else:
                assert size(row) == size(expected)
    assert size(of(found, BoardTestRow)[0])[3:] == ("substantial", None)


def test_differences_are_those_of_two_versions(found, vectors):
    pair = [
        [measure(load(vectors(share, debiased=debiased)), test) for test in QUESTIONS]
        for share, debiased in ((0.0, False), (0.3, True))
    ]
    expected = change_rows(*pair)
    rows = [*of(found, BoardDifferenceRow), *of(found, BoardTopicDifferenceRow)]
    assert [row.test for row in rows] == ["gender-career", "gender-science", "gender"]
    for row, change in zip(rows, expected, strict=True):
        assert (row.change_from, row.change_to) == ("GloVe", HOSTILE)
        assert size(row)[:3] == pytest.approx(size(change)[:3], abs=1e-5)  # vectors are kept in single precision
        assert size(row)[3:] == size(change)[3:]


def test_the_model_with_less_bias_is_named(found):
    career, topic = of(found, BoardDifferenceRow)[0], of(found, BoardTopicDifferenceRow)[0]
    assert (career.outcome, career.less) == ("substantial", HOSTILE)
    assert (topic.found, topic.less) == (True, HOSTILE)


def test_a_model_that_could_not_be_measured_is_a_row_with_the_reason(found):
    (failed,) = of(found, SkippedRow)
    assert failed.test == "missing"
    assert "no/such/file" in failed.reason


def test_a_board_with_a_subject_that_could_not_be_opened_does_not_claim_to_lack_controls(found):
    without, whole = (
        claims([row for row in found.findings() if isinstance(row, kept)])
        for kept in (BoardRow, BoardRow | SkippedRow)
    )
    assert without == whole


def test_a_board_on_which_one_model_can_be_judged_says_that_there_is_nothing_to_compare(vectors):
    alone = board({"GloVe": vectors(0.0), "noise": vectors(30.0, 1)}, tests=TESTS)
    assert not of(alone, BoardDifferenceRow)
    assert not of(alone, BoardTopicDifferenceRow)
    assert "nothing to compare" in draw_text(verdict(alone.findings()))


def test_tests_that_a_model_lacks_are_named(vectors):
    words, rows = vectors(0.0)
    lacking = {*words_of(QUESTIONS[1:])} - {*words_of(QUESTIONS[:1])} - {*control_words()}
    kept = [index for index, word in enumerate(words) if word not in lacking]
    made = board({"part": ([words[index] for index in kept], rows[kept]), "all": vectors(0.1)}, tests=QUESTIONS)
    part, whole = of(made, BoardTopicRow)
    assert (part.tests, part.tests_left_out) == (("gender-career",), ("gender-science",))
    assert (whole.tests, whole.tests_left_out) == (("gender-career", "gender-science"), ())
    (topic,) = of(made, BoardTopicDifferenceRow)
    assert topic.tests == ("gender-career",)
    row = of(made, BoardRow)[0]
    assert row.quality_pairs < row.quality_asked == 3_000


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
    units = [subjects.board_unit(BoardEntry(one), subjects.Asked(TESTS, 0)) for one in ("mine.safetensors", "cbow")]
    monkeypatch.chdir(tmp_path / "elsewhere")
    found, bundled = run_units(units)
    assert MeasuredModel.read(found).subject == "embedding"
    assert MeasuredModel.read(bundled).subject == "encoder"


def test_a_comma_in_a_name_is_no_number():
    names = ["GloVe, 100d", "GloVe", "one", "one", "one (one), 2"]
    named = [(BoardEntry("default", name), MeasuredModel(name, "", "embedding", (), 0, b"", ())) for name in names]
    expected = ["GloVe, 100d", "GloVe", "one (one)", "one (one), 3", "one (one), 2"]
    assert [one.name for one in run._named_apart(named)] == expected


def test_what_was_measured_is_not_measured_again(vectors, tmp_path, monkeypatch):
    asked = {"one": vectors(0.0), "two": vectors(0.3)}
    first = board(asked, tests=TESTS, folder=tmp_path / "measured")
    monkeypatch.setattr(subjects, "measure_subject", None)
    again = board(asked, tests=TESTS, folder=tmp_path / "measured")
    assert [row.to_json() for row in again.findings()] == [row.to_json() for row in first.findings()]


def test_a_unit_keeps_the_vectors_of_tests_in_single_precision(vectors):
    unit = measure_subject(BoardEntry(vectors(0.0), "mine"), subjects.Asked(TESTS, 0))
    made = MeasuredModel.read(unit)
    assert {row.embedding for row in made.rows()} == {"mine"}
    ((_, words),) = made.measured([row for row in made.rows() if row.test == "caliskan-6"])
    expected = measure(load(vectors(0.0)), TESTS[0]).words
    assert np.array_equal(words.targets, expected.targets.astype(np.float32))
    assert np.array_equal(words.attributes, expected.attributes.astype(np.float32))
    assert (words.target_words, words.attribute_words) == (expected.target_words, expected.attribute_words)
    assert words.counts == expected.counts


def test_controls_are_asked_in_the_languages_of_the_tests(vectors):
    german = replace(TESTS[0], language="de")
    glove = vectors(0.0)
    made = board({"GloVe": glove, "copy": glove}, tests=[german, TESTS[1]])
    judged = {row.language: row.judged for row in made.subjects[0] if row.kind == "controls"}
    assert judged == {"en": True, "de": False}
    assert {row.judged for row in of(made, BoardRow)} == {False}
    alone, _ = board({"GloVe": glove, "copy": glove}, tests=[german]).subjects
    assert [row.language for row in alone if row.kind == "controls"] == ["de"]


def key(source, **options):
    return subjects.board_unit(BoardEntry(source, options=options), subjects.Asked(TESTS, 0)).key


def test_a_unit_is_another_when_the_sentences_of_a_language_change():
    test = replace(TESTS[0], language="fr")
    spoken = [Language("fr", "French", (frame,), None, {"paix": 1.0}) for frame in ("C'est {word}.", "Voici {word}.")]
    asked = [subjects.Asked((replace(test, spoken=language),), 0) for language in spoken]
    assert len({subjects.board_unit(BoardEntry("cbow"), each).key for each in asked}) == 2


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
    before = board([path, path], **asked)
    content = beside.read_bytes()
    overwrite(beside, content[: -rows.nbytes] + vectors(0.5)[1].tobytes())
    after = board([path, path], **asked)
    assert of(after, BoardTopicRow)[0].size != of(before, BoardTopicRow)[0].size
    overwrite(beside, content)
    again = board([path, path], **asked)
    assert [row.to_json() for row in again.findings()] == [row.to_json() for row in before.findings()]


def test_functions_of_one_name_are_subjects_of_their_own(tmp_path):
    def encoder(sign):
        return lambda texts: [[sign, float(len(text))] for text in texts]

    functions = [encoder(1.0), encoder(-1.0)]
    units = [subjects.board_unit(BoardEntry(function), subjects.Asked(TESTS, 0)) for function in functions]
    assert units[0].key != units[1].key, "one run computes units of one key once"
    assert [unit.kept for unit in units] == [False, False], "the next run could not tell which function it was"


def test_a_unit_is_another_when_the_package_of_its_encoder_is(monkeypatch):
    before = key("default-encoder")
    assert key("default-encoder") == before
    monkeypatch.setattr(universal.metadata, "version", lambda package: "99")
    assert key("default-encoder") != before


def test_what_a_server_said_is_not_taken_from_an_earlier_run():
    asked = subjects.Asked(TESTS, 0)
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


def test_encoders_have_the_sizes_of_words_in_the_same_sentences():
    asked = subjects.Asked(QUESTIONS[:1], 0)
    made = MeasuredModel.read(measure_subject(BoardEntry("cbow", "average"), asked))
    ((row, words),) = made.measured([row for row in made.rows() if row.test == "gender-career"])
    assert made.subject == "encoder"
    assert row.kind == "seat"
    assert row.size == pytest.approx(words.share.value, abs=1e-5)


def test_sentences_dilute_cosines_and_not_sizes():
    alone, averaged = (
        next(row for row in MeasuredModel.read(unit).rows() if row.test == "gender-career")
        for unit in (
            measure_subject(BoardEntry(name), subjects.Asked(QUESTIONS[:1], 0)) for name in ("default", "cbow")
        )
    )
    assert 0 < averaged.mean_difference < alone.mean_difference / 5
    assert averaged.size == pytest.approx(alone.size, abs=0.02)


def test_what_other_commands_measured_is_on_the_board_in_its_own_unit(vectors, tmp_path):
    swapped = swap(lambda texts: [float(len(text)) for text in texts], names="gender")[0]
    write_findings(tmp_path / "swap.jsonl", [swapped, measure(load(vectors(0.0)), TESTS[0]).row])
    entries = [BoardEntry(vectors(0.0), "one"), BoardEntry(vectors(0.1), "two", findings=tmp_path / "swap.jsonl")]
    made = board(entries, tests=TESTS)
    (row,) = of(made, BoardMeasuredRow)
    assert (row.embedding, row.measure, row.is_share) == ("two", "swap", False)
    assert (row.value, row.interval, row.outcome) == (swapped.mean_difference, swapped.interval, swapped.outcome)
    page = render_page(made.findings(), script=lambda: "")
    assert "swap: Men" in page


def test_findings_of_another_model_are_not_taken_for_those_of_this_one(vectors, tmp_path):
    swapped = swap(lambda texts: [float(len(text)) for text in texts], names="gender")[0]
    of_one = msgspec.structs.replace(swapped, embedding_sha256=load(vectors(0.0)).sha256)
    file = tmp_path / "swap.jsonl"
    entries = [BoardEntry(vectors(0.0), "one"), BoardEntry(vectors(0.1), "two", findings=file)]
    write_findings(file, [of_one])
    made = board(entries, tests=TESTS)
    assert not of(made, BoardMeasuredRow)
    assert [row.reason for row in of(made, SkippedRow)] == ["its findings are those of one; name its own file"]
    write_findings(file, [swapped, msgspec.structs.replace(swapped, embedding="another")])
    with refuses(SettingError, "another", option="findings", where=file):
        board(entries, tests=TESTS)


def test_a_variant_of_an_encoder_is_a_subject_with_controls_of_its_own(tmp_path):
    (tmp_path / "models.toml").write_text('[[model]]\nsubject = "cbow"\ndims = 50\nquantize = "binary"\n')
    (entry,) = read_models(tmp_path / "models.toml")
    made = MeasuredModel.read(measure_subject(entry, subjects.Asked(QUESTIONS[:1], 0)))
    assert (made.name, made.dimension) == ("glove.6B.100d (50 dims, binary)", 50)
    (row,) = (row for row in made.rows() if row.kind == "controls")
    assert (row.embedding, row.judged) == (made.name, True)
    whole = subjects.board_unit(BoardEntry("cbow"), subjects.Asked(QUESTIONS[:1], 0))
    assert subjects.board_unit(entry, subjects.Asked(QUESTIONS[:1], 0)).key != whole.key


def test_models_are_read_with_paths_that_start_at_their_file(tmp_path):
    (tmp_path / "vectors.txt").write_text("a 1 2\n")
    listed = tmp_path / "models.toml"
    (tmp_path / "mine.jsonl").write_text("")
    models = (
        'name = "Mine"\nsubject = "vectors.txt"\nfindings = "mine.jsonl"',
        'subject = "default-encoder"\nprefix = "query: "',
    )
    listed.write_text("".join(f"[[model]]\n{one}\n" for one in models))
    first, second = read_models(listed)
    assert board_entries(listed) == board_entries([str(listed)]) == [first, second]
    assert (first.source, first.name, first.options) == (str(tmp_path / "vectors.txt"), "Mine", {})
    assert (first.findings, second.findings) == (str(tmp_path / "mine.jsonl"), None)
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


@pytest.mark.parametrize("asked", [[], {}, "default", ["default"], {"GloVe": "default"}])
def test_fewer_than_two_subjects_are_refused(asked):
    with refuses(SettingError, option="subjects"):
        board(asked)


def test_fewer_than_two_subjects_that_can_be_measured_are_refused(vectors):
    for others in ([vectors(0.0)], ["nor/this"]):
        with refuses(SettingError, "no/such/file"):
            board(["no/such/file", *others], tests=TESTS)


def test_quality_is_the_largest_bundled_benchmark():
    sizes = {one.name: len(one.pairs) for one in bundled_benchmarks() if one.name != "google"}
    assert max(sizes, key=sizes.get) == run.QUALITY


def test_rows_of_a_board_are_plain_json(found):
    for row in found.findings():
        assert json.loads(row.to_json())["kind"] == row.kind
