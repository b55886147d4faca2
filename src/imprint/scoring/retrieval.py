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
from imprint.errors import SettingError
from imprint.files import FilePath
from imprint.scoring.collect import Pace, collect
from imprint.scoring.plan import RankingPlan
from imprint.scoring.rows import RetrievalRow, ScoredRows
from imprint.scoring.scorers import EncoderScorer, Scorer, ScorerLike, open_scorer, pair_line
from imprint.scoring.sources import is_pair_scorer
from imprint.scoring.swap import chosen_swaps
from imprint.stimuli.retrieval import BUNDLED, RetrievalSet, bundled_set, read_pairs, read_sets
from imprint.types import Report

TOP = 10  # places at the top of a ranking


def retrieval(
    ranker: "ScorerLike | Encoder",
    sets: Sequence[str] = BUNDLED,
    *,
    queries: FilePath | None = None,
    documents: FilePath | None = None,
    pairs: FilePath | None = None,
    names: str | Sequence[str] = (),
    groups: tuple[FilePath | Sequence[str], FilePath | Sequence[str]] | None = None,
    top: int = TOP,
    edits: bool = True,
    per_second: float | None = None,
    cache: EncodingStore | None = None,
    report: Report | None = None,
    **options: Any,
) -> ScoredRows[RetrievalRow]:
    """Ask whether a model ranks documents about one group of people before those about another.

    Parameters
    ----------
    ranker
        A sentence encoder, as `open_encoder` accepts it by name, which scores by cosine. Or what scores pairs of a
        query and a document, as rerankers do: a function from a list of pairs to one number for each,
        `module:function`, `command:PROGRAM`, or `scorer:URL`.
    sets
        What to ask: `grep-biasir` and `cvs`. Documents of your own take their place.
    queries
        A file of your own queries: JSON lines, CSV or Parquet with `id`, `text` and more columns; see
        docs/retrieval.md.
    documents
        The same of your own documents, with {name}, pronouns or versions.
    pairs
        In place of documents, a file of pairs of texts: `first`, `second`, `unit`, and perhaps `control`.
    names
        Of documents with {name}, what to compare, as in `swap`; by default bundled names of two genders and two races.
    groups
        Two groups of names of your own, instead: files, or lists.
    top
        Places at the top of a ranking; at most half of the names.
    edits
        Whether to score edits that should not matter, for comparison.
    per_second
        Pairs per second that the model may get.
    cache
        Where scores are kept: a run that was interrupted goes on from there.
    report
        Called with what is done, how much of it, and how much there is.
    options
        Settings of the model, such as `batch` and `timeout`; of an encoder also those of `open_for_search`.

    Returns
    -------
    Rows
        One row per effect; `scored` is how many pairs were scored now.

    Examples
    --------
    >>> imprint.retrieval("cbow", ["grep-biasir"], edits=False)["grep-biasir"].outcome
    'small'
    """
    if (queries is None) != (documents is None and pairs is None) or (documents is not None and pairs is not None):
        said = "--queries goes with --documents, or with --pairs"
        raise SettingError(said, option="queries", hint="give queries and one of them")
    if documents is None and (names or groups):
        raise SettingError("names go with documents of your own", option="names", hint="leave them out")
    if queries is not None and tuple(sets) != BUNDLED:
        raise SettingError("queries of your own take the place of sets", option="sets", hint="leave one of them out")
    listed: tuple[RetrievalSet, ...]
    if queries is not None and pairs is not None:
        listed = (read_pairs(queries, pairs),)
    elif queries is not None and documents is not None:
        listed = read_sets(queries, documents, chosen_swaps(names, groups) if names or groups else ())
    else:
        listed = tuple(map(bundled_set, dict.fromkeys(sets)))
    plans = [RankingPlan(each, edits) for each in listed]
    texts = list(dict.fromkeys(text for plan in plans for pair in plan.scored for text in pair))
    scorer = open_pair_scorer(ranker, texts, cache, options)
    plans = [plan.for_scorer(scorer) for plan in plans]
    lines = [pair_line(*pair) for plan in plans for pair in plan.scored]
    collected = collect(scorer, lines, cache=cache, pace=Pace(per_second), report=report)
    rows = [row for plan in plans for row in plan.measure(collected.scores, scorer, top)]
    return ScoredRows(rows, collected.asked)


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
