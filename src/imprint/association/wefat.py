"""The Word Embedding Factual Association Test: does an embedding know a number about the world?

Caliskan, Bryson and Narayanan (2016), Methods: each word's score is its difference of mean cosines to A and B
divided by the standard deviation of its cosines to both; the property is regressed on the score. (Their
figures draw the property along x; the regression predicts it, and so is it here.)
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import numpy as np

from imprint.association.cosines import cosines, mean, sample_sd
from imprint.association.evidence import Checks
from imprint.association.rows import JudgedRow, case_of, direction_of
from imprint.association.verdicts import Case, InFamily, Judged, judge_all
from imprint.association.wordrows import find_rows, refuse_overlap, require_pair
from imprint.checks import SMALLEST_P
from imprint.embeddings.background import Background
from imprint.embeddings.embedding import Embedding, Lookup
from imprint.encoders.cache import EncodingStore
from imprint.errors import SettingError, StimulusError, requiring
from imprint.rows import Result, WordValue, shown, word_values
from imprint.significance.ranks import fisher_interval, midranks
from imprint.significance.ranks import pearson as pearson_correlation
from imprint.significance.ranks import spearman as rank_correlation
from imprint.significance.student import quantile, two_sided
from imprint.stimuli import catalog
from imprint.stimuli.definition import UNDETERMINED, WefatTest, WordSet, described, validate, words_of
from imprint.subjects.framed import word_vectors
from imprint.subjects.opening import EncoderLike
from imprint.types import Floats, Floats32, Ints

if TYPE_CHECKING:
    import pandas as pd

Averaged = TypeVar("Averaged", Floats, Floats32)

_FEWEST = 4  # words: three numbers leave a correlation no interval
_PERMUTATIONS = 20_000
_SETS = 100  # random words, and as many random attributes; every pair of them is one draw
_SEED = 0x3EFA


@dataclass(frozen=True)
class Correlation:
    """A correlation with its two-sided p-value and 95 % interval."""

    r: float
    p_value: float
    low: float
    high: float


class WefatRow(JudgedRow, frozen=True, kw_only=True, tag="wefat"):
    """One WEFAT: effect size is Pearson's r, statistic the slope's t."""

    property: Annotated[str, shown("Property", "What is known of each word.")]
    r: Annotated[
        float,
        shown(
            "r",
            "Pearson's correlation of each word's score with the number known, with its 95 % interval over words.",
            ends="words",
        ),
    ]
    r_p_value: Annotated[float, shown("p", "As published: two-sided, of the slope.", shape="p")]
    r_low: Annotated[
        float | None,
        shown(
            "For these attributes",
            "95 % interval of r over words, with these attributes.",
            shape="interval",
        ),
    ]
    r_high: Annotated[float | None, shown("r, high", "High end of the same interval.")]
    spearman: Annotated[
        float,
        shown("Spearman", "Correlation of ranks, with 95 % interval."),
    ]
    spearman_p_value: Annotated[float, shown("p, Spearman", "Two-sided p of the correlation of ranks.", shape="p")]
    spearman_low: Annotated[float | None, shown("Spearman, low", "Low end of its interval.")]
    spearman_high: Annotated[float | None, shown("Spearman, high", "High end of its interval.")]
    slope: Annotated[float, shown("Slope", "Slope of the line that predicts the number from the score.", digits=1)]
    intercept: Annotated[float, shown("Intercept", "Where that line begins.", digits=1)]
    n_words: Annotated[int, shown("Words", "Words that have a vector and a number.")]
    values: Annotated[tuple[WordValue, ...], shown("Values", "The number known of each word.")]
    p_frequency: Annotated[
        float | None,
        shown("p, frequency", "Share of random words of the same frequencies that correlate as much."),
    ] = None


@dataclass(frozen=True, repr=False)
class WefatResult(InFamily, Result):
    """The result of one WEFAT: scores of words, and their correlation with a property of the words.

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
        The score of each word; forms of one have one, under their names with a slash between them.
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
        Seed of the checks.
    checks
        Two p-values: of permuted properties, and of words of the same frequencies.
    judged
        The level of evidence within the test's family.
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
    checks: Checks
    judged: Judged | None = None

    @property
    def case(self) -> Case:
        """What is judged of it within a family."""
        whole = {form for forms in _whole(self.test, self.missing) for form in forms}
        return case_of(self.checks, self.test, {*self.missing, *self.test.words.words} - whole)

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
            **_shared(self.checks.fields()),
            **(self.judged.fields() if self.judged else {}),
            direction=direction_of(self.pearson.r),
            **more,
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return one row per word: its score, its property and what the line predicts."""
        with requiring("pandas", "pandas"):
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
    embedding: EncoderLike,
    test: WefatTest | str | None = None,
    *,
    words: Sequence[str] | None = None,
    attributes: tuple[Sequence[str], Sequence[str]] | None = None,
    property: Mapping[str, float] | None = None,  # noqa: A002 - the papers' own word
    cache: EncodingStore | None = None,
    seed: int = 0,
) -> WefatResult:
    """Run a WEFAT: does the association of words with two sets of attributes predict a property of the words?

    Parameters
    ----------
    embedding
        An embedding or an encoder, as `open_subject` accepts it; an encoder is asked about words in sentences.
    test
        The id of a catalogue test, or a test of your own.
    words
        Words to score, in place of a test.
    attributes
        Two lists of words, a and b, in place of a test.
    property
        A number per word; replaces the numbers of a test that is given.
    cache
        Where encodings are kept between runs.
    seed
        Seed of the checks.

    Returns
    -------
    WefatResult
        Correlations of scores and property, and the line between them.

    Examples
    --------
    >>> imprint.wefat("default", "caliskan-wefat-occupations")
    WefatResult('caliskan-wefat-occupations' on glove.6B.100d: r = 0.70, p = 1.27e-08, 50 words, 0 missing)
    """
    asked = _resolve(test, words, attributes, property)
    vectors = word_vectors(embedding, words_of([asked]), language=asked.language, cache=cache)
    return judge_all([measure(vectors, asked, seed=seed)])[0]


def measure(embedding: Embedding, test: WefatTest, *, seed: int = 0) -> WefatResult:
    """Run a test whose words were checked, outside of any family."""
    if test.property is None:
        raise StimulusError(
            f"comes without the {test.property_name}",
            where=test.id,
            hint="give it as --property FILE.csv (word,value)",
        )
    rows = find_rows(embedding, (test.words, test.a, test.b))
    found, a, b = rows.sets
    refuse_overlap(embedding, test.a, test.b, (a, b))
    units = _whole(test, found.missing)
    if len(units) < _FEWEST:
        raise StimulusError(f"{len(units)} words found", expected=f"at least {_FEWEST}", where=test.id)
    words = tuple("/".join(forms) for forms in units)
    places = {word: place for place, word in enumerate(found.words)}
    kept = [places[form] for forms in units for form in forms]
    found = replace(found, tokens=tuple(found.tokens[place] for place in kept), vectors=found.vectors[kept])
    table = _mean_of_forms(np.hstack([cosines(found.vectors, side.vectors) for side in (a, b)]), test.forms)
    scores = _scores(table[:, : len(a.words)], table[:, len(a.words) :], words)
    values = np.array([test.property[forms[0]] for forms in units])
    for name, numbers in (("scores", scores), (test.property_name, values)):
        if np.all(numbers == numbers[0]):
            raise StimulusError(f"all {name} are the same, so nothing can correlate with them", where=test.id)
    checks, shuffled = _checks(embedding, (found, a, b), table, scores, values, test, seed)
    pearson, spearman = _pearson(scores, values), _spearman(scores, values)
    if test.shared:  # a p-value over words would count words of one number as independent
        low, high = (math.nan if end is None else end for end in (checks.words_low, checks.words_high))
        pearson = Correlation(pearson.r, checks.p_of("label"), low, high)
        spearman = Correlation(spearman.r, _rank_p(scores, values, shuffled), math.nan, math.nan)
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
        scores=dict(zip(words, scores.tolist(), strict=True)),
        values=dict(zip(words, values.tolist(), strict=True)),
        n_a=len(a.words),
        n_b=len(b.words),
        missing=rows.missing,
        lowered=rows.lowered,
        from_subwords=rows.from_subwords,
        seed=seed,
        checks=checks,
    )


def _whole(test: WefatTest, missing: Collection[str]) -> list[tuple[str, ...]]:
    """Return the forms of each word that has them all; a word of which one form is missing is left out."""
    words, lost = test.words.words, set(missing)
    together = [words[first : first + test.forms] for first in range(0, len(words), test.forms)]
    return [forms for forms in together if lost.isdisjoint(forms)]


def _mean_of_forms(rows: Averaged, forms: int) -> Averaged:
    """Return the mean of so many rows in turn, along the last axis but one."""
    return cast(Averaged, rows.reshape(*rows.shape[:-2], -1, forms, rows.shape[-1]).mean(axis=-2))


def _checks(
    embedding: Embedding,
    sets: tuple[Lookup, ...],
    table: Floats,
    scores: Floats,
    values: Floats,
    test: WefatTest,
    seed: int,
) -> tuple[Checks, Floats]:
    """Permute the property; draw words of the same frequencies; leave out words and attributes one by one.

    Words that share a number keep sharing one, and are left out together. The permuted properties are returned too.
    """
    permuting, drawing = np.random.SeedSequence([seed, _SEED]).spawn(2)
    observed = abs(float(_correlations(scores[None], values)[0])) * (1 - 1e-12)
    numbers, owner = np.unique(values, return_inverse=True) if test.shared else (values, np.arange(len(values)))
    shuffled = np.random.default_rng(permuting).permuted(np.tile(numbers, (_PERMUTATIONS, 1)), axis=1)[:, owner]
    found: dict[str, Any] = _over_words(table, len(sets[1].words), values, owner)
    if embedding.background is not None:
        ranks = [embedding.ranks_of(one.tokens) for one in sets]
        rng = np.random.default_rng(drawing)
        drawn = _drawn_correlations(embedding.background, ranks, values, rng, test.forms)
        found["p_frequency"] = _reached(drawn, observed)
    checks = Checks(
        _reached(_correlations(shuffled, scores), observed),
        p_label_floor=max(1 / (_PERMUTATIONS + 1), 1 / math.factorial(len(numbers))),
        asked=("label", "frequency", "words"),
        **found,
    )
    return checks, shuffled


def _reached(correlations: Floats, observed: float) -> float:
    return float((np.sum(np.abs(correlations) >= observed) + 1) / (len(correlations) + 1))


def _correlations(rows: Floats, values: Floats) -> Floats:
    """Return Pearson's correlation of each row with values; 0 for a row without spread."""
    centred = rows - rows.mean(axis=-1, keepdims=True)
    other = values - values.mean(axis=-1, keepdims=True)
    scale = np.linalg.norm(centred, axis=-1) * np.linalg.norm(other, axis=-1)
    return np.asarray((centred * other).sum(axis=-1) / np.where(scale > 0, scale, np.inf))


def _over_words(table: Floats, n_a: int, values: Floats, owner: Ints) -> dict[str, float]:
    """Return the interval of r over words and attributes, and its p-value; words of one owner are left out together.

    They come from Fisher's z with the jackknife's error of all three sets. Resampling would do it too, but the noise
    that it adds to the scores draws r towards zero.
    """
    columns, owners = table.shape[1], np.unique(owner)
    scores = _standardised(table, n_a)
    r = float(_correlations(scores[None], values)[0])
    if min(n_a, columns - n_a, len(owners) - 1) < 3 or abs(r) >= 1 - 1e-12:
        return {}
    left_out = [np.flatnonzero(owner != one) for one in owners]
    parts = [np.array([float(_correlations(scores[kept], values[kept])) for kept in left_out])]
    for first, last in ((0, n_a), (n_a, columns)):
        without = [np.delete(table, place, axis=1) for place in range(first, last)]
        fewer = [_standardised(one, n_a - (first == 0)) for one in without]
        parts.append(_correlations(np.array(fewer), values))
    spreads = [(len(part) - 1) * float(np.arctanh(part).var()) for part in parts]
    variance = sum(spreads)
    if not variance > 0:
        return {}
    df = variance**2 / sum(one**2 / (len(part) - 1) for one, part in zip(spreads, parts, strict=True))
    z, error = math.atanh(r), math.sqrt(variance)
    half = quantile(0.05, df) * error
    return {
        "words_low": math.tanh(z - half),
        "words_high": math.tanh(z + half),
        "p_words": two_sided(z / error, df),
    }


def _standardised(table: Floats, n_a: int) -> Floats:
    """Return the score of each word (row) with these attributes (columns)."""
    columns = table.shape[1]
    ones = np.ones((1, columns), dtype=np.int64)
    in_a, in_b = ones[:, :n_a] @ table[:, :n_a].T / n_a, ones[:, n_a:] @ table[:, n_a:].T / (columns - n_a)
    centre = ones @ table.T / columns
    squares = np.maximum(0.0, ones @ (table**2).T - columns * centre**2) / (columns - 1)
    return np.asarray(((in_a - in_b) / np.sqrt(np.where(squares > 0, squares, np.inf)))[0])


def _drawn_correlations(
    background: Background, ranks: Sequence[Ints], values: Floats, rng: np.random.Generator, forms: int = 1
) -> Floats:
    """Return r with random words of the same frequencies in the place of words and attributes."""
    words = background.rows[background.draw(ranks[0], _SETS, rng, half=0)]  # sets, words, dimensions
    of_a, of_b = (background.rows[background.draw(side, _SETS, rng, half=1)] for side in ranks[1:])
    flat = _mean_of_forms(words, forms).reshape(-1, words.shape[-1])
    found = []
    for attributes_a, attributes_b in zip(of_a, of_b, strict=True):
        table = (flat @ np.vstack([attributes_a, attributes_b]).T).astype(np.float64)
        scores = _standardised(table, len(attributes_a)).reshape(_SETS, -1)
        chosen = rng.integers(0, _SETS, scores.shape)
        found.append(_correlations(np.take_along_axis(scores, chosen, axis=0), values))
    return np.concatenate(found)


def _shared(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that rows of all judged tests have."""
    return {name: fields[name] for name in fields if name in JudgedRow.__struct_fields__}


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
    r, p = pearson_correlation(scores, values)
    return Correlation(r, p, *fisher_interval(r, 1 / (len(scores) - 3)))


def _spearman(scores: Floats, values: Floats) -> Correlation:
    """Spearman's correlation: p over all orders of few words, else by the t distribution.

    Its interval is Fisher's z with the variance of Bonett and Wright (2000); perfect ranks have none.
    """
    r, p = rank_correlation(scores, values)
    if abs(r) >= 1 - 1e-12:
        return Correlation(r, p, math.nan, math.nan)
    return Correlation(r, p, *fisher_interval(r, (1 + r * r / 2) / (len(scores) - 3)))


def _rank_p(scores: Floats, values: Floats, shuffled: Floats) -> float:
    """Return the p-value of Spearman's correlation over permuted properties."""
    order, own = midranks(np.stack([scores, values]))
    observed = abs(float(_correlations(own, order))) * (1 - 1e-12)
    return _reached(_correlations(midranks(shuffled), order), observed)


def _t_statistic(r: float, n: int) -> float:
    return math.copysign(math.inf, r) if abs(r) >= 1 else r * math.sqrt((n - 2) / (1 - r * r))
