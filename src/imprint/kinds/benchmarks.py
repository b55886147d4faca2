"""Benchmarks of word similarity and analogies as kinds: what an embedding is good for, and what debiasing costs.

Bolukbasi et al. (2016), section 5 and table 2.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, get_args

from imprint.descriptions import descriptions
from imprint.errors import ImprintError
from imprint.evaluation.analogy import AnalogyBenchmarkRow
from imprint.evaluation.benchmarks import PART, BenchmarkRow, PairBenchmark, Whose, bundled_benchmarks, field_of
from imprint.evaluation.similarity import SimilarityRow
from imprint.kinds import Kind, NamedTests, Part
from imprint.rows import Row, grouped
from imprint.tables import Columns, Field, draw_field, table
from imprint.view import (
    NOTHING,
    Block,
    Cell,
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
    title,
    words,
)

if TYPE_CHECKING:
    from imprint.jobs.job import Job
    from imprint.stimuli.definition import Test
    from imprint.types import Progress

BENCHMARKS = Part(PART, "How good are the vectors?", 70, controlled=False, english=True)

_NAMED = 10  # missing words of a benchmark that are named
_Line = tuple[BenchmarkRow, str]  # a benchmark and one of its measures


def run(job: "Job", progress: "Progress") -> list[Row]:
    """Run the benchmarks, on the debiased copy too where there is one, both on the same pairs and questions."""
    from imprint.evaluation.evaluate import evaluate
    from imprint.jobs.progress import by_label

    try:
        measured, against = job.debiased, job.embedding
    except ImprintError:
        measured, against = job.embedding, None
    plan = job.plan
    benchmarks = evaluate(
        measured,
        against=against,
        most_words=plan.most_words,
        resamples=plan.resamples,
        seed=plan.seed,
        report=by_label(progress, (1.0,)),
    )
    return [*benchmarks]


def similarity_blocks(rows: Sequence[SimilarityRow]) -> Iterator[Block]:
    """Show how well cosines rank pairs of words as people do."""
    yield Details("The benchmarks of similarity", tuple(_tables(rows, "Word similarity")))
    reading = footnote(
        "Do words that people call similar have similar vectors? People scored the pairs of words of each benchmark. "
        "Spearman and Pearson are correlations of cosines with these scores. Brackets are 95 % intervals; they allow "
        "for pairs that share a word."
    )
    yield Details("About similarity", (reading, *_notes(rows, "pairs")))


def analogy_blocks(rows: Sequence[AnalogyBenchmarkRow]) -> Iterator[Block]:
    """Show how many analogies are answered correctly."""
    yield Details("The benchmarks of analogies", tuple(_tables(rows, "Analogies")))
    reading = footnote(
        "Man is to king as woman is to what? Each benchmark asks many such questions. 3CosAdd and 3CosMul are shares "
        "of questions answered correctly; case is ignored. Brackets are 95 % intervals over resampled word pairs."
    )
    for row in rows:
        if row.against_n_words not in (None, row.n_words):
            text = say(
                "Analogies are easier among fewer words: {} were searched in {} and {} in {}. Set --most-words to the "
                "smaller number to compare them on one task.",
                count(row.against_n_words),
                title(str(row.against)),
                count(row.n_words),
                title(row.embedding),
            )
            yield Prose(text, "warning", ("page", "terminal"))
            break
    yield Details("About analogies", (reading, *_notes(rows, "questions")))


def _sentences(rows: Sequence[BenchmarkRow], what: str) -> Iterator[Text]:
    compared = [row for row in rows if row.against is not None and row.part in (None, PART)]
    if not compared:
        return
    changes = [(row, *row.measured(row.measures[0], "change_")) for row in compared]
    changed = [
        say("{} by {} [{}]", title(row.test.upper()), number(change, 3), interval(low, high, 3))
        for row, change, low, high in changes
        if low is not None and high is not None and (low > 0 or high < 0)
    ]
    yield say(
        "{} that change significantly: {} (of {}).", what, join(changed) if changed else "none", f"{len(compared)}"
    )


def _tables(rows: Sequence[BenchmarkRow], caption: str) -> Iterator[Table]:
    """Give every embedding, or pair of embeddings, a table of its own, with a line per measure of each benchmark."""
    for pair, own in grouped(rows, key=lambda row: (row.embedding, row.against)).items():
        lines = [(row, measure) for row in own for measure in row.measures]
        columns = (
            Field("test", cell=lambda line: title(line[0].test)),
            Field("found", cell=_found, numeric=False),
            Field(title="Measure", cell=_measure),
            *_values(own[0]),
        )
        is_published = any(row.published_before is not None for row in own)
        published = [Field("published_before", cell=_published, numeric=False)] if is_published else []
        yield table(type(own[0]), say("{}: {}", caption, named(*pair)), lines, columns, more=published)


def _values(row: BenchmarkRow) -> Columns:
    """Return the columns of a measure: its value, or both embeddings' values and the change."""
    value, other, change = (field_of(row.measures[0], of) for of in get_args(Whose))
    if row.against is None:
        return [Field(value, "Value", "With its 95 % interval.", partial(_estimated, ""))]
    return [
        Field(other, cell=partial(_valued, "against_")),
        Field(value, "B", "Measured for this embedding, B.", partial(_valued, "")),
        Field(change, cell=partial(_estimated, "change_")),
    ]


def _estimated(of: Whose, line: _Line) -> Cell | Text:
    """Draw a measure with its interval."""
    row, measure = line
    return draw_field(row, field_of(measure, of))


def _valued(of: Whose, line: _Line) -> Text:
    """Draw a measure alone."""
    row, measure = line
    return number(row.measured(measure, of)[0], 3)


def named(embedding: str, against: str | None) -> Text:
    """Name an embedding, or say which of two is A and which B."""
    return title(embedding) if against is None else say("{} (A) and {} (B)", title(against), title(embedding))


def _found(line: _Line) -> Cell:
    row, _ = line
    return Cell(say("{} of {}", count(row.found), count(row.asked)), order=row.found)


def _measure(line: _Line) -> Text:
    row, measure = line
    return descriptions(type(row))[field_of(measure)].title


def _published(line: _Line) -> Text:
    """Draw the paper's figures: Spearman's correlations and, for analogies, 3CosAdd, the first measure of either."""
    row, measure = line
    if measure != row.measures[0] or row.published_before is None:
        return NOTHING
    return say("{} → {}", number(row.published_before, 3), number(row.published_after, 3))


def _notes(rows: Sequence[BenchmarkRow], things: str) -> Iterator[Block]:
    compared = any(row.against is not None for row in rows)
    if compared:
        same = f"Both are measured on the same {things}."
        yield footnote(f"{same} A difference whose interval contains zero is not significant.")
    of: Whose = "change_" if compared else ""
    if any(None in row.measured(measure, of) for row in rows for measure in row.measures):
        text = f"No interval is given for too few {things}, or where all of them agree."
        yield footnote(text)
    if any(row.published_before is not None for row in rows):
        text = "Published: before and after debiasing, Bolukbasi et al. (2016), table 2."
        yield Prose(text, "note", ("terminal",))
    for row in rows:
        for name, missing in ((row.against, row.against_missing), (row.embedding, row.missing)):
            if name is not None and missing:
                more = f" and {len(missing) - _NAMED:,} more" if len(missing) > _NAMED else ""
                shown = (title(row.test), title(name), words(missing[:_NAMED]), more)
                yield Prose(say("Missing words of {} in {}: {}{}", *shown), "note", ("terminal",))


def benchmark_names(tests: "Sequence[Test]", rows: Sequence[Row]) -> NamedTests:
    """Return the benchmarks of similarity that every audit runs."""
    return NamedTests("benchmark", [each.name for each in bundled_benchmarks() if isinstance(each, PairBenchmark)])


SIMILARITY = Kind(
    row=SimilarityRow,
    part=BENCHMARKS,
    blocks=similarity_blocks,
    sentences=lambda rows: _sentences(rows, "Similarity benchmarks"),
    run=run,
    seconds=4.0,
    quick_seconds=1.0,
    aliases={"d": "effect_size", "change": "change_spearman"},
    method="Quality was measured by rank correlation with human judgements of word similarity.",
    names=benchmark_names,
)
ANALOGIES = Kind(
    row=AnalogyBenchmarkRow,
    part=BENCHMARKS,
    blocks=analogy_blocks,
    sentences=lambda rows: _sentences(rows, "Analogy benchmarks"),
    aliases={"d": "effect_size", "change": "change_3cosadd"},
)
