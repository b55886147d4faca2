"""Enumerations as kinds: what is found is listed, what recurs first, what spelling explains is left out."""

import msgspec
import pytest
from made_rows import make_row
from msgspec.structs import replace
from refusals import refuses

from imprint.enumeration.rows import Crossing, Races
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


def cell(group, category, *words, stands_out=True, **fields):
    given = {"category_words": (f"central{category}", "<b>bold</b>"), "score": 0.25, "z": 4.5, "q": 0.01}
    given |= {"method": "mirrored", "words": words, "group": group, "category": category, "stands_out": stands_out}
    return make_row("ube", test=f"{group}-{category}", **given | fields)


def overview(**fields):
    counts = {"groups": 2, "categories": 3, "associations": 4, "fdr": 0.1, "names_found": 8}
    compared = {"method": "mirrored", "copies": 400, "rotations": None, "correction": None}
    expected = {"expected_mirrored": 0.31, "expected_frequency_kept": 0.62}
    return make_row("ube-overview", test="overview", **counts | compared | expected | fields)


def tables(rows):
    return [block for block in flat(blocks(rows)) if isinstance(block, Table)]


def notes(rows):
    return [plain(block.text, SHOWN) for block in flat(blocks(rows)) if isinstance(block, Prose)]


def texts(line):
    return [plain(one.text if isinstance(one, Cell) else one, SHOWN) for one in line]


FOUND = [
    cell("A", 1, "nurse", "maid"),
    cell("B", 1, SLUR, "ale"),
    cell("A", 3, "quiet", stands_out=False),
]


def test_what_stands_out_is_listed_and_every_cell_is_on_request():
    shown, every = tables(FOUND)
    assert [plain(column.title, SHOWN) for column in shown.columns] == [
        "Group", "Category", "Words", "z", "q", "Score"
    ]  # fmt: skip
    assert [texts(line)[::2][:2] for line in shown.rows] == [["A", "nurse, maid"], ["B", "f*****, ale"]]
    assert shown.media == ("terminal",)
    assert (len(every.rows), every.folded) == (3, True)


def test_the_papers_p_values_are_shown_in_place_of_z_and_q():
    paper = {"method": "paper", "z": None, "q": None, "p_value": 0.001, "p_adjusted": 0.01}
    shown, _ = tables([cell("A", 1, "nurse", **paper)])
    titles = [plain(column.title, SHOWN) for column in shown.columns]
    assert titles == ["Group", "Category", "Words", "p", "p, corrected", "Score"]


def test_where_nothing_stands_out_that_is_said_and_no_table_is_drawn():
    (said,) = blocks([cell("A", 1, "quiet", stands_out=False)])
    assert isinstance(said, Prose)
    assert "terminal" in said.media


def test_slurs_are_masked_and_words_of_a_vocabulary_are_harmless():
    page = draw_fragment(sections(FOUND))
    assert SLUR not in page
    assert "f*****, ale" in page
    assert "&lt;b&gt;bold" in page
    assert "<b>bold" not in page
    assert SLUR in draw_fragment(sections(FOUND), unmask=True)


def test_each_group_has_a_card_with_its_names_and_strongest_words():
    bearers = {"n_names": 7, "share_women": 0.25, "mean_birth_year": 1996.2, "races": Races(white=0.5)}
    group = make_row("ube-group", test="B", group="B", names=tuple("abcdefg"), **bearers)
    often = [cell("B", 9, "jihad", score=0.1, recurrence=0.9, recurrence_runs=20), cell("B", 8, "ale", score=0.2)]
    rare = cell("B", 7, "seldom", score=0.4, recurrence=0.1, recurrence_runs=20)
    stable, less = (one for one in flat(blocks([group, *FOUND, *often, rare])) if isinstance(one, Cards))
    assert [len(one.cards) for one in (stable, less)] == [2, 1]
    card = next(one for one in stable.cards if plain(one.title, SHOWN) == "Men's names of younger people")
    assert all(text in plain(card.note, SHOWN) for text in ("a, b, c, d, e", "7 names", "25", "1996", "White"))
    assert [plain(bar.text, SHOWN) for bar in card.bars] == ["jihad", "f*****, ale", "ale"]  # what recurs most first
    assert "18 of 20" in plain(card.bars[0].note, SHOWN)
    assert card.bars[0].share == 0.9, "the bar is what is written beside it"
    assert card.bars[-1].share == pytest.approx(0.2 / 0.4), "a score, of the largest of all"
    assert "score 0.2" in plain(card.bars[-1].note, SHOWN)
    assert card.lines == ()  # nothing to open where everything is shown
    assert [plain(bar.text, SHOWN) for bar in less.cards[0].bars] == ["seldom"]


@pytest.mark.parametrize(
    ("women", "born", "races", "title"),
    [
        (0.96, 1974, {"white": 0.68}, "Women's names, mostly White"),
        (0.1, 1979, {"white": 0.59}, "Men's names"),
        (0.5, 1950, {"hispanic": 0.7}, "Names of older people, mostly Hispanic"),
        (None, None, {}, "a, b …"),
    ],
)
def test_a_card_is_named_after_what_its_names_have_in_common(women, born, races, title):
    bearers = {"share_women": women, "mean_birth_year": born, "races": Races(**races) if races else None}
    group = make_row("ube-group", test="A", group="A", names=("a", "b"), n_names=2, **bearers)
    ((card,),) = (one.cards for one in flat(blocks([group, cell("A", 1, "nurse")])) if isinstance(one, Cards))
    assert plain(card.title, SHOWN) == title


@pytest.mark.parametrize(
    ("words", "are_names"), [(("wright", "butler", "tree"), True), (("law", "act", "rules"), False)]
)
def test_a_card_says_that_words_are_mostly_family_names(words, are_names):
    row = msgspec.structs.replace(cell("A", 1, "nurse", recurrence=0.7, recurrence_runs=20), words=words)
    group = make_row("ube-group", test="A", group="A", names=("a", "b"), n_names=2)
    ((card,),) = (one.cards for one in flat(blocks([group, row])) if isinstance(one, Cards))
    assert plain(card.bars[0].note, SHOWN) == "recurs in 14 of 20" + "; mostly family names" * are_names


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


def test_groups_that_spelling_explains_are_a_warning_that_names_them():
    def warnings(**fields):
        return [
            plain(block.text, SHOWN)
            for block in blocks([overview(**fields)])
            if isinstance(block, Prose) and block.tone == "warning"
        ]

    assert warnings() == []
    (warning,) = warnings(groups=12, groups_left_out=("C", "E"))
    assert all(part in warning for part in ("2 of 12", "(C, E)", "spelled"))
    (table,) = tables([make_row("ube-group", test="C", group="C", spelling=0.6, reason="spelling")])
    named = {plain(column.title, SHOWN): place for place, column in enumerate(table.columns)}
    assert texts(table.rows[0])[named["Left out"]] == "spelling"


def test_sentences_count_what_was_found_what_chance_gives_and_what_recurs():
    (found,) = (plain(text, SHOWN) for text in sentences([overview(expected_mirrored=1.2, recurrent=None)]))
    assert all(number in found for number in (" 4 ", " 2 ", " 1."))
    found_again, again = (plain(text, SHOWN) for text in sentences([overview(repeats=20, recurrent=3)]))
    assert again.startswith("3 of 4 ")
    assert " 20 " in again
    (single,) = (plain(text, SHOWN) for text in sentences([overview(associations=1, groups=1, recurrent=None)]))
    assert "1 association of words with 1 group of" in single
    by_rotations = overview(method="paper", rotations=500, expected_mirrored=None, expected_frequency_kept=None)
    (paper,) = (plain(text, SHOWN) for text in sentences([by_rotations]))
    assert "chance" in found_again
    assert "chance" not in paper
    (nothing,) = sentences([overview(associations=0)])
    assert "absence" in plain(nothing, SHOWN)
    assert list(sentences([overview(groups_of="another")])) == []


def test_notes_have_names_in_groups_and_both_kinds_of_copies():
    row = overview(names_asked=9_656, names_found=7_062, names_dropped=1_412)
    shown = " ".join(notes([row])).replace("\N{NO-BREAK SPACE}", " ")
    assert all(number in shown for number in ("7,062", "9,656", "1,412", "5,650"))
    assert all(number in shown for number in ("400 mirrored", " 0.3 ", " 0.6", "10 %"))
    paper = " ".join(notes([overview(method="paper", rotations=500, correction="bh")]))
    assert "500 rotations" in paper
    assert "mirrored" not in paper


def test_associations_that_recur_in_more_than_half_of_the_runs_come_first():
    shares = {"nurse": 0.5, "maid": 0.55, "cook": 0.0, "wife": 1.0}
    rows = [
        cell("A", place, word, recurrence=share, recurrence_runs=20)
        for place, (word, share) in enumerate(shares.items(), start=1)
    ]
    often, seldom, every = tables(rows)
    assert [texts(line)[2] for line in often.rows] == ["maid", "wife"]
    assert [texts(line)[2] for line in seldom.rows] == ["nurse", "cook"]
    assert [plain(often.columns[-1].title, SHOWN), texts(often.rows[0])[-1]] == ["Recurs", "55\N{NO-BREAK SPACE}%"]
    assert [texts(line)[2] for line in every.rows] == ["maid", "wife", "nurse", "cook"]


def test_a_family_wise_limit_is_not_called_a_rate_of_false_discoveries():
    paper = {"method": "paper", "rotations": 500}
    rate, family_wise = (notes([overview(correction=correction, **paper)])[1] for correction in ("bh", "max"))
    assert rate != family_wise


def test_what_became_of_each_association_is_counted_and_listed():
    second = {"embedding": "other", "groups_of": "vectors"}
    before = [
        cell("A", 1, "nurse", left=True, against="other", against_score_of_same_words=0.2),
        cell("A", 2, "maid", left=False, against="other", against_score_of_same_words=None),
        cell("B", 1, "ale", stands_out=False, against="other"),
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
