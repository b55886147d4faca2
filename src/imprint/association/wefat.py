"""The Word Embedding Factual Association Test: does an embedding know a number about the world?

Caliskan, Bryson and Narayanan (2016), Methods: each word's score is its difference of mean cosines to A and B
divided by the standard deviation of its cosines to both; the property is regressed on the score. (Their
figures draw the property along x; the regression predicts it, and so is it here.)
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from imprint.association.cosines import cosines, mean, sample_sd
from imprint.association.rows import TestRow
from imprint.association.wordrows import find_rows, refuse_overlap, require_pair
from imprint.errors import SettingError, StimulusError
from imprint.rows import Result, WordValue, word_values
from imprint.significance.ranks import pearson as pearson_correlation
from imprint.significance.ranks import spearman as rank_correlation
from imprint.stimuli import catalog
from imprint.stimuli.definition import UNDETERMINED, WefatTest, WordSet, described, validate
from imprint.subjects.opening import EmbeddingLike, load
from imprint.types import Floats
from imprint.view import SMALLEST_P

if TYPE_CHECKING:
    import pandas as pd

_FEWEST = 4  # words: three numbers leave a correlation no interval


@dataclass(frozen=True)
class Correlation:
    """A correlation with its two-sided p-value and 95 % interval."""

    r: float
    p_value: float
    low: float
    high: float


class WefatRow(TestRow, frozen=True, kw_only=True, tag="wefat"):
    """One WEFAT: effect size is Pearson's r, statistic the slope's t."""

    property: str
    r: float
    r_p_value: float
    r_low: float | None
    r_high: float | None
    spearman: float
    spearman_p_value: float
    spearman_low: float | None
    spearman_high: float | None
    slope: float
    intercept: float
    n_words: int
    values: tuple[WordValue, ...]


@dataclass(frozen=True, repr=False)
class WefatResult(Result):
    """The result of one WEFAT: scores of words, and how a property of the words goes with them.

    Attributes
    ----------
    test
        The test that was run.
    embedding
        Name of the embedding.
    embedding_sha256
        Hash of the embedding.
    pearson
        Pearson's correlation of scores and property.
    spearman
        Spearman's correlation of scores and property.
    slope
        Slope of the line property = intercept + slope * score.
    intercept
        Intercept of that line.
    t_statistic
        The slope's t.
    scores
        The score of each word.
    values
        The property of each word.
    n_a
        Words of a that have a vector.
    n_b
        Words of b that have a vector.
    missing
        Words without a vector.
    lowered
        Words found in lower case only.
    from_subwords
        Words whose vector was made from subwords.
    seed
        Seed as it was given; nothing here is random.
    """

    test: WefatTest
    embedding: str
    embedding_sha256: str
    pearson: Correlation
    spearman: Correlation
    slope: float
    intercept: float
    t_statistic: float
    scores: Mapping[str, float] = field(hash=False)
    values: Mapping[str, float] = field(hash=False)
    n_a: int
    n_b: int
    missing: tuple[str, ...]
    lowered: tuple[str, ...]
    from_subwords: tuple[str, ...]
    seed: int

    @property
    def p_value(self) -> float:
        """Two-sided p-value of Pearson's correlation."""
        return self.pearson.p_value

    def findings(self) -> list[WefatRow]:
        """Return the one row in a list, as every result does."""
        return [self.finding()]

    def finding(self, **more: Any) -> WefatRow:
        """Return the row; its effect size is Pearson's r and its statistic the slope's t."""
        return WefatRow(
            test=self.test.id,
            embedding=self.embedding,
            embedding_sha256=self.embedding_sha256,
            effect_size=self.pearson.r,
            statistic=self.t_statistic,
            p_value=self.pearson.p_value,
            seed=self.seed,
            missing=self.missing,
            **described(self.test),
            property=self.test.property_name,
            r=self.pearson.r,
            r_p_value=self.pearson.p_value,
            r_low=self.pearson.low,
            r_high=self.pearson.high,
            spearman=self.spearman.r,
            spearman_p_value=self.spearman.p_value,
            spearman_low=self.spearman.low,
            spearman_high=self.spearman.high,
            slope=self.slope,
            intercept=self.intercept,
            n_words=len(self.scores),
            n_a=self.n_a,
            n_b=self.n_b,
            lowered=self.lowered,
            from_subwords=self.from_subwords,
            scores=word_values(self.scores),
            values=word_values(self.values),
            **more,
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return one row a word: its score, its property and what the line predicts."""
        import pandas as pd

        frame = pd.DataFrame({"score": self.scores, self.test.property_name: self.values})
        frame["predicted"] = self.intercept + self.slope * frame["score"]
        return frame.rename_axis("word").reset_index()

    def __repr__(self) -> str:
        return (
            f"WefatResult({self.test.id!r} on {self.embedding}: r = {self.pearson.r:.2f}, "
            f"p {'<' if self.p_value <= SMALLEST_P else '='} {self.p_value:.3g}, {len(self.scores)} words, "
            f"{len(self.missing)} missing)"
        )


def wefat(
    embedding: EmbeddingLike,
    test: WefatTest | str | None = None,
    *,
    words: Sequence[str] | None = None,
    attributes: tuple[Sequence[str], Sequence[str]] | None = None,
    property: Mapping[str, float] | None = None,  # noqa: A002 - the papers' own word
    seed: int = 0,
) -> WefatResult:
    """Run a WEFAT: does the association of words with two sets of attributes predict a property of the words?

    Parameters
    ----------
    embedding
        A file, `default` or an object, as `load` takes it.
    test
        The id of a catalogue test, or a test of your own.
    words
        Words to score, in place of a test.
    attributes
        Two lists of words, a and b, in place of a test.
    property
        A number per word; replaces the numbers of a test that is given.
    seed
        Written into the result; nothing here is random.

    Returns
    -------
    WefatResult
        Correlations of scores and property, and the line between them.

    Examples
    --------
    >>> imprint.wefat("default", "caliskan-wefat-occupations")
    WefatResult('caliskan-wefat-occupations' on glove.6B.100d: r = 0.70, p = 1.27e-08, 50 words, 0 missing)
    """
    embedding = load(embedding)
    test = _resolve(test, words, attributes, property)
    if test.property is None:
        raise StimulusError(
            f"comes without the {test.property_name}",
            where=test.id,
            hint="give it as --property FILE.csv (word,value)",
        )
    rows = find_rows(embedding, (test.words, test.a, test.b))
    found, a, b = rows.sets
    refuse_overlap(embedding, test.a, test.b, (a, b))
    if len(found.words) < _FEWEST:
        raise StimulusError(f"{len(found.words)} words found", expected=f"at least {_FEWEST}", where=test.id)
    scores = _scores(cosines(found.vectors, a.vectors), cosines(found.vectors, b.vectors), found.words)
    values = np.array([test.property[word] for word in found.words])
    for name, numbers in (("scores", scores), (test.property_name, values)):
        if np.all(numbers == numbers[0]):
            raise StimulusError(f"all {name} are the same, so nothing can correlate with them", where=test.id)
    pearson, spearman = _pearson(scores, values), _spearman(scores, values)
    slope = pearson.r * sample_sd(values) / sample_sd(scores)
    return WefatResult(
        test=test,
        embedding=embedding.name,
        embedding_sha256=embedding.sha256,
        pearson=pearson,
        spearman=spearman,
        slope=slope,
        intercept=mean(values) - slope * mean(scores),
        t_statistic=_t_statistic(pearson.r, len(scores)),
        scores=dict(zip(found.words, scores.tolist(), strict=True)),
        values=dict(zip(found.words, values.tolist(), strict=True)),
        n_a=len(a.words),
        n_b=len(b.words),
        missing=rows.missing,
        lowered=rows.lowered,
        from_subwords=rows.from_subwords,
        seed=seed,
    )


def _resolve(
    test: WefatTest | str | None,
    words: Sequence[str] | None,
    attributes: tuple[Sequence[str], Sequence[str]] | None,
    values: Mapping[str, float] | None,
) -> WefatTest:
    if test is None:
        if words is None or attributes is None or values is None:
            raise SettingError("wefat needs a test, or all of words=, attributes=(A, B) and property=", option="test")
        require_pair("attributes", attributes)
        w, a, b = (WordSet.of(name, group) for name, group in zip("WAB", (words, *attributes), strict=True))
        test = WefatTest("custom", "words and a property", "given by the user", UNDETERMINED, w, a, b)
        return test.with_property(values)
    if words is not None or attributes is not None:
        raise SettingError(
            "wefat takes a test, or words and attributes, but not both",
            option="test",
            got=test if isinstance(test, str) else test.id,
        )
    found = catalog.get(test) if isinstance(test, str) else test
    if not isinstance(found, WefatTest):
        got = getattr(found, "id", found)
        raise SettingError(option="test", got=got, expected="a WEFAT", hint="run a WEAT with weat")
    if values is not None:
        return found.with_property(values)
    validate(found)
    return found


def word_score(to_a: Floats, to_b: Floats) -> float:
    """Divide a word's difference of mean cosines by the spread of all of them (n - 1); NaN where there is none."""
    spread = sample_sd(np.concatenate([to_a, to_b]))
    return (mean(to_a) - mean(to_b)) / spread if spread > 0 else math.nan


def _scores(to_a: Floats, to_b: Floats, words: tuple[str, ...]) -> Floats:
    scores = np.array([word_score(near_a, near_b) for near_a, near_b in zip(to_a, to_b, strict=True)])
    flat = np.flatnonzero(np.isnan(scores))
    if len(flat):
        word = words[flat[0]]
        raise StimulusError(
            f"{word!r} is equally close to every attribute word, so it has no score", words=[word], hint="drop it"
        )
    return scores


def _pearson(scores: Floats, values: Floats) -> Correlation:
    from scipy.stats import pearsonr

    interval = pearsonr(scores, values).confidence_interval(0.95)
    return Correlation(*pearson_correlation(scores, values), float(interval.low), float(interval.high))


def _spearman(scores: Floats, values: Floats) -> Correlation:
    """Spearman's correlation: p over all orders of few words, else by the t distribution.

    Its interval is Fisher's z with the variance of Bonett and Wright (2000); perfect ranks have none.
    """
    from scipy.stats import norm

    r, p = rank_correlation(scores, values)
    if abs(r) >= 1 - 1e-12:
        return Correlation(r, p, math.nan, math.nan)
    half = float(norm.ppf(0.975)) * math.sqrt((1 + r * r / 2) / (len(scores) - 3))
    return Correlation(r, p, math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half))


def _t_statistic(r: float, n: int) -> float:
    return math.copysign(math.inf, r) if abs(r) >= 1 else r * math.sqrt((n - 2) / (1 - r * r))
