"""Debiasing as kinds: what was fitted, what it changed, and what other strengths would do.

Bolukbasi et al. (2016), section 3 and Figure 2.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from imprint.debiasing.debiaser import find_debiaser, label_fact, summarise
from imprint.debiasing.frontier import TARGET_REDUCTION
from imprint.debiasing.rows import DebiasedProjectionRow, DebiasingRow, Fact, FrontierRow, MeasuredVariances
from imprint.errors import SettingError, VocabularyError
from imprint.kinds import Kind, Part
from imprint.masking import Words
from imprint.rows import Row
from imprint.stimuli.published import published_pair
from imprint.stimuli.seeds import FEWEST_JUDGES
from imprint.view import (
    Block,
    Cell,
    Chart,
    Column,
    Details,
    Given,
    Number,
    Prose,
    Table,
    Text,
    count,
    number,
    percent,
    say,
    title,
    words,
)

if TYPE_CHECKING:
    from imprint.jobs.job import Job
    from imprint.types import Progress

BEFORE_AFTER = Part(
    "debiasing",
    "What debiasing changes",
    60,
    needs="debias",
    english=True,
    asks=("embedding",),
    why_not="an audit tries debiasing on word embeddings only; `imprint debias` debiases an encoder",
)

_MOST_CHANGE = 0.15  # of the background's variance, as a share, that goes without a note
_NOTHING = 1e-9  # variance of words that have been debiased before
_NAMED = 5  # missing words in a note
_PAPER = "Bolukbasi et al. (2016), on Google News and other words."
_VARIANCES = (
    Column("Words"),
    Column("Found", "Words the embedding has, of those asked for."),
    Column("Variance before", "Of words at unit length, along the axis.", True),
    Column("Variance after", "Of the same words after debiasing, along the same axis.", True),
    Column(
        "Variance left",
        "Variance after as a share of that before, with 95 % interval if other words had been chosen.",
        True,
    ),
    Column("New axis", "Share of the variance left along the axis that its words make after debiasing.", True),
    Column("Paper, before", _PAPER, True, folded=True),
    Column("Paper, after", _PAPER, True, folded=True),
)
_STRENGTHS = (
    Column("Strength", "How much the stereotype counts in the fit, without units.", True),
    Column("Held-out words: times less variance", "Variance along the axis before, divided by that after.", True),
    Column("Background variance left", "Share that common words keep of their variance along the axis.", True),
    Column("Length of the axis left", "Share of the axis' length that is left after debiasing.", True),
)


def run(job: "Job", progress: "Progress") -> list[Row]:
    """Debias, and measure what changed and what can still be recovered."""
    from imprint.association.battery import run_battery
    from imprint.association.changes import before_and_after
    from imprint.debiasing.rows import frontier_finding, projection_finding
    from imprint.evaluation.leakage import leakage
    from imprint.jobs.progress import by_label, stretch
    from imprint.stimuli.catalog import GENDER_TESTS, catalogue, choose

    before, after, axis, plan = job.embedding, job.debiased, job.axis, job.plan
    debiaser = find_debiaser(job.transform.method)

    def strengths() -> list[Row]:
        return [frontier_finding(before, job.transform, axis, debiaser.frontier(before, job.transform, axis=axis))]

    def projections() -> list[Row]:
        return [projection_finding(before, after, job.transform, axis)]

    def weats() -> list[Row]:
        tests = choose(catalogue(), GENDER_TESTS)
        both = [
            run_battery(one, tests, alpha=plan.alpha, seed=plan.seed, progress=stretch(progress, *part))
            for one, part in ((before, (0.05, 0.1)), (after, (0.1, 0.2)))
        ]
        return [row.in_part(BEFORE_AFTER.name) for row in before_and_after(*both)]

    def left() -> Sequence[Row]:
        if plan.quick:
            raise SettingError("a quick audit leaves this out", option="quick", hint="run a full audit")
        report = by_label(stretch(progress, 0.2, 1.0), (1.0,))
        return leakage(before, axis, after=after, seed=plan.seed, report=report).findings()

    attempts = [
        *([("frontier", "Other strengths", strengths)] if "frontier" in debiaser.options and not plan.quick else []),
        ("projections", "Words before and after", projections),
        ("weats", "WEATs of gender before and after", weats),
        ("leakage", "What is left of gender", left),
    ]
    return [*_fitted(job), *job.gather(BEFORE_AFTER, attempts)]


def show_debiasing(rows: Sequence[DebiasingRow]) -> Iterator[Block]:
    """Show what was fitted, and how far words spread along the axis before and after."""
    for row in rows:
        facts = tuple((title(label_fact(row.method, fact.name)), fact_value(fact)) for fact in row.fitted)
        columns = (Column("Fitted"), Column("Value", numeric=True))
        on = [f", fitted on {fact.text}" for fact in row.fitted if fact.name == "fitted_on"]
        yield Table(say("Debiased ({}{})", title(row.method), *on or [""]), columns, facts, media=("terminal",))
        if row.variances is not None:
            axis = title(row.test.removeprefix(f"{row.method} along "))
            yield from _show_variances(row.variances, axis)
            if "frontier" in find_debiaser(row.method).options and _falls_short(row.variances):
                advice = "Strengths differ between embeddings: --frontier shows what others would do."
                yield Prose(advice, "note", ("terminal",))
        if row.missing:
            more = f" and {len(row.missing) - _NAMED:,} more" if len(row.missing) > _NAMED else ""
            missing = say("Not in the embedding it was fitted on: {}{}", words(row.missing[:_NAMED]), more)
            yield Prose(missing, "note", ("terminal",))
        does = title(summarise(row.method))
        yield Prose(say("The method “{}” {}. It is judged on held-out words.", title(row.method), does), "note")
    yield Prose(
        "A bias that one axis no longer shows may remain in other directions. An association that is gone from a test "
        "does not prove that the bias is gone.",
        "note",
        ("page", "terminal"),
    )


def show_frontier(rows: Sequence[FrontierRow]) -> Iterator[Block]:
    """Show what other strengths would do: how much less the professions vary, and what the background keeps."""
    for place, row in enumerate(rows):
        lines = tuple(
            (
                significant(point.strength),
                number(point.reduction, 1),
                percent(point.background_ratio),
                percent(point.axis_left),
            )
            for point in row.strengths
        )
        table = Table("What other strengths would do", _STRENGTHS, lines, media=("terminal",))
        yield table
        yield Details("What would other strengths do?", (_curve(row, table, place),))
        enough = f"makes the variance of held-out words {TARGET_REDUCTION:g} times smaller"
        strong = [one.strength for one in row.strengths if (one.reduction or 0.0) >= TARGET_REDUCTION]
        text = say(f"The smallest strength that {enough} is {{}}.", significant(min(strong))) if strong else None
        yield Prose(text or f"No strength {enough}.", "note", ("page", "terminal"))


def show_moved(rows: Sequence[DebiasedProjectionRow]) -> Iterator[Block]:
    """Show how far each word lies from the middle, before and after."""
    yield Details("Words before and after", tuple(_scatter(row, place) for place, row in enumerate(rows)))


def say_debiasing(rows: Sequence[DebiasingRow]) -> Iterator[Text]:
    """Say how much of the variance is left."""
    for row in rows:
        known = row.variances
        if known is None:
            continue
        axis = title(row.test.removeprefix(f"{row.method} along "))
        if known.held_out < FEWEST_JUDGES:
            found = (count(known.held_out), count(known.held_out_asked))
            yield say("Debiasing cannot be judged: the embedding has {} of {} held-out professions.", *found)
        elif known.held_out_left is not None:
            yield say(
                "On a debiased copy ({}), professions keep {} of their variance along {}.",
                title(row.method),
                _left(known),
                axis,
            )
            other = _share(known.background_left, known.background_before)
            yield say("Other words keep {} of theirs, a side effect. Your file is unchanged.", other)


def _fitted(job: "Job") -> list[Row]:
    """Say what was fitted; where words to judge it by are missing, without the variances."""
    from imprint.debiasing.frontier import stereotype_variances
    from imprint.debiasing.rows import debiasing_finding

    try:
        variances = stereotype_variances(job.embedding, job.debiased, job.axis)
    except VocabularyError as error:
        skipped = job.skip("variances", "Variances before and after", error, BEFORE_AFTER)
        return [debiasing_finding(job.embedding, job.transform, job.axis, None), skipped]
    return [debiasing_finding(job.embedding, job.transform, job.axis, variances)]


def _show_variances(known: MeasuredVariances, axis: Text) -> Iterator[Block]:
    caption = say("Spread of words along {}, which keeps {} of its length", axis, percent(known.axis_left))
    held_out: tuple[Cell | Text, ...] = (
        "Professions (held-out)",
        say("{} of {}", count(known.held_out), count(known.held_out_asked)),
        number(known.held_out_before, 4),
        number(known.held_out_fixed, 4),
        Cell(_left(known), order=known.held_out_left),
        _share(known.held_out_ratio, known.held_out_before),
        *(f"{value:g}" for value in published_pair("bolukbasi-held-out")),
    )
    background: tuple[Cell | Text, ...] = (
        "Other words",
        say("{} of {}", count(known.background), count(known.background_asked)),
        number(known.background_before, 4),
        number(known.background_fixed, 4),
        _share(known.background_left, known.background_before),
        _share(known.background_ratio, known.background_before),
        *(f"{value:g}" for value in published_pair("bolukbasi-background")),
    )
    yield Table(caption, _VARIANCES, (held_out, background))
    if known.held_out < FEWEST_JUDGES:
        text = f"Fewer than {FEWEST_JUDGES} held-out words are in the embedding: too few to judge the result."
        yield Prose(text, "warning", ("page", "terminal"))
        return
    if short := _falls_short(known):
        yield Prose(f"Note: {' and '.join(short)}.", "note", ("page", "terminal"))
    yield Prose(
        "Variances are of words at unit length, and of the same words as they are after debiasing, along the axis as "
        "it was before. New axis: along the axis that its words make then. In brackets: 95 % interval if other "
        "words had been chosen. Paper: Bolukbasi et al. (2016), on Google News and other words.",
        "note",
        ("terminal",),
    )


def _falls_short(known: MeasuredVariances) -> list[str]:
    """Say where too little was removed, or too much."""
    if known.held_out < FEWEST_JUDGES:
        return []
    short = []
    if known.reduction is not None and known.reduction < TARGET_REDUCTION:
        short.append(
            f"the variance of held-out professions on the new axis is less than {TARGET_REDUCTION:g} times smaller"
        )
    if known.background_ratio is not None and abs(known.background_ratio - 1) > _MOST_CHANGE:
        short.append(f"the variance of other words on the new axis changed by more than {100 * _MOST_CHANGE:.0f} %")
    return short


def _left(known: MeasuredVariances) -> Text:
    """Return the share of their variance that held-out words keep, with its interval."""
    if (known.held_out_before or 0.0) < _NOTHING or known.left_low is None or known.left_high is None:
        return _share(known.held_out_left, known.held_out_before)
    ends = (percent(known.left_low), percent(known.left_high))
    return say("{} [{} to {}]", percent(known.held_out_left), *ends)


def _share(ratio: float | None, before: float | None) -> Text:
    return percent(ratio if before is not None and before > _NOTHING else None)


def _curve(row: FrontierRow, table: Table, place: int) -> Chart:
    def draw(shown: Words, width: int) -> dict[str, object]:
        from imprint.render.charts.plane import curve
        from imprint.render.charts.points import Point

        return curve(
            [
                Point(f"{one.strength:g}", one.background_ratio, one.reduction)
                for one in row.strengths
                if one.background_ratio is not None and one.reduction is not None
            ],
            x_title="share of the background's variance left",
            y_title="held-out words: times less variance",
            chosen=f"{row.chosen or 0:g}",
            width=width,
        )

    alt = (
        "A dot for each strength. The stronger, the less the held-out words vary along the axis, and the less "
        "variance the background words keep. The filled dot is the strength used here."
    )
    name = f"debiasing-frontier-{place + 1}" if place else "debiasing-frontier"
    return Chart(name, table.caption, alt, draw, table)


def _scatter(row: DebiasedProjectionRow, place: int) -> Chart:
    moved = [
        (one, group)
        for changes, group in ((row.held_out, "held-out professions"), (row.background, "background words"))
        for one in changes
    ]

    def draw(shown: Words, width: int) -> dict[str, object]:
        from imprint.render.charts.plane import scatter
        from imprint.render.charts.points import Point

        points = [
            Point(shown.plain(one.word), abs(one.before), abs(one.after), group)
            for one, group in moved
            if one.after is not None
        ]
        return scatter(points, x_title="distance before", y_title="distance after", line="diagonal", width=width)

    alt = (
        "Words on the diagonal kept their place along the axis, which is made again of the same words; words near the "
        "bottom lost it. Professions should fall to the bottom; background words should stay on the diagonal."
    )
    columns = (Column("Word"), Column("List"), Column("Before", numeric=True), Column("After", numeric=True))
    lines = tuple((Given(one.word), group, number(one.before, 3), number(one.after, 3)) for one, group in moved)
    table = Table("Coordinates along the axis, before and after", columns, lines, filtered=True)
    name = f"debiasing-scatter-{place + 1}" if place else "debiasing-scatter"
    return Chart(name, "How far words lie from the middle of the axis, before and after", alt, draw, table)


def fact_value(fact: Fact) -> Text:
    """Return the text or the number of a fact."""
    return title(fact.text) if fact.text is not None else significant(fact.value)


def significant(value: float | None) -> Number:
    """Return a number with two significant digits, or a whole number."""
    return count(int(value)) if value is not None and value.is_integer() else Number(value, "p")


DEBIASING = Kind(
    "debiasing",
    row=DebiasingRow,
    part=BEFORE_AFTER,
    blocks=show_debiasing,
    sentences=say_debiasing,
    run=run,
    seconds=8.0,
    quick_seconds=1.0,
    method="Debiasing was fitted on some words and judged on others.",
)
FRONTIER = Kind("frontier", row=FrontierRow, part=BEFORE_AFTER, blocks=show_frontier)
MOVED = Kind("debiased projection", row=DebiasedProjectionRow, part=BEFORE_AFTER, blocks=show_moved)
