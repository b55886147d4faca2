"""A study's scores as kinds: what people said of associations and analogies, beside chance."""

from collections.abc import Iterator, Sequence

from imprint.kinds import Kind, Part
from imprint.rows import Row
from imprint.study import rows
from imprint.tables import Columns, Field, as_text, draw_field, table
from imprint.view import (
    Block,
    Cell,
    Claim,
    Given,
    Listing,
    Medium,
    Prose,
    Span,
    Text,
    count,
    footnote,
    join,
    number,
    percent,
    say,
    title,
)

PEOPLE = Part(
    "study",
    "What people say",
    100,
    offensive=True,
    controlled=False,
    alone=True,
    terms=(
        "p: how often permuted labels of the embedding give at least as many shared associations.",
        "Interval: plausible values at 95 %: of the share, for other associations of the same kind; of one "
        "association, for other people like those asked.",
        "Krippendorff's alpha: how far two people give the same answer; 0 is chance, 1 is always. He asks for 0.8, or "
        "for 0.67 where conclusions are tentative. “I cannot tell” counts as no answer.",
    ),
    limits=(
        "A shared association is a known stereotype. That makes it neither true nor harmless.",
        "An association that people do not share may do harm too: many people do not know the words or the names.",
        "Names represent groups because of who has them in the United States. Elsewhere they may not.",
    ),
)

_SHOWN = 20  # associations, analogies or words in a terminal; a page and --json have all
_BOTH: tuple[Medium, ...] = ("page", "terminal")

_TABLE_4 = (
    "n_found",
    Field("associations", "Judged"),
    "share_accurate",
    "expected",
    "p_value",
    "share_offensive",
)
_CROWD = ("associations", "share_accurate", "expected", "ties", "judgments")
# What alpha says of two people, from its smallest value on: the limits are Krippendorff's (2004).
_AGREE = (
    (0.8, "Two people nearly always give the same answer"),
    (0.667, "Two people mostly give the same answer"),
    (0.0, "Two people often give different answers"),
    (-1.0, "Two people agree no more than by chance"),
)
_RATED = ("associations", "mean", "share_offensive")


def matching_blocks(found: Sequence[rows.MatchingRow]) -> Iterator[Block]:
    """Show the row of the paper's Table 4, and say what its shares mean."""
    for row in found:
        caption = say(
            "What {} people make of {} (Swinger et al. 2019, Table 4)", count(row.participants), title(row.embedding)
        )
        yield table(rows.MatchingRow, caption, [row], _TABLE_4)
        yield Prose(
            say(
                "Shared: the most frequent answer is the embedding's group (the paper: accurate). By chance: "
                "the share expected if its labels were permuted within each category. Ties are not shared: there are "
                "{}, and {} of them include the embedding's group. People say what society holds, not what is true.",
                count(row.ties),
                count(row.ties_with_group),
            ),
            media=_BOTH,
        )
        yield from (Prose(text, media=("terminal",)) for text in agreement([row], ()))
        yield from _incomplete(row)
        if row.share_offensive is None:
            yield footnote("How offensive are they? imprint study create STUDY --protocol offense asks that.")
        yield from (Prose(title(note), "note") for note in row.notes)


def matching_sentences(matchings: Sequence[rows.MatchingRow]) -> Iterator[Text]:
    """Say with how many associations people agree, and how many that would be by chance."""
    for row in matchings:
        if not row.associations:
            yield "There are no answers yet."
            continue
        yield say(
            "People share {} of {} associations of {}: {}. By chance they would share {}.",
            count(row.n_accurate),
            count(row.associations),
            title(row.embedding),
            as_text(draw_field(row, "share_accurate")),
            percent(row.expected),
        )


def agreement(matchings: Sequence[rows.MatchingRow], _: Sequence[Row]) -> Iterator[Text]:
    """Say how far people agree with the embedding, and with each other."""
    for row in matchings:
        if row.n_accurate:
            text = "In {} of these {}, more people choose the embedding's group than guessing explains."
            yield say(text, count(row.above_guessing), count(row.n_accurate))
        if row.judgments:
            yield say(
                "{} of {} answers name the embedding's group, and {} say “I cannot tell”.",
                percent(row.share_judgments),
                count(row.judgments),
                percent(row.cannot_tell / row.judgments),
            )
        if row.alpha is not None:
            meaning = next(text for least, text in _AGREE if row.alpha >= least)
            yield say("{}: Krippendorff's alpha is {} (0: chance, 1: full agreement).", meaning, number(row.alpha))


def matching_claims(matchings: Sequence[rows.MatchingRow]) -> Iterator[Claim]:
    """Say what the shares allow to conclude, and what they do not."""
    for row, sentence in zip(matchings, matching_sentences(matchings), strict=True):
        yield sentence, "That they are true of anyone, or that the associations that people do not share do no harm."
        if row.participants:
            asked = say("Which group {} people connect most often with each association.", count(row.participants))
            yield asked, "What other people would say. Report who took part, from where, and for which pay."


def category_blocks(found: Sequence[rows.MatchingCategoryRow]) -> Iterator[Block]:
    """Show the shares by category."""
    yield table(rows.MatchingCategoryRow, "By category", found, ("category_words", *_CROWD, "alpha"), folded=True)


def group_blocks(found: Sequence[rows.MatchingGroupRow]) -> Iterator[Block]:
    """Show the shares by group, without alpha: where everybody names one group, answers hardly vary."""
    yield table(rows.MatchingGroupRow, "By group of names", found, ("names", *_CROWD), more=("group",))


def association_blocks(found: Sequence[rows.MatchedRow]) -> Iterator[Block]:
    """List every association with the share of people who share it, and all votes, those of most people first."""
    first = {row.group: row.names[0] for row in found if row.names}

    def votes(row: rows.MatchedRow) -> Text:
        return join(say("{} {}", Given(first.get(vote.group, vote.group)), count(vote.people)) for vote in row.votes)

    columns = (
        "words",
        Field("names", "Names"),
        Field("statistic", cell=_share),
        Field("accurate", cell=_accurate, numeric=True),
        Field("votes", cell=votes),
        "cannot_tell",
    )
    ordered = sorted(found, key=lambda row: -(row.statistic or 0.0))
    more = ("group", "category_words", "judges")
    yield table(rows.MatchedRow, "Which associations do people share?", ordered, columns, more=more)


def _share(row: rows.MatchedRow) -> Cell | Text:
    drawn = draw_field(row, "statistic")
    if row.statistic is None or isinstance(drawn, str):
        return drawn
    return Cell(as_text(drawn), order=row.statistic, span=Span(row.statistic, row.share_low, row.share_high))


def _accurate(row: rows.MatchedRow) -> Cell | Text:
    if row.judges and not row.most_chosen:
        return "cannot tell"
    return "tie" if row.accurate is False and row.tied else draw_field(row, "accurate")


def offense_blocks(found: Sequence[rows.OffenseRow]) -> Iterator[Block]:
    """Say how many associations people find offensive."""
    for row in found:
        text = "{} people rate {} of {} associations offensive, by a mean above {}; mean {}, Krippendorff's alpha {}."
        counts = (count(row.participants), count(row.n_offensive), count(row.associations))
        yield Prose(say(text, *counts, number(row.threshold, 0), number(row.mean), number(row.alpha)), media=_BOTH)
        yield from _incomplete(row)


def offense_category_blocks(found: Sequence[rows.OffenseCategoryRow]) -> Iterator[Block]:
    """Show the ratings by category."""
    heading = "How offensive, by category"
    yield table(rows.OffenseCategoryRow, heading, found, ("category_words", *_RATED), folded=True)


def offense_group_blocks(found: Sequence[rows.OffenseGroupRow]) -> Iterator[Block]:
    """Show the ratings by group."""
    yield table(rows.OffenseGroupRow, "How offensive, by group of names", found, ("group", *_RATED))


def rating_blocks(found: Sequence[rows.RatedRow]) -> Iterator[Block]:
    """List the associations by how offensive people find them."""
    rated = sorted((row for row in found if row.mean is not None), key=lambda row: -(row.mean or 0))
    caption = "How offensive people find each association"
    yield from _listed(rows.RatedRow, caption, rated, ("words", "group", "mean", "judges"))


def judgments_blocks(found: Sequence[rows.JudgmentsRow]) -> Iterator[Block]:
    """Count the analogies by votes, and say which shares are stereotypes."""
    for row in found:
        caption = say(
            "Analogies of {} by how many of {} people see a stereotype", title(row.embedding), count(row.quota)
        )
        yield table(rows.VoteCount, caption, row.by_votes, ("people", "analogies"))
        for what, of in (("a stereotype", row.stereotype_shares), ("an analogy that makes sense", row.sense_shares)):
            text = "{} of judgments see {}, and so do most people in {} of analogies; Krippendorff's alpha {}."
            yield Prose(
                say(text, percent(of.of_judgments), what, percent(of.of_analogies), number(of.alpha)), media=_BOTH
            )
        if row.short:
            text = "{} analogies have fewer than {} judgments; the table by votes leaves them out."
            yield footnote(say(text, count(row.short), count(row.quota)))


def pair_blocks(found: Sequence[rows.JudgedPairRow]) -> Iterator[Block]:
    """List the analogies, the most stereotypical first."""
    judged = sorted((row for row in found if row.judges), key=lambda row: -(row.statistic or 0))
    columns = (Field(title="Analogy", cell=_analogy), "stereotype", "sensible", "judges")
    yield from _listed(rows.JudgedPairRow, "The most stereotypical analogies", judged, columns)


def _analogy(row: rows.JudgedPairRow) -> Text:
    return say("{} :: {}", *(join(map(Given, pair), " : ") for pair in (row.ends, (row.first, row.second))))


def suggestion_blocks(found: Sequence[rows.SuggestedRow]) -> Iterator[Block]:
    """List the words by how many people suggested them."""
    caption = say(
        "{} words about {} from {} people", f"{len(found):,}", title(found[0].about), count(found[0].participants)
    )
    yield from _listed(rows.SuggestedRow, caption, found, ("word", "people", "is_held_out"))
    yield Prose(
        "imprint study export STUDY --format seeds writes all of them for imprint debias.", "note", ("terminal",)
    )


def bonus_blocks(found: Sequence[rows.BonusRow]) -> Iterator[Block]:
    """Show what every participant has earned, with the panel's numbers where links carried them."""
    paid = ["panel_id"] if any(row.panel_id is not None for row in found) else []
    columns = ("participant", "exam_correct", "exam_asked", "agreed", "n_judged", *paid)
    yield table(rows.BonusRow, "Bonuses", found, columns)


def consent_blocks(found: Sequence[rows.ConsentRow]) -> Iterator[Block]:
    """Show the text that people agreed to."""
    for row in found:
        yield Prose("People read and agreed to this text:")
        yield Listing(tuple(map(title, row.paragraphs)))


def _incomplete(row: rows.MatchingRow | rows.OffenseRow) -> Iterator[Block]:
    if row.short:
        text = "{} associations have fewer than {} people, the number in the paper."
        yield footnote(say(text, count(row.short), count(row.least)))
    if row.unjudged:
        yield footnote(say("{} associations have no answer yet; they are left out.", count(row.unjudged)))


def _listed(row: type[Row], caption: Text, lines: Sequence[Row], columns: Columns) -> Iterator[Block]:
    """Give the first lines, and all of them on a page when asked for."""
    yield table(row, caption, lines[:_SHOWN], columns)
    if len(lines) > _SHOWN:
        yield table(row, say("All {}", f"{len(lines):,}"), lines, columns, filtered=True, folded=True)


MATCHING = Kind(
    row=rows.MatchingRow,
    part=PEOPLE,
    blocks=matching_blocks,
    sentences=matching_sentences,
    certainty=agreement,
    claims=matching_claims,
    about=lambda matchings: [say("{} people", count(row.participants)) for row in matchings],
    opens=1,
    method=(
        "Participants matched the words of each association to a group of names, or said that they could not tell "
        "(after Swinger et al. 2019, section 4.1). It counts as shared if the embedding's group is the most frequent "
        "answer. Intervals are exact binomial ones at 95 %; p is exact over permutations of the embedding's labels "
        "within categories; agreement is Krippendorff's nominal alpha."
    ),
)
CATEGORY = Kind(row=rows.MatchingCategoryRow, part=PEOPLE, blocks=category_blocks)
GROUP = Kind(row=rows.MatchingGroupRow, part=PEOPLE, blocks=group_blocks)
ASSOCIATION = Kind(row=rows.MatchedRow, part=PEOPLE, blocks=association_blocks, rank=-1)
OFFENSE = Kind(row=rows.OffenseRow, part=PEOPLE, blocks=offense_blocks)
OFFENSE_CATEGORY = Kind(row=rows.OffenseCategoryRow, part=PEOPLE, blocks=offense_category_blocks)
OFFENSE_GROUP = Kind(row=rows.OffenseGroupRow, part=PEOPLE, blocks=offense_group_blocks)
RATING = Kind(row=rows.RatedRow, part=PEOPLE, blocks=rating_blocks)
JUDGMENTS = Kind(row=rows.JudgmentsRow, part=PEOPLE, blocks=judgments_blocks)
PAIR = Kind(row=rows.JudgedPairRow, part=PEOPLE, blocks=pair_blocks)
SUGGESTION = Kind(row=rows.SuggestedRow, part=PEOPLE, blocks=suggestion_blocks)
BONUS = Kind(row=rows.BonusRow, part=PEOPLE, blocks=bonus_blocks)
CONSENT = Kind(row=rows.ConsentRow, part=PEOPLE, blocks=consent_blocks)
