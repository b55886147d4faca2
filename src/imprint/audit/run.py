"""The audit: every part in turn; one that cannot run says why, and the rest goes on."""

import platform
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING

from imprint.audit.parts import PARTS
from imprint.audit.plan import Plan
from imprint.audit.progress import Meter, Report
from imprint.audit.subject import Subject, make_finding
from imprint.audit.summary import summarise
from imprint.debiasing import Method
from imprint.embeddings.embedding import Embedding
from imprint.encoders.cache import EncodingCache
from imprint.encoders.opening import as_encoder
from imprint.errors import ImprintError
from imprint.finding import COMMON_FIELDS, Finding, Findings
from imprint.significance.threads import single_threaded
from imprint.version import __version__

if TYPE_CHECKING:
    import pandas as pd

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")

# What parts usually take on two cores, so that one bar can tell the time left; enumeration, without its rotations.
_SECONDS = {
    "weat": 4.0,
    "wefat": 1.0,
    "enumeration": 3.0,
    "directions": 0.5,
    "analogies": 5.0,
    "debiasing": 8.0,
    "benchmarks": 4.0,
    "seat": 20.0,
    "against": 8.0,
}
_QUICK_SECONDS = _SECONDS | {"analogies": 1.0, "debiasing": 1.0, "benchmarks": 1.0, "against": 5.0}
_SECONDS_A_ROTATION = 0.0035
_LONGEST = "enumeration"
# Two threads that import large libraries at once may meet one half made.
_LOADED_FIRST = ("numba", "scipy.stats", "sklearn.cluster", "sklearn.model_selection", "sklearn.svm")


@dataclass(frozen=True, repr=False)
class Audit(Findings):
    """Every finding, in the order of the page: the audit's own row, its summary, each part's row and its findings."""

    embedding: str
    plan: Plan
    rows: tuple[Finding, ...]

    @property
    def parts(self) -> tuple[Finding, ...]:
        """The row of each part: whether it ran, and why not."""
        return tuple(row for row in self.rows if row.kind == "part")

    def findings(self) -> list[Finding]:
        """Return everything."""
        return list(self.rows)

    def to_frame(self) -> "pd.DataFrame":
        """Return one row a finding: its part and what all findings have."""
        import pandas as pd

        rows = [row.to_dict() for row in self.rows]
        return pd.DataFrame([{name: row[name] for name in ("part", *COMMON_FIELDS)} for row in rows])

    def __repr__(self) -> str:
        ran = sum(row.details["ran"] for row in self.parts)
        return f"Audit({self.embedding}: {len(self.rows):,} findings, {ran} of {len(self.parts)} parts ran)"


def run_audit(
    embedding: Embedding,
    *,
    encoder: object | None = None,
    against: Embedding | None = None,
    debias: Method | None = "linear",
    language: str = "en",
    alpha: float = 0.05,
    rotations: int = 10_000,
    quick: bool = False,
    seed: int = 0,
    cache: EncodingCache | None = None,
    executor: Executor | None = None,
    report: Report | None = None,
) -> Audit:
    """Ask everything that applies of an embedding, and SEATs of a sentence encoder where one is given.

    `against` is a second embedding to set beside it. `debias` is linear, hard or leace, or None. `quick` looks less
    closely. Encodings are kept in `cache`, rotations made by `executor`. `report` is told what is being done, how much
    of the whole is done, and how much there is. The same arguments give the same findings to the byte.
    """
    plan = Plan(language=language, alpha=alpha, rotations=rotations, quick=quick, debias=debias, seed=seed)
    asked = None if encoder is None else as_encoder(encoder)
    subject = Subject(embedding, plan, asked, against, cache, executor)
    rows = [_whole(subject, None if asked is None else asked.name)]
    found = _run_all(subject, Meter(report, _expected(subject)))
    for name in PARTS:
        rows += [replace(row, details={**row.details, "part": name}) for row in found[name]]
    return Audit(embedding.name, plan, (rows[0], *summarise(rows), *rows[1:]))


def _run_all(subject: Subject, meter: Meter) -> dict[str, list[Finding]]:
    """Run the longest part beside all others, one after the other; what was found does not depend on that."""
    for library in _LOADED_FIRST:
        import_module(library)
    _ = subject.embedding.sha256, subject.embedding.index, subject.embedding.norms
    with single_threaded(), ThreadPoolExecutor(1) as beside:
        longest = beside.submit(_run, subject, _LONGEST, meter)
        try:
            found = {name: _run(subject, name, meter) for name in PARTS if name != _LONGEST}
            found[_LONGEST] = longest.result()
        finally:
            meter.stop()
    return found


def _run(subject: Subject, name: str, meter: Meter) -> list[Finding]:
    """Return the part's row and its findings; a part that was not asked for needs no reason."""
    part, found, why = PARTS[name], list[Finding](), None
    progress = meter.part(name, part.title)
    progress(0, 1)
    ran = subject.asked(name)
    if ran:
        try:
            found = part.find(subject, progress)
        except ImprintError as error:
            ran, why = False, str(error)
    progress(1, 1)
    return [make_finding(subject, "part", name, title=part.title, ran=ran, why=why), *found]


def _whole(subject: Subject, encoder: str | None) -> Finding:
    """Return the first row: what was audited, how, and with what."""
    embedding, other = subject.embedding, subject.against
    against = None if other is None else other.name
    return make_finding(
        subject,
        "audit",
        "audit",
        part="audit",
        settings={**subject.plan.to_dict(), "against": against, "encoder": encoder},
        versions={
            "imprint": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in LIBRARIES},
        },
        words=len(embedding),
        dimension=embedding.dimension,
        embedding_notes=embedding.notes,
    )


def _expected(subject: Subject) -> dict[str, float]:
    """Return the seconds each part may take; those not asked for take none."""
    seconds = dict(_QUICK_SECONDS if subject.plan.quick else _SECONDS)
    seconds["enumeration"] += _SECONDS_A_ROTATION * subject.plan.enumeration.rotations
    return {name: value if subject.asked(name) else 0.0 for name, value in seconds.items()}
