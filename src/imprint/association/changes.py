"""What changed between two versions of a subject: every test asked of both, on the words that both have.

Both versions score the same words, so the change of each word's score is what is tested: label permutation of the
changes (two-sided, exact), and the interval over words of the difference between the two tables of cosines; words in
sentences are compared over the sentences too, if both versions have the same ones. Frequency and the space's axes are
not asked, so a change has moderate evidence at most. Changes are one family of their own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np

from imprint.association.battery import Battery
from imprint.association.cosines import ROUNDING, Effect, mean
from imprint.association.evidence import CosineTable, SentenceCosines, check
from imprint.association.rows import AssociationResult, JudgedRow, PMethod, case_of
from imprint.association.topics import TopicRow, TopicTest, by_topic
from imprint.association.verdicts import Case, Evidence, Judged, judge
from imprint.association.wordrows import FEWEST_WORDS
from imprint.rows import Row, shown, word_values
from imprint.significance.partitions import PermutationTest, permutation_test
from imprint.stimuli.definition import described, word_sets

_BEFORE = shown("Before", "Mean difference in the first.", digits=3)
_AFTER = shown("After", "Mean difference in the second.", digits=3)
_CHANGE = shown(
    "Change",
    "Mean difference after less that before, with its 95 % interval over words and any sentences.",
    digits=3,
    ends="words",
)


class ChangeRow(JudgedRow, frozen=True, kw_only=True, tag="change"):
    """How a test's result changed from one embedding to another, on the words that both have.

    Effect size, statistic and scores are those after less those before. `missing` are words that one of the two does
    not have.
    """

    effect_size: Annotated[float | None, shown("Change of d", "The second's d less the first's.")] = None
    p_label: Annotated[
        float | None,
        shown(
            "p, label",
            "Two-sided p of the words' changes, over all splits of the target words.",
            method="p_method",
        ),
    ] = None
    p_moderate_holm: Annotated[
        float | None,
        shown(
            "p, Holm",
            "The larger of both checks' p-values, corrected over the tests compared.",
            method="p_method",
        ),
    ] = None
    evidence: Annotated[
        Evidence | None,
        shown("Evidence", "Moderate: label permutation and words. Limited: label permutation alone."),
    ] = None
    mean_difference: Annotated[float | None, _CHANGE]
    mean_difference_before: Annotated[float | None, _BEFORE]
    mean_difference_after: Annotated[float | None, _AFTER]
    effect_size_before: Annotated[float | None, shown("d before", "d in the first.")]
    effect_size_after: Annotated[float | None, shown("d after", "d in the second.")]
    n_x: Annotated[int, shown("Words of X", "Words of X that both have.")]
    n_y: Annotated[int, shown("Words of Y", "Words of Y that both have.")]
    p_method: Annotated[PMethod, shown("p, method", "How p was found: exact, certified bounds or sampled.")]
    change_from: Annotated[str, shown("From", "Name of the first.")]
    change_to: Annotated[str, shown("To", "Name of the second.")]
    other_sha256: Annotated[str, shown("SHA-256 before", "Hash of the first.", shape="word")]


class TopicChangeRow(TopicRow, frozen=True, kw_only=True, tag="topic-change"):
    """How the mean difference of a topic's tests changed from one embedding to another; an estimate, not judged."""

    mean_difference: Annotated[float | None, _CHANGE] = None
    mean_difference_before: Annotated[float | None, _BEFORE]
    mean_difference_after: Annotated[float | None, _AFTER]
    change_from: Annotated[str, shown("From", "Name of the first.")]
    change_to: Annotated[str, shown("To", "Name of the second.")]
    other_sha256: Annotated[str, shown("SHA-256 before", "Hash of the first.", shape="word")]


@dataclass(frozen=True, eq=False)
class TestChange:
    """One test before and after, with both tables of cosines on the words that both have."""

    before: AssociationResult
    after: AssociationResult
    tables: tuple[CosineTable, CosineTable]

    @cached_property
    def table(self) -> CosineTable:
        """The second table less the first; where rounding alone changed, nothing did."""
        first, second = self.tables
        return combined(second, first, -1)

    @cached_property
    def label(self) -> PermutationTest:
        """The label permutation of the words' changes."""
        return permutation_test(*self.table.sides(), alternative="two-sided")

    @cached_property
    def effect(self) -> Effect:
        """The change of the mean difference."""
        return Effect.of(*self.table.sides())

    @property
    def missing(self) -> tuple[str, ...]:
        """The words of the test that one of the two does not have."""
        kept = {*self.table.targets, *self.table.attributes}
        words = (word for one in word_sets(self.before.test).values() for word in one.words)
        return tuple(dict.fromkeys(word for word in words if word not in kept))

    @cached_property
    def case(self) -> Case:
        """What is judged of it within a family."""
        checks = replace(check(None, None, self.label, self.table, self.before.seed), asked=("label", "words"))
        return case_of(checks, self.before.test, self.missing)

    def finding(self, judged: Judged) -> ChangeRow:
        """Return the row, with its judgement."""
        first, second = (Effect.of(*table.sides()) for table in self.tables)
        about, checks = described(self.before.test), self.case.checks.fields()
        return ChangeRow(
            test=self.before.test.id,
            **{name: about[name] for name in ("title", "topics", "sets", "source", "language", "adapted")},
            **_between(self.before, self.after),
            effect_size=second.effect_size - first.effect_size,
            effect_size_before=first.effect_size,
            effect_size_after=second.effect_size,
            statistic=self.effect.statistic,
            mean_difference=self.effect.mean_difference,
            mean_difference_before=first.mean_difference,
            mean_difference_after=second.mean_difference,
            p_value=self.label.p_value,
            p_method=self.label.p_method,
            missing=self.missing,
            scores=word_values(dict(zip(self.table.targets, self.table.scores().tolist(), strict=True))),
            n_x=self.table.n_x,
            n_y=len(self.table.targets) - self.table.n_x,
            n_a=self.table.n_a,
            n_b=len(self.table.attributes) - self.table.n_a,
            **{name: checks[name] for name in ("p_label", "p_words", "words_low", "words_high")},
            **judged.fields(),
        )


def change_rows(
    before: Sequence[AssociationResult], after: Sequence[AssociationResult], alpha: float
) -> list[ChangeRow | TopicChangeRow]:
    """Return one row per test that was asked of both, the tests of one family, and one per topic."""
    others = {one.test.id: one for one in after}
    changes = [
        TestChange(one, others[one.test.id], tables)
        for one in before
        if one.test.id in others and (tables := shared(one.table, others[one.test.id].table)) is not None
    ]
    judged = judge([change.case for change in changes], alpha)
    rows = [change.finding(own) for change, own in zip(changes, judged, strict=True)]
    return [*rows, *_topics(changes, rows)]


def before_and_after(before: Battery, after: Battery) -> list[Row]:
    """Return the rows of the same tests before and after, what changed, and what could not be run."""
    tests = [one.finding() for one in (*before.weats, *after.weats)]
    return [*tests, *change_rows(before.weats, after.weats, before.alpha), *before.skipped, *after.skipped]


def _topics(changes: Sequence[TestChange], rows: Sequence[ChangeRow]) -> Iterator[TopicChangeRow]:
    tests = [
        TopicTest(row.test, row.topics, row.mean_difference or 0.0, change.table, change.case.enough)
        for change, row in zip(changes, rows, strict=True)
    ]
    for topic, fields in by_topic(tests).items():
        of_tests = [row for row in rows if row.test in fields["tests"]]
        before, after = (
            mean(np.array([getattr(row, f"mean_difference_{when}") for row in of_tests])) if of_tests else None
            for when in ("before", "after")
        )
        yield TopicChangeRow(
            test=topic,
            **_between(changes[0].before, changes[0].after),
            **fields,
            mean_difference_before=before,
            mean_difference_after=after,
        )


def shared(before: CosineTable, after: CosineTable) -> tuple[CosineTable, CosineTable] | None:
    """Return both tables on the words of both; None where a set keeps fewer than two."""
    targets, attributes = {*before.targets} & {*after.targets}, {*before.attributes} & {*after.attributes}
    first, second = (table.subset(targets, attributes) for table in (before, after))
    smallest = min(first.n_x, len(first.targets) - first.n_x, first.n_a, len(first.attributes) - first.n_a)
    return None if smallest < FEWEST_WORDS else (first, second)


def combined(first: CosineTable, second: CosineTable, sign: Literal[1, -1]) -> CosineTable:
    """Return the first table plus the second, or less it, on the same words; what only rounding leaves is zero."""
    cosines = first.cosines + sign * second.cosines
    if np.abs(cosines).max() < ROUNDING:
        return replace(first, cosines=np.zeros_like(cosines), sentences=None)
    return replace(first, cosines=cosines, sentences=_combined_sentences(first.sentences, second.sentences, sign))


def _combined_sentences(
    first: SentenceCosines | None, second: SentenceCosines | None, sign: Literal[1, -1]
) -> SentenceCosines | None:
    """Do the same for sentences; None where both do not have the same ones."""
    if first is None or second is None:
        return None
    if (first.targets, first.attributes) != (second.targets, second.attributes):
        return None
    return replace(first, cosines=first.cosines + sign * second.cosines)


def _between(before: AssociationResult, after: AssociationResult) -> dict[str, Any]:
    return {
        "embedding": before.embedding,
        "embedding_sha256": before.embedding_sha256,
        "change_from": before.embedding,
        "change_to": after.embedding,
        "other_sha256": after.embedding_sha256,
        "seed": before.seed,
    }
