"""Questions: the answer is the direct formula's, the same in rows, and says which words it went without."""

from dataclasses import replace

import numpy as np
import pytest
from planted import SETS, planted
from scipy.stats import t as student

from imprint.association.seat import seat
from imprint.association.sizes import measure_size
from imprint.association.vectors import SetVectors
from imprint.association.weat import look_up, vectors_of, weat
from imprint.embeddings.embedding import Embedding
from imprint.encoders.universal import UniversalEncoder
from imprint.errors import VocabularyError
from imprint.significance.outcomes import outcome
from imprint.stimuli.catalog import get, questions
from imprint.stimuli.definition import WeatTest, WordSet, word_sets
from imprint.subjects.opening import load, open_encoder

FIELDS = ("size", "size_low", "size_high", "unrelated")
FRAMES = ("This is {word}.", "Here is {word}.")
FRAME_WORDS = ("this", "is", "here")


def question(**sets):
    lists = (WordSet.of(name, words) for name, words in {**SETS, **sets}.items())
    return WeatTest("made", "made", "made here", "en", *lists, topics=("gender",), is_question=True)


def drawn(seed, counts, strength=2.0, dimension=12):
    """Draw rows around means that differ along one direction, and scale them to length one."""
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=dimension)
    sides = []
    for count, sign in zip(counts, (1, -1, 1, -1), strict=True):
        rows = rng.normal(size=(count, dimension)) + strength * sign * direction / 2
        sides.append(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    return sides


def literal(x, y, a, b):
    """Return the size, and a function that gives the p-value of a margin, one term at a time."""
    u, v = x.mean(axis=0) - y.mean(axis=0), a.mean(axis=0) - b.mean(axis=0)
    d = u @ v
    distance = v @ v - a.var(axis=0, ddof=1).sum() / len(a) - b.var(axis=0, ddof=1).sum() / len(b)

    def p_of(margin):
        terms, degrees, twice = [], [], 0.0
        for rows, along in ((x, v), (y, v), (a, u - 2 * margin * v), (b, u - 2 * margin * v)):
            terms.append(np.var(rows @ along, ddof=1) / len(rows))
            degrees.append(len(rows) - 1)
        for names in (x, y):
            for words in (a, b):
                products = (names - names.mean(axis=0)) @ (words - words.mean(axis=0)).T
                pairs = len(names) * (len(names) - 1) * len(words) * (len(words) - 1)
                twice += np.sum(products**2) / pairs
        variance = max(sum(terms) - twice, max(terms))
        df = sum(terms) ** 2 / sum(term**2 / degree for term, degree in zip(terms, degrees, strict=True))
        return 2 * student.sf(abs(d - margin * distance) / np.sqrt(variance), df)

    return d / distance, p_of


def measured(x, y, a, b, **settings):
    """Measure a question with words of its own from the rows of its four sets."""
    sets = {key: tuple(f"{key}{n}" for n in range(len(rows))) for key, rows in zip("xyab", (x, y, a, b), strict=True)}
    words = SetVectors(
        sets["x"] + sets["y"],
        sets["a"] + sets["b"],
        len(x),
        len(a),
        np.concatenate([x, y]),
        np.concatenate([a, b]),
    )
    return measure_size(replace(question(**sets), **settings), words, None)


@pytest.mark.parametrize("seed", range(4))
def test_a_size_is_the_formulas(seed):
    x, y, a, b = drawn(seed, (30, 24, 19, 26))
    sized = measured(x, y, a, b)
    size, p_of = literal(x, y, a, b)
    low, high = sized["size_low"], sized["size_high"]
    assert sized["size"] == pytest.approx(size)
    assert low < size < high
    for end, beyond in ((low, -1), (high, 1)):
        assert p_of(end) == pytest.approx(0.005, rel=1e-6)
        assert p_of(end + 0.01 * beyond) < 0.005 < p_of(end - 0.01 * beyond)
    judged = outcome(low, high)
    assert (sized["outcome"], sized["reason"]) == (judged.outcome, judged.reason)
    assert sized["unrelated"] is None


def test_turning_names_and_words_round_keeps_the_size_and_one_alone_its_sign():
    x, y, a, b = drawn(9, (20, 20, 20, 20))
    sizes = [measured(*sides) for sides in ((x, y, a, b), (y, x, b, a), (y, x, a, b))]
    as_asked, both, names = ([fields[name] for name in ("size", "size_low", "size_high")] for fields in sizes)
    assert both == pytest.approx(as_asked)
    assert names == pytest.approx([-as_asked[0], -as_asked[2], -as_asked[1]])


def fields_of(row):
    return tuple(getattr(row, name) for name in FIELDS)


@pytest.mark.parametrize("test", questions(), ids=lambda test: test.id)
def test_a_row_of_words_is_the_formulas(bundled, test):
    x, y, a, b = split(vectors_of(bundled, look_up(bundled, test)))
    row = weat("default", test.id)
    size, p_of = literal(x, y, a, b)
    assert row.size == pytest.approx(size)
    assert p_of(row.size_low) == pytest.approx(0.005, rel=1e-5)
    assert p_of(row.size_high) == pytest.approx(0.005, rel=1e-5)
    u, v = x.mean(axis=0) - y.mean(axis=0), a.mean(axis=0) - b.mean(axis=0)
    terms = (u @ bundled.background.axes) * (v @ bundled.background.axes)
    distance = sum(u * v) / size
    assert row.unrelated == pytest.approx(1.96 * bundled.background.misfit * np.sqrt(np.sum(terms**2)) / distance)
    assert row.mean_difference == pytest.approx(u @ v)
    assert [score.value for score in row.scores] == pytest.approx((np.concatenate([x, y]) @ v).tolist())
    assert row.is_question
    assert row.p_value is None
    assert row.found == (row.outcome in ("present", "substantial"))


def split(words):
    """Return the rows of the four sets."""
    return (*np.split(words.targets, [words.n_x]), *np.split(words.attributes, [words.n_a]))


def test_a_row_of_sentences_is_the_answer_for_the_mean_of_two_frames():
    encoder = UniversalEncoder()
    test = get("asian-pleasant")
    sides = []
    for words in word_sets(test).values():
        frames = [encoder.encode([frame.format(word=word) for word in words.words]) for frame in FRAMES]
        frames = [rows.astype(float) / np.linalg.norm(rows.astype(float), axis=1, keepdims=True) for rows in frames]
        sides.append(sum(frames) / 2)
    size, p_of = literal(*sides)
    row = seat(encoder, test)
    assert row.size == pytest.approx(size)
    assert p_of(row.size_low) == pytest.approx(0.005, rel=1e-5)
    assert p_of(row.size_high) == pytest.approx(0.005, rel=1e-5)
    judged = outcome(row.size_low, row.size_high)
    assert (row.outcome, row.reason) == (judged.outcome, judged.reason)
    assert row.missing == ()


def without(embedding, words):
    rows = [row for row, word in enumerate(embedding.words) if word not in words]
    return Embedding(embedding.name, [embedding.words[row] for row in rows], embedding.vectors[rows])


def test_missing_words_are_named_and_the_others_are_asked():
    gone = ("rose", "gnat", "filth")
    embedding = without(planted(strength=2.0), gone)
    result = weat(embedding, question())
    left = question(**{key: [word for word in words if word not in gone] for key, words in SETS.items()})
    assert result.missing == gone
    assert (result.n_x, result.n_y, result.n_a, result.n_b) == (5, 5, 4, 4)
    assert fields_of(result) == fields_of(weat(embedding, left))
    assert result.size_low is not None


def test_a_question_that_lacks_the_rare_words_of_one_side_is_not_matched_any_more(bundled):
    test = get("gender-career")
    x, y = (sorted(side.words, key=lambda word: bundled.words.index(word.lower())) for side in (test.x, test.y))
    half = len(x) // 2
    gone = {word.lower() for word in (*x[:half], *y[-half:])}
    kept = [row for row, word in enumerate(bundled.words) if word not in gone]
    row = weat(load(([bundled.words[index] for index in kept], np.asarray(bundled.vectors)[kept])), test)
    assert row.rank_x > 2 * row.rank_y
    assert row.size_low > 0.1
    assert (row.outcome, row.reason, row.p_frequency is None) == ("cannot tell", "frequency", False)
    assert weat("default", test).p_frequency is None


@pytest.mark.parametrize(
    ("lists", "gone", "enough"),
    [
        (8, 4, True),  # half of the words, and four
        (10, 6, False),  # four, but fewer than half
        (6, 3, False),  # half, but three
        (4, 0, True),
        (3, 0, False),
    ],
)
def test_a_set_of_few_words_or_under_half_of_them_cannot_tell(lists, gone, enough):
    rng = np.random.default_rng(lists)
    sets = {key: [f"{key}{n}" for n in range(12)] for key in "xyab"} | {"b": [f"b{n}" for n in range(lists)]}
    words = [word for side in sets.values() for word in side]
    signs = np.array([1 if word[0] in "xa" else -1 for word in words])
    rows = rng.normal(size=(len(words), 10)) * 0.2 + signs[:, None] * np.eye(10)[0]
    embedding = without(Embedding("few", words, rows.astype(np.float32)), sets["b"][:gone])
    row = weat(embedding, question(**sets))
    assert row.missing == tuple(sets["b"][:gone])
    if enough:
        assert row.outcome == ("cannot tell" if gone else "substantial")
        assert row.reason == ("frequency" if gone else None), "the frequencies of these words are not known"
        assert row.size_low > 0.1
    else:
        assert (row.outcome, row.reason) == ("cannot tell", "few words")
        assert (row.size, row.size_low, row.size_high) == (None, None, None)
        assert not row.found


def test_attributes_that_are_alike_cannot_tell():
    embedding = planted(strength=0.0)
    row = weat(embedding, question())
    assert (row.outcome, row.reason) == ("cannot tell", "attributes not distinguished")
    assert (row.size_low, row.size_high) == (None, None)


def framing(embedding):
    """Add the words of the frames to an embedding, so that sentences of a missing word have a vector too."""
    rng = np.random.default_rng(3)
    more = rng.normal(size=(len(FRAME_WORDS), embedding.dimension)).astype(np.float32)
    return Embedding("framed", [*embedding.words, *FRAME_WORDS], np.concatenate([embedding.vectors, more]))


def test_words_that_an_encoder_lacks_are_left_out_though_their_sentences_have_vectors():
    gone = ("rose", "gnat", "filth")
    embedding = framing(without(planted(strength=2.0), gone))
    encoder = open_encoder(embedding)
    assert encoder.encode(["This is rose."]).any()
    result = seat(embedding, question())
    left = question(**{key: [word for word in words if word not in gone] for key, words in SETS.items()})
    assert result.missing == gone
    assert (result.n_x, result.n_y, result.n_a, result.n_b) == (5, 5, 4, 4)
    assert fields_of(result) == fields_of(seat(embedding, left))
    assert "rose" not in {score.word for score in result.scores}


def test_an_encoder_that_lacks_most_words_of_a_set_cannot_tell_and_all_but_one_are_refused():
    few = framing(without(planted(strength=2.0), SETS["a"][:2]))
    row = seat(few, question())
    assert (row.outcome, row.reason) == ("cannot tell", "few words")
    with pytest.raises(VocabularyError) as refused:
        seat(framing(without(planted(), SETS["a"][:3])), question())
    assert refused.value.words == SETS["a"][:3]


def test_lists_that_are_not_matched_have_the_same_size_and_need_the_check_of_frequency():
    embedding = planted(strength=2.0)
    row, unmatched = weat(embedding, question()), weat(embedding, replace(question(), is_question=False))
    assert (unmatched.size, unmatched.size_low, unmatched.size_high) == (row.size, row.size_low, row.size_high)
    assert row.outcome in ("present", "substantial")
    assert (unmatched.outcome, unmatched.reason) == ("cannot tell", "frequency")
    assert (row.p_value, unmatched.p_value is None) == (None, False)
