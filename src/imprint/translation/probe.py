"""Gender-neutral sentences through a translator: which pronoun comes out, and what predicts it.

Caliskan, Bryson and Narayanan (2016) show the effect with two Turkish sentences. Here it is counted over 50 words per
language. A word is the unit: each has one sentence.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import msgspec
import numpy as np

from imprint.announcing import announce
from imprint.association.rows import OUTCOME, REASON
from imprint.directions.axis import pair_axis
from imprint.directions.projection import project
from imprint.files import FilePath
from imprint.rows import Row, Rows, shown
from imprint.significance.crossed import FEWEST_UNITS
from imprint.significance.outcomes import CONFIDENCE, Reason, SizeOutcome, outcome
from imprint.significance.ranks import area
from imprint.stimuli.neutral import (
    NeutralLanguage,
    NeutralSentence,
    TargetLanguage,
    neutral_sentences,
    target_language,
)
from imprint.subjects.opening import EmbeddingLike, load
from imprint.translation.translators import Function, find_translator
from imprint.types import Progress

Pronoun = Literal["he", "she", "neither", "untranslated"]
Predictor = Literal["association", "women"]

_WORD = re.compile(r"[^\W_]+")


class TranslatedSentence(msgspec.Struct, frozen=True):
    """A sentence and what came out."""

    word: Annotated[str, shown("Word", "The occupation, in English.", shape="word")]
    sentence: Annotated[str, shown("Sentence", "The sentence that was translated.")]
    translation: Annotated[str, shown("Translation", "What the translator made of it.")]
    pronoun: Annotated[Pronoun, shown("Came out", "The pronoun of the translation.")]
    association: Annotated[
        float | None,
        shown("She - he", "The word's place on she - he; above zero is nearer to she."),
    ]
    women: Annotated[
        float | None,
        shown("Women", "Percentage of women in the occupation, in the United States.", digits=0),
    ]


class Prediction(msgspec.Struct, frozen=True):
    """How well a number of a word predicts she rather than he."""

    predictor: Annotated[Predictor, shown("Predictor", "The number: the association, or the percentage of women.")]
    n_he: Annotated[int, shown("He", "Words with the number that came out with he.")]
    n_she: Annotated[int, shown("She", "Words with the number that came out with she.")]
    outcome: Annotated[SizeOutcome, OUTCOME]
    reason: Annotated[Reason | None, REASON] = None
    auc: Annotated[
        float | None,
        shown(
            "AUC",
            "Chance that a word that came out with she has the higher number than one with he, with its 99.5 % "
            "interval over words; 0.5 means no prediction.",
        ),
    ] = None
    auc_low: Annotated[float | None, shown("AUC, low", "Low end of the interval.")] = None
    auc_high: Annotated[float | None, shown("AUC, high", "High end of the interval.")] = None
    p_value: Annotated[float | None, shown("p", "Exact and two-sided: he and she change places between words.")] = None
    explained: Annotated[
        float | None,
        shown("Explained", "Share of the variance of ranks between he and she.", shape="percent"),
    ] = None


Predictions = tuple[Prediction, Prediction]  # by association, and by the percentage of women


class TranslationRow(Row, frozen=True, kw_only=True, tag="translation"):
    """One language through a translator, which `embedding` names."""

    statistic: Annotated[float | None, shown("AUC", "The area under the curve of the association.")] = None
    p_value: Annotated[float | None, shown("p", "Two-sided p of the association.")] = None
    language: Annotated[str, shown("Language", "Language of the sentences (ISO 639).")]
    title: Annotated[str, shown("From", "The language that was translated.")]
    target: Annotated[str, shown("To", "The language that was translated into.")] = "English"
    predicted_by: Annotated[str, shown("Predicted by", "The embedding that associations are of.")]
    n_sentences: Annotated[int, shown("Sentences", "Sentences that were translated.")]
    n_he: Annotated[int, shown("He", "Sentences that came out with a pronoun for a man: he, him or his.")]
    n_she: Annotated[int, shown("She", "Sentences that came out with a pronoun for a woman: she or her.")]
    n_neither: Annotated[int, shown("Neither", "Sentences without either, or with both.")]
    n_untranslated: Annotated[
        int,
        shown("Untranslated", "Sentences whose word stays in its own language, whatever the pronoun."),
    ]
    share_she: Annotated[
        float | None,
        shown("Share of she", "Of the sentences that came out with he or she.", shape="percent"),
    ]
    predictions: Annotated[Predictions, shown("Predictions", "By association, and by the percentage of women.")]
    translations: Annotated[tuple[TranslatedSentence, ...], shown("Translations", "Every sentence.")]


def translate_probe(
    translator: str | Function,
    languages: Sequence[str] = (),
    *,
    target: str = "en",
    embedding: EmbeddingLike = "default",
    sentences: FilePath | None = None,
    batch: int | None = None,
    timeout: float | None = None,
    progress: Progress | None = None,
) -> Rows[TranslationRow]:
    """Translate sentences that leave the gender open, and count the pronouns that come out.

    Parameters
    ----------
    translator
        "command:PROGRAM ARGUMENTS", which reads and writes lines and runs without a shell; {source} and {target} there
        are the codes of the languages. Or the URL of a service such as LibreTranslate, or a function of sentences and
        the code of their language.
    languages
        Codes of languages: tr, eu, hu, fi, et, id, fa, sw. By default all of the file.
    target
        Code of the language to translate into, whose pronouns are counted: en, de or fr.
    embedding
        Whose association of words with she and he is the predictor.
    sentences
        A TOML file of your own sentences instead of the bundled ones.
    batch
        Sentences at once; by default 25 for a service and all for a command.
    timeout
        Seconds for each batch; by default 60 for a service and 600 for a command.
    progress
        Called with sentences done and their total.

    Returns
    -------
    Rows
        One row per language, with counts, predictions and every translation.

    Examples
    --------
    >>> def always_he(sentences, language):
    ...     return ["He is one." for sentence in sentences]
    >>> imprint.translate_probe(always_he, ["tr"])["translate-tr"].n_he
    50
    """
    chosen, into = neutral_sentences(tuple(languages), sentences), target_language(target, sentences)
    engine = find_translator(translator, target, batch=batch, timeout=timeout)
    opened = load(embedding)
    words = list(dict.fromkeys(sentence.word for language in chosen for sentence in language.sentences))
    near = project(opened, pair_axis(opened, [("she", "he")]), words).to_mapping()
    total, done, translated = sum(len(language.sentences) for language in chosen), 0, []
    announce(engine.name, total, "sentences")
    for language in chosen:
        lines = []
        for line in engine.translate([sentence.text for sentence in language.sentences], language.code):
            lines.append(line)
            done += 1
            if progress is not None:
                progress(done, total)
        translated.append(_translated(language, lines, near, into))
    rows = []
    for language, said in zip(chosen, translated, strict=True):
        predicted = _predict("association", said), _predict("women", said)
        counts = {name: sum(row.pronoun == name for row in said) for name in ("he", "she", "neither", "untranslated")}
        gendered = counts["he"] + counts["she"]
        rows.append(
            TranslationRow(
                test=f"translate-{language.code}" if target == "en" else f"translate-{language.code}-{target}",
                embedding=engine.name,
                embedding_sha256=engine.identity,
                statistic=predicted[0].auc,
                p_value=predicted[0].p_value,
                missing=tuple(row.word for row in said if row.association is None),
                language=language.code,
                title=language.name,
                target=into.name,
                predicted_by=opened.name,
                n_sentences=len(said),
                n_he=counts["he"],
                n_she=counts["she"],
                n_neither=counts["neither"],
                n_untranslated=counts["untranslated"],
                share_she=counts["she"] / gendered if gendered else None,
                predictions=predicted,
                translations=said,
            )
        )
    return Rows(rows)


def pronoun_of(translation: str, sentence: NeutralSentence, target: TargetLanguage) -> Pronoun:
    """Return which pronoun came out; both are neither. A word left as it was is not translated, with any pronoun."""
    came = _tokens(translation)
    shared = target.same | ({*_tokens(sentence.word)} if target.code == "en" else set())
    left = ({*_tokens(sentence.form)} - shared) & {*came}
    if not came or came == _tokens(sentence.text) or left:
        return "untranslated"
    he = not target.he.isdisjoint(came)
    she = not target.she.isdisjoint(came) and target.plural.isdisjoint(came)
    if he == she:
        return "neither"
    return "he" if he else "she"


def _tokens(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _translated(
    language: NeutralLanguage, lines: Sequence[str], near: Mapping[str, float], target: TargetLanguage
) -> tuple[TranslatedSentence, ...]:
    return tuple(
        TranslatedSentence(item.word, item.text, line, pronoun_of(line, item, target), near.get(item.word), item.women)
        for item, line in zip(language.sentences, lines, strict=True)
    )


def _predict(name: Predictor, translated: Sequence[TranslatedSentence]) -> Prediction:
    sides = {
        pronoun: [value for row in translated if row.pronoun == pronoun and (value := getattr(row, name)) is not None]
        for pronoun in ("she", "he")
    }
    n_he, n_she = len(sides["he"]), len(sides["she"])
    if min(n_he, n_she) < FEWEST_UNITS:
        return Prediction(name, n_he, n_she, "cannot tell", "few words")
    auc = area(np.array(sides["she"]), np.array(sides["he"]), confidence=CONFIDENCE)
    return Prediction(
        name,
        n_he,
        n_she,
        outcome(auc.low - 0.5, auc.high - 0.5, margin=None).outcome,
        auc=auc.value,
        auc_low=auc.low,
        auc_high=auc.high,
        p_value=auc.p_value,
        explained=auc.explained,
    )
