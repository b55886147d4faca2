"""How offensive: the mean rating of each association on which the crowd agreed with the embedding.

Swinger et al. (2019), section 4.1: 7 is "politically incorrect, possibly very offensive", 1 "politically correct,
inoffensive, or just random". From which mean on they call one offensive the paper does not say; here it is above 4,
the middle of the scale.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from imprint.finding import Finding, Findings
from imprint.study.agreement import interval_alpha
from imprint.study.ballots import Ballot, read_ballots
from imprint.study.rows import finding
from imprint.study.steps import Study
from imprint.study.store import Store

if TYPE_CHECKING:
    import pandas as pd

OFFENSIVE = 4


@dataclass(frozen=True)
class Rated:
    """One association and what people thought of it; the mean is None where nobody has answered."""

    category_words: tuple[str, ...]
    words: tuple[str, ...]
    group: str
    judges: int
    mean: float | None
    offensive: bool | None
    enough: bool


@dataclass(frozen=True)
class Offense:
    """Rated associations together: the mean of their means, and the share whose mean is above 4."""

    associations: int
    mean: float | None
    offensive: int
    share_offensive: float | None


@dataclass(frozen=True, repr=False)
class RatingScores(Findings):
    """What the crowd thought of the associations it agreed with; `alpha` is Krippendorff's, interval.

    Shares and means count the associations that somebody has rated.
    """

    study: Study
    participants: int
    associations: tuple[Rated, ...]
    overall: Offense
    categories: dict[tuple[str, ...], Offense]
    groups: dict[str, Offense]
    alpha: float | None
    short: int

    def findings(self) -> list[Finding]:
        """Return the row of the whole, one a category, one a group, one an association."""
        whole = asdict(self.overall) | {
            "participants": self.participants,
            "alpha": self.alpha,
            "short": self.short,
            "least": self.study.least,
            "threshold": OFFENSIVE,
        }
        rows = [finding(self.study, "study-offense", "offense", self.overall.mean, whole)]
        for words, some in self.categories.items():
            details = {"category_words": words, **asdict(some)}
            rows.append(finding(self.study, "study-offense-category", ", ".join(words), some.mean, details))
        for letter, some in self.groups.items():
            details = {"group": letter, **asdict(some)}
            rows.append(finding(self.study, "study-offense-group", letter, some.mean, details))
        rows += [
            finding(self.study, "study-rating", f"{one.group}: {', '.join(one.words)}", one.mean, asdict(one))
            for one in self.associations
        ]
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return everything, nothing masked; categories as rows, since JSON has no keys of several words."""
        categories = [{"category_words": words, **asdict(some)} for words, some in self.categories.items()]
        return {
            "study": asdict(self.study),
            "participants": self.participants,
            "associations": [asdict(one) for one in self.associations],
            "overall": asdict(self.overall),
            "categories": categories,
            "groups": {letter: asdict(some) for letter, some in self.groups.items()},
            "alpha": self.alpha,
            "short": self.short,
        }

    def to_frame(self) -> "pd.DataFrame":
        """Return one row an association, nothing masked."""
        import pandas as pd

        return pd.DataFrame([asdict(one) for one in self.associations])

    def __repr__(self) -> str:
        of = self.overall
        return f"RatingScores({self.study.embedding}: {of.offensive} of {of.associations} associations offensive)"


def score_ratings(store: Store) -> RatingScores:
    """Score an `offense` study."""
    ballots = read_ballots(store)
    rated = [_rated(ballot, store.study) for ballot in ballots]
    categories, groups = defaultdict(list), defaultdict(list)
    for one in rated:
        if one.judges:
            categories[one.category_words].append(one)
            groups[one.group].append(one)
    return RatingScores(
        study=store.study,
        participants=len({who for ballot in ballots for who in ballot.values}),
        associations=tuple(rated),
        overall=_offense([one for one in rated if one.judges]),
        categories={words: _offense(some) for words, some in categories.items()},
        groups={letter: _offense(some) for letter, some in sorted(groups.items())},
        alpha=interval_alpha([int(value) for value in ballot.values.values()] for ballot in ballots),
        short=sum(0 < one.judges < store.study.least for one in rated),
    )


def _rated(ballot: Ballot, study: Study) -> Rated:
    ratings = [int(value) for value in ballot.values.values()]
    mean = sum(ratings) / len(ratings) if ratings else None
    return Rated(
        category_words=ballot.item.title,
        words=ballot.item.words,
        group=str(ballot.item.expected),
        judges=len(ratings),
        mean=mean,
        # Compared in whole numbers: a mean of exactly 4 is the middle of the scale, not above it.
        offensive=sum(ratings) > OFFENSIVE * len(ratings) if ratings else None,
        enough=len(ratings) >= study.least,
    )


def _offense(rated: Sequence[Rated]) -> Offense:
    means = [one.mean for one in rated if one.mean is not None]
    offensive = sum(bool(one.offensive) for one in rated)
    return Offense(
        associations=len(rated),
        mean=sum(means) / len(means) if means else None,
        offensive=offensive,
        share_offensive=offensive / len(rated) if rated else None,
    )
