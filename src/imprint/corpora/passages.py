"""Passages behind a finding: the documents that move it most are read again, for words around one of their pairs."""

from collections.abc import Sequence

import msgspec

from imprint.corpora.counting import Counts
from imprint.corpora.rows import CorpusRow
from imprint.errors import CorpusError
from imprint.subjects.reading import STDIN, TOKEN, read_part

_AROUND = 100  # characters on either side


def with_passages(rows: Sequence[CorpusRow], counts: Counts, window: int, passages: int) -> list[CorpusRow]:
    """Return rows whose first documents that support the finding have a passage each."""
    return [_with_passages(row, counts, window, passages) for row in rows]


def _with_passages(row: CorpusRow, counts: Counts, window: int, passages: int) -> CorpusRow:
    words = {each.role: each.words for each in row.sets}
    cells = (("x", "a"), ("y", "b")) if (row.log_odds or 0.0) > 0 else (("x", "b"), ("y", "a"))
    pairs = {(target, word) for group, kind in cells for target in words[group] for word in words[kind]}
    documents = list(row.documents)
    for index in [index for index, each in enumerate(documents) if (each.share or 0.0) > 0][:passages]:
        text = _passage(counts, documents[index].document, pairs, window)
        documents[index] = msgspec.structs.replace(documents[index], snippet=text)
    return msgspec.structs.replace(row, documents=tuple(documents))


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
