"""Agreement as a kind, and the part of an audit that sets another embedding beside the one audited.

Caliskan, Bryson and Narayanan (2016), Methods; Bolukbasi et al. (2016), Figure 1.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from imprint.errors import SettingError
from imprint.evaluation.comparison import AgreementRow, compare, compare_professions, comparison_words
from imprint.kinds import Kind, Part, terms
from imprint.rows import Row
from imprint.tables import Columns, Field, table
from imprint.view import NOTHING, Block, Cell, Details, Prose, Text, count, footnote, number, say, title

if TYPE_CHECKING:
    from imprint.jobs.job import Job
    from imprint.types import Progress

AGAINST = Part("against", "Compared with another model", 90, needs="against", english=True, terms=(terms.EFFECT_SIZE,))


def run(job: "Job", progress: "Progress") -> list[Row]:
    """Ask both embeddings the same tests and benchmarks, and compare where they place professions."""
    from imprint.jobs.progress import by_label
    from imprint.stimuli.definition import WeatTest
    from imprint.subjects.framed import word_vectors

    if job.against is None:
        raise SettingError("no second embedding was given", option="against", hint="give one with --against")
    one, plan = job.embedding, job.plan
    other = word_vectors(job.against, comparison_words(), cache=job.encodings)

    def compared() -> Sequence[Row]:
        return compare(
            one,
            other,
            tests=[test for test in plan.catalogued if isinstance(test, WeatTest)] if plan.topics else None,
            most_words=plan.most_words,
            resamples=plan.resamples,
            seed=plan.seed,
            report=by_label(progress, (0.7, 0.3)),
        ).findings()

    attempts = [
        ("compare", "Tests and benchmarks in both", compared),
        ("projection", "Professions on he - she in both", lambda: compare_professions(one, other).findings()),
    ]
    return job.gather(AGAINST, attempts)


def blocks(rows: Sequence[AgreementRow]) -> Iterator[Block]:
    """Show how scores of the same words correlate."""
    caption = say("Do {} and {} associate the same words alike?", title(rows[0].embedding), title(rows[0].other))
    columns: Columns = ("title", Field("n_words", cell=_words), "pearson", "spearman")
    published = [_PUBLISHED] if any(row.published_pearson is not None for row in rows) else []
    agreements = table(AgreementRow, caption, rows, (*columns, *published))
    note = footnote(
        "Pearson and Spearman correlate the scores of the same words in both; names and occupations have "
        "the scores of WEFAT. Brackets are 95 % intervals over resampled words, each with all of its scores."
    )
    yield Details("Do both associate the same words alike?", (agreements, note))
    if published:
        text = "Published: Pearson and Spearman, Caliskan et al. (2016), Methods."
        yield Prose(text, "note", ("terminal",))


def _words(row: AgreementRow) -> Cell:
    scores = say("{}, {} scores", count(row.n_words), count(row.n_scores))
    return Cell(count(row.n_words) if row.n_words == row.n_scores else scores, order=row.n_words)


def _published(row: AgreementRow) -> Text:
    figures = say("{}, {}", number(row.published_pearson), number(row.published_spearman))
    return NOTHING if row.published_pearson is None else figures


_PUBLISHED = Field(
    "published_pearson",
    "Published (GloVe 840B, Google News)",
    "Pearson and Spearman, Caliskan et al. (2016).",
    cell=_published,
)

AGREEMENT = Kind(
    "agreement",
    row=AgreementRow,
    part=AGAINST,
    blocks=blocks,
    run=run,
    seconds=8.0,
    quick_seconds=5.0,
    aliases={"r": "pearson"},
    rank=5,
)
