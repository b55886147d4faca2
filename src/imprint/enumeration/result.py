"""The result of an enumeration: its rows, and the names behind the letters, which are too many for rows."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from imprint.enumeration.rows import UbeGroupRow, UbeIndirectRow, UbeOverviewRow, UbeRow
from imprint.rows import Rows

if TYPE_CHECKING:
    import pandas as pd

_FOLLOWED = ("words", "score", "z", "q", "p_value", "p_adjusted")

EnumerationRow = UbeOverviewRow | UbeRow | UbeGroupRow | UbeIndirectRow


class Enumeration(Rows[EnumerationRow]):
    """The result of an enumeration: associations between groups of names and categories of words.

    Parameters
    ----------
    rows
        The row of the whole, one per cell with enough words, one per group, and that of the paper's section 4.2. With
        a second embedding, then the row of its whole and one per cell of it.
    names
        All names of each group, by its letter; rows have a few of them.
    names_missing
        Names without a vector.
    names_dropped
        Names that cleaning removed.
    words_missing
        Words of the categories that the second embedding lacks, or that are names there.
    """

    def __init__(
        self,
        rows: Iterable[EnumerationRow],
        names: Mapping[str, tuple[str, ...]],
        names_missing: tuple[str, ...],
        names_dropped: tuple[str, ...],
        words_missing: tuple[str, ...] = (),
    ) -> None:
        super().__init__(rows)
        self.names = names
        self.names_missing = names_missing
        self.names_dropped = names_dropped
        self.words_missing = words_missing

    @property
    def overview(self) -> UbeOverviewRow:
        """The row of the whole."""
        return self.of(UbeOverviewRow)[0]

    @property
    def cells(self) -> tuple[UbeRow, ...]:
        """Every cell with enough words, categories with the largest sum of scores that stand out first."""
        return tuple(row for row in self.of(UbeRow) if row.groups_of is None)

    @property
    def standing_out(self) -> tuple[UbeRow, ...]:
        """The associations found."""
        return tuple(row for row in self.cells if row.stands_out)

    @property
    def groups(self) -> tuple[UbeGroupRow, ...]:
        """The groups of names."""
        return self.of(UbeGroupRow)

    @property
    def indirect(self) -> UbeIndirectRow | None:
        """Indirect associations of the paper's section 4.2; None if none could be counted."""
        return next(iter(self.of(UbeIndirectRow)), None)

    @property
    def cells_of_other(self) -> tuple[UbeRow, ...]:
        """Every cell of the second embedding with enough words there."""
        return tuple(row for row in self.of(UbeRow) if row.groups_of is not None)

    def to_frame(self) -> "pd.DataFrame":
        """Return a table of one line per cell with enough words, nothing masked."""
        return Rows(self.of(UbeRow)).to_frame()

    def __repr__(self) -> str:
        whole = self.overview
        said = f"{whole.associations} associations of {whole.groups} groups with {whole.categories} categories"
        others = [row.embedding for row in self.of(UbeOverviewRow)[1:]]
        if others:
            left = Counter(row.left for row in self.cells)
            new = sum(row.new is True for row in self.cells_of_other)
            said += f"; in {others[0]}: {left[True]} left, {left[False]} lost, {new} new"
        return f"Enumeration({whole.embedding}: {said})"


def beside(
    first: Enumeration,
    second: Enumeration,
    *,
    same_words: Sequence[float | None],
    words_asked: int,
    words_missing: tuple[str, ...],
) -> Enumeration:
    """Return the rows of the first, with what became of each cell, then the whole and the cells of the second.

    `same_words` are what the words of the first's cells score in the second. Of the words of all categories, the
    second lacks `words_missing`.
    """
    after = {row.test: row for row in second.cells}
    stood_out = {row.test for row in first.standing_out}
    lacking = set(words_missing)
    origin = {"groups_of": first.overview.embedding, "groups_of_sha256": first.overview.embedding_sha256}
    counts = {"words_asked": words_asked, "words_missing": len(words_missing)}
    cells = (
        _followed(
            row, after.get(row.test), second.overview, same, tuple(word for word in row.words if word in lacking)
        )
        for row, same in zip(first.cells, same_words, strict=True)
    )
    indirect = () if first.indirect is None else (first.indirect,)
    others = (
        msgspec.structs.replace(row, **origin, new=row.test not in stood_out if row.stands_out else None)
        for row in second.cells
    )
    whole = msgspec.structs.replace(second.overview, **origin, **counts)
    rows = (first.overview, *cells, *first.groups, *indirect, whole, *others)
    return Enumeration(rows, first.names, first.names_missing, first.names_dropped, words_missing)


def _followed(
    row: UbeRow, after: UbeRow | None, second: UbeOverviewRow, same_words: float | None, missing: tuple[str, ...]
) -> UbeRow:
    """Return a cell with what became of it in a second embedding, where it may have too few words."""
    changes: dict[str, Any] = {
        "against": second.embedding,
        "against_sha256": second.embedding_sha256,
        "left": (after is not None and after.stands_out) if row.stands_out else None,
        "against_score_of_same_words": same_words,
        "against_missing": missing,
    }
    if after is not None:
        changes |= {f"against_{name}": getattr(after, name) for name in _FOLLOWED}
    return msgspec.structs.replace(row, **changes)
