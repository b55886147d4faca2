"""Projections of words, and how two of them, or one and people's scores, agree."""

import json
from itertools import permutations

import numpy as np
import pytest
from refusals import refuses
from scipy.stats import pearsonr, spearmanr

from imprint.directions.axis import pair_axis, set_axis
from imprint.directions.projection import compare_projections, compare_with_scores, project
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, VocabularyError
from imprint.kinds.directions import COMPARISON, PROJECTION
from imprint.render.html import draw_fragment
from imprint.rows import WordPoint, WordValue, read_row, word_values
from imprint.significance.ranks import spearman
from imprint.stimuli.seeds import professions
from imprint.subjects.opening import load
from imprint.view import Section

JOBS = ("nurse", "cook", "cab_driver", "judge", "pilot", "clerk", "miner", "tailor", "guard", "actor")


def embedded(seed=0, name="small", dimension=7, words=("he", "she", *JOBS)):
    vectors = np.random.default_rng(seed).normal(size=(len(words), dimension)).astype(np.float32)
    return Embedding(name, list(words), vectors)


def projected(embedding, words=JOBS):
    return project(embedding, pair_axis(embedding, [("he", "she")]), words)


def coordinates(row):
    return np.array([one.value for one in row.coordinates])


def words(row):
    return tuple(row.to_mapping())


def compared_words(row):
    return tuple(point.word for point in row.points)


@pytest.fixture(scope="module")
def default():
    return load("default")


def test_coordinates_are_the_papers_formula():
    embedding = embedded()
    rows = zip(embedding.words, embedding.vectors.astype(float), strict=True)
    unit = {word: row / np.linalg.norm(row) for word, row in rows}
    axis = unit["he"] - unit["she"]
    expected = [unit[word] @ axis / np.linalg.norm(axis) for word in JOBS]
    result = projected(embedding)
    assert words(result) == JOBS
    assert coordinates(result) == pytest.approx(expected)
    assert result.variance == pytest.approx(np.var(expected, ddof=1))
    assert result.to_mapping() == dict(zip(JOBS, coordinates(result), strict=True))


def test_turning_the_axis_negates_every_coordinate():
    embedding = embedded()
    turned = project(embedding, pair_axis(embedding, [("she", "he")]), JOBS)
    assert coordinates(turned) == pytest.approx(-coordinates(projected(embedding)))


def test_lengths_and_a_common_rotation_change_no_coordinate():
    embedding = embedded()
    rng = np.random.default_rng(9)
    rotation, _ = np.linalg.qr(rng.normal(size=(7, 7)))
    moved = (embedding.vectors @ rotation * rng.uniform(0.2, 5, size=(12, 1))).astype(np.float32)
    other = projected(Embedding("moved", embedding.words, moved))
    assert coordinates(other) == pytest.approx(coordinates(projected(embedding)), abs=1e-6)


def test_the_ends_and_the_middle_are_sorted_outwards_in():
    result = projected(embedded())
    placed = sorted(result.to_mapping().items(), key=lambda word: word[1])
    placed = [WordValue(*one) for one in placed]
    assert result.ordered() == placed[::-1]
    assert result.most_negative(3) == placed[:3]
    assert result.most_positive(3) == placed[::-1][:3]
    assert result.nearest_zero(4) == sorted(placed, key=lambda one: abs(one.value))[:4]
    assert result.most_positive(99) == [one for one in placed[::-1] if one.value > 0]
    assert result.most_negative(99) == [one for one in placed if one.value < 0]
    with refuses(SettingError, option="count", got=0):
        result.nearest_zero(0)


def test_words_without_a_vector_are_reported_and_the_others_keep_their_order():
    result = projected(embedded(), ("astronaut", "pilot", "Judge", "welder", "cook"))
    assert (words(result), result.missing) == (("pilot", "Judge", "cook"), ("astronaut", "welder"))
    whole = projected(embedded()).to_mapping()
    assert list(coordinates(result)) == pytest.approx([whole["pilot"], whole["judge"], whole["cook"]])


def test_a_phrase_with_blanks_is_found_with_underscores_and_as_spelt_first():
    blank = projected(embedded(), ("cab driver", "bus driver"))
    assert (words(blank), blank.missing) == (("cab driver",), ("bus driver",))
    assert blank.to_mapping()["cab driver"] == pytest.approx(projected(embedded()).to_mapping()["cab_driver"])
    both = embedded(words=("he", "she", "cab driver", "cab_driver"))
    assert list(projected(both, ("cab driver",)).to_mapping().values()) == pytest.approx(
        [coordinates(projected(both, ("cab driver", "cab_driver")))[0]]
    )


@pytest.mark.parametrize(
    "words", [("Nurse", "nurse"), ("cab driver", "cab_driver"), ("cook", "cook"), ("welder",), ()]
)
def test_a_list_that_cannot_be_projected_is_refused(words):
    with refuses(VocabularyError, words=words, where="small"):
        projected(embedded(), words)


def test_one_string_is_not_a_list_of_words():
    with refuses(SettingError, option="words", got="nurse"):
        projected(embedded(), "nurse")


def test_an_axis_of_another_dimension_is_refused():
    axis = pair_axis(embedded(dimension=5), [("he", "she")])
    with refuses(SettingError, "small", option="axis", got="he - she"):
        project(embedded(), axis, JOBS)


def test_one_finding_tells_the_whole_list():
    embedding = embedded()
    axis = pair_axis(embedding, [("he", "she"), ("nurse", "xx"), ("pilot", "cook")], method="pca")
    row = project(embedding, axis, (*JOBS, "welder"))
    assert row.findings() == [row]
    assert (row.kind, row.test, row.method) == ("projection", "he, ... - she, ...", "pca")
    assert row.coordinates == word_values(row.to_mapping())
    assert row.statistic == row.variance == pytest.approx(coordinates(row).var(ddof=1))
    assert (row.n_words, row.missing, row.axis_missing) == (10, ("welder",), ("xx",))
    assert (row.explained, row.agreement) == (axis.explained, axis.agreement)
    assert (row.positive, row.negative) == (("he", "pilot"), ("she", "cook"))
    assert read_row(json.loads(row.to_json()), lambda kind, part: PROJECTION.row) == row
    assert repr(row) == "ProjectionRow(he, ... - she, ... in small: 10 words, 1 missing)"
    page = draw_fragment([Section("axis", "Axis", tuple(PROJECTION.blocks([row])))])
    assert all(f">{word}<" in page for word in words(row))


def test_one_word_has_a_place_and_no_variance():
    result = projected(embedded(), ("nurse",))
    assert result.variance is None
    assert result.statistic is None


def test_two_embeddings_are_compared_on_the_words_both_have():
    one = projected(embedded(), (*JOBS, "welder"))
    other = projected(embedded(3, "other", 9, ("he", "she", "welder", *JOBS[2:])), ("welder", *reversed(JOBS)))
    result = compare_projections(one, other)
    assert compared_words(result) == JOBS[2:]
    assert result.points == tuple(
        WordPoint(word, one.to_mapping()[word], other.to_mapping()[word]) for word in JOBS[2:]
    )
    x, y = ([getattr(point, side) for point in result.points] for side in "xy")
    assert (result.pearson, result.pearson_p_value) == pytest.approx(tuple(pearsonr(x, y)))
    assert result.spearman == pytest.approx(spearmanr(x, y).statistic)
    back = compare_projections(other, one)
    assert (back.pearson, back.spearman) == pytest.approx((result.pearson, result.spearman))
    assert (result.kind, result.other, result.effect_size) == (
        "projection comparison", "he - she in other", result.pearson,
    )  # fmt: skip
    assert (result.missing, result.other_missing, result.other_sha256) == (
        ("welder",),
        ("cook", "nurse"),
        other.embedding_sha256,
    )
    assert read_row(json.loads(result.to_json()), lambda kind, part: COMPARISON.row) == result


def test_an_embedding_agrees_with_itself_and_contradicts_its_mirror_image():
    embedding = embedded()
    mirrored = project(embedding, pair_axis(embedding, [("she", "he")]), JOBS)
    assert compare_projections(projected(embedding), projected(embedding)).pearson == pytest.approx(1)
    opposite = compare_projections(projected(embedding), mirrored)
    assert (opposite.pearson, opposite.spearman) == pytest.approx((-1, -1))


@pytest.mark.parametrize("count", [4, 5, 6])
@pytest.mark.parametrize("perfect", [False, True])
def test_ranks_of_few_words_are_tested_over_all_orders(count, perfect):
    one = projected(embedded(), JOBS[:count])
    x = coordinates(one)
    y = x**3 if perfect else np.random.default_rng(count).normal(size=count)
    result = compare_with_scores(one, dict(zip(JOBS, y, strict=False)))
    every = [abs(spearmanr(x, order).statistic) for order in permutations(y)]
    assert result.spearman_p_value == pytest.approx(np.mean(np.array(every) >= abs(result.spearman) - 1e-9))


def test_ranks_have_spearmans_correlation_and_p_value():
    one = projected(embedded())
    result = compare_with_scores(one, dict(zip(JOBS, range(10), strict=True)))
    assert (result.spearman, result.spearman_p_value) == spearman(coordinates(one), np.arange(10.0))


def test_scores_of_phrases_are_found_in_either_spelling():
    one = projected(embedded(), ("cab driver", "nurse", "cook", "pilot"))
    underscored = compare_with_scores(one, {"cab_driver": 1.0, "nurse": 2.0, "cook": 0.0, "pilot": 4.0})
    blank = compare_with_scores(one, {"cab driver": 1.0, "nurse": 2.0, "cook": 0.0, "pilot": 4.0})
    assert compared_words(underscored) == compared_words(blank) == words(one)
    assert underscored.pearson == blank.pearson


@pytest.mark.parametrize(
    ("scores", "error", "words"),
    [
        (dict.fromkeys(JOBS[:3], 1.0), VocabularyError, ()),
        (dict.fromkeys(JOBS, 1.0), VocabularyError, ()),
        ({"nurse": float("nan")}, SettingError, ("nurse",)),
    ],
)
def test_what_cannot_be_correlated_is_refused(scores, error, words):
    with refuses(error, "opinions", words=words):
        compare_with_scores(projected(embedded()), scores, name="opinions")


def test_the_bundled_embedding_places_professions_as_a_crowd_does(default):
    """An outside check: people who never saw the vectors scored these words."""
    scores = {one.word: one.stereotype for one in professions()}
    result = projected(default, tuple(scores))
    assert (result.n_words, len(result.missing)) == (259, 29)
    crowd = compare_with_scores(result, scores)
    assert crowd.n_words == 259
    assert crowd.spearman == pytest.approx(0.428, abs=0.001)
    assert crowd.spearman_p_value == pytest.approx(5.6e-13, rel=0.1)
    assert result.most_negative(1)[0].word == "homemaker"
    names = project(default, set_axis(default, ["john", "paul", "mike"], ["amy", "lisa", "sarah"]), tuple(scores))
    assert compare_projections(result, names).pearson > 0.5


def test_professions_are_placed_between_he_and_she_unless_others_are_named():
    embedding, words = load("default"), [one.word for one in professions()]
    assert project(embedding) == project(embedding, pair_axis(embedding, [("he", "she")]), words)
    pairs = [("he", "she"), ("man", "woman")]
    assert project(embedding, pairs, ["nurse"]) == project(embedding, pair_axis(embedding, pairs), ["nurse"])
