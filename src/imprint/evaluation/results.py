"""What benchmarks of similarity and of analogies share: a result and its row, alone or against another embedding."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from imprint.evaluation.benchmarks import PUBLISHED
from imprint.evaluation.resampling import Estimate, flatten
from imprint.rows import Result, Row

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


@dataclass(frozen=True, repr=False)
class BenchmarkResult(Result):
    """One benchmark on one embedding; pairs and questions with a word of `missing` are left out."""

    benchmark: str
    embedding: str
    embedding_sha256: str
    measures: Mapping[str, Estimate] = field(hash=False)
    found: int
    asked: int
    n_words: int
    missing: tuple[str, ...]

    @abstractmethod
    def finding(
        self, against: "BenchmarkResult | None" = None, change: Mapping[str, Estimate] | None = None
    ) -> BenchmarkRow:
        """Return the row; against another result, with that one's measures and the change from it."""

    def findings(self) -> list[BenchmarkRow]:
        """Return the one row in a list, as every result does."""
        return [self.finding()]

    def _fields(self, against: "BenchmarkResult | None", change: Mapping[str, Estimate] | None) -> dict[str, Any]:
        """Return what the rows of all benchmarks have."""
        before, after = PUBLISHED.get(self.benchmark, (None, None))
        fields = {
            "test": self.benchmark,
            "embedding": self.embedding,
            "embedding_sha256": self.embedding_sha256,
            "effect_size": next(iter(self.measures.values())).value,
            "missing": self.missing,
            "found": self.found,
            "asked": self.asked,
            "n_words": self.n_words,
            "published_before": before,
            "published_after": after,
            **flatten(self.measures),
        }
        if against is not None:
            fields |= {
                "against": against.embedding,
                "against_sha256": against.embedding_sha256,
                "against_missing": against.missing,
                **flatten(against.measures, "against_"),
                **flatten(change or {}, "change_"),
            }
        return fields
