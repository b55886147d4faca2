"""Specifications drawn: as SVG that shows without JavaScript, and as JSON for the script that makes it answer."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from multiprocessing import get_context
from signal import SIG_IGN, SIGINT, signal
from typing import Any

from markupsafe import Markup

from imprint.render.charts.theme import FONT

_SVG = "{http://www.w3.org/2000/svg}"
# What Vega writes for its own script, which a drawing that stands still does not need.
_NOISE = ("class", "role", "pointer-events", "version")
_DEFAULTS = {"opacity": "1", "font-family": FONT, "font-weight": "normal"}
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_REFERENCE = re.compile(r"url\(#([^)]*)\)")
_ESCAPES = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def to_svg(spec: Mapping[str, Any], name: str) -> Markup:
    """Draw a specification as SVG to go inside a page; ids in it begin with the chart's `name`.

    Colours are the page's variables, so one drawing serves light, dark and print.
    """
    from xml.etree import ElementTree

    import vl_convert

    drawn = vl_convert.vegalite_to_svg(json.dumps(spec), allowed_base_urls=[])
    root = ElementTree.fromstring(drawn)  # noqa: S314 - written a line above, by us
    # Vega numbers its ids on from chart to chart; ours begin anew in each.
    ids = {element.get("id"): f"{name}-{place}" for place, element in enumerate(root.iterfind(".//*[@id]"))}
    for parent in root.iter():
        parent.tag = parent.tag.removeprefix(_SVG)
        parent.attrib = {key: _tidy(value, ids) for key, value in parent.attrib.items() if _needed(key, value)}
        if "id" in parent.attrib:
            parent.set("id", ids[parent.attrib["id"]])
        for child in [child for child in parent if _unseen(child.attrib)]:
            parent.remove(child)
    root.set("font-family", FONT)
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # noqa: S704 - serialised, so every text is escaped


def to_json(spec: Mapping[str, Any]) -> Markup:
    """Write a specification so that it can go inside a script element without ending it."""
    text = json.dumps(spec, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    return Markup(text.translate(_ESCAPES))  # noqa: S704 - nothing of it can be read as markup any more


@cache
def vega_bundle() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script that can go inside a page."""
    import vl_convert

    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    # Inside a script element these would end it or hide its end; in strings and patterns, the only places where
    # they occur, a backslash changes nothing.
    return re.sub(r"<(?=/script)", r"\\x3c", bundle, flags=re.IGNORECASE).replace("<!--", r"\x3c!--")


@contextmanager
def bundle_ahead() -> Iterator[Callable[[], str]]:
    """Begin the bundle in a process of its own: it takes two seconds and would hold Python's lock all the while."""
    spawning = get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawning, initializer=signal, initargs=(SIGINT, SIG_IGN)) as pool:
        begun = pool.submit(vega_bundle)

        def finished() -> str:
            try:
                return begun.result()
            except BrokenExecutor:
                return vega_bundle()

        yield finished


def _needed(key: str, value: str) -> bool:
    return key not in _NOISE and not key.startswith(("aria-", "xml", "{")) and _DEFAULTS.get(key) != value


def _unseen(attributes: Mapping[str, str]) -> bool:
    return attributes.get("display") == "none" or attributes.get("opacity") == "0"


def _tidy(value: str, ids: Mapping[str | None, str]) -> str:
    rounded = _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.2f}", value)
    return _REFERENCE.sub(lambda reference: f"url(#{ids.get(reference[1], '')})", rounded)
