"""Encoders as they are deployed: vectors cut or stored in fewer bits, by definition and on the bundled encoder."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refuses

from imprint.association.seat import seat
from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import FunctionEncoder
from imprint.encoders.cache import HeldEncodings
from imprint.encoders.wrapping import VariantEncoder
from imprint.errors import SettingError
from imprint.evaluation.controls import controls
from imprint.subjects.encodings import encode_texts, fresh_texts
from imprint.subjects.opening import open_encoder, open_for_search, open_subject

ROWS = arrays(np.float32, (5, 12), elements=st.floats(-100, 100, width=32))
WORDS = {"rose": [3.0, -4.0, 0.5], "lily": [0.0, 1.0, -2.0], "iris": [1.0, 1.0, 1.0]}


def wide(rows=None):
    """An encoder with vectors of twelve numbers, which counts the texts that it was asked."""
    encoder = FunctionEncoder(
        lambda texts: (
            np.array([np.random.default_rng(list(text.encode())).normal(size=12) for text in texts])
            if rows is None
            else rows
        ),
        name="wide",
        identity="1",
    )
    encoder.max_texts = 1_000
    return encoder


def cosines(rows):
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit @ unit.T


@given(ROWS, st.integers(1, 12))
def test_the_first_numbers_are_kept(rows, dims):
    variant = VariantEncoder(wide(rows), dims=dims)
    assert np.array_equal(variant.encode(list("abcde")), rows[:, :dims])


@given(ROWS, st.integers(1, 12) | st.none())
def test_one_bit_says_whether_a_number_is_above_zero(rows, dims):
    variant = VariantEncoder(wide(rows), dims=dims, quantize="binary")
    for stored, row in zip(variant.encode(list("abcde")), rows[:, :dims], strict=True):
        assert stored.tolist() == [(1 if value > 0 else -1) if row.any() else 0 for value in row.tolist()]


def test_cosines_of_bits_are_hamming_distances():
    encoder = wide()
    texts = [f"text {number}" for number in range(40)]
    bits = encoder.encode(texts) > 0
    apart = (bits[:, None] != bits[None]).mean(axis=2)
    assert np.allclose(cosines(VariantEncoder(encoder, quantize="binary").encode(texts)), 1 - 2 * apart, atol=1e-6)


@given(ROWS)
def test_eight_bits_are_whole_numbers_in_proportion(rows):
    stored = VariantEncoder(wide(rows), quantize="int8").encode(list("abcde"))
    assert np.array_equal(stored, stored.astype(np.int8))
    for small, row in zip(stored, rows, strict=True):
        if (largest := np.abs(row).max()) >= np.finfo(np.float32).tiny:
            assert np.abs(small).max() == 127
            assert np.abs(small / 127 - row / largest).max() <= 0.5001 / 127
        elif largest == 0:
            assert not small.any()


def test_a_variant_is_a_subject_of_its_own():
    base = wide()
    made = [
        base,
        VariantEncoder(base, dims=4),
        VariantEncoder(base, dims=8),
        VariantEncoder(base, quantize="int8"),
        VariantEncoder(base, dims=4, quantize="binary"),
    ]
    assert [one.name for one in made[1:]] == ["wide (4 dims)", "wide (8 dims)", "wide (int8)", "wide (4 dims, binary)"]
    assert len({one.identity for one in made}) == len(made)
    assert made[-1].settings == {**base.settings, "dims": "4", "quantize": "binary"}


def test_several_variants_of_a_model_encode_each_text_once():
    base, store = wide(), HeldEncodings()
    texts = ["a rose", "a lily", "a flea"]
    for options in ({}, {"dims": 4}, {"dims": 2, "quantize": "binary"}):
        encoder = open_encoder(base, **options)
        rows = encode_texts(encoder, texts, cache=store).rows(texts)
        assert np.array_equal(rows, encoder.encode(texts))
        assert fresh_texts(encoder, [*texts, "new"], store) == ["new"]
    assert base.sent == 3 + 3 * 3  # once into the store, and three times by hand


def test_a_limit_on_texts_holds_for_the_variant(announced):
    base = wide()
    variant = VariantEncoder(base, dims=4)
    limited = variant.at_most(3, hint="ask less")
    encode_texts(limited, list("ab"))
    with refuses(SettingError, option="max_texts", got=4):
        encode_texts(limited, list("cd"))
    assert (limited.max_texts, variant.max_texts) == (3, 1_000)
    assert announced == [f"{base.name}: 2 texts will be sent"]
    assert base.at_most(5_000, hint="ask less").max_texts == 1_000


@pytest.mark.parametrize(("option", "value"), [("dims", 0), ("dims", 2.5), ("quantize", "int4"), ("quantize", 8)])
def test_what_is_no_variant_is_refused(option, value):
    with refuses(SettingError, option=option, got=value):
        open_encoder(wide(), **{option: value})


def test_more_numbers_than_a_vector_has_are_refused():
    with refuses(SettingError, "at most 12", option="dims", got=13, where="wide"):
        open_encoder(wide(), dims=13).encode(["a"])


def test_every_encoder_has_variants_and_word_vectors_have_none(tmp_path):
    file = tmp_path / "tiny.txt"
    file.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in WORDS.items()))
    for source in (WORDS, file, lambda texts: [WORDS[text] for text in texts]):
        rows = open_encoder(source, dims=2, quantize="binary").encode(["rose", "lily"])
        assert rows.tolist() == [[1, -1], [-1, 1]]
    assert open_encoder(file, dims=2).lacks(["rose", "ant"]) == ("ant",)
    assert isinstance(open_subject(file, dims=None), Embedding)
    for source in (WORDS, file):
        with refuses(SettingError, option="dims", got=2):
            open_subject(source, dims=2)


@pytest.mark.slow
def test_figures_of_the_bundled_encoder_depend_on_how_it_is_deployed():
    """Men and women at work disappear with fewer numbers long before flowers and insects do."""
    store = HeldEncodings()
    found = {}
    for options in ({}, {"dims": 128}, {"dims": 64}, {"quantize": "int8"}, {"quantize": "binary"}):
        encoder = open_encoder("default", **options)
        people, flowers = (
            seat(encoder, test, context="bleached", cache=store).effect_size for test in ("caliskan-6", "caliskan-1")
        )
        assert controls(encoder, cache=store).judged
        found[tuple(options.values())] = round(people, 2), round(flowers, 2)
    assert found == {
        (): (1.08, 1.57),
        (128,): (0.21, 1.48),
        (64,): (-0.40, 0.95),
        ("int8",): (1.08, 1.57),
        ("binary",): (0.74, 1.55),
    }


URL = "http://127.0.0.1:9/v1"


def test_queries_and_documents_have_prompts_of_their_own():
    queries, documents = open_for_search(URL, model="m", query_prompt="query: ", document_prompt="passage: ", dims=8)
    assert [one.settings.get("prefix") for one in (queries, documents)] == ["query: ", "passage: "]
    assert {one.settings["dims"] for one in (queries, documents)} == {"8"}
    assert queries.identity != documents.identity
    queries, documents = open_for_search(URL, model="m", query_prompt="query: ")
    assert [one.settings.get("prefix") for one in (queries, documents)] == ["query: ", None]
    for options in ({}, {"prefix": "both: "}, {"query_prompt": "same: ", "document_prompt": "same: "}):
        queries, documents = open_for_search(URL, model="m", **options)
        assert queries is documents


def test_two_prompts_for_one_text_and_prompts_that_an_encoder_cannot_take_are_refused():
    with refuses(SettingError, option="document_prompt", got="passage: "):
        open_for_search(URL, model="m", prefix="query: ", document_prompt="passage: ")
    with refuses(SettingError, option="prefix", got="query: "):
        open_for_search("default", query_prompt="query: ")
