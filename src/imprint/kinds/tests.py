"""What the kinds of association tests show alike: names, p-values, counts, missing words, published figures."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from imprint.association.rows import AssociationRow, JudgedRow, TestRow
from imprint.association.verdicts import FOUND, Evidence, strongest
from imprint.kinds import NamedTests
from imprint.rows import Row
from imprint.stimuli.definition import UNDETERMINED, Published, Test
from imprint.tables import Columns, Field, table
from imprint.view import (
    NOTHING,
    Block,
    Cell,
    Chart,
    Claim,
    Listing,
    Number,
    Prose,
    Text,
    count,
    interval,
    join,
    number,
    probability,
    say,
    title,
    words,
)

if TYPE_CHECKING:
    from imprint.association.changes import ChangeRow
    from imprint.masking import Words
    from imprint.scoring.swap import SwapRow

Tested = TypeVar("Tested", bound=AssociationRow)
Drawn = TypeVar("Drawn", bound="AssociationRow | ChangeRow")

_SIDES = {
    "greater": "one-sided: only an association in the predicted direction counts",
    "less": "one-sided: only an association against the predicted direction counts",
    "two-sided": "two-sided: either direction counts",
}
CONTROL, NOT_JUDGED, REVERSED = "control", "not judged", "reversed"  # words in place of a level, or after it
OVER_WORDS = "95 % interval over words"
BARS = "Bars: range to expect with other words of the same kinds (95 %), not corrected."
OVER_BOTH = f"{OVER_WORDS} and sentences"
COLOUR = "Colour: evidence, corrected for all tests."
_LEVELS: dict[Evidence, str] = {
    "strong": "holds for other words of the same kinds, is not explained by word frequency, and exceeds what "
    "unrelated sets of words show",
    "moderate": "holds for other words of the same kinds and is not explained by word frequency. It is not shown to "
    "exceed what unrelated sets of words show",
    "limited": "statistically significant for these words; a stricter check failed, so the choice of words or their "
    "frequency may be the reason",
    "none shown": "no significant difference, which does not mean that there is none. Detectable is the smallest true "
    "difference for which the test shows at least limited evidence in 80 % of cases",
    "too few words": "a set keeps fewer than four of its words or less than half, or there are so few words that no "
    "result could be significant",
}

_GENERAL = "That word embeddings are biased in general, or that a product is: only this subject was measured."
_NOT_SHOWN: dict[str, str] = {
    "frequency": "that word frequency does not explain it",
    "words": "that it holds for other words of the same kinds",
    "axes": "that it exceeds what unrelated sets of words show",
    "grammar": "that it exceeds what grammatical gender alone gives",
}
_UNSEEN: dict[Evidence, str] = {"none shown": "show no evidence", "too few words": "with too few words"}
_FAILED = {
    "frequency": "random words of the same frequencies may differ as much, at the corrected level",
    "words": "with other words of the same kinds there may be no difference, at the corrected level",
    "axes": "unrelated sets of words in this model may differ as much, at the corrected level",
    "grammar": "nouns for things that differ only in grammatical gender may differ as much, at the corrected level",
}
_OTHERS = {
    REVERSED: "the difference is opposite to the prediction",
    CONTROL: "not about people; controls say whether a subject can be judged at all",
    NOT_JUDGED: "the checks behind the levels of evidence were not run",
}


def name_cell(row: TestRow) -> Cell:
    """Return a test's id and what it is called; a neutral test is not about people, and checks the method."""
    return Cell(say("{}: {}{}", title(row.test), title(row.title), "" if row.about_people else " (neutral)"))


def equals(p: Number) -> Text:
    """Return a p-value as it reads in a sentence: a bound has its own sign."""
    return p if p.sign else say("= {}", p)


def level_of(row: JudgedRow) -> str:
    """Return the level of evidence in a word, and whether it is reversed; what has no level has a word of its own."""
    if row.evidence is None:
        return NOT_JUDGED if row.about_people else CONTROL
    return f"{row.evidence}, {REVERSED}" if row.found and row.direction == REVERSED else row.evidence


def evidence_cell(row: JudgedRow) -> Text:
    """Return the level of evidence, and what keeps it from being strong."""
    if row.evidence == "none shown":
        shift = getattr(row, "detectable_shift", None)
        return "none shown" if shift is None else say("none shown (detectable: {})", number(shift, 3))
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
    if row.kind == "swap":
        return (
            "too few names or texts" if "words" in checks else "frequencies of names are not known, or hardly overlap"
        )
    if "words" in checks:
        return "no interval over words" if row.kind == "metric" else "too few different words"
    if "grammar" in checks:
        return "too few nouns for things"
    if row.language not in ("en", UNDETERMINED):
        return "word frequencies of its language are not known"
    return "too many texts to send" if row.kind == "seat" else "the vocabulary is too small"


def evidence_notes(rows: Sequence[JudgedRow], levels: Mapping[Evidence, str] = _LEVELS) -> Iterator[Block]:
    """Explain the levels that are shown, one sentence each."""
    shown = {row.evidence for row in rows}
    shown |= set(FOUND) if any(row.found for row in rows) else set()  # a level is understood beside the others
    lines = tuple(f"{level.capitalize()}: {meaning}." for level, meaning in levels.items() if level in shown)
    kinds = {level_of(row).rpartition(", ")[2] for row in rows}
    lines += tuple(f"{word.capitalize()}: {meaning}." for word, meaning in _OTHERS.items() if word in kinds)
    failed = {check for row in rows for check in row.checks_failed}
    lines += tuple(f"Fails {check}: {meaning}." for check, meaning in _FAILED.items() if check in failed)
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


def found_counts(rows: Sequence[JudgedRow]) -> str:
    """Say how many tests have each level that is evidence, the strongest first; nothing where none has."""
    counts = Counter(row.evidence for row in rows)
    return ", ".join(f"{counts[level]} {level}" for level in FOUND if counts[level])


def strongest_row(rows: Sequence[Tested]) -> Tested | None:
    """Return the largest difference of the strongest evidence; p-values of sets of different sizes do not rank."""
    best = strongest(row.evidence for row in rows)
    return max(
        (row for row in rows if row.evidence == best and best), key=lambda row: (_size(row), row.test), default=None
    )


def evidence_sentences(rows: Sequence[JudgedRow]) -> Iterator[Text]:
    """Count the tests about people by their evidence, and name those that are reversed."""
    counts = {level: sum(row.evidence == level for row in rows) for level in _LEVELS}
    together = {row.family_size for row in rows} == {len(rows)}
    family = "corrected together" if together else family_of(rows)
    yield f"Evidence in {len(rows)} tests about people, {family}: {found_counts(rows) or 'none'}."
    turned = [row for row in rows if row.found and row.direction == REVERSED]
    if turned:
        yield say("Reversed, against the prediction: {}.", join((title(row.title) for row in turned), "; "))
    unseen = [f"{counts[level]} {said}" for level, said in _UNSEEN.items() if counts[level]]
    if unseen:
        yield f"The others: {', '.join(unseen)}. This does not mean that there is no bias."


def one_family(rows: Iterable[AssociationRow]) -> list[AssociationRow]:
    """Return the tests about people of one subject and one family: the first, in sentences where there are any.

    Tests that are asked again in another part, to compare, are not among them.
    """
    own = [row for row in rows if row.about_people and not row.is_question and row.part in (None, row.kind)]
    words = [row for row in own if getattr(row, "unit", "word") == "word"]
    framed = [row for row in words if getattr(row, "context", None) != "word"] or words
    return [row for row in framed if row.embedding_sha256 == framed[0].embedding_sha256]


def evidence_claims(rows: Sequence[AssociationRow]) -> Iterator[Claim]:
    """Pair what tests about people show with what they do not."""
    people = one_family(rows)
    by_level = {level: [row for row in people if row.evidence == level] for level in _LEVELS}
    for level in FOUND:
        if own := by_level[level]:
            largest = max(own, key=lambda row: (_size(row), row.test))
            more = f", and {len(own) - 1} more" if len(own) > 1 else ""
            shown = (level.capitalize(), title(largest.embedding), association(largest), more)
            yield say("{} evidence that {} associates {}{}.", *shown), _not_shown(largest)
    if own := by_level["none shown"]:
        shifts = [row.detectable_shift for row in own if row.detectable_shift is not None]
        ends = [number(end(shifts), 3) for end in (min, max)] if shifts else []
        seen = say(" Four times in five they would show differences of {} to {}.", *ends) if ends else ""
        can = say("Tests about people without evidence: {}.{}", f"{len(own)}", seen)
        yield can, "That there is no such bias."
    if own := by_level["too few words"]:
        yield f"Tests about people with too few words: {len(own)}.", "Anything about what they ask."


def _not_shown(row: AssociationRow) -> str:
    """Say what an association does not show: what a failed check leaves open, or what no test can show."""
    left = " or ".join(_NOT_SHOWN[check] for check in row.checks_failed if check in _NOT_SHOWN)
    return f"{left[0].upper()}{left[1:]}." if left else _GENERAL


def matched_sets(row: AssociationRow) -> list[Text]:
    """Return the names of the sets in the order in which they go together: one with the next, then the others."""
    return [title(row.set_name(role)) for role in ("xbya" if row.direction == REVERSED else "xayb")]


def association(row: AssociationRow) -> Text:
    """Say which words go with which, and by how much."""
    size = (number(row.mean_difference, 3), interval(row.words_low, row.words_high, 3))
    sparse = [
        say("; {} of {} words of {} were found", count(kept), count(asked), title(name))
        for name, kept, asked in row.sparse()
    ]
    sets = matched_sets(row)
    if row.words_low is None:
        return say("{} with {}, {} with {}: {}{}", *sets, size[0], join(sparse, ""))
    return say("{} with {}, {} with {}: {}, {} {}{}", *sets, size[0], over_what([row]), size[1], join(sparse, ""))


def over_what(rows: "Sequence[AssociationRow | ChangeRow]") -> str:
    """Say over what the intervals of rows are: words, and sentences where any row has enough templates."""
    fields = ("n_target_templates", "n_attribute_templates")
    return OVER_BOTH if any(getattr(row, name, 0) for row in rows for name in fields) else OVER_WORDS


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
LEVEL = Field("evidence", cell=evidence_cell)
SPLITS = Field("extreme", cell=counts_cell, numeric=False)
RANKS = Field("rank_x", cell=ranks_cell, numeric=False)
# What is behind the evidence.
CHECKED: Columns = (
    *("p_frequency", "p_words", "p_axes", RANKS, "adjusted_difference", "specificity", "interval_low"),
    SPLITS,
)


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
    known = [] if row.adapted else [one for one in row.published if value(one) is not None]
    return min(known, key=lambda one: not _is_on(one, row.embedding), default=None)


def _is_on(figure: Published, embedding: str) -> bool:
    """Tell whether a figure was measured on this embedding, going by its name: glove.840B.300d is GloVe 840B."""
    printed, name = (re.sub("[^0-9a-z]", "", one.lower()) for one in (figure.embedding, embedding))
    return re.fullmatch(rf"{printed}(\d+d)?(stimuli)?", name) is not None


def published_p(rows: Sequence[AssociationRow]) -> Field:
    """Return the column of the published p-value, which says whether it is one-sided."""
    sides = "two-sided" if {row.alternative for row in rows} == {"two-sided"} else "one-sided"
    return Field("p_value", f"p, {sides}")


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


def grammar_notes(rows: Iterable[AssociationRow]) -> Iterator[Block]:
    """Say what grammatical gender alone gives, beside what a test of gender shows."""
    for row in rows:
        if row.grammar_difference is not None:
            text = (
                "{}: nouns for things, masculine and feminine, differ by {} [{}] on its gendered words; the test "
                "differs by {} [{}]. Grammatical gender alone can give the first."
            )
            alone = (number(row.grammar_difference, 3), interval(row.grammar_low, row.grammar_high, 3))
            own = (number(row.mean_difference, 3), interval(row.words_low, row.words_high, 3))
            yield Prose(say(text, title(row.test), *alone, *own), "note", ("page", "terminal", "card"))


def pairing(row: TestRow) -> tuple[str, str]:
    """Say what goes with what where the prediction holds: the first sets, and the second."""
    return f"{row.set_name('x')} – {row.set_name('a')}", f"{row.set_name('y')} – {row.set_name('b')}"


def forest_chart(
    name: str,
    heading: Text,
    rows: Sequence[Drawn],
    *,
    context: Callable[[Drawn], str] = lambda row: "",
    x_title: str = "difference of mean cosines (0: no association)",
    note: str | None = None,
    main: bool = False,
) -> Chart:
    """Draw one line per test, the largest first: the mean difference, its interval over words, and the evidence."""
    over = over_what(rows)
    other = f"other {over.partition(' over ')[2]}"
    reading = f"Right of zero: as the stereotype predicts. {BARS.replace('other words', other)} {COLOUR}"
    known = [row for row in rows if row.mean_difference is not None]
    drawn = sorted(known, key=lambda row: (-(row.mean_difference or 0.0), row.test))
    alike = Counter((context(row), pairing(row)) for row in drawn)

    def named(row: Drawn) -> str:
        first = f"{context(row)}{pairing(row)[0]}"
        return f"{first} ({row.test})" if alike[context(row), pairing(row)] > 1 else first

    def draw(shown: "Words", width: int) -> dict[str, object]:
        from imprint.render.charts.forest import ForestRow, forest
        from imprint.render.numbers import plain

        lines = [
            ForestRow(
                shown.text(named(row)),
                row.mean_difference or 0.0,
                row.words_low,
                row.words_high,
                level_of(row),
                shown.text(pairing(row)[1]),
                {
                    "test": shown.text(row.test),
                    "evidence": plain(evidence_cell(row), shown),
                    "p, two-sided": plain(probability(row.p_label, row.p_method), shown),
                    "after Holm's correction": plain(probability(row.p_holm, row.p_method), shown),
                },
            )
            for row in drawn
        ]
        return forest(lines, x_title=x_title, band=f"range with {other} (95 %)", width=width)

    alt = say(
        "A mark for each of {} tests at its mean difference; the bar is its {}. The marks show the evidence: {}.{}",
        f"{len(rows):,}",
        over,
        evidence_counts(rows),
        join(say(" The largest is {}.", title(", ".join(pairing(row)))) for row in sorted(drawn, key=_size)[-1:]),
    )
    columns = (
        Field("test", cell=lambda row: title(context(row) + row.title)),
        Field("mean_difference", meaning=f"With its {over}."),
        Field("evidence", cell=level_of),
    )
    caption = say("Mean differences of the chart{}", in_family(rows))
    listed = table(AssociationRow, caption, drawn, columns)
    return Chart(name, heading, alt, draw, listed, note=note or reading, main=main)


def test_names(tests: Sequence[Test], rows: Sequence[Row]) -> NamedTests:
    """Return the ids of tests."""
    return NamedTests("test", [test.id for test in tests])


def _counted(rows: Sequence[JudgedRow]) -> dict[str, int]:
    """Return how many rows have each level, in the order of the levels, those without a level last."""
    known = [named for level in _LEVELS for named in (level, f"{level}, {REVERSED}")] + [CONTROL, NOT_JUDGED]
    counts = Counter(map(level_of, rows))
    return {level: counts[level] for level in known if counts[level]}


def _size(row: "AssociationRow | ChangeRow") -> float:
    return abs(row.mean_difference or 0.0)
