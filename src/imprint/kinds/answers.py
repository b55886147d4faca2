"""Questions and tests on pages: bars that open to their words; of a single one, the answer in a sentence."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import TypeVar

from imprint.association.rows import AssociationRow, outcome_counts
from imprint.kinds.sizes import (
    FEWEST,
    WORDS,
    by_topic,
    capital,
    counted,
    lack_words,
    part_of,
    size_text,
    sizes_chart,
    sizes_table,
    word_counts,
)
from imprint.kinds.tests import REASONS, TENTH, by_chance, equals, outcome_notes, outcome_text
from imprint.significance.outcomes import MARGIN
from imprint.stimuli.catalog import catalogue
from imprint.view import (
    Answer,
    AnswerChart,
    Block,
    Details,
    Listing,
    Prose,
    Span,
    Text,
    WordSpread,
    number,
    percent,
    probability,
    say,
    title,
    words,
)

Tested = TypeVar("Tested", bound=AssociationRow)

_TITLE = "Who goes with what, and how much?"
_OWN = "Tests of your own"
_MORE: dict[str, tuple[str, str]] = {  # by part of the section: a heading, and what to know
    "more": ("Questions about more people", "These are not in the verdict above."),
    "few": (
        "Questions about more people, with few words",
        f"Each group has fewer than {FEWEST} words, so that only large differences can be found: the table has the "
        "smallest that would be, four times in five. These are not in the verdict above.",
    ),
}
_SCALE = "percent of the distance between the two kinds of words"
_HOW_TO_READ = (
    "100 %: as far as the two kinds of words are apart. Bars: what other such names and words would give (99.5 %). "
    f"Shaded: up to {TENTH}, small by imprint's convention. Arrow: present or substantial. Click a line for its words."
)
_HOW_TO_READ_ONE = "100 % is as far as the two kinds of words are apart. The bar is the 99.5 % interval."
_OUTERMOST = 8  # words named at each end of a group
_PAPERS = (
    "The papers ask about 4 to 32 words per set, which are not matched in frequency. Where a test and a question "
    "disagree, both are right about their words: these names at their frequencies, and names in general at equal "
    "frequency."
)
_OF_COLUMNS = (
    "Above 0: the first group is nearer to the first kind of words. Unrelated words: what 19 of 20 contrasts of "
    "unrelated words stay below in this model. Detectable: the size that would be found four times in five."
)
_MATCHED = "All words of questions are matched in frequency, and are the same for every model."
_LACKING = (
    "Where words are missing, the others may no longer be matched. So random words of like frequency must not differ "
    "as much."
)
_UNMATCHED = (
    "These words are not matched in frequency. So a difference is only called one where random words of like "
    "frequency do not differ as much, and where neither set is twice as frequent as the other."
)
_USUAL = (
    "It holds for other such words. It is {} in this model: 19 of 20 contrasts of unrelated sets of words stay "
    "below {}."
)
_UNUSUAL = "In this model, 19 of 20 contrasts of unrelated words stay below {}."


def split_blocks(rows: Sequence[Tested], published: Callable[[Sequence[Tested]], Iterable[Block]]) -> Iterator[Block]:
    """Show questions, subject by subject, and tests of one's own; tests as papers put them are one click away.

    Where all questions lack words, it is the other way round.
    """
    questions = [row for row in rows if row.is_question]
    tests = [row for row in rows if not row.is_question]
    if tests and lack_words(questions):
        yield from _by_subject([row for row in tests if row.outcome is not None])
        yield from published(tests)
        if questions:
            yield Details("Questions that lack words", tuple(_by_subject(questions)))
        return
    standard = [row for row in questions if part_of(row) == "question"] or questions
    yield from _by_subject(standard, tests)
    for part, (heading, note) in _MORE.items():
        if added := [row for row in questions if row not in standard and part_of(row) == part]:
            by_chance_note = say(
                "{}: {}. By chance alone: {} present. {}",
                counted(added),
                outcome_counts(added),
                by_chance(added),
                note,
            )
            yield Details(heading, (Prose(by_chance_note, "note"), *_by_subject(added, tests, heading)))
    in_catalogue = {test.id for test in catalogue()}
    if added_tests := [row for row in tests if row.test not in in_catalogue]:
        yield from _by_subject([row for row in added_tests if row.outcome is not None], heading=_OWN)
        yield from published(added_tests)
    if papers := [row for row in tests if row.test in in_catalogue]:
        yield Details("As the papers tested it", (Prose(_PAPERS, "note"), *published(papers)))


def _by_subject(
    rows: Sequence[AssociationRow], tests: Sequence[AssociationRow] = (), heading: str = _TITLE
) -> Iterator[Block]:
    for subject in dict.fromkeys(row.embedding_sha256 for row in rows):
        of_subject = ([row for row in several if row.embedding_sha256 == subject] for several in (rows, tests))
        yield from sized_blocks(*of_subject, heading=heading)


def sized_blocks(
    rows: Sequence[AssociationRow], tests: Sequence[AssociationRow] = (), *, heading: str = _TITLE
) -> Iterator[Block]:
    """Show sizes as bars that open to their words, elsewhere as a table; of a single one, the answer in a sentence.

    `tests` are those of papers, one of which may ask the same.
    """
    if len(rows) == 1:
        yield Prose(answer_sentence(rows[0]), media=("page", "terminal"))
        yield from unrelated_note(rows[0])
    elif not lack_words(rows):
        yield _answers(rows, {row.test: row for row in reversed(tests) if row.by_words}, heading)
    if rows[0].is_question:  # tests have a table of their own, with d and p as well
        yield sizes_table(rows)
        if len(rows) > 1:
            yield Prose(_OF_COLUMNS, "note", ("terminal",))
    yield Details("What the outcomes mean", tuple(size_notes(rows)))


def unrelated_note(row: AssociationRow) -> Iterator[Prose]:
    """Say what unrelated words reach."""
    if row.unrelated is not None:
        yield Prose(say(_UNUSUAL, percent(row.unrelated)), "note", ("page", "terminal"))


def is_unusual(row: AssociationRow) -> bool:
    """Tell whether a size is larger than what 19 of 20 contrasts of unrelated words stay below."""
    return row.unrelated is not None and abs(row.size or 0.0) > row.unrelated


def answer_sentence(row: AssociationRow) -> Text:
    """Say the answer to a question."""
    is_turned = (row.size or 0.0) < 0  # as charts have it: the group that leans towards A first
    first, second = (title(row.set_name(role)) for role in ("yx" if is_turned else "xy"))
    (near, far), size = _kinds_of_words(row), size_text(row, turned=is_turned)
    by = say("{} of the distance from {} to {}", size, far, near)
    if row.found:
        return capital(say("{} lie nearer to {} than {}, by {}: {}.", first, near, second, by, row.outcome or ""))
    if row.outcome == "small":
        return capital(say("{} and {} differ by {}: small.", first, second, by))
    why = REASONS[row.reason] if row.reason else ""
    unclear = say("It is not clear whether {} or {} are nearer to {} than to {}", first, second, near, far)
    if row.size_low is None:
        return say("{}: {}.", unclear, why)
    return say("{}{}: {}.", unclear, why and f" ({why})", size)


def single_answer(row: AssociationRow) -> Iterator[Block]:
    """Draw one answer with its interval, and list its outermost words, where no page folds them into an answer."""
    if row.size_low is not None:
        yield sizes_chart("size", _TITLE, [row], x_title="percent of the distance", note=_HOW_TO_READ_ONE)
    yield from (block for block in _closer(row, {}) if isinstance(block, Listing))


def size_notes(rows: Sequence[AssociationRow]) -> Iterator[Block]:
    """Explain the size, and the outcomes that are shown."""
    yield Prose(
        "The size says how much nearer the first set is to the first kind of words than the second set is, as a share "
        "of the distance between the two kinds of words. The interval covers other words of the same kinds."
    )
    yield Prose(_MATCHED if rows[0].is_question else _UNMATCHED)
    if any(row.is_question and row.missing for row in rows):
        yield Prose(_LACKING)
    yield from outcome_notes(rows)


def _answers(rows: Sequence[AssociationRow], papers: Mapping[str, AssociationRow], heading: str) -> AnswerChart:
    """Show each answer as a bar that opens to its words, topic by topic, the largest first in each."""
    chart = sizes_chart(f"sizes-{rows[0].kind}", heading, rows, x_title=_SCALE, note=_HOW_TO_READ)
    groups = [
        (
            anchor(of_topic[0], f"topic-{index}"),
            title(topic.capitalize()),
            tuple(
                _answer(row, papers, anchor(row, f"answer-{index}-{number_in_topic}"))
                for number_in_topic, row in enumerate(of_topic)
            ),
        )
        for index, (topic, of_topic) in enumerate(by_topic(rows).items())
    ]
    return AnswerChart(tuple(groups), MARGIN, chart)


def anchor(row: AssociationRow, name: str) -> str:
    """Return the id on a page of a topic, or an answer, in the part of the section that the row is shown in."""
    return f"{row.kind}-{part_of(row)}-{row.embedding_sha256[:8]}-{name}"


def _answer(row: AssociationRow, papers: Mapping[str, AssociationRow], name: str) -> Answer:
    """Return an answer, the group that leans towards A first, so that the size is not below zero."""
    first, second = ("x", "y") if (row.size or 0.0) >= 0 else ("y", "x")
    between = "{} → {}" if row.found else "{} – {}"
    label, below = (
        say(between, title(row.set_name(group)), title(row.set_name(near).removesuffix(WORDS)))
        for group, near in ((first, "a"), (second, "b"))
    )
    low, high = row.size_low, row.size_high
    if first == "y" and low is not None and high is not None:
        low, high = -high, -low
    size = size_text(row, turned=first == "y")
    return Answer(
        name,
        row.test,
        capital(label),
        capital(below),
        None if row.size is None else Span(abs(row.size), low, high),
        row.outcome or "cannot tell",
        row.outcome or "cannot tell",
        say("{}: {}", size, REASONS[row.reason]) if row.reason else size,
        tuple(_closer(row, papers)),
    )


def _closer(row: AssociationRow, papers: Mapping[str, AssociationRow]) -> Iterator[Block]:
    """Show an answer's words at their scores, what is missing, what is usual in this model, and the papers' tests."""
    yield Prose(answer_sentence(row))
    scores = [(score.word, score.value) for score in row.scores if score.value is not None]
    lines: list[Text] = []
    if len(scores) == row.n_x + row.n_y:
        sides = {"x": scores[: row.n_x], "y": scores[row.n_x :]}
        names = {role: title(row.set_name(role)) for role in "xyab"}
        yield WordSpread(
            tuple((names[role], tuple(sorted(side, key=itemgetter(1)))) for role, side in sides.items()),
            (names["b"], names["a"]),
        )
        for role, side in sides.items():
            outermost = [word for word, _ in sorted(side, key=itemgetter(1), reverse=True)]
            half = min(_OUTERMOST, len(side) // 2)
            for near, end in (("a", outermost[:half]), ("b", outermost[: -half - 1 : -1])):
                lines.append(say("{}, nearest to {}: {}.", names[role], names[near], words(end)))
    if row.missing:
        lines.append(say("Missing here: {}.", words(row.missing)))
    if row.unrelated is not None and row.found:
        lines.append(say(_USUAL, "unusual" if is_unusual(row) else "not unusual", percent(row.unrelated)))
    lines += [_published(papers[test]) for test in row.papers if test in papers]
    yield Listing(tuple(lines))
    yield Prose(
        say(
            "{}, {}: size {} [{} to {}], 99.5 % interval; mean difference in cosines {}; d = {}; {} words.",
            title(row.test),
            _contrast(row),
            *(number(value, 3) for value in (row.size, row.size_low, row.size_high, row.mean_difference)),
            number(row.effect_size),
            word_counts(row),
        ),
        "note",
    )
    listed = [
        say("{}: {}.", title(listing.name), words(word for word in listing.words if word not in set(row.missing)))
        for listing in row.sets
    ]
    yield Details("All words", (Listing(tuple(listed)),), ("page",))


def _published(row: AssociationRow) -> Text:
    """Say what a test of a paper gives that asks the same, and why it may differ."""
    matched = (
        " Its lists are not matched in frequency; those of the question are." if row.obstacle == "frequency" else ""
    )
    said = f"As a paper asked it ({{}}, {{}} names and words, {{}}): d = {{}}, p {{}}; {{}}.{matched}"
    p_value = probability(row.p_value, row.p_method)
    return say(
        said, title(row.test), f"{row.n_x + row.n_y + row.n_a + row.n_b}", _contrast(row), number(row.effect_size),
        equals(p_value), say("size {}, {}", size_text(row), outcome_text(row)),
    )  # fmt: skip


def _kinds_of_words(row: AssociationRow) -> tuple[Text, Text]:
    return title(row.set_name("a")), title(row.set_name("b"))


def _contrast(row: AssociationRow) -> Text:
    """Say which group's numbers are less which: those of findings, whichever group a chart puts first."""
    return say("{} less {}", title(row.set_name("x")), title(row.set_name("y")))
