"""Changes as kinds: what differs between two versions of a subject, test by test and topic by topic."""

from collections.abc import Iterable, Iterator, Sequence

from imprint.association.changes import ChangeRow, TopicChangeRow
from imprint.association.rows import outcome_counts
from imprint.kinds import Kind, part_of
from imprint.kinds.comparison import AGAINST
from imprint.kinds.sizes import sizes_chart
from imprint.kinds.tests import NAME, OUTCOME, TENTH, by_chance
from imprint.kinds.topics import TESTS, one_test
from imprint.tables import Columns, as_text, draw_field, table
from imprint.view import Block, Details, Prose, Text, first_claim, footnote, percent, say, title

_DEBIASING = "debiasing"  # the part whose changes are those of a debiaser
_CHANGED = "change of the size, in percent of the distance between the two kinds of words"
_READ = f"Left of zero: less as the stereotype predicts than before. The band is what counts as small: {TENTH}."
_BEFORE_AFTER: Columns = ("size_before", "size_after", "size", OUTCOME)


def show_changes(rows: Sequence[ChangeRow]) -> Iterator[Block]:
    """Show how each test's size changed, from one subject to each other one."""
    for place, pair in enumerate(dict.fromkeys((row.change_from, row.change_to) for row in rows)):
        own = [row for row in rows if (row.change_from, row.change_to) == pair]
        ends = (title(pair[0]), title(pair[1]))
        people = [row for row in own if row.about_people] or own
        heading = say("How much does each association change from {} to {}?", *ends)
        name = f"change-forest-{rows[0].part}{f'-{place + 1}' if place else ''}"
        yield sizes_chart(name, heading, people, x_title=_CHANGED, note=_READ)
        caption = say("What changed from {} to {}, with 99.5 % intervals", *ends)
        changes = table(ChangeRow, caption, own, (NAME, *_BEFORE_AFTER), extra=("effect_size",))
        yield Details("The changes, test by test", (changes,))
        if own[0].part != _DEBIASING:  # where the command says more
            yield from (Prose(sentence, media=("terminal",)) for sentence in say_changes(own))
    yield footnote("Only words that both have are compared. They are the same, so what they share cancels.")


def say_changes(rows: Sequence[ChangeRow]) -> Iterator[Text]:
    """Say how many tests about people changed, and the largest change; of several subjects, for the first one."""
    people = asked_of(row for row in rows if row.about_people and row.change_to == rows[0].change_to)
    if not people:
        return
    yield say("{}: {}. Expected by chance: {}.", _changed(rows[0]), outcome_counts(people), by_chance(people))
    found = [row for row in people if row.found]
    best = [row for row in found or people if row.size is not None]
    if best:
        row = max(best, key=lambda one: (abs(one.size or 0.0), one.test))
        sizes = (percent(row.size_before), percent(row.size_after), as_text(draw_field(row, "size")))
        text = "The largest change: {}, from {} to {}, by {}, {}."
        yield say(text, title(row.title), *sizes, row.outcome or "")


def asked_of(rows: Iterable[ChangeRow]) -> list[ChangeRow]:
    """Return the questions; the tests where no question was asked of both."""
    listed = list(rows)
    return [row for row in listed if row.is_question] or listed


def brief(rows: Sequence[ChangeRow]) -> Iterator[Text]:
    """Say what changed from one subject to another; what debiasing changed has a line of its own."""
    if part_of(rows[0]) == AGAINST.name:
        yield from say_changes(rows)


def show_topic_changes(rows: Sequence[TopicChangeRow]) -> Iterator[Block]:
    """Show how each topic's size changed, unless one test is all there is."""
    pairs = dict.fromkeys((row.change_from, row.change_to) for row in rows)
    for pair in pairs:
        own = [row for row in rows if (row.change_from, row.change_to) == pair]
        if one_test(own):
            continue
        caption = "What changed, per topic"
        named = caption if len(pairs) == 1 else say("{}, from {} to {}", caption, *map(title, pair))
        yield Details(caption, (table(TopicChangeRow, named, own, ("topic", *_BEFORE_AFTER, TESTS)),))


def _changed(row: ChangeRow) -> Text:
    if row.part == _DEBIASING:
        return "What debiasing changes"
    return say("What changes from {} to {}", title(row.change_from), title(row.change_to))


CHANGE = Kind(
    "change",
    row=ChangeRow,
    part=AGAINST,
    blocks=show_changes,
    sentences=say_changes,
    claims=lambda rows: first_claim(
        say_changes(rows), "That a bias is gone: it may remain in other words and other directions."
    ),
    aliases={"d": "effect_size"},
    rank=-2,
    brief=brief,
)
TOPIC_CHANGE = Kind(
    "topic-change",
    row=TopicChangeRow,
    part=AGAINST,
    blocks=show_topic_changes,
)
