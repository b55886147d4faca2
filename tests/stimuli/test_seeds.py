"""The bundled seed words, and seed files of users."""

from pathlib import Path

import numpy as np
import pytest
from refusals import refuses

from imprint.errors import StimulusError
from imprint.masking import is_slur
from imprint.stimuli import seeds
from imprint.stimuli.catalog import published_tests
from imprint.stimuli.definition import words_of
from imprint.stimuli.names import first_names, surnames
from imprint.subjects.opening import load

DATA = Path(seeds.__file__).with_name("data") / "seeds"


@pytest.fixture(scope="module")
def default():
    return load("default")


def test_the_lists_have_the_sizes_of_their_source():
    assert len(seeds.professions(neutral=False)) == 320
    assert len(seeds.professions()) == 288  # the paper has at least 215
    assert len(seeds.gender_specific()) == 1441
    assert (len(seeds.definitional_pairs()), len(seeds.equalize_pairs())) == (10, 52)
    assert len(seeds.background()) == 1000


def test_neutral_professions_are_those_not_gendered_by_definition():
    neutral = {one.word for one in seeds.professions()}
    gendered = {one.word for one in seeds.professions(neutral=False)} - neutral
    assert {"waitress", "waiter", "policeman", "nun"} <= gendered
    assert {"nurse", "programmer", "cab_driver"} <= neutral
    assert all((abs(one.definition) < 0.5) == (one.word in neutral) for one in seeds.professions(neutral=False))
    # Three words that the crowd calls neutral are on the authors' list of gendered ones.
    assert neutral & set(seeds.gender_specific()) == {"maid", "socialite", "teenager"}


def test_positive_scores_and_first_words_are_mens():
    scores = {one.word: one for one in seeds.professions(neutral=False)}
    assert scores["waiter"].definition > 0 > scores["waitress"].definition
    assert scores["carpenter"].stereotype > 0 > scores["nurse"].stereotype
    assert {("he", "she"), ("John", "Mary")} <= set(seeds.definitional_pairs())
    assert {("husbands", "wives"), ("ex_boyfriend", "ex_girlfriend"), ("uncle", "aunt")} <= set(seeds.equalize_pairs())
    women = {word for word, share in zip(first_names().names, first_names().share_women, strict=True) if share > 0.9}
    women |= {"she", "her", "herself", "woman", "girl", "mother", "daughter", "gal", "female"}
    assert all(second in women and first not in women for first, second in seeds.definitional_pairs())


def test_a_fifth_is_held_out_and_the_parts_share_no_word():
    fitted, held_out = seeds.fitted(), seeds.held_out()
    assert sorted(fitted + held_out) == [one.word for one in seeds.professions()]
    assert not set(fitted) & set(held_out)
    assert len(held_out) / len(fitted + held_out) == pytest.approx(0.2, abs=0.01)
    whole = seeds.professions(neutral=False)
    assert sum(one.held_out for one in whole) == 64
    phrases = [one.held_out for one in whole if "_" in one.word]
    assert np.mean(phrases) == pytest.approx(0.2, abs=0.05)


def test_both_parts_span_the_stereotype_scores():
    fitted, held_out = (
        np.array([one.stereotype for one in seeds.professions() if one.held_out is part]) for part in (False, True)
    )
    assert (fitted.min(), fitted.max()) == (held_out.min(), held_out.max()) == (-0.9, 0.9)
    assert held_out.mean() == pytest.approx(fitted.mean(), abs=0.05)
    assert held_out.std() == pytest.approx(fitted.std(), abs=0.05)


def test_background_words_are_common_words_that_nothing_else_asks_about(default):
    words = seeds.background()
    asked = {one.word for one in seeds.professions(neutral=False)} | set(seeds.gender_specific())
    asked |= words_of(published_tests()) | set(first_names().names) | set(surnames().names)
    asked |= {word for pair in seeds.equalize_pairs() for word in pair}
    assert not set(words) & {word.lower() for word in asked}
    assert not any(is_slur(word) for word in words)
    rows = [default.index[word] for word in words]
    assert default.common[rows].all()


def test_background_words_come_from_all_frequencies(default):
    ranks = default.ranks[[default.index[word] for word in seeds.background()]]
    assert (np.diff(ranks) > 0).all()
    common = np.sort(default.ranks[default.common])
    for share in (0.1, 0.5, 0.9):
        # Names and the like are frequent, so what is left lies a little further back than all common words.
        assert np.searchsorted(common, np.quantile(ranks, share)) / len(common) == pytest.approx(share, abs=0.06)


def test_the_bundled_embedding_has_all_but_the_phrases(default):
    found = default.lookup(one.word for one in seeds.professions())
    assert len(found.words) == 259
    assert all("_" in word for word in found.missing)
    assert len(default.lookup(seeds.held_out()).words) == 52
    assert not default.lookup(word for pair in seeds.definitional_pairs() for word in pair).missing
    assert not default.lookup(seeds.background()).missing


def test_the_bundled_table_is_itself_a_seed_file():
    read = seeds.read_seeds(DATA / "professions.csv")
    whole = seeds.professions(neutral=False)
    assert read.held_out == tuple(one.word for one in whole if one.held_out)
    assert read.fitted == tuple(one.word for one in whole if not one.held_out)


@pytest.mark.parametrize(
    ("content", "fitted", "held_out"),
    [
        ("nurse\ncab driver # a phrase\n\nmaid, cook\n", ("nurse", "cab driver", "maid", "cook"), ()),
        ("word\nnurse\ncook\n", ("nurse", "cook"), ()),
        ("word,held_out\nnurse,1\ncook,0\n", ("cook",), ("nurse",)),
        ('\ufeff"Word","stereotype","Held_Out"\r\n\r\n"shop aid",0.8, 1\r\ncook,-0.2,0\r\n', ("cook",), ("shop aid",)),
        ("word;stereotype;held_out\nnurse;-0,9;1\ncook;0,1;0\n", ("cook",), ("nurse",)),
        ("wordsmith\nnurse\n", ("wordsmith", "nurse"), ()),
    ],
)  # fmt: skip
def test_users_seeds_are_read_as_words_or_as_a_table(tmp_path, content, fitted, held_out):
    (tmp_path / "seeds.csv").write_text(content, newline="")
    read = seeds.read_seeds(tmp_path / "seeds.csv")
    assert (read.fitted, read.held_out, read.words) == (fitted, held_out, fitted + held_out)


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        ("", None, "words"),
        ("word,held_out\n", None, "words"),
        ("word,held_out\nnurse,yes\n", 2, "'yes'"),
        ("word,held_out\nnurse,\n", 2, "held_out"),
        ("word,held_out\nnurse\n", 2, "columns"),
        ("word,held_out\nnurse,0\nnurse,1\n", 3, "'nurse'"),
        ("word,held_out\n,1\n", 2, "word"),
        ('word,held_out\n"nurse,1\n', 2, "CSV"),
        ("nurse\nnurse\n", 2, "'nurse'"),
        (b"word,held_out\nd\xe9,1\n", 2, "UTF-8"),
    ],
)
def test_a_bad_seed_file_is_refused_in_one_line(tmp_path, content, line, said):
    (tmp_path / "s.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    path = tmp_path / "s.csv"
    with refuses(StimulusError, said, where=(path, line) if line else path):
        seeds.read_seeds(path)


@pytest.mark.parametrize(
    "content", ["he,she\nman , woman\n", "positive,negative\nhe,she\n\nman,woman", "he;she\nman;woman\n"]
)
def test_users_pairs_are_read_with_or_without_a_header(tmp_path, content):
    (tmp_path / "pairs.csv").write_text(content)
    assert seeds.read_pairs(tmp_path / "pairs.csv") == (("he", "she"), ("man", "woman"))


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        ("", None, "pairs"),
        ("positive,negative\n", None, "pairs"),
        ("he,she\nman\n", 2, "'man'"),
        ("he,she,it\n", 1, "'he, she, it'"),
        ("he,\n", 1, "pair"),
        ("he,she\n\nhe,she\n", 3, "line 1"),
        ('he,"she\n', 1, "CSV"),
    ],
)
def test_a_bad_file_of_pairs_is_refused_in_one_line(tmp_path, content, line, said):
    (tmp_path / "p.csv").write_text(content)
    path = tmp_path / "p.csv"
    with refuses(StimulusError, said, where=(path, line) if line else path):
        seeds.read_pairs(path)
