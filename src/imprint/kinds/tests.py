"""What the kinds of association tests show alike: names, outcomes, p-values, missing words, published figures."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from imprint.association.rows import AssociationRow, OutcomeRow, TestRow
from imprint.kinds import NamedTests
from imprint.rows import Row, grouped
from imprint.significance.outcomes import CONFIDENCE, MARGIN, OUTCOMES, Reason, SizeOutcome
from imprint.stimuli.definition import Published, Test
from imprint.tables import Field
from imprint.view import NOTHING, Block, Cell, Marked, Number, Prose, Text, count, footnote, number, say, title, words

if TYPE_CHECKING:
    from imprint.scoring.rows import SwapRow

SubjectRow = TypeVar("SubjectRow", bound=Row)

_SIDES = {
    "greater": "one-sided: only an association in the predicted direction counts",
    "less": "one-sided: only an association against the predicted direction counts",
    "two-sided": "two-sided: either direction counts",
}
TENTH = f"{100 * MARGIN:.0f}\N{NO-BREAK SPACE}%"
_MEANINGS: dict[str, str] = {
    "substantial": f"the whole interval lies beyond {TENTH} of the distance between the two kinds of words",
    "present": f"there is a difference; whether it is larger than {TENTH} is not settled",
    "small": f"the whole interval lies within {TENTH}, on either side of zero",
    "cannot tell": "the interval has both no difference and a difference that is not small in it",
}
_WHY: dict[Reason, str] = {
    "few words": "a set keeps fewer than half of its words here, or fewer than four",
    "few counts": "a combination of the two groups and the two kinds of words occurs fewer than five times",
    "few documents": "fewer than eight documents have any of these combinations",
    "few queries": "fewer than eight queries, documents or units, or names in a group",
    "frequency": (
        "random words of like frequency differ as much (p, frequency above 0.005), or the words of one set are at "
        "least twice as frequent as those of the other; `imprint stimuli --match` makes lists of like frequency"
    ),
    "attributes not distinguished": (
        "by so few words, or in this model, the distance between the two kinds of words may be zero, so that no share "
        "of it can be measured"
    ),
    "grammar": "nouns for things differ as much by their grammatical gender alone",
    "controls": "the subject fails basic checks of what words mean",
}
REASONS: dict[str, str] = {
    "few words": "too few words",
    "few counts": "too few co-occurrences",
    "few documents": "too few documents",
    "few queries": "too few queries, documents or names",
    "frequency": "frequency may explain it",
    "attributes not distinguished": "the two kinds of words are not clearly apart",
    "grammar": "grammar alone may give as much",
    "controls": "the subject cannot be judged",
}


def name_cell(row: TestRow) -> Cell:
    """Return a test's id and what it is called; a neutral test is not about people, and checks the method."""
    return Cell(say("{}: {}{}", title(row.test), title(row.title), "" if row.about_people else " (neutral)"))


def equals(p: Number) -> Text:
    """Return a p-value as it reads in a sentence: a bound has its own sign."""
    return p if p.sign else say("= {}", p)


def outcome_text(row: OutcomeRow) -> str:
    """Return the outcome, and why it cannot tell."""
    if row.outcome is None:
        return "not judged"
    return f"{row.outcome}: {REASONS[row.reason]}" if row.reason else row.outcome


def by_subject(rows: Iterable[SubjectRow]) -> list[list[SubjectRow]]:
    """Return the rows of each embedding, encoder or corpus."""
    return [*grouped(rows, key=lambda row: row.embedding_sha256).values()]


def outcome_marks(rows: Iterable[Row], meanings: Mapping[SizeOutcome, str] | None = None) -> tuple[Marked, ...]:
    """Return how many rows have each outcome that any has, the most serious first, and what it means."""
    reached, meanings = Counter(row.outcome or "cannot tell" for row in rows), meanings or {}
    return tuple(
        Marked(outcome, f"{reached[outcome]} {outcome}", meanings.get(outcome, ""))
        for outcome in OUTCOMES
        if reached[outcome]
    )


def outcome_notes(rows: Iterable[OutcomeRow]) -> Iterator[Block]:
    """Explain the outcomes that are shown, and the reasons."""
    rows = list(rows)
    without_reason = {row.outcome for row in rows if row.reason is None}
    reasons = {REASONS[row.reason] for row in rows if row.reason is not None}
    meanings = {**_MEANINGS, **{REASONS[reason]: why for reason, why in _WHY.items()}}
    yield from map(footnote, legend(meanings, without_reason | reasons))


def legend(meanings: Mapping[str, str], shown: Collection[str | None]) -> list[str]:
    """Return what the outcomes that are shown mean, in a sentence for each."""
    return [f"{said[0].upper()}{said[1:]}: {meaning}." for said, meaning in meanings.items() if said in shown]


def by_chance(rows: Sequence[OutcomeRow]) -> str:
    """Say how many of these rows would show a difference by chance alone."""
    return f"{(1 - CONFIDENCE) * len(rows):.2g}"


def counts_cell(row: AssociationRow) -> Cell:
    """Return the partitions behind p: those at least as extreme, of all."""
    if row.p_method == "sampled":
        return Cell(say("sampled of {}", count(row.partitions)))
    if row.extreme is None:
        ends = (count(row.extreme_low, 4), count(row.extreme_high, 4), count(row.partitions))
        return Cell(say("{} to {} of {}", *ends))
    return Cell(say("{} of {}", count(row.extreme), count(row.partitions)), order=row.p_value)


def missing_cell(row: TestRow) -> Cell:
    """Count the missing words, of all words of the test, and name them on hover."""
    text = say("{} of {}", count(len(row.missing)), f"{row.asked:,}")
    return Cell(text, hint=words(row.missing), order=len(row.missing))


def ranks_cell(row: "AssociationRow | SwapRow") -> Text:
    """Return the median frequency ranks of both target sets."""
    return NOTHING if row.rank_x is None else say("{} and {}", number(row.rank_x, 0), number(row.rank_y, 0))


NAME = Field("test", cell=name_cell)
MISSING = Field("missing", meaning="Words without a vector, of all of the test.", cell=missing_cell, numeric=True)
OUTCOME = Field("outcome", cell=outcome_text)
SPLITS = Field("extreme", cell=counts_cell, numeric=False)
RANKS = Field("rank_x", cell=ranks_cell, numeric=False)


def published_figures(
    rows: Sequence[TestRow], measure: str, value: Callable[[Published], float | None]
) -> list[Field]:
    """Return a column of the figures that sources print; none where there are none.

    The title names the embedding that they were measured on, unless that is this one. Figures for other words than
    ours do not compare.
    """
    figures = [(row, figure) for row in rows if (figure := _figure(row, value)) is not None]
    if not figures:
        return []
    others = {figure.embedding for row, figure in figures if not _is_on(figure, row.embedding)}
    alike = len({figure.embedding for _, figure in figures}) == 1

    def draw(row: TestRow) -> Text:
        figure = _figure(row, value)
        if figure is None:
            return NOTHING
        return number(value(figure)) if alike else say("{} ({})", number(value(figure)), figure.embedding)

    if not others:
        heading, hint = "Published", f"The {measure} that the source prints for this embedding."
    elif alike:
        heading = f"Published ({min(others)})"
        hint = f"The {measure} that the source prints for {min(others)}: not for this one."
    else:
        heading, hint = "Published elsewhere", f"The {measure} that the source prints, and for which embedding."
    return [Field("published", heading, hint, draw, numeric=alike)]


def _figure(row: TestRow, value: Callable[[Published], float | None]) -> Published | None:
    """Return the figure for this embedding, else the first one."""
    known = [] if row.adapted else [figure for figure in row.published if value(figure) is not None]
    return min(known, key=lambda figure: not _is_on(figure, row.embedding), default=None)


def _is_on(figure: Published, embedding: str) -> bool:
    """Tell whether a figure was measured on this embedding, going by its name: glove.840B.300d is GloVe 840B."""
    printed, name = (re.sub("[^0-9a-z]", "", text.lower()) for text in (figure.embedding, embedding))
    return re.fullmatch(rf"{printed}(\d+d)?(stimuli)?", name) is not None


def published_p(rows: Sequence[AssociationRow]) -> Field:
    """Return the column of the published p-value, which says whether it is one-sided."""
    sides = "two-sided" if {row.alternative for row in rows} == {"two-sided"} else "one-sided"
    return Field("p_value", f"p, {sides}")


def one_sided(rows: Iterable[AssociationRow]) -> str:
    """Say in which direction p-values count; questions have none."""
    return " or ".join(dict.fromkeys(_SIDES[row.alternative] for row in rows if row.p_value is not None))


def missing_notes(rows: Sequence[TestRow]) -> Iterator[Block]:
    """Name the missing words, and warn of tests that lost so many that they ask another question."""
    for row in rows:
        if row.missing:
            text = say("missing words of {}: {}", title(row.test), words(row.missing))
            yield Prose(text, "warning", ("terminal", "card"))
        for name, kept, asked in row.sparse():
            yield Prose(
                say(
                    "{} keeps {} of {} words of {}; is this the right language and embedding for it?",
                    title(row.test),
                    count(kept),
                    count(asked),
                    title(name),
                ),
                "warning",
                ("terminal", "card"),
            )


def grammar_notes(rows: Iterable[AssociationRow]) -> Iterator[Block]:
    """Say what grammatical gender alone gives, beside what a test of gender shows."""
    for row in rows:
        if row.grammar_difference is not None:
            text = (
                "{}: nouns for things, masculine and feminine, differ by {} on its gendered words; the test differs "
                "by {}. Grammatical gender alone can give the first."
            )
            numbers = (number(row.grammar_difference, 3), number(row.mean_difference, 3))
            yield Prose(say(text, title(row.test), *numbers), "note", ("page", "terminal", "card"))


def test_names(tests: Sequence[Test], rows: Sequence[Row]) -> NamedTests:
    """Return the ids of tests."""
    return NamedTests("test", [test.id for test in tests])
