"""Rows as sections: each part's rows, kind by kind, as its kinds show them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from imprint.errors import ImprintError, requiring
from imprint.kinds import Kind, by_kind, part_of, parts_of, row_type
from imprint.masking import Words
from imprint.rows import PartRow, RawRow, Row, SkippedRow, grouped, read_row
from imprint.tables import Field, table
from imprint.view import AnswerChart, Block, Chart, Prose, Section, Text, flat, say, title

if TYPE_CHECKING:
    import altair as alt

_WIDTH = 640  # pixels of a chart in a notebook
_WIDEST = 12  # columns of a table of rows whose kind is not known


def sections(rows: Iterable[Row]) -> list[Section]:
    """Return a section per part that has rows, in the order of the page."""
    listed = list(rows)
    refused = {row.test: row.why for row in listed if isinstance(row, PartRow) and row.why is not None}
    by_part = grouped((row for row in listed if not isinstance(row, PartRow)), key=part_of)
    drawn = []
    language = other_language(listed)
    for part in parts_of(listed, refused):
        own = by_part.pop(part.name, [])
        shown = (*(Prose(text, "lead") for text in leads(own)), *blocks(own))
        if shown and part.english and language and all(getattr(row, "language", "") != language for row in own):
            shown = (_in_english(language), *shown)
        if part.name in refused:
            shown = (Prose(say("This part was not run: {}", title(refused[part.name])), "warning"), *shown)
        if shown:
            drawn.append(Section(part.name, part.title, shown, offensive=part.offensive))
    left = [row for rows in by_part.values() for row in rows]  # of parts or kinds that this version does not know
    others = (*blocks(left), *_raw([row for row in left if isinstance(row, RawRow)]))
    return [*drawn, Section("other", "Other rows", others)] if others else drawn


def other_language(rows: Sequence[Row]) -> str | None:
    """Return the language of an audit's tests, where it is one and not English."""
    languages = {row.tests_language for row in rows if row.tests_language is not None}
    return min(languages - {"en", "all"}, default=None)


def _in_english(language: str) -> Prose:
    from imprint.stimuli.catalog import language_name

    text = "The word lists and names of this part are English. The tests of this audit are in {}."
    return Prose(say(text, title(language_name(language))), "note")


def blocks(rows: Iterable[Row]) -> Iterator[Block]:
    """Return what the kinds of these rows show, one kind after the other."""
    listed = by_kind(rows)
    by_name = {kind.name: own for kind, own in listed.items()}
    for kind, own in listed.items():
        yield from kind.blocks([*own, *(row for name in kind.joins for row in by_name.get(name, ()))])


def leads(rows: Iterable[Row]) -> Iterator[Text]:
    """Return what the rows of one part mean, in sentences; what could not be run is listed elsewhere."""
    for kind, own in by_kind(row for row in rows if not isinstance(row, SkippedRow)).items():
        yield from kind.sentences(own)


def sentences(rows: Iterable[Row]) -> Iterator[Text]:
    """Return what the rows mean, in sentences, part by part; what could not be run comes last."""
    listed = list(rows)
    for kind, own in by_part_and_kind(row for row in listed if not isinstance(row, SkippedRow)):
        yield from kind.sentences(own)
    for kind, own in by_kind(row for row in listed if isinstance(row, SkippedRow)).items():
        yield from kind.sentences(own)


def by_part_and_kind(rows: Iterable[Row]) -> list[tuple[Kind, list[Row]]]:
    """Return the rows of each kind, part by part, in the order of the page."""
    by_part = grouped(rows, key=part_of)
    parts = parts_of(row for listed in by_part.values() for row in listed)
    return [of_kind for part in parts for of_kind in by_kind(by_part[part.name]).items()]


def _raw(rows: Sequence[RawRow]) -> Iterator[Block]:
    for name, listed in grouped(rows, key=lambda row: row.kind).items():
        keys = list(dict.fromkeys(key for row in listed for key in row.fields))[:_WIDEST]
        columns = [Field(title=title(key), cell=_raw_field(key)) for key in keys]
        yield table(RawRow, title(name), listed, columns, filtered=True, folded=True)


def _raw_field(key: str) -> Callable[[RawRow], Text]:
    return lambda row: title(str(row.fields.get(key, "")))


def draw_rows(rows: Iterable[Row], opening: Sequence[Section] = ()) -> str:
    """Return the sections of rows as HTML, for a notebook, after those that open it."""
    from imprint.render.html import draw_fragment

    return draw_fragment([*opening, *sections(round_trip(rows))])


def main_chart(rows: Iterable[Row]) -> "alt.Chart | None":
    """Return the main chart of rows for Altair, or their first; None where they have none."""
    drawn = (block.chart if isinstance(block, AnswerChart) else block for block in flat(blocks(round_trip(rows))))
    charts = [block for block in drawn if isinstance(block, Chart)]
    if not charts:
        return None
    with requiring("altair", "report"):
        import altair
    chosen = next((chart for chart in charts if chart.main), charts[0])
    return altair.Chart.from_dict(dict(chosen.draw(Words(), _WIDTH)))


def round_trip(rows: Iterable[Row]) -> list[Row]:
    """Return rows as a file would give them back, so that what is drawn from one is the same to the byte."""
    read = [read_row(row.to_dict(), row_type) for row in rows]
    if not read:
        raise ImprintError("there are no findings to draw", hint="give those of imprint audit or of any test")
    return read
