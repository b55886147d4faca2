"""What rows of similarity and of analogies share: the measures of an embedding, alone or against another one."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from imprint.embeddings.embedding import Embedding
from imprint.evaluation.resampling import Estimate, flatten
from imprint.rows import Row
from imprint.stimuli.published import figures, published_pair

PART = "benchmarks"  # the part of an audit that measures the debiased copy against the embedding audited


class BenchmarkRow(Row, frozen=True, kw_only=True):
    """A benchmark on one embedding; `against` another, both on the same pairs or questions.

    Fields named `against_` are the other's, those named `change_` this embedding's less the other's. Figures published
    are of Google News vectors before and after debiasing. The effect size is the first of `measures`.
    """

    measures: ClassVar[tuple[str, ...]]

    found: int
    asked: int
    n_words: int
    against: str | None = None
    against_sha256: str | None = None
    against_missing: tuple[str, ...] = ()
    published_before: float | None = None
    published_after: float | None = None

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

    def measured(
        self, measure: str, of: Literal["", "against_", "change_"] = ""
    ) -> tuple[float | None, float | None, float | None]:
        """Return a measure of the embedding, of the other one, or of the change, and the ends of its interval."""
        names = (f"{of}{measure}{end}".removeprefix("3") for end in ("", "_low", "_high"))
        value, low, high = (getattr(self, name) for name in names)
        return value, low, high


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
