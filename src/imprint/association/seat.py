"""The Sentence Encoder Association Test: WEAT's question, asked of sentences.

May et al. (2019), section 2. The paper permutes sentences; one word in fourteen templates is not fourteen
independent observations, so here words are permuted unless sentences are asked for.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import numpy.typing as npt

from imprint.association.cosines import Floats, cosines
from imprint.association.effects import Effect
from imprint.association.measured import Measured
from imprint.association.sensitivity import Sensitivity, sensitivity
from imprint.association.sentences import SentenceTable, Side, Unit, table_of
from imprint.association.weat import find_test
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingCache
from imprint.encoders.encodings import Encodings, encode_texts
from imprint.encoders.opening import as_encoder
from imprint.errors import SettingError
from imprint.finding import Finding
from imprint.significance.intervals import Interval, shift_interval
from imprint.significance.partitions import Alternative, PermutationTest, countable, permutation_test
from imprint.significance.power import smallest_detectable_shift
from imprint.stimuli.definition import Context, WeatTest
from imprint.stimuli.templates import Templates, sentences

if TYPE_CHECKING:
    import pandas as pd

Progress = Callable[[int, int], None]

_WIDTH = 0.1  # of the bounds on a p-value of hundreds of sentences, as a share of it: seconds instead of minutes
_DEALS = 200  # random deals behind a detectable shift, with a standard error of some 3 %: a battery asks for dozens


@dataclass(frozen=True)
class Frames:
    """What the sentences of a test say without its words: effects of grammar, where X and Y differ in it."""

    effect_size: float
    p_value: float


@dataclass(frozen=True, repr=False)
class SeatResult(Measured):
    """One test in one context on one encoder; positive means X with A and Y with B.

    `unit` is what was permuted and what n_x to n_b count; `effect` is d_word where that is words. The interval is
    given for words alone: sentences of one word are not independent. `centred` is the effect after the mean of
    the test's vectors is taken off all of them. `frames` is the test of the same sentences without their words,
    None where all targets stand in the same ones. `left_out` are sentences whose form of a word has no vector.
    `Effect` explains the effect sizes.
    """

    test: WeatTest
    context: Context
    unit: Unit
    encoder: str
    encoder_sha256: str
    settings: Mapping[str, str] = field(hash=False)
    effect: Effect
    centred: float
    frames: Frames | None
    interval: Interval | None
    significance: PermutationTest
    scored: tuple[str, ...]
    scores: Floats = field(compare=False)
    sensitivity: Sensitivity
    n_x: int
    n_y: int
    n_a: int
    n_b: int
    texts: int
    missing: tuple[str, ...]
    left_out: tuple[str, ...]
    seed: int

    @property
    def p_value(self) -> float:
        """Share of partitions at least as extreme as the observed one."""
        return self.significance.p_value

    @property
    def effect_size(self) -> float:
        """The paper's effect size: d_word where the unit is words."""
        return self.effect.effect_size

    @property
    def label(self) -> str:
        """What the effect is called."""
        return "d_word" if self.unit == "word" else "d"

    def smallest_detectable_shift(self, alpha: float, *, power: float = 0.8) -> float | None:
        """Return the shift of X's scores this test would find with that power, None if p cannot reach alpha."""
        return smallest_detectable_shift(
            self.scores[: self.n_x],
            self.scores[self.n_x :],
            alpha=alpha,
            power=power,
            alternative=self.significance.alternative,
            deals=_DEALS,
            seed=self.seed,
        )

    def finding(self, **more: Any) -> Finding:
        """Return the row, with whatever the caller knows besides (a corrected p-value, a verdict)."""
        return Finding(
            kind="seat",
            test=self.test.id,
            embedding=self.encoder,
            embedding_sha256=self.encoder_sha256,
            effect_size=self.effect.effect_size,
            statistic=self.effect.statistic,
            p_value=self.p_value,
            seed=self.seed,
            missing=self.missing,
            details={
                "title": self.test.title,
                "context": self.context,
                "unit": self.unit,
                "effect_label": self.label,
                "encoder": dict(self.settings),
                "mean_difference": self.effect.mean_difference,
                "interval_low": self.interval.low if self.interval else None,
                "interval_high": self.interval.high if self.interval else None,
                "confidence": self.interval.confidence if self.interval else None,
                "d_within": self.effect.d_within,
                **self.significance.details(),
                "n_x": self.n_x,
                "n_y": self.n_y,
                "n_a": self.n_a,
                "n_b": self.n_b,
                "texts": self.texts,
                "left_out": self.left_out,
                **(self._parts() if self.unit == "word" else {}),
                **more,
            },
        )

    def _parts(self) -> dict[str, Any]:
        """Return what is known of words: their scores, and the effects of parts of the test."""
        return {
            "effect_centred": self.centred,
            "effect_of_frames": self.frames.effect_size if self.frames else None,
            "p_of_frames": self.frames.p_value if self.frames else None,
            "effect_by_template": self.sensitivity.by_template,
            "effect_without_template": self.sensitivity.without_template,
            "effect_without_word": self.sensitivity.without_word,
            "flips": self.sensitivity.flips(self.effect_size),
            "scores": dict(zip(self.scored, self.scores.tolist(), strict=True)),
        }

    def to_frame(self) -> "pd.DataFrame":
        """Return the row as a table of one row, without the numbers of single words and templates."""
        import pandas as pd

        row = self.to_dict()
        return pd.DataFrame([{key: value for key, value in row.items() if not isinstance(value, Mapping)}])

    def __repr__(self) -> str:
        return (
            f"SeatResult({self.test.id!r}, {self.context}, on {self.encoder}: {self.label} = {self.effect_size:.2f}, "
            f"p = {self.p_value:.3g} ({self.significance.p_method}), {len(self.missing)} missing)"
        )


def seat(
    encoder: object,
    test: WeatTest | str,
    *,
    unit: Unit = "word",
    context: Context = "bleached",
    templates: Templates | None = None,
    alternative: Alternative = "greater",
    confidence: float = 0.95,
    cache: EncodingCache | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> SeatResult:
    """Run a catalogue test (by id) or one of your own on an encoder, an embedding or a function.

    `context` is "word" (the words alone), "bleached" or "unbleached" sentences. `progress` is told how many
    texts are encoded of how many.
    """
    if unit not in get_args(Unit):
        raise SettingError(f"unit is {unit!r}; use one of {', '.join(get_args(Unit))}")
    opened = as_encoder(encoder)
    question = ask(find_test(test), context, templates)
    encodings = encode_texts(opened, question.texts + question.frames, cache=cache, progress=progress)
    measured = measure(
        question,
        opened,
        encodings,
        opened.lacks(question.forms),
        units=(unit,),
        alternative=alternative,
        confidence=confidence,
        seed=seed,
    )
    return measured[unit]


@dataclass(frozen=True, repr=False)
class Question:
    """A test put into sentences."""

    test: WeatTest
    context: Context
    sides: Mapping[str, Side] = field(hash=False)

    @property
    def texts(self) -> list[str]:
        """Every sentence of the test."""
        return [sentence.text for side in self.sides.values() for sentence in side]

    @property
    def frames(self) -> list[str]:
        """Every sentence without its word, where these tell target words apart: where not all stand in the same."""
        templates: dict[str, set[str]] = {}
        for sentence in (*self.sides["x"], *self.sides["y"]):
            templates.setdefault(sentence.word, set()).add(sentence.template)
        if len({frozenset(used) for used in templates.values()}) == 1:
            return []
        return [sentence.frame for side in self.sides.values() for sentence in side]

    @property
    def forms(self) -> list[str]:
        """Every form of a word asked about, once: singulars and plurals."""
        return list(dict.fromkeys(sentence.form for side in self.sides.values() for sentence in side))


def ask(test: WeatTest, context: Context, templates: Templates | None = None) -> Question:
    """Put a test into sentences."""
    return Question(test, context, sentences(test, context, templates))


def measure(
    question: Question,
    encoder: Encoder,
    encodings: Encodings,
    lacking: Sequence[str] = (),
    *,
    units: Sequence[Unit] = get_args(Unit),
    alternative: Alternative = "greater",
    confidence: float = 0.95,
    seed: int = 0,
) -> dict[Unit, SeatResult]:
    """Measure a question whose texts are encoded, in one unit or in both; `lacking` are forms without a vector.

    Asked for both, it gives words alone where there are too many sentences to count their partitions.
    """
    table = table_of(question.test, question.sides, encodings.rows, encoder=encoder.name, lacking=lacking)
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
            results[unit] = replace(next(iter(results.values())), unit=unit, scored=tuple(table.scores(unit)[0]))
            continue
        scored, scores, n_x = table.scores(unit)
        x, y = scores[:n_x], scores[n_x:]
        of_words = unit == "word" or table.one_each
        results[unit] = SeatResult(
            test=question.test,
            context=question.context,
            unit=unit,
            encoder=encoder.name,
            encoder_sha256=encoder.identity,
            settings=encoder.settings,
            effect=Effect.of(x, y),
            centred=centred,
            frames=frames,
            interval=shift_interval(x, y, confidence=confidence) if of_words else None,
            significance=permutation_test(x, y, alternative=alternative, width=None if of_words else _WIDTH),
            scored=tuple(scored),
            scores=scores,
            sensitivity=parts,
            n_x=len(x),
            n_y=len(y),
            n_a=_count(table.a, unit),
            n_b=_count(table.b, unit),
            texts=len({sentence.text for side in (table.x, table.y, table.a, table.b) for sentence in side}),
            missing=table.missing,
            left_out=table.left_out,
            seed=seed,
        )
    return results


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
    return Frames(Effect.of(*scores).effect_size, permutation_test(*scores, alternative=alternative).p_value)


def _scores_of(
    table: SentenceTable, targets: npt.NDArray[np.float32], attributes: npt.NDArray[np.float32]
) -> tuple[Floats, Floats] | None:
    """Return the scores of X's and Y's words with other vectors for the same sentences, None if one has none."""
    if not (targets.any(axis=1).all() and attributes.any(axis=1).all()):
        return None
    _, scores, n_x = replace(table, cosines=cosines(targets, attributes)).scores("word")
    return scores[:n_x], scores[n_x:]
