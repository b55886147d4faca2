"""Debiasing as kinds: what was fitted, what it changed, and what other strengths would do.

Bolukbasi et al. (2016), section 3 and Figure 2.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from imprint.debiasing.debiaser import find_debiaser, label_fact
from imprint.debiasing.frontier import TARGET_REDUCTION
from imprint.debiasing.rows import (
    DebiasedProjectionRow,
    DebiasingRow,
    Fact,
    FrontierRow,
    LeftRow,
    MeasuredVariances,
    StrengthPoint,
    WordChange,
)
from imprint.kinds import Kind, Part, terms
from imprint.masking import Words
from imprint.render.charts.plane import curve, scatter
from imprint.render.charts.points import Point
from imprint.rows import Row
from imprint.stimuli.published import published_pair
from imprint.stimuli.seeds import FEWEST_JUDGES
from imprint.tables import Columns, Field, as_text, draw_field, significant, table
from imprint.view import Block, Chart, Details, Prose, Table, Text, count, footnote, percent, say, title, words

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
    terms=terms.DEBIASED,
    limits=(terms.ONE_DIRECTION,),
)

_MOST_CHANGE = 0.15  # of the background's variance, as a share, that goes without a note
_NAMED = 5  # missing words in a note
_PAPER = "Bolukbasi et al. (2016), on Google News and other words."
_WORDS = {"held_out": "Professions (held-out)", "background": "Other words"}
_STRENGTHS: Columns = ("strength", "reduction", "background_ratio", "axis_left")


def run(job: "Job", progress: "Progress") -> list[Row]:
    """Debias, and measure what changed and what can still be recovered."""
    from imprint.debiasing.rows import projection_finding
    from imprint.evaluation.debias import DebiasedCopy
    from imprint.evaluation.leakage import leakage
    from imprint.jobs.job import Attempt
    from imprint.jobs.progress import by_label, stretch

    plan = job.plan
    copy = DebiasedCopy(job.embedding, job.debiased, job.transform, job.axis, plan.seed)

    def projections() -> list[Row]:
        return [projection_finding(copy.before, copy.after, copy.transform, copy.axis)]

    def left() -> Sequence[Row]:
        report = by_label(stretch(progress, 0.2, 1.0), (1.0,))
        return leakage(copy.before, copy.axis, after=copy.after, seed=plan.seed, report=report).findings()

    tests = partial(copy.tests, report=by_label(stretch(progress, 0.05, 0.2), (1.0,)))
    attempts = [
        Attempt("projections", "Words before and after", projections),
        Attempt("weats", "WEATs of gender before and after", tests),
        Attempt("leakage", "What is left of gender", left, slow=True),
    ]
    if "frontier" in find_debiaser(job.transform.method).options and not plan.quick:
        attempts.insert(0, Attempt("frontier", "Other strengths", copy.frontier))
    return [*copy.fitted(), *job.gather(BEFORE_AFTER, attempts)]


def show_debiasing(rows: Sequence[DebiasingRow]) -> Iterator[Block]:
    """Show what was fitted, and how far words spread along the axis before and after."""
    for row in rows:
        yield _facts(row)
        if row.variances is not None:
            yield from _show_left(row, row.variances)
            yield Details("As the paper measures it", tuple(_show_variances(row, row.variances)))
            if "frontier" in find_debiaser(row.method).options and _falls_short(row.variances):
                advice = "Strengths differ between embeddings: --frontier shows what others would do."
                yield Prose(advice, "note", ("terminal",))
        if row.missing:
            more = f" and {len(row.missing) - _NAMED:,} more" if len(row.missing) > _NAMED else ""
            missing = say("Not in the embedding it was fitted on: {}{}", words(row.missing[:_NAMED]), more)
            yield Prose(missing, "note", ("terminal",))
        does = title(find_debiaser(row.method).summary)
        yield Prose(say("The method “{}” {}. It is judged on held-out words.", title(row.method), does), "note")
    yield footnote(
        "A bias that one axis no longer shows may remain in other directions. An association that is gone from a test "
        "does not prove that the bias is gone."
    )


def show_frontier(rows: Sequence[FrontierRow]) -> Iterator[Block]:
    """Show what other strengths would do: how much less the professions vary, and what the background keeps."""
    for place, row in enumerate(rows):
        caption = "What other strengths would do"
        strengths = table(StrengthPoint, caption, row.strengths, _STRENGTHS, media=("terminal",))
        yield strengths
        yield Details("What would other strengths do?", (_curve(row, strengths, place),))
        enough = f"makes the variance of held-out words {TARGET_REDUCTION:g} times smaller"
        strong = [point.strength for point in row.strengths if (point.reduction or 0.0) >= TARGET_REDUCTION]
        text = say(f"The smallest strength that {enough} is {{}}.", significant(min(strong))) if strong else None
        yield footnote(text or f"No strength {enough}.")


def show_moved(rows: Sequence[DebiasedProjectionRow]) -> Iterator[Block]:
    """Show how far each word lies from the middle, before and after."""
    yield Details("Words before and after", tuple(_scatter(row, place) for place, row in enumerate(rows)))


def say_debiasing(rows: Sequence[DebiasingRow]) -> Iterator[Text]:
    """Say how much of the variance is left."""
    for row in rows:
        if row.variances is None:
            continue
        if row.variances.held_out < FEWEST_JUDGES:
            words_found = (count(row.variances.held_out), count(row.variances.held_out_asked))
            yield say("Debiasing cannot be judged: the embedding has {} of {} held-out professions.", *words_found)
        elif row.bias_left is not None:
            yield say(
                "Debiased ({}): {} of professions' variance {} is left.",
                title(row.method),
                as_text(draw_field(row, "bias_left")),
                "between male and female" if row.n_pairs else say("along {}", _axis_of(row)),
            )
            other = percent(row.background_left)
            yield say("Other words keep {} of theirs, a side effect. Your file is unchanged.", other)


def _facts(row: DebiasingRow) -> Table:
    texts = [f", fitted on {fact.text}" for fact in row.fitted if fact.name == "fitted_on"]
    caption = say("Debiased ({}{})", title(row.method), *texts or [""])
    label = Field("name", cell=lambda fact: title(label_fact(row.method, fact.name)))
    return table(Fact, caption, row.fitted, (label, Field("value", cell=fact_value)), media=("terminal",))


def _show_left(row: DebiasingRow, spread: MeasuredVariances) -> Iterator[Block]:
    """Show what is left, as a comparison of debiasers does."""
    left = {"held_out": "bias_left", "background": "background_left"}
    columns = (
        Field(title="Words", cell=lambda words: _WORDS[words]),
        Field(
            title="Found",
            meaning="Words the embedding has, of those asked for.",
            cell=lambda words: say(
                "{} of {}", count(getattr(spread, words)), count(getattr(spread, f"{words}_asked"))
            ),
        ),
        Field("bias_left", cell=lambda words: draw_field(row, left[words])),
    )
    yield table(DebiasingRow, say("What is left along {}", _axis_of(row)), _WORDS, columns)
    if row.bias_left is None:
        why = (
            f"Too few pairs such as uncle and aunt, or fewer than {FEWEST_JUDGES} held-out words: it cannot be judged."
        )
        yield Prose(why, "warning", ("page", "terminal"))
    elif row.n_pairs:
        yield footnote(gender_axis(row))


def gender_axis(row: LeftRow) -> Text:
    """Say what the axis is that debiasing is judged along, and that shorter vectors are not less bias."""
    return say(
        "The gender axis is the first principal component of {} pairs, such as uncle and aunt, before debiasing. No "
        "built-in method takes its direction from these pairs. Vectors are scaled to unit length, so shorter vectors "
        "are not less bias.",
        count(row.n_pairs),
    )


def _axis_of(row: DebiasingRow) -> Text:
    return "the gender axis" if row.n_pairs else title(row.test.removeprefix(f"{row.method} along "))


def _show_variances(row: DebiasingRow, spread: MeasuredVariances) -> Iterator[Block]:
    axis = title(row.test.removeprefix(f"{row.method} along "))
    caption = say("Spread of words along {}, which keeps {} of its length", axis, percent(spread.axis_left))
    paper = {words: published_pair(f"bolukbasi-{words}".replace("_", "-")) for words in _WORDS}
    columns = (
        Field(title="Words", cell=lambda words: _WORDS[words]),
        Field("held_out_before", cell=lambda words: draw_field(spread, f"{words}_before")),
        Field("held_out_after", cell=lambda words: draw_field(spread, f"{words}_after")),
        Field(title="Paper, before", meaning=_PAPER, cell=lambda words: f"{paper[words][0]:g}", numeric=True),
        Field(title="Paper, after", meaning=_PAPER, cell=lambda words: f"{paper[words][1]:g}", numeric=True),
    )
    yield table(MeasuredVariances, caption, _WORDS, columns)
    if short := _falls_short(spread):
        yield footnote(f"Note: {' and '.join(short)}.")
    yield footnote(
        "Variances are of words at unit length before, along the axis that its words make, before and after. Paper: "
        f"{_PAPER}"
    )


def _falls_short(spread: MeasuredVariances) -> list[str]:
    """Say where too little was removed, or too much."""
    if spread.held_out < FEWEST_JUDGES:
        return []
    short = []
    if spread.reduction is not None and spread.reduction < TARGET_REDUCTION:
        short.append(f"the variance of held-out professions is less than {TARGET_REDUCTION:g} times smaller")
    if spread.background_ratio is not None and abs(spread.background_ratio - 1) > _MOST_CHANGE:
        short.append(f"the variance of other words changed by more than {100 * _MOST_CHANGE:.0f} %")
    return short


def _curve(row: FrontierRow, table: Table, place: int) -> Chart:
    def draw(shown: Words, width: int) -> dict[str, object]:
        return curve(
            [
                Point(f"{point.strength:g}", point.background_ratio, point.reduction)
                for point in row.strengths
                if point.background_ratio is not None and point.reduction is not None
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
    changes = (*row.held_out, *row.background)
    held_out = {change.word for change in row.held_out}

    def group(change: WordChange) -> str:
        return "held-out professions" if change.word in held_out else "background words"

    def draw(shown: Words, width: int) -> dict[str, object]:
        points = [
            Point(shown.plain(change.word), abs(change.before), abs(change.after), group(change))
            for change in changes
            if change.after is not None
        ]
        return scatter(points, x_title="distance before", y_title="distance after", line="diagonal", width=width)

    alt = (
        "Words on the diagonal kept their place along the axis, which is made again of the same words; words near the "
        "bottom lost it. Professions should fall to the bottom; background words should stay on the diagonal."
    )
    columns: Columns = ("word", Field(title="List", cell=group), "before", "after")
    coordinates = table(WordChange, "Coordinates along the axis, before and after", changes, columns, filtered=True)
    name = f"debiasing-scatter-{place + 1}" if place else "debiasing-scatter"
    return Chart(name, "How far words lie from the middle of the axis, before and after", alt, draw, coordinates)


def fact_value(fact: Fact) -> Text:
    """Return the text or the number of a fact."""
    return title(fact.text) if fact.text is not None else significant(fact.value)


DEBIASING = Kind(
    row=DebiasingRow,
    part=BEFORE_AFTER,
    blocks=show_debiasing,
    sentences=say_debiasing,
    run=run,
    seconds=8.0,
    quick_seconds=1.0,
    method="Debiasing was fitted on some words and judged on others.",
    brief=say_debiasing,
)
FRONTIER = Kind(row=FrontierRow, part=BEFORE_AFTER, blocks=show_frontier)
MOVED = Kind(row=DebiasedProjectionRow, part=BEFORE_AFTER, blocks=show_moved)
