"""A study's scores as kinds: what people said of associations and analogies, beside chance."""

from collections.abc import Iterator, Sequence

from imprint.kinds import Kind, Part, terms
from imprint.study import rows
from imprint.view import (
    NOTHING,
    Block,
    Cell,
    Column,
    Given,
    Listing,
    Medium,
    Prose,
    Table,
    Text,
    count,
    join,
    number,
    percent,
    probability,
    say,
    title,
    words,
)

PEOPLE = Part(
    "study",
    "What people say",
    100,
    offensive=True,
    controlled=False,
    terms=(terms.ONE_SIDED,),
    limits=(terms.OTHER_SCALES,),
)

_SHOWN = 20  # associations, analogies or words in a terminal; a page and --json have all
_BOTH: tuple[Medium, ...] = ("page", "terminal")

_ACCURATE = Column("Accurate", "The group that most people chose is the embedding's.", True)
_CHANCE = Column("By chance", "The share expected if labels were permuted within each category.", True)
_ASSOCIATIONS = Column("Associations", numeric=True)
_ALPHA = Column("Alpha", "Krippendorff's alpha: agreement between people beyond chance.", True)
_OFFENSIVE = Column("Offensive", "Share of the rated associations with a mean above 4.", True)
_TABLE_4 = (
    Column("Significant", "Associations that the embedding has.", True),
    Column("Judged", "Associations that people have judged.", True),
    _ACCURATE,
    _CHANCE,
    Column("p", "Exact, over all permutations within each category.", True),
    _OFFENSIVE,
)
_CROWD = (_ASSOCIATIONS, _ACCURATE, _CHANCE, Column("Ties", numeric=True), Column("Answers", numeric=True))
_RATED = (_ASSOCIATIONS, Column("Mean", "Mean rating, from 1 to 7.", True), _OFFENSIVE)


def matching_blocks(found: Sequence[rows.MatchingRow]) -> Iterator[Block]:
    """Show the row of the paper's Table 4, and say what its shares mean."""
    for row in found:
        caption = "What {} people make of {} (Swinger et al. 2019, Table 4)"
        shares = (percent(row.share_accurate), percent(row.expected), probability(row.p_value))
        line = (count(row.n_significant), count(row.associations), *shares, percent(row.share_offensive))
        yield Table(say(caption, count(row.participants), title(row.embedding)), _TABLE_4, (line,))
        yield Prose(
            say(
                "Accurate: the group that most people chose is the embedding's. By chance: the share expected if its "
                "labels were permuted within each category. Ties count as not accurate: there are {}, and {} of them "
                "include the embedding's group. People say what society holds, not what is true.",
                count(row.ties),
                count(row.ties_with_group),
            ),
            media=_BOTH,
        )
        if row.judgments:
            text = "{} of {} answers name the embedding's group, among {} groups on average; Krippendorff's alpha {}."
            numbers = (
                percent(row.share_judgments),
                count(row.judgments),
                number(row.mean_choices, 1),
                number(row.alpha),
            )
            yield Prose(say(text, *numbers), media=_BOTH)
        yield from _incomplete(row)
        if row.share_offensive is None:
            text = (
                "How offensive they are needs a second study: imprint study create STUDY --protocol offense makes it."
            )
            yield Prose(text, "note", _BOTH)
        yield from (Prose(title(note), "note") for note in row.notes)


def category_blocks(found: Sequence[rows.MatchingCategoryRow]) -> Iterator[Block]:
    """Show the shares by category."""
    lines = tuple((words(row.category_words), *_crowd(row), number(row.alpha)) for row in found)
    yield Table("By category", (Column("Category"), *_CROWD, _ALPHA), lines)


def group_blocks(found: Sequence[rows.MatchingGroupRow]) -> Iterator[Block]:
    """Show the shares by group, without alpha: where everybody names one group, answers hardly vary."""
    lines = tuple((Given(row.group), *_crowd(row)) for row in found)
    yield Table("By group of names", (Column("Group"), *_CROWD), lines)


def association_blocks(found: Sequence[rows.MatchedRow]) -> Iterator[Block]:
    """List every association with its votes."""
    columns = (
        Column("Group"),
        Column("Words"),
        Column("Category"),
        Column("People", numeric=True),
        Column("Votes"),
        _ACCURATE,
    )
    lines = tuple(
        (
            Cell(Given(row.group), more=words(row.names)),
            words(row.words),
            words(row.category_words),
            count(row.judges),
            join(say("{} {}", Given(vote.group), count(vote.people)) for vote in row.votes),
            NOTHING if row.accurate is None else "yes" if row.accurate else "tie" if row.tied else "no",
        )
        for row in found
    )
    yield Table("Every association", columns, lines, filtered=True, folded=True)


def offense_blocks(found: Sequence[rows.OffenseRow]) -> Iterator[Block]:
    """Say how many associations people find offensive."""
    for row in found:
        text = "{} people rate {} of {} associations offensive, by a mean above {}; mean {}, Krippendorff's alpha {}."
        counts = (count(row.participants), count(row.n_offensive), count(row.associations))
        yield Prose(say(text, *counts, number(row.threshold, 0), number(row.mean), number(row.alpha)), media=_BOTH)
        yield from _incomplete(row)


def offense_category_blocks(found: Sequence[rows.OffenseCategoryRow]) -> Iterator[Block]:
    """Show the ratings by category."""
    lines = tuple((words(row.category_words), *_ratings(row)) for row in found)
    yield Table("How offensive, by category", (Column("Category"), *_RATED), lines, folded=True)


def offense_group_blocks(found: Sequence[rows.OffenseGroupRow]) -> Iterator[Block]:
    """Show the ratings by group."""
    lines = tuple((Given(row.group), *_ratings(row)) for row in found)
    yield Table("How offensive, by group of names", (Column("Group"), *_RATED), lines)


def rating_blocks(found: Sequence[rows.RatedRow]) -> Iterator[Block]:
    """List the associations by how offensive people find them."""
    rated = sorted((row for row in found if row.mean is not None), key=lambda row: -(row.mean or 0))
    columns = (Column("Words"), Column("Group"), Column("Mean", "From 1 to 7.", True), Column("People", numeric=True))
    lines = [(words(row.words), Given(row.group), number(row.mean), count(row.judges)) for row in rated]
    yield from _listed("How offensive people find each association", columns, lines)


def judgments_blocks(found: Sequence[rows.JudgmentsRow]) -> Iterator[Block]:
    """Count the analogies by votes, and say which shares are stereotypes."""
    for row in found:
        caption = say(
            "Analogies of {} by how many of {} people see a stereotype", title(row.embedding), count(row.quota)
        )
        lines = tuple((count(votes.people), count(votes.analogies)) for votes in row.by_votes)
        yield Table(caption, (Column("People", numeric=True), Column("Analogies", numeric=True)), lines)
        for what, of in (("a stereotype", row.stereotype_shares), ("an analogy that makes sense", row.sense_shares)):
            text = "{} of judgments see {}, and so do most people in {} of analogies; Krippendorff's alpha {}."
            yield Prose(
                say(text, percent(of.of_judgments), what, percent(of.of_analogies), number(of.alpha)), media=_BOTH
            )
        if row.short:
            text = "{} analogies have fewer than {} judgments; the table by votes leaves them out."
            yield Prose(say(text, count(row.short), count(row.quota)), "note", _BOTH)


def pair_blocks(found: Sequence[rows.JudgedPairRow]) -> Iterator[Block]:
    """List the analogies, the most stereotypical first."""
    judged = sorted((row for row in found if row.judges), key=lambda row: -(row.statistic or 0))
    columns = (Column("Analogy"), *(Column(name, numeric=True) for name in ("Stereotype", "Makes sense", "People")))
    lines = [
        (
            say("{} :: {}", *(join(map(Given, pair), " : ") for pair in (row.ends, (row.first, row.second)))),
            count(row.stereotype),
            count(row.sensible),
            count(row.judges),
        )
        for row in judged
    ]
    yield from _listed("The most stereotypical analogies", columns, lines)


def suggestion_blocks(found: Sequence[rows.SuggestedRow]) -> Iterator[Block]:
    """List the words by how many people suggested them."""
    caption = say(
        "{} words about {} from {} people", f"{len(found):,}", title(found[0].about), count(found[0].participants)
    )
    columns = (Column("Word"), Column("People", numeric=True), Column("Held out"))
    lines = [(Given(row.word), count(row.people), "yes" if row.is_held_out else "no") for row in found]
    yield from _listed(caption, columns, lines)
    yield Prose(
        "imprint study export STUDY --format seeds writes all of them for imprint debias.", "note", ("terminal",)
    )


def bonus_blocks(found: Sequence[rows.BonusRow]) -> Iterator[Block]:
    """Show what every participant has earned, with the panel's numbers where links carried them."""
    paid = any(row.panel_id is not None for row in found)
    names = ("Names right", "Names asked", "Agreed", "Answers judged")
    columns = (Column("Participant"), *(Column(name, numeric=True) for name in names))
    lines = tuple(
        (
            NOTHING if row.participant is None else title(row.participant),
            *map(count, (row.exam_correct, row.exam_asked, row.agreed, row.n_judged)),
            *((NOTHING if row.panel_id is None else title(row.panel_id),) if paid else ()),
        )
        for row in found
    )
    yield Table("Bonuses", (*columns, Column("Panel id")) if paid else columns, lines)


def consent_blocks(found: Sequence[rows.ConsentRow]) -> Iterator[Block]:
    """Show the text that people agreed to."""
    for row in found:
        yield Prose("People read and agreed to this text:")
        yield Listing(tuple(map(title, row.paragraphs)))


def _crowd(row: rows.CrowdRow) -> tuple[Text, ...]:
    shares = (percent(row.share_accurate), percent(row.expected))
    return (count(row.associations), *shares, count(row.ties), count(row.judgments))


def _ratings(row: rows.RatingsRow) -> tuple[Text, ...]:
    return count(row.associations), number(row.mean), percent(row.share_offensive)


def _incomplete(row: rows.MatchingRow | rows.OffenseRow) -> Iterator[Block]:
    if row.short:
        text = "{} associations have fewer than {} people, the number in the paper."
        yield Prose(say(text, count(row.short), count(row.least)), "note", _BOTH)
    if row.unjudged:
        yield Prose(say("{} associations have no answer yet; they are left out.", count(row.unjudged)), "note", _BOTH)


def _listed(caption: Text, columns: tuple[Column, ...], lines: Sequence[tuple[Text, ...]]) -> Iterator[Block]:
    """Give the first lines, and all of them on a page when asked for."""
    yield Table(caption, columns, tuple(lines[:_SHOWN]))
    if len(lines) > _SHOWN:
        yield Table(say("All {}", f"{len(lines):,}"), columns, tuple(lines), filtered=True, folded=True)


MATCHING = Kind("study-matching", row=rows.MatchingRow, part=PEOPLE, blocks=matching_blocks)
CATEGORY = Kind("study-category", row=rows.MatchingCategoryRow, part=PEOPLE, blocks=category_blocks)
GROUP = Kind("study-group", row=rows.MatchingGroupRow, part=PEOPLE, blocks=group_blocks)
ASSOCIATION = Kind("study-association", row=rows.MatchedRow, part=PEOPLE, blocks=association_blocks)
OFFENSE = Kind("study-offense", row=rows.OffenseRow, part=PEOPLE, blocks=offense_blocks)
OFFENSE_CATEGORY = Kind(
    "study-offense-category", row=rows.OffenseCategoryRow, part=PEOPLE, blocks=offense_category_blocks
)
OFFENSE_GROUP = Kind("study-offense-group", row=rows.OffenseGroupRow, part=PEOPLE, blocks=offense_group_blocks)
RATING = Kind("study-rating", row=rows.RatedRow, part=PEOPLE, blocks=rating_blocks)
JUDGMENTS = Kind("study-analogies", row=rows.JudgmentsRow, part=PEOPLE, blocks=judgments_blocks)
PAIR = Kind("study-analogy", row=rows.JudgedPairRow, part=PEOPLE, blocks=pair_blocks)
SUGGESTION = Kind("study-suggestion", row=rows.SuggestedRow, part=PEOPLE, blocks=suggestion_blocks)
BONUS = Kind("study-bonus", row=rows.BonusRow, part=PEOPLE, blocks=bonus_blocks)
CONSENT = Kind("study-consent", row=rows.ConsentRow, part=PEOPLE, blocks=consent_blocks)
