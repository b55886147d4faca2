"""The explorer in a real browser, against the real server."""

import re
import subprocess
import sys
from pathlib import Path

import httpx
import numpy as np
import pytest

from imprint.stimuli.catalog import get
from imprint.stimuli.definition import words_of

IMPRINT = Path(sys.executable).with_name("imprint")
SCREENS = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 360, "height": 740}}
PATHS = ("/", "/axis", "/neighbours")
X, Y = ("rose", "lily", "iris", "tulip"), ("ant", "flea", "wasp", "gnat")
A, B = ("love", "peace", "joy"), ("filth", "grief", "agony")
HOSTILE = ("<script>window.broken=true</script>", '"><img/src=x/onerror="window.broken=true">', "{{7*7}}", "<!--")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Serve a small embedding in which X lies near A and Y near B, and hostile words near rose."""
    pytest.importorskip("fastapi", reason="the explorer needs fastapi")
    others = ("he", "she", "nurse", "engineer", *sorted(words_of([get("caliskan-6")])))
    words = [*X, *Y, *A, *B, *HOSTILE, *others]
    vectors = np.random.default_rng(0).normal(size=(len(words), 6)).astype(np.float32)
    for row, word in enumerate(words):
        vectors[row, 0] += 2.0 * ((word in X + A) - (word in Y + B))
        if word in HOSTILE:
            vectors[row] = vectors[0] + 0.01 * vectors[row]
    path = tmp_path_factory.mktemp("vectors") / "<b>tiny.txt"
    rows = zip(words, vectors.tolist(), strict=True)
    path.write_text("".join(f"{word} {' '.join(map(repr, row))}\n" for word, row in rows))
    command = [str(IMPRINT), "serve", str(path), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        yield process.stdout.readline().strip().removeprefix("explorer: ")
        process.kill()


@pytest.fixture
def opened(windows, address):
    """Open a page; every error, warning and request to anywhere else is kept, and there must be none."""

    def open_page(path="/", *, screen="desktop", **options):
        page = windows(lambda url: url.startswith(address), viewport=SCREENS[screen], base_url=address, **options)
        page.goto(path)
        return page

    open_page.troubles = windows.troubles
    yield open_page
    windows.close()
    # A refusal shown in its place is an answer of 422, which Chromium writes to its console.
    assert [trouble for trouble in windows.troubles if "422" not in trouble] == []


def type_sets(page, **sets):
    for name, words in sets.items():
        page.locator(f"#{name}").fill(", ".join(words))


def said(page):
    return page.locator("[data-said]").inner_text()


def answer(page):
    return page.locator("#result").inner_text()


def wait_for(page, pattern):
    page.locator("#result").filter(has_text=re.compile(pattern)).wait_for()


def effect(address, **sets):
    row = httpx.post(f"{address}/api/weat", json={name: list(words) for name, words in sets.items()}).json()
    return row["finding"]


def test_numbers_and_dots_follow_the_typing(opened, address):
    page = opened()
    type_sets(page, x=X, y=Y, a=A, b=B)
    wait_for(page, "of 70 splits")
    finding = effect(address, x=X, y=Y, a=A, b=B)
    shown = page.locator("#result data").evaluate_all("all => all.map(one => one.value)")
    keys = ("effect_size", "p_value", "extreme", "partitions")
    assert {value if isinstance(value, str) else repr(value) for value in map(finding.get, keys)} <= set(shown)
    drawn = page.locator("#result .drawing.wide svg text").all_text_contents()
    ordered = [one["word"] for one in sorted(finding["scores"], key=lambda one: -one["value"])]
    assert [text for text in drawn if text in ordered] == ordered
    assert page.locator("#said").text_content() == said(page), "it is read out too"

    page.locator("#x").press("End")
    page.locator("#x").press_sequentially(", nurse")
    wait_for(page, "of 126 splits")
    assert page.locator("#x").evaluate("box => box === document.activeElement"), "typing goes on where it was"
    assert "nurse" in page.locator("#result .drawing.wide svg text").all_text_contents()
    assert "nurse" in page.url.replace("+", " ")
    page.reload()
    assert "of 126 splits" in answer(page), "the address keeps the question"


def test_other_words_lose_the_name_of_those_they_replace(opened):
    page = opened()
    assert page.locator("[name=x_name]").input_value()
    first = page.locator("#x").input_value()
    page.locator("#x").fill(f"{first}\nnurse")
    assert page.locator("[name=x_name]").input_value(), "a word more is the same set"
    type_sets(page, x=X, y=Y, a=A, b=B)
    wait_for(page, "of 70 splits")
    assert page.locator("[name$=_name]").evaluate_all("all => all.map(one => one.value)") == [""] * 4
    assert re.match(r"X lie nearer to A than Y|It is not clear whether [XY] or [XY] are nearer to A", said(page))
    page.locator("[name=x_name]").fill("flowers")
    page.locator("#x").fill("he, she, nurse")
    assert page.locator("[name=x_name]").input_value() == "flowers", "what was typed stays"


def test_a_phone_shows_the_answer_while_its_words_are_typed(opened):
    page = opened(screen="phone")
    line = page.locator("#said")
    type_sets(page, x=X, y=Y, a=A, b=B)
    wait_for(page, "of 70 splits")
    page.locator("#x").scroll_into_view_if_needed()
    page.locator("#said:not(.unseen)").wait_for()
    assert line.inner_text() == said(page)
    box = line.bounding_box()
    assert box["y"] + box["height"] == SCREENS["phone"]["height"]
    assert box["height"] > 20
    page.locator(".said").scroll_into_view_if_needed()
    page.evaluate("window.scrollBy(0, 400)")
    page.locator("#said.unseen").wait_for(state="attached")


def test_a_stale_answer_is_never_shown(opened):
    page = opened()
    type_sets(page, x=X, y=Y, a=A, b=B)
    wait_for(page, "of 70 splits")
    page.evaluate(
        """() => {
          window.shown = [];
          const look = () => window.shown.push(document.getElementById("result").textContent);
          new MutationObserver(look).observe(document.getElementById("result"), { childList: true });
        }"""
    )
    held = []
    page.route("**/", lambda route: held.append(route) if not held else route.continue_())
    with page.expect_request(lambda request: request.method == "POST"):
        page.locator("#x").fill(", ".join(X[:2]))
    assert page.locator("#result").get_attribute("aria-busy") == "true"
    page.locator("#x").fill(", ".join(X[:3]))
    held[0].continue_()
    wait_for(page, "of 35 splits")
    page.locator("#result:not([aria-busy])").wait_for()
    assert all("of 35 splits" in text for text in page.evaluate("window.shown")), "about two words: dropped"


def test_a_question_is_asked_when_typing_rests_and_only_once(opened):
    page = opened()
    page.clock.install(time=0)
    page.clock.pause_at(3_600)  # typing takes no time then, however busy the machine is
    asked = []
    page.on("request", lambda request: request.method == "POST" and asked.append(request.post_data))
    type_sets(page, x=X, y=Y, a=A, b=B)
    page.clock.run_for(1000)
    wait_for(page, "of 70 splits")
    page.locator("#x").dispatch_event("input")
    page.clock.run_for(1000)
    type_sets(page, x=X[:3])
    page.clock.run_for(1000)
    wait_for(page, "of 35 splits")
    assert len(asked) == 2


def test_a_mistake_is_told_where_the_answer_would_be(opened):
    page = opened()
    type_sets(page, x=["rose"])
    page.locator("#result .error").filter(has_text="rose").wait_for()
    assert page.locator("#x").input_value() == "rose"
    type_sets(page, x=X, y=Y, a=A, b=B)
    wait_for(page, "of 70 splits")


def test_a_server_that_has_gone_is_said_to_have(opened):
    page = opened()
    page.route("**/", lambda route: route.abort())
    type_sets(page, x=X)
    wait_for(page, "Is imprint serve still running")
    page.unroute_all()
    page.get_by_role("button", name="Measure").click()
    wait_for(page, "splits")
    opened.troubles.clear()


def test_the_command_can_be_copied(opened):
    page = opened(permissions=["clipboard-read", "clipboard-write"])
    for name in ("Command line", "Python"):
        page.get_by_role("button", name=f"Copy: {name}").click()
        page.get_by_text("Copied.").wait_for(state="attached")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == page.locator(".recipe", has_text=name).locator("code").text_content()
        page.evaluate("document.getElementById('said').textContent = ''")
    type_sets(page, x=X, y=Y, a=A, b=B)
    wait_for(page, "of 70 splits")
    assert page.get_by_role("button", name="Copy: ").count() == 2


def test_what_was_unfolded_stays_so_while_typing(opened):
    page = opened()
    page.locator("#result figure.chart summary").click()
    type_sets(page, x=X, y=Y, a=A, b=B)
    wait_for(page, "of 70 splits")
    assert page.locator("#result figure.chart table").is_visible()
    assert page.locator("#result figure.chart tbody tr").count() == 8
    assert not page.locator("#result details.folded table").first.is_visible()


def test_everything_works_without_javascript(opened):
    page = opened(java_script_enabled=False)
    page.get_by_label("A question or a published test").select_option("caliskan-7")
    page.get_by_role("button", name="Take its words").click()
    assert page.locator("#x").input_value().startswith("math")
    type_sets(page, x=X, y=Y, a=A, b=B)
    page.get_by_role("button", name="Measure").click()
    assert "of 70 splits" in answer(page)
    assert page.locator("#result .drawing.wide svg").count() == 1
    page.get_by_role("link", name="Axis").click()
    page.get_by_label("Words to project").fill("nurse\nengineer\nrose")
    page.get_by_role("button", name="Project").click()
    assert "Of 3 words" in said(page)
    page.get_by_role("link", name="Neighbours").click()
    page.get_by_label("Word", exact=True).fill("rose")
    page.get_by_role("button", name="Find").click()
    assert "Nearest to rose" in said(page)
    assert page.get_by_role("button", name="Copy").count() == 0, "no control that would do nothing"


def test_the_axis_and_the_neighbours_follow_the_typing(opened):
    page = opened("/axis")
    page.locator("#words").fill("nurse, engineer")
    wait_for(page, "Of 2 words")
    page.locator("#words").fill("rose, ant, lily")
    wait_for(page, "Of 3 words")
    page.locator("#pairs").fill("he, she\nrose, ant")
    page.locator("#result code").filter(has_text="rose").first.wait_for()
    page.goto("/neighbours")
    page.locator("#word").fill("ant")
    wait_for(page, "Nearest to ant")
    page.locator("#count").fill("3")
    page.locator("#result tbody:not(:has(tr:nth-child(4))) tr:nth-child(3)").wait_for()


def test_the_keyboard_alone_is_enough(opened):
    page = opened()
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to content"
    page.keyboard.press("Enter")
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
    for stop in ("test", "Take its words", "x", "y", "a", "b", "alternative", "Measure", "Show the numbers", "Copy"):
        assert stop in reached
    page.locator("#alternative").focus()
    page.keyboard.press("ArrowDown")
    page.get_by_text("--alternative less").wait_for()


@pytest.mark.parametrize("path", ["/neighbours?word=rose", "/neighbours?word=%3Cscript%3E", "/axis?pairs=%3C!--,rose"])
def test_hostile_words_are_text(opened, path):
    page = opened(path)
    page.locator("[data-said]").wait_for()
    assert page.evaluate("window.broken") is None
    assert page.locator("main :is(script, img, iframe)").count() == 0
    if "rose" in path and "neighbours" in path:
        assert set(HOSTILE) <= set(page.locator("#result tbody td").all_inner_texts())
        page.locator("#word").fill(HOSTILE[0])
        wait_for(page, "Nearest to <script>")
        assert page.evaluate("window.broken") is None
    assert "<b>tiny" in page.title()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("screen", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_pages_are_accessible_and_fit_the_screen(opened, path, screen, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="accessibility is checked by axe")
    page = opened(path, screen=screen, color_scheme=scheme, is_mobile=screen == "phone")
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
    found = axe.Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= SCREENS[screen]["width"]
