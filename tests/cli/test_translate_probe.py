"""`imprint translate-probe` as a person runs it."""

import pytest
from command_results import lines

HE = "command:sed 's/.*/He is one./'"


def test_findings_become_a_page_a_card_and_a_gate(imprint, tmp_path):
    printed = imprint("translate-probe", HE, "--language", "tr", "--page", "page.html", "--json")
    (row,) = lines(printed, "translation")
    assert [row[f"n_{name}"] for name in ("sentences", "he", "she", "neither", "untranslated")] == [50, 50, 0, 0, 0]
    assert [(one["outcome"], one["reason"]) for one in row["predictions"]] == [("cannot tell", "few words")] * 2
    page = (tmp_path / "page.html").read_text()
    assert "O bir doktor." in page
    (tmp_path / "found.jsonl").write_text(printed.stdout)
    assert imprint("report", "found.jsonl").returncode == 0
    assert "Turkish" in imprint("card", "found.jsonl").stdout
    assert imprint("gate", "found.jsonl", "--fail-on", "translation:n_she<5").returncode == 2
    assert imprint("gate", "found.jsonl", "--fail-on", "translation:n_he<5").returncode == 0


def test_a_page_draws_words_where_both_pronouns_come_out(imprint, tmp_path):
    mixed = "command:sed 's/.*a.*/She is one./; s/^[^S].*/He is one./'"
    assert imprint("translate-probe", mixed, "--language", "hu", "--page", "page.html").returncode == 0
    assert (tmp_path / "page.html").read_text().count('<figure class="chart">') == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["apertium eu-en"],
        ["command:no-such-program-here"],
        ["command:false"],
        [HE, "--language", "de"],
        [HE, "--target", "tr"],
        [HE, "--embedding", "nowhere.txt"],
        [HE, "--sentences", "nowhere.toml"],
        [HE, "--timeout", "0"],
        [HE, "--page", "nowhere/page.html"],
        ["http://127.0.0.1:1/translate", "--language", "tr", "--timeout", "0"],
    ],
    ids=lambda arguments: " ".join(arguments[-2:]),
)
def test_what_cannot_be_asked_is_one_line(imprint, arguments):
    result = imprint("translate-probe", *arguments)
    errors = [line for line in result.stderr.splitlines() if not line.endswith("will be sent")]
    assert (result.returncode, result.stdout, len(errors)) == (1, "", 1)
