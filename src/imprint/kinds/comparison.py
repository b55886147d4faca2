"""Agreement and changes as kinds, and the part of an audit that sets another subject beside the one audited.

Changes say what differs between two versions of a subject, test by test and topic by topic.

Caliskan, Bryson and Narayanan (2016), Methods; Bolukbasi et al. (2016), Figure 1.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from imprint.association.changes import ChangeRow, TopicChangeRow
from imprint.association.rows import outcome_counts
from imprint.errors import SettingError
from imprint.evaluation.comparison import AgreementRow, compare, compare_professions, comparison_words
from imprint.kinds import Kind, Part, part_of, terms
from imprint.kinds.sizes import sizes_chart
from imprint.kinds.tests import NAME, OUTCOME, TENTH, by_chance
from imprint.kinds.topics import TESTS, one_test
from imprint.rows import Row, grouped
from imprint.tables import Columns, Field, as_text, draw_field, table
from imprint.view import (
    NOTHING,
    Block,
    Cell,
    Details,
    Prose,
    Text,
    count,
    footnote,
    number,
    percent,
    say,
    title,
)

if TYPE_CHECKING:
    from imprint.jobs.job import Job
    from imprint.types import Progress

AGAINST = Part("against", "Compared with another model", 90, needs="against", english=True, terms=(terms.EFFECT_SIZE,))

_DEBIASING = "debiasing"  # the part whose changes are those of a debiaser
_CHANGED = "change of the size, in percent of the distance between the two kinds of words"
_READ = f"Left of zero: less as the stereotype predicts than before. The band is what counts as small: {TENTH}."
_BEFORE_AFTER: Columns = ("size_before", "size_after", "size", OUTCOME)


def run(job: "Job", progress: "Progress") -> list[Row]:
    """Ask both embeddings the same tests and benchmarks, and compare where they place professions."""
    from imprint.jobs.job import Attempt
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
        Attempt("compare", "Tests and benchmarks in both", compared),
        Attempt("projection", "Professions on he - she in both", lambda: compare_professions(one, other).findings()),
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


def show_changes(rows: Sequence[ChangeRow]) -> Iterator[Block]:
    """Show how each test's size changed, from one subject to each other one."""
    by_subjects = grouped(rows, key=lambda row: (row.change_from, row.change_to))
    for index, (pair, own) in enumerate(by_subjects.items(), start=1):
        ends = (title(pair[0]), title(pair[1]))
        people = [row for row in own if row.about_people] or own
        heading = say("How much does each association change from {} to {}?", *ends)
        name = f"change-forest-{rows[0].part}{f'-{index}' if index > 1 else ''}"
        yield sizes_chart(name, heading, people, x_title=_CHANGED, note=_READ)
        caption = say("What changed from {} to {}, with 99.5 % intervals", *ends)
        changes = table(ChangeRow, caption, own, (NAME, *_BEFORE_AFTER), extra=("effect_size",))
        yield Details("The changes, test by test", (changes,))
        if own[0].part != _DEBIASING:  # where the command says more
            yield from (Prose(sentence, media=("terminal",)) for sentence in say_changes(own))
    yield footnote("Only words that both have are compared. They are the same, so what they share cancels.")


def say_changes(rows: Sequence[ChangeRow]) -> Iterator[Text]:
    """Say how many tests about people changed, and the largest change; of several subjects, for the first one."""
    people = asked_of(row for row in rows if row.about_people and row.change_to == rows[0].change_to)
    if not people:
        return
    yield say("{}: {}. By chance alone: {} present.", _changed(rows[0]), outcome_counts(people), by_chance(people))
    found = [row for row in people if row.found]
    best = [row for row in found or people if row.size is not None]
    if best:
        row = max(best, key=lambda changed: (abs(changed.size or 0.0), changed.test))
        sizes = (percent(row.size_before), percent(row.size_after), as_text(draw_field(row, "size")))
        text = "The largest change: {}, from {} to {}, by {}, {}."
        yield say(text, title(row.title), *sizes, row.outcome or "")


def asked_of(rows: Iterable[ChangeRow]) -> list[ChangeRow]:
    """Return the questions; the tests where no question was asked of both."""
    listed = list(rows)
    return [row for row in listed if row.is_question] or listed


def brief(rows: Sequence[ChangeRow]) -> Iterator[Text]:
    """Say what changed from one subject to another; what debiasing changed has a line of its own."""
    if part_of(rows[0]) == AGAINST.name:
        yield from say_changes(rows)


def show_topic_changes(rows: Sequence[TopicChangeRow]) -> Iterator[Block]:
    """Show how each topic's size changed, unless one test is all there is."""
    pairs = grouped(rows, key=lambda row: (row.change_from, row.change_to))
    for pair, own in pairs.items():
        if one_test(own):
            continue
        caption = "What changed, per topic"
        named = caption if len(pairs) == 1 else say("{}, from {} to {}", caption, *map(title, pair))
        yield Details(caption, (table(TopicChangeRow, named, own, ("topic", *_BEFORE_AFTER, TESTS)),))


def _changed(row: ChangeRow) -> Text:
    if row.part == _DEBIASING:
        return "What debiasing changes"
    return say("What changes from {} to {}", title(row.change_from), title(row.change_to))


_PUBLISHED = Field(
    "published_pearson",
    "Published (GloVe 840B, Google News)",
    "Pearson and Spearman, Caliskan et al. (2016).",
    cell=_published,
)

AGREEMENT = Kind(
    row=AgreementRow,
    part=AGAINST,
    blocks=blocks,
    run=run,
    seconds=8.0,
    quick_seconds=5.0,
    aliases={"r": "pearson"},
    rank=5,
)
CHANGE = Kind(
    row=ChangeRow,
    part=AGAINST,
    blocks=show_changes,
    sentences=say_changes,
    cannot="That a bias is gone: it may remain in other words and other directions.",
    aliases={"d": "effect_size"},
    rank=-2,
    brief=brief,
)
TOPIC_CHANGE = Kind(
    row=TopicChangeRow,
    part=AGAINST,
    blocks=show_topic_changes,
)
