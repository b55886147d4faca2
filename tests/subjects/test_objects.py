"""What people have in Python is taken as it is; a refusal says its type and length, and nothing of its content."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from gensim.models import Doc2Vec, FastText, KeyedVectors, Word2Vec
from refusals import refuses

import imprint
from imprint.embeddings.embedding import Embedding
from imprint.encoders.bag_of_words import BagOfWordsEncoder
from imprint.encoders.base import FunctionEncoder
from imprint.errors import SettingError
from imprint.subjects.opening import load, open_encoder, open_subject

WORDS = ["cat", "dog", "naïve"]
ROWS = np.array([[1, 2], [3, 4], [5, -6]], dtype=np.float32)
SENTENCES = [["the", "cat", "sat"], ["a", "dog", "ran"]] * 20


class Model:
    """What model2vec, sentence-transformers and their like look like from outside."""

    def encode(self, texts, batch_size=32):
        assert isinstance(texts, list)
        return np.array([[len(text), 1] for text in texts])


def lengths(texts):
    return [[len(text), 1] for text in texts]


def keyed_vectors():
    vectors = KeyedVectors(vector_size=2)
    vectors.add_vectors(WORDS, ROWS)
    return vectors


def train(kind):
    more = {"bucket": 50} if kind is FastText else {}
    return kind(SENTENCES, vector_size=4, min_count=1, epochs=1, seed=1, workers=1, **more)


@pytest.mark.parametrize("opener", [open_subject, load])
@pytest.mark.parametrize(
    ("thing", "name"),
    [
        (keyed_vectors(), "KeyedVectors"),
        (dict(zip(WORDS, ROWS, strict=True)), "dict"),
        ({word: row.tolist() for word, row in zip(WORDS, ROWS, strict=True)}, "dict"),
        ((WORDS, ROWS), "tuple"),
        ((np.array(WORDS), ROWS.astype(np.float64)), "tuple"),
        ([tuple(WORDS), ROWS.tolist()], "list"),
    ],
)
def test_words_and_vectors_are_an_embedding(thing, name, opener):
    embedding = opener(thing)
    assert isinstance(embedding, Embedding)
    assert (embedding.name, list(embedding.words)) == (name, WORDS)
    assert all(type(word) is str for word in embedding.words)
    assert embedding.vectors.tobytes() == ROWS.tobytes()
    assert embedding.sha256 == Embedding("other", WORDS, ROWS).sha256


def test_gensims_vectors_are_shared_not_copied():
    vectors = keyed_vectors()
    assert np.shares_memory(load(vectors).vectors, vectors.vectors)


@pytest.mark.parametrize("kind", [Word2Vec, FastText])
def test_a_trained_model_gives_its_word_vectors(kind):
    model = train(kind)
    embedding = load(model)
    assert embedding.name == kind.__name__
    assert embedding.vectors.tobytes() == model.wv.vectors.tobytes()
    assert embedding.words == model.wv.index_to_key
    found = embedding.lookup(["cat", "cats"])
    assert found.words == (("cat", "cats") if kind is FastText else ("cat",))
    if kind is FastText:
        assert found.matches == ("exact", "subword")
        np.testing.assert_allclose(found.vectors[1], model.wv["cats"], rtol=1e-6)


def test_a_model_of_documents_gives_its_word_vectors():
    from gensim.models.doc2vec import TaggedDocument

    model = Doc2Vec([TaggedDocument(words, [0]) for words in SENTENCES], vector_size=4, min_count=1, epochs=1)
    assert load(model).words == model.wv.index_to_key


@pytest.mark.parametrize("opener", [open_subject, open_encoder])
@pytest.mark.parametrize(
    ("thing", "name"),
    [(Model(), "Model"), (lengths, "lengths"), (partial(lengths), "partial"), (Model().encode, "encode")],
)
def test_what_turns_texts_into_vectors_is_an_encoder(thing, name, opener):
    encoder = opener(thing)
    assert isinstance(encoder, FunctionEncoder)
    assert (encoder.name, encoder.cacheable) == (name, False)
    assert encoder.encode(("a", "bcd")).tolist() == [[1, 1], [3, 1]]


@pytest.mark.parametrize(
    ("attributes", "name"),
    [
        ({"model_card_data": SimpleNamespace(model_id=None, base_model="org/tiny")}, "org/tiny"),
        ({"model_card_data": SimpleNamespace(model_id="org/mine", base_model="org/tiny")}, "org/mine"),
        ({"name": "mine"}, "mine"),
        ({"name": 3}, "Model"),
    ],
)
def test_a_model_is_called_what_it_calls_itself(attributes, name):
    model = Model()
    vars(model).update(attributes)
    assert open_encoder(model).name == name


def test_a_model_that_can_encode_and_be_called_is_asked_to_encode():
    class Module(Model):
        def __call__(self, features):
            raise AssertionError

    assert open_subject(Module()).encode(["ab"]).tolist() == [[2, 1]]


def test_subjects_are_taken_as_they_are():
    embedding, encoder = Embedding("tiny", WORDS, ROWS), FunctionEncoder(lengths)
    assert open_subject(embedding) is load(embedding) is embedding
    assert open_subject(encoder) is open_encoder(encoder) is encoder


@pytest.mark.parametrize("thing", [Embedding("tiny", WORDS, ROWS), keyed_vectors(), (WORDS, ROWS)])
def test_words_are_averaged_where_an_encoder_is_needed(thing):
    encoder = open_encoder(thing)
    assert isinstance(encoder, BagOfWordsEncoder)
    assert encoder.encode(["cat dog"]).tolist() == [[2, 3]]


@pytest.mark.parametrize("thing", [Model(), lengths, FunctionEncoder(lengths)])
def test_an_encoder_is_refused_where_word_vectors_are_needed(thing):
    with pytest.raises(SettingError, match=r"imprint\.seat"):
        load(thing)


SECRET = "do-not-print-me"


@pytest.mark.parametrize("opener", [open_subject, load, open_encoder])
@pytest.mark.parametrize(
    ("thing", "shown"),
    [
        (None, "None"),
        (3, "int"),
        ([SECRET] * 100_000, "list of length 100,000"),
        ({SECRET + str(number): [number] * (number + 1) for number in range(3)}, "dict of length 3"),
        (dict.fromkeys(range(3), SECRET), "dict of length 3"),
        ({SECRET: SECRET}, "dict of length 1"),
        ({}, "dict of length 0"),
        ((WORDS, ROWS[:2]), "tuple of length 2"),
        ((WORDS, ROWS[0]), "tuple of length 2"),
        ((3, SECRET), "tuple of length 2"),
        (SECRET.encode(), "bytes of length 15"),
        (ROWS, "ndarray of length 3"),
        (Model, "the class Model"),
        (KeyedVectors, "the class KeyedVectors"),
    ],
)
def test_a_refusal_says_type_and_length_alone(thing, shown, opener):
    with pytest.raises(SettingError) as raised:
        opener(thing)
    assert shown in str(raised.value)
    assert SECRET not in str(raised.value)
    assert len(str(raised.value)) < 400


def test_options_of_encoders_have_no_meaning_for_objects():
    with refuses(SettingError, option="pooling"):
        open_encoder(lengths, pooling="mean")


def test_too_large_numbers_are_refused_when_they_are_looked_up():
    embedding = load({"cat": [1e300, 1.0], "dog": [1.0, 2.0]})
    with pytest.raises(imprint.ImprintError, match="'cat'"):
        embedding.lookup(["cat"])
