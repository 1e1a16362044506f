"""Take the screenshots of the manual anew, with Chromium: ``python scripts/make_screens.py``."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import singleout as so

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images" / "screens"
WIDTH, HEIGHT = 1180, 820
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]


def report(path: Path) -> None:
    """Write the report of the demo."""
    from singleout.assessment.plan.demo import demo_plan

    so.assess(so.demo(), demo_plan()).report(path)


PAGES: dict[str, Callable[[Path], object]] = {"report": report}


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
        browser.close()


if __name__ == "__main__":
    make()
