"""What a person types, taken apart into words and checked; the same rules for a form and for the JSON API."""

import re
from collections.abc import Iterable, Mapping, Sequence

from imprint.errors import StimulusError
from imprint.stimuli.catalog import catalogue
from imprint.stimuli.definition import UNDETERMINED, WeatTest, WordSet, word_sets

MOST_WORDS = 200  # in a set
LONGEST_WORD = 64  # characters
CUSTOM = "explorer"  # what a test of typed words is called

_SEPARATORS = re.compile(r"[,;\r\n]")

Pair = tuple[str, str]
Sets = Mapping[str, tuple[str, ...]]  # of an association test, by their letters x, y, a and b


def sets_of(test: WeatTest) -> dict[str, tuple[str, ...]]:
    """Return the words of a test by the letters the papers give its sets."""
    return {letter: words.words for letter, words in word_sets(test).items()}


def weat_test(sets: Sets) -> WeatTest:
    """Return the catalogue's test of these words, or else the test that a TOML file of them would make."""
    for known in weat_tests():
        if sets_of(known) == sets:
            return known
    x, y, a, b = (WordSet.of(letter, sets[letter]) for letter in "xyab")
    return WeatTest(CUSTOM, CUSTOM, "", UNDETERMINED, x, y, a, b)


def weat_tests() -> tuple[WeatTest, ...]:
    """Return the catalogue's association tests of two sets of targets."""
    return tuple(test for test in catalogue() if isinstance(test, WeatTest))


def split_words(text: str) -> tuple[str, ...]:
    """Return the words of a text: one per line, or separated by commas or semicolons, as in a file of words."""
    return tuple(filter(None, (part.strip() for part in _SEPARATORS.split(text))))


def split_pairs(text: str) -> tuple[Pair, ...]:
    """Return the pairs of words of a text, one pair per line: he, she."""
    pairs = []
    for line in filter(None, (line.strip() for line in text.splitlines())):
        words = [word.strip() for word in re.split("[,;]", line)]
        if len(words) != 2 or not all(words):
            raise StimulusError(
                f"{line[:LONGEST_WORD]!r} is not a pair", got=line, hint="write two words per line, such as he, she"
            )
        pairs.append((words[0], words[1]))
    return tuple(pairs)


def check_words(name: str, words: Sequence[str]) -> None:
    """Refuse more or longer words than the explorer measures, and what a file of words could not hold."""
    if not words:
        raise StimulusError("has no words", where=name, hint="write some, one per line or separated by commas")
    if len(words) > MOST_WORDS:
        raise StimulusError(
            f"has {len(words):,} words",
            expected=f"at most {MOST_WORDS}",
            where=name,
            got=len(words),
            hint="use imprint's commands for more",
        )
    for word in words:
        if len(word) > LONGEST_WORD:
            raise StimulusError(
                f"has a word of {len(word):,} characters",
                expected=f"at most {LONGEST_WORD}",
                where=name,
                got=len(word),
            )
        if split_words(word) != (word,) or not word.isprintable():
            raise StimulusError(
                f"{word!r} is not a word",
                where=name,
                words=[word],
                hint="leave out commas, semicolons, blanks at the ends and invisible characters",
            )


def check_pairs(pairs: Iterable[Pair]) -> None:
    """Check the words of pairs, and that there are not too many of them."""
    for end, words in zip(("first words", "second words"), zip(*pairs, strict=True), strict=False):
        check_words(end, words)
