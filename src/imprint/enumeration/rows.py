"""The rows of an enumeration: the whole, each cell, each group of names, and the indirect associations."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from imprint.checks import Centre, Cleaning, Correction
from imprint.rows import Row

if TYPE_CHECKING:
    from imprint.enumeration.groups import Group
    from imprint.enumeration.result import Enumeration

MOST_RUNS = 0.5  # of the repeats: an association that recurs in more is shown first


class Races(msgspec.Struct, frozen=True):
    """Shares of a group's bearers in the census; None where the table does not say."""

    white: float | None = None
    black: float | None = None
    hispanic: float | None = None
    asian_pacific: float | None = None
    native: float | None = None
    two_or_more: float | None = None


class Crossing(msgspec.Struct, frozen=True):
    """Two groups by two categories: four sets of words, how well they match, and how far that is above its null."""

    groups: tuple[str, str]
    categories: tuple[int, int]
    words: Annotated[tuple[tuple[str, ...], ...], msgspec.Meta(min_length=4, max_length=4)]
    product: float
    standard_deviations: float


class FalseDiscoveries(msgspec.Struct, frozen=True):
    """Altered copies in which names are aligned with words at random, and what was significant on them.

    `share_with_any` is the share of copies with at least one association, `mean` how many a copy has on average, each
    copy corrected by itself. `mean_below_limit` is how many p-values of a copy are as small as those significant in
    the embedding, which is what to expect there if all were chance; nine of ten copies have from `low_below_limit` to
    `high_below_limit`. Corrected by itself a copy has another number, because the correction allows larger p-values
    where more are small.
    """

    copies: int
    share_with_any: float
    mean: float
    mean_below_limit: float | None = None
    low_below_limit: float | None = None
    high_below_limit: float | None = None


class UbeRow(Row, frozen=True, kw_only=True, tag="ube"):
    """A cell: a group of names, a category of words, and the words of it closest to the group.

    `recurrence` is the share of `recurrence_runs` runs with other K-means seeds that find a significant association
    again; None where it is not significant or there were no such runs.

    Beside a second embedding, rows of the first say what became of them: `left` is None where they were not
    significant, `against_words` and the numbers after it are the second's. Rows of the second name the embedding whose
    groups they score in `groups_of`; `new` is None where they are not significant.
    """

    group: str
    category: int
    category_words: tuple[str, ...]
    words: tuple[str, ...]
    names: tuple[str, ...]
    score: float
    p_adjusted: float
    significant: bool
    survives_without_frequency: bool | None
    recurrence: float | None = None
    recurrence_runs: int = 0
    spelling: float | None
    explained_by_frequency: bool
    rotations: int
    names_asked: int
    names_missing: int
    against: str | None = None
    against_sha256: str | None = None
    left: bool | None = None
    against_words: tuple[str, ...] | None = None
    against_score: float | None = None
    against_p_value: float | None = None
    against_p_adjusted: float | None = None
    against_score_of_same_words: float | None = None
    against_missing: tuple[str, ...] = ()
    groups_of: str | None = None
    groups_of_sha256: str | None = None
    new: bool | None = None


class UbeGroupRow(Row, frozen=True, kw_only=True, tag="ube-group"):
    """A group of names, as in the paper's Table 3; the statistic counts its associations."""

    group: str
    n_names: int
    names: tuple[str, ...]
    share_women: float | None
    mean_birth_year: float | None
    races: Races | None
    frequency: float | None
    associations: int
    recurrent: int | None = None
    survive_without_frequency: int | None
    spelling: float | None
    explained_by_frequency: bool


class UbeOverviewRow(Row, frozen=True, kw_only=True, tag="ube-overview"):
    """The whole: settings, names found and kept, associations; `n_cells` counts the cells with enough words.

    `recurrent` counts the associations found again in more than half of the repeats. `rotated_copies` and
    `flipped_copies` are the false discoveries on altered copies. Beside `survive_without_frequency`,
    `lost_without_random` and `lost_without_third_axis` count the associations lost when a random direction (a mean
    over several) and the third principal axis of the words are removed instead.

    Of an embedding scored over the groups of another, `groups_of` names that one; words are those of its categories.
    """

    groups: int
    categories: int
    n_words: int
    top: int
    rotations: int
    fdr: float
    cleaning: Cleaning
    centre: Centre
    correction: Correction
    overlapping: bool
    weighted: bool
    without_frequency: bool
    names_asked: int
    names_missing: int
    names_found: int
    names_dropped: int
    n_cells: int
    associations: int
    survive_without_frequency: int | None
    lost_without_random: float | None = None
    lost_without_third_axis: int | None = None
    repeats: int = 0
    recurrent: int | None = None
    rotated_copies: FalseDiscoveries | None = None
    flipped_copies: FalseDiscoveries | None = None
    spelling: float | None
    groups_explained_by_frequency: tuple[str, ...]
    notes: tuple[str, ...]
    embedding_notes: tuple[str, ...]
    groups_of: str | None = None
    groups_of_sha256: str | None = None
    words_asked: int | None = None
    words_missing: int | None = None


class UbeIndirectRow(Row, frozen=True, kw_only=True, tag="ube-indirect"):
    """Tuples that satisfy eq. (1) of section 4.2, beside the share that random directions give."""

    tuples: int
    share: float
    null_share: float | None
    null_rotations: int
    strongest: tuple[Crossing, ...]


def overview(enumeration: "Enumeration", **more: Any) -> UbeOverviewRow:
    """Return the row of the whole, with whatever the caller knows besides."""
    settings = asdict(enumeration.settings)
    return UbeOverviewRow(
        test="overview",
        embedding=enumeration.embedding,
        embedding_sha256=enumeration.embedding_sha256,
        statistic=float(len(enumeration.significant)),
        n_words=settings.pop("words"),
        **settings,
        names_asked=enumeration.names_asked,
        names_missing=len(enumeration.names_missing),
        names_found=enumeration.names_found,
        names_dropped=len(enumeration.names_dropped),
        n_cells=len(enumeration.associations),
        associations=len(enumeration.significant),
        survive_without_frequency=enumeration.survivors(),
        lost_without_random=enumeration.lost_without_random,
        lost_without_third_axis=enumeration.lost_without_third_axis,
        recurrent=enumeration.recurrent(),
        rotated_copies=enumeration.rotated_copies,
        flipped_copies=enumeration.flipped_copies,
        spelling=enumeration.spelling(),
        groups_explained_by_frequency=enumeration.flagged,
        notes=enumeration.notes,
        embedding_notes=enumeration.embedding_notes,
        **more,
    )


def cells(enumeration: "Enumeration") -> list[UbeRow]:
    """Return one row per cell with enough words; nothing is masked here."""
    central = {category.number: category.central for category in enumeration.categories}
    return [
        UbeRow(
            test=f"{cell.group}-{cell.category}",
            embedding=enumeration.embedding,
            embedding_sha256=enumeration.embedding_sha256,
            effect_size=cell.score,
            statistic=cell.score,
            p_value=cell.p_value,
            seed=enumeration.settings.seed,
            group=cell.group,
            category=cell.category,
            category_words=central[cell.category],
            words=cell.words,
            names=enumeration.group(cell.group).illustrative,
            score=cell.score,
            p_adjusted=cell.p_adjusted,
            significant=cell.significant,
            survives_without_frequency=cell.survives,
            recurrence=cell.recurrence,
            recurrence_runs=enumeration.settings.repeats,
            spelling=cell.spelling,
            explained_by_frequency=cell.group in enumeration.flagged,
            rotations=enumeration.settings.rotations,
            # Thousands of names, the same for every cell: counted here, named in the result.
            names_asked=enumeration.names_asked,
            names_missing=len(enumeration.names_missing),
        )
        for cell in enumeration.associations
    ]


def groups(enumeration: "Enumeration") -> list[UbeGroupRow]:
    """Return one row per group of names."""
    return [_group(enumeration, group) for group in enumeration.groups]


def indirect(enumeration: "Enumeration") -> list[UbeIndirectRow]:
    """Return the row of section 4.2; none where there is no tuple to ask about."""
    found = enumeration.indirect
    if found is None:
        return []
    return [
        UbeIndirectRow(
            test="indirect",
            embedding=enumeration.embedding,
            embedding_sha256=enumeration.embedding_sha256,
            statistic=found.share,
            seed=enumeration.settings.seed,
            tuples=found.tuples,
            share=found.share,
            null_share=found.null_share,
            null_rotations=found.null_rotations,
            strongest=found.strongest,
        )
    ]


def _group(enumeration: "Enumeration", group: "Group") -> UbeGroupRow:
    associations = sum(cell.group == group.letter for cell in enumeration.significant)
    known = group.demographics
    return UbeGroupRow(
        test=group.letter,
        embedding=enumeration.embedding,
        embedding_sha256=enumeration.embedding_sha256,
        statistic=float(associations),
        seed=enumeration.settings.seed,
        group=group.letter,
        n_names=len(group.names),
        names=group.illustrative,
        share_women=known.share_women if known else None,
        mean_birth_year=known.mean_birth_year if known else None,
        races=known.races if known else None,
        frequency=group.frequency,
        associations=associations,
        recurrent=enumeration.recurrent(group.letter),
        survive_without_frequency=enumeration.survivors(group.letter),
        spelling=enumeration.spelling(group.letter),
        explained_by_frequency=group.letter in enumeration.flagged,
    )
