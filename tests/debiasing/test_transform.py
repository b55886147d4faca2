from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from refusals import refuses

from imprint.debiasing.hard import HardDebiaser
from imprint.debiasing.leace import LeaceDebiaser
from imprint.debiasing.linear import LinearDebiaser
from imprint.debiasing.saved import load_transform
from imprint.debiasing.transform import Card, LinearTransform
from imprint.directions.axis import pair_axis
from imprint.embeddings.convert import convert
from imprint.embeddings.embedding import Embedding
from imprint.errors import EmbeddingFileError, SettingError
from imprint.subjects.opening import load

from .conftest import FITTED, MEN, WOMEN, row


def fit(method, embedding):
    axis = pair_axis(embedding, [("he", "she")])
    if method == "linear":
        return LinearDebiaser(3.0).fit(embedding, axis=axis, seeds=[*FITTED, "gone"])
    if method == "hard":
        return HardDebiaser().fit(embedding, axis=axis, specific=MEN + WOMEN, pairs=[("king", "queen")])
    return LeaceDebiaser().fit(embedding, groups=[MEN, WOMEN])


@pytest.fixture(params=["linear", "hard", "leace"])
def transform(request, planted):
    return fit(request.param, planted)


def test_a_saved_transform_comes_back_bit_for_bit(transform, planted, tmp_path):
    transform.save(tmp_path / "t.safetensors")
    again = load_transform(tmp_path / "t.safetensors")
    assert type(again) is type(transform)
    assert (again.method, again.card, again.dimension) == (transform.method, transform.card, 12)
    assert again.apply(planted).vectors.tobytes() == transform.apply(planted).vectors.tobytes()
    again.save(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == (tmp_path / "t.safetensors").read_bytes()


def test_fitting_and_applying_change_nothing_they_are_given(transform, planted):
    before = planted.vectors.copy()
    fit(transform.method, planted)
    transform.apply(planted)
    assert (planted.vectors == before).all()
    with pytest.raises(FrozenInstanceError):
        transform.method = "other"


def test_the_card_says_what_it_was_fitted_on(transform, planted):
    card = transform.card
    assert (card.embedding, card.embedding_sha256) == ("planted", planted.sha256)
    assert card.positive[0] == "he"
    assert card.negative[0] == "she"
    assert card.missing == (("gone",) if transform.method == "linear" else ())
    assert card.seeds == (FITTED if transform.method == "linear" else ())


def test_words_ranks_flags_and_notes_travel_along(transform, planted, tmp_path):
    ranks = np.arange(len(planted), dtype=np.int32)[::-1].copy()
    common = ranks % 2 == 0
    debiased = transform.apply(replace(planted, ranks=ranks, common=common))
    assert debiased.name == f"planted debiased ({transform.method})"
    assert debiased.words == planted.words
    assert (debiased.ranks == ranks).all()
    assert (debiased.common == common).all()
    assert debiased.notes[0] == "first note"
    assert f"debiased ({transform.method}): fitted on planted along he" in debiased.notes[1]
    convert(debiased, tmp_path / "out.safetensors")
    assert load(tmp_path / "out.safetensors").vectors.tolist() == debiased.vectors.tolist()


def test_it_applies_to_another_embedding_row_by_row(transform, planted):
    other = Embedding("other", ["job3", "new", "empty"], np.zeros((3, 12), np.float32))
    other.vectors[0] = planted.vectors[planted.index["job3"]]
    other.vectors[1] = 1.0
    debiased = transform.apply(other)
    np.testing.assert_array_equal(row(debiased, "job3"), row(transform.apply(planted), "job3"))
    assert row(debiased, "new").any()
    assert not row(debiased, "empty").any()


def test_blocks_meet_without_a_seam(transform, monkeypatch, planted):
    whole = transform.apply(planted).vectors
    monkeypatch.setattr("imprint.debiasing.transform._BLOCK_ROWS", 7)
    np.testing.assert_allclose(transform.apply(planted).vectors, whole, atol=1e-6)


def test_transform_is_another_name_for_apply(transform, planted):
    assert (transform.transform(planted).vectors == transform.apply(planted).vectors).all()


def test_vectors_made_of_subwords_are_moved_too(transform, planted):
    fresh = np.arange(12, dtype=np.float32)
    made = replace(planted, subword=lambda word: None if word == "never" else fresh)
    moved = transform.apply(made).lookup(["fresh", "never"])
    assert moved.words == ("fresh",)
    np.testing.assert_allclose(moved.vectors[0], transform.move(fresh[None].astype(float))[0], atol=1e-5)
    if transform.method == "hard":
        assert transform.apply(made).subword("king").tolist() == fresh.tolist()


def test_another_dimension_is_refused_in_one_line(transform):
    other = Embedding("wide", ["a"], np.ones((1, 13), np.float32))
    with refuses(SettingError, "12", where="wide", got=13):
        transform.apply(other)


def test_rows_that_are_not_numbers_are_refused(transform, planted):
    damaged = replace(planted, vectors=planted.vectors.copy())
    damaged.vectors[5, 2] = np.nan
    with refuses(EmbeddingFileError, words=("job5",)):
        transform.apply(damaged)


def test_a_linear_transform_moves_around_its_centre():
    centre = np.array([1.0, 2.0])
    transform = LinearTransform("leace", Card("e", "0", (), (), ()), np.array([[0.0, 2.0], [0.0, 0.0]]), centre)
    assert transform.move(np.array([[1.0, 2.0], [1.0, 3.0]])).tolist() == [[1.0, 2.0], [3.0, 2.0]]
