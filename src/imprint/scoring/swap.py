"""Does a score change when only the name changes? Names are the unit, and texts are drawn as names are.

Caliskan et al. (2016), "Effects of bias in NLP applications", describe the experiment: the same sentence with a name
of another group. Here any scorer can be asked.
"""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from imprint.association.sizes import is_explained_by_frequency
from imprint.encoders.base import identify
from imprint.errors import SettingError, VocabularyError
from imprint.rows import TemplateValue, WordList, WordValue
from imprint.scoring.collect import Pace, collect
from imprint.scoring.rows import ScoredRows, SwapRow
from imprint.scoring.scorers import Scorer, ScorerLike, open_scorer, pair_line
from imprint.scoring.settings import SwapSettings, Texts
from imprint.settings import settable
from imprint.significance.crossed import FEWEST_UNITS, Factor, OverWords, smallest_detectable
from imprint.significance.outcomes import CONFIDENCE, Reason, outcome, too_few
from imprint.significance.partitions import permutation_test
from imprint.significance.swapped import (
    FEW_SIGNS,
    at_equal_frequency,
    in_the_top,
    over_names,
    over_texts,
    pair_shares,
    sign_flips,
)
from imprint.stimuli.swaps import Swap, SwapTexts, bundled_texts, fill_in, find_swaps, read_texts, swaps_of_groups
from imprint.subjects.background import ranks_of
from imprint.types import Floats

_RANKED = 0.9  # share of names with a known frequency, below which frequency is not checked
_SPLIT = 120  # names up to which their splits are counted, in less than a second
_ROUNDING = 1e-9  # relative: a smaller error is none


@settable(SwapSettings)
def swap(scorer: ScorerLike, settings: SwapSettings) -> ScoredRows[SwapRow]:
    """Ask whether a score changes when only a name, or a pronoun, changes.

    Parameters
    ----------
    scorer
        A function from a list of texts to one number per text. Or a name: `module:function`, `command:PROGRAM`, the
        URL of an endpoint, `valence:EMBEDDING`, or `encoder:ENCODER` with a `query`. With a query, a function gets
        pairs (query, text).

    Returns
    -------
    Rows
        One row per comparison; `scored` is how many texts were scored now.

    Examples
    --------
    >>> imprint.swap("valence:default", "caliskan-5")["caliskan-5"].share_lower
    0.95703125
    """
    query, cache = settings.query, settings.cache
    swaps = chosen_swaps(settings.names, settings.groups)
    texts = bundled_texts() if settings.templates is None else read_texts(settings.templates)
    every = [text for exchange in swaps for text in swap_texts(exchange, texts)]
    every_text = [*every, *([query] if query else [])]
    opened = open_scorer(scorer, pairs=query is not None, texts=every_text, cache=cache, **settings.given)
    line = (lambda text: text) if query is None else partial(pair_line, query)
    seen = [(exchange, _without_missing(exchange, opened)) for exchange in swaps]
    scored = [text for _, exchange in seen for text in swap_texts(exchange, texts)]
    collected = collect(
        opened, list(map(line, scored)), cache=cache, pace=Pace(settings.per_second), report=settings.report
    )
    scores = {text: collected.scores[line(text)] for text in scored}
    scored_by = opened.name, opened.identity
    if query is not None:
        digest = identify(adapter="encoder", encoder=opened.identity, query=query)
        scored_by = f"{opened.name}, query {query!r}", digest
    rows = (_measure(listed, exchange, texts.of(listed), scores, scored_by, settings.top) for listed, exchange in seen)
    return ScoredRows(rows, collected.asked)


def chosen_swaps(names: Sequence[str], groups: Sequence[Texts] | None = None) -> list[Swap]:
    """Return the swaps that names mean, each once, or those of two groups, or of a 2 x 2."""
    if groups:
        return swaps_of_groups(groups)
    listed = list(dict.fromkeys([names] if isinstance(names, str) else names))
    if not listed:
        raise SettingError(option="names", got=names, expected="at least one comparison, such as race")
    return [swap for name in listed for swap in find_swaps(name)]


def swap_texts(exchange: Swap, texts: SwapTexts) -> list[str]:
    """Return every text of a swap, name by name."""
    return [fill_in(text, word) for word in exchange.words for text in texts.of(exchange)]


def _without_missing(listed: Swap, scorer: Scorer) -> Swap:
    """Return a swap without the names that the scorer cannot see."""
    if listed.of_pronouns:
        return listed
    missing = {*scorer.lacks(listed.words)}
    seen = listed.keep({*listed.words} - missing)
    for group in seen.groups:
        if not len(group):
            raise VocabularyError(
                f"the scorer knows none of the {group.name}",
                words=[word for word in listed.words if word in missing],
                where=listed.id,
                hint="give other names",
            )
    return seen


def _measure(
    listed: Swap,
    exchange: Swap,
    texts: Sequence[str],
    scores: Mapping[str, float],
    scored_by: tuple[str, str],
    top: int,
) -> SwapRow:
    """Compare the groups of a swap; the names that were `listed` include those that the scorer cannot see."""
    names, n_x = exchange.words, len(exchange.x)
    table = np.array([[scores[fill_in(text, name)] for text in texts] for name in names])
    means = table.mean(axis=1)
    # A scorer that ignores names gives each text one score: less that of the first name, all are exactly zero.
    centred = table - table[0]
    by_text = sum(part * rows.mean(axis=0) for part, rows in _by_group(exchange, centred))
    spread = float((table if exchange.of_pronouns else means).std(ddof=1))
    lowered, tied = pair_shares(table, n_x)
    compared = _of_pronouns(by_text) if listed.of_pronouns else _of_names(listed, exchange, centred)
    return SwapRow(
        test=listed.id,
        embedding=scored_by[0],
        embedding_sha256=scored_by[1],
        title=listed.title,
        is_interaction=listed.is_interaction,
        topics=listed.topics,
        source=listed.source,
        language=listed.language,
        sets=tuple(WordList(role, side.name, side.words) for role, side in (("x", listed.x), ("y", listed.y))),
        scores=tuple(map(WordValue, names, means.tolist())),
        missing=tuple(word for word in listed.words if word not in {*names}),
        mean_difference=float(by_text.mean()),
        effect_size=float(by_text.mean()) / spread if spread > 0 else None,
        n_x=n_x,
        n_y=len(names) - n_x,
        n_texts=len(texts),
        share_lower=lowered,
        share_tied=tied,
        by_text=tuple(map(TemplateValue, texts, by_text.tolist())),
        **compared,
        **({} if listed.of_pronouns else _at_the_top(table, n_x, top)),
    )


def _of_pronouns(by_text: Floats) -> dict[str, Any]:
    """Return what two pronouns come to: texts are the unit, and the pronouns of each change places for p."""
    p_value, count = sign_flips(by_text), len(by_text)
    obstacle: Reason | None = "few words" if count < FEWEST_UNITS else None
    return {
        "permuted": "pronouns",
        **_judged(float(by_text.mean()), over_texts(by_text, CONFIDENCE), p_value, obstacle),
        "p_value": p_value,
        "p_floor": 2.0 ** (1 - count),
        "p_method": "exact" if count <= FEW_SIGNS else "certified",
        "partitions": str(2**count),
    }


def _of_names(listed: Swap, exchange: Swap, table: Floats) -> dict[str, Any]:
    """Return what two groups of names come to: names are the unit, and so are texts where there are four or more."""
    n_x, means = len(exchange.x), table.mean(axis=1)
    difference = float(sum(part * scores.mean() for part, scores in _by_group(exchange, means)))
    scale = exchange.scale
    if exchange.cells:  # what other effects do is taken off
        means = np.concatenate([scores - scores.mean() for _, scores in _by_group(exchange, means)])
        means[:n_x] += difference / scale
    x, y = np.split(means, [n_x])
    fields: dict[str, Any] = {"permuted": "names"}
    if len(table) <= _SPLIT:
        split = permutation_test(x, y, alternative="two-sided")
        fields["p_value"] = split.p_value
        fields |= {name: value for name, value in split.details().items() if name in SwapRow.__struct_fields__}
    is_explained = not listed.is_matched
    ranks, share_ranked = ranks_of(exchange.words)
    if share_ranked >= _RANKED:
        fields["rank_x"], fields["rank_y"] = (float(np.median(side)) + 1 for side in np.split(ranks, [n_x]))
        adjusted = None if listed.is_matched else at_equal_frequency(means, n_x, np.log(ranks + 1.0))
        if adjusted is not None:
            fields["adjusted_difference"], fields["p_frequency"] = scale * adjusted[0], adjusted[1]
            octaves = abs(math.log2(fields["rank_x"] / fields["rank_y"]))
            is_explained = is_explained_by_frequency(fields["p_frequency"], octaves)
    counts, of = (tuple(map(len, swap.groups)) for swap in (exchange, listed))
    few = too_few(counts, counts, of)
    obstacle: Reason | None = "frequency" if is_explained else None
    if few or table.shape[1] < FEWEST_UNITS:
        obstacle = "few words"
    interval = over_names(table, Factor.of(*counts, coefficients=exchange.coefficients), CONFIDENCE)
    return {**fields, **_judged(difference, interval, fields.get("p_value"), obstacle)}


def _by_group(exchange: Swap, table: Floats) -> list[tuple[float, Floats]]:
    """Return the rows of each group of names, with the part that its mean has in the difference."""
    ends = np.cumsum([len(group) for group in exchange.groups])[:-1]
    return list(zip(exchange.coefficients, np.split(table, ends), strict=True))


def _judged(
    difference: float, interval: OverWords | None, p_value: float | None, obstacle: Reason | None
) -> dict[str, Any]:
    """Return the interval over names and texts, and what it says."""
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    if obstacle != "few words" and (interval is None or interval.error <= _ROUNDING * abs(difference)):
        # Nothing varies, as where a scorer says yes to one group and no to the other: too few could do so by chance.
        is_certain = difference == 0 or p_value is None or p_value <= 1 - CONFIDENCE
        low = high = difference if is_certain else None
    judged = outcome(low, high, margin=None, obstacle=obstacle)
    return {
        "words_low": low,
        "words_high": high,
        "detectable": None if interval is None else smallest_detectable(interval.error, interval.df, CONFIDENCE),
        **judged.fields(),
    }


def _at_the_top(table: Floats, n_x: int, top: int) -> dict[str, Any]:
    """Return how many of the best names of a text are of the second group, and how many to expect."""
    places = max(1, min(top, len(table) // 2))
    return {
        "top_k": places,
        "top_y": in_the_top(table, n_x, places),
        "top_expected": places * (len(table) - n_x) / len(table),
    }
