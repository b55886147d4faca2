"""The bundled embeddings are what their sources are, whole and usable."""

import hashlib
import re
from importlib import resources

import numpy as np

from imprint.embeddings.embedding import Embedding
from imprint.stimuli.names import first_names
from imprint.subjects.opening import load

FOLDER = resources.files("imprint.embeddings") / "bundled"
CARD = (FOLDER / "CARD.md").read_text(encoding="utf-8")
FILE = "glove.6B.100d.safetensors"


def number_in_card(pattern: str) -> int:
    found = re.search(pattern, CARD)
    assert found is not None, f"the card does not say {pattern!r}"
    return int(found[1].replace(",", ""))


def test_the_card_states_the_hash_and_the_size_of_the_file() -> None:
    data = (FOLDER / FILE).read_bytes()
    assert f"sha256 `{hashlib.sha256(data).hexdigest()}`" in CARD
    assert number_in_card(rf"`{FILE}`, ([\d,]+) bytes") == len(data)


def test_the_card_states_how_many_words_and_common_words_there_are(bundled: Embedding) -> None:
    assert bundled.common is not None
    assert number_in_card(r"\| all \| ([\d,]+) \|") == len(bundled)
    assert number_in_card(r"([\d,]+) words are flagged common") == np.count_nonzero(bundled.common)


def test_it_is_called_by_its_own_name(bundled: Embedding) -> None:
    assert bundled.name == "glove.6B.100d"
    assert bundled.vectors.shape == (len(bundled), 100)
    assert bundled.vectors.dtype == np.float32


def test_words_are_unique_lower_case_and_printable(bundled: Embedding) -> None:
    assert len(set(bundled.words)) == len(bundled)
    assert all(word == word.lower() and word.isprintable() and " " not in word for word in bundled.words)


def test_vectors_are_finite_and_none_is_zero(bundled: Embedding) -> None:
    assert np.isfinite(bundled.vectors).all()
    assert bundled.norms.min() > 0


def test_no_two_words_share_a_vector(bundled: Embedding) -> None:
    assert len(np.unique(bundled.vectors, axis=0)) == len(bundled)


def test_rows_are_in_order_of_frequency(bundled: Embedding) -> None:
    assert bundled.ranks is not None
    assert bundled.ranks[0] == 0
    assert bundled.words[0] == "the"
    assert np.all(np.diff(bundled.ranks) > 0)


def test_thirty_thousand_common_words_are_there_for_enumeration(bundled: Embedding) -> None:
    assert bundled.common is not None
    assert np.count_nonzero(bundled.common) >= 30_000


def test_no_common_word_is_a_frequent_first_name(bundled: Embedding) -> None:
    assert bundled.common is not None
    names = {name.lower() for name in first_names().at_least(5_000).names}
    flagged = {word for word, common in zip(bundled.words, bundled.common, strict=True) if common}
    assert flagged.isdisjoint(names)
    assert {"nurse", "wife", "daughter", "female", "childcare", "mariachi", "mosque", "young", "baker"} <= flagged
    assert flagged.isdisjoint({"paris", "chicago", "mohammed", "johnson"})


def test_most_names_of_people_born_in_the_century_have_vectors(bundled: Embedding) -> None:
    names = first_names().at_least(1_000)
    present = np.array([name.lower() in bundled for name in names.names])
    assert np.count_nonzero(present) > 7_000
    assert names.counts[present].sum() > 0.97 * names.counts.sum()


def test_neighbours_are_what_a_reader_expects(bundled: Embedding) -> None:
    unit = np.asarray(bundled.unit)
    for word, neighbour in (("nurse", "nurses"), ("king", "prince"), ("paris", "france")):
        nearest = np.argsort(-(unit @ unit[bundled.index[word]]))[1:6]
        assert neighbour in {bundled.words[row] for row in nearest}


def test_the_vectors_of_the_published_tests_are_those_of_the_source() -> None:
    embedding = load("glove-840b-stimuli")
    assert (embedding.name, embedding.vectors.shape) == ("glove.840B.300d.stimuli", (457, 300))
    content = "\n".join(embedding.words).encode() + embedding.vectors.tobytes()
    assert hashlib.sha256(content).hexdigest() == "ab43d9663f295a08f7fed4893c3fe3799ad4e5642412c4a6fb98cee5c8c416fb"
