"""Findings as one HTML file that opens offline, and as a fragment of it for notebooks.

A page has no date and no random name: the same findings give the same bytes. It works without JavaScript, which only
adds sorting, filters and live charts.
"""

import base64
import functools
import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from imprint.errors import ImprintError
from imprint.files import replacing
from imprint.finding import Finding
from imprint.report.marking import Words
from imprint.report.view import Chart, Section

if TYPE_CHECKING:
    from jinja2 import Environment

SUMMARY = "summary"  # the name of the section that opens a page

_TEMPLATES = Path(__file__).parent / "templates"


def render_page(findings: Iterable[Finding], *, unmask: bool = False, script: Callable[[], str] | None = None) -> str:
    """Return the page of an audit's findings; slurs are masked unless `unmask`."""
    from imprint.report.sections import tell

    rows, words = _some(findings), Words(unmask=unmask)
    return draw_page(words.plain(_measured(rows)), tell(rows, words), unmask=unmask, script=script)


def write_page(
    path: str | os.PathLike[str],
    findings: Iterable[Finding],
    *,
    unmask: bool = False,
    script: Callable[[], str] | None = None,
) -> None:
    """Write the page beside the target, then in its place; `script` gives the Vega bundle: see `bundle_ahead`."""
    page = render_page(findings, unmask=unmask, script=script)
    with replacing(path) as part:
        # A path that is not text (Linux allows it) comes as lone surrogates, which UTF-8 cannot write.
        part.write_text(page, encoding="utf-8", errors="backslashreplace", newline="\n")


def fragment(findings: Iterable[Finding], *, unmask: bool = False) -> str:
    """Return the sections of measurements without page and script, for a notebook."""
    from imprint.report.sections import parts

    return draw_fragment(parts(_some(findings), Words(unmask=unmask)), unmask=unmask)


def draw_page(
    name: str, sections: Sequence[Section], *, unmask: bool = False, script: Callable[[], str] | None = None
) -> str:
    """Return the page of these sections; a summary opens it, before the content note and the table of contents."""
    from imprint.report.drawing import vega_bundle

    charts = any(isinstance(block, Chart) for section in sections for block in section.blocks)
    scripts = [*([_trusted((script or vega_bundle)())] if charts else []), _read("behaviour.js")]
    opening = 1 if sections and sections[0].name == SUMMARY else 0
    return (
        _environment()
        .get_template("page.html")
        .render(
            name=name,
            opening=sections[:opening],
            sections=sections[opening:],
            offensive=any(section.offensive for section in sections),
            unmask=unmask,
            style=_read("style.css") + _read("page.css"),
            scripts=scripts,
            hashes=[_hash(script) for script in scripts],
        )
    )


def draw_fragment(sections: Sequence[Section], *, unmask: bool = False) -> str:
    """Return these sections under one class, with their style."""
    return (
        _environment()
        .get_template("fragment.html")
        .render(
            sections=sections,
            offensive=any(section.offensive for section in sections),
            unmask=unmask,
            style=_read("style.css"),
        )
    )


def _some(findings: Iterable[Finding]) -> list[Finding]:
    # As a file would give them back, so that a page drawn again from one is the same to the byte.
    rows = [Finding.from_dict(finding.to_dict()) for finding in findings]
    if not rows:
        raise ImprintError("there are no findings to draw; give those of imprint audit or of any test")
    return rows


def _measured(findings: Sequence[Finding]) -> str:
    """Return what the page is about: what was audited, or else what the first finding measured."""
    return next((finding for finding in findings if finding.kind == "audit"), findings[0]).embedding


@functools.cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"kind": _kind, "svg": _svg, "json": _json}
    return environment


def _kind(thing: object) -> str:
    """Return what a template has before it: Prose, Listing, Chart, Table, Cell or a text."""
    return type(thing).__name__


def _svg(chart: Chart, *, alone: bool) -> Markup:
    """Draw a chart; `alone` on its page it may use its name, in a notebook other charts may have the same one."""
    from imprint.report.drawing import to_json, to_svg

    if alone:
        return to_svg(chart.spec, chart.name)
    digest = hashlib.sha256(to_json(chart.spec).encode()).hexdigest()[:12]
    return to_svg(chart.spec, f"{chart.name}-{digest}")


def _json(chart: Chart) -> Markup:
    from imprint.report.drawing import to_json

    return to_json(chart.spec)


@functools.cache
def _read(name: str) -> Markup:
    return _trusted((_TEMPLATES / name).read_text(encoding="utf-8"))


def _trusted(source: str) -> Markup:
    """Mark a style or a script of ours, in which nothing comes from findings."""
    return Markup(source)  # noqa: S704


def _hash(script: str) -> str:
    """Return a script's hash as a content security policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
