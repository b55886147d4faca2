"""Enumeration: the table of associations, with the groups behind its letters."""

import html
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from imprint.enumeration.groups import Group
from imprint.enumeration.settings import Settings
from imprint.errors import SettingError
from imprint.finding import Finding
from imprint.masking import mask

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Association:
    """One cell: a group of names, a category of words, and the words of it closest to the group.

    `survives` tells whether it is still there in the space without word frequency, `stability` which share of other
    K-means seeds finds it again; None where that was not asked. `spelling` is how the words rank within their
    category by being spelt like the group's names: 0.5 by chance, 1 for the most alike.
    """

    group: str
    category: int
    words: tuple[str, ...]
    score: float
    p_value: float
    p_adjusted: float
    significant: bool
    survives: bool | None
    stability: float | None = None
    spelling: float | None = None


@dataclass(frozen=True)
class Category:
    """A cluster of words, known by the words nearest its centre."""

    number: int
    size: int
    central: tuple[str, ...]


@dataclass(frozen=True)
class Crossing:
    """Two groups by two categories: four sets of words, how well they match, and how far that is above its null."""

    groups: tuple[str, str]
    categories: tuple[int, int]
    words: tuple[tuple[str, ...], ...]
    product: float
    standard_deviations: float


@dataclass(frozen=True)
class Indirect:
    """Tuples that satisfy eq. (1) of section 4.2, beside the share that random directions give."""

    tuples: int
    share: float
    null_share: float
    null_rotations: int
    strongest: tuple[Crossing, ...]


@dataclass(frozen=True, repr=False)
class Enumeration:
    """What was found.

    `associations` go category by category, the category with the largest sum of significant scores first, and hold
    every cell that has enough words. `flagged` are letters of groups most of whose associations vanish with word
    frequency. `embedding_notes` say how the embedding was read or made.
    """

    embedding: str
    embedding_sha256: str
    settings: Settings
    groups: tuple[Group, ...]
    categories: tuple[Category, ...]
    associations: tuple[Association, ...]
    flagged: tuple[str, ...]
    indirect: Indirect | None
    names_asked: int
    names_missing: tuple[str, ...]
    names_found: int
    names_dropped: tuple[str, ...]
    notes: tuple[str, ...]
    embedding_notes: tuple[str, ...] = ()

    @property
    def significant(self) -> tuple[Association, ...]:
        """The associations found."""
        return tuple(cell for cell in self.associations if cell.significant)

    def spelling(self, letter: str | None = None) -> float | None:
        """Return the mean of `spelling` over the associations found, of one group or of all; None without any."""
        ranks = [cell.spelling for cell in self.significant if letter in (None, cell.group)]
        known = [rank for rank in ranks if rank is not None]
        return sum(known) / len(known) if known else None

    def group(self, letter: str) -> Group:
        """Return the group of that letter."""
        for group in self.groups:
            if group.letter == letter:
                return group
        raise SettingError(
            f"there is no group {letter!r}; they go from {self.groups[0].letter} to {self.groups[-1].letter}"
        )

    def findings(self) -> list[Finding]:
        """Return one row a cell with enough words; nothing is masked here."""
        central = {category.number: category.central for category in self.categories}
        return [
            Finding(
                kind="ube",
                test=f"{cell.group}-{cell.category}",
                embedding=self.embedding,
                embedding_sha256=self.embedding_sha256,
                effect_size=cell.score,
                statistic=cell.score,
                p_value=cell.p_value,
                seed=self.settings.seed,
                details={
                    "group": cell.group,
                    "category": cell.category,
                    "category_words": central[cell.category],
                    "words": cell.words,
                    "names": self.group(cell.group).illustrative,
                    "score": cell.score,
                    "p_adjusted": cell.p_adjusted,
                    "significant": cell.significant,
                    "survives_without_frequency": cell.survives,
                    "stability": cell.stability,
                    "spelling": cell.spelling,
                    "explained_by_frequency": cell.group in self.flagged,
                    "rotations": self.settings.rotations,
                    # Thousands of names, the same for every cell: counted here, named in to_dict().
                    "names_asked": self.names_asked,
                    "names_missing": len(self.names_missing),
                    "settings": asdict(self.settings),
                    "embedding_notes": self.embedding_notes,
                },
            )
            for cell in self.associations
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything, nothing masked."""
        return asdict(self)

    def to_frame(self) -> "pd.DataFrame":
        """Return one row a cell with enough words, nothing masked."""
        import pandas as pd

        return pd.DataFrame([asdict(cell) for cell in self.associations])

    def __repr__(self) -> str:
        return (
            f"Enumeration({self.embedding}: {len(self.significant)} significant associations of {len(self.groups)} "
            f"groups with {len(self.categories)} categories)"
        )

    def _repr_html_(self) -> str:
        """Draw a table shaped like the paper's Table 5: a row a category, a column a group; slurs masked."""
        cells = {(cell.category, cell.group): cell for cell in self.significant}
        head = "".join(f'<th title="{html.escape(", ".join(g.illustrative))}">{g.letter}</th>' for g in self.groups)
        body = "".join(
            "<tr>" + "".join(_cell_html(cells.get((category.number, g.letter))) for g in self.groups) + "</tr>"
            for category in self.categories
            if any((category.number, g.letter) in cells for g in self.groups)
        )
        note = "These associations are the embedding's, and many offend. Groups are shown by letter."
        return (
            f"<p>{html.escape(repr(self))}</p><p>{note}</p>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


def _cell_html(cell: Association | None) -> str:
    if cell is None:
        return "<td></td>"
    words = html.escape(", ".join(mask(word) for word in cell.words))
    return f'<td title="score {cell.score:.3f}, p = {cell.p_value:.2g}">{words}</td>'
