"""The SEAT paper's own doubts as rows: checks that results should pass if the tests measure what they say.

May et al. (2019), section 4. Tests 7 and 8 ask nearly the same (mathematics or science against arts) and should
agree. Tests 3, 4 and 5 ask the same with ever fewer words, so p should rise from one to the next.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from imprint.association.seat_result import SeatResult
from imprint.association.sentences import Unit
from imprint.choices import Context
from imprint.rows import Row

Check = Literal["agree", "p rises"]

_CHECKS: tuple[tuple[Check, tuple[str, ...]], ...] = (
    ("agree", ("caliskan-7", "caliskan-8")),
    ("p rises", ("caliskan-3", "caliskan-4", "caliskan-5")),
)
_APART = 10  # the paper calls 0.016 and 0.01 similar, 0.12 and 0.001 discrepant


class CoherenceRow(Row, frozen=True, kw_only=True, tag="seat-coherence"):
    """A check of tests that should go together; `test` names them."""

    check: Check
    context: Context
    unit: Unit
    effect_sizes: tuple[float | None, ...]
    p_values: tuple[float, ...]
    holds: bool | None


@dataclass(frozen=True)
class Coherence:
    """Whether tests that should go together do.

    Two tests agree unless one is significant at alpha by itself and the other is not, with p-values more than
    tenfold apart, or both are with opposite effects. `holds` is None where no test is significant: chance then
    decides both checks, whatever the encoder.
    """

    check: Check
    embedding: str
    embedding_sha256: str
    context: Context
    unit: Unit
    tests: tuple[str, ...]
    effects: tuple[float, ...]
    p_values: tuple[float, ...]
    holds: bool | None

    def finding(self, seed: int) -> CoherenceRow:
        """Return the check as a row."""
        return CoherenceRow(
            test=" ".join(self.tests),
            embedding=self.embedding,
            embedding_sha256=self.embedding_sha256,
            seed=seed,
            check=self.check,
            context=self.context,
            unit=self.unit,
            effect_sizes=self.effects,
            p_values=self.p_values,
            holds=self.holds,
        )


def check_coherence(results: Iterable[SeatResult], alpha: float) -> list[Coherence]:
    """Make every check whose tests were all run, for each encoder, context and unit."""
    groups: dict[tuple[str, str, Context, Unit], dict[str, SeatResult]] = {}
    for result in results:
        place = (result.embedding, result.embedding_sha256, result.context, result.unit)
        groups.setdefault(place, {})[result.test.id] = result
    checks = []
    for (encoder, sha256, context, unit), by_test in groups.items():
        for check, tests in _CHECKS:
            if all(test in by_test for test in tests):
                found = [by_test[test] for test in tests]
                effects, p_values = (
                    tuple(getattr(result, name) for result in found) for name in ("effect_size", "p_value")
                )
                holds = (_agree if check == "agree" else _rise)(found, alpha)
                checks.append(Coherence(check, encoder, sha256, context, unit, tests, effects, p_values, holds))
    return checks


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
