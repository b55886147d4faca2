"""Changes as kinds: what differs between two versions of a subject, test by test and topic by topic."""

from collections.abc import Iterator, Sequence

from imprint.association.changes import ChangeRow, TopicChangeRow
from imprint.association.verdicts import strongest
from imprint.kinds import Kind, part_of
from imprint.kinds.comparison import AGAINST
from imprint.kinds.tests import BARS, NAME, forest_chart, in_family, level_of
from imprint.kinds.topics import TESTS, one_test
from imprint.tables import Columns, Field, table
from imprint.view import (
    Block,
    Cell,
    Details,
    Prose,
    Text,
    first_claim,
    footnote,
    interval,
    number,
    say,
    title,
)

_DEBIASING = "debiasing"  # the part whose changes are those of a debiaser
_CHANGED = "change of the mean difference"
_READ = f"Left of zero: less as the stereotype predicts than before. {BARS}"
_BEFORE_AFTER: Columns = ("mean_difference_before", "mean_difference_after", "mean_difference")


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
        level = Field("evidence", cell=_level)
        yield table(
            ChangeRow,
            caption,
            own,
            (NAME, *_BEFORE_AFTER, "p_moderate_holm", level),
            extra=("p_label", "p_words", "effect_size"),
        )
        if own[0].part != _DEBIASING:  # where the command says more
            yield from (Prose(sentence, media=("terminal",)) for sentence in say_changes(own))
    yield footnote(
        "The change of each word's score is tested, on the words that both have. A change has moderate evidence at "
        "most: frequency and the space's axes are not checked."
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


def brief(rows: Sequence[ChangeRow]) -> Iterator[Text]:
    """Say what changed from one subject to another; what debiasing changed has a line of its own."""
    if part_of(rows[0]) == AGAINST.name:
        yield from say_changes(rows)


def show_topic_changes(rows: Sequence[TopicChangeRow]) -> Iterator[Block]:
    """Show how each topic's mean difference changed, unless one test is all there is."""
    pairs = dict.fromkeys((row.change_from, row.change_to) for row in rows)
    for pair in pairs:
        own = [row for row in rows if (row.change_from, row.change_to) == pair]
        if one_test(own):
            continue
        caption = "What changed, per topic"
        named = caption if len(pairs) == 1 else say("{}, from {} to {}", caption, *map(title, pair))
        yield Details(caption, (table(TopicChangeRow, named, own, ("topic", *_BEFORE_AFTER, "p_words", TESTS)),))


def _changed(row: ChangeRow) -> Text:
    if row.part == _DEBIASING:
        return "Debiasing"
    return say("Going from {} to {}", title(row.change_from), title(row.change_to))


def _level(row: ChangeRow) -> Cell:
    return Cell(level_of(row), hint=say("Failed: {}", ", ".join(row.checks_failed)) if row.checks_failed else "")


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
    brief=brief,
)
TOPIC_CHANGE = Kind(
    "topic-change",
    row=TopicChangeRow,
    part=AGAINST,
    blocks=show_topic_changes,
    aliases={"p": "p_words"},
)
