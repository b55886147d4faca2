"""A real browser, and one page that has every kind of block, drawn once a session."""

import os
import shutil
from collections.abc import Mapping
from typing import Any

import pytest

from imprint.masking import Words
from imprint.reports.page import Opening, draw_page
from imprint.view import (
    NOTHING,
    Answer,
    AnswerChart,
    Bar,
    BarCard,
    Cards,
    Cell,
    Chart,
    Column,
    Details,
    Listing,
    Marked,
    Prose,
    Section,
    Span,
    Table,
    Tile,
    Tiles,
    WordSpread,
    count,
    number,
    probability,
)

HOSTILE = (
    "<script>fetch('https://example.org')</script>",
    "</script><script>window.broken = true</script>",
    '"><img src=x onerror="window.broken = true">',
    "' onfocus='window.broken = true' autofocus='",
    "{{7*7}}{% raw %}",
    "<!--",
    "\u202eright to left\u200f",
    "عربي",
    "datum.x",
    "\\u0000\\",
    "x" * 10_000,
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker("browser")


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        pytest.skip("the browser tests need Chromium: install it, or name it in CHROMIUM")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def drawn(tmp_path_factory):
    """The page's file: drawing takes longer than any test here."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(draw_page(Words().plain(HOSTILE[0]), _sections(), _opening()), encoding="utf-8")
    return path


@pytest.fixture
def windows(browser):
    """Open windows of their own; every request that is not `ours`, error and message of the console is kept."""
    contexts, troubles = [], []

    def open_window(ours, *, offline=False, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        context.set_offline(offline)
        page = context.new_page()
        page.on("request", lambda request: ours(request.url) or troubles.append(request.url))
        page.on("console", lambda message: message.type in ("error", "warning") and troubles.append(message.text))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        return page

    def close():
        for context in contexts:
            context.close()

    open_window.troubles, open_window.close = troubles, close
    return open_window


@pytest.fixture
def opened(windows, drawn):
    """Open the page offline; it comes from disk, and whatever else it asked for would be a leak."""

    def open_page(path=drawn, *, width=1280, height=900, **options):
        size = {"width": width, "height": height}
        page = windows(lambda url: url == path.as_uri(), offline=True, viewport=size, **options)
        page.goto(path.as_uri())
        return page

    open_page.troubles = windows.troubles
    yield open_page
    windows.close()
    assert windows.troubles == []


def _sections() -> tuple[Section, ...]:
    words = Words()
    return (
        Section(
            "tests",
            "The tests",
            (
                Prose("What this section found.", "lead"),
                Prose("What was asked.", "note"),
                Prose("Words are missing.", "warning"),
                _chart("effects"),
                _effects(),
                Details("How to read this", (Listing(("One line.", "Another.")),)),
            ),
        ),
        Section(
            "found", "What was found", (_cards(), _grid(words), _names(), _chart("words", HOSTILE)), offensive=True
        ),
        Section("analogies", "Analogies", (Prose("Behind a gate of its own."),), offensive=True),
        Section("method", "Method", (_hostile(words),)),
    )


def _chart(name: str, words: tuple[str, ...] = ("nurse", "engineer")) -> Chart:
    shown = [Words().plain(word) for word in words]
    spec: Mapping[str, Any] = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "config": {"aria": False, "background": None, "text": {"fill": "var(--ink)"}},
        "width": 560,
        "height": 30 * len(shown),
        "data": {"values": [{"word": word, "x": place} for place, word in enumerate(shown)]},
        "encoding": {
            "x": {"field": "x", "type": "quantitative", "axis": None},
            "y": {"field": "word", "type": "nominal", "axis": None},
        },
        "layer": [
            {"mark": {"type": "point", "stroke": "var(--accent)"}, "encoding": {"tooltip": {"field": "word"}}},
            {"mark": {"type": "text", "align": "left", "dx": 8}, "encoding": {"text": {"field": "word"}}},
        ],
    }
    columns = (Column("Word"), Column("Place", numeric=True))
    table = Table("Every word", columns, tuple((word, count(place)) for place, word in enumerate(shown)))
    return Chart(name, "Words along an axis", "Two words from left to right.", lambda words, width: spec, table)


def _opening() -> Opening:
    tiles = [
        Tile("Gender", "2 questions", (Marked("substantial", "2 substantial"),), "substantial", "topic-gender"),
        Tile("Age", "1 question", (Marked("cannot tell", "1 cannot tell"),), "cannot tell", "topic-age"),
    ]
    return Opening(
        "Three of ten tests find a bias.",
        "Bias audit",
        ("It can be judged.", HOSTILE[2]),
        (("Set limits", "imprint policy init"), (HOSTILE[0], HOSTILE[1])),
        Tiles(tuple(tiles)),
        _answers(),
        (Marked("substantial", "2 substantial"), Marked("cannot tell", "1 cannot tell")),
        (Listing(("Substantial: large.",)),),
        (HOSTILE[2],),
    )


def _answers() -> AnswerChart:
    scores = tuple((word, place / 10) for place, word in enumerate(HOSTILE))
    opened = (
        Prose("Men's names are nearer."),
        WordSpread(((HOSTILE[0], scores), ("women", scores)), ("family", HOSTILE[2])),
    )

    def line(name, label, outcome, *span):
        return Answer(name, name, label, HOSTILE[1], Span(*span), outcome, outcome, "26 % [16 to 37]", opened, 0.15)

    gender = (
        line("career", "Men's names → career", "substantial", 0.26, 0.16, 0.37),
        line("looks", "Women's names → looks", "substantial", 0.2, 0.12, 0.3),
    )
    age = (line("age", "Older people's names – pleasant", "cannot tell", 0.04, -0.11, 0.13),)
    groups = (("topic-gender", "Gender", gender), ("topic-age", "Age", age))
    return AnswerChart(groups, 0.1, _chart("main", ("first", "second")))


def _cards() -> Cards:
    bars = (Bar("nurse, maid", 0.9, "recurs in 18 of 20"), Bar(HOSTILE[2], 0.5, "score 0.1"))
    return Cards((BarCard(HOSTILE[0], "270 names", bars, "2 more associations", ("Emma", HOSTILE[1])),) * 3)


def _effects() -> Table:
    columns = (Column("Test"), Column("d", "How far apart the sets are.", True), Column("p", numeric=True))
    effects = (("Flowers", 1.5, 1e-7), ("Science", -0.25, 0.31), ("Names", None, None), ("Age", 10.0, 0.04))
    rows = tuple((Cell(test, hint=f"Hint of {test}"), number(d), probability(p)) for test, d, p in effects)
    return Table("Every test", columns, rows)


def _grid(words: Words) -> Table:
    columns = (Column("Category"), *(Column(f"Group {letter}") for letter in "ABCDEFGHIJKL"))
    rows = tuple(
        (
            f"category {row}",
            *(Cell(f"word-{row}-{column}, nurse", hint=f"p = 0.0{column}", order=-row) for column in range(12)),
        )
        for row in range(16)
    )
    return Table("Which words lie nearest to which group", columns, rows, filtered=True)


def _names() -> Table:
    letter = Cell("A", more="Emma, Renee")
    return Table("The names", (Column("Group"), Column("Born", numeric=True)), ((letter, NOTHING),), folded=True)


def _hostile(words: Words) -> Table:
    rows = tuple((words.plain(word), Cell(word[:200], hint=word)) for word in HOSTILE)
    return Table(f"Hostile {HOSTILE[2]}", (Column("Word", HOSTILE[3]), Column("As it is")), rows, filtered=True)
