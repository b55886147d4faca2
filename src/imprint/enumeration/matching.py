"""The same finding under another K-means seed: groups matched by their names, associations by their words.

Groups match when they are each other's best by Jaccard index of names, at 0.5 or more. An association recurs when the
matched group has a significant one that shares at least one word.
"""

from collections import defaultdict
from dataclasses import replace
from typing import Any

from imprint.embeddings.embedding import Embedding
from imprint.enumeration.enumerate import enumerate_biases
from imprint.enumeration.result import Enumeration
from imprint.enumeration.targets import Names
from imprint.types import Progress

LEAST_OVERLAP = 0.5
SEEDS = 10
PREVIEW_ROTATIONS = 1_000


def match_groups(first: Enumeration, second: Enumeration) -> dict[str, str]:
    """Return the letter in `second` of each group of `first` that has a match."""
    overlap = {
        (one.letter, other.letter): len(set(one.names) & set(other.names)) / len(set(one.names) | set(other.names))
        for one in first.groups
        for other in second.groups
    }
    matched = {}
    for one in first.groups:
        best = max(second.groups, key=lambda other: overlap[one.letter, other.letter]).letter
        back = max(first.groups, key=lambda other: overlap[other.letter, best]).letter
        if back == one.letter and overlap[one.letter, best] >= LEAST_OVERLAP:
            matched[one.letter] = best
    return matched


def recurring(first: Enumeration, second: Enumeration) -> set[tuple[str, int]]:
    """Return (group, category) of the first's significant associations that the second finds again."""
    words: dict[str, set[str]] = defaultdict(set)
    for cell in second.significant:
        words[cell.group].update(cell.words)
    matched = match_groups(first, second)
    return {
        (cell.group, cell.category)
        for cell in first.significant
        if words[matched.get(cell.group, "")] & set(cell.words)
    }


def with_stability(
    found: Enumeration, embedding: Embedding, names: Names, *, progress: Progress | None = None, **options: Any
) -> Enumeration:
    """Add to each association the share of ten other K-means seeds that find it again, with preview rotations."""
    counts: dict[tuple[str, int], int] = defaultdict(int)
    for run in range(1, SEEDS + 1):
        settings = replace(
            found.settings,
            seed=found.settings.seed + run,
            rotations=min(PREVIEW_ROTATIONS, found.settings.rotations),
        )
        for cell in recurring(found, enumerate_biases(embedding, names, settings=settings, **options)):
            counts[cell] += 1
        if progress is not None:
            progress(run, SEEDS)
    return replace(
        found,
        associations=tuple(
            replace(cell, stability=counts[cell.group, cell.category] / SEEDS) if cell.significant else cell
            for cell in found.associations
        ),
    )
