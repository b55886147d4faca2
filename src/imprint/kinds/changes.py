"""Changes as kinds: what differs between two versions of a subject, test by test and topic by topic."""

from collections.abc import Iterator, Sequence

from imprint.association.changes import ChangeRow, TopicChangeRow
from imprint.association.verdicts import strongest
from imprint.kinds import Kind
from imprint.kinds.comparison import AGAINST
from imprint.kinds.tests import BARS, TEST, forest_chart, in_family, level_of, name_cell
from imprint.kinds.topics import P_WORDS, TESTS, TOPIC_COLUMN, one_test, topic_cells
from imprint.view import (
    Block,
    Cell,
    Column,
    Details,
    Prose,
    Table,
    Text,
    estimate,
    first_claim,
    interval,
    number,
    probability,
    say,
    title,
)

_DEBIASING = "debiasing"  # the part whose changes are those of a debiaser
_CHANGED = "change of the mean difference"
_READ = f"Left of zero: less as the stereotype predicts than before. {BARS}"
_BEFORE = Column("Before", "Mean difference in the first.", True)
_AFTER = Column("After", "Mean difference in the second.", True)
_CHANGE = Column(
    "Change", "Mean difference after less that before, with its 95 % interval over words and any sentences.", True
)
_CHANGES = (
    TEST,
    _BEFORE,
    _AFTER,
    _CHANGE,
    Column("p, Holm", "The larger of both checks' p-values, corrected over the tests compared.", True),
    Column("Evidence", "Moderate: label permutation and words. Limited: label permutation alone."),
    Column("p, label", "Two-sided p of the words' changes, over all splits of the target words.", True, extra=True),
    Column(P_WORDS.title, P_WORDS.meaning, True, extra=True),
    Column("Change of d", "The second's d less the first's.", True, extra=True),
)
_TOPIC_CHANGES = (TOPIC_COLUMN, _BEFORE, _AFTER, _CHANGE, P_WORDS, TESTS)


def show_changes(rows: Sequence[ChangeRow]) -> Iterator[Block]:
    """Show how each test's mean difference changed, from one subject to each other one."""
    for place, pair in enumerate(dict.fromkeys((row.change_from, row.change_to) for row in rows)):
        own = [row for row in rows if (row.change_from, row.change_to) == pair]
        ends = (title(pair[0]), title(pair[1]))
        people = [row for row in own if row.about_people] or own
        heading = say("How much does each association change from {} to {}?", *ends)
        name = f"change-forest-{rows[0].part}{f'-{place + 1}' if place else ''}"
        yield forest_chart(name, heading, people, x_title=_CHANGED, note=_READ)
        caption = say("What changed from {} to {}{}", *ends, in_family(own))
        yield Table(caption, _CHANGES, tuple(_change_cells(row) for row in own))
        if own[0].part != _DEBIASING:  # where the command says more
            yield from (Prose(sentence, media=("terminal",)) for sentence in say_changes(own))
    yield Prose(
        "The change of each word's score is tested, on the words that both have. A change has moderate evidence at "
        "most: frequency and the space's axes are not checked.",
        "note",
        ("page", "terminal"),
    )


def say_changes(rows: Sequence[ChangeRow]) -> Iterator[Text]:
    """Say how many tests about people changed, and the largest change; of several subjects, for the first one."""
    people = [row for row in rows if row.about_people and row.change_to == rows[0].change_to]
    found = [row for row in people if row.found]
    if people:
        moderate = sum(row.evidence == "moderate" for row in found)
        counts = (_changed(rows[0]), f"{len(found)}", f"{len(people)}", f"{moderate}")
        yield say("{} changes {} of the {} tests compared, {} of them with moderate evidence.", *counts)
    level = strongest(one.evidence for one in found)
    best = [row for row in people if row.mean_difference and (not found or row.evidence == level)]
    if best:
        row = max(best, key=lambda one: (abs(one.mean_difference or 0.0), one.test))
        name, size = title(row.title), number(row.mean_difference, 3)
        ends = interval(row.words_low, row.words_high, 3)
        yield say("The largest change: {}, by {} [{}], evidence {}.", name, size, ends, row.evidence or "")


def show_topic_changes(rows: Sequence[TopicChangeRow]) -> Iterator[Block]:
    """Show how each topic's mean difference changed, unless one test is all there is."""
    pairs = dict.fromkeys((row.change_from, row.change_to) for row in rows)
    for pair in pairs:
        own = [row for row in rows if (row.change_from, row.change_to) == pair]
        if one_test(own):
            continue
        caption = "What changed, per topic"
        named = caption if len(pairs) == 1 else say("{}, from {} to {}", caption, *map(title, pair))
        lines = tuple(
            (
                title(row.topic),
                number(row.mean_difference_before, 3),
                number(row.mean_difference_after, 3),
                *topic_cells(row)[:-1],
            )
            for row in own
        )
        yield Details(caption, (Table(named, _TOPIC_CHANGES, lines),))


def _changed(row: ChangeRow) -> Text:
    if row.part == _DEBIASING:
        return "Debiasing"
    return say("Going from {} to {}", title(row.change_from), title(row.change_to))


def _change_cells(row: ChangeRow) -> tuple[Cell | Text, ...]:
    failed = say("Failed: {}", ", ".join(row.checks_failed)) if row.checks_failed else ""
    return (
        name_cell(row),
        number(row.mean_difference_before, 3),
        number(row.mean_difference_after, 3),
        Cell(estimate(row.mean_difference, row.words_low, row.words_high, 3), order=row.mean_difference),
        Cell(probability(row.p_moderate_holm, row.p_method), order=row.p_moderate_holm),
        Cell(level_of(row), hint=failed),
        Cell(probability(row.p_label, row.p_method), order=row.p_label),
        Cell(probability(row.p_words), order=row.p_words),
        number(row.effect_size),
    )


CHANGE = Kind(
    "change",
    row=ChangeRow,
    part=AGAINST,
    blocks=show_changes,
    sentences=say_changes,
    claims=lambda rows: first_claim(
        say_changes(rows), "That a bias is gone: it may remain in other words and other directions."
    ),
    aliases={"p": "p_value", "d": "effect_size"},
    rank=-2,
)
TOPIC_CHANGE = Kind(
    "topic-change",
    row=TopicChangeRow,
    part=AGAINST,
    blocks=show_topic_changes,
    aliases={"p": "p_words"},
)
