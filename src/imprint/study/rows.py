"""The rows of a study's scores. They have no effect size: effects are the embedding's, people have none."""

from typing import TYPE_CHECKING, Any

import msgspec

from imprint.rows import Row

if TYPE_CHECKING:
    from imprint.study.steps import Study


class GroupVotes(msgspec.Struct, frozen=True):
    """How many people matched the words to a group."""

    group: str
    people: int


class VoteCount(msgspec.Struct, frozen=True):
    """How many analogies so many people called a stereotype."""

    people: int
    analogies: int


class Shares(msgspec.Struct, frozen=True):
    """One question over all judged pairs: yes among judgments, and pairs to which more than half said yes.

    `alpha` is Krippendorff's, nominal.
    """

    yes: int
    of_judgments: float | None
    of_analogies: float | None
    alpha: float | None


class StudyRow(Row, frozen=True, kw_only=True):
    """A row that one study's answers give; `study` is its id."""

    study: str


class CrowdRow(StudyRow, frozen=True, kw_only=True):
    """Associations that somebody has judged, together; the statistic is the share accurate.

    `expected` is that share were the embedding's labels permuted within each category; `judgments` counts single
    answers, `share_judgments` those that name the embedding's group. `alpha` is Krippendorff's, nominal, with chance
    taken within each category, since pages offer different groups; None for a group, which has one association per
    category.
    """

    associations: int
    n_accurate: int
    share_accurate: float | None
    expected: float | None
    ties: int
    ties_with_group: int
    judgments: int
    share_judgments: float | None
    alpha: float | None


class MatchingRow(CrowdRow, frozen=True, kw_only=True, tag="study-matching"):
    """All associations: the row of the paper's Table 4. p is exact, over all permutations within each category.

    `unjudged` counts the associations that no one has judged, `short` those with fewer people than `least`.
    `mean_choices` is the mean number of groups to choose from; `share_offensive` comes from the second study.
    """

    participants: int
    n_significant: int | None
    mean_choices: float | None
    unjudged: int
    short: int
    least: int
    quota: int
    share_offensive: float | None
    notes: tuple[str, ...]


class MatchingCategoryRow(CrowdRow, frozen=True, kw_only=True, tag="study-category"):
    """The associations of one category."""

    category: int
    category_words: tuple[str, ...]


class MatchingGroupRow(CrowdRow, frozen=True, kw_only=True, tag="study-group"):
    """The associations of one group of names."""

    group: str


class MatchedRow(StudyRow, frozen=True, kw_only=True, tag="study-association"):
    """One association: how many people matched its words to which group; the statistic is the share that agrees.

    `choices` is the number of groups offered. `accurate` and `tied` are None where no one has answered; `enough` tells
    whether as many did as the study needs.
    """

    category: int
    category_words: tuple[str, ...]
    words: tuple[str, ...]
    group: str
    names: tuple[str, ...]
    choices: int
    judges: int
    votes: tuple[GroupVotes, ...]
    most_chosen: tuple[str, ...]
    accurate: bool | None
    tied: bool | None
    enough: bool


class RatingsRow(StudyRow, frozen=True, kw_only=True):
    """Rated associations together: the mean of their means, and how many have a mean above the threshold."""

    associations: int
    mean: float | None
    n_offensive: int
    share_offensive: float | None


class OffenseRow(RatingsRow, frozen=True, kw_only=True, tag="study-offense"):
    """All associations that somebody has rated; `alpha` is Krippendorff's, interval."""

    participants: int
    alpha: float | None
    unjudged: int
    short: int
    least: int
    threshold: float


class OffenseCategoryRow(RatingsRow, frozen=True, kw_only=True, tag="study-offense-category"):
    """The rated associations of one category."""

    category_words: tuple[str, ...]


class OffenseGroupRow(RatingsRow, frozen=True, kw_only=True, tag="study-offense-group"):
    """The rated associations of one group of names."""

    group: str


class RatedRow(StudyRow, frozen=True, kw_only=True, tag="study-rating"):
    """One association and how offensive people find it; the mean is None where no one has answered."""

    category_words: tuple[str, ...]
    words: tuple[str, ...]
    group: str
    judges: int
    mean: float | None
    offensive: bool | None
    enough: bool


class JudgmentsRow(StudyRow, frozen=True, kw_only=True, tag="study-analogies"):
    """All analogies; the statistic is the share of judgments that see a stereotype.

    `by_votes` counts pairs by the number of people who saw a stereotype, from all to no one, among the pairs that
    `quota` people judged. `short` counts those that fewer people judged.
    """

    participants: int
    n_pairs: int
    judgments: int
    sense_shares: Shares
    stereotype_shares: Shares
    by_votes: tuple[VoteCount, ...]
    short: int
    quota: int


class JudgedPairRow(StudyRow, frozen=True, kw_only=True, tag="study-analogy"):
    """An analogy, how many people judged it, and how many said yes to each question."""

    ends: tuple[str, ...]
    first: str
    second: str
    judges: int
    sensible: int
    stereotype: int


class SuggestedRow(StudyRow, frozen=True, kw_only=True, tag="study-suggestion"):
    """A word, how many of the participants suggested it, and its part of the split."""

    about: str
    participants: int
    word: str
    people: int
    is_held_out: bool


class BonusRow(StudyRow, frozen=True, kw_only=True, tag="study-bonus"):
    """What a participant earned: names put into their group, and answers that most of the others gave too.

    `n_judged` counts the answers to items that somebody else has judged as well; the statistic is the share agreed.
    `panel_id` is the number under which a panel pays them. Who came without one is named as in the exported answers;
    who came with one is not.
    """

    participant: str | None
    exam_correct: int
    exam_asked: int
    agreed: int
    n_judged: int
    panel_id: str | None


class ConsentRow(StudyRow, frozen=True, kw_only=True, tag="study-consent"):
    """The text of their own that people agreed to."""

    paragraphs: tuple[str, ...]


def about(study: "Study") -> dict[str, Any]:
    """Return what every row says of its study."""
    return {
        "embedding": study.embedding,
        "embedding_sha256": study.embedding_sha256,
        "seed": study.seed,
        "study": study.id,
    }
