"""A fragment in somebody else's page: readable there, and the page around it as it was."""

import pytest

from imprint.render.html import draw_fragment
from imprint.view import Cell, Column, Prose, Section, Table

HOST = (
    "<!doctype html><title>Notebook</title><body {marks}><h2>Theirs</h2><p>Their <a href='#'>text</a>.</p>"
    "<details open><summary>More</summary><ul><li>line</li></ul></details><figure><figcaption>F</figcaption></figure>"
    "<table><thead><tr><th>h</th></tr></thead><tbody><tr><th>a</th><td class='numeric note'>b</td></tr>"
    "</tbody></table><input><button>b</button>{fragment}</body>"
)
STYLES = (
    "[...document.querySelectorAll('html, body, body > :not(.imprint), body > :not(.imprint) *')].map(each => "
    "[each.tagName, ...['color', 'backgroundColor', 'font', 'margin', 'padding', 'border', 'display', 'maxWidth', "
    "'overflow', 'position', 'textAlign', 'whiteSpace', 'colorScheme'].map(name => getComputedStyle(each)[name])])"
)
LUMINANCE = (
    "['color', 'backgroundColor'].map(name => getComputedStyle(document.querySelector('div.imprint'))[name])"
    ".map(colour => colour.match(/[0-9]+/g).slice(0, 3).map(Number).reduce((sum, each) => sum + each) / 3)"
)


@pytest.fixture(scope="module")
def fragment():
    table = Table("Words", (Column("Word"), Column("d", "How far.", True)), (("nurse", Cell("1.00", "p = 0.01")),))
    return draw_fragment((Section("one", "One", (Prose("Said."), table)), Section("two", "Two", (table,), True)))


@pytest.mark.parametrize("media", ["screen", "print"])
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_around_a_fragment_changes(browser, fragment, media, width):
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.emulate_media(media=media)
    page.set_content(HOST.format(marks="", fragment=""))
    before = page.evaluate(STYLES)
    page.set_content(HOST.format(marks="", fragment=fragment))
    assert page.locator("div.imprint table").first.is_visible()
    assert page.evaluate(STYLES) == before
    page.close()


@pytest.mark.parametrize(
    ("marks", "dark"),
    [
        ("", False),
        ("data-jp-theme-light=false", True),
        ("data-jp-theme-light=true", False),
        ("class=vscode-dark", True),
        ("style='color-scheme: dark'", True),
    ],
)
@pytest.mark.parametrize("system", ["light", "dark"])
def test_a_fragment_is_as_dark_as_its_notebook(browser, fragment, marks, dark, system):
    page = browser.new_page(color_scheme=system)
    page.set_content(HOST.format(marks=marks, fragment=fragment))
    ink, paper = page.evaluate(LUMINANCE)
    assert (ink > paper) == dark
    assert abs(ink - paper) > 128, "the fragment brings its own paper, so its ink can be read on it"
    page.close()


def test_the_gate_of_a_fragment_opens(browser, fragment):
    page = browser.new_page()
    page.set_content(HOST.format(marks="", fragment=fragment))
    tables = page.locator("div.imprint table")
    assert [table.is_visible() for table in tables.all()] == [True, False]
    page.locator(".gate > summary").click()
    assert tables.last.is_visible()
    page.close()
