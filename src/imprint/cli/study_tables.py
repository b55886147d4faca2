"""What a crowd said, for a terminal: the paper's Table 4 first, then by category and group."""

from collections.abc import Iterable, Sequence

from imprint.cli.console import say
from imprint.cli.formats import make_table, number, show_table
from imprint.masking import mask
from imprint.study.analysis import Bonus, StudyScores
from imprint.study.matching import MatchingScores, PooledAgreement
from imprint.study.pairs import AnalogyScores
from imprint.study.ratings import RatingScores
from imprint.study.suggestions import SuggestionScores

_SHOWN = 20  # associations, analogies or words; the others are in --json

_NONE = "–"


def print_scores(scores: StudyScores, *, unmask: bool) -> None:
    """Print the scores of any study; stderr says what to make of them."""
    if isinstance(scores, MatchingScores):
        _print_matching(scores, unmask=unmask)
        if scores.ratings is not None:
            _print_ratings(scores.ratings, unmask=unmask)
    elif isinstance(scores, RatingScores):
        _print_ratings(scores, unmask=unmask)
    elif isinstance(scores, AnalogyScores):
        _print_analogies(scores, unmask=unmask)
    else:
        _print_suggestions(scores, unmask=unmask)


def print_bonuses(earned: Sequence[Bonus]) -> None:
    """Print what every participant has earned, with the panel's numbers where links carried them."""
    columns = ("names right", "of", "agreed with most", "of")
    paid = any(one.panel_id for one in earned)
    last = (("panel id", "left"),) if paid else ()
    table = make_table("Bonuses", ("participant", "left"), *((name, "right") for name in columns), *last)
    for one in earned:
        counts = map(str, (one.exam_correct, one.exam_asked, one.agreed, one.judged))
        table.add_row(one.participant or _NONE, *counts, *((one.panel_id or _NONE,) if paid else ()))
    show_table(table)


def _print_matching(scores: MatchingScores, *, unmask: bool) -> None:
    row = scores.table
    title = f"What {scores.participants} people make of {row['embedding']} (Swinger et al. 2019, Table 4)"
    columns = ("significant", "judged", "accurate", "by chance", "p", "offensive")
    table = make_table(title, *((name, "right") for name in columns))
    table.add_row(
        str(row["significant"]),
        str(row["judged"]),
        _share(row["accurate"]),
        _share(row["expected"]),
        _NONE if row["p_value"] is None else f"{row['p_value']:.2g}",
        _share(row["offensive"]),
    )
    show_table(table)
    named = {one.category: one.category_words for one in scores.associations}
    by_words = ((_shown(named[key], unmask=unmask), value) for key, value in scores.categories.items())
    _print_agreements("By category", by_words, alpha=True)
    # No alpha by group: where everybody rightly names one group, answers hardly vary and alpha says nothing.
    _print_agreements("By group of names", scores.groups.items(), alpha=False)
    of = scores.overall
    say("Accurate: the group that most people chose is the embedding's. By chance: were its labels permuted within")
    say("each category; p is exact, over all such permutations. The crowd says what society holds, not what is true.")
    say(f"Ties, which count as not accurate: {of.ties}, of which {of.ties_with_group} include the embedding's group.")
    if of.judgments:
        say(
            f"Of {of.judgments:,} single answers {_share(of.share_judgments)} name the embedding's group, among "
            f"{number(scores.mean_choices, 1)} groups on average; Krippendorff's alpha {number(of.alpha)}."
        )
    _say_short(scores.short, scores.study.least, scores.unjudged)
    if scores.ratings is None:
        say(
            "Offensive: needs a second study of these answers; imprint study create STUDY --protocol offense makes it."
        )


def _print_agreements(title: str, rows: Iterable[tuple[str, PooledAgreement]], *, alpha: bool) -> None:
    columns = ("associations", "accurate", "by chance", "ties", "answers", *(("alpha",) if alpha else ()))
    table = make_table(title, ("", "left"), *((name, "right") for name in columns))
    for name, of in rows:
        shares = (_share(of.share_accurate), _share(of.expected))
        last = (number(of.alpha),) if alpha else ()
        table.add_row(name, str(of.associations), *shares, str(of.ties), f"{of.judgments:,}", *last)
    show_table(table)


def _print_ratings(scores: RatingScores, *, unmask: bool) -> None:
    rated = sorted((one for one in scores.associations if one.mean is not None), key=lambda one: -(one.mean or 0))
    title = f"How offensive {scores.participants} people find {scores.study.embedding}'s associations, 1 to 7"
    table = make_table(title, ("mean", "right"), ("group", "left"), ("words", "left"), ("people", "right"))
    for one in rated[:_SHOWN]:
        table.add_row(number(one.mean), one.group, _shown(one.words, unmask=unmask), str(one.judges))
    show_table(table)
    groups = make_table(
        "By group of names", ("", "left"), ("associations", "right"), ("mean", "right"), ("offensive", "right")
    )
    for letter, some in scores.groups.items():
        groups.add_row(letter, str(some.associations), number(some.mean), _share(some.share_offensive))
    show_table(groups)
    of = scores.overall
    say(
        f"Offensive, a mean above 4: {of.offensive} of {of.associations} associations; mean {number(of.mean)}, "
        f"Krippendorff's alpha {number(scores.alpha)}."
    )
    _say_short(scores.short, scores.study.least, len(scores.associations) - len(rated))


def _print_analogies(scores: AnalogyScores, *, unmask: bool) -> None:
    quota = scores.study.quota
    title = f"Analogies of {scores.study.embedding} by how many of {quota} people see a stereotype"
    table = make_table(title, ("people", "right"), ("analogies", "right"))
    for votes, count in scores.by_votes.items():
        table.add_row(f"{votes}/{quota}", str(count))
    show_table(table)
    listed = make_table("The most stereotypical", ("people", "right"), ("analogy", "left"), ("make sense", "right"))
    judged = sorted((pair for pair in scores.pairs if pair.judges), key=lambda pair: -pair.stereotype / pair.judges)
    for pair in judged[:_SHOWN]:
        phrase = f"{pair.ends[0]} : {pair.ends[1]} :: {pair.first} : {pair.second}"
        stereotype, sensible = (f"{votes}/{pair.judges}" for votes in (pair.stereotype, pair.sensible))
        listed.add_row(stereotype, phrase if unmask else mask(phrase), sensible)
    show_table(listed)
    for name, of in (("a stereotype", scores.stereotype), ("an analogy that makes sense", scores.sense)):
        say(
            f"{_share(of.of_judgments)} of judgments see {name}, and of {_share(of.of_analogies)} of analogies most "
            f"people do; Krippendorff's alpha {number(of.alpha)}."
        )
    if scores.short:
        say(f"note: {scores.short} analogies have fewer than {quota} judgments; the table by votes leaves them out")


def _print_suggestions(scores: SuggestionScores, *, unmask: bool) -> None:
    title = f"{len(scores.words)} words about {scores.about} of {scores.participants} people"
    table = make_table(title, ("word", "left"), ("people", "right"), ("held out", "left"))
    for one in scores.words[:_SHOWN]:
        table.add_row(_shown((one.word,), unmask=unmask), str(one.people), "yes" if one.held_out else "")
    show_table(table)
    say("imprint study export STUDY --format seeds writes all of them for imprint debias.")


def _say_short(short: int, least: int, unjudged: int) -> None:
    if short:
        say(f"note: {short} associations have fewer than {least} people, as many as the paper asked")
    if unjudged:
        say(f"note: nobody has judged {unjudged} associations yet; they are left out")


def _shown(words: Iterable[str], *, unmask: bool) -> str:
    text = ", ".join(words)
    return text if unmask else mask(text)


def _share(value: float | None) -> str:
    return _NONE if value is None else f"{value:.0%}"
