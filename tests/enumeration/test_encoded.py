"""A vocabulary through encoders: functions whose answer is known, the bundled embedding, the default encoder."""

import numpy as np
import pytest
from refusals import refuses

from imprint.encoders.base import FunctionEncoder
from imprint.encoders.cache import EncodingCache
from imprint.enumeration.enumerate import embed_vocabulary, enumerate_biases
from imprint.enumeration.problem import build_problem
from imprint.enumeration.settings import Settings
from imprint.enumeration.solution import problem_seeds
from imprint.errors import EncoderError, SettingError
from imprint.stimuli.names import first_names
from imprint.subjects.background import common_words, ranked_words
from imprint.subjects.framed import FRAMES, word_vectors
from imprint.subjects.opening import load, open_encoder

DIMENSION = 24
PEOPLE = first_names().names[:40]
COMMON = common_words().every(2).words
RANKED = ranked_words().every(2).words
NOTHING = np.zeros((3, DIMENSION))


def parted(text):
    """Return which frame a sentence is, and its word."""
    for number, frame in enumerate(FRAMES):
        before, after = frame.split("{word}")
        if text.startswith(before) and text.endswith(after):
            return number, text[len(before) : -len(after)]
    raise AssertionError(text)


def hashed(word):
    return np.random.default_rng([ord(letter) for letter in word]).normal(size=DIMENSION)


def encoder_of(vector, added=NOTHING):
    """Make an encoder whose sentences have the word's vector and what the frame adds."""

    def encode(texts):
        return np.array([vector(word) + added[number] for number, word in map(parted, texts)])

    return FunctionEncoder(encode)


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_a_bag_of_words_gives_the_words_own_vectors_less_the_mean_of_common_words():
    bundled = load("default")
    made = embed_vocabulary(bundled, words=300, names=PEOPLE)
    rows, common = (bundled.lookup(words).vectors.astype(np.float64) for words in (made.words, COMMON))
    np.testing.assert_allclose(made.unit[:], unit(rows - common.mean(axis=0)), atol=1e-4)


def test_a_words_vector_does_not_depend_on_the_other_words():
    encoder = encoder_of(hashed, np.random.default_rng(0).normal(size=(3, DIMENSION)))
    alone, among = word_vectors(encoder, ["nurse"]), word_vectors(encoder, ["rose", "nurse", *PEOPLE])
    np.testing.assert_allclose(alone.vectors[0], among.vectors[1], atol=1e-6)
    assert alone.sha256 == among.sha256 == encoder.identity
    assert len(alone.background.rows) == len(RANKED)


def test_an_embedding_stays_what_it_is():
    bundled = load("default")
    assert word_vectors(bundled, ["nurse"]) is bundled


def test_underscores_become_blanks():
    made = word_vectors(encoder_of(hashed), ["vice_chancellor", "vice chancellor"])
    assert made.words == ["vice_chancellor", "vice chancellor"]
    np.testing.assert_array_equal(*made.vectors)


def test_what_a_frame_adds_to_every_sentence_changes_nothing():
    added = 20 * np.random.default_rng(0).normal(size=(3, DIMENSION))
    encoders = (encoder_of(hashed), encoder_of(hashed, added))
    plain, framed = (embed_vocabulary(encoder, words=100, names=PEOPLE) for encoder in encoders)
    np.testing.assert_allclose(plain.vectors, framed.vectors, atol=1e-4)


def test_every_frame_counts_alike_however_long_its_vectors():
    def scaled(*factors):
        # Each frame shows another side of the word.
        return lambda texts: [factors[number] * hashed(f"{number}{word}") for number, word in map(parted, texts)]

    encoders = (scaled(1, 1, 1), scaled(1, 50, 0.02))
    even, uneven = (embed_vocabulary(encoder, words=100, names=PEOPLE) for encoder in encoders)
    np.testing.assert_allclose(even.vectors, uneven.vectors, atol=1e-5)


def test_names_have_capitals_and_words_the_ranks_and_flags_of_the_bundled_embedding():
    bundled = load("default")
    made = embed_vocabulary(encoder_of(hashed), words=200, names=[*PEOPLE, "Qwertzuia"])
    assert set(PEOPLE) <= set(made.words)
    for word, rank, common in zip(made.words, made.ranks, made.common, strict=True):
        row = bundled.index.get(word.lower())
        assert rank == (bundled.ranks.max() + 1 if row is None else bundled.ranks[row])
        assert common == word.islower()
    assert made.name == "encode (in sentences)"
    assert "This is {word}." in made.notes[0]
    assert "pooling the function's own" in made.notes[0]


def test_as_many_words_as_asked_are_left_beside_the_names():
    # All of these are common words too, and every one of them stays a name.
    people = ("Said", "An", "My", "Long", "Season", "Young", "Story", "Race")
    made = embed_vocabulary(encoder_of(hashed), words=300, names=people)
    asked = {"groups": 2, "categories": 3, "words": 300, "copies": 1, "repeats": 0, "cleaning": "none"}
    found = enumerate_biases(made, names=people, **asked)
    settings = Settings(**asked)
    assert len(build_problem(made, people, settings, problem_seeds(settings)).rows) == 300
    assert {"said", "an", "my"} <= set(made.words)
    assert not {word for cell in found.cells for word in cell.words} & {name.lower() for name in people}


def test_names_the_encoder_does_not_know_are_missing_and_not_made_up():
    made = embed_vocabulary(load("default"), words=100, names=[*PEOPLE, "Qwertzuia"])
    assert "Qwertzuia" not in made.words
    found = enumerate_biases(
        made, names=[*PEOPLE, "Qwertzuia"], groups=2, categories=2, words=100, copies=1, repeats=0
    )
    assert found.names_missing == ("Qwertzuia",)


def test_a_planted_bias_is_found_and_nothing_else():
    rng = np.random.default_rng(1)
    axes = np.linalg.qr(rng.normal(size=(DIMENSION, DIMENSION)))[0]
    table = first_names()
    people = {name: table.share_women[table.index[name]] > 0.5 for name in table.names[:100]}
    planted = {"family": 1, "home": 1, "school": 1, "army": -1, "war": -1, "oil": -1}

    def vector(word):
        noise = 0.3 * hashed(word) / np.sqrt(DIMENSION)
        if word in people:
            return axes[0] + (axes[1] if people[word] else -axes[1]) + noise
        return axes[3] + planted.get(word, 0) * axes[1] + noise

    made = embed_vocabulary(encoder_of(vector, 9 * axes[4:7]), words=500, names=tuple(people))
    found = enumerate_biases(
        made, names=tuple(people), groups=2, categories=1, words=500, method="paper", rotations=199
    )
    assert {frozenset(cell.words) for cell in found.standing_out} == {
        frozenset(word for word, side in planted.items() if side == wanted) for wanted in (1, -1)
    }
    for names in found.names.values():
        assert len({people[name] for name in names}) == 1
    assert found.overview.embedding_notes == made.notes


@pytest.mark.slow
def test_the_default_encoder_sets_the_names_of_women_and_men_apart():
    table = first_names()
    sides = [table.names[row] for row in np.flatnonzero((table.share_women > 0.99) | (table.share_women < 0.01))[:160]]
    made = embed_vocabulary(open_encoder("default"), words=400, names=sides)
    found = enumerate_biases(made, names=sides, groups=2, categories=8, words=400, copies=100, repeats=0)
    shares = [np.mean([table.share_women[table.index[name]] for name in names]) for names in found.names.values()]
    assert max(shares) - min(shares) > 0.5
    assert found.overview.embedding == "USE multilingual v3 (in sentences)"
    assert found.standing_out


def test_a_second_time_nothing_is_encoded(tmp_path):
    asked = []

    def embed(texts):
        asked.extend(texts)
        return [hashed(parted(text)[1]) for text in texts]

    encoder = FunctionEncoder(embed, identity="1")
    with EncodingCache(tmp_path / "kept.sqlite") as cache:
        first, again = (embed_vocabulary(encoder, words=50, names=PEOPLE, cache=cache) for _ in range(2))
    assert len(asked) == len(set(asked)) == 3 * len({*first.words, *COMMON, *RANKED})
    assert first.vectors.tobytes() == again.vectors.tobytes()


def test_an_encoder_that_tells_frames_but_not_words_apart_is_refused():
    rounded = lambda word: 1 / 3 + 1e-7 * hashed(word)  # noqa: E731
    encoder = encoder_of(rounded, np.random.default_rng(0).normal(size=(3, DIMENSION)))
    with refuses(EncoderError, "'This is {word}.'", where=encoder.name):
        embed_vocabulary(encoder, words=50, names=PEOPLE)


@pytest.mark.parametrize(("option", "value"), [("words", 0), ("names", "embedding")])
def test_what_cannot_be_asked_of_an_encoder_is_refused(option, value):
    with refuses(SettingError, option=option, got=value):
        embed_vocabulary(encoder_of(hashed), **{option: value})
