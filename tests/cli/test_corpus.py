"""`imprint corpus` as a person runs it."""

import json

import numpy as np
import pytest
from command_results import lines

from imprint.kinds.corpus import CONTENT_NOTE
from imprint.stimuli.catalog import text_questions

QUESTION = text_questions()[10]


@pytest.fixture
def speeches(tmp_path):
    """Speeches in which he is near career words and she near family words, two times in three."""
    rng, folder = np.random.default_rng(0), tmp_path / "speeches"
    folder.mkdir()
    for number in range(40):
        sides = [(rng.random() < 0.5, rng.random() < 0.67) for _ in range(60)]
        words = [rng.choice((QUESTION.a if is_he == same else QUESTION.b).words) for is_he, same in sides]
        text = [
            f"{'He' if is_he else 'She'} has {word} o o o o o o" for word, (is_he, _) in zip(words, sides, strict=True)
        ]
        (folder / f"{1900 + number}.txt").write_text("\n".join(text))
    return folder


def test_a_corpus_is_counted_and_judged(imprint, speeches):
    result = imprint("corpus", speeches, "--test", "pronouns-career", "--json")
    (row,) = lines(result, "corpus")
    assert (row["test"], row["embedding"], row["n_documents"]) == ("pronouns-career", "speeches", 40)
    assert (row["outcome"], row["log_odds_low"] > 0.69) == ("substantial", True)
    assert [row["kind"] for row in map(json.loads, result.stdout.splitlines())] == ["corpus", "corpus-topic"]


def test_text_is_read_from_a_pipe(imprint, speeches):
    text = "\n".join(path.read_text() for path in sorted(speeches.iterdir()))
    piped = imprint("corpus", "-", "--test", "pronouns-career", "--document", "line", "--json", input=text)
    (row,) = lines(piped, "corpus")
    assert (row["embedding"], row["n_xa"] > row["n_xb"]) == ("standard input", True)


@pytest.mark.parametrize(("margin", "code"), [("5", 0), ("0.5", 2), ("1.4", 3)])
def test_a_requirement_decides_the_exit_code_of_the_gate(imprint, speeches, margin, code, tmp_path):
    (tmp_path / "corpus.jsonl").write_text(imprint("corpus", speeches, "--test", "pronouns-career", "--json").stdout)
    assert imprint("gate", "corpus.jsonl", "--require", f"corpus:|log_odds|<{margin}").returncode == code


def test_workers_and_finished_work_change_nothing(imprint, speeches, tmp_path):
    asked = ("corpus", speeches, "--test", "pronouns-*", "--json")
    alone = imprint(*asked).stdout
    assert imprint(*asked, "--workers", "2", "--checkpoint", "kept").stdout == alone
    assert len(list((tmp_path / "kept").glob("*.unit"))) == 1
    assert imprint(*asked, "--checkpoint", "kept").stdout == alone


def test_all_of_it_is_on_the_page_and_on_the_card(imprint, speeches, tmp_path):
    options = ("--date", "{year}*", "--swapped", "--without", "1900*", "--snippets", "1", "--page", "page.html")
    result = imprint("corpus", speeches, "--test", "pronouns-*", "--against", speeches, *options)
    assert result.returncode == 0, result.stderr
    page = (tmp_path / "page.html").read_text()
    for heading in (
        "How corpora differ",
        "over the years",
        "Without these documents",
        "gender-swapped copy",
        "Passages",
    ):
        assert heading in page
    findings = imprint("corpus", speeches, "--test", "pronouns-career", "--json").stdout
    (tmp_path / "corpus.jsonl").write_text(findings)
    assert "pronouns-career" in imprint("card", "corpus.jsonl").stdout
    assert imprint("report", "corpus.jsonl").returncode == 0


def test_text_that_no_question_can_be_asked_of_says_so_and_warns_of_no_passages(imprint, tmp_path):
    (tmp_path / "short.txt").write_text("He is a nurse.")
    said = imprint("corpus", "short.txt", "--snippets", "2", "--swapped").stderr
    assert "0 of 0" not in said
    assert CONTENT_NOTE not in " ".join(said.split())
    assert "1 document." in " ".join(said.split())


def test_what_it_prints_is_as_before(imprint, speeches, snapshot):
    result = imprint("corpus", speeches, "--test", "pronouns-career", "--test", "gender-career", "--date", "{year}*")
    assert f"{result.stdout}\n--- stderr\n{result.stderr}" == snapshot


@pytest.mark.parametrize(
    "arguments",
    [
        ["nowhere.txt"],
        ["speeches", "--document", "page"],
        ["speeches", "--window", "0"],
        ["speeches", "--without", "nothing"],
        ["speeches", "--date", "{year}-*.md", "--test", "pronouns-career"],
        ["speeches", "--test", "pronouns-carrer"],
        ["speeches", "--against", "nowhere"],
        ["speeches", "--field", "text", "--page", "no/such/folder.html"],
    ],
    ids=lambda arguments: " ".join(arguments[-2:]),
)
def test_what_cannot_be_asked_is_one_line(imprint, speeches, arguments):
    result = imprint("corpus", *arguments)
    assert (result.returncode, result.stdout, len(result.stderr.splitlines())) == (1, "", 1)


@pytest.mark.parametrize(
    ("options", "mentioned"),
    [
        (("--without", "zzz*"), ("'zzz*'", "such as 1900.txt")),
        (("--date", "{year}-*"), ("'{year}-*'", "such as 1900.txt")),
    ],
)
def test_what_fits_no_document_is_said_with_the_name_of_one(imprint, speeches, options, mentioned):
    result = imprint("corpus", speeches, "--test", "pronouns-career", *options)
    assert [text for text in mentioned if text not in result.stderr] == []
