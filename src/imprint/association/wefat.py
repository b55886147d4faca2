"""The Word Embedding Factual Association Test: does an embedding know a number about the world?

Caliskan, Bryson and Narayanan (2016), Methods: each word's score is its difference of mean cosines to A and B
divided by the standard deviation of its cosines to both; the property is regressed on the score. (Their
figures draw the property along x; the regression predicts it, and so is it here.)
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, TypeVar, cast

import numpy as np

from imprint.association.cosines import cosines, mean, sample_sd
from imprint.association.rows import WORDS_HIGH, WORDS_LOW, OutcomeRow
from imprint.association.sizes import REPLACEMENTS
from imprint.association.vectors import find_rows, require_pair
from imprint.association.weat import require_test
from imprint.embeddings.background import Background
from imprint.embeddings.embedding import Embedding, unit_rows
from imprint.encoders.cache import EncodingStore
from imprint.errors import SettingError, StimulusError
from imprint.rows import WordValue, shown, word_values
from imprint.significance.crossed import quantile, sample_quantile
from imprint.significance.outcomes import CONFIDENCE, FREQUENCY_LEVEL, Reason, outcome, too_few
from imprint.significance.ranks import midranks
from imprint.significance.ranks import pearson as pearson_correlation
from imprint.stimuli import catalog
from imprint.stimuli.definition import UNDETERMINED, WefatTest, WordSet, described, validate, words_of
from imprint.subjects.framed import word_vectors
from imprint.subjects.opening import EncoderLike
from imprint.threads import single_threaded
from imprint.types import Floats, Floats32, Ints

Averaged = TypeVar("Averaged", Floats, Floats32)

_FEWEST = 4  # words: three numbers leave a correlation no interval
_COPIES = 400  # mirrored ones
_UNUSUAL = 0.95  # share of mirrored copies
_AT_ONCE = 4_000_000  # cosines of random attributes
_SEED = 0x3EFA


class WefatRow(OutcomeRow, frozen=True, kw_only=True, tag="wefat"):
    """One WEFAT: the correlation of scores with a number known of each word, and what its interval says."""

    property: Annotated[str, shown("Property", "What is known of each word.")]
    r: Annotated[
        float,
        shown(
            "r",
            "Pearson's correlation of each word's score with the number known, with its 99.5 % interval over words.",
            ends="words",
        ),
    ]
    words_low: Annotated[float | None, WORDS_LOW] = None
    words_high: Annotated[float | None, WORDS_HIGH] = None
    p_value: Annotated[
        float | None,
        shown("p", "As published: two-sided, of the slope. None where several words share one number.", shape="p"),
    ] = None
    p_frequency: Annotated[
        float | None,
        shown(
            "p, frequency",
            "Share of random attributes of the same frequencies with which these words correlate as much.",
        ),
    ] = None
    mirrored: Annotated[
        float | None,
        shown(
            "Mirrored copies",
            "What |r| stays below in 19 of 20 copies of this model whose words are mirrored along its axes at random.",
        ),
    ] = None
    spearman: Annotated[float, shown("Spearman", "Correlation of ranks.")]
    slope: Annotated[float, shown("Slope", "Slope of the line that predicts the number from the score.", digits=1)]
    intercept: Annotated[float, shown("Intercept", "Where that line begins.", digits=1)]
    n_words: Annotated[int, shown("Words", "Words that have a vector and a number.")]
    values: Annotated[tuple[WordValue, ...], shown("Values", "The number known of each word.")]

    def __repr__(self) -> str:
        counts = f"{self.n_words} words, {len(self.missing)} missing"
        return f"WefatRow({self.test!r} on {self.embedding}: r = {self._said(self.r, '.2f')}, {counts})"


def wefat(
    subject: EncoderLike,
    test: WefatTest | str | None = None,
    *,
    targets: Sequence[str] | None = None,
    attributes: tuple[Sequence[str], Sequence[str]] | None = None,
    property: Mapping[str, float] | None = None,  # noqa: A002 - the papers' own word
    cache: EncodingStore | None = None,
    seed: int = 0,
) -> WefatRow:
    """Run a WEFAT: does the association of words with two sets of attributes predict a property of the words?

    Parameters
    ----------
    subject
        An embedding or an encoder, as `open_subject` accepts it; an encoder is asked about words in sentences.
    test
        The id of a catalogue test, or a test of your own.
    targets
        A list of words to score, in place of a test.
    attributes
        Two lists of words, a and b, in place of a test.
    property
        A number per word; replaces the numbers of a test that is given.
    cache
        Where encodings are kept between runs.
    seed
        Seed of everything random.

    Returns
    -------
    WefatRow
        The correlation of scores and property with its interval and outcome, and the line between them.

    Examples
    --------
    >>> imprint.wefat("default", "caliskan-wefat-occupations")
    WefatRow('caliskan-wefat-occupations' on glove.6B.100d: r = 0.70 [0.39 to 0.87], present, 50 words, 0 missing)
    """
    resolved = _resolve(test, targets, attributes, property)
    vectors = word_vectors(subject, words_of([resolved]), language=resolved.language, cache=cache)
    return measure(vectors, resolved, seed=seed)


def measure(embedding: Embedding, test: WefatTest, *, seed: int = 0) -> WefatRow:
    """Run a test whose words were checked."""
    if test.property is None:
        raise StimulusError(
            f"comes without the {test.property_name}",
            where=test.id,
            hint="give it as --property FILE.csv (word,value)",
        )
    rows = find_rows(embedding, (test.words,), (test.a, test.b))
    targets, a, b = rows.sets
    units = _whole(test, targets.missing)
    if len(units) < _FEWEST:
        raise StimulusError(f"{len(units)} words found", expected=f"at least {_FEWEST}", where=test.id)
    words = tuple("/".join(forms) for forms in units)
    index_of = {word: index for index, word in enumerate(targets.words)}
    targets = replace(targets, vectors=targets.vectors[[index_of[form] for forms in units for form in forms]])
    n_a, n_b = len(a.words), len(b.words)
    table = _mean_of_forms(np.hstack([cosines(targets.vectors, side.vectors) for side in (a, b)]), test.forms)
    scores = _scores(table[:, :n_a], table[:, n_a:], words)
    values = np.array([test.property[forms[0]] for forms in units])
    for name, numbers in (("scores", scores), (test.property_name, values)):
        if np.all(numbers == numbers[0]):
            raise StimulusError(f"all {name} are the same, so nothing can correlate with them", where=test.id)
    r, p_value = pearson_correlation(scores, values)
    owner = np.unique(values, return_inverse=True)[1] if test.shared else np.arange(len(values))
    listed = (len(test.words) // test.forms, len(test.a), len(test.b))
    few = too_few((len(np.unique(owner)), n_a, n_b), (len(units), n_a, n_b), listed)
    low, high = (None, None) if few else interval_of_r(table, n_a, values, owner)
    p_frequency = mirrored = None
    if embedding.background is not None:
        vectors = _mean_of_forms(unit_rows(targets.vectors), test.forms)
        ranks = embedding.ranks_of(a.tokens + b.tokens)
        p_frequency = _frequency_p(vectors, ranks, n_a, values, embedding.background, r, seed)
        attributes = unit_rows(np.concatenate([a.vectors, b.vectors]))
        mirrored = _mirrored(vectors, attributes, n_a, values, embedding.background, seed)
    is_explained = p_frequency is None or p_frequency > FREQUENCY_LEVEL
    obstacle: Reason | None = "few words" if few else "frequency" if is_explained else None
    judgement = outcome(low, high, margin=None, obstacle=obstacle)
    slope = r * sample_sd(values) / sample_sd(scores)
    return WefatRow(
        test=test.id,
        embedding=embedding.name,
        embedding_sha256=embedding.sha256,
        seed=seed,
        missing=rows.missing,
        lowered=rows.lowered,
        from_subwords=rows.from_subwords,
        **described(test),
        property=test.property_name,
        r=r,
        words_low=low,
        words_high=high,
        **judgement.fields(),
        p_value=None if test.shared else p_value,
        p_frequency=p_frequency,
        mirrored=mirrored,
        spearman=pearson_correlation(*midranks(np.stack([scores, values])))[0],
        slope=slope,
        intercept=mean(values) - slope * mean(scores),
        n_words=len(units),
        n_a=n_a,
        n_b=n_b,
        scores=word_values(dict(zip(words, scores.tolist(), strict=True))),
        values=word_values(dict(zip(words, values.tolist(), strict=True))),
    )


def _whole(test: WefatTest, missing: Collection[str]) -> list[tuple[str, ...]]:
    """Return the forms of each word that has them all; a word of which one form is missing is left out."""
    words, lost = test.words.words, set(missing)
    together = [words[first : first + test.forms] for first in range(0, len(words), test.forms)]
    return [forms for forms in together if lost.isdisjoint(forms)]


def _mean_of_forms(rows: Averaged, forms: int) -> Averaged:
    """Return the mean of so many rows in turn."""
    return cast(Averaged, rows.reshape(-1, forms, rows.shape[-1]).mean(axis=1))


def interval_of_r(
    table: Floats, n_a: int, values: Floats, owner: Ints, confidence: float = CONFIDENCE
) -> tuple[float | None, float | None]:
    """Return the interval of r over words and attributes; words of one owner are left out together.

    It is about r with as many attributes: fewer make scores less exact, and so r smaller.

    Its ends are those of Fisher's z, with the jackknife's variance of the three sets, less the interaction of words
    with attributes, which is in the variances of both. There are none where r is 1, or would be without a word.
    """
    columns = table.shape[1]
    without_attribute = [(np.delete(table, index, axis=1), n_a - (index < n_a)) for index in range(columns)]
    scores = np.array([standardised(*part) for part in ((table, n_a), *without_attribute)])
    with np.errstate(divide="ignore", invalid="ignore"):  # r may be 1, or by rounding more
        z = np.arctanh(correlations(scores, values))
        kept_words = [owner != unit for unit in np.unique(owner)]
        without = np.array([np.arctanh(correlations(scores[:, is_kept], values[is_kept])) for is_kept in kept_words])
    if not (np.isfinite(z).all() and np.isfinite(without).all()):
        return None, None
    count, sides = len(without), [slice(1, 1 + n_a), slice(1 + n_a, None)]
    main, shared, weights = [(count - 1) * float(without[:, 0].var())], [], [1 / (count - 1)]
    for side in sides:
        both, size = without[:, side], len(z[side])
        centred = both - both.mean(axis=0) - both.mean(axis=1, keepdims=True) + both.mean()
        main.append((size - 1) * float(z[side].var()))
        shared.append((count - 1) * (size - 1) * float((centred**2).mean()))
        weights.append(1 / (size - 1))
    variance = max(sum(main) - sum(shared), *main)
    if not variance > 0:
        return None, None
    squares = sum(part**2 * weight for part, weight in zip(main, weights, strict=True))
    squares += sum(part**2 * weights[0] * weight for part, weight in zip(shared, weights[1:], strict=True))
    half = quantile(1 - confidence, variance**2 / squares) * math.sqrt(variance)
    return math.tanh(z[0] - half), math.tanh(z[0] + half)


def _frequency_p(
    words: Floats, ranks: Ints, n_a: int, values: Floats, background: Background, r: float, seed: int
) -> float:
    """Return the share of random attributes of like frequencies with which r is as far from 0.

    The words keep their numbers. Where these go with frequency, attributes that are as far apart in it show that.
    """
    drawn = background.draw(ranks, REPLACEMENTS, np.random.default_rng([seed, _SEED]))
    with single_threaded():
        table: Floats32 = words.astype(np.float32) @ background.rows.T
    parts = np.array_split(drawn, math.ceil(len(words) * drawn.size / _AT_ONCE))
    drawn_r = [correlations(standardised(table[:, part], n_a).T, values) for part in parts]
    reached = sum(int(np.count_nonzero(np.abs(part) >= abs(r))) for part in drawn_r)
    return (1 + reached) / (1 + REPLACEMENTS)


def _mirrored(words: Floats, attributes: Floats, n_a: int, values: Floats, background: Background, seed: int) -> float:
    """Return what |r| stays below in most copies whose words have signs of the space's axes exchanged at random."""
    rng = np.random.default_rng([seed, _SEED, 1])
    with single_threaded():
        axes = background.axes
        along, others = words @ axes, (attributes @ axes).T
        signs = rng.choice([-1.0, 1.0], (_COPIES, axes.shape[1]))
        copies = [standardised((along * flips) @ others, n_a) for flips in signs]
    return sample_quantile(np.abs(correlations(np.array(copies), values)), _UNUSUAL)


def correlations(rows: Floats, values: Floats) -> Floats:
    """Return Pearson's correlation of each row with values; 0 for a row without spread."""
    centred = rows - rows.mean(axis=-1, keepdims=True)
    other = values - values.mean()
    scale = np.linalg.norm(centred, axis=-1) * np.linalg.norm(other)
    return np.asarray((centred * other).sum(axis=-1) / np.where(scale > 0, scale, np.inf))


def standardised(table: Floats | Floats32, n_a: int) -> Floats:
    """Return the score of each word with the attributes of the last axis."""
    spread = table.std(axis=-1, ddof=1)
    difference = table[..., :n_a].mean(axis=-1) - table[..., n_a:].mean(axis=-1)
    return np.asarray(difference / np.where(spread > 0, spread, np.inf))


def _resolve(
    test: WefatTest | str | None,
    targets: Sequence[str] | None,
    attributes: tuple[Sequence[str], Sequence[str]] | None,
    values: Mapping[str, float] | None,
) -> WefatTest:
    if test is None and targets is not None and attributes is not None and values is not None:
        require_pair("attributes", attributes)
        w, a, b = (WordSet.of(name, group) for name, group in zip("WAB", (targets, *attributes), strict=True))
        test = WefatTest("custom", "words and a property", "given by the user", UNDETERMINED, w, a, b)
        return test.with_property(values)
    sets = {"targets": targets, "attributes": attributes} | ({"property": values} if test is None else {})
    required = require_test("wefat", test, **sets)
    opened = catalog.get(required) if isinstance(required, str) else required
    if not isinstance(opened, WefatTest):
        got = getattr(opened, "id", opened)
        raise SettingError(option="test", got=got, expected="a WEFAT", hint="run a WEAT with weat")
    if values is not None:
        return opened.with_property(values)
    validate(opened)
    return opened


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
