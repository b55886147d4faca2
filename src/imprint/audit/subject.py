"""What is audited, and the rows that an audit writes itself."""

from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property

from imprint.audit.plan import Plan
from imprint.debiasing.hard import HardDebiaser
from imprint.debiasing.leace import LeaceDebiaser
from imprint.debiasing.linear import GENDER, LinearDebiaser
from imprint.debiasing.transform import Transform
from imprint.directions.axis import Axis, pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.encoders.cache import EncodingCache
from imprint.errors import ImprintError, SettingError
from imprint.finding import Finding

Attempt = tuple[str, str, Callable[[], Iterable[Finding]]]  # id, title, work


@dataclass(frozen=True, eq=False)
class Subject:
    """What is audited, and what several parts need of it, made once."""

    embedding: Embedding
    plan: Plan
    encoder: object | None = None
    against: Embedding | None = None
    cache: EncodingCache | None = None
    executor: Executor | None = None

    def asked(self, part: str) -> bool:
        """Tell whether a part was asked for; most always are."""
        needed = {"seat": self.encoder, "against": self.against, "debiasing": self.plan.debias}
        return part not in needed or needed[part] is not None

    @cached_property
    def axis(self) -> Axis:
        """The axis he - she."""
        return pair_axis(self.embedding, GENDER)

    @cached_property
    def transform(self) -> Transform:
        """The debiasing asked for, fitted."""
        if self.plan.debias is None:
            raise SettingError("no debiasing was asked for")
        if self.plan.debias == "linear":
            return LinearDebiaser().fit(self.embedding, axis=self.axis)
        if self.plan.debias == "hard":
            return HardDebiaser().fit(self.embedding, axis=pair_axis(self.embedding, GENDER, method="pca"))
        return LeaceDebiaser().fit(self.embedding)

    @cached_property
    def debiased(self) -> Embedding:
        """The embedding after debiasing."""
        return self.transform.apply(self.embedding)


def make_finding(subject: Subject, kind: str, test: str, **details: object) -> Finding:
    """Return a row of the audit itself."""
    measured = (subject.embedding.name, subject.embedding.sha256)
    return Finding.without_effect(kind, test, measured, details, seed=subject.plan.seed)


def skipped_row(subject: Subject, test: str, title: str, error: ImprintError) -> Finding:
    """Return the row of something that could not be done, with the reason."""
    return make_finding(subject, "skipped", test, title=title, reason=str(error))


def gather(subject: Subject, attempts: Iterable[Attempt]) -> list[Finding]:
    """Do one thing after the other; what cannot be done becomes a row with the reason, or raises if nothing can."""
    found: list[Finding] = []
    skipped: list[Finding] = []
    errors: list[ImprintError] = []
    for test, title, work in attempts:
        try:
            found += work()
        except ImprintError as error:
            errors.append(error)
            skipped.append(skipped_row(subject, test, title, error))
    if not found and errors:
        raise errors[0]
    return found + skipped
