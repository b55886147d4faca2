"""What the kinds of association tests show alike: names, p-values, counts, missing words, published figures."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from imprint.association.rows import AssociationRow, JudgedRow, TestRow
from imprint.association.verdicts import FOUND, Evidence, strongest
from imprint.view import (
    NOTHING,
    Block,
    Cell,
    Chart,
    Column,
    Listing,
    Number,
    Prose,
    Table,
    Text,
    count,
    estimate,
    interval,
    join,
    number,
    percent,
    probability,
    say,
    title,
    words,
)

if TYPE_CHECKING:
    from imprint.masking import Words

Tested = TypeVar("Tested", bound=AssociationRow)

TEST = Column("Test")
EFFECT = Column(
    "d", "Difference of the two sets' mean scores, in standard deviations of all scores; at most about two.", True
)
_SIDES = {
    "greater": "one-sided: only an association in the predicted direction counts",
    "less": "one-sided: only an association against the predicted direction counts",
    "two-sided": "two-sided: either direction counts",
}
CONTROL, NOT_JUDGED, REVERSED = "control", "not judged", "reversed"  # words in place of a level, or after it
CORRECTED = Column("p, two-sided, Holm", "Two-sided p after Holm's correction over the tests of its family.", True)
OVER_WORDS = "95 % interval over words"
DIFFERENCE = Column("Mean difference", f"Difference of the sets' mean cosines, with its {OVER_WORDS}.", True)
EVIDENCE = Column("Evidence", "What is left of the difference when other explanations are checked.")
SPLITS = Column("Splits", "Splits of the target words at least as extreme, of all splits.", extra=True)
CHECKED = (
    Column("p, frequency", "Share of random words of the same frequencies that differ as much.", True, extra=True),
    Column("p, words", "Two-sided p against no difference among all words of these kinds.", True, extra=True),
    Column("p, axes", "Two-sided p of an unrelated contrast in this space aligning as well.", True, extra=True),
    Column("Median ranks", "Median frequency ranks of both target sets; 1 is the most frequent word.", extra=True),
    Column("At equal frequency", "The mean difference adjusted for the logarithm of the rank.", True, extra=True),
    Column("Specificity", "Share of random attributes that separate the targets as well.", True, extra=True),
    Column("Interval of the permutation", "95 % interval of the mean difference for these words.", True, extra=True),
)
_LEVELS: dict[Evidence, str] = {
    "strong": "holds beyond these words and beyond frequency, and is stronger than unrelated contrasts in this space",
    "moderate": "holds beyond these words and beyond frequency; "
    "unrelated contrasts in this space can align as strongly",
    "limited": "the label permutation alone; the checks that failed are named",
    "none shown": "not the same as absent; such a test finds the smallest detectable difference four times in five",
    "too few words": "a set keeps fewer than four or half of its words, or the smallest possible p is too large",
}

_OTHERS = {
    REVERSED: "the difference is against the predicted direction",
    CONTROL: "not about people, so it has no level of evidence; controls say whether a subject can be judged",
    NOT_JUDGED: "the checks that a level of evidence needs were not made",
}


def name_cell(row: TestRow) -> Cell:
    """Return a test's id and what it is called; a neutral test is not about people, and checks the method."""
    return Cell(say("{}: {}{}", title(row.test), title(row.title), "" if row.about_people else " (neutral)"))


def p_cell(row: AssociationRow) -> Cell:
    """Return p, with a sign before it where it is a bound or an estimate."""
    return Cell(probability(row.p_value, row.p_method), order=row.p_value)


def equals(p: Number) -> Text:
    """Return a p-value as it reads in a sentence: a bound has its own sign."""
    return p if p.sign else say("= {}", p)


def corrected_cell(row: JudgedRow) -> Cell:
    """Return the two-sided p after correction, with the same sign; a control is not corrected."""
    return Cell(probability(row.p_holm, getattr(row, "p_method", None)), order=row.p_holm)


def difference_cell(row: AssociationRow) -> Cell:
    """Return the mean difference with its interval over words."""
    return Cell(estimate(row.mean_difference, row.words_low, row.words_high, 3), order=row.mean_difference)


def checked_cells(row: AssociationRow) -> tuple[Cell | Text, ...]:
    """Return what is behind the evidence, in the columns of `CHECKED`."""
    ranks = say("{} and {}", number(row.rank_x, 0), number(row.rank_y, 0))
    return (
        *(Cell(probability(p), order=p) for p in (row.p_frequency, row.p_words, row.p_axes)),
        NOTHING if row.rank_x is None else ranks,
        number(row.adjusted_difference, 3),
        percent(row.specificity),
        Cell(interval(row.interval_low, row.interval_high, 3), order=row.interval_low),
    )


def level_of(row: JudgedRow) -> str:
    """Return the level of evidence in a word, and whether it is reversed; what has no level has a word of its own."""
    if row.evidence is None:
        return NOT_JUDGED if row.about_people else CONTROL
    return f"{row.evidence}, {REVERSED}" if row.found and row.direction == REVERSED else row.evidence


def evidence_cell(row: JudgedRow) -> Text:
    """Return the level of evidence, and what keeps it from being strong."""
    if row.evidence == "none shown":
        shift = getattr(row, "detectable_shift", None)
        return (
            "none shown" if shift is None else say("none shown (smallest detectable difference {})", number(shift, 3))
        )
    level = level_of(row)
    if not row.found:
        return level
    not_run = [check for check in row.checks_failed if getattr(row, f"p_{check}") is None]
    failed = [check for check in row.checks_failed if check not in not_run]
    reasons = []
    if failed:
        reasons.append(f"fails the {failed[0]} check" if len(failed) == 1 else f"fails {', '.join(failed)}")
    if not_run:
        reasons.append(f"{', '.join(not_run)} not run ({_why_not(row, not_run)})")
    return f"{level}: {'; '.join(reasons)}" if reasons else level


def _why_not(row: JudgedRow, checks: Sequence[str]) -> str:
    """Say why checks did not run; that of words needs four different words a set."""
    if "words" in checks:
        return "too few different words"
    return "too many texts to send" if row.kind == "seat" else "the vocabulary is too small"


def evidence_notes(rows: Sequence[JudgedRow], levels: Mapping[Evidence, str] = _LEVELS) -> Iterator[Block]:
    """Explain the levels that are shown, one sentence each."""
    shown = {row.evidence for row in rows}
    lines = tuple(f"{level.capitalize()}: {meaning}." for level, meaning in levels.items() if level in shown)
    kinds = {level_of(row).rpartition(", ")[2] for row in rows}
    lines += tuple(f"{word.capitalize()}: {meaning}." for word, meaning in _OTHERS.items() if word in kinds)
    if lines:
        yield Listing(lines, ("page", "terminal"))


def family_of(rows: Sequence[JudgedRow]) -> str:
    """Say how many tests were corrected together."""
    sizes = sorted({row.family_size for row in rows if row.family_size is not None})
    if not sizes:
        return ""
    if sizes[-1] == 1:
        return "each test alone" if len(rows) > 1 else "one test alone"
    return f"corrected over {' or '.join(map(str, sizes))} tests"


def in_family(rows: Sequence[JudgedRow]) -> str:
    """Return the end of a caption: in which family the levels hold; nothing where no row has a level."""
    family = family_of(rows)
    return f"; evidence is two-sided, {family}" if family else ""


def evidence_counts(rows: Sequence[JudgedRow]) -> str:
    """Say how many tests have each level of evidence."""
    return ", ".join(f"{found} {level.replace(',', '')}" for level, found in _counted(rows).items())


def strongest_row(rows: Sequence[Tested]) -> Tested | None:
    """Return the largest difference of the strongest evidence; p-values of sets of different sizes do not rank."""
    best = strongest(row.evidence for row in rows)
    return max(
        (row for row in rows if row.evidence == best and best), key=lambda row: (_size(row), row.test), default=None
    )


def evidence_sentences(rows: Sequence[AssociationRow]) -> Iterator[Text]:
    """Say the strongest evidence about people, then how many tests show less."""
    largest = strongest_row(rows)
    by_level = {level: [row for row in rows if row.evidence == level] for level in _LEVELS}
    together = len(rows) > 1 and {row.family_size for row in rows} == {len(rows)}
    asked = f"{len(rows)} tests corrected together" if together else f"{len(rows)} ({family_of(rows)})"
    if largest is None or largest.evidence is None:
        yield f"No evidence of an association about people: 0 of {asked}."
        less = FOUND[:0]
    else:
        found = len(by_level[largest.evidence])
        which = "" if found == 1 else "the largest: "
        told = (f"{largest.evidence}", f"{found}", asked, which, association(largest))
        yield say("The strongest evidence about people is {}: {} of {} ({}{}).", *told)
        less = FOUND[FOUND.index(largest.evidence) + 1 :]
    for level in less:
        topics = Counter(" and ".join(row.topics) for row in by_level[level])
        if topics:
            shown = ", ".join(f"{topic} {number}".strip() for topic, number in topics.items())
            verb = "shows" if topics.total() == 1 else "show"
            yield f"{topics.total()} {verb} {level} evidence ({shown})."
    turned = [row for row in rows if row.found and row.direction == REVERSED]
    if turned:
        yield say("{} reversed: {}.", f"{len(turned)}", join((title(row.title) for row in turned), "; "))
    unseen = [f"{len(by_level[level])} {level}" for level in ("none shown", "too few words") if by_level[level]]
    if unseen:
        yield f"The others: {', '.join(unseen)}. This does not mean that there is no bias."


def association(row: AssociationRow) -> Text:
    """Say which words go with which, and by how much."""
    roles = "xayb" if row.direction != REVERSED else "xbya"
    size = (number(row.mean_difference, 3), interval(row.words_low, row.words_high, 3))
    sparse = [
        say("; {} of {} words of {} were found", count(kept), count(asked), title(name))
        for name, kept, asked in row.sparse()
    ]
    sets = (title(row.set_name(role)) for role in roles)
    if row.words_low is None:
        return say("{} with {}, {} with {}: {}{}", *sets, size[0], join(sparse, ""))
    return say("{} with {}, {} with {}: {}, 95 % interval over words {}{}", *sets, *size, join(sparse, ""))


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


def published_cell(row: TestRow) -> Text:
    """Return the first figure that the test's source prints; figures for other words than ours do not compare."""
    figure = next((one for one in row.published if one.effect is not None), None)
    return NOTHING if figure is None or row.adapted else say("{} ({})", number(figure.effect), figure.embedding)


def one_sided(rows: Iterable[AssociationRow]) -> str:
    """Say in which direction p-values count."""
    return " or ".join(dict.fromkeys(_SIDES[row.alternative] for row in rows))


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


def forest_chart(name: str, heading: str, rows: Sequence[Tested], *, label: Callable[[Tested], str]) -> Chart:
    """Draw one line per test: the mean difference, its interval over words, and the evidence."""
    drawn = [row for row in rows if row.mean_difference is not None]

    def draw(shown: "Words") -> dict[str, object]:
        from imprint.render.charts.forest import ForestRow, forest

        lines = [
            ForestRow(shown.text(label(row)), row.mean_difference or 0.0, row.words_low, row.words_high, level_of(row))
            for row in drawn
        ]
        return forest(lines, x_title="mean difference in cosines", band=OVER_WORDS)

    levels = evidence_counts(rows)
    alt = say(
        "A mark for each of {} tests at its mean difference; the bar is its {}. The marks show the evidence: {}.{}",
        f"{len(rows):,}",
        OVER_WORDS,
        levels,
        join(say(" The largest is {}.", title(label(row))) for row in sorted(drawn, key=_size)[-1:]),
    )
    columns = (TEST, Column("Mean difference", numeric=True), Column(OVER_WORDS, numeric=True), Column("Evidence"))
    lines = tuple(
        (title(label(row)), number(row.mean_difference, 3), interval(row.words_low, row.words_high, 3), level_of(row))
        for row in drawn
    )
    caption = say("Mean differences of the chart{}", in_family(rows))
    return Chart(name, heading, alt, draw, Table(caption, columns, lines))


def _counted(rows: Sequence[JudgedRow]) -> dict[str, int]:
    """Return how many rows have each level, in the order of the levels, those without a level last."""
    known = [named for level in _LEVELS for named in (level, f"{level}, {REVERSED}")] + [CONTROL, NOT_JUDGED]
    counts = Counter(map(level_of, rows))
    return {level: counts[level] for level in known if counts[level]}


def _size(row: AssociationRow) -> float:
    return abs(row.mean_difference or 0.0)
