"""Benchmarks, leakage and comparisons as kinds: both embeddings' numbers are shown, and sentences say what changed."""

import pytest
from made_rows import make_row

from imprint.kinds.sections import blocks, sentences
from imprint.masking import Words
from imprint.render.numbers import plain
from imprint.view import Cell, Prose, Table, flat

SHOWN = Words()
CHANGED = {"change_spearman": 0.125, "change_spearman_low": 0.01, "change_spearman_high": 0.24}
OPEN = {"change_spearman": -0.5, "change_spearman_low": -1.0, "change_spearman_high": 0.1}


def tables(rows):
    return [block for block in flat(blocks(rows)) if isinstance(block, Table)]


def cells(table):
    return [[plain(cell.text if isinstance(cell, Cell) else cell, SHOWN) for cell in row] for row in table.rows]


def said(rows):
    return [plain(text, SHOWN) for text in sentences(rows)]


def notes(rows):
    return [plain(block.text, SHOWN) for block in flat(blocks(rows)) if isinstance(block, Prose)]


def benchmark(kind="similarity", **fields):
    return make_row(kind, **{"test": "rg-65", "found": 60, "asked": 65} | fields)


def test_a_benchmark_alone_has_its_value_and_interval():
    (table,) = tables([benchmark(spearman=0.5, spearman_low=0.25, spearman_high=0.75)])
    first, second = cells(table)
    assert first == ["rg-65", "60 of 65", "Spearman", "0.500 [0.250 to 0.750]"]
    assert second == ["rg-65", "60 of 65", "Pearson", "0.500"]


def test_against_another_both_values_and_the_change_are_shown():
    row = benchmark(spearman=0.625, against="before", against_spearman=0.5, published_before=0.761, **CHANGED)
    (table,) = tables([row])
    assert cells(table)[0][3:] == ["0.500", "0.625", "0.125 [0.010 to 0.240]", "0.761 → –"]
    assert [plain(column.title, SHOWN) for column in table.columns[3:]] == [
        "A",
        "B",
        "B - A",
        "Published (Google News)",
    ]


def test_every_pair_of_embeddings_has_a_table_of_its_own():
    rows = [benchmark(embedding=name, against=against) for name, against in (("a", None), ("b", "a"), ("b", "c"))]
    assert len(tables(rows)) == 3


@pytest.mark.parametrize("kind", ["similarity", "analogy_benchmark"])
def test_sentences_name_what_changes_beyond_its_interval(kind):
    measure = {"similarity": "spearman", "analogy_benchmark": "3cosadd"}[kind]
    changed, open_ = (
        {key.replace("spearman", measure): value for key, value in one.items()} for one in (CHANGED, OPEN)
    )
    rows = [benchmark(kind, against="x", **changed), benchmark(kind, test="men", against="x", **open_)]
    (sentence,) = said(rows)
    assert "RG-65 by 0.125" in sentence
    assert "MEN" not in sentence
    assert "of 2" in sentence
    assert said([benchmark(kind)]) == []
    assert said([row.in_part("against") for row in rows]) == []


def test_analogies_among_other_numbers_of_words_are_warned_of():
    known = {"against": "x", "n_words": 20_000}
    same, other = (benchmark("analogy_benchmark", **known, against_n_words=n) for n in (20_000, 20_001))
    assert not any("20,001" in note for note in notes([same]))
    assert any("20,001" in note and "20,000" in note for note in notes([other]))


def test_long_lists_of_missing_words_are_cut():
    shown = "\n".join(notes([benchmark(missing=tuple(f"word{n}" for n in range(1_500)))]))
    assert "word9" in shown
    assert "word10" not in shown
    assert "1,490" in shown


GROUPS = {"group_names": ("women", "men"), "group_sizes": (500, 400)}


def leaked(words="first names, by sex", method="linear classifier", **fields):
    return make_row("leakage", test=words, word_list=words, method=method, **GROUPS, **fields)


def test_recovered_gender_is_shown_in_percent():
    alone = leaked(accuracy=0.75, accuracy_low=0.5, accuracy_high=0.875)
    assert cells(tables([alone])[0])[0][1:] == [
        "500 women, 400 men", "linear classifier", "50.0\N{NO-BREAK SPACE}%",
        "75.0\N{NO-BREAK SPACE}% [50.0 to 87.5]",
    ]  # fmt: skip
    both = leaked(accuracy=0.75, against="before", against_accuracy=1.0, change=-0.25)
    assert [cell.split("\N{NO-BREAK SPACE}")[0] for cell in cells(tables([both])[0])[0][4:]] == [
        "100.0",
        "75.0",
        "-25.0",
    ]


def test_the_method_that_recovers_most_names_is_the_one_said():
    rows = [
        leaked(method="best", accuracy=0.75, against="before", against_accuracy=1.0),
        leaked(method="worse", accuracy=0.625, against="before", against_accuracy=1.0),
        leaked("professions", method="other words", accuracy=0.875, against="before", against_accuracy=1.0),
    ]
    (sentence,) = said(rows)
    assert "best" in sentence
    assert "75" in sentence
    (alone,) = said([leaked(accuracy=0.75)])
    assert "75" in alone
    assert "fter debiasing" not in alone


def test_agreement_counts_words_and_scores():
    known = {"title": "Pooled", "pearson": 0.5, "pearson_low": 0.25, "pearson_high": 0.75, "spearman": 0.5}
    row = make_row("agreement", **known, n_words=40, n_scores=50, published_pearson=0.88, published_spearman=0.86)
    (table,) = tables([row])
    assert cells(table) == [["Pooled", "40, 50 scores", "0.50 [0.25 to 0.75]", "0.50", "0.88, 0.86"]]


def test_a_comparison_counts_both_sides():
    asked = {"left_out": ("Amy",), "is_question": True}
    first = make_row(embedding="a", other="b", outcome="present", **asked)
    second = make_row(embedding="b", embedding_sha256="1" * 64, other="a", outcome="small", **asked)
    (table,) = tables([first, second])
    assert [(line[1], line[3], line[-1]) for line in cells(table)] == [("a", "present", "1"), ("b", "small", "1")]
    (sentence,) = said([first.in_part("against"), second.in_part("against")])
    assert "1 of 1 in a, 0 of 1 in b" in sentence


CHANGE = {
    "change_from": "a", "change_to": "b", "title": "Names", "topics": ("gender",), "size": -0.125,
    "size_before": 0.25, "size_after": 0.125, "size_low": -0.25, "size_high": -0.0625,
}  # fmt: skip


def test_a_change_is_shown_once_per_test_and_the_largest_is_said():
    rows = [
        make_row("change", **CHANGE, outcome="present"),
        make_row("change", **CHANGE | {"test": "t", "size": -0.5}, outcome="cannot tell", reason="few words"),
        make_row("change", **CHANGE | {"test": "f", "topics": ("neutral",)}),
    ]
    (table,) = tables(rows)
    first, second, control = ([cell.replace("\N{NO-BREAK SPACE}", " ") for cell in line[1:5]] for line in cells(table))
    assert first == ["25 %", "12 %", "-12 % [-25 to -6]", "present"]
    assert second[-1] == "cannot tell: too few words"
    assert control[-1] == "not judged"
    counted, largest = said(rows)
    assert "from a to b: 1 present, 1 cannot tell" in counted
    assert "-12" in largest  # of those that show a difference
    assert "-50" not in largest
    assert "What debiasing changes" in said([row.in_part("debiasing") for row in rows])[0]
    none, largest = said([make_row("change", **CHANGE, outcome="cannot tell")])
    assert ": 1 cannot tell" in none
    assert "-12" in largest


def test_topics_of_one_test_alone_are_not_shown_twice():
    known = {"topic": "race", "size": 0.125, "size_low": 0.0, "size_high": 0.25, "n_words": 40}
    for kind in ("topic", "topic-change"):
        alone = [make_row(kind, **known, tests=("t",))]
        assert (tables(alone), said(alone)) == ([], [])
        rows = [*alone, make_row(kind, topic="age", tests=("u",), tests_left_out=("v",))]
        (table,) = tables(rows)
        assert [line[0] for line in cells(table)] == ["race", "age"]
