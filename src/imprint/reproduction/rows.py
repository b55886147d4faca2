"""One row per published figure: as printed, as computed here, and how the two compare."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import Encoder
from imprint.rows import Row, WordPoint, shown
from imprint.stimuli.definition import Published, Test, WeatTest
from imprint.stimuli.published import Figure, Model, agrees, digits, model_of, models, printed_number

FigureOutcome = Literal["equal", "differs", "other model", "cannot be computed"]

_WHOLE = 0.9  # of the words of a vocabulary
_UNKNOWN = "no reason is known: the words and vectors should be the paper's"
SAMPLED = 1e-5  # the least p that the sampling of May et al. can give


class ReproductionRow(Row, frozen=True, kw_only=True, tag="reproduction"):
    """A published figure beside ours."""

    embedding: Annotated[str, shown("Ours on", "The model that our number was measured on.")]
    effect_size: Annotated[float | None, shown("Ours, exact", "Our number; a share of one for percentages.")] = None
    p_value: Annotated[float | None, shown("p", "Our p-value, where the figure has one.")] = None
    paper: Annotated[str, shown("Work", "The work that prints the figure.")]
    source: Annotated[str, shown("Source", "Where in the work the figure is printed.")]
    title: Annotated[str, shown("Figure", "What the figure says.")]
    model: Annotated[str, shown("Measured on", "The model that the figure is published for.")]
    printed: Annotated[str, shown("Published", "As printed.")]
    ours: Annotated[str | None, shown("Ours", "With as many digits.")]
    outcome: Annotated[
        FigureOutcome,
        shown(
            "Verdict",
            "Equal to the printed rounding, or why not. Only figures of the paper's own model can differ: a number of "
            "another model claims nothing.",
        ),
    ]
    reason: Annotated[str, shown("Why", "Why it differs, or cannot be computed.")] = ""
    get: Annotated[str, shown("How to get it", "How to get what it needs.")] = ""
    printed_value: Annotated[
        float | None,
        shown("Published number", "The number in the printed text; percentages in percent."),
    ] = None
    value: Annotated[float | None, shown("Our number", "Our number on the same scale.")] = None


class RemovedNamesRow(Row, frozen=True, kw_only=True, tag="removed-names"):
    """Names that cleaning keeps and removes."""

    names_kept: Annotated[int, shown("Kept", "Names that cleaning keeps.")]
    names_removed: Annotated[int, shown("Removed", "Names that cleaning removes.")]
    kept: Annotated[
        tuple[WordPoint, ...],
        shown(
            "Sample of the kept",
            "Log10 of a name's rank as a word from left to right, of the share of its bearers from bottom to top.",
        ),
    ]
    removed: Annotated[tuple[WordPoint, ...], shown("Sample of the removed", "The same of removed names.")]
    slope: Annotated[float, shown("Slope", "Slope of the line through the kept names (Zipf's law).")]
    intercept: Annotated[float, shown("Intercept", "Where that line begins.")]
    excess_kept: Annotated[float, shown("Excess, kept", "The same of the kept names: zero by definition.")]
    excess_removed: Annotated[
        float,
        shown(
            "Excess, removed",
            "How much more frequent a removed name is as a word than the line says, on average, in powers of ten.",
        ),
    ]


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

    def because(self, *reasons: str) -> "Ours":
        """Return it with more reasons; those that say nothing are left out."""
        return replace(self, reason="; ".join(filter(None, (self.reason, *reasons))))


def identity(subject: Embedding | Encoder) -> tuple[str, str]:
    """Return the name of what was measured, and its hash."""
    return subject.name, subject.sha256


def figure_of(test: Test, printed: Published, paper: str) -> Figure:
    """Return a figure that the catalogue prints with a test."""
    value = printed.effect if isinstance(test, WeatTest) else printed.r
    measured = "effect size" if isinstance(test, WeatTest) else "correlation"
    context = "" if printed.context == "word" else f", {printed.context} sentences"
    return Figure(
        id=" ".join(
            filter(None, (test.id, printed.embedding, context and printed.context, "p" if value is None else ""))
        ),
        paper=paper,
        source=printed.source,
        title=f"{test.title}{context}: {measured}" if value is not None else f"{test.title}{context}",
        model=printed.embedding,
        value=None if value is None else f"{value:.2f}",
        p=printed.p,
    )


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
    return _row(
        figure,
        ours.subject,
        outcome=outcome,
        effect_size=ours.value,
        p_value=ours.p,
        missing=tuple(ours.missing),
        ours=_ours(figure, ours),
        reason=lacking(ours.missing) if outcome == "equal" else ours.reason or _UNKNOWN,
        get=ours.get if outcome == "other model" else "",
        value=ours.value if ours.value is None or not percentage else 100.0 * ours.value,
    )


def refuse(figure: Figure, reason: str = "", get: str | None = None) -> ReproductionRow:
    """Say why a figure cannot be computed, and how to get what it needs: by default what is known of its model."""
    model = model_of(figure.model)
    reason = figure.cannot or reason or (model.reason if model else "it needs a model that is not known")
    if model is not None and model.remark:
        reason = f"{reason}; {model.remark}"
    if get is None:
        get = "" if figure.cannot or model is None else offer(model.id)
    return _row(figure, (figure.model, ""), outcome="cannot be computed", ours=None, reason=reason, get=get)


def _row(figure: Figure, subject: tuple[str, str], **fields: Any) -> ReproductionRow:
    """Return the row of a figure and of what is said of it, or of why nothing is."""
    p = None if figure.p is None else f"p {figure.p[0]} {figure.p[1:]}" if figure.p[0] in "<>" else f"p = {figure.p}"
    return ReproductionRow(
        test=figure.id,
        embedding=subject[0],
        embedding_sha256=subject[1],
        paper=figure.paper,
        source=figure.source,
        title=figure.title,
        model=figure.model,
        printed=", ".join(filter(None, (figure.value, p))),
        printed_value=figure.number,
        **fields,
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
