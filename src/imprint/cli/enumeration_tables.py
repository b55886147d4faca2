"""An enumeration for a terminal: groups as in the paper's Table 3, associations as in its Table 5."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from imprint.cli.console import say, tell
from imprint.cli.formats import make_table, number, show_table, width
from imprint.enumeration.comparison import BiasComparison, CellPair, Change
from imprint.enumeration.groups import Group
from imprint.enumeration.result import Association, Enumeration
from imprint.masking import mask

if TYPE_CHECKING:
    from rich.table import Table

_COLUMN = 16  # characters a group's column needs
_SHOWN_CROSSINGS = 3
_SPELT_ALIKE = 0.65  # word embeddings have 0.5 to 0.6

CHANGES: tuple[Change, ...] = ("lost", "left", "new")  # in the order shown
CONTENT_NOTE = (
    "These associations are the embedding's own; many are offensive and none is a fact about anybody. Groups go\n"
    "by letter: --show-names prints the names, --unmask prints slurs in full. Nothing is masked in --json."
)


def print_enumeration(found: Enumeration, *, show_names: bool, unmask: bool) -> None:
    """Print the groups, then the associations, those that word frequency explains apart, then what to make of it."""
    say(CONTENT_NOTE)
    _print_groups(found, show_names=show_names)
    plain = [group for group in found.groups if group.letter not in found.flagged]
    _print_associations(found, plain, "Associations", unmask=unmask)
    flagged = [group for group in found.groups if group.letter in found.flagged]
    if flagged:
        _print_associations(
            found,
            flagged,
            "Associations of groups that word frequency explains: most vanish without it",
            unmask=unmask,
        )
    _print_summary(found, unmask=unmask)


def print_comparison(comparison: BiasComparison, *, unmask: bool) -> None:
    """Print how many associations each group keeps in the second embedding, then which are lost, left and new."""
    first, second = comparison.first.embedding, comparison.second.embedding
    changed = {change: comparison.changed(change) for change in CHANGES}
    lost, left, new = (len(changed[change]) for change in CHANGES)
    table = make_table("", ("group", "left"), *((name, "right") for name in ("before", "left", "lost", "new")))
    for group in comparison.first.groups:
        gone, kept, added = (sum(pair.group == group.letter for pair in changed[change]) for change in CHANGES)
        table.add_row(group.letter, *map(str, (kept + gone, kept, gone, added)))
    table.add_row("all", *map(str, (left + lost, left, lost, new)))
    _show(f"Associations of {first}, and over the same groups and categories in {second}", table)
    for change, pairs in changed.items():
        if pairs:
            _print_pairs(f"Associations {change} in {second}", pairs, unmask=unmask)
    if left + lost:
        say(f"Of {left + lost} associations of {first}, {left} are left in {second} and {lost} are lost; new: {new}.")
    else:
        say(f"{first} has no significant association that {second} could lose; new: {new}.")
    for change in ("lost", "left"):
        scores = [
            (pair.before.score, pair.same_words)
            for pair in changed[change]
            if pair.before and pair.same_words is not None
        ]
        if scores:
            before, after = (sum(column) / len(scores) for column in zip(*scores, strict=True))
            say(f"  The words of those {change} scored {before:.3f} on average, and score {after:.3f} there.")
    say(describe_missing(comparison))


def describe_missing(comparison: BiasComparison) -> str:
    """Say how many of the names and words asked about the second embedding lacks."""
    second = comparison.second
    return (
        f"{second.embedding} lacks {second.names_asked - second.names_found:,} of the {second.names_asked:,} names in "
        f"groups and {len(comparison.words_missing):,} of the {comparison.words_asked:,} words in categories."
    )


def _print_pairs(title: str, pairs: Sequence[CellPair], *, unmask: bool) -> None:
    table = make_table(
        "",
        ("group", "left"),
        ("category", "right"),
        ("words before", "left"),
        ("score", "right"),
        ("adjusted p", "right"),
        ("same words\nafter", "right"),
        ("words after", "left"),
        ("score", "right"),
        ("adjusted p", "right"),
    )
    for pair in pairs:
        before, after = (_side(cell, unmask=unmask) for cell in (pair.before, pair.after))
        table.add_row(pair.group, str(pair.category), *before, number(pair.same_words, 3), *after)
    _show(title, table)


def _side(cell: Association | None, *, unmask: bool) -> tuple[str, str, str]:
    if cell is None:
        return "too few", "-", "-"
    return _joined(cell.words, unmask=unmask), number(cell.score, 3), f"{cell.p_adjusted:.2g}"


def _print_groups(found: Enumeration, *, show_names: bool) -> None:
    known = any(group.demographics for group in found.groups)
    columns: list[tuple[str, str]] = [("group", "left"), ("names", "right")]
    if known:
        columns += [(name, "right") for name in ("women", "born", "white", "black", "Hispanic", "Asian")]
    columns += [
        ("with\nfrequency", "right"),
        ("associations", "right"),
        ("left without\nfrequency", "right"),
        ("with\nspelling", "right"),
    ]
    if show_names:
        columns.append(("such as", "left"))
    table = make_table("", *columns)
    for group in found.groups:
        hits = [cell for cell in found.significant if cell.group == group.letter]
        left = "" if found.settings.without_frequency else str(sum(bool(cell.survives) for cell in hits))
        row = [group.letter, f"{len(group.names):,}"]
        row += _demographics(group) if known else []
        spelling = found.spelling(group.letter)
        row += [f"{group.frequency:.2f}", str(len(hits)), left, "" if spelling is None else f"{spelling:.2f}"]
        table.add_row(*row, *([", ".join(group.illustrative)] if show_names else []))
    _show(f"Groups of names in {found.embedding}", table)


def _show(title: str, table: "Table") -> None:
    # Within a table of few columns a title would be broken into as many lines as words.
    tell(title)
    show_table(table)


def _demographics(group: Group) -> list[str]:
    known = group.demographics
    if known is None:
        return [""] * 6
    shares = [known.share_women, *(known.races.get(race) for race in ("white", "black", "hispanic", "asian_pacific"))]
    women, *races = ("" if share is None else f"{share:.0%}" for share in shares)
    born = "" if known.mean_birth_year is None else f"{known.mean_birth_year:.0f}"
    return [women, born, *races]


def _print_associations(found: Enumeration, groups: Sequence[Group], title: str, *, unmask: bool) -> None:
    """Print a row a category and a column a group, in as many tables as the terminal is narrow."""
    cells = {(cell.category, cell.group): cell for cell in found.significant}
    busy = [group.letter for group in groups if any(letter == group.letter for _, letter in cells)]
    fit = max(1, (width() - 8) // _COLUMN)
    for start in range(0, len(busy), fit):
        letters = busy[start : start + fit]
        table = make_table("", ("", "right"), *((letter, "left") for letter in letters))
        for category in found.categories:
            row = [cells.get((category.number, letter)) for letter in letters]
            if any(row):
                table.add_row(str(category.number), *(_cell(cell, unmask=unmask) for cell in row), end_section=True)
        _show(title, table)


def _cell(cell: Association | None, *, unmask: bool) -> str:
    if cell is None:
        return ""
    words = _joined(cell.words, unmask=unmask, joint="\n")
    return words if cell.stability is None else f"{words}\n({cell.stability:.0%} of seeds)"


def _joined(words: Sequence[str], *, unmask: bool, joint: str = ", ") -> str:
    return joint.join(word if unmask else mask(word) for word in words)


def _print_summary(found: Enumeration, *, unmask: bool) -> None:
    settings = found.settings
    explained = sum(cell.group in found.flagged for cell in found.significant)
    say(
        f"{len(found.significant)} significant associations among {settings.groups * settings.categories:,} cells, "
        f"{len(found.associations):,} of which have {settings.top} words "
        f"({settings.rotations:,} rotations, false discovery rate {settings.fdr:g}); {explained} of them belong to "
        f"groups that word frequency explains ({', '.join(found.flagged) or 'none'})."
    )
    say(
        f"{found.names_found:,} of {found.names_asked:,} names are in the embedding; the {len(found.names_dropped):,} "
        "least like names were dropped."
    )
    spelling = found.spelling()
    if spelling is not None and spelling > _SPELT_ALIKE:
        say(
            f"Spelling: by being spelt like the names, the words found rank {spelling:.2f} within their categories "
            "(chance: 0.50). Groups with much of it share letters rather than people."
        )
    if found.indirect is not None:
        say(
            f"Indirect: {found.indirect.share:.1%} of {found.indirect.tuples:,} tuples of associations match without "
            f"the names; {found.indirect.null_share:.1%} do under random directions: nearly all, by construction."
        )
        for crossing in found.indirect.strongest[:_SHOWN_CROSSINGS]:
            one, other, third, fourth = (_joined(words, unmask=unmask) for words in crossing.words)
            say(
                f"  {crossing.groups[0]} and {crossing.groups[1]}: {one} to {other} as {third} to {fourth} "
                f"({crossing.standard_deviations:.1f} standard deviations above its null)"
            )
    for note in found.notes:
        say(f"note: {note}")
