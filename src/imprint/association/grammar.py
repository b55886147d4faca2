"""What grammatical gender alone gives: in languages that have it, things are masculine and feminine too.

In German a spoon is masculine and a fork feminine, and articles and adjectives that agree with a noun move its vector
(Gonen, Kementchedjhieva and Goldberg, 2019). So nouns can lie nearer to men or to women for grammar's sake. The
gendered side of a test, such as names of men and women, is therefore compared with frequent concrete nouns for things,
as many masculine as feminine, of the same fields. What these differ by, G, is what a test would show at most if all
nouns of one set were masculine, all of the other feminine, and nothing else were there.

The check asks whether the test's difference D is larger than that: |D| > |G|. Both are taken over words. They share
words, so their errors are added, not their variances: the error of a difference is never larger than the sum of the
two errors, whatever they share. Real sets mix genders, so the check is strict; it never makes a finding stronger.
"""

from dataclasses import replace

from imprint.association.evidence import Checks, CosineTable
from imprint.significance.student import two_sided
from imprint.stimuli.catalog import things
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


def test_of_things(test: WeatTest) -> WeatTest | None:
    """Return a test of gender with things, masculine and feminine, beside its gendered side; None where none is due.

    The gendered side is the one whose words are all people; the attributes, where kinds are not stated.
    """
    nouns = things(test.language)
    if nouns is None or _GENDER not in test.topics:
        return None
    people = not _are_people(test.a, test.b) and _are_people(test.x, test.y)
    one, two = (test.x, test.y) if people else (test.a, test.b)
    return replace(test, x=nouns[0], y=nouns[1], a=one, b=two, unbleached=None)


def with_grammar(checks: Checks, table: CosineTable, of_things: CosineTable | None) -> Checks:
    """Return the checks with that of grammar: a difference must be larger than that of things, over words."""
    alone = None if of_things is None else of_things.over_words()
    found = table.over_words()
    asked = replace(checks, asked=(*checks.asked, "grammar"))
    if alone is None or found is None:
        return asked
    more = abs(found.difference) - abs(alone.difference)
    p_value = two_sided(more / (found.error + alone.error), min(found.df, alone.df)) if more > 0 else 1.0
    return replace(
        asked,
        p_grammar=p_value,
        grammar_difference=alone.difference,
        grammar_low=alone.low,
        grammar_high=alone.high,
    )


def _are_people(*sets: WordSet) -> bool:
    return all(kind in _PEOPLE for words in sets for kind in words.kinds)
