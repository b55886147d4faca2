"""The crowd against the embedding: to which group did most people match each set of words?

Swinger et al. (2019), section 4.1 and Table 4: an association is accurate where the group most often chosen is the one
the embedding gave. A tie is not: how many there are, and how many of them include that group, is told beside it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from imprint.rows import Row
from imprint.study import chance, rows
from imprint.study.agreement import stratified_alpha
from imprint.study.ballots import Ballot, read_ballots
from imprint.study.steps import Study
from imprint.study.store import Store


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
    yield rows.MatchingRow(
        test="matching",
        p_value=chance.tail(_categories(judged), accurate) if judged else None,
        participants=len({who for ballot in judged for who in ballot.values}),
        n_significant=study.significant,
        mean_choices=sum(len(ballot.item.letters) for ballot in judged) / len(judged) if judged else None,
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
    for letter in (group.letter for group in study.groups if group.letter in groups):
        yield rows.MatchingGroupRow(test=letter, group=letter, **_agreement(groups[letter], study))
    for ballot in ballots:
        yield _matched(ballot, study)


def _matched(ballot: Ballot, study: Study) -> rows.MatchedRow:
    item, judges, votes = ballot.item, len(ballot.values), ballot.votes
    most = ballot.most_chosen()
    return rows.MatchedRow(
        test=f"{item.expected}-{item.block}",
        **rows.about(study),
        statistic=votes[str(item.expected)] / judges if judges else None,
        category=item.block,
        category_words=item.title,
        words=item.words,
        group=str(item.expected),
        names=next(group.names for group in study.groups if group.letter == item.expected),
        choices=len(item.letters),
        judges=judges,
        votes=tuple(
            rows.GroupVotes(letter, people)
            for letter, people in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))
        ),
        most_chosen=tuple(sorted(most)),
        accurate=_is_accurate(ballot) if judges else None,
        tied=len(most) > 1 if judges else None,
        enough=judges >= study.least,
    )


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
    answers: dict[int, list[list[str]]] = defaultdict(list)
    for ballot in ballots:
        answers[ballot.item.block].append(list(ballot.values.values()))
    share = accurate / count if count else None
    return rows.about(study) | {
        "statistic": share,
        "associations": count,
        "n_accurate": accurate,
        "share_accurate": share,
        "expected": float(chance.expected_matches(_categories(ballots)) / count) if count else None,
        "ties": len(ties),
        "ties_with_group": sum(ties),
        "judgments": judgments,
        "share_judgments": named / judgments if judgments else None,
        "alpha": stratified_alpha(answers.values()),
    }


def _categories(ballots: Sequence[Ballot]) -> list[chance.CategoryChoices]:
    choices: dict[int, list[str | None]] = defaultdict(list)
    labels: dict[int, int] = {}
    for ballot in ballots:
        most = ballot.most_chosen()
        choices[ballot.item.block].append(next(iter(most)) if len(most) == 1 else None)
        labels[ballot.item.block] = len(ballot.item.letters)
    return [chance.CategoryChoices(labels[block], tuple(chosen)) for block, chosen in choices.items()]
