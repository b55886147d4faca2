"""Directions on the page: gender pairs in two components, and professions along he - she."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from imprint.finding import Finding
from imprint.report import charts
from imprint.report.marking import NOTHING, Words, count, number, probability, share
from imprint.report.view import Block, Chart, Column, Prose, Table, Text

_ORDER = {"pairs": 0, "projection": 1, "projection comparison": 2}
_EXTREME = 5  # words named at each end


def blocks(findings: Sequence[Finding], words: Words) -> Iterator[Block]:
    """Tell the pairs, then the words along the axis, then how that agrees with people or another embedding."""
    for one in sorted(findings, key=lambda row: _ORDER.get(row.kind, len(_ORDER))):
        if one.kind == "pairs":
            yield Prose(
                "Words that differ by gender alone, such as he and she, should lie the same way apart. Seen in "
                "the two directions in which these words vary most, the lines between them run alike where the "
                "embedding has one direction for gender."
            )
            yield pairs_chart(one, words)
            yield _pairs_quality(one)
        elif one.kind == "projection":
            yield Prose(
                "None of these professions means a gender. The further a dot lies to one side, the more the "
                "profession's vector points that way along the line from the one word to the other."
            )
            yield strip_chart(one, words)
        elif one.kind == "projection comparison":
            yield comparison_chart(one, words)
            yield Prose(_agreement(one))


def pairs_chart(one: Finding, words: Words) -> Chart:
    """Draw each pair as two dots and the line between them (Caliskan et al., Figure 3)."""
    pairs, points = one.details.get("pairs") or (), one.details.get("points") or {}
    drawn = [charts.Point(words.plain(word), x, y) for word, (x, y) in points.items()]
    joined = [(words.plain(first), words.plain(second)) for first, second in pairs]
    spec = charts.arrows(
        joined, drawn, x_title="first component", y_title="second component", ends=("men's word", "women's word")
    )
    columns = (Column("Word"), Column("Component one", numeric=True), Column("Component two", numeric=True))
    example = " and ".join(words.plain(word) for word in pairs[0]) if pairs else ""
    return Chart(
        "direction-pairs",
        "Gender pairs in two principal components",
        f"{len(pairs)} pairs such as {example}, each joined by a line from the man's word to the woman's.",
        spec,
        Table(
            "Coordinates of the pairs' words",
            columns,
            tuple((p.word, number(p.x, 3), number(p.y, 3)) for p in drawn),
        ),
    )


def strip_chart(one: Finding, words: Words) -> Chart:
    """Draw every word along the axis."""
    placed = sorted((one.details.get("coordinates") or {}).items(), key=lambda item: item[1])
    low, high = (words.joined(one.details.get(end) or ()) for end in ("negative", "positive"))
    points = [charts.Point(words.plain(word), value) for word, value in placed]
    ends = [words.joined(word for word, _ in part) for part in (placed[:_EXTREME], placed[: -_EXTREME - 1 : -1])]
    columns = (Column("Word"), Column(f"Towards {high}", f"Below zero: towards {low}.", True))
    return Chart(
        "direction-professions",
        f"Professions from {low} to {high}",
        f"{len(points)} words along the axis. Furthest towards {low}: {ends[0]}. Furthest towards {high}: {ends[1]}.",
        charts.strip(points, x_title="place along the axis", ends=(low, high)),
        Table("Every word's place", columns, tuple((p.word, number(p.x, 3)) for p in points), filtered=True),
    )


def comparison_chart(one: Finding, words: Words) -> Chart:
    """Draw the words' places along the axis against what else is known of them (Bolukbasi et al., Figure 1)."""
    other = words.text(str(one.details.get("other", "the other")))
    points = [charts.Point(words.plain(word), x, y) for word, (x, y) in (one.details.get("points") or {}).items()]
    here = f"{one.test.split(' and ')[0]} in {words.text(one.embedding)}"
    columns = (Column("Word"), Column(here, numeric=True), Column(other, numeric=True))
    return Chart(
        f"direction-{'crowd' if 'crowd' in other else 'other'}",
        f"Professions: {words.text(one.embedding)} and {other}",
        f"{len(points)} professions: their place along the axis from left to right, {other} from bottom to top.",
        charts.scatter(points, x_title=here, y_title=other),
        Table(
            "Both numbers of every word",
            columns,
            tuple((p.word, number(p.x, 3), number(p.y, 3)) for p in points),
            filtered=True,
        ),
    )


def _pairs_quality(one: Finding) -> Prose:
    agreement = one.details.get("agreement")
    return Prose(
        Markup(
            "The mean cosine between the pairs' differences is {}: one if all ran the same way, about zero if none "
            "did. The two components take up {} and {} of the variance."
        ).format(number(agreement), *(share(value) for value in one.details.get("explained") or (None, None))),
        "note",
    )


def _agreement(one: Finding) -> Text:
    get = one.details.get
    if one.effect_size is None:
        return NOTHING
    return Markup("Pearson's r = {} (p = {}), Spearman's = {} (p = {}), over {} words.").format(
        number(one.effect_size),
        probability(get("pearson_p_value")),
        number(get("spearman")),
        probability(get("spearman_p_value")),
        count(get("n_words")),
    )
