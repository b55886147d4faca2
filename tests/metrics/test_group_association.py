"""Lemmas 1-3 of Swinger et al. (2019), on random embeddings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses

from imprint.association.weat import weat
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError
from imprint.metrics.group_association import group_association

NAMES, WORDS = [f"n{i}" for i in range(14)], [f"w{i}" for i in range(12)]


@pytest.fixture
def embedding():
    return random_embedding(0)


def random_embedding(seed):
    vectors = np.random.default_rng(seed).normal(size=(26, 9))
    return Embedding("random", [*NAMES, *WORDS], vectors.astype(np.float32))


def subsets(pool, count, smallest=2):
    return st.lists(st.lists(st.sampled_from(pool), min_size=smallest, unique=True), min_size=count, max_size=count)


@given(st.permutations(NAMES), subsets(WORDS, 2), st.integers(2, 7))
@settings(max_examples=30, deadline=None)
def test_lemma_1_two_equal_groups_are_weat_up_to_their_size(names, attributes, size):
    if set(attributes[0]) & set(attributes[1]):
        attributes = [attributes[0], [w for w in WORDS if w not in attributes[0]]]
    if len(attributes[1]) < 2:
        return
    embedding = random_embedding(1)
    x1, x2 = names[:size], names[size : 2 * size]
    g = group_association(embedding, [(x1, attributes[0]), (x2, attributes[1])])
    s = weat(embedding, targets=(x1, x2), attributes=tuple(attributes)).statistic
    assert s == pytest.approx(2 * size * g)


@given(subsets(NAMES, 1), subsets(WORDS, 1))
@settings(max_examples=30, deadline=None)
def test_lemma_2_one_group_is_a_comparison_with_everything_and_with_the_rest(targets, attributes):
    embedding = random_embedding(2)
    (x,), (a,) = targets, attributes
    rest_x, rest_a = [n for n in NAMES if n not in x], [w for w in WORDS if w not in a]
    g = group_association(embedding, [(x, a)], all_targets=NAMES, all_attributes=WORDS)
    assert g == pytest.approx(2 * group_association(embedding, [(x, a), (NAMES, WORDS)]))
    if len(rest_x) >= 2 and len(rest_a) >= 2:
        share = len(rest_x) / len(NAMES) * len(rest_a) / len(WORDS)
        assert g == pytest.approx(2 * share * group_association(embedding, [(x, a), (rest_x, rest_a)]))


@given(st.integers(2, 4).flatmap(lambda n: st.tuples(subsets(NAMES, n), subsets(WORDS, n))))
@settings(max_examples=30, deadline=None)
def test_lemma_3_many_groups_decompose_into_single_ones(sets):
    embedding = random_embedding(3)
    targets, attributes = sets

    def single(x, a):
        return group_association(embedding, [(x, a)], all_targets=NAMES, all_attributes=WORDS)

    n = len(targets)
    own = sum(single(x, a) for x, a in zip(targets, attributes, strict=True))
    crossed = sum(single(x, a) for x in targets for a in attributes) / n
    g = group_association(embedding, list(zip(targets, attributes, strict=True)))
    assert g == pytest.approx(own - crossed)


def test_the_order_of_groups_does_not_matter(embedding):
    groups = [(NAMES[:3], WORDS[:4]), (NAMES[3:8], WORDS[4:6]), (NAMES[8:], WORDS[6:])]
    assert group_association(embedding, groups) == pytest.approx(group_association(embedding, groups[::-1]))


def test_a_single_group_needs_something_to_be_compared_with(embedding):
    with refuses(SettingError, option="all_targets"):
        group_association(embedding, [(NAMES[:3], WORDS[:3])])
    with refuses(SettingError, option="groups", got=[]):
        group_association(embedding, [])
