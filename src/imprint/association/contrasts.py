"""The SEAT paper's summaries: names against group terms, single words against sentences.

May et al. (2019), section 4: tests of given names find more than tests of group terms; bleached sentences find
more than single words, with smaller effects.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean

from imprint.association.seat_result import SeatRow
from imprint.association.sentences import Unit
from imprint.choices import Context

# The same question asked with given names and with terms for the group.
_NAMES_AND_TERMS = (
    ("caliskan-3", "seat-3b"),
    ("caliskan-5", "seat-5b"),
    ("caliskan-6", "seat-6b"),
    ("seat-7b", "caliskan-7"),
    ("seat-8b", "caliskan-8"),
    ("seat-abw-names", "seat-abw-terms"),
)


@dataclass(frozen=True)
class Contrast:
    """How many of the same questions are significant asked one way and the other, and their mean effect.

    Questions that either way cannot reach significance are left out. The numbers compare ways of asking; they are no
    measure of how biased an encoder is.
    """

    encoder: str
    unit: Unit
    ways: tuple[str, str]
    questions: int
    significant: tuple[int, int]
    mean_effects: tuple[float, float]


def contrasts(rows: Iterable[SeatRow]) -> list[Contrast]:
    """Compare, for each encoder and unit, the questions that were asked both ways."""
    groups: dict[tuple[str, str, Unit], dict[tuple[str, Context], SeatRow]] = {}
    for row in rows:
        groups.setdefault((row.embedding, row.embedding_sha256, row.unit), {})[row.test, row.context] = row
    found = []
    for (encoder, _, unit), by_question in groups.items():
        contexts: tuple[Context, Context] = ("word", "bleached")
        named = [((names, context), (terms, context)) for names, terms in _NAMES_AND_TERMS for context in contexts]
        framed = [
            ((test, contexts[0]), (test, contexts[1])) for test in dict.fromkeys(test for test, _ in by_question)
        ]
        for ways, questions in ((("names", "group terms"), named), (("words", "sentences"), framed)):
            reachable = {question for question, row in by_question.items() if row.verdict != "cannot reach"}
            pairs = [(by_question[one], by_question[two]) for one, two in questions if {one, two} <= reachable]
            if pairs:
                found.append(_contrast(encoder, unit, ways, pairs))
    return found


def _contrast(encoder: str, unit: Unit, ways: tuple[str, str], pairs: Sequence[tuple[SeatRow, SeatRow]]) -> Contrast:
    one, two = zip(*pairs, strict=True)
    return Contrast(
        encoder=encoder,
        unit=unit,
        ways=ways,
        questions=len(pairs),
        significant=(_significant(one), _significant(two)),
        mean_effects=(_mean_effect(one), _mean_effect(two)),
    )


def _significant(rows: Iterable[SeatRow]) -> int:
    return sum(row.verdict == "significant" for row in rows)


def _mean_effect(rows: Iterable[SeatRow]) -> float:
    return mean(math.nan if row.effect_size is None else row.effect_size for row in rows)
