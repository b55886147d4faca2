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
from imprint.finding import Finding
from imprint.names.tables import first_names
from imprint.significance.threads import single_threaded
from imprint.stimuli.seeds import gender_specific, professions

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float32]
Labels = npt.NDArray[np.bool_]
Report = Callable[[str, int, int], None]

_ONE_SEX = 0.95  # share of bearers from which on a first name is a woman's, or a man's
_STEREOTYPED = 0.25  # score, between -1 and 1, from which on a crowd thinks a profession a man's, or a woman's
_MOST = 500  # words of each label: commonest names, words furthest out
_FREQUENT = 30_000  # words looked at for those furthest out
_FOLDS = 5
_FEWEST = 2 * _FOLDS  # words of a label


@dataclass(frozen=True)
class Recovery:
    """How often gender is recovered from one list of words, before and after; 0.5 is chance.

    The mean over both labels of the share recovered, so that it does not matter if one is rare: by support vector
    machines on words they were not trained on, or by two clusters found without labels.
    """

    words: str
    method: str
    count: int
    before: float
    after: float | None


@dataclass(frozen=True, repr=False)
class Leakage:
    """What can be recovered from each list by each method."""

    before: str
    after: str | None
    embedding_sha256: str
    rows: tuple[Recovery, ...]
    seed: int

    def findings(self) -> list[Finding]:
        """Return one row a list and method."""
        return [
            Finding(
                kind="leakage",
                test=f"{row.words}, {row.method}",
                embedding=self.after or self.before,
                embedding_sha256=self.embedding_sha256,
                effect_size=None,
                statistic=row.before if row.after is None else row.after,
                p_value=None,
                seed=self.seed,
                details={
                    "words": row.words,
                    "method": row.method,
                    "n": row.count,
                    "accuracy": row.before if row.after is None else row.after,
                    "against": self.before if row.after is not None else None,
                    "against_accuracy": row.before if row.after is not None else None,
                },
            )
            for row in self.rows
        ]

    def to_frame(self) -> "pd.DataFrame":
        """Return one row a list and method."""
        import pandas as pd

        return pd.DataFrame([vars(row) for row in self.rows])

    def __repr__(self) -> str:
        return f"Leakage({self.before}{f', then {self.after}' if self.after else ''}, {len(self.rows)} recoveries)"

    def _repr_html_(self) -> str:
        return self.to_frame().to_html(escape=True)


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
            rows.append(
                Recovery(
                    words=name,
                    method=method,
                    count=len(words),
                    before=recover(_unit(before, words), labels),
                    after=None if after is None else recover(_unit(after, words), labels),
                )
            )
    last = before if after is None else after
    return Leakage(before.name, None if after is None else after.name, last.sha256, tuple(rows), seed)


def _methods(seed: int) -> dict[str, Callable[[Floats, Labels], float]]:
    from sklearn.cluster import KMeans
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.svm import SVC

    def classify(kernel: str) -> Callable[[Floats, Labels], float]:
        def recover(vectors: Floats, labels: Labels) -> float:
            folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)
            machine = SVC(kernel=kernel, class_weight="balanced")
            return float(np.mean(cross_val_score(machine, vectors, labels, cv=folds, scoring="balanced_accuracy")))

        return recover

    def cluster(vectors: Floats, labels: Labels) -> float:
        with single_threaded():
            found = KMeans(2, n_init=10, random_state=seed).fit_predict(vectors) == 1
        agreeing = float(np.mean([np.mean(found[labels] == 1), np.mean(found[~labels] == 0)]))
        return max(agreeing, 1 - agreeing)

    return {"linear classifier": classify("linear"), "RBF classifier": classify("rbf"), "two clusters": cluster}


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
