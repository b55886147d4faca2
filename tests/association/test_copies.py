"""Altered copies: what each keeps and breaks, their p-values against the tool's own, and the error rates they show."""

from dataclasses import replace

import numpy as np
import pytest

from imprint.association.calibration import MOST_COPIES, calibrate, family_of
from imprint.association.copies import Copies, judge_copies, judge_null, p_values_of
from imprint.association.evidence import check
from imprint.association.kernels import count_reaching, in_buckets
from imprint.association.verdicts import FOUND
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, VocabularyError
from imprint.significance.partitions import binomial_interval, permutation_test
from imprint.subjects.opening import load
from tests.support.refusals import refuses

NULLS = ("shuffled", "by frequency", "rotated", "flipped", "flipped but frequency", "clusters")


@pytest.fixture(scope="module")
def family():
    return family_of(load("default"))


@pytest.fixture(scope="module")
def made(family):
    tests, background = family
    return {null: Copies(tests, background, 3, np.random.default_rng(1)).make(null) for null in NULLS}


def test_the_family_is_the_tests_about_people(family):
    assert len(family[0]) == 17


@pytest.mark.parametrize("null", NULLS)
def test_copies_are_unit_vectors_of_the_tests_shapes(family, made, null):
    for one, (targets, attributes) in zip(family[0], made[null], strict=True):
        assert targets.shape == (3, *one.contrast.targets.shape)
        assert attributes.shape == (3, *one.contrast.attributes.shape)
        assert np.allclose(np.linalg.norm(targets, axis=2), 1, atol=1e-4)


@pytest.mark.parametrize("null", ["rotated", "flipped", "flipped but frequency"])
def test_turned_targets_keep_how_alike_they_are(family, made, null):
    for one, (targets, attributes) in zip(family[0], made[null], strict=True):
        own = one.contrast.targets @ one.contrast.targets.T
        for copy in targets:
            assert np.allclose(copy @ copy.T, own, atol=1e-4)
            assert not np.allclose(copy, one.contrast.targets, atol=0.1)
        assert np.allclose(attributes, one.contrast.attributes, atol=1e-6)


def test_a_word_of_two_tests_has_one_vector(family, made):
    tests = family[0]
    for null in ("shuffled", "by frequency"):
        seen = {}
        for one, (targets, attributes) in zip(tests, made[null], strict=True):
            for words, vectors in ((one.table.targets, targets), (one.table.attributes, attributes)):
                for word, vector in zip(words, vectors[0], strict=True):
                    assert np.array_equal(seen.setdefault(word, vector), vector)


def test_p_values_of_a_copy_are_those_of_the_tool(family, made):
    """A copy is a subject like any other: its checks, made one at a time, agree with those made all at once."""
    tests, background = family
    for one, vectors in list(zip(tests, made["by frequency"], strict=True))[3:8]:
        label, frequency, words = p_values_of(one, *vectors, background, 0)
        targets, attributes = (side[0].astype(np.float64) for side in vectors)
        contrast = replace(one.contrast, targets=targets, attributes=attributes)
        table = replace(one.table, cosines=targets @ attributes.T)
        scores = targets @ contrast.v
        exact = permutation_test(scores[: one.table.n_x], scores[one.table.n_x :], alternative="two-sided")
        slow = check(contrast, background, exact, table, 0)
        error = 4 * np.sqrt(exact.p_value / 20_000) + 1e-4
        assert label[0] == pytest.approx(slow.p_label, abs=error)
        assert frequency[0] == pytest.approx(slow.p_frequency, rel=0.1, abs=1e-3)
        assert words[0] == pytest.approx(slow.p_words, rel=1e-3)


def test_copies_are_judged_by_their_own_p_values(family):
    """A copy whose p-values are all tiny is moderate at least; one whose check of words fails is limited."""
    tests, background = family
    made = Copies(tests, background, 2, np.random.default_rng(2)).make("shuffled")
    small, large = np.full(2, 1e-6), np.array([1e-6, 0.9])
    judged = judge_copies(tests, made, [(small, small, large)] * len(tests), background, 0.05)
    able = [place for place, one in enumerate(tests) if one.enough]
    assert {judged[0][place].evidence for place in able} <= {"moderate", "strong"}
    assert {judged[1][place].evidence for place in able} == {"limited"}
    assert all("words" in judged[1][place].checks_failed for place in able)


def test_copies_depend_on_the_seed_alone(family):
    tests, background = family
    one, same, other = (
        judge_null(tests, background, "flipped", copies=4, alpha=0.05, seed=seed) for seed in (3, 3, 4)
    )
    assert one == same != other


def test_calibration_counts_copies_by_level():
    found = calibrate("default", copies=10)
    assert [row.null for row in found.rows] == list(NULLS)
    for row in found.rows:
        strong, moderate, limited = (row.share(level) for level in FOUND)
        assert strong.copies <= moderate.copies <= limited.copies <= row.copies == 10
        assert (limited.low, limited.high) == binomial_interval(limited.copies, 10, 0.95)


def test_a_small_vocabulary_cannot_be_calibrated():
    small = Embedding("small", ["a", "b"], np.eye(2, dtype=np.float32))
    with refuses(VocabularyError, "2 words"):
        calibrate(small)


def test_the_number_of_copies_is_checked():
    with refuses(SettingError, option="copies"):
        calibrate("default", copies=MOST_COPIES + 1)


@pytest.mark.slow
@pytest.mark.parametrize("null", NULLS)
def test_strong_evidence_is_rare_in_fresh_copies(family, null):
    """At least one strong finding in at most 7 % of 200 fresh copies; of moderate ones only frequency is checked."""
    judged = judge_null(*family, null, copies=200, alpha=0.05, seed=20_261)
    strong = sum(any(one.evidence == "strong" for one in copy) for copy in judged)
    moderate = sum(any(one.evidence in FOUND[:2] for one in copy) for copy in judged)
    for level, copies in (("strong", strong), ("moderate", moderate)):
        low, high = binomial_interval(copies, 200, 0.95)
        print(f"{null}: {level} in {copies / 200:.1%} of 200 copies (95 % bounds {low:.1%} to {high:.1%})")
    assert strong <= 14
    if null in ("rotated", "flipped", "flipped but frequency", "clusters"):
        assert moderate > 14, "these copies keep what the moderate level does not rule out"
    if null in ("shuffled", "by frequency"):
        assert moderate <= 14


@pytest.mark.slow
@pytest.mark.parametrize(("size", "least", "most"), [(0.05, 0.0, 0.25), (0.1, 0.2, 0.75), (0.2, 0.75, 1.0)])
def test_planted_associations_are_found(family, size, least, most):
    """One planted test of 17, 8 + 8 words, on copies shuffled by frequency: moderate evidence or better."""
    tests, background = family
    place = next(at for at, one in enumerate(tests) if one.table.cosines.shape == (16, 16))
    rng = np.random.default_rng([9, round(100 * size)])
    made = Copies(tests, background, 100, rng).make("by frequency")
    made[place] = planted(*made[place], size, background.rows, rng)
    p_values = [p_values_of(one, *vectors, background, 0) for one, vectors in zip(tests, made, strict=True)]
    judged = judge_copies(tests, made, p_values, background, 0.05)
    found = np.mean([copy[place].evidence in FOUND[:2] for copy in judged])
    print(f"planted {size}: moderate or strong in {found:.0%} of 100 copies")
    assert least <= found <= most


def planted(targets, attributes, size, rows, rng):
    """Move X and A one way, and Y and B the other, along the difference of two words."""
    way = rows[rng.integers(4_000, size=100)] - rows[rng.integers(4_000, size=100)]
    way *= np.sqrt(size) / 2 / np.linalg.norm(way, axis=1, keepdims=True)
    moved = [
        np.concatenate([side[:, :8] + way[:, None], side[:, 8:] - way[:, None]], axis=1)
        for side in (targets, attributes)
    ]
    return tuple(side / np.linalg.norm(side, axis=2, keepdims=True) for side in moved)


@pytest.mark.parametrize("values", [np.linspace(0, 1, 999) ** 3, np.zeros(5), np.full(5, 0.3), [1e-38, 1, 1, 2]])
def test_numbers_in_buckets_are_counted_as_sorted_ones_are(values):
    numbers = np.asarray(values, dtype=np.float32)
    thresholds = np.concatenate([[0, 0.3, 5, 1e300], numbers.astype(np.float64), numbers * (1 + 1e-7)])
    counted = count_reaching(*in_buckets(numbers), thresholds)
    assert counted.tolist() == [int(np.sum(numbers.astype(np.float64) >= one)) for one in thresholds]


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
def test_numbers_and_thresholds_without_a_bucket_are_refused(value):
    numbers = np.array([0.5, value, 0.25], dtype=np.float32)
    with pytest.raises(ValueError, match="finite and not negative"):
        in_buckets(numbers)
    if value != np.inf:
        with pytest.raises(ValueError, match="thresholds"):
            count_reaching(*in_buckets(np.ones(3, dtype=np.float32)), np.array([0.5, value]))
