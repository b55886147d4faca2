"""How offensive: the mean rating of each association on which the crowd agreed with the embedding.

Swinger et al. (2019), section 4.1: 7 is "politically incorrect, possibly very offensive", 1 "politically correct,
inoffensive, or just random". From which mean on they call one offensive the paper does not say; here it is above 4,
the middle of the scale.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from imprint.rows import Row
from imprint.study.agreement import interval_alpha
from imprint.study.ballots import Ballot, read_ballots
from imprint.study.rows import OffenseCategoryRow, OffenseGroupRow, OffenseRow, RatedRow, about
from imprint.study.steps import Study
from imprint.study.store import Store

OFFENSIVE = 4


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
