"""Findings as one HTML file that opens offline.

A page has no date and no random name: the same findings give the same bytes. It works without JavaScript, which only
adds sorting, filters and live charts.
"""

import base64
import hashlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from imprint.files import FilePath, replacing
from imprint.kinds.audit import AuditRow
from imprint.kinds.sections import round_trip, sections, sentences
from imprint.masking import Words
from imprint.render.html import TEMPLATES, environment, options, read, trusted
from imprint.report.method import method
from imprint.rows import Row
from imprint.view import Chart, Listing, Section

_OWN = Path(__file__).parent / "templates"


def render_page(findings: Iterable[Row], *, unmask: bool = False, script: Callable[[], str] | None = None) -> str:
    """Return the page of an audit's findings; slurs are masked unless `unmask`."""
    rows = round_trip(findings)
    said = tuple(sentences(rows))
    opening = [Section("summary", "In short", (Listing(said),))] if said else []
    parts = [*sections(rows), method(rows)]
    name = next((row for row in rows if isinstance(row, AuditRow)), rows[0]).embedding
    return draw_page(Words(unmask=unmask).plain(name), parts, opening, unmask=unmask, script=script)


def write_page(
    path: FilePath,
    findings: Iterable[Row],
    *,
    unmask: bool = False,
    script: Callable[[], str] | None = None,
) -> None:
    """Write findings as one HTML page that opens offline.

    Parameters
    ----------
    path
        The file to write; it is replaced only once everything is written.
    findings
        Rows of an audit or of any result.
    unmask
        Show slurs in full.
    script
        Returns the Vega bundle, for callers that began to make it earlier.

    Examples
    --------
    >>> imprint.write_page("weat.html", imprint.weat("default", "caliskan-6").findings())
    """
    page = render_page(findings, unmask=unmask, script=script)
    with replacing(path) as part:
        # A path that is not text (Linux allows it) comes as lone surrogates, which UTF-8 cannot write.
        part.write_text(page, encoding="utf-8", errors="backslashreplace", newline="\n")


def draw_page(
    name: str,
    parts: Sequence[Section],
    opening: Sequence[Section] = (),
    *,
    unmask: bool = False,
    script: Callable[[], str] | None = None,
) -> str:
    """Return the page of these sections; those that open it come before the content note and the contents."""
    from imprint.render.vega import vega_bundle

    charts = any(isinstance(block, Chart) for section in parts for block in section.blocks)
    scripts = [*([trusted((script or vega_bundle)())] if charts else []), read(_OWN / "behaviour.js")]
    template = environment(_OWN).get_template("page.html")
    return template.render(
        name=name,
        opening=opening,
        sections=parts,
        style=read(TEMPLATES / "style.css") + read(_OWN / "page.css"),
        scripts=scripts,
        hashes=[_hash(one) for one in scripts],
        **options(parts, unmask=unmask),
    )


def _hash(script: str) -> str:
    """Return a script's hash as a content security policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
