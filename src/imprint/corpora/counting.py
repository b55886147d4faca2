"""Co-occurrences of the words of all tests within a window of words, by document: counted once, in units of work.

A word of a test in lower case is counted in lower case, capitalised and in capitals; one with a capital as it is
written. What is between two words, and where lines end, does not matter; documents do not run into each other.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, repeat

import msgspec
import numpy as np

from imprint.clusters import Workers, working
from imprint.errors import CorpusError, ImprintError
from imprint.files import FilePath
from imprint.stimuli.definition import WeatTest, words_of
from imprint.subjects.reading import STDIN, TOKEN, TextPart, forms_of, grouped, read_part, text_parts
from imprint.subjects.settings import TextSettings
from imprint.types import Flags, Ints, Report
from imprint.work import WorkUnit, run_units, unit_key

_BATCH = 1 << 19  # words looked at together
_BOTH = 3  # a target and an attribute
_TOTALS = ("words", "documents", "damaged")
_NONE = (np.zeros(0, dtype=np.int64),) * 3


@dataclass(frozen=True, eq=False)
class CountedWords:
    """The words of all tests, numbered, and which of them are targets and which attributes."""

    words: tuple[str, ...]
    is_target: tuple[bool, ...]
    is_attribute: tuple[bool, ...]

    @classmethod
    def of(cls, tests: Sequence[WeatTest]) -> "CountedWords":
        """Return the words of tests."""
        words = tuple(sorted(words_of(tests)))
        targets = {word for test in tests for side in (test.x, test.y) for word in side.words}
        attributes = {word for test in tests for side in (test.a, test.b) for word in side.words}
        return cls(words, tuple(word in targets for word in words), tuple(word in attributes for word in words))

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def forms(self) -> Mapping[str, int]:
        """The number of the word that each form in a text is; a word as it is written comes first."""
        return {form: self.numbers[word] for form, word in forms_of(self.words).items()}


class PartCounts(msgspec.Struct, frozen=True):
    """What was counted in one part: number, year and hash of each document with co-occurrences; how often each pair.

    `records` has document, target, attribute and count one after the other, in eight bytes each, little-endian.
    """

    sha256: str
    words: int
    documents: int
    damaged: int
    lines: int  # documents and empty lines: those of the next part of the file are numbered on from here
    listed: list[tuple[int, int, bytes]]
    in_text: list[int]  # the words of tests that occur, near others or not
    records: bytes


@dataclass(frozen=True, eq=False)
class Counts:
    """The co-occurrences of a corpus: of each record, the document, both words, and how often they are near.

    `names` and `years` are of the documents that have any; `places` are the part and the number in it of each; and
    `in_text` are the words that occur at all. Exact copies of the same year are one document, called after the first:
    what is drawn with one is drawn with all.
    """

    sha256: str
    n_words: int
    n_documents: int
    n_damaged: int
    n_copies: int
    words: CountedWords
    names: tuple[str, ...]
    places: tuple[tuple[TextPart, int], ...]
    years: Ints
    in_text: frozenset[int]
    document: Ints
    target: Ints
    attribute: Ints
    count: Ints

    def of_documents(self, chosen: Flags) -> "Counts":
        """Return the counts of these documents alone, whose numbers stay as they are."""
        rows = chosen[self.document]
        arrays = {name: getattr(self, name)[rows] for name in ("document", "target", "attribute", "count")}
        return replace(self, **arrays)


def count_corpus(
    sources: Sequence[FilePath],
    tests: Sequence[WeatTest],
    settings: TextSettings,
    window: int = 5,
    workers: Workers | None = None,
    folder: FilePath | None = None,
    report: Report | None = None,
) -> Counts:
    """Count the words of tests in text; see `imprint.corpus` for what may be given."""
    words = CountedWords.of(tests)
    parts = text_parts(sources, settings)
    units = [_unit(group, words, window) for group in grouped(parts)]
    here = STDIN in map(str, sources)  # standard input is read once, and by this process
    with working(None if here else workers, separate=True) as executor:
        outcomes = run_units(units, executor=executor, folder=folder, report=report)
    for outcome in outcomes:
        if isinstance(outcome, ImprintError):
            raise outcome
    decode = msgspec.msgpack.Decoder(list[PartCounts]).decode
    counted = [each for outcome in outcomes if isinstance(outcome, bytes) for each in decode(outcome)]
    if not any(each.words for each in counted):
        raise CorpusError("there are no words", where=", ".join(map(str, sources)), hint="give text")
    return _joined(parts, counted, words)


def count_parts(parts: Sequence[TextPart], words: CountedWords, window: int) -> bytes:
    """Count each of these parts: what a unit of work does."""
    return msgspec.msgpack.encode([_count_part(part, words, window) for part in parts])


def _unit(parts: tuple[TextPart, ...], words: CountedWords, window: int) -> WorkUnit:
    identities = [[*part[:-1], *vars(part.settings).values()] for part in parts]
    key = unit_key("corpus with words in text", identities, [words.words, words.is_target, words.is_attribute], window)
    name = parts[0].path if len(parts) == 1 else f"{len(parts)} files from {parts[0].path}"
    return WorkUnit(key, count_parts, (parts, words, window), name, kept=all(part.path != STDIN for part in parts))


def _count_part(part: TextPart, words: CountedWords, window: int) -> PartCounts:
    """Count a part piece by piece; what is held is a batch of words, and the pairs that were found."""
    digest, near = hashlib.sha256(), _Near(words, window)
    total, documents, damaged, number = 0, 0, 0, -1
    listed: dict[int, tuple[int, bytes]] = {}
    for number, pieces in groupby(read_part(part), key=lambda piece: piece.document):
        before, is_damaged, year, text = total, False, 0, hashlib.blake2b(digest_size=16)
        for piece in pieces:
            encoded = piece.text.encode("utf-8", "replace")
            digest.update(b"%d %d " % piece[:2] + encoded)
            text.update(encoded.strip())
            tokens = TOKEN.findall(piece.text)
            total += len(tokens)
            if tokens:
                ids = np.fromiter(map(words.forms.get, tokens, repeat(-1)), dtype=np.int64, count=len(tokens))
                near.add(number, ids)
            is_damaged |= piece.is_damaged
            year = piece.year or year
        if near.end_document():
            listed[number] = year, text.digest()
        documents += total > before
        damaged += is_damaged
    records = near.records()
    seen = [(each, *listed[each]) for each in np.unique(records[0]).tolist()]
    about = (digest.hexdigest(), total, documents, damaged, number + 1, seen, np.flatnonzero(near.in_text).tolist())
    return PartCounts(*about, records.astype("<i8").tobytes())


class _Near:
    """Pairs of a target and an attribute within the window, batch by batch."""

    def __init__(self, words: CountedWords, window: int) -> None:
        self._is_target, self._is_attribute = np.array(words.is_target), np.array(words.is_attribute)
        self._size, self._window = len(words.words), window
        self.in_text = np.zeros(self._size, dtype=bool)
        self._position = 0
        self._roles, self._has = self._is_target + 2 * self._is_attribute, 0  # of a word, and of all in this document
        self._hits: list[tuple[Ints, ...]] = []  # document, position, word
        self._held = 0  # words since the last batch
        self._seen = 0  # hits at the beginning that were compared with each other before
        self._keys: list[Ints] = []
        self._counts: list[Ints] = []

    def add(self, document: int, ids: Ints) -> None:
        """Add words of a document, -1 for those of no test."""
        places = np.flatnonzero(ids >= 0)
        if len(places):  # millions of short lines have no word of a test
            self._hits.append((np.full(len(places), document), places + self._position, ids[places]))
            self.in_text[ids[places]] = True
            self._has |= int(np.bitwise_or.reduce(self._roles[ids[places]]))
        self._position += len(ids)
        self._held += len(ids)
        if self._held > _BATCH:
            self._compare()

    def end_document(self) -> bool:
        """Leave a gap that no window reaches over; tell whether the document has words to compare."""
        self._position += self._window
        has_both, self._has = self._has == _BOTH, 0
        return has_both

    def records(self) -> Ints:
        """Return documents, targets, attributes and counts, each pair of a document once."""
        self._compare()
        keys, counts = _summed(np.concatenate(self._keys), np.concatenate(self._counts))
        rest, attribute = np.divmod(keys, self._size)
        return np.stack([*np.divmod(rest, self._size), attribute, counts])

    def _compare(self) -> None:
        document, position, word = (np.concatenate(column) for column in zip(_NONE, *self._hits, strict=True))
        codes = [_NONE[0]]
        for step in range(1, self._window + 1):
            first = np.flatnonzero(position[step:] - position[:-step] <= self._window)
            first = first[first + step >= self._seen]
            if not len(first):
                break
            for targets, attributes in ((first, first + step), (first + step, first)):
                target, attribute = word[targets], word[attributes]
                pairs = self._is_target[target] & self._is_attribute[attribute]
                keys = (document[targets] * self._size + target) * self._size + attribute
                codes.append(keys[pairs])
        keys = np.concatenate(codes)
        keys, counts = _summed(keys, np.ones(len(keys), dtype=np.int64))
        self._keys.append(keys)
        self._counts.append(counts)
        still_near = position > self._position - 1 - self._window
        self._hits = [(document[still_near], position[still_near], word[still_near])]
        self._seen, self._held = int(still_near.sum()), 0


def _summed(keys: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Return each key once, and the sum of its counts."""
    distinct, index = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(index, counts, minlength=len(distinct)).astype(np.int64)


def _joined(parts: Sequence[TextPart], counted: Sequence[PartCounts], words: CountedWords) -> Counts:
    """Add parts up: the documents of a file are numbered through, however it was split."""
    numbers: dict[tuple[int, bytes], int] = {}  # of documents, by year and hash
    names: list[str] = []
    places: list[tuple[TextPart, int]] = []
    columns: list[Ints] = []
    before, last, listed = 0, "", 0
    folder = os.path.commonpath([os.path.dirname(os.path.abspath(part.path)) for part in parts])  # noqa: PTH100, PTH120
    for part, each in zip(parts, counted, strict=True):
        before, last = before if last == part.path else 0, part.path
        for number, year, text in each.listed:
            if numbers.setdefault((year, text), len(numbers)) == len(names):
                names.append(_name(part, folder, before + number + 1))
                places.append((part, number))
        records = np.frombuffer(each.records, dtype="<i8").reshape(4, -1).astype(np.int64)
        of_listed = np.array([numbers[year, text] for _, year, text in each.listed], dtype=np.int64)
        records[0] = of_listed[np.searchsorted([number for number, *_ in each.listed], records[0])]
        columns.append(records)
        before, listed = before + each.lines, listed + len(each.listed)
    digest = hashlib.sha256("".join(each.sha256 for each in counted).encode()).hexdigest()
    read, documents, damaged = (sum(getattr(each, name) for each in counted) for name in _TOTALS)
    years = np.array([year for year, _ in numbers], dtype=np.int64)
    document, target, attribute, count = np.concatenate(columns, axis=1)
    copies = listed - len(names)
    in_text = frozenset(number for each in counted for number in each.in_text)
    about = (digest, read, documents, damaged, copies, words, tuple(names), tuple(places), years, in_text)
    return Counts(*about, document, target, attribute, count)


def _name(part: TextPart, folder: str, number: int) -> str:
    where = "standard input" if part.path == STDIN else os.path.relpath(part.path, folder)
    return where if part.unit == "file" else f"{where}, {part.unit} {number:,}"
