import numpy as np
import pytest
from refusals import refuses

from imprint.embeddings.embedding import Embedding
from imprint.embeddings.vocabulary import frequent_words, is_cased, rows_by_frequency
from imprint.errors import VocabularyError


def make(words, **facts):
    vectors = np.random.default_rng(0).normal(size=(len(words), 4)).astype(np.float32)
    return Embedding("made", words, vectors, **{key: np.array(value) for key, value in facts.items()})


def chosen(embedding, count=100, leaving_out=()):
    rows = frequent_words(embedding, count, leaving_out=set(leaving_out))
    return [embedding.words[row] for row in rows]


def test_a_word_whose_capitalised_form_is_more_frequent_is_left_out():
    assert chosen(make(["the", "John", "may", "May", "john", "baker", "Baker", "The"])) == ["the", "may", "baker"]


def test_only_words_of_small_letters_are_asked_about():
    words = ["Word", "plain", "co-op", "don't", "naïve", "b2b", ".", "x_", "_y", "two  blanks", "TV", "tv"]
    assert chosen(make(words)) == ["plain", "tv"]


def test_phrases_joined_by_blank_or_underscore_are_words():
    assert chosen(make(["Word", "taxi driver", "cab_driver", "log_cabin_door"])) == [
        "taxi driver",
        "cab_driver",
        "log_cabin_door",
    ]


@pytest.mark.parametrize("join", [" ", "_"])
def test_a_phrase_that_is_mostly_a_name_is_left_out_however_it_is_capitalised(join):
    words = ["New York", "Log cabin", "new york", "log cabin", "Cab Driver", "taxi driver"]
    kept = chosen(make([word.replace(" ", join) for word in words]))
    assert kept == [f"taxi{join}driver"]
    assert chosen(make([f"new{join}york", f"New{join}York"])) == [f"new{join}york"]


def test_words_come_by_rank_and_not_by_place():
    embedding = make(["rare", "often", "Often", "Seldom", "seldom"], ranks=np.array([9, 1, 3, 2, 5], dtype=np.int32))
    assert rows_by_frequency(embedding).tolist() == [1, 3, 2, 4, 0]
    assert chosen(embedding) == ["often", "rare"]


def test_no_more_words_are_taken_than_asked_for_the_most_frequent_first():
    assert chosen(make(["Word", "first", "second", "third"]), 2) == ["first", "second"]


def test_names_that_were_kept_and_words_without_direction_are_left_out():
    embedding = make(["Word", "mary", "queen", "nothing"])
    embedding.vectors[3] = 0
    assert chosen(embedding, leaving_out=["mary"]) == ["queen"]


def test_without_capitals_the_flag_of_common_words_decides():
    embedding = make(["the", "paris", "smith", "b2b", "baker"], common=[True, False, False, True, True])
    assert chosen(embedding) == ["the", "baker"]


def test_a_flag_of_its_own_decides_also_where_there_are_capitals():
    words = ["May", "may", "paris", "Paris", "nurse"]
    assert chosen(make(words)) == ["paris", "nurse"]
    assert chosen(make(words, common=[False, True, False, False, True])) == ["may", "nurse"]


def test_with_a_flag_a_kept_name_leaves_out_the_word_of_its_letters():
    embedding = make(["May", "may", "nurse"], common=[False, True, True])
    assert chosen(embedding, leaving_out=["May"]) == ["nurse"]
    assert chosen(make(["may", "May", "nurse"]), leaving_out=["May"]) == ["may", "nurse"]


def test_without_capitals_and_flag_the_bundled_list_of_common_words_decides():
    embedding = make(["the", "paris", "nurse", "qwertzu", "mary"])
    assert chosen(embedding) == ["the", "nurse"]


@pytest.mark.parametrize(
    ("words", "cased"),
    [
        (["the", "of"], False),
        (["the", "Paris"], True),
        (["the", "New_York"], True),
        # Tokens that trainers add to a vocabulary without capitals.
        (["<UNK>", "UNK", "[PAD]", "the", "</s>", "N"], False),
    ],
)
def test_capitalised_words_make_an_embedding_cased(words, cased):
    assert is_cased(make(words)) == cased


def test_an_embedding_without_words_to_ask_about_is_refused():
    with refuses(VocabularyError, where="made"):
        chosen(make(["Paris", "1999", "слово"]))
