"""What a family of tests says together: levels of evidence, after Holm's correction.

A family is the tests about people that one subject was asked together; controls, such as flowers and insects, are not
judged. A level needs all of its checks at once, so the largest of their p-values is corrected.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeVar, get_args

from imprint.checks import check_between
from imprint.significance.corrections import holm, holm_level

if TYPE_CHECKING:
    from imprint.association.evidence import Checks

Evidence = Literal["strong", "moderate", "limited", "none shown", "too few words", "not run"]
Check = Literal["label", "frequency", "words", "grammar", "axes"]
Direction = Literal["as predicted", "reversed"]

FOUND: tuple[Evidence, ...] = ("strong", "moderate", "limited")  # the strongest first
ALPHA = 0.05


@dataclass(frozen=True)
class Case:
    """What is judged of one test: its checks, whether it is a control, and whether enough of its words were found."""

    checks: "Checks"
    control: bool
    enough: bool


@dataclass(frozen=True)
class Judged:
    """A test within its family; controls have no evidence.

    `checks_failed` are the checks whose p-value was too large for the level they are needed for, or that could not
    run. `level` is what the label permutation's p-value was held against.
    """

    alpha: float
    evidence: Evidence | None = None
    checks_failed: tuple[Check, ...] = ()
    p_holm: float | None = None
    p_moderate_holm: float | None = None
    p_strong_holm: float | None = None
    family_size: int | None = None
    level: float | None = None

    def fields(self) -> dict[str, Any]:
        """Return the fields of the row."""
        fields = asdict(self)
        del fields["level"]
        return fields


class InFamily:
    """A result that knows its place in a family, None before it has one."""

    judged: Judged | None

    @property
    def evidence(self) -> Evidence | None:
        """The level of evidence; None for a control."""
        return self.judged.evidence if self.judged else None

    def in_family(self, judged: Judged) -> Self:
        """Return the result with its judgement."""
        return replace(self, judged=judged)  # type: ignore[type-var]


class Judgeable(Protocol):
    """A result that takes its place in a family."""

    @property
    def case(self) -> Case:
        """What is judged of it."""

    def in_family(self, judged: Judged) -> Self:
        """Return the result with its judgement."""


Tested = TypeVar("Tested", bound=Judgeable)


def outcome_counts(results: Iterable[InFamily]) -> str:
    """Say how many results have evidence of each level."""
    counts = Counter(one.evidence for one in results)
    return ", ".join(f"{counts[level]} {level}" for level in FOUND if counts[level]) or "no evidence"


def judge_all(results: Sequence[Tested], alpha: float = ALPHA) -> list[Tested]:
    """Judge the results of one family together, in their order."""
    return [
        result.in_family(judged)
        for result, judged in zip(results, judge([result.case for result in results], alpha), strict=True)
    ]


def judge(cases: Sequence[Case], alpha: float) -> list[Judged]:
    """Correct the tests of one family together, in their order; controls are not of it."""
    family = [case for case in cases if not case.control]
    levels = {
        name: _corrected([case.checks.largest(name) for case in family], alpha)
        for name in ("limited", "moderate", "strong")
    }
    place = iter(range(len(family)))
    return [Judged(alpha) if case.control else _judged(case, next(place), levels, alpha) for case in cases]


def check_alpha(alpha: float) -> None:
    """Refuse an alpha that is not between 0 and 1."""
    check_between("alpha", alpha)


def strongest(levels: Iterable[Evidence | None]) -> Evidence | None:
    """Return the strongest level that was found, None if none was."""
    known = set(levels)
    return next((level for level in FOUND if level in known), None)


def best_known(levels: Iterable[Evidence | None]) -> Evidence | None:
    """Return the strongest level, or where nothing was found, what is most: none shown, too few words, not run."""
    known = set(levels)
    return next((level for level in get_args(Evidence) if level in known), None)


@dataclass(frozen=True)
class _Corrected:
    """The corrected p-values of one level of evidence, and what the first that was not rejected was held against."""

    adjusted: list[float]
    held: float


def _corrected(p_values: Sequence[float], alpha: float) -> _Corrected:
    return _Corrected(holm(p_values).tolist(), holm_level(p_values, alpha))


def _judged(case: Case, place: int, levels: dict[str, _Corrected], alpha: float) -> Judged:
    checks = case.checks
    limited, moderate, strong = (levels[name].adjusted[place] for name in ("limited", "moderate", "strong"))
    level = levels["limited"].held
    evidence: Evidence
    if not case.enough or (limited > alpha and (checks.p_label_floor or 0.0) > level):
        evidence = "too few words"
    else:
        reached: dict[Evidence, float] = {"strong": strong, "moderate": moderate, "limited": limited}
        evidence = next((name for name, p_value in reached.items() if p_value <= alpha), "none shown")
    # A check fails if its p-value is above what the level's first test that was not rejected was held against.
    failed = {
        check
        for name, found in (("limited", limited), ("moderate", moderate), ("strong", strong))
        if found > alpha and (name != "strong" or checks.can_be_strong)
        for check in checks.needed(name)
        if checks.p_of(check) > levels[name].held
    }
    if limited <= alpha and failed != {checks.first}:  # it holds alone, and another check is why no more is reached
        failed -= {checks.first}
    return Judged(
        alpha=alpha,
        evidence=evidence,
        checks_failed=tuple(check for check in checks.asked if check in failed),
        p_holm=limited,
        p_moderate_holm=moderate,
        p_strong_holm=strong if checks.can_be_strong else None,
        family_size=len(levels["limited"].adjusted),
        level=level,
    )
