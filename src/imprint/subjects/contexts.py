"""Words in the sentences of a text: a sample for each word, the same whoever reads which part of the text.

Each sentence has a number for each word in it, a keyed hash of both; of a word, the sentences with the smallest
numbers stay. So they are a random sample of the distinct sentences, whatever the order, and memory holds the sample
alone.
"""

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from imprint.clusters import Workers, working
from imprint.embeddings.background import Background
from imprint.embeddings.embedding import unit_rows
from imprint.encoders.wrapping import END, START, without_marks
from imprint.errors import CorpusError, ImprintError
from imprint.files import FilePath
from imprint.subjects.background import CommonWords, FramedWords
from imprint.subjects.encodings import Encodings
from imprint.subjects.reading import (
    STDIN,
    TOKEN,
    TextPart,
    forms_of,
    grouped,
    read_part,
    refuse_unused,
    text_parts,
)
from imprint.subjects.settings import FEWEST_CONTEXTS, FieldSettings, TextSettings
from imprint.types import Floats, Report
from imprint.work import WorkUnit, run_units, unit_key

MOST_AROUND = 200  # characters on either side of a word

_SPARE = 2  # times as many sentences are sampled as are used: those with two words of a test are not
_FEWEST_TOKENS = 3  # of a sentence: lists and headings say nothing of a word
# Behind a full stop, unless it is that of an initial or a title.
_END = re.compile(
    r"[.!?](?<!\b[A-Z]\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bMrs\.)(?<!\bMessrs\.)[\"'”’)\]]*\s+|\n\s*\n"
)
_LARGEST = 1 << 64
_INVISIBLE = dict.fromkeys([*range(32), 127], " ")


@dataclass(frozen=True, eq=False)
class Contexts:
    """Sampled sentences of words, with the word marked, in random order; and how many sentences have each word."""

    name: str
    by_word: Mapping[str, tuple[str, ...]]
    found: Mapping[str, int]
    most: int

    def of(self, words: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Return the sentences of some words that have none of the others: of no two words are they the same."""
        forms = forms_of(words)
        return {word: self._alone(word, forms) for word in words}

    def _alone(self, word: str, forms: Mapping[str, str]) -> tuple[str, ...]:
        texts = (
            text
            for text in self.by_word.get(word, ())
            if {forms.get(token, word) for token in TOKEN.findall(without_marks(text))} == {word}
        )
        return tuple(islice(texts, self.most))


@dataclass(frozen=True, eq=False)
class WordsInContext(FramedWords):
    """Bundled words by frequency in sentences of the text, as words of tests are."""

    contexts: Contexts

    @cached_property
    def common(self) -> CommonWords:
        """The words that have enough sentences."""
        words = super().common
        sampled = self.contexts.by_word
        return words.without(word for word in words.words if len(sampled.get(word, ())) < FEWEST_CONTEXTS)

    @cached_property
    def _sentences(self) -> dict[str, tuple[str, ...]]:
        return {word: self.contexts.by_word[word][: self.contexts.most] for word in self.common.words}

    def texts(self) -> list[str]:
        """Return every text to encode."""
        return [text for sentences in self._sentences.values() for text in sentences]

    def background(self, encodings: Encodings, missing: Iterable[str] = ()) -> Background | None:
        """Return the words' vectors, each the mean of its unit vectors; None where too few are left."""
        lost = set(missing)
        means = {
            word: mean
            for word, sentences in self._sentences.items()
            if word not in lost and (mean := _mean_in(encodings, sentences)) is not None
        }
        common = self.common.without(word for word in self.common.words if word not in means)
        return common.background(np.array([*means.values()])) if means else None


def sample_contexts(
    sources: Sequence[FilePath],
    words: Iterable[str],
    most: int,
    *,
    fields: FieldSettings | None = None,
    seed: int = 0,
    workers: Workers | None = None,
    report: Report | None = None,
) -> Contexts:
    """Sample at most so many sentences for each word from text; refuse text that has none of them."""
    plain = fields or FieldSettings()
    settings = TextSettings(field=plain.field, column=plain.column)
    listed = tuple(sorted(set(words)))
    refuse_unused(sources, settings)
    units = [_unit(parts, listed, _SPARE * most, seed) for parts in grouped(text_parts(sources, settings))]
    here = STDIN in map(str, sources)  # standard input is read once, and by this process
    sample, totals = _Sample(_SPARE * most), Counter[str]()
    with working(None if here else workers, separate=True) as executor:
        outcomes = run_units(units, executor=executor, report=report)
    for outcome in outcomes:
        if isinstance(outcome, ImprintError):
            raise outcome
        sampled, counts = msgspec.msgpack.decode(outcome, type=tuple[dict[str, dict[int, str]], dict[str, int]])
        totals.update(counts)
        for word, sentences in sampled.items():
            for number, text in sentences.items():
                sample.add(word, number, text)
    name = ", ".join("standard input" if str(each) == STDIN else Path(each).name or str(each) for each in sources)
    if not totals:
        raise CorpusError(f"no sentence has one of {len(listed):,} words", where=name, hint="give more text")
    return Contexts(name, {word: tuple(texts.values()) for word, texts in sample.smallest().items()}, totals, most)


def sample_parts(parts: Sequence[TextPart], words: Sequence[str], most: int, seed: int) -> bytes:
    """Sample sentences from parts of a text: what a unit of work does."""
    forms, sample, totals = forms_of(words), _Sample(most), Counter[str]()
    key = seed.to_bytes(16, "little")
    for part in parts:
        for piece in read_part(part):
            for word, place in _in_sentences(piece.text, forms):
                totals[word] += 1
                sentence = f"{word}\0{' '.join(piece.text[place.start : place.stop].split())}"
                digest = hashlib.blake2b(sentence.encode("utf-8", "replace"), digest_size=8, key=key).digest()
                number = int.from_bytes(digest, "little")
                if number < sample.limit(word):
                    sample.add(word, number, place.marked(piece.text))
    return msgspec.msgpack.encode((sample.smallest(), dict(totals)))


class _Sample:
    """The texts with the smallest numbers, of each word; twice as many are held at most."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._by_word: dict[str, dict[int, str]] = {}
        self._limits: dict[str, int] = {}

    def limit(self, word: str) -> int:
        """Return a number from which on texts of a word are not in the sample."""
        return self._limits.get(word, _LARGEST)

    def add(self, word: str, number: int, text: str) -> None:
        """Add a text, unless it is there."""
        texts = self._by_word.setdefault(word, {})
        texts[number] = text
        if len(texts) > 2 * self._most:
            self._by_word[word] = self._cut(texts)
            self._limits[word] = max(self._by_word[word])

    def smallest(self) -> dict[str, dict[int, str]]:
        """Return the texts of each word by number, the smallest first."""
        return {word: self._cut(texts) for word, texts in self._by_word.items()}

    def _cut(self, texts: dict[int, str]) -> dict[int, str]:
        return {number: texts[number] for number in nsmallest(self._most, texts)}


def _mean_in(encodings: Encodings, sentences: Sequence[str]) -> Floats | None:
    """Return the mean of a word's unit vectors in its sentences; None where too few have a direction."""
    rows = unit_rows(encodings.rows(sentences))
    rows = rows[rows.any(axis=1)]
    return None if len(rows) < FEWEST_CONTEXTS else np.asarray(rows.mean(axis=0))


def _unit(parts: tuple[TextPart, ...], words: tuple[str, ...], most: int, seed: int) -> WorkUnit:
    identities = [[*part[:-1], *vars(part.settings).values()] for part in parts]
    name = parts[0].path if len(parts) == 1 else f"{len(parts)} files from {parts[0].path}"
    return WorkUnit(
        unit_key("contexts", identities, words, most, seed), sample_parts, (parts, words, most, seed), name
    )


class _Place(NamedTuple):
    """Where a word is in a text, and its sentence, or as much of it as is used."""

    start: int
    word: tuple[int, int]
    stop: int
    is_cut: tuple[bool, bool]

    def marked(self, text: str) -> str:
        """Return the sentence in one line, with marks around the word, and without parts of words at its ends."""
        parts = (text[self.start : self.word[0]], text[slice(*self.word)], text[self.word[1] : self.stop])
        before, word, after = (part.translate(_INVISIBLE) for part in parts)
        pieces = f"{before}{START}{word}{END}{after}".split()
        first, last = START not in pieces[0] and self.is_cut[0], END not in pieces[-1] and self.is_cut[1]
        return " ".join(pieces[first : len(pieces) - last])


def _in_sentences(text: str, forms: Mapping[str, str]) -> Iterator[tuple[str, _Place]]:
    """Yield each word with each sentence it is in, where it comes first."""
    tokens = [match.span() for match in TOKEN.finditer(text)]
    starts = [start for start, _ in tokens]
    ends: list[int] | None = None
    seen: set[tuple[str, int]] = set()
    for first, last in tokens:
        word = forms.get(text[first:last])
        if word is None:
            continue
        if ends is None:
            ends = [0, *(end.end() for end in _END.finditer(text)), len(text)]
        number = bisect_right(ends, first, hi=len(ends) - 1)
        start, stop = max(ends[number - 1], first - MOST_AROUND), min(ends[number], last + MOST_AROUND)
        if (word, number) not in seen and bisect_left(starts, stop) - bisect_left(starts, start) >= _FEWEST_TOKENS:
            yield word, _Place(start, (first, last), stop, (start > ends[number - 1], stop < ends[number]))
        seen.add((word, number))
