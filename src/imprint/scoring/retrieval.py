"""In search: does a model rank documents about one group of people before those about another?

Equal documents in two versions, or with names of two groups, are scored for queries: each document in its versions,
neutral edits of it, and pairs without a word. The effect is a share of the distance between relevant and irrelevant
documents, and is only called relevance where irrelevant documents do not show as much. Wilson and Caliskan (2024),
"Gender, race, and intersectional bias in resume screening via language model retrieval"; Krieg et al. (2023),
"Grep-BiasIR".
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from imprint.encoders.bag_of_words import entries_for, words_in
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingStore
from imprint.errors import VocabularyError
from imprint.rows import WordList, WordPoint
from imprint.scoring.collect import Pace, collect
from imprint.scoring.ranking import Ranking, share_first
from imprint.scoring.rows import RetrievalRow, ScoredRows
from imprint.scoring.scorers import EncoderScorer, Scorer, ScorerLike, open_scorer, pair_line
from imprint.scoring.settings import RetrievalOptions, RetrievalSettings, is_pair_scorer
from imprint.scoring.swap import chosen_swaps
from imprint.settings import settable
from imprint.significance.gaps import TopicScores, per_topic
from imprint.significance.ranks import midranks
from imprint.stimuli.definition import UNDETERMINED
from imprint.stimuli.retrieval import BUNDLED, PAIR, Document, RetrievalSet, bundled_set, read_pairs, read_sets
from imprint.stimuli.swaps import EDITS, OF_PEOPLE, fill_in
from imprint.types import Floats, Ints

PAIRS = "pairs"

_WORDS, _FREQUENT = 8, 0.1  # words that pairs differ in: so many at most, in this share of pairs at the least
_EVERY = 3  # of so many topics an edit is tried on one


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


class RankingPlan:
    """What is scored of a set, and what its scores come to."""

    def __init__(self, ranked: RetrievalSet, edits: bool, n_left_out: int = 0) -> None:
        self._set, self._with_edits, self._n_left_out = ranked, edits, n_left_out
        # Document by document: each is encoded once.
        self._pairs = sorted(ranked.pairs(), key=lambda pair: pair[1])
        self._relevant = np.array([is_relevant for *_, is_relevant in self._pairs])
        numbers = {topic: number for number, topic in enumerate(dict.fromkeys(topic for _, topic in ranked.queries))}
        self._topics = [
            np.array([numbers.get(topic, 0) for topic in topics])
            for topics in (
                [ranked.queries[query][1] for query, *_ in self._pairs],
                [ranked.documents[number].topic for _, number, _ in self._pairs],
            )
        ]
        self._edited = list(self._edits()) if edits and not ranked.is_crossed else []
        self._without = list(equalised(ranked.documents)) if ranked.id == PAIRS else []

    def for_scorer(self, scorer: Scorer) -> "RankingPlan":
        """Return it without queries of which the scorer knows no word: they have no direction to rank by."""
        unknown = []
        for text, _ in self._set.queries:
            entries = entries_for([text])
            if entries and entries <= {*scorer.lacks(sorted(entries))}:
                unknown.append(text)
        if not unknown:
            return self
        left = self._set.without(unknown)
        if not left.queries:
            raise VocabularyError("the model knows no word of any query", where=left.id, words=unknown)
        return RankingPlan(left, self._with_edits, len(self._set.queries) - len(left.queries))

    @cached_property
    def scored(self) -> list[tuple[str, str]]:
        """Every query with the text of a document that it is scored with."""
        ranked, levels = self._set, self._set.levels
        texts = [[document.text(level) for level in levels] for document in ranked.documents]
        listed = [(ranked.queries[query][0], text) for query, number, _ in self._pairs for text in texts[number]]
        listed += [(query, text) for _, query, *texts in self._edited for text in texts]
        return listed + [
            (query, text) for _, _, *texts in self._without for query, _ in ranked.queries for text in texts
        ]

    def _edits(self) -> Iterator[tuple[str, str, str, str]]:
        """Return edits of one relevant document per topic: the edit, the query, the text before and after.

        Each edit is tried on every third topic, which takes a third as long.
        """
        first = dict[int, int]()
        for number in np.flatnonzero(self._relevant).tolist():
            first.setdefault(int(self._topics[0][number]), number)
        for topic, number in sorted(first.items()):
            query, index, _ = self._pairs[number]
            document, level = self._set.documents[index], self._set.levels[topic % len(self._set.levels)]
            edits = EDITS | OF_PEOPLE if self._set.drawn else EDITS
            for turn, (name, edit) in enumerate(edits.items()):
                before, after = document.unnamed, edit(document.unnamed)
                if (topic + turn) % _EVERY == 0 and before != after:
                    if "" in document.versions:
                        before, after = fill_in(before, level), fill_in(after, level)
                    yield name, self._set.queries[query][0], before, after

    def measure(self, scores: Mapping[str, float], scorer: Scorer, top: int) -> Iterator[RetrievalRow]:
        """Return a row per comparison."""
        ranked, levels = self._set, self._set.levels
        missing = tuple(scorer.lacks(levels)) if ranked.drawn else ()
        is_seen = np.array([level not in missing for level in levels])
        listed, count = [scores[pair_line(*pair)] for pair in self.scored], len(self._pairs) * len(levels)
        rows = np.array(listed[:count]).reshape(-1, len(levels))[:, is_seen]
        groups = np.repeat(np.arange(len(ranked.groups)), [len(group) for group in ranked.groups])[is_seen]
        counts = np.bincount(groups, minlength=len(ranked.groups))
        if not counts.all():
            raise VocabularyError("the model knows no name of a group", where=ranked.id, words=missing)
        is_few = any(2 * n_seen < len(group) for n_seen, group in zip(counts, ranked.groups, strict=True))
        moves = defaultdict(list)
        edits = zip(self._edited, listed[count::2], listed[count + 1 :: 2], strict=False)
        for (edit, *_), before, after in edits:
            moves[edit].append(after - before)
        ranking = Ranking(
            *self._tables(rows),
            exposures=self._tables(1 / np.log2(1 + midranks(-rows))).related,
            selected=self._tables(_selected(rows, places := max(1, min(top, len(groups) // 2)))).related,
            groups=groups,
            moves=moves,
            drawn=ranked.drawn,
            obstacle="few words" if is_few else None if ranked.is_matched else "frequency",
            units=self._pair_units,
        )
        seen = [level for level in levels if level not in missing]
        for comparison in ranked.comparisons:
            sides = (("x", comparison.x), ("y", comparison.y))
            signs = np.array(comparison.coefficients_of(ranked.groups))[groups]
            yield RetrievalRow(
                test=comparison.id,
                embedding=scorer.name,
                embedding_sha256=scorer.identity,
                title=comparison.title,
                topics=comparison.topics,
                is_interaction=comparison.is_interaction,
                source=ranked.source,
                language="en" if ranked.id in BUNDLED else UNDETERMINED,
                sets=tuple(WordList(role, side.name, side.words) for role, side in sides),
                missing=missing,
                n_queries=len({query for query, *_ in self._pairs}),
                n_left_out=self._n_left_out,
                n_documents=len({document for _, document, _ in self._pairs}),
                top_k=places,
                **ranking.row(signs, comparison.scale, seen, self._units()),
                without=self._remaining(ranking.related, np.array(listed[count + 2 * len(self._edited) :])),
            )

    @property
    def _pair_units(self) -> tuple[Ints, Ints] | None:
        """Return the numbers of the units that pairs, and control pairs, belong to."""
        if self._set.id != PAIRS:
            return None
        numbers = np.unique([document.topic for document in self._set.documents], return_inverse=True)[1]
        is_pair = np.array([bool(document.is_relevant) for document in self._set.documents])
        return numbers[is_pair], numbers[~is_pair]

    def _remaining(self, related: Floats, scores: Floats) -> tuple[WordPoint, ...]:
        """Return what remains of the difference of pairs, and how many have the first ahead, without each word."""
        pairs = (related[..., 0] - related[..., 1]).mean(axis=0)
        values = {word: pairs.copy() for word, *_ in self._without}
        moved = scores.reshape(-1, len(self._set.queries), 2).mean(axis=1) if len(scores) else []
        for (word, number, *_), (first, second) in zip(self._without, moved, strict=True):
            values[word][number] = first - second
        total = pairs.mean() or math.nan
        return tuple(WordPoint(word, float(left.mean() / total), share_first(left)) for word, left in values.items())

    def _units(self) -> list[str]:
        """Return what topics are called: their query, where it is one."""
        if self._set.id == PAIRS:
            return sorted({str(document.topic) for document in self._set.documents if document.is_relevant})
        texts: dict[str | None, list[str]] = defaultdict(list)
        for number, (text, topic) in enumerate(self._set.queries):
            texts[str(number) if self._set.is_crossed else topic].append(text)
        return [listed[0] if len(listed) == 1 else str(topic) for topic, listed in texts.items()]

    def _tables(self, rows: Floats) -> TopicScores:
        """Return values of relevant and of irrelevant documents: topics by names, or queries by documents by names."""
        if self._set.is_crossed:
            cube = rows.reshape(len(self._set.documents), len(self._set.queries), -1).swapaxes(0, 1)
            count = sum(document.is_relevant is not False for document in self._set.documents)
            return TopicScores(cube[:, :count], cube[:, count:] if cube[:, count:].size else None)
        of_query, of_document = self._topics
        return per_topic(rows, of_query, of_document, self._relevant)


def equalised(documents: Sequence[Document]) -> Iterator[tuple[str, int, str, str]]:
    """Return frequent words that pairs differ in: the word, the place of a pair, and both its texts without it."""
    pairs = [[document.versions[side] for side in PAIR] for document in documents if document.is_relevant]
    differing = [{*words_in(first.lower())} ^ {*words_in(second.lower())} for first, second in pairs]
    counts = Counter(word for words in differing for word in sorted(words))
    for word, count in counts.most_common(_WORDS):
        if count >= _FREQUENT * len(pairs):
            for number, (first, second) in enumerate(pairs):
                if word in differing[number]:
                    without = re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE)
                    left, right = (" ".join(without.sub("", text).split()) for text in (first, second))
                    yield word, number, left, right


def _selected(rows: Floats, places: int) -> Floats:
    """Return whether each name is in the top of its row; ties share places."""
    last = np.sort(rows, axis=1)[:, -places][:, None]
    above, at = rows > last, rows == last
    left = (places - above.sum(axis=1)) / at.sum(axis=1)
    return np.asarray(above + left[:, None] * at)
