"""The crowd against the embedding: to which group did most people match each set of words, and how offensive is it?

Swinger et al. (2019), section 4.1 and Table 4: an association is accurate where the group most often chosen is the one
the embedding gave. A tie is not: how many there are, and how many of them include that group, is told beside it.

"I cannot tell" is an answer like a group: an association that more people cannot place than match to any group is not
accurate. It is no label, so chance never matches it, and alpha takes it as a missing answer.

Chance is how many choices of the crowd would match, were the embedding's labels permuted within each category. It is
exact. A permutation of c labels places c rooks, and the matching squares of a category have at most one in each row,
so the rook numbers are the elementary symmetric polynomials of the columns' counts; all categories multiply.

Offense is the mean rating of each association on which the crowd agreed with the embedding: 7 is "politically
incorrect, possibly very offensive", 1 "politically correct, inoffensive, or just random". From which mean on they call
one offensive the paper does not say; here it is above 4, the middle of the scale.

How far people agree beyond chance is Krippendorff's alpha (2011, "Computing Krippendorff's alpha-reliability"): any
number of people, answers may be missing. It is counted in whole numbers and fractions, so that the order of people and
of items changes nothing.
"""

import math
import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, TypeVar

import numpy as np

from imprint.rows import Row
from imprint.significance.partitions import binomial_interval
from imprint.study import rows
from imprint.study.design import CANNOT_TELL, Stage
from imprint.study.rows import OffenseCategoryRow, OffenseGroupRow, OffenseRow, RatedRow, about
from imprint.study.steps import StoredItem, Study
from imprint.study.store import Store

OFFENSIVE = 4

Value = TypeVar("Value", str, int)

_ONE = np.array([1], dtype=object)  # Python's own integers: the products are exact, however large


@dataclass(frozen=True)
class Ballot:
    """The answers to an item by participant."""

    item: StoredItem
    values: Mapping[int, str]

    @property
    def votes(self) -> Counter[str]:
        """How many people gave each answer."""
        return Counter(self.values.values())

    def most_chosen(self, *, without: int | None = None) -> frozenset[str]:
        """Return the answer that most people gave, several where they tie; `without` leaves out one participant."""
        votes = Counter(value for who, value in self.values.items() if who != without)
        most = max(votes.values(), default=0)
        return frozenset(value for value, count in votes.items() if count == most)


def read_ballots(store: Store, stage: Stage = "main") -> list[Ballot]:
    """Read the ballots of a stage, item by item; an item without answers has an empty one."""
    ballots: dict[int, dict[int, str]] = {}
    for answer in store.answers():
        ballots.setdefault(answer.item, {})[answer.participant] = answer.value
    return [Ballot(item, ballots.get(item.number, {})) for item in store.items() if item.stage == stage]


def score_matching(store: Store, ratings: Iterable[Row] = ()) -> Iterator[Row]:
    """Score a `ube` study: the row of the whole, one per category, group and association.

    `ratings` are the rows of the second study, on offensiveness, where there is one.
    """
    ballots = read_ballots(store)
    judged = [ballot for ballot in ballots if ballot.values]
    categories, groups = defaultdict(list), defaultdict(list)
    for ballot in judged:
        categories[ballot.item.block].append(ballot)
        groups[str(ballot.item.expected)].append(ballot)
    study, accurate = store.study, sum(map(_is_accurate, judged))
    matched = [_matched(ballot, study) for ballot in ballots]
    yield rows.MatchingRow(
        test="matching",
        p_value=matches_p_value(_categories(judged), accurate) if judged else None,
        participants=len({who for ballot in judged for who in ballot.values}),
        n_found=study.n_found,
        mean_choices=sum(len(ballot.item.groups) for ballot in judged) / len(judged) if judged else None,
        above_guessing=sum(bool(row.accurate) and (row.share_low or 0) > 1 / row.choices for row in matched),
        unjudged=len(ballots) - len(judged),
        short=sum(len(ballot.values) < study.least for ballot in judged),
        least=study.least,
        quota=study.quota,
        share_offensive=next((row.share_offensive for row in ratings if isinstance(row, rows.OffenseRow)), None),
        notes=study.notes,
        **_agreement(judged, study),
    )
    for block, held in sorted(categories.items()):
        words = held[0].item.title
        yield rows.MatchingCategoryRow(
            test=str(block), category=block, category_words=words, **_agreement(held, study)
        )
    for group in (group for group in study.groups if group.letter in groups):
        agreement = _agreement(groups[group.letter], study)
        yield rows.MatchingGroupRow(test=group.letter, group=group.letter, names=group.names, **agreement)
    yield from matched


def score_ratings(store: Store) -> Iterator[Row]:
    """Score an `offense` study: the row of the whole, one per category, group and association."""
    ballots, study = read_ballots(store), store.study
    every = [_rated(ballot, study) for ballot in ballots]
    rated = [one for one in every if one.judges]
    categories, groups = defaultdict(list), defaultdict(list)
    for one in rated:
        categories[one.category_words].append(one)
        groups[one.group].append(one)
    yield OffenseRow(
        test="offense",
        participants=len({who for ballot in ballots for who in ballot.values}),
        alpha=interval_alpha([int(value) for value in ballot.values.values()] for ballot in ballots),
        unjudged=len(every) - len(rated),
        short=sum(one.judges < study.least for one in rated),
        least=study.least,
        threshold=float(OFFENSIVE),
        **_offense(rated, study),
    )
    for words, some in categories.items():
        yield OffenseCategoryRow(test=", ".join(words), category_words=words, **_offense(some, study))
    for letter, some in sorted(groups.items()):
        yield OffenseGroupRow(test=letter, group=letter, **_offense(some, study))
    yield from every


@dataclass(frozen=True)
class CategoryChoices:
    """The group that most people chose for each of a category's labels; None, which matches nothing, for a tie."""

    labels: int
    choices: tuple[Hashable | None, ...]


def expected_matches(categories: Iterable[CategoryChoices]) -> Fraction:
    """Return the mean number of matches over all permutations."""
    return sum((Fraction(_made(one).total(), one.labels) for one in categories), Fraction(0))


def matches_p_value(categories: Iterable[CategoryChoices], observed: int) -> float:
    """Return the share of permutations with at least so many matches; the observed one is among them."""
    ways, permutations = _ONE, 1
    for one in categories:
        ways = np.convolve(ways, _hits(one))
        permutations *= math.factorial(one.labels)
    return float(Fraction(sum(ways[observed:]), permutations))


def nominal_alpha(units: Iterable[Sequence[str]]) -> float | None:
    """Return alpha of answers that are equal or not; each unit holds everybody's answers to one item.

    None where there is no item with two answers, or where all answers are the same and chance explains everything.
    """
    return _alpha(units, operator.ne)


def stratified_alpha(strata: Iterable[Iterable[Sequence[str]]]) -> float | None:
    """Return nominal alpha of items in strata that offer different answers; chance is taken within each stratum.

    Disagreements, observed and expected, are weighted by the answers of their stratum. One with a single item is left
    out: both are the same there whatever people say.
    """
    paired = [[unit for unit in units if len(unit) > 1] for units in strata]
    counted = [_disagreements(units, operator.ne) for units in paired if len(units) > 1]
    expected = sum((among for _, among in counted), Fraction(0))
    return float(1 - sum((within for within, _ in counted), Fraction(0)) / expected) if expected else None


def interval_alpha(units: Iterable[Sequence[int]]) -> float | None:
    """Return alpha of ratings, whose disagreement is the squared difference; None as for `nominal_alpha`."""
    return _alpha(units, lambda one, other: (one - other) ** 2)


def _matched(ballot: Ballot, study: Study) -> rows.MatchedRow:
    item, judges, votes = ballot.item, len(ballot.values), ballot.votes
    most, cannot_tell = ballot.most_chosen(), votes.pop(CANNOT_TELL, 0)
    return rows.MatchedRow(
        test=f"{item.expected}-{item.block}",
        **rows.about(study),
        statistic=votes[str(item.expected)] / judges if judges else None,
        **_interval(votes[str(item.expected)], judges),
        category=item.block,
        category_words=item.title,
        words=item.words,
        group=str(item.expected),
        names=next(group.names for group in study.groups if group.letter == item.expected),
        choices=len(item.groups),
        cannot_tell=cannot_tell,
        judges=judges,
        votes=tuple(
            rows.GroupVotes(letter, people)
            for letter, people in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))
        ),
        most_chosen=tuple(sorted(most - {CANNOT_TELL})),
        accurate=_is_accurate(ballot) if judges else None,
        tied=len(most) > 1 if judges else None,
        enough=judges >= study.least,
    )


def _interval(hits: int, count: int) -> dict[str, Any]:
    """Return the ends of the exact interval of a share; nothing of nothing."""
    return dict(zip(("share_low", "share_high"), binomial_interval(hits, count, 0.95), strict=True)) if count else {}


def _is_accurate(ballot: Ballot) -> bool:
    return ballot.most_chosen() == {ballot.item.expected}


def _agreement(ballots: Sequence[Ballot], study: Study) -> dict[str, Any]:
    """Return what the rows of several associations have in common."""
    most = [(ballot.most_chosen(), ballot.item.expected) for ballot in ballots]
    accurate = sum(map(_is_accurate, ballots))
    ties = [expected in chosen for chosen, expected in most if len(chosen) > 1]
    judgments = sum(len(ballot.values) for ballot in ballots)
    named = sum(ballot.votes[str(ballot.item.expected)] for ballot in ballots)
    count = len(ballots)
    answers: dict[tuple[str, ...], list[list[str]]] = defaultdict(list)
    for ballot in ballots:
        answers[tuple(ballot.item.letters)].append([value for value in ballot.values.values() if value != CANNOT_TELL])
    share = accurate / count if count else None
    return rows.about(study) | {
        "statistic": share,
        "associations": count,
        "n_accurate": accurate,
        "share_accurate": share,
        **_interval(accurate, count),
        "expected": float(expected_matches(_categories(ballots)) / count) if count else None,
        "ties": len(ties),
        "ties_with_group": sum(ties),
        "judgments": judgments,
        "cannot_tell": sum(ballot.votes[CANNOT_TELL] for ballot in ballots),
        "share_judgments": named / judgments if judgments else None,
        "alpha": stratified_alpha(answers.values()),
    }


def _categories(ballots: Sequence[Ballot]) -> list[CategoryChoices]:
    choices: dict[int, list[str | None]] = defaultdict(list)
    labels: dict[int, int] = {}
    for ballot in ballots:
        most = ballot.most_chosen()
        choices[ballot.item.block].append(next(iter(most)) if len(most) == 1 and CANNOT_TELL not in most else None)
        labels[ballot.item.block] = len(ballot.item.groups)
    return [CategoryChoices(labels[block], tuple(chosen)) for block, chosen in choices.items()]


def _rated(ballot: Ballot, study: Study) -> RatedRow:
    item = ballot.item
    ratings = [int(value) for value in ballot.values.values()]
    mean = sum(ratings) / len(ratings) if ratings else None
    return RatedRow(
        test=f"{item.expected}: {', '.join(item.words)}",
        **about(study),
        statistic=mean,
        category_words=item.title,
        words=item.words,
        group=str(item.expected),
        judges=len(ratings),
        mean=mean,
        # Compared in whole numbers: a mean of exactly 4 is the middle of the scale, not above it.
        offensive=sum(ratings) > OFFENSIVE * len(ratings) if ratings else None,
        enough=len(ratings) >= study.least,
    )


def _offense(rated: Sequence[RatedRow], study: Study) -> dict[str, Any]:
    """Return what the rows of several associations have in common; each mean counts once."""
    means = [one.mean for one in rated if one.mean is not None]
    mean = sum(means) / len(means) if means else None
    offensive = sum(bool(one.offensive) for one in rated)
    return about(study) | {
        "statistic": mean,
        "associations": len(rated),
        "mean": mean,
        "n_offensive": offensive,
        "share_offensive": offensive / len(rated) if rated else None,
    }


def _made(category: CategoryChoices) -> Counter[Hashable]:
    return Counter(choice for choice in category.choices if choice is not None)


def _hits(category: CategoryChoices) -> list[int]:
    """Return how many permutations of a category have 0, 1, ... matches: sum over j of r_j (c - j)! (x - 1)^j."""
    rooks = reduce(np.convolve, ([1, count] for count in _made(category).values()), _ONE)
    ways = [0] * len(rooks)
    for placed, number in enumerate(rooks):
        free = math.factorial(category.labels - placed)
        for power in range(placed + 1):
            ways[power] += (-1) ** (placed - power) * math.comb(placed, power) * number * free
    return ways


def _alpha(units: Iterable[Sequence[Value]], difference: Callable[[Value, Value], int]) -> float | None:
    observed, expected = _disagreements(units, difference)
    return float(1 - observed / expected) if expected else None


def _disagreements(
    units: Iterable[Sequence[Value]], difference: Callable[[Value, Value], int]
) -> tuple[Fraction, Fraction]:
    """Return the mean difference within items and that among all answers, each times the number of answers."""
    paired = [Counter(unit) for unit in units if len(unit) > 1]
    pooled: Counter[Value] = sum(paired, Counter())
    observed = sum((Fraction(_disagreement(unit, difference), unit.total() - 1) for unit in paired), Fraction(0))
    return observed, Fraction(_disagreement(pooled, difference), max(pooled.total() - 1, 1))


def _disagreement(counts: Counter[Value], difference: Callable[[Value, Value], int]) -> int:
    """Sum the differences of all ordered pairs."""
    return sum(n * m * difference(one, other) for one, n in counts.items() for other, m in counts.items())
