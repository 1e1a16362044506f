"""Take the screenshots of the manual anew, with Chromium: ``python scripts/make_screens.py``."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import singleout as so

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images" / "screens"
WIDTH, HEIGHT = 1180, 820
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]


def report(path: Path) -> None:
    """Write the report of the demo."""
    from singleout.assessment.plan.demo import demo_plan

    so.assess(so.demo(), demo_plan()).report(path)


PAGES: dict[str, Callable[[Path], object]] = {"report": report}
# pages of the web application, by their paths, in the order in which they are visited
WEB = {"web-start": "/", "web-columns": "/", "web-assess": "/assess"}
PATIENCE = 300_000  # milliseconds


def make() -> None:
    """Write a picture of the top of every page."""
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        for name, write in PAGES.items():
            page = Path(folder) / f"{name}.html"
            write(page)
            screen = browser.new_page(color_scheme="light")
            screen.set_viewport_size({"width": WIDTH, "height": HEIGHT})
            screen.goto(page.as_uri())
            screen.screenshot(path=FOLDER / f"{name}.png")
            print(f"written: docs/images/screens/{name}.png")
        _visit(browser)
        browser.close()


def _visit(browser: Any) -> None:
    """Write pictures of the web application, with the demo in it."""
    command = [sys.executable, "-m", "singleout", "serve", "--no-open", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+[^/]", server.stdout.readline())
        assert found is not None
        screen = browser.new_page(color_scheme="light", locale="en")
        screen.set_viewport_size({"width": WIDTH, "height": HEIGHT})
        for name, path in WEB.items():
            screen.goto(f"{found[0].rstrip('/')}{path}")
            if path == "/assess":
                screen.locator('form[action$="/assess"] button').click()
                screen.wait_for_selector("#verdict", timeout=PATIENCE)
            screen.screenshot(path=FOLDER / f"{name}.png")
            print(f"written: docs/images/screens/{name}.png")
            if name == "web-start":
                screen.locator('form[action$="/data/demo"] button').click()
                screen.wait_for_selector("#range .scale", timeout=PATIENCE)
        server.terminate()


if __name__ == "__main__":
    make()
