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

from imprint.association.rows import SeatRow, Unit
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
STARRED = 0.01  # the level of the paper, of one test by itself and after Holm's correction
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

    Two tests disagree if only one is significant at .05 by itself and their p-values are more than tenfold apart.
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

    By words that is a p-value of at most .05, by sentences one that is so after Holm's correction. The numbers compare
    ways of asking; they do not measure how biased an encoder is.
    """

    embedding: str
    unit: Unit
    ways: tuple[str, str]
    questions: int
    found: tuple[int, int]
    mean_effects: tuple[float, float]


def check_coherence(rows: Iterable[SeatRow]) -> list[CoherenceRow]:
    """Make every check whose tests were all run, for each encoder, context of the paper, and unit."""
    groups: dict[tuple[str, str, Context, Unit], dict[str, SeatRow]] = {}
    for row in rows:
        if row.context != "framed":
            group = (row.embedding, row.embedding_sha256, row.context, row.unit)
            groups.setdefault(group, {})[row.test] = row
    return [
        _check(check, reason, [by_test[test] for test in tests])
        for (*_, unit), by_test in groups.items()
        for check, tests, units, reason in _CHECKS
        if unit in units and by_test.keys() >= set(tests)
    ]


def _check(check: Check, reason: str, rows: Sequence[SeatRow]) -> CoherenceRow:
    first = rows[0]
    return CoherenceRow(
        test=" ".join(row.test for row in rows),
        embedding=first.embedding,
        embedding_sha256=first.embedding_sha256,
        seed=first.seed,
        check=check,
        reason=reason,
        context=first.context,
        unit=first.unit,
        effect_sizes=tuple(row.effect_size for row in rows),
        p_values=tuple(_p(row) for row in rows),
        holds=(_agree if check == "agree" else _rise)(rows),
    )


def contrasts(rows: Iterable[SeatRow]) -> list[Contrast]:
    """Compare, for each encoder and unit, the questions that were asked both ways."""
    groups: dict[tuple[str, str, Unit], dict[tuple[str, Context], SeatRow]] = {}
    for row in rows:
        groups.setdefault((row.embedding, row.embedding_sha256, row.unit), {})[row.test, row.context] = row
    compared = []
    for (embedding, _, unit), by_question in groups.items():
        contexts: tuple[Context, Context] = ("word", "bleached")
        named = [((names, context), (terms, context)) for names, terms in _NAMES_AND_TERMS for context in contexts]
        framed = [
            ((test, contexts[0]), (test, contexts[1])) for test in dict.fromkeys(test for test, _ in by_question)
        ]
        for ways, questions in ((("names", "group terms"), named), (("words", "sentences"), framed)):
            able = {question for question, row in by_question.items() if row.p_value is not None}
            pairs = [(by_question[left], by_question[right]) for left, right in questions if {left, right} <= able]
            if pairs:
                compared.append(_contrast(embedding, unit, ways, pairs))
    return compared


def _agree(rows: Sequence[SeatRow]) -> bool | None:
    significant = [_p(row) <= STARRED for row in rows]
    if not any(significant):
        return None
    if all(significant):
        return len({(row.effect_size or 0.0) > 0 for row in rows}) == 1
    p_values = [_p(row) for row in rows]
    return max(p_values) <= _APART * min(p_values)


def _rise(rows: Sequence[SeatRow]) -> bool | None:
    if not any(_p(row) <= STARRED for row in rows):
        return None
    # Bounds that overlap leave it open which is larger.
    return all((row.p_low or 0.0) <= (1.0 if after.p_high is None else after.p_high) for row, after in pairwise(rows))


def _p(row: SeatRow) -> float:
    return 1.0 if row.p_value is None else row.p_value


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


def _found(row: SeatRow) -> bool:
    return _p(row) <= STARRED if row.unit == "word" else row.stars == "**"


def _mean_effect(rows: Iterable[SeatRow]) -> float:
    return mean(math.nan if row.effect_size is None else row.effect_size for row in rows)
