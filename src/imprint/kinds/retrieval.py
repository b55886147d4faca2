"""Retrieval as a kind: how documents about two groups of people, equal but for that, are ranked."""

from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

from imprint.association.rows import outcome_counts
from imprint.errors import SettingError
from imprint.kinds import Kind, Part
from imprint.kinds.tests import OUTCOME, TENTH, outcome_marks, outcome_notes, outcome_text
from imprint.masking import Words
from imprint.render.charts.forest import ForestRow, Mark, forest
from imprint.rows import TemplateValue
from imprint.scoring.retrieval import PAIRS, RankingPlan, retrieval
from imprint.scoring.rows import RetrievalRow, Specificity
from imprint.significance.outcomes import MARGIN
from imprint.stimuli.retrieval import BUNDLED, bundled_set
from imprint.tables import Columns, Field, table
from imprint.view import (
    NOTHING,
    Block,
    Chart,
    Claim,
    Details,
    Given,
    Listing,
    Number,
    Prose,
    Text,
    Tile,
    count,
    interval,
    number,
    percent,
    points,
    say,
    title,
)

if TYPE_CHECKING:
    from imprint.jobs.job import Job
    from imprint.rows import Row
    from imprint.types import Progress

IN_SEARCH = Part("retrieval", "In search: who is ranked first?", 25, controlled=False, asks=("encoder",), english=True)

_FOUR_FIFTHS = 0.8
_CONTROLS: dict[Specificity, str] = {
    "specific": "specific: relevant documents show more of it than irrelevant ones",
    "general pull": "{} score higher for unrelated queries too, so this may not be about relevance",
    "cannot be told apart": "it is not clear whether that is about relevance",
}
_LABELS = ("relevant documents", "irrelevant documents (95 %)", "neutral edits, either way")


def run(job: "Job", progress: "Progress") -> "Iterable[Row]":
    """Ask the audit's encoder; a quick audit asks Grep-BiasIR alone, without neutral edits."""
    names = _asked(job)
    if not names:
        raise SettingError("no bundled documents are about these topics", option="topics", got=job.plan.topics)
    assert job.encoder is not None
    rows = retrieval(
        job.encoder,
        names,
        edits=not job.plan.quick,
        cache=job.encodings,
        report=lambda _, done, total: progress(done, total),
    )
    return rows.findings()


def texts(job: "Job") -> "Iterable[Sequence[str]]":
    """Return the texts of each set."""
    plans = (RankingPlan(bundled_set(name), not job.plan.quick) for name in _asked(job))
    return [[text for pair in plan.scored for text in pair] for plan in plans]


def _asked(job: "Job") -> list[str]:
    """Return the sets that are about the topics of the plan."""
    topics = {*job.plan.topics}
    listed = BUNDLED[: 1 if job.plan.quick else None]
    return [
        name
        for name in listed
        if not topics or any(topics & {*comparison.topics} for comparison in bundled_set(name).comparisons)
    ]


def blocks(rows: Sequence[RetrievalRow]) -> Iterator[Block]:
    """Show sizes with their controls, what is described beside them, and every query."""
    caption = say("Retrieval by {}: above zero, the group named first is ahead", title(rows[0].embedding))
    yield table(RetrievalRow, caption, rows, _COLUMNS, more=_MORE)
    yield from (Prose(text, media=("terminal",)) for text in sentences(rows))
    if sized := [row for row in rows if row.size is not None]:
        yield _chart(sized)
    for row in rows:
        if row.n_left_out:
            left_out = say(
                "{}: the model knows no word of {} of the queries; they were left out.",
                title(row.test),
                count(row.n_left_out),
            )
            yield Prose(left_out, "note", ("page", "terminal"))
    yield Listing((*map(_described, rows), *(line for row in rows for line in _without(row))), ("page", "terminal"))
    yield Details("How to read this", (*map(Prose, _READING), *outcome_notes(rows)))
    lines = [(row, line) for row in rows for line in row.by_query]
    columns = (
        Field(title="Documents", cell=lambda line: title(line[0].test)),
        Field("template", "Query"),
        Field("value", "Difference", "Of scores; a share of the distance where there is one."),
    )
    heading, query = "Differences by query", itemgetter(1)
    yield table(TemplateValue, heading, lines, columns, of=query, folded=True, filtered=True, media=("page",))


def sentences(rows: Sequence[RetrievalRow]) -> Iterator[Text]:
    """Say who is ranked first, by how much, and whether that is about relevance."""
    yield from map(_said, rows)


def claims(rows: Sequence[RetrievalRow]) -> Iterator[Claim]:
    """Pair what rankings show with what they do not."""
    for row in rows:
        cannot = "Which people a product shows: that depends on what else it does with the ranking."
        yield _said(row), cannot if row.found else "That both are ranked alike in other queries and documents."


def tile(rows: Sequence[RetrievalRow]) -> Tile:
    """Return the tile of all rows, in the colour of the most serious outcome."""
    marks = outcome_marks(rows)
    noun = "comparison" if len(rows) == 1 else "comparisons"
    return Tile("In search", f"{len(rows)} {noun}", marks, marks[0].outcome, IN_SEARCH.name)


def _said(row: RetrievalRow) -> Text:
    if row.is_interaction:
        what = "The interaction by {} ({}) is {} of the distance between relevant and irrelevant documents: {}."
        return say(what, title(row.embedding), title(row.title), _size(row), outcome_text(row))
    sides = x, y = title(row.set_name("x")), title(row.set_name("y"))
    is_x = row.share_first >= 0.5  # the majority is named
    before, after = sides if is_x else reversed(sides)
    units = "pairs" if row.test == PAIRS else say("{} queries", count(row.n_queries))

    def share(of_x: float) -> Number:
        return percent(of_x if is_x else 1 - of_x)

    first = say(
        "{} puts {} before {} for {} of {}", title(row.embedding), before, after, share(row.share_first), units
    )
    if row.share_first_irrelevant is not None:
        first = say("{}, and for {} where documents are irrelevant", first, share(row.share_first_irrelevant))
    difference = say("{}. The mean score of {} less that of {} is", first, x, y)
    if row.size_low is None:
        ends = interval(row.mean_difference_low, row.mean_difference_high, 4)
        mean = "{} {} [{}]: {}."
        return say(mean, difference, number(row.mean_difference, 4), ends, outcome_text(row))
    what = "{} {} of the distance between relevant and irrelevant documents: {}"
    said = say(what, difference, _size(row), outcome_text(row))
    if row.found or row.irrelevant_low is not None:
        ahead = x if (row.irrelevant or 0.0) > 0 else y
        control = _CONTROLS[row.control or "cannot be told apart"]
        said = say("{}; {}", said, say(control, ahead) if "{}" in control else control)
    return say("{}{}.", said, "" if row.is_beyond_edits else "; no larger than neutral edits")


def _without(row: RetrievalRow) -> Iterator[Text]:
    """Say what remains of the difference of pairs where a word is taken out of both texts."""
    for word in row.without:
        said = "Without “{}”, {} of the difference remains, and the first texts are ahead in {} of pairs."
        yield say(said, Given(word.word), percent(word.x), percent(word.y))


def _size(row: RetrievalRow) -> Text:
    if row.size is None or row.size_low is None or row.size_high is None:
        return NOTHING
    return say("{} [{} to {}]", percent(row.size, 1), points(row.size_low, 1), points(row.size_high, 1))


def _described(row: RetrievalRow) -> Text:
    """Say what is described without an outcome, with the line that people know of selection rates."""
    x, y = title(row.set_name("x")), title(row.set_name("y"))
    text = "{}: {} of {} are in the top {}, and {} of {}; exposure of {} over that of {} {}"
    selected, exposure = (percent(row.selected_x, 1), percent(row.selected_y, 1)), number(row.exposure)
    shares = say(text, title(row.test), selected[0], x, count(row.top_k), selected[1], y, x, y, exposure)
    if row.ratio is None or row.ratio_low is None or row.ratio_high is None:
        return say("{}.", shares)
    ends, decided = interval(row.ratio_low, row.ratio_high), "below four fifths"
    if row.ratio_high >= _FOUR_FIFTHS:
        decided = "whether it is below four fifths is not settled"
        decided = decided if row.ratio_low < _FOUR_FIFTHS else "not below four fifths"
    return say("{}. Ratio of the smaller share to the larger {} [{}]: {}.", shares, number(row.ratio), ends, decided)


def _chart(rows: Sequence[RetrievalRow]) -> Chart:
    """Draw each effect with its interval, and below it that of irrelevant documents, and neutral edits."""

    def draw(shown: Words, width: int) -> dict[str, object]:
        lines = []
        for row in rows:
            label = shown.text(f"{row.set_name('x')} – {row.set_name('y')}")
            edits = row.edits
            drawn: tuple[tuple[float | None, float | None, float | None, Mark], ...] = (
                (row.size, row.size_low, row.size_high, row.outcome or "cannot tell"),
                (row.irrelevant, row.irrelevant_low, row.irrelevant_high, "for comparison"),
                (None if edits is None else 0.0, None if edits is None else -edits, edits, "for comparison"),
            )
            for below, (value, low, high, outcome) in zip(_LABELS, drawn, strict=True):
                ends = None if low is None else 100 * low, None if high is None else 100 * high
                if value is not None:
                    hints = {"test": shown.text(row.test)}
                    lines.append(ForestRow(label, 100 * value, *ends, outcome=outcome, below=below, hints=hints))
        x_title = "percent of the distance between relevant and irrelevant documents"
        return forest(lines, x_title=x_title, band="interval", small=100 * MARGIN, width=width)

    heading = "Who is ranked first, and by how much?"
    alt = say("Sizes of {} comparisons with their intervals: {}.", count(len(rows)), outcome_counts(rows))
    listed = table(RetrievalRow, "The chart's sizes", rows, ("test", "size", "irrelevant", "edits"))
    note = f"Right of zero, the group named first is ahead. Shaded: up to {TENTH}, which counts as small."
    return Chart("retrieval-sizes", heading, alt, draw, listed, note=note)


_READING = (
    "Documents are equal but for their version, or the name in them. The size is the difference of their scores for "
    "queries that they are relevant to, as a share of the distance between relevant and irrelevant documents. Its "
    "interval is over other queries, with their documents, and over other names.",
    "Specific: the 99.5 % interval of relevant less irrelevant documents lies on the side of the effect. General "
    "pull: it does not, but irrelevant documents show the effect, at 95 %. Neutral edits are typing mistakes, another "
    "order, a line about a hobby, or another name of the same group.",
    "Four fifths is a rule of thumb of US employment law for selection rates. A ratio below it does not show "
    "discrimination: in a close ranking, tiny differences decide who is at the top. One above does not exclude it.",
)
_COLUMNS: Columns = (
    Field("title", cell=lambda row: say("{}: {}", title(row.test), title(row.title))),
    Field("size", cell=_size),
    OUTCOME,
    "control",
    "irrelevant",
    "edits",
)
_MORE: Columns = (
    *("specific", "share_first", "exposure", "ratio", "p_value", "mean_difference", "distance"),
    *("n_queries", "n_documents"),
    Field("n_x", "Names", cell=lambda row: say("{} and {}", count(row.n_x), count(row.n_y)), numeric=False),
)

RETRIEVAL = Kind(
    row=RetrievalRow,
    part=IN_SEARCH,
    blocks=blocks,
    sentences=sentences,
    claims=claims,
    run=run,
    texts=texts,
    seconds=20.0,
    quick_seconds=5.0,
    aliases={"p": "p_value"},
    card=True,
    opens=3,
    tile=tile,
    method="Equal documents in two versions, or with names of two groups, were ranked for queries; queries with their "
    "documents, and names, are random units.",
)
