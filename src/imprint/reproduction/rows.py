"""One row per published figure: as printed, as computed here, and how the two compare."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import Encoder
from imprint.rows import Row, WordPoint
from imprint.stimuli.published import Figure, Model, agrees, digits, model_of, models, printed_number

FigureOutcome = Literal["equal", "differs", "other model", "cannot be computed"]

_WHOLE = 0.9  # of the words of a vocabulary
_UNKNOWN = "no reason is known: the words and vectors should be the paper's"
SAMPLED = 1e-5  # the least p that the sampling of May et al. can give


class ReproductionRow(Row, frozen=True, kw_only=True, tag="reproduction"):
    """A published figure beside ours.

    `equal` is equal to the printed rounding. `differs` is said of the paper's own model alone, with the reason;
    `other model` puts our number for another model beside it, and claims nothing. `model` is what the figure was
    measured on, `embedding` what ours was. `printed` and `ours` are texts; `printed_value` and `value` the numbers in
    them, percentages in percent.
    """

    paper: str
    source: str
    title: str
    model: str
    printed: str
    ours: str | None
    outcome: FigureOutcome
    reason: str = ""
    get: str = ""
    printed_value: float | None = None
    value: float | None = None


class RemovedNamesRow(Row, frozen=True, kw_only=True, tag="removed-names"):
    """Names that cleaning keeps and removes, a sample of each: log10 of the rank as a word (x) and of the share (y).

    `excess_removed` is how much more frequent a removed name is as a word than the line through the kept names says
    (Zipf's law). It is in powers of ten and on average. `excess_kept` is the same of the kept names, zero by
    definition.
    """

    names_kept: int
    names_removed: int
    kept: tuple[WordPoint, ...]
    removed: tuple[WordPoint, ...]
    slope: float
    intercept: float
    excess_kept: float
    excess_removed: float


@dataclass(frozen=True)
class Ours:
    """A number computed here, on what, and why it might not be the printed one; a share of one for percentages."""

    subject: tuple[str, str]
    value: float | None = None
    p: float | None = None
    text: str | None = None
    missing: Sequence[str] = ()
    same_model: bool = True
    reason: str = ""
    get: str = ""


def identity(subject: Embedding | Encoder) -> tuple[str, str]:
    """Return the name of what was measured, and its hash."""
    return subject.name, subject.sha256


def measured_on(embedding: Embedding, model: Model, *, given: bool, reason: str = "") -> Ours:
    """Say what figures of a whole vocabulary are computed on; a file that lacks most of it is another model."""
    ours = Ours(identity(embedding), same_model=False, get=offer(model.id))
    if not given:
        return replace(ours, reason=model.reason)
    if len(embedding) < model.words * _WHOLE:
        return replace(ours, reason=f"the file has {len(embedding):,} words, the paper's {model.words:,}")
    return Ours(identity(embedding), reason=reason)


def compare(figure: Figure, ours: Ours, *, p_floor: float = 0.0) -> ReproductionRow:
    """Put a number of ours beside a printed figure."""
    equal = all(
        agrees(printed, value, floor=p_floor)
        for printed, value in ((figure.value, ours.value), (figure.p, ours.p))
        if printed is not None and value is not None
    ) and (ours.text is None or ours.text == figure.value)
    outcome: FigureOutcome = ("equal" if equal else "differs") if ours.same_model else "other model"
    percentage = figure.value is not None and figure.value.endswith("%")
    name, digest = ours.subject
    return ReproductionRow(
        test=figure.id,
        embedding=name,
        embedding_sha256=digest,
        effect_size=ours.value,
        p_value=ours.p,
        missing=tuple(ours.missing),
        paper=figure.paper,
        source=figure.source,
        title=figure.title,
        model=figure.model,
        printed=_printed(figure),
        ours=_ours(figure, ours),
        outcome=outcome,
        reason=lacking(ours.missing) if outcome == "equal" else ours.reason or _UNKNOWN,
        get=ours.get if outcome == "other model" else "",
        printed_value=figure.number,
        value=ours.value if ours.value is None or not percentage else 100.0 * ours.value,
    )


def refuse(figure: Figure, reason: str = "", get: str | None = None) -> ReproductionRow:
    """Say why a figure cannot be computed, and how to get what it needs: by default what is known of its model."""
    model = model_of(figure.model)
    reason = figure.cannot or reason or (model.reason if model else "it needs a model that is not known")
    if get is None:
        get = "" if figure.cannot or model is None else offer(model.id)
    return ReproductionRow(
        test=figure.id,
        embedding=figure.model,
        embedding_sha256="",
        paper=figure.paper,
        source=figure.source,
        title=figure.title,
        model=figure.model,
        printed=_printed(figure),
        ours=None,
        outcome="cannot be computed",
        reason=reason,
        get=get,
        printed_value=figure.number,
    )


def offer(model: str) -> str:
    """Return how to get a model and give it."""
    get = models()[model].get
    return get if "reproduce(" in get else f"{get}, then --model {model}=FILE"


def lacking(missing: Sequence[str]) -> str:
    """Say which words have no vector, the first few."""
    if not missing:
        return ""
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    return f"no vector for {', '.join(missing[:3])}{more}"


def _printed(figure: Figure) -> str:
    p = None if figure.p is None else f"p {figure.p[0]} {figure.p[1:]}" if figure.p[0] in "<>" else f"p = {figure.p}"
    return ", ".join(filter(None, (figure.value, p)))


def _ours(figure: Figure, ours: Ours) -> str:
    said = []
    if ours.text is not None:
        said.append(ours.text)
    elif ours.value is not None and figure.value is not None:
        said.append(_like(figure.value, ours.value))
    elif ours.value is not None:
        said.append(f"{ours.value:.2f}")
    if ours.p is not None:
        said.append(f"p = {ours.p:.2g}")
    return ", ".join(said)


def _like(printed: str, value: float) -> str:
    """Write a number with the digits of the printed one."""
    if printed.endswith("%"):
        return f"{100.0 * value:.{digits(printed)}f} %"
    if printed_number(printed) == 0.0 and value:
        return f"{value:.1e}"
    return f"{value:.{digits(printed)}f}"
