"""Swap as a kind: a score when only the name, or the pronoun, changes."""

from collections.abc import Iterator, Sequence
from operator import itemgetter

from imprint.kinds import Kind, Part
from imprint.kinds.tests import RANKS, by_chance, legend, missing_notes
from imprint.masking import Words
from imprint.render.charts.axis import dots
from imprint.render.charts.points import Point
from imprint.rows import TemplateValue, WordValue
from imprint.scoring.rows import SwapRow
from imprint.significance.crossed import FEWEST_UNITS
from imprint.significance.outcomes import Reason
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
    interval,
    join,
    number,
    percent,
    say,
    title,
)

SWAPS = Part("swap", "Scores when only the name changes", 45, controlled=False, asks=())

_CANNOT = "Why the scorer does so, or what it does with other groups."
_REASONS: dict[Reason | None, str] = {"few words": "few names or texts", "frequency": "frequency of the names"}
_MEANINGS = {
    "present": "the interval excludes zero, so other names and texts of these kinds would differ, too; of pronouns, "
    "other texts",
    "cannot tell": "the interval contains zero, which does not mean that there is no difference. Detectable is the "
    "smallest difference that these names and texts would show in 80 % of cases",
    "cannot tell: few names or texts": "a group has fewer than four names, or fewer than half of those listed, or "
    "there are fewer than four texts",
    "cannot tell: frequency of the names": "the groups are not matched in frequency, and at equal frequency there may "
    "be no difference, or one group is twice as frequent as the other, or the frequencies hardly overlap, or are not "
    "known",
}


def blocks(rows: Sequence[SwapRow]) -> Iterator[Block]:
    """Show the comparisons of one run, and the names behind them."""
    caption = say("Swaps in {}, with 99.5 % intervals over names and texts", title(rows[0].embedding))
    name = Field("title", cell=lambda row: say("{}: {}", title(row.test), title(row.title)))
    top = Field("top_y", cell=_top, numeric=False)
    names = Field("n_x", cell=lambda row: say("{} and {}", count(row.n_x), count(row.n_y)), numeric=False)
    splits = Field("extreme", cell=_splits, numeric=False)
    yield table(
        SwapRow,
        caption,
        rows,
        (name, "mean_difference", Field("outcome", cell=_outcome), "share_lower", top),
        more=("detectable", "p_value", "effect_size", names, "n_texts"),
        extra=("share_tied", "p_frequency", "adjusted_difference", RANKS, splits),
    )
    yield Details("How to read this", (*_reading(rows), *missing_notes(rows)))
    yield from (_chart(row) for row in rows if row.permuted == "names")
    yield _by_text(rows)


def sentences(rows: Sequence[SwapRow]) -> Iterator[Text]:
    """Say what each comparison found, and how many would find something by chance."""
    yield from map(_said, rows)
    if len(rows) > 1:
        found = sum(row.found for row in rows)
        yield say(
            "{} of {} comparisons show a difference; expected by chance: {}.",
            f"{found}",
            f"{len(rows)}",
            by_chance(rows),
        )


def claims(rows: Sequence[SwapRow]) -> Iterator[Claim]:
    """Pair what a comparison shows with what it does not."""
    for row in rows:
        yield _said(row), _CANNOT if row.found else "That the scorer treats both alike."


def _said(row: SwapRow) -> Text:
    sides = [title(row.set_name(role)) for role in "xy"]
    if row.share_tied == 1:
        said = "{} gives each text the same score with {} as with {} ({})."
        return say(said, title(row.embedding), *sides, title(row.test))
    size = (number(row.mean_difference, 3), interval(row.words_low, row.words_high, 3), title(row.test))
    if row.is_interaction:
        said = "The interaction by {} ({}) is {} [{}] ({}): {}."
        return say(said, title(row.embedding), title(row.title), *size, _outcome(row))
    if not row.found:
        why = f" ({_REASONS.get(row.reason, row.reason)})" if row.reason else ""
        said = "It is not clear whether {} scores texts differently with {} and with {}{}: {} [{}] ({})."
        return say(said, title(row.embedding), *sides, why, *size)
    first, second = sides if row.mean_difference > 0 else sides[::-1]
    share = row.share_lower if row.mean_difference > 0 else 1 - row.share_lower - row.share_tied
    lower = "{} scores texts lower with {} than with {}: in {} of pairs, by {} on average [{}] ({})."
    ends = sorted(abs(end) for end in (row.words_low, row.words_high) if end is not None)
    nearest, farthest = (ends[0], ends[-1]) if ends else (None, None)
    size = (number(abs(row.mean_difference), 3), interval(nearest, farthest, 3), title(row.test))
    return say(lower, title(row.embedding), second, first, percent(share, 1), *size)


def _outcome(row: SwapRow) -> str:
    return f"{row.outcome}: {_REASONS.get(row.reason, row.reason)}" if row.reason else row.outcome or ""


def _top(row: SwapRow) -> Cell | Text:
    if row.top_k is None:
        return NOTHING
    text = say("{} of {} ({})", number(row.top_y, 1), count(row.top_k), number(row.top_expected, 1))
    return Cell(text, order=row.top_y)


def _splits(row: SwapRow) -> Text:
    return NOTHING if row.extreme is None else say("{} of {}", count(row.extreme), count(row.partitions))


def _reading(rows: Sequence[SwapRow]) -> Iterator[Block]:
    """Explain the question and the outcomes."""
    yield Prose(
        "Every name is put into the same texts, and each text is scored. A name's score is the mean over texts. The "
        "interval says how the difference would vary with other names and other texts of these kinds."
    )
    yield Listing(tuple(legend(_MEANINGS, {_outcome(row) for row in rows})), ("page", "terminal"))
    fixed = [row for row in rows if row.n_texts < FEWEST_UNITS and row.words_low is not None]
    if fixed:
        yield Prose(
            say(
                "{}: the interval is for these texts alone; at least {} texts are needed to allow for others.",
                join(title(row.test) for row in fixed),
                count(FEWEST_UNITS),
            ),
            "warning",
            ("page", "terminal", "card"),
        )


def _chart(row: SwapRow) -> Chart:
    """Draw every name at its mean score."""

    def draw(shown: Words, width: int) -> dict[str, object]:
        points = [
            Point(shown.plain(score.word), centred, group=shown.text(row.set_name(role)))
            for score, role, centred in _centred(row)
        ]
        return dots(points, x_title="mean score over texts, less that of all names", width=width)

    alt = say("A dot for each of {} names at its mean score, the highest first.", f"{len(row.scores)}")
    columns = (
        Field("word", "Name"),
        Field(title="Group", cell=lambda line: title(row.set_name(line[1]))),
        Field("value", "Mean score"),
        Field(title="Less the mean of all", cell=lambda line: number(line[2], 3), numeric=True),
    )
    listed = table(
        WordValue, say("Mean scores of names, {}", title(row.test)), _centred(row), columns, of=itemgetter(0)
    )
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
        "template",
        Field("value", "Difference", "Mean of the first less the second."),
    )
    return table(TemplateValue, "Differences by text", lines, columns, of=itemgetter(1), folded=True, media=("page",))


SWAP = Kind(
    row=SwapRow,
    part=SWAPS,
    blocks=blocks,
    sentences=sentences,
    claims=claims,
    aliases={"p": "p_value"},
    card=True,
    opens=3,
    method="Scores were compared when only the name in a text changed, with names and texts as random units.",
)
