"""Corpora as kinds: what text carries, which documents carry it, and how it differs between corpora and over years."""

import math
from collections.abc import Iterator, Sequence
from operator import itemgetter

from msgspec.structs import astuple

from imprint.corpora.measure import MARGIN
from imprint.corpora.rows import CorpusChangeRow, CorpusRow, CorpusTopicRow, DocumentShare, OddsRow, PeriodOdds
from imprint.kinds import Kind, Part
from imprint.kinds.tests import NAME, OUTCOME, REASONS, by_chance, by_subject, legend
from imprint.kinds.topics import TESTS
from imprint.masking import Words
from imprint.render.charts import plane
from imprint.render.charts.forest import ForestRow, forest
from imprint.render.charts.points import Point
from imprint.rows import WordValue, grouped
from imprint.significance.odds import FEWEST_COUNTS, FEWEST_SEEN
from imprint.tables import Columns, Field, table
from imprint.view import (
    Block,
    Chart,
    Claim,
    Details,
    Prose,
    Table,
    Text,
    count,
    footnote,
    interval,
    join,
    number,
    say,
    several,
    title,
)

CONTENT_NOTE = "Passages come from the corpus: some are offensive, and none is a fact about anybody."

_LIMITS = ("Counts say which words are near each other, not what the text says of them: a denial counts as a claim.",)
CORPORA = Part("corpus", "What the text carries", 47, controlled=False, asks=(), limits=_LIMITS)

_ODDS, _REMOVED = "log odds ratio", "documents removed, the most supporting first"
_MEANINGS = {
    "substantial": "the whole interval lies beyond 0.69 on one side of zero, where the odds are doubled",
    "present": "the interval does not have zero in it; whether the odds are doubled is not settled",
    "small": "the whole interval lies within 0.69 of zero: the odds are less than doubled either way",
    "cannot tell": "the interval has both no difference and doubled odds in it. This does not mean no bias",
    REASONS["few counts"]: f"a group is near one kind of words fewer than {FEWEST_COUNTS} times",
    REASONS["few documents"]: f"fewer than {FEWEST_SEEN} documents have any of the words near each other",
    REASONS["few words"]: f"fewer than {FEWEST_SEEN} words of a set occur near the others",
}
_MOST = 700.0  # log odds: more than counts can have, and less than overflows
_TIMES = 10  # from which odds are printed without decimals
_LINES = 3  # of a chart
_FIRST = 3  # findings in sentences, and documents of each in the terminal
_COMPARED = {
    "corpus": "How corpora differ",
    "years": "What changed over the years",
    "without": "Without these documents",
    "swapped": "With a gender-swapped copy of every document",
}
_Place = tuple[str, str, float, float, float | None, float | None]  # question, name, x, y, the ends of its interval
_QUESTION = Field(title="Question", cell=lambda line: title(line[0].test))


def blocks(rows: Sequence[CorpusRow]) -> Iterator[Block]:
    """Show the questions of each corpus, its documents, and how to read them."""
    for index, of_corpus in enumerate(by_subject(rows)):
        sized = sorted((row for row in of_corpus if row.log_odds_low is not None), key=_rank)
        if sized:
            yield _forest(f"corpus-odds-{index}", say("Who is near what in {}", title(of_corpus[0].embedding)), sized)
        caption = say("Co-occurrences in {}, with 99.5 % intervals", title(of_corpus[0].embedding))
        columns: Columns = (NAME, "log_odds", OUTCOME, "error", "wald_error", "n_documents")
        extra = ("n_xa", "n_xb", "n_ya", "n_yb", "is_concentrated", "n_x", "n_y", "n_a", "n_b")
        yield table(CorpusRow, caption, of_corpus, columns, more=("to_halve", "to_halve_if_spread"), extra=extra)
        yield from (Prose(text, "plain", ("terminal",)) for text in sentences(of_corpus))
        yield Details("How to read this", tuple(_reading(of_corpus)))
        if sized:
            yield _removal(f"corpus-documents-{index}", sized[:_LINES])
            yield from _contributions(sized)


def sentences(rows: Sequence[CorpusRow]) -> Iterator[Text]:
    """Say what was found, how many would be found by chance, and whether few documents carry it."""
    judged = [row for row in rows if row.log_odds_low is not None]
    clear = sorted((row for row in judged if row.found), key=_rank)
    corpora = join(map(title, dict.fromkeys(row.embedding for row in rows)))
    if not judged:
        yield say("No question could be asked of {}.{}", corpora, _too_few(len(rows), "question"))
        yield from _in_text(rows)
        return
    text = "{} of {} questions show a difference in {}; expected by chance: {}.{}"
    yield say(text, str(len(clear)), str(len(judged)), corpora, by_chance(judged), _too_few(len(rows) - len(judged)))
    yield from _in_text(rows)
    yield from map(_said, clear[:_FIRST])
    for row in clear[:_FIRST]:
        how = "concentrated in a few documents" if row.is_concentrated else "spread over documents"
        if row.to_halve is None or row.to_halve >= row.n_documents:
            text = "{} is {}: leaving out fewer than all {} does not halve the log odds."
            yield say(text, title(row.test), how, several(row.n_documents, "document"))
            continue
        text = "{} is {}: without {} of {} documents the log odds are halved; {} if spread at random."
        yield say(text, title(row.test), how, *map(count, (row.to_halve, row.n_documents, row.to_halve_if_spread)))


def _rank(row: OddsRow) -> tuple[bool, float]:
    """Return a key that sorts findings first, and the largest of them."""
    return not row.found, -abs(row.log_odds or 0.0)


def _too_few(others: int, noun: str = "more question") -> str:
    return f" Too few co-occurrences, documents or words for {several(others, noun)}." if others else ""


def _in_text(rows: Sequence[CorpusRow]) -> Iterator[Text]:
    """Say of the first questions with few counts how many of their words the text has."""
    for row in [row for row in rows if row.reason == "few counts" and row.in_text][:_FIRST]:
        sets = zip(row.in_text, row.sets, strict=True)
        parts = (say("{} {} of {}", title(each.name), count(amount), count(len(each.words))) for amount, each in sets)
        yield say("Words of {} in the text: {}.", title(row.test), join(parts))


def _said(row: CorpusRow) -> Text:
    x, y, a, b = (title(row.set_name(role)) for role in "xyab")
    near, far = (a, b) if (row.log_odds or 0.0) > 0 else (b, a)
    size = (number(row.log_odds), interval(row.log_odds_low, row.log_odds_high), row.outcome or "", title(row.test))
    odds = math.exp(min(abs(row.log_odds or 0.0), _MOST))
    times = number(odds, 0 if odds >= _TIMES else 1)
    said = "In {}, {} are nearer to {}, and {} to {}: odds {} times as high; log odds {} [{}], {} ({})."
    return say(said, title(row.embedding), x, near, y, far, times, *size)


def claims(rows: Sequence[CorpusRow]) -> Iterator[Claim]:
    """Pair what a corpus shows with what it does not."""
    cannot = "What a model learns from this text: counts predict it only in part."
    return ((_said(row), cannot) for row in rows if row.found)


def _reading(rows: Sequence[CorpusRow]) -> Iterator[Block]:
    first = rows[0]
    text = (
        "Two words are near if at most {} words apart, of {} words in {}. The interval says how the log "
        "odds would vary with other documents and other words of these kinds. The Wald error is what papers usually "
        "print: it takes every co-occurrence as independent, and is usually too small."
    )
    read = several(first.n_documents_read, "document")
    yield Prose(say(text, count(first.window), count(first.words_read), read), media=("page", "terminal"))
    yield from map(footnote, legend(_MEANINGS, {REASONS[row.reason] if row.reason else row.outcome for row in rows}))
    if fixed := dict.fromkeys(name for row in rows for name in row.fixed):
        yield Prose(say("These words are complete, and not a sample: {}.", join(map(title, fixed))), "note")
    if first.n_damaged:
        text = "Bytes that are not UTF-8 were replaced in {}."
        yield Prose(say(text, several(first.n_damaged, "document")), "warning", ("page", "terminal"))
    if first.n_copies:
        text = "Exact copies of other documents: {}. All count, and a document and its copies are drawn as one."
        yield Prose(say(text, count(first.n_copies)), "warning", ("page", "terminal"))


def _contributions(rows: Sequence[CorpusRow]) -> Iterator[Block]:
    """Show which documents and words move the findings, and passages that were asked for."""
    contribution = itemgetter(1)
    lines = [(row, each) for row in rows for each in row.documents]
    caption, columns = "The documents that move each finding most", (_QUESTION, "document", "change", "share")
    first = [(row, each) for row in rows for each in row.documents[:_FIRST]]
    yield table(DocumentShare, caption, first, columns, of=contribution, media=("terminal", "card"))
    yield table(DocumentShare, caption, lines, columns, of=contribution, filtered=True, folded=True, media=("page",))
    words = [(row, word) for row in rows for word in row.scores]
    moves = Field("value", "Moves by", "The log odds less those without the word.")
    caption, of_word = "The words that move each finding most", (_QUESTION, "word", moves)
    yield table(WordValue, caption, words, of_word, of=contribution, filtered=True, folded=True, media=("page",))
    if passages := [line for line in lines if line[1].snippet]:
        listed = table(DocumentShare, "Passages", passages, (_QUESTION, "document", "snippet"), of=contribution)
        yield Details("Passages; some may offend", (Prose(CONTENT_NOTE, "warning", ("page", "terminal")), listed))


def _removal(name: str, rows: Sequence[CorpusRow]) -> Chart:
    removals = [(row.test, gone, odds) for row in rows for gone, odds in enumerate(row.removal)]
    points = [(test, f"{gone} removed", gone, odds, None, None) for test, gone, odds in removals]
    heading = "Do a few documents carry it? The log odds as documents are removed"
    columns = (NAME, "to_halve", "to_halve_if_spread", "is_concentrated", "n_documents")
    note = "A line that falls to half within a few documents is carried by them."
    return _lines(name, heading, note, _REMOVED, points, table(CorpusRow, heading, rows, columns))


def _lines(name: str, heading: str, note: str, x_title: str, points: Sequence[_Place], listed: Table) -> Chart:
    """Draw a line for each question, which is the group of its points."""

    def draw(shown: Words, width: int) -> dict[str, object]:
        drawn = [Point(at, x, y, shown.plain(test), {}, *ends) for test, at, x, y, *ends in points]
        return plane.lines(drawn, x_title=x_title, y_title=_ODDS, width=width)

    alt = say("A line for each of {} questions.", count(len({test for test, *_ in points})))
    return Chart(name, heading, alt, draw, listed, note=note)


def _forest(name: str, heading: Text, rows: Sequence[OddsRow], *, main: bool = True) -> Chart:
    def draw(shown: Words, width: int) -> dict[str, object]:
        drawn = []
        for row in rows:
            below = row.change_to if isinstance(row, CorpusChangeRow) else row.test
            ends = (row.log_odds_low, row.log_odds_high, row.outcome or "cannot tell", shown.plain(below))
            drawn.append(ForestRow(shown.text(row.title), row.log_odds or 0.0, *ends))
        return forest(drawn, x_title=_ODDS, band="99.5 % interval", small=MARGIN, width=width)

    alt = say("A bar for each of {} questions with its interval over documents and words.", count(len(rows)))
    listed = table(type(rows[0]), heading, rows, (NAME, "log_odds", OUTCOME))
    return Chart(name, heading, alt, draw, listed, note="Shaded: odds less than doubled.", main=main)


def topic_blocks(rows: Sequence[CorpusTopicRow]) -> Iterator[Block]:
    """Show one line per topic of each corpus that has any interval."""
    if sized := [row for row in rows if row.tests]:
        columns: Columns = (Field("title", "Topic"), "embedding", "log_odds", OUTCOME, TESTS)
        yield Details("One number per topic", (table(CorpusTopicRow, "Mean log odds per topic", sized, columns),))


def change_blocks(rows: Sequence[CorpusChangeRow]) -> Iterator[Block]:
    """Show each comparison in a table, what differs as a chart, and the years as lines."""
    for index, (kind, of_kind) in enumerate(grouped(rows, key=lambda row: row.compared).items()):
        sized = [row for row in of_kind if row.log_odds_low is not None]
        caption, heading = say("{}, with 99.5 % intervals", _COMPARED[kind]), _COMPARED[kind]
        if sized:
            yield _forest(f"corpus-change-{index}", heading, sized, main=False)
            columns: Columns = (NAME, "log_odds_before", "log_odds_after", "log_odds", OUTCOME)
            yield table(CorpusChangeRow, caption, sized, columns, more=("change_from", "change_to"))
        yield from (Prose(text, "plain", ("terminal",)) for text in change_sentences(of_kind))
        if dated := [row for row in sorted(sized, key=_rank) if row.periods][:_LINES]:
            yield _years(f"corpus-years-{index}", dated)


def _years(name: str, rows: Sequence[CorpusChangeRow]) -> Chart:
    lines = [(row, period) for row in rows for period in row.periods]
    counted = [(row.test, each) for row, each in lines if each.log_odds_low is not None]
    points = [(test, f"{each.start} to {each.end}", each.start, *astuple(each)[3:]) for test, each in counted]
    heading = "The log odds over the years"
    years = Field(title="Years", cell=lambda line: f"{line[1].start} to {line[1].end}")
    columns = (_QUESTION, years, "log_odds", "n_documents")
    note = "The band is the 99.5 % interval of each period. Periods with too few co-occurrences are left out."
    listed = table(PeriodOdds, heading, lines, columns, of=itemgetter(1), folded=True)
    return _lines(name, heading, note, "first year of the period", points, listed)


def change_sentences(rows: Sequence[CorpusChangeRow]) -> Iterator[Text]:
    """Say what differs, how many differences chance would give, and how many questions have too few words for it."""
    for kind, of_kind in grouped(rows, key=lambda row: row.compared).items():
        judged = [row for row in of_kind if row.log_odds_low is not None]
        clear = sorted((row for row in judged if row.found), key=_rank)
        if not judged:
            yield say("{}: no question could be asked.{}", _COMPARED[kind], _too_few(len(of_kind), "question"))
            continue
        text = "{}: {} of {} questions differ; expected by chance: {}.{}"
        too_few = _too_few(len(of_kind) - len(judged))
        yield say(text, _COMPARED[kind], str(len(clear)), str(len(judged)), by_chance(judged), too_few)
        for row in clear[:_FIRST]:
            ends = (title(row.change_from), title(row.change_to))
            values = (number(row.log_odds_before), number(row.log_odds_after), number(row.log_odds))
            outcome = (interval(row.log_odds_low, row.log_odds_high), row.outcome or "", title(row.test))
            text = "From {} to {}: log odds {} to {}, a difference of {} [{}]: {} ({})."
            yield say(text, *ends, *values, *outcome)


_METHOD = "Co-occurrences of words were counted in text; intervals of log odds ratios are over documents and words."
CORPUS = Kind(CorpusRow, CORPORA, blocks, sentences, claims, card=True, opens=2, method=_METHOD)
TOPIC = Kind(CorpusTopicRow, CORPORA, topic_blocks, card=True, rank=1)
CHANGE = Kind(CorpusChangeRow, CORPORA, change_blocks, change_sentences, card=True, rank=2)
