"""Readers and encoders of other packages, found by their entry points."""

import pytest
from refusals import refuses

from imprint.errors import EmbeddingFileError, SettingError, SubjectError
from imprint.subjects.opening import load, open_encoder, open_subject

READER = """
import numpy as np
import imprint

def recognises(head, path):
    return head.startswith(b"#numbers-first")

def read(path, only, progress):
    lines = [line.split(",") for line in path.read_text().splitlines()[1:]]
    kept = [(word, numbers) for *numbers, word in lines if only is None or word in only]
    if progress is not None:
        progress(1, 1)
    return imprint.Embedding(path.stem, [word for word, _ in kept], np.array([row for _, row in kept], np.float32))
"""
ENCODER = """
def letters(alphabet="ab", *, prefix=""):
    return lambda texts: [[(prefix + text).count(letter) for letter in alphabet] for text in texts]
"""


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.csv"
    path.write_text("#numbers-first 2\n0.5,1,cat\n2,3,dog\n")
    return path


def test_a_reader_of_another_package_reads_its_format(plug_in, own):
    plug_in("imprint.readers", "numbers-first = toy_plugin_code", code=READER)
    seen = []
    embedding = load(own, only=["Dog"], progress=lambda done, total: seen.append((done, total)))
    assert embedding.words == ["dog"]
    assert embedding.vectors.tolist() == [[2, 3]]
    assert seen == [(1, 1)]
    assert open_encoder(own).encode(["cat dog"]).tolist() == [[1.25, 2]]


def test_without_the_reader_the_format_is_unknown(own):
    with pytest.raises(EmbeddingFileError):
        load(own)


def test_plug_ins_are_not_looked_for_where_a_format_is_built_in(plug_in, tmp_path):
    plug_in("imprint.readers", "all = toy_plugin_code", code="1 / 0")
    (tmp_path / "tiny.txt").write_text("rose 1 2\nlily 3 4\n")
    assert load(tmp_path / "tiny.txt").words == ["rose", "lily"]


def test_a_broken_reader_is_named(plug_in, own):
    plug_in("imprint.readers", "all = toy_plugin_code", code="1 / 0")
    with pytest.raises(SettingError, match="'all'"):
        load(own)


def test_an_encoder_of_another_package_opens_by_its_name(plug_in):
    plug_in("imprint.encoders", "letters = toy_plugin_code:letters", code=ENCODER)
    assert open_subject("letters").encode(["abba", "b"]).tolist() == [[2, 2], [0, 1]]
    assert open_encoder("letters:bc", prefix="c").encode(["abba"]).tolist() == [[2, 1]]
    with refuses(SettingError, "prefix", option="pooling"):
        open_encoder("letters", pooling="mean")
    with pytest.raises(SubjectError):
        load("letters")
