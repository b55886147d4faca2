"""Results: the associations with the groups behind their letters, and what became of each in another embedding."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal, get_args

import msgspec

from imprint.enumeration import rows
from imprint.enumeration.groups import Group
from imprint.enumeration.rows import MOST_RUNS, Crossing, UbeRow, Unjudged
from imprint.enumeration.settings import Settings
from imprint.errors import SettingError, requiring
from imprint.rows import Result, Row

if TYPE_CHECKING:
    import pandas as pd


Change = Literal["left", "lost", "new"]


@dataclass(frozen=True)
class Association:
    """One cell: a group of names, a category of words, and the words of it closest to the group.

    `z` is the score in standard deviations of its mirrored copies, `q` the estimated share of false discoveries among
    all cells as strong; the paper's method gives p-values instead. `recurrence` is the share of runs with other
    K-means seeds that find an association again, None where it does not stand out or that was not asked. A cell with
    a `reason` is not judged.
    """

    group: str
    category: int
    words: tuple[str, ...]
    score: float
    stands_out: bool
    z: float | None = None
    q: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    recurrence: float | None = None
    reason: Unjudged | None = None


@dataclass(frozen=True)
class Category:
    """A cluster of words, known by the words nearest its centre."""

    number: int
    size: int
    central: tuple[str, ...]


@dataclass(frozen=True)
class Indirect:
    """Tuples that satisfy eq. (1) of section 4.2, beside the share that random directions give."""

    tuples: int
    share: float
    null_share: float
    null_rotations: int
    strongest: tuple[Crossing, ...]


@dataclass(frozen=True, repr=False)
class Enumeration(Result):
    """The result of an enumeration: associations between groups of names and categories of words.

    Attributes
    ----------
    embedding
        Name of the embedding.
    embedding_sha256
        Hash of the embedding.
    settings
        The settings of the enumeration.
    groups
        Groups of names, each with its letter.
    categories
        Categories of words.
    associations
        Every cell with enough words, categories with the largest sum of scores that stand out first.
    indirect
        Indirect biases of the paper's section 4.2, beside their share by chance; None if none could be counted.
    names_asked
        How many names were given.
    names_missing
        Names without a vector.
    names_found
        How many names have a vector.
    names_dropped
        Names that cleaning removed.
    notes
        What a reader of the result should know.
    embedding_notes
        How the embedding was read or made.
    expected
        How many cells of a mirrored copy are as strong as those that stand out, on average. One number is for copies
        mirrored along all axes, one for copies that keep word frequency. None with the paper's method.
    """

    embedding: str
    embedding_sha256: str
    settings: Settings
    groups: tuple[Group, ...]
    categories: tuple[Category, ...]
    associations: tuple[Association, ...]
    indirect: Indirect | None
    names_asked: int
    names_missing: tuple[str, ...]
    names_found: int
    names_dropped: tuple[str, ...]
    notes: tuple[str, ...]
    embedding_notes: tuple[str, ...] = ()
    expected: tuple[float, float] | None = None

    @property
    def standing_out(self) -> tuple[Association, ...]:
        """The associations found."""
        return tuple(cell for cell in self.associations if cell.stands_out)

    @property
    def repeats(self) -> int:
        """How many runs with other clusterings were made."""
        return self.settings.repeats if self.settings.method == "mirrored" else 0

    def recurrent(self, letter: str | None = None) -> int | None:
        """Count the associations found again in more than half of the repeats; None where there were none."""
        if not self.repeats:
            return None
        cells = [cell for cell in self.standing_out if letter in (None, cell.group)]
        return sum(cell.recurrence is not None and cell.recurrence > MOST_RUNS for cell in cells)

    def group(self, letter: str) -> Group:
        """Return the group of that letter."""
        for group in self.groups:
            if group.letter == letter:
                return group
        raise SettingError(
            option="letter", got=letter, expected=f"from {self.groups[0].letter} to {self.groups[-1].letter}"
        )

    def findings(self) -> list[Row]:
        """Return the row of the whole, one per cell with enough words, one per group, and that of section 4.2."""
        return [rows.overview(self), *rows.cells(self), *rows.groups(self), *rows.indirect(self)]

    def to_frame(self) -> "pd.DataFrame":
        """Return one row per cell with enough words, nothing masked."""
        with requiring("pandas", "pandas"):
            import pandas as pd

        return pd.DataFrame([asdict(cell) for cell in self.associations])

    def __repr__(self) -> str:
        return (
            f"Enumeration({self.embedding}: {len(self.standing_out)} associations of {len(self.groups)} groups with "
            f"{len(self.categories)} categories)"
        )


@dataclass(frozen=True)
class CellPair:
    """One cell in both embeddings, None where it has too few words.

    `same_words` is the score of the first's words in the second: an effect without a test, None where the second
    lacks one of them. `change` is None where neither cell stands out.
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
        after = self.after is not None and self.after.stands_out
        if self.before is not None and self.before.stands_out:
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
                msgspec.structs.replace(row, **origin, new=pairs[row.test].change == "new" if row.stands_out else None)
                for row in rows.cells(self.second)
            ),
        ]

    def to_frame(self) -> "pd.DataFrame":
        """Return one row per cell, nothing masked."""
        with requiring("pandas", "pandas"):
            import pandas as pd

        fields = ("words", "score", "z", "q")
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
            left=pair.change == "left" if row.stands_out else None,
            against_words=after.words if after else None,
            against_score=after.score if after else None,
            against_z=after.z if after else None,
            against_q=after.q if after else None,
            against_p_value=after.p_value if after else None,
            against_p_adjusted=after.p_adjusted if after else None,
            against_score_of_same_words=pair.same_words,
            against_missing=pair.words_missing,
        )
