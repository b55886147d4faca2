"""Sphinx: pages in Markdown, references from the code, formulas as MathML; a page fetches nothing from elsewhere."""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml
from sphinx.ext.napoleon import Config, NumpyDocstring
from sphinx.util.logging import getLogger

sys.path.insert(0, str(Path(__file__).parent))

from generation import MARKERS, plain_docstring

from imprint.version import __version__

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

project = "imprint"
copyright = "The imprint authors"  # noqa: A001 - Sphinx's name for it
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.githubpages"]  # the last: pages may begin with _
html_theme = "furo"
html_title = f"imprint {__version__}"
html_math_renderer = "mathml"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_extra_path = [str(path) for path in [Path(__file__).parents[1] / "build" / "examples"] if path.is_dir()]
highlight_language = "none"  # a bare block is what a command printed

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

default_role = "code"
smartquotes = False  # two hyphens begin an option
autodoc_default_options = {"members": True, "inherited-members": "BaseException,Exception,ABC"}
autodoc_typehints_format = "short"
maximum_signature_line_length = 100
python_use_unqualified_type_names = True
nitpicky = True
# Types of annotations are Python's, numpy's and pandas', whose pages are not at hand where this is built.
nitpick_ignore_regex = [("py:.*", ".*")]

# Signatures have the types.
_SECTIONS = Config(napoleon_use_rtype=False, napoleon_attr_annotations=False)
_LINK = re.compile(r"\[([^\]]+)\]\((\.\./[^)#]+\.md)\)")


def setup(app: "Sphinx") -> None:
    """Fill the reference pages, read docstrings as plain text in numpydoc sections, and write formulas as MathML."""
    app.connect("source-read", _fill)
    app.connect("autodoc-process-docstring", _mark_up)
    app.connect("doctree-read", _punctuate)
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))


def _fill(app: "Sphinx", name: str, source: list[str]) -> None:
    for marker, generate in MARKERS.items():
        if marker in source[0]:
            source[0] = source[0].replace(marker, generate())
    page = Path(app.srcdir, name)
    source[0] = _LINK.sub(lambda link: _leading_out(link, page), source[0])


def _leading_out(link: re.Match[str], page: Path) -> str:
    """Turn a link to a page outside this folder, which only a clone can follow, into a file to download."""
    text, target = link.groups()
    inside = (page.parent / target).resolve().is_relative_to(Path(__file__).parent)
    return link[0] if inside else f"{{download}}`{text} <{target}>`"


def _mark_up(app: "Sphinx", what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    lines[:] = plain_docstring(lines)
    if what != "property":  # napoleon takes what is before a colon for its type
        lines[:] = NumpyDocstring(lines, _SECTIONS, what=what, name=name).lines()


def _punctuate(app: "Sphinx", page: nodes.document) -> None:
    """Separate names from their descriptions by a colon, as Sphinx writes two hyphens for a dash."""
    for text in list(page.findall(nodes.Text)):
        if text.startswith(" -- "):
            text.parent.replace(text, nodes.Text(f": {text[4:]}"))


def _inline(translator: "HTML5Translator", node: nodes.math) -> None:
    translator.body.append(_mathml(node, block=False))
    raise nodes.SkipNode


def _block(translator: "HTML5Translator", node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math">{_mathml(node, block=True)}</div>')
    raise nodes.SkipNode


def _mathml(node: nodes.Element, *, block: bool) -> str:
    try:
        return latex2mathml.tex2mathml(node.astext(), as_block=block)
    except MathError as error:
        getLogger(__name__).warning("a formula cannot be written as MathML: %s", error, location=node)
        return ""
