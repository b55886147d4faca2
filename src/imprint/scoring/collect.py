"""Texts to scores, each distinct text once, in batches, with the cache in between: a failure loses nothing."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from imprint.encoders.cache import EncodingStore
from imprint.errors import ScorerError
from imprint.scoring.scorers import Scorer
from imprint.types import Floats, Floats32, Report


@dataclass(frozen=True)
class Pace:
    """At most so many texts per second; None for no limit."""

    per_second: float | None = None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def batch(self, most: int) -> int:
        """Return how many texts to send at once: no more than a second's worth."""
        return most if self.per_second is None else max(1, min(most, int(self.per_second)))

    def wait(self, started: float, sent: int) -> None:
        """Wait until so many texts may have been sent."""
        if self.per_second is not None:
            left = started + sent / self.per_second - self.clock()
            if left > 0:
                self.sleep(left)


@dataclass(frozen=True)
class Collected:
    """The score of each text; so many were `asked` for now, the others were known."""

    scores: dict[str, float]
    asked: int


def collect(
    scorer: Scorer,
    texts: Sequence[str],
    *,
    cache: EncodingStore | None = None,
    pace: Pace | None = None,
    report: Report | None = None,
) -> Collected:
    """Score each distinct text or pair once; what comes before a failure is kept, so that the next run goes on."""
    pace = pace or Pace()
    distinct = list(dict.fromkeys(texts))
    store = cache if scorer.cacheable else None
    cached = store.get(_key(scorer), distinct) if store is not None else {}
    scores = {text: _number(row) for text, row in cached.items()}
    wanted = [text for text in distinct if text not in scores]
    scorer.check_count(wanted)
    scorer.announce(wanted)
    size, started = pace.batch(scorer.batch), pace.clock()
    for start in range(0, len(wanted), size):
        pace.wait(started, start)
        chunk = wanted[start : start + size]
        try:
            new_scores = scorer.scores(chunk)
        except ScorerError as error:
            new_scores = np.asarray(error.scores, dtype=np.float64)
            if store is None or not np.isfinite(new_scores).all():
                raise
            _keep(store, scorer, chunk, new_scores)
            done = len(scores) + len(new_scores)
            raise _resumable(error, done, len(distinct)) from error
        if store is not None:
            _keep(store, scorer, chunk, new_scores)
        scores |= dict(zip(chunk, new_scores.tolist(), strict=True))
        if report is not None:
            report("scoring", start + len(chunk), len(wanted))
    return Collected(scores, len(wanted))


def _resumable(error: ScorerError, done: int, total: int) -> ScorerError:
    """Return the error with what is kept, and so with what a next run need not ask again."""
    if not done:
        return error
    rest = f"{done:,} of {total:,} scores are kept, and the same command goes on from there"
    return ScorerError(
        error.message,
        option=error.option,
        got=error.got,
        expected=error.expected,
        where=error.where,
        hint=f"{error.hint}; {rest}" if error.hint else rest,
    )


def _keep(cache: EncodingStore, scorer: Scorer, texts: Sequence[str], scores: Floats) -> None:
    if len(scores):
        cache.put(_key(scorer), texts[: len(scores)], _rows(scores))


def _key(scorer: Scorer) -> str:
    return f"score {scorer.identity}"


def _rows(scores: Floats) -> Floats32:
    """Return scores as the cache keeps them, exactly: four small whole numbers each, since it keeps float32."""
    parts = np.ascontiguousarray(scores, dtype="<f8").view("<u2").reshape(len(scores), 4)
    return np.asarray(parts, dtype=np.float32)


def _number(row: Floats32) -> float:
    return float(row.astype("<u2").view("<f8")[0])
