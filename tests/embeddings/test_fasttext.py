import sys

import numpy as np
import pytest
from gensim.models.fasttext import load_facebook_vectors, save_facebook_model
from refusals import refuses

from imprint.errors import MissingExtraError
from imprint.subjects.opening import load


@pytest.fixture
def model_file(fasttext_model, tmp_path):
    path = tmp_path / "model.bin"
    save_facebook_model(fasttext_model, str(path))
    return path


def test_known_words_have_the_vectors_gensim_composes(model_file):
    theirs = load_facebook_vectors(str(model_file))
    ours = load(model_file)
    assert ours.words == theirs.index_to_key
    assert np.array_equal(ours.vectors, theirs.vectors)


def test_unseen_words_get_the_mean_of_their_ngrams(model_file):
    theirs = load_facebook_vectors(str(model_file))
    found = load(model_file).lookup(["cat", "Cat", "catty", "東京"])
    assert found.matches == ("exact", "lower", "subword", "subword")
    assert found.missing == ()
    assert np.array_equal(found.vectors[2:], [theirs.get_vector("catty"), theirs.get_vector("東京")])


def test_only_keeps_rows_and_still_composes_unseen_words(model_file):
    kept = load(model_file, only=["Dog", "mat"])
    whole = load(model_file)
    assert sorted(kept.words) == ["dog", "mat"]
    assert np.array_equal(kept.lookup(["dog", "doggy"]).vectors, whole.lookup(["dog", "doggy"]).vectors)
    assert [whole.words[rank] for rank in kept.ranks] == kept.words


def test_a_model_without_ngrams_has_no_unseen_words(tmp_path):
    from gensim.models import FastText

    model = FastText([["one", "two"]] * 10, vector_size=4, min_count=1, epochs=1, max_n=0, workers=1)
    path = tmp_path / "plain.bin"
    save_facebook_model(model, str(path))
    embedding = load(path)
    assert np.array_equal(embedding.vectors, load_facebook_vectors(str(path)).vectors)
    assert embedding.lookup(["one", "three"]).missing == ("three",)


def test_without_gensim_the_message_gives_the_install_command(model_file, monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim.models.fasttext", None)
    with refuses(MissingExtraError, extra="gensim"):
        load(model_file)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_gensims_own_fasttext_files_are_composed_too(fasttext_model, tmp_path, protocol):
    for saved, name in ((fasttext_model, "model"), (fasttext_model.wv, "kv")):
        path = tmp_path / f"fast.{name}"
        saved.save(str(path), pickle_protocol=protocol)
        embedding = load(path)
        assert embedding.words == fasttext_model.wv.index_to_key
        assert np.allclose(embedding.vectors, fasttext_model.wv.vectors, atol=1e-7)
        unseen = embedding.lookup(["doggy"])
        assert np.array_equal(unseen.vectors[0], fasttext_model.wv.get_vector("doggy"))
