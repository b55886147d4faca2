"""Findings as one HTML file that opens offline.

The first screen says what was found, how sure we can be and what to do next; sections follow. The same findings give
the same bytes on the same day. A page works without JavaScript, which only adds sorting, filters and live charts.
"""

import base64
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from imprint.errors import SettingError
from imprint.files import FilePath, write_text
from imprint.kinds.answers import size_notes
from imprint.kinds.audit import AuditRow, audit_row
from imprint.kinds.findings import FindingsLike, rows_of
from imprint.kinds.sections import round_trip, sections
from imprint.masking import Words
from imprint.policies.kinds import answers, limits
from imprint.render.html import TEMPLATES, environment, options, read, trusted
from imprint.render.vega import is_installed, vega_bundle
from imprint.reports.conclusions import claims, method
from imprint.reports.summary import Step, certainty, counts, opening_kinds, people, refused, steps, tiles, verdict
from imprint.rows import Row
from imprint.version import __version__
from imprint.view import (
    AnswerChart,
    Block,
    Chart,
    Claim,
    Column,
    Details,
    Given,
    Marked,
    Prose,
    Section,
    Table,
    Text,
    Tiles,
    count,
    flat,
    join,
    say,
    title,
)

_OWN = Path(__file__).parent / "templates"
_WIDTH = 1000  # of the chart that opens the page, in its own pixels
_MONTHS = ("January", "February", "March", "April", "May", "June",
           "July", "August", "September", "October", "November", "December")  # fmt: skip


MainBlock = Chart | Table | AnswerChart


@dataclass(frozen=True)
class Opening:
    """The first screen: what was found, how sure we can be, what to do next, the topics and the main chart."""

    verdict: Text
    about: Text
    certainty: Sequence[Text] = ()
    steps: Sequence[Step] = ()
    tiles: Tiles | None = None
    chart: MainBlock | None = None
    counts: Sequence[Marked] = ()
    below: Sequence[Block] = ()
    footer: Sequence[Text] = ()
    undecided: bool = False
    named: bool = False  # the page's name says what it is, and not what was audited


def render_page(
    findings: Iterable[Row],
    *,
    unmask: bool = False,
    script: Callable[[], str] | None = None,
    file: FilePath | None = None,
) -> str:
    """Return the page of an audit's findings, which `file` has; slurs are masked unless `unmask`."""
    rows = round_trip(findings)
    audit = audit_row(rows)
    opened = opening_kinds(rows)
    said = [Prose(text, "lead") for kind, of_kind in opened for text in list(kind.sentences(of_kind))[: kind.opens]]
    chart, parts = (None, sections(rows)) if refused(rows) else _main_chart(sections(rows), said)
    opening_part = next((kind.part.title for kind, _ in opened), None)
    if isinstance(chart, AnswerChart):
        chart = chart.with_limits(limits(rows), "Dashed lines: the limits that were set.")
    told = Table("Claims", (Column("You can say"), Column("You cannot say")), tuple(_told_once(claims(rows))))
    opening = Opening(
        verdict(rows),
        _about(audit, [text for kind, of_kind in opened for text in kind.about(of_kind)]),
        certainty(rows),
        steps(rows, file),
        tiles(rows),
        chart,
        counts(rows),
        (Details("What the outcomes mean", tuple(size_notes(tests))),) if (tests := people(rows)) else (),
        _footer(rows, audit),
        undecided=not (opened or refused(rows) or answers(rows)),
        named=bool(opened),
    )
    parts.insert(len(parts) if opened else 0, Section("conclusions", "What you can say, and what you cannot", (told,)))
    name = opening_part or Words(unmask=unmask).plain((audit or rows[0]).embedding)
    return draw_page(name, [*parts, method(rows)], opening, unmask=unmask, script=script)


def _told_once(claimed: Iterable[Claim]) -> Iterator[Claim]:
    """Join what can be said where the same cannot be."""
    together: dict[Text, list[Text]] = {}
    for can, cannot in claimed:
        together.setdefault(cannot, []).append(can)
    return ((join(several, " "), cannot) for cannot, several in together.items())


def _main_chart(parts: Sequence[Section], said: Sequence[Block]) -> tuple[MainBlock | None, list[Section]]:
    """Take the first main block out of its section, to open the page with it, and leave out what was `said` there."""
    blocks = (block for part in parts for block in part.blocks if isinstance(block, MainBlock))
    main = next((block for block in blocks if block.main), None)
    again = (main, *said)
    return main, [replace(part, blocks=tuple(block for block in part.blocks if block not in again)) for part in parts]


def _about(audit: AuditRow | None, opened: Sequence[Text]) -> Text:
    if audit is None:
        return join([*(opened or ["Findings"]), _today()], " · ")
    of = "a sentence encoder" if audit.subject == "encoder" else "a word embedding"
    said: list[Text] = [f"{'Quick bias audit' if audit.settings.quick else 'Bias audit'} of {of}"]
    words = [] if audit.subject == "encoder" else [say("{} words", count(audit.n_words))]
    said.append(join([*words, say("{} dimensions", count(audit.dimension))]))
    return join([*said, _today()], " · ")


def _footer(rows: Sequence[Row], audit: AuditRow | None) -> list[Text]:
    """Say when and with what the page was written, and what was measured, by its hash."""
    versions = [say("{} {}", one.name, title(one.value)) for one in audit.versions] if audit else []
    said: list[Text] = [say("Page written on {} by imprint {}.", _today(), __version__)]
    if audit:
        said.append(say("Measured with {}; seed {}.", join(versions), count(audit.seed)))
    known = dict.fromkeys((row.embedding, row.embedding_sha256) for row in rows)
    said += [say("{}: SHA-256 {}", title(name), Given(digest)) for name, digest in known if digest]
    if audit and audit.settings.policy_sha256:
        said.append(say("Policy: SHA-256 {}", Given(audit.settings.policy_sha256)))
    return said


def _today() -> str:
    """Return the date, or that of SOURCE_DATE_EPOCH, by which builds are made reproducible."""
    try:
        moment = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    except (KeyError, ValueError, OverflowError, OSError):  # not set, or no moment
        moment = datetime.now(UTC)
    return f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}"


def report(
    findings: FindingsLike,
    out: FilePath = "report.html",
    *,
    unmask: bool = False,
    script: Callable[[], str] | None = None,
) -> None:
    """Write findings as one HTML page that opens offline.

    Parameters
    ----------
    findings
        A findings.jsonl, rows, or any result such as that of `imprint.audit`.
    out
        The page to write; it is replaced only once everything is written.
    unmask
        Show slurs in full.
    script
        Returns the Vega bundle, for callers that began to make it earlier.

    Examples
    --------
    >>> imprint.report(imprint.weat("default", "caliskan-6"), "weat.html")
    """
    if not isinstance(out, str | os.PathLike):
        hint = "findings come first: imprint.report(findings, out)"
        raise SettingError(option="out", got=out, expected="the name of a file", hint=hint)
    file = findings if isinstance(findings, str | os.PathLike) else None
    write_text(out, render_page(rows_of(findings), unmask=unmask, script=script, file=file))


def draw_page(
    name: str,
    parts: Sequence[Section],
    opening: Opening,
    *,
    unmask: bool = False,
    script: Callable[[], str] | None = None,
) -> str:
    """Return the page of an opening and these sections."""
    opened = () if opening.chart is None else (opening.chart,)
    drawn = flat([*opened, *(block for section in parts for block in section.blocks)])
    charts = any(isinstance(block, Chart) for block in drawn)
    scripts = [
        *([trusted((script or vega_bundle)())] if charts and is_installed() else []),
        read(_OWN / "behaviour.js"),
    ]
    template = environment(_OWN).get_template("page.html")
    return template.render(
        name=name,
        opening=opening,
        width=_WIDTH,
        sections=parts,
        style=read(TEMPLATES / "style.css") + read(_OWN / "page.css"),
        scripts=scripts,
        hashes=[_hash(one) for one in scripts],
        **options(parts, unmask=unmask),
    )


def _hash(script: str) -> str:
    """Return a script's hash as a content security policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
