"""Which groups of names people can be asked about, and the entry exam: who matches enough lines to them goes on.

Swinger et al. (2019), section 4.1, asked about 36 names of 12 groups, and 37 % of workers passed. The groups of an
embedding overlap too much for that: even a rater who knows the sex, origin and age of every name cannot tell them
apart. So up to four groups are asked about, in the exam and after it. Each is one that names of a sex and origin point
to: two of three people who have such names have one of this group's. It is shown by the most common of these names.

The exam asks as the pages after it do, which group a line of words goes with, but the answer is known: a line has a
word for the sex and two places where names of that origin are at home.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import count
from math import comb, factorial

import numpy as np

from imprint.stimuli.names import first_names
from imprint.study.design import StudyError

SKILL = 0.8  # share of the exam's lines that a rater of normal skill knows; the others are guessed
LEAST_SKILLED = 0.95  # of such raters pass
MOST_RANDOM = 0.05  # of those who click at random pass
MOST_GROUPS = 4

_SHOWN = 5  # names that stand for a group
_POOL = 10  # lines, or names, from which each person's are drawn
_LEAST_SHOWN = 2
_CLEAR_SEX, _CLEAR_ORIGIN = 0.95, 0.8  # shares of a name's bearers
_MOST_OF_KIND = 2 / 3  # of the people with names of a sex and origin, those whose name is in the group they point to
_FEWEST_BEARERS = 10_000  # of a name that people recognise

_KIN = {  # by sex
    "women": ("mother", "sister", "daughter", "wife", "aunt", "grandmother", "girl", "woman", "lady", "niece"),
    "men": ("father", "brother", "son", "husband", "uncle", "grandfather", "boy", "man", "gentleman", "nephew"),
}
_PLACES = {  # by origin
    "white": ("England", "Scotland", "Ireland", "Wales", "Britain", "London", "Dublin", "Glasgow", "Leeds", "Belfast"),
    "black": ("Ghana", "Kenya", "Jamaica", "Haiti", "Uganda", "Liberia", "Cameroon", "Zambia", "Rwanda", "Barbados"),
    "hispanic": ("Mexico", "Spain", "Cuba", "Colombia", "Peru", "Chile", "Panama", "Honduras", "Madrid", "Havana"),
    "asian_pacific": ("China", "Japan", "Korea", "Vietnam", "India", "Thailand", "Taiwan", "Tokyo", "Laos", "Hanoi"),
    "muslim": ("Egypt", "Iraq", "Syria", "Morocco", "Kuwait", "Yemen", "Cairo", "Baghdad", "Damascus", "Mecca"),
}
# The census counts Muslims among all its origins, so that a list says which names are theirs. It leaves out names that
# are as common elsewhere, such as Adam and Omar.
_MUSLIM = frozenset({
    "Abdul", "Abdullah", "Ahmad", "Ahmed", "Ali", "Bilal", "Hamza", "Hasan", "Hassan", "Hussein", "Ibrahim", "Ismail",
    "Karim", "Khalid", "Mahmoud", "Mohamed", "Mohammad", "Mohammed", "Muhammad", "Mustafa", "Osman", "Salim", "Tariq",
    "Yousef", "Youssef", "Yusuf", "Aisha", "Amina", "Khadija", "Maryam", "Zahra", "Zainab",
})  # fmt: skip

Bearers = tuple[str, str]  # the sex and origin that nearly all bearers of a name share


@dataclass(frozen=True)
class ExamRule:
    """How many lines of each of the groups everybody is asked about, and how many of all must be right."""

    groups: int
    each: int
    mark: int

    @property
    def lines(self) -> int:
        """How many lines one person is asked about."""
        return self.groups * self.each

    def pass_rate(self, skill: float) -> float:
        """Return the exact chance of a rater who knows each line with probability `skill`, and guesses otherwise."""
        right = skill + (1 - skill) / self.groups
        ways = ((comb(self.lines, k), k) for k in range(self.mark, self.lines + 1))
        return sum(way * right**k * (1 - right) ** (self.lines - k) for way, k in ways)


def majority_rate(skill: float, choices: int, people: int, *, telling: float = 0.0) -> float:
    """Return the chance that a question's group is the single most frequent answer of so many people.

    Each knows it with probability `skill`. Of the others a share `telling` says that they cannot tell; the rest guess.
    """
    guess = (1 - skill) * (1 - telling) / choices
    others = [guess] * (choices - 1) + [(1 - skill) * telling]
    rate = 0.0
    for votes in range(1, people + 1):
        # Ways in which every other answer has fewer: a product of exponential series.
        series = ([share**each / factorial(each) for each in range(votes)] for share in others)
        below, rest = reduce(np.convolve, series, np.ones(1)), people - votes
        if rest < len(below):
            rate += (skill + guess) ** votes * float(below[rest]) * factorial(people) / factorial(votes)
    return rate


@dataclass(frozen=True)
class ExamGroup:
    """A group in the exam: the names that represent it, and the lines that are asked about."""

    letter: str
    shown: tuple[str, ...]
    asked: tuple[tuple[str, ...], ...]


@cache
def exam_rule(groups: int) -> ExamRule:
    """Return the shortest exam over so many groups that raters of normal skill pass and random clicks do not.

    Without groups it asks for nothing.
    """
    if groups == 0:
        return ExamRule(0, 0, 0)
    if not 2 <= groups <= MOST_GROUPS:
        raise StudyError(option="groups of names in the exam", got=groups, expected=f"2 to {MOST_GROUPS}")
    rules = (ExamRule(groups, each, mark) for each in count(1) for mark in range(each * groups + 1))
    return next(rule for rule in rules if rule.pass_rate(0) <= MOST_RANDOM and rule.pass_rate(SKILL) >= LEAST_SKILLED)


def choose_groups(groups: Mapping[str, Sequence[str]]) -> tuple[tuple[ExamGroup, ...], bool]:
    """Return the groups that people recognise with their exam, and whether their names are clear.

    A kind is a sex and an origin. It points to the group that has two thirds of the people with its clear names. A
    group that several kinds point to is shown by the one with the fewest people elsewhere: by its most common names in
    the group, and then by others of that kind if these are too few. If this gives fewer than two groups, the first
    groups are taken, and their exam asks about their names as they are.
    """
    clear, table = _clear_names(), first_names()
    bearers: dict[Bearers, Counter[str]] = defaultdict(Counter)
    for letter, names in groups.items():
        for name in names:
            if name in clear:
                bearers[clear[name]][letter] += int(table.counts[table.index[name]])
    chosen: dict[str, ExamGroup] = {}
    elsewhere = {name for names in groups.values() for name in names}
    pointing = [
        (most / counts.total(), kind, letter) for kind, counts in bearers.items() for letter, most in counts.items()
    ]
    for share, kind, letter in sorted(pointing, reverse=True):
        if share >= _MOST_OF_KIND and letter not in chosen:
            held = {*groups[letter]}
            alike = [name for name, clear_kind in clear.items() if clear_kind == kind]
            names = [name for name in alike if name in held] + [name for name in alike if name not in elsewhere]
            chosen[letter] = ExamGroup(letter, tuple(names[:_SHOWN]), _lines(*kind))
    if len(chosen) < 2:
        return _exam_of_names(dict([*groups.items()][:MOST_GROUPS])), False
    return tuple(chosen.values())[:MOST_GROUPS], True


def _lines(sex: str, origin: str) -> tuple[tuple[str, ...], ...]:
    places = _PLACES[origin]
    return tuple(zip(_KIN[sex], places, places[1:] + places[:1], strict=True))


def _exam_of_names(chosen: Mapping[str, Sequence[str]]) -> tuple[ExamGroup, ...]:
    each = exam_rule(len(chosen)).each
    exam = []
    for letter, names in chosen.items():
        if len(names) < each + _LEAST_SHOWN:
            raise StudyError(
                f"has {len(names)} names",
                expected=f"at least {each + _LEAST_SHOWN} for the exam",
                where=f"group {letter}",
                words=list(names),
                hint="create the study from the embedding, which has all names",
            )
        shown = min(_SHOWN, max(_LEAST_SHOWN, len(names) - _POOL))
        asked = tuple((name,) for name in names[shown : shown + _POOL])
        exam.append(ExamGroup(letter, tuple(names[:shown]), asked))
    return tuple(exam)


@cache
def _clear_names() -> dict[str, Bearers]:
    """Return the sex and origin of common names where both are clear, most common names first."""
    table = first_names()
    women = table.share_women
    known: dict[str, Bearers] = {}
    for sex, shares in (("women", women), ("men", 1 - women)):
        for origin in _PLACES:
            listed = np.isin(table.names, [*_MUSLIM])
            is_origin = listed if origin == "muslim" else (table.races[origin] >= _CLEAR_ORIGIN) & ~listed
            for row in ((shares >= _CLEAR_SEX) & is_origin).nonzero()[0]:
                known[table.names[row]] = (sex, origin)
    common = (name for name, count in zip(table.names, table.counts, strict=True) if count >= _FEWEST_BEARERS)
    return {name: known[name] for name in common if name in known}
