"""What those who run a study add: any text is read into the same paragraphs, and nothing else passes for a text."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses
from systems import posix

from imprint.study.design import StudyError
from imprint.study.settings import LARGEST_CONSENT, Terms, read_consent

FIELDS = ("Researcher: Ada Lovelace", "Duration: 10 minutes", "contact : ada@example.org")
REQUIRED = "\n".join(FIELDS)
WORDS = st.lists(st.text("abcé漢ع<&{", min_size=1), min_size=1, max_size=5)


@given(st.lists(WORDS, min_size=1, max_size=4), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.randoms())
def test_paragraphs_survive_any_editor(tmp_path_factory, paragraphs, line, mark, chance):
    """Line ends, wrapped lines, blanks at their ends and a byte-order mark change nothing."""
    wrapped = [chance.choice((" ", "  ", "\t", line, f" {line} ")).join(words) for words in paragraphs]
    text = chance.choice((line * 2, f"{line} {line}", line * 5)).join(wrapped) + line * chance.randrange(3)
    path = tmp_path_factory.mktemp("consent") / "consent.txt"
    text += line * 2 + REQUIRED.replace("\n", line)
    path.write_bytes((b"\xef\xbb\xbf" if mark else b"") + text.encode())
    assert read_consent(path) == (*(" ".join(words) for words in paragraphs), *FIELDS)


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (b"", None, "empty"),
        (b" \n\t\r\n \n", None, "empty"),
        (b"\xef\xbb\xbf", None, "empty"),
        (b"fine\n\ncaf\xe9", None, "byte 10"),
        ("agree".encode("utf-16"), None, "byte 1"),
        (b"fine\nred \x1b[31m text", 2, "U+001B"),
        (b"nothing\x00", 1, "U+0000"),
        (b"x" * (LARGEST_CONSENT + 1), None, "64 kB"),
    ],
)
def test_what_is_no_text_is_refused_in_one_line(tmp_path, content, line, said):
    path = tmp_path / "consent.txt"
    path.write_bytes(content)
    with refuses(StudyError, said, where=(path, line) if line else path) as refused:
        read_consent(path)
    assert str(refused.value).isprintable()


def test_the_longest_text_is_read(tmp_path):
    long = "x" * (LARGEST_CONSENT - len(REQUIRED) - 1)
    (tmp_path / "consent.txt").write_text(f"{long}\n{REQUIRED}")
    assert read_consent(tmp_path / "consent.txt") == (long, *FIELDS)


@posix
def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with refuses(StudyError, "folder", where=path):
            read_consent(path)
    for path in (tmp_path / "missing", tmp_path / "a\0b"):
        with refuses(StudyError, where=path):
            read_consent(path)


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("We study words.", ("Researcher", "Duration", "Contact")),
        ("Researcher: Ada\nDuration:\n\nContact: a@example.org", ("Duration",)),
        ("The researcher: Ada\nDuration: 5 min\nContact: a@example.org", ("Researcher",)),
        ("Researcher: Ada, Duration: 5 min\nContact\n: a@example.org", ("Duration", "Contact")),
    ],
)
def test_a_text_must_say_who_runs_the_study_how_long_it_takes_and_whom_to_contact(tmp_path, text, missing):
    (tmp_path / "consent.txt").write_text(text)
    with refuses(StudyError, where=tmp_path / "consent.txt", words=missing):
        read_consent(tmp_path / "consent.txt")


def test_the_contact_is_known_by_its_line():
    assert Terms(("We study words.", *FIELDS)).contact == FIELDS[2]
    assert Terms(("We study words.",)).contact is None


@pytest.mark.parametrize(
    "url",
    [
        "", "http://panel.example/{code}", "javascript:alert('{code}')", "https://panel.example/", "https://{code}/",
        "https://panel.example/{code}{other}", "https://panel.example/{code}{", "https://panel.example/{code.__class__}",
        'https://panel.example/{code}"x', "https://panel.example/{code} x", "https://panel.example/{code}\n",
        "https://user@panel.example/{code}", "https://panel.example/{code}" + "x" * 400,
    ],
)  # fmt: skip
def test_the_way_back_is_an_https_address_with_the_code(url):
    with refuses(StudyError, option="return_url", got=url):
        Terms(completion_code="C0FFEE", return_url=url)


def test_a_way_back_without_a_code_is_refused():
    with refuses(StudyError, option="return_url", got="https://panel.example/{code}"):
        Terms(return_url="https://panel.example/{code}")


def test_the_way_back_holds_the_code_and_the_participants_number():
    plain = Terms(completion_code="C0FFEE", return_url="https://app.prolific.com/submissions/complete?cc={code}")
    assert plain.way_back("C0FFEE", None) == "https://app.prolific.com/submissions/complete?cc=C0FFEE"
    assert plain.way_back(None, "p1") is None
    both = Terms(completion_code="C0FFEE", return_url="https://panel.example/back?id={participant}&c={code}")
    assert both.way_back("C0FFEE", "p1") == "https://panel.example/back?id=p1&c=C0FFEE"
    assert both.way_back("C0FFEE", None) is None
