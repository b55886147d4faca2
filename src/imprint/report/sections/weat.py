"""WEAT on the page: which associations were asked for, how strong they are, and whether chance explains them."""

from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from imprint.finding import Finding
from imprint.report import charts
from imprint.report.marking import NOTHING, Words, corrected_probability, count, end, number, probability
from imprint.report.view import Block, Cell, Chart, Column, Prose, Table
from imprint.rounding import SIGNS

_TEST = Column("Test")
_EFFECT = Column(
    "d", "Difference of the two sets' mean scores, in standard deviations of all scores; at most about two.", True
)
_BAND = Column(
    "Words drawn again", "Middle 95 % of d when words of each set are drawn again from the same words.", True
)
_SIDES = {
    "greater": "one-sided (only an association in the test's direction counts)",
    "less": "one-sided (only an association against the test's direction counts)",
    "two-sided": "two-sided (either direction counts)",
}
_PAPER = Column("Published", "The d that the source prints for this test, and on which embedding.")

COLUMNS = (
    _TEST,
    Column("Topic", "Neutral tests are no social bias: they show that the method sees what everybody expects."),
    _EFFECT,
    Column("Mean difference", "Of the sets' scores, which are differences of cosines, with its 95 % interval.", True),
    Column("p", "Share of all ways to deal the target words into two sets that give at least this difference.", True),
    Column("p, corrected", "After Holm's correction for asking all these questions at once.", True),
    Column("Verdict"),
    Column("Missing", "Words the embedding does not have, of all words of the test.", True),
    Column("Behind p", "Deals at least as extreme, of all deals."),
    _BAND,
    Column(
        "Could have found",
        "The smallest mean difference that a test of this size finds four times in five, after correction.",
        True,
    ),
    _PAPER,
    Column("People", "Effect in the Implicit Association Test: context, on another scale."),
)


def blocks(findings: Sequence[Finding], words: Words) -> Iterator[Block]:
    """Tell the tests of one family."""
    rows = [one for one in findings if one.kind == "weat"]
    if rows:
        yield Prose(
            "Each test takes two sets of words, such as flowers and insects, and two sets to compare them with, "
            "such as pleasant and unpleasant words. It asks whether the first set lies closer to the first, and the "
            "second to the second. Psychologists ask people the same in the Implicit Association Test."
        )
    if len({one.embedding_sha256 for one in rows}) > 1:
        yield side_by_side("Every test on both", rows, words, corrected=True)
    elif rows:
        yield forest_chart("weat-forest", rows, words)
        yield Table(
            with_sides("Every test", rows) + (f"; p corrected over these {len(rows)} tests" if rows[1:] else ""),
            COLUMNS,
            tuple(_row(one, words) for one in rows),
        )
        yield Prose(
            "Not significant is not absent: the column “Could have found” says which mean difference the test would "
            "have found four times in five. “Cannot reach” means that the sets have so few words that no result "
            "could have been significant. A bar in the chart that crosses zero means that the result depends on "
            "these very words. The interval of a mean difference is one test's own and not corrected: it may leave "
            "zero out where the corrected test finds nothing.",
            "note",
        )
        yield scores_table(rows, words)


def forest_chart(name: str, rows: Sequence[Finding], words: Words) -> Chart:
    """Draw one line a test: d, how far it moves with other words, and what the papers print."""
    spec = charts.forest(
        [
            charts.ForestRow(
                label=words.text(title(one)),
                estimate=one.effect_size,
                low=one.details.get("stability_low"),
                high=one.details.get("stability_high"),
                significant=one.details.get("verdict") == "significant",
                reachable=one.details.get("verdict") != "cannot reach",
                published=tuple(figure["effect"] for figure in (_published(one),) if figure),
            )
            for one in rows
            if one.effect_size is not None
        ],
        x_title="effect size d",
        band="words drawn again, middle 95 %",
    )
    found = [one for one in rows if one.details.get("verdict") == "significant"]
    table = Table(
        "Effect sizes of the chart",
        (_TEST, _EFFECT, _BAND, _PAPER),
        tuple((title(one), number(one.effect_size), _band(one), _papers(one)) for one in rows),
    )
    strongest = max(rows, key=lambda one: one.effect_size or 0.0)
    return Chart(
        name,
        "How strong each association is",
        f"A dot for each of {len(rows)} tests at its effect size d, with a line for the same words drawn again and a "
        f"tick for the published value. {len(found)} are significant. The largest is {title(strongest)}.",
        spec,
        table,
    )


def side_by_side(caption: str, rows: Sequence[Finding], words: Words, *, corrected: bool) -> Table:
    """List tests that were run on more than one embedding; `corrected` where all of them are one family."""
    columns = [Column("Test"), Column("Embedding"), Column("d", numeric=True), Column("p", numeric=True)]
    if corrected:
        columns.append(Column("p, corrected", "Holm's correction over all rows.", True))
    lines = tuple(
        (
            words.text(title(one)),
            words.text(one.embedding),
            number(one.effect_size),
            Cell(signed_p(one), order=one.p_value),
            *((corrected_p(one),) if corrected else ()),
        )
        for one in rows
    )
    return Table(caption, tuple(columns), lines, filtered=True)


def scores_table(rows: Sequence[Finding], words: Words) -> Table:
    """List every word's own score, with the set it stands in."""
    lines = []
    for one in rows:
        sets = one.details.get("sets", {})
        for place, (word, score) in enumerate(one.details.get("scores", {}).items()):
            side = "x" if place < one.details.get("n_x", 0) else "y"
            lines.append((title(one), sets.get(side, side), words.plain(word), number(score, 3)))
    columns = (Column("Test"), Column("Set"), Column("Word"), Column("Score", _SCORE, True))
    return Table("Every word's own score", columns, tuple(lines), filtered=True, folded=True)


def title(one: Finding) -> str:
    """Return what a test is called."""
    return str(one.details.get("title") or one.test)


def sides(rows: Sequence[Finding]) -> str:
    """Say in which direction p-values count; nothing where nobody knows."""
    known = dict.fromkeys(_SIDES.get(str(one.details.get("alternative")), "") for one in rows)
    return " or ".join(filter(None, known))


def with_sides(caption: str, rows: Sequence[Finding]) -> str:
    """Put behind a caption in which direction its p-values count."""
    return ", ".join(filter(None, (caption, sides(rows))))


def counted(one: Finding) -> Markup:
    """Return the deals of the words behind a p-value: those at least as extreme, of all."""
    get = one.details.get
    if get("partitions") is None:
        return NOTHING
    if get("p_method") == "sampled":
        return Markup("sampled of {}").format(count(get("partitions")))
    if get("extreme") is None:
        parts = (count(get("extreme_low"), 4), count(get("extreme_high"), 4), count(get("partitions")))
        return Markup("{} to {} of {}").format(*parts)
    return Markup("{} of {}").format(count(get("extreme")), count(get("partitions")))


def signed_p(one: Finding) -> Markup:
    """Return p with a sign before it where it is a bound or an estimate."""
    return probability(one.p_value, SIGNS.get(one.details.get("p_method", ""), ""))


def corrected_p(one: Finding) -> Cell:
    """Return p after correction, with the same sign."""
    p = one.details.get("p_holm")
    return Cell(corrected_probability(p, str(one.details.get("p_method"))), order=p)


_SCORE = "Mean cosine with the first attribute set less that with the second."


def _row(one: Finding, words: Words) -> tuple[Cell | Markup | str, ...]:
    get = one.details.get
    topics = ", ".join(get("topics") or ())
    return (
        Cell(words.text(title(one)), hint=one.test),
        topics,
        number(one.effect_size),
        Cell(_interval(one), order=get("mean_difference")),
        Cell(signed_p(one), order=one.p_value),
        corrected_p(one),
        str(get("verdict") or ""),
        Cell(missing_of(one), hint=words.joined(one.missing), order=len(one.missing)),
        Cell(counted(one), order=get("extreme")),
        Cell(_band(one), order=get("stability_low")),
        number(get("detectable_shift"), 3),
        _papers(one),
        _people(one),
    )


def missing_of(one: Finding) -> Markup:
    """Count the missing words, of all words of the test where these are known."""
    asked = len({word for words in (one.details.get("set_words") or {}).values() for word in words})
    missing = count(len(one.missing))
    return Markup("{} of {}").format(missing, f"{asked:,}") if asked else missing


def _band(one: Finding) -> Markup:
    low, high = one.details.get("stability_low"), one.details.get("stability_high")
    return NOTHING if low is None else Markup("{} to {}").format(number(low), number(high))


def _interval(one: Finding) -> Markup:
    get = one.details.get
    parts = (number(get("mean_difference"), 3), *(end(get(f"interval_{side}"), 3) for side in ("low", "high")))
    return NOTHING if get("mean_difference") is None else Markup("{} ({} to {})").format(*parts)


def _published(one: Finding) -> dict[str, Any] | None:
    """Return what the test's own source prints, the first figure of the catalogue; None if it prints none."""
    return next((one for one in one.details.get("published") or () if one.get("effect") is not None), None)


def _papers(one: Finding) -> Markup:
    figure = _published(one)
    return NOTHING if figure is None else Markup("{} ({})").format(number(figure["effect"]), figure["embedding"])


def _people(one: Finding) -> Markup:
    human = one.details.get("human")
    return Markup("d = {}, {}").format(number(human["effect"]), human["source"]) if human else NOTHING
