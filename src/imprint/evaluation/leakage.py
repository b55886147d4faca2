"""Is it really gone? What a classifier, or a clustering, still finds of gender in an embedding.

After Gonen and Goldberg, "Lipstick on a pig" (2019): debiasing may hide a bias from the axis it was measured on and
leave it in the words' neighbours. Labels come from outside the embedding where they can: the sex of those who bear a
first name, and what a crowd thinks of a profession; the third list is the words that lay furthest out on the axis
before.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from imprint.directions.axis import Axis
from imprint.embeddings.embedding import Embedding
from imprint.enumeration.vocabulary import frequent_words
from imprint.errors import VocabularyError
from imprint.evaluation.resampling import RESAMPLES, Estimate, draw_counts, estimate
from imprint.evaluation.similarity import flatten
from imprint.finding import Finding, Findings
from imprint.names.tables import first_names
from imprint.significance.threads import single_threaded
from imprint.stimuli.seeds import gender_specific, professions

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Labels = npt.NDArray[np.bool_]
Report = Callable[[str, int, int], None]

_ONE_SEX = 0.95  # share of bearers from which on a first name is a woman's, or a man's
_STEREOTYPED = 0.25  # score, between -1 and 1, from which on a crowd thinks a profession a man's, or a woman's
_MOST = 500  # words of each label: commonest names, words furthest out
_FREQUENT = 30_000  # words looked at for those furthest out
_FOLDS = 5
_FOLDINGS = 5
_FEWEST = 2 * _FOLDS  # words of a label
_DEALS = 200  # random labels behind the chance of clusters
_CLUSTERS = "two clusters"


@dataclass(frozen=True)
class Recovery:
    """How often gender is recovered from one list of words, before and after, and the difference.

    The mean over both genders of the share of words put right, so that it does not matter if one is rare: by support
    vector machines on words they were not trained on, over several foldings, or by two clusters found without
    labels. Intervals resample words. `chance` is what labels dealt at random give: a half, and a little more for
    clusters, which are called what suits them best.
    """

    words: str
    method: str
    women: int
    men: int
    chance: float
    before: Estimate
    after: Estimate | None
    change: Estimate | None


@dataclass(frozen=True, repr=False)
class Leakage(Findings):
    """What can be recovered from each list by each method."""

    before: str
    after: str | None
    embedding_sha256: str
    rows: tuple[Recovery, ...]
    seed: int

    def findings(self) -> list[Finding]:
        """Return one row a list and method."""
        return [self._finding(row) for row in self.rows]

    def _finding(self, row: Recovery) -> Finding:
        last = row.before if row.after is None else row.after
        parts = {"accuracy": last}
        if row.after is not None and row.change is not None:
            parts |= {"against_accuracy": row.before, "change": row.change}
        return Finding(
            kind="leakage",
            test=f"{row.words}, {row.method}",
            embedding=self.after or self.before,
            embedding_sha256=self.embedding_sha256,
            effect_size=None,
            statistic=last.value,
            p_value=None,
            seed=self.seed,
            details={
                "words": row.words,
                "method": row.method,
                "women": row.women,
                "men": row.men,
                "chance": row.chance,
                "against": self.before if self.after else None,
                **flatten(parts),
            },
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return one row a list and method."""
        import pandas as pd

        return pd.DataFrame([finding.to_dict() for finding in self.findings()])

    def __repr__(self) -> str:
        return f"Leakage({self.before}{f', then {self.after}' if self.after else ''}, {len(self.rows)} recoveries)"


def leakage(
    before: Embedding, axis: Axis, *, after: Embedding | None = None, seed: int = 0, report: Report | None = None
) -> Leakage:
    """Try to recover gender from names, professions and the words furthest out, in one embedding or in two.

    `axis` is that of the embedding before; the same words are asked of both.
    """
    lists = [
        (name, words, labels)
        for name, (words, labels) in (
            ("first names, by sex", _names(before, after)),
            ("professions, by the crowd", _professions(before, after)),
            (f"words furthest out on {axis.name}", _furthest(before, after, axis)),
        )
        if min(labels.sum(), (~labels).sum()) >= _FEWEST
    ]
    if not lists:
        raise VocabularyError(
            f"{before.name} has too few names, professions and common words to recover gender from; use a larger one"
        )
    rows: list[Recovery] = []
    methods = _methods(seed)
    for name, words, labels in lists:
        for method, recover in methods.items():
            if report is not None:
                report("recovering gender", len(rows), len(lists) * len(methods))
            rights = [recover(_unit(one, words), labels) for one in (before, after) if one is not None]
            rows.append(_recovery(name, method, labels, rights, seed))
    last = before if after is None else after
    return Leakage(before.name, None if after is None else after.name, last.sha256, tuple(rows), seed)


def _recovery(words: str, method: str, labels: Labels, rights: Sequence[Doubles], seed: int) -> Recovery:
    """Average what was put right over either label, with the interval over resamples of words."""
    sides = [np.flatnonzero(labels), np.flatnonzero(~labels)]
    draws = [
        np.concatenate([np.ones((1, len(side))), *draw_counts(len(side), RESAMPLES, seed + place)])
        for place, side in enumerate(sides)
    ]
    shares = [
        np.mean([counts @ right[side] / len(side) for counts, side in zip(draws, sides, strict=True)], axis=0)
        for right in rights
    ]
    fewer = min(map(len, sides))
    estimates = [estimate(float(share[0]), share[1:], fewer) for share in shares]
    change = shares[-1] - shares[0]
    several = len(rights) > 1
    return Recovery(
        words=words,
        method=method,
        women=len(sides[0]),
        men=len(sides[1]),
        chance=_chance_of_clusters(rights[-1], labels, seed) if method == _CLUSTERS else 0.5,
        before=estimates[0],
        after=estimates[-1] if several else None,
        change=estimate(float(change[0]), change[1:], fewer, difference=True) if several else None,
    )


def _chance_of_clusters(right: Doubles, labels: Labels, seed: int) -> float:
    """Return what the same clusters give on average for labels dealt at random."""
    found = (right == 1) == labels
    rng = np.random.default_rng(seed)
    agreeing = [_agreeing(found, rng.permutation(labels)) for _ in range(_DEALS)]
    return float(np.mean([max(share, 1 - share) for share in agreeing]))


def _agreeing(found: Labels, labels: Labels) -> float:
    """Return the mean over both labels of the share of words found to have it."""
    return float(np.mean([found[labels].mean(), 1 - found[~labels].mean()]))


def _methods(seed: int) -> dict[str, Callable[[Floats, Labels], Doubles]]:
    """Return what tells, of each word, how often it was put right."""
    from sklearn.cluster import KMeans
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.svm import SVC

    def classify(kernel: str) -> Callable[[Floats, Labels], Doubles]:
        def recover(vectors: Floats, labels: Labels) -> Doubles:
            machine = SVC(kernel=kernel, class_weight="balanced")
            foldings = [StratifiedKFold(_FOLDS, shuffle=True, random_state=seed + n) for n in range(_FOLDINGS)]
            guesses = [cross_val_predict(machine, vectors, labels, cv=folds) for folds in foldings]
            return np.asarray(np.mean([guess == labels for guess in guesses], axis=0))

        return recover

    def cluster(vectors: Floats, labels: Labels) -> Doubles:
        with single_threaded():
            found = KMeans(2, n_init=10, random_state=seed).fit_predict(vectors) == 1
        return np.asarray((found == labels) == (_agreeing(found, labels) >= 0.5), dtype=np.float64)

    return {"linear classifier": classify("linear"), "RBF classifier": classify("rbf"), _CLUSTERS: cluster}


def _names(before: Embedding, after: Embedding | None) -> tuple[list[str], Labels]:
    table = first_names()
    women = table.share_women
    chosen = []
    for of_sex in (women >= _ONE_SEX, women <= 1 - _ONE_SEX):
        known = _known((table.names[row] for row in np.flatnonzero(of_sex)), before, after)
        chosen.append(known[:_MOST])
    return _labelled(*chosen)


def _professions(before: Embedding, after: Embedding | None) -> tuple[list[str], Labels]:
    scored = professions()
    return _labelled(
        _known((one.word for one in scored if one.stereotype <= -_STEREOTYPED), before, after),
        _known((one.word for one in scored if one.stereotype >= _STEREOTYPED), before, after),
    )


def _furthest(before: Embedding, after: Embedding | None, axis: Axis) -> tuple[list[str], Labels]:
    """Return the words furthest out on either side, without those that mean a gender."""
    meant = {word.lower() for word in gender_specific()}
    rows = frequent_words(before, _FREQUENT, leaving_out=meant)
    order = np.argsort(axis.project(before.unit[rows]), kind="stable")
    outwards = [before.words[row] for row in rows[order]]
    return _labelled(_known(outwards, before, after)[:_MOST], _known(reversed(outwards), before, after)[:_MOST])


def _known(words: Any, *embeddings: Embedding | None) -> list[str]:
    listed = list(dict.fromkeys(words))
    for embedding in embeddings:
        if embedding is not None:
            missing = set(embedding.lookup(listed).missing)
            listed = [word for word in listed if word not in missing]
    return listed


def _labelled(women: Sequence[str], men: Sequence[str]) -> tuple[list[str], Labels]:
    return [*women, *men], np.arange(len(women) + len(men)) < len(women)


def _unit(embedding: Embedding, words: Sequence[str]) -> Floats:
    rows = embedding.lookup(words).vectors
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)
