import math
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from fields import splits, values
from refusals import refuses

import imprint
from imprint.association.cosines import cosines
from imprint.association.weat import weat
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, StimulusError, VocabularyError
from imprint.stimuli.catalog import catalogue, get
from imprint.stimuli.definition import WeatTest, WordSet, word_sets


def naive(embedding, targets, attributes):
    """The paper's formulas, literally, in ordinary float64."""
    unit = {w: v / np.linalg.norm(v) for w, v in zip(embedding.words, embedding.vectors.astype(float), strict=True)}

    def s(word):
        return np.mean([unit[word] @ unit[a] for a in attributes[0]]) - np.mean(
            [unit[word] @ unit[b] for b in attributes[1]]
        )

    x, y = ([s(word) for word in side] for side in targets)
    a, b = (np.array([unit[word] for word in side]) for side in attributes)
    noise = sum(np.var(side, axis=0, ddof=1).sum() / len(side) for side in (a, b))
    distance = np.sum((a.mean(axis=0) - b.mean(axis=0)) ** 2) - noise
    return {
        "size": (np.mean(x) - np.mean(y)) / distance,
        "effect_size": (np.mean(x) - np.mean(y)) / np.std(x + y, ddof=1),
        "statistic": sum(x) - sum(y),
        "mean_difference": np.mean(x) - np.mean(y),
        "d_within": (np.mean(x) - np.mean(y))
        / math.sqrt((np.var(x, ddof=1) * (len(x) - 1) + np.var(y, ddof=1) * (len(y) - 1)) / (len(x) + len(y) - 2)),
    }


def test_every_statistic_is_the_papers_formula(embedding, targets, attributes):
    result = weat(embedding, targets=targets, attributes=attributes)
    for name, value in naive(embedding, targets, attributes).items():
        assert getattr(result, name) == pytest.approx(value, abs=1e-12)


def test_a_planted_association_is_found_and_its_absence_is_not(embedding, targets, attributes):
    assert weat(embedding, targets=targets, attributes=attributes).p_value == 1 / math.comb(12, 6)
    shuffled = (targets[0][:3] + targets[1][:3], targets[0][3:] + targets[1][3:])
    assert weat(embedding, targets=shuffled, attributes=attributes).p_value > 0.05


@pytest.mark.parametrize("seed", range(5))
def test_neither_words_order_nor_rows_order_matters(embedding, targets, attributes, seed):
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(embedding))
    moved = Embedding("moved", [embedding.words[row] for row in rows], embedding.vectors[rows])
    result = weat(
        moved,
        targets=tuple(rng.permutation(side).tolist() for side in targets),
        attributes=tuple(rng.permutation(side).tolist() for side in attributes),
    )
    reference = weat(embedding, targets=targets, attributes=attributes)
    assert result.effect_size == pytest.approx(reference.effect_size, abs=1e-12)
    assert values(result.scores) == values(reference.scores)
    assert splits(result) == splits(reference)
    assert (result.size, result.size_low, result.size_high) == pytest.approx(
        (reference.size, reference.size_low, reference.size_high), rel=1e-9
    )
    assert (result.outcome, result.reason) == (reference.outcome, reference.reason)


def test_swapping_targets_or_attributes_negates_the_effect(embedding, targets, attributes):
    reference = weat(embedding, targets=targets, attributes=attributes)
    swapped_targets = weat(embedding, targets=targets[::-1], attributes=attributes)
    swapped_attributes = weat(embedding, targets=targets, attributes=attributes[::-1])
    assert swapped_targets.effect_size == -reference.effect_size
    assert swapped_attributes.effect_size == -reference.effect_size
    assert weat(embedding, targets=targets[::-1], attributes=attributes[::-1]).effect_size == reference.effect_size
    two_sided = [
        weat(embedding, targets=t, attributes=attributes, alternative="two-sided").p_value
        for t in (targets, targets[::-1])
    ]
    assert two_sided[0] == two_sided[1]


def test_scaling_rows_by_powers_of_two_changes_nothing_at_all(embedding, targets, attributes):
    scale = np.exp2(np.random.default_rng(1).integers(-8, 9, len(embedding))).astype(np.float32)
    scaled = Embedding("scaled", embedding.words, embedding.vectors * scale[:, None])
    result = weat(scaled, targets=targets, attributes=attributes)
    assert result.scores == weat(embedding, targets=targets, attributes=attributes).scores


def test_rotating_the_space_changes_nothing_but_rounding(embedding, targets, attributes):
    rotation = np.linalg.qr(np.random.default_rng(2).normal(size=(20, 20)))[0]
    turned = Embedding("turned", embedding.words, (embedding.vectors.astype(float) @ rotation).astype(np.float32))
    result = weat(turned, targets=targets, attributes=attributes)
    reference = weat(embedding, targets=targets, attributes=attributes)
    assert result.effect_size == pytest.approx(reference.effect_size, abs=1e-5)


def test_the_effect_cannot_pass_its_bound():
    vectors = np.array([[1, 0.001], [1, -0.001], [0.001, 1], [-0.001, 1], [1, 0], [1, 0.01], [0, 1], [0.01, 1]])
    embedding = Embedding("extreme", list("abcdefgh"), vectors.astype(np.float32))
    result = weat(embedding, targets=(list("ab"), list("cd")), attributes=(list("ef"), list("gh")))
    assert 1.7 < result.effect_size <= 2 * math.sqrt(3 / 4)
    assert result.d_within > 100


@pytest.mark.parametrize(("n", "m"), [(2, 8), (3, 3), (7, 2)])
def test_sets_of_any_size_have_their_own_bound(n, m):
    rng = np.random.default_rng(0)
    near, far = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    vectors = np.concatenate([np.tile(near, (n, 1)), np.tile(far, (m, 1)), [near, near, far, far]])
    vectors += rng.normal(0, 1e-4, vectors.shape)
    words = [f"w{i}" for i in range(n + m + 4)]
    embedding = Embedding("extreme", words, vectors.astype(np.float32))
    result = weat(embedding, targets=(words[:n], words[n : n + m]), attributes=(words[-4:-2], words[-2:]))
    bound = math.sqrt((n + m) * (n + m - 1) / (n * m))
    assert 0.999 * bound < result.effect_size <= bound


@pytest.mark.parametrize("seed", range(20))
def test_identical_targets_have_no_effect_size_however_their_mean_is_rounded(seed):
    rng = np.random.default_rng(seed)
    # One direction at several lengths: what tells the cosines apart is the rounding of the numbers as they are kept.
    targets = np.outer(2.0 ** rng.integers(-3, 4, 23), rng.normal(size=20)) * rng.choice([1, 3, 5, 7], (23, 1))
    vectors = np.concatenate([targets, rng.normal(size=(6, 20))]).astype(np.float32)
    words = [f"w{i}" for i in range(29)]
    result = weat(
        Embedding("same", words, vectors), targets=(words[:12], words[12:23]), attributes=(words[23:26], words[26:])
    )
    assert (result.effect_size, result.d_within) == (None, None)
    assert result.size_low is None
    assert (result.outcome, result.p_value) == ("cannot tell", 1)


def test_cosines_are_correctly_rounded_sums():
    rng = np.random.default_rng(3)
    rows, columns = rng.normal(size=(3, 50)).astype(np.float32), rng.normal(size=(2, 50)).astype(np.float32)
    table = cosines(rows, columns)
    for i, u in enumerate(rows):
        for j, v in enumerate(columns):
            dot = sum(Fraction(float(p)) * Fraction(float(q)) for p, q in zip(u, v, strict=True))
            norms = [math.sqrt(float(sum(Fraction(float(p)) ** 2 for p in w))) for w in (u, v)]
            assert table[i, j] == float(dot) / (norms[0] * norms[1])


def test_scores_that_do_not_vary_have_no_effect_size_and_p_one():
    embedding = Embedding("flat", list("abcdefgh"), np.ones((8, 3), dtype=np.float32))
    result = weat(embedding, targets=(list("ab"), list("cd")), attributes=(list("ef"), list("gh")))
    assert (result.effect_size, result.size) == (None, None)
    assert (result.outcome, result.p_value) == ("cannot tell", 1)
    assert result.to_dict()["effect_size"] is None


def test_missing_words_are_reported_and_leave_unequal_sets(embedding, targets, attributes):
    wider = (*targets[0], "orchid", "peony"), targets[1]
    result = weat(embedding, targets=wider, attributes=(attributes[0], (*attributes[1], "vomit")))
    assert result.missing == ("orchid", "peony", "vomit")
    assert (result.n_x, result.n_y, result.n_a, result.n_b) == (6, 6, 4, 5)
    assert result.partitions == str(math.comb(12, 6))


def test_fewer_than_two_words_left_is_refused_by_name(embedding, targets, attributes):
    with refuses(VocabularyError, "planted", where="X", words=("orchid", "peony")):
        weat(embedding, targets=(("rose", "orchid", "peony"), targets[1]), attributes=attributes)
    with refuses(VocabularyError, where="X", words=("orchid", "peony")):
        weat(embedding, targets=(("orchid", "peony"), targets[1]), attributes=attributes)


def test_a_refusal_names_every_missing_word_of_the_longest_published_set(embedding, targets, attributes):
    published = [test for test in catalogue() if not getattr(test, "is_question", False)]
    longest = max(len(words) for test in published for words in word_sets(test).values())
    unknown = [f"unknown{number}" for number in range(longest)]
    with refuses(VocabularyError, words=tuple(unknown)) as refused:
        weat(embedding, targets=(unknown, targets[1]), attributes=attributes)
    assert all(repr(word) in str(refused.value) for word in unknown)
    with refuses(VocabularyError, "'unknown109' and 890 more"):
        weat(embedding, targets=([f"unknown{n}" for n in range(1000)], targets[1]), attributes=attributes)


def test_words_that_meet_in_lower_case_are_refused(embedding, targets, attributes):
    with refuses(VocabularyError, words=("Rose", "rose")):
        weat(embedding, targets=(("rose", "Rose", "iris"), targets[1]), attributes=attributes)
    with refuses(VocabularyError, words=("rose", "Rose")):
        weat(embedding, targets=(("rose", "iris"), ("Rose", "wasp")), attributes=attributes)


def test_words_found_in_lower_case_are_told(embedding, targets, attributes):
    result = weat(embedding, targets=(("ROSE", "Iris", "lily"), targets[1]), attributes=attributes)
    assert result.lowered == ("ROSE", "Iris")
    assert result.to_dict()["lowered"] == ["ROSE", "Iris"]


def test_targets_that_are_no_two_lists_are_refused(embedding, attributes):
    with refuses(SettingError, option="targets", got=("rose", "ant")):
        weat(embedding, targets=("rose", "ant"), attributes=attributes)


def test_overlapping_sets_are_refused(embedding, attributes):
    with refuses(StimulusError, "'rose' in both x"):
        weat(embedding, targets=(("rose", "iris"), ("rose", "wasp")), attributes=attributes)
    with refuses(StimulusError, "x (X)"):
        weat(embedding, targets=((), ("rose", "wasp")), attributes=attributes)


def test_a_large_test_can_be_sampled_on_request(embedding, targets, attributes):
    result = weat(embedding, targets=targets, attributes=attributes, draws=5_000)
    assert result.p_method == "sampled"
    assert result.to_dict()["extreme"] is None


def test_a_test_is_checked_before_it_runs(embedding, targets, attributes):
    sets = [WordSet.of(name, words) for name, words in zip("XYAB", (*targets, *attributes), strict=True)]
    test = WeatTest("own", "t", "s", "en", *sets)
    with refuses(StimulusError, "'love' in both a"):
        weat(embedding, replace(test, b=WordSet.of("B", ("love", "grief"))))


def test_the_name_of_an_embedding_opens_it():
    assert weat("default", "caliskan-6").embedding == "glove.6B.100d"


def test_one_weat_from_a_file_to_its_table_loads_few_modules_and_no_compiler():
    script = (
        "import sys, imprint\n"
        "result = imprint.weat(imprint.load('default'), 'caliskan-6')\n"
        "from imprint.kinds.sections import blocks\n"
        "list(blocks(result.findings()))\n"
        "names = [name.partition('.')[0] for name in sys.modules]\n"
        "print(names.count('imprint'), {'numba', 'scipy'} & set(names))"
    )
    modules, others = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split(maxsplit=1)
    assert int(modules) <= 55
    assert others == "set()\n"


@pytest.mark.parametrize("options", [{"draws": 0}, {"draws": 2.5}, {"seed": -1}])
def test_settings_out_of_range_are_refused_of_questions_too(options):
    ((name, value),) = options.items()
    with refuses(SettingError, option=name, got=value):
        imprint.weat("default", "gender-career", **options)
    with refuses(SettingError, option=name, got=value):
        imprint.run_battery("default", [get("gender-career")], **options)


@pytest.mark.parametrize("options", [{"alternative": "sideways"}, {"seed": -1}, {"draws": 3}, {"field": "body"}])
def test_settings_out_of_range_are_refused_in_sentences_too(options):
    ((name, value),) = options.items()
    with refuses(SettingError, option=name, got=value):
        imprint.seat("default", "gender-career", **options)
