"""A corpus with the gender-swapped copy of every document, from counts alone: words change places in a table."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from imprint.corpora.counting import Counts
from imprint.files import PACKAGE
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import word_sets
from imprint.stimuli.files import read_text
from imprint.subjects.background import ranks_of

_TABLE = PACKAGE / "stimuli" / "data" / "swap" / "gendered.txt"


@cache
def partners() -> Mapping[str, str]:
    """Return the partner of each gendered word, and of each name of the questions: men's and women's, by frequency."""
    lines = [line.split() for line in read_text(_TABLE).splitlines() if not line.startswith("#")]
    sets = word_sets(get("gender-career"))
    men, women = (sorted(sets[role].words, key=lambda name: ranks_of([name])[0][0]) for role in "xy")
    pairs = [*zip(men, women, strict=True), *(line for line in lines if line)]
    return {word: other for pair in reversed(pairs) for word, other in (pair, reversed(pair))}


def with_swapped(counts: Counts) -> Counts:
    """Return counts to which each document's gender-swapped copy is joined; words without a partner stay."""
    numbers, words = counts.words.numbers, counts.words.words
    swapped = np.array([numbers.get(partners().get(word, word), number) for number, word in enumerate(words)])
    target, attribute = (np.concatenate([each, swapped[each]]) for each in (counts.target, counts.attribute))
    document, count = (np.tile(each, 2) for each in (counts.document, counts.count))
    return replace(counts, document=document, target=target, attribute=attribute, count=count)
