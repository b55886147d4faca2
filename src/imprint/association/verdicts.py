"""What a family of tests says together: Holm's correction, and what could not have been found."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from imprint.association.rows import AssociationResult, Verdict
from imprint.checks import check_between
from imprint.significance.corrections import holm, holm_level
from imprint.significance.partitions import PermutationTest

Tested = TypeVar("Tested", bound=AssociationResult)


@dataclass(frozen=True)
class JudgedTest:
    """A test within its family.

    "cannot reach" means that so few words have too few partitions, or that too few were drawn, for any p-value to
    pass the corrected alpha, which is `level`.
    """

    p_holm: float
    verdict: Verdict
    level: float


@dataclass(frozen=True)
class InFamily(Generic[Tested]):
    """A result within its family.

    `detectable_shift` is given where the result is not significant: the smallest shift of X's scores the test
    would have found with 80 % power.
    """

    result: Tested
    p_holm: float
    verdict: Verdict
    detectable_shift: float | None

    @classmethod
    def of(cls, result: Tested, judged: JudgedTest, *, powered: bool = True) -> "InFamily[Tested]":
        """Put a result beside its judgement; what it could have found, where that makes sense, takes a moment."""
        unseen = powered and judged.verdict != "significant"
        shift = result.smallest_detectable_shift(judged.level) if unseen else None
        return cls(result, judged.p_holm, judged.verdict, shift)

    def fields(self, alpha: float) -> dict[str, Any]:
        """Return what the row of a family's test says besides its result."""
        return {
            "p_holm": self.p_holm,
            "alpha": alpha,
            "verdict": self.verdict,
            "detectable_shift": self.detectable_shift,
        }


def judge(tests: Sequence[PermutationTest], alpha: float) -> list[JudgedTest]:
    """Correct the tests of one family together, in their order."""
    p_values = [test.p_value for test in tests]
    level = holm_level(p_values, alpha)
    return [
        JudgedTest(p_holm, _verdict(test, p_holm, alpha, level), level)
        for test, p_holm in zip(tests, holm(p_values).tolist(), strict=True)
    ]


def check_alpha(alpha: float) -> None:
    """Refuse what is no chance of a false discovery."""
    check_between("alpha", alpha)


def _verdict(test: PermutationTest, p_holm: float, alpha: float, level: float) -> Verdict:
    if p_holm <= alpha:
        return "significant"
    return "not significant" if test.p_floor <= level else "cannot reach"
