"""Questions: long lists of words, matched in frequency. One size with its interval over words, and what it says.

Nothing is permuted: what decides is whether other words of these kinds would give the same. The lists are matched, so
frequency needs no check of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from imprint.association.cosines import Effect
from imprint.association.evidence import CosineTable
from imprint.embeddings.background import Background
from imprint.significance.outcomes import Decided, Size, outcome, too_few
from imprint.significance.shares import ShareOfDistance
from imprint.stimuli.definition import WeatTest, word_sets
from imprint.threads import single_threaded
from imprint.types import Floats


@dataclass(frozen=True)
class Sized:
    """The size of a question as a share of the distance between A and B, and what it says."""

    size: Size
    judgement: Decided
    unrelated: float | None

    def __str__(self) -> str:
        if self.size.low is None or self.size.high is None:
            return f"{self.judgement.outcome} ({self.judgement.reason})"
        shares = [f"{100 * share:.0f}" for share in (self.size.value or 0.0, self.size.low, self.size.high)]
        return "size = {} % [{} to {}], ".format(*shares) + self.judgement.outcome

    def fields(self) -> dict[str, Any]:
        """Return the fields of the row."""
        return {
            "size": self.size.value,
            "size_low": self.size.low,
            "size_high": self.size.high,
            "outcome": self.judgement.outcome,
            "reason": self.judgement.reason,
            "unrelated": self.unrelated,
        }


@dataclass(frozen=True, eq=False)
class SizedAnswer:
    """What a question measures: its size, the papers' effect, and the cosines behind both."""

    sized: Sized
    effect: Effect
    scores: Floats
    table: CosineTable


def answer(
    test: WeatTest,
    kept: Sequence[tuple[str, ...]],
    targets: Floats,
    attributes: Floats,
    background: Background | None,
) -> SizedAnswer:
    """Measure a question by the unit vectors of the words that were found, `kept` of X, Y, A and B."""
    x, y, a, b = kept
    counts = [len(words) for words in kept]
    listed = [len(words) for words in word_sets(test).values()]
    with single_threaded():
        share = ShareOfDistance.of(targets, attributes, len(x), len(a))
        cosines, scores = targets @ attributes.T, targets @ share.v
        size = Size(None, obstacle="few words") if too_few(counts, counts, listed) else share.size()
        unrelated = None if background is None else share.unrelated(background.axes, background.misfit)
    judgement = outcome(size.low, size.high, obstacle=size.obstacle)
    return SizedAnswer(
        Sized(size, judgement, unrelated),
        Effect.of(scores[: len(x)], scores[len(x) :]),
        scores,
        CosineTable(x + y, a + b, len(x), len(a), np.ascontiguousarray(cosines)),
    )
