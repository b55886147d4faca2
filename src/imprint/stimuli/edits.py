"""Edits of a text that should not matter: typing mistakes, punctuation, order, and a line about something else."""

import re
from collections.abc import Callable

_WORD = re.compile(r"(?<![{\w])[a-z]{5,}(?![\w}])")  # slots and names stay as they are
_SENTENCES = re.compile(r"(?<=[.!?])\s+")


def _nth_longest(rank: int, change: Callable[[str], str]) -> Callable[[str], str]:
    """Return an edit of the word that is so many places below the longest; the text as it is where it has none."""

    def edit(text: str) -> str:
        words = sorted(dict.fromkeys(_WORD.findall(text)), key=lambda word: (-len(word), word))
        if rank >= len(words):
            return text
        return re.sub(rf"(?<![{{\w]){words[rank]}(?![\w}}])", change(words[rank]), text, count=1)

    return edit


def _reordered(text: str) -> str:
    """Return the sentences in reverse order."""
    return " ".join(reversed(_SENTENCES.split(text)))


EDITS: dict[str, Callable[[str], str]] = {
    "two letters exchanged": _nth_longest(0, lambda word: word[:2] + word[3] + word[2] + word[4:]),
    "a letter missing": _nth_longest(1, lambda word: word[:3] + word[4:]),
    "a letter doubled": _nth_longest(2, lambda word: word[:3] + word[2:]),
    "a word missing": _nth_longest(3, lambda word: ""),
    "a word twice": _nth_longest(4, lambda word: f"{word} {word}"),
    "a word in capitals": _nth_longest(1, str.upper),
    "another order": _reordered,
    "no commas": lambda text: text.replace(",", ""),
    "no full stop": lambda text: text.rstrip(".!?"),
    "an exclamation mark": lambda text: f"{text.rstrip('.!?')}!",
    "& for and": lambda text: text.replace(" and ", " & "),
    "a date": lambda text: f"{text} Last updated in May.",
}

# Where a text is about one person, as a CV.
OF_PEOPLE: dict[str, Callable[[str], str]] = {
    "a hobby": lambda text: f"{text} Hobby: chess.",
    "another hobby": lambda text: f"{text} Hobby: gardening.",
}
