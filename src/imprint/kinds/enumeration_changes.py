"""What became of each association in a second embedding, over the same groups of names and categories of words."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from imprint.enumeration.rows import UbeRow
from imprint.tables import Columns, Field, draw_field, table
from imprint.view import NOTHING, Block, Cell, Column, Given, Prose, Table, Text, footnote, say, title, words

_CENTRAL = 3  # words that stand for a category
_CHANGES = ("lost", "left", "new")  # in the order shown
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


def category_cell(row: UbeRow) -> Cell:
    """Name a category, with its most central words."""
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


_CHANGED: Columns = (
    Field("group", cell=lambda change: draw_field(change.row, "group")),
    Field("category", cell=lambda change: category_cell(change.row), numeric=False),
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


def change_blocks(cells: Sequence[UbeRow], others: Sequence[UbeRow]) -> Iterator[Block]:
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
