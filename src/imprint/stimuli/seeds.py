"""Seed words that directions and debiasing start from, and a user's own.

The lists are those that Bolukbasi et al. published in 2016 with "Man is to computer programmer as woman is to
homemaker?", the longer version of their workshop paper; scripts/build_seeds.py writes them. Crowd workers scored every
profession from -1 (women) to 1 (men), once for what the word means and once for the stereotype.
"""

import re
from dataclasses import dataclass
from functools import cache

from imprint.errors import StimulusError
from imprint.files import FilePath, bundled_file
from imprint.stimuli.files import is_list, read_rows, read_text, read_words

# From here on at least half of the full score says that the word means one gender: waitress, policeman, monk. Such
# words are right to differ along a gender axis, so they are neither stereotypes to find nor to remove.
BY_DEFINITION = 0.5

FEWEST_JUDGES = 10  # held-out words below which resamples say nothing: of two words all have one ratio

_HEADER = re.compile(r'\s*"?word"?\s*[,;\n]', re.IGNORECASE)
_PAIR_HEADER = ["positive", "negative"]

WordPair = tuple[str, str]


@dataclass(frozen=True)
class Profession:
    """A profession, how far the crowd thinks it gendered by definition and by stereotype, and its part of the split.

    Both scores run from -1 (women) to 1 (men). Held-out words are for judging what was fitted on the others.
    """

    word: str
    definition: float
    stereotype: float
    held_out: bool


@dataclass(frozen=True, repr=False)
class Seeds:
    """Words to fit on and words to evaluate on."""

    fitted: tuple[str, ...]
    held_out: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """All of them, those to fit on first."""
        return self.fitted + self.held_out

    def __repr__(self) -> str:
        return f"Seeds({len(self.fitted)} fitted, {len(self.held_out)} held out)"


def professions(*, neutral: bool = True) -> tuple[Profession, ...]:
    """Return the catalogue's professions with a crowd's scores, in alphabetical order.

    Phrases have underscores, as in Google News: cab_driver.

    Parameters
    ----------
    neutral
        Leave out professions that are gendered by definition.

    Returns
    -------
    tuple of Profession
        The words, their scores from -1 (women) to 1 (men), and whether they are held out.

    Examples
    --------
    >>> imprint.professions()[0]
    Profession(word='accountant', definition=0.0, stereotype=0.4, held_out=True)
    """
    return tuple(each for each in _professions() if not neutral or abs(each.definition) < BY_DEFINITION)


def fitted() -> tuple[str, ...]:
    """Return the four fifths of the neutral professions that may be fitted on."""
    return tuple(profession.word for profession in professions() if not profession.held_out)


def held_out() -> tuple[str, ...]:
    """Return the fifth of the neutral professions that is kept for judging."""
    return tuple(profession.word for profession in professions() if profession.held_out)


@cache
def gender_specific() -> tuple[str, ...]:
    """Return words that are gendered by what they mean, most frequent first, in upper and lower case."""
    return read_seeds(bundled_file("stimuli/data/seeds/gender_specific.csv")).words


@cache
def definitional_pairs() -> tuple[WordPair, ...]:
    """Return the ten pairs that define gender, the man's word first."""
    return read_pairs(bundled_file("stimuli/data/seeds/definitional_pairs.csv"))


@cache
def equalize_pairs() -> tuple[WordPair, ...]:
    """Return pairs that should differ in gender alone, the man's word first."""
    return read_pairs(bundled_file("stimuli/data/seeds/equalize_pairs.csv"))


@cache
def background() -> tuple[str, ...]:
    """Return common words of all frequencies that no one suggested to be gendered, most frequent first."""
    return read_seeds(bundled_file("stimuli/data/seeds/background.csv")).words


def read_seeds(path: FilePath) -> Seeds:
    """Read seed words of your own.

    Parameters
    ----------
    path
        A file of words, the words separated by commas, or a CSV file with the columns `word` and, if you like,
        `held_out` (0 or 1). Others are ignored.

    Returns
    -------
    Seeds
        Words to fit on and words to evaluate on; without `held_out` all are to fit on.
    """
    if is_list(path) or not _HEADER.match(read_text(path)):
        return Seeds(read_words(path), ())
    rows = read_rows(path)
    header = [name.lower() for name in next(rows)[2]]
    column = header.index("held_out") if "held_out" in header else None
    parts: dict[str, bool] = {}
    for line, _, row in rows:
        where = (path, line)
        if len(row) != len(header):
            raise StimulusError(
                f"has {len(row)} columns", expected=f"{len(header)}, as in the first line", where=where
            )
        word, part = row[0], "0" if column is None else row[column]
        if not word or word in parts:
            raise StimulusError(
                f"{word!r} is duplicated" if word else "has no word", where=where, hint="write each word once"
            )
        if part not in ("0", "1"):
            raise StimulusError(option="held_out", got=part, expected="0 (to fit on) or 1 (to judge by)", where=where)
        parts[word] = part == "1"
    if not parts:
        raise StimulusError("has no words below its header", where=path, hint="write one word per line")
    return Seeds(*(tuple(word for word in parts if parts[word] is wanted) for wanted in (False, True)))


def read_pairs(path: FilePath) -> tuple[WordPair, ...]:
    """Read pairs of words, one pair per line, separated by a comma or a semicolon: he,she.

    A first line that says positive,negative is a header.
    """
    pairs: dict[WordPair, int] = {}
    for line, _, row in read_rows(path):
        where = (path, line)
        if len(row) != 2 or not all(row):
            raise StimulusError(f"{', '.join(row)!r} is not a pair", expected="two words, such as he,she", where=where)
        pair = row[0], row[1]
        if not pairs and [word.lower() for word in row] == _PAIR_HEADER:
            continue
        if pair in pairs:
            raise StimulusError(
                f"{pair[0]},{pair[1]} is duplicated, first in line {pairs[pair]}", where=where, hint="keep one"
            )
        pairs[pair] = line
    if not pairs:
        raise StimulusError("has no pairs", where=path, hint="write one pair per line, such as he,she")
    return tuple(pairs)


@cache
def _professions() -> tuple[Profession, ...]:
    _, *rows = (row for *_, row in read_rows(bundled_file("stimuli/data/seeds/professions.csv")))
    return tuple(
        Profession(word, float(definition), float(stereotype), held_out == "1")
        for word, definition, stereotype, held_out in rows
    )
