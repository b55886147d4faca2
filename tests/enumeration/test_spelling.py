"""Groups that share letters rather than people: names of like spelling from other groups, against plain loops."""

from itertools import pairwise

import numpy as np
import pytest

from imprint.embeddings.embedding import Embedding
from imprint.enumeration.enumerate import enumerate_biases
from imprint.enumeration.groups import EXPLAINED, spelling_shares
from imprint.enumeration.rows import UbeGroupRow, UbeOverviewRow, UbeRow
from imprint.significance.rotations import Cells, observed_scores

DIMENSION = 30
NAMES = ("Marla", "Maria", "Lola", "Lila", "Marta", "Lena", "Moe", "Luca", "Zoe", "maude", "Lyle", "Marco")
LABELS = np.array([0, 0, 1, 1, 0, 1, 2, 2, 2, 2, 2, 2])


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def like(name, label):
    """Other groups' names that begin with the same two letters and are as long, else the nearest to that there is."""
    lower = name.lower()
    for rule in (
        lambda other: other[:2] == lower[:2] and len(other) == len(lower),
        lambda other: other[:2] == lower[:2],
        lambda other: other[0] == lower[0],
    ):
        others = [k for k, other in enumerate(NAMES) if LABELS[k] != label and rule(other.lower())]
        if others:
            return others
    return []


@pytest.mark.parametrize("weighted", [False, True])
def test_names_of_a_group_are_replaced_by_those_of_like_spelling_from_other_groups(weighted):
    rng = np.random.default_rng(0)
    letters = dict(zip("mlz", 2 * rng.normal(size=(3, DIMENSION)), strict=True))
    vectors = unit([letters[name[0].lower()] + rng.normal(size=DIMENSION) for name in NAMES])
    words = unit(rng.normal(size=(60, DIMENSION)))
    weights = rng.uniform(1, 9, size=len(NAMES)).astype(np.float32) if weighted else None
    each = np.ones(len(NAMES)) if weights is None else weights.astype(float)
    means = np.array([np.average(vectors[i == LABELS], axis=0, weights=each[i == LABELS]) for i in range(3)])
    offsets = np.array([0, 25, 60])
    centres = np.array([words[start:end].mean(axis=0) for start, end in pairwise(offsets)])
    cells = Cells(words, offsets, means - means.mean(axis=0), centres, 2)
    scores, rows = observed_scores(cells)
    rows[1, 2] = -1  # as where there are too few words
    shares = spelling_shares(cells, rows, NAMES, LABELS, vectors, weights)
    assert max(shares) > 0.1
    for group in range(3):
        turned, total = np.zeros(DIMENSION), 0.0
        for k in np.flatnonzero(group == LABELS):
            others = like(NAMES[k], group)
            if others:
                turned += each[k] * (np.average(vectors[others], axis=0, weights=each[others]) - means.mean(axis=0))
                total += each[k]
        categories = [j for j in range(2) if (j, group) != (1, 2)]
        reached = sum((words[rows[j, group]].mean(axis=0) - centres[j]) @ (turned / total) for j in categories)
        assert shares[group] == pytest.approx(max(0.0, reached / sum(scores[j, group] for j in categories)), abs=1e-6)


def test_names_like_no_other_explain_nothing():
    vectors = unit(np.random.default_rng(1).normal(size=(4, DIMENSION)))
    labels = np.array([0, 0, 1, 1])
    means = np.array([vectors[:2].mean(axis=0), vectors[2:].mean(axis=0)])
    cells = Cells(vectors, np.array([0, 4]), means - means.mean(axis=0), vectors.mean(axis=0)[None], 1)
    rows = observed_scores(cells)[1]
    assert spelling_shares(cells, rows, ("Ada", "Abe", "Zoe", "Zed"), labels, vectors, None).tolist() == [0, 0]


def spelt(letters, rng):
    return letters + "".join(rng.choice(list("aeioumnlr"), size=4))


@pytest.fixture(scope="module")
def by_letters():
    """Names of four groups, of which two lie where their first letters do, as words with these letters do."""
    rng = np.random.default_rng(4)
    spread = np.linalg.qr(rng.normal(size=(DIMENSION, DIMENSION)))[0] * np.geomspace(0.4, 0.1, DIMENSION)[:, None]
    axes = np.linalg.qr(rng.normal(size=(DIMENSION, DIMENSION)))[0]
    letter = {"ka": axes[0], "mo": axes[1]}
    people = {"women": 1.3 * axes[2], "men": 1.3 * axes[3]}
    rows = {}
    for first, direction in letter.items():
        # Names of other groups begin with the same letters, and lie there too, though nearer to their own group.
        for bearers, count in ((np.zeros(DIMENSION), 40), (people["women"], 12), (people["men"], 12)):
            for _ in range(count):
                name = spelt(first, rng).capitalize()
                rows[name] = axes[5] + direction + bearers + rng.normal(scale=0.03, size=DIMENSION)
    for direction in people.values():
        for _ in range(30):
            name = spelt(str(rng.choice(["be", "do", "fi", "ge", "hu"])), rng).capitalize()
            rows[name] = axes[5] + direction + rng.normal(scale=0.03, size=DIMENSION)
    names = list(rows)
    for category in range(2):
        centre = axes[6 + category]
        for number in range(150):
            rows["x" + chr(97 + category) + chr(97 + number // 26) + chr(97 + number % 26)] = (
                centre + rng.normal(size=DIMENSION) @ spread
            )
        for direction in (*letter.values(), *people.values()):
            for _ in range(3):
                word = "y" + spelt(chr(97 + category), rng)
                rows[word] = centre + direction + rng.normal(scale=0.03, size=DIMENSION)
    return Embedding("letters", list(rows), np.array(list(rows.values()), dtype=np.float32)), names


def test_groups_that_share_letters_are_left_out_and_groups_of_people_stay(by_letters):
    embedding, names = by_letters
    options = {"groups": 4, "categories": 2, "copies": 100, "repeats": 0, "cleaning": "none"}
    found = enumerate_biases(embedding, names=names, **options)
    letters = {letter for letter, names in found.names.items() if len({name[:2] for name in names}) == 1}
    assert len(letters) == 2
    for group in found.groups:
        assert (group.reason == "spelling") == (group.spelling >= EXPLAINED) == (group.group in letters)
    assert {cell.group for cell in found.standing_out} == {*found.names} - letters
    assert max(cell.z for cell in found.cells if cell.reason) > 3  # they would have stood out
    rows = found.findings()
    for row in rows:
        if isinstance(row, UbeRow | UbeGroupRow):
            assert row.reason == ("spelling" if row.group in letters else None)
        if isinstance(row, UbeRow):
            assert (row.q is None) == (row.group in letters)
            assert row.z is not None
    (overview,) = (row for row in rows if isinstance(row, UbeOverviewRow))
    assert set(overview.groups_left_out) == letters


def test_where_spelling_plays_no_part_no_group_is_left_out(planted, small):
    found = enumerate_biases(planted.embedding, **small)
    assert max(group.spelling for group in found.groups) < 0.1
    assert {group.reason for group in found.groups} == {None}
    assert len(found.standing_out) == len(planted.words)


def test_the_papers_method_leaves_no_group_out(planted, paper):
    found = enumerate_biases(planted.embedding, **paper)
    assert {(group.spelling, group.reason) for group in found.groups} == {(None, None)}
