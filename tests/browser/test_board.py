"""The page of a board in a real browser: names from files, small charts and links."""

import pytest
from made_rows import make_row

import imprint
from imprint.rows import WordList, WordValue

HOSTILE = ("</script><script>window.broken = true</script>", "x" * 300, "\u202eright to left", "plain")
TOPICS = ("gender", "race", "age", "health", "sexuality")
SETS = tuple(WordList(role, name, ()) for role, name in zip("xyab", ("men", "women", "career", "family"), strict=True))

MOVES = (WordValue("Ann </script>", 0.2), WordValue("Bob", -0.3))


@pytest.fixture(scope="module")
def board_page(tmp_path_factory):
    """Return a board of hostile names."""
    return write_board(tmp_path_factory.mktemp("board"), HOSTILE)


@pytest.fixture(scope="module")
def plain_board(tmp_path_factory):
    """Return a board of names as models have them."""
    return write_board(tmp_path_factory.mktemp("plain"), ("GloVe 6B 100d", "USE multilingual", "MiniLM", "WordLlama"))


def write_board(folder, names):
    """Write a board with a question in each of five topics, and a page for each model."""
    (folder / "subjects").mkdir()
    rows = []
    for number, name in enumerate(names, start=1):
        page = f"subjects/{number}-subject.html"
        (folder / page).write_text("<!doctype html><title>its own page</title><h1>its own page</h1>")
        own = {"embedding": name, "page": page}
        quality = {"benchmark": "men", "quality": 0.1 * number, "quality_low": 0.0, "quality_high": 1.0}
        rows.append(make_row("board", test="board", subject="embedding", judged=True, **own, **quality))
        for topic in TOPICS:
            size = 0.1 * number * (-1) ** number
            sized = {"size": size, "size_low": size - 0.1, "size_high": size + 0.1, "outcome": "cannot tell"}
            test = {"test": f"{topic}-career", "title": topic, "topics": (topic,), "sets": SETS, "is_question": True}
            rows.append(make_row("board-test", **own, **sized, **test))
            rows.append(make_row("board-topic", test=topic, topic=topic, tests=(f"{topic}-career",), **own, **sized))
    for topic in TOPICS:
        pair = {"embedding": names[0], "change_from": names[0], "change_to": names[1], "less": names[1]}
        pair |= {"size": 0.1, "size_low": 0.05, "size_high": 0.15, "outcome": "present"}
        pair |= {"size_before": 0.2, "size_before_low": 0.12, "size_before_high": 0.28}
        pair |= {"size_after": 0.3, "size_after_low": 0.21, "size_after_high": 0.39}
        test = {"test": f"{topic}-career", "title": topic, "topics": (topic,), "sets": SETS, "scores": MOVES}
        rows.append(make_row("board-difference", **pair, **test))
        rows.append(make_row("board-topic-difference", test=topic, topic=topic, tests=(f"{topic}-career",), **pair))
    path = folder / "board.html"
    imprint.report(rows, path)
    return path


@pytest.mark.parametrize("width", [360, 1280])
def test_a_board_fits_its_screen_and_axe_finds_nothing_serious(opened, board_page, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = opened(board_page, width=width)
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    violations = axe.Axe().run(page).response["violations"]
    assert [one["id"] for one in violations if one["impact"] in ("serious", "critical")] == []
    assert page.evaluate("window.broken") is None


def test_the_first_screen_has_the_headline_and_four_models(opened, plain_board):
    page = opened(plain_board, width=1440, height=900)
    assert bottom(page.locator("h1")) < bottom(page.locator(".sure")) < bottom(page.locator("thead").first)
    assert bottom(page.locator(".panel tbody tr").nth(3)) < 900


def test_a_phone_shows_the_headline_and_the_outcomes_of_the_first_model(opened, plain_board):
    page = opened(plain_board, width=390, height=844)
    assert bottom(page.locator("h1")) < bottom(page.locator(".panel tbody tr td.cannot-tell").nth(1)) < 844
    assert bottom(page.locator(".panel")) < bottom(page.locator(".next")) < bottom(page.locator("nav"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def bottom(place):
    box = place.bounding_box()
    return box["y"] + box["height"]


def test_columns_sort_by_the_size_without_its_sign(opened, board_page):
    page = opened(board_page)
    table = page.locator(".grid table").filter(has=page.get_by_role("button", name="Quality")).first
    table.locator("thead button").nth(2).click()
    assert [text.split("\n")[0][-5:] for text in table.locator("tbody th").all_inner_texts()][-1] == "plain"
    assert table.locator("tbody tr").first.locator("td .range").count() == len(TOPICS)


def test_a_cell_leads_to_the_page_of_its_subject(windows, board_page):
    page = windows(lambda url: url.startswith(board_page.parent.as_uri()), offline=True)
    page.goto(board_page.as_uri())
    page.get_by_role("link", name="plain").first.click()
    page.get_by_text("its own page").wait_for()
    windows.close()
    assert windows.troubles == []


@pytest.mark.parametrize("width", [360, 1280])
def test_a_pair_opens_to_what_decides_it_without_javascript(opened, board_page, width):
    page = opened(board_page, width=width, java_script_enabled=False)
    for by, decides in (
        ("question", "Men that are nearer to career"),
        ("topic", "By question: gender 10 % [5 to 15]."),
    ):
        details = page.locator(".details", has=page.locator("summary", has_text=f"differ, by {by}")).last
        details.locator("> summary").click()
        cell = details.locator("tbody td:has(details)").first
        assert "20 % [12 to 28]" not in cell.inner_text()
        cell.locator("summary").click()
        said = cell.inner_text().replace("\N{NO-BREAK SPACE}", " ")
        assert all(text in said for text in ("20 % [12 to 28]", "30 % [21 to 39]", "10 % [5 to 15]", decides)), said
    assert page.evaluate("document.documentElement.scrollWidth") <= width
