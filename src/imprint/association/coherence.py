"""The SEAT paper's own doubts and summaries: checks that results should pass, and ways of asking compared.

May et al. (2019), section 4. Tests 7 and 8 ask nearly the same (mathematics or science against arts) and should
agree. Tests 3, 4 and 5 ask the same with ever fewer words, so the paper expects p to rise from one to the next. By
words there is a reason only from 3 to 4, which has half the names and the same attributes: 5 permutes the names of 4,
and its attributes are other words. Tests of given names find more than tests of group terms; bleached sentences find
more than single words, with smaller effects.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import mean
from typing import Annotated, Literal

from imprint.association.seat_result import SeatResult, SeatRow
from imprint.association.sentences import Unit
from imprint.checks import Context
from imprint.rows import Row, shown

Check = Literal["agree", "p rises"]

_BOTH: tuple[Unit, ...] = ("word", "sentence")
_CHECKS: tuple[tuple[Check, tuple[str, ...], tuple[Unit, ...], str], ...] = (
    ("agree", ("caliskan-7", "caliskan-8"), _BOTH, "both ask about gender and the arts"),
    ("p rises", ("caliskan-3", "caliskan-4"), ("word",), "half as many names, the same attributes"),
    (
        "p rises",
        ("caliskan-3", "caliskan-4", "caliskan-5"),
        ("sentence",),
        "fewer names, then fewer attributes, as the paper expects",
    ),
)
_APART = 10  # the paper calls 0.016 and 0.01 similar, 0.12 and 0.001 discrepant
# The same question asked with given names and with terms for the group.
_NAMES_AND_TERMS = (
    ("caliskan-3", "seat-3b"),
    ("caliskan-5", "seat-5b"),
    ("caliskan-6", "seat-6b"),
    ("seat-7b", "caliskan-7"),
    ("seat-8b", "caliskan-8"),
    ("seat-abw-names", "seat-abw-terms"),
)


class CoherenceRow(Row, frozen=True, kw_only=True, tag="seat-coherence"):
    """Whether tests that should go together do; `test` names them.

    Two tests disagree if only one is significant at alpha by itself and their p-values are more than tenfold apart.
    They also disagree if both are significant with opposite effects. `holds` is None where no test is significant:
    chance then decides both checks, whatever the encoder.
    """

    check: Annotated[Check, shown("Expected", "What should hold between these tests.")]
    reason: Annotated[str, shown("Because", "Why it should.")]
    context: Annotated[
        Context,
        shown("Context", "The word alone, in sentences that say nothing of it (bleached), or in the test's own."),
    ]
    unit: Annotated[Unit, shown("By", "Whether words or sentences were permuted.")]
    effect_sizes: Annotated[tuple[float | None, ...], shown("d", "The effect of each test, in their order.")]
    p_values: Annotated[tuple[float, ...], shown("p", "The p-value of each test, in their order.")]
    holds: Annotated[bool | None, shown("Outcome", "Whether it holds.")]

    @property
    def by_words(self) -> bool:
        """Whether words are its units."""
        return self.unit == "word"


@dataclass(frozen=True)
class Contrast:
    """How many of the same questions found something asked one way and the other, and their mean effect.

    By words that is evidence of any level, by sentences a p-value that holds after Holm's correction. Controls and
    questions that have too few words either way are left out by words. The numbers compare ways of asking; they do
    not measure how biased an encoder is.
    """

    embedding: str
    unit: Unit
    ways: tuple[str, str]
    questions: int
    found: tuple[int, int]
    mean_effects: tuple[float, float]


def check_coherence(results: Iterable[SeatResult], alpha: float) -> list[CoherenceRow]:
    """Make every check whose tests were all run, for each encoder, context and unit."""
    groups: dict[tuple[str, str, Context, Unit], dict[str, SeatResult]] = {}
    for result in results:
        place = (result.embedding, result.embedding_sha256, result.context, result.unit)
        groups.setdefault(place, {})[result.test.id] = result
    return [
        _check(check, reason, [by_test[test] for test in tests], alpha)
        for (*_, unit), by_test in groups.items()
        for check, tests, units, reason in _CHECKS
        if unit in units and by_test.keys() >= set(tests)
    ]


def _check(check: Check, reason: str, results: Sequence[SeatResult], alpha: float) -> CoherenceRow:
    first = results[0]
    return CoherenceRow(
        test=" ".join(result.test.id for result in results),
        embedding=first.embedding,
        embedding_sha256=first.embedding_sha256,
        seed=first.seed,
        check=check,
        reason=reason,
        context=first.context,
        unit=first.unit,
        effect_sizes=tuple(None if math.isnan(result.effect_size) else result.effect_size for result in results),
        p_values=tuple(result.p_value for result in results),
        holds=(_agree if check == "agree" else _rise)(results, alpha),
    )


def contrasts(rows: Iterable[SeatRow]) -> list[Contrast]:
    """Compare, for each encoder and unit, the questions that were asked both ways."""
    groups: dict[tuple[str, str, Unit], dict[tuple[str, Context], SeatRow]] = {}
    for row in rows:
        groups.setdefault((row.embedding, row.embedding_sha256, row.unit), {})[row.test, row.context] = row
    found = []
    for (embedding, _, unit), by_question in groups.items():
        contexts: tuple[Context, Context] = ("word", "bleached")
        named = [((names, context), (terms, context)) for names, terms in _NAMES_AND_TERMS for context in contexts]
        framed = [
            ((test, contexts[0]), (test, contexts[1])) for test in dict.fromkeys(test for test, _ in by_question)
        ]
        for ways, questions in ((("names", "group terms"), named), (("words", "sentences"), framed)):
            able = {question for question, row in by_question.items() if _can_find(row)}
            pairs = [(by_question[one], by_question[two]) for one, two in questions if {one, two} <= able]
            if pairs:
                found.append(_contrast(embedding, unit, ways, pairs))
    return found


def _agree(results: Sequence[SeatResult], alpha: float) -> bool | None:
    significant = [result.p_value <= alpha for result in results]
    if not any(significant):
        return None
    if all(significant):
        return len({result.effect_size > 0 for result in results}) == 1
    p_values = [result.p_value for result in results]
    return max(p_values) <= _APART * min(p_values)


def _rise(results: Sequence[SeatResult], alpha: float) -> bool | None:
    if not any(result.p_value <= alpha for result in results):
        return None
    # Bounds that overlap leave it open which is larger.
    return all(one.significance.p_low <= two.significance.p_high for one, two in pairwise(results))


def _contrast(embedding: str, unit: Unit, ways: tuple[str, str], pairs: Sequence[tuple[SeatRow, SeatRow]]) -> Contrast:
    one, two = zip(*pairs, strict=True)
    return Contrast(
        embedding=embedding,
        unit=unit,
        ways=ways,
        questions=len(pairs),
        found=(sum(map(_found, one)), sum(map(_found, two))),
        mean_effects=(_mean_effect(one), _mean_effect(two)),
    )


def _can_find(row: SeatRow) -> bool:
    return row.unit == "sentence" or row.evidence not in (None, "too few words")


def _found(row: SeatRow) -> bool:
    return row.found if row.unit == "word" else row.stars == "**"


def _mean_effect(rows: Iterable[SeatRow]) -> float:
    return mean(math.nan if row.effect_size is None else row.effect_size for row in rows)
