"""What an effect hangs on, against running the test again without it."""

import math
from dataclasses import replace

import numpy as np
import pytest
from fields import values

from imprint.association.seat import seat
from imprint.association.sensitivity import flips, mean_cosine
from imprint.stimuli.definition import WeatTest, WordSet
from imprint.stimuli.templates import Templates

# "This is {word}." is a template of targets and of attributes; one word is a target and an attribute.
TEMPLATES = Templates(
    "en",
    {
        "name": ("This is {word}.", "{word} is here.", "We met {word}."),
        "mass noun": ("This is {word}.", "It is {word}."),
        "adjective": ("This is {word}.", "They are {word}.", "How {word}!"),
        "verb": ("They {word}.",),
    },
)
TARGETS = ("name", "mass noun")
TEST = WeatTest(
    "made",
    "made",
    "made here",
    "en",
    WordSet("X", ("Ada", "salt", "Cid"), ("name", "mass noun", "name")),
    WordSet("Y", ("ink", "Eve", "Flo"), ("mass noun", "name", "name")),
    WordSet("A", ("calm", "sing", "kind"), ("adjective", "verb", "adjective")),
    WordSet("B", ("harsh", "shout", "Ada"), ("adjective", "verb", "adjective")),
)

NAMES = replace(TEST, x=TEST.x.subset(("Ada", "Cid")), y=TEST.y.subset(("Eve", "Flo")))


def bleached(encoder, test, templates=TEMPLATES):
    return seat(encoder, test, context="bleached", templates=templates)


def speaking(seed):
    return lambda texts: [np.random.default_rng([seed, *text.encode()]).normal(size=8) for text in texts]


def without_pattern(pattern):
    by_kind = {kind: tuple(p for p in patterns if p != pattern) for kind, patterns in TEMPLATES.by_kind.items()}
    return Templates("en", by_kind)


def of_targets_alone(pattern):
    by_kind = {kind: tuple(p for p in TEMPLATES.by_kind[kind] if p == pattern) for kind in TARGETS}
    return Templates("en", {**TEMPLATES.by_kind, **by_kind})


@pytest.mark.parametrize("seed", range(3))
def test_without_a_template_is_a_test_that_never_had_it(seed):
    parts = bleached(speaking(seed), TEST)
    patterns = {pattern for of_kind in TEMPLATES.by_kind.values() for pattern in of_kind}
    # A word's only template stays: verbs have no other.
    whole = bleached(speaking(seed), TEST).effect_size
    expected = {
        p: whole if p == "They {word}." else bleached(speaking(seed), TEST, without_pattern(p)).effect_size
        for p in patterns
    }
    assert values(parts.effect_without_template) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_a_template_alone_is_of_the_targets_against_all_attributes(seed):
    for test, patterns in ((TEST, TEMPLATES.by_kind["name"][:1]), (NAMES, TEMPLATES.by_kind["name"])):
        # Two nouns of TEST have one of the names' templates: the others would compare other words.
        parts = bleached(speaking(seed), test)
        expected = {
            pattern: bleached(speaking(seed), test, of_targets_alone(pattern)).effect_size for pattern in patterns
        }
        assert values(parts.effect_by_template) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_without_a_word_is_a_test_that_never_had_it(seed):
    parts = bleached(speaking(seed), TEST)

    def without(word):
        sets = {key: getattr(TEST, key) for key in "xyab"}
        return replace(TEST, **{key: one.subset(w for w in one.words if w != word) for key, one in sets.items()})

    words = dict.fromkeys(TEST.x.words + TEST.y.words + TEST.a.words + TEST.b.words)
    expected = {word: bleached(speaking(seed), without(word)).effect_size for word in words}
    assert values(parts.effect_without_word) == pytest.approx(expected, abs=1e-12)


def test_a_part_that_leaves_fewer_than_two_words_has_no_effect():
    test = replace(TEST, y=TEST.y.subset(("ink", "Eve")))
    parts = bleached(speaking(0), test)
    assert set(values(parts.effect_without_word)) == {"Ada", "salt", "Cid", *test.a.words, *test.b.words}
    assert set(values(parts.effect_by_template)) == {"This is {word}."}


def test_single_words_have_no_templates_to_hang_on():
    parts = seat(speaking(0), TEST, context="word")
    assert parts.effect_by_template == ()
    assert parts.effect_without_template == ()
    assert len(parts.effect_without_word) == 11


def test_a_planted_template_is_the_one_that_turns_the_sign():
    def turning(texts):
        """X leans towards A and Y towards B, except where they are met."""
        rows = []
        for text in texts:
            for_a = any(word in text for word in ("Cid", "Ada", "salt", "calm", "sing", "kind"))
            sign = (1 if for_a else -1) * (-1 if "met" in text else 1)
            rows.append(np.random.default_rng([*text.encode()]).normal(scale=0.05, size=8) + sign * np.eye(8)[0])
        return rows

    test = replace(NAMES, b=TEST.b.subset(("harsh", "shout")))
    result = bleached(turning, test)
    assert result.effect_size > 0
    assert result.flips == ("template 'We met {word}.' alone",)


def test_flips_name_every_part_of_the_other_sign_and_no_other():
    parts = {"one": 0.1, "two": -0.1}, {"three": -0.2, "four": 0.0}, {"five": -1e-9, "six": 2.0}
    assert flips(1.0, *parts) == ("template 'two' alone", "without template 'three'", "without the word 'five'")
    assert flips(-1.0, *parts) == ("template 'one' alone", "without the word 'six'")
    assert flips(0.0, *parts) == flips(math.nan, *parts) == ()


@pytest.mark.parametrize("seed", range(3))
def test_the_mean_cosine_is_that_of_all_pairs(seed):
    rng = np.random.default_rng(seed)
    rows = (rng.normal(size=(9, 5)) + seed).astype(np.float32)
    rows[4] = 0  # has no direction
    unit = [row.astype(float) / np.linalg.norm(row.astype(float)) for row in rows if row.any()]
    pairs = [unit[i] @ unit[j] for i in range(8) for j in range(8) if i != j]
    assert mean_cosine(rows) == pytest.approx(np.mean(pairs), abs=1e-12)


def test_the_mean_cosine_tells_evenly_spread_from_all_alike():
    assert mean_cosine(np.concatenate([np.eye(4), -np.eye(4)]).astype(np.float32)) == pytest.approx(-1 / 7)
    assert mean_cosine(np.tile(np.float32([1, 2, 3]), (5, 1))) == pytest.approx(1)
    assert math.isnan(mean_cosine(np.eye(1, 3, dtype=np.float32)))
