"""A browser that runs for a module, and pages opened in it without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import DESKTOP, Opened, Opener, running_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with running_browser() as running:
        yield running


@pytest.fixture
def opened(browser: Any) -> Iterator[Opener]:
    """A function that opens a file; what it opened is closed at the end."""
    contexts = []

    def open_file(file: Path, *, width: int = DESKTOP, scheme: str = "light") -> Opened:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
        )
        contexts.append(context)
        found = Opened(context.new_page())
        found.page.goto(file.as_uri())
        return found

    yield open_file
    for context in contexts:
        context.close()
