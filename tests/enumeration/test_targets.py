import numpy as np
import pytest
from refusals import refuses

from imprint.embeddings.embedding import Embedding
from imprint.enumeration.targets import find_targets
from imprint.errors import VocabularyError
from imprint.stimuli.names import first_names, surnames

SEED = np.random.SeedSequence(0)


def make(words, seed=0):
    vectors = np.random.default_rng(seed).normal(size=(len(words), 8)).astype(np.float32)
    return Embedding("made", words, vectors)


@pytest.mark.parametrize(("source", "table"), [("first", first_names), ("surnames", surnames)])
def test_names_of_a_table_are_found_with_their_bearers(source, table):
    common = table().names[:2]
    targets = find_targets(make(["the", common[1], common[0].lower(), "of"]), source, seed=SEED)
    assert targets.names == (common[0], common[1])
    assert targets.rows.tolist() == [2, 1]
    assert targets.bearers.tolist() == pytest.approx(table().counts[:2].tolist(), rel=1e-6)
    assert targets.asked == (table().counts >= 1_000).sum() == len(targets.table)


def test_a_name_with_fewer_than_a_thousand_births_is_nobodys_in_particular():
    table = first_names()
    rare = table.names[int(np.argmax(table.counts < 1_000))]
    assert find_targets(make(["Mary", rare]), "first", seed=SEED).names == ("Mary",)


def test_a_list_and_a_file_of_names_give_the_same(tmp_path):
    embedding = make(["french", "German", "the", "dutch"])
    (tmp_path / "nations.txt").write_text("German\nFrench  # and the like\nMartian\n")
    listed = find_targets(embedding, ["German", "French", "Martian"], seed=SEED)
    for path in (tmp_path / "nations.txt", str(tmp_path / "nations.txt")):
        targets = find_targets(embedding, path, seed=SEED)
        assert targets.names == listed.names == ("German", "French")
        assert targets.rows.tolist() == listed.rows.tolist() == [1, 0]
        assert targets.asked == listed.asked == 3
    assert listed.bearers.tolist() == [1, 1]
    assert listed.table is None


def test_a_name_is_looked_up_as_spelt_before_lower_case():
    targets = find_targets(make(["mark", "Mark"]), ["Mark"], seed=SEED)
    assert targets.rows.tolist() == [1]


def test_of_two_names_that_meet_in_one_row_the_first_is_kept():
    targets = find_targets(make(["de", "dee"]), ["DE", "De", "Dee", "de"], seed=SEED)
    assert targets.names == ("DE", "Dee")
    assert targets.rows.tolist() == [0, 1]


def test_a_row_without_direction_is_as_good_as_missing():
    embedding = make(["Mark", "mark", "Anna"])
    embedding.vectors[[0, 2]] = 0
    targets = find_targets(embedding, ["Mark", "Anna"], seed=SEED)
    assert (targets.names, targets.rows.tolist()) == (("Mark",), [1])


@pytest.mark.parametrize("names", ["first", "surnames", ["Nobody"], "embedding"])
def test_names_none_of_which_is_there_are_refused(names):
    with refuses(VocabularyError, where="made"):
        find_targets(make(["the", "of"]), names, seed=SEED)


def name_like(cased):
    """Known first names and ten unknown ones in one direction, words in another, some of them capitalised."""
    rng = np.random.default_rng(4)
    name, word = rng.normal(size=(2, 16))
    known = list(first_names().names[:60])
    unknown = [f"Xavvi{letter}" for letter in "abcdefghij"]
    words = [f"qu{a}{b}" for a in "abcdefghij" for b in "abcdefghij"]
    odd = ["Xavvi-a", "Xavvi1", "xavviz"]
    spelt = known + unknown + odd + words
    centre = np.repeat([name, word], [len(spelt) - len(words), len(words)], axis=0)
    vectors = (centre + 0.4 * rng.normal(size=centre.shape)).astype(np.float32)
    return Embedding("made", spelt if cased else [token.lower() for token in spelt], vectors), known, unknown


@pytest.mark.parametrize("cased", [True, False])
def test_names_are_found_in_the_embedding_itself(cased):
    embedding, known, unknown = name_like(cased)
    found = find_targets(embedding, "embedding", seed=SEED)
    wanted = known + unknown + ([] if cased else ["xavviz"])
    assert set(found.names) == {name if cased else name.lower() for name in wanted}
    assert found.table is None
    assert found.asked == len(found.names)


def test_an_embedding_of_names_alone_gives_those_that_are_known():
    known = first_names().names[:30]
    assert set(find_targets(make(known), "embedding", seed=SEED).names) == set(known)


def test_taking_some_keeps_what_belongs_to_them():
    targets = find_targets(make(["a", "b", "c"]), ["c", "a", "b"], seed=SEED).take(np.array([0, 2]))
    assert (targets.names, targets.rows.tolist(), targets.asked) == (("c", "b"), [2, 1], 3)


def test_names_that_are_not_there_are_named():
    targets = find_targets(make(["a", "b"]), ["c", "a", "Zoe", "B"], seed=SEED)
    assert (targets.names, targets.missing, targets.asked) == (("a", "B"), ("c", "Zoe"), 4)
    assert targets.take(np.array([0])).missing == ("c", "Zoe")
