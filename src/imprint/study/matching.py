"""The crowd against the embedding: to which group did most people match each set of words?

Swinger et al. (2019), section 4.1 and Table 4: an association is accurate where the group most often chosen is the one
the embedding gave. A tie is not: how many there are, and how many of them include that group, is told beside it.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from imprint.finding import Finding, Findings
from imprint.study import chance
from imprint.study.agreement import stratified_alpha
from imprint.study.ballots import Ballot, read_ballots
from imprint.study.ratings import RatingScores
from imprint.study.rows import finding
from imprint.study.steps import Study
from imprint.study.store import Store

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Matched:
    """One association: how many people matched its words to which group. `choices` is the number of groups offered.

    `accurate` and `tied` are None where nobody has answered; `enough` tells whether as many did as were wanted.
    """

    category: int
    category_words: tuple[str, ...]
    words: tuple[str, ...]
    group: str
    names: tuple[str, ...]
    choices: int
    judges: int
    votes: dict[str, int]
    most_chosen: tuple[str, ...]
    accurate: bool | None
    tied: bool | None
    enough: bool


@dataclass(frozen=True)
class PooledAgreement:
    """Associations together: all of them, one category or one group.

    `expected` is the share accurate were the embedding's labels permuted within each category; `judgments` counts
    single answers, `share_judgments` those that name the embedding's group. `alpha` is Krippendorff's, nominal, with
    chance taken within each category, since pages offer different groups; None for a group, which has one association
    a category.
    """

    associations: int
    accurate: int
    share_accurate: float | None
    expected: float | None
    ties: int
    ties_with_group: int
    judgments: int
    share_judgments: float | None
    alpha: float | None


@dataclass(frozen=True, repr=False)
class MatchingScores(Findings):
    """What the crowd said of an enumeration; `p_value` is exact, over all permutations within each category.

    `overall`, `categories` and `groups` count the associations that somebody has judged; `unjudged` counts the others,
    `short` those with fewer people than wanted. `mean_choices` is the mean number of groups to choose from.
    """

    study: Study
    participants: int
    associations: tuple[Matched, ...]
    overall: PooledAgreement
    p_value: float | None
    categories: dict[int, PooledAgreement]
    groups: dict[str, PooledAgreement]
    mean_choices: float | None
    unjudged: int
    short: int
    ratings: RatingScores | None = None

    @property
    def table(self) -> dict[str, Any]:
        """The row of the paper's Table 4, with what chance would give."""
        return {
            "embedding": self.study.embedding,
            "significant": self.study.significant,
            "judged": self.overall.associations,
            "accurate": self.overall.share_accurate,
            "expected": self.overall.expected,
            "p_value": self.p_value,
            "offensive": self.ratings.overall.share_offensive if self.ratings else None,
        }

    def findings(self) -> list[Finding]:
        """Return the row of the whole, one a category, one a group, one an association, and the ratings'."""
        whole = asdict(self.overall) | {
            "participants": self.participants,
            "significant": self.study.significant,
            "mean_choices": self.mean_choices,
            "unjudged": self.unjudged,
            "short": self.short,
            "least": self.study.least,
            "quota": self.study.quota,
            "share_offensive": self.ratings.overall.share_offensive if self.ratings else None,
            "notes": self.study.notes,
        }
        over = self.overall.share_accurate
        rows = [finding(self.study, "study-matching", "matching", over, whole, p_value=self.p_value)]
        named = {one.category: one.category_words for one in self.associations}
        for number, some in self.categories.items():
            details = {"category": number, "category_words": named[number], **asdict(some)}
            rows.append(finding(self.study, "study-category", str(number), some.share_accurate, details))
        for letter, some in self.groups.items():
            rows.append(
                finding(self.study, "study-group", letter, some.share_accurate, {"group": letter, **asdict(some)})
            )
        for one in self.associations:
            share = one.votes.get(one.group, 0) / one.judges if one.judges else None
            test = f"{one.group}-{one.category}"
            rows.append(finding(self.study, "study-association", test, share, asdict(one)))
        return rows + (self.ratings.findings() if self.ratings else [])

    def to_dict(self) -> dict[str, Any]:
        """Return everything, nothing masked."""
        return asdict(self)

    def to_frame(self) -> "pd.DataFrame":
        """Return one row an association, nothing masked."""
        import pandas as pd

        return pd.DataFrame([asdict(one) for one in self.associations])

    def __repr__(self) -> str:
        of = self.overall
        return f"MatchingScores({self.study.embedding}: {of.accurate} of {of.associations} associations accurate)"


def score_matching(store: Store, ratings: RatingScores | None = None) -> MatchingScores:
    """Score a `ube` study, together with what the second one said of offensiveness where there is one."""
    ballots = read_ballots(store)
    judged = [ballot for ballot in ballots if ballot.values]
    categories, groups = defaultdict(list), defaultdict(list)
    for ballot in judged:
        categories[ballot.item.block].append(ballot)
        groups[str(ballot.item.expected)].append(ballot)
    overall = _agreement(judged)
    return MatchingScores(
        study=store.study,
        participants=len({who for ballot in judged for who in ballot.values}),
        associations=tuple(_matched(ballot, store.study) for ballot in ballots),
        overall=overall,
        p_value=chance.tail(_categories(judged), overall.accurate) if judged else None,
        categories={block: _agreement(held) for block, held in sorted(categories.items())},
        groups={
            group.letter: _agreement(groups[group.letter]) for group in store.study.groups if group.letter in groups
        },
        mean_choices=sum(len(ballot.item.letters) for ballot in judged) / len(judged) if judged else None,
        unjudged=len(ballots) - len(judged),
        short=sum(len(ballot.values) < store.study.least for ballot in judged),
        ratings=ratings,
    )


def _matched(ballot: Ballot, study: Study) -> Matched:
    item, judges = ballot.item, len(ballot.values)
    most = ballot.most_chosen()
    return Matched(
        category=item.block,
        category_words=item.title,
        words=item.words,
        group=str(item.expected),
        names=next(group.names for group in study.groups if group.letter == item.expected),
        choices=len(item.letters),
        judges=judges,
        votes=dict(sorted(ballot.votes.items(), key=lambda vote: (-vote[1], vote[0]))),
        most_chosen=tuple(sorted(most)),
        accurate=most == {item.expected} if judges else None,
        tied=len(most) > 1 if judges else None,
        enough=judges >= study.least,
    )


def _agreement(ballots: Sequence[Ballot]) -> PooledAgreement:
    most = [(ballot.most_chosen(), ballot.item.expected) for ballot in ballots]
    accurate = sum(chosen == {expected} for chosen, expected in most)
    ties = [expected in chosen for chosen, expected in most if len(chosen) > 1]
    judgments = sum(len(ballot.values) for ballot in ballots)
    named = sum(ballot.votes[str(ballot.item.expected)] for ballot in ballots)
    count = len(ballots)
    answers: dict[int, list[list[str]]] = defaultdict(list)
    for ballot in ballots:
        answers[ballot.item.block].append(list(ballot.values.values()))
    return PooledAgreement(
        associations=count,
        accurate=accurate,
        share_accurate=accurate / count if count else None,
        expected=float(chance.expected_matches(_categories(ballots)) / count) if count else None,
        ties=len(ties),
        ties_with_group=sum(ties),
        judgments=judgments,
        share_judgments=named / judgments if judgments else None,
        alpha=stratified_alpha(answers.values()),
    )


def _categories(ballots: Sequence[Ballot]) -> list[chance.CategoryChoices]:
    choices: dict[int, list[str | None]] = defaultdict(list)
    labels: dict[int, int] = {}
    for ballot in ballots:
        most = ballot.most_chosen()
        choices[ballot.item.block].append(next(iter(most)) if len(most) == 1 else None)
        labels[ballot.item.block] = len(ballot.item.letters)
    return [chance.CategoryChoices(labels[block], tuple(chosen)) for block, chosen in choices.items()]
