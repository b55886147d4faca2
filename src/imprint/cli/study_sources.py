"""What a study is made of, found in an embedding or in another study."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from imprint.cli.options import DEFAULT_PAIR

if TYPE_CHECKING:
    from imprint.enumeration.result import Enumeration
    from imprint.rows import Row


def enumerate_source(embedding: str, *, rotations: int, seed: int) -> "Enumeration":
    """Find associations of name groups with words."""
    from imprint.cli.console import open_embedding, progress_bar, say
    from imprint.enumeration.enumerate import enumerate_biases, threads
    from imprint.enumeration.settings import Settings

    opened = open_embedding(embedding)
    with threads(None) as executor, progress_bar("rotating") as report:
        settings = Settings(rotations=rotations, seed=seed, repeats=0)
        found = enumerate_biases(opened, settings=settings, executor=executor, progress=report)
    for note in found.notes:
        say(f"note: {note}")
    return found


def analogies_source(embedding: str, pairs: int) -> "Sequence[Row]":
    """Find the best analogies along he and she, without first names, of which there is nothing to judge."""
    from imprint.cli.console import open_embedding, progress_bar
    from imprint.directions.analogies import analogies
    from imprint.directions.axis import pair_axis

    opened = open_embedding(embedding)
    with progress_bar("comparing all pairs") as report:
        axis = pair_axis(opened, (DEFAULT_PAIR,))
        return analogies(opened, axis, k=pairs, names=False, progress=report).findings()


def scored_source(study: str) -> "Sequence[Row]":
    """Score another study."""
    from imprint.study.analysis import score
    from imprint.study.store import Store

    with Store.open(study) as store:
        return score(store).findings()
