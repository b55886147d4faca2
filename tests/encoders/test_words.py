"""Words where they are in a text: the mean of their tokens, or the sentence where a model gives no tokens."""

import numpy as np
import pytest

from imprint.encoders.base import Encoder, FunctionEncoder
from imprint.encoders.cache import EncodingCache
from imprint.encoders.tokens import mean_of_words
from imprint.encoders.wrapping import (
    END,
    START,
    VariantEncoder,
    gives_tokens,
    marked_span,
    without_marks,
    words_in_context,
)
from imprint.errors import SettingError
from imprint.subjects.encodings import encode_texts

TEXT = f"The {START}nurse{END} is here."


def numbered(texts):
    return [[len(text), text.count("e"), 1.0] for text in texts]


class Reader(Encoder):
    """An encoder whose token is a letter, and its vector the letter's place and code."""

    gives_tokens = True
    name, identity, settings = "reader", "reader 1", {"adapter": "reader"}

    def embed(self, texts):
        raise AssertionError("the whole sentence was asked")

    def embed_words(self, texts, spans):
        return [
            np.mean([[place, ord(text[place])] for place in range(*span)], axis=0)
            for text, span in zip(texts, spans, strict=True)
        ]


def test_a_words_vector_is_the_mean_of_the_tokens_that_overlap_it():
    hidden = np.arange(24, dtype=np.float32).reshape(2, 4, 3)
    offsets = [[(0, 0), (0, 3), (3, 7), (0, 0)], [(0, 0), (0, 4), (4, 5), (0, 0)]]
    rows = mean_of_words(hidden, offsets, [(1, 4), (4, 9)])
    np.testing.assert_array_equal(rows, [hidden[0, 1:3].mean(axis=0), hidden[1, 2]])


def test_a_word_behind_what_is_read_has_no_direction():
    rows = mean_of_words(np.ones((1, 3, 2), dtype=np.float32), [[(0, 0), (0, 3), (0, 0)]], [(3, 8)])
    assert not rows.any()


def test_marks_say_where_the_word_is():
    start, end = marked_span(TEXT)
    assert without_marks(TEXT)[start:end] == "nurse"


def test_the_tokens_of_the_word_are_asked_where_a_model_gives_them():
    reader = Reader()
    encoder = words_in_context(reader)
    assert gives_tokens(encoder)
    np.testing.assert_allclose(encoder.encode([TEXT]), [[6.0, np.mean([*b"nurse"])]])
    assert (encoder.identity, reader.sent) == ("reader 1", 1)


def test_the_sentence_is_asked_where_it_does_not():
    function = FunctionEncoder(numbered)
    encoder = words_in_context(function)
    assert not gives_tokens(encoder)
    np.testing.assert_array_equal(encoder.encode([TEXT]), numbered([without_marks(TEXT)]))
    assert function.sent == 1


@pytest.mark.parametrize("base", [Reader(), FunctionEncoder(numbered)])
def test_a_variant_is_cut_after_the_word_is_read(base):
    variant = words_in_context(VariantEncoder(base, dims=1))
    assert gives_tokens(variant) == base.gives_tokens
    whole = words_in_context(base).encode([TEXT])
    np.testing.assert_array_equal(encode_texts(variant, [TEXT]).matrix, whole[:, :1])


def test_words_and_texts_do_not_share_a_place_in_the_cache(tmp_path):
    encoder = FunctionEncoder(numbered, identity="1")
    with EncodingCache(tmp_path / "cache.sqlite") as cache:
        encode_texts(encoder, [without_marks(TEXT)], cache=cache)
        again = encode_texts(words_in_context(encoder), [TEXT], cache=cache)
        assert again.encoded == 1
        assert encode_texts(words_in_context(encoder), [TEXT], cache=cache).encoded == 0


def test_the_models_limit_of_texts_holds():
    limited = FunctionEncoder(numbered)
    limited.max_texts = 1
    encoder = words_in_context(limited)
    encode_texts(encoder, [TEXT])
    with pytest.raises(SettingError):
        encode_texts(encoder, [f"A {START}nurse{END} was there."])
