"""Two embeddings side by side: their biases, whether they associate words alike, and what they are good for.

Effects on the words that both have, and how they changed; the agreement of single words' scores; and benchmarks.
Every difference is the second embedding's less the first one's.

Caliskan, Bryson and Narayanan (2016), Methods, compare GloVe with Google News by correlating the scores of single
words (occupations); Bolukbasi et al. (2016), Figure 1, by projections of professions.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from functools import partial
from typing import Annotated

import msgspec
import numpy as np

from imprint.association.changes import ChangeRow, TopicChangeRow, change_rows
from imprint.association.cosines import cosines
from imprint.association.rows import Measured
from imprint.association.settings import WeatSettings
from imprint.association.vectors import FEWEST_WORDS, find_rows
from imprint.association.weat import WeatRow, find_test, measure
from imprint.association.wefat import word_score
from imprint.directions.axis import pair_axis
from imprint.directions.projection import ProjectionComparisonRow, compare_projections, project
from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import Encoder as Encoder  # EncoderLike names it
from imprint.encoders.cache import EncodingStore
from imprint.errors import StimulusError, VocabularyError
from imprint.evaluation.benchmarks import (
    RESAMPLES,
    Benchmark,
    BenchmarkRow,
    EvaluationSettings,
    bundled_benchmarks,
    pair_words,
)
from imprint.evaluation.evaluate import evaluate
from imprint.evaluation.resampling import correlate_resampled, flatten
from imprint.rows import Row, Rows, SkippedRow, WordPoint, shown, skipped, word_points
from imprint.settings import CACHE, REPORT, option, settable
from imprint.stimuli.catalog import WEAT_TESTS, catalogue, choose
from imprint.stimuli.definition import WeatTest, WefatTest, WordSet, quote, words_of
from imprint.stimuli.published import figures
from imprint.stimuli.seeds import professions
from imprint.subjects.framed import word_vectors
from imprint.subjects.opening import EncoderLike
from imprint.types import Report

Scores = Mapping[str, float]

POOLED = "weat-words"
AXIS = ("he", "she")

_COMPARED = "caliskan-wefat-occupations"  # what Caliskan et al. compare GloVe 840B and Google News by
_FEWEST = 4  # words whose scores are correlated


class AgreementRow(Row, frozen=True, kw_only=True, tag="agreement"):
    """How scores of the same words in an embedding and in the `other` correlate; the effect size is Pearson's."""

    missing: Annotated[
        tuple[str, ...], shown("Missing", "Words, of attributes too, that one of the two has no vector of.")
    ] = ()
    title: Annotated[str, shown("Scores of")]
    other: Annotated[str, shown("Other model", "Name of the embedding or encoder compared with.")]
    other_sha256: Annotated[str, shown("Other SHA-256", "Its hash.", shape="word")]
    pearson: Annotated[float, shown("Pearson", "Correlation of the scores, with 95 % interval.")]
    pearson_low: Annotated[float | None, shown("Pearson, low", "Low end of its interval.")]
    pearson_high: Annotated[float | None, shown("Pearson, high", "High end of its interval.")]
    spearman: Annotated[float, shown("Spearman", "Correlation of ranks, with 95 % interval.")]
    spearman_low: Annotated[float | None, shown("Spearman, low", "Low end of its interval.")]
    spearman_high: Annotated[float | None, shown("Spearman, high", "High end of its interval.")]
    n_words: Annotated[int, shown("Words", "Different words; one may have a score in several tests.")]
    n_scores: Annotated[int, shown("Scores", "Scores that both have.")]
    points: Annotated[tuple[WordPoint, ...], shown("Points", "Both scores of every word.")]
    published_pearson: Annotated[
        float | None, shown("Published Pearson", "Of GloVe 840B and Google News, Caliskan et al. (2016).")
    ] = None
    published_spearman: Annotated[
        float | None, shown("Published Spearman", "Of GloVe 840B and Google News, Caliskan et al. (2016).")
    ] = None


@dataclass(frozen=True)
class ComparisonArguments(EvaluationSettings):
    """All that a comparison is given."""

    second: Annotated[EncoderLike, option("The one compared with it; differences are the second's less the first's.")]
    _: KW_ONLY
    tests: Annotated[
        Sequence[WeatTest] | None, option("WEATs to run; by default the questions and Caliskan's ten.")
    ] = None
    benchmarks: Annotated[Sequence[Benchmark] | None, option("Benchmarks to run; by default all bundled ones.")] = None
    resamples: Annotated[int, option("How many resamples are behind each interval.")] = RESAMPLES
    cache: Annotated[EncodingStore | None, CACHE] = None
    report: Annotated[Report | None, REPORT] = None


@settable(ComparisonArguments)
def compare(first: EncoderLike, asked: ComparisonArguments) -> Rows[Row]:
    """Compare two embeddings or encoders: their biases, whether they associate words alike, and their benchmarks.

    Parameters
    ----------
    first
        An embedding or an encoder, as `open_subject` accepts it; an encoder is asked about words in sentences.

    Returns
    -------
    Rows
        Two rows per WEAT, what changed, the agreement of words' scores, and benchmarks, on the words that both have.
        What cannot be run on both is last, with the reason.

    Examples
    --------
    >>> debiased = imprint.HardDebiaser().fit("default").apply("default")
    >>> len(imprint.compare("default", debiased))
    73
    """
    words = comparison_words(asked.tests, asked.benchmarks)
    first, second = (word_vectors(source, words, cache=asked.cache) for source in (first, asked.second))
    every, seed = catalogue(), asked.seed
    tests = asked.tests or [test for test in choose(every, WEAT_TESTS) if isinstance(test, WeatTest)]
    not_run: list[SkippedRow] = []
    skip = partial(skipped, (first.name, first.sha256), seed=seed)
    effects, changes = _effects((first, second), tests, seed, not_run, asked.report)
    sources: list[tuple[str, str, Callable[[], tuple[Scores, Scores, tuple[str, ...]]]]] = [
        (test.id, test.title, partial(wefat_scores, test, first, second))
        for test in every
        if isinstance(test, WefatTest) and test.language == "en"
    ]
    pooled, owners = _pooled(effects)
    sources.append((POOLED, "Target words of the WEATs above, pooled", lambda: pooled))
    sources.append(("professions", f"Professions along {' - '.join(AXIS)}", partial(projected_scores, first, second)))
    agreements: list[AgreementRow] = []
    for id_, title, scores in sources:
        try:
            of_scores = owners if id_ == POOLED else None
            agreements.append(
                agree((first, second), id_, title, *scores(), words=of_scores, resamples=asked.resamples, seed=seed)
            )
        except VocabularyError as error:
            not_run.append(skip(id_, title, error, part="against"))
    shared = {field.name: getattr(asked, field.name) for field in fields(EvaluationSettings)}
    try:
        evaluation = evaluate(second, asked.benchmarks, against=first, report=asked.report, **shared)
    except VocabularyError as error:
        if not effects and not agreements:
            raise
        evaluation = Rows([skip("benchmarks", "Benchmarks", error, part="benchmarks")])
    return Rows([*effects, *changes, *agreements, *evaluation.of(BenchmarkRow), *not_run, *evaluation.skipped])


def comparison_words(
    tests: Sequence[WeatTest] | None = None, benchmarks: Sequence[Benchmark] | None = None
) -> list[str]:
    """Return the words that a comparison asks about, but for analogies, which a vocabulary is searched for."""
    wefats = [test for test in catalogue() if isinstance(test, WefatTest) and test.language == "en"]
    weats = choose(catalogue(), WEAT_TESTS) if tests is None else tests
    return [
        *sorted(words_of((*wefats, *weats))),
        *AXIS,
        *(profession.word for profession in professions()),
        *pair_words(bundled_benchmarks() if benchmarks is None else benchmarks),
    ]


def agree(
    embeddings: Sequence[Embedding],
    id_: str,
    title: str,
    first: Scores,
    second: Scores,
    missing: tuple[str, ...] = (),
    *,
    words: Mapping[str, str] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> AgreementRow:
    """Correlate the scores that both embeddings have, with intervals from resampling words.

    `words` gives the word that each score is of, where scores are not named by words. A word is drawn with all of its
    scores: they share its vector and are not independent observations.
    """
    points = {name: (score, second[name]) for name, score in first.items() if name in second}
    owners = list(points) if words is None else [words[name] for name in points]
    number = {word: at for at, word in enumerate(dict.fromkeys(owners))}
    if len(number) < _FEWEST:
        raise VocabularyError(f"{len(number)} words are in both", expected=f"at least {_FEWEST}", where=id_)
    x, y = np.array(list(points.values())).T
    if not np.ptp(x) or not np.ptp(y):
        raise VocabularyError("every word has the same score in one of the two, so nothing can correlate", where=id_)
    measures = correlate_resampled(x, y, np.array([number[word] for word in owners]), resamples, seed)
    printed = (figures()[f"caliskan-agreement-{measure}"].number for measure in ("pearson", "spearman"))
    published_pearson, published_spearman = printed if id_ == _COMPARED else (None, None)
    return AgreementRow(
        test=id_,
        embedding=embeddings[0].name,
        embedding_sha256=embeddings[0].sha256,
        effect_size=measures["pearson"].value,
        seed=seed,
        missing=missing,
        title=title,
        other=embeddings[1].name,
        other_sha256=embeddings[1].sha256,
        n_words=len(number),
        n_scores=len(points),
        points=word_points(points),
        published_pearson=published_pearson,
        published_spearman=published_spearman,
        **flatten(measures),
    )


def wefat_scores(test: WefatTest, *embeddings: Embedding) -> tuple[Scores, Scores, tuple[str, ...]]:
    """Return WEFAT's scores in two embeddings, and the words that one lacks; they need no property, only cosines."""
    sets, lost = shared_sets((test.words, test.a, test.b), embeddings)
    first, second = (_normalised(sets, embedding) for embedding in embeddings)
    return first, second, lost


def compare_professions(first: Embedding, second: Embedding) -> ProjectionComparisonRow:
    """Compare where professions lie along he - she in two embeddings (Bolukbasi et al., Figure 1)."""
    words = [profession.word for profession in professions()]
    return compare_projections(*(project(space, pair_axis(space, [AXIS]), words) for space in (first, second)))


def projected_scores(first: Embedding, second: Embedding) -> tuple[Scores, Scores, tuple[str, ...]]:
    """Return where professions lie along he - she in two embeddings, and those that one lacks."""
    shown = compare_professions(first, second)
    x, y = ({point.word: getattr(point, side) for point in shown.points} for side in ("x", "y"))
    return x, y, tuple(profession.word for profession in professions() if profession.word not in x)


def shared_sets(sets: Sequence[WordSet], embeddings: Sequence[Embedding]) -> tuple[list[WordSet], tuple[str, ...]]:
    """Return the sets with the words that all embeddings have, and the words that one or another lacks."""
    words = dict.fromkeys(word for group in sets for word in group.words)
    missing = {word for embedding in embeddings for word in embedding.lookup(words).missing}
    shared = [group.subset(word for word in group.words if word not in missing) for group in sets]
    lost = tuple(word for word in words if word in missing)
    if min(map(len, shared)) < FEWEST_WORDS:
        raise VocabularyError(
            f"a set keeps fewer than {FEWEST_WORDS} words that both have ({quote(lost)} missing)", words=lost
        )
    return shared, lost


def _effects(
    embeddings: tuple[Embedding, Embedding],
    tests: Sequence[WeatTest],
    seed: int,
    not_run: list[SkippedRow],
    report: Report | None,
) -> tuple[tuple[WeatRow, ...], tuple[ChangeRow | TopicChangeRow, ...]]:
    """Return two rows per test, each naming the other, and what changed."""
    found: list[tuple[Measured[WeatRow], Measured[WeatRow]]] = []
    settings = WeatSettings(seed=seed)
    for done, test in enumerate(tests, start=1):
        try:
            _, lost = shared_sets((test.x, test.y, test.a, test.b), embeddings)
            first, second = (measure(embedding, find_test(test), settings, left_out=lost) for embedding in embeddings)
            found.append((first, second))
        except (VocabularyError, StimulusError) as error:
            measured = (embeddings[0].name, embeddings[0].sha256)
            not_run.append(skipped(measured, test.id, test.title, error, part="weat", seed=seed))
        if report is not None:
            report("testing both", done, len(tests))
    rows = [
        msgspec.structs.replace(measured.row, other=other.row.embedding, other_sha256=other.row.embedding_sha256)
        for pair in found
        for measured, other in (pair, pair[::-1])
    ]
    return tuple(rows), tuple(change_rows([first for first, _ in found], [second for _, second in found]))


def _pooled(effects: Sequence[WeatRow]) -> tuple[tuple[Scores, Scores, tuple[str, ...]], dict[str, str]]:
    """Return all scores of both by test and word, the words left out, and the word of each score."""
    first, second = (
        {f"{row.test}: {score.word}": score.value for row in side for score in row.scores if score.value is not None}
        for side in (effects[::2], effects[1::2])
    )
    owners = {f"{row.test}: {score.word}": score.word for row in effects for score in row.scores}
    return (first, second, tuple(dict.fromkeys(word for row in effects for word in row.left_out))), owners


def _normalised(sets: Sequence[WordSet], embedding: Embedding) -> dict[str, float]:
    """Return WEFAT's scores of the words that have one."""
    words, a, b = find_rows(embedding, *([words] for words in sets)).sets
    to_a, to_b = (cosines(words.vectors, side.vectors) for side in (a, b))
    scores = {word: word_score(*near) for word, *near in zip(words.words, to_a, to_b, strict=True)}
    return {word: score for word, score in scores.items() if not math.isnan(score)}
