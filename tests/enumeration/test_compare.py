"""One embedding beside another over the same groups and categories."""

import json
from dataclasses import asdict, replace

import msgspec
import numpy as np
import pytest
from refusals import refuses

from imprint.embeddings.embedding import Embedding
from imprint.enumeration.enumerate import enumerate_biases
from imprint.enumeration.problem import build_problem, transfer_problem
from imprint.enumeration.rows import UbeOverviewRow, UbeRow
from imprint.enumeration.settings import Settings
from imprint.enumeration.solution import REPEAT_WORK, count_work, problem_seeds
from imprint.errors import EmbeddingFileError, SettingError, VocabularyError


def changed(embedding, vectors, name="other"):
    """The same words with other vectors, in another order, each as frequent as before."""
    order = np.random.default_rng(5).permutation(len(embedding))
    words = [embedding.words[i] for i in order]
    return Embedding(name, words, vectors[order].astype(np.float32), ranks=order.astype(np.int32))


def without(embedding, gone):
    kept = [i for i, word in enumerate(embedding.words) if word not in gone]
    words = [embedding.words[i] for i in kept]
    return Embedding("fewer", words, embedding.vectors[kept], ranks=np.array(kept, dtype=np.int32))


def noisy(embedding, scale=0.3):
    noise = np.random.default_rng(8).normal(scale=scale, size=embedding.vectors.shape)
    return changed(embedding, embedding.vectors + noise * embedding.norms[:, None] / 5)


def plain(cell):
    """What a cell says of itself: not whose it is, how many names were asked for, or what became of it."""
    others = ("embedding", "names_asked", "names_missing", "against", "groups_of", "left", "new")
    return {name: value for name, value in msgspec.structs.asdict(cell).items() if not name.startswith(others)}


def change_of(cell):
    return {True: "left", False: "lost", None: None}[cell.left]


def scores(cells):
    return [cell.score for cell in cells]


def whole_of_other(found):
    return found.of(UbeOverviewRow)[1]


@pytest.fixture(scope="module")
def same(planted, small):
    return enumerate_biases(planted.embedding, against=planted.embedding, **small)


@pytest.mark.parametrize(
    "options",
    [{}, {"weighted": True}, {"without_frequency": True}, {"centre": "all"}, {"seed": 3}, {"method": "paper"}],
    ids=str,
)
def test_an_embedding_beside_itself_loses_and_gains_nothing_to_the_last_bit(planted, small, paper, options):
    settings = (paper if "method" in options else small) | {"fdr": 0.2} | options
    found = enumerate_biases(planted.embedding, against=planted.embedding, **settings)
    alone = enumerate_biases(planted.embedding, **settings)
    assert found.overview == alone.overview
    assert found.groups == alone.groups
    assert found.names == alone.names
    assert [plain(cell) for cell in found.cells] == [plain(cell) for cell in alone.cells]
    assert [plain(cell) for cell in found.cells_of_other] == [plain(cell) for cell in alone.cells]
    assert whole_of_other(found).associations == alone.overview.associations
    assert {change_of(cell) for cell in found.cells} == {"left", None}
    assert [cell.against_score_of_same_words for cell in found.cells] == pytest.approx(scores(found.cells))
    assert found.words_missing == ()
    assert whole_of_other(found).names_missing == 0


def test_the_order_of_the_other_vocabulary_changes_nothing(planted, small, same):
    embedding = planted.embedding
    found = enumerate_biases(embedding, against=changed(embedding, embedding.vectors), **small)
    assert [plain(cell) for cell in found.cells_of_other] == [plain(cell) for cell in same.cells_of_other]


@pytest.mark.parametrize("more", [0, 7])
def test_rotated_vectors_and_vectors_of_another_dimension_are_scored_alike(planted, small, same, more):
    size = planted.embedding.dimension + more
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(size, size)))[0][: planted.embedding.dimension]
    other = changed(planted.embedding, planted.embedding.vectors @ turn)
    found = enumerate_biases(planted.embedding, against=other, **small)
    assert scores(found.cells_of_other) == pytest.approx(scores(same.cells), abs=1e-5)
    assert [cell.words for cell in found.cells_of_other] == [cell.words for cell in same.cells]
    assert not any(cell.left is False for cell in found.cells)


@pytest.mark.parametrize("options", [{}, {"weighted": True}, {"centre": "all"}, {"overlapping": True}], ids=str)
def test_the_other_is_scored_by_its_own_vectors_over_the_first_ones_groups_and_categories(planted, small, options):
    settings = Settings(**small | {"copies": 20} | options)
    gone = {planted.names[0][3], planted.names[2][5], *sorted(planted.words[0, 1])[:1], "xwaab", "xwaez"}
    other = without(noisy(planted.embedding), gone)
    found = enumerate_biases(planted.embedding, against=other, **asdict(settings))
    problem = build_problem(planted.embedding, "first", settings, problem_seeds(settings))
    bearers = dict(zip(problem.targets.names, problem.targets.bearers.astype(float), strict=True))
    unit = {
        word: vector / np.linalg.norm(vector)
        for word, vector in zip(other.words, other.vectors.astype(np.float64), strict=True)
    }
    means = []
    for of_group in found.names.values():
        names = [name for name in of_group if name in unit]
        weights = [bearers[name] if settings.weighted else 1.0 for name in names]
        means.append(np.average([unit[name] for name in names], axis=0, weights=weights))
    directions = np.array(means) - np.mean(means, axis=0)
    all_words = [planted.embedding.words[row] for row in problem.rows]
    centre_of_all = np.mean([unit[word] for word in all_words if word in unit], axis=0)
    checked = 0
    for j in range(settings.categories):
        start, end = problem.cells.offsets[j : j + 2]
        words = [word for word in all_words[start:end] if word in unit]
        number = next(cell.category for cell in found.cells_of_other if set(cell.category_words) <= set(words))
        centre = centre_of_all if settings.centre == "all" else np.mean([unit[word] for word in words], axis=0)
        for i, letter in enumerate(found.names):
            mine = [word for word in words if settings.overlapping or (directions @ unit[word]).argmax() == i]
            best = sorted(mine, key=lambda word: -(directions[i] @ unit[word]))[: settings.top]
            test = f"{letter}-{number}"
            before, after = (
                next((cell for cell in cells if cell.test == test), None)
                for cells in (found.cells, found.cells_of_other)
            )
            if len(best) < settings.top:
                assert after is None
                continue
            assert after.words == tuple(best)
            score = directions[i] @ (np.mean([unit[word] for word in best], axis=0) - centre)
            assert after.score == pytest.approx(score, abs=1e-6)
            if before is not None:
                known = [unit[word] for word in before.words if word in unit]
                if len(known) < settings.top:
                    assert before.against_score_of_same_words is None
                    assert set(before.against_missing) == set(before.words) & gone
                else:
                    assert before.against_score_of_same_words == pytest.approx(
                        directions[i] @ (np.mean(known, axis=0) - centre), abs=1e-6
                    )
                    assert before.against_missing == ()
            checked += 1
    assert checked > 12
    assert any(cell.against_missing for cell in found.cells)


def test_what_was_taken_away_is_lost_what_was_added_is_new_and_the_rest_is_left(planted, small):
    embedding = planted.embedding
    index = embedding.index
    vectors = embedding.vectors / embedding.norms[:, None]
    means = np.array([vectors[[index[name] for name in names]].mean(axis=0) for names in planted.names])
    directions = means - means.mean(axis=0)
    span = np.linalg.svd(directions, full_matrices=False)[2][:3]
    # The words of two cells turn away from all names; three plain words go to a group that had none of their kind.
    for word in planted.words[0, 0] | planted.words[3, 4]:
        vectors[index[word]] -= vectors[index[word]] @ span.T @ span
    added = ["xwatk", "xwatl", "xwatm"]
    assert all(word in index for word in added)
    for word in added:
        vectors[index[word]] += 1.2 * directions[2] / np.linalg.norm(directions[2])
    found = enumerate_biases(embedding, against=changed(embedding, vectors), **small)
    lost, left = ([cell for cell in found.cells if change_of(cell) == change] for change in ("lost", "left"))
    new = [cell for cell in found.cells_of_other if cell.new]
    assert {frozenset(cell.words) for cell in lost} == {planted.words[0, 0], planted.words[3, 4]}
    assert {frozenset(cell.words) for cell in left} == {
        words for cell, words in planted.words.items() if cell not in {(0, 0), (3, 4)}
    }
    assert all(set(cell.words) == set(cell.against_words) for cell in left)
    assert [set(cell.words) for cell in new] == [set(added)]
    assert {cell.test for cell in new}.isdisjoint(cell.test for cell in found.standing_out)
    assert all(cell.against_score_of_same_words < 0.2 < cell.score for cell in lost)
    assert len(lost) + len(left) == len(found.standing_out)
    assert len(left) + len(new) == whole_of_other(found).associations
    assert repr(found).endswith("; in other: 5 left, 2 lost, 1 new)")


def test_names_and_words_that_the_other_lacks_are_counted(planted, small):
    names = set(planted.names[1][:4])
    kept = {name for of_group in enumerate_biases(planted.embedding, **small).names.values() for name in of_group}
    words = set(planted.words[2, 3]) | {"xwaab"}
    other = without(planted.embedding, names | words)
    other.vectors[other.index["xwaac"]] = 0.0  # a word without a direction
    found = enumerate_biases(planted.embedding, against=other, **small)
    assert set(found.words_missing) == words | {"xwaac"}
    whole = whole_of_other(found)
    assert (whole.words_asked, whole.words_missing) == (len(planted.embedding) - 96, 5)
    lacked = len(names & kept)
    assert (whole.names_asked, whole.names_missing, whole.names_found) == (len(kept), lacked, len(kept) - lacked)
    (cell,) = (cell for cell in found.cells if cell.against_missing)
    assert cell.left is False
    assert cell.against_score_of_same_words is None
    assert set(cell.against_missing) == set(planted.words[2, 3])


def test_a_word_that_is_a_name_in_an_embedding_without_capitals_is_not_asked_about(planted, small):
    # "Mary" and "mary" are two entries here and one over there.
    name = enumerate_biases(planted.embedding, **small).names["A"][0]
    row = planted.embedding.index["xwaab"]
    words = list(planted.embedding.words)
    words[row] = name.lower()
    cased = Embedding("cased", words, planted.embedding.vectors, common=np.ones(len(words), dtype=np.bool_))
    kept = [i for i in range(len(words)) if i != row]
    lower = Embedding("lower", [words[i].lower() for i in kept], planted.embedding.vectors[kept])
    settings = Settings(**small)
    problem = build_problem(
        cased, [n for group in planted.names for n in group if n != name], settings, problem_seeds(settings)
    )
    with_name = replace(problem.targets, names=(name, *problem.targets.names[1:]))
    again, places = transfer_problem(replace(problem, targets=with_name), cased, lower, settings)
    (place,) = (i for i, r in enumerate(problem.rows) if words[r] == name.lower())
    assert places[place] == -1
    assert not set(again.rows) & set(again.targets.rows)
    assert np.count_nonzero(places < 0) == 1


def test_nothing_found_in_either_is_no_change(small):
    rng = np.random.default_rng(3)
    words = ["w" + "".join(rng.choice(list("abcdefgh"), 6)) for _ in range(400)]
    names = ["N" + word[1:] for word in words[:80]]
    one = Embedding("noise", words + names, rng.normal(size=(480, 24)).astype(np.float32))
    found = enumerate_biases(one, against=one, names=names, **small | {"seed": 1})
    assert {row.left for row in found.of(UbeRow)} == {row.new for row in found.of(UbeRow)} == {None}


def test_findings_of_the_first_say_what_became_of_them_and_those_of_the_other_whether_they_are_new(planted, small):
    other = noisy(without(planted.embedding, planted.words[0, 0]), 0.6)
    found = enumerate_biases(planted.embedding, against=other, **small)
    every = [json.loads(finding.to_json()) for finding in found.findings()]
    rows = [row for row in every if row["kind"] == "ube"]
    first = {row["test"]: row for row in rows if row["embedding"] == "planted"}
    second = {row["test"]: row for row in rows if row["embedding"] == "other"}
    assert len(first) + len(second) == len(rows)
    assert first.keys() == {cell.test for cell in enumerate_biases(planted.embedding, **small).cells}
    for test, row in first.items():
        there = second.get(test)
        assert (row["against"], row["against_sha256"]) == ("other", other.sha256)
        assert row["against_score"] == (there["score"] if there else None)
        assert (row["against_z"], row["against_q"]) == ((there["z"], there["q"]) if there else (None, None))
        expected = bool(there and there["stands_out"]) if row["stands_out"] else None
        assert row["left"] is expected
    for test, row in second.items():
        assert (row["groups_of"], row["groups_of_sha256"]) == ("planted", planted.embedding.sha256)
        expected = not (test in first and first[test]["stands_out"]) if row["stands_out"] else None
        assert row["new"] is expected
    assert {True, False} <= {row["left"] for row in first.values()}
    mine, theirs = (row for row in every if row["kind"] == "ube-overview")
    assert (mine["groups_of"], mine["words_asked"]) == (None, None)
    assert (theirs["groups_of"], theirs["words_missing"], theirs["words_asked"]) == ("planted", 3, 621)
    assert [row["test"] for row in every if row["kind"] == "ube-group"] == ["A", "B", "C", "D"]
    (row,) = (row for row in first.values() if row["against_missing"])
    assert set(row["against_missing"]) == planted.words[0, 0]
    assert row["against_score_of_same_words"] is None


def test_a_frame_has_a_row_for_every_cell_of_either(planted, same):
    frame = same.to_frame()
    assert len(frame) == len(same.cells) + len(same.cells_of_other)
    assert (frame["left"] == True).sum() == len(planted.words)  # noqa: E712 - the column has None too


def test_progress_counts_both_embeddings(planted, small):
    calls = []
    enumerate_biases(
        planted.embedding,
        against=planted.embedding,
        progress=lambda done, total: calls.append((done, total)),
        **small | {"repeats": 2},
    )
    total = count_work(Settings(**small)) * 2 + 2 * REPEAT_WORK
    assert calls[-1] == (total, total)
    assert [done for done, _ in calls] == sorted({done for done, _ in calls})


def test_an_embedding_that_shares_too_little_is_refused_in_one_line(planted, small):
    embedding = planted.embedding
    problem = enumerate_biases(embedding, **small)
    settings = Settings(**small)
    posed = build_problem(embedding, "first", settings, problem_seeds(settings))
    start, end = posed.cells.offsets[:2]
    everybody = {name for group in planted.names for name in group}
    for gone in (set(problem.names["C"]), everybody, {embedding.words[row] for row in posed.rows[start:end]}):
        with refuses(VocabularyError, where="fewer") as raised:
            enumerate_biases(embedding, against=without(embedding, gone), **small)
        assert set(raised.value.words) <= gone
    with refuses(SettingError, option="checkpoint"):
        enumerate_biases(embedding, against=embedding, checkpoint="run", **small)
    with refuses(SettingError, option="device", got="tpu"):
        enumerate_biases(embedding, against=embedding, device="tpu", **small)
    broken = embedding.vectors.copy()
    broken[7, 0] = np.nan
    with refuses(EmbeddingFileError, words=(embedding.words[7],)):
        enumerate_biases(embedding, against=changed(embedding, broken), **small)
