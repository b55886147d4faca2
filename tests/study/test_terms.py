"""What those who run a study add: any text is read into the same paragraphs, and nothing else passes for a text."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from imprint.study.refusals import StudyError
from imprint.study.terms import LARGEST_CONSENT, read_consent

WORDS = st.lists(st.text("abcé漢ع<&{", min_size=1), min_size=1, max_size=5)


@given(st.lists(WORDS, min_size=1, max_size=4), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.randoms())
def test_paragraphs_survive_any_editor(tmp_path_factory, paragraphs, line, mark, chance):
    """Line ends, wrapped lines, blanks at their ends and a byte-order mark change nothing."""
    wrapped = [chance.choice((" ", "  ", "\t", line, f" {line} ")).join(words) for words in paragraphs]
    text = chance.choice((line * 2, f"{line} {line}", line * 5)).join(wrapped) + line * chance.randrange(3)
    path = tmp_path_factory.mktemp("consent") / "consent.txt"
    path.write_bytes((b"\xef\xbb\xbf" if mark else b"") + text.encode())
    assert read_consent(path) == tuple(" ".join(words) for words in paragraphs)


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
    (tmp_path / "consent.txt").write_bytes(b"x" * LARGEST_CONSENT)
    assert read_consent(tmp_path / "consent.txt") == ("x" * LARGEST_CONSENT,)


def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with refuses(StudyError, "folder", where=path):
            read_consent(path)
    for path in (tmp_path / "missing", tmp_path / "a\0b"):
        with refuses(StudyError, where=path):
            read_consent(path)
