"""Specifications drawn: as SVG that shows without JavaScript, and as JSON for the script that makes it interactive."""

import atexit
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from imprint.errors import ImprintError, pip_install
from imprint.files import cache_folder, replacing
from imprint.render.charts.theme import FONT

NOT_DRAWN = "The charts could not be drawn: there is too little memory (ulimit -v)."
NOT_INSTALLED = f"Charts are not drawn: they need {pip_install('report')}."

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_SVG = "{http://www.w3.org/2000/svg}"
# What Vega writes for its own script, which a drawing that stands still does not need.
_NOISE = ("class", "role", "pointer-events", "version")
_DEFAULTS = {"opacity": "1", "font-family": FONT, "font-weight": "normal"}
_INHERITED = ("fill", "stroke", "stroke-width")
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_REFERENCE = re.compile(r"url\(#([^)]*)\)")
_MOST_DEATHS = 2
_BUNDLE = "null"
_MAKER = "vl-convert-python"
# The SHA-256 of the bundle by the version that makes it. It goes into pages, so what is kept must be this to the bit;
# one of a version that is not listed is made anew each time.
KNOWN_BUNDLES = {"1.9.0.post1": "373b1f84072b31010f15ceb787be6b415c53936411aae267c8c2b2b6ccde46e7"}
_ESCAPES = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def to_svg(spec: Mapping[str, Any], name: str) -> Markup:
    """Draw a specification as SVG to go inside a page; ids in it begin with the chart's `name`.

    Colours are the page's variables, so one drawing serves light, dark and print.
    """
    from xml.etree import ElementTree

    drawn = _artist().draw(spec)
    if drawn is None:
        return escape(NOT_DRAWN)
    root = ElementTree.fromstring(drawn)  # noqa: S314 - written a line above, by us
    # Vega numbers its ids on from chart to chart; ours begin anew in each.
    ids = {element.get("id"): f"{name}-{index}" for index, element in enumerate(root.iterfind(".//*[@id]"))}
    for parent in root.iter():
        parent.tag = parent.tag.removeprefix(_SVG)
        parent.attrib = {key: _tidy(value, ids) for key, value in parent.attrib.items() if _needed(key, value)}
        if "id" in parent.attrib:
            parent.set("id", ids[parent.attrib["id"]])
        for child in [child for child in parent if _unseen(child.attrib)]:
            parent.remove(child)
    for parent in root.iter():
        _share_attributes(parent)
    root.set("font-family", FONT)
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # noqa: S704 - serialised, so every text is escaped


def _share_attributes(parent: "Element") -> None:
    """Say once, at the parent, what most children say of a property that they would inherit."""
    for key in _INHERITED:
        values = Counter(child.attrib.get(key) for child in parent)
        if len(parent) > 1 and None not in values and key not in parent.attrib:
            common = values.most_common(1)[0][0]
            parent.set(key, str(common))
            for child in parent:
                if child.attrib[key] == common:
                    del child.attrib[key]


def to_json(spec: Mapping[str, Any]) -> Markup:
    """Write a specification so that it can go inside a script element without ending it."""
    text = json.dumps(spec, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    return Markup(text.translate(_ESCAPES))  # noqa: S704 - nothing of it can be read as markup any more


def is_installed() -> bool:
    """Whether what draws charts is installed."""
    return find_spec("vl_convert") is not None


def why_not_drawn() -> str | None:
    """Return a sentence where a page has no charts, or lacks one."""
    if not is_installed():
        return NOT_INSTALLED
    return NOT_DRAWN if _artist().deaths else None


@cache
def vega_bundle() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script that can go inside a page; nothing where memory is short."""
    bundle = _kept_bundle()
    if bundle is None:
        bundle = _artist().bundle() or ""
        _keep(bundle)
    # Inside a script element these would end it or hide its end; in strings and patterns, the only places where
    # they occur, a backslash changes nothing.
    return re.sub(r"<(?=/script)", r"\\x3c", bundle, flags=re.IGNORECASE).replace("<!--", r"\x3c!--")


@contextmanager
def bundle_ahead() -> Iterator[Callable[[], str]]:
    """Begin the bundle, which takes two seconds, in the process that draws; one that is kept need not be made."""
    if is_installed() and _kept_bundle() is None:
        _artist().begin_bundle()
    yield vega_bundle


@cache
def _kept_bundle() -> str | None:
    """Return the bundle of an earlier run, where it is exactly what would be made now; read and hashed once."""
    with suppress(OSError, RuntimeError, ValueError):
        bundle = _bundle_file().read_text("utf-8")
        return bundle if _is_known(bundle) else None
    return None


def _keep(bundle: str) -> None:
    """Keep a bundle for the next run; where nothing can be written, nothing is kept."""
    if _is_known(bundle):
        with suppress(OSError, RuntimeError, ImprintError):
            file = _bundle_file()
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with replacing(file, mode=0o600) as part:
                part.write_text(bundle, "utf-8", newline="\n")


def _bundle_file() -> Path:
    return cache_folder() / f"vega-{_version()}.js"


def _is_known(bundle: str) -> bool:
    return hashlib.sha256(bundle.encode()).hexdigest() == KNOWN_BUNDLES.get(_version())


def _version() -> str:
    try:
        return version(_MAKER)
    except PackageNotFoundError:  # some repackagings leave it out
        return "unknown"


class _Artist:
    """The process that draws; one that dies is started again, but not for ever."""

    def __init__(self) -> None:
        self.deaths = 0
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        self._owed = False  # a bundle that was asked for and not read yet
        self._bundle: str | None = None

    def begin_bundle(self) -> None:
        """Ask for the bundle without waiting for it."""
        with self._lock, suppress(OSError):
            if self._bundle is None and not self._owed:
                self._send(_BUNDLE)
                self._owed = True

    def bundle(self) -> str | None:
        """Return the bundle; None where the process dies of it."""
        with self._lock:
            self._settle()
            if self._bundle is None:
                self._bundle = self._exchange(_BUNDLE)
            return self._bundle

    def draw(self, spec: Mapping[str, Any]) -> str | None:
        """Return a drawing; None where the process dies of it."""
        with self._lock:
            self._settle()
            return self._exchange(json.dumps(spec))

    def end(self) -> None:
        """End the process, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _settle(self) -> None:
        if self._owed:
            self._owed = False
            self._bundle = self._exchange(None)

    def _exchange(self, line: str | None) -> str | None:
        """Send a line, unless one was sent already, and return the answer."""
        while self.deaths < _MOST_DEATHS:
            try:
                process = self._send(line)
                answer = json.loads(process.stdout.readline() if process.stdout else "")
            except (OSError, ValueError):  # ValueError: there is no answer, or half of one
                self.deaths += 1
                self.end()
                if line is None:
                    return None
            else:
                if "error" in answer:
                    raise ValueError(answer["error"])
                return str(answer["drawn"])
        return None

    def _send(self, line: str | None) -> "subprocess.Popen[str]":
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-P", str(Path(__file__).with_name("drawing.py"))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        if line is not None and self._process.stdin is not None:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
        return self._process


def _artist() -> _Artist:
    """Return this process's own: a forked one would read another's drawings."""
    return _artists(os.getpid())


@cache
def _artists(_process: int) -> _Artist:
    made = _Artist()
    atexit.register(made.end)
    return made


def _needed(key: str, value: str) -> bool:
    return key not in _NOISE and not key.startswith(("aria-", "xml", "{")) and _DEFAULTS.get(key) != value


def _unseen(attributes: Mapping[str, str]) -> bool:
    return attributes.get("display") == "none" or attributes.get("opacity") == "0"


def _tidy(value: str, ids: Mapping[str | None, str]) -> str:
    rounded = _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.2f}", value)
    return _REFERENCE.sub(lambda reference: f"url(#{ids.get(reference[1], '')})", rounded)
