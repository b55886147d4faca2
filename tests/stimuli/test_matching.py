"""Matching keeps equally many words of both lists per cell, and as many as it can."""

from collections import Counter
from dataclasses import replace
from functools import reduce
from operator import and_

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from imprint.errors import StimulusError
from imprint.stimuli.catalog import get, read_tests
from imprint.stimuli.definition import Unbleached, WeatTest, WordSet
from imprint.stimuli.matching import match, match_tests, match_words, octave
from imprint.stimuli.parsing import write_tests

CELLS = st.lists(st.integers(0, 4), max_size=40)


def words_in(cells, side):
    names = [f"{side}{number}" for number in range(len(cells))]
    return dict(zip(names, cells, strict=True))


@given(st.lists(CELLS, min_size=2, max_size=4), st.integers(0, 30), st.integers(0, 3))
def test_matching_agrees_with_counting(sides, most, seed):
    lists = [words_in(side, "lrst"[number]) for number, side in enumerate(sides)]
    cells = {word: cell for side in lists for word, cell in side.items()}
    kept = match_words(
        [tuple(side) for side in lists], lambda word: (cells[word],), most=most, stream=np.random.SeedSequence(seed)
    )
    first, *others = [Counter(cells[word] for word in side) for side in kept]
    possible = reduce(and_, (Counter(side.values()) for side in lists))
    assert all(other == first for other in others)
    assert first <= possible
    assert first.total() == min(most, possible.total())
    for words, chosen in zip(lists, kept, strict=True):
        assert [word for word in words if word in chosen] == list(chosen)
    if possible.total() > most:
        # each cell gives its share, rounded down or up
        for cell, count in possible.items():
            assert abs(first[cell] - most * count / possible.total()) < 1


@given(CELLS, st.permutations(range(40)), st.integers(0, 3))
def test_the_order_of_the_lists_does_not_decide(cells, order, seed):
    left, right = words_in(cells, "l"), words_in(cells[::2], "r")
    both = left | right

    def kept(words):
        stream = np.random.SeedSequence(seed)
        return match_words((words, tuple(right)), lambda word: (both[word],), most=5, stream=stream)

    shuffled = [word for _, word in sorted(zip(order, left, strict=False))]
    assert [set(side) for side in kept(tuple(left))] == [set(side) for side in kept(tuple(shuffled))]


@given(st.integers(0, 10**6))
def test_an_octave_is_a_doubling(rank):
    assert 2 ** octave(rank) <= rank + 1 < 2 ** (octave(rank) + 1)


def weat(x, y, a="love peace joy", b="filth abuse pain"):
    return WeatTest("mine", "Mine", "me", "en", *(WordSet.of(words, words.split()) for words in (x, y, a, b)))


def ranks_of(**ranks):
    return {"love": 1, "peace": 2, "joy": 3, "filth": 1, "abuse": 2, "pain": 3} | ranks


def test_words_without_a_rank_are_left_out_and_named():
    matched = match(weat("Rose lily Xyzzy", "ant flea gnat"), ranks_of(rose=5, lily=9, ant=6, flea=10, gnat=10))
    assert matched.test.x.words == ("Rose", "lily")
    assert set(matched.test.y.words) < {"ant", "flea", "gnat"}
    assert matched.unranked == ("Xyzzy",)


def test_lists_of_different_frequency_are_refused():
    with refuses(StimulusError, "rose lily", "ant flea", where="test 'mine'"):
        match(weat("rose lily", "ant flea"), ranks_of(rose=5, lily=9, ant=600, flea=1000))


def test_a_wefat_is_refused():
    with refuses(StimulusError, where="test 'caliskan-wefat-names'"):
        match_tests([get("caliskan-wefat-names")], {})


def test_published_figures_do_not_stay_with_other_words():
    ranks = {word.lower(): 7 for words in ("x", "y", "a", "b") for word in getattr(get("caliskan-6"), words).words}
    matched = match(get("caliskan-6"), ranks, most=4).test
    assert matched.published == ()
    assert matched.human is None
    assert len(matched.x) == len(matched.b) == 4


WORDS = st.lists(
    st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=6),
    min_size=2,
    max_size=5,
    unique=True,
)


@given(WORDS, st.booleans(), st.sampled_from(["", 'a "quoted" \\ title']))
def test_tests_are_read_back_as_they_were_written(tmp_path_factory, words, is_question, title):
    sets = [WordSet(letter, tuple(f"{letter} {word}" for word in words), ("name",) * len(words)) for letter in "xyab"]
    mixed = WordSet("mixed", sets[0].words, ("adjective", *sets[0].kinds[1:]))
    test = WeatTest(
        "id",
        title or "id",
        "source",
        "en",
        mixed,
        *sets[1:],
        topics=("gender",),
        notes="a note",
        is_question=is_question,
        unbleached=Unbleached(("{word} is here.",), ("It is {word}.",)),
    )
    path = tmp_path_factory.mktemp("written") / "tests.toml"
    write_tests(path, [test])
    assert read_tests(path) == (replace(test, is_question=False),)


@pytest.mark.parametrize(
    "words",
    ['{ "count noun" = "rose  tulip", adjective = "red" }', '"rose tulip red"'],
    ids=["by kind", "one text"],
)
def test_long_lists_are_written_as_text(tmp_path, words):
    path = tmp_path / "tests.toml"
    path.write_text(
        f'[sets.flowers]\nwords = {words}\n[[weat]]\nid = "mine"\nx = "flowers"\ny = ["ant", "flea"]\n'
        'a = ["love", "peace"]\nb = ["filth", "pain"]\n'
    )
    (test,) = read_tests(path)
    assert test.x.words == ("rose", "tulip", "red")
    assert test.x.kinds[2] == ("adjective" if words.startswith("{") else "unknown")


@pytest.mark.parametrize(
    "words",
    ['{ "count nuon" = "rose tulip" }', '{ name = ["rose", "tulip"] }', '{ name = "rose", adjective = "rose" }', "{}"],
    ids=["unknown kind", "a list", "twice", "empty"],
)
def test_long_lists_are_checked(tmp_path, words):
    path = tmp_path / "tests.toml"
    path.write_text(f'[sets.flowers]\nwords = {words}\n[[weat]]\nid = "mine"\n')
    with refuses(StimulusError):
        read_tests(path)


def test_kinds_are_not_said_twice(tmp_path):
    path = tmp_path / "tests.toml"
    path.write_text('[sets.flowers]\nkind = "name"\nwords = { name = "Rose Lily" }\n[[weat]]\nid = "mine"\n')
    with refuses(StimulusError, option="kind"):
        read_tests(path)
