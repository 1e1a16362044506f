"""A browser for the tests, and what a page did in it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

INSTALL = Path(__file__).parents[1] / "scripts" / "install_chromium.sh"
NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
DESKTOP = 1200


def missing(reason: str) -> None:
    """Skip, but fail where a browser must be there."""
    if os.environ.get("CI", "").lower() in ("1", "true"):
        pytest.fail(reason)
    pytest.skip(reason)


def chromium() -> str:
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None and os.getuid() == 0 and Path("/etc/debian_version").exists():
        subprocess.run([str(INSTALL)], check=False, capture_output=True)
        found = shutil.which("chromium")
    if found is None:
        missing("needs a browser: run scripts/install_chromium.sh")
    return str(found)


@contextmanager
def running_browser() -> Iterator[Any]:
    """Run a browser; while it runs, this thread has a loop that runs."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("needs playwright: install the dependency group test")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium(), args=QUIET)
        yield running
        running.close()


@dataclass
class Opened:
    """A page, and what it did."""

    page: Any
    requests: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", self._dialog)

    def _dialog(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()


Opener = Callable[..., Opened]
