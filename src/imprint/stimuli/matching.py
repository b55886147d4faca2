"""Lists of like frequency: as many words from every octave of ranks on both sides.

Frequency shapes every embedding, and names of one group are often rarer than those of another. So both sides give
equally many words per cell, which is an octave of ranks, and in the questions of scripts/build_questions.py a stratum
besides, such as the gender of a name. What a cell has too many of is drawn from a seed.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from imprint.errors import StimulusError
from imprint.stimuli.definition import Test, WeatTest, WordSet, word_sets

MOST = 200  # words of a side

Stratum: TypeAlias = tuple[int | str, ...]


@dataclass(frozen=True)
class Matched:
    """A test whose sides are of like frequency; `unranked` are the words left out because no rank is known."""

    test: WeatTest
    unranked: tuple[str, ...]


def match(test: WeatTest, ranks: Mapping[str, int], *, most: int = MOST, seed: int = 0) -> Matched:
    """Match x with y and a with b by octave of frequency.

    Parameters
    ----------
    test
        A test with longer lists than are needed.
    ranks
        Frequency ranks by word in lower case, 0 for the most frequent.
    most
        The most words that a side keeps.
    seed
        Decides which words are kept where there are too many.

    Returns
    -------
    Matched
        The test with the words kept, in their own order, and the words without a rank. Published figures are left out,
        which are of other words.

    Examples
    --------
    >>> import imprint
    >>> lists = ("lily tulip rose", "ant flea gnat", "love peace", "abuse pain")
    >>> sets = [imprint.WordSet.of(words, words.split()) for words in lists]
    >>> ranks = {word: number for words in lists for number, word in enumerate(words.split(), 100)} | {"rose": 9}
    >>> match(imprint.WeatTest("mine", "Flowers and insects", "me", "en", *sets), ranks).test.x.words
    ('lily', 'tulip')
    """
    first, second = np.random.SeedSequence(seed).spawn(2)
    x, y = _match_sets(test.x, test.y, ranks, most, first, test.id)
    a, b = _match_sets(test.a, test.b, ranks, most, second, test.id)
    words = dict.fromkeys(word for side in word_sets(test).values() for word in side.words)
    unranked = tuple(word for word in words if word.lower() not in ranks)
    return Matched(replace(test, x=x, y=y, a=a, b=b, published=(), human=None), unranked)


def match_tests(tests: Iterable[Test], ranks: Mapping[str, int]) -> list[Matched]:
    """Match the lists of every test of a file; refuse one that has no pairs of lists."""
    matched = []
    for test in tests:
        if not isinstance(test, WeatTest):
            raise StimulusError(
                "is a WEFAT, whose words cannot be matched",
                where=f"test {test.id!r}",
                hint="move it to another file, or name the tests to match",
            )
        matched.append(match(test, ranks))
    return matched


def match_words(
    lists: Sequence[Sequence[str]],
    cell_of: Callable[[str], Stratum],
    *,
    most: int = MOST,
    stream: np.random.SeedSequence,
) -> tuple[tuple[str, ...], ...]:
    """Keep equally many words of each list in every cell, at most so many per list, each list in its own order.

    Where the cells hold more than `most` words, each gives its share of them.
    """
    sides = [_by_cell(words, cell_of) for words in lists]
    common = sorted(set.intersection(*(set(cells) for cells in sides)))
    counts = _in_proportion([min(len(cells[cell]) for cells in sides) for cell in common], most)
    rng = np.random.default_rng(stream)
    matched: list[set[str]] = [set() for _ in lists]
    for cell, count in zip(common, counts, strict=True):
        for words, cells in zip(matched, sides, strict=True):
            pool = sorted(cells[cell])  # the order of the file does not matter
            words.update(pool[index] for index in rng.permutation(len(pool))[:count])
    return tuple(tuple(word for word in words if word in chosen) for words, chosen in zip(lists, matched, strict=True))


def octave(rank: int) -> int:
    """Return floor(log2(rank + 1)): 0 for the most frequent word, one more for each doubling of the rank."""
    return (rank + 1).bit_length() - 1


def _by_cell(words: Collection[str], cell_of: Callable[[str], Stratum]) -> dict[Stratum, list[str]]:
    cells: dict[Stratum, list[str]] = defaultdict(list)
    for word in words:
        cells[cell_of(word)].append(word)
    return cells


def _in_proportion(counts: Sequence[int], most: int) -> list[int]:
    """Scale whole numbers to a sum of `most` where theirs is larger; the largest remainders are rounded up."""
    total = sum(counts)
    if total <= most:
        return list(counts)
    scaled = [divmod(count * most, total) for count in counts]
    shares = [whole for whole, _ in scaled]
    largest = sorted(range(len(counts)), key=lambda index: -scaled[index][1])
    for index in largest[: most - sum(shares)]:
        shares[index] += 1
    return shares


def _match_sets(
    first: WordSet, second: WordSet, ranks: Mapping[str, int], most: int, stream: np.random.SeedSequence, where: str
) -> tuple[WordSet, WordSet]:
    def cell_of(word: str) -> Stratum:
        return (octave(ranks[word.lower()]),)

    lists = [[word for word in words.words if word.lower() in ranks] for words in (first, second)]
    chosen, others = match_words(lists, cell_of, most=most, stream=stream)
    if len(chosen) < 2:
        raise StimulusError(
            f"{first.name} and {second.name} must share at least two words of like frequency, got {len(chosen)}",
            where=f"test {where!r}",
            hint="give longer lists, with frequent and rare words on both sides",
        )
    return first.subset(chosen), second.subset(others)
