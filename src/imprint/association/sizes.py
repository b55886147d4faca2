"""What a test says: one size with its interval over words, and one of four outcomes, the same in every command.

What decides is whether other words of these kinds would give the same. Questions have long lists, matched in
frequency. Lists that are not matched, or no longer because words are missing, also need the check of frequency, and
tests of gender in languages with grammatical gender that of grammar.
"""

from dataclasses import dataclass
from typing import Any

from imprint.association.frequency import (
    is_explained_by_frequency,
    is_matched,
    median_ranks,
    octaves_apart,
    replacement_p,
)
from imprint.association.grammar import Grammar, is_explained_by_grammar
from imprint.association.vectors import SetVectors
from imprint.embeddings.background import Background
from imprint.significance.outcomes import Reason, Size, outcome, too_few
from imprint.stimuli.definition import WeatTest, word_sets
from imprint.threads import single_threaded


@dataclass(frozen=True)
class Sized:
    """The size of a test as a share of the distance between A and B, what it says, and what it was checked for."""

    size: Size
    obstacle: Reason | None
    unrelated: float | None
    detectable: float | None
    p_frequency: float | None
    ranks: tuple[float, float] | None
    grammar: Grammar | None

    def fields(self) -> dict[str, Any]:
        """Return the fields of the row."""
        ranks = self.ranks or (None, None)
        return {
            **size_fields(self.size, self.obstacle),
            "unrelated": self.unrelated,
            "detectable": self.detectable,
            "p_frequency": self.p_frequency,
            "rank_x": ranks[0],
            "rank_y": ranks[1],
            "p_grammar": None if self.grammar is None else self.grammar.p_value,
            "grammar_difference": None if self.grammar is None else self.grammar.difference,
        }


def size_fields(size: Size, obstacle: Reason | None = None) -> dict[str, Any]:
    """Return a size with its interval, and what it says, as the fields of rows."""
    judged = outcome(size.low, size.high, obstacle=obstacle or size.obstacle)
    return {
        "size": size.value,
        "size_low": size.low,
        "size_high": size.high,
        **judged.fields(),
    }


def measure_size(
    test: WeatTest, words: SetVectors, background: Background | None, grammar: Grammar | None = None, *, seed: int = 0
) -> Sized:
    """Measure a test by the words that were found; `grammar` says what nouns for things give where that matters."""
    listed = [len(side) for side in word_sets(test).values()]
    share, p_frequency = words.share, None
    with single_threaded():
        few = too_few([len(sample.units) for sample in share.samples], words.counts, listed)
        size = Size(None, obstacle="few words") if few else share.size()
        detectable = None if size.low is None else share.detectable()
        unrelated = None if background is None else share.unrelated(background.axes, background.misfit)
    matched = is_matched(test, words)
    if not matched and background is not None:
        p_frequency = replacement_p(words, background, seed)
    obstacle: Reason | None = size.obstacle
    if obstacle is None and grammar is not None and is_explained_by_grammar(grammar):
        obstacle = "grammar"
    if obstacle is None and not matched:
        obstacle = "frequency" if is_explained_by_frequency(p_frequency, octaves_apart(words)) else None
    return Sized(size, obstacle, unrelated, detectable, p_frequency, median_ranks(words), grammar)
