"""The mean of a text's word vectors, as stored, against literal loops and against the bundled embedding."""

import math
import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from imprint.embeddings.embedding import Embedding
from imprint.encoders.bag_of_words import BagOfWordsEncoder, entries_for
from imprint.stimuli.catalog import catalogue
from imprint.stimuli.definition import WeatTest, words_of
from imprint.stimuli.templates import contexts, sentences
from imprint.subjects.opening import load

WORDS = (
    "this",
    "is",
    "a",
    "rose",
    "Rose",
    "short-term",
    "short",
    "term",
    "don't",
    "don",
    "t",
    "new york",
    "york",
    "2020",
    "o’clock",
)


@pytest.fixture(scope="module")
def small() -> Embedding:
    rows = np.random.default_rng(3).normal(scale=5, size=(len(WORDS), 6)).astype(np.float32)
    return Embedding("small", WORDS, rows)


@pytest.fixture(scope="module")
def asked() -> list[str]:
    """Every sentence and word of the catalogue."""
    tests = [test for test in catalogue() if isinstance(test, WeatTest)]
    texts = {
        sentence.text
        for test in tests
        for context in contexts(test)
        for side in sentences(test, context).values()
        for sentence in side
    }
    return sorted(texts | words_of(catalogue()))


def mean_of(embedding: Embedding, words: list[str]) -> list[float]:
    """The mean, added up exactly and divided once."""
    rows = [embedding.vectors[embedding.index[word]] for word in words]
    return [math.fsum(float(row[column]) for row in rows) / len(rows) for column in range(embedding.dimension)]


def encode_one(embedding: Embedding, text: str) -> np.ndarray:
    return BagOfWordsEncoder(embedding).encode([text])[0]


def test_a_single_word_is_its_row_as_stored(bundled):
    words = list(bundled.words[::97])
    places = np.arange(len(bundled))[::97]
    encoded = BagOfWordsEncoder(bundled).encode(words)
    assert encoded.tobytes() == np.ascontiguousarray(bundled.vectors[places]).tobytes()
    assert np.ptp(np.linalg.norm(encoded, axis=1)) > 1  # not at unit length


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(["this", "is", "a", "rose", "Rose", "short", "york", "2020"]), min_size=2, max_size=12)
)
def test_a_text_is_the_mean_of_its_words_rows_as_stored(small, words):
    encoded = encode_one(small, " ".join(words))
    assert encoded.dtype == np.float32
    np.testing.assert_allclose(encoded, mean_of(small, words), rtol=2e-7, atol=1e-15)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("This is a rose.", ["this", "is", "a", "rose"]),  # no such capital: the lower case
        ("THIS", ["this"]),
        ("Rose is rose", ["Rose", "is", "rose"]),  # such a capital: as spelt
        ("This is short-term!", ["this", "is", "short-term"]),
        ("Short-Term", ["short-term"]),
        ("a rose-term", ["a", "rose", "term"]),  # unknown as a whole: its parts
        ("Don't, this is a rose", ["don't", "this", "is", "a", "rose"]),
        ("don’t", ["don", "t"]),
        ("This is o’clock.", ["this", "is", "o’clock"]),
        ("new york", ["new york"]),  # an entry with a blank, where it is the whole text
        ("New York", ["new york"]),
        ("this new york", ["this", "york"]),
        ("(this) - «is», “a” … rose?!;:", ["this", "is", "a", "rose"]),
        ("this_is a", ["this", "is", "a"]),
        ("rose rose a", ["rose", "rose", "a"]),
        ("2020 is a", ["2020", "is", "a"]),
        ("\tthis\n  is\u00a0a ", ["this", "is", "a"]),
    ],
)
def test_which_words_make_up_a_text(small, text, words):
    np.testing.assert_allclose(encode_one(small, text), mean_of(small, words), rtol=2e-7)


@pytest.mark.parametrize("text", ["", " ", "...", "qwxz", "qwxz plugh!", "'", "_"])
def test_a_text_without_a_known_word_is_a_row_of_zeros_and_lacking(small, text):
    assert encode_one(small, text).tolist() == [0] * 6
    assert BagOfWordsEncoder(small).lacks([text]) == (text,)


def test_lacking_are_words_and_phrases_of_which_a_part_has_no_vector(small):
    words = ["rose", "ROSE", "qwxz", "a rose", "a qwxz", "short-term", "short-qwxz", "new york", "new rose", "is."]
    assert BagOfWordsEncoder(small).lacks(words) == ("qwxz", "a qwxz", "short-qwxz", "new rose")


def test_a_word_whose_row_is_zero_counts_as_unknown():
    embedding = Embedding("zeros", ["a", "b"], np.array([[0, 0], [1, 2]], dtype=np.float32))
    assert encode_one(embedding, "a b").tolist() == [1, 2]
    assert BagOfWordsEncoder(embedding).lacks(["a", "b"]) == ("a",)


def test_rows_made_of_subwords_enter_the_mean(small):
    guessed = np.arange(6, dtype=np.float32)
    embedding = Embedding("subwords", WORDS, small.vectors, subword=lambda word: guessed if word == "roses" else None)
    rose = small.vectors[WORDS.index("rose")]
    np.testing.assert_allclose(encode_one(embedding, "Rose roses"), (embedding.vectors[4] + guessed) / 2, rtol=1e-6)
    np.testing.assert_allclose(encode_one(embedding, "rose roses"), (rose + guessed) / 2, rtol=1e-6)
    assert BagOfWordsEncoder(embedding).lacks(["roses", "Roses"]) == ("Roses",)


def test_no_texts_are_no_rows(small):
    assert BagOfWordsEncoder(small).encode([]).shape == (0, 6)


def test_the_identity_is_that_of_the_embedding(small):
    same = Embedding("another name", WORDS, small.vectors.copy())
    other = Embedding("small", WORDS, small.vectors * 2)
    assert BagOfWordsEncoder(same).identity == BagOfWordsEncoder(small).identity
    assert BagOfWordsEncoder(other).identity != BagOfWordsEncoder(small).identity
    assert not BagOfWordsEncoder(small).cacheable


def test_the_entries_a_text_may_need_are_enough_for_every_sentence_of_the_catalogue(bundled, asked):
    whole = BagOfWordsEncoder(bundled)
    part = BagOfWordsEncoder(load("default", only=entries_for(asked)))
    assert len(asked) > 2_000
    assert part.encode(asked).tobytes() == whole.encode(asked).tobytes()
    assert part.lacks(asked) == whole.lacks(asked)
    assert part.identity == whole.identity


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.from_regex(re.compile(r"((this|Is|A|rose|short|term|don|t|new|york|x)[ '’.,_-]?){1,6}"), fullmatch=True)
    )
)
@example(["New york", "a rose-term"])
def test_the_entries_a_text_may_need_are_enough_for_any_text(small, texts):
    wanted = {form for entry in entries_for(texts) for form in (entry, entry.lower())}
    kept = [place for place, word in enumerate(WORDS) if word in wanted]
    part = Embedding("part", [WORDS[place] for place in kept], small.vectors[kept])
    assert BagOfWordsEncoder(part).encode(texts).tobytes() == BagOfWordsEncoder(small).encode(texts).tobytes()
