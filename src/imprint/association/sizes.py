"""What a test says: one size with its interval over words, and one of four outcomes, the same in every command.

What decides is whether other words of these kinds would give the same. Questions have long lists, matched in
frequency. Lists that are not matched, or no longer because words are missing, also need the check of frequency, and
tests of gender in languages with grammatical gender that of grammar.

In German a spoon is masculine and a fork feminine, and articles and adjectives that agree with a noun move its vector
(Gonen, Kementchedjhieva and Goldberg, 2019). So nouns can lie nearer to men or to women for grammar's sake. The
gendered side of a test, such as names of men and women, is therefore compared with frequent concrete nouns for things,
as many masculine as feminine, of the same fields. What these differ by, G, is what a test would show at most if all
nouns of one set were masculine, all of the other feminine, and nothing else were there.

The check asks whether the test's difference D is larger than that: |D| > |G|. Both are taken over words. They share
words, so their errors are added, not their variances: the error of a difference is never larger than the sum of the
two errors, whatever they share. Real sets mix genders, so the check is strict; it only ever takes a finding away.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from imprint.association.frequency import (
    is_explained_by_frequency,
    is_matched,
    median_ranks,
    octaves_apart,
    replacement_p,
)
from imprint.association.vectors import SetVectors
from imprint.embeddings.background import Background
from imprint.errors import VocabularyError
from imprint.significance.crossed import OverWords, over_words, two_sided
from imprint.significance.outcomes import CONFIDENCE, Reason, Size, outcome, too_few
from imprint.stimuli.catalog import language_of
from imprint.stimuli.definition import WeatTest, WordKind, WordSet, word_sets
from imprint.threads import single_threaded

_GENDER = "gender"  # the topic of tests that are checked
_PEOPLE: set[WordKind] = {
    "name",
    "person noun",
    "plural person noun",
    "subject pronoun",
    "object pronoun",
    "possessive pronoun",
}


@dataclass(frozen=True)
class Grammar:
    """What nouns for things of either gender differ by, in cosines, and the p-value of a test differing by more.

    Both are None where there are too few nouns, or words.
    """

    difference: float | None = None
    p_value: float | None = None


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


def test_of_things(test: WeatTest) -> WeatTest | None:
    """Return a test of gender with things, masculine and feminine, beside its gendered side; None where none is due.

    The gendered side is the one whose words are all people; the attributes, where kinds are not stated.
    """
    language = language_of(test)
    if language is None or language.things is None or _GENDER not in test.topics:
        return None
    people = not _are_people(test.a, test.b) and _are_people(test.x, test.y)
    one, two = (test.x, test.y) if people else (test.a, test.b)
    masculine, feminine = language.things
    return replace(test, x=masculine, y=feminine, a=one, b=two, unbleached=None)


def beside_things(words: SetVectors, find_nouns: Callable[[], SetVectors]) -> Grammar:
    """Compare a test with nouns for things, over words; a subject may have too few of these nouns."""
    try:
        by_things = _over_words(find_nouns())
    except VocabularyError:
        return Grammar()
    by_words = _over_words(words)
    if by_things is None or by_words is None:
        return Grammar()
    more = abs(by_words.difference) - abs(by_things.difference)
    error, df = by_words.error + by_things.error, min(by_words.df, by_things.df)
    return Grammar(by_things.difference, two_sided(more / error, df) if more > 0 else 1.0)


def is_explained_by_grammar(grammar: Grammar) -> bool:
    """Tell whether grammatical gender could be the reason for a difference, as where it could not be checked."""
    return grammar.p_value is None or grammar.p_value > 1 - CONFIDENCE


def _over_words(words: SetVectors) -> OverWords | None:
    return over_words(words.targets @ words.attributes.T, words.n_x, words.n_a, confidence=CONFIDENCE)


def _are_people(*sets: WordSet) -> bool:
    return all(kind in _PEOPLE for words in sets for kind in words.kinds)
