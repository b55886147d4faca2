"""Every chart alive in a real browser under a policy that lets nothing be evaluated."""

import base64
import hashlib

import pytest

from imprint.render.charts.axis import strip
from imprint.render.charts.forest import ForestRow, forest
from imprint.render.charts.plane import arrows, curve, scatter
from imprint.render.charts.points import Point
from imprint.render.vega import to_json, to_svg, vega_bundle

# Short, since a browser cuts long texts of a legend where its typeface says, which is not that of the drawing.
WORDS = ("<script>broken=1</script>", "</script><img onerror='broken=1'>", "\"quote's\\", "datum.x")
COLOURS = " ".join(
    f"--{name}: #345;"
    for name in ["ink", "soft", "line", "paper", "accent", "other", "quiet", "mark", "high", "middle"]
)
DRAW = """
const draw = async (figure) => {
  const spec = JSON.parse(figure.querySelector("script").textContent);
  await vegaEmbed(figure.querySelector("div"), spec, { ast: true, renderer: "svg", actions: false });
};
Promise.all([...document.querySelectorAll("figure")].map(draw)).then(
  () => { window.drawn = true; },
  (error) => { window.drawn = true; console.error(String(error)); },
);
"""


def charts():
    points = [Point(word, i - 1.5, i * 0.5, f"{word} group", {word: word}) for i, word in enumerate(WORDS[:3])]
    points.append(Point(WORDS[3], 2.0, -1.0, f"{WORDS[0]} group", {WORDS[0]: WORDS[3]}))
    tests = [
        ForestRow(p.word, p.x, p.x - 1, p.x + 1, "present" if p.x > 0 else "small", hints=p.hints) for p in points
    ]
    titles = {"x_title": WORDS[2], "y_title": WORDS[0]}
    return {
        "scatter": scatter(points, **titles, line="diagonal"),
        "strip": strip(points, x_title=WORDS[2], ends=WORDS[:2]),
        "arrows": arrows([WORDS[:2], WORDS[2:]], points, **titles, ends=WORDS[:2]),
        "curve": curve(points, **titles, chosen=WORDS[2]),
        "forest": forest(tests, x_title=WORDS[2], band=WORDS[1]),
    }


def hashed(script):
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src {hashed(vega_bundle())} {hashed(DRAW)}"
    figures = "".join(
        f'<figure id="{name}"><div></div><p>{to_svg(spec, name)}</p>'
        f'<script type="application/json">{to_json(spec)}</script></figure>'
        for name, spec in charts().items()
    )
    path = tmp_path_factory.mktemp("charts") / "charts.html"
    path.write_text(
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<style>:root {{ {COLOURS} }}</style>{figures}<script>{vega_bundle()}</script><script>{DRAW}</script>",
        encoding="utf-8",
    )
    page = browser.new_page()
    page.troubles = []
    page.on("console", lambda message: page.troubles.append(message.text))
    page.on("pageerror", lambda error: page.troubles.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_function("window.drawn")
    return page


@pytest.mark.parametrize("name", ["scatter", "strip", "arrows", "curve", "forest"])
def test_a_chart_alive_says_what_the_drawing_says_and_more_on_hover(page, name):
    alive, still = (page.locator(f"#{name} {where} text").all_text_contents() for where in ("div", "p"))
    assert sorted(alive) == sorted(still)
    page.locator(f"#{name} div .mark-symbol.role-mark path").first.hover(force=True)
    told = page.locator("#vg-tooltip-element.visible").inner_text()
    assert any(word in told for word in WORDS)
    assert page.evaluate("window.broken ?? null") is None
    assert page.troubles == []
