import numpy as np
import pytest

from imprint.association.preparation import most_name_like, occupation_shares, single_word_occupation
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError

VOCABULARY = {"engineer", "nurse", "policeman", "secretary", "waitress", "clergy", "coach", "salesperson"}


@pytest.mark.parametrize(
    ("title", "word"),
    [
        ("Chemical engineers", "engineer"),
        ("Registered nurses", "nurse"),
        ("Engineers, all other", "engineer"),
        ("Policemen", "policeman"),
        ("Executive secretaries", "secretary"),
        ("Waitresses", "waitress"),
        ("Clergy", "clergy"),
        ("Coaches", "coach"),
        ("Salespeople", None),
        ("Cooks and bakers", None),
        ("Sales/service workers", None),
        ("Gaming dealers", None),
        ("", None),
    ],
)
def test_a_title_becomes_its_head_noun_where_there_is_one(title, word):
    assert single_word_occupation(title, VOCABULARY) == word


def test_shares_of_merged_occupations_are_weighted_by_workers():
    rows = [
        ("Chemical engineers", 100, 20.0),
        ("Civil engineers", 300, 10.0),
        ("Nurses", 50, 90.0),
        ("Clergy", 0, 5.0),
    ]
    assert occupation_shares(rows, VOCABULARY) == {"engineer": 12.5, "nurse": 90.0}


def test_the_names_farthest_from_the_centroid_are_dropped_in_place():
    rng = np.random.default_rng(0)
    vectors = rng.normal(0, 0.1, size=(10, 6)) + np.array([1, 0, 0, 0, 0, 0])
    vectors[[2, 7]] = rng.normal(0, 1, size=(2, 6)) - np.array([3, 0, 0, 0, 0, 0])
    names = [f"name{i}" for i in range(10)]
    embedding = Embedding("names", names, vectors.astype(np.float32))
    kept = tuple(name for name in names if name not in ("name2", "name7"))
    assert most_name_like(embedding, names) == kept
    assert most_name_like(embedding, ["nobody"]) == ()
    with pytest.raises(SettingError, match="share above 0"):
        most_name_like(embedding, names, keep=80)
