import bz2
import gzip
import lzma
import math
import tempfile
import zipfile
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from gensim.models import KeyedVectors
from hypothesis import assume, given
from hypothesis import strategies as st

from imprint.embeddings.embedding import Embedding
from imprint.embeddings.formats import layout
from imprint.subjects.opening import load

LARGEST = float(np.finfo(np.float32).max)


def load_bytes(content: bytes, **options: object) -> Embedding:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content)
        return load(path, **options)


def bits(vectors: np.ndarray) -> list[list[int]]:
    return np.ascontiguousarray(vectors, dtype=np.float32).view(np.uint32).tolist()


def test_rows_of_glove_text_are_read_as_printed(glove):
    embedding = load(glove)
    assert embedding.words == ["cat", "dog", "new york"]
    assert embedding.vectors.tolist() == np.array([[1, 2], [3.5, -4], [0.25, 0.08]], np.float32).tolist()
    assert (embedding.name, embedding.source, embedding.notes, embedding.ranks) == ("tiny", glove, (), None)


@pytest.mark.parametrize("binary", [False, True])
def test_word2vec_files_come_out_bit_equal_to_gensims_own_reading(keyed_vectors, tmp_path, binary):
    path = tmp_path / "vectors"
    keyed_vectors.save_word2vec_format(str(path), binary=binary)
    theirs = KeyedVectors.load_word2vec_format(str(path), binary=binary)
    ours = load(path)
    assert ours.words == theirs.index_to_key
    assert bits(ours.vectors) == bits(theirs.vectors)


numerals = st.from_regex(r"[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?", fullmatch=True)
printed_doubles = st.floats(-1e30, 1e30).map(repr)
printed_singles = st.floats(-(2.0**100), 2.0**100, width=32).map(lambda value: str(np.float32(value)))
short_decimals = st.tuples(st.integers(-(10**7), 10**7), st.integers(0, 9)).map(
    lambda pair: f"{pair[0] / 10 ** pair[1]:.6g}"
)


@st.composite
def near_ties(draw: st.DrawFn) -> str:
    """Decimal numerals on, or a hair beside, the midpoint of two neighbouring singles: the hardest to round."""
    single = np.uint32(draw(st.integers(1, 0x7F7F_0000))).view(np.float32)
    middle = (Decimal(float(single)) + Decimal(float(np.nextafter(single, np.float32(np.inf))))) / 2
    return f"{middle:f}" + draw(st.sampled_from(["", "0", "1", "00000000000000000001"]))


@given(
    st.lists(
        st.one_of(numerals, printed_doubles, printed_singles, short_decimals, near_ties()), min_size=1, max_size=40
    )
)
def test_any_numeral_is_rounded_exactly_as_numpy_rounds_the_text(tokens):
    assume(all(abs(float(token)) < LARGEST for token in tokens))
    tokens = [token if "." in token or "e" in token.lower() else token + ".0" for token in tokens]
    read = load_bytes("".join(f"w{row} {token}\n" for row, token in enumerate(tokens)).encode())
    assert bits(read.vectors) == bits(np.array([[np.float32(token)] for token in tokens]))


words = st.text(
    st.characters(exclude_characters="\n\r \t", exclude_categories=["Cs"]), min_size=1, max_size=12
).filter(lambda word: not _is_number(word))
phrases = st.lists(words, min_size=1, max_size=3).map(" ".join)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@given(
    st.lists(phrases, min_size=1, max_size=20, unique=True),
    st.integers(1, 6),
    st.booleans(),
    st.sampled_from([" ", "\t", "  ", " \t"]),
    st.sampled_from(["\n", " \n", "\r\n", " \r\n", "\n\n"]),
    st.booleans(),
)
def test_words_may_hold_spaces_and_any_letters_whatever_the_layout(tokens, dimension, header, gap, end, last_end):
    generator = np.random.default_rng(len(tokens))
    vectors = generator.normal(size=(len(tokens), dimension)).astype(np.float32)
    rows = [gap.join([token, *map(str, row)]) for token, row in zip(tokens, vectors, strict=True)]
    text = end.join([f"{len(tokens)} {dimension}", *rows] if header else rows) + (end if last_end else "")
    read = load_bytes(text.encode())
    assert read.words == tokens
    assert bits(read.vectors) == bits(vectors)


def test_unicode_spaces_and_line_separators_are_letters_of_a_word():
    tokens = ["a\u00a0b", "c\u2028d", "e\u0085f", "\u3000", "g\x0bh", "i\x1cj"]
    read = load_bytes("".join(f"{token} 1 2\n" for token in tokens).encode())
    assert read.words == tokens


def test_words_that_are_numbers_are_words():
    read = load_bytes(b"1998 0.5 0.25\n7 1 2\n3.14 3 4\nnan 5 6\n")
    assert read.words == ["1998", "7", "3.14", "nan"]
    assert read.dimension == 2


def test_one_dimension_of_whole_numbers_needs_no_header():
    read = load_bytes(b"5 3\n7 2\n9 4\n")
    assert read.words == ["5", "7", "9"]
    assert read.vectors.tolist() == [[3], [2], [4]]


def test_a_byte_order_mark_is_not_part_of_the_first_word():
    assert load_bytes(b"\xef\xbb\xbfcat 1 2\ndog 3 4\n").words == ["cat", "dog"]
    assert load_bytes(b"\xef\xbb\xbf2 2\ncat 1 2\ndog 3 4\n").words == ["cat", "dog"]


def test_lines_that_straddle_blocks_are_whole(monkeypatch, keyed_vectors, tmp_path):
    path = tmp_path / "vectors.vec"
    keyed_vectors.save_word2vec_format(str(path))
    whole = load(path)
    longest = max(len(line) for line in path.read_bytes().splitlines())
    for size in (longest + 2, 1000, 4097):
        monkeypatch.setattr(layout, "BLOCK_BYTES", size)
        cut = load(path)
        assert cut.words == whole.words
        assert bits(cut.vectors) == bits(whole.vectors)
        some = load(path, only=["word3", "naïve"])
        assert some.words == ["word3", "naïve"]


COMPRESS = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": lambda content: pyarrow.compress(content, codec="zstd", asbytes=True),
}


def compress(kind: str, content: bytes, path: Path) -> None:
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("folder/", b"")
            archive.writestr("folder/vectors.txt", content)
    else:
        path.write_bytes(COMPRESS[kind](content))


@pytest.mark.parametrize("kind", [*COMPRESS, "zip"])
@pytest.mark.parametrize("binary", [False, True])
def test_compressed_files_are_read_in_place_under_any_name(keyed_vectors, tmp_path, kind, binary):
    plain, packed = tmp_path / "plain", tmp_path / "packed.txt"
    keyed_vectors.save_word2vec_format(str(plain), binary=binary)
    compress(kind, plain.read_bytes(), packed)
    assert load(packed).words == keyed_vectors.index_to_key
    assert bits(load(packed).vectors) == bits(load(plain).vectors)


@pytest.mark.parametrize("joined", COMPRESS.values(), ids=COMPRESS)
def test_compressed_parts_one_after_another_are_one_file(tmp_path, joined):
    path = tmp_path / "parts"
    path.write_bytes(joined(b"cat 1 2\nd") + joined(b"og 3 4\n"))
    assert load(path).words == ["cat", "dog"]


def test_only_keeps_the_words_asked_for_and_their_lower_case_forms(glove):
    kept = load(glove, only=["Cat", "New York", "absent"])
    assert kept.words == ["cat", "new york"]
    assert bits(kept.vectors) == bits(load(glove).vectors[[0, 2]])
    assert kept.ranks.tolist() == [0, 2]


@given(st.lists(phrases, min_size=1, max_size=30), st.sets(phrases, max_size=5), st.booleans())
def test_only_equals_loading_everything_and_choosing(tokens, others, header):
    lines = [f"{token} {row} {row + 0.5}" for row, token in enumerate(tokens)]
    content = "\n".join([f"{len(lines)} 2", *lines] if header else lines).encode()
    wanted = {*others, *tokens[::3]}
    whole, some = load_bytes(content), load_bytes(content, only=wanted)
    chosen = [row for row, word in enumerate(whole.words) if word in wanted | {word.lower() for word in wanted}]
    assert some.words == [whole.words[row] for row in chosen]
    assert bits(some.vectors) == bits(whole.vectors[chosen])
    assert [tokens[rank] for rank in some.ranks] == some.words


def test_progress_runs_up_to_the_size_of_the_file(glove):
    calls: list[tuple[int, int]] = []
    load(glove, progress=lambda done, total: calls.append((done, total)))
    size = glove.stat().st_size
    assert calls[-1] == (size, size)
    assert calls == sorted(calls)


def test_subnormal_and_signed_zero_values_survive():
    read = load_bytes(b"tiny 1e-45 -0.0\nsmall -1.1754942e-38 0\n")
    assert bits(read.vectors) == bits(np.array([[1e-45, -0.0], [-1.1754942e-38, 0]], np.float32))
    assert math.copysign(1, read.vectors[0, 1]) == -1
