"""`imprint project` as a person runs it."""

import re

import pytest
from command_results import lines


@pytest.fixture
def jobs(tmp_path):
    """A second embedding of few professions, one a phrase."""
    rows = {
        "he": (1, 0, 0), "she": (0, 1, 0), "john": (1, 0.2, 0.3), "amy": (0.1, 1, 0.3),
        "nurse": (0.1, 0.9, 1), "cook": (0.4, 0.5, 1), "pilot": (0.9, 0.2, 1), "cab_driver": (0.7, 0.1, 1),
        "welder": (0.8, 0.0, 1), "boss": (0.6, 0.2, 1),
    }  # fmt: skip
    path = tmp_path / "jobs.txt"
    path.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in rows.items()))
    return path


def coordinates(row):
    return {one["word"]: one["value"] for one in row["coordinates"]}


def words_file(beside, content, name="words.txt"):
    (beside.parent / name).write_text(content)
    return name


def test_professions_are_projected_on_he_and_she_and_compared_with_the_crowd(imprint):
    placed, crowd = lines(imprint("project", "default", "--json"))
    assert (placed["kind"], placed["test"], placed["n_words"], len(placed["missing"])) == (
        "projection",
        "he - she",
        259,
        29,
    )
    places = coordinates(placed)
    assert places["nurse"] < 0 < places["coach"]
    assert (crowd["kind"], crowd["n_words"]) == ("projection comparison", 259)
    assert crowd["spearman"] == pytest.approx(0.428, abs=0.001)


def test_the_table_shows_both_ends_the_middle_the_axis_and_the_crowd(imprint):
    result = imprint("project", "default", "--top", "2", "--pairs", "default")
    assert result.returncode == 0, result.stderr
    for shown in ("manager", "homemaker", "259 of 288", "0.45"):
        assert shown in result.stdout
    assert "promoter" not in result.stdout  # the third
    assert "adjunct_professor" in result.stderr


@pytest.mark.parametrize(("top", "columns"), [(1, 3), (2, 1)])
def test_words_too_few_for_three_columns_are_listed_once_in_order(imprint, jobs, top, columns):
    words = ("nurse", "cook", "boss", "pilot", "welder")
    result = imprint("project", jobs, "--words", words_file(jobs, "\n".join(words)), "--top", top)
    assert result.returncode == 0, result.stderr
    table, *_ = result.stdout.split("\n\n")
    assert table.count("Coordinate") == columns
    if columns == 1:
        assert [word for word in table.split() if word in words] == ["welder", "pilot", "boss", "cook", "nurse"]


def test_another_embedding_is_set_beside(imprint, jobs):
    result = imprint(
        "project", jobs, "--against", jobs, "--words", words_file(jobs, "cab driver\nnurse\nboss\nwelder\n")
    )
    assert result.returncode == 0, result.stderr
    (places,) = [line for line in result.stdout.splitlines() if "cab driver" in line]
    assert re.search(r"(-?\d\.\d{3}) / \1$", places.strip())
    assert re.search(r"he - she in jobs +4 +1\.00 ", result.stdout)


def test_words_of_ones_own_are_compared_with_the_crowd_where_it_knows_them_all(imprint, jobs):
    known = words_file(jobs, "word,held_out\nnurse,1\ncab driver,0\nwelder,0\nboss,0\n")
    assert [row["kind"] for row in lines(imprint("project", jobs, "--words", known, "--json"))] == [
        "projection",
        "projection comparison",
    ]
    unknown = words_file(jobs, "nurse\njohn\nwelder\nboss\n", "others.txt")
    (row,) = lines(imprint("project", jobs, "--words", unknown, "--json"))
    assert list(coordinates(row)) == ["nurse", "john", "welder", "boss"]


def test_an_axis_comes_from_two_words_from_pairs_or_from_sets(imprint, jobs):
    words = words_file(jobs, "nurse\nwelder\n")
    pairs = words_file(jobs, "john,amy\n", "pairs.csv")
    he, she = words_file(jobs, "he\njohn\n", "he.txt"), words_file(jobs, "she\namy\n", "she.txt")
    names, found = [], []
    for options in (("--axis", "john", "amy"), ("--pairs", pairs, "--method", "pca"), ("--sets", he, she)):
        (row,) = lines(imprint("project", jobs, *options, "--words", words, "--json"))
        names.append((row["test"], row["method"]))
        found.append(coordinates(row)["welder"])
    assert names == [("john - amy", "difference"), ("john - amy", "pca"), ("he, ... - she, ...", "sets")]
    assert found[0] == pytest.approx(found[1])
    assert found[2] != pytest.approx(found[0], abs=1e-3)


def test_markup_in_words_is_text(imprint, tmp_path):
    (tmp_path / "v.txt").write_text("he 1 0\nshe 0 1\n[red]x 1 1\n")
    (tmp_path / "w.txt").write_text("[red]x\n")
    assert "[red]x" in imprint("project", "v.txt", "--words", "w.txt").stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--axis", "he", "he"), "'he'"),
        (("--axis", "he", "He"), "jobs: 'he', 'He'"),
        (("--axis", "he", "ze"), "jobs: 'ze'"),
        (("--axis", "he"), "--axis"),
        (("--axis", "he", "she", "--pairs", "default"), "--axis, --pairs and --sets"),
        (("--method", "mean"), "method"),
        (("--sets", "words.txt", "words.txt", "--method", "pca"), "--method"),
        (("--sets", "words.txt", "words.txt"), "jobs: "),
        (("--pairs", "words.txt"), "words.txt: line 1: 'nurse'"),
        (("--pairs", "nowhere.csv"), "nowhere.csv: "),
        (("--words", "nowhere.txt"), "nowhere.txt: "),
        (("--against", "nowhere.txt"), "nowhere.txt: "),
        (("--words", "words.txt", "--against", "jobs.txt"), "share 2 of the words"),
        (("--top", "0"), "--top"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(imprint, jobs, options, message):
    words_file(jobs, "nurse\nboss\n")
    result = imprint("project", jobs, *options)
    assert (result.returncode, result.stdout) == (1, "")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
