"""The sample of words by frequency: the same however a file is read, and of the right frequencies."""

from dataclasses import replace

import numpy as np
import pytest

from imprint.embeddings.background import Background, block_of, in_sample
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.reading import read_embedding
from imprint.subjects.opening import load
from imprint.threads import single_threaded


def made(words, dimension=8):
    vectors = np.random.default_rng(0).normal(size=(words, dimension)).astype(np.float32)
    return Embedding("made", [f"w{row}" for row in range(words)], vectors)


@pytest.fixture(scope="module")
def text_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("background") / "made.txt"
    embedding = made(12_000)
    with path.open("w") as file:
        for word, row in zip(embedding.words, embedding.vectors, strict=True):
            file.write(f"{word} {' '.join(f'{value:.5f}' for value in row)}\n")
    return path


def test_reading_a_few_words_keeps_the_sample_of_the_whole_file(text_file):
    whole = read_embedding(text_file)
    part = read_embedding(text_file, only=["w3", "w11000"], background=True)
    assert {"w3", "w11000"} <= set(part.words)
    assert len(part) < len(whole)
    one, other = whole.background, part.background
    assert np.array_equal(one.lowest, other.lowest)
    assert np.array_equal(one.rows[: one.starts[-2]], other.rows[: other.starts[-2]])


def test_without_a_background_only_the_words_are_kept(text_file):
    assert read_embedding(text_file, only=["w3"]).words == ["w3"]


def test_blocks_are_even_and_then_grow():
    ranks = np.arange(300_000)
    blocks = block_of(ranks)
    assert np.array_equal(blocks[:10_000], ranks[:10_000] // 500)
    assert np.all(np.diff(blocks) >= 0)
    sizes = np.bincount(blocks)[20:-1]
    starts = np.flatnonzero(np.diff(blocks, prepend=-1))[20:-1]
    assert np.all(sizes / starts < 0.052)


def test_the_sample_is_large_enough_in_every_block():
    ranks = np.arange(400_000)
    kept = np.bincount(block_of(ranks)[in_sample(ranks)])
    assert kept[:-1].min() >= 200
    assert kept.max() < 400


def test_words_are_drawn_from_their_own_block():
    embedding = made(12_000)
    background = embedding.background
    assert np.allclose(np.linalg.norm(background.rows, axis=1), 1, atol=1e-6)
    ranks = np.array([3, 700, 9_999])
    drawn = background.draw(ranks, 500, np.random.default_rng(1))
    units = np.asarray(embedding.unit)
    by_row = {row.tobytes(): rank for rank, row in enumerate(units)}
    for column, rank in enumerate(ranks):
        found = {block_of(by_row[background.rows[row].tobytes()]).item() for row in drawn[:, column]}
        assert found == {block_of(rank).item()}


def test_a_small_vocabulary_has_no_background():
    assert made(1_999).background is None
    assert made(2_000).background is not None


def test_zero_and_broken_rows_are_left_out():
    embedding = made(3_000)
    embedding.vectors[:50] = 0
    embedding.vectors[50] = np.nan
    assert np.all(np.isfinite(embedding.background.rows))
    assert np.all(np.linalg.norm(embedding.background.rows, axis=1) > 0.99)


def test_axes_are_principal_axes():
    rows = np.random.default_rng(2).normal(size=(3_000, 5)).astype(np.float32) * [3, 1, 1, 1, 0.1]
    axes = Background.of(rows.astype(np.float32).__getitem__, np.arange(3_000)).axes
    assert np.allclose(axes.T @ axes, np.eye(5))
    assert abs(axes[0, -1]) > 0.99  # the widest comes last


def test_an_order_that_is_none_of_frequency_takes_the_bundled_ranks():
    default = load("default")
    words = sorted(default.words)
    vectors = np.array([default.vectors[default.index[word]] for word in words])
    sorted_by_letters = Embedding("letters", words, vectors)
    assert default.is_ordered
    assert not sorted_by_letters.is_ordered
    assert sorted_by_letters.frequency_notes
    tokens = ["nurse", "doctor", "zebra"]
    assert sorted_by_letters.ranks_of(tokens).tolist() == default.ranks_of(tokens).tolist()
    assert np.array_equal(sorted_by_letters.background.rows, default.background.rows)


def test_axes_of_few_words_are_known_to_fit_badly():
    """Clusters align along axes that are noise: many words a dimension have none, few have some."""
    default = load("default").background
    few = replace(default, spreading=default.spreading[::20])
    assert default.misfit < 1.15
    assert few.misfit > default.misfit


def test_a_file_read_for_a_few_words_shows_its_order(tmp_path):
    default = load("default")
    words = sorted(default.words[:6_000])
    path = tmp_path / "letters.txt"
    path.write_text("".join(f"{word} {place} 1\n" for place, word in enumerate(words, start=1)))
    assert not read_embedding(path, only=["nurse"], background=True).is_ordered


def test_axes_and_their_misfit_are_the_same_on_one_thread_and_on_several():
    background = load("default").background
    with single_threaded():
        alone = replace(background)
        expected = alone.axes.tobytes(), alone.misfit
    assert (background.axes.tobytes(), background.misfit) == expected
