"""Words in their sentences, on the real MiniLM: its tokens by its own library, and one vector by three adapters."""

import numpy as np
import pytest

from imprint.association.seat import seat
from imprint.encoders.onnx import OnnxEncoder
from imprint.encoders.sentence_transformers import SentenceTransformersEncoder
from imprint.encoders.transformers import TransformersEncoder
from imprint.encoders.wrapping import END, START, gives_tokens, marked_span, without_marks, words_in_context
from imprint.stimuli.definition import WeatTest, WordSet

TEXTS = [
    f"The {START}nurse{END} said that it rained.",
    f"We met {START}Shaniqua{END} at the bank of the river, and she laughed.",
    f"{START}Bank{END} notes are paper.",
    f"They sat on the river {START}bank{END}",
]
TEST = WeatTest(
    "senses",
    "Flowers and insects",
    "made here",
    "en",
    WordSet.of("flowers", ["rose", "lily", "tulip", "daisy", "violet"]),
    WordSet.of("insects", ["wasp", "flea", "beetle", "moth", "cockroach"]),
    WordSet.of("pleasant", ["joy", "love", "peace", "pleasure", "gentle"]),
    WordSet.of("unpleasant", ["filth", "stink", "poison", "vomit", "rotten"]),
)
SAID = (
    "We looked at the {} for a while.",
    "Nobody had seen the {} before that day.",
    "She said something about {} and went home.",
    "There was some {} in the garden.",
    "I wrote about {} in my diary.",
    "He asked me whether {} was on the list.",
)


@pytest.fixture(scope="module")
def whole(minilm):
    return SentenceTransformersEncoder(minilm)


@pytest.fixture(scope="module")
def eight_bits(minilm, minilm_onnx):
    return OnnxEncoder(minilm_onnx, tokenizer=minilm / "tokenizer.json")


def by_hand(model, text):
    """Return the mean of a word's token vectors, as the library gives these, found by spelling its pieces."""
    plain = without_marks(text)
    start, end = marked_span(text)
    pieces = model.tokenizer.tokenize(plain)
    before = len(model.tokenizer.tokenize(plain[:start]))
    of_word = len(model.tokenizer.tokenize(plain[start:end]))
    assert "".join(pieces[before : before + of_word]).replace("##", "") == plain[start:end].lower()
    tokens = model.encode([plain], output_value="token_embeddings")[0].numpy()
    return tokens[1 + before : 1 + before + of_word].mean(axis=0)  # behind [CLS]


def cosines(first, second):
    return (first * second).sum(axis=1) / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1)


def test_a_words_vector_is_the_mean_of_its_pieces(whole, sentence_transformer):
    rows = words_in_context(whole).encode(TEXTS)
    np.testing.assert_allclose(rows, [by_hand(sentence_transformer, text) for text in TEXTS], atol=1e-5)
    assert not np.allclose(rows[2], rows[3], atol=0.1)  # one word in two sentences


def test_three_adapters_give_one_vector(whole, eight_bits, minilm):
    adapters = (whole, TransformersEncoder(minilm), eight_bits)
    assert all(gives_tokens(words_in_context(each)) for each in adapters)
    first, second, third = (words_in_context(each).encode(TEXTS) for each in adapters)
    np.testing.assert_allclose(first, second, atol=1e-5)
    assert cosines(first, third).min() > 0.99


@pytest.mark.parametrize("adapter", [SentenceTransformersEncoder, TransformersEncoder])
def test_what_is_put_before_a_text_moves_its_words(adapter, minilm):
    plain = words_in_context(adapter(minilm)).encode([f"query: {text}" for text in TEXTS])
    np.testing.assert_allclose(words_in_context(adapter(minilm, prefix="query: ")).encode(TEXTS), plain, atol=1e-5)


def test_a_word_behind_the_models_limit_has_no_direction(whole):
    far = "word " * 300 + TEXTS[0]
    rows = words_in_context(whole).encode([far, TEXTS[0]])
    assert not rows[0].any()
    assert rows[1].any()


def test_a_decoder_and_a_model_with_two_halves_give_words_too(tiny):
    for name in ("gpt", "t5", "bart", "roberta"):
        encoder = words_in_context(TransformersEncoder(tiny(name), pooling="mean"))
        rows = encoder.encode(
            [f"this is the {START}cat{END}", f"this is the {START}dog{END}", f"{START}this{END} is the cat"]
        )
        assert np.abs(rows).max(axis=1).min() > 0
        assert len(np.unique(rows.round(4), axis=0)) == 3


@pytest.mark.parametrize("name", ["whole", "eight_bits"])
def test_flowers_are_nearer_to_pleasant_words_in_sentences(name, request, tmp_path):
    words = [word for side in (TEST.x, TEST.y, TEST.a, TEST.b) for word in side.words]
    (tmp_path / "text.txt").write_text("\n\n".join(said.format(word) for word in words for said in SAID))
    row = seat(request.getfixturevalue(name), TEST, contexts=(str(tmp_path / "text.txt"),), draws=200)
    assert (row.vectors, row.missing, row.texts) == ("word", (), 120)
    assert row.effect_size > 0.8
    assert row.d_ceat > 0.5
    assert row.size is not None
