import os
import shutil

import numpy as np
import pytest
from gensim.models.fasttext import save_facebook_model
from refusals import refuses
from systems import posix

from imprint.embeddings import BUNDLED
from imprint.embeddings.convert import convert
from imprint.errors import EmbeddingFileError, SettingError, SubjectError
from imprint.subjects.opening import load


def test_the_format_is_told_by_content_whatever_the_name(keyed_vectors, fasttext_model, tmp_path):
    keyed_vectors.save_word2vec_format(str(tmp_path / "text"))
    keyed_vectors.save_word2vec_format(str(tmp_path / "binary"), binary=True)
    keyed_vectors.save(str(tmp_path / "gensim"))
    convert(load(tmp_path / "binary"), tmp_path / "ours.safetensors")
    save_facebook_model(fasttext_model, str(tmp_path / "fasttext"))
    wanted = {"fasttext": fasttext_model.wv.index_to_key}
    for content in ("text", "binary", "gensim", "ours.safetensors", "fasttext"):
        for suffix in (".txt", ".vec", ".bin", ".kv", ".safetensors", ".gz", ""):
            path = tmp_path / f"misnamed{suffix}"
            shutil.copy(tmp_path / content, path)
            assert list(load(path).words) == wanted.get(content, keyed_vectors.index_to_key)


def test_the_bundled_embedding_answers_to_its_name():
    embedding = load("default")
    assert embedding.source == BUNDLED["default"]
    assert embedding.lookup(["woman", "man"]).missing == ()
    assert np.isfinite(embedding.vectors).all()


def test_a_name_is_the_file_name_without_the_endings_of_formats(tmp_path):
    for file, name in (("glove.6B.100d.txt.gz", "glove.6B.100d"), ("plain", "plain"), (".txt", ".txt")):
        path = tmp_path / file
        path.write_text("cat 1 2\n")
        assert load(path).name == name


def test_a_string_and_a_path_are_the_same(glove):
    assert load(str(glove)).words == load(glove).words


def test_a_missing_file_is_named_and_the_bundled_one_offered(tmp_path):
    with refuses(SubjectError, "absent.txt"):
        load(tmp_path / "absent.txt")


def test_a_folder_is_no_file(tmp_path):
    with refuses(SubjectError, "folder"):
        load(tmp_path)


@posix
def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with refuses(EmbeddingFileError, where=tmp_path / "pipe"):
        load(tmp_path / "pipe")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may read anything")
def test_a_file_without_read_rights_says_so(glove):
    glove.chmod(0)
    with refuses(EmbeddingFileError, where=glove):
        load(glove)


def test_a_name_no_system_allows_is_one_clear_line():
    with refuses(SubjectError, "too long"):
        load("x" * 5000)


def test_a_name_with_a_nul_is_one_clear_line():
    with refuses(SubjectError, "vectors"):
        load("vectors\0.txt")


def test_one_string_is_not_a_list_of_words(glove):
    with refuses(SettingError, option="only", got="cat"):
        load(glove, only="cat")


def test_only_takes_any_iterable_even_one_that_runs_once(glove):
    assert load(glove, only=(word for word in ["cat", "dog"])).words == ["cat", "dog"]


def test_only_words_that_are_absent_leave_an_empty_embedding(glove):
    embedding = load(glove, only=["absent"])
    assert len(embedding) == 0
    assert embedding.lookup(["absent"]).missing == ("absent",)


def test_real_vectors_written_as_text_are_read_back_to_the_bit(tmp_path):
    bundled = load("glove-840b-stimuli")
    rows = zip(bundled.words, bundled.vectors, strict=True)
    (tmp_path / "glove.txt").write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in rows))
    embedding = load(tmp_path / "glove.txt")
    assert embedding.words == list(bundled.words)
    assert np.array_equal(embedding.vectors, bundled.vectors)
