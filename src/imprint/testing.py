"""Assertions for tests of your own: an association is small only where its whole interval is.

They work in pytest, in unittest and wherever else AssertionError means that a test failed.
"""

import math
from typing import TYPE_CHECKING

from imprint.errors import SettingError

if TYPE_CHECKING:
    from imprint.association.seat_result import SeatResult
    from imprint.association.weat import WeatResult
    from imprint.stimuli.definition import WeatTest
    from imprint.subjects.opening import EmbeddingLike


def assert_association_below(
    measured: "EmbeddingLike | WeatResult | SeatResult", test: "WeatTest | str | None" = None, *, margin: float
) -> None:
    """Raise AssertionError unless an association is surely smaller than the margin, in either direction.

    `measured` is an embedding, on which the WEAT `test` is run, or what `weat` or `seat` returned. The margin is one
    of `mean_difference`, a difference of mean cosines: the one scale of a test that has an interval over words. All
    of the interval has to lie within the margin; one that reaches outside is inconclusive, and no pass.
    """
    __tracebackhide__ = True  # pytest then shows the caller's line
    from imprint.policy.conditions import Condition
    from imprint.policy.judging import judge

    if isinstance(margin, bool) or not isinstance(margin, int | float) or not 0 < margin < math.inf:
        raise SettingError(option="margin", got=margin, expected="a number above 0, in cosines, such as 0.05")
    row = _measured(measured, test).finding()
    said = judge(Condition("require", row.kind, None, "mean_difference", True, "<", float(margin)), row)
    if said.verdict == "passed":
        return
    about = f"{row.test} on {row.embedding}"
    if said.why is not None:
        raise AssertionError(f"inconclusive: {about} cannot be held against a margin of {margin:g}: {said.why}")
    ends = f"{row.words_low:.4g} to {row.words_high:.4g}"
    known = f"the mean difference is {row.mean_difference:.4g}, with an interval over words of {ends}"
    if said.verdict == "failed":
        raise AssertionError(f"above: {about} lies outside the margin of {margin:g}; {known}")
    raise AssertionError(f"inconclusive: {about} reaches outside the margin of {margin:g}; {known}")


def _measured(
    measured: "EmbeddingLike | WeatResult | SeatResult", test: "WeatTest | str | None"
) -> "WeatResult | SeatResult":
    from imprint.association.seat_result import SeatResult
    from imprint.association.weat import WeatResult, weat

    if isinstance(measured, WeatResult | SeatResult):
        if test is not None:
            raise SettingError(
                f"a result of {measured.test.id} was given, and a test", option="test", hint="give the result alone"
            )
        return measured
    if test is None:
        raise SettingError(option="test", got=None, expected="the id of a test, such as 'caliskan-6'")
    return weat(measured, test)
