import os
import pickle
import pickletools
import struct
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors
from gensim.models.fasttext import FastTextKeyedVectors
from refusals import refuses
from systems import posix

from imprint.embeddings.formats.pickles import PLACEHOLDERS, Inert, read_pickle
from imprint.errors import EmbeddingFileError
from imprint.subjects.opening import load


def text(value: str) -> bytes:
    """Return the opcode that pushes a string."""
    spelt = value.encode()
    return b"\x8c" + bytes([len(spelt)]) + spelt


def call(name: bytes, path: Path) -> bytes:
    """Return opcodes that call what `name` pushes as open(path, "w"), which leaves a file behind."""
    return name + b"(" + text(str(path)) + text("w") + b"tR"


class Opens:
    """Pickles as a call of open, as an attacker would write it in Python."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (self.path, "w")


def hidden_in_vectors(path: Path, protocol: int) -> bytes:
    vectors = KeyedVectors(vector_size=2)
    vectors.add_vectors(["a", "b"], np.ones((2, 2), np.float32))
    vectors.lifecycle_events = [{"harmless": Opens(path)}]
    return pickle.dumps(vectors, protocol=protocol)


def live_payloads(path: Path) -> dict[str, bytes]:
    """Pickles that Python would run: each opens, and so creates, the file at `path`."""
    names = text("builtins") + b"\x940" + text("open") + b"\x940"
    overwritten = b"".join(
        text(part) + b"q" + bytes([index]) + b"0"
        for index, part in ((0, "numpy"), (1, "dtype"), (0, "builtins"), (1, "open"))
    )
    return {
        "protocol 2, GLOBAL": b"\x80\x02" + call(b"cbuiltins\nopen\n", path) + b".",
        "protocol 2, Python 2 name": b"\x80\x02" + call(b"c__builtin__\nopen\n", path) + b".",
        "protocol 4, STACK_GLOBAL": b"\x80\x04" + call(text("builtins") + text("open") + b"\x93", path) + b".",
        "memoised by MEMOIZE": b"\x80\x04" + names + call(b"h\x00h\x01\x93", path) + b".",
        "memoised by BINPUT": b"\x80\x04"
        + text("builtins")
        + b"q\x000"
        + text("open")
        + b"q\x010"
        + call(b"h\x00h\x01\x93", path)
        + b".",
        "memo overwritten": b"\x80\x04" + overwritten + call(b"h\x00h\x01\x93", path) + b".",
        "duplicated on the stack": b"\x80\x04" + call(text("builtins") + text("open") + b"20\x93", path) + b".",
        "strings of Python 2": b"\x80\x04" + call(b"U\x08builtinsU\x04open\x93", path) + b".",
        "a list and its items behind": b"\x80\x04"
        + call(b"](" + b"e0" + text("builtins") + text("open") + b"\x93", path)
        + b".",
        "dotted name below an admitted module": b"\x80\x04"
        + call(text("numpy") + text("lib._datasource.open") + b"\x93", path)
        + b".",
        "INST": b"\x80\x02(" + text(str(path)) + text("w") + b"ibuiltins\nopen\n.",
        "OBJ": b"\x80\x02(cbuiltins\nopen\n" + text(str(path)) + text("w") + b"o.",
        "inside KeyedVectors, protocol 2": hidden_in_vectors(path, 2),
        "inside KeyedVectors, protocol 4": hidden_in_vectors(path, 4),
        "after an honest beginning": pickle.dumps([np.ones(3), Opens(path)], protocol=4),
    }


PAYLOADS = sorted(live_payloads(Path("x")))


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_pickle_that_would_run_code_is_refused(tmp_path, payload):
    mark, path = tmp_path / "ran", tmp_path / "bad.kv"
    path.write_bytes(live_payloads(mark)[payload])
    with refuses(EmbeddingFileError, f"{path}: ", "refused"):
        load(path)
    assert not mark.exists()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("payload", [name for name in PAYLOADS if "dotted" not in name])
def test_these_pickles_do_run_when_python_reads_them(tmp_path, payload):
    # Otherwise the test above would pass on payloads that are harmless by mistake.
    mark = tmp_path / "ran"
    try:
        pickle.loads(live_payloads(mark)[payload])
    except TypeError:
        assert payload == "OBJ"  # opened, then not built as an object
    assert mark.exists()


@pytest.mark.parametrize(
    ("name", "spelt"),
    [
        (("os", "system"), "os.system"),
        (("builtins", "eval"), "builtins.eval"),
        (("subprocess", "Popen"), "subprocess.Popen"),
        (("numpy", "load"), "numpy.load"),
        (("numpy.core.multiarray", "fromfile"), "numpy.core.multiarray.fromfile"),
        (("gensim.utils", "unpickle"), "gensim.utils.unpickle"),
        (("gensim.models.keyedvectors", "KeyedVectors.load"), "gensim.models.keyedvectors.KeyedVectors.load"),
        (("builtins", "getattr"), "builtins.getattr"),
        (("operator", "attrgetter"), "operator.attrgetter"),
        (("__main__", "Anything"), "__main__.Anything"),
    ],
)
@pytest.mark.parametrize("protocol", [2, 4])
def test_any_other_name_is_told_and_refused(tmp_path, name, spelt, protocol):
    path = tmp_path / "bad.kv"
    module, attribute = name
    pushed = text(module) + text(attribute) + b"\x93" if protocol == 4 else f"c{module}\n{attribute}\n".encode()
    path.write_bytes(b"\x80" + bytes([protocol]) + pushed + b".")
    with refuses(EmbeddingFileError, where=path, got=spelt):
        load(path)


REFUSED = {
    "PERSID": b"Pname\n",
    "BINPERSID": text("x") + b"Q",
    "EXT1": b"\x82\x01",
    "EXT2": b"\x83\x01\x00",
    "EXT4": b"\x84\x01\x00\x00\x00",
    "OBJ": b"(cnumpy\ndtype\no",
    "INST": b"(inumpy\ndtype\n",
    "NEWOBJ_EX": b"cnumpy\ndtype\n)}\x92",
    "NEXT_BUFFER": b"\x97",
    "READONLY_BUFFER": text("x") + b"\x98",
}
REPEATING = {"DUP", "GET", "BINGET", "LONG_BINGET", "MEMOIZE"}
CHECKED = {"GLOBAL", "STACK_GLOBAL", "REDUCE", "NEWOBJ", "BUILD"}  # by name, see the tests above and below


@pytest.mark.parametrize("name", REFUSED)
def test_opcodes_gensim_never_writes_are_refused(tmp_path, name):
    path = tmp_path / "bad.kv"
    path.write_bytes(b"\x80\x05" + REFUSED[name] + b".")
    with refuses(EmbeddingFileError, "bad.kv: byte ", got=name):
        load(path)


def test_every_opcode_that_makes_more_than_plain_data_is_refused_or_checked():
    beyond = {pickletools.anyobject, pickletools.pybuffer}
    made = {one.name for one in pickletools.opcodes if not beyond.isdisjoint(one.stack_after)}
    assert made == REFUSED.keys() | REPEATING | CHECKED


@pytest.mark.parametrize(
    ("opcodes", "name"),
    [
        (b"\x8a\x09" + b"\x7f" * 9, "LONG1"),
        (b"\x8b\x00\x10\x00\x00" + b"\x7f" * 4096, "LONG4"),
        (b"I" + b"9" * 4000 + b"\n", "INT"),
        (b"L" + b"9" * 4000 + b"L\n", "LONG"),
    ],
)
def test_whole_numbers_longer_than_eight_bytes_are_refused(tmp_path, opcodes, name):
    # Multiplied as a shape, millions of them would not come to an end.
    path = tmp_path / "bad.kv"
    path.write_bytes(b"\x80\x04" + opcodes + b".")
    with refuses(EmbeddingFileError, where=(path, "byte 2"), got=name):
        load(path)


def test_an_array_of_very_many_dimensions_is_refused_at_once(tmp_path):
    path = tmp_path / "bad.kv"
    largest = b"\x8a\x08" + b"\xff" * 7 + b"\x7f"
    array = b"cnumpy.core.multiarray\n_reconstruct\n)R(K\x01(" + largest * 100_000 + b"tcnumpy\ndtype\n(" + text("f4")
    path.write_bytes(
        b"\x80\x04cgensim.models.keyedvectors\nKeyedVectors\n)\x81}("
        + (text("index_to_key") + b"]" + text("a") + b"a" + text("vectors") + array + b"tR\x89C\x00tbub.")
    )
    with refuses(EmbeddingFileError, "shape", where=path):
        load(path)


def read(folder: Path, opcodes: bytes) -> object:
    path = folder / "read.kv"
    path.write_bytes(b"\x80\x04" + opcodes)
    return read_pickle(path)


def test_a_name_in_the_memo_is_resolved_as_python_resolves_it(tmp_path):
    honest = text("numpy") + b"\x940" + text("dtype") + b"\x940h\x00h\x01\x93."
    assert read(tmp_path, honest) is PLACEHOLDERS["numpy", "dtype"]
    swapped = text("dtype") + b"\x940" + text("numpy") + b"\x940h\x00h\x01\x93."
    with refuses(EmbeddingFileError, got="dtype.numpy"):
        read(tmp_path, swapped)


def test_far_places_in_the_memo_take_no_memory(tmp_path):
    # Python's unpickler in C would take 32 GB.
    assert read(tmp_path, b"Nr\xff\xff\xff\xff0j\xff\xff\xff\xff.") is None


def test_many_words_at_once_are_those_one_by_one(tmp_path):
    words = ["", "é" * 10, "\n", "\ud800", "x" * 63, "x" * 64, "x" * 300, *(f"{number}" for number in range(70_000))]
    numbers = {word: number for number, word in enumerate(words)}
    for protocol in range(2, 6):  # in the memo words are counted on, whichever way they are read
        (tmp_path / "words.kv").write_bytes(pickle.dumps([words, "and", words[-1], numbers, words[5]], protocol))
        read_words, *rest, indexed, last = read_pickle(tmp_path / "words.kv")
        assert (read_words, rest, last) == (words, ["and", words[-1]], words[5])
        # Numbers that follow from the list are stepped over, a thousand at a time; the last few are too few for that.
        assert indexed == {word: numbers[word] for word in words[70_000:]}


def test_a_short_dictionary_of_numbers_is_kept(tmp_path):
    names = [f"name {number}" for number in range(49)]
    (tmp_path / "few.kv").write_bytes(pickle.dumps([names, dict.fromkeys(names, 7)], 4))
    assert read_pickle(tmp_path / "few.kv") == [names, dict.fromkeys(names, 7)]


@pytest.mark.parametrize("name", [rb"\x64type", rb"d\type", b"dtype\\"])
def test_a_name_spelt_with_escapes_is_not_taken_for_another(tmp_path, name):
    path = tmp_path / "bad.kv"
    path.write_bytes(b"\x80\x02cnumpy\n" + name + b"\n.")
    with refuses(EmbeddingFileError, "pickle", where=path):
        load(path)


@pytest.mark.parametrize(
    ("opcodes", "name"),
    [
        (b"}N" + b"\x85" * 1_000_000 + b"Ns", "SETITEM"),
        (b"}(N\x85Nu", "SETITEMS"),
        (b"(N\x85Nd", "DICT"),
        (b"\x8f(N\x85\x90", "ADDITEMS"),
        (b"(N\x85\x91", "FROZENSET"),
        (b"((\x91\x91", "FROZENSET"),
        (b"}(\x91Ns", "SETITEM"),
        (b"c_codecs\nencode\nq\x00(N" + b"N" * 16 + b"tR", "REDUCE"),
        (b"c_codecs\nencode\n]R", "REDUCE"),
        (b"c_codecs\nencode\nq\x00X\xe8\x03\x00\x00" + b"a" * 1_000 + b"\x85q\x01" + b"h\x00h\x01R" * 200, "REDUCE"),
        (b"N" + b"\x85q\x000h\x00" * 3 + b"}h\x00Ns", "SETITEM"),
    ],
)
def test_a_tuple_as_a_key_is_refused(tmp_path, opcodes, name):
    # Hashed, a million tuples in one another would end the process.
    with refuses(EmbeddingFileError, got=name):
        read(tmp_path, opcodes + b".")


def test_a_million_tuples_as_a_value_do_no_harm(tmp_path):
    assert isinstance(read(tmp_path, b"N" + b"\x85" * 1_000_000 + b"."), tuple)


NESTED = b"]" * 20_000 + b"a" * 19_999


@pytest.mark.parametrize(
    "opcodes",
    [
        b"c_codecs\nencode\n(" + text("a") + NESTED + b"tR.",
        b"cgensim.models.keyedvectors\nKeyedVectors\n)\x81}("
        + (text("index_to_key") + b"]" + text("a") + b"a" + text("vectors"))
        + (b"cnumpy.core.multiarray\n_reconstruct\n)R(K\x01K\x01\x85cnumpy\ndtype\n(" + NESTED + b"tR\x89C\x00tb")
        + b"ub.",
    ],
)
def test_a_list_too_deep_to_be_told_is_refused_in_one_line(tmp_path, opcodes):
    path = tmp_path / "bad.kv"
    path.write_bytes(b"\x80\x04" + opcodes)
    with refuses(EmbeddingFileError, "[[[...]]]", where=path) as raised:
        load(path)
    assert len(str(raised.value)) < 500


def test_every_admitted_name_stands_for_an_inert_class():
    assert all(issubclass(stand_in, Inert) for stand_in in PLACEHOLDERS.values())
    assert all(stand_in.__module__ == Inert.__module__ for stand_in in PLACEHOLDERS.values())


@pytest.mark.parametrize(
    "content",
    [
        b"\x80\x04" + struct.pack("<cQ", b"\x8e", 1 << 60) + b"x.",
        b"\x80\x04" + struct.pack("<cQ", b"\x8e", 1 << 36) + b"x.",
        b"\x80\x04" + struct.pack("<cI", b"B", 0xFFFFFFF0) + b"x.",
        b"\x80\x04\x95" + struct.pack("<Q", 1 << 62) + b"N.",
        b"\x80\x04}",
        b"\x80\x04\xff\xff.",
        b"\x80\x04cnumpy\ndtype\n}b.",
        b"\x80\x04Nb.",
        b"\x80\x04h\x07.",
    ],
)
def test_a_pickle_that_lies_about_lengths_or_breaks_off_is_damaged(tmp_path, content):
    path = tmp_path / "bad.kv"
    path.write_bytes(content)
    with refuses(EmbeddingFileError, "damaged", where=path):
        load(path)


@pytest.mark.parametrize("content", [{"a": 1}, ["cat", "dog"], 7, np.ones((2, 2)), np.dtype("f4")])
def test_a_harmless_pickle_of_something_else(tmp_path, content):
    path = tmp_path / "other.pkl"
    path.write_bytes(pickle.dumps(content, protocol=4))
    with refuses(EmbeddingFileError, where=path):
        load(path)


def save(path: Path, **attributes: object) -> None:
    vectors = KeyedVectors(vector_size=2)
    vectors.add_vectors(["a", "b"], np.ones((2, 2), np.float32))
    vectors.__dict__.update(attributes)
    path.write_bytes(pickle.dumps(vectors, protocol=4))


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        ({"vectors": np.ones((3, 2), np.float32)}, "(3, 2)"),
        ({"vectors": np.ones(2, np.float32)}, "(2,)"),
        ({"vectors": np.ones((2, 2), np.int32)}, "int32"),
        (
            {"vectors": np.array([["x", "y"]] * 2, dtype=object)},
            "'O8'",
        ),
        ({"vectors": None}, "no vectors"),
        ({"index_to_key": ["a", None]}, "word 2"),
        ({"index_to_key": ["a", 10**6000]}, "LONG4"),
        ({"index_to_key": []}, "words"),
        (
            {"vectors": np.array([[1, 2], [3, np.inf]], np.float32)},
            "row 2",
        ),
        ({"vectors": np.full((2, 2), 1e300)}, "row 1"),
        ({"vectors": None, "__numpys": ["vectors"]}, "bad.kv.vectors.npy"),
    ],
)
def test_vectors_that_do_not_fit_their_words(tmp_path, attributes, said):
    path = tmp_path / "bad.kv"
    save(path, **attributes)
    with refuses(EmbeddingFileError, "bad.kv: ", said):
        load(path)


def test_an_array_that_lies_about_its_shape(tmp_path):
    path = tmp_path / "bad.kv"
    save(path)
    content = path.read_bytes()
    shape = b"K\x02K\x02\x86"  # the tuple (2, 2)
    assert shape in content
    path.write_bytes(content.replace(shape, b"K\x02K\x09\x86"))
    with refuses(EmbeddingFileError, "vectors", "(2, 9)", where=path):
        load(path)


def test_a_matrix_beside_the_file_that_is_a_pickle_is_not_unpickled(tmp_path):
    path, mark = tmp_path / "bad.kv", tmp_path / "ran"
    save(path, vectors=None, __numpys=["vectors"])
    np.save(tmp_path / "bad.kv.vectors.npy", np.array([[Opens(mark)]], dtype=object), allow_pickle=True)
    with refuses(EmbeddingFileError, where=tmp_path / "bad.kv.vectors.npy"):
        load(path)
    (tmp_path / "bad.kv.vectors.npy").write_bytes(pickle.dumps(Opens(mark)))
    with refuses(EmbeddingFileError, where=tmp_path / "bad.kv.vectors.npy"):
        load(path)
    assert not mark.exists()


def test_only_the_sibling_gensim_writes_is_opened(tmp_path):
    path = tmp_path / "bad.kv"
    np.save(tmp_path / "elsewhere.npy", np.ones((2, 2), np.float32))
    save(path, vectors=None, __numpys=["../elsewhere", "elsewhere"])
    with refuses(EmbeddingFileError, "no vectors", where=path):
        load(path)


def test_a_matrix_beside_the_file_that_is_cut_short(tmp_path):
    path, beside = tmp_path / "bad.kv", tmp_path / "bad.kv.vectors.npy"
    save(path, vectors=None, __numpys=["vectors"])
    np.save(beside, np.ones((2, 2), np.float32))
    beside.write_bytes(beside.read_bytes()[:-3])
    with refuses(EmbeddingFileError, where=tmp_path / "bad.kv.vectors.npy"):
        load(path)


def npy(header: bytes, data: bytes = b"\0" * 16, version: int = 1) -> bytes:
    return (
        b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header)) + header + data
    )


SHAPE = b"{'descr': '<f4', 'fortran_order': False, 'shape': %s, }\n"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04 not a zip",
        b"\x93NUMPY",
        b"\x93NUMPY\x01\x00\xff",
        npy(b"{'descr': '<f4'"),
        npy(b"{" * 5000),
        npy(b"[" * 9000 + b"]" * 9000),
        npy(SHAPE % b"(2, -2)"),
        npy(SHAPE % b"(2, 3)"),
        npy(SHAPE % b"(4611686018427387904, 0)", b""),
        npy(SHAPE % (b"(" + b"9" * 5000 + b", 2)")),
        npy(SHAPE % b"(2.0, 2)"),
        npy(SHAPE % (b"(" + b"1, " * 3000 + b")")),
        npy((SHAPE % b"(2, 2)").replace(b"<f4", b"|O")),
        npy((SHAPE % b"(2, 2)").replace(b"'<f4'", b"[('a', '<f4')]")),
        npy((SHAPE % b"(2, 2)").replace(b"<f4", b"<f1")),
        npy(SHAPE % b"(2, 2)", version=9),
        npy(b"\xff\xfe"),
    ],
)
def test_a_matrix_beside_the_file_that_is_damaged(tmp_path, content):
    path, beside = tmp_path / "bad.kv", tmp_path / "bad.kv.vectors.npy"
    save(path, vectors=None, __numpys=["vectors"])
    beside.write_bytes(content)
    with refuses(EmbeddingFileError, where=beside) as raised:
        load(path)
    assert "allow_pickle" not in str(raised.value)


@posix
def test_a_matrix_beside_the_file_that_is_a_pipe_is_not_waited_for(tmp_path):
    path, beside = tmp_path / "bad.kv", tmp_path / "bad.kv.vectors.npy"
    save(path, vectors=None, __numpys=["vectors"])
    os.mkfifo(beside)
    keeper = os.open(beside, os.O_RDWR)  # a reader that opened it would wait for ever; this way it would read nothing
    os.write(keeper, b"\x93NUMPY")
    try:
        with refuses(EmbeddingFileError, "regular file", where=beside):
            load(path)
    finally:
        os.close(keeper)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["<f4", ">f4", "<f8", "<f2"])
def test_a_matrix_beside_the_file_is_read_as_numpy_wrote_it(tmp_path, kind, order):
    path = tmp_path / "good.kv"
    save(path, vectors=None, __numpys=["vectors"])
    np.save(tmp_path / "good.kv.vectors.npy", np.array([[1, 2], [3, 4]], dtype=kind, order=order))
    assert load(path).vectors.tolist() == [[1, 2], [3, 4]]


def test_vectors_of_no_numbers_are_refused(tmp_path):
    path = tmp_path / "bad.kv"
    save(path, vectors=np.ones((2, 0), np.float32))
    with refuses(EmbeddingFileError, "(2, 0)", where=path):
        load(path)


def fasttext(**attributes: object) -> FastTextKeyedVectors:
    vectors = FastTextKeyedVectors(vector_size=2, min_n=3, max_n=6, bucket=5)
    vectors.add_vectors(["a", "b"], np.ones((2, 2), np.float32))
    vectors.vectors_vocab, vectors.vectors_ngrams = np.ones((2, 2), np.float32), np.ones((5, 2), np.float32)
    vectors.__dict__.update(attributes)
    del vectors.vectors
    return vectors


@pytest.mark.parametrize(
    "attributes",
    [
        {"max_n": 10**6},
        {"max_n": 2**40},
        {"min_n": 2**40},
        {"max_n": 51},
        {"bucket": 2**40, "vectors_ngrams": np.ones((2**40, 0)), "vectors_vocab": np.ones((2, 0))},
        {"index_to_key": ["a", "b" * 2001]},
    ],
)
def test_a_fasttext_model_that_would_compose_vectors_of_gigabytes(tmp_path, attributes):
    path = tmp_path / "bomb.kv"
    path.write_bytes(pickle.dumps(fasttext(**attributes), protocol=4))
    with refuses(EmbeddingFileError, "bomb.kv"):
        load(path)


def test_repeated_and_zero_words_are_told(tmp_path):
    path = tmp_path / "odd.kv"
    save(path, vectors=np.array([[1, 1], [2, 2], [0, 0]], np.float32), index_to_key=["a", "a", "b"])
    embedding = load(path)
    assert (embedding.words, embedding.vectors.tolist()) == (["a", "b"], [[1, 1], [0, 0]])
    assert embedding.notes == (
        "1 rows repeat an earlier word and were dropped: 'a'",
        "1 words have a zero vector and count as missing: 'b'",
    )
