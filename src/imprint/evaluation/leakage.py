"""Is it really gone? What a classifier, or a clustering, still finds of gender in an embedding.

After Gonen and Goldberg, "Lipstick on a pig" (2019): debiasing may hide a bias from the axis it was measured on and
leave it in the words' neighbours. Labels come from outside the embedding where they can: the sex of those who bear a
first name, and what a crowd thinks of a profession; the third list is the words that lay furthest out on the axis
before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from imprint.directions.axis import Axis
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.vocabulary import frequent_words
from imprint.errors import VocabularyError
from imprint.evaluation.recovering import (
    FOLDS,
    Tried,
    chance_of_clusters,
    estimate_change,
    estimate_recovery,
    fewer,
    methods,
)
from imprint.evaluation.resampling import Estimate
from imprint.evaluation.similarity import flatten
from imprint.finding import Finding, Findings
from imprint.names.tables import first_names
from imprint.stimuli.seeds import gender_specific, professions
from imprint.types import Flags, Floats32, Report

if TYPE_CHECKING:
    import pandas as pd


FEWEST_OF_A_LABEL = 2 * FOLDS

_ONE_SEX = 0.95  # share of bearers from which on a first name is a woman's, or a man's
_STEREOTYPED = 0.25  # score, between -1 and 1, from which on a crowd thinks a profession a man's, or a woman's
_MOST = 500  # words of each label: commonest names, words furthest out
_FREQUENT = 30_000  # words looked at for those furthest out


@dataclass(frozen=True)
class Recovery:
    """How often gender is recovered from one list of words, before and after, and the difference.

    The mean over both genders of the share of words put right, so that it does not matter if one is rare: by support
    vector machines on words they were not trained on, over several foldings, or by two clusters found without
    labels. Intervals of machines allow for other words to train on; for clusters words are resampled. `chance` is what
    labels dealt at random give: a half, and a little more for clusters, which are called what suits them best.
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
    """What can be recovered from each list by each method; `untried` lists have too few words in the embedding."""

    before: str
    after: str | None
    embedding_sha256: str
    rows: tuple[Recovery, ...]
    untried: tuple[str, ...]
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
    every = (
        ("first names, by sex", _names(before, after)),
        ("professions, by the crowd", _professions(before, after)),
        (f"words furthest out on {axis.name}", _furthest(before, after, axis)),
    )
    lists = [(name, *listed) for name, listed in every if fewer(listed[1]) >= FEWEST_OF_A_LABEL]
    untried = tuple(name for name, listed in every if fewer(listed[1]) < FEWEST_OF_A_LABEL)
    if not lists:
        raise VocabularyError(
            f"{before.name} has too few names, professions and common words to recover gender from; use a larger one"
        )
    rows: list[Recovery] = []
    ways = methods(seed)
    for name, words, labels in lists:
        for method, recover in ways.items():
            if report is not None:
                report("recovering gender", len(rows), len(lists) * len(ways))
            tried = [recover(_unit(one, words), labels) for one in (before, after) if one is not None]
            rows.append(_recovery(name, method, labels, tried, seed))
    last = before if after is None else after
    return Leakage(before.name, None if after is None else after.name, last.sha256, tuple(rows), untried, seed)


def _recovery(words: str, method: str, labels: Flags, tried: Sequence[Tried], seed: int) -> Recovery:
    first, last = tried[0], tried[-1]
    several = len(tried) > 1
    return Recovery(
        words=words,
        method=method,
        women=int(labels.sum()),
        men=int((~labels).sum()),
        chance=0.5 if first.folds is not None else chance_of_clusters(last.right, labels, seed),
        before=estimate_recovery(first, labels, seed),
        after=estimate_recovery(last, labels, seed) if several else None,
        change=estimate_change(first, last, labels, seed) if several else None,
    )


def _names(before: Embedding, after: Embedding | None) -> tuple[list[str], Flags]:
    table = first_names()
    women = table.share_women
    chosen = []
    for of_sex in (women >= _ONE_SEX, women <= 1 - _ONE_SEX):
        known = _known((table.names[row] for row in np.flatnonzero(of_sex)), before, after)
        chosen.append(known[:_MOST])
    return _labelled(*chosen)


def _professions(before: Embedding, after: Embedding | None) -> tuple[list[str], Flags]:
    scored = professions()
    return _labelled(
        _known((one.word for one in scored if one.stereotype <= -_STEREOTYPED), before, after),
        _known((one.word for one in scored if one.stereotype >= _STEREOTYPED), before, after),
    )


def _furthest(before: Embedding, after: Embedding | None, axis: Axis) -> tuple[list[str], Flags]:
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


def _labelled(women: Sequence[str], men: Sequence[str]) -> tuple[list[str], Flags]:
    return [*women, *men], np.arange(len(women) + len(men)) < len(women)


def _unit(embedding: Embedding, words: Sequence[str]) -> Floats32:
    rows = embedding.lookup(words).vectors
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)
