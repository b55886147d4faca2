"""Debiasers of labelled vectors, on planted groups: the bias first, then that it is gone, and what it cost."""

from dataclasses import replace

import numpy as np
import pytest
from refusals import refuses
from sklearn.linear_model import LogisticRegression

from imprint.debiasing import inlp
from imprint.debiasing.debiaser import debiaser
from imprint.debiasing.inlp import InlpDebiaser
from imprint.debiasing.labelled import LabelledRows, labelled_words
from imprint.debiasing.leace import LeaceDebiaser
from imprint.debiasing.linear import LinearDebiaser
from imprint.debiasing.saved import load_transform
from imprint.debiasing.sentence_debias import SentenceDebiaser
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError
from imprint.stimuli import seeds as catalogue

DIMENSION, EACH = 12, 200


def planted(groups, dimension=DIMENSION):
    """Return correlated rows whose groups differ along some directions; each row is a word, and rows pair up."""
    generator = np.random.default_rng(3)
    labels = np.repeat(np.arange(groups), EACH)
    rows = generator.normal(size=(len(labels), dimension)) @ generator.normal(size=(dimension, dimension)) + 1.0
    rows += 4.0 * generator.normal(size=(groups, dimension))[labels]
    words = tuple(tuple(f"{group} {place}" for place in range(EACH)) for group in range(groups))
    pairs = np.stack([np.arange(EACH), np.arange(EACH, 2 * EACH)], axis=1)
    others = generator.normal(size=(3 * EACH, dimension))
    return LabelledRows(
        "planted", "0", rows, labels, np.arange(len(rows)), words, pairs, seeds=others[:EACH], background=others
    )


def accuracy(rows, labels):
    machine = LogisticRegression(max_iter=5000).fit(rows, labels)
    return np.mean([machine.predict(rows[labels == one]) == one for one in np.unique(labels)])


@pytest.mark.parametrize("groups", [2, 3, 5])
def test_leace_erases_any_number_of_groups_and_takes_one_direction_fewer_than_there_are(groups):
    labelled = planted(groups)
    transform = LeaceDebiaser().fit_rows(labelled)
    after = transform(labelled.rows)
    assert accuracy(labelled.rows, labelled.labels) > 0.75
    assert accuracy(after, labelled.labels) == pytest.approx(1 / groups, abs=1e-6)
    means = np.array([after[labelled.labels == one].mean(axis=0) for one in range(groups)])
    np.testing.assert_allclose(means, np.broadcast_to(labelled.centre, means.shape), atol=1e-8)
    assert np.linalg.matrix_rank(transform.matrix, tol=1e-8) == DIMENSION - (groups - 1)
    assert 0.0 < transform.card.measured["changed"] < 1.0


def test_leace_of_two_groups_is_the_same_with_one_column_and_with_two():
    labelled = planted(2)
    from imprint.debiasing.leace import erasure

    rows = labelled.rows - labelled.centre
    np.testing.assert_allclose(erasure(rows, np.eye(2)[labelled.labels]), erasure(rows, labelled.one_hot()), atol=1e-9)


@pytest.mark.parametrize("groups", [2, 3])
def test_inlp_stops_where_no_classifier_is_better_than_chance_and_projects_orthogonally(groups):
    labelled = planted(groups, dimension=40)
    transform = InlpDebiaser().fit_rows(labelled)
    measured = transform.card.measured
    assert measured["accuracy_before"] > 0.7
    assert measured["accuracy_left"] <= 1 / groups + 0.02
    assert groups - 1 <= measured["directions"] < 40
    np.testing.assert_allclose(transform.matrix @ transform.matrix, transform.matrix, atol=1e-9)
    np.testing.assert_allclose(transform.matrix, transform.matrix.T, atol=1e-12)


@pytest.mark.parametrize("groups", [2, 4])
def test_inlps_null_space_is_one_of_every_classifier_it_trained(groups, monkeypatch):
    labelled = planted(groups, dimension=40)
    trained = []
    best = inlp._best_classifier

    def remember(*given):
        trained.append(best(*given))
        return trained[-1]

    monkeypatch.setattr(inlp, "_best_classifier", remember)
    transform = InlpDebiaser(most=4).fit_rows(labelled)
    values = np.linalg.eigvalsh(transform.matrix)
    assert np.all(np.minimum(np.abs(values), np.abs(values - 1.0)) < 1e-9)
    assert int((values < 0.5).sum()) == transform.card.measured["directions"]
    assert len(trained) > 1
    after = transform(labelled.rows) - labelled.centre
    for _, directions in trained[:-1]:  # the last one only judges
        assert np.abs((labelled.rows - labelled.centre) @ directions).max() > 0.1
        assert np.abs(after @ directions).max() < 1e-9
        np.testing.assert_allclose(transform.matrix @ directions, 0.0, atol=1e-9)


def test_inlp_ends_where_nothing_is_left():
    labelled = planted(3, dimension=3)
    transform = InlpDebiaser().fit_rows(labelled)
    assert transform.card.measured["accuracy_left"] == pytest.approx(1 / 3, abs=0.02)
    assert transform.card.measured["directions"] <= 3


def test_inlp_trains_no_more_classifiers_than_allowed():
    transform = InlpDebiaser(most=1).fit_rows(planted(2))
    assert transform.card.measured["directions"] == 1
    with refuses(SettingError, option="most"):
        InlpDebiaser(most=0)


def test_inlp_keeps_words_of_every_group_for_development():
    """Groups of four words each, of which no owner's number but the first group's can be divided by five."""
    labelled = planted(2)
    places = [0, 1, 2, 3, EACH + 1, EACH + 2, EACH + 3, EACH + 4]
    few = replace(labelled, rows=labelled.rows[places], labels=labelled.labels[places], owners=labelled.owners[places])
    development = inlp._development(few)
    assert [few.owners[development & (few.labels == group)].tolist() for group in (0, 1)] == [[0], [EACH + 1]]
    apart = few.labels * 20.0
    told = replace(few, rows=few.rows * 0.01 + apart[:, None])
    assert InlpDebiaser(most=1).fit_rows(told).card.measured["accuracy_before"] == 1.0


def test_the_card_keeps_the_words_of_each_group_apart(tmp_path):
    labelled = planted(4)
    transform = LeaceDebiaser().fit_rows(labelled)
    card = transform.card
    assert (card.positive, card.negative, *card.others) == labelled.groups
    transform.save(tmp_path / "kept.safetensors")
    assert load_transform(tmp_path / "kept.safetensors").card == card
    embedding = Embedding("other", ["a", "b"], np.ones((2, DIMENSION), dtype=np.float32))
    assert transform.apply(embedding).notes[-1].endswith("0 0, ... - 1 0, ... - 2 0, ... - 3 0, ...")


def test_sentence_debias_projects_out_the_components_that_an_independent_decomposition_finds():
    labelled = planted(2)
    transform = SentenceDebiaser(components=2).fit_rows(labelled)
    halves = labelled.differences() / 2
    values, axes = np.linalg.eigh(halves.T @ halves)
    np.testing.assert_allclose(transform.matrix @ axes[:, -2:], 0.0, atol=1e-8)
    np.testing.assert_allclose(transform.matrix @ axes[:, :-2], axes[:, :-2], atol=1e-8)
    assert transform.card.measured["pairs_variance"] == pytest.approx(values[-2:].sum() / values.sum())


@pytest.mark.parametrize("method", ["hard", "linear"])
def test_hard_and_linear_take_the_mean_difference_of_pairs(method):
    labelled = planted(2)
    fitter = debiaser("linear", strength=1e4, spread=0.0) if method == "linear" else debiaser(method)
    transform = fitter.fit_rows(labelled)
    way = labelled.differences().mean(axis=0)
    along = labelled.rows if method == "hard" else labelled.seeds
    before, after = (np.var(rows @ way) for rows in (along, transform(along)))
    assert after < 0.01 * before
    assert transform.method == method


@pytest.mark.parametrize("method", ["hard", "linear"])
def test_pairs_that_do_not_differ_leave_rows_as_they_are(method):
    labelled = planted(2)
    rows = labelled.rows.copy()
    rows[EACH:] = rows[:EACH]
    same = replace(labelled, rows=rows)
    np.testing.assert_allclose(debiaser(method).fit_rows(same)(rows), rows, atol=1e-9)


def test_pairs_and_background_are_asked_for_where_they_are_needed():
    labelled = planted(3)
    without = LabelledRows(
        "planted",
        "0",
        labelled.rows,
        labelled.labels,
        labelled.owners,
        labelled.groups,
        np.empty((0, 2), dtype=np.intp),
    )
    for name in ("hard", "linear", "sentence-debias"):
        with refuses(SettingError, option="pairs"):
            debiaser(name).fit_rows(without)
    with refuses(SettingError, option="method"):
        LinearDebiaser().fit_rows(LabelledRows(**{**vars(labelled), "seeds": None}))


def test_the_affine_form_moves_rows_as_the_transform_does():
    labelled = planted(2)
    for name in ("linear", "hard", "leace", "inlp", "sentence-debias"):
        transform = debiaser(name).fit_rows(labelled)
        weight, bias = transform.affine()
        np.testing.assert_allclose(labelled.rows @ weight.T + bias, transform(labelled.rows), atol=1e-9)


def test_held_out_names_are_left_out_with_their_labels_and_pairs(bundled):
    whole = labelled_words(bundled)
    left = whole.without({"John", "boy"})
    assert left.groups[0] == tuple(word for word in whole.groups[0] if word not in ("John", "boy"))
    assert len(left.rows) == len(left.labels) == len(left.owners) == len(whole.rows) - 2
    listed = [word for group in left.groups for word in group]
    pairs = {(listed[one], listed[two]) for one, two in left.pairs}
    assert pairs == set(catalogue.definitional_pairs()) - {("boy", "girl")} & pairs
    np.testing.assert_array_equal(left.rows[0], whole.rows[0])


@pytest.mark.parametrize("name", ["inlp", "sentence-debias"])
def test_words_of_an_embedding_can_be_labelled_too(bundled, name):
    transform = debiaser(name).fit(bundled)
    assert {"he", "James"} <= set(transform.card.positive)
    way = labelled_words(bundled).differences().mean(axis=0)
    assert np.linalg.norm(transform.matrix @ way) < 0.5 * np.linalg.norm(way)
