"""`imprint analogies` as a person runs it."""

import json
import re

import pytest

SMALL = ("--words", 5_000)


def write(path, rows):
    path.write_text("".join(f"{word} {x} {y}\n" for word, (x, y) in rows.items()))
    return path


@pytest.fixture
def tiny(tmp_path):
    rows = {"he": (1, 0), "she": (0, 1), "whore": (1, 0.3), "lady": (0.3, 1), "mary": (0.1, 0.9), "him": (0.9, 0)}
    return write(tmp_path / "tiny.txt", rows)


def pairs(ran):
    """Return the words of every line of the table."""
    assert ran.returncode == 0, ran.stderr
    return re.findall(r"^ +\d+ {2,}(\S+) +(\S+) +\d\.\d{3} +\d\.\d{3} *$", ran.stdout, re.MULTILINE)


def test_analogies_are_listed_under_the_ends_of_the_axis(imprint):
    ran = imprint("analogies", "default", *SMALL)
    found = pairs(ran)
    assert ("father", "mother") in found
    assert len(found) == 30
    assert "5,000" in ran.stdout
    assert "--unmask" not in ran.stderr, "nothing is masked among these words"


def test_json_prints_one_finding_a_line_and_masks_nothing(imprint, tiny):
    ran = imprint("analogies", tiny, "--delta", 2, "--json")
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [row["kind"] for row in rows] == ["analogy"] * len(rows)
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    assert "whore" in {row["first"] for row in rows}


def test_slurs_are_masked_unless_asked_for(imprint, tiny):
    masked, unmasked = (imprint("analogies", tiny, "--delta", 2, *more) for more in ((), ("--unmask",)))
    assert "w****" in masked.stdout
    assert "whore" not in masked.stdout
    assert "whore" in unmasked.stdout
    assert ["--unmask" in ran.stderr for ran in (masked, unmasked)] == [True, False]


def test_any_pair_or_a_file_of_pairs_makes_the_axis(imprint, tmp_path):
    one = imprint("analogies", "default", *SMALL, "--axis", "man", "woman", "--k", 5, "--json")
    assert {json.loads(line)["test"] for line in one.stdout.splitlines()} == {"man - woman"}
    (tmp_path / "pairs.csv").write_text("man,woman\nhe,she\nking,xyzzy\n")
    several = imprint("analogies", "default", *SMALL, "--pairs", "pairs.csv", "--k", 5)
    assert len(pairs(several)) == 5
    assert "xyzzy" in several.stderr
    default = imprint("analogies", "default", *SMALL, "--pairs", "default", "--k", 3, "--json")
    assert len(json.loads(default.stdout.splitlines()[0])["positive"]) == 10


def test_names_are_left_out_when_asked(imprint, tiny):
    with_names, without = (imprint("analogies", tiny, "--delta", 2, *more).stdout for more in ((), ("--no-names",)))
    assert "mary" in with_names
    assert "mary" not in without


def test_neutral_words_alone_when_asked(imprint):
    found = (imprint("analogies", "default", *SMALL, "--k", 20, *more) for more in ((), ("--neutral",)))
    ran, neutral = map(pairs, found)
    for pair in (("he", "she"), ("father", "mother")):
        assert pair in ran
        assert pair not in neutral
    assert len(neutral) == 20


def test_fewer_pairs_than_asked_for_are_counted(imprint, tiny):
    ran = imprint("analogies", tiny, "--delta", 0.001)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == ""
    assert "0 of 30" in ran.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--axis", "he", "xyzzy"), "'xyzzy'"),
        (("--axis", "he", "he"), "'he'"),
        (("--axis", "he", "she", "--pairs", "default"), "--pairs"),
        (("--pairs", "nowhere.csv"), "nowhere.csv"),
        (("--k", 0), "k "),
        (("--delta", 0), "delta"),
        (("--delta", "nan"), "delta"),
        (("--words", 1), "words"),
    ],
)
def test_bad_input_is_one_line(imprint, tiny, options, said):
    ran = imprint("analogies", tiny, *options)
    assert ran.returncode == 1
    assert ran.stdout == ""
    *_, last = ran.stderr.splitlines()
    assert said in last
    assert "Traceback" not in ran.stderr
