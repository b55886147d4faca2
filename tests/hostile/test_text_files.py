import tracemalloc
from pathlib import Path

import pytest
from refusals import refuses

from imprint.embeddings.formats import layout
from imprint.errors import EmbeddingFileError
from imprint.subjects.opening import load

GOOD = b"cat 1 2 3\ndog 4 5 6\nbird 7 8 9\n"


@pytest.fixture
def accepted(tmp_path):
    def load_bytes(content: bytes, **options: object):
        path = tmp_path / "odd.txt"
        path.write_bytes(content)
        return load(path, **options)

    return load_bytes


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="there is no /proc")
@pytest.mark.parametrize("name", ["cmdline", "maps", "status"])
def test_a_file_that_claims_to_be_empty_and_is_not(name):
    path = Path("/proc/self") / name
    with refuses(EmbeddingFileError, str(path)):
        load(path)


def test_a_field_of_a_million_digits_that_is_no_number_is_refused_at_once(refused):
    # Hours where the pattern can match the digits in two ways.
    place, error = refused(b"cat 1 2\ndog 3 " + b"4" * 1_000_000 + b"x\n" + b"ant 5 6\n" * 60)
    assert (place, error.words) == (2, ("dog",))


def test_an_empty_file(refused):
    assert refused(b"").place is None


@pytest.mark.parametrize("content", [b"\n\n\n", b" \t \r\n"])
def test_a_file_of_blanks(refused, content):
    assert refused(content).place == 1


@pytest.mark.parametrize(
    "content",
    [b"<html><body>Not found</body></html>", b"word,0.1,0.2\n", b"Call me Ishmael.\n", b"\x93NUMPY\x01\x00"],
)
def test_a_file_that_is_something_else(refused, content):
    assert refused(content).place == 1


def test_a_last_line_cut_short(refused):
    place, error = refused(GOOD[:-4])
    assert (place, error.expected) == (3, "3")


def test_a_last_line_cut_inside_its_word(refused):
    assert refused(GOOD + b"fis").place == 4


def test_a_last_line_cut_short_is_seen_even_when_other_words_are_wanted(refused):
    assert refused(GOOD[:-4], only=["cat"]).place == 3


def test_a_row_of_too_few_numbers(refused):
    assert refused(b"cat 1 2 3\ndog 4 5\nbird 7 8 9\n").place == 2


def test_a_row_of_too_many_numbers(refused):
    place, error = refused(b"cat 1 2 3\ndog 4 5 6 6.5 7\nbird 7 8 9\n")
    assert (place, error.expected) == (2, "3")
    assert "5" in error.message


def test_too_many_numbers_after_a_word_with_spaces(refused):
    assert refused(GOOD + b"new york 1 2 3 4\n").place == 4


def test_text_where_a_number_should_be(refused):
    place, error = refused(b"cat 1 2 3\ndog 4 five 6\nbird 7 8 9\n")
    assert (place, error.words) == (2, ("dog",))
    assert "'five'" in str(error)


@pytest.mark.parametrize("field", [b"1_0", b"0x1p3", b"1e", b"--1", b"1.2.3", b"+", b".", b"1,5", "１".encode()])
def test_what_is_almost_a_number_is_none(refused, field):
    place, error = refused(GOOD + b"fish 1 " + field + b" 3\n")
    assert (place, error.words) == (4, ("fish",))
    assert repr(field.decode()) in str(error)


@pytest.mark.parametrize("options", [{}, {"only": ["cat"]}])
@pytest.mark.parametrize(
    "line",
    [
        b"fish 1 2 3\r.75",
        b"fish 1\r5 2 3",
        b"fish 1 \r5 2 3",
        b"fish\r 1 2 3",
        b"\rfish 1 2 3",
        b"fish 1 2 3\rant 4 5 6",
        b"fish 1 2 3\rant 4 5 6\r",
        b"fish 1 2 3\r ",
        b"\r ",
    ],
)
def test_a_carriage_return_is_refused_wherever_it_does_not_end_a_line(refused, line, options):
    assert refused(GOOD + line + b"\n" + GOOD, **options).place == 4
    assert refused(GOOD.replace(b"\n", b"\r\n") + line + b"\r\n", **options).place == 4


def test_line_ends_of_carriage_returns_alone_are_refused(refused):
    assert refused(GOOD.replace(b"\n", b"\r")).place == 1


def test_a_carriage_return_is_found_across_blocks_and_may_end_the_file(refused, accepted, monkeypatch):
    monkeypatch.setattr(layout, "BLOCK_BYTES", 64)
    rows = b"".join(f"w{row} 1 2 3\r\n\r\n".encode() for row in range(50))
    assert len(accepted(rows + b"last 1 2 3\r")) == 51
    assert refused(rows + b"last 1\r2 2 3").place == 101
    assert refused(rows + b"last 1\r2 2 3", only=["w7", "w30"]).place == 101


@pytest.mark.parametrize("header", [b"3\r3", b"\r3 3", b"3 \r 3", b"3 3\r "])
def test_a_carriage_return_in_a_header_is_refused(refused, header):
    assert refused(header + b"\n" + GOOD).place == 1


def test_a_very_long_field_is_shown_in_part(refused):
    assert len(str(refused(GOOD + b"fish 1 " + b"x" * 5000 + b" 3\n").error.message)) < 200


@pytest.mark.parametrize(
    ("field", "shown"),
    [(b"nan", "nan"), (b"-Inf", "-inf"), (b"infinity", "inf"), (b"1e39", "inf"), (b"-4e38", "-inf")],
)
def test_nan_and_infinities_are_named_with_line_and_word(refused, field, shown):
    place, error = refused(GOOD + b"fish 1 " + field + b" 3\n")
    assert (place, error.words) == (4, ("fish",))
    assert shown in error.message


def test_a_file_of_nothing_but_nan(refused):
    assert refused(b"cat nan nan\n").error.words == ("cat",)


def test_zero_vectors_are_kept_noted_and_count_as_missing(accepted):
    embedding = accepted(GOOD + b"none 0 0.0 -0e5\nnil 0 0 0\n")
    assert embedding.notes == ("2 words have a zero vector and count as missing: 'none', 'nil'",)
    assert embedding.lookup(["cat", "none"]).missing == ("none",)
    assert len(embedding) == 5


def test_a_tiny_vector_is_no_zero_vector(accepted):
    assert accepted(GOOD + b"tiny 1e-40 0 0\n").notes == ()


@pytest.mark.parametrize("options", [{}, {"only": ["cat", "dog"]}])
def test_repeated_words_keep_their_first_row_and_are_counted(accepted, options):
    embedding = accepted(GOOD + b"cat 9 9 9\ndog 8 8 8\ncat 7 7 7\n", **options)
    assert embedding.words == (["cat", "dog"] if options else ["cat", "dog", "bird"])
    assert embedding.vectors[:2].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert embedding.notes == ("3 rows repeat an earlier word and were dropped: 'cat', 'dog'",)


def test_repeats_in_the_middle_leave_later_rows_with_their_words(accepted):
    embedding = accepted(b"a 1 1\na 2 2\nb 3 3\na 4 4\nc 5 5\nb 6 6\nd 7 7\n")
    assert dict(zip(embedding.words, embedding.vectors[:, 0].tolist(), strict=True)) == {
        "a": 1,
        "b": 3,
        "c": 5,
        "d": 7,
    }


def test_many_repeated_words_are_named_in_part(accepted):
    rows = b"".join(f"w{row} 1 2\n".encode() for row in range(10))
    assert accepted(rows * 2).notes == ("10 rows repeat an earlier word and were dropped: 'w0', 'w1', 'w2', ...",)


def test_bytes_that_are_not_utf8(refused):
    place, error = refused(GOOD + "café 1 2 3\n".encode("latin1"))
    assert place == 4
    assert r"b'caf\xe9'" in str(error)


def test_utf16_is_refused(refused):
    assert refused("cat 1 2 3\ndog 4 5 6\n".encode("utf-16")).place == 1


@pytest.mark.parametrize("options", [{}, {"only": ["cat"]}])
@pytest.mark.parametrize("count", [5, 2])
def test_a_header_that_lies_about_the_count(refused, count, options):
    assert refused(f"{count} 3\n".encode() + GOOD, **options).place == 1


def test_a_header_that_lies_about_the_dimension(refused):
    assert refused(b"3 4\n" + GOOD).place == 1


def test_a_header_and_nothing_else(refused):
    assert refused(b"400000 100\n").place == 1


@pytest.mark.parametrize("header", [b"1000000000000 3", b"3 1000000000", b"999999999999999999 999999999999999999"])
def test_a_header_of_monstrous_numbers_allocates_nothing(refused, header):
    tracemalloc.start()
    try:
        place = refused(header + b"\n" + GOOD).place
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert place == 1
    assert peak < 100e6


def test_a_line_without_end(refused, monkeypatch):
    monkeypatch.setattr(layout, "BLOCK_BYTES", 1 << 20)
    assert refused(GOOD + b"x" * (3 << 20)).place == 4


def test_more_dimensions_than_any_embedding_has(refused):
    assert refused(b"cat" + b" 1" * 200_000 + b"\n").error.got == 200_000


def test_line_numbers_stay_right_after_blank_lines_and_across_blocks(refused, monkeypatch):
    monkeypatch.setattr(layout, "BLOCK_BYTES", 64)
    rows = b"".join(f"w{row} 1 2 3\n\n".encode() for row in range(50))
    assert refused(rows + b"last 1 2\n").place == 101
    assert refused(rows + b"last 1 2\n", only=["w7", "w30"]).place == 101


def test_a_bad_row_of_a_wanted_word_is_found_when_other_rows_are_skipped(refused):
    rows = b"".join(f"w{row} 1 2 3\n".encode() for row in range(500))
    content = rows + b"wanted 1 x 3\n" + rows.replace(b"w", b"v")
    assert refused(content, only=["wanted"]).place == 501
