import struct
import tracemalloc

import numpy as np
import pytest
from gensim.models import FastText
from gensim.models.fasttext import ft_ngram_hashes, save_facebook_model

from imprint.embeddings.formats.fasttext import Subwords
from imprint.subjects.opening import load


def rows(*words: bytes, values: tuple[float, ...] = (1.0, 2.0)) -> bytes:
    return b"".join(word + b" " + struct.pack(f"<{len(values)}f", *values) + b"\n" for word in words)


@pytest.mark.parametrize("cut", [1, 2, 5, 8, 9, 12])
def test_a_binary_file_cut_short(refused, cut):
    content = b"3 2\n" + rows(b"cat", b"dog", b"bird").rstrip(b"\n")
    assert refused(content[:-cut]).place == 1


def test_a_binary_header_that_promises_too_few(refused):
    assert refused(b"1 2\n" + rows(b"cat", b"dog")).place == 1


@pytest.mark.parametrize("space", [b"\r", b" \r", b"\v", b"\f"])
def test_a_binary_header_of_two_lines_is_refused(refused, space):
    assert refused(b"2" + space + b"2\n" + rows(b"cat", b"dog")).place == 1


@pytest.mark.parametrize("header", [b"2\t2\r\n", b" 2  2 \n"])
def test_a_binary_header_may_end_with_a_carriage_return_and_have_blanks(header, tmp_path):
    path = tmp_path / "odd.bin"
    path.write_bytes(header + rows(b"cat", b"dog"))
    assert load(path).words == ["cat", "dog"]


@pytest.mark.parametrize("header", [b"1000000000000 2", b"2 1000000000", b"2 0", b"999999999999999999 100000"])
def test_a_binary_header_of_monstrous_numbers_allocates_nothing(refused, header):
    tracemalloc.start()
    try:
        assert refused(header + b"\n" + rows(b"cat", b"dog")).place == 1
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100e6


def test_a_wrong_dimension_does_not_pass_for_words(refused):
    content = b"40 3\n" + rows(*[b"word%d" % number for number in range(40)], values=(0.1, 0.2, 0.3, 0.4))
    assert refused(content).place is not None


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_binary_nan_and_infinities_are_named_with_row_and_word(refused, value):
    place, error = refused(b"2 2\n" + rows(b"cat") + rows(b"dog", values=(1.0, value)))
    assert (place, error.words) == ("row 2", ("dog",))
    assert str(value) in error.message


def test_binary_words_in_another_encoding(refused):
    place, error = refused(b"2 2\n" + rows(b"cat", "fußball".encode("latin1")))
    assert place == "row 2"
    assert r"b'fu\xdfball'" in str(error)


def test_repeated_and_mended_binary_words_are_told(tmp_path):
    path = tmp_path / "odd.bin"
    path.write_bytes(b"5 2\n" + rows(b"cat", b"cut\xe2", b"cut\xe2\x82", b"cat") + rows(b"zero", values=(0.0, 0.0)))
    embedding = load(path)
    assert embedding.words == ["cat", "cut\ufffd", "zero"]
    assert embedding.notes == (
        "2 words end in the middle of a character, shown as U+FFFD",
        "2 rows repeat an earlier word and were dropped: 'cut\ufffd', 'cat'",
        "1 words have a zero vector and count as missing: 'zero'",
    )


@pytest.fixture(scope="module")
def fasttext_bytes(tmp_path_factory):
    model = FastText([["cat", "dog", "bird"]] * 10, vector_size=4, min_count=1, epochs=1, bucket=20, workers=1)
    path = tmp_path_factory.mktemp("fasttext") / "model.bin"
    save_facebook_model(model, str(path))
    return path.read_bytes()


@pytest.mark.parametrize("keep", [5, 60, 93, 100, 120, 300])
def test_a_fasttext_model_cut_short(refused, fasttext_bytes, keep):
    assert "ends too early" in refused(fasttext_bytes[:keep]).error.message


@pytest.mark.parametrize(
    ("offset", "layout", "value", "said"),
    [
        (4, "<i", 11, "version 11"),
        (8, "<i", 2_000_000_000, "header"),
        (8, "<i", 5, "matrix"),
        (40, "<i", 2_000_000_000, "matrix"),
        (48, "<i", -1, "header"),
        (64, "<i", 2_000_000_000, "ends too early"),
        (64, "<i", 0, "no words"),
        (72, "<i", 3, "supervised"),
        (84, "<q", 1, "quantised"),
    ],
)
def test_a_fasttext_header_that_lies(refused, fasttext_bytes, offset, layout, value, said):
    content = bytearray(fasttext_bytes)
    struct.pack_into(layout, content, offset, value)
    assert said in refused(bytes(content)).error.message


def test_a_fasttext_word_without_end(refused, fasttext_bytes):
    content = fasttext_bytes.replace(b"bird\0", b"b" * 3000 + b"\0")
    assert refused(content).place == "word 1"


def test_fasttext_words_that_are_not_utf8_are_kept_and_noted(fasttext_bytes, tmp_path):
    path = tmp_path / "odd.bin"
    path.write_bytes(fasttext_bytes.replace(b"bird\0", b"b\xffrd\0"))
    embedding = load(path)
    assert "b\\xffrd" in embedding.words
    assert embedding.notes[0].startswith("1 words are not UTF-8; ")


def test_the_ngrams_of_a_long_word_are_summed_in_blocks():
    subwords = Subwords(np.ones((20, 1000), np.float32), 1, 50, 20)
    tracemalloc.start()
    try:
        vectors = subwords.compose(["a" * 2000], np.ones((1, 1000), np.float32))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 60e6
    assert vectors.tolist() == [[1.0] * 1000]
    assert subwords.vector("a" * 2000).tolist() == [1.0] * 1000
    assert subwords.vector("a" * 2001) is None


def test_sums_in_blocks_are_those_of_one_sum():
    rows = np.random.default_rng(3).normal(size=(500, 7)).astype(np.float32)
    subwords = Subwords(rows, 1, 6, 500)
    word = "".join(map(chr, range(97, 97 + 600)))
    chosen = rows[ft_ngram_hashes(word, 1, 6, 500)]
    assert len(chosen) > 3000
    assert subwords.vector(word).tolist() == (chosen.sum(axis=0) / np.float32(len(chosen))).tolist()
