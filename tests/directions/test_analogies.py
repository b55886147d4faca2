"""Analogies against trying every pair, and what their result says."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses

from imprint.directions import search
from imprint.directions.analogies import AnalogyRow, analogies
from imprint.directions.axis import Axis, pair_axis
from imprint.directions.kernels import distance, normalise, project
from imprint.directions.search import best_pairs
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError
from imprint.kinds.analogies import ANALOGY
from imprint.render.html import draw_fragment
from imprint.rows import Rows, read_row
from imprint.subjects.opening import load
from imprint.view import Section


def try_all_pairs(unit, projections, k, delta):
    """Score every ordered pair, sort, and take greedily: (first, second, score)."""
    scored = []
    for a in range(len(unit)):
        for b in range(len(unit)):
            rise, apart = projections[a] - projections[b], distance(unit[a], unit[b])
            if rise > 0 and apart <= delta:
                scored.append((-(rise / apart), a, b))
    firsts, seconds, taken = set(), set(), []
    for negative, a, b in sorted(scored):
        if a not in firsts and b not in seconds and len(taken) < k:
            firsts.add(a)
            seconds.add(b)
            taken.append((a, b, -negative))
    return taken


def searched(unit, projections, direction, **options):
    return list(zip(*(column.tolist() for column in best_pairs(unit, projections, direction, **options)), strict=True))


@st.composite
def vocabularies(draw):
    """Rows at random, in tight clusters, on a coarse grid (many ties), or repeated."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count, dimension = draw(st.integers(2, 40)), draw(st.integers(1, 24))
    kind = draw(st.sampled_from(["random", "clusters", "grid", "repeated", "two points"]))
    rows = rng.normal(size=(count, dimension))
    if kind == "clusters":
        width = draw(st.sampled_from([1e-1, 1e-3, 1e-6]))
        rows = rng.normal(size=(4, dimension))[rng.integers(4, size=count)] + width * rows
    elif kind == "grid":
        rows = rng.integers(-1, 2, size=(count, dimension)).astype(float)
        rows[~rows.any(axis=1)] = 1.0
    elif kind == "repeated":
        rows = rows[rng.integers(max(2, count // 3), size=count) % count]
    elif kind == "two points":
        rows = rows[:2][rng.integers(2, size=count)]
    direction = rng.normal(size=dimension)
    if draw(st.booleans()):  # along one coordinate, where scores are often equal
        direction = np.eye(dimension)[rng.integers(dimension)]
    return rows.astype(np.float32), direction / np.linalg.norm(direction)


@given(
    vocabulary=vocabularies(),
    k=st.sampled_from([1, 2, 3, 7, 1_000]),
    delta=st.sampled_from([1e-4, 0.05, 0.5, 1.0, 2.0, 9.0]),
    tile=st.sampled_from([1, 4, 7, 512]),
)
@settings(max_examples=400, deadline=None)
def test_the_pairs_are_those_that_trying_all_pairs_finds(vocabulary, k, delta, tile):
    rows, direction = vocabulary
    unit = normalise(rows)
    projections = project(unit, direction)
    found = searched(unit, projections, direction, k=k, delta=delta, tile=tile)
    assert found == try_all_pairs(unit, projections, k, delta)


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(2, 14))
@settings(max_examples=300, deadline=None)
def test_pairs_found_late_may_bar_several_found_early(seed, k):
    # In few dimensions, pair by pair: what is chosen from the pairs seen so far changes all the time.
    rng = np.random.default_rng(seed)
    unit, direction = normalise(rng.normal(size=(30, 3)).astype(np.float32)), np.array([1.0, 0.0, 0.0])
    projections = project(unit, direction)
    found = searched(unit, projections, direction, k=k, delta=2.0, tile=1)
    assert found == try_all_pairs(unit, projections, k, 2.0)


@pytest.mark.parametrize(("pairs", "least"), [(3, 0.0), (4, 0.6), (6, 0.6)])
def test_the_least_score_rises_with_twice_k_choices_and_no_sooner(pairs, least):
    pool = search._Pool(words=20, k=2, count=pairs)
    pool.firsts, pool.seconds = np.arange(pairs, dtype=np.int32), np.arange(10, 10 + pairs, dtype=np.int32)
    pool.scores = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4])[:pairs]
    pool.thin()
    assert pool.least == least


def test_delta_is_met_to_the_last_bit():
    embedding = made({"he": (0.9, 0.1, 0.3), "she": (0.7, 0.6, 0.2)})
    found = found_in(embedding, delta=2.0)
    (pair,) = found
    assert as_words(found_in(embedding, delta=pair.distance)) == as_words(found)
    assert len(found_in(embedding, delta=math.nextafter(pair.distance, 0.0))) == 0


def score_matrix(embedding, axis, delta):
    """Eq. (1) for all ordered pairs at once, from differences of rows in numpy's own float64."""
    rows = embedding.vectors.astype(np.float64)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    scores = np.full((len(rows), len(rows)), -np.inf)
    for a, row in enumerate(rows):
        difference = row - rows
        apart = np.linalg.norm(difference, axis=1)
        apart[a] = np.inf
        scores[a] = np.where(apart <= delta, difference @ axis.direction / apart, -np.inf)
    return scores


@pytest.mark.parametrize(("k", "delta"), [(10, 1.0), (300, 1.0), (5_000, 0.9), (200, 0.7)])
def test_real_words_pair_as_eq_1_says(k, delta):
    whole = load("default")
    small = Embedding("small", list(whole.words[:1_000]), np.array(whole.vectors[:1_000]))
    axis = pair_axis(small, [("he", "she")])
    scores = score_matrix(small, axis, delta)
    expected = []
    while len(expected) < k and (best := scores.max()) > 0:
        a, b = np.unravel_index(scores.argmax(), scores.shape)
        expected.append((small.words[a], small.words[b], best))
        scores[a] = scores[:, b] = -np.inf
    found = analogies(small, axis, k=k, delta=delta).findings()
    assert [(pair.first, pair.second) for pair in found] == [pair[:2] for pair in expected]
    np.testing.assert_allclose([pair.score for pair in found], [pair[2] for pair in expected], rtol=1e-12)


def test_score_distance_and_projections_are_those_of_rows_at_unit_length():
    embedding = made({"he": (3.0, 1.0), "she": (1.0, 2.0), "boy": (2.0, 0.5), "girl": (1.0, 1.5)})
    axis = pair_axis(embedding, [("he", "she")])
    found = analogies(embedding, axis, delta=2.0)
    assert found[0].first == "he"
    for pair in found:
        a, b = (embedding.lookup([word]).vectors[0] for word in (pair.first, pair.second))
        a, b = ([value / math.hypot(*row) for value in row.tolist()] for row in (a, b))
        projections = [math.fsum(x * d for x, d in zip(row, axis.direction, strict=True)) for row in (a, b)]
        assert [pair.first_projection, pair.second_projection] == pytest.approx(projections, rel=1e-14)
        assert pair.distance == pytest.approx(math.dist(a, b), rel=1e-14)
        assert pair.score == pytest.approx((projections[0] - projections[1]) / math.dist(a, b), rel=1e-13)


def made(rows, **options):
    return Embedding("made", list(rows), np.array(list(rows.values()), dtype=np.float32), **options)


def scattered(count=60, dimension=5, seed=0):
    rng = np.random.default_rng(seed)
    words = ["he", "she", *(f"w{i}" for i in range(count - 2))]
    return Embedding("scattered", words, rng.normal(size=(count, dimension)).astype(np.float32))


def found_in(embedding, *, pairs=(("he", "she"),), **options):
    return analogies(embedding, pair_axis(embedding, pairs), **options)


def as_words(found):
    return [(pair.first, pair.second) for pair in found]


def test_no_word_is_first_twice_nor_second_twice_and_the_best_come_first():
    found = found_in(scattered(), delta=1.5)
    firsts, seconds = zip(*as_words(found), strict=True)
    assert len(set(firsts)) == len(firsts)
    assert len(set(seconds)) == len(seconds)
    scores = [pair.score for pair in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 + 1e-12 for score in scores)
    assert all(pair.distance <= 1.5 for pair in found)


def test_fewer_pairs_asked_for_are_the_first_of_more():
    whole = found_in(scattered(), delta=2.0).findings()
    for k in (1, 2, 5, 20):
        assert found_in(scattered(), delta=2.0, k=k).findings() == whole[:k]


def test_pairs_of_words_stand_for_the_axis_made_of_them():
    embedding = scattered()
    pairs = [("he", "she"), ("w1", "w2")]
    for axis, ends in ((("he", "she"), pairs[:1]), (pairs, pairs)):
        assert (
            analogies(embedding, axis, delta=2.0).findings() == found_in(embedding, pairs=ends, delta=2.0).findings()
        )
    assert analogies(embedding, delta=2.0).findings() == found_in(embedding, delta=2.0).findings()


def test_turning_the_axis_round_turns_every_pair_round():
    one, other = (found_in(scattered(), pairs=[ends], delta=1.2) for ends in (("he", "she"), ("she", "he")))
    assert [(pair.second, pair.first) for pair in one] == as_words(other)


def test_lengths_of_rows_and_their_order_in_the_file_change_nothing():
    plain = scattered()
    ranks = np.arange(len(plain), dtype=np.int32)
    order = np.random.default_rng(1).permutation(len(plain))
    lengths = 2.0 ** np.random.default_rng(2).integers(-20, 20, size=(len(plain), 1))
    shuffled = Embedding(
        "shuffled",
        [plain.words[row] for row in order],
        (plain.vectors * lengths)[order].astype(np.float32),
        ranks=ranks[order],
    )
    found, expected = (found_in(one, delta=1.2) for one in (shuffled, plain))
    assert as_words(found) == as_words(expected)
    assert [pair.score for pair in found] == [pair.score for pair in expected]


def test_equal_scores_go_by_frequency_and_equal_frequencies_by_spelling():
    rows = {"he": (1, 0.0), "she": (0, 1.0), "b": (1, 0.2), "a": (1, 0.2), "z": (0.2, 1), "y": (0.2, 1)}
    by_file = as_words(found_in(made(rows), delta=2.0))
    assert by_file.index(("b", "z")) < by_file.index(("a", "y"))
    equal = np.array([0, 0, 1, 1, 1, 1], dtype=np.int32)
    by_spelling = as_words(found_in(made(rows, ranks=equal), delta=2.0))
    assert by_spelling.index(("a", "y")) < by_spelling.index(("b", "z"))


def test_only_the_most_frequent_words_are_paired():
    embedding = scattered()
    found = found_in(embedding, words=10, delta=2.0)
    assert found[0].n_words == 10
    assert {word for pair in as_words(found) for word in pair} <= set(embedding.words[:10])
    assert found_in(embedding, words=10**9, delta=2.0)[0].n_words == len(embedding)


def test_names_can_be_left_out():
    rows = {"he": (1, 0), "she": (0, 1), "james": (1, 0.1), "mary": (0.1, 1), "uncle": (1, 0.2), "aunt": (0.2, 1)}
    with_names = {word for pair in as_words(found_in(made(rows), delta=2.0)) for word in pair}
    without = {word for pair in as_words(found_in(made(rows), delta=2.0, no_names=True)) for word in pair}
    assert with_names - without == {"james", "mary"}
    cased = made({**rows, "Mary": (0.2, 1.1), "Uncle": (1, 0.3)})
    kept = {word for pair in as_words(found_in(cased, delta=2.0, no_names=True)) for word in pair}
    assert "mary" in kept, "with capitals, a name in small letters is a word"
    assert "Mary" not in kept


def test_neutral_leaves_out_words_gendered_by_meaning_and_the_axis_in_any_case():
    rows = {
        "black": (1, 0), "white": (0, 1), "King": (1, 0.1), "queen": (0.1, 1), "Black": (1, 0.3), "WHITE": (0.3, 1),
        "coal": (1, 0.2), "snow": (0.2, 1),
    }  # fmt: skip
    embedding = made(rows)
    axis = pair_axis(embedding, [("black", "white")])
    every, neutral = (analogies(embedding, axis, delta=2.0, neutral=neutral) for neutral in (False, True))
    assert {word for pair in as_words(every) for word in pair} == set(rows)
    assert as_words(neutral) == [("coal", "snow")]
    assert (every[0].n_words, neutral[0].n_words) == (8, 2)
    assert [found[0].neutral for found in (every, neutral)] == [False, True]


def test_phrases_are_words():
    rows = {"he": (1, 0), "she": (0, 1), "chief_executive": (1, 0.2), "personal_assistant": (0.2, 1)}
    assert ("chief_executive", "personal_assistant") in as_words(found_in(made(rows), delta=2.0))


def test_bundled_embedding_pairs_men_with_women():
    found = as_words(found_in(load("default"), words=10_000, k=30))
    assert {("he", "she"), ("father", "mother"), ("actor", "actress"), ("son", "daughter")} <= set(found)


def test_progress_runs_to_its_end():
    seen = []
    found_in(scattered(count=1_100), words=1_100, k=5, progress=lambda done, total: seen.append((done, total)))
    # Three tiles a side, those on and above the diagonal.
    assert seen == [(done, 6) for done in range(1, 7)]


def test_many_equal_pairs_are_thinned_to_those_that_matter(monkeypatch):
    # A million pairs of one score; no more than four tiles' worth may be held at a time.
    monkeypatch.setattr(search, "MOST_PAIRS", 4 * 64 * 64)
    rows = np.repeat(np.array([[1.0, 0.0], [0.6, 0.8]]), 1_000, axis=0).astype(np.float32)
    unit, direction = normalise(rows), np.array([0.8, -0.6])
    found = searched(unit, project(unit, direction), direction, k=20, delta=1.0, tile=64)
    assert [pair[:2] for pair in found] == [(i, 1_000 + i) for i in range(20)]


def test_more_pairs_than_fit_are_refused_in_one_line(monkeypatch):
    monkeypatch.setattr(search, "MOST_PAIRS", 4_096)
    with refuses(SettingError, "4,096"):
        found_in(scattered(count=200), delta=2.0)


@pytest.fixture
def result():
    axis = Axis(np.array([1.0, 0.0]), ("he",), ("she",), "difference", None, None, ("him",))
    found = [("<b>", "nurse", 0.5, 0.9, 0.3, -0.15), ("whore", "lady_x", 0.25, 0.8, 0.1, -0.1)]
    names = ("first", "second", "score", "distance", "first_projection", "second_projection")
    pairs = [
        AnalogyRow(
            test=axis.name,
            embedding="made",
            embedding_sha256="0" * 64,
            missing=axis.missing,
            effect_size=pair[2],
            rank=rank,
            **dict(zip(names, pair, strict=True)),
            positive=axis.positive,
            negative=axis.negative,
            method=axis.method,
            delta=1.0,
            n_words=500,
            with_names=True,
            neutral=False,
        )
        for rank, pair in enumerate(found, start=1)
    ]
    return Rows(pairs)


def test_one_row_per_pair(result):
    rows = result.findings()
    assert [(row.kind, row.rank) for row in rows] == [("analogy", 1), ("analogy", 2)]
    row = rows[0]
    assert (row.test, row.first, row.second, row.n_words, row.with_names) == ("he - she", "<b>", "nurse", 500, True)
    assert (row.effect_size, row.p_value, row.distance, row.missing) == (0.5, None, 0.9, ("him",))
    assert [read_row(row.to_dict(), lambda kind, part: ANALOGY.row) for row in rows] == list(rows)


def test_frame_and_dictionary_hold_every_pair(result):
    frame = result.to_frame()
    assert frame["first"].tolist() == ["<b>", "whore"]
    assert {"first", "second", "score", "distance", "first_projection", "second_projection"} <= {*frame.columns}
    assert result.to_dict()["findings"][1]["second"] == "lady_x"


def test_what_people_see_is_masked_and_escaped(result):
    assert repr(result) == "Rows(2 analogy)"
    page = draw_fragment([Section("pairs", "Pairs", tuple(ANALOGY.blocks(result.findings())))])
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "whore" not in page


def test_no_pair_leaves_an_empty_table():
    found = found_in(made({"he": (1, 0), "she": (0, 1)}), delta=0.5)
    assert found.findings() == ()
    assert found._repr_html_() == "<code>Rows()</code>"
    assert len(found.to_frame()) == 0


def try_all_products(unit, f, g, k, delta):
    """Score every ordered pair by its product, sort, and take greedily."""
    scored = []
    for a in range(len(unit)):
        for b in range(len(unit)):
            apart, both = distance(unit[a], unit[b]), f[a] * g[b]
            if a != b and both > 1 and apart <= delta:
                scored.append((-(both * (1.0 - apart * apart / 4.0)), a, b))
    firsts, seconds, taken = set(), set(), []
    for negative, a, b in sorted(scored):
        if a not in firsts and b not in seconds and len(taken) < k:
            firsts.add(a)
            seconds.add(b)
            taken.append((a, b, -negative))
    return taken


@given(
    vocabulary=vocabularies(),
    k=st.sampled_from([1, 3, 1_000]),
    delta=st.sampled_from([0.05, 1.0, 9.0]),
    tile=st.sampled_from([4, 7, 2048]),
)
@settings(max_examples=200, deadline=None)
def test_products_are_those_that_trying_all_pairs_finds(vocabulary, k, delta, tile):
    rows, direction = vocabulary
    unit = normalise(rows)
    along = (1.0 + project(unit, direction)) / 2.0
    factors = (along / (1.001 - along), (1.0 - along) / (along + 0.001))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "_PRODUCT_TILE", tile)
        columns = search.best_products(unit, factors, k=k, delta=delta)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == try_all_products(
        unit, *factors, k, delta
    )


def test_3cosmul_scores_pairs_by_products_of_similarities():
    embedding = load("default")
    axis = pair_axis(embedding, [("he", "she")])
    (pair, *_) = analogies(embedding, axis, k=5, words=3_000, score="3cosmul")
    near = {word: embedding.lookup([word]).unit[0] for word in ("he", "she", pair.first, pair.second)}
    like = lambda one, other: (1 + near[one] @ near[other]) / 2  # noqa: E731
    first = like(pair.first, "he") / (like(pair.first, "she") + 0.001)
    second = like(pair.second, "she") / (like(pair.second, "he") + 0.001)
    assert pair.score == pytest.approx(first * second * like(pair.first, pair.second))
    assert pair.score_by == "3cosmul"
    with refuses(SettingError, option="score", got="3cosadd"):
        analogies(embedding, axis, score="3cosadd")
