"""Drawings: well-formed, the same every time, in the page's colours, and without anything that runs."""

import hashlib
import json
import re
import subprocess
import sys
from importlib.metadata import version
from xml.etree import ElementTree

import pytest

from imprint.render import vega
from imprint.render.charts.axis import strip
from imprint.render.charts.forest import ForestRow, forest
from imprint.render.charts.plane import arrows, curve, scatter
from imprint.render.charts.points import Point
from imprint.render.vega import KNOWN_BUNDLES, bundle_ahead, to_json, to_svg, vega_bundle

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(2)>",
    "\"quote's\\",
    "datum.x",
    "x[0].y",
    "${1+1}",
    "&amp;",
    "<!--",
    "]]>",
    "url(#clip0)",
    'transform="translate(0.123456,1)"',
    "\\u0000",
    "__proto__",
    "字",
)
COLOURS = {
    f"var(--{name})" for name in ("ink", "soft", "line", "paper", "accent", "other", "quiet", "mark", "high", "middle")
}


def drawn_with(words):
    points = [
        Point(word, i / 7 - 1, (i * 5 % 11) / 5 - 1, words[i % 2], {words[0]: word}) for i, word in enumerate(words)
    ]
    pairs = list(zip(words[::2], words[1::2], strict=False))
    tests = [
        ForestRow(p.word, p.x, p.x - 1, p.x + 1, "present" if p.x > 0 else "cannot tell", hints=p.hints)
        for p in points
    ]
    titles = {"x_title": words[0], "y_title": words[1]}
    return {
        "scatter": scatter(points, **titles, line=(1.0, 0.2), labels=40),
        "strip": strip(points, x_title=words[0], ends=(words[0], words[1])),
        "arrows": arrows(pairs, points, **titles, ends=(words[0], words[1])),
        "curve": curve(points, **titles, chosen=words[0]),
        "forest": forest(tests, x_title=words[0], band=words[1]),
    }


@pytest.fixture(scope="module")
def specs():
    return drawn_with(HOSTILE)


@pytest.fixture(scope="module")
def drawings(specs):
    return {name: to_svg(spec, name) for name, spec in specs.items()}


def texts(svg):
    return ["".join(element.itertext()) for element in ElementTree.fromstring(svg).iter("text")]


@pytest.mark.parametrize("name", ["arrows", "curve", "forest"])
def test_every_word_of_the_chart_is_there_as_text(drawings, name):
    assert set(HOSTILE) <= set(texts(drawings[name]))


@pytest.mark.parametrize("name", ["scatter", "strip"])
def test_names_chosen_are_there_as_text(drawings, specs, name):
    named = {row["word"] for rows in specs[name]["datasets"].values() for row in rows if "align" in row}
    assert len(named) > 5
    assert named <= set(texts(drawings[name]))


def test_drawings_hold_nothing_that_runs_loads_or_links(drawings):
    for svg in drawings.values():
        for element in ElementTree.fromstring(svg).iter():
            assert element.tag in {"svg", "g", "path", "line", "rect", "text", "tspan"}
            assert not [key for key in element.attrib if key.startswith("on") or "href" in key or key == "style"]


def test_drawings_use_the_colours_of_the_page(drawings):
    for svg in drawings.values():
        used = {element.get(key) for element in ElementTree.fromstring(svg).iter() for key in ("fill", "stroke")}
        assert used - {None, "none", "transparent"} <= COLOURS


def test_type_is_large_enough_to_read(drawings):
    for svg in drawings.values():
        sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)px"', svg)]
        assert sizes
        assert min(sizes) >= 12


def test_drawings_keep_the_size_that_style_may_scale(drawings):
    for name, svg in drawings.items():
        root = ElementTree.fromstring(svg)
        assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
        assert 800 <= float(root.get("width")) <= 900, name


def test_the_same_rows_give_the_same_bytes(drawings):
    again = drawn_with(HOSTILE)
    assert {name: to_svg(spec, name) for name, spec in again.items()} == drawings


CLIPPED = {
    "data": {"values": [{"x": 1, "word": "0.123456 url(#clip0)"}]},
    "layer": [
        {"mark": {"type": "point", "clip": True}, "encoding": {"x": {"field": "x", "type": "quantitative"}}},
        {"mark": "text", "encoding": {"text": {"field": "word"}}},
    ],
}


def test_ids_of_two_charts_differ_and_are_found():
    ids = []
    for name in ("one", "other"):
        svg = to_svg(CLIPPED, name)
        found = re.findall(r'\bid="([^"]*)"', svg)
        assert set(re.findall(r'="url\(#([^)]*)\)"', svg)) == set(found)
        assert found
        ids += found
    assert len(set(ids)) == len(ids)


def test_tidying_leaves_words_alone():
    assert "0.123456 url(#clip0)" in texts(to_svg(CLIPPED, "one"))


def inherited(svg):
    """Return what each element without children inherits or says of colours and lines."""
    leaves = []

    def walk(element, outer):
        own = outer | {
            name: element.get(name) for name in ("fill", "stroke", "stroke-width") if name in element.attrib
        }
        leaves.extend([(element.get("transform"), element.get("d"), own)] if not len(element) else [])
        for child in element:
            walk(child, own)

    walk(ElementTree.fromstring(svg), {})
    return leaves


@pytest.mark.parametrize("name", ["scatter", "strip", "arrows", "curve", "forest"])
def test_what_marks_share_is_said_once_and_each_looks_the_same(specs, drawings, name, monkeypatch):
    monkeypatch.setattr(vega, "_share_attributes", lambda parent: None)
    whole = to_svg(specs[name], name)
    assert inherited(drawings[name]) == inherited(whole)
    assert drawings[name].count('stroke-width="') < whole.count('stroke-width="')


def test_labels_that_vega_hides_are_not_drawn():
    crowded = {"field": "x", "type": "quantitative", "axis": {"tickCount": 40, "labelOverlap": True}}
    spec = {"width": 100, "data": {"values": [{"x": 40}]}, "mark": "point", "encoding": {"x": crowded}}
    shown = texts(to_svg(spec, "one"))
    assert "0" in shown
    assert len(shown) < 20


def test_characters_that_no_xml_may_hold_are_replaced():
    svg = to_svg(curve([Point("a\0b\ud800\uffff", 1, 1)], x_title="\x01", y_title="\udfff"), "one")
    assert {"a\ufffdb\ufffd\ufffd", "\ufffd"} <= set(texts(svg))


def test_json_says_the_same_and_ends_no_element(specs):
    for spec in [*specs.values(), {"word": "\u2028\u2029<>&'\""}]:
        text = to_json(spec)
        assert json.loads(text) == spec
        assert not set(text) & set("<>&\u2028\u2029")


def test_json_refuses_what_browsers_cannot_read():
    with pytest.raises(ValueError, match="JSON compliant"):
        to_json({"x": float("nan")})


def test_the_bundle_can_stand_inside_a_script_element():
    bundle = vega_bundle()
    assert "vegaEmbed" in bundle
    assert not re.search("</script|<!--", bundle, re.IGNORECASE)
    assert vega_bundle() is bundle


def test_a_bundle_is_kept_and_used_only_where_it_is_what_would_be_made(tmp_path, monkeypatch):
    monkeypatch.setenv("IMPRINT_CACHE", str(tmp_path / "cache"))
    kept = vega._kept_bundle.__wrapped__
    made = vega._artist().bundle()
    assert hashlib.sha256(made.encode()).hexdigest() == KNOWN_BUNDLES[version("vl-convert-python")]
    assert kept() is None
    vega._keep(made + " ")
    assert kept() is None
    vega._keep(made)
    assert kept() == made
    (file,) = (tmp_path / "cache").iterdir()
    file.write_text(made.replace("vega", "evil", 1), "utf-8")
    assert kept() is None


@pytest.fixture
def forgotten():
    """This process has read no bundle yet, and forgets the one that it reads."""
    for remembered in (vega_bundle, vega._kept_bundle):
        remembered.cache_clear()
    yield
    for remembered in (vega_bundle, vega._kept_bundle):
        remembered.cache_clear()


def test_a_kept_bundle_is_read_once_for_a_page(tmp_path, monkeypatch, forgotten):
    monkeypatch.setenv("IMPRINT_CACHE", str(tmp_path / "cache"))
    vega._keep(vega._artist().bundle())
    hashed = []
    monkeypatch.setattr(vega, "_is_known", lambda bundle: hashed.append(len(bundle)) or True)
    with bundle_ahead() as script:
        assert hashed == [len(vega._artist().bundle())]
        assert "vegaEmbed" in script()
    assert len(hashed) == 1


LIMITED = """
import resource
import sys

resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
from imprint.render.vega import bundle_ahead, why_not_drawn, to_svg

with bundle_ahead():
    assert "<svg" not in to_svg({"mark": "point"}, "one") and why_not_drawn()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
def test_with_too_little_memory_there_is_no_drawing_and_the_process_lives():
    ran = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_specification_that_cannot_be_drawn_is_an_error_and_the_next_one_is_drawn():
    with pytest.raises(ValueError, match="Vega"):
        to_svg({"mark": "no such mark"}, "one")
    assert "<svg" in to_svg({"mark": "point"}, "one")
