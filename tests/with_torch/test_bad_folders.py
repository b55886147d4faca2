"""Model folders that are broken or hostile: one line each, and nothing in them runs."""

import json
import os

import pytest
from refusals import refuses

from imprint.encoders.transformers import TransformersEncoder
from imprint.errors import EncoderError


def refuse(folder, *mentioned, file=None):
    """Expect an error about the folder, or a file in it, that mentions these."""
    with refuses(EncoderError, *mentioned, where=folder if file is None else folder / file) as caught:
        TransformersEncoder(folder)
    assert len(str(caught.value)) < 600


def change(folder, **settings):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))


def test_a_folder_that_is_not_there(tmp_path):
    refuse(tmp_path / "nowhere")
    with refuses(EncoderError, where=r"'a\x00b'"):
        TransformersEncoder("a\0b")


def test_a_folder_without_weights(copied):
    folder = copied("bert")
    (folder / "model.safetensors").unlink()
    refuse(folder, "model.safetensors")


def test_pickled_weights_are_not_opened_but_to_be_converted(copied, torch):
    folder = copied("bert")
    (folder / "model.safetensors").unlink()
    marker = folder / "ran"

    class Payload:
        def __reduce__(self):
            return os.mkdir, (str(marker),)

    torch.save({"weight": Payload()}, folder / "pytorch_model.bin")
    refuse(folder, "pytorch_model.bin")
    assert not marker.exists()


@pytest.mark.parametrize("keep", [0, 4, 100, -1])
def test_truncated_weights(copied, keep):
    path = copied("bert") / "model.safetensors"
    path.write_bytes(path.read_bytes()[:keep])
    refuse(path.parent, file="model.safetensors")


def test_weights_of_another_model_are_not_filled_up_with_random_numbers(copied, tiny):
    folder = copied("bert")
    (folder / "model.safetensors").write_bytes((tiny("gpt") / "model.safetensors").read_bytes())
    refuse(folder, "tensors")


def test_weights_that_lack_one_layer(copied):
    folder = copied("bert")
    change(folder, num_hidden_layers=4)
    refuse(folder, "16 tensors", "encoder.layer.3.")


def test_weights_of_another_shape(copied):
    folder = copied("bert")
    change(folder, intermediate_size=64)
    refuse(folder)


def test_more_layers_than_weights_are_refused_before_they_are_built(copied):
    folder = copied("bert")
    change(folder, num_hidden_layers=10**12)
    refuse(folder, "1000000000000", file="config.json")


@pytest.mark.parametrize(
    ("family", "settings"),
    [
        ("bart", {"encoder_layers": 10**6}),
        ("bart", {"decoder_layers": 10**6}),
        ("t5", {"num_decoder_layers": 10**6}),
        ("bert", {"num_labels": 10**6}),
        ("bert", {"text_config": {"num_hidden_layers": 10**6}}),
    ],
)
def test_more_parts_than_there_can_be_are_refused_whatever_they_are_called(copied, family, settings):
    folder = copied(family)
    change(folder, **settings)
    refuse(folder, "1000000", file="config.json")


def test_weights_that_are_not_those_that_were_checked_are_never_read(copied):
    folder = copied("bert")
    (folder / "other.safetensors").write_bytes((folder / "model.safetensors").read_bytes())
    change(folder, transformers_weights="other.safetensors")
    refuse(folder, "transformers_weights", file="config.json")


@pytest.mark.parametrize("name", ["attn_implementation", "_attn_implementation"])
@pytest.mark.parametrize("value", ["someone/attention", {"text_config": "paged|someone/attention@main"}])
def test_attention_that_is_a_repository_is_refused(copied, name, value):
    folder = copied("bert")
    change(folder, **{name: value})
    refuse(folder, name, "code of its own", file="config.json")


@pytest.mark.parametrize("names", [["../tokenizer.4.0.0.json"], ["/tokenizer.4.0.0.json"], [3], "tokenizer.4.json/x"])
def test_a_tokenizer_of_another_folder_is_refused(copied, names):
    folder = copied("bert")
    (folder.parent / "tokenizer.4.0.0.json").write_bytes((folder / "tokenizer.json").read_bytes())
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"fast_tokenizer_files": names}))
    refuse(folder, file="tokenizer_config.json")


@pytest.mark.parametrize("name", ["bpe.codes", "source.spm", "chat_template.jinja", "prophetnet.tokenizer"])
def test_identity_follows_every_file_that_a_tokenizer_reads(copied, name):
    folder = copied("bert")
    before = TransformersEncoder(folder).identity
    (folder / name).write_text("x")
    assert TransformersEncoder(folder).identity != before


@pytest.mark.parametrize("name", ["../other.safetensors", "/etc/other.safetensors", "model.bin", "gone.safetensors"])
def test_an_index_may_name_only_safetensors_of_its_folder(copied, name):
    folder = copied("bert")
    (folder / "model.safetensors").rename(folder.parent / "other.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"embeddings": name}}))
    refuse(folder, repr(name), file="model.safetensors.index.json")


def test_weights_in_parts_are_read_and_hashed(copied, torch, tiny):
    from transformers import AutoModel

    folder = copied("bert")
    whole = TransformersEncoder(folder).encode(["the cat is here"])
    (folder / "model.safetensors").unlink()
    AutoModel.from_pretrained(tiny("bert")).save_pretrained(folder, max_shard_size="4KB")
    parts = sorted(folder.glob("model-*.safetensors"))
    assert len(parts) > 1
    encoder = TransformersEncoder(folder)
    assert (encoder.encode(["the cat is here"]) == whole).all()
    part = bytearray(parts[-1].read_bytes())
    part[-1] ^= 1
    parts[-1].write_bytes(part)
    assert TransformersEncoder(folder).identity != encoder.identity


@pytest.mark.parametrize("text", ["{", "", "\udcff", "[" * 100_000])
def test_a_config_that_is_not_json(copied, text):
    folder = copied("bert")
    (folder / "config.json").write_text(text, errors="surrogateescape")
    refuse(folder, "JSON", file="config.json")


def test_a_config_that_is_no_object_or_missing(copied):
    folder = copied("bert")
    (folder / "config.json").write_text("[1]")
    refuse(folder, "JSON", file="config.json")
    (folder / "config.json").unlink()
    refuse(folder, "config.json")


@pytest.mark.parametrize("kind", ["nosuchmodel", None, 3])
def test_an_unknown_architecture(copied, kind):
    folder = copied("bert")
    change(folder, model_type=kind)
    refuse(folder, repr(kind), file="config.json")


@pytest.mark.parametrize("value", ["wide", -4, 0, [1]])
def test_a_config_of_nonsense(copied, value):
    folder = copied("bert")
    change(folder, hidden_size=value)
    refuse(folder)


@pytest.mark.parametrize("limit", ["x", [1], {"a": 1}])
def test_a_limit_on_tokens_that_is_no_number(copied, limit):
    folder = copied("bert")
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"model_max_length": limit}))
    refuse(folder)


@pytest.mark.parametrize("known", [True, False])
def test_code_that_a_config_asks_for_never_runs(copied, known):
    folder = copied("bert")
    marker = folder / "ran"
    (folder / "custom.py").write_text(f"open({str(marker)!r}, 'w')\nclass Config: ...\nclass Model: ...\n")
    change(
        folder,
        model_type="bert" if known else "custom",
        auto_map={"AutoConfig": "custom.Config", "AutoModel": "custom.Model"},
    )
    refuse(folder, "auto_map", file="config.json")
    assert not marker.exists()


def test_code_that_a_tokenizer_asks_for_never_runs(copied):
    folder = copied("bert")
    marker = folder / "ran"
    (folder / "custom.py").write_text(f"open({str(marker)!r}, 'w')\nclass Words: ...\n")
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps({"tokenizer_class": "Words", "auto_map": {"AutoTokenizer": ["custom.Words", None]}}))
    refuse(folder, "auto_map", file="tokenizer_config.json")
    assert not marker.exists()


def test_an_adapter_without_its_base(copied):
    folder = copied("bert")
    (folder / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": "elsewhere"}))
    refuse(folder, "adapter")


def test_a_missing_tokenizer(copied):
    folder = copied("bert")
    for path in folder.glob("*token*"):
        path.unlink()
    refuse(folder, "tokenizer.json")


@pytest.mark.parametrize("text", ["{}", "not json", '{"model": {"type": "WordLevel", "vocab": {}}}'])
def test_a_broken_tokenizer(copied, text):
    folder = copied("bert")
    (folder / "tokenizer.json").write_text(text)
    refuse(folder, "tokenizer")


def test_a_tokenizer_with_ids_beyond_the_models_embeddings(copied, tokenizer_writer):
    folder = copied("bert")
    tokenizer_writer(folder, special=True, extra=["elephant"])
    refuse(folder, "up to 14", "14 tokens")


def test_a_mended_folder_opens(copied):
    assert TransformersEncoder(copied("bert")).encode(["the cat"]).shape == (1, 16)
