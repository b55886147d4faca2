"""Unsupervised bias enumeration as kinds: groups of names, and the words closest to each (Swinger et al., 2019)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from imprint.enumeration.rows import (
    MOST_RUNS,
    Crossing,
    FalseDiscoveries,
    Races,
    UbeGroupRow,
    UbeIndirectRow,
    UbeOverviewRow,
    UbeRow,
)
from imprint.kinds import Kind, Part, terms
from imprint.rows import Row, descriptions
from imprint.tables import Columns, Field, draw_field, table
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
    footnote,
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

UNASKED = Part(
    "enumeration",
    "Patterns found without asking",
    40,
    offensive=True,
    english=True,
    terms=(terms.ONE_SIDED, terms.ROTATION),
)

_SECONDS_PER_ROTATION = 0.0012
_SPELT_ALIKE = 0.65  # word embeddings have 0.5 to 0.6
_CENTRAL = 3  # words that stand for a category
_SHOWN = 3  # associations of a card that are read without being asked for
_EXAMPLES = 5  # names at the head of a card
_LARGEST = 2  # shares of a group's races that are read without being asked for
_CHANGES = ("lost", "left", "new")  # in the order shown
_CROSSED = ("These words", "are to these", "as these", "to these")
_TALLIED = {
    "Before": "Significant in the first embedding.",
    "Left": "Significant in both embeddings.",
    "Lost": "Significant in the first embedding only.",
    "New": "Significant in the second embedding only.",
}


class _Change(NamedTuple):
    """What became of an association, and the cell in both embeddings; it may have too few words in one of them."""

    row: UbeRow
    before: UbeRow | None
    after: UbeRow | None
    change: str


def _category(row: UbeRow) -> Cell:
    return Cell(say("{}: {}", f"{row.category}", words(row.category_words[:_CENTRAL])), order=row.category)


def _side(
    side: Literal["before", "after"], name: str, heading: str = "", meaning: str = "", *, folded: bool = False
) -> Field:
    """Return a field's column of one of the embeddings."""

    def draw(change: _Change) -> Cell | Text:
        row = change.before if side == "before" else change.after
        if row is None:
            return "too few words" if name == "words" else NOTHING
        return draw_field(row, name)

    return Field(name, heading, meaning, draw, folded=folded)


_CATEGORY = Field("category", cell=_category, numeric=False)
_CHANGED: Columns = (
    Field("group", cell=lambda change: draw_field(change.row, "group")),
    Field("category", cell=lambda change: _category(change.row), numeric=False),
    _side("before", "words", "Words before"),
    _side("before", "score", "Score before", "Of the words before, in the first embedding.", folded=True),
    _side("before", "against_score_of_same_words"),
    _side("after", "words", "Words after"),
    _side("after", "score", "Score after", "Of the words after, in the second embedding.", folded=True),
    Field(title="Change", cell=lambda change: change.change),
)
_CHANGED_P: Columns = (
    _side("before", "p_adjusted", "p before, corrected", "In the first embedding, corrected over all its cells."),
    _side("after", "p_adjusted", "p after, corrected", "In the second embedding, corrected over all its cells."),
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
            yield footnote(_missing(row))
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
        yield footnote(text)


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
    has_bearers = any(row.races is not None for row in groups)
    letter = Field("group", cell=lambda row: Cell(Given(row.group), more=words(row.names)))
    bearers = ("share_women", "mean_birth_year", Field("races", cell=lambda row: _largest(row.races)))
    groups_table = table(
        UbeGroupRow,
        say("Groups of names in {}{}", title(groups[0].embedding), ", and who bears them" if has_bearers else ""),
        groups,
        (letter, "n_names", *(bearers if has_bearers else ()), "associations"),
        more=("recurrent", "survive_without_frequency", "spelling"),
        extra=("frequency", *(map(_race, descriptions(Races)) if has_bearers else ())),
    )
    yield Details("Who bears these names?", (groups_table,))


def _race(name: str) -> Field:
    """Return the column of one of the races, whose shares are a struct of their own."""
    described = descriptions(Races)[name]
    return Field(
        title=described.title,
        meaning=described.meaning,
        cell=lambda row: draw_field(row.races, name) if row.races else NOTHING,
        numeric=True,
    )


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
    races = _largest(group.races)
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
        yield table(
            UbeRow,
            "Every group and category",
            every,
            ("group", _CATEGORY, "words", "score", "p_adjusted", "significant"),
            more=("p_value", "recurrence"),
            extra=[Field("survives_without_frequency", cell=_remains)],
            filtered=True,
            folded=True,
        )
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
        note = footnote(text)
        columns: Columns = ("groups", *map(_crossed_words, range(len(_CROSSED))), "standard_deviations")
        strongest = table(Crossing, "The strongest indirect associations", row.strongest, columns)
        yield Details("Do the words match without the names?", (note, strongest) if row.strongest else (note,))


def _crossed_words(index: int) -> Field:
    return Field(title=_CROSSED[index], cell=lambda crossing: words(crossing.words[index]))


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


def _largest(races: Races | None) -> Text:
    """Name the largest shares of a group's races."""
    shares = [(getattr(races, name, None), race.title) for name, race in descriptions(Races).items()]
    largest = sorted(((share, race) for share, race in shares if share is not None), reverse=True)
    return join(say("{} {}", race, percent(share)) for share, race in largest[:_LARGEST]) or NOTHING


def _grid(caption: Text, found: Sequence[UbeRow]) -> Iterator[Table]:
    """Lay associations out: each row a category, each column a group."""
    letters = sorted({row.group for row in found}, key=lambda letter: (len(letter), letter))
    by_category: dict[int, dict[str, UbeRow]] = defaultdict(dict)
    for row in found:  # in the order of the rows: categories with the strongest associations first
        by_category[row.category][row.group] = row
    category = Field("category", cell=lambda cells: _category(next(iter(cells.values()))), numeric=False)
    if by_category:
        columns = (category, *map(_letter, letters))
        yield table(UbeRow, caption, by_category.values(), columns, media=("terminal",))


def _letter(letter: str) -> Field:
    return Field(title=Given(letter), cell=lambda cells: _grid_cell(cells[letter]) if letter in cells else "")


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


def _remains(row: UbeRow) -> Text:
    left = row.survives_without_frequency if row.significant else None
    return NOTHING if left is None else "remains" if left else "gone"


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
    changes = [
        _Change(row, before.get(row.test), after.get(row.test), change)
        for change in _CHANGES
        for row in changed[change]
    ]
    if changes:
        caption = say("What became of each association in {}", second)
        yield table(UbeRow, caption, changes, _CHANGED, extra=_CHANGED_P, filtered=True)
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
    yield footnote(
        "Left, lost and new compare verdicts: significant in both, only in the first, only in the second. They do not "
        "test the difference, and associations near the limit change sides by the draw of the rotations."
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


OVERVIEW = Kind(
    "ube-overview",
    row=UbeOverviewRow,
    part=UNASKED,
    blocks=overview_blocks,
    sentences=sentences,
    claims=claims,
    brief=sentences,
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
