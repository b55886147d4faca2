"""What a study asks: a design of blocks, a block of items, an item's answers, and orders that a restart repeats.

A block is what a person sees on one page: a category whose words are matched to groups, one pair or one association.
Orders follow from hashes, not from a generator: they must be the same after the server is started again under another
version of numpy.

What a study refuses:

StudyError           a file that is no study, or something that cannot be done with it
├── WithdrawnError   somebody who is not there, or whose number has withdrawn
└── AnswerError      an answer that is not one of those asked for
    ├── AnsweredError    another answer to the same question is stored already
    └── LateError        the page was given to somebody else meanwhile
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from imprint.checks import Protocol
from imprint.errors import ImprintError

ItemKind = Literal["name", "triple", "rating", "sense", "stereotype", "words"]
Stage = Literal["exam", "main"]
Thing = TypeVar("Thing")

CANNOT_TELL = "cannot-tell"  # an answer beside the groups, of a page that offers it
RATINGS = tuple(str(rating) for rating in range(1, 8))
YES_NO = ("yes", "no")

MOST_SUGGESTED = 20
LONGEST_SUGGESTED = 40

_JOINTS = re.compile(r"[ '-]")  # what may stand between the letters of a word


class StudyError(ImprintError):
    """A file that is not a study, or something that cannot be done with it."""


class WithdrawnError(StudyError):
    """A participant of whom nothing is stored any more, or who came again under a number that has withdrawn."""


class AnswerError(StudyError):
    """An answer that is not one of those asked for; nothing of it was stored. `status` is that of the response."""

    status = 422


class AnsweredError(AnswerError):
    """The question has another answer from this person already; the first one stays."""

    status = 409


class LateError(AnswerError):
    """The page was open for so long that somebody else was given it; nothing was stored."""

    status = 410


@dataclass(frozen=True)
class NameGroup:
    """A group of names, known by its letter and the names that illustrate it.

    `cues` represent it in the exam; a group without any is not in the exam.
    """

    letter: str
    names: tuple[str, ...]
    cues: tuple[str, ...] = ()


@dataclass(frozen=True)
class Item:
    """One question. `expected` is the letter of the group that the embedding, or the list of names, puts it in."""

    kind: ItemKind
    words: tuple[str, ...]
    expected: str | None = None


@dataclass(frozen=True)
class ItemBlock:
    """Items that are shown and answered together.

    `title` holds the category's central words, the two ends of an analogy's axis, or what suggestions are about.
    `groups` holds the letters to choose from, and CANNOT_TELL where that is an answer too, or the one that is rated.
    """

    title: tuple[str, ...]
    items: tuple[Item, ...]
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Design:
    """A whole study.

    Every block is answered by `quota` people; with fewer than `least` its scores are marked. `exam` is the pool that
    each person's exam is drawn from; `n_found` counts all associations, also those not asked about.
    `parent` is the id of the study whose associations are rated.
    """

    protocol: Protocol
    embedding: str
    embedding_sha256: str
    blocks: tuple[ItemBlock, ...]
    quota: int
    least: int
    groups: tuple[NameGroup, ...] = ()
    exam: tuple[Item, ...] = ()
    n_found: int | None = None
    notes: tuple[str, ...] = ()
    parent: str | None = None

    def __repr__(self) -> str:
        return f"Design({self.protocol} on {self.embedding}: {len(self.blocks)} blocks, {self.quota} people each)"


def check_value(kind: ItemKind, value: str, groups: Sequence[str]) -> str:
    """Return an answer as it is stored; refuse one that the question does not allow."""
    if kind == "words":
        return ", ".join(suggested_words(value))
    allowed = groups if kind in ("name", "triple") else RATINGS if kind == "rating" else YES_NO
    if value not in allowed:
        raise AnswerError(option="the answer", got=value, expected=f"one of {', '.join(allowed)}")
    return value


def suggested_words(text: str) -> tuple[str, ...]:
    """Take apart words that somebody typed, separated by commas or lines; each once, in lower case.

    Accented letters and apostrophes are written one way, so that the same word does not count as two.
    """
    longest = (MOST_SUGGESTED + 1) * (LONGEST_SUGGESTED + 2)
    plain = unicodedata.normalize("NFC", text[: longest + 1].lower().replace("’", "'"))
    parts = [" ".join(part.split()) for part in re.split(r"[,;\n]", plain)]
    words = tuple(dict.fromkeys(filter(None, parts)))
    if not words:
        raise AnswerError("there are no words", hint="write at least one, and separate several by commas")
    if len(words) > MOST_SUGGESTED or len(text) > longest:
        raise AnswerError(
            f"there are more than {MOST_SUGGESTED} words", hint=f"keep the {MOST_SUGGESTED} that fit best"
        )
    for word in words:
        if len(word) > LONGEST_SUGGESTED or not _is_word(word):
            raise AnswerError(
                f"{word[:LONGEST_SUGGESTED]!r} is not a word",
                words=[word],
                hint=f"use letters, blanks, hyphens and apostrophes, at most {LONGEST_SUGGESTED} characters",
            )
    return words


def shuffled(things: Iterable[Thing], *key: object) -> list[Thing]:
    """Return things in an order that depends on nothing but the key and how each thing is written."""
    return sorted(things, key=lambda thing: _place(repr(thing), key))


def _is_word(text: str) -> bool:
    """Tell whether there are letters, with the marks that go with them, at both ends and between all joints."""
    parts = [[unicodedata.category(letter)[0] for letter in part] for part in _JOINTS.split(text)]
    return all(part and part[0] == "L" and set(part) <= {"L", "M"} for part in parts)


def _place(thing: str, key: tuple[object, ...]) -> bytes:
    return hashlib.sha256("\x1f".join((*map(repr, key), thing)).encode()).digest()
