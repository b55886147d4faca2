"""Unsupervised bias enumeration as kinds: groups of names, and the words closest to each (Swinger et al., 2019)."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING

from imprint.enumeration.rows import MOST_RUNS, Crossing, UbeIndirectRow, UbeOverviewRow, UbeRow
from imprint.kinds import Kind, Part, terms
from imprint.rows import Row
from imprint.tables import Columns, Field, table
from imprint.view import (
    Block,
    Claim,
    Details,
    Prose,
    Text,
    count,
    footnote,
    number,
    percent,
    say,
    several,
    title,
    words,
)

if TYPE_CHECKING:
    from imprint.jobs.job import Job, Plan
    from imprint.types import Progress
from imprint.kinds.enumeration_changes import category_cell, change_blocks

UNASKED = Part(
    "enumeration",
    "Patterns found without asking",
    40,
    offensive=True,
    english=True,
    terms=(terms.MIRRORED,),
)

_SECONDS_PER_COPY = 0.0012
_CROSSED = ("These words", "are to these", "as these", "to these")
_CATEGORY = Field("category", cell=category_cell, numeric=False)


def run(job: "Job", progress: "Progress") -> Sequence[Row]:
    """Enumerate biases without naming them in advance."""
    from imprint.enumeration.enumerate import enumerate_biases

    settings = asdict(job.enumeration)
    return enumerate_biases(
        job.vocabulary, names=job.words.names, workers=job.executor, progress=progress, **settings
    ).findings()


def _seconds(plan: "Plan") -> float:
    from imprint.enumeration.solution import count_work

    return 3.0 + _SECONDS_PER_COPY * count_work(plan.enumeration)


def overview_blocks(rows: Sequence[UbeOverviewRow]) -> Iterator[Block]:
    """Say what was looked for, how much was found, and what was left out; of a second embedding, what it lacks."""
    for row in rows:
        if row.groups_of is not None:
            yield footnote(_missing(row))
            continue
        yield Details("How this was found", tuple(_method(row)))
        if row.groups_left_out:
            text = say(
                "Left out: {} of {} groups of names ({}). Names in other groups that are spelled alike lie near the "
                "same words: they reach at least a third of the scores. So the words may go with letters, not people.",
                count(len(row.groups_left_out)),
                count(row.groups),
                ", ".join(row.groups_left_out),
            )
            yield Prose(text, "warning", ("page", "terminal"))


def _method(row: UbeOverviewRow) -> Iterator[Block]:
    compared = (
        "Each score is compared with the same score in copies in which the names are mirrored at random. Half of the "
        "copies keep word frequency."
        if row.method == "mirrored"
        else "Each p-value compares a score with names turned in random directions."
    )
    yield Prose(
        "No group and no stereotype is named in advance. The method groups first names by their vectors, and sorts "
        f"words into topics. It finds the words of a topic that lie closest to each group. {compared} Who bears the "
        "names is looked up afterwards."
    )
    for text in (_counts(row), *map(title, row.notes)):
        yield footnote(text)


def sentences(rows: Sequence[UbeOverviewRow]) -> Iterator[Text]:
    """Say how many associations were found, how many are expected by chance, and how many recur."""
    for row in rows:
        if row.groups_of is not None:
            continue
        if not row.associations:
            yield "No association of name groups with words stands out, which does not show absence."
            continue
        by_chance = _by_chance(row)
        yield say(
            "Found without asking: {} of words with {} of first names{}.",
            several(row.associations, "association"),
            several(row.groups, "group"),
            "" if by_chance is None else say("; by chance, about {}", number(by_chance, 0)),
        )
        if row.recurrent is not None:
            yield say(
                "{} of {} recur in more than half of {} repetitions with other groupings of the same names and words.",
                count(row.recurrent),
                count(row.associations),
                count(row.repeats),
            )


def claims(rows: Sequence[UbeOverviewRow]) -> Iterator[Claim]:
    """Pair what was found without asking with what that does not show."""
    reported = [row for row in rows if row.associations]
    cannot = "That every one of them is real, or that it is a stereotype: people must judge that."
    return ((sentence, cannot) for sentence in islice(sentences(reported), 1))


def cell_blocks(rows: Sequence[UbeRow]) -> Iterator[Block]:
    """List what was found, on a terminal, and every cell; then what became of it in a second embedding."""
    cells = [row for row in rows if row.groups_of is None]
    associations = [row for row in cells if row.stands_out]
    if cells and not associations:
        yield Prose("No association stands out. This does not show absence.", media=("page", "terminal"))
    if associations:
        is_paper = associations[0].method == "paper"
        strength = ("p_value", "p_adjusted") if is_paper else ("z", "q")
        shown = ("group", _CATEGORY, "words", *strength)
        again = ("recurrence",) if associations[0].recurrence_runs else ("score",)
        stable, others = ([row for row in associations if is_stable(row) is stability] for stability in (True, False))
        for caption, part in (
            ("Words closest to each group of names", stable),
            ("Words closest to each group of names that recur in half of the runs or fewer", others),
        ):
            if part:
                yield table(UbeRow, caption, part, (*shown, *again), media=("terminal",))
        yield table(
            UbeRow,
            "Every group and category",
            sorted(cells, key=lambda row: not (row.stands_out and is_stable(row))),
            (*shown, "stands_out"),
            more=("score", "recurrence", "reason"),
            filtered=True,
            folded=True,
        )
    if any(row.against is not None for row in cells):
        yield from change_blocks(cells, [row for row in rows if row.groups_of is not None])


def indirect_blocks(rows: Sequence[UbeIndirectRow]) -> Iterator[Block]:
    """Show the strongest matches of words without the names, and how many match by construction."""
    for row in rows:
        text = say(
            "Do the words carry the bias without the names? {} of {} pairs of associations match without them, but so "
            "do {} under random directions: nearly all, by construction.",
            percent(row.share, 1),
            count(row.tuples),
            percent(row.null_share, 1),
        )
        note = footnote(text)
        columns: Columns = ("groups", *map(_crossed_words, range(len(_CROSSED))), "standard_deviations")
        strongest = table(Crossing, "The strongest indirect associations", row.strongest, columns)
        yield Details("Do the words match without the names?", (note, strongest) if row.strongest else (note,))


def _crossed_words(index: int) -> Field:
    return Field(title=_CROSSED[index], cell=lambda crossing: words(crossing.words[index]))


def is_stable(row: UbeRow) -> bool:
    """Tell whether an association recurs in most runs, where that was tried."""
    return row.recurrence is None or row.recurrence > MOST_RUNS


def _by_chance(row: UbeOverviewRow) -> float | None:
    """Return how many cells of a copy are as strong, of the kind of copies that has more; None with p-values."""
    return (
        max((row.expected_mirrored or 0.0, row.expected_frequency_kept or 0.0)) if row.method == "mirrored" else None
    )


def _counts(row: UbeOverviewRow) -> Text:
    compared = say("{} rotations", count(row.rotations))
    expected: Text = ""
    if row.method == "mirrored":
        compared = say("{} mirrored copies of each kind", count(row.copies))
        expected = say(
            "A mirrored copy has {} cells as strong on average, a copy that keeps word frequency {}. ",
            number(row.expected_mirrored, 1),
            number(row.expected_frequency_kept, 1),
        )
    return say(
        "{} associations among {} cells, {} of which have {} words ({}, {} {}). {}{} of {} names are in the "
        "embedding; the {} least like names were dropped, and {} are in groups.",
        count(row.associations),
        f"{row.groups * row.categories:,}",
        count(row.n_cells),
        count(row.top),
        compared,
        "family-wise error rate" if row.correction == "max" else "false discovery rate",
        percent(row.fdr),
        expected,
        count(row.names_found),
        count(row.names_asked),
        count(row.names_dropped),
        f"{row.names_found - row.names_dropped:,}",
    )


def _missing(row: UbeOverviewRow) -> Text:
    """Say how many of the names and words asked about a second embedding lacks."""
    return say(
        "{} lacks {} of the {} names in groups and {} of the {} words in categories.",
        title(row.embedding),
        f"{row.names_asked - row.names_found:,}",
        count(row.names_asked),
        count(row.words_missing),
        count(row.words_asked),
    )


OVERVIEW = Kind(
    row=UbeOverviewRow,
    part=UNASKED,
    blocks=overview_blocks,
    sentences=sentences,
    claims=claims,
    brief=sentences,
)
CELL = Kind(
    row=UbeRow,
    part=UNASKED,
    blocks=cell_blocks,
    beside=True,
    run=run,
    seconds=_seconds,
    aliases={"p": "p_value", "d": "effect_size", "associations": "ube-overview:associations"},
    rank=2,
    method="Biases that were not named in advance were enumerated after Swinger et al. (2019): names were "
    "clustered, words assigned to groups, and scores compared with mirrored copies of the names.",
)
INDIRECT = Kind(row=UbeIndirectRow, part=UNASKED, blocks=indirect_blocks, rank=3)
