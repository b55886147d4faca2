"""What benchmarks are measured with, described once: for the options of commands and for Python."""

from dataclasses import dataclass
from typing import Annotated

from imprint.checks import check_whole
from imprint.settings import SEED, option

MOST_WORDS = 300_000  # gensim's own limit
RESAMPLES = 1_000


@dataclass(frozen=True, kw_only=True)
class BenchmarkSettings:
    """How analogies are answered."""

    most_words: Annotated[int, option("Number of most frequent words to search for analogies.", min=1)] = MOST_WORDS
    seed: Annotated[int, SEED] = 0

    def __post_init__(self) -> None:
        """Refuse to search no words."""
        check_whole("most_words", self.most_words)


@dataclass(frozen=True, kw_only=True)
class EvaluationSettings(BenchmarkSettings):
    """How benchmarks are run."""

    resamples: Annotated[int, option("Resamples behind intervals of analogies.", min=1)] = RESAMPLES

    def __post_init__(self) -> None:
        """Refuse intervals of no resamples."""
        super().__post_init__()
        check_whole("resamples", self.resamples)
