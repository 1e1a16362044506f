"""Take the screenshots of the manual anew, with Chromium: ``python scripts/make_screens.py``.

They show the top of each report of the gallery. What a screen said is kept beside the pictures, in
words.json, so that a test notices when a report says something else.
"""

from __future__ import annotations

import json
import re
import shutil
from html import unescape
from pathlib import Path

import gallery

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images" / "screens"
WORDS = FOLDER / "words.json"
WIDTH, HEIGHT = 1000, 690
LARGE = "demo"  # fills the first screen of the manual; the others are thumbnails
SCALE = 0.6
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]

_TOP = re.compile(r"<h1\b.*?</h1>|<section[^>]*\bclass=\"[^\"]*verdict.*?</p>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")


def said_at_the_top(report: Path) -> list[str]:
    """Return the title of a report and its verdict, without marks."""
    text = report.read_text(encoding="utf-8")
    found = (unescape(_TAG.sub(" ", part)) for part in _TOP.findall(text))
    return [" ".join(part.split()) for part in found]


def make() -> None:
    """Write a picture of the top of every report."""
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(parents=True, exist_ok=True)
    gallery.make()
    words = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        for name in gallery.names():
            report = gallery.FOLDER / f"{name}.html"
            screen = browser.new_page(
                color_scheme="light",
                viewport={"width": WIDTH, "height": HEIGHT},
                device_scale_factor=1 if name == LARGE else SCALE,
            )
            screen.goto(report.as_uri())
            screen.screenshot(path=FOLDER / f"{name}.png")
            words[name] = said_at_the_top(report)
            print(f"written: docs/images/screens/{name}.png")
        browser.close()
    text = json.dumps(words, ensure_ascii=False, indent=1, sort_keys=True)
    WORDS.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    make()
