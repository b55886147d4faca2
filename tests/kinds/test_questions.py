"""What questions say: verdicts, answers, tiles and claims follow the outcomes, and signs say who leans where."""

import dataclasses
import re

import pytest
from made_rows import make_row

import imprint
from imprint import weat
from imprint.association.rows import outcome_counts
from imprint.kinds.answers import answer_sentence, size_notes
from imprint.kinds.sections import blocks, sentences
from imprint.kinds.verdict import of_people, tally
from imprint.masking import Words
from imprint.render.html import draw_fragment
from imprint.render.markdown import draw_text
from imprint.render.numbers import plain
from imprint.reports.conclusions import claims
from imprint.reports.summary import certainty, tiles, verdict
from imprint.rows import WordList
from imprint.significance.outcomes import MARGIN, outcome
from imprint.stimuli.catalog import get, questions
from imprint.view import AnswerChart, Details, Section, Table, WordSpread, flat

SHOWN = Words()
NAMES = {"x": "men's names", "y": "women's names", "a": "career words", "b": "family words"}
INTERVALS = {
    "substantial": (0.3, 0.2, 0.4),
    "present": (0.12, 0.05, 0.19),
    "small": (0.02, -0.04, 0.07),
    "cannot tell": (0.08, -0.1, 0.26),
}


def question(name="substantial", **changes):
    """Return a question with an outcome, an interval that has it, and its direction."""
    names = NAMES | {role: changes.pop(role) for role in "xyab" if role in changes}
    size, low, high = INTERVALS[name]
    if changes.pop("turned", False):
        size, low, high = -size, -high, -low
    made = {
        "test": f"gender-{name}",
        "title": f"Who is nearer: {name}",
        "is_question": True,
        "outcome": name,
        "size": size,
        "size_low": low,
        "size_high": high,
        "topics": ("gender",),
        "sets": tuple(WordList(role, name, (f"{role}1", f"{role}2")) for role, name in names.items()),
    }
    return make_row("weat", **(made | changes))


def lacking(**changes):
    """Return a question whose words are missing."""
    return question("cannot tell", reason="few words", size=None, size_low=None, size_high=None, **changes)


def published(name="present", **changes):
    """Return the same as a published test."""
    return question(name, **({"is_question": False, "test": "caliskan-6"} | changes))


def said(text):
    return plain(text, SHOWN).replace("\N{NO-BREAK SPACE}", " ")


def chart_of(rows):
    return next((block.chart for block in flat(blocks(rows)) if isinstance(block, AnswerChart)), None)


def test_the_made_up_questions_have_the_outcomes_of_their_intervals():
    assert {name: outcome(low, high).outcome for name, (_, low, high) in INTERVALS.items()} == {
        name: name for name in INTERVALS
    }


# The verdict


def test_tests_about_people_without_a_size_are_not_said_not_to_have_run():
    rows = [published(outcome=None, size=None, size_low=None, size_high=None)]
    assert said(verdict(rows)) == "Tests about people were run, but none of them has a size that can be judged."
    assert said(verdict([row for row in rows if not row.about_people] or [make_row("similarity")])).startswith("No")


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        (["substantial"] * 2, "Men's names lean towards career words, women's names towards family words."),
        (list(INTERVALS), "Men's names lean towards career words, women's names towards family words."),
        (["small", "present"], "Men's names lean towards career words, women's names towards family words."),
        (["small"] * 3, "No group leans by 10 % or more towards any of the words asked about."),
        (["small", "cannot tell", "small"], "2 of 3 differences are small, 1 is not clear."),
        (["cannot tell"] * 4, "It is not clear whether any group leans towards any of the words asked about."),
    ],
)
def test_the_verdict_follows_the_most_serious_outcome(outcomes, expected):
    assert said(verdict([question(name) for name in outcomes])) == expected


def test_the_verdict_names_the_most_serious_differences_and_the_two_largest_of_a_pair_of_groups():
    rows = [
        question("substantial", size=0.35, a="maths words", b="art words"),
        question("substantial"),
        question("substantial", size=0.25, a="tool words", b="toy words"),
        question("present", x="White names", y="Black names"),
    ]
    assert said(verdict(rows)) == (
        "Men's names lean towards maths and career words, women's names towards art and family words."
    )
    assert said(verdict(rows[3:])).startswith("White names lean towards career words")


def test_a_negative_size_turns_the_verdict_and_the_answer_round():
    row = question("substantial", turned=True)
    assert said(verdict([row])) == "Men's names lean towards family words, women's names towards career words."
    assert said(answer_sentence(row)) == (
        "Women's names lie nearer to career words than men's names, by 30 % [20 to 40] of the distance from family "
        "words to career words: substantial."
    )


def test_groups_that_lean_towards_several_kinds_of_words_name_them_once_the_largest_first():
    rows = [
        question("substantial", size=0.25, turned=False),
        question("substantial", size=0.35, a="science words", b="arts words"),
        question("substantial", size=0.5, x="White names", y="Black names", a="pleasant words", b="arts"),
    ]
    assert said(verdict(rows)) == (
        "White names lean towards pleasant words, Black names towards arts, "
        "men's names towards science and career words, women's names towards arts and family words."
    )


# The answers


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (
            question("present"),
            "Men's names lie nearer to career words than women's names, by 12 % [5 to 19] of the distance from family "
            "words to career words: present.",
        ),
        (
            question("small"),
            "Men's names and women's names differ by 2 % [-4 to 7] of the distance from family words to career words: "
            "small.",
        ),
        (
            question("small", turned=True),
            "Women's names and men's names differ by 2 % [-4 to 7] of the distance from family words to career words: "
            "small.",
        ),
        (
            question("cannot tell"),
            "It is not clear whether men's names or women's names are nearer to career words than to family words: "
            "8.0 % [-10.0 to 26.0].",
        ),
        (
            lacking(),
            "It is not clear whether men's names or women's names are nearer to career words than to family words: "
            "too few words.",
        ),
        (
            question("cannot tell", reason="frequency", size_low=0.05),
            "It is not clear whether men's names or women's names are nearer to career words than to family words "
            "(frequency may explain it): 8 % [5 to 26].",
        ),
    ],
)
def test_an_answer_says_direction_size_interval_and_outcome(row, expected):
    assert said(answer_sentence(row)).replace("\N{MINUS SIGN}", "-") == expected


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.05, 0.19, "12 % [5 to 19]"),
        (0.103, 0.19, "12.0 % [10.3 to 19.0]"),  # 10 would read as the margin itself
        (0.004, 0.19, "12.0 % [0.4 to 19.0]"),  # 0 would read as no difference
        (0.05, 0.097, "12.0 % [5.0 to 9.7]"),
        (0.006, 0.094, "12 % [1 to 9]"),
    ],
)
def test_an_end_that_rounding_would_put_on_a_border_has_a_digit_more(low, high, expected):
    row = question("present", size=0.12, size_low=low, size_high=high)
    assert f", by {expected} of" in said(answer_sentence(row))


@pytest.mark.parametrize("border", [0.0, MARGIN, -MARGIN])
@pytest.mark.parametrize("way", [-1, 1])
def test_a_digit_more_shows_on_which_side_of_a_border_an_end_lies(border, way):
    low = border + 0.001 * way
    text = said(answer_sentence(question("small", size_low=low, size_high=0.2)))
    shown = re.search(r"\[(\S+) to", text).group(1).replace("\N{MINUS SIGN}", "-")
    assert (float(shown) - 100 * border) * way > 0


# How sure, tiles and claims


def test_certainty_gives_the_largest_size_the_counts_and_what_chance_would_give():
    rows = [question("present", size=0.6), question("substantial"), question("small"), question("cannot tell")]
    largest, by_chance = map(said, certainty(rows))
    assert largest.startswith(said(answer_sentence(rows[1])))
    assert largest.endswith("In brackets: other such names and words (99.5 %).")
    assert by_chance == "2 of 4 answers are present or substantial; by chance alone, 1 audit in 50 has one."
    assert len(certainty(rows[2:])) == 1  # no size, no brackets
    assert [mark.outcome for mark in tally(rows)] == list(INTERVALS)
    assert all(said(mark.text).startswith(f"1 {mark.outcome}") for mark in tally(rows))


@pytest.mark.parametrize(
    ("unrelated", "expected"),
    [
        ((0.1, 0.1), "2 of these 2 are larger than 19 of 20 contrasts of unrelated words in this model."),
        ((0.29, 0.13), "1 of these 2 is larger than 19 of 20 contrasts of unrelated words in this model."),
        ((0.31, 0.13), "None of these 2 is larger than 19 of 20 contrasts of unrelated words in this model."),
    ],
)
def test_certainty_counts_the_differences_that_are_unusual_in_the_model(unrelated, expected):
    rows = [question("substantial", turned=True, unrelated=unrelated[0]), question("present", unrelated=unrelated[1])]
    assert said(certainty([*rows, question("small", unrelated=0.001)])[-1]) == expected


def test_another_reason_than_a_wide_interval_stands_beside_the_outcome():
    held_back = question("cannot tell", size=0.27, size_low=0.16, size_high=0.41, reason="grammar")
    rows = [held_back, question("cannot tell")]
    assert said(verdict(rows)) == (
        "It is not clear whether any group leans towards any of the words asked about: in 1, grammar alone may give "
        "as much."
    )
    (mark,), (alone,) = tally(rows), tally([held_back])
    assert said(mark.meaning) == "could be none or over 10 %; in 1, grammar alone may give as much; not an all-clear"
    assert said(alone.meaning) == "grammar alone may give as much; not an all-clear"
    (tile,) = tiles([held_back]).tiles
    assert said(tile.counts[0].meaning) == "grammar alone may give as much"
    (chart,) = (block for block in blocks(rows) if isinstance(block, AnswerChart))
    sizes = [said(answer.size) for _, _, answers in chart.groups for answer in answers]
    assert sizes[0] == "27 % [16 to 41]: grammar alone may give as much"
    assert ":" not in sizes[1]


@pytest.mark.parametrize(
    ("outcomes", "most_serious"),
    [
        (["small", "substantial", "present"], "substantial"),
        (["cannot tell", "present", "small"], "present"),
        (["small", "cannot tell"], "cannot tell"),
        (["small", "small"], "small"),
    ],
)
def test_a_tile_has_its_most_serious_outcome_and_its_counts(outcomes, most_serious):
    rows = [question(name) for name in outcomes]
    (tile,) = tiles(rows).tiles
    assert tile.outcome == most_serious
    assert said(tile.title) == "Gender"
    assert ", ".join(said(mark.text) for mark in tile.counts) == outcome_counts(rows)
    assert f'class="tile {most_serious.replace(" ", "-")}"' in draw_fragment(
        [Section("topics", "Topics", (tiles(rows),))]
    )


def test_a_question_about_two_topics_is_in_both_tiles():
    rows = [question("small", topics=("gender", "age")), question("present", topics=("age",))]
    assert {said(tile.title): tile.outcome for tile in tiles(rows).tiles} == {"Gender": "small", "Age": "present"}


def test_claims_pair_every_answer_with_what_it_does_not_show():
    rows = [*map(question, INTERVALS), lacking(title="Who else?")]
    can = [said(text) for text, _ in claims(rows)]
    assert can[0].endswith(f"{said(verdict(rows[:2]))} 1 substantial, 1 present.")
    assert can[1] == said(answer_sentence(rows[2]))
    (alone, _), *_ = claims([rows[0], *rows[2:]])
    assert said(alone) == said(answer_sentence(rows[0]))
    assert "Questions without an answer: Who is nearer: cannot tell; Who else?." in can
    cannot = {said(text): said(left) for text, left in claims(rows)}
    assert cannot[said(answer_sentence(rows[2]))].startswith("That there is no such difference")


def test_notes_explain_the_outcomes_that_are_shown_and_no_others():
    text = " ".join(said(block.text) for block in size_notes([question("small"), question("present")]))
    assert "Small:" in text
    assert "Present:" in text
    assert "Substantial:" not in text


# Words that are missing


def test_where_all_questions_lack_words_the_published_tests_say_what_can_be_said():
    rows = [lacking(), lacking(test="gender-other"), published()]
    assert of_people(rows) == rows[2:]
    assert said(verdict(rows)) == said(verdict([question()]))
    assert said(next(sentences(rows))) == "1 test: 1 present."
    *_, folded = blocks(rows)
    assert isinstance(folded, Details)
    assert folded.summary == "Questions that lack words"


def test_one_question_with_its_words_keeps_all_of_them_in_the_counts():
    rows = [lacking(), question("small"), published()]
    assert of_people(rows) == rows[:2]
    assert said(verdict(rows)) == "1 of 2 differences are small, 1 is not clear: too few words."
    *_, folded = blocks(rows)
    assert folded.summary == "As the papers tested it"


def test_questions_that_lack_words_without_other_tests_say_so_and_draw_nothing():
    rows = [lacking(), lacking(test="gender-other")]
    assert of_people(rows) == rows
    assert "not clear" in said(verdict(rows))
    assert chart_of(rows) is None
    (table,) = (block for block in blocks(rows) if isinstance(block, Table))
    assert len(table.rows) == 2


def test_the_questions_of_a_second_subject_or_of_another_part_are_not_in_the_verdict():
    rows = [question("small"), question("substantial", embedding_sha256="1" * 64), question(part="debiasing")]
    assert of_people(rows) == rows[:1]


def test_a_question_of_the_bundled_embedding_without_most_of_its_words_has_too_few(bundled):
    asked = next(iter(questions()))
    some = dataclasses.replace(asked.x, words=asked.x.words[:2], kinds=asked.x.kinds[:2])
    row = weat(bundled, dataclasses.replace(asked, x=some))
    assert (row.outcome, row.reason, row.size) == ("cannot tell", "few words", None)


# Answers


def answers_of(rows):
    """Return the list of answers of a page, and its lines by label."""
    (answers,) = (block for block in blocks(rows) if isinstance(block, AnswerChart))
    return answers, {said(answer.label): answer for _, _, several in answers.groups for answer in several}


def test_answers_come_topic_by_topic_with_the_group_first_that_leans_towards_the_first_words():
    rows = [question("small"), question("substantial", turned=True), question("present", test="o", topics=("age",))]
    answers, lines = answers_of(rows)
    assert [said(topic) for _, topic, _ in answers.groups] == ["Gender", "Age"]
    assert list(lines) == ["Women's names → career", "Men's names – career", "Men's names → career"]
    turned = lines["Women's names → career"]
    assert said(turned.below) == "Men's names → family"
    assert (turned.span.estimate, turned.span.low, turned.span.high) == INTERVALS["substantial"]
    assert said(turned.size) == "30 % [20 to 40]"


def test_every_bar_and_what_is_small_lie_on_the_scale_of_answers():
    answers, lines = answers_of([question("substantial"), question("cannot tell", size_low=-0.93, size_high=2.4)])
    reached = [
        -answers.small,
        answers.small,
        *(end for line in lines.values() for end in (line.span.low, line.span.high)),
    ]
    assert min(answers.ticks) <= min(reached)
    assert max(answers.ticks) >= max(reached)
    assert len(answers.ticks) <= 10
    assert all(0 <= answers.place(end) <= 100 for end in reached)


def more(test, name="substantial", **changes):
    """Return a question about more people, with its own lists."""
    lists = get(test)
    sets = tuple(
        WordList(role, words.name, words.words)
        for role, words in zip("xyab", (lists.x, lists.y, lists.a, lists.b), strict=True)
    )
    return question(name, test=test, topics=lists.topics, sets=sets, detectable=0.3, **changes)


def test_questions_about_more_people_are_shown_apart_and_not_in_the_verdict():
    rows = [
        question("small"),
        more("muslim-pleasant"),
        more("africa-pleasant", "present"),
        more("queer-pleasant", "cannot tell"),
    ]
    assert of_people(rows) == rows[:1]
    apart = {block.summary: block for block in blocks(rows) if isinstance(block, Details)}
    listed = {name: [block for block in flat([block]) if isinstance(block, Table)] for name, block in apart.items()}
    assert [len(table.rows) for table in listed["Questions about more people"]] == [2]
    (few,) = listed["Questions about more people, with few words"]
    assert [len(few.rows), few.media] == [1, ("page", "terminal", "card")]
    assert "Detectable" in [column.title for column in few.columns]
    assert "2 questions: 1 substantial, 1 present. By chance alone: 0.01 present." in draw_fragment(
        [Section("weat", "", tuple(apart.values()))]
    )


def test_questions_about_more_people_say_the_verdict_where_no_others_were_asked():
    rows = [more("muslim-pleasant"), more("queer-pleasant", "cannot tell")]
    assert of_people(rows) == rows
    links = {tile.link for tile in tiles(rows).tiles}
    chart = next(block for block in flat(blocks(rows)) if isinstance(block, AnswerChart))
    assert links == {name for name, _, _ in chart.groups}


def test_tiles_lead_to_groups_of_answers_and_no_two_places_have_one_name():
    tests = [(name, sign, letter) for name in INTERVALS for sign in ".-" for letter in "ab"]
    rows = [question(name, test=f"{name}{sign}1", topics=(letter,)) for name, sign, letter in tests]
    answers, _ = answers_of(rows)
    groups = [name for name, _, _ in answers.groups]
    assert [tile.link for tile in tiles(rows).tiles] == groups
    names = [*groups, *(answer.name for _, _, several in answers.groups for answer in several)]
    assert len(set(names)) == len(names) == 18


def test_an_answer_opens_to_its_words_what_is_usual_and_the_test_of_a_paper(bundled):
    asked = ("gender-career", "gender-ability", "caliskan-6")
    _, lines = answers_of([weat(bundled, test) for test in asked])
    opened = lines["Men's names → career"].blocks
    (spread,) = (block for block in opened if isinstance(block, WordSpread))
    men, women = ([word for word, _ in scores] for _, scores in spread.groups)
    question = get("gender-career")
    assert (set(men), set(women)) == (set(question.x.words), set(question.y.words))
    values = [score for _, score in spread.groups[0][1]]
    assert values == sorted(values)
    text = draw_fragment([Section("answers", "Answers", opened)])
    assert "caliskan-6" in text
    assert "contrasts of unrelated sets" in text
    assert f"nearest to career words: {men[-1]}, {men[-2]}" in re.sub("<.*?>", "", text)


def test_missing_words_are_named_where_an_answer_opens():
    _, lines = answers_of([question("small", missing=("Aaliyah",)), question("present", test="other")])
    text = draw_fragment([Section("answers", "Answers", lines["Men's names – career"].blocks)])
    assert "Missing here: Aaliyah" in text


def test_a_question_that_lacks_words_has_a_line_without_a_bar():
    answers, lines = answers_of([question("small"), lacking(y="Black names"), question("present", test="other")])
    (unclear,) = (line for line in lines.values() if line.outcome == "cannot tell")
    assert unclear.span is None
    text = re.sub("<.*?>", "", draw_fragment([Section("answers", "Answers", (answers,))]))
    assert "Black names – family" in text
    assert "too few words" in text


def test_tests_of_ones_own_have_bars_of_their_own_and_are_not_among_those_of_papers():
    rows = [
        question("small"),
        question("present", test="other"),
        published(),
        published(test="mine"),
        published(test="my-2"),
    ]
    first, second = (block for block in flat(blocks(rows)) if isinstance(block, AnswerChart))
    assert [said(block.chart.title) for block in (first, second)] == [
        "Who goes with what, and how much?",
        "Tests of your own",
    ]
    assert len([answer for _, _, several in second.groups for answer in several]) == 2
    assert not {name for name, _, _ in first.groups} & {name for name, _, _ in second.groups}
    *_, folded = blocks(rows)
    assert folded.summary == "As the papers tested it"
    assert "mine" not in draw_fragment([Section("papers", "Papers", (folded,))])


# Charts and tables


def test_the_chart_draws_sizes_in_percent_topic_by_topic_over_the_band_of_what_is_small():
    rows = [
        question("small", test="a"),
        question("substantial", test="b", topics=("age",)),
        question("present", test="c", turned=True),
        lacking(test="d"),
    ]
    spec = chart_of(rows).draw(SHOWN, 860)
    values = [row for data in spec["datasets"].values() for row in data]
    drawn = {row["hint0"]: row for row in values if "estimate" in row}
    assert list(drawn) == ["c", "a", "b"]  # the first topic's largest size first; what has no size is not drawn
    assert (drawn["c"]["estimate"], drawn["c"]["low"], drawn["c"]["high"]) == pytest.approx((-12, -19, -5))
    assert [row["outcome"] for row in drawn.values()] == ["present", "small", "substantial"]
    assert {"from": -100 * MARGIN, "to": 100 * MARGIN} in values


def test_the_table_gives_outcome_and_reason_and_its_size_has_the_interval():
    rows = [question("substantial"), lacking()]
    (table,) = (block for block in blocks(rows) if isinstance(block, Table))
    shown = [[said(getattr(cell, "text", cell)) for cell in row] for row in table.rows]
    heads = [said(column.title) for column in table.columns]
    assert [row[heads.index("Outcome")] for row in shown] == [
        "substantial",
        "cannot tell: too few words",
    ]
    assert [row[heads.index("Size")] for row in shown] == ["30 % [20 to 40]", "–"]


def test_names_from_files_are_masked_and_escaped_wherever_a_question_is_shown():
    row = question("substantial", x="redneck names", a="<b>words", test="<i>", title="*bold*")
    for text in (verdict([row]), answer_sentence(row), *(can for can, _ in claims([row]))):
        assert "redneck" not in said(text)
        assert "<b>" not in draw_text(text)
    page = draw_fragment([Section("weat", "Tests", tuple(blocks([row, question("small")])))])
    assert "redneck" not in page
    assert "<b>words" not in page
    assert "<i>" not in page
    card = imprint.card([row, question("small")])
    assert "redneck" not in card
    assert "<b>" not in card


def test_a_title_that_begins_small_opens_a_sentence_with_a_capital():
    assert said(verdict([question()])).startswith("Men's")


def test_every_standard_question_has_names_that_make_sentences():
    for test in questions():
        names = {role: getattr(test, role).name for role in "xyab"}
        text = said(answer_sentence(question("present", **names)))
        assert all(name.lower() in text.lower() for name in names.values())
    assert get("gender-career").is_question
