"""A whole debiasing of an encoder: both fits, what is left of the groups, tests before and after, similarity."""

import numpy as np
import pytest
from refusals import refuses

from imprint.errors import SettingError, VocabularyError
from imprint.evaluation.debiased import debias_encoder
from imprint.evaluation.nested import recover_anew
from imprint.names.tables import first_names
from imprint.stimuli.definition import WordSet
from imprint.subjects.opening import open_encoder


def names(low, high, count):
    table = first_names().at_least(10_000)
    return tuple(name for name, share in zip(table.names, table.share_women, strict=True) if low <= share <= high)[
        :count
    ]


@pytest.fixture(scope="module")
def groups():
    return WordSet.of("men", names(0.0, 0.05, 60), "name"), WordSet.of("women", names(0.95, 1.0, 60), "name")


@pytest.fixture(scope="module")
def done(groups):
    """The mean of the bundled GloVe's words, with groups of our own."""
    return debias_encoder("cbow", "leace", groups=groups)


def rows_of(done, kind):
    return [row for row in done.findings() if row.kind == kind]


def test_both_fits_are_shown_with_what_they_leave(done):
    assert [row.test for row in rows_of(done, "debiasing")] == ["leace fitted on sentences", "leace fitted on words"]
    leakage = rows_of(done, "sentence-leakage")
    assert [row.fit_texts for row in leakage] == ["sentences", "sentences", "words", "words"]
    assert {(row.chance, row.n_words, row.group_names) for row in leakage} == {(0.5, 24, ("men", "women"))}
    trained_before, trained_anew = leakage[:2]
    assert trained_before.against_accuracy > 0.75
    assert trained_before.accuracy == 0.5
    assert trained_anew.accuracy_low <= trained_anew.accuracy <= trained_anew.accuracy_high
    assert trained_before.change == trained_before.accuracy - trained_before.against_accuracy


def test_similarity_lost_is_shown_for_both(done):
    similarity = rows_of(done, "similarity")
    assert [row.test for row in similarity] == ["rg-65", "rg-65", "ws-353", "ws-353", "men", "men"]
    assert {row.embedding for row in similarity} == {done.encoder.name, done.from_words.name}
    # Forty-eight names of each group leave LEACE too little to know the space by: similarity is lost, and shown.
    assert all(row.change_spearman_high < 0 for row in similarity if row.test == "men")
    assert all(row.part == "debiasing" for row in done.findings())


def test_words_without_a_vector_are_left_out_and_shown(groups):
    """Four names of each group become ones that GloVe does not have; two of these are held out."""
    unknown = [
        WordSet.of(group.name, (f"xq{group.name}{place}" if place in {3, 4, 13, 14} else word
                                for place, word in enumerate(group.words)), "name")
        for group in groups
    ]  # fmt: skip
    done = debias_encoder("cbow", "leace", groups=unknown)
    for row in rows_of(done, "debiasing"):
        assert row.missing == tuple(f"xq{sex}{place}" for sex in ("men", "women") for place in (3, 13))
    leakage = rows_of(done, "sentence-leakage")
    assert len(leakage) == 4
    for row in leakage:
        assert row.missing == tuple(f"xq{sex}{place}" for sex in ("men", "women") for place in (4, 14))
        assert row.n_words == 24 - 4
    assert not [word for word in done.transform.card.positive if word.startswith("xq")]


def test_groups_that_the_encoder_does_not_know_are_refused(groups):
    strange = WordSet.of("strange", (f"xq{place}" for place in range(20)), "name")
    with refuses(VocabularyError, "strange", where=open_encoder("cbow").name):
        debias_encoder("cbow", "leace", groups=[groups[0], strange])


def test_too_few_held_out_words_are_a_row_that_says_so():
    few = [WordSet.of("one", names(0.0, 0.05, 10), "name"), WordSet.of("two", names(0.95, 1.0, 10), "name")]
    (skipped,) = rows_of(debias_encoder("cbow", "leace", groups=few), "skipped")
    assert skipped.test == "leakage"


def test_three_groups_have_a_third_as_their_chance(groups):
    third = WordSet.of("either", names(0.2, 0.8, 60), "name")
    done = debias_encoder("cbow", "leace", groups=[*groups, third])
    leakage = rows_of(done, "sentence-leakage")
    assert {row.chance for row in leakage} == {1 / 3}
    assert leakage[0].accuracy == pytest.approx(1 / 3)
    assert leakage[0].against_accuracy > 0.45


def test_methods_of_pairs_refuse_groups_without_pairs(groups):
    with refuses(SettingError, option="pairs"):
        debias_encoder("cbow", "sentence-debias", groups=groups)


def test_labels_that_vectors_do_not_know_are_put_right_by_chance():
    generator = np.random.default_rng(0)
    owners = np.repeat(np.arange(80), 4)
    rows = generator.normal(size=(80, 12))[owners] + 0.1 * generator.normal(size=(320, 12))
    labels = (owners % 2).astype(np.intp)
    attempt = recover_anew(rows, labels, owners, 0)
    assert len(attempt.right) == 80
    assert abs(attempt.folds.mean() - 0.5) < 0.15
    again = recover_anew(rows + 3.0 * labels[:, None], labels, owners, 0)
    assert again.folds.mean() == 1.0


@pytest.mark.slow
def test_seats_of_the_default_encoder_change_with_their_intervals():
    done = debias_encoder("default-encoder", "leace")
    by_others, anew, of_words, _ = rows_of(done, "sentence-leakage")
    assert by_others.accuracy == 0.5 < anew.accuracy < of_words.accuracy < of_words.against_accuracy
    changes = rows_of(done, "change")
    assert [row.test for row in changes] == ["caliskan-6", "caliskan-7", "caliskan-8"] * 2
    assert {row.change_to for row in changes} == {done.encoder.name, done.from_words.name}
    career = changes[0]
    assert career.mean_difference_before > 0.03
    assert career.mean_difference_after < 0.015
    assert career.words_low < career.mean_difference < career.words_high < 0
    # Terms are not names: mathematics and arts end up reversed, which is shown as it is.
    assert changes[1].effect_size_before == pytest.approx(0.96, abs=0.01)
    assert changes[1].effect_size_after < 0
