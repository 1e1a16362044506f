"""Take the pictures of the web application anew: ``python scripts/make_web_screens.py``.

They show the demo, in Chromium, as the tutorial of the pages walks through it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images" / "web"
WIDTH, HEIGHT = 1180, 820
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
PATIENCE = 300_000  # milliseconds
NAMES = ("start", "columns", "assess")


def make() -> None:
    """Write a picture of the top of each page."""
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "singleout", "serve", "--no-open", "--port", "0"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        screen = browser.new_page(
            color_scheme="light", locale="en", viewport={"width": WIDTH, "height": HEIGHT}
        )
        _walk(screen, _address(server))
        browser.close()
        server.terminate()


def _address(server: subprocess.Popen[str]) -> str:
    """Return where the server is, once it says so."""
    assert server.stdout is not None
    for line in server.stdout:
        found = re.search(r"http://[\w.:]+", line)
        if found:
            return found[0]
    raise RuntimeError("the server did not start")


def _walk(screen: Any, address: str) -> None:
    screen.goto(f"{address}/")
    _picture(screen, "start")
    screen.locator('form[action$="/data/demo"] button').click()
    screen.wait_for_selector("#range .scale", timeout=PATIENCE)
    _picture(screen, "columns")
    screen.goto(f"{address}/assess")
    screen.locator('form[action$="/assess"] button').click()
    screen.wait_for_selector("#verdict", timeout=PATIENCE)
    _picture(screen, "assess")


def _picture(screen: Any, name: str) -> None:
    screen.screenshot(path=FOLDER / f"{name}.png")
    print(f"written: docs/images/web/{name}.png")


if __name__ == "__main__":
    make()
