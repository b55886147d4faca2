"""In search: does a model rank documents about one group of people before those about another?

Equal documents in two versions, or with names of two groups, are scored for queries. The effect is a share of the
distance between relevant and irrelevant documents, and is only called relevance where irrelevant documents do not show
as much. Wilson and Caliskan (2024), "Gender, race, and intersectional bias in resume screening via language model
retrieval"; Krieg et al. (2023), "Grep-BiasIR".
"""

from collections.abc import Mapping, Sequence
from typing import Any

from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingStore
from imprint.scoring.collect import Pace, collect
from imprint.scoring.plan import RankingPlan
from imprint.scoring.rows import RetrievalRow, ScoredRows
from imprint.scoring.scorers import EncoderScorer, Scorer, ScorerLike, open_scorer, pair_line
from imprint.scoring.settings import RetrievalOptions, RetrievalSettings, is_pair_scorer
from imprint.scoring.swap import chosen_swaps
from imprint.settings import settable
from imprint.stimuli.retrieval import RetrievalSet, bundled_set, read_pairs, read_sets


@settable(RetrievalSettings)
def retrieval(ranker: "ScorerLike | Encoder", settings: RetrievalSettings) -> ScoredRows[RetrievalRow]:
    """Ask whether a model ranks documents about one group of people before those about another.

    Parameters
    ----------
    ranker
        A sentence encoder, as `open_encoder` accepts it by name, which scores by cosine. Or what scores pairs of a
        query and a document, as rerankers do: a function from a list of pairs to one number for each,
        `module:function`, `command:PROGRAM`, or `scorer:URL`.

    Returns
    -------
    Rows
        One row per effect; `scored` is how many pairs were scored now.

    Examples
    --------
    >>> imprint.retrieval("cbow", ["grep-biasir"], edits=False)["grep-biasir"].outcome
    'small'
    """
    plans = [RankingPlan(ranked, settings.edits) for ranked in asked_sets(settings)]
    texts = list(dict.fromkeys(text for plan in plans for pair in plan.scored for text in pair))
    scorer = open_pair_scorer(ranker, texts, settings.cache, settings.given)
    plans = [plan.for_scorer(scorer) for plan in plans]
    lines = [pair_line(*pair) for plan in plans for pair in plan.scored]
    collected = collect(scorer, lines, cache=settings.cache, pace=Pace(settings.per_second), report=settings.report)
    rows = [row for plan in plans for row in plan.measure(collected.scores, scorer, settings.top)]
    return ScoredRows(rows, collected.asked)


def asked_sets(settings: RetrievalOptions) -> tuple[RetrievalSet, ...]:
    """Return the bundled sets that are asked for, or the user's own."""
    queries, documents, pairs, names = settings.queries, settings.documents, settings.pairs, settings.names
    if queries is not None and pairs is not None:
        return (read_pairs(queries, pairs),)
    if queries is not None and documents is not None:
        swaps = chosen_swaps(names, settings.groups) if names or settings.groups else ()
        return read_sets(queries, documents, swaps)
    return tuple(map(bundled_set, dict.fromkeys(settings.sets)))


def open_pair_scorer(
    model: "ScorerLike | Encoder", texts: Sequence[str], cache: EncodingStore | None, options: Mapping[str, Any]
) -> Scorer:
    """Open an encoder, or what scores pairs by itself."""
    if isinstance(model, Encoder):
        return EncoderScorer(model, cache=cache)
    if isinstance(model, str) and not is_pair_scorer(model):
        return open_scorer(f"encoder:{model}", pairs=True, texts=texts, cache=cache, **options)
    scorer = model.removeprefix("scorer:") if isinstance(model, str) else model
    return open_scorer(scorer, pairs=True, **options)
