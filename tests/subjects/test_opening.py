"""The one door: what a name opens, and one line for what it does not."""

import sys
from pathlib import Path

import numpy as np
import pytest
from refusals import refuses

import imprint
from imprint.encoders.bag_of_words import BagOfWordsEncoder
from imprint.encoders.server import ServerEncoder
from imprint.encoders.universal import UniversalEncoder
from imprint.errors import EmbeddingFileError, EncoderError, SettingError, SubjectError
from imprint.subjects.opening import load, open_encoder, open_subject
from imprint.subjects.sources import find_model, find_source

URL = "http://127.0.0.1:9/v1"  # never asked: a model is named


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.txt"
    path.write_text("rose 1 2\nlily 3 4\nant 5 -6\n")
    return path


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Put a package with the given files where Python finds installed ones."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])

    def write(*files: str, name: str = "tiny-model") -> Path:
        about = folder / f"{name.replace('-', '_')}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (about / "RECORD").write_text("".join(f"{file},,\n" for file in files))
        for file in files:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text("{}")
        return folder

    return write


def test_default_is_the_universal_sentence_encoder():
    encoder = open_encoder("default")
    assert isinstance(encoder, UniversalEncoder)
    assert encoder.encode(["This is Ada."]).shape == (1, 512)


def test_the_door_is_public():
    assert (imprint.open_subject, imprint.load, imprint.open_encoder) == (open_subject, load, open_encoder)


def test_default_is_an_embedding_where_either_will_do():
    assert open_subject("default").sha256 == load("default").sha256
    assert isinstance(open_subject("default-encoder"), UniversalEncoder)
    assert open_subject("default-encoder").sha256 == open_encoder("default").identity


def test_a_file_is_opened_as_what_it_is(vectors):
    assert open_subject(vectors, only=["ant"]).words == ["ant"]
    assert isinstance(open_subject("cbow", only=["rose"]), BagOfWordsEncoder)


@pytest.mark.parametrize("source", ["default-encoder", "cbow", "http://user:secret@host/v1", "HTTPS://host/v1"])
def test_an_encoder_is_refused_where_word_vectors_are_needed(source):
    with pytest.raises(SubjectError) as raised:
        load(source)
    assert "secret" not in str(raised.value)


def test_cbow_is_the_mean_of_the_bundled_words():
    encoder = open_encoder("cbow", texts=["rose lily"])
    bundled = load("default")
    expected = (bundled.lookup(["rose", "lily"]).vectors.astype(np.float64).mean(axis=0)).astype(np.float32)
    assert isinstance(encoder, BagOfWordsEncoder)
    assert encoder.encode(["rose lily"])[0].tobytes() == expected.tobytes()
    assert encoder.identity == open_encoder(bundled).identity


@pytest.mark.parametrize("spelling", [str, Path])
def test_an_embedding_file_is_a_bag_of_words(vectors, spelling):
    encoder = open_encoder(spelling(vectors))
    assert encoder.encode(["rose", "A rose, a lily"]).tolist() == [[1, 2], [2, 3]]
    assert encoder.settings == {"adapter": "bag of words", "pooling": "mean"}


def test_only_the_words_of_the_texts_are_read(vectors):
    encoder = open_encoder(vectors, texts=["a Rose", "rose-lily"])
    assert encoder.lacks(["rose", "lily", "ant"]) == ("ant",)


def test_reading_an_embedding_tells_its_progress(vectors):
    seen = []
    open_encoder(vectors, progress=lambda done, all_: seen.append((done, all_)))
    assert seen[-1] == (vectors.stat().st_size, vectors.stat().st_size)


def test_the_name_of_a_service_is_told_that_a_server_needs_a_url():
    with refuses(SubjectError, "was not found", "--model", "https://", where="openai:text-embedding-3-small"):
        open_subject("openai:text-embedding-3-small")


@pytest.mark.parametrize("path", ["x.bin", "cc.en.300.vec.gz", "a/b/GLOVE.ZIP?download=true", "v1/x.safetensors#top"])
def test_a_url_of_a_file_is_not_downloaded(path):
    for opening in (load, open_subject, open_encoder):
        with refuses(SubjectError, "download", "--model") as raised:
            opening(f"https://user:secret@example.com/{path}")
        assert raised.value.got in path
        assert "secret" not in str(raised.value)


@pytest.mark.parametrize("url", ["https://host.zip", "https://host.bin/v1", "http://127.0.0.1:9/v1?file=x.bin"])
def test_only_the_path_of_a_url_tells_a_file(url):
    assert find_source(url).adapter == "server"


def test_a_url_is_a_server_with_its_options():
    encoder = open_encoder(URL, model="m", prefix="query: ", batch=7, timeout=1.0, retries=0, max_texts=5)
    assert isinstance(encoder, ServerEncoder)
    assert (encoder.name, encoder.chunk, encoder.max_texts) == ("m", 7, 5)
    assert encoder.settings["prefix"] == "query: "


def test_a_url_is_known_in_any_case():
    assert open_subject("HTTP://127.0.0.1:9/v1", model="m").identity == open_encoder(URL, model="m").identity


def test_options_left_open_are_as_if_not_given(vectors):
    assert open_encoder(vectors, model=None, pooling=None, prefix=None).identity == open_encoder(vectors).identity


@pytest.mark.parametrize(
    ("source", "options", "option"),
    [
        ("default", {"pooling": "mean"}, "pooling"),
        ("default", {"max_texts": 5}, "max_texts"),
        ("default", {"nonsense": 5}, "nonsense"),
        ("cbow", {"layers": "last"}, "layers"),
        ("tiny.txt", {"prefix": "query: "}, "prefix"),
        (URL, {"model": "m", "pooling": "cls"}, "pooling"),
        (URL, {"model": "m", "tokenizer": "t.json"}, "tokenizer"),
    ],
)
def test_an_option_without_a_meaning_for_the_encoder_is_refused(vectors, monkeypatch, source, options, option):
    monkeypatch.chdir(vectors.parent)
    with refuses(SettingError, option=option, got=options[option]):
        open_encoder(source, **options)


@pytest.mark.parametrize("opener", [open_subject, load, open_encoder])
@pytest.mark.parametrize("files", [(), ("one.onnx", "two.onnx")])
def test_a_folder_without_a_model_is_refused(tmp_path, files, opener):
    for file in files:
        (tmp_path / file).touch()
    with refuses(SubjectError, "folder"):
        opener(tmp_path)


@pytest.mark.parametrize("opener", [open_subject, load, open_encoder])
@pytest.mark.parametrize("name", ["no-such-package", "no/such/file.txt", "", "a b", "../..\0", "-", "ünïcode"])
def test_a_name_of_nothing_is_refused(tmp_path, monkeypatch, name, opener):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SubjectError) as raised:
        opener(name)
    assert "\n" not in str(raised.value)


def test_a_name_that_no_path_can_have_is_refused():
    with refuses(SubjectError, "File name too long"):
        open_encoder("x" * 5_000)


def test_a_package_without_a_model_is_refused():
    with refuses(EncoderError, got="numpy"):
        open_encoder("numpy")


def test_a_file_of_no_known_format_is_refused(tmp_path):
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    with refuses(EmbeddingFileError, "image.png: "):
        open_encoder(tmp_path / "image.png")


@pytest.mark.parametrize(
    ("files", "model"),
    [
        (["tiny/model/config.json", "tiny/model/model.safetensors"], "tiny/model"),
        (["tiny/config.json", "tiny/a/modules.json", "tiny/a/x.safetensors", "tiny/x.bin"], "tiny/a"),
        (["tiny/config.json", "tiny/graph.onnx", "tiny/b.onnx"], "tiny/b.onnx"),
        (["tiny/config.json", "tiny/model/model.safetensors", "tiny/graph.onnx"], "tiny/graph.onnx"),
    ],
)
def test_the_model_of_a_package_is_found_from_its_list_of_files(install, files, model):
    folder = install(*files)
    assert find_model("tiny-model") == folder / model
    assert find_model("Tiny_Model") == folder / model


def test_no_code_of_a_package_runs_while_its_model_is_looked_for(install):
    folder = install("tiny/__init__.py", "tiny/config.json", "tiny/model.safetensors")
    (folder / "tiny" / "__init__.py").write_text("raise SystemExit('ran')")
    assert find_model("tiny-model") == folder / "tiny"
    assert "tiny" not in sys.modules


def test_a_package_whose_model_is_gone_is_refused(install):
    folder = install("tiny/graph.onnx")
    (folder / "tiny" / "graph.onnx").unlink()
    # Pythons differ in whether a package still lists a file that is gone.
    with refuses(EncoderError):
        open_encoder("tiny-model")


def test_a_file_goes_before_a_package_of_its_name(install, tmp_path, monkeypatch):
    install("tiny/config.json", "tiny/model.safetensors")
    (tmp_path / "tiny-model").write_text("rose 1 2\nlily 3 4\n")
    monkeypatch.chdir(tmp_path)
    assert isinstance(open_encoder("tiny-model"), BagOfWordsEncoder)
