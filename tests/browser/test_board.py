"""The page of a board in a real browser: names from files, small charts and links."""

import json

import pytest
from made_rows import make_row

import imprint
from imprint.render.charts.theme import OUTCOME_MARKS
from imprint.rows import WordList, WordValue

HOSTILE = ("</script><script>window.broken = true</script>", "x" * 300, "\u202eright to left", "plain")
OUTCOMES = ("substantial", "present", "small", "cannot tell")
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


@pytest.fixture(scope="module")
def lacking_board(tmp_path_factory):
    """Return a board on which the second model lacks the words of questions, and the sizes have every outcome."""
    return write_board(tmp_path_factory.mktemp("lacking"), (*OUTCOMES, "lacking"), lacks="lacking")


def write_board(folder, names, lacks=None):
    """Write a board with a question in each of five topics, and a page for each model.

    A model named as an outcome has it; one that `lacks` the words has published tests in their place.
    """
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
            sized["outcome"] = name if name in OUTCOMES else "cannot tell"
            if name == lacks:
                rows.append(make_row("board-topic", test=topic, topic=topic, tests=("caliskan-6",), **own, **sized))
                continue
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


@pytest.mark.parametrize("clicks", [1, 2])
def test_a_model_that_lacks_the_words_sorts_last_in_both_directions(opened, lacking_board, clicks):
    table = opened(lacking_board).locator(".panel table")
    for _ in range(clicks):
        table.locator("thead button").nth(2).click()
    assert table.locator("tbody th").all_inner_texts()[-1].startswith("lacking")


def test_an_outcome_has_one_mark_in_every_chart_and_models_without_the_questions_have_none(opened, lacking_board):
    page = opened(lacking_board)
    marks = []
    for drawn in page.locator("figure.chart > script").all():
        spec = json.loads(drawn.text_content())
        dots = [drawn["encoding"] for drawn in spec["layer"] if drawn["mark"]["type"] == "point"]
        assert len(dots) == len(OUTCOMES), "the model without the questions is not drawn"
        assert all(encoding["fill"]["legend"] is not None for encoding in dots)
        shape, fill, stroke = (dots[0][channel]["scale"] for channel in ("shape", "fill", "stroke"))
        looks = zip(shape["range"], fill["range"], stroke["range"], strict=True)
        marks.append(dict(zip(shape["domain"], looks, strict=True)))
    assert len(marks) == len(TOPICS)
    assert all(mark == OUTCOME_MARKS for mark in marks)


def test_a_section_does_not_repeat_the_pages_name(opened, plain_board):
    page = opened(plain_board)
    assert page.locator("header .subject").inner_text() == "Board of models"
    assert "Board of models" not in page.locator("h1, h2, nav a").all_inner_texts()


@pytest.mark.parametrize("width", [390, 1280])
def test_a_filter_hides_the_other_rows_and_opened_rows_wrap(opened, plain_board, width):
    page = opened(plain_board, width=width)
    details = page.locator(".details", has=page.locator("summary", has_text="differ, by topic")).last
    details.locator("> summary").click()
    details.get_by_role("searchbox").fill("sexuality")
    assert details.locator("output").inner_text() == "1 of 5 rows"
    assert [row.is_visible() for row in details.locator("tbody tr").all()].count(True) == 1
    opened_cell = details.locator("tbody tr:visible td details")
    opened_cell.locator("summary").click()
    assert opened_cell.bounding_box()["width"] <= 17 * 16
    assert width > 390 or details.locator(".scroll").evaluate("box => box.scrollWidth - box.clientWidth") == 0


def test_all_columns_fit_on_a_phone(opened, plain_board):
    page = opened(plain_board, width=390, height=844)
    page.locator(".panel .columns input").check()
    scrolling = page.locator(".panel .scroll")
    assert scrolling.evaluate("box => box.scrollWidth - box.clientWidth") == 0
    cells = page.locator(".panel tbody tr").first.locator("td").all()
    assert len(cells) == 1 + len(TOPICS)
    boxes = [cell.bounding_box() for cell in cells]
    assert {(box["x"], box["width"]) for box in boxes} == {(boxes[0]["x"], boxes[0]["width"])}, "each is a line"
    assert boxes[0]["x"] + boxes[0]["width"] <= 390


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
