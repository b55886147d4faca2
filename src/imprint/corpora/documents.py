"""Documents of a corpus: passages behind a finding, and the gender-swapped copy of every document.

Documents that move a finding most are read again, for words around one of their pairs. A swapped copy is made of
counts alone: words change places in a table.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import msgspec
import numpy as np

from imprint.corpora.counting import Counts
from imprint.corpora.rows import CorpusRow
from imprint.errors import CorpusError
from imprint.files import PACKAGE
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import word_sets
from imprint.stimuli.files import read_text
from imprint.subjects.background import ranks_of
from imprint.subjects.reading import STDIN, TOKEN, read_part

_AROUND = 100  # characters on either side
_TABLE = PACKAGE / "stimuli" / "data" / "swap" / "gendered.txt"


def with_passages(row: CorpusRow, counts: Counts, window: int, passages: int) -> CorpusRow:
    """Return a row whose first documents that support the finding have a passage each."""
    words = {each.role: each.words for each in row.sets}
    cells = (("x", "a"), ("y", "b")) if (row.log_odds or 0.0) > 0 else (("x", "b"), ("y", "a"))
    pairs = {(target, word) for group, kind in cells for target in words[group] for word in words[kind]}
    documents = list(row.documents)
    for index in [index for index, each in enumerate(documents) if (each.share or 0.0) > 0][:passages]:
        text = _passage(counts, documents[index].document, pairs, window)
        documents[index] = msgspec.structs.replace(documents[index], snippet=text)
    return msgspec.structs.replace(row, documents=tuple(documents))


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


def _passage(counts: Counts, document: str, pairs: set[tuple[str, str]], window: int) -> str | None:
    """Return the words around the first of the pairs in a document."""
    part, number = counts.places[counts.names.index(document)]
    if part.path == STDIN:
        raise CorpusError("standard input cannot be read again", option="snippets", hint="give a file")
    forms, words = counts.words.forms, counts.words.words
    for piece in read_part(part):
        if piece.document > number:
            break
        if piece.document < number:
            continue
        tokens = list(enumerate(TOKEN.finditer(piece.text)))
        near = [(position, token, words[forms[token[0]]]) for position, token in tokens if token[0] in forms]
        for index, (position, first, word) in enumerate(near):
            for other, second, neighbour in near[index + 1 : index + 1 + window]:
                if other - position <= window and {(word, neighbour), (neighbour, word)} & pairs:
                    start, end = max(0, first.start() - _AROUND), second.end() + _AROUND
                    excerpt = piece.text[start:end].split()  # whole words
                    return " ".join(excerpt[start > 0 : len(excerpt) - (end < len(piece.text))])
    return None
