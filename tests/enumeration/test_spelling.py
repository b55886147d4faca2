import numpy as np
import pytest

from imprint.enumeration.confounds import spelling_ranks
from imprint.enumeration.enumerate import enumerate_biases

NAMES = ("Marla", "Maria", "Lola", "Lila", "Marta", "Lena")
LABELS = np.array([0, 0, 1, 1, 0, 1])
WORDS = ("marble", "stone", "lull", "bird", "martens", "lilac", "fox", "xyz")


def pieces(word):
    ended = f"<{word.lower()}>"
    return {ended[a:b] for a in range(len(ended)) for b in range(a + 1, len(ended) + 1) if b - a <= 3}


def likeness(word, own, others):
    """Mean over the word's pieces: share of the group's names that have the piece, less the share of the others."""

    def share(piece, members):
        return np.mean([piece in pieces(name) for name in members])

    return np.mean([share(piece, own) - share(piece, others) for piece in sorted(pieces(word))])


@pytest.mark.parametrize("seed", range(5))
def test_words_are_ranked_within_their_category_by_pieces_shared_with_the_names(seed):
    rng = np.random.default_rng(seed)
    spelt = [("".join(rng.choice(list("abc"), size=rng.integers(2, 6)))) for _ in range(40)]
    names, words, labels = [name.capitalize() for name in spelt[:16]], spelt[16:], np.arange(16) % 3
    chosen = np.stack([rng.choice(12, size=(3, 2)), 12 + rng.choice(12, size=(3, 2))])
    ranks = spelling_ranks(names, labels, words, np.array([0, 12, 24]), chosen)
    for j, category in enumerate((words[:12], words[12:])):
        for i in range(3):
            own = [names[k] for k in np.flatnonzero(labels == i)]
            others = [names[k] for k in np.flatnonzero(labels != i)]
            scores = np.array([likeness(word, own, others) for word in category])
            expected = [
                np.mean(scores < scores[row - 12 * j] - 1e-12) + np.mean(np.isclose(scores, scores[row - 12 * j])) / 2
                for row in chosen[j, i]
            ]
            assert ranks[j, i] == pytest.approx(np.mean(expected))


def test_words_that_begin_like_the_names_rank_high():
    ranks = spelling_ranks(NAMES, LABELS, WORDS, np.array([0, 4, 8]), np.array([[[0], [2]], [[4], [5]]]))
    assert (ranks > 0.7).all()


def test_a_cell_with_too_few_words_has_no_rank():
    ranks = spelling_ranks(NAMES, LABELS, WORDS, np.array([0, 8]), np.array([[[0, 4], [-1, -1]]]))
    assert np.isnan(ranks).tolist() == [[False, True]]


def test_words_that_share_no_letter_with_any_name_are_all_alike():
    ranks = spelling_ranks(("Ada", "Bob"), np.array([0, 1]), ("xyz", "zyx"), np.array([0, 2]), np.array([[[0], [1]]]))
    assert ranks.tolist() == [[0.5, 0.5]]


def test_where_spelling_plays_no_part_ranks_are_half_on_average(planted, small):
    # The planted words are spelt by number, all with the same first letters.
    found = enumerate_biases(planted.embedding, **small)
    ranks = [cell.spelling for cell in found.associations]
    assert np.mean(ranks) == pytest.approx(0.5, abs=0.1)
    by_group = [found.spelling(group.letter) for group in found.groups]
    counts = [sum(cell.group == group.letter for cell in found.significant) for group in found.groups]
    assert found.spelling() == pytest.approx(np.average(by_group, weights=counts))
