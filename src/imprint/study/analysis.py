"""Scores: what the crowd of a study said, by protocol, and what each participant has earned."""

from collections.abc import Iterable
from dataclasses import dataclass

from imprint.rows import Result, Row
from imprint.study.analogies import score_analogies, score_suggestions
from imprint.study.ballots import read_ballots
from imprint.study.matching import score_matching, score_ratings
from imprint.study.refusals import StudyError
from imprint.study.rows import BonusRow, about
from imprint.study.steps import Study
from imprint.study.store import Store


@dataclass(frozen=True, repr=False)
class StudyScores(Result):
    """What the crowd of a study said: the row of the whole first, then those of its parts."""

    study: Study
    rows: tuple[Row, ...]

    def findings(self) -> list[Row]:
        """Return all rows."""
        return list(self.rows)

    def __repr__(self) -> str:
        return f"StudyScores({self.study.protocol} on {self.study.embedding or 'no embedding'}: {len(self.rows)} rows)"


def score(store: Store, ratings: Store | None = None) -> StudyScores:
    """Score a study; `ratings` is the second study, on offensiveness, of a `ube` study."""
    protocol = store.study.protocol
    if ratings is not None and (protocol, ratings.study.protocol) != ("ube", "offense"):
        raise StudyError(
            f"a study of protocol {protocol} cannot use ratings of protocol {ratings.study.protocol}",
            option="ratings",
            got=ratings.study.protocol,
            hint="give a ube study and its offense study",
        )
    if ratings is not None and ratings.study.parent != store.study.id:
        raise StudyError(
            "the ratings are about another study's associations",
            option="ratings",
            got=ratings.study.parent,
            hint="give the offense study made from this one",
        )
    rows: Iterable[Row]
    if protocol == "ube":
        rated = [] if ratings is None else list(score_ratings(ratings))
        rows = [*score_matching(store, rated), *rated]
    elif protocol == "offense":
        rows = score_ratings(store)
    else:
        rows = score_analogies(store) if protocol == "analogy" else score_suggestions(store)
    return StudyScores(store.study, tuple(rows))


def bonuses(store: Store) -> tuple[BonusRow, ...]:
    """Return what everybody who answered has earned, first who came without a panel's number.

    An answer agrees where it is the one that most of the other participants gave, or one of those that tie.
    """
    if store.study.protocol != "ube":
        raise StudyError(option="protocol", got=store.study.protocol, expected="ube, the only one with bonuses")
    exam, main = (_counts(store, agreement=agreement) for agreement in (False, True))
    paid = store.panel_ids()
    earned = []
    for who in exam.keys() | main.keys():
        (correct, asked), (agreed, judged) = exam.get(who, (0, 0)), main.get(who, (0, 0))
        name = None if who in paid else store.pseudonym(who)
        row = BonusRow(
            test=name or paid[who],
            **about(store.study),
            statistic=agreed / judged if judged else None,
            participant=name,
            exam_correct=correct,
            exam_asked=asked,
            agreed=agreed,
            n_judged=judged,
            panel_id=paid.get(who),
        )
        earned.append(row)
    return tuple(sorted(earned, key=lambda one: (one.panel_id or "", one.participant or "")))


def _counts(store: Store, *, agreement: bool) -> dict[int, tuple[int, int]]:
    """Count earned and given answers by participant: in the exam by the list of names, else by the others."""
    counts: dict[int, tuple[int, int]] = {}
    for ballot in read_ballots(store, "main" if agreement else "exam"):
        if agreement and len(ballot.values) < 2:
            continue  # nobody to agree with
        for who, value in ballot.values.items():
            right = ballot.most_chosen(without=who) if agreement else {ballot.item.expected}
            earned, given = counts.get(who, (0, 0))
            counts[who] = earned + (value in right), given + 1
    return counts
