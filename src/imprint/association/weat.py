"""The Word Embedding Association Test: are X and Y associated differently with A and B?

Caliskan, Bryson and Narayanan (2016), Methods: s(w, A, B) = mean cos(w, a) - mean cos(w, b); the statistic is
the sum of s over X less that over Y; the effect divides the difference of means by the spread of all scores.
"""

from collections.abc import Collection, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated

import numpy as np

from imprint.association.cosines import ROUNDING, cosines
from imprint.association.cosines import scores as scores_of
from imprint.association.rows import AssociationRow, Measured, fields_of_words
from imprint.association.settings import WeatSettings
from imprint.association.sizes import Grammar, beside_things, measure_size, test_of_things
from imprint.association.vectors import SetVectors, WordRows, find_rows, require_pair
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError
from imprint.rows import shown
from imprint.settings import option, settable
from imprint.significance.partitions import PermutationTest, permutation_test, sampled_test
from imprint.stimuli import catalog
from imprint.stimuli.definition import UNDETERMINED, AnyTest, WeatTest, WordSet, validate, word_sets
from imprint.subjects.opening import EmbeddingLike, load
from imprint.threads import single_threaded
from imprint.types import Floats, Progress

WordSets = tuple[Sequence[str], Sequence[str]]


class WeatRow(AssociationRow, frozen=True, kw_only=True, tag="weat"):
    """One test on one embedding; positive if x is associated with a, and y with b."""

    left_out: Annotated[
        tuple[str, ...], shown("Left out", "Words that one of the two does not have; both are tested without them.")
    ] = ()
    other: Annotated[
        str | None, shown("Other", "An embedding that was asked the same, on the words that both have.")
    ] = None
    other_sha256: Annotated[str | None, shown("Other's SHA-256", "Its hash.", shape="word")] = None


@dataclass(frozen=True)
class AskedWeat:
    """The test that is asked for, or four lists of words in its place."""

    test: Annotated[WeatTest | str | None, option("The id of a catalogue test, or a test of your own.")] = None
    _: KW_ONLY
    targets: Annotated[WordSets | None, option("Two lists of words, x and y, in place of a test.")] = None
    attributes: Annotated[WordSets | None, option("Two lists of words, a and b, in place of a test.")] = None


@dataclass(frozen=True, kw_only=True)
class WeatArguments(AskedWeat, WeatSettings):
    """The test that is asked for, and how it is run."""

    progress: Annotated[
        Progress | None, option("Called with the partitions drawn and the total number of partitions.")
    ] = None


@settable(WeatArguments)
def weat(embedding: EmbeddingLike, arguments: WeatArguments) -> WeatRow:
    """Run a WEAT: are two sets of targets associated differently with two sets of attributes?

    The size has an interval over words, which decides. The p-value, as published, is exact, or rigorously bounded for
    large sets: "greater" counts x with a and y with b, "less" the reverse, "two-sided" either.

    Parameters
    ----------
    embedding
        A file, `default` or an object, as `load` accepts it.

    Returns
    -------
    WeatRow
        The size with its interval and outcome, effect sizes, the p-value, and the score of each word.

    Examples
    --------
    >>> imprint.weat("default", "gender-career")
    WeatRow('gender-career' on glove.6B.100d: 26 % [16 to 37], substantial, d = 0.94, 0 missing)
    """
    embedding = load(embedding)
    test = asked_test("weat", arguments.test, arguments.targets, arguments.attributes)
    return measure(embedding, test, arguments, progress=arguments.progress).row


def measure(
    embedding: Embedding,
    test: WeatTest,
    settings: WeatSettings = WeatSettings(),  # noqa: B008 - it is frozen
    *,
    left_out: Sequence[str] = (),
    progress: Progress | None = None,
) -> Measured[WeatRow]:
    """Run a test whose words were checked, without those left out.

    Of a question, the interval decides, and nothing is permuted.
    """
    rows = look_up(embedding, _without(test, left_out) if left_out else test)
    words = vectors_of(embedding, rows)
    significance = None
    if test.is_question:
        with single_threaded():
            scores = words.targets @ words.share.v
    else:
        scores = scores_of(_cosines(rows), words.n_a)
        x_scores, y_scores = np.split(scores, [words.n_x])
        significance = _permuted(x_scores, y_scores, settings, progress)
    grammar = grammar_of(embedding, test, words)
    size = measure_size(test, words, embedding.background, grammar, seed=settings.seed)
    row = WeatRow(
        **fields_of_words(test, words, scores, significance, size),
        embedding=embedding.name,
        embedding_sha256=embedding.sha256,
        seed=settings.seed,
        missing=(*left_out, *rows.missing),
        left_out=tuple(left_out),
        lowered=rows.lowered,
        from_subwords=rows.from_subwords,
    )
    return Measured(row, words)


def _without(test: WeatTest, words: Collection[str]) -> WeatTest:
    x, y, a, b = (side.subset(w for w in side.words if w not in words) for side in word_sets(test).values())
    return replace(test, x=x, y=y, a=a, b=b)


def look_up(embedding: Embedding, test: WeatTest) -> WordRows:
    """Find the words of the four sets, and refuse sets that share an entry of the vocabulary."""
    return find_rows(embedding, (test.x, test.y), (test.a, test.b))


def vectors_of(embedding: Embedding, rows: WordRows) -> SetVectors:
    """Return the unit vectors of the four sets, with the frequency ranks of their words."""
    return SetVectors.of_lookups(embedding, rows.sets[:2], rows.sets[2:])


def _cosines(rows: WordRows) -> Floats:
    """Return the cosine of every target with every attribute."""
    x, y, a, b = rows.sets
    vectors = np.concatenate([x.vectors, y.vectors])
    return np.hstack([_without_noise(cosines(vectors, side.vectors)) for side in (a, b)])


def grammar_of(embedding: Embedding, test: WeatTest, words: SetVectors) -> Grammar | None:
    """Compare a test with nouns for things, where its language has grammatical gender."""
    nouns = test_of_things(test)
    if nouns is None:
        return None
    return beside_things(words, lambda: vectors_of(embedding, look_up(embedding, nouns)))


def _permuted(x: Floats, y: Floats, settings: WeatSettings, progress: Progress | None) -> PermutationTest:
    if settings.draws is None:
        return permutation_test(x, y, alternative=settings.alternative)
    draws, seed = settings.draws, settings.seed
    return sampled_test(x, y, alternative=settings.alternative, draws=draws, seed=seed, progress=progress)


def _without_noise(table: Floats) -> Floats:
    """Give target words that all point one way the same cosines: what tells these apart is rounding, no effect."""
    return np.broadcast_to(table[0], table.shape) if np.ptp(table, axis=0).max() < ROUNDING else table


def asked_test(
    function: str, test: AnyTest | str | None, targets: WordSets | None, attributes: WordSets | None
) -> WeatTest:
    """Return the test that a function was given, or make one of its four lists of words."""
    if test is not None or targets is None or attributes is None:
        return find_test(require_test(function, test, targets=targets, attributes=attributes))
    require_pair("targets", targets)
    require_pair("attributes", attributes)
    x, y, a, b = (WordSet.of(name, words) for name, words in zip("XYAB", (*targets, *attributes), strict=True))
    return find_test(WeatTest("custom", "four lists of words", "given by the user", UNDETERMINED, x, y, a, b))


def require_test(function: str, test: AnyTest | str | None, **sets: object) -> AnyTest | str:
    """Refuse a test beside sets of words, and neither of the two."""
    names = [f"{name}=" for name in sets]
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    if test is None:
        raise SettingError(f"{function} needs a test, or all of {listed}", option="test")
    if any(given is not None for given in sets.values()):
        got = test if isinstance(test, str) else test.id
        raise SettingError(f"{function} takes a test, or {listed}, but not both", option="test", got=got)
    return test


def find_test(test: AnyTest | str) -> WeatTest:
    """Return a test of the catalogue by its id, or one of the caller's own once it is checked."""
    opened = catalog.get(test) if isinstance(test, str) else test
    if not isinstance(opened, WeatTest):
        got = getattr(opened, "id", opened)
        raise SettingError(option="test", got=got, expected="a WEAT", hint="run a WEFAT with wefat")
    if not isinstance(test, str):
        validate(opened)
    return opened
