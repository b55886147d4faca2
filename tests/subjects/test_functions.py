"""Every measuring function takes what people have, and gives the same numbers as with an Embedding."""

import numpy as np
import pytest

import imprint
from imprint.association.changes import ChangeRow
from imprint.errors import SettingError, SubjectError

TEST = "caliskan-6"
FAST = {"most_words": 500, "resamples": 50}


@pytest.fixture(scope="module")
def embedding():
    return imprint.load("default")


@pytest.fixture(scope="module")
def axis(embedding):
    return imprint.pair_axis(embedding, [("he", "she")])


@pytest.fixture(scope="module")
def pair(embedding):
    return list(embedding.words), embedding.vectors


@pytest.fixture(scope="module")
def kinds(embedding, pair):
    return [pair, dict(zip(*pair, strict=True)), embedding.to_gensim(), "default"]


def test_weat_gives_the_same_for_every_kind_of_subject(embedding, kinds):
    expected = imprint.weat(embedding, TEST).effect_size
    assert [imprint.weat(kind, TEST).effect_size for kind in kinds] == [expected] * 4


def test_wefat_batteries_and_groups_take_objects(embedding, pair):
    test = "caliskan-wefat-names"
    assert imprint.wefat(pair, test).r == imprint.wefat(embedding, test).r
    tests = [one for one in imprint.catalogue() if one.id == TEST]
    assert imprint.run_battery(pair, tests)[0].p_value == imprint.run_battery(embedding, tests)[0].p_value
    groups = [(["he", "man"], ["office", "career"]), (["she", "woman"], ["home", "family"])]
    assert imprint.group_association(pair, groups) == imprint.group_association(embedding, groups)


def test_axes_projections_and_analogies_take_objects(embedding, pair, axis):
    made = imprint.pair_axis(pair, [("he", "she")])
    assert made.direction.tobytes() == axis.direction.tobytes()
    sets = [imprint.set_axis(one, ["he", "man"], ["she", "woman"]).direction for one in (pair, embedding)]
    assert sets[0].tobytes() == sets[1].tobytes()
    assert (
        imprint.project(pair, axis, ["nurse"]).coordinates == imprint.project(embedding, axis, ["nurse"]).coordinates
    )
    plain = imprint.Embedding("plain", *pair)
    found = [imprint.analogies(thing, axis, k=5, words=500) for thing in (pair, plain)]
    assert len({tuple((row.first, row.second, row.score) for row in rows) for rows in found}) == 1


def test_enumeration_takes_objects(pair):
    changes = {"groups": 3, "categories": 4, "words": 500, "copies": 10, "repeats": 0}
    plain = imprint.Embedding("plain", *pair)
    expected = [(cell.words, cell.score, cell.z, cell.q) for cell in imprint.enumerate_biases(plain, **changes).cells]
    for found in (imprint.enumerate_biases(pair, **changes), imprint.enumerate_biases(plain, against=pair, **changes)):
        assert [(cell.words, cell.score, cell.z, cell.q) for cell in found.cells] == expected
    followed = [(cell.against_words, cell.against_score, cell.against_z, cell.against_q) for cell in found.cells]
    assert followed == expected


@pytest.mark.slow
def test_evaluation_takes_objects(embedding, pair, axis):
    from imprint.evaluation.benchmarks import bundled_benchmarks

    chosen = [one for one in bundled_benchmarks() if one.name == "rg-65"]
    found = imprint.evaluate(pair, chosen, against=pair, **FAST)[0]
    assert found.spearman == imprint.evaluate(embedding, chosen, **FAST)[0].spearman
    assert found.change_spearman == 0.0
    tests = [one for one in imprint.catalogue() if one.id == TEST]
    compared = imprint.compare(pair, "default", tests=tests, benchmarks=chosen, **FAST)
    assert {row.size for row in compared.of(ChangeRow)} == {0.0}
    assert [*imprint.leakage(pair, axis)] == [*imprint.leakage(imprint.Embedding("tuple", *pair), axis)]


@pytest.mark.parametrize("debiaser", [imprint.HardDebiaser(), imprint.LinearDebiaser(), imprint.LeaceDebiaser()])
def test_debiasers_take_objects(embedding, pair, debiaser):
    transform = debiaser.fit(pair)
    assert transform.apply(pair).vectors.tobytes() == debiaser.fit(embedding).apply(embedding).vectors.tobytes()


def test_seats_take_objects_and_names(pair):
    expected = imprint.seat(imprint.Embedding("plain", *pair), TEST, context="word").effect_size
    assert imprint.seat(pair, TEST, context="word").effect_size == expected
    assert imprint.seat("cbow", TEST, context="word").effect_size == expected
    tests = [one for one in imprint.catalogue() if one.id == TEST]
    battery = imprint.run_seat_battery([pair, Letters()], tests, context="word")
    assert {row.embedding for row in battery.findings() if row.kind == "seat"} == {"tuple", "Letters"}


def test_an_audit_takes_objects(pair):
    few = pair[0][:3_000], pair[1][:3_000]
    audit = imprint.audit(few, against=few, quick=True, debias=None)
    assert audit.embedding == "tuple"
    for given in ({"encoder": 3}, {"against": 3}):
        with pytest.raises(SettingError, match="got an object of type int"):
            imprint.audit(few, **given)


def test_what_is_no_embedding_is_refused_by_every_function(axis):
    for measure in (
        lambda thing: imprint.weat(thing, TEST),
        lambda thing: imprint.wefat(thing, "caliskan-wefat-names"),
        lambda thing: imprint.project(thing, axis, ["nurse"]),
        lambda thing: imprint.analogies(thing, axis),
        lambda thing: imprint.evaluate(thing),
        lambda thing: imprint.enumerate_biases(thing),
        lambda thing: imprint.LinearDebiaser().fit(thing),
    ):
        with pytest.raises(SettingError, match="got None"):
            measure(None)
        with pytest.raises(SubjectError):
            measure("no-such-embedding")


class Letters:
    def encode(self, texts):
        return np.array([[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts])
