"""A whole debiasing of an encoder: both fits, what is left of the groups, tests before and after, similarity."""

import numpy as np
import pytest
from refusals import refuses

from imprint.errors import SettingError, VocabularyError
from imprint.evaluation.debias import debias
from imprint.evaluation.recovering import OwnedRows, recover_group
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import WordSet
from imprint.stimuli.names import first_names
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
    return debias("cbow", method="leace", groups=groups)


def rows_of(done, kind):
    return [row for row in done.findings() if row.kind == kind]


def test_both_fits_are_shown_with_what_they_leave(done):
    assert [row.test for row in rows_of(done, "debiasing")] == ["leace fitted on sentences", "leace fitted on words"]
    leakage = rows_of(done, "sentence-leakage")
    assert [row.fit_texts for row in leakage] == ["sentences", "words"]
    assert {(row.chance, row.n_words, row.group_names) for row in leakage} == {(0.5, 24, ("men", "women"))}
    assert {row.n_trained for row in leakage} == {96 + 19}
    for row in leakage:
        assert row.against_accuracy > 0.75
        assert row.accuracy_low <= row.accuracy <= row.accuracy_high
        assert row.change == row.accuracy - row.against_accuracy


def test_similarity_lost_is_shown_for_both(done):
    similarity = rows_of(done, "similarity")
    assert [row.test for row in similarity] == ["rg-65", "rg-65", "ws-353", "ws-353", "men", "men"]
    assert {row.embedding for row in similarity} == {done.result.name, done.result.name.replace("sentences", "words")}
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
    done = debias("cbow", method="leace", groups=unknown)
    for row in rows_of(done, "debiasing"):
        assert row.missing == tuple(f"xq{sex}{place}" for sex in ("men", "women") for place in (3, 13))
    leakage = rows_of(done, "sentence-leakage")
    assert len(leakage) == 2
    for row in leakage:
        assert row.missing == tuple(f"xq{sex}{place}" for sex in ("men", "women") for place in (4, 14))
        assert row.n_words == 24 - 4
    assert not [word for word in done.transform.card.positive if word.startswith("xq")]


def test_groups_that_the_encoder_does_not_know_are_refused(groups):
    strange = WordSet.of("strange", (f"xq{place}" for place in range(20)), "name")
    with refuses(VocabularyError, "strange", where=open_encoder("cbow").name):
        debias("cbow", method="leace", groups=[groups[0], strange])


def test_too_few_held_out_words_are_a_row_that_says_so():
    few = [WordSet.of("one", names(0.0, 0.05, 10), "name"), WordSet.of("two", names(0.95, 1.0, 10), "name")]
    (skipped,) = rows_of(debias("cbow", method="leace", groups=few), "skipped")
    assert skipped.test == "leakage"


def test_three_groups_have_a_third_as_their_chance(groups):
    third = WordSet.of("either", names(0.2, 0.8, 60), "name")
    done = debias("cbow", method="leace", groups=[*groups, third])
    leakage = rows_of(done, "sentence-leakage")
    assert {row.chance for row in leakage} == {1 / 3}
    assert all(row.against_accuracy > 0.45 for row in leakage)


def test_methods_of_pairs_refuse_groups_without_pairs(groups):
    with refuses(SettingError, option="pairs"):
        debias("cbow", method="sentence-debias", groups=groups)


def planted(words, generator, ways, size=12):
    """Return sentences of words of two groups that differ along some axes."""
    owners = np.repeat(np.arange(words), 4)
    labels = (owners % 2).astype(np.intp)
    rows = generator.normal(size=(words, size))[owners] + 0.1 * generator.normal(size=(4 * words, size))
    rows[:, ways] += 3.0 * labels[:, None]
    return OwnedRows(rows, labels, owners)


def accuracy(judged, others, move=lambda rows: rows):
    moved = (one._replace(rows=move(one.rows)) for one in (judged, others))
    attempt = recover_group(*moved, 0)
    assert len(attempt.right) == judged.owners.max() + 1
    return attempt.folds.mean()


def test_a_group_that_is_erased_everywhere_is_put_right_by_chance_and_one_hidden_elsewhere_is_found():
    generator = np.random.default_rng(0)
    others, judged = planted(400, generator, [0, 1]), planted(100, generator, [0, 1])
    assert accuracy(judged, others) > 0.95
    kept = np.ones(12)
    kept[0] = 0.0
    assert accuracy(judged, others, lambda rows: rows * kept) > 0.9  # the second axis is left
    kept[1] = 0.0
    assert abs(accuracy(judged, others, lambda rows: rows * kept) - 0.5) < 0.1


def test_a_label_written_into_every_row_is_always_read_and_one_that_others_lack_is_learnt_from_the_judged():
    generator = np.random.default_rng(1)
    others, judged = planted(60, generator, []), planted(60, generator, [])
    assert abs(accuracy(judged, others) - 0.5) < 0.2
    written = [one._replace(rows=one.rows + 9.0 * one.labels[:, None]) for one in (judged, others)]
    assert accuracy(*written) == 1.0
    assert accuracy(written[0], others) > 0.6


def test_the_words_fitted_on_teach_what_few_held_out_words_cannot():
    generator = np.random.default_rng(2)
    way = np.full(200, 1.2 / np.sqrt(200))

    def made(words):
        one = planted(words, generator, [], size=200)
        return one._replace(rows=one.rows + np.outer(2 * one.labels - 1, way))

    judged, few, many = made(60), made(20), made(1200)
    assert accuracy(judged, many) > accuracy(judged, few) + 0.1


def test_the_classifier_is_the_ridge_classifier_of_sklearn_with_balanced_weights():
    from sklearn.linear_model import RidgeClassifier

    from imprint.evaluation.recovering import _moments, _solved

    generator = np.random.default_rng(3)
    labels = generator.choice(3, size=300, p=[0.6, 0.3, 0.1])
    rows = generator.normal(size=(300, 8)) + labels[:, None] * generator.normal(size=8)
    own = _solved(np.array([_moments(rows[labels == group]) for group in range(3)]), 1.0)
    machine = RidgeClassifier(alpha=1.0, class_weight="balanced").fit(rows, labels)
    np.testing.assert_allclose(2.0 * own.weights.T, machine.coef_, atol=1e-9)
    assert (own.guess(rows) == machine.predict(rows)).all()


@pytest.mark.slow
def test_questions_in_sentences_of_the_default_encoder_change_with_their_intervals():
    done = debias("default-encoder", method="leace", tests=[get("gender-career"), get("caliskan-7")])
    of_sentences, of_words = rows_of(done, "sentence-leakage")
    assert 0.8 < of_sentences.accuracy < of_words.accuracy < of_words.against_accuracy
    assert of_sentences.change_high < 0
    changes = rows_of(done, "change")
    assert [row.test for row in changes] == ["gender-career", "caliskan-7"] * 2
    assert {row.change_to for row in changes} == {done.result.name, done.result.name.replace("sentences", "words")}
    career, mathematics = changes[:2]
    assert career.size_after < 0.6 * career.size_before
    assert career.size_low < career.size < career.size_high < 0
    assert (career.outcome, career.is_question) == ("present", True)
    # Once gender is gone, male and female terms lie too close for a distance between them.
    assert (mathematics.outcome, mathematics.reason) == ("cannot tell", "attributes not distinguished")
    assert mathematics.size_low is None
