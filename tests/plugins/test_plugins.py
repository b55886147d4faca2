"""A package of somebody else adds a kind, a metric, tests, a debiaser, a reader and an encoder: entry points do it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

IMPRINT = Path(sys.executable).with_name("imprint")
MODULE = '''
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from imprint.debiasing.debiaser import Debiaser
from imprint.debiasing.transform import Card, LinearTransform
from imprint.embeddings.embedding import Embedding
from imprint.kinds import Kind, Part
from imprint.rows import Result, Row
from imprint.view import Column, Table, number, say, title

HEAD = b"TOY1"


class ToyRow(Row, frozen=True, kw_only=True, tag="toy"):
    """The mean length of words."""

    mean_length: float


def run(job, progress):
    words = job.embedding.words[:100]
    mean = sum(map(len, words)) / len(words)
    name, digest = job.measured
    yield ToyRow(test="lengths", embedding=name, embedding_sha256=digest, statistic=mean, mean_length=mean)


def blocks(rows):
    lines = tuple((title(row.embedding), number(row.mean_length, 1)) for row in rows)
    yield Table("Toy lengths", (Column("Embedding"), Column("Mean length", numeric=True)), lines)


def sentences(rows):
    yield say("Words have {} letters on average.", number(rows[0].mean_length, 1))


TOY = Kind("toy", row=ToyRow, part=Part("toys", "Toys", 65, controlled=False), blocks=blocks,
           sentences=sentences, run=run, aliases={"length": "mean_length"}, card=True)


@dataclass(frozen=True)
class FlipDebiaser(Debiaser):
    """Turns every vector round."""

    summary = "turns every vector round"

    def fit(self, embedding, *, axis=None, pairs=None):
        card = Card(embedding.name, embedding.sha256, (), (), ())
        return LinearTransform("flip", card, -np.eye(embedding.dimension), np.zeros(embedding.dimension))


@dataclass(frozen=True)
class Lengths(Result):
    """What the toy metric found."""

    row: ToyRow

    def findings(self):
        return [self.row]


def lengths(subject, test):
    """Measure the mean length of a test's target words."""
    found = [word for word in test.x.words if word in subject.index]
    mean = sum(map(len, found)) / len(found)
    return Lengths(ToyRow(test=test.id, embedding=subject.name, embedding_sha256=subject.sha256, mean_length=mean))


CATALOGUE = str(Path(__file__).with_name("toy.toml"))


def recognises(head, path):
    return head.startswith(HEAD)


def read(path, only, progress):
    words = path.read_bytes()[len(HEAD):].decode().split()
    return Embedding("toy file", words, np.eye(len(words), dtype=np.float32))


def make_encoder(place=None):
    def encode(texts):
        return np.array([[len(text), text.count("e"), 1.0] for text in texts], dtype=np.float32)

    return encode
'''
TOML = """
[[weat]]
id = "toy-1"
x = ["rose", "lily"]
y = ["ant", "wasp"]
a = ["love", "peace"]
b = ["hate", "war"]
"""
ENTRY_POINTS = """
[imprint.kinds]
toy = imprint_toy:TOY

[imprint.debiasers]
flip = imprint_toy:FlipDebiaser

[imprint.readers]
toy = imprint_toy

[imprint.encoders]
toy-encoder = imprint_toy:make_encoder

[imprint.metrics]
lengths = imprint_toy:lengths

[imprint.catalogues]
toys = imprint_toy:CATALOGUE
"""


@pytest.fixture(scope="module")
def plugged(tmp_path_factory):
    """Run commands and Python where the package is installed."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "imprint_toy.py").write_text(MODULE)
    (folder / "toy.toml").write_text(TOML)
    metadata = folder / "imprint_toy-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: imprint-toy\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    environment = os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}

    def run(*arguments, program=str(IMPRINT)):
        command = [program, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)
        assert done.returncode in (0, 2), done.stderr
        return done

    run.folder = folder
    return run


def python(plugged, code):
    return plugged("-c", code, program=sys.executable).stdout


def test_a_kind_is_run_by_the_audit_and_shown_gated_and_described(plugged):
    (plugged.folder / "words.txt").write_text("".join(f"{word} 1 0 {place}\n" for place, word in enumerate("abc")))
    conditions = ("--fail-on", "toy:length>0.5")
    options = ("--debias", "none", "--rotations", 5, "--language", "de")  # a toy has no German words
    done = plugged("audit", "words.txt", "--quick", *options, *conditions)
    assert done.returncode == 2, "the gate asks the toy kind by its alias"
    rows = [json.loads(line) for line in (plugged.folder / "findings.jsonl").read_text().splitlines()]
    assert [row["mean_length"] for row in rows if row["kind"] == "toy"] == [1.0]
    assert [row["ran"] for row in rows if row["kind"] == "part" and row["test"] == "toys"] == [True]
    page = (plugged.folder / "report.html").read_text()
    assert "Toy lengths" in page
    assert 'id="toys"' in page
    assert "Toy lengths" in plugged("card", "findings.jsonl").stdout
    assert "mean_length" in json.loads(plugged("schema", "toy").stdout)["$defs"]["ToyRow"]["properties"]


def test_without_the_plug_in_its_rows_are_kept_and_shown_plainly(plugged, in_process, tmp_path):
    row = {
        "kind": "toy",
        "test": "t",
        "embedding": "e",
        "embedding_sha256": "s",
        "schema_version": 2,
        "mean_length": 3,
    }
    (tmp_path / "f.jsonl").write_text(json.dumps(row) + "\n")
    assert in_process("report", "f.jsonl").returncode == 0
    assert "mean_length" in (tmp_path / "report.html").read_text()


def test_a_metric_and_a_catalogue_are_found_by_name(plugged):
    row, *controls = (
        json.loads(line)
        for line in plugged(
            "metric", "default", "--metric", "lengths", "--test", "toy-1", "--json"
        ).stdout.splitlines()
    )
    assert (row["kind"], row["test"], row["mean_length"]) == ("toy", "toy-1", 4.0)
    assert [one["kind"] for one in controls] == ["controls"]
    assert "lengths" in plugged("metrics").stdout
    both = plugged("metric", "default", "--metric", "weat", "--metric", "lengths", "--test", "toy-1").stdout
    assert "toy-1" in both
    assert "Toy lengths" in both


def test_a_reader_opens_a_format_of_its_own(plugged):
    (plugged.folder / "words.toy").write_bytes(b"TOY1rose lily ant flea")
    said = python(plugged, "import imprint; e = imprint.load('words.toy'); print(e.name, len(e))")
    assert said.split() == ["toy", "file", "4"]


def test_a_debiaser_is_found_by_its_name(plugged):
    code = (
        "import imprint; e = imprint.load({'a': [1.0, 2.0], 'b': [3.0, 4.0]});"
        "t = imprint.debiaser('flip').fit(e); print(t.method, t.apply(e).vectors.tolist())"
    )
    assert python(plugged, code).strip() == "flip [[-1.0, -2.0], [-3.0, -4.0]]"


def test_an_encoder_is_opened_by_its_name(plugged):
    code = "import imprint; e = imprint.open_encoder('toy-encoder'); print(e.encode(['see']).tolist())"
    assert python(plugged, code).strip() == "[[3.0, 2.0, 1.0]]"
