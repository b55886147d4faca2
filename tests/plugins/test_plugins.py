"""The documentation's sample plug-in, installed by pip: everything that it adds is found by its entry points."""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import imprint
from imprint.debiasing import METHODS
from imprint.rows import SCHEMA_VERSION
from imprint.stimuli.catalog import get, read_tests

IMPRINT = Path(sys.executable).with_name("imprint")
SAMPLE = Path(__file__).parents[2] / "docs" / "sample-plugin"
TESTS = SAMPLE / "imprint_sample" / "tests.toml"


@pytest.fixture(scope="module")
def plugged(tmp_path_factory):
    """Run commands and Python where the package is installed."""
    folder = tmp_path_factory.mktemp("site")
    offline = ("--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check")
    install = [sys.executable, "-m", "pip", "install", "-q", *offline, "--target", str(folder), str(SAMPLE)]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    environment = os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}

    def run(*arguments, program=str(IMPRINT), fails=False):
        command = [program, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)
        assert done.returncode in ((1,) if fails else (0, 2)), done.stderr
        return done

    run.folder = folder
    return run


def python(plugged, code):
    return plugged("-c", code, program=sys.executable).stdout


def test_a_kind_is_run_by_the_audit_and_shown_gated_and_described(plugged):
    (plugged.folder / "words.txt").write_text("".join(f"{word} 1 0 {place}\n" for place, word in enumerate("abc")))
    conditions = ("--fail-on", "lengths:length>0.5")
    options = ("--debias", "none", "--language", "de")  # three letters have no German words
    done = plugged("audit", "words.txt", "--quick", *options, *conditions)
    assert done.returncode == 2, "the gate asks the kind by its alias"
    rows = [json.loads(line) for line in (plugged.folder / "findings.jsonl").read_text().splitlines()]
    assert [row["mean_length"] for row in rows if row["kind"] == "lengths"] == [1.0]
    assert [row["ran"] for row in rows if row["kind"] == "part" and row["test"] == "lengths"] == [True]
    page = (plugged.folder / "report.html").read_text()
    assert "Lengths of words" in page
    assert 'id="lengths"' in page
    assert "Lengths of words" in plugged("card", "findings.jsonl").stdout
    assert "mean_length" in json.loads(plugged("schema", "lengths").stdout)["$defs"]["LengthsRow"]["properties"]


def test_a_kind_has_its_line_in_the_summary_its_words_explained_and_its_limits(plugged):
    done = plugged("metric", "default", "--metric", "lengths", "--test", "sample-1", "--json")
    (plugged.folder / "lengths.jsonl").write_text(done.stdout)
    said, limit = "Words have 4.5 letters on average.", "The length of words says nothing about bias."
    code = (
        "import imprint; from imprint.reports.summary import brief; from imprint.masking import Words;"
        "from imprint.render.numbers import plain;"
        "print(*(plain(text, Words()) for text in brief(imprint.read_findings('lengths.jsonl'))), sep='\\n')"
    )
    assert python(plugged, code).splitlines().count(said) == 1
    card = plugged("card", "lengths.jsonl").stdout
    assert [text in card for text in ("Lengths of words", said, limit)] == [True] * 3
    plugged("report", "lengths.jsonl", "--out", "lengths.html")
    page = (plugged.folder / "lengths.html").read_text()
    explained = "Mean length: how many letters words have on average."
    for text in ("Lengths of words", "letters on average", limit, explained, "The letters of the words were counted."):
        assert text in page, text


def test_rows_of_a_plug_in_s_kind_are_typed_wherever_rows_are_read(plugged):
    """From a file, in a notebook, and as a board keeps them; also in a part of another kind."""
    code = (
        "import imprint; from imprint.boards.subjects import MeasuredModel;"
        "from imprint.kinds.sections import round_trip;"
        "from imprint.rows import read_row; from imprint_sample.lengths import LengthsRow;"
        "fields = dict(test='t', embedding='e', embedding_sha256='s', mean_length=3.0);"
        "row, beside = LengthsRow(**fields), LengthsRow(**fields, part='weat');"
        "imprint.write_findings('rows.jsonl', [row, beside]);"
        "kept = MeasuredModel('on the board', 's', 'embedding', (row.to_json(),), 0, b'', ()).rows();"
        "read = [*imprint.read_findings('rows.jsonl'), *round_trip([row, beside])];"
        "print(read == [row, beside] * 2, [(type(one).__name__, one.embedding, one.mean_length) for one in kept])"
    )
    assert python(plugged, code) == "True [('LengthsRow', 'on the board', 3.0)]\n"


def test_without_the_plug_in_its_rows_are_kept_and_shown_plainly(plugged, in_process, tmp_path):
    row = {
        "kind": "lengths",
        "test": "t",
        "embedding": "e",
        "embedding_sha256": "s",
        "schema_version": SCHEMA_VERSION,
        "mean_length": 3,
    }
    (tmp_path / "f.jsonl").write_text(json.dumps(row) + "\n")
    assert in_process("report", "f.jsonl").returncode == 0
    assert "mean_length" in (tmp_path / "report.html").read_text()


def metric(plugged, name, test="sample-1"):
    done = plugged("metric", "default", "--metric", name, "--test", test, "--json")
    row, *controls = map(json.loads, done.stdout.splitlines())
    assert [one["kind"] for one in controls] == ["controls"]
    return row


def test_a_metric_has_a_p_value_an_interval_and_an_outcome_from_its_value_alone(plugged):
    row = metric(plugged, "centroids")
    words = imprint.load("default")
    (test,) = read_tests(TESTS)
    x, y, a, b = (words.lookup(one.words).unit.mean(axis=0) for one in (test.x, test.y, test.a, test.b))
    expected = (x - y) @ (a - b) / np.linalg.norm(x - y) / np.linalg.norm(a - b)
    assert (row["kind"], row["test"], row["metric"]) == ("metric", "sample-1", "centroids")
    assert row["value"] == pytest.approx(expected, abs=1e-12)
    assert row["labellings"] == str(math.comb(8, 4))
    assert 0 < row["p_value"] < 1
    assert row["words_low"] < row["value"] < row["words_high"]
    assert (row["outcome"], row["reason"]) == ("cannot tell", "frequency")
    assert "centroids" in plugged("metric", "default", "--metric", "centroids", "--test", "sample-1").stdout


def test_a_metric_with_rows_of_its_own_and_a_catalogue_are_found_by_name(plugged):
    row = metric(plugged, "lengths")
    assert (row["kind"], row["test"], row["mean_length"]) == ("lengths", "sample-1", 4.5)
    listed = plugged("metrics").stdout
    assert "lengths " in listed
    assert "centroids " in listed
    both = plugged("metric", "default", "--metric", "weat", "--metric", "lengths", "--test", "sample-1").stdout
    assert "sample-1" in both
    assert "Lengths of words" in both


def test_a_metric_of_a_plug_in_finds_names_that_the_file_has_in_lower_case(plugged):
    row = metric(plugged, "lengths", "caliskan-6")
    names = get("caliskan-6").x.words
    assert "John" in names
    assert row["mean_length"] == sum(map(len, names)) / len(names)


def test_a_metric_of_a_plug_in_refuses_a_test_without_known_words(plugged):
    (plugged.folder / "few.txt").write_text("".join(f"{word} 1 0 {place}\n" for place, word in enumerate("abc")))
    refused = plugged("metric", "few.txt", "--metric", "lengths", "--test", "sample-1", fails=True).stderr
    assert refused.startswith("imprint: ")
    assert "at least 1 word" in refused
    assert refused.count("\n") == 1


def test_a_reader_opens_a_format_of_its_own(plugged):
    own = plugged.folder / "own.txt"
    own.write_bytes(b"#numbers-first\n0.1,0.9,cat\n0.2,0.8,dog\n0.9,0.1,car\n")
    found = plugged("neighbours", own, "cat", "--count", 1, "--json").stdout
    assert [json.loads(line)["nearest"][0]["word"] for line in found.splitlines()] == ["dog"]
    own.write_bytes(b"#numbers-first\n0.1,0.9,cat\n0.2,dog\n")
    refused = plugged("neighbours", own, "cat", fails=True)
    assert f"{own}: line 3: " in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_debiaser_is_found_by_its_name(plugged):
    code = (
        "import imprint; e = imprint.load({'a': [1.0, 2.0], 'b': [3.0, 4.0]});"
        "t = imprint.debiaser('flip').fit(e); print(t.method, t.apply(e).vectors.tolist())"
    )
    assert python(plugged, code).strip() == "flip [[-1.0, -2.0], [-3.0, -4.0]]"


def test_a_debiaser_has_its_setting_and_its_label(plugged):
    code = (
        "import imprint; e = imprint.load({'a': [1.0, 2.0], 'b': [3.0, 4.0]});"
        "t = imprint.debiaser('flip', length=2.0).fit(e); print(t.apply(e).vectors.tolist())"
    )
    assert python(plugged, code).strip() == "[[-2.0, -4.0], [-6.0, -8.0]]"
    done = plugged("debias", "default", "flipped.safetensors", "--method", "flip")
    assert re.search(r"lengths multiplied by +1\b", done.stdout)


@pytest.mark.slow
def test_a_debiaser_is_compared_with_the_others(plugged):
    done = plugged("debias", "default", "--compare", "--page", "compared.html", "--json")
    rows = {row["method"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert list(rows) == ["none", *METHODS, "flip"]
    assert rows["flip"]["fitted"] == [{"name": "length", "value": 1.0, "text": None}]
    assert rows["flip"]["bias_left"] == pytest.approx(1.0)
    page = (plugged.folder / "compared.html").read_text()
    assert "turns every vector round" in page
    assert re.search(r"length <data[^>]*>1</data>", page)


def test_an_encoder_is_opened_by_its_name(plugged):
    code = "import imprint; e = imprint.open_encoder('letters:es'); print(e.encode(['see']).tolist())"
    assert python(plugged, code).strip() == "[[3.0, 3.0, 1.0]]"
