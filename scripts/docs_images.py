"""Take the pictures of README and docs from the real thing: pages of build/examples, the board, and the explorer.

Run `python scripts/docs_images.py`, after `make board`. It needs Chromium; IMPRINT_CHROMIUM names another than
/usr/bin/chromium.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

ROOT = Path(__file__).parents[1]
IMAGES, EXAMPLES = ROOT / "docs" / "_static", ROOT / "build" / "examples" / "examples"
IMPRINT = str(Path(sys.executable).with_name("imprint"))
DESKTOP, PHONE = ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)


def main() -> None:
    """Write every picture."""
    report = EXAMPLES / "report.html"
    pages = {
        "page": (report, DESKTOP),
        "page-phone": (report, PHONE),
        "board": (ROOT / "build" / "board" / "board.html", DESKTOP),
        "study": (EXAMPLES / "study.html", DESKTOP),
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("IMPRINT_CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"]
        )
        for name, (page_file, size) in pages.items():
            view = browser.new_page(viewport=size)
            view.goto(page_file.as_uri())
            save(view, name)
        view = browser.new_page(viewport=DESKTOP)
        view.goto(report.as_uri())
        view.locator("#enumeration .gate").evaluate("gate => gate.open = true")
        view.locator("#enumeration").scroll_into_view_if_needed()
        view.evaluate("document.querySelectorAll('.card:nth-child(n+4)').forEach(card => card.remove())")
        view.locator("#enumeration .cards").first.screenshot(path=IMAGES / "cards.png")
        explore(browser.new_page(viewport=DESKTOP))
        browser.close()


def explore(view: Page) -> None:
    """Take the explorer's first page, from its own server."""
    command = [IMPRINT, "serve", "default", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = re.search(r"http://\S+", server.stdout.readline())
        try:
            assert address is not None
            view.goto(address[0])
            save(view, "explorer")
        finally:
            server.terminate()


def save(view: Page, name: str) -> None:
    """Save what is on the screen."""
    view.wait_for_timeout(1_000)  # charts come alive
    view.screenshot(path=IMAGES / f"{name}.png")


if __name__ == "__main__":
    main()
