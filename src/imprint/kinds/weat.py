"""WEAT as a kind: associations that a test asks about (Caliskan, Bryson and Narayanan, 2016)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from imprint.association.weat import WeatRow, weat
from imprint.errors import SettingError
from imprint.kinds import Kind, Part
from imprint.kinds.tests import (
    EFFECT,
    TEST,
    corrected_cell,
    counts_cell,
    difference_cell,
    equals,
    forest_chart,
    missing_cell,
    missing_notes,
    name_cell,
    one_sided,
    p_cell,
    published_cell,
    verdict_cell,
)
from imprint.rows import Row
from imprint.view import (
    NOTHING,
    Block,
    Cell,
    Chart,
    Column,
    Prose,
    Table,
    Text,
    count,
    interval,
    join,
    number,
    probability,
    say,
    title,
    words,
)

if TYPE_CHECKING:
    from imprint.kinds.job import Job
    from imprint.masking import Words
    from imprint.types import Progress

ASSOCIATIONS = Part("weat", "Associations asked for", 10)

_COLUMNS = (
    TEST,
    EFFECT,
    Column("Mean difference", "Difference of the sets' mean cosines, with its 95 % interval.", True),
    Column("p", "Share of all splits of the target words that give at least this difference.", True),
    Column("Splits", "Splits at least as extreme, of all splits."),
    Column("p, Holm", "p after Holm's correction for running all these tests.", True),
    Column("Verdict"),
    Column("Missing", "Words the embedding does not have, of all words of the test.", True),
    Column("Published", "The d that the source prints for this test, and on which embedding."),
    Column("Topic", "Neutral tests are not about people: they check that the method works.", extra=True),
    Column("If other words had been chosen", "95 % interval of d over resampled words.", True, extra=True),
    Column("People", "Effect in the Implicit Association Test, on another scale.", extra=True),
)
_PAIRED = (
    TEST,
    Column("Embedding"),
    Column("d", numeric=True),
    Column("p", numeric=True),
    Column("p, Holm", "Holm's correction over the tests of one embedding.", True),
    Column("Evidence"),
)
_COMPARED = (
    *_PAIRED,
    Column("Left out", "Words that one of the two does not have; both are tested without them.", True),
)


def run(job: "Job", progress: "Progress") -> list[Row]:
    """Run the WEATs of the language."""
    from imprint.association.battery import run_battery
    from imprint.kinds.job import tests_in
    from imprint.stimuli.definition import WeatTest

    plan = job.plan
    tests = [test for test in tests_in(plan.language) if isinstance(test, WeatTest)]
    if not tests:
        raise SettingError("the catalogue has no WEAT in this language", option="language", got=plan.language)
    return run_battery(job.embedding, tests, alpha=plan.alpha, seed=plan.seed, progress=progress).findings()


def blocks(rows: Sequence[WeatRow]) -> Iterator[Block]:
    """Show the tests of one family, or the same tests on two embeddings side by side."""
    if rows[0].other is not None or len({row.embedding_sha256 for row in rows}) > 1:
        yield from _side_by_side(rows)
        return
    if len(rows) == 1:
        yield from _answer(rows[0])
    else:
        yield from _overview(rows)
    corrected = sum(row.p_holm is not None for row in rows)
    family = f"; p corrected over these {corrected} tests" if corrected > 1 else ""
    caption = say("WEAT on {}, {}{}", title(rows[0].embedding), one_sided(rows), family)
    yield Table(caption, _COLUMNS, tuple(_cells(row) for row in rows))
    yield Prose(
        "d is the difference of means in standard deviations of all scores; it is not Cohen's d. Not significant does "
        "not mean absent: the smallest detectable difference is what such a test finds four times in five.",
        "note",
        ("page", "terminal"),
    )
    yield from missing_notes(rows)
    yield from _overlaps(rows)
    yield _scores(rows)


def _overview(rows: Sequence[WeatRow]) -> Iterator[Block]:
    """Explain the tests, and draw one line per test."""
    yield Prose(
        "Each test takes two sets of words, such as flowers and insects, and two sets to compare them with, such as "
        "pleasant and unpleasant words. It asks whether the first set lies closer to the first, and the second to "
        "the second. Psychologists ask people the same in the Implicit Association Test."
    )
    yield forest_chart(
        "weat-forest",
        "How strong each association is",
        rows,
        lambda row: (row.stability_low, row.stability_high),
        label=lambda row: row.title,
        axis="effect size d",
        band="95 % interval if other words had been chosen",
    )
    yield Prose(
        "A bar in the chart that crosses zero means that the result depends on these words. The interval of a mean "
        "difference belongs to one test and is not corrected.",
        "note",
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
    if row.verdict is not None:
        yield Prose(say("At alpha = {}: {}.", number(row.alpha), verdict_cell(row)))
    found = say("Found in lower case only: {}.", words(row.lowered)) if row.lowered else None
    made = say("Built from subwords: {}.", words(row.from_subwords)) if row.from_subwords else None
    yield from (Prose(text, "note") for text in (found, made) if text is not None)
    yield _words_chart(row)


def _words_chart(row: WeatRow) -> Chart:
    """Draw every word at its score."""

    def draw(shown: "Words") -> dict[str, object]:
        from imprint.render.charts.dots import dots
        from imprint.render.charts.points import Point

        sides = [shown.text(f"{role.upper()}: {row.set_name(role)}") for role in "xy"]
        points = [
            Point(shown.plain(one.word), one.value, group=sides[place >= row.n_x])
            for place, one in enumerate(row.scores)
            if one.value is not None
        ]
        return dots(points, x_title="score: towards B on the left, towards A on the right")

    alt = say("A dot for each of {} words at its score, the highest first.", f"{len(row.scores)}")
    return Chart(f"words-{row.test}", "Every word's score", alt, draw, _scores([row]))


def sentences(rows: Sequence[WeatRow]) -> Iterator[Text]:
    """Say how many tests about people found something, and the largest effect."""
    if rows[0].other is not None:
        yield from _counts(rows)
        return
    if rows[0].part not in (None, ASSOCIATIONS.name):
        return
    people = [row for row in rows if row.about_people]
    if not people:
        yield "No test about people could be run."
        return
    found = [row for row in people if row.verdict == "significant"]
    asked, shown = (Counter(" and ".join(row.topics) for row in some) for some in (people, found))
    topics = join(f"{topic} {shown[topic]} of {asked[topic]}" for topic in asked)
    tests = "test about people is" if len(people) == 1 else "tests about people are"
    yield say("{} of {} {} statistically significant ({}).", f"{len(found)}", f"{len(people)}", tests, topics)
    if found:
        # p-values of sets of different sizes do not rank tests.
        yield _strongest(max(found, key=lambda row: (row.effect_size or 0.0, row.test)))
    verdicts = Counter(row.verdict for row in people)
    if unseen := verdicts["not significant"] + verdicts["cannot reach"]:
        few = f"{verdicts['cannot reach']}"
        yield say("Not significant after correction: {}, {} of them with too few words to tell.", f"{unseen}", few)


def _strongest(row: WeatRow) -> Text:
    sparse = [
        say("; {} of {} words of {} were found", count(kept), count(asked), title(name))
        for name, kept, asked in row.sparse()
    ]
    return say(
        "The largest effect: {} with {}, {} with {} (d = {}, p {} after correction{}).",
        *(title(row.set_name(role)) for role in "xayb"),
        number(row.effect_size),
        equals(probability(row.p_holm, row.p_method)),
        join(sparse, ""),
    )


def _cells(row: WeatRow) -> tuple[Cell | Text, ...]:
    band = Cell(interval(row.stability_low, row.stability_high), order=row.stability_low)
    people = say("d = {}, {}", number(row.human.effect), row.human.source) if row.human else NOTHING
    return (
        name_cell(row),
        number(row.effect_size),
        difference_cell(row),
        p_cell(row),
        counts_cell(row),
        corrected_cell(row),
        verdict_cell(row),
        missing_cell(row),
        published_cell(row),
        ", ".join(row.topics),
        band,
        people,
    )


def _side_by_side(rows: Sequence[WeatRow]) -> Iterator[Block]:
    compared = rows[0].other is not None
    columns = _COMPARED if compared else _PAIRED
    order = [row.test for row in rows]
    paired = sorted(rows, key=lambda row: order.index(row.test))
    lines = tuple(_paired_cells(row)[: len(columns)] for row in paired)
    yield Table(say("Every test on both embeddings, {}", one_sided(rows)), columns, lines, filtered=True)
    if compared:
        yield Prose(
            "Both embeddings are tested on the words that both have. Holm's correction is over the tests of each.",
            "note",
            ("page", "terminal"),
        )
        yield from missing_notes(list({row.test: row for row in rows}.values()))
    yield Prose("An effect below zero is a reversed association, not a removed one.", "note", ("page", "terminal"))


def _paired_cells(row: WeatRow) -> tuple[Cell | Text, ...]:
    return (
        name_cell(row),
        title(row.embedding),
        number(row.effect_size),
        p_cell(row),
        corrected_cell(row),
        row.evidence or NOTHING,
        Cell(count(len(row.left_out)), hint=words(row.left_out)),
    )


def _counts(rows: Sequence[WeatRow]) -> Iterator[Text]:
    """Count what was found in each embedding; by their hashes, since two versions of a file may have one name."""
    people = [row for row in rows if row.about_people]
    names = {row.embedding_sha256: row.embedding for row in people}
    asked = Counter(row.embedding_sha256 for row in people)
    found = Counter(row.embedding_sha256 for row in people if row.found)
    shown = [say("{} of {} in {}", f"{found[one]}", f"{asked[one]}", title(name)) for one, name in names.items()]
    if shown:
        yield say("Side by side, tests about people with at least limited evidence: {}.", join(shown))


def _overlaps(rows: Iterable[WeatRow]) -> Iterator[Block]:
    for row in rows:
        sets = {one.role: set(one.words) for one in row.sets}
        both = {word for role in "xy" for word in sets.get(role, ())} & {
            w for role in "ab" for w in sets.get(role, ())
        }
        if both:
            text = say("{} has words that are targets and attributes: {}", title(row.test), words(sorted(both)))
            yield Prose(text, "warning", ("terminal",))


def _scores(rows: Iterable[WeatRow]) -> Table:
    lines = tuple(
        (title(row.title), title(row.set_name("x" if place < row.n_x else "y")), *_score(one.word, one.value))
        for row in rows
        for place, one in enumerate(row.scores)
    )
    score = Column("Score", "Mean cosine with the first attribute set less that with the second.", True)
    columns = (TEST, Column("Set"), Column("Word"), score)
    return Table("Every word's score", columns, lines, filtered=True, folded=True)


def _score(word: str, value: float | None) -> tuple[Text, Text]:
    return words([word]), number(value, 3)


WEAT = Kind(
    "weat",
    row=WeatRow,
    part=ASSOCIATIONS,
    blocks=blocks,
    sentences=sentences,
    run=run,
    measure=weat,
    seconds=4.0,
    aliases={"p": "p_value", "d": "effect_size"},
    card=True,
)
