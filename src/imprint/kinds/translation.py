"""Translations as a kind: the pronoun that comes out of sentences which leave the gender open."""

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter

from imprint.descriptions import descriptions
from imprint.kinds import Kind, Part
from imprint.kinds.tests import equals
from imprint.masking import Words
from imprint.render.charts.axis import dots
from imprint.render.charts.points import Point
from imprint.significance.crossed import FEWEST_UNITS
from imprint.tables import Columns, Field, draw_field, table
from imprint.translation.probe import Prediction, Predictor, TranslatedSentence, TranslationRow
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
    estimate,
    join,
    percent,
    probability,
    say,
    title,
    words,
)

TRANSLATIONS = Part("translation", "Pronouns chosen in translation", 46, controlled=False, asks=())

_BY: dict[Predictor, str] = {
    "association": "By the word's place on she - he in the embedding.",
    "women": "By the percentage of women in the occupation.",
}
_PREDICTORS = {"association": "place on she - he in {}", "women": "percentage of women"}


def blocks(rows: Sequence[TranslationRow]) -> Iterator[Block]:
    """Show the counts of each language, every word, and every translation."""
    caption = say("Gender-neutral sentences translated to {} by {}", _targets(rows), title(rows[0].embedding))
    columns = ("title", "n_he", "n_she", "n_neither", "n_untranslated", _prediction("association", "auc"))
    more = tuple(_prediction(predictor, name) for name in ("auc", "p_value") for predictor in _BY)[1:]
    extra: Columns = ("target", *(_prediction(predictor, "explained") for predictor in _BY))
    yield table(TranslationRow, caption, rows, columns, more=more, extra=extra)
    yield from (Prose(text, "plain", ("terminal",)) for text in sentences(rows))
    yield Details("How to read this", tuple(_reading(rows)))
    yield from (_chart(row) for row in rows if row.n_he and row.n_she and len(_placed(row)) > 1)
    yield _by_word(rows)
    lines = [(row, sentence) for row in rows for sentence in row.translations]
    source = Field(title="From", cell=lambda line: title(line[0].title))
    yield table(
        TranslatedSentence,
        "Every translation",
        lines,
        (source, "sentence", "translation", "pronoun"),
        of=itemgetter(1),
        filtered=True,
        folded=True,
        media=("page",),
    )


def _targets(rows: Sequence[TranslationRow]) -> Text:
    return join([title(name) for name in dict.fromkeys(row.target for row in rows)], " and ")


def sentences(rows: Sequence[TranslationRow]) -> Iterator[Text]:
    """Say which pronouns come out, whether anything predicts them, and where there are too few to tell."""
    counts = [sum(getattr(row, f"n_{name}") for row in rows) for name in ("sentences", "he", "she", "neither")]
    yield say(
        "Of {} gender-neutral sentences ({}) translated to {}, {} came out with he, {} with she and {} with neither; "
        "{} stayed untranslated ({}).",
        count(counts[0]),
        join(title(row.title) for row in rows),
        _targets(rows),
        *map(count, counts[1:]),
        count(sum(row.n_untranslated for row in rows)),
        title(rows[0].embedding),
    )
    asked = [(row, one) for row in rows for one in row.predictions]
    for row, one in asked:
        if one.auc is not None:
            how = "is not shown to predict the pronoun"
            if one.outcome == "present":
                how = "predicts the pronoun" if one.auc > 0.5 else "predicts the opposite pronoun"
            yield say(
                f"{{}}: the {{}} {how}: AUC {{}}, p {{}}, {{}} explained.",
                title(row.title),
                _what(row, one),
                estimate(one.auc, one.auc_low, one.auc_high),
                equals(probability(one.p_value)),
                percent(one.explained),
            )
    for predictor in _PREDICTORS:
        few = [(row, one) for row, one in asked if one.predictor == predictor and one.auc is None]
        if few:
            yield say(
                "Too few words with he or with she to tell whether the {} predicts the pronoun: {} (at least {} of "
                "each are needed).",
                _what(*few[0]),
                join(say("{} {} and {}", title(row.title), count(one.n_he), count(one.n_she)) for row, one in few),
                count(FEWEST_UNITS),
            )


def _what(row: TranslationRow, one: Prediction) -> Text:
    return say(_PREDICTORS[one.predictor], *([title(row.predicted_by)] if one.predictor == "association" else []))


def _prediction(predictor: Predictor, name: str) -> Field:
    """Return the column of a field of one of the predictions."""
    described, index = descriptions(Prediction)[name], list(_BY).index(predictor)

    def cell(row: TranslationRow) -> Cell | Text:
        prediction = row.predictions[index]
        return "too few" if name == "auc" and prediction.auc is None else draw_field(prediction, name)

    meaning = f"{_BY[predictor]} {described.meaning}"
    return Field(title=f"{described.title}, {predictor}", meaning=meaning, cell=cell, numeric=True)


def _reading(rows: Sequence[TranslationRow]) -> Iterator[Block]:
    yield Prose(
        "Each sentence says 'he or she is a doctor' in a language with one pronoun for both. A word is the unit. AUC "
        "is the chance that a word translated with she has a higher number than one translated with he. 0.5 means no "
        "prediction, 1 a perfect one. Intervals are 99.5 %, over words. p is exact and two-sided.",
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
    words_of: dict[str, TranslatedSentence] = {}
    pronouns: dict[tuple[str, str], str] = {}
    for row in rows:
        for sentence in row.translations:
            words_of.setdefault(sentence.word, sentence)
            pronouns[sentence.word, row.language] = sentence.pronoun

    def came_out(language: str) -> Callable[[TranslatedSentence], Text]:
        return lambda sentence: pronouns.get((sentence.word, language), NOTHING)

    languages = (Field(title=title(row.title), cell=came_out(row.language)) for row in rows)
    columns: Columns = ("word", *languages, "association", "women")
    heading = "What came out, by word"
    return table(TranslatedSentence, heading, words_of.values(), columns, filtered=True, media=("page", "terminal"))


def _placed(row: TranslationRow) -> list[TranslatedSentence]:
    return [
        sentence
        for sentence in row.translations
        if sentence.association is not None and sentence.pronoun in ("he", "she")
    ]


def _chart(row: TranslationRow) -> Chart:
    """Draw every word that came out with he or she at its association."""

    def draw(shown: Words, width: int) -> dict[str, object]:
        drawn = [
            Point(shown.plain(sentence.word), sentence.association or 0.0, group=sentence.pronoun)
            for sentence in _placed(row)
        ]
        return dots(drawn, x_title="place on she - he in the embedding", width=width)

    alt = say(
        "A dot for each of {} words at its place on she - he, by the pronoun that came out.", count(len(_placed(row)))
    )
    heading = say("Words and the pronoun that came out, from {}", title(row.title))
    listed = table(TranslatedSentence, heading, _placed(row), ("word", "association", "pronoun"))
    return Chart(f"translation-{row.language}", heading, alt, draw, listed)


TRANSLATION = Kind(
    row=TranslationRow,
    part=TRANSLATIONS,
    blocks=blocks,
    sentences=sentences,
    cannot="How it translates other sentences, or sentences whose context tells the gender.",
    opens=1,
    card=True,
)
