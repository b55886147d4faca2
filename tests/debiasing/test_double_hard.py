"""Double-Hard debiasing: a component is dropped from all words, the one after which clusters tell least."""

import numpy as np
import pytest
from refusals import refuses
from sklearn.decomposition import PCA

from imprint.debiasing.double_hard import DoubleHardDebiaser
from imprint.debiasing.hard import HardDebiaser
from imprint.debiasing.saved import load_transform
from imprint.directions.axis import pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, VocabularyError

from .conftest import MEN, WOMEN

PAIRS = tuple(zip(MEN, WOMEN, strict=True))


@pytest.fixture
def frequent():
    """A vocabulary whose first component is frequency, and whose second also tells biased words apart."""
    generator = np.random.default_rng(8)
    jobs = generator.normal(size=(200, 12))
    side = np.sign(generator.normal(size=200))
    jobs[:, 0] = 1.5 * side
    jobs[:, 2] = 6.0 * side + generator.normal(size=200)
    jobs[:, 1] = 10.0 * generator.normal(size=200)
    stems = 0.3 * generator.normal(size=(len(MEN), 12))
    rows = np.concatenate([jobs, stems + np.eye(12)[0], stems - np.eye(12)[0]])
    return Embedding("frequent", [*(f"job{n}" for n in range(200)), *MEN, *WOMEN], rows.astype(np.float32))


def test_without_components_it_is_hard_debiasing(planted, bundled):
    for embedding, options in ((planted, {"pairs": PAIRS}), (bundled, {})):
        hard = HardDebiaser().fit(embedding, **options).apply(embedding)
        double = DoubleHardDebiaser(tried=0).fit(embedding, **options).apply(embedding)
        np.testing.assert_allclose(double.vectors, hard.vectors, atol=1e-6)


def test_the_component_that_tells_biased_words_apart_is_dropped_and_clusters_tell_less_after(frequent):
    transform = DoubleHardDebiaser(tried=5, words=50).fit(frequent, pairs=PAIRS)
    measured = transform.card.measured
    assert measured["clustered_right_by_hard_alone"] > 0.5
    assert measured["component_dropped"] == 2
    np.testing.assert_allclose(np.abs(transform.dropped[0, 2]), 1.0, atol=0.05)
    assert measured["clustered_right"] < 0.75


def test_neither_the_component_nor_the_axis_is_left_in_neutral_words(frequent):
    transform = DoubleHardDebiaser(tried=5, words=50).fit(frequent, pairs=PAIRS)
    after = transform.apply(frequent)
    jobs = [f"job{number}" for number in range(200)]
    centred = frequent.lookup(jobs).vectors - frequent.vectors.mean(axis=0)
    assert np.abs(frequent.lookup(jobs).vectors @ transform.basis.T).max() > 1.0
    assert np.abs(after.lookup(jobs).vectors @ transform.basis.T).max() < 1e-4
    # The axis is that of pairs at unit length, so it is nearly but not quite orthogonal to the component.
    before, left = (np.ptp(rows @ transform.dropped.T) for rows in (centred, after.lookup(jobs).vectors))
    assert left < 0.01 * before


def test_every_word_follows_the_paper_step_by_step(frequent):
    """An oracle: algorithm 1 with a library's principal components, in the order that the paper prints."""
    transform = DoubleHardDebiaser(tried=5, words=50).fit(frequent, pairs=PAIRS)
    rows = frequent.vectors.astype(np.float64)
    mean = rows.mean(axis=0)
    u = PCA(5).fit(rows - mean).components_[int(transform.card.measured["component_dropped"]) - 1]
    dropped = rows - mean - np.outer(rows @ u, u)
    prepared = Embedding("dropped", frequent.words, dropped.astype(np.float32))
    hard = HardDebiaser().fit(prepared, pairs=PAIRS)
    np.testing.assert_allclose(transform.apply(frequent).vectors, hard.apply(prepared).vectors, atol=1e-5)


def test_a_saved_transform_and_its_affine_form_do_the_same(frequent, tmp_path):
    transform = DoubleHardDebiaser(tried=3, words=50).fit(frequent, pairs=PAIRS)
    transform.save(tmp_path / "double.safetensors")
    loaded = load_transform(tmp_path / "double.safetensors")
    np.testing.assert_array_equal(loaded.apply(frequent).vectors, transform.apply(frequent).vectors)
    matrix, added = transform.affine()
    rows = frequent.vectors.astype(np.float64)
    np.testing.assert_allclose(rows @ matrix.T + added, transform(rows), atol=1e-9)


def test_the_same_component_is_chosen_every_time_on_the_bundled_embedding(bundled):
    one, other = (DoubleHardDebiaser(tried=4).fit(bundled) for _ in range(2))
    assert one.card.measured == other.card.measured
    axis = pair_axis(one.apply(bundled), [("he", "she")])
    assert one.card.measured["clustered_right"] <= one.card.measured["clustered_right_by_hard_alone"] + 0.05
    assert np.isfinite(axis.direction).all()


def test_settings_and_vocabularies_that_cannot_be_used_are_refused(planted):
    with refuses(SettingError, option="tried"):
        DoubleHardDebiaser(tried=-1)
    with refuses(SettingError, option="words"):
        DoubleHardDebiaser(words=0)
    few = Embedding("few", [*MEN, *WOMEN], planted.lookup(MEN + WOMEN).vectors)
    with refuses(VocabularyError):
        DoubleHardDebiaser().fit(few, pairs=PAIRS)
