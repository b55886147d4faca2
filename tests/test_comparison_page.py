"""The comparison with other tools: its judges are right themselves, and its page is whole and has imprint right."""

import itertools
import math
import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "comparison.md"
RIGHT = re.compile(r"yes|value yes(; p yes)?|yes: scores within .*|d yes( \(printed: yes\))?; p yes")


@pytest.fixture(scope="module")
def peers():
    """Import a module of benchmarks/peers by its name, as the jobs are run: from the folder of benchmarks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        yield lambda name: import_module(f"peers.{name}")


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(-50, 50), min_size=4, max_size=11), st.data())
def test_counting_by_halves_equals_listing_every_partition(peers, scores, data):
    size = data.draw(st.integers(1, len(scores) - 1))
    sums, observed = [sum(chosen) for chosen in itertools.combinations(scores, size)], sum(scores[:size])
    count, pool = peers("oracles").count_by_halves, np.array(scores, dtype=float)
    assert count(pool, size) == sum(one >= observed for one in sums)
    assert count(pool, size, strict=True) == sum(one > observed for one in sums)


def test_rotations_of_the_literal_version_are_orthogonal_and_not_all_of_one_kind(peers):
    rng = np.random.default_rng(0)
    drawn = [peers("literal_ube").haar(5, rng) for _ in range(40)]
    for matrix in drawn:
        np.testing.assert_allclose(matrix @ matrix.T, np.eye(5), atol=1e-12)
    assert {round(float(np.linalg.det(matrix))) for matrix in drawn} == {-1, 1}


def test_literal_scores_equal_those_of_imprint(peers):
    from imprint.significance.rotations import Cells, observed_scores

    rng = np.random.default_rng(3)
    names, words = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in rng.normal(size=(2, 60, 6)))
    labels, offsets = np.arange(60) % 3, np.array([0, 35, 60])
    means = np.array([names[labels == group].mean(axis=0) for group in range(3)])
    centres = np.tile(words.mean(axis=0), (2, 1))
    cells = Cells(words.astype(np.float32), offsets, means - means.mean(axis=0), centres, 2)
    literal = peers("literal_ube").score(names, labels, words, offsets, 2)
    np.testing.assert_allclose(literal, observed_scores(cells)[0], atol=1e-6)


def test_sampling_scores_words_as_the_oracle_does_by_code_of_its_own(peers):
    words = [f"w{place}" for place in range(20)]
    vectors = np.random.default_rng(5).normal(size=(20, 7)).astype(np.float32)
    given = {"x": ["w0", "gone", "w1", "w2"], "y": ["w3", "w4"], "a": words[5:11], "b": words[11:]}
    pool, size = peers("sampling").associations(words, vectors, given)
    x, y = peers("oracles").read_scores(words, vectors, given)
    assert size == 3
    np.testing.assert_allclose(pool, np.concatenate([x, y]), rtol=1e-12)


def test_listed_partitions_give_both_definitions_of_both_p_values(peers):
    found = peers("oracles")._p_values(np.array([3.0, 2.0]), np.array([1.0, 2.0]))
    # Sums of two of {3, 2, 1, 2}: 5 twice, 4 twice, 3 twice; the observed one is 5, and 3 is as far on the other side.
    assert found["p"] == pytest.approx([2 / 6, 0])
    assert found["two_sided"] == pytest.approx([4 / 6, 0])
    assert found["drawn"] == []


@pytest.mark.parametrize(("p", "near"), [(0.05, True), (0.058, True), (0.06, False), (0.04, False)])
def test_a_sampled_p_value_is_right_within_the_standard_errors_allowed(peers, p, near):
    rules = peers("rules")
    assert math.isclose(rules.ERRORS * math.sqrt(0.05 * 0.95 / 10_000), 0.0087, rel_tol=0.01)
    assert rules.near(p, 0.05, 10_000) is near


def test_a_counted_p_value_has_no_tolerance_and_a_drawn_truth_adds_its_own(peers):
    rules = peers("rules")
    assert not rules.near(0.0501, 0.05)
    assert not rules.near(0.06, 0.05, 10_000)
    assert rules.near(0.06, 0.05, 10_000, 10_000)


def test_draws_fit_either_definition(peers):
    fits = peers("rules").fits
    assert fits(0.2, [0.3, 0.2], 10_000)
    assert fits(0.3, [0.3, 0.2], 10_000)
    assert not fits(0.25, [0.3, 0.2], 10_000)


@pytest.mark.parametrize(
    ("d", "verdict"),
    [(1.0, "d yes (printed: yes)"), (1.1, "d by n, not n−1 (printed: **no**)"), (1.2, "d **no** (printed: **no**)")],
)
def test_dividing_by_n_is_named_only_where_it_explains_the_value(peers, d, verdict):
    truth, test = {"effect": 1.0, "effect_n": 1.1}, {"printed": 1.0}
    assert peers("weat_rows").effect({"value": {"effect": d}}, truth, test) == verdict


@pytest.mark.parametrize(
    ("p", "said"),
    [
        (0.0061, "So it fits draws with replacement, and not the partitions."),
        (0.0047, "It fits both, so these draws do not tell them apart."),
        (0.0030, "It fits the partitions alone."),
        (0.02, "It fits neither."),
    ],
)
def test_draws_with_replacement_are_named_only_where_the_partitions_do_not_fit(peers, p, said):
    truth = {"p": [0.00325, 0.00216], "replaced": 0.00608}
    facts = {"choice": "rng.choice(words, size=n)", "says_replace_false": False, "numpy_replaces": True}
    note = peers("weat_rows").replacement_note(p, truth, 20_000, facts)
    assert note.startswith(said)
    assert "`rng.choice(words, size=n)`, without `replace=False`; numpy's default is to replace." in note


@pytest.mark.parametrize(("more", "without"), [("", False), (", replace=False", True), (", replace=True", False)])
def test_how_words_are_drawn_is_read_from_the_source(peers, more, without):
    source = f"    def draw(self):\n        # not replace=False\n        return rng.choice(words, size=3{more})\n"
    found = peers("wefe_facts").read_choice(source)
    assert found == {"choice": f"rng.choice(words, size=3{more})", "says_replace_false": without}


@pytest.mark.parametrize(
    ("told", "said", "verdict"),
    [(3, False, "yes"), (0, True, "reported, none named"), (0, False, "**no**"), (2, True, "in part: 2 of 3")],
)
def test_missing_words_are_told_by_name_or_not(peers, told, said, verdict):
    assert peers("edge_rows").telling(told, 3, said=said) == verdict


def test_a_correlation_over_other_pairs_is_wrong(peers):
    agrees, truth = peers("vector_rows").agrees, {"spearman": 0.5, "found": 17}
    assert agrees({"spearman": 0.5, "found": 17}, truth)
    assert not agrees({"spearman": 0.5, "found": 18}, truth)
    assert not agrees({"spearman": 0.50001, "found": 17}, truth)
    assert not agrees({"spearman": None, "found": 17}, truth)


def test_a_hash_tells_the_order_of_words(peers):
    digest = peers("measuring").digest
    assert digest(["a", "b"], b"12") == digest(["a", "b"], b"12")
    assert len({digest(["a", "b"], b"12"), digest(["b", "a"], b"12"), digest(["a", "b"], b"21")}) == 3


def test_a_run_that_compiled_does_not_count_and_short_ones_give_their_median(peers, monkeypatch):
    environment = peers("environment")
    runs = [(9.0, True), (0.3, False), (0.1, False), (0.2, False)]
    results = iter({"compiled": yes, **dict.fromkeys(("cpu", "again", "peak", "added"), cpu)} for cpu, yes in runs)
    monkeypatch.setattr(environment, "do", lambda *_: next(results))
    assert environment.timed("tool", "job", {})["cpu"] == 0.2
    assert next(results, None) is None


def test_work_that_compiles_every_time_is_refused(peers, monkeypatch):
    environment = peers("environment")
    monkeypatch.setattr(environment, "do", lambda *_: {"compiled": True, "cpu": 1.0})
    with pytest.raises(SystemExit, match="compiles in every process"):
        environment.timed("tool", "job", {})


@pytest.mark.parametrize(
    ("value", "written"), [(0.0831, "0.083"), (10.9, "11"), (351.7, "350"), (8361, "8,400"), (1, "1")]
)
def test_times_have_two_digits(peers, value, written):
    assert peers("page").two_digits(value) == written


def test_a_row_shows_what_was_not_measured_and_keeps_to_its_columns(peers):
    row = peers("page").Row("a|b", "tool", "1.0", "yes")
    assert row.line() == r"| a\|b | tool | 1.0 | yes | - | - | - | - |"


def read_rows(page):
    """Return the cells of every row; a row without its work belongs to that of the row above."""
    rows, work = [], ""
    for line in page.splitlines():
        if line.startswith("| ") and not line.startswith("| work "):
            cells = [cell.strip() for cell in line.replace(r"\|", "").strip("|").split("|")]
            work = cells[0] or work
            rows.append([work, *cells[1:]])
    return rows


def wrong_rows(page):
    """Return rows of imprint that are not judged right, or whose numbers are not those of the truth beside them."""
    rows = read_rows(page)
    truths = {work: _numbers(gives) for work, tool, gives, *_ in rows if tool == "truth"}
    wrong = []
    for work, tool, gives, right, *_ in rows:
        if tool == "imprint":
            # A bound and a truth that was drawn are not the same number: d alone is compared.
            numbers = _numbers(gives)[: 1 if "certified" in gives else None]
            if not RIGHT.fullmatch(right) or (work in truths and truths[work][: len(numbers)] != numbers):
                wrong.append((work, gives, right))
    return wrong


def _numbers(gives):
    return re.findall(r"-?\d[\d.e-]*", gives.partition("(")[0].partition(" of ")[0].removesuffix(" pairs"))


def test_every_row_of_the_page_fills_every_column():
    rows = read_rows(PAGE.read_text())
    assert len(rows) > 50
    for cells in rows:
        assert len(cells) == 8
        assert all(cells)


def test_imprint_is_nowhere_wrong_on_the_page():
    page = PAGE.read_text()
    assert sum(row[1] == "imprint" for row in read_rows(page)) > 20
    assert wrong_rows(page) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("| imprint | d 1.5393, p 2.63e-10 (exact)", "| imprint | d 1.5394, p 2.63e-10 (exact)"),
        ("| imprint | d 1.5393, p 2.63e-10 (exact)", "| imprint | d 1.5393, p 2.64e-10 (exact)"),
        ("| imprint | 0.7014 over 17 pairs", "| imprint | 0.7014 over 18 pairs"),
        ("| d yes (printed: yes); p yes |", "| d yes (printed: **no**); p yes |"),
        ("| d yes (printed: yes); p yes |", "| d by n, not n−1 (printed: yes); p yes |"),
        ("| d yes (printed: yes); p yes |", "| d yes (printed: yes); p not judged |"),
        ("; names 3 of the 3 words | yes |", "; names 2 of the 3 words | in part: 2 of 3 |"),
        ("| yes: scores within", "| **no**: scores within"),
    ],
)
def test_a_page_with_imprint_wrong_would_be_refused(right, wrong):
    page = PAGE.read_text()
    assert right in page
    assert len(wrong_rows(page.replace(right, wrong, 1))) == 1


def test_maintainers_find_every_value_of_their_tool_that_is_not_right_and_no_other(peers):
    page, maintainers = PAGE.read_text(), peers("maintainers")
    assert maintainers.with_maintainers(page) == page
    listed = page.partition(maintainers.HEADING)[2]
    wrong = [row for row in read_rows(page) if row[1] == "WEFE" and ("**no**" in row[3] or "by n," in row[3])]
    found = maintainers.differing(page)
    assert len(wrong) > 10
    assert {(row.work, row.right) for row in found} >= {(row[0], row[3]) for row in wrong}
    assert [row for row in found if f": {row.right}. It gives " not in listed] == []
    healed = re.sub(r"\| d by n, not n−1 \(printed: \*\*no\*\*\); p not judged \|", "| d yes; p not judged |", page)
    assert "printed: **no**" not in maintainers.with_maintainers(healed).partition(maintainers.HEADING)[2]


def test_wefe_is_judged_on_p_only_where_it_draws_enough_and_by_the_rule(peers):
    rows, rules = read_rows(PAGE.read_text()), peers("rules")
    few = [row for row in rows if row[1] == "WEFE" and row[2].endswith("(200 draws)")]
    assert len(few) == 10
    assert all(row[3].endswith("; p not judged") for row in few)
    (long,) = (row for row in rows if row[1] == "WEFE" and row[0].endswith(" draws"))
    name, draws = re.fullmatch(r"(\S+), ([\d,]+) draws", long[0]).groups()
    (truth,) = (row for row in rows if row[0].startswith(f"{name}:") and row[1] == "truth")
    (p, exact), partitions = (
        (float(_numbers(row[2])[1]) for row in (long, truth)),
        int(re.search(r"all (\d+)", truth[2])[1]),
    )
    definitions = exact, exact - 1 / partitions
    verdict = "yes" if rules.fits(p, definitions, int(draws.replace(",", ""))) else "**no**"
    assert long[3].endswith(f"; p {verdict}")


def test_the_reason_for_wefes_p_value_stands_only_beside_a_verdict_of_no():
    page = PAGE.read_text()
    (long,) = (row for row in read_rows(page) if row[1] == "WEFE" and row[0].endswith(" draws"))
    assert not ("and not the partitions" in page and long[3].endswith("p yes"))


def test_numbers_in_the_text_are_those_of_the_code(peers):
    page, rules = " ".join(PAGE.read_text().split()), peers("rules")
    for said in (
        f"within {rules.ERRORS} standard errors of the true one",
        f"{rules.TRUTH_DRAWS:,} draws of words with replacement",
        f"May et al. (2019), {rules.SAMPLED:,} partitions",
        f"within {rules.CELL_ERRORS} standard errors of each other",
        f"within {rules.NEAR:g} of equidistant",
        f"was run in {peers('environment').REPEATS} processes",
    ):
        assert said in page
