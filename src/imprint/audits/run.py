"""The audit: every kind that can be run, in turn; one that cannot run says why, and the rest goes on."""

import platform
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.metadata import version
from os import PathLike
from typing import Annotated

import msgspec

from imprint.audits.settings import AuditOptions
from imprint.clusters import WORKERS, Workers, working
from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingStore
from imprint.errors import ImprintError, SettingError
from imprint.evaluation.controls import ControlsRow, control_words, controls
from imprint.jobs.job import QUICK_TEXTS, Job, Plan
from imprint.jobs.progress import Meter
from imprint.jobs.settings import AuditSettings
from imprint.kinds import Kind, Part, all_kinds
from imprint.kinds.audit import AuditedSettings, AuditRow
from imprint.policies.gate import Gate, check
from imprint.rows import Label, PartRow, Result, Row
from imprint.settings import option, settable
from imprint.subjects.encodings import announce_texts
from imprint.subjects.framed import texts_of_words
from imprint.subjects.opening import EncoderLike, open_encoder, open_subject
from imprint.threads import single_threaded
from imprint.types import Report
from imprint.version import __version__
from imprint.view import several

LIBRARIES = ("numpy", "scipy", "numba")

# Two threads that import large libraries at once may meet one half made.
_LOADED_FIRST = ("numba", "scipy.special")

# Encoding the words that an encoder is asked about, before its parts run.
_WORDS = "words"
_ENCODING, _ENCODING_QUICKLY = 60.0, 15.0  # seconds


@dataclass(frozen=True, repr=False)
class Audit(Result):
    """The result of an audit.

    Attributes
    ----------
    embedding
        Name of the embedding.
    plan
        The settings of the audit.
    rows
        Every row that was measured, in the order of the page: the audit's own, then each part's row and its findings.
    gate
        The findings held against a policy and conditions; None without any.
    """

    embedding: str
    plan: Plan
    rows: tuple[Row, ...]
    gate: Gate | None = None

    @property
    def parts(self) -> tuple[PartRow, ...]:
        """The row of each part: whether it ran, and why not."""
        return tuple(row for row in self.rows if isinstance(row, PartRow))

    def findings(self) -> list[Row]:
        """Return everything: the audit's own row, what a gate says, then what was measured."""
        whole, *measured = self.rows
        return [whole, *(self.gate.findings() if self.gate else ()), *measured]

    def __repr__(self) -> str:
        ran = sum(row.ran for row in self.parts)
        verdict = f"{self.gate.verdict}; " if self.gate else ""
        rows = several(len(self.findings()), "row")
        return f"Audit({self.embedding}: {verdict}{rows}, {ran} of {len(self.parts)} parts ran)"


class AuditArguments(AuditOptions, frozen=True, kw_only=True):
    """All that a running audit is given."""

    given: Annotated[
        str | None,
        option("What the subject is called in commands that the page suggests; where it is a text, that text."),
    ] = None
    parts: Annotated[
        Collection[str] | None, option("Names of the parts to run, such as `weat` and `benchmarks`; None for all.")
    ] = None
    cache: Annotated[
        EncodingStore | None,
        option("Where encodings are kept between runs; without it, they are held during the audit."),
    ] = None
    workers: Annotated[Workers | None, option(WORKERS)] = None
    report: Annotated[
        Report | None,
        option("Called with the part that is running, how much of the audit is done, and how much there is."),
    ] = None


@settable(AuditArguments)
def audit(subject: EncoderLike, arguments: AuditArguments) -> Audit:
    """Measure everything that applies to an embedding or to a sentence encoder.

    Parameters
    ----------
    subject
        An embedding or an encoder, as `open_subject` accepts it.

    Returns
    -------
    Audit
        Every finding; a part that could not run says why.

    Examples
    --------
    >>> audit = imprint.audit("default", quick=True)
    >>> audit.save("findings.jsonl")
    """
    policy, conditions, own = arguments.requirements()
    settings = {name: getattr(arguments, name) for name in AuditSettings.__struct_fields__}
    plan = Plan(**settings, tests=own)
    given = arguments.given or (str(subject) if isinstance(subject, str | PathLike) else None)
    given = None if given is None else _without_secrets(given)
    opened = open_subject(subject)
    beside = None if arguments.encoder is None else open_encoder(arguments.encoder)
    other = None if arguments.against is None else open_subject(arguments.against)
    if isinstance(opened, Encoder):
        plan = msgspec.structs.replace(plan, debias=None)
        if plan.quick and opened.max_texts is not None:
            opened = opened.at_most(QUICK_TEXTS, hint="run the whole audit, without --quick")
        if beside is not None:
            raise SettingError(
                "is a sentence encoder itself", where=opened.name, option="encoder", hint="leave it out"
            )
    with working(arguments.workers) as executor:
        job = Job(opened, plan, beside, other, arguments.cache, executor)
        whole, *rows = _measure(job, arguments, given, policy.sha256 if policy else None)
    gate = check((whole, *rows), conditions, policy) if policy or conditions else None
    return Audit(opened.name, plan, (whole, *rows), gate)


def _measure(job: Job, arguments: AuditArguments, given: str | None, policy_sha256: str | None) -> list[Row]:
    """Return the row of the audit, and those of all kinds that apply."""
    chosen = [kind for kind in all_kinds() if arguments.parts is None or kind.part.name in arguments.parts]
    runnable = [kind for kind in chosen if kind.run is not None and _shown(kind.part, job)]
    kinds = sorted(runnable, key=lambda kind: kind.part.order)
    expected = {kind.name: _seconds(kind, job) for kind in kinds}
    if job.kind == "encoder":
        expected[_WORDS] = _ENCODING_QUICKLY if job.plan.quick else _ENCODING
    meter = Meter(arguments.report, expected)
    if job.kind == "encoder":
        enumerated = any(kind.part.name == "enumeration" for kind in kinds)
        job = replace(job, progress=meter.part(_WORDS, "Encoding words"), enumerated=enumerated)
    if isinstance(job.subject, Encoder) and job.subject.max_texts is not None:
        _announce(job, job.subject, kinds)
    # first: without them, nothing that is asked can be judged
    control, *others = controls(
        job.subject, languages=job.plan.languages, tests=job.plan.tests, cache=job.encodings
    ).findings()
    findings = _run_all(job, kinds, meter)
    whole = _whole(job, control, given, policy_sha256)
    measured = [row.in_part(kind.part.name) for kind in kinds for row in findings[kind.name]]
    return [whole, *(row.in_part("audit") for row in others), *measured]


def _announce(job: Job, encoder: Encoder, kinds: Sequence[Kind]) -> None:
    """Have an encoder say how many texts it will be sent: controls, what kinds ask first, words; while they fit."""
    first = [texts for kind in _asked_first(kinds) if kind.texts is not None for texts in kind.texts(job)]
    words = [texts_of_words(encoder, words) for words in job.asked_words]
    groups = [sorted(control_words(job.plan.languages, job.plan.tests)), *first, *words]
    announce_texts(encoder, groups, job.encodings)


def _asked_first(kinds: Sequence[Kind]) -> list[Kind]:
    """Return the kinds whose texts an encoder is sent before words: those of tests, then others."""
    return sorted((kind for kind in kinds if kind.texts is not None), key=lambda kind: not kind.part.asks_tests)


def _run_all(job: Job, kinds: Sequence[Kind], meter: Meter) -> dict[str, list[Row]]:
    """Run one kind after the other, some in a thread beside the rest; what was found does not depend on that."""
    for library in _LOADED_FIRST:
        import_module(library)
    with single_threaded(), ThreadPoolExecutor(1) as thread:
        first = _asked_first(kinds) if job.kind == "encoder" else []
        findings = {kind.name: _run(job, kind, meter) for kind in first}
        if (words := _known_words(job)) is not None:
            _ = words.sha256, words.index, words.norms
        others = [kind for kind in kinds if kind not in first]
        running = {kind.name: thread.submit(_run, job, kind, meter) for kind in others if kind.beside}
        try:
            findings |= {kind.name: _run(job, kind, meter) for kind in others if not kind.beside}
            return findings | {name: future.result() for name, future in running.items()}
        finally:
            meter.stop()


def _known_words(job: Job) -> Embedding | None:
    """Return the words that tests ask about; None where an encoder may not be sent so many texts."""
    try:
        return job.embedding
    except SettingError as error:
        if error.option != "max_texts":
            raise
        return None


def _run(job: Job, kind: Kind, meter: Meter) -> list[Row]:
    """Return the part's row and its findings; a part that was not asked for needs no reason."""
    assert kind.run is not None
    part, findings, why = kind.part, list[Row](), None
    progress = meter.part(kind.name, part.title)
    progress(0, 1)
    ran = job.asked(part)
    if job.kind not in part.asks:
        why = part.why_not
    if ran:
        try:
            findings = list(kind.run(job, progress))
        except ImprintError as error:
            ran, why = False, str(error)
    if isinstance(job.subject, Embedding):
        job.subject.give_back()
    progress(1, 1)
    name, digest = job.measured
    whether = PartRow(
        test=part.name,
        embedding=name,
        embedding_sha256=digest,
        seed=job.plan.seed,
        title=part.title,
        ran=ran,
        why=why,
    )
    return [whether, *findings]


def _whole(job: Job, known: ControlsRow, given: str | None, policy_sha256: str | None) -> AuditRow:
    """Return the first row: what was audited, how, and with what."""
    (name, digest), other, encoder = job.measured, job.against, job.beside
    words = _known_words(job)
    settings = AuditedSettings(
        **{name: getattr(job.plan, name) for name in AuditSettings.__struct_fields__},
        fdr=job.plan.enumeration.rate,
        against=None if other is None else other.name,
        encoder=None if encoder is None else encoder.name,
        policy_sha256=policy_sha256,
    )
    libraries = [Label(library, version(library)) for library in LIBRARIES]
    return AuditRow(
        test="audit",
        embedding=name,
        embedding_sha256=digest,
        seed=job.plan.seed,
        part="audit",
        settings=settings,
        versions=(Label("imprint", __version__), Label("python", platform.python_version()), *libraries),
        subject=job.kind,
        given=given,
        n_words=0 if words is None else len(words),
        dimension=job.dimension if words is None else words.dimension,
        embedding_notes=() if words is None else (*words.notes, *words.frequency_notes),
        judged=known.judged,
        controls=known.controls,
        language=known.language,
    )


def _shown(part: Part, job: Job) -> bool:
    """Tell whether a part is for the subject, or says why not."""
    return job.kind in part.asks or part.why_not is not None


def _seconds(kind: Kind, job: Job) -> float:
    """Return the seconds a kind may take; one that was not asked for takes none."""
    if not job.asked(kind.part):
        return 0.0
    if job.plan.quick and kind.quick_seconds is not None:
        return kind.quick_seconds
    return kind.seconds(job.plan) if callable(kind.seconds) else kind.seconds


def _without_secrets(given: str) -> str:
    """Return a subject's name without what an address may carry besides: a user's name, a password and a query."""
    if "://" not in given:
        return given
    scheme, _, rest = given.partition("://")
    place, slash, path = rest.partition("/")
    return f"{scheme}://{place.rpartition('@')[2]}{slash}{path.partition('?')[0].partition('#')[0]}"
