"""Many tests in several contexts on one or more encoders: every text encoded once.

May et al. (2019), section 4 and table 4. Questions and tests in frames have sizes. Words alone, and in the paper's
sentences, have its effects and p-values; p-values by sentences have its stars: one for p below .01, two for a p that
is so after Holm's correction over the tests of an encoder.
"""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, get_args

import msgspec

from imprint.association.battery import attempt_each, in_parts, require_any, skipped_test
from imprint.association.coherence import STARRED, CoherenceRow, check_coherence
from imprint.association.rows import Measured, MeasuredRows, SeatRow, TopicRow, Unit
from imprint.association.seat import AskedEncoder, SentenceTest, in_sentences, measure, sample_text
from imprint.association.sensitivity import AnisotropyRow, mean_cosine
from imprint.association.settings import CORPUS, PROGRESS, SeatSettings
from imprint.association.topics import InteractionRow, interaction_rows, topic_rows
from imprint.checks import Context
from imprint.clusters import WORKERS, Workers, working
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingStore
from imprint.encoders.wrapping import words_in_context
from imprint.errors import SettingError, StimulusError
from imprint.rows import SkippedRow
from imprint.settings import option, settable
from imprint.significance.combining import holm
from imprint.stimuli.definition import UNDETERMINED, WeatTest
from imprint.stimuli.templates import Templates, contexts
from imprint.subjects.background import FramedWords
from imprint.subjects.contexts import Contexts, WordsInContext
from imprint.subjects.encodings import choose_fitting
from imprint.subjects.opening import EncoderLike, open_encoder
from imprint.threads import single_threaded
from imprint.types import Progress, Report

UNITS: tuple[Unit, ...] = get_args(Unit)

_AT_ONCE = 2  # tests counted side by side: each may take a gigabyte


@dataclass(frozen=True)
class SeatBatteryPlan(SeatSettings):
    """All that many tests of sentences are given."""

    tests: Annotated[Sequence[WeatTest], option("WEATs, from the catalogue or your own.")] = ()
    _: KW_ONLY
    units: Annotated[Sequence[Unit], option("What is permuted: words, sentences as in the paper, or both.")] = UNITS
    alone: Annotated[bool, option("Ask words alone too, where no `context` is chosen.")] = True
    cache: Annotated[EncodingStore | None, option("Where encodings are kept between runs.")] = None
    skip: Annotated[bool, option("Skip a test that cannot be run; if False, raise.")] = True
    workers: Annotated[Workers | None, option(f"For the tests; texts are encoded here. {WORKERS}")] = None
    report: Annotated[Report | None, PROGRESS] = None


@settable(SeatBatteryPlan)
def run_seat_battery(
    encoders: Sequence[EncoderLike], plan: SeatBatteryPlan
) -> MeasuredRows[SeatRow | TopicRow | InteractionRow | CoherenceRow | AnisotropyRow | SkippedRow]:
    """Run many SEATs on one or more encoders.

    Parameters
    ----------
    encoders
        Models, embeddings or functions, each as `open_encoder` accepts it.

    Returns
    -------
    Rows
        One row per test, context, unit and encoder, topics, checks of the whole, and last what was skipped.

    Examples
    --------
    >>> imprint.run_seat_battery(["cbow"], imprint.catalogue()[:1], context="framed")
    Rows(1 seat: 1 substantial; 1 topic: 1 substantial; 1 seat-anisotropy)
    """
    tests, context, cache, seed, skip = plan.tests, plan.context, plan.cache, plan.seed, plan.skip
    opened = [open_encoder(encoder) for encoder in encoders]
    _refuse_repeated(opened)
    text = sample_text(plan, tests, plan.workers, plan.report)
    words = FramedWords() if text is None else WordsInContext(text)
    if text is not None:
        opened = [words_in_context(encoder) for encoder in opened]
    questions, refused = all_in_sentences(tests, context, plan.patterns, skip=skip, text=text)
    if context is None and not plan.alone:
        questions = [question for question in questions if question.context != "word"]
    outcomes: list[Measured[SeatRow] | SkippedRow] = [
        _skipped(opened[0], test, reason, seed) for test, reason in refused
    ]
    anisotropy: list[AnisotropyRow] = []
    for encoder in opened:
        chosen, framed, left_out = _affordable(encoder, questions, words, cache)
        for test, error in left_out.items():
            if not skip:
                raise error
            outcomes.append(_skipped(encoder, test, str(error), seed))
        if not chosen:
            continue
        about = AskedEncoder.of(
            encoder,
            chosen,
            framed,
            units=plan.units,
            alternative=plan.alternative,
            seed=seed,
            draws=plan.draws,
            cache=cache,
            progress=labelled(plan.report, f"encoding with {encoder.name}"),
        )
        anisotropy += _anisotropy(about, chosen)

        def lost(error: Exception, question: SentenceTest, about: AskedEncoder = about) -> SkippedRow:
            return _skipped(about, question.test, str(error), seed)

        # Heavy parts release Python's lock.
        with working(plan.workers or _AT_ONCE) as pool:
            outcomes += attempt_each(
                _measure_test,
                about,
                [(question,) for question in chosen],
                lost,
                skip=skip,
                executor=pool,
                progress=labelled(plan.report, f"testing {encoder.name}"),
            )
    measured, not_run = in_parts(outcomes)
    require_any(measured, not_run, len(tests))
    stars = _stars([row for row, _ in measured])
    measured = [
        Measured(msgspec.structs.replace(row, stars=star), words)
        for (row, words), star in zip(measured, stars, strict=True)
    ]
    seats = [row for row, _ in measured]
    topics = topic_rows(measured, not_run, part="seat")
    coherence = check_coherence(row for row in seats if not row.is_question)
    crossed = interaction_rows(measured) if plan.by_gender else []
    return MeasuredRows(measured, [*seats, *topics, *crossed, *coherence, *anisotropy, *not_run])


def all_in_sentences(
    tests: Sequence[WeatTest],
    context: Context | None,
    templates: Templates | None,
    *,
    skip: bool = True,
    text: Contexts | None = None,
) -> tuple[list[SentenceTest], list[tuple[WeatTest, str]]]:
    """Put every test into sentences, in the contexts it has or in the one asked for; return what could not be, too."""
    questions, refused = [], []
    for test in tests:
        own_contexts = contexts(test) if text is None else (CORPUS,)
        for asked_context in own_contexts if context is None else (context,):
            try:
                questions.append(in_sentences(test, asked_context, templates, text))
            except StimulusError as error:
                # Words of no stated language, or of one with frames alone, can still be asked in other contexts.
                has_others = test.language == UNDETERMINED or test.spoken is not None
                alone = context is None and asked_context == "bleached" and has_others
                if not skip and not alone:
                    raise
                refused.append((test, str(error)))
    return questions, refused


def _refuse_repeated(encoders: Sequence[Encoder]) -> None:
    """Refuse one encoder given twice: its rows would be there twice, under one name."""
    known: set[str] = set()
    for encoder in encoders:
        if encoder.identity in known:
            raise SettingError(
                f"{encoder.name} is duplicated",
                option="encoders",
                got=encoder.name,
                hint="give each encoder once, under its own name",
            )
        known.add(encoder.identity)


def _measure_test(about: AskedEncoder, question: SentenceTest) -> list[Measured[SeatRow] | SkippedRow]:
    """Measure one test, and say so where its sentences are too many."""
    with single_threaded():
        measured = measure(question, about)
    if "sentence" in measured or "sentence" not in about.units or question.is_sized:
        return [*measured.values()]
    counts = " and ".join(f"{len(question.sides[key]):,}" for key in "xy")
    reason = f"{counts} {question.context} sentences have too many partitions to count; the test by words was run"
    return [*measured.values(), _skipped(about, question.test, reason, about.seed)]


def _skipped(encoder: Encoder | AskedEncoder, test: WeatTest, reason: str, seed: int) -> SkippedRow:
    return skipped_test((encoder.name, encoder.identity), test, reason, part="seat", seed=seed)


def by_importance(
    questions: Sequence[SentenceTest], words: FramedWords | None = None
) -> list[tuple[SentenceTest | FramedWords, list[str]]]:
    """Return what an encoder is asked, with its texts: questions, bundled words in frames, and other tests."""
    others = sorted(questions, key=lambda question: (not question.test.is_question, not question.is_sized))
    first = sum(question.test.is_question for question in questions)
    framed = [words or FramedWords()] if any(question.ranked for question in questions) else []
    with_texts = [(question, question.asked) for question in others]
    return [*with_texts[:first], *((words, words.texts()) for words in framed), *with_texts[first:]]


def framed_texts(tests: Sequence[WeatTest]) -> list[list[str]]:
    """Return the texts of tests in frames, the most important first."""
    return [texts for _, texts in by_importance(all_in_sentences(tests, "framed", None)[0])]


def labelled(report: Report | None, label: str) -> Progress | None:
    """Return what a step tells of its progress, under its name."""
    return None if report is None else lambda done, total: report(label, done, total)


def _affordable(
    encoder: Encoder, questions: Sequence[SentenceTest], words: FramedWords, cache: EncodingStore | None
) -> tuple[list[SentenceTest], FramedWords | None, dict[WeatTest, SettingError]]:
    """Return the tests that an encoder may be asked, the bundled words if it may be, and why not the other tests."""
    ordered = by_importance(questions, words)
    refused, _ = choose_fitting(encoder, [texts for _, texts in ordered], cache)
    reasons = {id(item): error for (item, _), error in zip(ordered, refused, strict=True)}
    framed = next((item for item, _ in ordered if isinstance(item, FramedWords) and reasons[id(item)] is None), None)
    left_out = {question.test: error for question in questions if (error := reasons[id(question)]) is not None}
    return [question for question in questions if reasons[id(question)] is None], framed, left_out


def _stars(rows: Sequence[SeatRow]) -> list[str]:
    """Mark p-values of sentences as the paper does, corrected over the tests of each encoder."""
    stars = [""] * len(rows)
    for encoder in dict.fromkeys(row.embedding_sha256 for row in rows):
        chosen = [i for i, row in enumerate(rows) if row.embedding_sha256 == encoder and row.unit == "sentence"]
        p_values = [rows[i].p_value or 0.0 for i in chosen]
        for i, p_value, adjusted in zip(chosen, p_values, holm(p_values).tolist(), strict=True):
            stars[i] = "**" if adjusted <= STARRED else "*" if p_value <= STARRED else ""
    return stars


def _anisotropy(encoder: AskedEncoder, questions: Sequence[SentenceTest]) -> Iterable[AnisotropyRow]:
    for context in dict.fromkeys(question.context for question in questions):
        texts = list(dict.fromkeys(t for question in questions if question.context == context for t in question.texts))
        cosine = mean_cosine(encoder.encodings.rows(texts))
        yield AnisotropyRow(
            test=context,
            embedding=encoder.name,
            embedding_sha256=encoder.identity,
            statistic=cosine,
            seed=encoder.seed,
            context=context,
            texts=len(texts),
            mean_cosine=cosine,
        )
