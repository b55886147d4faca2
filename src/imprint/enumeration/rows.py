"""The rows of an enumeration: the whole, each cell, each group of names, and the indirect associations."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from imprint.checks import Centre, Cleaning, Correction
from imprint.rows import Row, shown

if TYPE_CHECKING:
    from imprint.enumeration.groups import Group
    from imprint.enumeration.result import Enumeration

MOST_RUNS = 0.5  # of the repeats: an association that recurs in more is shown first

# What rows of several kinds have.
_GroupsOf = Annotated[str | None, shown("Groups of", "The embedding whose groups are scored, if not its own.")]
_GroupsOfHash = Annotated[str | None, shown("Groups of, SHA-256", "Its hash.", shape="word")]
_Spelling = Annotated[
    float | None, shown("Spelling", "How alike words and names are spelt: 0.5 by chance, 1 for the most alike.")
]
_Explained = Annotated[
    bool, shown("Explained by frequency", "Whether most associations of the group vanish without word frequency.")
]
_Recurrent = Annotated[
    int | None, shown("Recurrent", "How many of them recur in more than half of the runs with other clusterings.")
]
_Survive = Annotated[
    int | None, shown("Without frequency", "How many of them remain when the direction of word frequency is removed.")
]

_SHARE = "Share of people with these names, each name counted once."


class Races(msgspec.Struct, frozen=True):
    """Shares of a group's bearers in the census; None where the table does not say."""

    white: Annotated[float | None, shown("White", _SHARE, shape="percent")] = None
    black: Annotated[float | None, shown("Black", _SHARE, shape="percent")] = None
    hispanic: Annotated[float | None, shown("Hispanic", _SHARE, shape="percent")] = None
    asian_pacific: Annotated[float | None, shown("Asian or Pacific", _SHARE, shape="percent")] = None
    native: Annotated[float | None, shown("Native", _SHARE, shape="percent")] = None
    two_or_more: Annotated[float | None, shown("two or more", _SHARE, shape="percent")] = None


class Crossing(msgspec.Struct, frozen=True):
    """Two groups by two categories: four sets of words, how well they match, and how far that is above its null."""

    groups: Annotated[tuple[str, str], shown("Groups")]
    categories: Annotated[tuple[int, int], shown("Categories", "Numbers of the two categories.")]
    words: Annotated[
        tuple[tuple[str, ...], ...],
        msgspec.Meta(min_length=4, max_length=4),
        shown("Words", "Words of the first category for either group, then those of the second."),
    ]
    product: Annotated[float, shown("Product", "The left-hand side of eq. (1), section 4.2 of the paper.")]
    standard_deviations: Annotated[
        float, shown("Above its null", "In standard deviations of what random directions give.", digits=1)
    ]


class FalseDiscoveries(msgspec.Struct, frozen=True):
    """Altered copies in which names are aligned with words at random, and what was significant on them.

    Corrected by itself a copy has another number than below the embedding's limit, because the correction allows
    larger p-values where more are small.
    """

    copies: Annotated[int, shown("Copies", "How many copies were made.")]
    share_with_any: Annotated[
        float, shown("Copies with any", "Share of copies with at least one association.", shape="percent", digits=1)
    ]
    mean: Annotated[float, shown("Mean", "Associations of a copy on average, each copy corrected by itself.")]
    mean_below_limit: Annotated[
        float | None, shown("Expected", "P-values of a copy as small as the significant ones, on average.", digits=1)
    ] = None
    low_below_limit: Annotated[float | None, shown("Expected, low", "Low end of what nine in ten copies have.")] = None
    high_below_limit: Annotated[float | None, shown("Expected, high", "High end of the same range.")] = None


class UbeRow(Row, frozen=True, kw_only=True, tag="ube"):
    """A cell: a group of names, a category of words, and the words of it closest to the group.

    A cell that is not significant, or was not looked for in other runs, has no `recurrence`.

    Beside a second embedding, rows of the first say what became of them, and rows of the second name the embedding
    whose groups they score.
    """

    p_value: Annotated[
        float | None, shown("p", "Share of random rotations of the names that give at least this score.")
    ] = None
    group: Annotated[str, shown("Group", shape="word")]
    category: Annotated[int, shown("Category", "Its number and the words closest to its centre.")]
    category_words: Annotated[tuple[str, ...], shown("Words of the category", "The words closest to its centre.")]
    words: Annotated[tuple[str, ...], shown("Words")]
    names: Annotated[tuple[str, ...], shown("Names", "Names of the group.")]
    score: Annotated[
        float, shown("Score", "How much closer to this group than to the others, above the category's mean.", digits=3)
    ]
    p_adjusted: Annotated[float, shown("p, corrected", "Corrected over all cells.")]
    significant: Annotated[bool, shown("Significant")]
    survives_without_frequency: Annotated[
        bool | None, shown("Without frequency", "Whether it remains when the direction of word frequency is removed.")
    ]
    recurrence: Annotated[
        float | None, shown("Recurs", "Share of the runs with other clusterings that find it again.", shape="percent")
    ] = None
    recurrence_runs: Annotated[int, shown("Runs", "How many runs with other clusterings were made.")] = 0
    spelling: _Spelling
    explained_by_frequency: _Explained
    rotations: Annotated[int, shown("Rotations", "Random rotations behind the p-value.")]
    names_asked: Annotated[int, shown("Names asked", "How many names were given.")]
    names_missing: Annotated[int, shown("Names missing", "How many of them have no vector.")]
    against: Annotated[str | None, shown("Against", "Name of the second embedding.")] = None
    against_sha256: Annotated[str | None, shown("Against, SHA-256", "Its hash.", shape="word")] = None
    left: Annotated[
        bool | None, shown("Left", "Whether it is left in the second embedding; nothing where it was not significant.")
    ] = None
    against_words: Annotated[tuple[str, ...] | None, shown("Words after", "Words of the second embedding.")] = None
    against_score: Annotated[float | None, shown("Score after", "Their score in the second.", digits=3)] = None
    against_p_value: Annotated[float | None, shown("p after", "Its p-value.", shape="p")] = None
    against_p_adjusted: Annotated[float | None, shown("p after, corrected", "Over all its cells.", shape="p")] = None
    against_score_of_same_words: Annotated[
        float | None,
        shown("Same words after", "Their score in the second embedding: an effect without a p-value.", digits=3),
    ] = None
    against_missing: Annotated[tuple[str, ...], shown("Missing after", "Words that the second embedding lacks.")] = ()
    groups_of: _GroupsOf = None
    groups_of_sha256: _GroupsOfHash = None
    new: Annotated[
        bool | None, shown("New", "Whether only the second embedding has it; nothing where it is not significant.")
    ] = None


class UbeGroupRow(Row, frozen=True, kw_only=True, tag="ube-group"):
    """A group of names, as in the paper's Table 3; the statistic counts its associations."""

    group: Annotated[str, shown("Group", "Open a letter to see names of the group.", shape="word")]
    n_names: Annotated[int, shown("Names", "How many names the group has.")]
    names: Annotated[tuple[str, ...], shown("Examples", "Names that are typical of the group.")]
    share_women: Annotated[
        float | None,
        shown("Women", "Share of women among people with these names, each name counted once.", shape="percent"),
    ]
    mean_birth_year: Annotated[float | None, shown("Born", "Mean year of birth, each name counted once.", digits=0)]
    races: Annotated[
        Races | None, shown("Race or origin", "The two largest shares of people with these names in the US census.")
    ]
    frequency: Annotated[
        float | None, shown("Frequency", "Rank correlation of words' closeness to the group with their frequency.")
    ]
    associations: Annotated[int, shown("Associations", "How many are statistically significant.")]
    recurrent: _Recurrent = None
    survive_without_frequency: _Survive
    spelling: _Spelling
    explained_by_frequency: _Explained


class UbeOverviewRow(Row, frozen=True, kw_only=True, tag="ube-overview"):
    """The whole: settings, names found and kept, associations.

    Of an embedding scored over the groups of another, the words are those of the other's categories.
    """

    groups: Annotated[int, shown("Groups", "Groups of names.")]
    categories: Annotated[int, shown("Categories", "Categories of words.")]
    n_words: Annotated[int, shown("Words", "Most frequent lower-case words that were used.")]
    top: Annotated[int, shown("Words of a cell", "Words per association.")]
    rotations: Annotated[int, shown("Rotations", "Random rotations behind each p-value.")]
    fdr: Annotated[float, shown("Rate", "False discovery rate, or the family-wise one.", shape="percent")]
    cleaning: Annotated[Cleaning, shown("Cleaning", "How the names least like names were found and dropped.")]
    centre: Annotated[Centre, shown("Centre", "The words whose mean scores are measured from.")]
    correction: Annotated[Correction, shown("Correction", "Correction for many tests.")]
    overlapping: Annotated[bool, shown("Overlapping", "Whether groups may share words.")]
    weighted: Annotated[bool, shown("Weighted", "Whether names count by their bearers.")]
    without_frequency: Annotated[
        bool, shown("Without frequency", "Whether the direction of word frequency was removed first.")
    ]
    names_asked: Annotated[int, shown("Names asked", "How many names were given.")]
    names_missing: Annotated[int, shown("Names missing", "How many of them have no vector.")]
    names_found: Annotated[int, shown("Names found", "How many of them have a vector.")]
    names_dropped: Annotated[int, shown("Names dropped", "How many of those were dropped as least like names.")]
    n_cells: Annotated[int, shown("Cells", "Pairs of a group and a category with enough words.")]
    associations: Annotated[int, shown("Associations", "How many are statistically significant.")]
    survive_without_frequency: _Survive
    lost_without_random: Annotated[
        float | None,
        shown(
            "Lost without a random direction",
            "How many are lost when a random direction is removed instead, on average over several.",
            digits=1,
        ),
    ] = None
    lost_without_third_axis: Annotated[
        int | None,
        shown(
            "Lost without the third axis", "How many are lost when the words' third principal axis is removed instead."
        ),
    ] = None
    repeats: Annotated[int, shown("Repeats", "How many runs with other clusterings were made.")] = 0
    recurrent: _Recurrent = None
    rotated_copies: Annotated[
        FalseDiscoveries | None, shown("Rotated copies", "False discoveries where names are randomly rotated.")
    ] = None
    flipped_copies: Annotated[
        FalseDiscoveries | None,
        shown("Flipped copies", "False discoveries on stricter copies, which keep the shape of the space."),
    ] = None
    spelling: _Spelling
    groups_explained_by_frequency: Annotated[
        tuple[str, ...],
        shown("Explained by frequency", "Groups most of whose associations vanish without word frequency."),
    ]
    notes: Annotated[tuple[str, ...], shown("Notes", "What a reader of the result should know.")]
    embedding_notes: Annotated[tuple[str, ...], shown("About the model", "How the embedding was read or made.")]
    groups_of: _GroupsOf = None
    groups_of_sha256: _GroupsOfHash = None
    words_asked: Annotated[int | None, shown("Words asked", "Words in the categories of the other.")] = None
    words_missing: Annotated[int | None, shown("Words missing", "How many of them have no vector.")] = None


class UbeIndirectRow(Row, frozen=True, kw_only=True, tag="ube-indirect"):
    """Tuples that satisfy eq. (1) of section 4.2, beside the share that random directions give."""

    tuples: Annotated[int, shown("Tuples", "Pairs of associations.")]
    share: Annotated[float, shown("Share", "How many of them match without the names.", shape="percent", digits=1)]
    null_share: Annotated[
        float | None, shown("Share by chance", "How many match under random directions.", shape="percent", digits=1)
    ]
    null_rotations: Annotated[int, shown("Rotations", "Random directions that were tried.")]
    strongest: Annotated[tuple[Crossing, ...], shown("Strongest", "Those furthest above their null.")]


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
