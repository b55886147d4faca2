"""How often models without any effect show one in retrieval, over all primary measures.

Run: python benchmarks/retrieval_without_effect.py [runs] [seed]. Prints the table of docs/retrieval.md. The last two
models are the bundled encoder without what it makes of names: exchanged at random, or their mean with noise.
"""

import sys
from collections import Counter

import numpy as np

from imprint.encoders.cache import EncodingCache, default_cache
from imprint.scoring import ranking
from imprint.scoring.collect import collect
from imprint.scoring.retrieval import RankingPlan, open_pair_scorer
from imprint.scoring.scorers import pair_line
from imprint.significance.outcomes import FOUND
from imprint.stimuli.retrieval import BUNDLED, RetrievalSet, bundled_set
from imprint.types import Floats

MODELS = ("random vectors of texts", "names and versions exchanged", "noise in each text")


def scores_of(model: str, scores: Floats, asked: RetrievalSet, plan: RankingPlan, rng: np.random.Generator) -> Floats:
    """Return scores of a model without an effect, pairs by names."""
    if model == MODELS[0]:
        vectors = {text: rng.normal(size=64) for text in dict.fromkeys(text for pair in plan.scored for text in pair)}
        units = {text: vector / np.linalg.norm(vector) for text, vector in vectors.items()}
        return np.array([units[query] @ units[text] for query, text in plan.scored]).reshape(scores.shape)
    if model == MODELS[1]:
        if asked.drawn:
            return scores[:, rng.permutation(scores.shape[1])]
        turned = rng.random(len(scores)) < 0.5
        return np.where(turned[:, None], scores[:, [1, 0, *range(2, scores.shape[1])]], scores)
    means = scores.mean(axis=1, keepdims=True)
    return np.asarray(means + rng.normal(size=scores.shape) * float((scores - means).std()))


def main(runs: int, seed: int) -> None:
    """Print the table."""
    ranking._SPLIT = 0  # p decides nothing, and takes a second
    plans = [(bundled_set(name), RankingPlan(bundled_set(name), edits=False)) for name in BUNDLED]
    lines = [[pair_line(*pair) for pair in plan.scored] for _, plan in plans]
    with EncodingCache(default_cache()) as cache:
        scorer = open_pair_scorer(
            "default", [text for _, plan in plans for pair in plan.scored for text in pair], cache, {}
        )
        known = collect(scorer, [line for listed in lines for line in listed], cache=cache).scores
    print("| model | runs | measures | present or substantial | control specific | general pull |")
    print("|---|--:|--:|--:|--:|--:|")
    for number, model in enumerate(MODELS):
        found, controls, measures = 0, Counter[str](), 0
        for run in range(runs):
            rng = np.random.default_rng([seed, number, run])
            rows = []
            for (asked, plan), listed in zip(plans, lines, strict=True):
                scores = np.array([known[line] for line in listed]).reshape(-1, len(asked.levels))
                made = scores_of(model, scores, asked, plan, rng).ravel().tolist()
                rows += list(plan.measure(dict(zip(listed, made, strict=True)), scorer, 10))
            found += any(row.outcome in FOUND for row in rows)
            controls.update(str(row.control) for row in rows)
            measures += len(rows)
        shown = (found, controls["specific"], controls["general pull"])
        print(f"| {model} | {runs} | {measures} | {' | '.join(map(str, shown))} |", flush=True)


if __name__ == "__main__":
    main(*(int(given) for given in (sys.argv[1:] + ["200", "72"][len(sys.argv) - 1 :])))
