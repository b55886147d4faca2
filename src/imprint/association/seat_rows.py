"""A SEAT result within its family, and beside the paper's own figure.

May et al. (2019), table 4: one star for p below alpha, two for a p that is so after Holm's correction.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from imprint.association.seat_result import SeatResult
from imprint.association.sentences import Unit
from imprint.association.verdicts import JudgedTest, Verdict, judge
from imprint.stimuli.definition import Published

UNITS: tuple[Unit, ...] = get_args(Unit)

# How the models of the paper's table 3 are recognised: by the whole name of the model and how it was pooled.
_OF_THE_PAPER = (
    ("CBoW (GloVe 840B)", re.compile(r"glove\.840b\.300d(\.stimuli)?", re.IGNORECASE), "mean"),
    ("GPT", re.compile(r"openai-gpt"), "last"),
    ("BERT", re.compile(r"bert-large-cased"), "cls"),
)


@dataclass(frozen=True)
class SeatInFamily:
    """A result within the family of its unit.

    `detectable_shift` is given where words were permuted and nothing was found: the smallest shift of X's scores
    the test would have found with 80 % power. `published` is the paper's figure where the encoder is one of its.
    """

    result: SeatResult
    p_holm: float
    verdict: Verdict
    alone: bool
    detectable_shift: float | None
    published: Published | None

    @property
    def stars(self) -> str:
        """Two for a test significant within its family, one for a test that would be significant alone."""
        return "**" if self.significant else "*" if self.alone else ""

    @property
    def significant(self) -> bool:
        """Whether the test is significant within its family."""
        return self.verdict == "significant"


def judge_results(results: Sequence[SeatResult], alpha: float) -> list[JudgedTest]:
    """Correct the results of each unit together, whatever their context and encoder; one a result, in their order."""
    judged: dict[int, JudgedTest] = {}
    for unit in UNITS:
        places = [place for place, result in enumerate(results) if result.unit == unit]
        family = [results[place].significance for place in places]
        judged |= dict(zip(places, judge(family, alpha), strict=True))
    return [judged[place] for place in range(len(results))]


def make_row(result: SeatResult, judged: JudgedTest, alpha: float) -> SeatInFamily:
    """Put a result beside the judgement of its family; what it could have found takes a moment to find out."""
    unseen = judged.verdict != "significant" and result.unit == "word"
    return SeatInFamily(
        result=result,
        p_holm=judged.p_holm,
        verdict=judged.verdict,
        alone=result.p_value <= alpha,
        detectable_shift=result.smallest_detectable_shift(judged.level) if unseen else None,
        published=_published(result),
    )


def _published(result: SeatResult) -> Published | None:
    settings = result.settings
    if result.test.adapted or settings.get("layers", "last") != "last" or settings.keys() & {"prefix", "prompt"}:
        return None
    for model, name, pooling in _OF_THE_PAPER:
        if name.fullmatch(result.embedding) and settings.get("pooling") == pooling:
            for figure in result.test.published:
                if figure.embedding == model and figure.context == result.context and figure.effect is not None:
                    return figure
    return None
