"""The Sentence Encoder Association Test: WEAT's question, asked of sentences.

May et al. (2019), section 2. The paper permutes sentences; one word in fourteen templates is not fourteen
independent observations, so here words are permuted unless sentences are asked for.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, get_args

import numpy as np

from imprint.association.cosines import Effect, cosines
from imprint.association.evidence import NO_CHECKS, Checks, CosineTable, check
from imprint.association.grammar import test_of_things, with_grammar
from imprint.association.questions import answer
from imprint.association.seat_result import Frames, SeatResult
from imprint.association.sensitivity import sensitivity
from imprint.association.sentences import FramedSide, Framing, SentenceTable, Unit, require_words, table_of
from imprint.association.verdicts import judge_all
from imprint.association.weat import find_test
from imprint.checks import Alternative, Context, check_choice
from imprint.embeddings.background import Background
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingStore
from imprint.errors import SettingError, VocabularyError
from imprint.significance.partitions import PermutationTest, countable, permutation_test
from imprint.significance.shares import ShareOfDistance
from imprint.significance.shifts import shift_interval
from imprint.stimuli.definition import WeatTest, word_sets
from imprint.stimuli.templates import Side, Templates, by_word, sentences
from imprint.subjects.common import FramedWords, ranks_of
from imprint.subjects.encodings import Encodings, encode_texts
from imprint.subjects.opening import EncoderLike, open_encoder
from imprint.types import Floats, Floats32, Progress

_FEWEST_RANKED = 0.8  # share of words of known frequency
_WIDTH = 0.1  # of the bounds on a p-value of hundreds of sentences, as a share of it: seconds instead of minutes


def seat(
    encoder: EncoderLike,
    test: WeatTest | str,
    *,
    unit: Unit = "word",
    context: Context | None = None,
    templates: Templates | None = None,
    alternative: Alternative = "greater",
    confidence: float = 0.95,
    cache: EncodingStore | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> SeatResult:
    """Run a SEAT: a WEAT on a sentence encoder.

    Parameters
    ----------
    encoder
        A model, an embedding or a function, as `open_encoder` accepts it.
    test
        The id of a catalogue test, or a test of your own.
    unit
        What is permuted: "word" or "sentence". Sentences of one word are not independent.
    context
        "word" for words alone, or "bleached", "unbleached" or "framed" sentences. By default, questions are framed and
        other tests are bleached.
    templates
        Sentence templates of your own, from `read_templates`.
    alternative
        "greater" tests whether x is associated with a and y with b, "less" the reverse, "two-sided" either.
    confidence
        Level of the interval of the mean difference.
    cache
        Where encodings are kept between runs.
    seed
        Seed of everything random.
    progress
        Called with the texts encoded and the total number of texts.

    Returns
    -------
    SeatResult
        The effect, its p-value, and what the effect depends on.

    Examples
    --------
    >>> imprint.seat("cbow", "caliskan-6")
    SeatResult('caliskan-6', bleached, on glove.6B.100d: d_word = 1.68, p = 7.77e-05 (exact), 0 missing)
    """
    check_choice("unit", unit, get_args(Unit))
    asked = find_test(test)
    if asked.is_question and unit != "word":
        raise SettingError(option="unit", got=unit, expected="word for a question", where=asked.id)
    opened = open_encoder(encoder)
    question = in_sentences(asked, context or ("framed" if asked.is_question else "bleached"), templates)
    framed = FramedWords.of(list(question.sides.values())) if unit == "word" and question.ranked else None
    beside = framed.texts() if framed else []
    encodings = encode_texts(opened, question.asked, beside, cache=cache, progress=progress)
    measured = measure(
        question,
        opened,
        encodings,
        opened.lacks(question.forms),
        Framing.of(framed, encodings, opened.lacks(framed.common.words)) if framed else None,
        units=(unit,),
        alternative=alternative,
        confidence=confidence,
        seed=seed,
    )
    result = measured[unit]
    return judge_all([result])[0] if unit == "word" and result.sized is None else result


@dataclass(frozen=True, repr=False)
class SentenceTest:
    """A test put into sentences."""

    test: WeatTest
    context: Context
    sides: Mapping[str, Side] = field(hash=False)
    beside: "SentenceTest | None" = None  # of things, where grammatical gender is checked

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
        """Whether the frequencies of words of the test's language are known."""
        return self.test.language == "en"

    @property
    def forms(self) -> list[str]:
        """Every form of a word asked about, once: singulars and plurals."""
        sides = [*self.sides.values(), *(self.beside.sides.values() if self.beside else ())]
        return list(dict.fromkeys(sentence.form for side in sides for sentence in side))


def in_sentences(test: WeatTest, context: Context, templates: Templates | None = None) -> SentenceTest:
    """Put a test into sentences."""
    of_things = None if context == "unbleached" else test_of_things(test)
    beside = None if of_things is None else SentenceTest(of_things, context, sentences(of_things, context, templates))
    return SentenceTest(test, context, sentences(test, context, templates), beside)


@dataclass(frozen=True)
class KnownEncoder:
    """What results say of an encoder; unlike the encoder itself, it can be sent to another process."""

    name: str
    identity: str
    settings: Mapping[str, Any]


def measure(
    question: SentenceTest,
    encoder: Encoder | KnownEncoder,
    encodings: Encodings,
    lacking: Sequence[str] = (),
    framing: Framing | None = None,
    *,
    units: Sequence[Unit] = get_args(Unit),
    alternative: Alternative = "greater",
    confidence: float = 0.95,
    seed: int = 0,
) -> dict[Unit, SeatResult]:
    """Measure a question whose texts are encoded, in one unit or in both; `lacking` are forms without a vector.

    Asked for both, it gives words alone where there are too many sentences to count their partitions. Without
    `framing`, other words in the same sentences, two of the checks cannot run.
    """
    if question.test.is_question:
        background = None if framing is None else framing.background
        return {"word": _answered(question, encoder, encodings, lacking, background, seed)}
    table = table_of(question.test, question.sides, encodings.rows, encoder=encoder.name, lacking=lacking)
    words = table.by_words()
    parts = sensitivity(table)
    centred = _centred_effect(table, encodings)
    frames = _frames(table, encodings, alternative) if question.frames else None
    results: dict[Unit, SeatResult] = {}
    for unit in units:
        if results and not countable(len(table.x + table.y), len(table.x)):
            # Far more sentences than can be counted; their words were.
            continue
        if results and table.one_each:
            # One sentence a word: the units are one, and so is the count behind p.
            names, values, _ = table.scores(unit)
            scores = dict(zip(names, values.tolist(), strict=True))
            by_words = next(iter(results.values()))
            results[unit] = replace(by_words, unit=unit, scores=scores, checks=NO_CHECKS)
            continue
        names, values, n_x = table.scores(unit)
        x, y = values[:n_x], values[n_x:]
        of_words = unit == "word" or table.one_each
        significance = permutation_test(x, y, alternative=alternative, width=None if of_words else _WIDTH)
        checks = NO_CHECKS
        if unit == "word":
            label = significance if alternative == "two-sided" else permutation_test(x, y, alternative="two-sided")
            checks = _checks(table, words, framing, label, seed)
            if question.beside is not None:
                checks = with_grammar(checks, words, _table_of_things(question.beside, encoder, encodings, lacking))
        results[unit] = SeatResult(
            test=question.test,
            context=question.context,
            unit=unit,
            embedding=encoder.name,
            embedding_sha256=encoder.identity,
            settings=encoder.settings,
            **asdict(Effect.of(x, y)),
            centred=centred,
            frames=frames,
            interval=shift_interval(x, y, confidence=confidence) if of_words else None,
            significance=significance,
            scores=dict(zip(names, values.tolist(), strict=True)),
            x_scores=x,
            y_scores=y,
            sensitivity=parts,
            n_a=_count(table.a, unit),
            n_b=_count(table.b, unit),
            texts=len({sentence.text for side in (table.x, table.y, table.a, table.b) for sentence in side}),
            missing=table.missing,
            left_out=table.left_out,
            seed=seed,
            checks=checks,
            table=words,
            ranked=_ranked(table),
        )
    return results


def _answered(
    question: SentenceTest,
    encoder: Encoder | KnownEncoder,
    encodings: Encodings,
    lacking: Sequence[str],
    background: Background | None,
    seed: int,
) -> SeatResult:
    """Answer a question: a word's vector is the mean of its unit vectors in the frames, which all words share."""
    framed = [FramedSide.of(side, encodings, lacking) for side in question.sides.values()]
    for side, words in zip(framed, word_sets(question.test).values(), strict=True):
        require_words(side.words, side.missing, words, encoder.name)
    x, y, a, b = framed
    targets, attributes = (np.concatenate([one.rows, two.rows]) for one, two in ((x, y), (a, b)))
    kept = [side.words for side in framed]
    answered = answer(question.test, kept, targets.mean(axis=1), attributes.mean(axis=1), background)
    table = answered.table
    frames = [sentence.template for sentence in question.sides["x"][: targets.shape[1]]]
    by_frame = [
        ShareOfDistance.of(targets[:, place], attributes[:, place], len(x.words), len(a.words)).value
        for place in range(len(frames))
    ]
    return SeatResult(
        test=question.test,
        context=question.context,
        unit="word",
        embedding=encoder.name,
        embedding_sha256=encoder.identity,
        settings=encoder.settings,
        **asdict(answered.effect),
        interval=None,
        significance=None,
        scores=dict(zip(table.targets, answered.scores.tolist(), strict=True)),
        x_scores=answered.scores[: table.n_x],
        y_scores=answered.scores[table.n_x :],
        n_a=table.n_a,
        n_b=len(b.words),
        texts=len({*question.texts}),
        missing=tuple(word for side in framed for word in side.missing),
        seed=seed,
        checks=NO_CHECKS,
        table=table,
        sized=answered.sized,
        size_by_frame=dict(zip(frames, by_frame, strict=True)),
    )


def _checks(
    table: SentenceTable, words: CosineTable, framing: Framing | None, label: PermutationTest, seed: int
) -> Checks:
    contrast = None if framing is None else framing.contrast(table)
    background = None if framing is None else framing.background
    found = check(contrast, background, label, words, seed)
    # A word of unknown frequency counts as a rare one, which it need not be.
    return found if _ranked(table) >= _FEWEST_RANKED else replace(found, p_frequency=None)


def _table_of_things(
    beside: SentenceTest, encoder: Encoder | KnownEncoder, encodings: Encodings, lacking: Sequence[str]
) -> CosineTable | None:
    try:
        found = table_of(beside.test, beside.sides, encodings.rows, encoder=encoder.name, lacking=lacking)
    except VocabularyError:
        return None
    return found.by_words()


def _ranked(table: SentenceTable) -> float:
    """Return the share of words whose frequency is known."""
    return ranks_of([word for side in (table.x, table.y, table.a, table.b) for word in by_word(side)])[1]


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


def _frames(table: SentenceTable, encodings: Encodings, alternative: Alternative) -> Frames | None:
    """Test the sentences with a word that does not exist in the place of every word."""
    targets, attributes = ([sentence.frame for sentence in side] for side in (table.x + table.y, table.a + table.b))
    scores = _scores_of(table, encodings.rows(targets), encodings.rows(attributes))
    if scores is None:
        return None
    return Frames(Effect.of(*scores).mean_difference, permutation_test(*scores, alternative=alternative).p_value)


def _scores_of(table: SentenceTable, targets: Floats32, attributes: Floats32) -> tuple[Floats, Floats] | None:
    """Return the scores of X's and Y's words with other vectors for the same sentences, None if one has none."""
    if not (targets.any(axis=1).all() and attributes.any(axis=1).all()):
        return None
    _, scores, n_x = replace(table, cosines=cosines(targets, attributes)).scores("word")
    return scores[:n_x], scores[n_x:]
