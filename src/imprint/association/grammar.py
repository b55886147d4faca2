"""What grammatical gender alone gives: in languages that have it, things are masculine and feminine too.

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

from imprint.association.vectors import SetVectors
from imprint.errors import VocabularyError
from imprint.significance.crossed import OverWords, over_words
from imprint.significance.outcomes import CONFIDENCE
from imprint.significance.student import two_sided
from imprint.stimuli.catalog import language_of
from imprint.stimuli.definition import WeatTest, WordKind, WordSet

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
