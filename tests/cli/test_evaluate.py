"""`imprint evaluate` as a person runs it."""

import numpy as np
import pytest
from command_results import lines, refused

WORDS = [f"w{row}" for row in range(40)]


@pytest.fixture
def imprint(in_process, tmp_path):
    """The command within this process, beside two small embeddings and a folder of benchmarks for them."""
    for seed, name in enumerate(("one", "other")):
        rows = np.random.default_rng(seed).normal(size=(40, 4))
        lines = (f"{word} {' '.join(f'{x:.5f}' for x in row)}\n" for word, row in zip(WORDS, rows, strict=True))
        (tmp_path / f"{name}.txt").write_text("".join(lines))
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    (folder / "rw.tsv").write_text("".join(f"w{i}\tw{i + 3}\t{i % 7}\n" for i in range(30)) + "w1\tzebra\t5\n")
    (folder / "mine.txt").write_text(": some\n" + "".join(f"w{i} w{i + 1} W{i + 2} w{i + 3}\n" for i in range(30)))
    return lambda *arguments: in_process("evaluate", *arguments)


def test_tables_have_the_papers_figures_beside_them_and_name_what_is_missing(imprint):
    result = imprint("one.txt", "--benchmarks", "benchmarks")
    assert result.returncode == 0, result.stderr
    for shown in ("rw", "30 of 31", "Spearman", "Pearson", "0.471 → 0.472", "mine", "30 of 30", "3CosAdd", "3CosMul"):
        assert shown in result.stdout
    assert "zebra" in result.stderr
    for name in ("rg-65", "ws-353", "men", "google"):  # the bundled ones have no word of this embedding
        assert name in result.stdout


def test_against_another_the_difference_is_printed(imprint):
    options = ("other.txt", "--against", "one.txt", "--benchmarks", "benchmarks")
    (row,) = (row for row in lines(imprint(*options, "--json")) if row["test"] == "rw")
    printed = next(line for line in imprint(*options).stdout.splitlines() if "Spearman" in line)
    for field in ("against_spearman", "spearman", "change_spearman", "change_spearman_low"):
        assert f"{row[field]:.3f}" in printed


def test_gender_is_recovered_when_asked_for(imprint):
    rows = lines(imprint("default", "--leakage", "--resamples", "5", "--json"))
    found = [row for row in rows if row["kind"] == "leakage"]
    assert len(found) == 11
    assert {row["word_list"] for row in found} == {
        "first names, by sex", "first names, by race", "professions, by the crowd", "words furthest out on he - she",
    }  # fmt: skip
    assert found[0]["accuracy"] == pytest.approx(0.9674)


def test_json_has_a_finding_a_line(imprint):
    result = imprint("other.txt", "--against", "one.txt", "--benchmarks", "benchmarks", "--json", "--seed", "3")
    rows = lines(result)
    ran, skipped = rows[:2], rows[2:]
    assert [(row["kind"], row["test"]) for row in ran] == [("analogy_benchmark", "mine"), ("similarity", "rw")]
    assert {(row["kind"], row["part"]) for row in skipped} == {("skipped", "benchmarks")}
    assert [row["test"] for row in skipped] == ["rg-65", "ws-353", "men", "google"]
    for row in rows:
        assert row["embedding"] == "other"
    assert [row["against"] for row in ran] == ["one"] * 2
    assert [row["seed"] for row in ran] == [3, 0]  # nothing is random in a similarity
    assert rows[1]["missing"] == ["zebra"]
    assert rows[0]["change_3cosadd"] == pytest.approx(rows[0]["3cosadd"] - rows[0]["against_3cosadd"])
    assert all(line.startswith("not run: ") for line in result.stderr.splitlines())


def test_the_bundled_embedding_has_every_bundled_pair(imprint):
    rows = lines(imprint("default", "--json", "--resamples", "20"))
    found = {row["test"]: (row["found"], row["missing"]) for row in rows}
    assert found == {"rg-65": (65, []), "ws-353": (353, []), "men": (3_000, []), "google": (19_544, [])}
    assert rows[0]["spearman"] == pytest.approx(0.676, abs=5e-4)
    assert rows[3]["3cosadd"] == pytest.approx(0.637, abs=5e-4)


def test_bad_input_is_one_line(imprint, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "mine.tsv").write_text("car\ttrain\t6\ncar\tmoon\tnan\n")
    assert refused(imprint("one.txt", "--benchmarks", "empty")).startswith("imprint: empty: ")
    assert refused(imprint("one.txt", "--benchmarks", "nowhere")).startswith("imprint: nowhere: ")
    assert "mine.tsv: line 2: " in refused(imprint("one.txt", "--benchmarks", "broken"))
    assert "rg-65: 0 of 65 pairs" in refused(imprint("one.txt"))
    assert "nowhere.txt" in refused(imprint("one.txt", "--against", "nowhere.txt"))


def test_four_pairs_in_a_perfect_order_have_no_interval(imprint, tmp_path):
    folder = tmp_path / "few"
    folder.mkdir()
    (folder / "mine.tsv").write_text("cat\tdog\t9\ncar\tbus\t8\nking\tshoe\t2\nsun\tcabbage\t1\n")
    printed = next(line for line in imprint("default", "--benchmarks", "few").stdout.splitlines() if "mine" in line)
    assert "1.000" in printed
    assert "[" not in printed
    rows = lines(imprint("default", "--benchmarks", "few", "--json"))
    (mine,) = (row for row in rows if row["test"] == "mine")
    assert (mine["spearman"], mine["spearman_low"], mine["spearman_high"]) == (1.0, None, None)
