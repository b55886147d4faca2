"""Do two embeddings associate the same words alike?

Caliskan, Bryson and Narayanan (2016), Methods, compare GloVe with Google News by correlating the scores of single
words (occupations); Bolukbasi et al. (2016), Figure 1, by projections of professions.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from imprint.association.cosines import cosines
from imprint.association.wefat import word_score
from imprint.association.wordrows import FEWEST_WORDS, find_rows
from imprint.checks import check_whole
from imprint.directions.axis import pair_axis
from imprint.directions.projection import Comparison as ProjectionComparison
from imprint.directions.projection import compare_projections, project
from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.evaluation.resampling import RESAMPLES, correlate_resampled, flatten
from imprint.rows import Row, WordPoint, word_points
from imprint.stimuli.definition import WefatTest, WordSet, quote
from imprint.stimuli.published import figures
from imprint.stimuli.seeds import professions

AXIS = ("he", "she")

_COMPARED = "caliskan-wefat-occupations"  # what Caliskan et al. compare GloVe 840B and Google News by

Scores = Mapping[str, float]

_FEWEST = 4  # words


class AgreementRow(Row, frozen=True, kw_only=True, tag="agreement"):
    """How scores of the same words in an embedding and in the `other` correlate; the effect size is Pearson's.

    `n_words` counts different words: one with scores in several tests counts once. Figures published are of GloVe 840B
    and Google News. `missing` are words, of attributes too, that one of the two lacks.
    """

    title: str
    other: str
    other_sha256: str
    pearson: float
    pearson_low: float | None
    pearson_high: float | None
    spearman: float
    spearman_low: float | None
    spearman_high: float | None
    n_words: int
    n_scores: int
    points: tuple[WordPoint, ...]
    published_pearson: float | None = None
    published_spearman: float | None = None


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
    check_whole("resamples", resamples)
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


def compare_professions(first: Embedding, second: Embedding) -> ProjectionComparison:
    """Compare where professions lie along he - she in two embeddings (Bolukbasi et al., Figure 1)."""
    words = [one.word for one in professions()]
    return compare_projections(*(project(one, pair_axis(one, [AXIS]), words) for one in (first, second)))


def projected_scores(first: Embedding, second: Embedding) -> tuple[Scores, Scores, tuple[str, ...]]:
    """Return where professions lie along he - she in two embeddings, and those that one lacks."""
    shown = compare_professions(first, second)
    x, y = ({point.word: getattr(point, side) for point in shown.row.points} for side in ("x", "y"))
    return x, y, tuple(one.word for one in professions() if one.word not in x)


def shared_sets(sets: Sequence[WordSet], embeddings: Sequence[Embedding]) -> tuple[list[WordSet], tuple[str, ...]]:
    """Return the sets with the words that all embeddings have, and the words that one or another lacks."""
    words = dict.fromkeys(word for group in sets for word in group.words)
    missing = {word for embedding in embeddings for word in embedding.lookup(words).missing}
    kept = [group.subset(word for word in group.words if word not in missing) for group in sets]
    lost = tuple(word for word in words if word in missing)
    if min(map(len, kept)) < FEWEST_WORDS:
        raise VocabularyError(
            f"a set keeps fewer than {FEWEST_WORDS} words that both have ({quote(lost)} missing)", words=lost
        )
    return kept, lost


def _normalised(sets: Sequence[WordSet], embedding: Embedding) -> dict[str, float]:
    """Return WEFAT's scores of the words that have one."""
    words, a, b = find_rows(embedding, sets).sets
    to_a, to_b = (cosines(words.vectors, side.vectors) for side in (a, b))
    scores = {word: word_score(*near) for word, *near in zip(words.words, to_a, to_b, strict=True)}
    return {word: score for word, score in scores.items() if not math.isnan(score)}
