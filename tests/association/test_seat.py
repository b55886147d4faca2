"""SEAT against a literal, slow one, and what must not change it."""

import math
from collections import defaultdict
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from fields import splits, values
from refusals import refuses
from scipy.stats import norm

from imprint.association.rows import SeatRow
from imprint.association.seat import AskedEncoder, in_sentences, measure, seat
from imprint.association.seat_battery import run_seat_battery
from imprint.association.weat import weat
from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import FunctionEncoder
from imprint.encoders.cache import EncodingCache
from imprint.encoders.universal import UniversalEncoder
from imprint.errors import EncoderError, SettingError, StimulusError, VocabularyError
from imprint.significance.partitions import permutation_test
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import WeatTest, WordSet
from imprint.stimuli.templates import Templates, bundled_templates, sentences
from imprint.subjects.background import FramedWords
from imprint.subjects.opening import open_encoder

UNITS = ("word", "sentence")
# Kinds with different numbers of templates: names have three, nouns two, adjectives three, verbs one.
TEMPLATES = Templates(
    "en",
    {
        "name": ("This is {word}.", "{word} is here.", "We met {word}."),
        "mass noun": ("This is {word}.", "It is {word}."),
        "adjective": ("This is {word}.", "They are {word}.", "How {word}!"),
        "verb": ("They {word}.",),
    },
)
BLEACHED = {"context": "bleached", "templates": TEMPLATES}
TEST = WeatTest(
    "made",
    "made",
    "made here",
    "en",
    WordSet("X", ("Ada", "salt", "Cid"), ("name", "mass noun", "name")),
    WordSet("Y", ("ink", "Eve"), ("mass noun", "name")),
    WordSet("A", ("calm", "sing", "kind"), ("adjective", "verb", "adjective")),
    WordSet("B", ("harsh", "shout"), ("adjective", "verb")),
)


def speaking(seed, turn=None, scale=None):
    """Return an encoder that gives every text a direction of its own, in a space that may be turned or stretched."""

    def speak(texts):
        rows = np.array([np.random.default_rng([seed, *text.encode()]).normal(size=8) for text in texts])
        rows = rows.astype(np.float32)
        if scale is not None:
            rows *= np.array([[scale(text)] for text in texts], dtype=np.float32)
        return rows if turn is None else rows.astype(float) @ turn

    return speak


def by_word_alone(texts):
    """Give a sentence the direction of the word of TEST in it, whatever stands around it."""
    words = [word for side in (TEST.x, TEST.y, TEST.a, TEST.b) for word in side.words]
    return speaking(5)([next((word for word in words if word.lower() in text.lower()), text) for text in texts])


def literal(encode, test, unit, templates=TEMPLATES, context="bleached"):
    """SEAT as the paper's section 2 writes it (sentences), and of means within words: slow, in ordinary float64."""
    sides = sentences(test, context, templates)
    # All at once, as a model's vector of a text may hang, in its last bits, on the texts it comes with.
    texts = list(dict.fromkeys(in_sentences(test, context, templates).asked))
    rows = np.asarray(encode(texts)).astype(float)
    unit_rows = dict(zip(texts, rows / np.linalg.norm(rows, axis=1, keepdims=True), strict=True))

    def cosine(one, other):
        """The mean cosine of two lists of texts: of one text each where sentences are the unit."""
        return np.mean([unit_rows[t] @ unit_rows[u] for t in one for u in other])

    items = {}
    for key, side in sides.items():
        groups = defaultdict(list)
        for number, sentence in enumerate(side):
            groups[sentence.word if unit == "word" else number].append(sentence.text)
        items[key] = list(groups.values())

    def s(item):
        return np.mean([cosine(item, a) for a in items["a"]]) - np.mean([cosine(item, b) for b in items["b"]])

    x, y = ([s(item) for item in items[key]] for key in "xy")
    pool = np.array(x + y)
    chosen = np.array(list(combinations(range(len(pool)), len(x))))
    sums = pool[chosen].sum(axis=1)
    return {
        "effect_size": (np.mean(x) - np.mean(y)) / np.std(pool, ddof=1),
        "statistic": sum(x) - sum(y),
        "mean_difference": np.mean(x) - np.mean(y),
        "extreme": int((sums >= sum(x) - 1e-12).sum()),
        "partitions": len(chosen),
        "n": tuple(len(items[key]) for key in "xyab"),
    }


def assert_is(result, expected):
    assert result.effect_size == pytest.approx(expected["effect_size"], abs=1e-12)
    assert result.statistic == pytest.approx(expected["statistic"], abs=1e-12)
    assert result.mean_difference == pytest.approx(expected["mean_difference"], abs=1e-12)
    assert (result.extreme, result.partitions) == (str(expected["extreme"]), str(expected["partitions"]))
    assert (result.n_x, result.n_y, result.n_a, result.n_b) == expected["n"]


@pytest.fixture(scope="module")
def universal():
    return UniversalEncoder()


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("seed", range(4))
def test_every_number_is_the_literal_ones(unit, seed):
    encode = speaking(seed)
    assert_is(seat(encode, TEST, unit=unit, **BLEACHED), literal(encode, TEST, unit))


@pytest.mark.parametrize("unit", UNITS)
def test_every_number_is_the_literal_ones_on_the_default_encoder(universal, unit):
    result = seat(universal, TEST, unit=unit, **BLEACHED)
    assert_is(result, literal(universal.encode, TEST, unit))


@pytest.mark.parametrize(
    ("identifier", "context"),
    [("caliskan-7", "word"), ("caliskan-6", "bleached"), ("seat-double-bind-competent", "unbleached")],
)
def test_catalogue_tests_by_words_are_the_literal_ones_on_the_default_encoder(universal, identifier, context):
    result = seat(universal, identifier, context=context)
    assert_is(result, literal(universal.encode, get(identifier), "word", None, context))


@pytest.mark.parametrize("number", range(1, 11))
def test_single_words_of_an_embedding_are_a_weat_to_the_bit(bundled, number):
    expected, result = weat(bundled, f"caliskan-{number}"), seat(bundled, f"caliskan-{number}", context="word")
    assert splits(result) == splits(expected)
    assert result.effect_size == expected.effect_size
    assert result.statistic == expected.statistic
    assert result.mean_difference == expected.mean_difference
    assert result.d_within == expected.d_within
    assert result.missing == expected.missing
    assert result.scores == expected.scores
    assert (result.n_x, result.n_y, result.n_a, result.n_b) == (
        expected.n_x,
        expected.n_y,
        expected.n_a,
        expected.n_b,
    )


@pytest.mark.parametrize("unit", UNITS)
def test_swapping_targets_or_attributes_negates_the_effect(unit):
    def effect(**changes):
        return seat(speaking(1), replace(TEST, **changes), unit=unit, **BLEACHED).effect_size

    assert effect(x=TEST.y, y=TEST.x) == -effect()
    assert effect(a=TEST.b, b=TEST.a) == -effect()
    assert effect(x=TEST.y, y=TEST.x, a=TEST.b, b=TEST.a) == effect() != 0


@pytest.mark.parametrize("unit", UNITS)
def test_scaling_rows_by_powers_of_two_changes_nothing_at_all(unit):
    scaled = speaking(2, scale=lambda text: 2.0 ** (len(text) % 7 - 3))
    one, other = (seat(encode, TEST, unit=unit, **BLEACHED) for encode in (speaking(2), scaled))
    assert one.scores == other.scores
    assert splits(one) == splits(other)


@pytest.mark.parametrize("unit", UNITS)
def test_turning_the_space_changes_nothing_but_rounding(unit):
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(8, 8)))[0]
    one, other = (seat(e, TEST, unit=unit, **BLEACHED) for e in (speaking(2), speaking(2, turn)))
    assert values(one.scores) == pytest.approx(values(other.scores), abs=1e-6)
    assert one.effect_size == pytest.approx(other.effect_size, abs=1e-5)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("seed", range(3))
def test_neither_the_order_of_words_nor_of_templates_matters(unit, seed):
    rng = np.random.default_rng(seed)

    def shuffled(words):
        return words.subset(rng.permutation(words.words).tolist())

    test = replace(TEST, **{key: shuffled(getattr(TEST, key)) for key in "xyab"})
    by_kind = {kind: tuple(rng.permutation(patterns).tolist()) for kind, patterns in TEMPLATES.by_kind.items()}
    one = seat(speaking(4), TEST, unit=unit, **BLEACHED)
    other = seat(speaking(4), test, unit=unit, context="bleached", templates=Templates("en", by_kind))
    assert one.effect_size == pytest.approx(other.effect_size, abs=1e-12)
    assert splits(one) == splits(other)
    assert values(one.scores).keys() == values(other.scores).keys()


def test_templates_that_say_nothing_new_change_nothing_by_words_and_p_by_sentences():
    doubled = Templates(
        "en", {kind: (*patterns, *(f"Oh: {p}" for p in patterns)) for kind, patterns in TEMPLATES.by_kind.items()}
    )

    def deaf(texts):
        return speaking(6)([(text.removeprefix("Oh: ")[:1].upper() + text.removeprefix("Oh: ")[1:]) for text in texts])

    once, twice = (seat(deaf, TEST, context="bleached", templates=templates) for templates in (TEMPLATES, doubled))
    assert twice.texts == 2 * once.texts
    assert twice.effect_size == pytest.approx(once.effect_size, abs=1e-12)
    assert splits(twice) == splits(once)
    once, twice = (
        seat(deaf, TEST, unit="sentence", context="bleached", templates=templates)
        for templates in (TEMPLATES, doubled)
    )
    assert twice.mean_difference == pytest.approx(once.mean_difference, abs=1e-12)
    assert int(twice.partitions) > int(once.partitions)
    assert abs(twice.p_value - 0.5) > abs(once.p_value - 0.5)


def test_with_as_many_templates_for_every_word_the_units_share_their_mean_difference():
    equal = Templates("en", dict.fromkeys(TEMPLATES.by_kind, ("This is {word}.", "They say {word}.")))
    words, by_sentences = (seat(speaking(7), TEST, unit=unit, context="bleached", templates=equal) for unit in UNITS)
    assert words.mean_difference == pytest.approx(by_sentences.mean_difference, abs=1e-12)
    assert words.effect_size != by_sentences.effect_size


def test_a_word_with_more_templates_weighs_more_among_sentences_and_not_among_words():
    alone = weat(
        Embedding("alone", *_rows(TEST)),
        targets=(TEST.x.words, TEST.y.words),
        attributes=(TEST.a.words, TEST.b.words),
    )
    words, by_sentences = (seat(by_word_alone, TEST, unit=unit, **BLEACHED) for unit in UNITS)
    assert words.effect_size == pytest.approx(alone.effect_size, abs=1e-12)
    assert splits(words) == splits(alone)

    counts = {
        word: len(TEMPLATES.by_kind[kind])
        for side in (TEST.x, TEST.y, TEST.a, TEST.b)
        for word, kind in zip(side.words, side.kinds, strict=True)
    }
    rows = dict(zip(*_rows(TEST), strict=True))

    def cosine(one, other):
        u, v = rows[one].astype(float), rows[other].astype(float)
        return u @ v / np.linalg.norm(u) / np.linalg.norm(v)

    def weighted(values, words):
        return np.average(list(values), weights=[counts[word] for word in words])

    def s(word):
        to_a, to_b = (weighted((cosine(word, w) for w in side.words), side.words) for side in (TEST.a, TEST.b))
        return to_a - to_b

    x, y = (weighted((s(word) for word in side.words), side.words) for side in (TEST.x, TEST.y))
    assert by_sentences.mean_difference == pytest.approx(x - y, abs=1e-12)
    assert abs(by_sentences.mean_difference - words.mean_difference) > 0.01


def _rows(test):
    words = [word for side in (test.x, test.y, test.a, test.b) for word in side.words]
    return words, np.asarray(by_word_alone(words), dtype=np.float32)


def test_a_users_words_need_no_templates():
    test = replace(TEST, **{key: WordSet.of(key, getattr(TEST, key).words) for key in "xyab"})
    result = seat(speaking(8), test, unit="sentence", context="bleached")
    assert result.n_x == 3 * len(bundled_templates().by_kind["unknown"])
    assert_is(result, literal(speaking(8), test, "sentence", None))


def test_words_missing_from_an_embedding_leave_the_sentences_and_are_told(embedding, targets, attributes):
    sets = [WordSet.of(name, words) for name, words in zip("XYAB", (*targets, *attributes), strict=True)]
    test = WeatTest("made", "made", "made here", "en", *sets)
    wider = replace(test, x=WordSet.of("X", (*targets[0], "orchid")), b=WordSet.of("B", (*attributes[1], "vomit")))
    one, other = (seat(embedding, each, context="bleached") for each in (test, wider))
    assert other.missing == ("orchid", "vomit")
    assert splits(other) == splits(one)
    with refuses(VocabularyError, where="X", words=("orchid", "peony")):
        seat(embedding, replace(test, x=WordSet.of("X", ("rose", "orchid", "peony"))))


def test_targets_all_alike_have_no_effect_and_neither_have_parts_of_the_test():
    attributes = (*TEST.a.words, *TEST.b.words)

    def flat(texts):
        return speaking(9)([text if any(word in text for word in attributes) else "" for text in texts])

    result = seat(flat, TEST, **BLEACHED)
    assert (result.effect_size, result.effect_centred, result.p_value) == (None, None, 1)
    assert result.effect_without_word == result.effect_by_template == result.effect_without_template == ()
    assert result.to_dict()["effect_size"] is None


def test_centring_takes_the_mean_of_the_distinct_texts_off():
    encode = speaking(10)
    texts = sorted({s.text for side in sentences(TEST, "bleached", TEMPLATES).values() for s in side})
    centre = np.mean(encode(texts), axis=0, dtype=float)

    def centred(texts):
        return np.asarray(encode(texts)).astype(float) - centre

    result = seat(encode, TEST, **BLEACHED)
    assert result.effect_centred == pytest.approx(literal(centred, TEST, "word")["effect_size"], abs=1e-5)
    assert abs(result.effect_centred - result.effect_size) > 1e-3


def test_an_offset_common_to_all_vectors_is_gone_after_centring():
    def lifted(texts):
        return np.asarray(speaking(11)(texts)) + 1000 * np.eye(8)[0]

    plain, high = (seat(encode, TEST, **BLEACHED) for encode in (speaking(11), lifted))
    assert high.effect_centred == pytest.approx(plain.effect_centred, abs=1e-3)
    assert abs(high.effect_size - plain.effect_size) > 0.05


@pytest.mark.parametrize("unit", UNITS)
def test_one_unit_asked_for_is_the_same_as_one_of_both(unit):
    encoder = FunctionEncoder(speaking(12))
    for context, test in (("bleached", TEST), ("word", TEST), ("unbleached", get("seat-double-bind-competent"))):
        question = in_sentences(test, context, TEMPLATES)
        both = measure(question, AskedEncoder.of(encoder, [question]))
        assert both.keys() == {*UNITS}
        assert both[unit].row == seat(encoder, test, unit=unit, context=context, templates=TEMPLATES)
        assert (both[unit].words, both[unit].row.outcome) == (None, None)  # words differ in their sentences


@pytest.mark.parametrize("context", ["framed", "bleached"])
def test_every_text_is_encoded_once_and_never_again_with_a_cache(tmp_path, context):
    asked = []

    def counted(texts):
        asked.extend(texts)
        return speaking(13)(texts)

    encoder = FunctionEncoder(counted, identity="1")
    with EncodingCache(tmp_path / "cache") as cache:
        one, other = (seat(encoder, TEST, context=context, templates=TEMPLATES, cache=cache) for _ in range(2))
    assert one == other
    question = in_sentences(TEST, context, TEMPLATES)
    beside = FramedWords().texts() if context == "framed" else question.frames
    assert sorted(asked) == sorted({*question.texts, *beside})


def framed_rows(encode, test):
    """Return the mean of the unit vectors of each word in two frames, set by set."""
    frames = ("This is {}.", "Here is {}.")
    sets = []
    for side in (test.x, test.y, test.a, test.b):
        rows = np.array([encode([frame.format(word) for word in side.words]) for frame in frames], dtype=float)
        sets.append((rows / np.linalg.norm(rows, axis=2, keepdims=True)).mean(axis=0))
    return sets


def test_words_in_frames_are_a_weat_of_their_mean_vectors(universal):
    test = get("caliskan-6")
    result = seat(universal, test)
    x, y, a, b = framed_rows(universal.encode, test)
    distance = np.sum((a.mean(axis=0) - b.mean(axis=0)) ** 2)
    distance -= sum(np.var(rows, axis=0, ddof=1).sum() / len(rows) for rows in (a, b))
    difference = (x.mean(axis=0) - y.mean(axis=0)) @ (a.mean(axis=0) - b.mean(axis=0))
    assert result.mean_difference == pytest.approx(difference, abs=1e-6)
    assert result.size == pytest.approx(difference / distance, abs=1e-5)
    scores = np.concatenate([x, y]) @ (a.mean(axis=0) - b.mean(axis=0))
    assert list(values(result.scores).values()) == pytest.approx(scores, abs=1e-6)
    assert list(values(result.size_by_frame)) == ["This is {word}.", "Here is {word}."]
    assert min(values(result.size_by_frame).values()) < result.size < max(values(result.size_by_frame).values())
    assert (result.context, result.unit, result.texts) == ("framed", "word", 2 * 32)
    assert 0 < result.p_frequency <= 1


def test_a_question_has_no_p_value_and_a_test_has_one():
    encoder = speaking(18)
    assert seat(encoder, "gender-science").p_value is None
    assert seat(encoder, "caliskan-8").p_value is not None


def test_sentences_are_no_unit_of_words_in_frames():
    with refuses(SettingError, option="unit", got="sentence", where="made"):
        seat(speaking(0), TEST, unit="sentence")


def test_bleached_sentences_have_d_and_no_size():
    assert "d = " in repr(seat(speaking(14), TEST, **BLEACHED))
    by_sentences = seat(speaking(14), TEST, **BLEACHED, unit="sentence")
    assert (by_sentences.effect_label, by_sentences.size) == ("d", None)


@pytest.mark.parametrize(
    ("options", "error", "fields"),
    [
        ({"unit": "letter"}, SettingError, {"option": "unit", "got": "letter"}),
        ({"context": "boiled"}, SettingError, {"option": "context", "got": "boiled"}),
        ({"context": "unbleached"}, StimulusError, {"where": "test 'made'"}),
        ({"alternative": "more"}, SettingError, {"option": "alternative", "got": "more"}),
    ],
)
def test_calls_that_make_no_sense_are_refused(options, error, fields):
    with refuses(error, **fields):
        seat(speaking(0), TEST, **options)


def test_what_is_no_encoder_is_refused():
    with refuses(SettingError, "int"):
        seat(3, TEST)
    with refuses(EncoderError, "31 texts"):
        seat(lambda texts: np.ones((len(texts), 3)), TEST, **BLEACHED)


@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_wider_bounds_on_p_overlap_the_usual_ones_and_are_as_wide_as_asked(alternative):
    rng = np.random.default_rng(0)
    x, y = rng.normal(0.2, 1, 120), rng.normal(0, 1, 120)
    usual, wide = (permutation_test(x, y, alternative=alternative, width=width) for width in (None, 0.1))
    assert wide.p_low <= wide.p_value == wide.p_high
    assert max(usual.p_low, wide.p_low) <= min(usual.p_high, wide.p_high)
    assert wide.p_high - wide.p_low <= 0.1 * wide.p_high * (1 + 1e-12)
    assert usual.p_high - usual.p_low <= wide.p_high - wide.p_low


@pytest.mark.parametrize(("standard_errors", "below"), [(2.0, False), (2.7, True)])
def test_bounds_for_seven_hundred_sentences_decide_against_a_hundredth(standard_errors, below):
    scores = norm.ppf((np.arange(350) + 0.5) / 350)
    p = permutation_test(scores + standard_errors * math.sqrt(2 / 350), scores, width=0.1)
    assert p.p_method == "certified"
    assert p.p_high - p.p_low <= 0.1 * p.p_high
    assert (p.p_high < 0.01, p.p_low > 0.01) == (below, not below)


def test_frames_are_the_test_of_an_encoder_that_hears_no_word():
    mixed = replace(TEST, x=TEST.x.subset(("Ada", "Cid")), y=TEST.y.subset(("ink", "Eve")))
    result = seat(speaking(15), mixed, **BLEACHED)
    without_words = {
        sentence.text: sentence.frame for side in sentences(mixed, "bleached", TEMPLATES).values() for sentence in side
    }
    heard = seat(lambda texts: speaking(15)([without_words.get(t, t) for t in texts]), mixed, **BLEACHED)
    assert (result.difference_of_frames, result.p_of_frames) == (heard.mean_difference, heard.p_value)
    assert result.share_of_frames == heard.mean_difference / result.mean_difference


def test_frames_of_adjectives_against_nouns_give_a_third_of_the_difference():
    encoder, sides = open_encoder("default"), sentences(get("caliskan-9"), "bleached")

    def mean_difference(part):
        units = {}
        for side, some in sides.items():
            for sentence, row in zip(some, encoder.embed([getattr(one, part) for one in some]), strict=True):
                units.setdefault((side, sentence.word), []).append(row / np.linalg.norm(row))
        means = {word: np.mean(rows, axis=0, dtype=float) for word, rows in units.items()}
        x, y, a, b = (np.mean([row for (side, _), row in means.items() if side == one], axis=0) for one in "xyab")
        return (x - y) @ (a - b)

    share = seat(encoder, "caliskan-9", context="bleached").share_of_frames
    assert share == pytest.approx(mean_difference("frame") / mean_difference("text"), rel=1e-4)
    assert share == pytest.approx(0.362, abs=0.001)


def test_words_that_all_stand_in_the_same_sentences_have_no_frames_to_compare():
    alike = replace(TEST, x=TEST.x.subset(("Ada", "Cid")), y=WordSet.of("Y", ("Eve", "Flo"), "name"))
    assert seat(speaking(16), alike, **BLEACHED).p_of_frames is None
    assert seat(speaking(16), TEST, context="word").p_of_frames is None


@pytest.mark.slow
def test_too_many_sentences_to_count_leave_the_words():
    many = Templates("en", {"name": tuple(f"{n} is {{word}}." for n in range(300)), "adjective": ("{word}.",)})
    test = WeatTest(
        "many",
        "many",
        "made here",
        "en",
        WordSet.of("X", ("Ada", "Cid"), "name"),
        WordSet.of("Y", ("Eve", "Flo"), "name"),
        WordSet.of("A", ("calm", "kind"), "adjective"),
        WordSet.of("B", ("harsh", "mean"), "adjective"),
    )
    assert seat(speaking(17), test, templates=many, context="bleached").partitions == "6"
    with refuses(SettingError, "600 and 600"):
        seat(speaking(17), test, templates=many, context="bleached", unit="sentence")
    battery = run_seat_battery([speaking(17)], [test], templates=many)
    assert [(row.context, row.unit) for row in battery.of(SeatRow)] == [
        ("framed", "word"),
        ("word", "word"),
        ("word", "sentence"),
        ("bleached", "word"),
    ]
    assert [row.reason for row in battery.skipped] == [
        "600 and 600 bleached sentences have too many partitions to count; the test by words was run"
    ]
