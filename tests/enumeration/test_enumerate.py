import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from refusals import refuses

from imprint.embeddings.embedding import Embedding
from imprint.enumeration.enumerate import enumerate_biases
from imprint.enumeration.null import KINDS
from imprint.enumeration.problem import build_problem
from imprint.enumeration.settings import Settings
from imprint.enumeration.solution import REPEAT_WORK, problem_seeds
from imprint.errors import EmbeddingFileError, SettingError, StimulusError, VocabularyError
from imprint.kinds.findings import read_findings
from imprint.significance.rotations import chunks, observed_scores, rotated_scores
from imprint.writing import write_findings


def found_words(result, planted):
    """Words that stand out by planted group: letters are put to groups by their names."""
    which = {name: i for i, names in enumerate(planted.names) for name in names}
    numbers = {letter: which[names[0]] for letter, names in result.names.items()}
    assert sorted(numbers.values()) == [0, 1, 2, 3]
    return {(numbers[cell.group], frozenset(cell.words)) for cell in result.standing_out}


def as_bytes(result):
    return (
        "\n".join(finding.to_json() for finding in result.findings()).encode()
        + repr([group.names for group in result.groups]).encode()
    )


def truth(planted):
    return {(i, words) for (i, _), words in planted.words.items()}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"cleaning": "centroid"},
        {"cleaning": "none"},
        {"centre": "all"},
        {"weighted": True},
        {"overlapping": True},
        {"without_frequency": True},
        {"seed": 9},
    ],
    ids=str,
)
def test_planted_associations_are_found_and_nothing_else(planted, small, options):
    result = enumerate_biases(planted.embedding, **small | options)
    assert found_words(result, planted) == truth(planted)
    assert result.overview.notes == ()
    whole = result.overview
    assert max(whole.expected_mirrored, whole.expected_frequency_kept) <= 0.1 * len(truth(planted))


@pytest.mark.parametrize("options", [{}, {"correction": "by", "rotations": 2_200}, {"correction": "max"}], ids=str)
def test_the_papers_method_finds_planted_associations(planted, paper, options):
    result = enumerate_biases(planted.embedding, **paper | options)
    assert found_words(result, planted) == truth(planted)
    assert result.overview.notes == ()
    assert (result.overview.expected_mirrored, result.overview.expected_frequency_kept) == (None, None)
    assert {(cell.z, cell.q) for cell in result.cells} == {(None, None)}


def test_the_papers_p_values_count_rotations(planted, paper):
    """The oracle: rotate the cells themselves with the run's own seeds."""
    settings = Settings(**paper)
    problem = build_problem(planted.embedding, "first", settings, problem_seeds(settings))
    seed = np.random.SeedSequence(settings.seed).spawn(5)[4]
    null = np.concatenate([rotated_scores(problem.cells, *task) for task in chunks(settings.rotations, seed)])
    scores, rows = observed_scores(problem.cells)
    p_values = (1 + np.sum(null >= scores, axis=0)) / (1 + settings.rotations)
    by_words = {
        tuple(planted.embedding.words[row] for row in problem.rows[rows[cell]]): p_values[cell]
        for cell in np.ndindex(scores.shape)
        if np.isfinite(scores[cell])
    }
    result = enumerate_biases(planted.embedding, **asdict(settings))
    assert {cell.words: cell.p_value for cell in result.cells} == by_words


def test_one_and_two_workers_give_the_same_bytes_and_another_seed_does_not(planted, small):
    results = []
    for workers, seed in ((1, 0), (2, 0), (None, 0), (1, 1)):
        with ThreadPoolExecutor(workers) as pool:
            given = pool if workers else None
            options = small | {"repeats": 3, "seed": seed}
            results.append(enumerate_biases(planted.embedding, workers=given, **options))
    one, two, own_pool, other_seed = (hashlib.sha256(as_bytes(result)).hexdigest() for result in results)
    assert one == two == own_pool != other_seed


def test_the_lengths_and_a_common_rotation_of_all_vectors_change_no_words_and_no_scores(planted, small):
    rng = np.random.default_rng(1)
    turn = np.linalg.qr(rng.normal(size=(planted.embedding.dimension,) * 2))[0]
    lengths = rng.uniform(0.1, 10, size=(len(planted.embedding), 1))
    turned = (planted.embedding.vectors @ turn * lengths).astype(np.float32)
    other = Embedding("turned", planted.embedding.words, turned)
    first, second = (enumerate_biases(embedding, **small) for embedding in (planted.embedding, other))
    assert [cell.words for cell in first.standing_out] == [cell.words for cell in second.standing_out]
    scores = [[cell.score for cell in result.standing_out] for result in (first, second)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-5)


def test_names_are_never_among_the_words(planted, small):
    lower = Embedding("lower", [word.lower() for word in planted.embedding.words], planted.embedding.vectors,
                      common=np.ones(len(planted.embedding), dtype=np.bool_))  # fmt: skip
    result = enumerate_biases(lower, cleaning="none", **small)
    names = {name.lower() for group in planted.names for name in group}
    assert not names & {word for cell in result.cells for word in cell.words}
    assert found_words(result, planted) == truth(planted)


def test_categories_come_by_the_sum_of_their_scores_that_stand_out(planted, small):
    result = enumerate_biases(planted.embedding, **small)
    categories = list(dict.fromkeys(cell.category for cell in result.cells))
    sums = [sum(cell.score for cell in result.standing_out if cell.category == number) for number in categories]
    assert categories == [1, 2, 3, 4, 5, 6]
    assert sums == sorted(sums, reverse=True)
    assert sums[3] > sums[4] == sums[5] == 0


def test_groups_come_by_share_of_women_with_demographics_that_did_not_form_them(planted, small):
    result = enumerate_biases(planted.embedding, **small)
    shares = [group.share_women for group in result.groups]
    assert shares == sorted(shares, reverse=True)
    assert shares[1] > 0.99 > 0.01 > shares[2]
    assert result.overview.names_asked > result.overview.names_found == 96
    assert len(result.names_dropped) == 19
    assert sum(map(len, result.names.values())) == sum(group.n_names for group in result.groups) == 77
    assert all(set(group.names) <= set(result.names[group.group]) for group in result.groups)


def test_an_embedding_without_associations_gives_none_and_says_nothing_of_no_bias(small):
    rng = np.random.default_rng(3)
    words = ["w" + "".join(rng.choice(list("abcdefgh"), 6)) for _ in range(400)]
    names = ["N" + word[1:] for word in words[:80]]
    vectors = rng.normal(size=(480, 24)).astype(np.float32)
    result = enumerate_biases(Embedding("noise", words + names, vectors), names=names, **small | {"seed": 1})
    assert result.standing_out == ()
    assert result.indirect is None
    assert len(result.cells) > 0
    assert "0 associations of 4 groups" in repr(result)


def test_indirect_biases_are_reported_beside_their_null(planted, small):
    result = enumerate_biases(planted.embedding, **small)
    # Only groups 0 and 1 have two categories in common.
    assert (result.indirect.tuples, result.indirect.share) == (1, 1.0)
    assert 0.5 < result.indirect.null_share <= 1.0
    assert result.indirect.null_rotations == 50
    (crossing,) = result.indirect.strongest
    assert {frozenset(words) for words in crossing.words} == {planted.words[i, j] for i in (0, 1) for j in (0, 1)}
    cells = {(cell.group, cell.category): cell.words for cell in result.standing_out}
    one, other = crossing.groups
    j, k = crossing.categories
    assert crossing.words == (cells[one, j], cells[other, j], cells[one, k], cells[other, k])
    assert crossing.product > 0
    assert crossing.standard_deviations > 0


def test_findings_survive_a_file(planted, small, tmp_path):
    findings = enumerate_biases(planted.embedding, **small).findings()
    write_findings(tmp_path / "findings.jsonl", findings)
    assert read_findings(tmp_path / "findings.jsonl") == list(findings)


def test_the_device_of_the_papers_rotations_makes_no_mirrored_copies_and_no_family_wise_p_values(planted, paper):
    with refuses(SettingError, option="device", got="cuda"):
        enumerate_biases(planted.embedding, **paper | {"correction": "max"}, device="cuda")


def test_progress_counts_up_to_the_total(planted, small):
    calls = []
    options = small | {"repeats": 2}
    enumerate_biases(planted.embedding, progress=lambda done, total: calls.append((done, total)), **options)
    done, totals = zip(*calls, strict=True)
    total = KINDS * 100 + 2 * REPEAT_WORK
    assert set(totals) == {total}
    assert list(done) == sorted(set(done))
    assert done[-1] == total


def test_the_settings_are_in_the_row_of_the_whole(planted, small):
    whole = enumerate_biases(planted.embedding, **small | {"copies": 20, "fdr": 0.5, "top": 2, "seed": 3}).overview
    assert (whole.copies, whole.fdr, whole.groups, whole.top, whole.seed) == (20, 0.5, 4, 2, 3)


@pytest.mark.parametrize(
    ("correction", "rotations", "enough"),
    [
        ("bh", 478, False),
        ("bh", 479, True),
        ("by", 1_811, False),
        ("by", 1_812, True),
        ("max", 18, False),
        ("max", 19, True),
    ],
)
def test_too_few_rotations_for_a_lone_association_are_noted(planted, paper, correction, rotations, enough):
    result = enumerate_biases(planted.embedding, **paper | {"correction": correction, "rotations": rotations})
    if enough:
        assert result.overview.notes == ()
    else:
        (note,) = result.overview.notes
        assert note.startswith(f"{rotations:,} rotations are too few for a lone association among 24 cells")
        assert note.endswith(f"{rotations + 1:,} would do")


@pytest.mark.parametrize(
    ("options", "error", "fields"),
    [
        ({"names": ["Nobody", "Noone"]}, VocabularyError, {"where": "planted", "words": ("Nobody", "Noone")}),
        ({"names": []}, VocabularyError, {"where": "planted", "words": ()}),
        ({"names": "/nowhere/names.txt"}, StimulusError, {"where": Path("/nowhere/names.txt")}),
        ({"names": ["Mary", "Linda"], "cleaning": "none"}, SettingError, {"option": "groups", "got": 4}),
        ({"words": 5}, SettingError, {"got": 6}),
        ({"categories": 700}, SettingError, {"got": 700}),
        ({"top": 200}, SettingError, {"option": "top", "got": 200}),
        ({"copies": 0}, SettingError, {"option": "copies", "got": 0}),
        ({"rotations": 50}, SettingError, {"option": "rotations", "got": 50}),
        ({"repeats": -1}, SettingError, {"option": "repeats", "got": -1}),
        ({"device": "tpu"}, SettingError, {"option": "device", "got": "tpu"}),
        ({"device": "cuda"}, SettingError, {"option": "device", "got": "cuda"}),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(planted, small, options, error, fields):
    names = options.get("names", "first")
    rest = {key: value for key, value in options.items() if key != "names"}
    with refuses(error, **fields):
        enumerate_biases(planted.embedding, names=names, **small | rest)


@pytest.mark.parametrize("options", [{}, {"without_frequency": True}, {"cleaning": "centroid"}])
def test_vectors_that_are_all_the_same_are_refused(planted, small, options):
    vectors = np.ones_like(planted.embedding.vectors)
    with refuses(SettingError, "1 different"):
        enumerate_biases(Embedding("same", planted.embedding.words, vectors), **small | options)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_vector_that_is_no_number_is_refused_with_its_word(planted, small, bad):
    vectors = planted.embedding.vectors.copy()
    vectors[100, 3] = bad
    word = planted.embedding.words[100]
    with refuses(EmbeddingFileError, where="broken", words=(word,)):
        enumerate_biases(Embedding("broken", planted.embedding.words, vectors), **small)
