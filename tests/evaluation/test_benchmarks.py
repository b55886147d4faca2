"""Files of pairs and analogies: what is read, and what is refused in one line."""

import gzip
from pathlib import Path

import pytest
from refusals import refuses

from imprint.errors import SettingError, StimulusError
from imprint.evaluation.benchmarks import (
    AnalogyBenchmark,
    PairBenchmark,
    all_benchmarks,
    bundled_benchmarks,
    read_benchmarks,
)

FETCHED = Path(__file__).parents[2] / ".cache" / "benchmarks"
PAIRS = "car\ttrain\t6.31\nmoon\tcheese\t1.5\n"


@pytest.fixture
def folder(tmp_path):
    def write(name, text):
        data = text if isinstance(text, bytes) else text.encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return tmp_path

    return write


def test_the_bundled_benchmarks_are_whole():
    sizes = {
        one.name: len(one.pairs if isinstance(one, PairBenchmark) else one.questions) for one in bundled_benchmarks()
    }
    assert sizes == {"rg-65": 65, "ws-353": 353, "men": 3_000, "google": 19_544}
    google = bundled_benchmarks()[-1]
    assert isinstance(google, AnalogyBenchmark)
    assert len(set(google.sections)) == 14
    assert google.questions[0] == ("Athens", "Greece", "Baghdad", "Iraq")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine.tsv", "# people's scores\nword1\tword2\tscore\n" + PAIRS),
        ("mine.tsv", "car\t\ttrain\t\t6.31\n\nmoon\t\tcheese\t1.5\t\n"),
        ("mine.txt", "car train 6.31\nmoon cheese 1.5"),
        ("mine.csv", 'Word 1,Word 2,Mean\r\ncar,train,6.31\r\n"moon",cheese,1.5\r\n'),
        ("mine.tsv", "\ufeff" + PAIRS),
        ("mine.tsv.gz", PAIRS),
        ("Mine.TSV", PAIRS),
    ],
)
def test_pairs_are_read_from_every_form(folder, name, text):
    (found,) = read_benchmarks(folder(name, text))
    assert found == PairBenchmark("mine", (("car", "train"), ("moon", "cheese")), (6.31, 1.5))


def test_analogies_are_read_with_their_sections(folder):
    text = "he she king queen\n: family\nman woman boy girl\n: \na b c d\n"
    (found,) = read_benchmarks(folder("mine.txt", text))
    questions = (("he", "she", "king", "queen"), ("man", "woman", "boy", "girl"), ("a", "b", "c", "d"))
    assert found == AnalogyBenchmark("mine", questions, ("all", "family", "all"))


@pytest.mark.parametrize(
    ("name", "text", "line", "said"),
    [
        ("mine.tsv", PAIRS + "sun\tmoon\n", 3, "'sun moon'"),
        ("mine.tsv", PAIRS + "sun\tmoon\tmany\n", 3, "'sun moon many'"),
        ("mine.tsv", PAIRS + "sun\tmoon\tnan\n", 3, "nan"),
        ("mine.tsv", PAIRS + "sun\tmoon\t-inf\n", 3, "-inf"),
        ("mine.tsv", "sun\tmoon\t1\ncar\ttrain\t1\n", None, "2 scores"),
        ("mine.txt", "a b c d\na b c d e\n", 2, "'a b c d e'"),
        ("mine.tsv", "word1\tword2\n", 1, "'word1 word2'"),
        ("mine.tsv", "word1\tword2\tscore\n", None, "0 scores"),
        ("mine.tsv", "word1\tword2\tscore\tsd\ncar\ttrain\t6\t1\n", 2, "'car train 6 1'"),
        ("mine.txt", "a b c d e\n", 1, "'a b c d e'"),
        ("mine.tsv", "# nothing\n", None, "pairs"),
        ("mine.tsv", b"\xff\xfe\x00", 1, "UTF-8"),
        ("mine.csv", 'car,"train,6\n', 1, "CSV"),
        ("mine.txt.gz", "x" * (9 << 20), None, "8 MiB"),
    ],
)
def test_a_broken_file_is_refused_by_name_and_line(folder, name, text, line, said):
    path = folder(name, text)
    with refuses(StimulusError, said, where=(str(path / name), line) if line else str(path / name)):
        read_benchmarks(path)


def test_a_file_that_only_says_it_is_packed_is_refused(tmp_path):
    (tmp_path / "mine.tsv.gz").write_text(PAIRS)
    with refuses(StimulusError, where=str(tmp_path / "mine.tsv.gz")):
        read_benchmarks(tmp_path)
    (tmp_path / "mine.tsv.gz").write_bytes(gzip.compress(PAIRS.encode())[:-12])
    with refuses(StimulusError, where=str(tmp_path / "mine.tsv.gz")):
        read_benchmarks(tmp_path)


def test_a_folder_without_benchmarks_is_refused(tmp_path):
    (tmp_path / "notes.md").write_text("none here")
    with refuses(SettingError, ".tsv, .csv, .txt", where=tmp_path):
        read_benchmarks(tmp_path)
    with refuses(SettingError, where=tmp_path / "notes.md"):
        read_benchmarks(tmp_path / "notes.md")


def test_two_benchmarks_of_one_name_are_refused(folder):
    folder("mine.csv", "car,train,6.31\nmoon,cheese,1.5\n")
    with refuses(SettingError, got="mine"):
        read_benchmarks(folder("mine.tsv", PAIRS))


def test_a_benchmark_named_as_a_bundled_one_is_refused(folder):
    with refuses(SettingError, got="rg-65"):
        all_benchmarks(folder("RG-65.tsv", PAIRS))


def test_a_folder_is_added_to_the_bundled_benchmarks(folder):
    assert [one.name for one in all_benchmarks(folder("mine.tsv", PAIRS))] == [
        "rg-65",
        "ws-353",
        "men",
        "google",
        "mine",
    ]


@pytest.mark.skipif(not FETCHED.is_dir(), reason="scripts/build_benchmarks.py has not been run")
def test_the_fetched_benchmarks_are_whole():
    sizes = {
        one.name: len(one.pairs if isinstance(one, PairBenchmark) else one.questions)
        for one in read_benchmarks(FETCHED)
    }
    assert sizes == {"msr": 8_000, "mturk-771": 771, "rw": 2_034, "simlex-999": 999}
