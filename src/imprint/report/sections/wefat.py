"""WEFAT on the page: what the embedding believes of occupations and names, beside what is the case."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from imprint.finding import Finding
from imprint.report import charts
from imprint.report.marking import Words, count, number, probability
from imprint.report.sections.weat import title
from imprint.report.view import Block, Chart, Column, Prose, Table


def blocks(findings: Sequence[Finding], words: Words) -> Iterator[Block]:
    """Tell every test that has numbers from the world."""
    rows = [one for one in findings if one.kind == "wefat"]
    if rows:
        yield Prose(
            "How strongly a word goes with women rather than men, read off the embedding alone, beside a number from "
            "the world. Where the two rise together, the embedding has learnt the world as it was counted, inequality "
            "and all. The line predicts the number from the score, as the papers do."
        )
    for one in rows:
        yield scatter_chart(one, words)
        yield Prose(_sentence(one))


def scatter_chart(one: Finding, words: Words) -> Chart:
    """Draw every word at its number and its score, with the line that predicts the number from the score."""
    scores, values = one.details.get("scores", {}), one.details.get("values", {})
    measured = one.details.get("property", "property")
    points = [charts.Point(words.plain(word), values[word], scores[word]) for word in scores if word in values]
    slope, intercept = one.details.get("slope"), one.details.get("intercept")
    # The line predicts x from y: the papers' figures draw the property on x.
    line = None if not slope or intercept is None else (1.0 / slope, -intercept / slope)
    spec = charts.scatter(
        points, x_title=measured, y_title="association with women, in standard deviations", line=line
    )
    lines = tuple((point.word, number(point.x, 1), number(point.y)) for point in points)
    columns = (
        Column("Word"),
        Column(measured.capitalize(), numeric=True),
        Column("Association with women", numeric=True),
    )
    return Chart(
        f"wefat-{one.test}",
        title(one),
        f"A dot for each of {len(points)} words: {measured} from left to right, association with women from bottom to "
        "top, and the line that predicts the one from the other.",
        spec,
        Table(f"{title(one)}: every word", columns, lines, filtered=True),
    )


def _sentence(one: Finding) -> Markup:
    get = one.details.get
    said = Markup("The correlation is r = {} (95 % interval {} to {}; p = {}) over {} words").format(
        number(one.effect_size),
        number(get("r_low")),
        number(get("r_high")),
        probability(one.p_value),
        count(get("n_words")),
    )
    published = next((figure for figure in get("published") or () if figure.get("r") is not None), None)
    if published:
        said += Markup("; the paper finds {} on {}").format(number(published["r"]), published["embedding"])
    return said + "."
