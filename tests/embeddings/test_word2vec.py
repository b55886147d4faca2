import struct

import numpy as np
import pytest

from imprint.embeddings.formats import word2vec
from imprint.subjects.opening import load


def binary(rows: list[tuple[bytes, list[float]]], *, break_after: bytes = b"\n") -> bytes:
    header = f"{len(rows)} {len(rows[0][1])}\n".encode()
    return header + b"".join(word + b" " + struct.pack(f"<{len(row)}f", *row) + break_after for word, row in rows)


ROWS = [(b"cat", [1.0, 2.5]), ("naïve".encode(), [-3.0, 0.1]), (b"New_York", [4.0, 5.0])]


@pytest.mark.parametrize("break_after", [b"\n", b""])
def test_the_line_break_after_a_vector_is_optional(tmp_path, break_after):
    path = tmp_path / "vectors.bin"
    path.write_bytes(binary(ROWS, break_after=break_after))
    embedding = load(path)
    assert embedding.words == ["cat", "naïve", "New_York"]
    assert embedding.vectors.tolist() == np.array([row for _, row in ROWS], np.float32).tolist()


def test_vector_bytes_that_look_like_spaces_and_line_breaks_are_numbers(tmp_path):
    # The float whose four bytes are all spaces, and the one of four line breaks.
    space, line = struct.unpack("<2f", b"    \n\n\n\n")
    path = tmp_path / "odd.bin"
    path.write_bytes(binary([(b"a", [space, line, 1.0]), (b"b", [line, space, 2.0])], break_after=b""))
    embedding = load(path)
    assert embedding.words == ["a", "b"]
    assert embedding.vectors[:, 2].tolist() == [1.0, 2.0]


def test_rows_that_straddle_blocks_are_whole(monkeypatch, keyed_vectors, tmp_path):
    path = tmp_path / "vectors.bin"
    keyed_vectors.save_word2vec_format(str(path), binary=True)
    whole = load(path)
    for size in (10_200, 11_003):
        monkeypatch.setattr(word2vec, "_BLOCK_BYTES", size)
        cut = load(path)
        assert cut.words == whole.words
        assert np.array_equal(cut.vectors, whole.vectors)


def test_only_keeps_rows_with_their_rank(tmp_path):
    path = tmp_path / "vectors.bin"
    path.write_bytes(binary(ROWS))
    kept = load(path, only=["New_York", "CAT"])
    assert (kept.words, kept.ranks.tolist()) == (["cat", "New_York"], [0, 2])


def test_a_word_cut_in_the_middle_of_a_character_is_kept_and_noted(tmp_path):
    path = tmp_path / "cut.bin"
    path.write_bytes(binary([("größe".encode()[:3], [1.0, 2.0]), (b"fine", [3.0, 4.0])]))
    embedding = load(path)
    assert embedding.words == ["gr\ufffd", "fine"]
    assert embedding.notes == ("1 words end in the middle of a character, shown as U+FFFD",)


def test_text_after_a_header_is_not_taken_for_binary(tmp_path):
    path = tmp_path / "vectors.bin"
    path.write_bytes(b"2 2\ncat 1 2\ndog 3 4\n")
    assert load(path).words == ["cat", "dog"]
