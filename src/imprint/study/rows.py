"""The rows of a study's scores. They have no effect size: effects are the embedding's, people have none."""

from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from imprint.rows import Row, shown

if TYPE_CHECKING:
    from imprint.study.steps import Study


# Fields of several rows.
Participants = Annotated[int, shown("Participants", "People who have answered.")]
Judges = Annotated[int, shown("People", "People who have answered.")]
CannotTell = Annotated[int, shown("Cannot tell", "Answers “I cannot tell”.")]
Enough = Annotated[bool, shown("Enough", "Whether as many people have answered as the study needs.")]
GroupField = Annotated[str, shown("Group", "Group of names.", shape="word")]
NamesField = Annotated[tuple[str, ...], shown("Names", "Names of the group.")]
CategoryField = Annotated[int, shown("Category, number", "The number of the category.")]
CategoryWords = Annotated[tuple[str, ...], shown("Category", "The words closest to the category.")]
WordsField = Annotated[tuple[str, ...], shown("Words", "The words of the association.")]
MeanRating = Annotated[float | None, shown("Mean", "Mean rating, from 1 to 7.")]
_SHARE_LOW = shown("Share, low", "Low end of the interval.", shape="percent")
_SHARE_HIGH = shown("Share, high", "High end of the interval.", shape="percent")
ShareOffensive = Annotated[
    float | None, shown("Offensive", "Share of the rated associations with a mean above 4.", shape="percent")
]


class GroupVotes(msgspec.Struct, frozen=True):
    """How many people matched the words to a group."""

    group: Annotated[str, shown("Group", shape="word")]
    people: Annotated[int, shown("People", "People who chose the group.")]


class VoteCount(msgspec.Struct, frozen=True):
    """How many analogies so many people called a stereotype."""

    people: Annotated[int, shown("People", "People who see a stereotype.")]
    analogies: Annotated[int, shown("Analogies", "Analogies in which so many people see a stereotype.")]


class Shares(msgspec.Struct, frozen=True):
    """One question over all judged pairs."""

    yes: Annotated[int, shown("Yes", "Judgments that say yes.")]
    of_judgments: Annotated[float | None, shown("Of judgments", "Share of judgments that say yes.", shape="percent")]
    of_analogies: Annotated[
        float | None,
        shown("Of analogies", "Share of analogies to which more than half of the people say yes.", shape="percent"),
    ]
    alpha: Annotated[float | None, shown("Alpha", "Krippendorff's alpha, nominal: agreement beyond chance.")]


class StudyRow(Row, frozen=True, kw_only=True):
    """A row that one study's answers give."""

    study: Annotated[str, shown("Study", "The study's id.")]

    @property
    def about_people(self) -> bool:
        """Whether it asks about people."""
        return True


class CrowdRow(StudyRow, frozen=True, kw_only=True):
    """Associations that somebody has judged, together."""

    statistic: Annotated[float | None, shown("Statistic", "The share that people share.")] = None
    associations: Annotated[int, shown("Associations", "Associations that people have judged.")]
    n_accurate: Annotated[int, shown("Shared, count", "How many of them people share.")]
    share_accurate: Annotated[
        float | None,
        shown(
            "Shared",
            "Share of associations whose most frequent answer is the embedding's group, with its exact 95 % interval.",
            shape="percent",
            ends="share",
        ),
    ]
    share_low: Annotated[float | None, _SHARE_LOW] = None
    share_high: Annotated[float | None, _SHARE_HIGH] = None
    expected: Annotated[
        float | None,
        shown("By chance", "The share expected if labels were permuted within each category.", shape="percent"),
    ]
    ties: Annotated[int, shown("Ties", "Associations with several most frequent answers.")]
    ties_with_group: Annotated[int, shown("Ties with the group", "Ties that include the embedding's group.")]
    judgments: Annotated[int, shown("Answers", "Single answers.")]
    share_judgments: Annotated[
        float | None,
        shown("Answers, shared", "Share of the answers that name the embedding's group.", shape="percent"),
    ]
    cannot_tell: CannotTell = 0
    alpha: Annotated[
        float | None,
        shown(
            "Alpha",
            "Krippendorff's alpha: agreement between people beyond chance. It is nominal, with chance taken among "
            "associations that offer the same groups; a group has none.",
        ),
    ]


class MatchingRow(CrowdRow, frozen=True, kw_only=True, tag="study-matching"):
    """All associations: the row of the paper's Table 4."""

    p_value: Annotated[float | None, shown("p", "Exact, over all permutations within each category.")] = None
    participants: Participants
    n_found: Annotated[int | None, shown("Found", "Associations that were found in the embedding.")]
    mean_choices: Annotated[float | None, shown("Choices", "Mean number of groups to choose from.", digits=1)]
    above_guessing: Annotated[
        int, shown("Above guessing", "Shared associations whose interval lies above the share that guessing gives.")
    ] = 0
    unjudged: Annotated[int, shown("Unjudged", "Associations that no one has judged.")]
    short: Annotated[int, shown("Short", "Associations that too few people have judged.")]
    least: Annotated[int, shown("Least", "How many people judge each association in the paper.")]
    quota: Annotated[int, shown("Quota", "How many people are asked about each association.")]
    share_offensive: ShareOffensive
    notes: Annotated[tuple[str, ...], shown("Notes", "What to know of the study's answers.")]


class MatchingCategoryRow(CrowdRow, frozen=True, kw_only=True, tag="study-category"):
    """The associations of one category."""

    category: CategoryField
    category_words: CategoryWords


class MatchingGroupRow(CrowdRow, frozen=True, kw_only=True, tag="study-group"):
    """The associations of one group of names."""

    group: GroupField
    names: NamesField = ()


class MatchedRow(StudyRow, frozen=True, kw_only=True, tag="study-association"):
    """One association: how many people matched its words to which group."""

    statistic: Annotated[
        float | None,
        shown(
            "Agree",
            "Share of the people who chose the embedding's group, with its exact 95 % interval.",
            shape="percent",
            ends="share",
        ),
    ] = None
    share_low: Annotated[float | None, _SHARE_LOW] = None
    share_high: Annotated[float | None, _SHARE_HIGH] = None
    category: CategoryField
    category_words: CategoryWords
    words: WordsField
    group: Annotated[str, shown("Group", "The embedding's group of names.", shape="word")]
    names: NamesField
    choices: Annotated[int, shown("Choices", "How many groups were offered.")]
    judges: Judges
    votes: Annotated[tuple[GroupVotes, ...], shown("Votes", "How many people chose each group.")]
    cannot_tell: CannotTell = 0
    most_chosen: Annotated[tuple[str, ...], shown("Most chosen", "Groups among the most frequent answers.")]
    accurate: Annotated[bool | None, shown("Shared", "Whether the most frequent answer is the embedding's group.")]
    tied: Annotated[bool | None, shown("Tied", "Whether several answers are the most frequent.")]
    enough: Enough


class RatingsRow(StudyRow, frozen=True, kw_only=True):
    """Rated associations together."""

    associations: Annotated[int, shown("Associations", "Associations that people have rated.")]
    mean: MeanRating
    n_offensive: Annotated[int, shown("Offensive, count", "How many have a mean above the threshold.")]
    share_offensive: ShareOffensive


class OffenseRow(RatingsRow, frozen=True, kw_only=True, tag="study-offense"):
    """All associations that somebody has rated."""

    participants: Participants
    alpha: Annotated[float | None, shown("Alpha", "Krippendorff's alpha, interval: agreement beyond chance.")]
    unjudged: Annotated[int, shown("Unjudged", "Associations that no one has rated.")]
    short: Annotated[int, shown("Short", "Associations that too few people have rated.")]
    least: Annotated[int, shown("Least", "How many people rate each association in the paper.")]
    threshold: Annotated[float, shown("Threshold", "The mean above which an association is offensive.", digits=0)]


class OffenseCategoryRow(RatingsRow, frozen=True, kw_only=True, tag="study-offense-category"):
    """The rated associations of one category."""

    category_words: CategoryWords


class OffenseGroupRow(RatingsRow, frozen=True, kw_only=True, tag="study-offense-group"):
    """The rated associations of one group of names."""

    group: GroupField


class RatedRow(StudyRow, frozen=True, kw_only=True, tag="study-rating"):
    """One association and how offensive people find it."""

    category_words: CategoryWords
    words: WordsField
    group: GroupField
    judges: Judges
    mean: MeanRating
    offensive: Annotated[bool | None, shown("Offensive", "Whether the mean is above the threshold.")]
    enough: Enough


class JudgmentsRow(StudyRow, frozen=True, kw_only=True, tag="study-analogies"):
    """All analogies."""

    statistic: Annotated[float | None, shown("Statistic", "Share of judgments that see a stereotype.")] = None
    participants: Participants
    n_pairs: Annotated[int, shown("Analogies", "Analogies that people have judged.")]
    judgments: Annotated[int, shown("Judgments", "Single answers.")]
    sense_shares: Annotated[Shares, shown("Make sense", "Answers to whether an analogy makes sense.")]
    stereotype_shares: Annotated[Shares, shown("Stereotypes", "Answers to whether an analogy is a stereotype.")]
    by_votes: Annotated[
        tuple[VoteCount, ...],
        shown("By votes", "Analogies by how many people see a stereotype, among those that enough people judged."),
    ]
    short: Annotated[int, shown("Short", "Analogies that fewer people judged.")]
    quota: Annotated[int, shown("Quota", "How many people are asked about each analogy.")]


class JudgedPairRow(StudyRow, frozen=True, kw_only=True, tag="study-analogy"):
    """An analogy and what people said of it."""

    ends: Annotated[tuple[str, ...], shown("Ends", "The pair that the analogy is about.")]
    first: Annotated[str, shown("First", "What goes with the first of the pair.", shape="word")]
    second: Annotated[str, shown("Second", "What goes with the second of the pair.", shape="word")]
    judges: Annotated[int, shown("People", "People who have judged the analogy.")]
    sensible: Annotated[int, shown("Makes sense", "People who say that it makes sense.")]
    stereotype: Annotated[int, shown("Stereotype", "People who see a stereotype.")]


class SuggestedRow(StudyRow, frozen=True, kw_only=True, tag="study-suggestion"):
    """A word that participants suggested."""

    about: Annotated[str, shown("About", "What the words are about.")]
    participants: Participants
    word: Annotated[str, shown("Word", shape="word")]
    people: Annotated[int, shown("People", "People who suggested the word.")]
    is_held_out: Annotated[bool, shown("Held out", "Whether the word is in the held-out part.")]


class BonusRow(StudyRow, frozen=True, kw_only=True, tag="study-bonus"):
    """What a participant earned."""

    statistic: Annotated[float | None, shown("Statistic", "Share of the judged answers that most others gave.")] = None
    participant: Annotated[
        str | None,
        shown("Participant", "The name in the exported answers, unless the participant has a panel's number."),
    ]
    exam_correct: Annotated[int, shown("Exam, right", "Lines of the exam put into their group.")]
    exam_asked: Annotated[int, shown("Exam, asked", "Lines of the exam.")]
    agreed: Annotated[int, shown("Agreed", "Answers that most of the others gave too.")]
    n_judged: Annotated[int, shown("Answers judged", "Answers to items that somebody else has judged as well.")]
    panel_id: Annotated[str | None, shown("Panel id", "The number under which a panel pays the participant.")]


class ConsentRow(StudyRow, frozen=True, kw_only=True, tag="study-consent"):
    """The study's text that people agreed to."""

    paragraphs: Annotated[tuple[str, ...], shown("Paragraphs", "The text, paragraph by paragraph.")]


def about(study: "Study") -> dict[str, Any]:
    """Return what every row says of its study."""
    return {
        "embedding": study.embedding,
        "embedding_sha256": study.embedding_sha256,
        "seed": study.seed,
        "study": study.id,
    }
