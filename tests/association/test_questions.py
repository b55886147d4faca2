"""Questions: the answer is the direct formula's, the same in rows, and says which words it went without."""

from dataclasses import replace

import numpy as np
import pytest
from planted import SETS, planted
from scipy.stats import t as student

from imprint.association.questions import answer
from imprint.association.seat import seat
from imprint.association.weat import contrast_of, look_up, weat
from imprint.embeddings.embedding import Embedding
from imprint.encoders.universal import UniversalEncoder
from imprint.errors import VocabularyError
from imprint.significance.outcomes import outcome
from imprint.stimuli.catalog import get, questions
from imprint.stimuli.definition import WeatTest, WordSet, word_sets
from imprint.subjects.opening import open_encoder

FIELDS = ("size", "size_low", "size_high", "outcome", "reason", "unrelated")
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


@pytest.mark.parametrize("seed", range(4))
def test_an_answer_is_the_formulas(seed):
    counts = (30, 24, 19, 26)
    x, y, a, b = drawn(seed, counts)
    test = question(**{key: [f"{key}{n}" for n in range(count)] for key, count in zip("xyab", counts, strict=True)})
    kept = [words.words for words in word_sets(test).values()]
    answered = answer(test, kept, np.concatenate([x, y]), np.concatenate([a, b]), None)
    size, p_of = literal(x, y, a, b)
    sized = answered.sized
    assert sized.size.value == pytest.approx(size)
    assert sized.size.low < size < sized.size.high
    for end, beyond in ((sized.size.low, -1), (sized.size.high, 1)):
        assert p_of(end) == pytest.approx(0.005, rel=1e-6)
        assert p_of(end + 0.01 * beyond) < 0.005 < p_of(end - 0.01 * beyond)
    assert sized.judgement == outcome(sized.size.low, sized.size.high)
    assert sized.unrelated is None
    scores = np.concatenate([x, y]) @ (a.mean(axis=0) - b.mean(axis=0))
    assert answered.scores == pytest.approx(scores)
    assert answered.effect.mean_difference == pytest.approx(scores[: len(x)].mean() - scores[len(x) :].mean())
    assert answered.table.cosines == pytest.approx(np.concatenate([x, y]) @ np.concatenate([a, b]).T)


def test_turning_names_and_words_round_keeps_the_size_and_one_alone_its_sign():
    counts = (20, 20, 20, 20)
    test = question(**{key: [f"{key}{n}" for n in range(20)] for key in "xyab"})
    kept = [words.words for words in word_sets(test).values()]
    x, y, a, b = drawn(9, counts)

    def size_of(*sides):
        return answer(test, kept, np.concatenate(sides[:2]), np.concatenate(sides[2:]), None).sized.size

    size, both, names = size_of(x, y, a, b), size_of(y, x, b, a), size_of(y, x, a, b)
    assert (both.value, both.low, both.high) == pytest.approx((size.value, size.low, size.high))
    assert (names.value, names.low, names.high) == pytest.approx((-size.value, -size.high, -size.low))


def fields_of(sized):
    """Return what FIELDS are of a row."""
    size, judged = sized.size, sized.judgement
    return (size.value, size.low, size.high, judged.outcome, judged.reason, sized.unrelated)


@pytest.mark.parametrize("test", questions(), ids=lambda test: test.id)
def test_a_row_of_words_is_the_answer(bundled, test):
    rows = look_up(bundled, test)
    contrast = contrast_of(bundled, rows)
    kept = [side.words for side in rows.sets]
    sized = answer(test, kept, contrast.targets, contrast.attributes, bundled.background).sized
    row = weat("default", test.id).finding()
    assert tuple(getattr(row, name) for name in FIELDS) == fields_of(sized)
    assert sized.size.value == pytest.approx(literal(*split(contrast))[0])
    u, v = contrast.u, contrast.v
    terms = (u @ bundled.background.axes) * (v @ bundled.background.axes)
    distance = sum(u * v) / sized.size.value
    assert row.unrelated == pytest.approx(1.96 * bundled.background.misfit * np.sqrt(np.sum(terms**2)) / distance)
    assert row.is_question
    assert row.p_value is None
    assert row.found == (row.outcome in ("present", "substantial"))


def split(contrast):
    """Return the rows of the four sets."""
    targets, attributes = contrast.targets, contrast.attributes
    return (
        targets[: contrast.n_x],
        targets[contrast.n_x :],
        attributes[: contrast.n_a],
        attributes[contrast.n_a :],
    )


@pytest.mark.parametrize("name", ["gender-career", "asian-pleasant"])
def test_a_row_of_sentences_is_the_answer_for_the_mean_of_two_frames(name):
    encoder = UniversalEncoder()
    test = get(name)
    sides = []
    for words in word_sets(test).values():
        frames = [encoder.encode([frame.format(word=word) for word in words.words]) for frame in FRAMES]
        frames = [rows.astype(float) / np.linalg.norm(rows.astype(float), axis=1, keepdims=True) for rows in frames]
        sides.append(sum(frames) / 2)
    size, p_of = literal(*sides)
    result = seat("default-encoder", name)
    row = result.finding()
    assert row.size == pytest.approx(size)
    assert p_of(row.size_low) == pytest.approx(0.005, rel=1e-5)
    assert p_of(row.size_high) == pytest.approx(0.005, rel=1e-5)
    judged = outcome(row.size_low, row.size_high)
    assert (row.outcome, row.reason) == (judged.outcome, judged.reason)
    assert tuple(getattr(row, field) for field in FIELDS) == fields_of(result.sized)
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
    assert fields_of(result.sized) == fields_of(weat(embedding, left).sized)
    assert result.sized.size.low is not None


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
    row = weat(embedding, question(**sets)).finding()
    assert row.missing == tuple(sets["b"][:gone])
    if enough:
        assert row.outcome == "substantial"
        assert row.reason is None
        assert row.size_low > 0.1
    else:
        assert (row.outcome, row.reason) == ("cannot tell", "few words")
        assert (row.size, row.size_low, row.size_high) == (None, None, None)
        assert not row.found


def test_attributes_that_are_alike_cannot_tell():
    embedding = planted(strength=0.0)
    row = weat(embedding, question()).finding()
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
    assert fields_of(result.sized) == fields_of(seat(embedding, left).sized)
    assert "rose" not in result.scores


def test_an_encoder_that_lacks_most_words_of_a_set_cannot_tell_and_all_but_one_are_refused():
    few = framing(without(planted(strength=2.0), SETS["a"][:2]))
    row = seat(few, question()).finding()
    assert (row.outcome, row.reason) == ("cannot tell", "few words")
    with pytest.raises(VocabularyError) as refused:
        seat(framing(without(planted(), SETS["a"][:3])), question())
    assert refused.value.words == SETS["a"][:3]


def test_a_test_that_is_no_question_has_no_outcome():
    row = weat(planted(), replace(question(), is_question=False)).finding()
    assert (row.outcome, row.size, row.is_question) == (None, None, False)
    assert row.p_value is not None
