"""Unsupervised bias enumeration as kinds: groups of names, and the words closest to each (Swinger et al., 2019)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal, NamedTuple

from imprint.enumeration.rows import (
    MOST_RUNS,
    Crossing,
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
    join,
    number,
    percent,
    say,
    title,
    words,
)

if TYPE_CHECKING:
    from imprint.jobs.job import Job, Plan
    from imprint.types import Progress

UNASKED = Part(
    "enumeration",
    "Patterns found without asking",
    40,
    offensive=True,
    english=True,
    terms=(terms.MIRRORED,),
)

_SECONDS_PER_COPY = 0.0012
_CENTRAL = 3  # words that stand for a category
_SHOWN = 3  # associations of a card that are read without being asked for
_EXAMPLES = 5  # names at the head of a card
_LARGEST = 2  # shares of a group's races that are read without being asked for
_CHANGES = ("lost", "left", "new")  # in the order shown
_CROSSED = ("These words", "are to these", "as these", "to these")
_TALLIED = {
    "Before": "Stands out in the first embedding.",
    "Left": "Stands out in both embeddings.",
    "Lost": "Stands out in the first embedding only.",
    "New": "Stands out in the second embedding only.",
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
_CHANGED_MORE: Columns = (
    _side("before", "z", "z before", "In the first embedding."),
    _side("after", "z", "z after", "In the second embedding."),
)


def run(job: "Job", progress: "Progress") -> Sequence[Row]:
    """Enumerate biases without naming them in advance."""
    from imprint.enumeration.enumerate import enumerate_biases

    settings = asdict(job.enumeration)
    return enumerate_biases(
        job.vocabulary, names=job.words.names, executor=job.executor, progress=progress, **settings
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
            "Found without asking: {} associations of words with {} groups of first names{}.",
            count(row.associations),
            count(row.groups),
            "" if by_chance is None else say("; by chance, about {} are expected", number(by_chance, 0)),
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
    found = [row for row in rows if row.associations]
    return first_claim(
        sentences(found), "That every one of them is real, or that it is a stereotype: people must judge that."
    )


def group_blocks(rows: Sequence[UbeGroupRow | UbeRow]) -> Iterator[Block]:
    """Show what was found as a card per group; the groups' table, as the paper's Table 3, is one click away."""
    groups = [row for row in rows if isinstance(row, UbeGroupRow)]
    found = [row for row in rows if isinstance(row, UbeRow) and row.stands_out and row.groups_of is None]
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
        more=("recurrent", "spelling", "reason"),
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
    if row.recurrence is not None:
        return f"recurs in {row.recurrence * row.recurrence_runs:.0f} of {row.recurrence_runs}"
    return say("score {}", number(row.score))


def cell_blocks(rows: Sequence[UbeRow]) -> Iterator[Block]:
    """List what was found, on a terminal, and every cell; then what became of it in a second embedding."""
    cells = [row for row in rows if row.groups_of is None]
    found = [row for row in cells if row.stands_out]
    if cells and not found:
        yield Prose("No association stands out. This does not show absence.", media=("page", "terminal"))
    if found:
        is_paper = found[0].method == "paper"
        strength = ("p_value", "p_adjusted") if is_paper else ("z", "q")
        shown = ("group", _CATEGORY, "words", *strength)
        again = ("recurrence",) if found[0].recurrence_runs else ("score",)
        stable, others = ([row for row in found if _is_stable(row) is stability] for stability in (True, False))
        for caption, part in (
            ("Words closest to each group of names", stable),
            ("Words closest to each group of names that recur in half of the runs or fewer", others),
        ):
            if part:
                yield table(UbeRow, caption, part, (*shown, *again), media=("terminal",))
        yield table(
            UbeRow,
            "Every group and category",
            sorted(cells, key=lambda row: not (row.stands_out and _is_stable(row))),
            (*shown, "stands_out"),
            more=("score", "recurrence", "reason"),
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


def _is_stable(row: UbeRow) -> bool:
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


def _largest(races: Races | None) -> Text:
    """Name the largest shares of a group's races."""
    shares = [(getattr(races, name, None), race.title) for name, race in descriptions(Races).items()]
    largest = sorted(((share, race) for share, race in shares if share is not None), reverse=True)
    return join(say("{} {}", race, percent(share)) for share, race in largest[:_LARGEST]) or NOTHING


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
        yield table(UbeRow, caption, changes, _CHANGED, extra=_CHANGED_MORE, filtered=True)
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
        "Left, lost and new compare what stands out: in both, only in the first, only in the second. They do not "
        "test the difference, and associations near the limit change sides by the draw of the copies."
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
    beside=True,
    run=run,
    seconds=_seconds,
    aliases={"p": "p_value", "d": "effect_size", "associations": "ube-overview:associations"},
    rank=2,
    method="Biases that were not named in advance were enumerated after Swinger et al. (2019): names were "
    "clustered, words assigned to groups, and scores compared with mirrored copies of the names.",
)
INDIRECT = Kind("ube-indirect", row=UbeIndirectRow, part=UNASKED, blocks=indirect_blocks, rank=3)
