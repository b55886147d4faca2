"""The page in a real browser, from disk and with the network off; nothing is asked for, and nothing goes wrong."""

import pytest

SCREENS = {"desktop": {"width": 1280}, "phone": {"width": 360, "height": 740, "has_touch": True, "is_mobile": True}}


def rows_of(table):
    return [row.split("\t") for row in table.locator("tbody tr:visible").all_inner_texts()]


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_charts_come_alive_when_they_come_into_view(opened):
    page = opened()
    page.locator(".open-gates").click()
    for figure in page.locator(".chart").all():
        figure.scroll_into_view_if_needed()
        figure.locator(".vega-embed svg").wait_for()
        assert figure.locator(".drawing.wide > svg").count() == 0, "the drawing makes room for the live chart"


def test_a_live_chart_tells_its_words_on_hover(opened):
    page = opened()
    chart = page.locator("#tests .chart")
    chart.scroll_into_view_if_needed()
    chart.locator(".vega-embed svg").wait_for()
    chart.locator(".mark-symbol path").first.hover()
    page.locator("#vg-tooltip-element.visible").wait_for()
    assert "nurse" in page.locator("#vg-tooltip-element").inner_text()


def test_a_chart_that_cannot_come_alive_stays_as_drawn(opened, drawn, tmp_path):
    broken = tmp_path / "broken.html"
    broken.write_text(
        drawn.read_text().replace('<script type="application/json">{', '<script type="application/json">!{')
    )
    page = opened(broken)
    page.locator("#tests .chart").scroll_into_view_if_needed()
    page.wait_for_function("document.querySelector('.sort')")
    page.evaluate("new Promise(requestAnimationFrame)")
    assert page.locator("#tests .drawing.wide > svg").is_visible()


def test_a_foreign_script_is_refused_by_the_policy(opened, drawn, tmp_path):
    injected = tmp_path / "injected.html"
    injected.write_text(drawn.read_text().replace("</main>", "<script>window.broken = true</script></main>"))
    page = opened(injected)
    assert page.evaluate("window.broken") is None
    assert len(opened.troubles) == 1
    assert "Content Security Policy" in opened.troubles.pop()


def test_the_filter_narrows_rows_and_says_how_many(opened):
    page = opened()
    page.locator(".open-gates").click()
    grid = page.locator("#found .grid").first
    rows = rows_of(grid)
    grid.get_by_label("Filter the rows").fill("WORD-2")
    kept = [row for row in rows if "word-2" in "\t".join(row)]
    assert 0 < len(kept) < len(rows)
    assert rows_of(grid) == kept
    assert grid.locator("output").inner_text() == f"{len(kept)} of {len(rows)} rows"
    grid.get_by_label("Filter the rows").fill("")
    assert rows_of(grid) == rows
    assert grid.locator("output").inner_text() == f"{len(rows)} rows"


def test_headings_sort_both_ways_with_what_is_missing_last(opened):
    page = opened()
    table = page.locator("#tests figure:not(.chart) table")
    orders = {"Test": "Age Flowers Names Science", "d": "Science Flowers Age Names", "p": "Flowers Age Science Names"}
    for column, order in orders.items():
        rising = order.split()
        missing = [] if column == "Test" else ["Names"]
        falling = [name for name in reversed(rising) if name not in missing] + missing
        for state, expected in (("ascending", rising), ("descending", falling)):
            table.get_by_role("button", name=column, exact=True).click()
            assert [row[0] for row in rows_of(table)] == expected
            states = table.locator("thead th").evaluate_all("cells => cells.map(cell => cell.ariaSort)")
            assert [found for found in states if found] == [state], "one heading says how the rows are sorted"


def test_a_cell_sorts_by_its_order_and_text_by_the_numbers_in_it(opened):
    page = opened()
    page.locator(".open-gates").click()
    table = page.locator("#found table").first
    categories = [f"category {row}" for row in range(16)]
    for column, expected in (("Group B", categories[::-1]), ("Category", categories)):
        table.get_by_role("button", name=column).click()
        assert [row[0] for row in rows_of(table)] == expected


def test_offensive_sections_open_only_on_the_readers_choice(opened):
    page = opened()
    assert not page.get_by_text("Behind a gate of its own").is_visible()
    note, gate = page.locator(".content-note"), page.locator(".gate").first
    assert note.bounding_box()["y"] < gate.bounding_box()["y"]
    page.locator("#analogies summary").click()
    assert page.get_by_text("Behind a gate of its own").is_visible()
    assert not page.locator("#found table").first.is_visible(), "the other gate has its own choice"
    page.get_by_role("button", name="Open all of them").click()
    assert page.locator("#found table").first.is_visible()
    page.reload()
    assert not page.get_by_text("Behind a gate of its own").is_visible(), "nothing is remembered"


def test_names_are_one_click_away(opened):
    page = opened()
    page.locator(".open-gates").click()
    page.get_by_text("The names", exact=True).click()
    cell = page.locator("#found tbody th:has(details)")
    assert cell.inner_text().split() == ["A"]
    cell.locator("summary").click()
    assert cell.inner_text().split() == ["A", "Emma,", "Renee"]


@pytest.mark.parametrize("javascript", [True, False])
def test_the_theme_follows_the_system_until_it_is_chosen(opened, javascript):
    page = opened(color_scheme="light", java_script_enabled=javascript)
    ink = "getComputedStyle(document.querySelector('#tests .drawing text')).fill"
    light, drawn_light = background(page), page.evaluate(ink)
    page.get_by_label("Dark").check()
    dark = background(page)
    assert dark != light
    assert page.evaluate(ink) != drawn_light, "charts change with the page"
    page.emulate_media(color_scheme="dark")
    page.get_by_label("Light").check()
    assert background(page) == light
    page.get_by_label("Auto").check()
    assert background(page) == dark


def test_printing_is_light_and_opens_what_paper_cannot(opened):
    page = opened(color_scheme="dark")
    page.get_by_label("Dark").check()
    page.evaluate(
        "addEventListener('beforeprint', () => { window.printed = ["
        "document.querySelectorAll('.gate:not([open]), .folded:not([open]), th details:not([open])').length,"
        "document.querySelectorAll('.chart > details[open]').length] })"
    )
    page.pdf()
    assert page.evaluate("window.printed") == [0, 0]
    assert page.locator("details[open]").count() == 0, "afterwards all is as it was"
    page.emulate_media(media="print")
    assert not page.locator(".theme").is_visible()
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    assert page.locator(".drawing.wide").first.evaluate("box => getComputedStyle(box).breakInside") == "avoid"


def test_on_paper_nothing_overlaps_or_is_cut_off(opened):
    page = opened(width=680, height=300)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("document.documentElement.scrollWidth") <= 680
    for box in page.locator(".scroll:visible").all():
        assert box.evaluate("box => box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth")


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(opened, screen, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = opened(color_scheme=theme, **SCREENS[screen])
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
    violations = axe.Axe().run(page).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"]) for v in violations if v["impact"] in ("serious", "critical")] == []


@pytest.mark.parametrize("width", [320, 390, 768, 1024, 1440, 1920])
def test_a_page_does_not_scroll_sideways(opened, width):
    page = opened(width=width)
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    scrolls = page.locator("#found .grid .scroll").first.evaluate("box => box.scrollWidth > box.clientWidth")
    assert scrolls == (width > 640), "thirteen columns scroll in their own box; on a phone a table is read down"


def test_on_a_phone_each_cell_is_behind_the_name_of_its_column(opened):
    page = opened(**SCREENS["phone"])
    cell = page.locator("#tests figure:not(.chart) tbody td").first
    assert cell.evaluate("cell => getComputedStyle(cell, '::before').content") == '"d"'
    assert page.locator("#tests .drawing.narrow > svg").is_visible()
    assert not page.locator("#tests .drawing.wide").is_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_first_screen_says_what_was_found_how_sure_and_what_next(opened, theme):
    def in_view(page, locator, height):
        box = page.locator(locator).first.bounding_box()
        return box is not None and box["y"] + box["height"] <= height

    desktop = opened(width=1440, height=900, color_scheme=theme)
    for part in ("h1", ".sure", ".counts", ".next", ".tiles", ".panel figcaption", ".answer"):
        assert in_view(desktop, part, 900), part
    phone = opened(width=390, height=844, color_scheme=theme)
    for part in ("h1", ".sure"):
        assert in_view(phone, part, 844), part
    order = [phone.locator(part).first.bounding_box()["y"] for part in ("h1", ".tiles", ".panel", "main > section")]
    assert order == sorted(order), "tiles and chart come before any section"


def test_first_column_and_headings_stay_in_sight(opened):
    page = opened(width=768)
    page.locator(".open-gates").click()
    box = page.locator("#found .grid .scroll").first
    box.evaluate("box => box.scrollTo(400, 300)")
    frame, heading = box.bounding_box(), box.locator("thead th").first.bounding_box()
    assert (round(heading["x"] - frame["x"]), round(heading["y"] - frame["y"])) == (0, 1)


def test_tab_reaches_everything_in_order_and_enter_works(opened):
    page = opened()
    page.locator(".open-gates").focus()
    page.keyboard.press("Enter")
    wanted = page.evaluate(
        "[...document.querySelectorAll('a, button, input:not([type=radio]), summary, [tabindex=\"0\"]')]"
        ".filter(each => each.tabIndex === 0 && each.checkVisibility({visibilityProperty: true}))"
        ".map((each, place) => { each.dataset.stop = place; return place })"
    )
    assert page.locator(".scroll:not([tabindex='0'][role=group][aria-label])").count() == 0, (
        "what scrolls can be reached"
    )
    page.locator('[data-stop="0"]').focus()
    reached = []
    for _ in wanted[1:]:
        page.keyboard.press("Tab")
        reached.append(page.evaluate("Number(document.activeElement.dataset.stop)"))
    assert reached == wanted[1:]
    heading = page.locator("#tests figure:not(.chart) thead th").first
    heading.locator("button").focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    page.locator("#tests .chart summary").focus()
    page.keyboard.press("Enter")
    assert page.locator("#tests").get_by_text("Every word", exact=True).first.is_visible()


def test_arrows_go_from_hint_to_hint_and_the_hint_is_shown(opened):
    page = opened()
    hints = page.locator("#tests tbody .hint")
    shown = "hint => getComputedStyle(hint, '::after').content"
    assert hints.first.evaluate(shown) == "none"
    hints.first.focus()
    assert "Hint of Flowers" in hints.first.evaluate(shown)
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.title") == "Hint of Science"
    assert [hint.get_attribute("tabindex") for hint in hints.all()] == ["-1", "0", "-1", "-1"]
    page.keyboard.press("Escape")
    assert hints.nth(1).evaluate(shown) == "none"


def test_a_hint_is_still_reachable_when_the_filter_hides_the_first(opened):
    page = opened()
    page.get_by_label("Filter the rows").last.fill("datum")
    assert page.locator('#method tbody tr:visible .hint[tabindex="0"]').count() == 1


def test_a_tap_shows_a_hint(opened):
    page = opened(**SCREENS["phone"])
    hint = page.locator("#tests tbody .hint").first
    hint.tap()
    assert "Hint of Flowers" in hint.evaluate("hint => getComputedStyle(hint, '::after').content")


def test_hostile_words_are_text(opened):
    page = opened()
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
    page.locator("#found .chart").scroll_into_view_if_needed()
    page.locator("#found .vega-embed svg").wait_for()
    for hint in page.locator("#method .hint").all():
        hint.focus()
    assert page.evaluate("window.broken") is None
    assert page.locator("img, iframe, object, main script:not([type])").count() == 0
    words = page.locator("#method tbody th").all_inner_texts()
    drawn_words = page.locator("#found .vega-embed .mark-text text").all_text_contents()
    for word in ("<script>fetch('https://example.org')</script>", "{{7*7}}{% raw %}", "<!--", "datum.x"):
        assert word in words
        assert word in drawn_words
    assert "\\u202eright to left\\u200f" in words, "marks of direction are spelt out"
    assert "<script>" in page.title()


@pytest.mark.parametrize("width", [1440, 390])
def test_a_tile_leads_to_its_answers_and_an_answer_opens_to_its_words_without_javascript(opened, width):
    page = opened(width=width, java_script_enabled=False)
    page.get_by_role("link", name="Age").click()
    assert page.url.endswith("#topic-age")
    answer = page.locator("#topic-age .answer")
    assert not answer.locator(".spread").is_visible()
    answer.locator("summary").click()
    dots = answer.locator(".dots").first
    assert dots.is_visible()
    inside = dots.bounding_box()
    for dot in dots.locator("i").all():
        box = dot.bounding_box()
        assert inside["x"] - 1 <= box["x"] <= inside["x"] + inside["width"] + 1
        assert dot.get_attribute("title")


@pytest.mark.parametrize("width", [1440, 390])
def test_bars_of_answers_lie_where_the_scale_says(opened, width):
    page = opened(width=width)
    ticks = {tick.inner_text(): tick.bounding_box() for tick in page.locator(".answers .scale i").all()}
    middle = {float(text.removesuffix(" %")): box["x"] + box["width"] / 2 for text, box in ticks.items()}
    zero = page.locator(".answer .zero").first.bounding_box()["x"]
    assert abs(middle[0] - zero) < 2
    bar = page.locator("#career .bar").bounding_box()
    pixels = (middle[10] - middle[0]) / 10
    assert abs(bar["x"] - (zero + 16 * pixels)) < 2
    assert abs(bar["width"] - 21 * pixels) < 2


def test_without_javascript_everything_can_be_read(opened):
    page = opened(java_script_enabled=False)
    assert page.get_by_text("Three of ten tests find a bias.").is_visible()
    assert page.locator("#tests .drawing.wide > svg").is_visible()
    assert page.locator("#tests figure:not(.chart) table").is_visible()
    page.locator("#found .gate > summary").click()
    assert page.locator("#found table").first.is_visible()
    page.locator("#tests .chart summary").click()
    assert page.locator("#tests").get_by_text("Every word", exact=True).first.is_visible()
    assert page.locator(".filter:visible, .open-gates:visible, .sort").count() == 0, "no control that would do nothing"
