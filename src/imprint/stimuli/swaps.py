"""What a swap exchanges: two groups of names, or the pronouns he and she; the texts they go into; and neutral edits.

These are edits of a text that should not matter: typing mistakes, punctuation, order, and a line about something else.

A file of texts has one per line, and # begins a comment. A line has {name} at least once, or pronouns: {he}, {him},
{his} and {himself}, written with a capital where the pronoun has one.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from imprint.checks import did_you_mean
from imprint.errors import StimulusError
from imprint.files import FilePath, bundled_file
from imprint.stimuli.catalog import catalogue
from imprint.stimuli.definition import UNDETERMINED, WeatTest, WordSet
from imprint.stimuli.files import TomlTable, read_set, read_table, read_text

PRONOUNS = "pronouns"
DEFAULT_NAMES = ("race", "gender")
TWO_BY_TWO = "gender-by-race"

_ORDERS = ((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2))  # groups of each effect: those that count as X first
_CROSSED = "stimuli/data/retrieval/names.jsonl"
_DATA = Path(__file__).with_name("data") / "swap"
_SLOT = re.compile(r"\{([^{}]*)\}|[{}]")
_NAME = "name"
_FORMS = {"he": ("he", "she"), "him": ("him", "her"), "his": ("his", "her"), "himself": ("himself", "herself")}
_SLOTS = "{name}, or {he}, {him}, {his} and {himself}"
_LONGEST = 5_000  # characters of a text
_LONG_WORD = re.compile(r"(?<![{\w])[a-z]{5,}(?![\w}])")  # slots and names stay as they are
_SENTENCES = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True)
class Swap:
    """Two groups whose names are exchanged in texts; of pronouns, each group has one."""

    id: str
    title: str
    x: WordSet
    y: WordSet
    topics: tuple[str, ...] = ()
    source: str = ""
    language: str = UNDETERMINED
    is_matched: bool = False  # in frequency
    cells: tuple[WordSet, ...] = ()  # of a 2 x 2: the two groups of x, then the two of y
    is_interaction: bool = False

    @property
    def groups(self) -> tuple[WordSet, ...]:
        """The groups whose means are compared."""
        return self.cells or (self.x, self.y)

    @property
    def coefficients(self) -> tuple[float, ...]:
        """The part of each group's mean: of a main effect half, so that it is the mean of two differences."""
        part = 0.5 if self.cells and not self.is_interaction else 1.0
        half = len(self.groups) // 2
        return (*[part] * half, *[-part] * half)

    @property
    def scale(self) -> float:
        """How many times the difference of the means of X and Y it is: of an interaction, two."""
        return sum(map(abs, self.coefficients)) / 2

    def coefficients_of(self, groups: Sequence[WordSet]) -> tuple[float, ...]:
        """Return the coefficients of groups in another order; those that are not compared have none."""
        of_group = dict(zip(self.groups, self.coefficients, strict=True))
        return tuple(of_group.get(group, 0.0) for group in groups)

    def keep(self, words: Collection[str]) -> "Swap":
        """Return it with these of its words alone."""
        x, y, *cells = (
            group.subset(word for word in group.words if word in words) for group in (self.x, self.y, *self.cells)
        )
        return replace(self, x=x, y=y, cells=tuple(cells))

    @property
    def of_pronouns(self) -> bool:
        """Whether pronouns are exchanged."""
        return self.id == PRONOUNS

    @property
    def words(self) -> tuple[str, ...]:
        """The names of both groups."""
        return self.x.words + self.y.words


@dataclass(frozen=True)
class SwapTexts:
    """Texts to put names into, and texts to put pronouns into."""

    names: tuple[str, ...]
    pronouns: tuple[str, ...]

    def of(self, swap: Swap) -> tuple[str, ...]:
        """Return the texts for names, or for pronouns."""
        texts = self.pronouns if swap.of_pronouns else self.names
        if not texts:
            slots = "{he}, {him} or {his}" if swap.of_pronouns else "{name}"
            raise StimulusError(
                option="templates", got=texts, expected=f"at least one text with {slots} for {swap.id!r}"
            )
        return texts


def find_swaps(name: str) -> list[Swap]:
    """Return the swaps of a name: one, or of a 2 x 2 its main effects and their interaction."""
    if name != TWO_BY_TWO:
        return [find_swap(name)]
    return [replace(swap, id=f"{name}-{swap.id}", title=f"Names, {swap.title}") for swap in two_by_two()]


def find_swap(name: str) -> Swap:
    """Return a swap by its name: race, gender, pronouns, or a test of the catalogue that compares names."""
    if name == PRONOUNS:
        he, she = (WordSet.of(pronoun, [pronoun]) for pronoun in _FORMS["he"])
        return Swap(PRONOUNS, "He and she", he, she, ("gender",), "", "en")
    if name in _bundled():
        return _bundled()[name]
    tests = {test.id: test for test in catalogue() if isinstance(test, WeatTest) and _of_names(test)}
    if name not in tests:
        choices = (*_bundled(), TWO_BY_TWO, PRONOUNS, *tests)
        hint = did_you_mean(name, choices) or "or give two groups of your own"
        raise StimulusError(option="names", got=name, expected=f"one of {', '.join(choices)}", hint=hint)
    test = tests[name]
    title = f"{test.x.name} and {test.y.name}"
    title = f"{title[0].upper()}{title[1:]}"
    return Swap(test.id, title, test.x, test.y, test.topics, test.source, test.language, test.is_question)


def swaps_of_groups(sources: Sequence[FilePath | Sequence[str]]) -> list[Swap]:
    """Return the swaps of a user's own names, of files, texts with commas, or lists: one of two groups, or a 2 x 2."""
    groups = [_group(source, number) for number, source in enumerate(sources, 1)]
    counts = Counter(word for group in groups for word in group.words)
    if several := sorted(word for word, count in counts.items() if count > 1):
        raise StimulusError(f"{several[0]!r} is in two groups", option="groups", words=several, hint="keep it in one")
    source = "names given"
    if len(groups) == 2:
        x, y = groups
        return [Swap("groups", f"{x.name} / {y.name}", x, y, source=source)]
    effects = ("first", "second", "interaction")
    return [_of_cells(groups, number, id=f"groups-{effect}", source=source) for number, effect in enumerate(effects)]


@cache
def two_by_two() -> list[Swap]:
    """Return what is asked of names of two genders and two races, matched in frequency and length."""
    names: dict[tuple[str, str], list[str]] = {key: [] for key in product(("men", "women"), ("white", "black"))}
    for line in bundled_file(_CROSSED).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        names[row["gender"], row["race"]].append(row["name"])
    groups = [WordSet.of(f"{race.title()} {gender}", words, "name") for (gender, race), words in names.items()]
    effects: list[dict[str, Any]] = [
        {"id": "gender", "sides": ("men's names", "women's names"), "topics": ("gender",)},
        {"id": "race", "sides": ("White names", "Black names"), "topics": ("race",)},
        {
            "id": "interaction",
            "title": "men's less women's names, among White less among Black names",
            "sides": ("White men's and Black women's names", "White women's and Black men's names"),
            "topics": ("gender", "race"),
        },
    ]
    about: dict[str, Any] = {
        "source": "names by gender and race, as in the bundled table of first names",
        "language": "en",
        "is_matched": True,
    }
    return [_of_cells(groups, number, **effect, **about) for number, effect in enumerate(effects)]


def _of_cells(groups: Sequence[WordSet], number: int, *, sides: Sequence[str] = ("", ""), **about: Any) -> Swap:
    """Return an effect of a 2 x 2: the first factor, the second, or their interaction."""
    cells = tuple(groups[index] for index in _ORDERS[number])
    x, y = (
        WordSet.of(
            name or " and ".join(cell.name for cell in half), [word for cell in half for word in cell.words], "name"
        )
        for name, half in zip(sides, (cells[:2], cells[2:]), strict=True)
    )
    titled = {"title": f"{x.name} and {y.name}" if sides[0] else f"{x.name} / {y.name}"} | about
    return Swap(x=x, y=y, cells=cells, is_interaction=number == len(_ORDERS) - 1, **titled)


@cache
def bundled_texts() -> SwapTexts:
    """Return the texts that come with this package: reviews, CVs and letters."""
    return read_texts(_DATA / "templates.txt")


def read_texts(source: FilePath | Sequence[str]) -> SwapTexts:
    """Read texts from a file, or take those given; each must have a slot."""
    if isinstance(source, str | os.PathLike):
        lines = read_text(source).split("\n")
        numbered = [((source, number), line) for number, line in enumerate(lines, 1)]
        numbered = [(where, line) for where, line in numbered if line.strip() and not line.lstrip().startswith("#")]
    else:
        numbered = [(("templates", number), line) for number, line in enumerate(source, 1)]
    texts: dict[str, bool] = {}
    for where, line in numbered:
        text = " ".join(line.split())
        problem = slot_problem(text) or ("is duplicated; keep one" if text in texts else None)
        if problem is not None:
            raise StimulusError(f"the text {problem}", where=where)
        texts[text] = f"{{{_NAME}}}" in text
    if not texts:
        raise StimulusError("has no texts", option="templates", hint=f"write one per line, with {_SLOTS}")
    return SwapTexts(*(tuple(text for text, named in texts.items() if named is wanted) for wanted in (True, False)))


def fill_in(text: str, word: str) -> str:
    """Return a text with a name, or with the pronouns of he or she, in its slots."""

    def replaced(slot: re.Match[str]) -> str:
        if slot[1] == _NAME:
            return word
        form = _FORMS[slot[1].lower()][word == "she"]
        return form.capitalize() if slot[1][0].isupper() else form

    return _SLOT.sub(replaced, text)


def slot_problem(text: str) -> str | None:
    """Say what is wrong with a text to put names or pronouns into; None where nothing is."""
    if len(text) > _LONGEST or not text.isprintable():
        return f"must have at most {_LONGEST:,} visible characters"
    slots = [slot[1] for slot in _SLOT.finditer(text)]
    strange = [slot for slot in slots if slot != _NAME and (slot or "").lower() not in _FORMS]
    if strange or not slots:
        return f"has {f'the slot {strange[0]!r}' if strange else 'nowhere to put a name'}; write {_SLOTS}"
    if _NAME in slots and set(slots) != {_NAME}:
        return "has both {name} and pronouns; write one of them, so that one thing changes at a time"
    return None


def _group(source: FilePath | Sequence[str], number: int) -> WordSet:
    if isinstance(source, str | os.PathLike):
        return read_set(source, "name")
    words = tuple(source)
    if not words or len({*words}) < len(words):
        raise StimulusError(option="groups", got=words, expected="lists of different names")
    return WordSet.of(f"group {number}", words, "name")


def _of_names(test: WeatTest) -> bool:
    return {*test.x.kinds, *test.y.kinds} == {"name"}


@cache
def _bundled() -> dict[str, Swap]:
    return {name: _read(name, table) for name, table in read_table(_DATA / "names.toml").values.items()}


def _read(name: str, values: dict[str, object]) -> Swap:
    table = TomlTable(values, (name,))
    x, y = (TomlTable(table.need(side, dict), (name, side)) for side in ("x", "y"))
    first, second = (WordSet.of(side.need("name", str), side.texts("words"), "name") for side in (x, y))
    title, source = (table.need(key, str) for key in ("title", "source"))
    return Swap(name, title, first, second, table.texts("topics"), source, "en", is_matched=True)


def _nth_longest(rank: int, change: Callable[[str], str]) -> Callable[[str], str]:
    """Return an edit of the word that is so many places below the longest; the text as it is where it has none."""

    def edit(text: str) -> str:
        words = sorted(dict.fromkeys(_LONG_WORD.findall(text)), key=lambda word: (-len(word), word))
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
