"""The rows of an enumeration: the whole, each cell, each group of names, and the indirect associations."""

from typing import Annotated, Literal

import msgspec

from imprint.checks import Centre, Cleaning, Correction, NullMethod
from imprint.rows import Row, shown

Unjudged = Literal["spelling"]  # why the cells of a group are not judged

MOST_RUNS = 0.5  # of the repeats: an association that recurs in more is shown first

# What rows of several kinds have.
_GroupsOf = Annotated[str | None, shown("Groups of", "The embedding whose groups are scored, if not its own.")]
_GroupsOfHash = Annotated[str | None, shown("Groups of, SHA-256", "Its hash.", shape="word")]
_Spelling = Annotated[
    float | None,
    shown("Spelling", "Share of the group's scores that other groups' names of like spelling reach.", shape="percent"),
]
_Reason = Annotated[Unjudged | None, shown("Left out", "Why the group's cells are not judged.")]
_Recurrent = Annotated[
    int | None, shown("Recurrent", "How many of them recur in more than half of the runs with other clusterings.")
]
_Method = Annotated[NullMethod, shown("Method", "What scores are compared with.")]
_Copies = Annotated[int | None, shown("Copies", "Mirrored copies of each kind.")]
_Rotations = Annotated[int | None, shown("Rotations", "Random rotations behind each p-value.")]

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


class UbeRow(Row, frozen=True, kw_only=True, tag="ube"):
    """A cell: a group of names, a category of words, and the words of it closest to the group.

    Only a cell that stands out has a `recurrence`, if there were other runs. Mirrored copies give `z` and `q`, the
    paper's rotations `p_value` and `p_adjusted`.

    Beside a second embedding, rows of the first say what became of them, and rows of the second name the embedding
    whose groups they score.
    """

    method: _Method
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
    stands_out: Annotated[bool, shown("Stands out", "Whether it is more than mirrored copies, or rotations, give.")]
    z: Annotated[
        float | None, shown("z", "The score in standard deviations of the same cell in mirrored copies of the names.")
    ] = None
    q: Annotated[
        float | None, shown("q", "Estimated share of false discoveries among all cells at least as strong.", digits=3)
    ] = None
    p_adjusted: Annotated[float | None, shown("p, corrected", "Corrected over all cells.", shape="p")] = None
    recurrence: Annotated[
        float | None, shown("Recurs", "Share of the runs with other clusterings that find it again.", shape="percent")
    ] = None
    recurrence_runs: Annotated[int, shown("Runs", "How many runs with other clusterings were made.")] = 0
    spelling: _Spelling = None
    reason: _Reason = None
    copies: _Copies = None
    rotations: _Rotations = None
    names_asked: Annotated[int, shown("Names asked", "How many names were given.")]
    names_missing: Annotated[int, shown("Names missing", "How many of them have no vector.")]
    against: Annotated[str | None, shown("Against", "Name of the second embedding.")] = None
    against_sha256: Annotated[str | None, shown("Against, SHA-256", "Its hash.", shape="word")] = None
    left: Annotated[
        bool | None, shown("Left", "Whether it is left in the second embedding; nothing where it did not stand out.")
    ] = None
    against_words: Annotated[tuple[str, ...] | None, shown("Words after", "Words of the second embedding.")] = None
    against_score: Annotated[float | None, shown("Score after", "Their score in the second.", digits=3)] = None
    against_z: Annotated[float | None, shown("z after", "Their z in the second.")] = None
    against_q: Annotated[float | None, shown("q after", "Their q in the second.", digits=3)] = None
    against_p_value: Annotated[float | None, shown("p after", "Its p-value.", shape="p")] = None
    against_p_adjusted: Annotated[float | None, shown("p after, corrected", "Over all its cells.", shape="p")] = None
    against_score_of_same_words: Annotated[
        float | None,
        shown("Same words after", "Their score in the second embedding: an effect without a test.", digits=3),
    ] = None
    against_missing: Annotated[tuple[str, ...], shown("Missing after", "Words that the second embedding lacks.")] = ()
    groups_of: _GroupsOf = None
    groups_of_sha256: _GroupsOfHash = None
    new: Annotated[
        bool | None, shown("New", "Whether only the second embedding has it; nothing where it does not stand out.")
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
    associations: Annotated[int, shown("Associations", "How many of its cells stand out.")]
    recurrent: _Recurrent = None
    spelling: _Spelling = None
    reason: _Reason = None


class UbeOverviewRow(Row, frozen=True, kw_only=True, tag="ube-overview"):
    """The whole: settings, names found and kept, associations.

    Of an embedding scored over the groups of another, the words are those of the other's categories.
    """

    groups: Annotated[int, shown("Groups", "Groups of names.")]
    categories: Annotated[int, shown("Categories", "Categories of words.")]
    n_words: Annotated[int, shown("Words", "Most frequent lower-case words that were used.")]
    top: Annotated[int, shown("Words of a cell", "Words per association.")]
    method: _Method
    copies: _Copies
    rotations: _Rotations
    fdr: Annotated[float, shown("Rate", "False discovery rate, or the family-wise one.", shape="percent")]
    cleaning: Annotated[Cleaning, shown("Cleaning", "How the names least like names were found and dropped.")]
    centre: Annotated[Centre, shown("Centre", "The words whose mean scores are measured from.")]
    correction: Annotated[Correction | None, shown("Correction", "The paper's correction for many tests.")]
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
    associations: Annotated[int, shown("Associations", "How many cells stand out.")]
    expected_mirrored: Annotated[
        float | None,
        shown("By chance", "Cells of a mirrored copy that are as strong as these, on average.", digits=1),
    ] = None
    expected_frequency_kept: Annotated[
        float | None, shown("By chance, frequency kept", "The same of copies that keep word frequency.", digits=1)
    ] = None
    groups_left_out: Annotated[
        tuple[str, ...],
        shown(
            "Left out", "Groups left out because names of like spelling in other groups reach a third of their scores."
        ),
    ]
    repeats: Annotated[int, shown("Repeats", "How many runs with other clusterings were made.")] = 0
    recurrent: _Recurrent = None
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
