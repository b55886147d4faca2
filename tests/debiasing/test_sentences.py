"""Debiasers fitted on the bundled encoder's sentences: gender is found first, then what is left, and the cost."""

import json
from functools import cache

import numpy as np
import pytest
from refusals import refuses
from safetensors import safe_open

from imprint.debiasing.debiaser import Debiaser, debiaser
from imprint.debiasing.labelled import gendered_names
from imprint.debiasing.sentences import (
    FittingGroups,
    RememberingEncoder,
    gender_groups,
    label_texts,
    own_groups,
)
from imprint.errors import ImprintError, SettingError
from imprint.evaluation.debiased_encoder import seat_texts
from imprint.evaluation.recovering import OwnedRows, recover_group
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import WordSet
from imprint.stimuli.templates import Templates, bundled_patterns, fill, fitting_templates
from imprint.subjects.opening import open_encoder

METHODS = ("hard", "leace", "inlp", "sentence-debias")


@pytest.fixture(scope="module")
def groups():
    """Fewer names than the command takes, to be quick."""
    whole = gender_groups()
    terms = len(whole.pairs)
    return FittingGroups(
        tuple(one.subset(one.words[: terms + 120]) for one in whole.fitted),
        tuple(one.subset(one.words[:60]) for one in whole.held_out),
        whole.pairs,
    )


@pytest.fixture(scope="module")
def encoder():
    return RememberingEncoder(open_encoder("default-encoder"))


@pytest.fixture(scope="module")
def labelled(encoder, groups):
    return {on: label_texts(encoder, groups, on=on) for on in ("words", "sentences")}


@pytest.fixture(scope="module")
def fitted(labelled):
    """Return a method fitted on sentences, each once."""
    return cache(lambda method: debiaser(method).fit_rows(labelled["sentences"]))


@pytest.fixture(scope="module")
def found(encoder, groups, labelled):
    """Return how often a classifier, trained on fitted names too, puts held-out names in SEAT's sentences right."""
    whole = FittingGroups(groups.held_out, tuple(one.subset(one.words[-60:]) for one in groups.fitted))
    texts = seat_texts(groups.held_out), seat_texts(whole.held_out)
    judged, others = (OwnedRows(encoder.encode(one[0]).astype(np.float64), *one[1:]) for one in texts)

    @cache
    def accuracy(transform=None):
        move = transform or (lambda given: given)
        moved = [one._replace(rows=move(one.rows)) for one in (judged, others)]
        return recover_group(*moved, 0).folds.mean()

    return accuracy


def test_nothing_that_judges_was_fitted_on(groups):
    whole = gender_groups()
    fitted = {word for group in whole.fitted for word in group.words}
    assert not fitted & {word for group in whole.held_out for word in group.words}
    assert not fitted & set(get("caliskan-6").x.words + get("caliskan-6").y.words)
    assert not fitted & {"Bobby", "Jesse", "Eddie", "Ashley"}  # of WEFATs
    assert [len(group) for group in whole.fitted] == [476, 622]  # fewer men: questions ask about many men's names
    listed = fitted | {word for group in whole.held_out for word in group.words}
    assert "Rose" in listed  # a flower of a test, not a name of one
    assert "Claudia" not in listed  # a name of a German test
    templates = {pattern for patterns in fitting_templates().by_kind.values() for pattern in patterns}
    assert not templates & bundled_patterns()


def test_rows_of_a_word_share_their_owner_and_pairs_differ_in_the_word_alone(labelled, groups):
    sentences = labelled["sentences"]
    assert len(np.unique(sentences.owners)) == sum(map(len, groups.fitted))
    assert (sentences.labels[sentences.pairs] == [0, 1]).all()
    assert sentences.card().settings == {"fitted_on": "sentences", "texts": len(sentences.rows), "groups": 2}
    assert len(labelled["words"].pairs) == len(groups.pairs)


def test_gender_is_read_off_held_out_names_before(found):
    assert found() > 0.95


def test_leace_makes_the_means_of_what_it_was_fitted_on_equal_and_fitted_on_words_leaves_more(found, labelled):
    fitted = {on: debiaser("leace").fit_rows(rows) for on, rows in labelled.items()}
    for on, rows in labelled.items():
        before, after = (
            np.linalg.norm(one[rows.labels == 0].mean(axis=0) - one[rows.labels == 1].mean(axis=0))
            for one in (rows.rows, fitted[on](rows.rows))
        )
        assert after < 1e-9 < 0.05 < before
    assert 0.6 < found(fitted["sentences"]) < found(fitted["words"]) < found()
    assert fitted["sentences"].card.measured["changed"] < 0.1


def test_inlp_leaves_less_than_the_axes_of_pairs(found, fitted):
    left = {name: found(fitted(name)) for name in ("inlp", "hard", "sentence-debias")}
    # One or three directions of terms such as man and woman are not all that tells names apart.
    assert 0.6 < left["inlp"] < min(left["hard"], left["sentence-debias"])
    assert max(left["hard"], left["sentence-debias"]) < found()


@pytest.mark.parametrize("method", METHODS)
def test_pairs_of_terms_differ_before_and_less_after(method, labelled, fitted):
    rows, pairs = labelled["sentences"].rows, labelled["sentences"].pairs
    moved = fitted(method)(rows)
    before, after = (np.linalg.norm((one[pairs[:, 0]] - one[pairs[:, 1]]).mean(axis=0)) for one in (rows, moved))
    assert before > 0.25
    assert after < {"hard": 1e-9, "sentence-debias": 0.2 * before}.get(method, 0.6 * before)


@pytest.mark.slow
def test_linear_debiasing_takes_the_axis_from_professions_and_keeps_the_background(encoder, groups):
    rows = label_texts(encoder, groups, others=True)
    transform = debiaser("linear").fit_rows(rows)
    way = rows.differences().mean(axis=0)
    way /= np.linalg.norm(way)
    assert np.var(transform(rows.seeds) @ way) < 0.1 * np.var(rows.seeds @ way)
    assert transform.card.measured["geometry_lost"] < 0.01
    assert transform.card.measured["gap"] <= 1e-9


def test_a_debiased_encoder_is_an_encoder_of_its_own(encoder, labelled, groups):
    transform = debiaser("leace").fit_rows(labelled["sentences"])
    debiased = transform.apply(encoder)
    assert debiased.name == "USE multilingual v3 debiased (leace, sentences)"
    assert debiased.sha256 not in {encoder.sha256, debiaser("leace").fit_rows(labelled["words"]).apply(encoder).sha256}
    assert debiased.sha256 == debiaser("leace").fit_rows(labelled["sentences"]).apply(encoder).sha256
    rows = debiased.encode(["We met Emily.", "We met John."])
    np.testing.assert_allclose(rows, transform(encoder.encode(["We met Emily.", "We met John."])), atol=1e-6)
    assert rows.dtype == np.float32


def test_the_matrix_is_written_alone_where_the_encoder_is_no_model_in_a_file(encoder, labelled, tmp_path):
    debiased = debiaser("leace").fit_rows(labelled["sentences"]).apply(encoder)
    assert debiased.save(tmp_path / "out") is None
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["debias.safetensors"]
    with safe_open(tmp_path / "out" / "debias.safetensors", framework="numpy") as file:
        weight, bias = file.get_tensor("weight"), file.get_tensor("bias")
        about = json.loads(file.metadata()["imprint"])
    assert (about["method"], about["encoder"]) == ("leace", "USE multilingual v3")
    texts = ["She is here.", "A cat sits on the mat."]
    np.testing.assert_allclose(encoder.encode(texts) @ weight.T + bias, debiased.encode(texts), atol=1e-5)


def test_a_folder_that_holds_something_is_left_as_it_is(encoder, labelled, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with refuses(ImprintError, where=tmp_path):
        debiaser("hard").fit_rows(labelled["sentences"]).apply(encoder).save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_word_without_a_vector_stays_without_one(labelled):
    cbow = open_encoder("cbow")
    names = [WordSet.of(sex, some[:15], "name") for sex, some in zip(("men", "women"), gendered_names(), strict=True)]
    debiased = debiaser("leace").fit_rows(label_texts(cbow, own_groups(names))).apply(cbow)
    assert not debiased.encode(["xqzv"]).any()
    assert debiased.lacks(["xqzv"]) == ("xqzv",)


def test_groups_that_cannot_be_used_are_refused():
    one, two = WordSet.of("one", "abcdefghij", "name"), WordSet.of("two", "jklmnopqrst", "name")
    with refuses(SettingError, option="groups", got=1):
        own_groups([one])
    with refuses(SettingError, words=("j",)):
        own_groups([one, two])
    with refuses(SettingError, "three", "--group", option="groups", got=9):
        own_groups([one, WordSet.of("three", "klmnopqrs", "name")])


def test_kinds_that_own_templates_leave_out_are_not_seats_and_seats_are_refused():
    texts = []

    def encode(asked):
        texts.extend(asked)
        return np.random.default_rng(0).normal(size=(len(asked), 4))

    groups = FittingGroups(
        (
            WordSet("one", ("Ann", "cook"), ("name", "person noun")),
            WordSet("two", ("Bob", "smith"), ("name", "unknown")),
        ),
        (),
    )
    own = Templates("en", {"name": ("We met {word}.",)})
    label_texts(open_encoder(encode), groups, templates=own)
    assert {text for text in texts if "Ann" in text} == {"We met Ann."}
    assert "Have you seen the cook today?" in texts
    assert not {fill(pattern, word) for pattern in bundled_patterns() for word in ("Ann", "cook", "smith")} & set(
        texts
    )
    wrong = Templates("en", {"name": ("We met {word}.", "This is {word}.")})
    with refuses(SettingError, option="templates", got="This is {word}."):
        label_texts(open_encoder(encode), groups, templates=wrong)


def test_a_plug_in_that_knows_words_alone_says_so(encoder, groups):
    class OfWords(Debiaser):
        summary = "does nothing"

        def fit(self, embedding, *, axis=None, pairs=None):
            raise NotImplementedError

    with refuses(SettingError, option="method"):
        OfWords().fit_rows(label_texts(encoder, groups))
