"""`imprint enumerate` as a person runs it, on the bundled embedding."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command_results import refused

from imprint.embeddings.convert import convert
from imprint.embeddings.embedding import Embedding
from imprint.subjects.opening import load

QUICK = ("--groups", 5, "--categories", 12, "--words", 4_000, "--copies", 50, "--repeats", 0)
PAPER = (*QUICK[:6], "--method", "paper", "--rotations", 300)
FIELDS = {"group", "category", "words", "names", "score", "z", "q", "stands_out", "copies"}


def lines(result, kind="ube"):
    assert result.returncode == 0, result.stderr
    return [row for row in map(json.loads, result.stdout.splitlines()) if row["kind"] == kind]


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """The whole run of one command: 400 copies of each kind, 12 groups, 64 categories, 20 repeats."""
    command = [str(Path(sys.executable).with_name("imprint")), "enumerate", "default", "--seed", "0", "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path_factory.mktemp("full"))
    return list(map(json.loads, ran.stdout.splitlines()))


@pytest.mark.slow
def test_one_command_finds_about_forty_five_associations_of_which_a_third_recur(full):
    cells = [row for row in full if row["kind"] == "ube"]
    assert all(set(row) >= FIELDS for row in cells)
    found = [row for row in cells if row["stands_out"]]
    assert 42 <= len(found) <= 47
    recurrence = [row["recurrence"] for row in found]
    assert {row["recurrence_runs"] for row in found} == {20}
    assert 14 <= sum(share > 0.5 for share in recurrence) <= 24
    (overview,) = (row for row in full if row["kind"] == "ube-overview")
    assert max(overview["expected_mirrored"], overview["expected_frequency_kept"]) <= 0.1 * len(found)
    assert overview["groups_left_out"] == []


@pytest.mark.slow
def test_words_known_for_their_bias_are_among_them(full):
    found = [row for row in full if row["kind"] == "ube" and row["stands_out"]]
    often = {word for row in found if row["recurrence"] > 0.5 for word in row["words"]}
    assert {"jihad", "mosque", "mariachi", "wife", "beautiful"} <= often


def test_groups_show_gender_age_hispanic_and_arabic_names_untold():
    from imprint.enumeration.enumerate import enumerate_biases

    found = enumerate_biases(load("default"), copies=1, repeats=0)
    groups = found.groups
    women = [group.share_women for group in groups]
    born = [group.mean_birth_year for group in groups]
    assert max(women) > 0.9
    assert min(women) < 0.15
    assert max(born) - min(born) > 10
    assert max(group.races.hispanic for group in groups) > 0.5
    arabic = {"Ahmed", "Hassan", "Ibrahim", "Mohammed", "Omar", "Khalil"}
    assert any(len(arabic & set(names)) >= 4 for names in found.names.values())


def test_the_number_of_workers_changes_no_byte(imprint):
    # Four chunks of copies, so that two workers do have something to share.
    options = (*QUICK, "--copies", 200, "--json")
    one, two = (imprint("enumerate", "default", *options, "--workers", count) for count in (1, 2))
    assert one.returncode == 0, one.stderr
    assert one.stdout == two.stdout
    assert one.stdout != imprint("enumerate", "default", *options, "--seed", 1).stdout


def test_several_numbers_of_groups_run_in_one_command(imprint):
    rows = lines(imprint("enumerate", "default", *QUICK, "--groups", "3,4", "--json"), "ube-overview")
    assert [row["groups"] for row in rows] == [3, 4]


@pytest.mark.parametrize("names", ["surnames", "embedding"])
def test_other_names_are_at_hand(imprint, names):
    assert lines(imprint("enumerate", "default", *QUICK, "--names", names, "--json"))


def test_any_list_of_targets_can_be_a_file(imprint, tmp_path):
    (tmp_path / "peoples.txt").write_text(
        "german\nfrench\nitalian\nspanish\nchinese\njapanese\nkorean\nindian\nturkish\niranian\nmexican\ncuban\n"
    )
    options = (*QUICK, "--groups", 3, "--names", "peoples.txt", "--cleaning", "none", "--json")
    rows = lines(imprint("enumerate", "default", *options))
    assert {name for row in rows for name in row["names"]} <= set((tmp_path / "peoples.txt").read_text().split())


def test_names_are_printed_only_on_request(imprint):
    quiet = imprint("enumerate", "default", *QUICK)
    told = imprint("enumerate", "default", *QUICK, "--show-names")
    names = lines(imprint("enumerate", "default", *QUICK, "--json"))[0]["names"]
    assert names[0] not in quiet.stdout
    assert names[0] in told.stdout
    assert "offensive" in quiet.stderr


def test_slurs_are_masked_unless_asked_for(imprint, tmp_path):
    # Two clusters of names, each beside one category of words; a mild slur is the nearest word of one.
    rng = np.random.default_rng(0)
    axes = np.eye(6, dtype=np.float32)
    rows = {f"Name{kind}{i}": axes[kind] + rng.normal(0, 0.05, 6) for kind in (0, 1) for i in range(20)}
    rows |= {"redneck": axes[0] + axes[2], "farmer": axes[0] * 0.9 + axes[2], "nurse": axes[1] + axes[2]}
    rows |= {f"word{chr(97 + i)}": axes[2] + rng.normal(0, 0.2, 6) for i in range(20)}
    embedding = Embedding("tiny", list(rows), np.array(list(rows.values()), dtype=np.float32))
    convert(embedding, tmp_path / "tiny.safetensors")
    (tmp_path / "names.txt").write_text("\n".join(name for name in rows if name.startswith("Name")))
    options = ("tiny.safetensors", "--names", "names.txt", "--groups", 2, "--categories", 1, "--top", 1)
    more = ("--cleaning", "none", "--method", "paper", "--rotations", 50, "--fdr", 0.9)
    masked = imprint("enumerate", *options, *more)
    assert masked.returncode == 0, masked.stderr
    assert "r******" in masked.stdout
    assert "redneck" not in masked.stdout
    assert "redneck" in imprint("enumerate", *options, *more, "--unmask").stdout
    assert "redneck" in imprint("enumerate", *options, *more, "--json").stdout
    beside = imprint("enumerate", *options, *more, "--against", "tiny.safetensors")
    assert "r******" in beside.stdout.partition("What became of each association")[2]
    assert "redneck" not in beside.stdout


def test_an_embedding_beside_its_own_copy_loses_nothing(imprint, tmp_path):
    convert(load("default"), tmp_path / "copy.safetensors")
    options = ("enumerate", "default", *QUICK, "--fdr", 0.7, "--against", "copy.safetensors")
    result = imprint(*options)
    assert result.returncode == 0, result.stderr
    (whole,) = (line.split() for line in result.stdout.splitlines() if line.split()[:1] == ["all"])
    assert int(whole[1]) == int(whole[2]) > 0
    assert whole[3:] == ["0", "0"]
    changes = {line.split()[-1] for line in result.stdout.splitlines() if line.split()} & {"left", "lost", "new"}
    assert changes == {"left"}
    rows = lines(imprint(*options, "--json"))
    first, second = rows[: len(rows) // 2], rows[len(rows) // 2 :]
    assert {row["left"] for row in first} == {True, None}
    assert {row["new"] for row in second} == {False, None}
    for before, after in zip(first, second, strict=True):
        assert before["test"] == after["test"]
        assert before["score"] == after["score"] == before["against_score"]


def test_associations_lost_are_told_apart_from_those_left_and_so_is_what_is_missing(imprint, tmp_path):
    default = load("default")
    options = ("enumerate", "default", *QUICK, "--fdr", 0.7, "--against", "other.safetensors")
    # A tenth of the vocabulary is gone, and half of the rest has noise as long as itself.
    kept = np.flatnonzero(np.arange(len(default)) % 10)
    mixed = np.array(default.vectors[kept])
    mixed[::2] += np.random.default_rng(0).normal(size=mixed[::2].shape) * default.norms[kept][::2, None] / 10
    words = [default.words[row] for row in kept]
    other = Embedding("mixed", words, mixed.astype(np.float32), ranks=default.ranks[kept])
    convert(other, tmp_path / "other.safetensors")
    rows = lines(imprint(*options, "--json"))
    known = [row for row in rows if row["against"]]
    assert {row["left"] for row in known} >= {True, False}
    shown = imprint(*options)
    lost = sum(row["left"] is False for row in known)
    left = sum(row["left"] is True for row in known)
    new = sum(row["new"] is True for row in rows)
    _, there = lines(imprint(*options, "--json"), "ube-overview")
    assert (there["embedding"], there["groups_of"]) == ("mixed", "glove.6B.100d")
    assert there["names_missing"] > 0
    said = " ".join(shown.stderr.split())
    assert all(
        f" {there[name]:,} " in said for name in ("names_missing", "names_asked", "words_missing", "words_asked")
    )
    assert [line.split() for line in shown.stdout.splitlines() if line.split()[:1] == ["all"]] == [
        ["all", *map(str, (left + lost, left, lost, new))]
    ]


def test_where_nothing_was_found_nothing_can_be_lost_and_a_line_says_so(imprint, tmp_path):
    convert(load("default"), tmp_path / "copy.safetensors")
    result = imprint("enumerate", "default", *PAPER, "--rotations", 1, "--against", "copy.safetensors")
    assert result.returncode == 0, result.stderr
    (whole,) = (line.split() for line in result.stdout.splitlines() if line.split()[:1] == ["all"])
    assert whole[1:] == ["0", "0", "0", "0"]
    assert "No association" in result.stderr


def test_recurrence_goes_with_a_second_embedding(imprint, tmp_path):
    from imprint.stimuli.names import first_names

    (tmp_path / "people.txt").write_text("\n".join(first_names().names[:80]))
    convert(load("default"), tmp_path / "copy.safetensors")
    options = ("--names", "people.txt", "--groups", 2, "--categories", 4, "--words", 1_000, "--cleaning", "none")
    more = ("--copies", 50, "--fdr", 0.9, "--repeats", 2, "--against", "copy.safetensors", "--json")
    rows = [row for row in lines(imprint("enumerate", "default", *options, *more)) if row["against"]]
    assert all((row["recurrence"] is not None) == row["stands_out"] == bool(row["left"]) for row in rows)
    assert {row["recurrence_runs"] for row in rows} == {2}
    assert {row["recurrence"] for row in rows} <= {None, 0.0, 0.5, 1.0}
    assert any(row["left"] for row in rows)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--groups", 0), "groups"),
        (("--groups", "many"), "4,8,12"),
        (("--groups", 100_000), "groups"),
        (("--categories", 50_000), "50000 clusters"),
        (("--top", 50_000), "top"),
        (("--copies", 0), "copies"),
        (("--rotations", 500), "rotations belongs to method 'paper'"),
        (("--method", "paper"), "copies belongs to method 'mirrored'"),
        (("--method", "guess"), "mirrored, paper"),
        (("--repeats", -1), "repeats"),
        (("--fdr", 2), "fdr"),
        (("--names", "nowhere.txt"), "nowhere.txt"),
        (("--cleaning", "soap"), "margin, centroid, none"),
        (("--correction", "hope"), "bh, by, max"),
        (("--device", "abacus"), "cpu, cuda"),
        (("--checkpoint", "no/such/folder/c"), "no/such/folder/c"),
        (("--groups", "3,4", "--checkpoint", "c"), "--checkpoint"),
        # What fails in the second run of several has not printed the first.
        (("--groups", "3,0"), "groups"),
        (("--groups", "3,100000"), "groups"),
        (("--centre", "moon"), "category, all"),
        (("--workers", 0), "--workers"),
        (("--workers", 2, "--dask", "127.0.0.1:1"), "--dask"),
        (("--device", "cuda", "--dask", "127.0.0.1:1"), "--dask"),
        (("--against", "nowhere.txt"), "nowhere.txt"),
    ],
)
def test_bad_settings_are_one_line_and_nothing_is_half_written(imprint, tmp_path, options, message):
    result = imprint("enumerate", "default", *QUICK, *options)
    assert result.returncode == 1
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_papers_method_prints_its_p_values(imprint):
    rows = lines(imprint("enumerate", "default", *PAPER, "--json"))
    assert {row["method"] for row in rows} == {"paper"}
    assert {(row["rotations"], row["copies"], row["z"], row["q"]) for row in rows} == {(300, None, None, None)}
    assert all(row["stands_out"] == (row["p_adjusted"] <= 0.05) for row in rows)
    assert min(row["p_value"] for row in rows) >= 1 / 301


def test_a_gpu_without_torch_is_one_line(imprint, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)  # whether or not it is installed
    assert "imprint-audit[gpu]" in refused(imprint("enumerate", "default", *PAPER, "--device", "cuda"))
    assert list(tmp_path.iterdir()) == []


def test_names_that_are_nowhere_and_vectors_that_are_all_alike_are_told(imprint, tmp_path):
    (tmp_path / "names.txt").write_text("Xyzzy\nPlugh\n")
    assert "2 names" in imprint("enumerate", "default", *QUICK, "--names", "names.txt").stderr
    words = ["Ann", "Bob", "Cid", "Dee", *(f"word{chr(97 + i)}" for i in range(20))]
    (tmp_path / "flat.txt").write_text("".join(f"{word} 1 1 1\n" for word in words))
    (tmp_path / "people.txt").write_text("Ann\nBob\nCid\nDee\n")
    result = imprint("enumerate", "flat.txt", "--names", "people.txt", "--groups", 2, "--cleaning", "none")
    assert result.returncode == 1
    assert "1 different" in result.stderr


def test_a_second_embedding_that_cannot_be_used_leaves_nothing_printed(imprint, vectors):
    result = imprint("enumerate", "default", *QUICK, "--against", vectors)
    assert (result.returncode, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1
    assert "names" in result.stderr


def test_a_checkpoint_of_other_settings_is_refused_and_left_alone(imprint, tmp_path):
    before = '{"imprint": "enumeration", "settings": "0123"}\n'
    (tmp_path / "run").write_text(before)
    result = imprint("enumerate", "default", *QUICK, "--json", "--checkpoint", "run")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("imprint: run: ")
    assert (tmp_path / "run").read_text() == before


@pytest.mark.slow
def test_a_sentence_encoder_is_asked_once_and_then_its_cache(imprint, tmp_path, monkeypatch):
    from imprint.encoders.universal import UniversalEncoder
    from imprint.stimuli.names import first_names

    monkeypatch.setenv("IMPRINT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "people.txt").write_text("\n".join(first_names().names[:80]))
    options = ("--encoder", "default", "--names", "people.txt", "--groups", 3, "--categories", 4, "--words", 300)
    options = (*options, "--copies", 20, "--repeats", 0)
    first = imprint("enumerate", *options, "--json")
    assert {row["embedding"] for row in lines(first)} == {"USE multilingual v3 (in sentences)"}
    assert "It is {word}." in lines(first, "ube-overview")[0]["embedding_notes"][0]
    assert "It is {word}." in first.stderr
    monkeypatch.setattr(UniversalEncoder, "embed", None)
    assert imprint("enumerate", *options, "--json").stdout == first.stdout
    shown = imprint("enumerate", *options, "--fdr", 0.9)
    assert "USE multilingual v3 (in sentences)" in shown.stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--encoder"),
        (("default", "--encoder", "default"), "--encoder 'default'"),
        (("default", "--max-texts", 5), "--max-texts"),
        (("default", "--no-cache"), "--no-cache"),
        (("--encoder", "default", "--pooling", "max"), "pooling"),
        (("--encoder", "no-such-encoder"), "no-such-encoder: "),
        (("--encoder", "default", "--names", "embedding"), "names"),
        (("--encoder", "default", "--names", "nowhere.txt"), "nowhere.txt"),
    ],
)
def test_exactly_one_thing_that_can_be_asked_is_wanted(imprint, monkeypatch, tmp_path, arguments, message):
    monkeypatch.setenv("IMPRINT_CACHE", str(tmp_path / "cache"))
    result = imprint("enumerate", *arguments)
    assert (result.returncode, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1
    assert message in result.stderr
