"""What every encoder promises whatever its model gives: checked rows, and an identity of all it rests on."""

import json
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refuses

from imprint.encoders.base import Encoder, FunctionEncoder, identify
from imprint.errors import EncoderError, SettingError

TEXTS = ["This is Ada.", "Here is Bob."]
PARTS = st.dictionaries(
    st.text(min_size=1), st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text()), max_size=4
)


def giving(answer) -> Encoder:
    return FunctionEncoder(lambda texts: answer, name="giver")


@given(arrays(np.float32, (2, 3), elements=st.floats(allow_nan=False, allow_infinity=False, width=32)))
def test_float32_rows_come_through_bit_for_bit(rows):
    encoded = giving(rows).encode(TEXTS)
    assert encoded.dtype == np.float32
    assert encoded.tobytes() == rows.tobytes()


@pytest.mark.parametrize("kind", [np.float16, np.float64, np.int64])
def test_other_numbers_become_float32(kind):
    encoded = giving(np.array([[1, 2], [3, 4]], dtype=kind)).encode(TEXTS)
    assert encoded.dtype == np.float32
    assert encoded.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("shape", [(), (2,), (3,), (1, 4), (3, 4), (2, 0), (2, 4, 1)])
def test_an_array_that_is_not_one_row_a_text_is_refused(shape):
    with refuses(EncoderError, str(shape), where="giver"):
        giving(np.ones(shape)).encode(TEXTS)


@pytest.mark.parametrize(
    "answer", [[[1.0, 2.0], [1.0]], [["a", "b"], ["c", "d"]], None, [None, None], [{}, {}], object()]
)
def test_what_is_no_table_of_numbers_is_refused(answer):
    with refuses(EncoderError, where="giver"):
        giving(answer).encode(TEXTS)


class WantsGradients:
    """Refuses numpy as a torch tensor does that is still part of a graph."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.\nUse tensor.detach().numpy() instead.")


def test_a_tensor_that_refuses_numpy_is_refused_with_its_own_advice():
    with refuses(EncoderError, "requires grad. Use tensor.detach().numpy() instead."):
        giving(WantsGradients()).encode(TEXTS)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300])
@pytest.mark.parametrize("place", [0, 1])
def test_a_row_that_is_not_finite_is_refused_and_its_text_named(value, place):
    rows = np.ones((2, 3))
    rows[place, 1] = value
    with refuses(EncoderError, where="giver", words=(TEXTS[place],)):
        giving(rows).encode(TEXTS)


def test_one_string_is_no_list_of_texts():
    with refuses(SettingError, option="texts", got="ab"):
        giving(np.ones((2, 3))).encode("ab")


def test_half_a_character_is_refused_before_any_model_sees_it():
    with refuses(SettingError, option="texts", got="Ad\ud800"):
        giving(np.ones((2, 3))).encode(["Ada 😀", "Ad\ud800"])


def test_no_texts_are_no_rows():
    assert giving(np.empty((0, 3))).encode([]).shape == (0, 3)


def test_an_encoder_knows_every_word_unless_it_says_otherwise():
    assert giving(np.ones((2, 3))).lacks(["qwxz"]) == ()


def test_the_repr_states_name_and_settings():
    assert repr(giving(None)) == "FunctionEncoder('giver', adapter=function, pooling=the function's own)"


@given(PARTS, st.randoms())
def test_the_identity_does_not_depend_on_the_order_of_its_parts(parts, random):
    names = list(parts)
    random.shuffle(names)
    assert identify(**{name: parts[name] for name in names}) == identify(**parts)


@given(PARTS, PARTS)
def test_the_identity_is_shared_only_by_equal_parts(first, second):
    # As JSON, since True == 1 in Python.
    equal = json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)
    assert (identify(**first) == identify(**second)) == equal


def test_any_part_that_differs_makes_another_identity():
    parts = {"weights": "ab", "tokenizer": "cd", "pooling": "mean", "layers": "last", "prefix": ""}
    variants = [parts, *({**parts, name: value + "x"} for name, value in parts.items())]
    for one, other in combinations(variants, 2):
        assert identify(**one) != identify(**other)


@pytest.mark.parametrize("chunk", [0, -1])
def test_a_function_gets_at_least_one_text_at_once(chunk):
    with refuses(SettingError, option="chunk", got=chunk):
        FunctionEncoder(len, chunk=chunk)


def test_a_function_is_remembered_only_where_the_caller_vouches_for_it():
    assert not FunctionEncoder(len).cacheable
    assert FunctionEncoder(len, identity="1").cacheable
    assert FunctionEncoder(len, identity="1").identity != FunctionEncoder(len, identity="2").identity
