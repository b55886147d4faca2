"""What sizes say on pages, terminals and cards: each with its interval and one of four outcomes, and all together.

Questions come first, and say the verdict. Where none was asked, or none has the words it needs, tests do.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, TypeVar

from imprint.association.rows import AssociationRow, SizedRow, outcome_counts
from imprint.kinds import Family
from imprint.kinds.tests import (
    MISSING,
    OUTCOME,
    REASONS,
    TENTH,
    by_chance,
    equals,
    name_cell,
    one_sided,
    outcome_notes,
    outcome_text,
)
from imprint.rows import Row
from imprint.significance.outcomes import CONFIDENCE, FOUND, MARGIN, OUTCOMES, SizeOutcome
from imprint.stimuli.catalog import catalogue
from imprint.tables import Columns, Field, table
from imprint.view import (
    Answer,
    AnswerChart,
    Block,
    Chart,
    Claim,
    Details,
    Given,
    Listing,
    Marked,
    Phrase,
    Prose,
    Span,
    Text,
    Tile,
    Tiles,
    WordSpread,
    count,
    join,
    number,
    percent,
    points,
    probability,
    say,
    title,
    words,
)

if TYPE_CHECKING:
    from imprint.masking import Words
    from imprint.view import Medium

Tested = TypeVar("Tested", bound=AssociationRow)

_SHOWN_BY_TILES: tuple[SizeOutcome, ...] = (*FOUND, "cannot tell", "small")  # not as small while one is not known
_WORDS = " words"
_TITLE = "Who goes with what, and how much?"
_OWN = "Tests of your own"
_SCALE = "percent of the distance between the two kinds of words"
_BARS = "99.5 % interval"
_HOW_TO_READ = (
    "100 % is as far as the two kinds of words are apart. A bar is the 99.5 % interval: what other such names and "
    f"words would give. Shaded: up to {TENTH}, which counts as small. An arrow: a difference was found. Click a line "
    "for its words."
)
_LEANINGS = 2  # pairs of groups that the verdict names, and kinds of words for each
_OUTERMOST = 8  # words named at each end of a group


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
    """Show questions, subject by subject, and tests of one's own; tests as papers put them are one click away.

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
    yield from _by_subject(questions, tests)
    known = {test.id for test in catalogue()}
    if own := [row for row in tests if row.test not in known]:
        yield from _by_subject([row for row in own if row.outcome is not None], heading=_OWN)
        yield from published(own)
    if papers := [row for row in tests if row.test in known]:
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
        if (unrelated := rows[0].unrelated) is not None:
            yield Prose(say(_UNUSUAL, percent(unrelated)), "note", ("page", "terminal"))
    elif not _lack_words(rows):
        yield _answers(rows, {row.test: row for row in reversed(tests) if row.by_words}, heading)
    if rows[0].is_question:  # tests have a table of their own, with d and p as well
        yield sizes_table(rows)
    yield Details("What the outcomes mean", tuple(notes(rows)))


def sizes_table(rows: Sequence[AssociationRow]) -> Block:
    """Return the table of sizes of one subject."""
    what = "Questions asked of" if rows[0].is_question else "Tests of"
    caption = say("{} {}, with 99.5 % intervals", what, title(rows[0].embedding))
    extra = () if rows[0].is_question else ("p_frequency",)
    one_by_one = rows[0].is_question and len(rows) > 1 and not _lack_words(rows)  # on pages, as answers
    media: tuple[Medium, ...] = ("terminal", "card") if one_by_one else ("page", "terminal", "card")
    return table(type(rows[0]), caption, rows, _COLUMNS, more=_MORE, extra=extra, media=media)


def _answers(rows: Sequence[AssociationRow], papers: Mapping[str, AssociationRow], heading: str) -> AnswerChart:
    """Show each answer as a bar that opens to its words, topic by topic, the largest first in each."""
    chart = sizes_chart(f"sizes-{rows[0].kind}", heading, rows, x_title=_SCALE, note=_HOW_TO_READ)
    groups = [
        (
            _anchor(rows[0], f"topic-{place}"),
            title(topic.capitalize()),
            tuple(
                _answer(row, papers, _anchor(row, f"answer-{place}-{number_of}"))
                for number_of, row in enumerate(_largest_first(of_topic))
            ),
        )
        for place, (topic, of_topic) in enumerate(_by_topic(rows).items())
    ]
    return AnswerChart(tuple(groups), MARGIN, chart)


def _by_topic(rows: Iterable[AssociationRow]) -> dict[str, list[AssociationRow]]:
    """Return rows by their first topic."""
    by_topic: dict[str, list[AssociationRow]] = defaultdict(list)
    for row in rows:
        by_topic[row.topics[0] if row.topics else "other"].append(row)
    return by_topic


def _largest_first(rows: Iterable[AssociationRow]) -> list[AssociationRow]:
    return sorted(rows, key=lambda row: (-abs(row.size or 0.0), row.test))


def _anchor(row: AssociationRow, place: str) -> str:
    return f"{row.kind}-{'question' if row.is_question else 'test'}-{row.embedding_sha256[:8]}-{place}"


def _answer(row: AssociationRow, papers: Mapping[str, AssociationRow], name: str) -> Answer:
    """Return an answer, the group that leans towards A first, so that the size is not below zero."""
    first, second = ("x", "y") if (row.size or 0.0) >= 0 else ("y", "x")
    between = "{} → {}" if row.found else "{} – {}"
    label, below = (
        say(between, title(row.set_name(group)), title(row.set_name(near).removesuffix(_WORDS)))
        for group, near in ((first, "a"), (second, "b"))
    )
    low, high = row.size_low, row.size_high
    if first == "y" and low is not None and high is not None:
        low, high = -high, -low
    return Answer(
        name,
        _capital(label),
        _capital(below),
        None if row.size is None else Span(abs(row.size), low, high),
        row.outcome or "cannot tell",
        row.outcome or "cannot tell",
        _size(row, turned=first == "y"),
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
            ends = (words(outermost[:_OUTERMOST]), words(outermost[: -_OUTERMOST - 1 : -1]))
            lines.append(say("{}, nearest to {}: {}.", names[role], names["a"], ends[0]))
            lines.append(say("{}, nearest to {}: {}.", names[role], names["b"], ends[1]))
    if row.missing:
        lines.append(say("Missing here: {}.", words(row.missing)))
    if row.unrelated is not None and row.found:
        usual = "unusual" if abs(row.size or 0.0) > row.unrelated else "not unusual"
        lines.append(say(_USUAL, usual, percent(row.unrelated)))
    lines += [_published(papers[test]) for test in row.papers if test in papers]
    yield Listing(tuple(lines))
    yield Prose(
        say(
            "{}: size {} [{} to {}], 99.5 % interval; mean difference in cosines {}; d = {}; {} words.",
            title(row.test),
            *(number(value, 3) for value in (row.size, row.size_low, row.size_high, row.mean_difference)),
            number(row.effect_size),
            _words_cell(row),
        ),
        "note",
    )
    listed = [
        say("{}: {}.", title(one.name), words(word for word in one.words if word not in set(row.missing)))
        for one in row.sets
    ]
    yield Details("All words", (Listing(tuple(listed)),), ("page",))


def _published(row: AssociationRow) -> Text:
    """Say what a test of a paper gives that asks the same, and why it may differ."""
    matched = (
        " Its lists are not matched in frequency; those of the question are." if row.obstacle == "frequency" else ""
    )
    said = f"As a paper asked it ({{}}, {{}} names and words): d = {{}}, p {{}}; {{}}.{matched}"
    p_value = probability(row.p_value, row.p_method)
    return say(
        said, title(row.test), f"{row.n_x + row.n_y + row.n_a + row.n_b}", number(row.effect_size),
        equals(p_value), say("size {}, {}", _size(row), outcome_text(row)),
    )  # fmt: skip


_PAPERS = (
    "The papers ask about 4 to 32 words per set, which are not matched in frequency. Where a test and a question "
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
_BRIEFLY: dict[SizeOutcome, str] = {
    "substantial": f"whole bar beyond {TENTH}",
    "present": f"there is a difference, perhaps below {TENTH}",
    "small": f"at most {TENTH}, perhaps none",
    "cannot tell": "which does not mean no bias",
}
_USUAL = (
    "It holds for other such words. It is {} in this model: 19 of 20 contrasts of unrelated sets of words stay "
    "below {}."
)
_UNUSUAL = "In this model, 19 of 20 contrasts of unrelated words stay below {}."


def answer_sentence(row: AssociationRow) -> Text:
    """Say the answer to a question."""
    x, y = (title(row.set_name(role)) for role in "xy")
    (near, far), size = _kinds_of_words(row), _size(row, turned=row.found and (row.size or 0.0) < 0)
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
    """Count the outcomes, and say which groups lean where."""
    if asked := of_people(rows):
        yield f"{_counted(asked)}: {outcome_counts(asked)}."
        yield from verdict([row for row in asked if row.found]) if any(row.found for row in asked) else ()


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
    several = f"{len(found)} of {_counted(rows)} {'shows' if len(found) == 1 else 'show'} a difference"
    audits = max(1, round(1 / (1 - CONFIDENCE) / len(rows)))
    expected = f"{by_chance(rows)} expected here"
    said.append(f"{several}. By chance alone, one question in {audits} such audits would ({expected}).")
    return said


def counts(rows: Sequence[AssociationRow]) -> tuple[Marked, ...]:
    """Return how many answers have each outcome, the most serious first, with what it means in a few words."""
    return tuple(
        Marked(outcome, f"{number_of} {outcome}", meaning)
        for outcome, meaning in _BRIEFLY.items()
        if (number_of := sum(row.outcome == outcome for row in rows))
    )


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
    groups = list(_by_topic(rows))
    topics = dict.fromkeys(topic for row in rows for topic in row.topics)
    return Tiles(tuple(_tile(topic, [row for row in rows if topic in row.topics], groups) for topic in topics))


def claims(rows: Sequence[AssociationRow]) -> Iterator[Claim]:
    """Pair what questions show with what they do not."""
    people = of_people(rows)
    for row in people:
        if row.found:
            yield (
                answer_sentence(row),
                "Whether it changes what a product does: only a test of the product shows that.",
            )
        elif row.outcome == "small":
            yield answer_sentence(row), "That there is no such difference, or none in other words and uses."
    if unanswered := [row for row in people if row.outcome == "cannot tell"]:
        what = "Questions" if unanswered[0].is_question else "Tests"
        named = join((title(row.title) for row in unanswered), "; ")
        yield say("{} without an answer: {}.", what, named), "Anything about what they ask, in either direction."


def _lack_words(rows: Sequence[AssociationRow]) -> bool:
    """Tell whether no question has the words it needs."""
    return all(row.reason == "few words" for row in rows)


def _leaning(rows: Sequence[AssociationRow]) -> Text:
    """Say towards which words each group leans, the largest size first, of a few pairs and kinds of words each."""
    ordered = sorted(rows, key=lambda row: -abs(row.size or 0.0))
    towards: dict[str, list[str]] = {}
    for row in ordered:
        near, far = (row.set_name(role) for role in "ab")
        if (row.size or 0.0) < 0:
            near, far = far, near
        towards.setdefault(row.set_name("x"), []).append(near)
        towards.setdefault(row.set_name("y"), []).append(far)
    parts = [
        say("{} lean towards {}" if place == 0 else "{} towards {}", title(group), title(_listed(kinds[:_LEANINGS])))
        for place, (group, kinds) in enumerate(islice(towards.items(), 2 * _LEANINGS))
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


def _size(row: SizedRow, *, turned: bool = False) -> Text:
    """Return the size with its interval; `turned`, as that of Y against X."""
    if row.size is None or row.size_low is None or row.size_high is None:
        return "no size"
    size, low, high = (-row.size, -row.size_high, -row.size_low) if turned else (row.size, row.size_low, row.size_high)
    digits = _digits(low, high)
    return say("{} [{} to {}]", percent(size, digits), points(low, digits), points(high, digits))


def _digits(*ends: float) -> int:
    """Return one decimal where an end is so near to zero or the margin that rounding would hide which side it is."""
    return int(any(min(abs(end), abs(abs(end) - MARGIN)) < MARGIN / 20 for end in ends))


def _tile(topic: str, rows: Sequence[AssociationRow], groups: Sequence[str]) -> Tile:
    """Return the tile of a topic, which leads to its group of answers, or to that of its first question."""
    reached = Counter(row.outcome or "cannot tell" for row in rows)
    worst = next(outcome for outcome in _SHOWN_BY_TILES if reached[outcome])
    marked = tuple(Marked(outcome, f"{reached[outcome]} {outcome}") for outcome in OUTCOMES if reached[outcome])
    place = groups.index(topic if topic in groups else rows[0].topics[0])
    return Tile(title(topic.capitalize()), _counted(rows), marked, worst, _anchor(rows[0], f"topic-{place}"))


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


def sizes_chart(name: str, heading: Text, rows: Sequence[SizedRow], *, x_title: str, note: str) -> Chart:
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
                    "size": plain(_size(row, turned=row.found and (row.size or 0.0) < 0), shown),
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
    return Chart(name, heading, alt, draw, listed, note=note)


TESTS_ABOUT_PEOPLE = Family(of_people, verdict, tiles, notes, method, card_notes, counts)
