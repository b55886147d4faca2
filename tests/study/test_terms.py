"""What those who run a study add: any text is read into the same paragraphs, and nothing else passes for a text."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    ("content", "message"),
    [
        (b"", "there is no text in it"),
        (b" \n\t\r\n \n", "there is no text in it"),
        (b"\xef\xbb\xbf", "there is no text in it"),
        (b"fine\n\ncaf\xe9", "byte 10 is not UTF-8; save it as plain text"),
        ("agree".encode("utf-16"), "byte 1 is not UTF-8"),
        (b"fine\nred \x1b[31m text", r"line 2 holds the control character U\+001B"),
        (b"nothing\x00", r"line 1 holds the control character U\+0000"),
        (b"x" * (LARGEST_CONSENT + 1), "more than 64 kB"),
    ],
)
def test_what_is_no_text_is_refused_in_one_line(tmp_path, content, message):
    (tmp_path / "consent.txt").write_bytes(content)
    with pytest.raises(StudyError, match=message) as refused:
        read_consent(tmp_path / "consent.txt")
    assert str(refused.value).isprintable()


def test_the_longest_text_is_read(tmp_path):
    (tmp_path / "consent.txt").write_bytes(b"x" * LARGEST_CONSENT)
    assert read_consent(tmp_path / "consent.txt") == ("x" * LARGEST_CONSENT,)


def test_what_is_no_file_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(StudyError, match="a folder, a pipe or a device; give a text file"):
            read_consent(path)
    for path in (tmp_path / "missing", tmp_path / "a\0b"):
        with pytest.raises(StudyError, match="cannot be read"):
            read_consent(path)
