"""An audit and its subject as kinds: whether it can be judged, how the audit was run, and what was not run."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

import msgspec

from imprint.evaluation.controls import Control, ControlsRow
from imprint.jobs.settings import AuditSettings
from imprint.kinds import Kind, Part
from imprint.rows import Label, PartRow, Row, SkippedRow, shown
from imprint.stimuli.catalog import language_name
from imprint.subjects.sources import SourceKind
from imprint.tables import Columns, Field, table
from imprint.view import Block, Claim, Column, Details, Number, Prose, Table, Text, count, join, number, say, title

ABOUT = Part("audit", "Can it be judged?", 12)

_MEASURED = {
    "words found": "share of the controls' words that have a vector",
    "pleasant words": "correlation with how pleasant people find the words",
    "similar words": "rank correlation with how similar people find pairs of words",
}
_FLOWERS = "Flowers and insects"
_EXAMPLE = " (such as: flowers are nicer than insects)"


def judgement(rows: Sequence[ControlsRow]) -> Iterator[Text]:
    """Say whether a subject can be judged, why not, or why that is not known."""
    for row in rows:
        if row.judged is None:
            yield say(
                "Whether {} can be judged is not known: there are no controls in its language.", title(row.embedding)
            )
        failed = [
            say("{}: {}, must be {} {}", check.name, _exact(check), _limit(check) or "at least", number(check.least))
            for check in row.controls
            if not check.passed
        ]
        if row.judged:
            yield say(
                "{} can be judged{}: {} of {} checks passed{}.",
                title(row.embedding),
                in_language(row),
                count(sum(control.passed for control in row.controls)),
                count(len(row.controls)),
                _EXAMPLE if any(control.name.startswith(_FLOWERS) for control in row.controls) else "",
            )
        elif row.judged is False:
            yield say(
                "{} cannot be judged{}: it fails controls that every usable subject passes ({}). Its tests{} say "
                "nothing about bias.",
                title(row.embedding),
                in_language(row),
                join(failed, "; "),
                in_language(row),
            )
        if row.only_topics:
            topics = title(" or ".join(row.only_topics))
            yield say("Only tests about {} were run.", topics)


def in_language(row: ControlsRow) -> str:
    """Name the language, where it is not English."""
    return "" if row.language == "en" else f" in {language_name(row.language)}"


def claims(rows: Sequence[ControlsRow]) -> Iterator[Claim]:
    """Pair whether a subject can be judged with what that does not show."""
    for row in rows:
        first, *_ = judgement([row])
        name = title(row.embedding)
        if row.judged:
            yield first, say("That {} is good for your use: these checks ask for basic knowledge only.", name)
        elif row.judged is None:
            yield say("What the rows say, if {} is usable.", name), first
        else:
            yield first, say("Neither that {} is biased nor that it is not.", name)


def blocks(rows: Sequence[ControlsRow]) -> Iterator[Block]:
    """Show the controls; in the terminal, say it where a subject cannot be judged, briefly if only in one language."""
    able = {row.embedding_sha256 for row in rows if row.judged}
    for row in rows:
        if row.judged is False and row.embedding_sha256 in able:
            yield Prose(_aside(row), "note", ("terminal",))
        elif not row.judged:
            yield from (Prose(sentence, "warning", ("terminal",)) for sentence in judgement([row]))
    for row in rows:
        if row.controls:
            caption = say("Can {} be judged{}?", title(row.embedding), in_language(row))
            checks = table(Control, caption, row.controls, _CONTROLS, media=("page", "card"))
            yield Details("The checks", (checks,))


def _aside(row: ControlsRow) -> Text:
    """Say in one sentence that tests in one language do not count; the subject can be judged in another."""
    failed = sum(not control.passed for control in row.controls)
    text = "Note: {} fails {} of {} basic checks{}, so its tests{} say nothing about bias."
    language = in_language(row)
    return say(text, title(row.embedding), count(failed), count(len(row.controls)), language, language)


def _exact(one: Control) -> Number:
    """Return a control's value, with as many digits as tell it from a limit that it does not reach."""
    digits = 2
    while one.value is not None and one.value < one.least <= round(one.value, digits):
        digits += 1
    return number(one.value, digits)


def _limit(one: Control) -> str:
    """Return "above" where the limit itself does not pass."""
    return "above" if one.value == one.least and not one.passed else ""


def _measured(control: Control) -> Text:
    return _MEASURED.get(control.name, "share of pairs of words ordered as expected")


def _least(control: Control) -> Text:
    return join([_limit(control), number(control.least)], " ") if _limit(control) else number(control.least)


def _missing(control: Control) -> Text:
    return say("{} of {}", count(control.missing), count(control.words))


_CONTROLS: Columns = (
    "name",
    Field(title="What is measured", cell=_measured),
    Field("value", cell=_exact),
    Field("least", cell=_least),
    Field("missing", cell=_missing),
    "passed",
)


def not_run_parts(rows: Sequence[PartRow]) -> Iterator[Text]:
    """Say which parts could not run."""
    for row in rows:
        if row.why is not None:
            yield say("Not run: {}. {}", title(row.title), title(row.why))


def not_run(rows: Sequence[SkippedRow]) -> Iterator[Block]:
    """List what could not be run, and why; what was tried before and after debiasing, once."""
    once = {(row.title, row.reason): row for row in rows}.values()
    yield Details("What was not run, and why", (table(SkippedRow, "Not run", once, ("title", "reason")),))


def not_run_tests(rows: Sequence[SkippedRow]) -> Iterator[Text]:
    """Name what was not run; the page and the findings give the reasons."""
    names = list(dict.fromkeys(row.test for row in rows))
    yield say("Not run: {}.", title(", ".join(names)))


CONTROLS = Kind(
    row=ControlsRow,
    part=ABOUT,
    blocks=blocks,
    sentences=judgement,
    claims=claims,
    card=True,
    rank=-2,
    measured=False,
)
PART = Kind(row=PartRow, part=ABOUT, sentences=not_run_parts, rank=90, measured=False)
SKIPPED = Kind(row=SkippedRow, part=ABOUT, blocks=not_run, sentences=not_run_tests, rank=95, measured=False)


class AuditedSettings(AuditSettings, frozen=True, kw_only=True):
    """How an audit was run, and with what."""

    fdr: Annotated[
        float, shown("False discovery rate", "Share of false discoveries that the enumeration allows.", digits=3)
    ]
    against: Annotated[str | None, shown("Compared with", "The other model.")] = None
    encoder: Annotated[str | None, shown("Encoder", "The encoder of words in sentences.")] = None
    policy_sha256: Annotated[
        str | None, shown("Policy", "Hash of the policy that the audit was held to.", shape="word")
    ] = None


class AuditRow(ControlsRow, frozen=True, kw_only=True, tag="audit"):
    """What was audited, how, with which versions, and whether it can be judged."""

    settings: Annotated[AuditedSettings, shown("Settings", "How the audit was run.")]
    versions: Annotated[tuple[Label, ...], shown("Versions", "Versions of Python and of libraries.")]
    n_words: Annotated[int, shown("Words", "Words that have a vector.")]
    dimension: Annotated[int, shown("Dimensions", "Numbers of a vector.")]
    subject: Annotated[SourceKind, shown("Type", "Whether it is an embedding or an encoder.")] = "embedding"
    given: Annotated[
        str | None, shown("Given as", "What the audit was asked to open: a file, a name or an address.")
    ] = None
    embedding_notes: Annotated[tuple[str, ...], shown("Notes", "What was noted when it was opened.")]

    @property
    def tests_language(self) -> str:
        """The language of the tests, or "all"."""
        return self.settings.language

    @property
    def only_topics(self) -> tuple[str, ...]:
        """The topics that the tests were limited to."""
        return self.settings.topics


def audit_row(rows: Iterable[Row]) -> AuditRow | None:
    """Return the first row of a whole audit among findings, None where they are of single measurements."""
    return next((row for row in rows if isinstance(row, AuditRow)), None)


def settings_tables(rows: Iterable[Row]) -> Iterator[Table]:
    """List how each audit among findings was run."""
    return (_settings(row) for row in rows if isinstance(row, AuditRow))


def _settings(row: AuditRow) -> Table:
    """List how an audit was run, and with which versions."""
    lines: list[tuple[Text, Text]] = [("words", count(row.n_words)), ("dimensions", count(row.dimension))]
    lines += [(key, _value(value)) for key, value in msgspec.structs.asdict(row.settings).items()]
    lines += [(f"{library.name}, version", title(library.value)) for library in row.versions]
    lines += [("note", title(note)) for note in row.embedding_notes]
    return Table("Settings and versions", (Column("Setting"), Column("Value")), tuple(lines), folded=True)


def _value(value: object) -> Text:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    if isinstance(value, float):
        return number(value, 3)
    if isinstance(value, tuple):
        return title(", ".join(value) or "all")
    return "none" if value is None else title(str(value))


AUDIT = Kind(
    row=AuditRow,
    part=ABOUT,
    blocks=blocks,
    sentences=judgement,
    claims=claims,
    card=True,
    measured=False,
)
