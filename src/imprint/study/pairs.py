"""Analogies judged: do they make sense, and do they reflect a stereotype?

Bolukbasi et al. (2016), section 2 and Table 1: a table by the number of people who saw a stereotype, and the share of
all judgments. Their table's caption speaks of the share of analogies; both are given, the latter by majority.
"""

from collections import Counter
from collections.abc import Iterator

from imprint.rows import Row
from imprint.study.agreement import nominal_alpha
from imprint.study.ballots import Ballot, read_ballots
from imprint.study.rows import JudgedPairRow, JudgmentsRow, Shares, VoteCount, about
from imprint.study.steps import Study
from imprint.study.store import Store


def score_analogies(store: Store) -> Iterator[Row]:
    """Score an `analogy` study: the row of the whole, and one per pair, the most stereotypical first."""
    ballots = read_ballots(store)
    sense = [ballot for ballot in ballots if ballot.item.kind == "sense"]
    stereotype = [ballot for ballot in ballots if ballot.item.kind == "stereotype"]
    study, quota = store.study, store.study.quota
    pairs = [_judged(one, other, study) for one, other in zip(sense, stereotype, strict=True)]
    full = Counter(pair.stereotype for pair in pairs if pair.judges == quota)
    shares = _shares(stereotype)
    yield JudgmentsRow(
        test="analogies",
        **about(study),
        statistic=shares.of_judgments,
        participants=len({who for ballot in sense for who in ballot.values}),
        n_pairs=len(pairs),
        judgments=sum(pair.judges for pair in pairs),
        sense_shares=_shares(sense),
        stereotype_shares=shares,
        by_votes=tuple(VoteCount(people, full[people]) for people in range(quota, -1, -1)),
        short=sum(pair.judges < quota for pair in pairs),
        quota=quota,
    )
    yield from sorted(pairs, key=lambda pair: (-pair.stereotype, -pair.sensible))


def _judged(sense: Ballot, stereotype: Ballot, study: Study) -> JudgedPairRow:
    ends, (first, second), judges = sense.item.title, sense.item.words, len(sense.values)
    return JudgedPairRow(
        test=f"{' : '.join(ends)} :: {first} : {second}",
        **about(study),
        statistic=stereotype.votes["yes"] / judges if judges else None,
        ends=ends,
        first=first,
        second=second,
        judges=judges,
        sensible=sense.votes["yes"],
        stereotype=stereotype.votes["yes"],
    )


def _shares(ballots: list[Ballot]) -> Shares:
    judged = [ballot for ballot in ballots if ballot.values]
    yes = sum(ballot.votes["yes"] for ballot in judged)
    judgments = sum(len(ballot.values) for ballot in judged)
    most = sum(2 * ballot.votes["yes"] > len(ballot.values) for ballot in judged)
    return Shares(
        yes=yes,
        of_judgments=yes / judgments if judged else None,
        of_analogies=most / len(judged) if judged else None,
        alpha=nominal_alpha(list(ballot.values.values()) for ballot in judged),
    )
