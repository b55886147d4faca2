"""Unsupervised bias enumeration as kinds: groups of names, and the words closest to each (Swinger et al., 2019)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from imprint.enumeration.rows import (
    MOST_RUNS,
    Crossing,
    FalseDiscoveries,
    UbeGroupRow,
    UbeIndirectRow,
    UbeOverviewRow,
    UbeRow,
)
from imprint.kinds import Kind, Part
from imprint.rows import Row
from imprint.view import (
    NOTHING,
    Bar,
    BarCard,
    Block,
    Cards,
    Cell,
    Claim,
    Column,
    Details,
    Given,
    Prose,
    Table,
    Text,
    count,
    first_claim,
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
    from imprint.jobs.job import Job
    from imprint.jobs.settings import Plan
    from imprint.types import Progress

UNASKED = Part("enumeration", "Patterns found without asking", 40, offensive=True, english=True)

_SECONDS_PER_ROTATION = 0.0012
_SPELT_ALIKE = 0.65  # word embeddings have 0.5 to 0.6
_CENTRAL = 3  # words that stand for a category
_SHOWN = 3  # associations of a card that are read without being asked for
_EXAMPLES = 5  # names at the head of a card
_LARGEST = 2  # shares of a group's races that are read without being asked for
_RACES = {
    "white": "White",
    "black": "Black",
    "hispanic": "Hispanic",
    "asian_pacific": "Asian or Pacific",
    "native": "Native",
    "two_or_more": "two or more",
}
_SHARE = "Share of people with these names, each name counted once."
_CHANGES = ("lost", "left", "new")  # in the order shown
_TALLIED = {
    "Before": "Significant in the first embedding.",
    "Left": "Significant in both embeddings.",
    "Lost": "Significant in the first embedding only.",
    "New": "Significant in the second embedding only.",
}

GROUP_COLUMN = Column("Group", "Open a letter to see names of the group.")
_BEARERS = (
    Column("Women", "Share of women among people with these names, each name counted once.", True),
    Column("Born", "Mean year of birth, each name counted once.", True),
    Column("Race or origin", "The two largest shares of people with these names in the US census."),
)
_FOUND = (
    Column("Associations", "How many are statistically significant.", True),
    Column(
        "Recurrent", "How many of them recur in more than half of the runs with other clusterings.", True, folded=True
    ),
    Column(
        "Without frequency",
        "How many of them remain when the direction of word frequency is removed.",
        True,
        folded=True,
    ),
    Column("Spelling", "How alike words and names are spelt: 0.5 by chance, 1 for the most alike.", True, folded=True),
    Column("Frequency", "Rank correlation of words' closeness to the group with their frequency.", True, extra=True),
)
_CELLS = (
    Column("Group"),
    Column("Category", "Its number and the words closest to its centre."),
    Column("Words"),
    Column("Score", "How much closer to this group than to the others, above the category's mean.", True),
    Column("p", "Share of random rotations of the names that give at least this score.", True, folded=True),
    Column("p, corrected", "Corrected over all cells.", True),
    Column("Significant"),
    Column("Recurs", "Share of the runs with other clusterings that find it again.", True, folded=True),
    Column("Without frequency", "Whether it remains when the direction of word frequency is removed.", extra=True),
)
_CHANGED = (
    Column("Group"),
    Column("Category", "Its number and the words closest to its centre."),
    Column("Words before"),
    Column("Score before", "Of the words before, in the first embedding.", True, folded=True),
    Column("Same words after", "Their score in the second embedding: an effect without a p-value.", True),
    Column("Words after"),
    Column("Score after", "Of the words after, in the second embedding.", True, folded=True),
    Column("Change"),
    Column("p before, corrected", "In the first embedding, corrected over all its cells.", True, extra=True),
    Column("p after, corrected", "In the second embedding, corrected over all its cells.", True, extra=True),
)
_CROSSED = (
    Column("Groups"),
    *(Column(heading) for heading in ("These words", "are to these", "as these", "to these")),
    Column("Above its null", "In standard deviations of what random directions give.", True),
)


def run(job: "Job", progress: "Progress") -> list[Row]:
    """Enumerate biases without naming them in advance."""
    from imprint.enumeration.enumerate import enumerate_biases

    settings = job.enumeration
    return enumerate_biases(
        job.vocabulary, job.words.names, settings=settings, executor=job.executor, progress=progress
    ).findings()


def _seconds(plan: "Plan") -> float:
    from imprint.enumeration.solution import count_rotations

    return 3.0 + _SECONDS_PER_ROTATION * count_rotations(plan.enumeration)


def overview_blocks(rows: Sequence[UbeOverviewRow]) -> Iterator[Block]:
    """Say what was looked for, how much was found, and what limits it; of a second embedding, what it lacks."""
    for row in rows:
        if row.groups_of is not None:
            yield Prose(_missing(row), "note", ("page", "terminal"))
            continue
        yield Details("How this was found", tuple(_method(row)))
        if row.spelling is not None and row.spelling > _SPELT_ALIKE:
            text = say(
                "The words found are spelt like the names: they rank {} within their categories, where chance gives "
                "0.50. Groups with a high rank share letters rather than people.",
                number(row.spelling),
            )
            yield Prose(text, "warning", ("page", "terminal"))


def _method(row: UbeOverviewRow) -> Iterator[Block]:
    yield Prose(
        "No group and no stereotype is named in advance. The method groups first names by their vectors, and sorts "
        "words into topics. It tests which words of a topic lie closest to which group of names. Each p-value "
        "compares a score with names turned in random directions. Who bears the names is looked up afterwards."
    )
    for text in (_counts(row), *(_checks(row) if row.associations else ()), *map(title, row.notes)):
        yield Prose(text, "note", ("page", "terminal"))


def sentences(rows: Sequence[UbeOverviewRow]) -> Iterator[Text]:
    """Say how many associations were found and recur, how many may be false, and what word frequency explains."""
    for row in rows:
        if row.groups_of is not None:
            continue
        if not row.associations:
            yield "No association of name groups with words is significant, which does not show absence."
            continue
        found = (count(row.associations), count(row.groups), _by_chance(row))
        yield say("Found without asking: {} associations of words with {} groups of first names{}.", *found)
        if row.recurrent is not None:
            yield _recurring(row)
        if row.survive_without_frequency is not None:
            left = (count(row.survive_without_frequency), count(row.associations))
            yield say("{} of {} remain when word frequency is accounted for.", *left)


def claims(rows: Sequence[UbeOverviewRow]) -> Iterator[Claim]:
    """Pair what was found without asking with what that does not show."""
    found = [row for row in rows if row.associations]
    return first_claim(
        sentences(found), "That every one of them is real, or that it is a stereotype: people must judge that."
    )


def group_blocks(rows: Sequence[UbeGroupRow | UbeRow]) -> Iterator[Block]:
    """Show what was found as a card per group; the groups' table, as the paper's Table 3, is one click away."""
    groups = [row for row in rows if isinstance(row, UbeGroupRow)]
    found = [row for row in rows if isinstance(row, UbeRow) and row.significant and row.groups_of is None]
    stable = [row for row in found if _is_stable(row)]
    others = [row for row in found if not _is_stable(row)]
    longest = max((row.score for row in found), default=0.0)
    if stable:
        yield _cards(groups, stable, longest)
        yield Prose("The bars show how strong an association is, compared with the strongest of all.", "note")
    if others:
        yield Details("Less stable findings", (_cards(groups, others, longest),))
    known = any(row.races is not None for row in groups)
    races = tuple(Column(heading, _SHARE, True, extra=True) for heading in _RACES.values()) if known else ()
    table = Table(
        say("Groups of names in {}{}", title(groups[0].embedding), ", and who bears them" if known else ""),
        (
            GROUP_COLUMN,
            Column("Names", "How many names the group has.", True),
            *(_BEARERS if known else ()),
            *_FOUND,
            *races,
        ),
        tuple(_group(row, known=known) for row in groups),
    )
    yield Details("Who bears these names?", (table,))


def _cards(groups: Sequence[UbeGroupRow], found: Sequence[UbeRow], longest: float) -> Cards:
    """Make a card of each group with associations, the strongest association first."""
    ordered = sorted(found, key=lambda row: -row.score)
    by_group: dict[str, list[UbeRow]] = defaultdict(list)
    for row in ordered:
        by_group[row.group].append(row)
    named = {row.group: row for row in groups}
    return Cards(tuple(_card(named.get(letter), own, longest) for letter, own in by_group.items()))


def _card(group: UbeGroupRow | None, found: Sequence[UbeRow], longest: float) -> BarCard:
    names = found[0].names if group is None else group.names
    bars = tuple(
        Bar(words(row.words), max(0.0, row.score) / longest if longest > 0 else 0.0, _strength(row))
        for row in found[:_SHOWN]
    )
    lines = tuple(say("{} ({})", words(row.words), _strength(row)) for row in found[_SHOWN:])
    more = f"{len(lines)} more association{'' if len(lines) == 1 else 's'}"
    return BarCard(say("{} …", words(names[:_EXAMPLES])), _bearers(group), bars, more, lines)


def _bearers(group: UbeGroupRow | None) -> Text:
    """Say who bears the names: how many, women, year of birth, the largest race or origin."""
    if group is None:
        return ""
    said: list[Text] = [say("typical of {} names", count(group.n_names))]
    if group.share_women is not None:
        said.append(say("{} women", percent(group.share_women)))
    if group.mean_birth_year is not None:
        said.append(f"born around {group.mean_birth_year:.0f}")
    races = _largest({heading: getattr(group.races, race, None) for race, heading in _RACES.items()})
    return join([*said, *([races] if races is not NOTHING else [])], " · ")


def _strength(row: UbeRow) -> Text:
    again = (
        f"recurs in {row.recurrence * row.recurrence_runs:.0f} of {row.recurrence_runs}"
        if row.recurrence is not None
        else ""
    )
    size: Text = again or say("score {}", number(row.score))
    gone = "depends on word frequency"
    return say("{}; {}", size, gone) if row.survives_without_frequency is False else size


def cell_sentences(rows: Sequence[UbeRow]) -> Iterator[Text]:
    """Count the associations that recur and do not depend on word frequency."""
    found = [row for row in rows if row.significant and row.groups_of is None]
    checked = [row for row in found if row.recurrence is not None and row.survives_without_frequency is not None]
    if checked:
        stable = count(sum(map(_is_stable, checked)))
        yield say("Associations that recur and do not depend on word frequency: {}.", stable)


def cell_blocks(rows: Sequence[UbeRow]) -> Iterator[Block]:
    """List every cell; on a terminal, the associations as the paper's Table 5: a column per group."""
    cells = [row for row in rows if row.groups_of is None]
    found = [row for row in cells if row.significant]
    if cells and not found:
        yield Prose(
            "No association is statistically significant. This does not show absence: more rotations can give smaller "
            "p-values.",
            media=("page", "terminal"),
        )
    if found:
        own = [row for row in found if not _explained(row)]
        runs = found[0].recurrence_runs
        if runs:
            caption = (
                "Words closest to each group of names that recur in more than half of {} runs (share in brackets)"
            )
            yield from _grid(say(caption, count(runs)), [row for row in own if _recurs(row)])
            yield from _grid(
                "Words closest to each group of names that recur in half of the runs or fewer",
                [row for row in own if not _recurs(row)],
            )
        else:
            yield from _grid("Words closest to each group of names", own)
        yield from _grid(
            "Groups that word frequency explains: the associations of theirs that vanish without it",
            [row for row in found if _explained(row)],
        )
        every = sorted(cells, key=lambda row: not _recurs(row))
        yield Table("Every group and category", _CELLS, tuple(map(_cells, every)), filtered=True, folded=True)
    if any(row.against is not None for row in cells):
        yield from _changes(cells, [row for row in rows if row.groups_of is not None])


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
        note = Prose(text, "note", ("page", "terminal"))
        crossed = tuple(map(_crossed, row.strongest))
        table = (Table("The strongest indirect associations", _CROSSED, crossed),) if row.strongest else ()
        yield Details("Do the words match without the names?", (note, *table))


def _crossed(one: Crossing) -> tuple[Text, ...]:
    return words(one.groups), *map(words, one.words), number(one.standard_deviations, 1)


def _recurs(row: UbeRow) -> bool:
    return row.recurrence is not None and row.recurrence > MOST_RUNS


def _is_stable(row: UbeRow) -> bool:
    """Tell whether an association recurs, where that was tried, and remains without word frequency."""
    return (row.recurrence is None or _recurs(row)) and row.survives_without_frequency is not False


def _explained(row: UbeRow) -> bool:
    return row.explained_by_frequency and row.survives_without_frequency is False


def _recurring(row: UbeOverviewRow) -> Text:
    return say(
        "{} of {} recur in more than half of {} repetitions with other groupings of the same names and words.",
        count(row.recurrent),
        count(row.associations),
        count(row.repeats),
    )


def _checks(row: UbeOverviewRow) -> Iterator[Text]:
    """Say how many associations are left without word frequency, and how many are found where all would be false."""
    if row.survive_without_frequency is not None:
        yield say(
            "Removing the direction of word frequency loses {} of {} associations. For comparison, removing a random "
            "direction loses {} on average, and removing the third principal component {}.",
            f"{row.associations - row.survive_without_frequency:,}",
            count(row.associations),
            number(row.lost_without_random, 1),
            count(row.lost_without_third_axis),
        )
    if row.rotated_copies is not None and row.flipped_copies is not None:
        yield say(
            "False discoveries: {} copies with randomly rotated names show {} associations on average ({} of copies "
            "show any). {} stricter copies, which keep the shape of the space, show {} ({} show any).{}",
            *_discoveries(row.rotated_copies),
            *_discoveries(row.flipped_copies),
            _expected(row.flipped_copies),
        )


def _by_chance(row: UbeOverviewRow) -> Text:
    copies = row.flipped_copies
    if copies is None or copies.mean_below_limit is None:
        return ""
    return say("; if all were chance, about {} would be expected", number(copies.mean_below_limit, 0))


def _expected(copies: FalseDiscoveries) -> Text:
    if copies.mean_below_limit is None:
        return ""
    return say(
        " On average {} p-values of a stricter copy are as small as those found here ({} in nine of ten copies): so "
        "many would be expected if all were chance.",
        number(copies.mean_below_limit, 1),
        interval(copies.low_below_limit, copies.high_below_limit, 0),
    )


def _discoveries(found: FalseDiscoveries) -> tuple[Text, ...]:
    return count(found.copies), number(found.mean), percent(found.share_with_any, 1)


def _counts(row: UbeOverviewRow) -> Text:
    return say(
        "{} significant associations among {} cells, {} of which have {} words ({} rotations, {} {}). {} of {} names "
        "are in the embedding; the {} least like names were dropped, and {} are in groups.",
        count(row.associations),
        f"{row.groups * row.categories:,}",
        count(row.n_cells),
        count(row.top),
        count(row.rotations),
        "family-wise error rate" if row.correction == "max" else "false discovery rate",
        percent(row.fdr),
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


def _group(row: UbeGroupRow, *, known: bool) -> tuple[Cell | Text, ...]:
    shares = {heading: getattr(row.races, race, None) for race, heading in _RACES.items()}
    bearers = (percent(row.share_women), number(row.mean_birth_year, 0), _largest(shares)) if known else ()
    return (
        Cell(Given(row.group), more=words(row.names)),
        count(row.n_names),
        *bearers,
        count(row.associations),
        count(row.recurrent),
        count(row.survive_without_frequency),
        number(row.spelling),
        number(row.frequency),
        *(map(percent, shares.values()) if known else ()),
    )


def _largest(shares: dict[str, float | None]) -> Text:
    known = sorted(((share, name) for name, share in shares.items() if share is not None), reverse=True)
    return join(say("{} {}", name, percent(share)) for share, name in known[:_LARGEST]) or NOTHING


def _grid(caption: Text, found: Sequence[UbeRow]) -> Iterator[Table]:
    """Lay associations out: each row a category, each column a group."""
    letters = sorted({row.group for row in found}, key=lambda letter: (len(letter), letter))
    by_category: dict[int, dict[str, UbeRow]] = defaultdict(dict)
    for row in found:  # in the order of the rows: categories with the strongest associations first
        by_category[row.category][row.group] = row
    columns = (Column("Category", "Its number and the words closest to its centre."), *map(_letter, letters))
    lines = tuple(
        (_category(next(iter(row.values()))), *(_grid_cell(row[one]) if one in row else "" for one in letters))
        for row in by_category.values()
    )
    if lines:
        yield Table(caption, columns, lines, media=("terminal",))


def _letter(letter: str) -> Column:
    return Column(Given(letter))


def _category(row: UbeRow) -> Cell:
    return Cell(say("{}: {}", f"{row.category}", words(row.category_words[:_CENTRAL])), order=row.category)


def _grid_cell(row: UbeRow) -> Cell:
    gone = row.survives_without_frequency is False
    again = "" if row.recurrence is None else say(" ({})", percent(row.recurrence))
    hint = say(
        "score {}, p = {}, corrected {}{}",
        number(row.score, 3),
        probability(row.p_value),
        probability(row.p_adjusted),
        "; gone without word frequency" if gone else "",
    )
    return Cell(say("{}{}", words(row.words), again), hint=hint, order=row.score, faint=gone)


def _cells(row: UbeRow) -> tuple[Cell | Text, ...]:
    left = row.survives_without_frequency if row.significant else None
    return (
        Given(row.group),
        _category(row),
        words(row.words),
        number(row.score, 3),
        Cell(probability(row.p_value), order=row.p_value),
        Cell(probability(row.p_adjusted), order=row.p_adjusted),
        "yes" if row.significant else "no",
        percent(row.recurrence),
        NOTHING if left is None else "remains" if left else "gone",
    )


def _changes(cells: Sequence[UbeRow], others: Sequence[UbeRow]) -> Iterator[Block]:
    """Show what became of each association in a second embedding, scored over the same groups and categories."""
    first, second = title(cells[0].embedding), title(cells[0].against or "")
    before, after = ({row.test: row for row in rows} for rows in (cells, others))
    changed = {
        "lost": [row for row in cells if row.left is False],
        "left": [row for row in cells if row.left],
        "new": [row for row in others if row.new],
    }
    letters = sorted({row.group for row in (*cells, *others)}, key=lambda letter: (len(letter), letter))
    caption = say("Associations of {}, and over the same groups and categories in {}", first, second)
    yield _tally(caption, letters, changed)
    lines = tuple(
        _changed(row, before.get(row.test), after.get(row.test), change)
        for change in _CHANGES
        for row in changed[change]
    )
    if lines:
        yield Table(say("What became of each association in {}", second), _CHANGED, lines, filtered=True)
    lost, left, new = (len(changed[change]) for change in _CHANGES)
    counts = (_counted(left + lost), first, _counted(left), second, _counted(lost), _counted(new))
    yield Prose(
        say("Of {} associations of {}, {} are left in {}, {} are lost; {} are new.", *counts),
        media=("page", "terminal"),
    )
    for change in ("lost", "left"):
        scores = [
            (row.score, row.against_score_of_same_words)
            for row in changed[change]
            if row.against_score_of_same_words is not None
        ]
        if scores:
            means = (f"{sum(column) / len(scores):.3f}" for column in zip(*scores, strict=True))
            text = say("The words of those {} score {} on average before, and {} after.", change, *means)
            yield Prose(text, media=("page", "terminal"))
    yield Prose(
        "Left, lost and new compare verdicts: significant in both, only in the first, only in the second. They do not "
        "test the difference, and associations near the limit change sides by the draw of the rotations.",
        "note",
        ("page", "terminal"),
    )


def _tally(caption: Text, letters: Iterable[str], changed: Mapping[str, Sequence[UbeRow]]) -> Table:
    """Count what is lost, left and new, by group and over all."""
    of = {change: Counter(row.group for row in rows) for change, rows in changed.items()}
    lines = [_line(Given(letter), *(of[change][letter] for change in _CHANGES)) for letter in letters]
    whole = _line("all", *(of[change].total() for change in _CHANGES))
    columns = (Column("Group"), *(Column(name, meaning, True) for name, meaning in _TALLIED.items()))
    return Table(caption, columns, (*lines, whole))


def _line(name: Text, lost: int, left: int, new: int) -> tuple[Text, ...]:
    return name, *map(_counted, (left + lost, left, lost, new))


def _counted(value: int) -> str:
    return f"{value:,}"


def _changed(row: UbeRow, before: UbeRow | None, after: UbeRow | None, change: str) -> tuple[Cell | Text, ...]:
    return (
        Given(row.group),
        _category(row),
        words(before.words) if before else "too few words",
        number(before.score if before else None, 3),
        number(before.against_score_of_same_words if before else None, 3),
        words(after.words) if after else "too few words",
        number(after.score if after else None, 3),
        change,
        probability(before.p_adjusted if before else None),
        probability(after.p_adjusted if after else None),
    )


OVERVIEW = Kind(
    "ube-overview", row=UbeOverviewRow, part=UNASKED, blocks=overview_blocks, sentences=sentences, claims=claims
)
GROUP = Kind("ube-group", row=UbeGroupRow, part=UNASKED, blocks=group_blocks, joins=("ube",), rank=-1)
CELL = Kind(
    "ube",
    row=UbeRow,
    part=UNASKED,
    blocks=cell_blocks,
    sentences=cell_sentences,
    beside=True,
    run=run,
    seconds=_seconds,
    aliases={"p": "p_value", "d": "effect_size", "associations": "ube-overview:associations"},
    rank=2,
    method="Biases that were not named in advance were enumerated after Swinger et al. (2019): names were "
    "clustered, words assigned to groups, and p-values found by random rotations.",
)
INDIRECT = Kind("ube-indirect", row=UbeIndirectRow, part=UNASKED, blocks=indirect_blocks, rank=3)
