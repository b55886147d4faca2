"""Translations as a kind: the pronoun that comes out of sentences which leave the gender open."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from imprint.kinds import Kind, Part
from imprint.translation.probe import FEWEST, Prediction, TranslatedSentence, TranslationRow
from imprint.view import (
    NOTHING,
    Block,
    Cell,
    Chart,
    Column,
    Details,
    Given,
    Prose,
    Table,
    Text,
    count,
    estimate,
    first_claim,
    join,
    number,
    percent,
    probability,
    say,
    title,
    words,
)

if TYPE_CHECKING:
    from imprint.masking import Words

TRANSLATIONS = Part("translation", "Pronouns chosen in translation", 46, controlled=False, asks=())

_AREA = (
    "Chance that a word that came out with she has the higher number than one with he, with its 95 % interval; "
    "0.5 means no prediction."
)
_COLUMNS = (
    Column("From"),
    Column("He", "Sentences that came out with he, him or his.", True),
    Column("She", "Sentences that came out with she or her.", True),
    Column("Neither", "Sentences without either, or with both.", True),
    Column("Untranslated", "Sentences whose word stays in its own language, whatever the pronoun.", True),
    Column("AUC, association", f"By the word's place on she - he in the embedding. {_AREA}", True),
    Column("AUC, women", f"By the percentage of women in the occupation. {_AREA}", True, folded=True),
)
_EXTRA = (
    Column("p, association", "Exact and two-sided, corrected over the predictions of the run.", True, folded=True),
    Column("p, women", "The same for the percentage of women.", True, folded=True),
    Column("Explained, association", "Share of the variance of ranks between he and she.", True, extra=True),
    Column("Explained, women", "The same for the percentage of women.", True, extra=True),
)
_PREDICTORS = {"association": "place on she - he in {}", "women": "percentage of women"}
_HOW = {
    "predicts": "predicts the pronoun",
    "predicts the opposite": "predicts the opposite pronoun",
    "none shown": "is not shown to predict the pronoun",
}


def blocks(rows: Sequence[TranslationRow]) -> Iterator[Block]:
    """Show the counts of each language, every word, and every translation."""
    caption = say("Gender-neutral sentences translated to English by {}", title(rows[0].embedding))
    yield Table(caption, (*_COLUMNS, *_EXTRA), tuple(map(_line, rows)))
    yield from (Prose(text, "plain", ("terminal",)) for text in sentences(rows))
    yield Details("How to read this", tuple(_reading(rows)))
    yield from (_chart(row) for row in rows if row.n_he and row.n_she and len(_placed(row)) > 1)
    yield _by_word(rows)
    columns = (Column("From"), Column("Sentence"), Column("Translation"), Column("Came out"))
    lines = tuple(
        (title(row.title), title(one.sentence), title(one.translation), one.pronoun)
        for row in rows
        for one in row.translations
    )
    yield Table("Every translation", columns, lines, filtered=True, folded=True, media=("page",))


def sentences(rows: Sequence[TranslationRow]) -> Iterator[Text]:
    """Say which pronouns come out, whether anything predicts them, and where there are too few to tell."""
    counts = [sum(getattr(row, f"n_{name}") for row in rows) for name in ("sentences", "he", "she", "neither")]
    yield say(
        "Of {} gender-neutral sentences ({}), {} came out with he, {} with she and {} with neither; {} stayed "
        "untranslated ({}).",
        count(counts[0]),
        join(title(row.title) for row in rows),
        *map(count, counts[1:]),
        count(sum(row.n_untranslated for row in rows)),
        title(rows[0].embedding),
    )
    asked = [(row, one) for row in rows for one in row.predictions]
    for row, one in asked:
        if one.verdict != "too few":
            yield say(
                f"{{}}: the {{}} {_HOW[one.verdict]}: AUC {{}}, p = {{}}, {{}} explained.",
                title(row.title),
                _what(row, one),
                estimate(one.auc, one.auc_low, one.auc_high),
                probability(one.p_holm),
                percent(one.explained),
            )
    for predictor in _PREDICTORS:
        few = [(row, one) for row, one in asked if one.predictor == predictor and one.verdict == "too few"]
        if few:
            yield say(
                "Too few words with he or with she to tell whether the {} predicts the pronoun: {} (at least {} of "
                "each are needed).",
                _what(*few[0]),
                join(say("{} {} and {}", title(row.title), count(one.n_he), count(one.n_she)) for row, one in few),
                count(FEWEST),
            )


def _what(row: TranslationRow, one: Prediction) -> Text:
    return say(_PREDICTORS[one.predictor], *([title(row.predicted_by)] if one.predictor == "association" else []))


def _line(row: TranslationRow) -> tuple[Cell | Text, ...]:
    counts = (row.n_he, row.n_she, row.n_neither, row.n_untranslated)
    areas = tuple(
        Cell("too few") if one.auc is None else Cell(estimate(one.auc, one.auc_low, one.auc_high), order=one.auc)
        for one in row.predictions
    )
    ps = tuple(Cell(probability(one.p_holm), order=one.p_holm) for one in row.predictions)
    return (title(row.title), *map(count, counts), *areas, *ps, *(percent(one.explained) for one in row.predictions))


def _reading(rows: Sequence[TranslationRow]) -> Iterator[Block]:
    yield Prose(
        "Each sentence says 'he or she is a doctor' in a language with one pronoun for both. A word is the unit. AUC "
        "is the chance that a word translated with she has a higher number than one translated with he. 0.5 means no "
        "prediction, 1 a perfect one. p is exact, two-sided and corrected over the predictions of the run (Holm).",
        "note",
        ("page",),
    )
    for row in rows:
        if row.missing:
            yield Prose(
                say("{}: words without a vector: {}", title(row.title), words(row.missing)),
                "warning",
                ("page", "terminal"),
            )


def _by_word(rows: Sequence[TranslationRow]) -> Table:
    """Show one line per word, with a column per language."""
    known: dict[str, TranslatedSentence] = {}
    came: dict[tuple[str, str], str] = {}
    for row in rows:
        for one in row.translations:
            known.setdefault(one.word, one)
            came[one.word, row.language] = one.pronoun
    columns = (
        Column("Word"),
        *(Column(title(row.title)) for row in rows),
        Column("She - he", "The word's place on she - he; above zero is nearer to she.", True),
        Column("Women", "Percentage of women in the occupation, in the United States.", True),
    )
    lines = tuple(
        (
            Given(word),
            *(came.get((word, row.language), NOTHING) for row in rows),
            number(one.association),
            number(one.women, 0),
        )
        for word, one in known.items()
    )
    return Table("What came out, by word", columns, lines, filtered=True, media=("page", "terminal"))


def _placed(row: TranslationRow) -> list[tuple[str, float, str]]:
    return [
        (one.word, one.association, one.pronoun)
        for one in row.translations
        if one.association is not None and one.pronoun in ("he", "she")
    ]


def _chart(row: TranslationRow) -> Chart:
    """Draw every word that came out with he or she at its association."""

    def draw(shown: "Words", width: int) -> dict[str, object]:
        from imprint.render.charts.axis import dots
        from imprint.render.charts.points import Point

        drawn = [Point(shown.plain(word), value, group=pronoun) for word, value, pronoun in _placed(row)]
        return dots(drawn, x_title="place on she - he in the embedding", width=width)

    alt = say(
        "A dot for each of {} words at its place on she - he, by the pronoun that came out.", count(len(_placed(row)))
    )
    columns = (Column("Word"), Column("She - he", numeric=True), Column("Came out"))
    lines = tuple((title(word), number(value, 3), pronoun) for word, value, pronoun in _placed(row))
    heading = say("Words and the pronoun that came out, from {}", title(row.title))
    return Chart(f"translation-{row.language}", heading, alt, draw, Table(heading, columns, lines))


TRANSLATION = Kind(
    "translation",
    row=TranslationRow,
    part=TRANSLATIONS,
    blocks=blocks,
    sentences=sentences,
    claims=lambda rows: first_claim(
        sentences(rows), "How it translates other sentences, or sentences whose context tells the gender."
    ),
    opens=1,
    card=True,
)
