"""Enumerations as kinds: what is found stands in a grid, what frequency explains apart, and changes are counted."""

import pytest
from made_rows import make_row
from msgspec.structs import replace
from refusals import refuses

from imprint.enumeration.rows import Crossing, FalseDiscoveries, Races
from imprint.errors import ImprintError
from imprint.kinds import row_type
from imprint.kinds.sections import blocks, sections, sentences
from imprint.masking import Words
from imprint.render.html import draw_fragment
from imprint.render.numbers import plain
from imprint.render.terminal import draw_blocks
from imprint.rows import read_row
from imprint.view import Cards, Cell, Prose, Table, flat

SHOWN = Words()
SLUR = "faggot"  # named in Swinger et al. (2019), appendix A


def cell(group, category, *words, significant=True, **fields):
    more = {
        "category_words": (f"central{category}", "<b>bold</b>"),
        "score": 0.25,
        "p_adjusted": 0.01,
        "p_value": 0.001,
    }
    given = more | {"words": words, "group": group, "category": category, "significant": significant} | fields
    return make_row("ube", test=f"{group}-{category}", **given)


def overview(**fields):
    counts = {"groups": 2, "categories": 3, "associations": 4, "fdr": 0.05, "correction": "bh", "names_found": 8}
    return make_row("ube-overview", test="overview", **counts | fields)


def tables(rows):
    return [block for block in flat(blocks(rows)) if isinstance(block, Table)]


def notes(rows):
    return [plain(block.text, SHOWN) for block in flat(blocks(rows)) if isinstance(block, Prose)]


def texts(line):
    return [plain(one.text if isinstance(one, Cell) else one, SHOWN) for one in line]


FOUND = [
    cell("A", 1, "nurse", "maid"),
    cell("B", 1, SLUR, "ale"),
    cell("B", 2, "often", "said", explained_by_frequency=True, survives_without_frequency=False),
    cell("A", 3, "quiet", significant=False),
]


def test_the_grid_has_a_row_per_category_and_a_column_per_group():
    grid, *_ = tables(FOUND)
    assert [plain(column.title, SHOWN) for column in grid.columns] == ["Category", "A", "B"]
    assert [texts(line)[1:] for line in grid.rows] == [["nurse, maid", "f*****, ale"]]


def test_groups_that_word_frequency_explains_are_apart():
    _, explained, every = tables(FOUND)
    assert [texts(line)[1:] for line in explained.rows] == [["often, said"]]
    assert explained.rows[0][1].faint
    assert (len(every.rows), every.folded) == (4, True)


def test_where_nothing_is_significant_that_is_said_and_no_grid_is_drawn():
    (said,) = blocks([cell("A", 1, "quiet", significant=False)])
    assert isinstance(said, Prose)
    assert "terminal" in said.media


def test_slurs_are_masked_and_words_of_a_vocabulary_are_harmless():
    page = draw_fragment(sections(FOUND))
    assert SLUR not in page
    assert "f*****, ale" in page
    assert "&lt;b&gt;bold" in page
    assert "<b>bold" not in page
    assert SLUR in draw_fragment(sections(FOUND), unmask=True)


def test_recurrence_stands_beside_the_words():
    grid, _ = tables([cell("A", 1, "nurse", recurrence=0.3, recurrence_runs=20)])
    assert texts(grid.rows[0])[1] == "nurse (30\N{NO-BREAK SPACE}%)"


def test_each_group_has_a_card_with_its_names_and_strongest_words():
    bearers = {"n_names": 7, "share_women": 0.25, "mean_birth_year": 1996.2, "races": Races(white=0.5)}
    group = make_row("ube-group", test="B", group="B", names=tuple("abcdefg"), **bearers)
    often = [cell("B", 9, "jihad", score=0.1, recurrence=0.9, recurrence_runs=20), cell("B", 8, "ale", score=0.2)]
    rare = cell("B", 7, "seldom", score=0.4, recurrence=0.1, recurrence_runs=20)
    stable, less = (one for one in flat(blocks([group, *FOUND, *often, rare])) if isinstance(one, Cards))
    assert [len(one.cards) for one in (stable, less)] == [2, 1]
    card = next(one for one in stable.cards if plain(one.title, SHOWN) == "a, b, c, d, e …")
    assert all(text in plain(card.note, SHOWN) for text in ("7 names", "25", "1996", "White"))
    assert [plain(bar.text, SHOWN) for bar in card.bars] == ["f*****, ale", "ale", "jihad"]  # the strongest first
    assert "18 of 20" in plain(card.bars[-1].note, SHOWN)
    assert card.bars[-1].share == pytest.approx(0.1 / 0.4)  # of the strongest of all
    assert card.lines == ()  # nothing to open where everything is shown
    assert [plain(bar.text, SHOWN) for bar in less.cards[0].bars] == ["seldom", "often, said"]
    assert "frequency" in plain(less.cards[0].bars[1].note, SHOWN)


def test_names_are_behind_their_letter():
    rows = [
        make_row("ube-group", test="A", group="A", names=('Amy"><script>', "Ann"), n_names=2, races=Races(white=0.5))
    ]
    shown, _ = draw_blocks(blocks(rows))
    told, _ = draw_blocks(blocks(rows), more=True)
    assert "Ann" not in shown
    assert "Ann" in told
    page = draw_fragment(sections(rows))
    assert "<script>" not in page
    assert "Amy&#34;&gt;&lt;script&gt;, Ann" in page


def test_the_two_largest_shares_of_race_are_shown_and_all_on_request():
    races = Races(white=0.2, black=0.1, hispanic=0.7)
    (table,) = tables([make_row("ube-group", test="A", group="A", races=races)])
    named = {plain(column.title, SHOWN): place for place, column in enumerate(table.columns)}
    line = texts(table.rows[0])
    assert line[named["Race or origin"]].replace("\N{NO-BREAK SPACE}", " ") == "Hispanic 70 %, White 20 %"
    assert table.columns[named["Black"]].extra
    assert line[named["Black"]] == "10\N{NO-BREAK SPACE}%"
    (bare,) = tables([make_row("ube-group", test="A", group="A", races=None)])
    assert "Women" not in [column.title for column in bare.columns]


@pytest.mark.parametrize(("rank", "warned"), [(0.9, True), (0.5, False), (None, False)])
def test_words_spelt_like_the_names_are_a_warning(rank, warned):
    said = [block for block in blocks([overview(spelling=rank)]) if isinstance(block, Prose)]
    assert any(block.tone == "warning" for block in said) is warned


def test_sentences_count_what_was_found_and_what_remains():
    checked = overview(survive_without_frequency=3, lost_without_random=0.5, lost_without_third_axis=2)
    found, left = (plain(text, SHOWN) for text in sentences([checked]))
    assert all(number in found for number in (" 4 ", " 2 "))
    assert left.startswith("3 of 4 ")
    assert any(all(number in note for number in (" 1 of 4 ", " 0.5 ", " 2.")) for note in notes([checked]))
    assert [plain(text, SHOWN) for text in sentences([overview(survive_without_frequency=None)])] == [found]
    (nothing,) = sentences([overview(associations=0)])
    assert "absence" in plain(nothing, SHOWN)
    assert list(sentences([overview(groups_of="another")])) == []


def test_names_counted_are_those_in_groups():
    row = overview(names_asked=9_656, names_found=7_062, names_dropped=1_412)
    shown = " ".join(notes([row]))
    assert all(number in shown for number in ("7,062", "9,656", "1,412", "5,650"))


def test_sentences_say_what_recurs_and_notes_have_both_kinds_of_copies():
    row = overview(
        repeats=20,
        recurrent=3,
        rotated_copies=FalseDiscoveries(copies=200, share_with_any=0.005, mean=0.01),
        flipped_copies=FalseDiscoveries(
            copies=100, share_with_any=0.915, mean=28.06, mean_below_limit=2.6, low_below_limit=0, high_below_limit=7
        ),
    )
    whole, again = (plain(text, SHOWN) for text in sentences([row]))
    assert " 4 " in whole
    assert " 3 " in whole
    assert again.startswith("3 of 4 ")
    assert " 20 " in again
    false = notes([row])[-1].replace("\N{NO-BREAK SPACE}", " ")
    assert all(number in false for number in ("200 ", " 0.01 ", "0.5 %", "100 ", "28.06", "91.5 %", " 2.6 ", "7"))


def test_associations_that_recur_in_more_than_half_of_the_runs_come_first():
    shares = {"nurse": 0.5, "maid": 0.55, "cook": 0.0, "wife": 1.0}
    rows = [
        cell("A", place, word, recurrence=share, recurrence_runs=20)
        for place, (word, share) in enumerate(shares.items(), start=1)
    ]
    often, seldom, every = tables(rows)
    assert [texts(line)[1].partition(" ")[0] for line in often.rows] == ["maid", "wife"]
    assert [texts(line)[1].partition(" ")[0] for line in seldom.rows] == ["nurse", "cook"]
    assert "20" in plain(often.caption, SHOWN)
    assert [texts(line)[2] for line in every.rows] == ["maid", "wife", "nurse", "cook"]


def test_an_association_that_outlives_frequency_is_not_put_with_those_that_it_explains():
    left = cell("B", 1, "wife", explained_by_frequency=True, survives_without_frequency=True)
    grid, explained, _ = tables([left, *FOUND[2:]])
    assert [texts(line)[1] for line in grid.rows] == ["wife"]
    assert [texts(line)[1] for line in explained.rows] == ["often, said"]


def test_a_family_wise_limit_is_not_called_a_rate_of_false_discoveries():
    one, other = (notes([overview(correction=correction)])[1] for correction in ("bh", "max"))
    assert one != other


def test_what_became_of_each_association_is_counted_and_listed():
    second = {"embedding": "other", "groups_of": "vectors"}
    before = [
        cell("A", 1, "nurse", left=True, against="other", against_score_of_same_words=0.2),
        cell("A", 2, "maid", left=False, against="other", against_score_of_same_words=None),
        cell("B", 1, "ale", significant=False, against="other"),
    ]
    after = [cell("A", 1, "nurses", new=False, **second), cell("B", 1, "beer", new=True, **second)]
    *_, tally, changes = tables([*before, *after])
    assert [texts(line) for line in tally.rows] == [
        ["A", "2", "1", "1", "0"], ["B", "0", "0", "0", "1"], ["all", "2", "1", "1", "1"]
    ]  # fmt: skip
    named = {plain(column.title, SHOWN): place for place, column in enumerate(changes.columns)}
    shown = [
        [line[named[name]] for name in ("Change", "Words before", "Words after")] for line in map(texts, changes.rows)
    ]
    assert shown == [["lost", "maid", "too few words"], ["left", "nurse", "nurses"], ["new", "ale", "beer"]]
    assert texts(changes.rows[1])[named["Same words after"]] == "0.200"


def test_names_of_embeddings_are_harmless():
    row = cell("A", 1, "nurse", left=True, against="<b>other</b>")
    page = draw_fragment(sections([replace(row, embedding="<b>one</b>")]))
    assert "<b>o" not in page
    assert "&lt;b&gt;other" in page


def test_what_a_second_embedding_lacks_is_said():
    row = overview(groups_of="one", names_asked=10, names_found=7, words_asked=100, words_missing=4)
    (said,) = blocks([row])
    assert all(number in plain(said.text, SHOWN) for number in ("3 ", "10 ", "4 ", "100 "))
    assert {"page", "terminal"} <= set(said.media)


def test_the_strongest_indirect_associations_are_listed_beside_their_null():
    crossing = Crossing(("A", "B"), (1, 2), (("a",), ("b",), ("c",), (SLUR,)), 0.5, 8.25)
    row = make_row("ube-indirect", share=1.0, null_share=0.949, tuples=168, strongest=(crossing,))
    said, table = flat(blocks([row]))
    assert "94.9" in plain(said.text, SHOWN)
    assert texts(table.rows[0]) == ["A, B", "a", "b", "c", "f*****", "8.2"]


@pytest.mark.parametrize("lists", [0, 3, 5])
def test_an_indirect_association_of_other_than_four_lists_is_not_a_finding(lists):
    crossing = Crossing(("A", "B"), (1, 2), (("a",), ("b",), ("c",), ("d",)), 0.5, 8.25)
    fields = make_row("ube-indirect", share=1.0, null_share=0.949, tuples=168, strongest=(crossing,)).to_dict()
    fields["strongest"][0]["words"] = [["a"]] * lists
    with refuses(ImprintError, "words"):
        read_row(fields, row_type)
