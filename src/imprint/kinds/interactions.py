"""Interactions as a kind: two groups among women's and among men's names."""

from collections.abc import Iterator, Sequence

from imprint.association.interactions import InteractionRow
from imprint.association.rows import outcome_counts
from imprint.kinds import Kind
from imprint.kinds.tests import NAME, OUTCOME, by_chance, by_subject, outcome_notes, test_names
from imprint.kinds.weat import ASSOCIATIONS
from imprint.tables import Columns, Field, table
from imprint.view import Block, Details, Prose, Text, count, join, say, title

_COLUMNS: Columns = (NAME, "size_women", "size_men", "size", OUTCOME)
_MORE: Columns = (
    "group_size",
    "gender_size",
    Field("cell_sizes", cell=lambda row: join([count(number) for number in row.cell_sizes], ", ")),
    "left_out",
)


def show_interactions(rows: Sequence[InteractionRow]) -> Iterator[Block]:
    """Show the size among women's names, among men's, and the difference."""
    for of_subject in by_subject(rows):
        caption = say("By gender, on {}, with 99.5 % intervals", title(of_subject[0].embedding))
        yield table(InteractionRow, caption, of_subject, _COLUMNS, more=_MORE)
    explained = (
        "The names of both groups are split by the gender of their bearers. The interaction is the size among women's "
        "names less that among men's. It is zero where the effects of group and gender just add up; its interval is "
        "about twice as wide as that of a size."
    )
    yield Details("What an interaction is", (Prose(explained), *outcome_notes(rows)))


def say_interactions(rows: Sequence[InteractionRow]) -> Iterator[Text]:
    """Count the outcomes."""
    yield say("Interactions with gender: {}. Expected by chance: {}.", outcome_counts(rows), by_chance(rows))


INTERACTION = Kind(
    "interaction",
    row=InteractionRow,
    part=ASSOCIATIONS,
    blocks=show_interactions,
    sentences=say_interactions,
    card=True,
    rank=2,
    names=test_names,
    of_encoder=("interaction", "seat"),
)
