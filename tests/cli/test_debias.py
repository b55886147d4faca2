import re
import sys

import numpy as np
import pytest
from command_results import lines
from safetensors.numpy import load_file

from imprint.association.cosines import cosines
from imprint.cli import console
from imprint.debiasing import METHODS
from imprint.stimuli.catalog import GENDER_TESTS, catalogue, choose
from imprint.stimuli.seeds import fitted
from imprint.subjects.opening import load


@pytest.fixture
def tiny(tmp_path):
    """Forty words in five dimensions; the axis is the first."""
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(40, 5))
    words = ["he", "she", "nurse", "engineer", "king", "queen", *(f"word{number}" for number in range(34))]
    rows[0], rows[1] = (2, 0.5, 0, 0, 0), (-2, 0.5, 0, 0, 0)
    path = tmp_path / "tiny.txt"
    path.write_text(
        "".join(f"{word} {' '.join(f'{x:.5f}' for x in row)}\n" for word, row in zip(words, rows, strict=True))
    )
    (tmp_path / "seeds.txt").write_text("nurse\nengineer\nnobody\n")
    return path


def test_the_bundled_embedding_is_debiased_and_the_change_is_told(imprint, tmp_path):
    result = imprint("debias", "default", "out.safetensors", "--method", "linear", "--axis", "he", "she")
    assert result.returncode == 0, result.stderr
    out = result.stdout
    for figure in (
        "0.0143",
        "0.0023",
        "0.001",
        "34\N{NO-BREAK SPACE}% [27 to 44]",
        "0.0055",
        "52 of 58",
        "caliskan-6",
        "caliskan-7",
        "caliskan-8",
    ):
        assert figure in out
    assert "assistant_professor" in result.stderr
    assert load(tmp_path / "out.safetensors").name == "glove.6B.100d debiased (linear)"


def test_json_gives_the_debiasing_and_weats_before_and_after(imprint):
    first, *rows = lines(imprint("debias", "default", "out.safetensors", "--method", "linear", "--json"))
    assert first["kind"] == "debiasing"
    weats, changes = ([row for row in rows if row["kind"] == kind] for kind in ("weat", "change"))
    fitted = {fact["name"]: fact["value"] for fact in first["fitted"]}
    assert fitted["gap"] <= 1e-9
    assert (fitted["strength"], fitted["spread"]) == (10.0, 0.0)  # what folds of the seeds choose
    assert fitted["background"] == 54_978  # words of the programme, not those measured
    assert first["variances"]["held_out_before"] / first["variances"]["held_out_after"] > 6
    assert {row["part"] for row in rows} == {"debiasing"}
    asked = [test.id for test in choose(catalogue(), GENDER_TESTS)]
    assert [row["test"] for row in weats] == asked * 2
    both = list(zip(weats[: len(asked)], weats[len(asked) :], changes, strict=True))
    assert all(abs(before["effect_size"]) > abs(after["effect_size"]) for before, after, _ in both)
    assert {after["embedding"] for _, after, _ in both} == {"glove.6B.100d debiased (linear)"}
    assert {change["test"]: change["outcome"] for *_, change in both}["gender-career"] == "substantial"
    for before, after, change in both:
        assert change["effect_size"] == pytest.approx(after["effect_size"] - before["effect_size"])
    assert (rows[-1]["kind"], rows[-1]["topic"]) == ("topic-change", "gender")


def test_the_weats_after_are_those_of_the_file_written(imprint):
    *_, last = lines(imprint("debias", "default", "out.safetensors", "--json"), "weat")
    (again,) = lines(imprint("weat", "out.safetensors", "--test", "caliskan-8", "--json"), "weat")
    assert {key: again[key] for key in ("effect_size", "p_value", "embedding_sha256")} == {
        key: last[key] for key in ("effect_size", "p_value", "embedding_sha256")
    }


def test_a_saved_transform_gives_the_same_file_again(imprint, tiny, tmp_path):
    options = ("--seeds", "seeds.txt", "--strength", 30)
    first = imprint("debias", tiny, "one.safetensors", *options, "--transform", "t.safetensors")
    assert first.returncode == 0, first.stderr
    assert "nobody" in first.stderr
    assert "the transform written to t.safetensors" in first.stderr
    assert imprint("debias", tiny, "two.safetensors", "--apply", "t.safetensors").returncode == 0
    assert (tmp_path / "one.safetensors").read_bytes() == (tmp_path / "two.safetensors").read_bytes()


@pytest.mark.parametrize(
    ("name", "options"), [("out.txt", ()), ("out.txt", ("--format", "glove")), ("out.bin", ()), ("out.kv", ())]
)
def test_a_debiased_embedding_is_written_for_other_tools(in_process, tiny, tmp_path, name, options):
    assert in_process("debias", tiny, "out.safetensors", "--method", "hard").returncode == 0
    result = in_process("debias", tiny, name, "--method", "hard", *options)
    assert result.returncode == 0, result.stderr
    ours, others = load(tmp_path / "out.safetensors"), load(tmp_path / name)
    assert list(ours.words) == list(others.words)
    assert np.array_equal(ours.vectors, others.vectors)


@pytest.mark.parametrize("options", [("out.bin", "--format", "glove"), ("out.csv",)])
def test_a_format_that_cannot_be_written_is_refused_before_any_work(in_process, tiny, tmp_path, options):
    result = in_process("debias", tiny, *options)
    assert result.returncode == 1
    assert "out." in result.stderr
    assert not list(tmp_path.glob("out.*"))


@pytest.mark.parametrize("method", ["hard", "leace"])
def test_the_other_methods_write_an_embedding_too(imprint, tiny, tmp_path, method):
    (tmp_path / "pairs.txt").write_text("he,she\nking,queen\n")
    result = imprint("debias", tiny, "out.safetensors", "--method", method, "--pairs", "pairs.txt")
    assert result.returncode == 0, result.stderr
    debiased = load(tmp_path / "out.safetensors")
    assert debiased.name == f"tiny debiased ({method})"
    assert (debiased.vectors != load(tiny).vectors).any()


def test_what_cannot_be_measured_is_said_and_the_file_is_written_all_the_same(imprint, tiny, tmp_path):
    first, *others = lines(imprint("debias", tiny, "out.safetensors", "--seeds", "seeds.txt", "--json"))
    assert (first["kind"], first["variances"]) == ("debiasing", None)
    assert [(row["kind"], row["test"]) for row in others] == [("skipped", "variances"), ("skipped", "weats")]
    assert (tmp_path / "out.safetensors").exists()


def test_professions_as_seeds_of_an_axis_that_is_not_gender_are_said(in_process, tiny):
    tiny.write_text(tiny.read_text().replace("word0 ", f"{fitted()[0]} ").replace("word3 ", f"{fitted()[1]} "))
    own = ("--axis", "word1", "word2")
    said = "seeds: 3 professions, listed for gender; give seeds, words to remove word1 - word2 from"
    assert said in in_process("debias", tiny, "out.safetensors", *own).stderr.splitlines()
    for options in (("--axis", "king", "queen"), (*own, "--method", "hard"), (*own, "--seeds", "seeds.txt"), ()):
        result = in_process("debias", tiny, "out.safetensors", *options)
        assert result.returncode == 0, result.stderr
        assert "seeds: " not in result.stderr


def test_a_terminal_sees_how_far_it_is(in_process, tiny, monkeypatch):
    monkeypatch.setattr(console, "_PATIENCE", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    result = in_process("debias", tiny, "out.safetensors", "--seeds", "seeds.txt")
    assert result.returncode == 0, result.stderr
    for phase in ("debiasing tiny", "testing before and after"):
        assert phase in result.stderr


def test_held_out_words_of_the_users_seeds_are_the_judges(imprint, tmp_path):
    (tmp_path / "mine.csv").write_text("word,held_out\nnurse,0\nengineer,0\nlibrarian,1\nsoldier,1\nplumber,1\n")
    result = imprint("debias", "default", "out.safetensors", "--seeds", "mine.csv", "--json")
    assert lines(result)[0]["variances"]["held_out"] == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--method", "soft"], "'soft'"),
        (["--strength", "-1"], "strength"),
        (["--strength", "nan"], "strength"),
        (["--axis", "he", "he"], "'he'"),
        (["--axis", "he", "nobody"], "tiny: 'nobody'"),
        (["--axis", "he", "she", "--pairs", "pairs.txt"], "pairs"),
        (["--method", "hard", "--strength", "2"], "use method linear"),
        (["--strength", "much"], "auto"),
        (["--compare"], "OUT"),
        (["--page", "page.html"], "--page"),
        (["--method", "leace", "--axis", "king", "queen"], "tiny: "),
        (["--apply", "tiny.txt", "--strength", "2"], "strength cannot be used with apply"),
        (["--apply", "tiny.txt"], "tiny.txt: "),
        (["--apply", "gone"], "gone: "),
        (["--seeds", "one.txt"], "1 of 2 seed words"),
        (["--transform", "no/where"], "no/where: "),
        (["--transform", "out.safetensors"], "out.safetensors: "),
    ],
)
def test_bad_options_end_in_one_line_and_no_file(imprint, tiny, tmp_path, options, said):
    (tmp_path / "one.txt").write_text("nurse\nnobody\n")
    (tmp_path / "pairs.txt").write_text("he,she\n")
    result = imprint("debias", tiny, "out.safetensors", *options)
    assert result.returncode == 1
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "out.safetensors").exists()


def test_a_transform_of_another_dimension_is_refused(imprint, tiny):
    imprint("debias", tiny, "one.safetensors", "--seeds", "seeds.txt", "--transform", "t.safetensors")
    result = imprint("debias", "default", "two.safetensors", "--apply", "t.safetensors")
    assert result.returncode == 1
    assert "glove.6B.100d: has 100 dimensions" in result.stderr


def test_the_files_being_read_are_not_overwritten(imprint, tiny):
    imprint("debias", tiny, "one.safetensors", "--seeds", "seeds.txt", "--transform", "t.safetensors")
    for arguments in ((tiny, "--seeds", "seeds.txt"), ("t.safetensors", "--apply", "t.safetensors")):
        result = imprint("debias", tiny, *arguments)
        assert result.returncode == 1
        assert str(arguments[0]) in result.stderr


def test_hard_debiasing_along_an_axis_of_ones_own_leaves_gender_alone(imprint, tmp_path):
    (tmp_path / "age.csv").write_text("young,old\nyouth,elder\n")
    result = imprint("debias", "default", "out.safetensors", "--method", "hard", "--pairs", "age.csv")
    assert re.search(r"pairs equalised\s+2\b", result.stdout)
    assert "caliskan-" not in result.stdout
    before, after = (load(path) for path in ("default", tmp_path / "out.safetensors"))
    words = ["he", "she", "boy", "girl"]
    one, other = (cosines(e.lookup(words).vectors, e.lookup(words).vectors) for e in (before, after))
    assert np.abs(one - other).max() < 0.1


@pytest.mark.slow
def test_a_transform_of_another_embedding_is_said_to_be_one(imprint, tmp_path):
    imprint("debias", "default", "one.safetensors", "--transform", "t.safetensors")
    result = imprint("debias", "one.safetensors", "two.safetensors", "--apply", "t.safetensors")
    assert "another embedding (glove.6B.100d)" in result.stderr


@pytest.mark.slow
def test_the_frontier_is_printed_and_belongs_to_fitting_linearly(imprint):
    result = imprint("debias", "default", "out.safetensors", "--frontier")
    assert re.search(r"^\s+10\s+6\.3\s+47\s%\s+39\s%", result.stdout, re.MULTILINE)
    rows = lines(imprint("debias", "default", "out.safetensors", "--frontier", "--json"))
    assert [row["kind"] for row in rows[:2]] == ["debiasing", "frontier"]


@pytest.fixture
def named(tmp_path):
    """Two files of sixty first names each."""
    from imprint.stimuli.names import first_names

    table = first_names().at_least(10_000)
    for group, women in (("men", False), ("women", True)):
        names = [
            name
            for name, share in zip(table.names, table.share_women, strict=True)
            if (share >= 0.95 if women else share <= 0.05)
        ]
        (tmp_path / f"{group}.txt").write_text("\n".join(names[:60]))


def test_an_encoder_is_fitted_on_sentences_and_its_matrix_written(in_process, named, tmp_path):
    groups = ("--group", "men.txt", "--group", "women.txt")
    saved = ("--transform", "map.safetensors")
    rows = lines(in_process("debias", "cbow", "out", *groups, *saved, "--no-cache", "--json"))
    leakage = [row for row in rows if row["kind"] == "sentence-leakage"]
    assert {(row["method"], *row["group_names"]) for row in leakage} == {("leace", "men", "women")}
    assert [row["fit_texts"] for row in leakage] == ["sentences", "words"]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["debias.safetensors"]
    again = in_process("debias", "cbow", "again", "--apply", "map.safetensors", "--no-cache")
    assert again.returncode == 0
    (first, second) = (load_file(tmp_path / name / "debias.safetensors") for name in ("out", "again"))
    assert all(np.array_equal(first[name], second[name]) for name in ("weight", "bias"))
    wide = in_process("debias", "default-encoder", "wide", "--apply", "map.safetensors", "--no-cache")
    assert wide.returncode == 1
    assert "512" in wide.stderr
    assert not (tmp_path / "wide").exists()


def test_an_embedding_is_fitted_on_groups_and_judged_on_their_held_out_words(in_process, named, tmp_path):
    groups = ("--group", "men.txt", "--group", "women.txt")
    saved = ("--transform", "map.safetensors")
    rows = lines(in_process("debias", "default", "out.safetensors", *groups, *saved, "--json"))
    fitted, leakage = rows
    assert (fitted["kind"], fitted["method"]) == ("debiasing", "leace")
    assert (leakage["kind"], leakage["group_names"], leakage["group_sizes"]) == ("leakage", ["men", "women"], [12, 12])
    assert leakage["accuracy"] < leakage["against_accuracy"]
    assert load(tmp_path / "out.safetensors").name == "glove.6B.100d debiased (leace)"
    again = in_process("debias", "default", "again.safetensors", "--apply", "map.safetensors")
    assert again.returncode == 0
    np.testing.assert_array_equal(
        *(load(tmp_path / name).vectors for name in ("out.safetensors", "again.safetensors"))
    )


def test_few_words_of_three_groups_are_all_fitted_on_and_judged_by_none(in_process):
    faiths = ("christian,church,bible", "muslim,mosque,quran", "jewish,synagogue,torah")
    options = [part for faith in faiths for part in ("--group", faith)]
    result = in_process("debias", "default", "out.safetensors", "--method", "multiclass-hard", *options, "--json")
    rows = lines(result)
    assert [row["kind"] for row in rows] == ["debiasing", "skipped"]
    assert {fact["name"]: fact["value"] for fact in rows[0]["fitted"]}["groups"] == 3
    refused = in_process("debias", "default", "out.safetensors", "--method", "double-hard", *options)
    assert (refused.returncode, "several groups" in refused.stderr) == (1, True)


@pytest.mark.parametrize(
    ("options", "option"),
    [
        (("cbow", "out", "--axis", "he", "she"), "axis"),
        (("cbow", "out", "--frontier"), "frontier"),
        (("cbow", "out", "--apply", __file__, "--method", "leace"), "method"),
        (("default", "out.safetensors", "--group", "a,b", "--group", "c,d", "--axis", "he", "she"), "axis"),
        (("default", "out.safetensors", "--group", "a,b", "--group", "c,d", "--strength", "3"), "strength"),
        (("default", "out.safetensors", "--pooling", "cls"), "--pooling"),
    ],
)
def test_options_of_the_other_kind_of_subject_are_refused(in_process, options, option):
    result = in_process("debias", *options)
    assert result.returncode == 1
    assert f"{option} " in result.stderr


def test_a_folder_that_holds_something_is_refused_before_any_work(in_process, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    result = in_process("debias", "default-encoder", "out")
    assert result.returncode == 1
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


def test_auto_chooses_and_a_number_is_taken_as_it_is(in_process, tmp_path):
    for options, chosen in (("--strength", "auto"), True), (("--strength", 20), False):
        result = in_process("debias", "default", "out.safetensors", *options, "--json")
        strength = next(fact["value"] for fact in lines(result)[0]["fitted"] if fact["name"] == "strength")
        assert strength == (10.0 if chosen else 20.0)
        assert ("chosen on folds of the seeds" in result.stderr) is chosen


def test_every_method_is_compared_and_one_recommended(imprint, tmp_path):
    result = imprint("debias", "default", "--compare", "--page", "page.html", "--json")
    rows = lines(result)
    assert {row["kind"] for row in rows} == {"debias-comparison"}
    assert [row["method"] for row in rows] == ["none", *METHODS]
    assert [row["recommended"] for row in rows].count(True) == 1
    assert "Bias left against quality lost" in (tmp_path / "page.html").read_text()


def test_a_comparison_needs_an_embedding_and_a_debiasing_a_file_to_write(imprint):
    for arguments, said in (("default",), "OUT"), (("default-encoder", "--compare"), "sentence encoder"):
        result = imprint("debias", *arguments)
        assert (result.returncode, result.stdout) == (1, "")
        assert said in result.stderr
