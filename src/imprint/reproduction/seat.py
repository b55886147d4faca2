"""May et al. (2019): every effect size and p-value that the paper prints, on its models where they are here."""

from collections.abc import Iterator
from dataclasses import replace

from imprint.association.cosines import Effect
from imprint.association.seat import SentenceTest, in_sentences
from imprint.association.sentences import table_of
from imprint.encoders.bag_of_words import BagOfWordsEncoder
from imprint.encoders.base import Encoder, FunctionEncoder
from imprint.errors import VocabularyError
from imprint.reproduction.rows import (
    SAMPLED,
    Ours,
    ReproductionRow,
    compare,
    figure_of,
    identity,
    lacking,
    offer,
    refuse,
)
from imprint.reproduction.subjects import GLOVE, Subjects
from imprint.significance.partitions import permutation_test
from imprint.stimuli.catalog import catalogue
from imprint.stimuli.definition import Published, WeatTest
from imprint.stimuli.published import Figure, Model, model_of
from imprint.subjects.encodings import Encodings, encode_texts

BAG, USE = "CBoW (GloVe 840B)", "use"

_WIDTH = 0.5  # of bounds on p, as a share of it: the paper's are orders of magnitude
_OURS = "our sentences follow the paper's patterns and are not its own"

_FUNCTION = "measured on the function that was given; whether it is the paper's {} cannot be checked"

SeatFigure = tuple[WeatTest, Published]


def seat_rows(subjects: Subjects) -> Iterator[ReproductionRow]:
    """Compare table 4 and the p-values of section 4, a model at a time."""
    asked: dict[str, list[SeatFigure]] = {}
    for test, printed in seat_figures():
        asked.setdefault(printed.embedding, []).append((test, printed))
    for name, questions in asked.items():
        model = model_of(name)
        assert model is not None
        encoder, unlike = _encoder(subjects, model)
        if encoder is None:
            yield from (refuse(figure_of(test, printed, "seat")) for test, printed in questions)
        else:
            yield from _ask(encoder, questions, subjects, unlike)


def seat_figures() -> Iterator[SeatFigure]:
    """Return what the paper prints, with its tests."""
    for test in catalogue():
        if isinstance(test, WeatTest):
            yield from ((test, printed) for printed in test.published if printed.source.startswith("May et al."))


def seat_texts() -> Iterator[str]:
    """Return every sentence that the paper's figures ask about."""
    for test, printed in seat_figures():
        yield from in_sentences(test, printed.context).texts


def _encoder(subjects: Subjects, model: Model) -> tuple[Encoder | None, str]:
    """Return what to ask for a model's figures, and why it is not that model; None where nothing is like it."""
    if model.id == GLOVE:
        given = subjects.embedding(GLOVE)
        return BagOfWordsEncoder(subjects.default if given is None else given), "" if given else model.reason
    encoder = subjects.encoder(model.id)
    if encoder is None and model.id == USE:
        return subjects.default_encoder, model.reason
    return encoder, _FUNCTION.format(model.id) if isinstance(encoder, FunctionEncoder) else ""


def in_bundled_sentences(test: WeatTest, subjects: Subjects) -> Ours:
    """Ask a test in sentences of its language, on the bundled encoder."""
    sentence = in_sentences(test, "bleached")
    return sentence_effect(sentence, subjects.default_encoder, encode_texts(subjects.default_encoder, sentence.texts))


def _ask(encoder: Encoder, questions: list[SeatFigure], subjects: Subjects, unlike: str) -> Iterator[ReproductionRow]:
    sentences = [in_sentences(test, printed.context) for test, printed in questions]
    encodings = encode_texts(encoder, [text for sentence in sentences for text in sentence.texts])
    lost = encoder.lacks(dict.fromkeys(form for sentence in sentences for form in sentence.forms))
    glove = BagOfWordsEncoder(subjects.glove)
    for (test, printed), sentence in zip(questions, sentences, strict=True):
        figure = figure_of(test, printed, "seat")
        if unlike and printed.embedding == BAG and printed.context == "word" and not glove.lacks(sentence.forms):
            alone = encode_texts(glove, sentence.texts)
            yield _compare(figure, sentence, glove, alone, ())
            continue
        yield _compare(figure, sentence, encoder, encodings, lost, unlike)


def _compare(
    figure: Figure,
    sentence: SentenceTest,
    encoder: Encoder,
    encodings: Encodings,
    lost: tuple[str, ...],
    unlike: str = "",
) -> ReproductionRow:
    try:
        ours = sentence_effect(sentence, encoder, encodings, lost)
    except VocabularyError as error:
        return refuse(figure, str(error))
    model = model_of(figure.model)
    assert model is not None
    reasons = lacking(ours.missing), _OURS if sentence.context != "word" else "", model.remark
    if not unlike:
        return compare(figure, ours.because(*reasons), p_floor=SAMPLED)
    get = "" if isinstance(encoder, FunctionEncoder) else offer(model.id)
    return compare(figure, replace(ours, same_model=False, get=get).because(unlike, *reasons))


def sentence_effect(
    sentence: SentenceTest, encoder: Encoder, encodings: Encodings, lost: tuple[str, ...] = ()
) -> Ours:
    """Return the effect and p as published: sentences are permuted."""
    table = table_of(sentence.test, sentence.sides, encodings.rows, encoder=encoder.name, lacking=lost)
    _, scores, n_x = table.scores("sentence")
    x, y = scores[:n_x], scores[n_x:]
    p = permutation_test(x, y, width=_WIDTH).p_value
    return Ours(identity(encoder), Effect.of(x, y).effect_size, p, missing=table.missing)
