"""The Sentence Encoder Association Test: WEAT's question, asked of sentences.

May et al. (2019), section 2. The paper permutes sentences; one word in fourteen templates is not fourteen
independent observations, so here words are permuted unless sentences are asked for. A size needs all words in the
same sentences, its frames: elsewhere, what sentences say besides their words would be part of it.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, get_args

import numpy as np

from imprint.association.ceat import combined_fields
from imprint.association.cosines import Effect, cosines
from imprint.association.rows import Measured, SeatRow, Unit, WordContexts, association_fields, fields_of_words
from imprint.association.sensitivity import sensitivity
from imprint.association.sentences import FramedSides, SentenceTable, table_of
from imprint.association.settings import CORPUS, SentenceSettings
from imprint.association.sizes import beside_things, measure_size, test_of_things
from imprint.association.vectors import FEWEST_WORDS
from imprint.association.weat import AskedWeat, asked_test
from imprint.checks import Alternative, Context, check_choice
from imprint.clusters import Workers
from imprint.embeddings.background import Background
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingStore
from imprint.encoders.wrapping import gives_tokens, words_in_context
from imprint.errors import SettingError, StimulusError
from imprint.rows import Label, TemplateValue
from imprint.settings import option, settable
from imprint.significance.outcomes import too_few
from imprint.significance.partitions import countable, permutation_test
from imprint.significance.shares import ShareOfDistance
from imprint.stimuli.definition import UNDETERMINED, Published, WeatTest, quote, word_sets, words_of
from imprint.stimuli.templates import Sentence, Side, Templates, sentences
from imprint.subjects.background import FramedWords
from imprint.subjects.contexts import Contexts, WordsInContext, sample_contexts
from imprint.subjects.encodings import Encodings, encode_texts
from imprint.subjects.opening import EncoderLike, open_encoder
from imprint.subjects.settings import FEWEST_CONTEXTS
from imprint.types import Floats, Floats32, Progress, Report

# How the models of the paper's table 3 are recognised: by the whole name of the model and how it was pooled.
_OF_THE_PAPER = (
    ("CBoW (GloVe 840B)", re.compile(r"glove\.840b\.300d(\.stimuli)?", re.IGNORECASE), "mean"),
    ("GPT", re.compile(r"openai-gpt"), "last"),
    ("BERT", re.compile(r"bert-large-cased"), "cls"),
)
SIZED: tuple[Context, ...] = ("framed", CORPUS)
_FEW_NAMED = 8  # words without enough sentences
_WIDTH = 0.1  # of the bounds on a p-value of hundreds of sentences, as a share of it: seconds instead of minutes


@dataclass(frozen=True, kw_only=True)
class SeatPlan(AskedWeat, SentenceSettings):
    """All that one test of sentences is given."""

    unit: Annotated[
        Unit, option('What is permuted: "word" or "sentence". Sentences of one word are not independent.')
    ] = "word"
    cache: Annotated[EncodingStore | None, option("Where encodings are kept between runs.")] = None
    progress: Annotated[Progress | None, option("Called with the texts encoded and the total number of texts.")] = None


@settable(SeatPlan)
def seat(encoder: EncoderLike, plan: SeatPlan) -> SeatRow:
    """Run a SEAT: a WEAT on a sentence encoder.

    Parameters
    ----------
    encoder
        A model, an embedding or a function, as `open_encoder` accepts it.

    Returns
    -------
    SeatRow
        The size with its interval and outcome where words are framed, the effect, its p-value, and what the effect
        depends on.

    Examples
    --------
    >>> imprint.seat("cbow", "caliskan-6", context="bleached")
    SeatRow('caliskan-6' on glove.6B.100d: d = 1.68, p = 7.77e-05 (exact), 0 missing)
    """
    check_choice("unit", plan.unit, get_args(Unit))
    test = asked_test("seat", plan.test, plan.targets, plan.attributes)
    text = sample_text(plan, [test])
    context = plan.context or ("framed" if text is None else CORPUS)
    if context in SIZED and plan.unit != "word":
        raise SettingError(option="unit", got=plan.unit, expected=f"word in {context} sentences", where=test.id)
    opened = open_encoder(encoder)
    question = in_sentences(test, context, plan.patterns, text)
    framed = FramedWords() if question.ranked else None
    if text is not None:
        opened, framed = words_in_context(opened), WordsInContext(text) if question.ranked else None
    about = AskedEncoder.of(
        opened,
        [question],
        framed,
        units=(plan.unit,),
        alternative=plan.alternative,
        seed=plan.seed,
        draws=plan.draws,
        cache=plan.cache,
        progress=plan.progress,
    )
    return measure(question, about)[plan.unit].row


@dataclass(frozen=True, repr=False)
class SentenceTest:
    """A test put into sentences."""

    test: WeatTest
    context: Context
    sides: Mapping[str, Side] = field(hash=False)
    beside: "SentenceTest | None" = None  # of things, where grammatical gender is checked
    text: str = ""  # that the sentences are from
    contexts: tuple[WordContexts, ...] = ()

    @property
    def asked(self) -> list[str]:
        """Every text to encode."""
        return self.texts + self.frames + (self.beside.texts if self.beside else [])

    @property
    def texts(self) -> list[str]:
        """Every sentence of the test."""
        return [sentence.text for side in self.sides.values() for sentence in side]

    @property
    def frames(self) -> list[str]:
        """Every sentence without its word; empty if all target words have the same sentences."""
        templates: dict[str, set[str]] = {}
        for sentence in (*self.sides["x"], *self.sides["y"]):
            templates.setdefault(sentence.word, set()).add(sentence.template)
        if len({frozenset(used) for used in templates.values()}) == 1:
            return []
        return [sentence.frame for side in self.sides.values() for sentence in side]

    @property
    def ranked(self) -> bool:
        """Whether its size is compared with other words of known frequency: those are English, in the frames.

        A test of no stated language is put into English frames; what its words' ranks are shows whether it is English.
        """
        return self.is_sized and self.test.language in ("en", UNDETERMINED)

    @property
    def is_sized(self) -> bool:
        """Whether it has a size: in the same sentences, or in a text's, words differ in nothing else."""
        return self.context in SIZED

    @property
    def forms(self) -> list[str]:
        """Every form of a word asked about, once: singulars and plurals."""
        sides = [*self.sides.values(), *(self.beside.sides.values() if self.beside else ())]
        return list(dict.fromkeys(sentence.form for side in sides for sentence in side))


def in_sentences(
    test: WeatTest, context: Context, templates: Templates | None = None, text: Contexts | None = None
) -> SentenceTest:
    """Put a test into sentences, of a text where they are sampled."""
    if text is not None:
        return _in_text(test, text)
    of_things = test_of_things(test) if context == "framed" else None
    beside = None if of_things is None else SentenceTest(of_things, context, sentences(of_things, context))
    return SentenceTest(test, context, sentences(test, context, templates), beside)


def _in_text(test: WeatTest, text: Contexts) -> SentenceTest:
    if test_of_things(test) is not None:
        problem = "is about gender in a language with grammatical gender, which is not checked in sentences of a text"
        raise StimulusError(problem, where=f"test {test.id!r}", hint="leave it out, or ask it in frames")
    sampled = text.of(sorted(words_of([test])))
    sides = {
        key: tuple(Sentence(word, "", marked) for word in words.words for marked in sampled[word])
        for key, words in word_sets(test).items()
    }
    for words in word_sets(test).values():
        gone = [word for word in words.words if len(sampled[word]) < FEWEST_CONTEXTS]
        if len(words) - len(gone) < FEWEST_WORDS:
            listed = len(words)
            needed = sum(too_few([count], [count], [listed]) for count in range(listed + 1))
            raise StimulusError(
                f"{text.name} has {FEWEST_CONTEXTS} sentences each for {listed - len(gone)} of these {listed} words "
                f"(not for {quote(gone, _FEW_NAMED)})",
                expected=f"at least {needed}",
                where=words.name,
                hint="give more text",
            )
    counted = tuple(WordContexts(word, text.found.get(word, 0), len(each)) for word, each in sampled.items())
    return SentenceTest(test, CORPUS, sides, text=text.name, contexts=counted)


def sample_text(
    settings: SentenceSettings, tests: Sequence[WeatTest], workers: Workers | None = None, report: Report | None = None
) -> Contexts | None:
    """Sample the sentences of tests, and of the words they are compared with; None where no text is given."""
    if not settings.contexts:
        return None
    words = {*words_of(tests), *FramedWords().common.words}
    about = {"fields": settings, "seed": settings.seed, "workers": workers, "report": report}
    return sample_contexts(settings.sources, words, settings.per_word, **about)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class AskedEncoder:
    """All that tests of one encoder share; unlike the encoder itself, it can be sent to another process.

    `lacking` are forms without a vector, and `background` has other words in the same frames.
    """

    name: str
    identity: str
    settings: Mapping[str, Any]
    encodings: Encodings
    lacking: tuple[str, ...]
    background: Background | None
    gives_tokens: bool
    units: Sequence[Unit] = get_args(Unit)
    alternative: Alternative = "greater"
    seed: int = 0
    draws: int = 0

    @classmethod
    def of(
        cls,
        encoder: Encoder,
        questions: Sequence[SentenceTest],
        framed: FramedWords | None = None,
        *,
        cache: EncodingStore | None = None,
        progress: Progress | None = None,
        **how: Any,
    ) -> "AskedEncoder":
        """Encode the sentences of tests, and the bundled words in frames where these are given.

        `how` they are asked is given by the names of the fields.
        """
        texts = [text for question in questions for text in question.asked]
        encodings = encode_texts(encoder, texts, framed.texts() if framed else [], cache=cache, progress=progress)
        forms = dict.fromkeys(form for question in questions for form in question.forms)
        return cls(
            encoder.name,
            encoder.identity,
            encoder.settings,
            encodings,
            tuple(encoder.lacks(forms)),
            framed.background(encodings, encoder.lacks(framed.common.words)) if framed else None,
            gives_tokens(encoder),
            **how,
        )

    def sides(self, question: SentenceTest) -> FramedSides:
        """Return the words of a test in frames, or in sentences of a text."""
        fewest = FEWEST_CONTEXTS if question.context == CORPUS else None
        about = (question.test, question.sides, self.encodings, self.lacking, self.name)
        return FramedSides.of(*about, ranked=question.ranked, fewest=fewest)


def measure(question: SentenceTest, about: AskedEncoder) -> dict[Unit, Measured[SeatRow]]:
    """Measure a test whose texts are encoded, in one unit or in both.

    Asked for both, it gives words alone where they are framed, and where there are too many sentences to count their
    partitions.
    """
    if question.is_sized:
        return {"word": _measure_sized(question, about)}
    encodings, alternative = about.encodings, about.alternative
    table = table_of(question.test, question.sides, encodings.rows, encoder=about.name, lacking=about.lacking)
    centred = _centred_effect(table, encodings)
    frames = _frames(table, encodings, alternative) if question.frames else {}
    measured: dict[Unit, Measured[SeatRow]] = {}
    for unit in about.units:
        if measured and not countable(len(table.x + table.y), len(table.x)):
            # Far more sentences than can be counted; their words were.
            continue
        names, values, n_x = table.scores(unit)
        x, y = values[:n_x], values[n_x:]
        width = None if unit == "word" or table.one_each else _WIDTH
        significance = permutation_test(x, y, alternative=alternative, width=width)
        effect = Effect.of(x, y)
        scores = dict(zip(names, values.tolist(), strict=True)) if unit == "word" else {}
        parts = _parts(table, effect, centred, frames) if unit == "word" else {}
        row = SeatRow(
            **association_fields(question.test, effect, significance, {}, scores)
            | _asked(question, about, unit)
            | parts,
            n_x=len(x),
            n_y=len(y),
            n_a=_count(table.a, unit),
            n_b=_count(table.b, unit),
            texts=len({sentence.text for side in (table.x, table.y, table.a, table.b) for sentence in side}),
            missing=table.missing,
            left_out=table.left_out,
        )
        measured[unit] = Measured(row, None)
    return measured


def _measure_sized(question: SentenceTest, about: AskedEncoder) -> Measured[SeatRow]:
    """Measure words in frames, or in sentences of a text: a word's vector is the mean of its unit vectors in these."""
    framed = about.sides(question)
    words = framed.words
    scores = words.targets @ words.share.v
    significance = None
    if not question.test.is_question:
        significance = permutation_test(*np.split(scores, [words.n_x]), alternative=about.alternative)
    nouns = question.beside
    grammar = None if nouns is None else beside_things(words, lambda: about.sides(nouns).words)
    background = about.background if question.ranked else None
    size = measure_size(question.test, words, background, grammar, seed=about.seed)
    by_sentence = _in_sentences_of_text if question.context == CORPUS else _by_frame
    row = SeatRow(
        **fields_of_words(question.test, words, scores, significance, size) | _asked(question, about, "word"),
        **by_sentence(question, about, framed),
        texts=len({*question.texts}),
        missing=framed.missing,
    )
    return Measured(row, words)


def _by_frame(question: SentenceTest, about: AskedEncoder, framed: FramedSides) -> dict[str, Any]:
    """Return the size in each frame alone."""
    targets, attributes = np.array(framed.targets), np.array(framed.attributes)
    n_x, n_a = framed.words.n_x, framed.words.n_a
    values = [
        TemplateValue(sentence.template, ShareOfDistance.of(targets[:, frame], attributes[:, frame], n_x, n_a).value)
        for frame, sentence in enumerate(question.sides["x"][: targets.shape[1]])
    ]
    return {"size_by_frame": tuple(values)}


def _in_sentences_of_text(question: SentenceTest, about: AskedEncoder, framed: FramedSides) -> dict[str, Any]:
    """Return the combined effect as published, and what the sentences are."""
    words = framed.words
    combined = combined_fields(
        framed.targets, framed.attributes, words.n_x, words.n_a, draws=about.draws, seed=about.seed
    )
    vectors = "word" if about.gives_tokens else "sentence"
    return {**combined, "text": question.text, "contexts": question.contexts, "vectors": vectors}


def _asked(question: SentenceTest, encoder: AskedEncoder, unit: Unit) -> dict[str, Any]:
    """Return what a row says of the encoder and of how it was asked."""
    return {
        "embedding": encoder.name,
        "embedding_sha256": encoder.identity,
        "seed": encoder.seed,
        "context": question.context,
        "unit": unit,
        "effect_label": "d_word" if unit == "word" else "d",
        "encoder_settings": tuple(Label(name, value) for name, value in encoder.settings.items()),
        "n_unknown_kinds": sum(words.kinds.count("unknown") for words in word_sets(question.test).values()),
        "published": _published(question, encoder),
    }


def _published(question: SentenceTest, encoder: AskedEncoder) -> tuple[Published, ...]:
    """Return the paper's figure where the encoder is one of its own."""
    settings, test = encoder.settings, question.test
    if test.adapted or settings.get("layers", "last") != "last" or settings.keys() & {"prefix", "prompt"}:
        return ()
    for model, name, pooling in _OF_THE_PAPER:
        if name.fullmatch(encoder.name) and settings.get("pooling") == pooling:
            for figure in test.published:
                if figure.embedding == model and figure.context == question.context and figure.effect is not None:
                    return (figure,)
    return ()


def _parts(table: SentenceTable, effect: Effect, centred: float, frames: Mapping[str, float]) -> dict[str, Any]:
    """Return what the effect of words depends on, and what the sentences give without their words."""
    whole = effect.mean_difference
    without_words = dict(frames)
    if frames:
        without_words["share_of_frames"] = frames["difference_of_frames"] / whole if whole else math.nan
    return {
        "effect_centred": centred,
        **without_words,
        **sensitivity(table, effect.effect_size),
    }


def _count(side: Side, unit: Unit) -> int:
    return len(side) if unit == "sentence" else len({sentence.word for sentence in side})


def _centred_effect(table: SentenceTable, encodings: Encodings) -> float:
    """Return d of words after the mean of the test's distinct texts is taken off every vector."""
    targets, attributes = ([sentence.text for sentence in side] for side in (table.x + table.y, table.a + table.b))
    distinct = list(dict.fromkeys(targets + attributes))
    centre = encodings.rows(distinct).mean(axis=0, dtype=np.float64)
    rows, columns = ((encodings.rows(texts) - centre).astype(np.float32) for texts in (targets, attributes))
    scores = _scores_of(table, rows, columns)
    return Effect.of(*scores).effect_size if scores else math.nan


def _frames(table: SentenceTable, encodings: Encodings, alternative: Alternative) -> dict[str, float]:
    """Test the sentences with a word that does not exist in the place of every word."""
    targets, attributes = ([sentence.frame for sentence in side] for side in (table.x + table.y, table.a + table.b))
    scores = _scores_of(table, encodings.rows(targets), encodings.rows(attributes))
    if scores is None:
        return {}
    p_value = permutation_test(*scores, alternative=alternative).p_value
    return {"difference_of_frames": Effect.of(*scores).mean_difference, "p_of_frames": p_value}


def _scores_of(table: SentenceTable, targets: Floats32, attributes: Floats32) -> tuple[Floats, Floats] | None:
    """Return the scores of X's and Y's words with other vectors for the same sentences, None if one has none."""
    if not (targets.any(axis=1).all() and attributes.any(axis=1).all()):
        return None
    _, scores, n_x = replace(table, cosines=cosines(targets, attributes)).scores("word")
    return scores[:n_x], scores[n_x:]
