"""BiasComparison: the associations of one embedding and what became of each in another."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import msgspec

from imprint.enumeration import rows
from imprint.enumeration.result import Association, Enumeration
from imprint.enumeration.rows import UbeRow
from imprint.errors import requiring
from imprint.rows import Result, Row

if TYPE_CHECKING:
    import pandas as pd

Change = Literal["left", "lost", "new"]


@dataclass(frozen=True)
class CellPair:
    """One cell in both embeddings, None where it has too few words.

    `same_words` is the score of the first's words in the second: an effect without a p-value, None where the second
    lacks one of them. `change` is None where neither cell is significant.
    """

    group: str
    category: int
    before: Association | None
    after: Association | None
    same_words: float | None
    words_missing: tuple[str, ...]

    @property
    def change(self) -> Change | None:
        """Whether an association of the first is left or lost in the second, or the second has a new one."""
        after = self.after is not None and self.after.significant
        if self.before is not None and self.before.significant:
            return "left" if after else "lost"
        return "new" if after else None


@dataclass(frozen=True, repr=False)
class BiasComparison(Result):
    """Two enumerations over the groups and categories of the first.

    `same_words` goes along `first.associations`. `words_missing` are words of the categories that the second lacks,
    or that are names there; the names it lacks are `second.names_missing`.
    """

    first: Enumeration
    second: Enumeration
    same_words: tuple[float | None, ...]
    words_asked: int
    words_missing: tuple[str, ...]

    @property
    def cells(self) -> tuple[CellPair, ...]:
        """Every cell that has enough words in one of the two, category by category."""
        before = {(cell.category, cell.group): cell for cell in self.first.associations}
        after = {(cell.category, cell.group): cell for cell in self.second.associations}
        scores = dict(zip(before, self.same_words, strict=True))
        missing = set(self.words_missing)
        return tuple(
            CellPair(
                group=group.letter,
                category=category.number,
                before=before.get(key),
                after=after.get(key),
                same_words=scores.get(key),
                words_missing=tuple(word for word in before[key].words if word in missing) if key in before else (),
            )
            for category in self.first.categories
            for group in self.first.groups
            if (key := (category.number, group.letter)) in before or key in after
        )

    def changed(self, change: Change) -> tuple[CellPair, ...]:
        """Return the cells left, lost or new."""
        return tuple(pair for pair in self.cells if pair.change == change)

    def findings(self) -> list[Row]:
        """Return the rows of the first, with what became of each cell, then the overview and cells of the second."""
        pairs = {f"{pair.group}-{pair.category}": pair for pair in self.cells}
        origin = {"groups_of": self.first.embedding, "groups_of_sha256": self.first.embedding_sha256}
        words = {"words_asked": self.words_asked, "words_missing": len(self.words_missing)}
        return [
            rows.overview(self.first),
            *(self._before(row, pairs[row.test]) for row in rows.cells(self.first)),
            *rows.groups(self.first),
            *rows.indirect(self.first),
            rows.overview(self.second, **origin, **words),
            *(
                msgspec.structs.replace(
                    row, **origin, new=pairs[row.test].change == "new" if row.significant else None
                )
                for row in rows.cells(self.second)
            ),
        ]

    def to_frame(self) -> "pd.DataFrame":
        """Return one row per cell, nothing masked."""
        with requiring("pandas", "pandas"):
            import pandas as pd

        fields = ("words", "score", "p_adjusted")
        return pd.DataFrame(
            [
                {"group": pair.group, "category": pair.category, "change": pair.change}
                | {f"{name}_before": getattr(pair.before, name, None) for name in fields}
                | {f"{name}_after": getattr(pair.after, name, None) for name in fields}
                | {"same_words_after": pair.same_words}
                for pair in self.cells
            ]
        )

    def __repr__(self) -> str:
        left, lost, new = (len(self.changed(change)) for change in get_args(Change))
        return f"BiasComparison({self.first.embedding}, {self.second.embedding}: {left} left, {lost} lost, {new} new)"

    def _before(self, row: UbeRow, pair: CellPair) -> UbeRow:
        after = pair.after
        return msgspec.structs.replace(
            row,
            against=self.second.embedding,
            against_sha256=self.second.embedding_sha256,
            left=pair.change == "left" if row.significant else None,
            against_words=after.words if after else None,
            against_score=after.score if after else None,
            against_p_value=after.p_value if after else None,
            against_p_adjusted=after.p_adjusted if after else None,
            against_score_of_same_words=pair.same_words,
            against_missing=pair.words_missing,
        )
