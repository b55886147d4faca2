"""A bias that is removed is not recovered; one that is hidden is."""

from dataclasses import replace

import numpy as np
import pytest

from imprint.directions.axis import pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.load import load
from imprint.errors import VocabularyError
from imprint.evaluation.leakage import leakage
from imprint.names.tables import first_names

TABLE = first_names()
WOMEN = [TABLE.names[row] for row in np.flatnonzero(TABLE.share_women >= 0.95)[:100]]
MEN = [TABLE.names[row] for row in np.flatnonzero(TABLE.share_women <= 0.05)[:100]]


def planted(*, along: float, aside: float) -> Embedding:
    """Names whose sex shows along he - she, and in another direction."""
    rng = np.random.default_rng(0)
    words = ["he", "she", "word", *MEN, *WOMEN]
    sex = np.array([0, 0, 0] + [1] * len(MEN) + [-1] * len(WOMEN))
    vectors = rng.normal(scale=0.3, size=(len(words), 20))
    vectors[:, 0] += along * sex
    vectors[:, 1] += aside * sex
    vectors[:2] = 0
    vectors[0, 0], vectors[1, 0], vectors[:2, 2] = 1, -1, 1
    return Embedding("planted", words, vectors.astype(np.float32))


def without_axis(embedding: Embedding) -> Embedding:
    vectors = embedding.vectors.copy()
    vectors[:, 0] = 0
    return replace(embedding, name="projected", vectors=vectors)


def recovered(embedding, **options):
    found = leakage(embedding, pair_axis(embedding, [("he", "she")]), **options)
    return {row.method: row for row in found.rows if row.words.startswith("first names")}


def test_what_lies_on_the_axis_alone_is_gone_with_it():
    bias = planted(along=1, aside=0)
    for row in recovered(bias, after=without_axis(bias)).values():
        assert row.before.value > 0.95
        assert abs(row.after.value - row.chance) < 0.12
        assert (row.women, row.men) == (100, 100)
        assert row.change.high < -0.3


def test_what_lies_beside_the_axis_is_still_recovered():
    bias = planted(along=1, aside=1)
    for row in recovered(bias, after=without_axis(bias)).values():
        assert row.after.value > 0.95


def test_an_embedding_without_bias_gives_chance():
    for row in recovered(planted(along=0, aside=0)).values():
        assert abs(row.before.value - row.chance) < 0.12
        assert row.after is None


def test_the_bundled_embedding_tells_the_sex_of_names_and_the_stereotypes_of_professions():
    embedding = load("default")
    found = leakage(embedding, pair_axis(embedding, [("he", "she")]))
    rows = {(row.words.split(",")[0], row.method): row for row in found.rows}
    assert rows["first names", "linear classifier"].before.low > 0.9
    assert rows["professions", "linear classifier"].before.low > 0.6
    assert len(found.findings()) == len(found.rows) == len(found.to_frame()) == 9
    assert found.findings()[0].details["accuracy"] == found.rows[0].before.value


def test_the_seed_decides():
    bias = planted(along=0.2, aside=0)
    assert recovered(bias, seed=3) == recovered(bias, seed=3)
    assert recovered(bias, seed=3) != recovered(bias, seed=4)


def test_too_few_words_are_refused():
    few = Embedding("few", ["he", "she", "word"], np.eye(3, dtype=np.float32))
    with pytest.raises(VocabularyError, match="few has too few names, professions and common words to recover gender"):
        leakage(few, pair_axis(few, [("he", "she")]))


def test_a_rare_label_is_not_recovered_by_calling_everything_the_other():
    bias = planted(along=0, aside=0)
    few = [word for word in bias.words if word not in WOMEN[20:]]
    rare = replace(bias, words=few, vectors=bias.lookup(few).vectors)
    for row in recovered(rare).values():
        assert (row.women, row.men) == (20, 100)
        assert row.before.low < row.chance + 0.05
