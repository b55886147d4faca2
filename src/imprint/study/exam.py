"""The entry exam: who places enough names whose sex and origin are clear goes on.

Swinger et al. (2019), section 4.1, asked about 36 names of 12 groups, and 37 % of workers passed. The groups of an
embedding overlap too much for that: even a rater who knows the sex, origin and age of every name cannot tell them
apart. So up to four groups are asked about, each by its names of one sex and origin.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from math import comb

from imprint.stimuli.names import RACES, first_names
from imprint.study.design import StudyError

SKILL = 0.8  # share of the exam's names that a rater of normal skill knows; the others are guessed
LEAST_SKILLED = 0.95  # of such raters pass
MOST_RANDOM = 0.05  # of those who click at random pass
MOST_GROUPS = 4

_SHOWN = 5  # names that stand for a group
_POOL = 10  # from which each person's names are drawn
_LEAST_SHOWN = 2
_CLEAR_SEX, _CLEAR_ORIGIN = 0.95, 0.8  # shares of a name's bearers

Bearers = tuple[str, str]  # the sex and origin that nearly all bearers of a name share


@dataclass(frozen=True)
class ExamRule:
    """How many names of each of the groups everybody is asked about, and how many of all must be right."""

    groups: int
    each: int
    mark: int

    @property
    def names(self) -> int:
        """How many names one person is asked about."""
        return self.groups * self.each

    def pass_rate(self, skill: float) -> float:
        """Return the exact chance of a rater who knows each name with probability `skill`, and guesses otherwise."""
        right = skill + (1 - skill) / self.groups
        ways = ((comb(self.names, k), k) for k in range(self.mark, self.names + 1))
        return sum(way * right**k * (1 - right) ** (self.names - k) for way, k in ways)


@dataclass(frozen=True)
class ExamGroup:
    """A group in the exam: the names that represent it, and those that are asked about."""

    letter: str
    shown: tuple[str, ...]
    asked: tuple[str, ...]


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
    """Return the exam's groups, and whether their names are clear.

    For each sex and origin that is the most frequent one in some group, the group with the largest share of such names
    is taken. These names are used, the most common ones first, and then other names of that sex and origin if there
    are too few. If this gives fewer than two groups, the first groups are taken with their names as they are.
    """
    clear = _clear_names()
    shares: list[tuple[float, str, Bearers]] = []
    for letter, names in groups.items():
        counts = Counter(clear[name] for name in names if name in clear)
        shares += [(held / len(names), letter, bearers) for bearers, held in counts.most_common(1)]
    purest: dict[Bearers, str] = {}
    for _, letter, bearers in sorted(shares, key=lambda one: -one[0]):
        purest.setdefault(bearers, letter)
    if len(purest) < 2:
        return _exam(dict([*groups.items()][:MOST_GROUPS])), False
    elsewhere = {name for names in groups.values() for name in names}
    chosen = {}
    for bearers, letter in [*purest.items()][:MOST_GROUPS]:
        alike = [name for name, known in clear.items() if known == bearers]
        own = {*groups[letter]}
        chosen[letter] = [name for name in alike if name in own] + [name for name in alike if name not in elsewhere]
    return _exam(chosen), True


def _exam(chosen: Mapping[str, Sequence[str]]) -> tuple[ExamGroup, ...]:
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
        exam.append(ExamGroup(letter, tuple(names[:shown]), tuple(names[shown : shown + _POOL])))
    return tuple(exam)


@cache
def _clear_names() -> dict[str, Bearers]:
    """Return the sex and origin of the names where both are clear, most common names first."""
    table = first_names()
    women = table.share_women
    known: dict[str, Bearers] = {}
    for sex, shares in (("women", women), ("men", 1 - women)):
        for origin in RACES:
            for row in ((shares >= _CLEAR_SEX) & (table.races[origin] >= _CLEAR_ORIGIN)).nonzero()[0]:
                known[table.names[row]] = (sex, origin)
    return {name: known[name] for name in table.names if name in known}
