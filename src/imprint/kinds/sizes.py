"""What sizes say on pages, terminals and cards: each with its interval and one of four outcomes, and all together.

Questions come first, and say the verdict. Where none was asked, or none has the words it needs, tests do.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from imprint.association.rows import AssociationRow, SizedRow, outcome_counts
from imprint.kinds import Family
from imprint.kinds.tests import (
    MISSING,
    OUTCOME,
    REASONS,
    TENTH,
    by_chance,
    name_cell,
    one_sided,
    outcome_notes,
    outcome_text,
)
from imprint.rows import Row
from imprint.significance.outcomes import FOUND, MARGIN, OUTCOMES, SizeOutcome
from imprint.tables import Columns, Field, table
from imprint.view import (
    Block,
    Chart,
    Claim,
    Details,
    Given,
    Phrase,
    Prose,
    Text,
    Tile,
    Tiles,
    count,
    join,
    percent,
    points,
    say,
    title,
)

if TYPE_CHECKING:
    from imprint.masking import Words

Tested = TypeVar("Tested", bound=AssociationRow)

_SHOWN_BY_TILES: tuple[SizeOutcome, ...] = (*FOUND, "cannot tell", "small")  # not as small while one is not known
_WORDS = " words"
_TITLE = "Who goes with what, and how much?"
_SCALE = "percent of the distance between the two kinds of words"
_BARS = "99.5 % interval"
_BAND = f"The band is what counts as small: {TENTH}."


def of_people(rows: Iterable[AssociationRow]) -> list[AssociationRow]:
    """Return what the verdict is about, of the first subject that has any: its questions, or its tests with a size.

    Rows asked again in another part are left out. Tests count where no question was asked, or all lack words.
    """
    about = [row for row in rows if row.about_people and row.outcome is not None and row.part in (None, row.kind)]
    questions = [row for row in about if row.is_question]
    tests = [row for row in about if not row.is_question]
    chosen = tests if tests and _lack_words(questions) else questions
    return [row for row in chosen if row.embedding_sha256 == chosen[0].embedding_sha256]


def split_blocks(rows: Sequence[Tested], published: Callable[[Sequence[Tested]], Iterable[Block]]) -> Iterator[Block]:
    """Show questions, subject by subject; tests as papers put them are one click away where there are questions.

    Where all questions lack words, it is the other way round.
    """
    questions = [row for row in rows if row.is_question]
    tests = [row for row in rows if not row.is_question]
    if tests and _lack_words(questions):
        yield from _by_subject([row for row in tests if row.outcome is not None])
        yield from published(tests)
        if questions:
            yield Details("Questions that lack words", tuple(_by_subject(questions)))
        return
    yield from _by_subject(questions)
    if tests:
        yield Details("As the papers tested it", (Prose(_PAPERS, "note"), *published(tests)))


def _by_subject(rows: Sequence[AssociationRow]) -> Iterator[Block]:
    for subject in dict.fromkeys(row.embedding_sha256 for row in rows):
        yield from sized_blocks([row for row in rows if row.embedding_sha256 == subject])


def sized_blocks(rows: Sequence[AssociationRow]) -> Iterator[Block]:
    """Show sizes as a chart and a table; of a single one, the answer in a sentence."""
    if len(rows) == 1:
        yield Prose(answer_sentence(rows[0]), media=("page", "terminal"))
        if (unrelated := rows[0].unrelated) is not None:
            yield Prose(say(_UNUSUAL, percent(unrelated)), "note", ("page", "terminal"))
    elif not _lack_words(rows):
        suffix = "" if rows[0].kind == "weat" else f"-{rows[0].kind}"
        what = "questions" if rows[0].is_question else "tests"
        note = f"Right of zero: the groups go with the words as they are named. {_BAND}"
        yield sizes_chart(f"{what}{suffix}", _TITLE, rows, x_title=_SCALE, note=note, main=True)
    if rows[0].is_question:  # tests have a table of their own, with d and p as well
        yield sizes_table(rows)
    yield Details("What the outcomes mean", tuple(notes(rows)))


def sizes_table(rows: Sequence[AssociationRow]) -> Block:
    """Return the table of sizes of one subject."""
    what = "Questions asked of" if rows[0].is_question else "Tests of"
    caption = say("{} {}, with 99.5 % intervals", what, title(rows[0].embedding))
    extra = () if rows[0].is_question else ("p_frequency",)
    return table(type(rows[0]), caption, rows, _COLUMNS, more=_MORE, extra=extra)


_PAPERS = (
    "The papers ask about 8 to 32 words per set, which are not matched in frequency. Where a test and a question "
    "disagree, both are right about their words: these names at their frequencies, and names in general at equal "
    "frequency."
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
_UNUSUAL = "In this model, 19 of 20 contrasts of unrelated words stay below {}."


def answer_sentence(row: AssociationRow) -> Text:
    """Say the answer to a question."""
    x, y = (title(row.set_name(role)) for role in "xy")
    (near, far), size = _kinds_of_words(row), _size(row)
    if row.found:
        said = "{} are nearer to {} than {} are, by {} of the distance between {} and {}: {}."
        first, second = (x, y) if (row.size or 0.0) > 0 else (y, x)
        return _capital(say(said, first, near, second, size, near, far, row.outcome or ""))
    if row.outcome == "small":
        said = "{} and {} differ by {} of the distance between {} and {}: small."
        return _capital(say(said, x, y, size, near, far))
    why = REASONS[row.reason] if row.reason else ""
    unclear = say("It is not clear whether {} or {} are nearer to {} than to {}", x, y, near, far)
    if row.size_low is None:
        return say("{}: {}.", unclear, why)
    return say("{}{}: {}.", unclear, why and f" ({why})", size)


def notes(rows: Sequence[AssociationRow]) -> Iterator[Block]:
    """Explain the size, and the outcomes that are shown."""
    yield Prose(
        "The size says how much nearer the first set is to the first kind of words than the second set is, as a share "
        "of the distance between the two kinds of words. The interval covers other words of the same kinds."
    )
    yield Prose(_MATCHED if rows[0].is_question else _UNMATCHED)
    if any(row.is_question and row.missing for row in rows):
        yield Prose(_LACKING)
    yield from outcome_notes(rows)


def sentences(rows: Sequence[AssociationRow]) -> Iterator[Text]:
    """Count the outcomes, and say the answers that show a difference."""
    if asked := of_people(rows):
        yield f"{_counted(asked)}: {outcome_counts(asked)}."
        yield from (answer_sentence(row) for row in asked if row.found)


def verdict(rows: Sequence[AssociationRow], _: Sequence[Row] = ()) -> list[Text]:
    """Say which groups lean towards which words: the substantial ones, else those that are present."""
    for outcome in FOUND:
        if leaning := [row for row in rows if row.outcome == outcome]:
            return [_leaning(leaning)]
    small = sum(row.outcome == "small" for row in rows)
    if small == len(rows):
        return [f"No group leans by {TENTH} or more towards any of the words asked about."]
    if not small:
        return ["It is not clear whether any group leans towards any of the words asked about."]
    unclear = len(rows) - small
    return [f"{small} of {len(rows)} differences are small, {unclear} {'is' if unclear == 1 else 'are'} not clear."]


def certainty(own: Sequence[AssociationRow], rows: Sequence[AssociationRow]) -> list[Text]:
    """Say the largest size with its interval, what was found in all, and how many of these are due to chance."""
    said: list[Text] = []
    if not rows or rows[0] not in own:
        return said
    found = [row for row in rows if row.found]
    if found:
        largest = max(found, key=lambda row: (-OUTCOMES.index(row.outcome or "cannot tell"), abs(row.size or 0.0)))
        said.append(answer_sentence(largest))
    said.append(f"{_counted(rows)}: {outcome_counts(rows)}. Expected by chance: {by_chance(rows)}.")
    return said


def method(rows: Sequence[AssociationRow]) -> Iterator[Text]:
    """Say what decides, for the methods section of a paper."""
    if any(row.outcome is not None for row in rows):
        yield (
            "The size is how much nearer X is to A than Y is, as a share of the distance between A and B, with a 99.5 "
            "% interval over words (both targets and attributes random; Clark, 1973). A size is substantial where the "
            f"whole interval lies beyond {TENTH}, small where it lies within, and present where it does not contain "
            "zero; elsewhere the words cannot tell."
        )


def card_notes(rows: Sequence[AssociationRow]) -> Iterator[str]:
    """Say in which direction p-values count, where there are any."""
    yield " ".join(("Intervals are 99.5 %.", *(f"p is {sided}." for sided in [one_sided(rows)] if sided)))


def tiles(rows: Sequence[AssociationRow], _: Sequence[Row] = ()) -> Tiles:
    """Return a tile per topic, in the colour of its most serious outcome."""
    topics = dict.fromkeys(topic for row in rows for topic in row.topics)
    return Tiles(tuple(_tile(topic, [row for row in rows if topic in row.topics]) for topic in topics))


def claims(rows: Sequence[AssociationRow]) -> Iterator[Claim]:
    """Pair what questions show with what they do not."""
    for row in of_people(rows):
        if row.found:
            yield (
                answer_sentence(row),
                "Whether it changes what a product does: only a test of the product shows that.",
            )
        elif row.outcome == "small":
            yield answer_sentence(row), "That there is no such difference, or none in other words and uses."
    unanswered = [row for row in of_people(rows) if row.outcome == "cannot tell"]
    if unanswered:
        what = "Questions" if unanswered[0].is_question else "Tests"
        named = join((title(row.title) for row in unanswered), "; ")
        yield say("{} without an answer: {}.", what, named), "Anything about what they ask, in either direction."


def _lack_words(rows: Sequence[AssociationRow]) -> bool:
    """Tell whether no question has the words it needs."""
    return all(row.reason == "few words" for row in rows)


def _leaning(rows: Sequence[AssociationRow]) -> Text:
    """Say towards which words each group leans, for the groups with the largest size first."""
    ordered = sorted(rows, key=lambda row: -abs(row.size or 0.0))
    towards: dict[str, list[str]] = {}
    for row in ordered:
        near, far = (row.set_name(role) for role in "ab")
        if (row.size or 0.0) < 0:
            near, far = far, near
        towards.setdefault(row.set_name("x"), []).append(near)
        towards.setdefault(row.set_name("y"), []).append(far)
    parts = [
        say("{} lean towards {}" if place == 0 else "{} towards {}", title(group), title(_listed(kinds)))
        for place, (group, kinds) in enumerate(towards.items())
    ]
    return _capital(say("{}.", join(parts, ", ")))


def _listed(names: Sequence[str]) -> str:
    """Return names of sets in a row; what all of them end in is said once."""
    alike = all(name.endswith(_WORDS) for name in names)
    shown = list(dict.fromkeys(name.removesuffix(_WORDS) if alike else name for name in names))
    text = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    return text + (_WORDS if alike else "")


def _capital(text: Text) -> Text:
    """Begin a sentence with a capital: names of sets may be written small."""
    if isinstance(text, Phrase) and text and isinstance(text[0], Given):
        first = text[0]
        return Phrase((Given(first.text[:1].upper() + first.text[1:], first.long), *text[1:]))
    return text


def _kinds_of_words(row: AssociationRow) -> tuple[Text, Text]:
    return title(row.set_name("a")), title(row.set_name("b"))


def _size(row: SizedRow) -> Text:
    """Return the size without its sign where the sentence says the direction, with its interval."""
    if row.size is None or row.size_low is None or row.size_high is None:
        return "no size"
    turned = row.found and row.size < 0
    size, low, high = (-row.size, -row.size_high, -row.size_low) if turned else (row.size, row.size_low, row.size_high)
    digits = _digits(low, high)
    return say("{} [{} to {}]", percent(size, digits), points(low, digits), points(high, digits))


def _digits(*ends: float) -> int:
    """Return one decimal where an end is so near to zero or the margin that rounding would hide which side it is."""
    return int(any(min(abs(end), abs(abs(end) - MARGIN)) < MARGIN / 20 for end in ends))


def _tile(topic: str, rows: Sequence[AssociationRow]) -> Tile:
    outcomes = {row.outcome or "cannot tell" for row in rows}
    worst = next((outcome for outcome in _SHOWN_BY_TILES if outcome in outcomes), "cannot tell")
    return Tile(title(topic.capitalize()), _counted(rows), outcome_counts(rows), worst)


def _counted(rows: Sequence[AssociationRow]) -> str:
    what = "question" if rows[0].is_question else "test"
    return f"{len(rows)} {what}{'' if len(rows) == 1 else 's'}"


def _words_cell(row: AssociationRow) -> Text:
    return say("{} and {}, {} and {}", *map(count, (row.n_x, row.n_y, row.n_a, row.n_b)))


_COLUMNS: Columns = (Field("test", meaning="Two groups and two kinds of words.", cell=name_cell), "size", OUTCOME)
_MORE: Columns = (
    "unrelated",
    "detectable",
    Field("n_x", "Words", "Words of X, Y, A and B that have a vector.", _words_cell, numeric=False),
    MISSING,
    "mean_difference",
    "effect_size",
)


def sizes_chart(
    name: str, heading: Text, rows: Sequence[SizedRow], *, x_title: str, note: str, main: bool = False
) -> Chart:
    """Draw sizes topic by topic, the largest first in each, with their intervals and the band of what is small."""
    topics = list(dict.fromkeys(topic for row in rows for topic in row.topics[:1]))
    drawn = sorted(
        (row for row in rows if row.size is not None),
        key=lambda row: (topics.index(row.topics[0]) if row.topics else 0, -abs(row.size or 0.0), row.test),
    )

    def draw(shown: "Words", width: int) -> dict[str, object]:
        from imprint.render.charts.forest import ForestRow, forest
        from imprint.render.numbers import plain

        lines = [
            ForestRow(
                shown.text(f"{row.set_name('x')} – {row.set_name('a')}"),
                100 * (row.size or 0.0),
                None if row.size_low is None else 100 * row.size_low,
                None if row.size_high is None else 100 * row.size_high,
                row.outcome or "cannot tell",
                shown.text(f"{row.set_name('y')} – {row.set_name('b')}"),
                {
                    "test": shown.text(row.test),
                    "outcome": plain(outcome_text(row), shown),
                    "size": plain(_size(row), shown),
                },
            )
            for row in drawn
        ]
        return forest(lines, x_title=x_title, band=_BARS, small=100 * MARGIN, width=width)

    alt = say(
        "A mark for each of {} sizes, with its interval; the marks show the outcome: {}.",
        f"{len(drawn)}",
        outcome_counts(rows),
    )
    listed = table(type(rows[0]), "The chart's sizes", drawn, _COLUMNS)
    return Chart(name, heading, alt, draw, listed, note=note, main=main)


TESTS_ABOUT_PEOPLE = Family(of_people, verdict, tiles, notes, method, card_notes)
