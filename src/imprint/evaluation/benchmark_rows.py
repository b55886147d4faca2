"""What rows of all benchmarks share: the measures of an embedding, alone or against another one."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from imprint.embeddings.embedding import Embedding
from imprint.evaluation.resampling import Estimate, flatten
from imprint.rows import Row, shown
from imprint.stimuli.published import figures, published_pair

PART = "benchmarks"  # the part of an audit that measures the debiased copy against the embedding audited

Whose = Literal["", "against_", "change_"]  # whose measure: this embedding's, the other's, or the change

# Each measure of the other embedding, A, and of this one, B, less that.
OtherValue = Annotated[float | None, shown("A", "Measured for the other embedding, A.", digits=3)]
ValueChange = Annotated[float | None, shown("B - A", "B less A, with the 95 % interval of this difference.", digits=3)]


class BenchmarkRow(Row, frozen=True, kw_only=True):
    """A benchmark on one embedding; `against` another, both on the same pairs or questions.

    The effect size is the first of `measures`.
    """

    measures: ClassVar[tuple[str, ...]]

    test: Annotated[str, shown("Benchmark")]
    found: Annotated[int, shown("Found", "Pairs or questions all of whose words the embedding has.")]
    asked: Annotated[int, shown("Asked", "Pairs or questions of the benchmark.")]
    n_words: Annotated[int, shown("Words", "Words of the pairs, or those searched for answers.")]
    against: Annotated[str | None, shown("A", "Name of the other embedding.")] = None
    against_sha256: Annotated[str | None, shown("SHA-256 of A", "Hash of the other embedding.", shape="word")] = None
    against_missing: Annotated[tuple[str, ...], shown("Missing in A", "Words without a vector there.")] = ()
    published_before: Annotated[
        float | None,
        shown("Published (Google News)", "Before and after debiasing, for other vectors than these.", digits=3),
    ] = None
    published_after: Annotated[
        float | None, shown("Published, after", "After debiasing, for Google News vectors.", digits=3)
    ] = None

    @property
    def audited(self) -> str:
        """The name of the embedding that the row is about: in an audit, the one its debiased copy is held against."""
        return self.against if self.against is not None and self.part == PART else self.embedding

    @property
    def audited_sha256(self) -> str:
        """Its hash."""
        return (self.part == PART and self.against_sha256) or self.embedding_sha256

    def own_field(self, field: str) -> str:
        """Return the field, by its name in JSON, with a number of the embedding audited, not of a debiased copy."""
        own = f"against_{self.measures[0] if field == 'effect_size' else field}"
        of_a_copy = self.against is not None and self.part == PART
        return own if of_a_copy and own in self.__struct_encode_fields__ else field

    def measured(self, measure: str, of: Whose = "") -> tuple[float | None, float | None, float | None]:
        """Return a measure of the embedding, of the other one, or of the change, and the ends of its interval."""
        value, low, high = (getattr(self, f"{field_of(measure, of)}{end}") for end in ("", "_low", "_high"))
        return value, low, high


def field_of(measure: str, of: Whose = "") -> str:
    """Return the field of a measure; no name in Python begins with a digit."""
    return f"{of}{measure}".removeprefix("3")


def benchmark_fields(
    benchmark: str,
    embeddings: Sequence[Embedding],
    missing: Sequence[tuple[str, ...]],
    measured: Sequence[Mapping[str, Estimate]],
    change: Mapping[str, Estimate],
) -> dict[str, Any]:
    """Return what rows of all benchmarks have; of two embeddings, the last is measured against the first."""
    printed = f"bolukbasi-{benchmark}"
    before, after = published_pair(printed) if f"{printed}-before" in figures() else (None, None)
    fields = {
        "test": benchmark,
        "embedding": embeddings[-1].name,
        "embedding_sha256": embeddings[-1].sha256,
        "effect_size": next(iter(measured[-1].values())).value,
        "missing": missing[-1],
        "published_before": before,
        "published_after": after,
        **flatten(measured[-1]),
    }
    if len(embeddings) > 1:
        fields |= {
            "against": embeddings[0].name,
            "against_sha256": embeddings[0].sha256,
            "against_missing": missing[0],
            **flatten(measured[0], "against_"),
            **flatten(change, "change_"),
        }
    return fields
