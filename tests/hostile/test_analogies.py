"""Analogies of what nobody should have: broken rows, odd words, settings out of range."""

import numpy as np
import pytest
from refusals import refuses

from imprint.directions.analogies import analogies
from imprint.directions.axis import pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import EmbeddingFileError, ImprintError, SettingError, VocabularyError

ROWS = {"he": (1.0, 0.0), "she": (0.0, 1.0), "boy": (1.0, 0.2), "girl": (0.2, 1.0)}


def made(rows=None, words=None, name="made"):
    rows = ROWS if rows is None else rows
    return Embedding(name, words or list(rows), np.array(list(rows.values()), dtype=np.float32))


def found_in(embedding, **options):
    found = analogies(embedding, pair_axis(embedding, [("he", "she")]), **{"delta": 2.0, **options})
    return [(pair.first, pair.second) for pair in found]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("k", 0),
        ("k", -3),
        ("k", 2.5),
        ("k", None),
        ("words", 1),
        ("words", "many"),
        ("delta", 0),
        ("delta", -1.0),
        ("delta", float("nan")),
        ("delta", float("inf")),
        ("delta", "1"),
    ],
)
def test_a_setting_out_of_range(option, value):
    with refuses(SettingError, str(value), option=option):
        found_in(made(), **{option: value})


def test_an_axis_that_is_none():
    with refuses(SettingError, option="pairs", got=("he", "she", "it")):
        analogies(made(), ("he", "she", "it"))


def test_an_axis_of_another_embedding():
    axis = pair_axis(made(), [("he", "she")])
    other = made({word: (*row, 1.0) for word, row in ROWS.items()}, name="other")
    with refuses(SettingError, "other", option="axis", got="he - she"):
        analogies(other, axis)


@pytest.mark.parametrize("broken", [np.nan, np.inf, -np.inf])
def test_a_row_that_is_no_vector(broken):
    embedding = made({**ROWS, "odd": (broken, 1.0)})
    with refuses(EmbeddingFileError, where="made", words=("odd",)):
        found_in(embedding)


def test_too_few_words_left():
    axis = pair_axis(made(), [("he", "she")])
    with refuses(VocabularyError, where="empty"):
        analogies(made({"one": (1.0, 0.0), "zero": (0.0, 0.0)}, name="empty"), axis)
    with refuses(VocabularyError, where="names"):
        analogies(made({"Mary": (1.0, 0.0), "James": (0.0, 1.0)}, name="names"), axis, no_names=True)


def test_zero_rows_and_words_that_come_again_are_passed_over():
    rows = {**ROWS, "nothing": (0.0, 0.0), "again": (0.9, 0.4)}
    embedding = made(rows, ["he", "she", "boy", "girl", "nothing", "girl"])
    axis = pair_axis(made(), [("he", "she")])
    found, plain = (analogies(one, axis, delta=2.0) for one in (embedding, made()))
    assert [(pair.first, pair.second, pair.score) for pair in found] == [
        (pair.first, pair.second, pair.score) for pair in plain
    ]


def test_rows_of_extreme_length_are_like_any_other():
    # Powers of two: the largest float32 has, one whose square it has not, and the smallest of all.
    rows = {"he": (1.0, 0.25), "she": (0.5, 1.0), "boy": (1.0, 0.5), "girl": (0.0, 1.0), "cat": (1.0, 1.0)}
    scales = (2.0**127, 2.0**-100, 2.0**-140, 2.0**-149, 1.0)
    stretched = {word: np.array(row) * scale for (word, row), scale in zip(rows.items(), scales, strict=True)}
    assert found_in(made(stretched)) == found_in(made(rows))


def test_rows_all_alike_make_no_pair():
    axis = pair_axis(made(), [("he", "she")])
    alike = Embedding("alike", [f"w{i}" for i in range(3_000)], np.full((3_000, 2), 0.25, dtype=np.float32))
    assert len(analogies(alike, axis)) == 0


def test_words_that_are_markup_or_controls_stay_text():
    odd = ["</td><script>alert(1)</script>", "[red]nurse[/red]\x1b[31m\u2028", "\ud7ff_x"]
    rows = {**ROWS, **dict(zip(odd, [(1.0, 0.3), (0.3, 1.0), (0.9, 0.1)], strict=True))}
    embedding = made(rows)
    found = analogies(embedding, pair_axis(embedding, [("he", "she")]), delta=2.0)
    assert odd[0] in {pair.first for pair in found}
    assert "<script>" not in found._repr_html_()
    assert all("\n" not in finding.to_json() and "\u2028" not in finding.to_json() for finding in found.findings())


def test_a_missing_seed_and_an_identical_pair_are_one_line():
    for pair in (("he", "xyzzy"), ("he", "he")):
        with refuses(ImprintError, words=pair[1:]):
            pair_axis(made(), [pair])
