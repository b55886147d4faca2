"""Sections as HTML: every text escaped, every number marked as the datum it is.

A number becomes `<data value="...">`, rounded for reading and whole in its attribute, so that anybody, and a test, can
look it up in findings.jsonl.
"""

import functools
import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from imprint.masking import Words
from imprint.render.charts.theme import NARROW, WIDTH
from imprint.render.numbers import plain, rounded
from imprint.render.vega import NOT_INSTALLED, is_installed, to_json, to_svg
from imprint.view import Number, Phrase, Section, Text

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"
_LONG = 24  # letters of a text that may be wrapped


def draw_fragment(sections: Sequence[Section], *, unmask: bool = False) -> str:
    """Return these sections under one class, with their style, for a notebook."""
    template = environment().get_template("fragment.html")
    return template.render(sections=sections, style=read(TEMPLATES / "style.css"), **options(sections, unmask=unmask))


def options(sections: Sequence[Section], *, unmask: bool) -> dict[str, object]:
    """Return what every template needs besides its sections."""
    return {
        "words": Words(unmask=unmask),
        "unmask": unmask,
        "offensive": any(section.offensive for section in sections),
    }


def make_environment(*folders: Path) -> "Environment":
    """Return the templates of other folders over those of this package."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader([*folders, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"chart_widths": (WIDTH, NARROW), "charts_missing": _charts_missing}
    made.globals |= {"classes": _classes, "hinted": _hinted}  # for every cell: macros take several times as long
    made.filters |= {"kind": _kind, "svg": _svg, "json": to_json}
    made.filters |= {"draw": draw_text, "plain": plain, "css": _css_string}
    return made


environment = functools.cache(make_environment)


def draw_text(text: Text, words: Words) -> Markup:
    """Return a text as HTML."""
    if isinstance(text, Phrase):
        return Markup("").join(draw_text(part, words) for part in text)
    if isinstance(text, Number) and _exists(text.value):
        return Markup('<data value="{}">{}</data>').format(repr(text.value), rounded(text))
    return escape(plain(text, words))


@functools.cache
def read(path: Path) -> Markup:
    """Return a style or a script of ours."""
    return trusted(path.read_text(encoding="utf-8"))


def trusted(source: str) -> Markup:
    """Mark a style or a script in which nothing comes from findings."""
    return Markup(source)  # noqa: S704


def _exists(value: float | None) -> bool:
    return isinstance(value, int) or (value is not None and math.isfinite(value))


def _kind(thing: object) -> str:
    """Return what a template has before it: the name of a block, Cell, or that of a text."""
    return type(thing).__name__


def _classes(numeric: bool, text: str, extra: bool, outcome: str = "") -> Markup:
    """Return the attribute that says how a cell of this text looks."""
    long = len(text) > _LONG and len(Markup(text).striptags()) > _LONG  # noqa: S704 - only measured
    names = ("numeric" if numeric else "long" if long else "", "extra" if extra else "", outcome.replace(" ", "-"))
    named = " ".join(filter(None, names))
    return Markup(' class="{}"').format(named) if named else Markup("")


def _hinted(text: str, hint: str) -> Markup:
    """Return a text with what it says on hover."""
    hover = Markup('<span class="hint" tabindex="0" title="{}">{}</span>')
    return hover.format(hint, text) if hint else escape(text)


def _css_string(text: str) -> str:
    """Return a text as a string of CSS: all but letters and digits as escapes, so that nothing ends it."""
    return '"' + "".join(letter if letter.isalnum() else f"\\{ord(letter):x} " for letter in text) + '"'


def _svg(spec: Mapping[str, Any], name: str, *, alone: bool) -> Markup:
    """Draw a chart; `alone` on its page it may use its name, in a notebook other charts may have the same one."""
    return to_svg(spec, name if alone else f"{name}-{hashlib.sha256(to_json(spec).encode()).hexdigest()[:12]}")


def svg_file(spec: Mapping[str, Any]) -> str:
    """Return a drawing as a file of its own, in the light colours of pages."""
    colours = dict(re.findall(r"--(\w+): light-dark\((#\w+)", read(TEMPLATES / "style.css")))
    drawn = re.sub(r"var\(--(\w+)\)", lambda name: colours[name[1]], to_svg(spec, "chart"))
    return drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)


def _charts_missing() -> str | None:
    """Return what to install where no chart can be drawn."""
    return None if is_installed() else NOT_INSTALLED
