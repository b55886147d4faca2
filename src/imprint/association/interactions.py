"""Two groups among women and among men: what is of the group, what of gender, and what is neither alone.

The names of X and Y are split by the gender of their bearers, which gives a 2 x 2. The group's effect is the mean of
the sizes among women and among men, gender's that of women against men within X and within Y. The interaction is the
size among women less that among men: zero where both effects just add up. All are sums of sizes over the same words,
so one function gives their intervals.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import numpy as np

from imprint.association.rows import Measured, SizedRow
from imprint.association.sizes import size_fields
from imprint.association.vectors import SetVectors, unit_numbers
from imprint.rows import shown
from imprint.significance.outcomes import Size
from imprint.significance.shares import ShareOfDistance, combined
from imprint.stimuli.names import ONE_SEX, first_names
from imprint.threads import single_threaded
from imprint.types import Ints

Parts = list[tuple[ShareOfDistance, float]]


class InteractionRow(SizedRow, frozen=True, kw_only=True, tag="interaction"):
    """How much more, or less, X and Y differ among women's names than among men's."""

    size: Annotated[
        float | None,
        shown(
            "Interaction",
            "The size among women's names less that among men's, with its 99.5 % interval over words. Zero where the "
            "effects of group and gender just add up.",
            shape="percent",
        ),
    ] = None
    size_women: Annotated[float | None, shown("Among women", "The size among women's names.", shape="percent")] = None
    size_men: Annotated[float | None, shown("Among men", "The size among men's names.", shape="percent")] = None
    group_size: Annotated[float | None, shown("Group", "The mean of both: the effect of X or Y.", shape="percent")] = (
        None
    )
    group_size_low: Annotated[float | None, shown("Group, low", shape="percent")] = None
    group_size_high: Annotated[float | None, shown("Group, high", shape="percent")] = None
    gender_size: Annotated[
        float | None,
        shown("Gender", "How much nearer women's names are to A than men's, within X and Y.", shape="percent"),
    ] = None
    gender_size_low: Annotated[float | None, shown("Gender, low", shape="percent")] = None
    gender_size_high: Annotated[float | None, shown("Gender, high", shape="percent")] = None
    cell_sizes: Annotated[
        tuple[int, ...], shown("Names", "Women's names of X and of Y, then men's of X and of Y.")
    ] = ()
    left_out: Annotated[tuple[str, ...], shown("Left out", "Names that are not of one gender, or not known.")] = ()


def interaction_rows(measured: Iterable[Measured[Any]]) -> list[InteractionRow]:
    """Return a row for every test whose X and Y both have names of women and of men."""
    rows = []
    for row, words in measured:
        if words is not None and min(map(len, cells := by_gender(words))) > 1:
            rows.append(_row(row, words, cells))
    return rows


def by_gender(words: SetVectors) -> list[Ints]:
    """Return the places of women's names of X and of Y, then of men's."""
    table = first_names()
    shares = np.array([_share_of_women(table.index.get(name), table.share_women) for name in words.target_words])
    in_x = np.arange(len(shares)) < words.n_x
    return [
        np.flatnonzero(is_gender & is_set)
        for is_gender in (shares >= ONE_SEX, shares <= 1 - ONE_SEX)
        for is_set in (in_x, ~in_x)
    ]


def _share_of_women(row: int | None, shares: np.ndarray) -> float:
    return np.nan if row is None else float(shares[row])


def contrasts(words: SetVectors, cells: Sequence[Ints]) -> dict[str, Parts]:
    """Return the sizes that each effect of a 2 x 2 is a sum of, with their weights."""
    ((targets, attributes),) = unit_numbers([words])

    def share(first: Ints, second: Ints) -> ShareOfDistance:
        rows = [*first, *second]
        units = ([targets[row] for row in rows], attributes)
        return ShareOfDistance.of(words.targets[rows], words.attributes, len(first), words.n_a, units=units)

    women_x, women_y, men_x, men_y = cells
    among = share(women_x, women_y), share(men_x, men_y)
    within = share(women_x, men_x), share(women_y, men_y)
    return {
        "interaction": [(among[0], 1.0), (among[1], -1.0)],
        "group": [(size, 0.5) for size in among],
        "gender": [(size, 0.5) for size in within],
    }


def _row(row: Any, words: SetVectors, cells: Sequence[Ints]) -> InteractionRow:
    with single_threaded():
        parts = contrasts(words, cells)
        sizes = {name: combined(of_effect) for name, of_effect in parts.items()}
    women, men = (share.value for share, _ in parts["interaction"])
    in_cells = {int(index) for cell in cells for index in cell}
    return InteractionRow(
        **{field: getattr(row, field) for field in ("test", "title", "topics", "sets", "source", "language")},
        **{field: getattr(row, field) for field in ("embedding", "embedding_sha256", "seed", "missing")},
        part=row.part or (row.kind if row.kind != "weat" else None),
        **size_fields(sizes["interaction"], row.obstacle if row.obstacle == "frequency" else None),
        size_women=women,
        size_men=men,
        **_fields("group", sizes["group"]),
        **_fields("gender", sizes["gender"]),
        cell_sizes=tuple(map(len, cells)),
        left_out=tuple(name for index, name in enumerate(words.target_words) if index not in in_cells),
        n_a=words.n_a,
        n_b=words.n_b,
    )


def _fields(name: str, size: Size) -> dict[str, Any]:
    return {f"{name}_size": size.value, f"{name}_size_low": size.low, f"{name}_size_high": size.high}
