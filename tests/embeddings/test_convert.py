import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refuses
from safetensors.numpy import load_file, save_file

from imprint.embeddings.convert import convert
from imprint.embeddings.embedding import Embedding
from imprint.errors import EmbeddingFileError, ImprintError, MissingExtraError, SettingError, VocabularyError
from imprint.subjects.opening import load


def make(words: list[str], dimension: int = 3, **fields: object) -> Embedding:
    vectors = np.random.default_rng(3).normal(size=(len(words), dimension)).astype(np.float32)
    return Embedding(name="made", words=words, vectors=vectors, **fields)


words = st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"])), min_size=1, unique=True)


@given(words, st.integers(1, 4), st.booleans(), st.booleans())
def test_what_was_written_is_read_back(tmp_path_factory, spelt, dimension, ranked, flagged):
    path = tmp_path_factory.mktemp("round") / "trip.safetensors"
    ranks = np.arange(len(spelt), dtype=np.int32)[::-1] if ranked else None
    common = np.arange(len(spelt)) % 2 == 0 if flagged else None
    written = make(spelt, dimension, notes=("first note", "second"), ranks=ranks, common=common)
    convert(written, path)
    read = load(path)
    assert (read.name, read.words, read.notes, len(read)) == ("made", spelt, written.notes, len(spelt))
    assert np.array_equal(read.vectors, written.vectors)
    assert np.array_equal(read.ranks, ranks) if ranked else read.ranks is None
    assert np.array_equal(read.common, common) if flagged else read.common is None


def test_single_precision_is_mapped_and_half_is_widened(tmp_path):
    embedding = make(["a", "b"])
    convert(embedding, tmp_path / "single.safetensors")
    convert(embedding, tmp_path / "half.safetensors", half=True)
    assert isinstance(load(tmp_path / "single.safetensors").vectors, np.memmap)
    half = load(tmp_path / "half.safetensors").vectors
    assert half.dtype == np.float32
    assert np.array_equal(half, embedding.vectors.astype(np.float16).astype(np.float32))


def test_only_keeps_rows_ranks_and_flags(tmp_path):
    ranks = np.array([5, 6, 9], dtype=np.int32)
    convert(make(["a", "b", "c"], ranks=ranks, common=np.array([True, False, True])), tmp_path / "file.safetensors")
    kept = load(tmp_path / "file.safetensors", only=["C", "b"])
    assert (kept.words, kept.ranks.tolist(), kept.common.tolist()) == (["b", "c"], [6, 9], [False, True])


def test_only_without_ranks_takes_the_place_in_the_file(tmp_path):
    convert(make(["a", "b", "c"]), tmp_path / "file.safetensors")
    assert load(tmp_path / "file.safetensors", only=["c"]).ranks.tolist() == [2]


def test_bytes_are_the_same_in_every_process(tmp_path):
    program = (
        "import sys, numpy as np\n"
        "from imprint.embeddings.convert import convert\n"
        "from imprint.embeddings.embedding import Embedding\n"
        "made = Embedding('naïve', ['a', 'b'], np.ones((2, 3), np.float32), notes=('x', 'y\\u2028z'))\n"
        "convert(made, sys.argv[1])"
    )
    contents = set()
    for run in range(5):
        path = tmp_path / f"{run}.safetensors"
        subprocess.run([sys.executable, "-c", program, path], check=True)
        contents.add(path.read_bytes())
    assert len(contents) == 1


def test_the_file_is_a_safetensors_file_to_the_library_too(tmp_path):
    embedding = make(["a", "naïve"])
    convert(embedding, tmp_path / "file.safetensors")
    tensors = load_file(tmp_path / "file.safetensors")
    assert tensors["words"].tobytes().decode() == "a\nnaïve"
    assert np.array_equal(tensors["vectors"], embedding.vectors)


@pytest.mark.parametrize("half", [False, True])
def test_tensors_lie_where_the_library_puts_them(tmp_path, half):
    ranks, common = np.array([2, 0, 1], dtype=np.int32), np.array([True, False, True])
    embedding = make(["a", "naïve", "c"], ranks=ranks, common=common)
    convert(embedding, tmp_path / "ours.safetensors", half=half)
    vectors = embedding.vectors.astype(np.float16 if half else np.float32)
    words = np.frombuffer("a\nnaïve\nc".encode(), dtype=np.uint8)
    tensors = {"vectors": vectors, "words": words, "ranks": ranks, "common": common.view(np.uint8)}
    save_file(tensors, tmp_path / "theirs.safetensors", metadata={"format": "imprint"})
    ours, theirs = (split(tmp_path / f"{who}.safetensors") for who in ("ours", "theirs"))
    assert ours == theirs


def split(path: Path) -> tuple[list[object], int, bytes]:
    """Return the tensors named in a header, in their order, how the data is aligned, and the data."""
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    return list(json.loads(content[8:start]).items())[1:], start % 8, content[start:]


def test_progress_counts_the_rows_written(tmp_path, monkeypatch):
    monkeypatch.setattr("imprint.embeddings.convert.BLOCK_ROWS", 2)
    monkeypatch.setattr("imprint.embeddings.convert._TEXT_VALUES", 40)
    monkeypatch.setattr("imprint.embeddings.convert._SYNC_BYTES", 1)
    embedding = make(["a", "b", "c", "d", "e"], 20)
    for name in ("file.safetensors", "file.txt", "file.bin"):
        seen = []
        convert(embedding, tmp_path / name, progress=lambda *counts, seen=seen: seen.append(counts))
        assert seen == [(2, 5), (4, 5), (5, 5)]
        assert np.array_equal(load(tmp_path / name).vectors, embedding.vectors)


@pytest.mark.parametrize("name", ["out.csv", "default", "out.safetensors.gz", "safetensors"])
def test_a_name_that_promises_another_kind_of_file_is_refused(tmp_path, name):
    (tmp_path / name).write_text("old")
    with refuses(SettingError, ".safetensors", option="path", got=tmp_path / name):
        convert(make(["a"]), tmp_path / name)
    assert (tmp_path / name).read_text() == "old"


def test_the_ending_may_be_in_capitals_and_the_path_a_text(tmp_path):
    convert(make(["a"]), str(tmp_path / "OUT.SafeTensors"))
    assert load(tmp_path / "OUT.SafeTensors").words == ["a"]


def test_a_name_that_is_no_text_has_question_marks(tmp_path):
    convert(Embedding("odd\udcff", ["a"], np.ones((1, 2), np.float32)), tmp_path / "file.safetensors")
    assert load(tmp_path / "file.safetensors").name == "odd?"


def test_columns_of_a_larger_matrix_are_written_as_seen(tmp_path):
    wide = np.random.default_rng(0).normal(size=(3, 8)).astype(np.float32)
    convert(Embedding("view", ["a", "b", "c"], wide[:, ::2]), tmp_path / "file.safetensors")
    assert np.array_equal(load(tmp_path / "file.safetensors").vectors, wide[:, ::2])


def test_a_file_is_not_converted_onto_itself(tmp_path):
    path = tmp_path / "file.safetensors"
    convert(make(["a", "b"]), path)
    before = path.read_bytes()
    with refuses(EmbeddingFileError, where=path):
        convert(load(path), tmp_path / "." / "file.safetensors", half=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("spelt", "words"),
    [
        (["a", "b\nc"], ("b\nc",)),
        (["a", "b", "a"], ("a",)),
        (["\ud800"], ()),
        ([], ()),
    ],
)
def test_words_that_cannot_be_read_back_are_refused(tmp_path, spelt, words):
    with refuses(VocabularyError, where="made", words=words):
        convert(make(spelt), tmp_path / "file.safetensors")
    assert list(tmp_path.iterdir()) == []


def test_values_too_large_for_half_precision_are_refused_and_the_old_file_stays(tmp_path):
    path = tmp_path / "file.safetensors"
    path.write_text("old")
    large = Embedding("large", ["a", "b"], np.array([[1, 2], [3, 70_000]], np.float32))
    with refuses(EmbeddingFileError, "float16", where="large", words=("b",)):
        convert(large, path, half=True)
    assert path.read_text() == "old"


plain = st.text(st.characters(min_codepoint=33, exclude_categories=["Cs"]), min_size=1)
vectors = arrays(np.float32, (3, 30), elements=st.floats(width=32, allow_nan=False, allow_infinity=False))
FORMATS = [("file.vec", None), ("file.txt", None), ("file.txt", "glove"), ("file.bin", None), ("file.kv", None)]


def read_by_gensim(path: Path, form: str | None) -> KeyedVectors:
    if path.suffix == ".kv":
        return KeyedVectors.load(str(path))
    with warnings.catch_warnings(action="ignore", category=ResourceWarning):  # gensim counts lines and does not close
        return KeyedVectors.load_word2vec_format(str(path), binary=path.suffix == ".bin", no_header=form == "glove")


@pytest.mark.parametrize(("name", "form"), FORMATS)
@given(st.lists(plain, min_size=3, max_size=3, unique=True), vectors)
def test_gensim_and_imprint_read_what_was_written(tmp_path_factory, name, form, spelt, values):
    path = tmp_path_factory.mktemp("others") / name
    values[0, 0] = 0.0  # of which word2vec's binary format shows that it is not text
    assume(form != "glove" or spelt[0][0] != "\ufeff")
    convert(Embedding("made", spelt, values), path, format=form)
    theirs, ours = read_by_gensim(path, form), load(path)
    assert (theirs.index_to_key, list(ours.words)) == (spelt, spelt)
    for read in (theirs.vectors, ours.vectors):
        assert np.array_equal(read.view(np.uint32), values.view(np.uint32))


@pytest.mark.parametrize(("name", "form"), FORMATS)
def test_real_words_are_the_same_in_every_format(tmp_path, name, form):
    whole = load("default")
    embedding = Embedding("made", whole.words[:5000], whole.vectors[:5000])
    convert(embedding, tmp_path / name, format=form)
    theirs, ours = read_by_gensim(tmp_path / name, form), load(tmp_path / name)
    assert theirs.index_to_key == list(ours.words) == list(embedding.words)
    assert np.array_equal(theirs.vectors, embedding.vectors)
    assert np.array_equal(ours.vectors, embedding.vectors)
    assert theirs.key_to_index["man"] == embedding.index["man"]
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_text_has_the_fewest_digits_that_give_the_value_back(tmp_path):
    values = np.array([[0.1, -2.5, 1e-30, 16777216.0, 0.0], [0.418, -0.3333333, 1e30, 123456.79, -0.0]], np.float32)
    convert(Embedding("made", ["a", "b"], values), tmp_path / "file.txt")
    header, first, second = (tmp_path / "file.txt").read_text().splitlines()
    assert header == "2 5"
    assert first.split()[:3] == ["a", "0.1", "-2.5"]
    assert second.split()[:3] == ["b", "0.418", "-0.3333333"]
    assert np.array_equal(load(tmp_path / "file.txt").vectors.view(np.uint32), values.view(np.uint32))


def test_gloves_own_words_with_spaces_are_written_as_glove_and_nowhere_cut(tmp_path):
    spelt = [". . .", "at name@domain.com", "New\u00a0York", "100", "2 go"]
    convert(make(spelt, 30), tmp_path / "file.txt", format="glove")
    convert(make(spelt, 30), tmp_path / "file.kv")
    assert list(load(tmp_path / "file.txt").words) == list(load(tmp_path / "file.kv").words) == spelt
    assert read_by_gensim(tmp_path / "file.kv", None).index_to_key == spelt


@pytest.mark.parametrize(
    ("name", "form", "word"),
    [
        *((name, None, word) for name in ("file.txt", "file.bin") for word in ("", "two words", "a\tb", "a\rb", "\0")),
        *(("file.txt", "glove", word) for word in ("", " a", "a ", "a  b", "apollo 11", "a\tb", "a\nb", "nan nan")),
    ],
)
def test_words_that_a_format_cannot_hold_are_refused(tmp_path, name, form, word):
    with refuses(VocabularyError, ".kv", where="made", words=(word,)):
        convert(make(["fine", word]), tmp_path / name, format=form)
    assert list(tmp_path.iterdir()) == []
    convert(make(["fine", word]), tmp_path / "file.kv")
    assert list(load(tmp_path / "file.kv").words) == ["fine", word]


@pytest.mark.parametrize("count", [1, 3, 50])
@pytest.mark.parametrize("dimension", [1, 4])
def test_vectors_whose_bytes_are_printable_are_read_back_from_word2vecs_binary_format(tmp_path, count, dimension):
    values = np.random.default_rng(count).integers(33, 48, size=(count, 4 * dimension), dtype=np.uint8).view("<f4")
    embedding = Embedding("made", [f"w{row}" for row in range(count)], values)
    convert(embedding, tmp_path / "file.bin")
    assert list(load(tmp_path / "file.bin").words) == embedding.words
    assert np.array_equal(load(tmp_path / "file.bin").vectors, values)


@pytest.mark.parametrize("content", [b"0.25", b"1   2.5 3   4.25", b" 10\nb 20"])
def test_vectors_whose_bytes_are_rows_of_text_are_refused_in_word2vecs_binary_format(tmp_path, content):
    values = np.frombuffer(content, "<f4").reshape(1, -1)
    with refuses(EmbeddingFileError, ".safetensors", where="made"):
        convert(Embedding("made", ["a"], values), tmp_path / "file.bin")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "form"), FORMATS[:-1])
def test_more_dimensions_than_the_readers_take_are_refused(tmp_path, name, form):
    with refuses(EmbeddingFileError, option="dimensions", got=100_001):
        convert(make(["a"], 100_001), tmp_path / name, format=form)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "form"), FORMATS[:-1])
def test_the_longest_words_are_read_back_wherever_a_block_ends(tmp_path, name, form):
    spelt = ["a", *(f"{row}{'é' * 1_000_000}" for row in range(9))]
    convert(make(spelt, 5), tmp_path / name, format=form)
    assert list(load(tmp_path / name).words) == spelt
    with refuses(VocabularyError, ".kv", where="made"):
        convert(make(["a" * 1_100_000]), tmp_path / name, format=form)


def test_a_byte_order_mark_is_refused_where_it_would_begin_the_file(tmp_path):
    with refuses(VocabularyError, where="made", words=("\ufeffa",)):
        convert(make(["\ufeffa"]), tmp_path / "file.txt", format="glove")
    convert(make(["\ufeffa"]), tmp_path / "file.txt")
    assert list(load(tmp_path / "file.txt").words) == ["\ufeffa"]


@pytest.mark.parametrize(("name", "form"), FORMATS)
def test_every_format_refuses_damage_and_leaves_the_old_file(tmp_path, name, form):
    (tmp_path / name).write_text("old")
    damaged = Embedding("made", ["a", "b"], np.array([[1, 2], [3, np.nan]], np.float32))
    with refuses(EmbeddingFileError, where="made", words=("b",)):
        convert(damaged, tmp_path / name, format=form)
    with refuses(VocabularyError, where="made", words=("a",)):
        convert(make(["a", "a"]), tmp_path / name, format=form)
    with refuses(SettingError, option="half"):
        convert(make(["a", "b"]), tmp_path / name, format=form, half=True)
    assert (tmp_path / name).read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("name", "form", "option"),
    [("out.bin", "glove", "path"), ("out.txt", "gensim", "path"), ("out.txt", "word2vec-text", "format")],
)
def test_a_format_needs_its_ending(tmp_path, name, form, option):
    with refuses(SettingError, option=option):
        convert(make(["a"]), tmp_path / name, format=form)


def test_gensims_format_needs_gensim(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with refuses(MissingExtraError, "pip install"):
        convert(make(["a"]), tmp_path / "out.kv")


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with refuses(ImprintError, "nowhere"):
        convert(make(["a"]), Path(tmp_path) / "nowhere" / "file.safetensors")
