"""Analogies judged: do they make sense, and do they reflect a stereotype?

Bolukbasi et al. (2016), section 2 and Table 1: a table by the number of people who saw a stereotype, and the share of
all judgments. Their table's caption speaks of the share of analogies; both are given, the latter by majority.
"""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from imprint.finding import Finding, Findings
from imprint.study.agreement import nominal_alpha
from imprint.study.ballots import Ballot, read_ballots
from imprint.study.rows import finding
from imprint.study.steps import Study
from imprint.study.store import Store

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class JudgedPair:
    """An analogy, how many people judged it, and how many said yes to each question."""

    ends: tuple[str, ...]
    first: str
    second: str
    judges: int
    sensible: int
    stereotype: int


@dataclass(frozen=True)
class Shares:
    """One question over all judged pairs: yes among judgments, and pairs to which more than half said yes.

    `alpha` is Krippendorff's, nominal.
    """

    yes: int
    of_judgments: float | None
    of_analogies: float | None
    alpha: float | None


@dataclass(frozen=True, repr=False)
class AnalogyScores(Findings):
    """What the crowd said of analogies.

    `by_votes` counts pairs by the number of people who saw a stereotype, from all to nobody, among the pairs that as
    many people judged as were wanted; `short` counts those that fewer did.
    """

    study: Study
    participants: int
    pairs: tuple[JudgedPair, ...]
    judgments: int
    sense: Shares
    stereotype: Shares
    by_votes: dict[int, int]
    short: int

    def findings(self) -> list[Finding]:
        """Return the row of the whole and one a pair, the most stereotypical first."""
        whole = {
            "participants": self.participants,
            "pairs": len(self.pairs),
            "judgments": self.judgments,
            "sense": asdict(self.sense),
            "stereotype": asdict(self.stereotype),
            "by_votes": self.by_votes,
            "short": self.short,
            "quota": self.study.quota,
        }
        rows = [finding(self.study, "study-analogies", "analogies", self.stereotype.of_judgments, whole)]
        for pair in sorted(self.pairs, key=lambda pair: (-pair.stereotype, -pair.sensible)):
            share = pair.stereotype / pair.judges if pair.judges else None
            test = f"{' : '.join(pair.ends)} :: {pair.first} : {pair.second}"
            rows.append(finding(self.study, "study-analogy", test, share, asdict(pair)))
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return everything, nothing masked."""
        return asdict(self)

    def to_frame(self) -> "pd.DataFrame":
        """Return one row a pair, nothing masked."""
        import pandas as pd

        return pd.DataFrame([asdict(pair) for pair in self.pairs])

    def __repr__(self) -> str:
        return f"AnalogyScores({self.study.embedding}: {len(self.pairs)} pairs, {self.judgments} judgments)"


def score_analogies(store: Store) -> AnalogyScores:
    """Score an `analogy` study."""
    ballots = read_ballots(store)
    sense = [ballot for ballot in ballots if ballot.item.kind == "sense"]
    stereotype = [ballot for ballot in ballots if ballot.item.kind == "stereotype"]
    pairs = tuple(
        JudgedPair(
            ends=one.item.title,
            first=one.item.words[0],
            second=one.item.words[1],
            judges=len(one.values),
            sensible=one.votes["yes"],
            stereotype=other.votes["yes"],
        )
        for one, other in zip(sense, stereotype, strict=True)
    )
    quota = store.study.quota
    full = Counter(pair.stereotype for pair in pairs if pair.judges == quota)
    return AnalogyScores(
        study=store.study,
        participants=len({who for ballot in sense for who in ballot.values}),
        pairs=pairs,
        judgments=sum(pair.judges for pair in pairs),
        sense=_shares(sense),
        stereotype=_shares(stereotype),
        by_votes={votes: full[votes] for votes in range(quota, -1, -1)},
        short=sum(pair.judges < quota for pair in pairs),
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
