"""WEAT as a kind: associations that a test asks about (Caliskan, Bryson and Narayanan, 2016)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

from imprint.association.weat import WeatRow
from imprint.errors import SettingError
from imprint.kinds import Kind, Part, answers, terms, verdict
from imprint.kinds.tests import (
    MISSING,
    NAME,
    OUTCOME,
    RANKS,
    SPLITS,
    counts_cell,
    equals,
    grammar_notes,
    missing_notes,
    one_sided,
    published_figures,
    published_p,
    test_names,
)
from imprint.masking import Words
from imprint.rows import Row, WordValue
from imprint.tables import Columns, Field, table
from imprint.view import (
    NOTHING,
    Block,
    Cell,
    Chart,
    Details,
    Prose,
    Table,
    Text,
    count,
    join,
    number,
    probability,
    say,
    title,
    words,
)

if TYPE_CHECKING:
    from imprint.jobs.job import Job
    from imprint.types import Progress

ASSOCIATIONS = Part(
    "weat",
    "Known stereotypes, tested",
    10,
    asks=("embedding",),
    asks_tests=True,
    terms=terms.TESTED,
    limits=(terms.OTHER_SCALES,),
)

_PAPERS: Columns = (NAME, "size", OUTCOME, "effect_size", "p_value", MISSING)
_PAIRED: Columns = (NAME, "embedding", "size", OUTCOME, "effect_size", "p_value")


def run(job: "Job", progress: "Progress") -> Iterable[Row]:
    """Run the WEATs of the language."""
    from imprint.association.battery import run_battery
    from imprint.stimuli.definition import WeatTest

    plan = job.plan
    tests = [test for test in plan.asked if isinstance(test, WeatTest)]
    if not tests:
        raise SettingError("the catalogue has no WEAT in this language", option="language", got=plan.language)
    return run_battery(job.embedding, tests, seed=plan.seed, progress=progress)


def blocks(rows: Sequence[WeatRow]) -> Iterator[Block]:
    """Show questions first, then tests as the papers put them; of two embeddings, everything side by side."""
    if rows[0].other is not None or len({row.embedding_sha256 for row in rows}) > 1:
        yield from _side_by_side(rows)
        return
    yield from answers.split_blocks(rows, _published)
    if len(rows) == 1 and rows[0].is_question:
        yield _scores(rows)


def _published(rows: Sequence[WeatRow]) -> Iterator[Block]:
    """Show tests as the papers put them."""
    if len(rows) == 1:
        yield from _answer(rows[0])
    caption = say("WEAT on {}; p is {}", title(rows[0].embedding), one_sided(rows))
    published = published_figures(rows, "d", lambda figure: figure.effect)
    extra = (
        "unrelated",
        "detectable",
        "mean_difference",
        "p_frequency",
        RANKS,
        SPLITS,
        "topics",
        Field("human", cell=_people),
    )
    columns = [published_p(rows) if column == "p_value" else column for column in _PAPERS]
    yield table(WeatRow, caption, rows, columns, more=published, extra=extra)
    yield from grammar_notes(rows)
    yield Details("How to read this", (*_reading(), *missing_notes(rows), *_overlaps(rows)))
    yield _scores(rows)


def _reading() -> Iterator[Block]:
    """Explain tests and numbers."""
    yield Prose(
        "Each test compares two sets of words, such as flowers and insects, with two others, such as pleasant and "
        "unpleasant words. It asks whether the first set lies closer to the first, and the second to the second. "
        "Psychologists ask people the same questions in the Implicit Association Test."
    )
    yield Prose(
        "d is the difference of means in standard deviations of all scores; it is not Cohen's d. p is about these "
        "words alone; the size's interval also covers other words of the same kinds.",
        "note",
        ("page", "terminal"),
    )


def _answer(row: WeatRow) -> Iterator[Block]:
    """Say what one test found, and draw its words."""
    yield Prose(
        say(
            "d = {}, p {}: {} splits of these words differ at least as much.",
            number(row.effect_size),
            equals(probability(row.p_value, row.p_method)),
            counts_cell(row).text,
        )
    )
    if row.lowered:
        yield Prose(say("Found in lower case only: {}.", words(row.lowered)), "note")
    if row.from_subwords:
        yield Prose(say("Built from subwords: {}.", words(row.from_subwords)), "note")
    yield _words_chart(row)


def _words_chart(row: WeatRow) -> Chart:
    """Draw every word at its score."""

    def draw(shown: Words, width: int) -> dict[str, object]:
        from imprint.render.charts.axis import dots
        from imprint.render.charts.points import Point

        sides = [shown.text(f"{role.upper()}: {row.set_name(role)}") for role in "xy"]
        points = [
            Point(shown.plain(score.word), score.value, group=sides[index >= row.n_x])
            for index, score in enumerate(row.scores)
            if score.value is not None
        ]
        return dots(points, x_title="score: B left, A right", width=width)

    alt = say("A dot for each of {} words at its score, the highest first.", f"{len(row.scores)}")
    return Chart(f"words-{row.test}", "Every word's score", alt, draw, _scores([row]))


def sentences(rows: Sequence[WeatRow]) -> Iterator[Text]:
    """Count the outcomes of what was asked about people, and say what shows a difference."""
    if rows[0].other is not None:
        yield from _counts(rows)
    elif rows[0].part in (None, ASSOCIATIONS.name):
        yield from verdict.sentences(rows)


def _people(row: WeatRow) -> Text:
    return NOTHING if row.human is None else say("d = {}, {}", number(row.human.effect), row.human.source)


def _side_by_side(rows: Sequence[WeatRow]) -> Iterator[Block]:
    compared = rows[0].other is not None
    left_out = [Field("left_out", cell=_left_out, numeric=True)] if compared else []
    order = [row.test for row in rows]
    paired = sorted(rows, key=lambda row: order.index(row.test))
    sided = one_sided(rows)
    caption = f"Every test on both{sided and f'; p is {sided}'}"
    notes: list[Block] = []
    if compared:
        both = "Both are tested on the words that both have."
        notes += [Prose(both, "note", ("page", "terminal"))]
        notes += missing_notes(list({row.test: row for row in rows}.values()))
    turned = "A size below zero is a reversed association, not a removed one."
    notes.append(Prose(turned, "note", ("page", "terminal")))
    yield Details(
        "Every test on both", (table(WeatRow, caption, paired, _PAIRED, more=left_out, filtered=True), *notes)
    )


def _left_out(row: WeatRow) -> Cell:
    return Cell(count(len(row.left_out)), hint=words(row.left_out))


def _counts(rows: Sequence[WeatRow]) -> Iterator[Text]:
    """Count what each embedding shows; by names and hashes: two versions of a file may have one name."""
    people = [row for row in rows if row.about_people]
    asked = Counter((row.embedding_sha256, row.embedding) for row in people)
    found = Counter((row.embedding_sha256, row.embedding) for row in people if row.found)
    shown = [say("{} of {} in {}", f"{found[subject]}", f"{asked[subject]}", title(subject[1])) for subject in asked]
    if shown:
        yield say("Side by side, tests about people that show a difference: {}.", join(shown))


def _overlaps(rows: Iterable[WeatRow]) -> Iterator[Block]:
    for row in rows:
        sets = {listing.role: set(listing.words) for listing in row.sets}
        both = {word for role in "xy" for word in sets.get(role, ())} & {
            w for role in "ab" for w in sets.get(role, ())
        }
        if both:
            text = say("{} has words that are targets and attributes: {}", title(row.test), words(sorted(both)))
            yield Prose(text, "warning", ("terminal",))


def _scores(rows: Iterable[WeatRow]) -> Table:
    scored = [(row, index, score) for row in rows for index, score in enumerate(row.scores)]
    columns = (
        Field(title="Test", cell=lambda line: title(line[0].title)),
        Field(title="Set", cell=lambda line: title(line[0].set_name("x" if line[1] < line[0].n_x else "y"))),
        "word",
        Field("value", "Score", "Mean cosine with the first attribute set less that with the second."),
    )
    return table(WordValue, "Every word's score", scored, columns, of=itemgetter(2), filtered=True, folded=True)


WEAT = Kind(
    row=WeatRow,
    part=ASSOCIATIONS,
    blocks=blocks,
    sentences=sentences,
    claims=verdict.claims,
    certainty=verdict.certainty,
    run=run,
    seconds=4.0,
    aliases={"p": "p_value", "d": "effect_size"},
    card=True,
    method="Associations were measured by the Word Embedding Association Test (Caliskan, Bryson and Narayanan, 2017).",
    asks_people=True,
    names=test_names,
    of_encoder=("seat", "seat"),
)
