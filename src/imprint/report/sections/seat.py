"""SEAT on the page: the same questions asked of a sentence encoder."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from imprint.finding import Finding
from imprint.report import charts
from imprint.report.marking import NOTHING, Words, number
from imprint.report.sections.weat import corrected_p, counted, signed_p, title, with_sides
from imprint.report.view import Block, Cell, Chart, Column, Prose, Table

_NAMED = 3  # of a list, in a cell

_COLUMNS = (
    Column("Test"),
    Column(
        "Context", "The word alone, in sentences that say nothing of it (bleached), or in sentences of the test's own."
    ),
    Column("Unit", "What is dealt anew: words, or sentences as the paper does."),
    Column("d", "Difference of means in standard deviations of all scores.", True),
    Column("Stars", "As in the paper: one, below alpha before the correction; two, after it."),
    Column("p", numeric=True),
    Column("Behind p", "Deals at least as extreme, of all deals."),
    Column("p, corrected", "Holm's correction over all tests of one unit.", True),
    Column("Verdict"),
    Column(
        "Frames alone",
        "d that the sentences give without the words: far from zero, they are part of the effect.",
        True,
    ),
    Column("Templates", "Smallest and largest d when one template is left out."),
    Column("Turned by", "What, left out, turns the sign of d."),
)


def blocks(findings: Sequence[Finding], words: Words) -> Iterator[Block]:
    """Tell the battery by words, then every row."""
    rows = [one for one in findings if one.kind == "seat"]
    if rows:
        yield Prose(
            "An encoder turns sentences into vectors. Words are put into simple sentences, such as “This is Emma.”, "
            "and asked the questions above. One word in eight sentences is not eight observations, so words are "
            "dealt anew; the paper's own test, which deals sentences, stands beside it."
        )
        by_word = [one for one in rows if one.details.get("unit") == "word"]
        if by_word:
            yield _chart(by_word, words)
        caption = with_sides("Every test, context and unit", rows)
        yield Table(caption, _COLUMNS, tuple(_row(one, words) for one in rows), filtered=True)
    checks = [one for one in findings if one.kind == "seat-coherence"]
    if checks:
        yield _coherence(checks)


def _chart(rows: Sequence[Finding], words: Words) -> Chart:
    labels = [f"{one.details.get('context')}: {words.text(title(one))}" for one in rows]
    drawn = [
        charts.ForestRow(
            label=label,
            estimate=one.effect_size,
            low=_templates(one)[0],
            high=_templates(one)[1],
            significant=one.details.get("verdict") == "significant",
            reachable=one.details.get("verdict") != "cannot reach",
            published=_published(one),
        )
        for label, one in zip(labels, rows, strict=True)
        if one.effect_size is not None
    ]
    found = sum(one.details.get("verdict") == "significant" for one in rows)
    columns = (
        Column("Test"),
        Column("d", numeric=True),
        Column("Templates", "Smallest and largest d without one template."),
    )
    lines = tuple((label, number(one.effect_size), _range(one)) for label, one in zip(labels, rows, strict=True))
    return Chart(
        "seat-forest",
        "How strong each association is, by words",
        f"A dot for each of {len(rows)} tests and contexts at its effect size; the line shows how far it moves when "
        f"one template is left out. {found} are significant.",
        charts.forest(drawn, x_title="effect size d, by words", band="when one template is left out"),
        Table("Effect sizes of the chart", columns, lines),
    )


def _row(one: Finding, words: Words) -> tuple[Cell | Markup | str, ...]:
    get = one.details.get
    return (
        Cell(words.text(title(one)), hint=one.test),
        str(get("context")),
        str(get("unit")),
        number(one.effect_size),
        str(get("stars") or ""),
        Cell(signed_p(one), order=one.p_value),
        Cell(counted(one), order=one.p_value),
        corrected_p(one),
        str(get("verdict") or ""),
        number(get("effect_of_frames")),
        _range(one),
        _few(get("flips") or (), words),
    )


def _few(things: Sequence[str], words: Words) -> Cell | Markup:
    """Name the first few things, the others on hover."""
    if not things:
        return NOTHING
    more = f" and {len(things) - _NAMED} more" if len(things) > _NAMED else ""
    return Cell(words.joined(things[:_NAMED]) + more, hint=words.joined(things))


def _published(one: Finding) -> tuple[float, ...]:
    figure = (one.details.get("published") or {}).get("effect")
    return () if figure is None else (figure,)


def _templates(one: Finding) -> tuple[float | None, float | None]:
    effects = [value for value in (one.details.get("effect_without_template") or {}).values() if value is not None]
    return (min(effects), max(effects)) if effects else (None, None)


def _range(one: Finding) -> Markup:
    low, high = _templates(one)
    return NOTHING if low is None else Markup("{} to {}").format(number(low), number(high))


def _coherence(rows: Sequence[Finding]) -> Table:
    said = {True: "holds", False: "does not hold"}
    columns = (Column("Tests"), Column("Context"), Column("Unit"), Column("Expected"), Column("d"), Column("Outcome"))
    lines = tuple(
        (
            one.test,
            str(one.details.get("context")),
            str(one.details.get("unit")),
            str(one.details.get("check")),
            Markup(", ").join(number(value) for value in one.details.get("effect_sizes") or ()),
            said.get(one.details.get("holds"), "nothing found"),  # type: ignore[arg-type]
        )
        for one in rows
    )
    return Table("Do tests of one question agree?", columns, lines, folded=True)
