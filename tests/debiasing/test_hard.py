import numpy as np
import pytest
from refusals import refuses

from imprint.debiasing.hard import HardDebiaser
from imprint.directions.axis import pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError
from imprint.stimuli import seeds

from .conftest import MEN, OTHERS, SEEDS, WOMEN, row

HE_SHE = [("he", "she")]
PAIRS = tuple(zip(MEN, WOMEN, strict=True))


def fit(embedding, **options):
    settings = {"axis": pair_axis(embedding, HE_SHE), "specific": MEN + WOMEN, "pairs": PAIRS}
    return HardDebiaser().fit(embedding, **(settings | options))


def test_words_lean_before_and_are_orthogonal_to_the_axis_after(planted):
    direction = pair_axis(planted, HE_SHE).direction
    after = fit(planted).apply(planted)
    for word in (*SEEDS, *OTHERS):
        assert abs(row(after, word) @ direction) < 1e-6
    assert max(abs(row(planted, word) @ direction) for word in SEEDS) > 1.0


def test_nothing_but_the_axis_is_taken_and_lengths_are_not_restored(planted):
    direction = pair_axis(planted, HE_SHE).direction
    after = fit(planted).apply(planted)
    for word in SEEDS:
        expected = row(planted, word) - (row(planted, word) @ direction) * direction
        np.testing.assert_allclose(row(after, word), expected, atol=1e-6)


def test_pairs_end_equally_far_from_every_neutral_word(planted):
    after = fit(planted).apply(planted)
    gaps = []
    for man, woman in PAIRS:
        ends = [row(after, word) / np.linalg.norm(row(after, word)) for word in (man, woman)]
        for word in SEEDS + OTHERS:
            near, far = (np.linalg.norm(end - row(after, word)) for end in ends)
            assert near == pytest.approx(far, rel=1e-5)
            assert ends[0] @ row(after, word) == pytest.approx(ends[1] @ row(after, word), abs=1e-5)
            gaps.append(abs((row(planted, man) - row(planted, woman)) @ row(planted, word)))
    assert max(gaps) > 1.0


def test_a_pair_keeps_its_sides_and_its_lengths(planted):
    direction = pair_axis(planted, HE_SHE).direction
    after = fit(planted).apply(planted)
    for man, woman in PAIRS:
        assert row(after, man) @ direction > 0.1 > -0.1 > row(after, woman) @ direction
        for word in (man, woman):
            assert np.linalg.norm(row(after, word)) == pytest.approx(np.linalg.norm(row(planted, word)), rel=1e-6)


def test_the_order_within_a_pair_does_not_matter_each_word_keeps_its_own_side(planted):
    swap = planted.index["king"], planted.index["queen"]
    planted.vectors[list(swap)] = planted.vectors[list(swap[::-1])]  # a man's word on the women's side
    direction = pair_axis(planted, HE_SHE).direction
    one = fit(planted).apply(planted)
    other = fit(planted, pairs=[pair[::-1] for pair in PAIRS]).apply(planted)
    assert (one.vectors == other.vectors).all()
    for man, woman in PAIRS:
        before, after = ((row(e, man) - row(e, woman)) @ direction for e in (planted, one))
        assert before * after > 0.0
    assert row(one, "king") @ direction < 0.0 < row(one, "queen") @ direction


def test_kept_words_outside_pairs_stay_as_they_are(planted):
    after = fit(planted, pairs=[("king", "queen")], specific=["uncle"]).apply(planted)
    assert (row(after, "uncle") == row(planted, "uncle")).all()
    assert (row(after, "he") == row(planted, "he")).all()  # an end of the axis
    assert (row(after, "aunt") != row(planted, "aunt")).any()


def test_the_order_of_the_vocabulary_does_not_matter(planted, shuffled):
    one, other = fit(planted).apply(planted), fit(shuffled).apply(shuffled)
    for word in planted.words:
        np.testing.assert_allclose(row(one, word), row(other, word), atol=1e-6)


def test_a_word_of_two_pairs_stays_with_the_first(planted):
    transform = fit(planted, pairs=[("king", "queen"), ("king", "aunt"), ("uncle", "aunt")])
    assert transform.pairs == (("king", "queen"), ("uncle", "aunt"))


def test_pairs_are_equalised_in_every_case_the_vocabulary_has(planted):
    words = [*planted.words, "dad", "mom", "DAD"]
    cased = Embedding("cased", words, np.concatenate([planted.vectors, planted.vectors[:3]]))
    transform = fit(cased, pairs=[("Dad", "Mom"), ("monk", "nun"), ("king", "Nobody")])
    assert transform.pairs == (("Dad", "Mom"), ("dad", "mom"))
    assert transform.card.missing == ("monk", "nun", "Nobody")


def test_a_pair_that_does_not_differ_along_the_axis_is_told_apart_by_it(planted):
    planted.vectors[planted.index["king"]] = planted.vectors[planted.index["queen"]]
    direction = pair_axis(planted, HE_SHE).direction
    after = fit(planted, pairs=[("king", "queen")]).apply(planted)
    assert row(after, "king") @ direction == pytest.approx(-row(after, "queen") @ direction)
    assert row(after, "king") @ direction > 0.0


def test_several_axes_are_all_taken_away_even_if_one_repeats_another(planted):
    axes = [pair_axis(planted, pairs) for pairs in (HE_SHE, [("thing0", "thing1")], HE_SHE)]
    transform = fit(planted, axis=axes, pairs=[])
    assert transform.basis.shape == (2, 12)
    np.testing.assert_allclose(transform.basis @ transform.basis.T, np.eye(2), atol=1e-12)
    after = transform.apply(planted)
    for axis in axes:
        assert max(abs(row(after, word) @ axis.direction) for word in SEEDS) < 1e-5


def test_the_defaults_neutralise_professions_of_the_bundled_embedding_and_keep_gendered_words(bundled):
    transform = HardDebiaser().fit(bundled)
    after = transform.apply(bundled)
    axis = pair_axis(bundled, seeds.definitional_pairs(), method="pca")
    for word in ("nurse", "engineer", "librarian"):
        assert abs(row(bundled, word) @ axis.direction) > 0.3
        assert abs(row(after, word) @ axis.direction) < 1e-5
    assert (row(after, "actress") == row(bundled, "actress")).all()
    assert ("dad", "mom") in transform.pairs
    assert "Catholic_priest" in transform.card.missing


def test_an_identical_pair_is_refused(planted):
    with refuses(SettingError, option="pairs", words=("king",)):
        fit(planted, pairs=[("king", "king")])
