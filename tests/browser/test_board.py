"""The page of a board in a real browser: names from files, small charts and links."""

import pytest
from made_rows import make_row

from imprint.report.page import write_page

HOSTILE = ("</script><script>window.broken = true</script>", "x" * 300, "\u202eright to left", "plain")
TOPICS = ("gender", "race", "age", "health", "sexuality")


@pytest.fixture(scope="module")
def board_page(tmp_path_factory):
    """Return a board of hostile names in five topics, with a page for each subject."""
    folder = tmp_path_factory.mktemp("board")
    (folder / "subjects").mkdir()
    rows = []
    for place, name in enumerate(HOSTILE, start=1):
        page = f"subjects/{place}-subject.html"
        (folder / page).write_text("<!doctype html><title>its own page</title><h1>its own page</h1>")
        for topic in TOPICS:
            size = 0.1 * place * (-1) ** place
            fields = {"topic": topic, "tests": ("caliskan-6",), "subject": "embedding", "page": page}
            fields |= {
                "mean_difference": size,
                "words_low": size - 0.1,
                "words_high": size + 0.1,
                "quality": 0.1 * place,
            }
            fields |= {"rank_best": place, "rank_worst": place, "benchmark": "men", "efficient": place % 2 == 0}
            rows.append(make_row("board", test=topic, embedding=name, evidence="limited", judged=True, **fields))
    for topic in TOPICS:
        ranks = tuple(range(1, len(HOSTILE) + 1))
        fields = {"subjects": HOSTILE, "ranks_best": ranks, "ranks_worst": ranks, "has_order": topic != "age"}
        rows.append(make_row("board-ranking", test=topic, topic=topic, agreement=0.5, splits=100, least=0.6, **fields))
        pair = {"embedding": HOSTILE[0], "other": HOSTILE[1], "topic": topic, "mean_difference": 0.1, "alpha": 0.05}
        rows.append(make_row("board-difference", test=topic, p_together=0.01, larger=HOSTILE[1], **pair))
    path = folder / "board.html"
    write_page(path, rows)
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


def test_columns_sort_by_the_size_without_its_sign(opened, board_page):
    page = opened(board_page)
    table = page.locator("#board .grid table").filter(has=page.get_by_role("button", name="Quality")).first
    table.locator("thead button").nth(2).click()
    assert [text.split("\n")[0][-5:] for text in table.locator("tbody th").all_inner_texts()][-1] == "plain"
    assert table.locator("tbody tr").first.locator("td .range").count() == len(TOPICS)


def test_a_cell_leads_to_the_page_of_its_subject(windows, board_page):
    page = windows(lambda url: url.startswith(board_page.parent.as_uri()), offline=True)
    page.goto(board_page.as_uri())
    page.locator("#board tbody td a").first.click()
    page.get_by_text("its own page").wait_for()
    windows.close()
    assert windows.troubles == []
