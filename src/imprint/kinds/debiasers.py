"""Debiasers compared, as a kind: what each leaves and costs, and which one to take."""

from collections.abc import Iterator, Sequence

from imprint.debiasing.debiaser import find_debiaser
from imprint.evaluation.debiasers import PART, DebiasComparisonRow
from imprint.kinds import Kind, Part, terms
from imprint.kinds.debiasing import fact_value, gender_axis
from imprint.masking import Words
from imprint.render.charts.plane import scatter
from imprint.render.charts.points import Point
from imprint.tables import Field, table
from imprint.view import (
    Block,
    Chart,
    Details,
    Listing,
    Prose,
    Table,
    Text,
    count,
    footnote,
    interval,
    join,
    number,
    percent,
    say,
    title,
)

COMPARED = Part(
    PART,
    "Debiasers compared",
    61,
    controlled=False,
    asks=(),
    terms=terms.DEBIASED,
    limits=(terms.ONE_DIRECTION,),
)

_RECOVERED_WELL = 0.6  # share of names from which their groups count as known
_KEPT = 0.9  # share of their variance up to which other words have lost some


def blocks(rows: Sequence[DebiasComparisonRow]) -> Iterator[Block]:
    """Show every method in a table and a chart, and how to read them."""
    compared = table(
        DebiasComparisonRow,
        say("Debiasers compared on {}", title(rows[0].embedding)),
        rows,
        (
            Field("method", cell=_method),
            "bias_left",
            Field("background_left", cell=lambda row: percent(row.background_left)),
            "recovered",
            "quality_change",
            "seconds",
        ),
        extra=("efficient", "difference", Field("fitted", cell=_settings), Field("benchmarks", cell=_changes)),
    )
    yield compared
    yield _chart(rows, compared)
    yield Details("How to read this", (_reading(rows[0]), _methods(rows)))


def sentences(rows: Sequence[DebiasComparisonRow]) -> Iterator[Text]:
    """Recommend a method, say what it does not remove and what else it removes, and name the efficient ones."""
    methods = [row for row in rows if row.treated]
    best = next((row for row in methods if row.recommended), None)
    efficient = join(title(row.method) for row in methods if row.efficient)
    if best is not None:
        yield from _advise(best, methods)
    elif efficient:
        yield "We recommend no debiaser: each one loses more than 0.01 of word similarity."
    else:
        yield "No debiaser can be recommended: the embedding lacks words to judge them by."
        return
    if not any(row.selective for row in methods):
        yield "No method removes clearly more from professions than from other words."
    yield say("By bias left and similarity lost alone, no other method is better than {}.", efficient)
    if best is not None and not best.efficient:
        yield say(
            "{} is recommended because what other words keep and what names give away count too.", title(best.method)
        )


def _advise(best: DebiasComparisonRow, methods: Sequence[DebiasComparisonRow]) -> Iterator[Text]:
    yield say(
        "Take {}: held-out professions keep {} of their variance along the gender axis, and word similarity changes "
        "by {}.",
        title(best.method),
        percent(best.bias_left),
        number(best.quality_change, 3),
    )
    if best.background_left is not None and best.background_left <= _KEPT:
        yield say(
            "It removes the axis from other words too{}: they keep {} of their variance along it.",
            ", though less" if best.selective else ", and not clearly less",
            percent(best.background_left),
        )
    if best.recovered is not None and best.recovered >= _RECOVERED_WELL:
        yield say(
            "Gender is not gone: a linear classifier still recovers it from {} of held-out names ({} before; "
            "chance {}).",
            percent(best.recovered),
            percent(best.recovered_before),
            percent(best.chance),
        )
    known = [row for row in methods if row.recovered is not None]
    least = min(known, key=lambda row: row.recovered or 0.0, default=best)
    if least is not best:
        yield say(
            "If names must not give gender away, {} leaves least to recover: {} of held-out names.",
            title(least.method),
            percent(least.recovered),
        )


def _method(row: DebiasComparisonRow) -> Text:
    return say("{} (recommended)", title(row.method)) if row.recommended else title(row.method)


def _settings(row: DebiasComparisonRow) -> Text:
    compared = find_debiaser(row.method).compared
    return join(say("{} {}", fact.name, fact_value(fact)) for fact in row.fitted if fact.name in compared)


def _changes(row: DebiasComparisonRow) -> Text:
    return join(
        say("{} {} {}", title(each.benchmark), number(each.change, 3), interval(each.low, each.high, 3))
        for each in row.benchmarks
    )


def _chart(rows: Sequence[DebiasComparisonRow], compared: Table) -> Chart:
    def draw(shown: Words, width: int) -> dict[str, object]:
        groups = {True: "efficient", False: "others"}
        points = [
            Point(shown.plain(row.method), -row.quality_change, row.bias_left, groups[row.efficient])
            for row in sorted(rows, key=lambda row: not row.efficient)
            if row.quality_change is not None and row.bias_left is not None
        ]
        x_title, y_title = "word similarity lost (Spearman)", "share of the bias left"
        return scatter(points, x_title=x_title, y_title=y_title, width=width)

    alt = (
        "A dot for each method. The lower, the less bias is left; the further left, the less word similarity is lost. "
        "No method lies both below and to the left of an efficient one."
    )
    return Chart("debiasers", "Bias left against quality lost", alt, draw, compared)


def _reading(row: DebiasComparisonRow) -> Prose:
    return footnote(
        say(
            "Settings are chosen on the professions to fit on. Held-out professions, other words and {} held-out "
            "first names judge. {} We recommend a method that loses at most 0.01 of "
            "similarity and leaves the least bias. If several are within 5 percentage points, we prefer those that "
            "clearly remove more from professions than from other words. Of these we take the one from which gender "
            "is recovered least, and within 5 points the one that keeps other words best. Gains in similarity are not "
            "counted, except between methods that are equal otherwise. The method is the best on these words, so "
            "expect a little less elsewhere.",
            count(row.n_judged),
            gender_axis(row),
        )
    )


def _methods(rows: Sequence[DebiasComparisonRow]) -> Listing:
    lines = tuple(
        say("{} {}.", title(row.method), title(find_debiaser(row.method).summary)) for row in rows if row.treated
    )
    return Listing(lines, ("page", "terminal"))


DEBIASERS = Kind(
    row=DebiasComparisonRow,
    part=COMPARED,
    blocks=blocks,
    sentences=sentences,
    cannot="That the bias is gone, or that another embedding needs the same method.",
    aliases={"left": "bias_left"},
    card=True,
    opens=2,
)
