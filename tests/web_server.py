"""A real server of the web application, and a browser that visits it: for all tests of pages.

def test_…(server: Server, visit: Visit) -> None:
    page = visit(server)                      # a new user: a context of its own
    page.take_demo()
    page.goto("/assess")
    assert page.barriers() == []
"""

from __future__ import annotations

import base64
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from browser import Opened, missing

AXE = Path(sys.prefix) / "axe" / "axe.min.js"
FETCH_AXE = Path(__file__).parents[1] / "scripts" / "fetch_axe.sh"
WIDTHS = (360, 768, 1440)
SCHEMES = ("light", "dark")
PATIENCE = 180_000  # milliseconds: the machine may be busy


class Server:
    """`singleout serve` in a process of its own, on a free port."""

    def __init__(self, *arguments: str, folder: Path, **environment: str) -> None:
        self.folder = folder
        self._log = (folder / "serve.log").open("w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "singleout", "serve", "--no-open", "--port", "0", *arguments],
            stdout=self._log,
            stderr=subprocess.STDOUT,
            env={
                # the browser decides on the language
                **{
                    name: value
                    for name, value in os.environ.items()
                    if name != "SINGLEOUT_LANGUAGE"
                },
                "TMPDIR": str(folder),
                "PYTHONUNBUFFERED": "1",
                **environment,
            },
        )
        self.url = self._address()

    def _address(self) -> str:
        end = time.monotonic() + 60
        while time.monotonic() < end and self.process.poll() is None:
            found = re.search(r"https?://\S+", self.said)
            if found:
                return found[0]
            time.sleep(0.02)
        raise AssertionError(f"the server did not start: {self.said}")

    @property
    def base(self) -> str:
        """The address without a path."""
        return self.url.partition("?")[0].rstrip("/")

    @property
    def said(self) -> str:
        """What it has printed."""
        return (self.folder / "serve.log").read_text(encoding="utf-8")

    @property
    def private(self) -> list[Path]:
        """The private folders of servers."""
        return sorted(self.folder.glob("singleout-web-*"))

    def files(self) -> list[Path]:
        """Everything that the server keeps."""
        return [path for folder in self.private for path in folder.rglob("*") if path.is_file()]

    def stop(self, how: int = signal.SIGINT) -> float:
        """Stop it; return the seconds that took."""
        began = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(how)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(20)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._log.close()
        return time.monotonic() - began


class Visitor(Opened):
    """A user: a browser page with cookies of its own, and what it did."""

    base = ""

    def goto(self, path: str) -> Any:
        """Open a path of the application."""
        return self.page.goto(f"{self.base}{path}")

    def upload(self, file: Path) -> None:
        """Give a file to the start page, and wait until it was read."""
        self.goto("/")
        self.page.set_input_files('input[type="file"]', file)
        self.wait_for_jobs()

    def drop(self, file: Path) -> None:
        """Drop a file on the start page, as from a window of files, and wait until it was read."""
        content = base64.b64encode(file.read_bytes()).decode("ascii")
        dropped = self.page.evaluate_handle(
            """([name, content]) => {
                const bytes = Uint8Array.from(atob(content), (one) => one.charCodeAt(0));
                const dropped = new DataTransfer();
                dropped.items.add(new File([bytes], name));
                return dropped;
            }""",
            [file.name, content],
        )
        with self.page.expect_navigation(timeout=PATIENCE):
            self.page.dispatch_event("form[data-drop]", "drop", {"dataTransfer": dropped})
        self.wait_for_jobs()

    def take_demo(self) -> None:
        """Take the demo, and wait until it was read."""
        self.goto("/")
        with self.page.expect_navigation(timeout=PATIENCE):
            self.page.locator('form[action$="/data/demo"] button').click()
        self.wait_for_jobs()

    def press(self, name: str) -> None:
        """Press a button that sends a form, and wait until the work that it asks for is done."""
        with self.page.expect_navigation(timeout=PATIENCE):
            self.page.get_by_role("button", name=name).click()
        self.wait_for_jobs()

    def wait_for_jobs(self) -> None:
        """Wait until no job is under way on the page."""
        self.page.wait_for_load_state()
        self.page.wait_for_selector(".job", state="detached", timeout=PATIENCE)
        self.page.wait_for_load_state()

    def barriers(self, without: str = "") -> list[str]:
        """Return what axe-core finds that is serious or critical on the page, or on a part."""
        if not AXE.exists():
            subprocess.run(["sh", str(FETCH_AXE), str(AXE.parent)], check=False)
        if not AXE.exists():
            missing("needs axe-core: run scripts/fetch_axe.sh")
        # by the debugger: the policy of the page lets no script in
        if not self.page.evaluate("typeof axe !== 'undefined'"):
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        where = {"exclude": [[without]]} if without else {"include": [["html"]]}
        found = self.page.evaluate(
            "(where) => axe.run(where, {resultTypes: ['violations']})", where
        )
        return [
            f"{one['id']}: {one['help']} {one['nodes'][0]['target']}"
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]

    def misfits(self, seen: Callable[[int, str], None] = lambda *_: None) -> list[str]:
        """Return what is wrong with the page on any width, light or dark, without loading it anew.

        ``seen`` is called with each width and scheme.
        """
        wrong = []
        before = self.page.viewport_size
        for scheme in SCHEMES:
            self.page.emulate_media(color_scheme=scheme)
            for width in WIDTHS:
                self.page.set_viewport_size({"width": width, "height": 900})
                wrong += [f"wider than {width}"] if self.overflows() else []
                seen(width, scheme)
            # thousands of points of a chart are looked at once
            seen_before = "" if scheme == SCHEMES[0] else ".vega"
            wrong += [f"{scheme}: {one}" for one in self.barriers(seen_before)]
        self.page.emulate_media(color_scheme=SCHEMES[0])
        self.page.set_viewport_size(before)
        return wrong

    def overflows(self) -> bool:
        """Whether the page is wider than the window."""
        width = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        return bool(self.page.evaluate(width))


Visit = Callable[..., Visitor]
AnyServer = Callable[..., Server]

needs_processes = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
