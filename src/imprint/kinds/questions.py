"""What questions say on pages, terminals and cards: one size each, its interval, and one of four outcomes."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from imprint.association.rows import AssociationRow
from imprint.significance.outcomes import CONFIDENCE, FOUND, MARGIN, SizeOutcome
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

OUTCOMES: tuple[SizeOutcome, ...] = ("substantial", "present", "small", "cannot tell")  # the most serious first

_SHOWN_BY_TILES: tuple[SizeOutcome, ...] = (*FOUND, "cannot tell", "small")  # not as small while one is not known
_TENTH = f"{100 * MARGIN:.0f}\N{NO-BREAK SPACE}%"
_MEANINGS: dict[SizeOutcome, str] = {
    "substantial": f"the whole interval lies beyond {_TENTH} of the distance between the two kinds of words",
    "present": f"there is a difference; whether it is larger than {_TENTH} is not settled",
    "small": f"the whole interval lies within {_TENTH}, on either side of zero",
    "cannot tell": "the interval has both no difference and a difference that is not small in it",
}
_REASONS = {
    "few words": "too few of its words were found",
    "frequency": "the words differ in frequency",
    "attributes not distinguished": "this model does not tell the two kinds of words apart",
    "grammar": "grammatical gender alone may give as much",
    "controls": "the subject cannot be judged",
}
_WORDS = " words"
_TITLE = "Who goes with what, and how much?"
_SCALE = "percent of the distance between the two kinds of words"
_BARS = "99.5 % interval"


def of_people(rows: Iterable[AssociationRow]) -> list[AssociationRow]:
    """Return the questions of the first subject that has any, without those asked again in another part.

    Where all of them lack words and published tests were run, there are none: only the tests have something to say.
    """
    about = [row for row in rows if row.about_people and row.part in (None, row.kind)]
    asked = [row for row in about if row.is_question]
    asked = [row for row in asked if row.embedding_sha256 == asked[0].embedding_sha256]
    subjects = {row.embedding_sha256 for row in asked}
    is_tested = any(row.embedding_sha256 in subjects for row in about if not row.is_question)
    return [] if is_tested and _lack_words(asked) else asked


def split_blocks(rows: Sequence[Tested], published: Callable[[Sequence[Tested]], Iterable[Block]]) -> Iterator[Block]:
    """Show questions, subject by subject; tests as papers put them are one click away where there are questions.

    Where all questions lack words, it is the other way round.
    """
    asked = [row for row in rows if row.is_question]
    others = [row for row in rows if not row.is_question]
    shown = [
        block
        for subject in dict.fromkeys(row.embedding_sha256 for row in asked)
        for block in question_blocks([row for row in asked if row.embedding_sha256 == subject])
    ]
    if others and _lack_words(asked):
        yield from published(others)
        if shown:
            yield Details("Questions that lack words", tuple(shown))
        return
    yield from shown
    if others:
        yield Details("As the papers tested it", (Prose(_PAPERS, "note"), *published(others)))


def question_blocks(rows: Sequence[AssociationRow]) -> Iterator[Block]:
    """Show questions as a chart and a table; of a single one, the answer in a sentence."""
    if len(rows) == 1:
        yield Prose(answer_sentence(rows[0]), media=("page", "terminal"))
        if (unrelated := rows[0].unrelated) is not None:
            yield Prose(say(_UNUSUAL, percent(unrelated)), "note", ("page", "terminal"))
    elif not _lack_words(rows):
        yield _chart(rows)
    caption = say("Questions asked of {}, with 99.5 % intervals", title(rows[0].embedding))
    yield table(type(rows[0]), caption, rows, _COLUMNS, more=_MORE)
    yield Details("What the outcomes mean", tuple(outcome_notes(rows)))


_PAPERS = (
    "The papers ask about 8 to 32 words per set, which are not matched in frequency. Where a test and a question "
    "disagree, both are right about their words: these names at their frequencies, and names in general at equal "
    "frequency."
)
_UNUSUAL = "In this model, 19 of 20 contrasts of unrelated words stay below {}."


def answer_sentence(row: AssociationRow) -> Text:
    """Say the answer to a question."""
    x, y = (title(row.set_name(role)) for role in "xy")
    (near, far), size = _kinds_of_words(row), _size(row)
    if row.outcome in FOUND:
        said = "{} are nearer to {} than {} are, by {} of the distance between {} and {}: {}."
        first, second = (x, y) if (row.size or 0.0) > 0 else (y, x)
        return _capital(say(said, first, near, second, size, near, far, row.outcome or ""))
    if row.outcome == "small":
        said = "{} and {} differ by {} of the distance between {} and {}: small."
        return _capital(say(said, x, y, size, near, far))
    why = f" ({_REASONS[row.reason]})" if row.reason else ""
    said = "It is not clear whether {} or {} are nearer to {} than to {}{}: {}."
    return say(said, x, y, near, far, why, size)


def outcome_notes(rows: Sequence[AssociationRow]) -> Iterator[Block]:
    """Explain the size, and the outcomes that are shown."""
    yield Prose(
        "The size says how much nearer one group's names are to the first kind of words than the other group's, as a "
        "share of the distance between the two kinds of words. The interval covers other names and words of these "
        "kinds. All words are matched in frequency and are the same for every model."
    )
    shown = {row.outcome for row in rows}
    for outcome, meaning in _MEANINGS.items():
        if outcome in shown:
            yield Prose(f"{outcome.capitalize()}: {meaning}.", "note", ("page", "terminal"))


def sentences(rows: Sequence[AssociationRow]) -> Iterator[Text]:
    """Count the outcomes, and say the answers that show a difference."""
    yield f"{len(rows)} question{'' if len(rows) == 1 else 's'}: {outcome_counts(rows)}."
    yield from (answer_sentence(row) for row in rows if row.outcome in FOUND)


def verdict(rows: Sequence[AssociationRow]) -> list[Text]:
    """Say which groups lean towards which words: the substantial ones, else those that are present."""
    for outcome in FOUND:
        if leaning := [row for row in rows if row.outcome == outcome]:
            return [_leaning(leaning)]
    small = sum(row.outcome == "small" for row in rows)
    if small == len(rows):
        return [f"No group leans by {_TENTH} or more towards any of the words asked about."]
    if not small:
        return ["It is not clear whether any group leans towards any of the words asked about."]
    unclear = len(rows) - small
    return [f"{small} of {len(rows)} differences are small, {unclear} {'is' if unclear == 1 else 'are'} not clear."]


def certainty(own: Sequence[AssociationRow], rows: Sequence[AssociationRow]) -> list[Text]:
    """Say the largest size with its interval, what was found in all, and how many of these are due to chance."""
    said: list[Text] = []
    if not rows or not rows[0].is_question or rows[0] not in own:
        return said
    found = [row for row in rows if row.outcome in FOUND]
    if found:
        largest = max(found, key=lambda row: (-OUTCOMES.index(row.outcome or "cannot tell"), abs(row.size or 0.0)))
        said.append(answer_sentence(largest))
    chance = (1 - CONFIDENCE) * len(rows)
    said.append(
        say(
            "{} questions: {}. Expected by chance: {}.",
            count(len(rows)),
            outcome_counts(rows),
            f"{chance:.2g}",
        )
    )
    return said


def outcome_counts(rows: Sequence[AssociationRow]) -> str:
    """Say how many questions have each outcome, the most serious first."""
    counts = Counter(row.outcome for row in rows)
    return ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES if counts[outcome])


def tiles(rows: Sequence[AssociationRow]) -> Tiles:
    """Return a tile per topic, in the colour of its most serious outcome."""
    topics = dict.fromkeys(topic for row in rows for topic in row.topics)
    return Tiles(tuple(_tile(topic, [row for row in rows if topic in row.topics]) for topic in topics))


def claims(rows: Sequence[AssociationRow]) -> Iterator[Claim]:
    """Pair what questions show with what they do not."""
    for row in of_people(rows):
        if row.outcome in FOUND:
            yield (
                answer_sentence(row),
                "Whether it changes what a product does: only a test of the product shows that.",
            )
        elif row.outcome == "small":
            yield answer_sentence(row), "That there is no such difference, or none in other words and uses."
    unanswered = [row for row in of_people(rows) if row.outcome == "cannot tell"]
    if unanswered:
        named = join((title(row.title) for row in unanswered), "; ")
        yield say("Questions without an answer: {}.", named), "Anything about what they ask, in either direction."


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


def _size(row: AssociationRow) -> Text:
    """Return the size without its sign where the sentence says the direction, with its interval."""
    if row.size is None or row.size_low is None or row.size_high is None:
        return "no size"
    turned = row.outcome in FOUND and row.size < 0
    size, low, high = (-row.size, -row.size_high, -row.size_low) if turned else (row.size, row.size_low, row.size_high)
    digits = _digits(low, high)
    return say("{} [{} to {}]", percent(size, digits), points(low, digits), points(high, digits))


def _digits(*ends: float) -> int:
    """Return one decimal where an end is so near to zero or the margin that rounding would hide which side it is."""
    return int(any(min(abs(end), abs(abs(end) - MARGIN)) < MARGIN / 20 for end in ends))


def _tile(topic: str, rows: Sequence[AssociationRow]) -> Tile:
    outcomes = {row.outcome or "cannot tell" for row in rows}
    worst = next((outcome for outcome in _SHOWN_BY_TILES if outcome in outcomes), "cannot tell")
    note = f"{len(rows)} question{'' if len(rows) == 1 else 's'}"
    return Tile(title(topic.capitalize()), note, outcome_counts(rows), worst)


def _outcome(row: AssociationRow) -> Text:
    return f"{row.outcome}: {_REASONS[row.reason]}" if row.reason else str(row.outcome)


def _question_cell(row: AssociationRow) -> Text:
    return say("{}: {}", title(row.test), title(row.title))


def _words_cell(row: AssociationRow) -> Text:
    return say("{} and {}, {} and {}", *map(count, (row.n_x, row.n_y, row.n_a, row.n_b)))


_COLUMNS: Columns = (
    Field("test", "Question", "Two groups of names and two kinds of words.", _question_cell),
    "size",
    Field("outcome", cell=_outcome),
)
_MORE: Columns = (
    "unrelated",
    Field("n_x", "Words", "Words of X, Y, A and B that have a vector.", _words_cell, numeric=False),
    "mean_difference",
    "effect_size",
)


def _chart(rows: Sequence[AssociationRow]) -> Chart:
    """Draw the questions topic by topic, the largest size first in each, with the band of what is small."""
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
                    "question": shown.text(row.test),
                    "outcome": plain(_outcome(row), shown),
                    "size": plain(_size(row), shown),
                },
            )
            for row in drawn
        ]
        return forest(lines, x_title=_SCALE, band=_BARS, small=100 * MARGIN, width=width)

    alt = say(
        "A mark for each of {} questions at its size, with its interval; the marks show the outcome: {}.",
        f"{len(drawn)}",
        outcome_counts(rows),
    )
    listed = table(type(rows[0]), "The chart's sizes", drawn, _COLUMNS)
    note = (
        f"Right of zero: the groups go with the words as they are named. The band is what counts as small: {_TENTH}."
    )
    suffix = "" if rows[0].kind == "weat" else f"-{rows[0].kind}"
    return Chart(f"questions{suffix}", _TITLE, alt, draw, listed, note=note, main=True)
