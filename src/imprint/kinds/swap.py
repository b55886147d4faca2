"""Swap as a kind: a score when only the name, or the pronoun, changes."""

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

from imprint.association.verdicts import FOUND, Evidence
from imprint.kinds import Kind, Part
from imprint.kinds.tests import LEVEL, RANKS, in_family, missing_notes
from imprint.rows import TemplateValue, WordValue
from imprint.scoring.swap import SwapRow
from imprint.tables import Field, table
from imprint.view import (
    NOTHING,
    Block,
    Cell,
    Chart,
    Claim,
    Details,
    Listing,
    Prose,
    Table,
    Text,
    count,
    footnote,
    join,
    number,
    percent,
    say,
    title,
)

if TYPE_CHECKING:
    from imprint.masking import Words

SWAPS = Part("swap", "Scores when only the name changes", 45, controlled=False, asks=())

_LEVELS: dict[Evidence, str] = {
    "strong": "holds for other names and other texts of these kinds, and at equal frequency of the names",
    "moderate": "holds for other names and other texts of these kinds. The names' frequency may be the reason; it is "
    "not checked for pronouns",
    "limited": "statistically significant for these names in these texts; with other names or texts there may be no "
    "difference",
    "none shown": "no significant difference, which does not mean that there is none. Detectable is the smallest true "
    "difference that these names would show in 80 % of cases",
    "too few words": "a group has fewer than four names, or less than half of those asked. Or there are so few names "
    "or texts that no result could be significant",
}
_FAILED = {
    "words": "with other names or texts there may be no difference, at the corrected level",
    "frequency": "at equal frequency of the names there may be no difference, at the corrected level",
}
_NOT_SHOWN = {
    "words": "that it holds for other names and texts",
    "frequency": "that it is not the names' frequency",
}
_CANNOT = "Why the scorer does so, or what it does with other names, texts or groups."


def blocks(rows: Sequence[SwapRow]) -> Iterator[Block]:
    """Show the comparisons of one run, and the names behind them."""
    caption = say("Swaps in {}{}", title(rows[0].embedding), in_family(rows))
    name = Field("title", cell=lambda row: say("{}: {}", title(row.test), title(row.title)))
    top = Field("top_y", cell=_top, numeric=False)
    names = Field("n_x", cell=lambda row: say("{} and {}", count(row.n_x), count(row.n_y)), numeric=False)
    splits = Field("extreme", cell=_splits, numeric=False)
    yield table(
        SwapRow,
        caption,
        rows,
        (name, "mean_difference", LEVEL, "share_lower", top, "p_holm"),
        more=("effect_size", names, "n_texts"),
        extra=("share_tied", "p_words", "p_frequency", "adjusted_difference", RANKS, splits),
    )
    yield Details("How to read this", (*_reading(rows), *missing_notes(rows)))
    yield from (_chart(row) for row in rows if row.permuted == "names")
    yield _by_text(rows)


def sentences(rows: Sequence[SwapRow]) -> Iterator[Text]:
    """Say what each comparison found, and how often the same is found where there is nothing."""
    yield from map(_said, rows)
    if rows[0].nulls:
        found = [say("{} ({})", percent(one.limited), one.null) for one in rows[0].nulls]
        copies = count(rows[0].nulls[0].copies)
        yield say("Of {} tables of scores without a difference, so many show evidence too: {}.", copies, join(found))


def claims(rows: Sequence[SwapRow]) -> Iterator[Claim]:
    """Pair what a comparison shows with what it does not."""
    for row in rows:
        left = " or ".join(_NOT_SHOWN[check] for check in row.checks_failed if check in _NOT_SHOWN and row.found)
        if row.evidence == "none shown":
            yield _said(row), "That the scorer treats both alike."
        elif row.evidence == "too few words":
            yield _said(row), "Anything about these names."
        else:
            yield _said(row), f"{left[0].upper()}{left[1:]}." if left else _CANNOT


def _said(row: SwapRow) -> Text:
    sides = [title(row.set_name(role)) for role in "xy"]
    if row.evidence not in FOUND:
        level = "Too few names or texts to tell" if row.evidence == "too few words" else "No evidence"
        unseen = "{} that {} scores texts differently with {} and with {} ({})."
        return say(unseen, level, title(row.embedding), *sides, title(row.test))
    first, second = sides if (row.mean_difference or 0.0) > 0 else sides[::-1]
    share = row.share_lower if (row.mean_difference or 0.0) > 0 else 1 - row.share_lower - row.share_tied
    said = (str(row.evidence).capitalize(), title(row.embedding), second, first, percent(share, 1), _size(row))
    lower = "{} evidence that {} scores texts lower with {} than with {}: in {} of pairs, by {} on average ({})."
    return say(lower, *said, title(row.test))


def _size(row: SwapRow) -> Text:
    return number(abs(row.mean_difference or 0.0), 3)


def _top(row: SwapRow) -> Cell | Text:
    if row.top_k is None:
        return NOTHING
    text = say("{} of {} ({})", number(row.top_y, 1), count(row.top_k), number(row.top_expected, 1))
    return Cell(text, order=row.top_y)


def _splits(row: SwapRow) -> Text:
    return NOTHING if row.extreme is None else say("{} of {}", count(row.extreme), count(row.partitions))


def _reading(rows: Sequence[SwapRow]) -> Iterator[Block]:
    """Explain the question, the levels and the null tables."""
    yield Prose(
        "Every name is put into the same texts, and each text is scored. A name's score is the mean over texts. Names "
        "are exchanged between the groups in all possible ways: how often do random groups differ as much?"
    )
    shown = {row.evidence for row in rows} | ({*FOUND} if any(row.found for row in rows) else set())
    lines = tuple(f"{level.capitalize()}: {meaning}." for level, meaning in _LEVELS.items() if level in shown)
    failed = {check for row in rows for check in row.checks_failed if row.found}
    lines += tuple(f"Fails {check}: {meaning}." for check, meaning in _FAILED.items() if check in failed)
    yield Listing(lines, ("page", "terminal"))
    fixed = [row for row in rows if not row.texts_random]
    if fixed:
        yield Prose(
            say("{}: the interval is for these texts alone; at least four texts, and four names in each group, are "
                "needed to allow for others.", join(title(row.test) for row in fixed)),
            "warning",
            ("page", "terminal", "card"),
        )  # fmt: skip
    for one in rows[0].nulls:
        yield footnote(
            say(
                "Null, {}: of {} tables of scores without a difference, {} show evidence in any comparison, {} at "
                "least moderate and {} strong evidence (nominal rate: {}).",
                one.null,
                count(one.copies),
                *(percent(share, 1) for share in (one.limited, one.moderate, one.strong)),
                percent(rows[0].alpha),
            )
        )


def _chart(row: SwapRow) -> Chart:
    """Draw every name at its mean score."""

    def draw(shown: "Words", width: int) -> dict[str, object]:
        from imprint.render.charts.axis import dots
        from imprint.render.charts.points import Point

        points = [
            Point(shown.plain(score.word), centred, group=shown.text(row.set_name(role)))
            for score, role, centred in _centred(row)
        ]
        return dots(points, x_title="mean score over texts, less that of all names", width=width)

    alt = say("A dot for each of {} names at its mean score, the highest first.", f"{len(row.scores)}")
    columns = (
        Field("word", "Name", of=itemgetter(0)),
        Field(title="Group", cell=lambda line: title(row.set_name(line[1]))),
        Field("value", "Mean score", of=itemgetter(0)),
        Field(title="Less the mean of all", cell=lambda line: number(line[2], 3), numeric=True),
    )
    listed = table(WordValue, say("Mean scores of names, {}", title(row.test)), _centred(row), columns)
    return Chart(f"swap-{row.test}", say("Every name's score: {}", title(row.title)), alt, draw, listed)


def _centred(row: SwapRow) -> list[tuple[WordValue, str, float]]:
    """Return each name's score, its group, and its score less the mean of all: names differ by little."""
    scores = [score for score in row.scores if score.value is not None]
    middle = sum(score.value or 0.0 for score in scores) / max(1, len(scores))
    return [
        (score, "x" if index < row.n_x else "y", (score.value or 0.0) - middle) for index, score in enumerate(scores)
    ]


def _by_text(rows: Sequence[SwapRow]) -> Table:
    lines = [(row, text) for row in rows for text in row.by_text]
    columns = (
        Field(title="Compared", cell=lambda line: title(line[0].test)),
        Field("template", of=itemgetter(1)),
        Field("value", "Difference", "Mean of the first less the second.", of=itemgetter(1)),
    )
    return table(TemplateValue, "Differences by text", lines, columns, folded=True, media=("page",))


SWAP = Kind(
    "swap",
    row=SwapRow,
    part=SWAPS,
    blocks=blocks,
    sentences=sentences,
    claims=claims,
    aliases={"p": "p_label"},
    card=True,
    opens=3,
    method="Scores were compared when only the name in a text changed, with names and texts as random units.",
)
