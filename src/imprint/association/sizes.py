"""What a test says: one size with its interval over words, and one of four outcomes, the same in every command.

What decides is whether other words of these kinds would give the same. Questions have long lists, matched in
frequency. Lists that are not matched, or no longer because words are missing, also need the check of frequency, and
tests of gender in languages with grammatical gender that of grammar.

Could frequency alone make the difference? Words are replaced by random words of their own frequencies. Replacing all
four sets at once is not enough: random attributes have a shorter v than words of one kind have, so any coherent names
would seem to reach further than chance. So targets alone are replaced, then attributes alone, then both, and the
largest of the three p-values counts.

In German a spoon is masculine and a fork feminine, and articles and adjectives that agree with a noun move its vector
(Gonen, Kementchedjhieva and Goldberg, 2019). So nouns can lie nearer to men or to women for grammar's sake. The
gendered side of a test, such as names of men and women, is therefore compared with frequent concrete nouns for things,
as many masculine as feminine, of the same fields. What these differ by, G, is what a test would show at most if all
nouns of one set were masculine, all of the other feminine, and nothing else were there.

The check asks whether the test's difference D is larger than that: |D| > |G|. Both are taken over words. They share
words, so their errors are added, not their variances: the error of a difference is never larger than the sum of the
two errors, whatever they share. Real sets mix genders, so the check is strict; it only ever takes a finding away.
"""

import math
from collections.abc import Callable, Iterable, Sized
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from imprint.association.vectors import SetVectors
from imprint.embeddings.background import Background
from imprint.errors import VocabularyError
from imprint.significance.crossed import FEWEST_UNITS, Factor, OverWords, crossed_terms, total_spread, two_sided
from imprint.significance.outcomes import CONFIDENCE, FREQUENCY_LEVEL, Reason, Size, outcome, too_few
from imprint.stimuli.catalog import language_of
from imprint.stimuli.definition import WeatTest, WordKind, WordSet, word_sets
from imprint.threads import single_threaded
from imprint.types import Floats, Floats32, Ints

REPLACEMENTS = 10_000  # draws of targets, and of attributes, beside words of the test
DRAWS = 2_000  # random targets, and as many random attributes, in all pairs

_GENDER = "gender"  # the topic of tests that are checked
_PEOPLE: set[WordKind] = {
    "name",
    "person noun",
    "plural person noun",
    "subject pronoun",
    "object pronoun",
    "possessive pronoun",
}
_SEED = 0x5EA7
_ROUNDING = 1e-6  # relative, of sums in single precision
_OCTAVE = 1.0
_SIGNS = (1.0, -1.0)  # of the first set, and of the second


@dataclass(frozen=True)
class Grammar:
    """What nouns for things of either gender differ by, in cosines, and the p-value of a test differing by more.

    Both are None where there are too few nouns, or words.
    """

    difference: float | None = None
    p_value: float | None = None


def size_fields(size: Size, obstacle: Reason | None = None) -> dict[str, Any]:
    """Return a size with its interval, and what it says, as the fields of rows."""
    return size.fields() | outcome(size.low, size.high, obstacle=obstacle or size.obstacle).fields()


def measure_size(
    test: WeatTest, words: SetVectors, background: Background | None, grammar: Grammar | None = None, *, seed: int = 0
) -> dict[str, Any]:
    """Return what a row says of a size: what it is, by the words that were found, and what it was checked for.

    `grammar` says what nouns for things give where that matters.
    """
    share, p_frequency = words.share, None
    with single_threaded():
        size = Size(None, obstacle="few words") if lack_words(words, word_sets(test).values()) else share.size()
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
    rank_x, rank_y = median_ranks(words) or (None, None)
    grammar = grammar or Grammar()
    return {
        **size_fields(size, obstacle),
        "unrelated": unrelated,
        "detectable": detectable,
        "p_frequency": p_frequency,
        "rank_x": rank_x,
        "rank_y": rank_y,
        "p_grammar": grammar.p_value,
        "grammar_difference": grammar.difference,
    }


def lack_words(words: SetVectors, listed: Iterable[Sized]) -> bool:
    """Tell whether a set has too few units, or lost most of the words that were `listed`."""
    return too_few([len(sample.units) for sample in words.share.samples], words.counts, list(map(len, listed)))


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
        by_things = over_words(find_nouns())
    except VocabularyError:
        return Grammar()
    by_words = over_words(words)
    if by_things is None or by_words is None:
        return Grammar()
    more = abs(by_words.difference) - abs(by_things.difference)
    error, df = by_words.error + by_things.error, min(by_words.df, by_things.df)
    return Grammar(by_things.difference, two_sided(more / error, df) if more > 0 else 1.0)


def is_explained_by_grammar(grammar: Grammar) -> bool:
    """Tell whether grammatical gender could be the reason for a difference, as where it could not be checked."""
    return grammar.p_value is None or grammar.p_value > 1 - CONFIDENCE


def over_words(words: SetVectors) -> OverWords | None:
    """Return the mean difference of cosines with its interval over words; None where these are too few, or equal."""
    table, n_x, n_a = words.targets @ words.attributes.T, words.n_x, words.n_a
    if min(words.counts) < FEWEST_UNITS:
        return None
    scores = table[:, :n_a].mean(axis=1) - table[:, n_a:].mean(axis=1)
    factors = [Factor.of(n_x, words.n_y, coefficients=_SIGNS), Factor.of(n_a, words.n_b, coefficients=_SIGNS)]
    spread = total_spread(*crossed_terms(table[None], factors))
    return spread.interval(float(scores[:n_x].mean() - scores[n_x:].mean()), CONFIDENCE)


def is_matched(test: WeatTest, words: SetVectors) -> bool:
    """Tell whether lists are matched in frequency, as those of questions are while no word of them is missing."""
    return test.is_question and words.counts == tuple(map(len, word_sets(test).values()))


def replacement_p(words: SetVectors, background: Background, seed: int) -> float | None:
    """Return the largest p-value of replacing targets, attributes, or both by words of like frequency; two-sided.

    None where the words' frequencies are not known.
    """
    if words.target_ranks is None or words.attribute_ranks is None:
        return None
    u, v = words.share.u, words.share.v
    observed = abs(float(u @ v)) * (1 - _ROUNDING)
    targets_rng, attributes_rng, *both_rngs = (
        np.random.default_rng(child) for child in np.random.SeedSequence([seed, _SEED]).spawn(4)
    )
    with single_threaded():
        rows = background.rows
        along_v, along_u = (rows @ way.astype(np.float32) for way in (v, u))
        targets = background.draw(words.target_ranks, REPLACEMENTS, targets_rng, half=0)
        attributes = background.draw(words.attribute_ranks, REPLACEMENTS, attributes_rng, half=1)
        sizes = (
            _differences(along_v[targets].astype(np.float64), words.n_x),
            _differences(along_u[attributes].astype(np.float64), words.n_a),
        )
        random_u, random_v = (
            _random_differences(rows, background.draw(ranks, DRAWS, rng, half), first)
            for ranks, rng, half, first in (
                (words.target_ranks, both_rngs[0], 0, words.n_x),
                (words.attribute_ranks, both_rngs[1], 1, words.n_a),
            )
        )
        both = random_u @ random_v.T
    alone = [(1 + int(np.count_nonzero(np.abs(drawn) >= observed))) / (1 + REPLACEMENTS) for drawn in sizes]
    reached = int(np.count_nonzero(np.abs(both, out=both) >= observed))
    # Pairs share draws, so none is 0.
    return max(*alone, 1 / (DRAWS + 1), reached / DRAWS**2)


def octaves_apart(words: SetVectors) -> float:
    """Return how many octaves lie between the median ranks of X and Y, or of A and B where that is more."""
    sides = ((words.target_ranks, words.n_x), (words.attribute_ranks, words.n_a))
    return max(math.inf if ranks is None else octaves(*np.split(ranks, [first])) for ranks, first in sides)


def octaves(*ranks: Ints) -> float:
    """Return how many octaves lie between the median ranks of the least and the most frequent of some sets."""
    medians = [float(np.median(side)) + 1 for side in ranks]
    return math.log2(max(medians) / min(medians)) if medians else 0.0


def is_explained_by_frequency(p_replacement: float | None, octaves: float) -> bool:
    """Tell whether frequency could be the reason for a difference; None for a p-value that could not be counted."""
    return p_replacement is None or p_replacement > FREQUENCY_LEVEL or octaves >= _OCTAVE


def median_ranks(words: SetVectors) -> tuple[float, float] | None:
    """Return the median frequency ranks of X and of Y, from 1; None where they are not known."""
    if words.target_ranks is None:
        return None
    x, y = (float(np.median(side)) + 1 for side in np.split(words.target_ranks, [words.n_x]))
    return x, y


def _differences(scores: Floats, first: int) -> Floats:
    return np.asarray(scores[:, :first].mean(axis=1) - scores[:, first:].mean(axis=1))


def _random_differences(rows: Floats32, chosen: Ints, first: int) -> Floats32:
    """Return the mean of the first chosen rows less that of the others, one difference per draw."""
    draws, size = chosen.shape
    total = np.zeros((draws, rows.shape[1]), dtype=np.float32)
    for column, drawn in enumerate(chosen.T):
        total += rows[drawn] / np.float32(first if column < first else first - size)
    return total


def _are_people(*sets: WordSet) -> bool:
    return all(kind in _PEOPLE for words in sets for kind in words.kinds)
