"""A server that runs for a module, and visitors with a browser of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser import DESKTOP, running_browser
from web_server import AnyServer, Server, Visit, Visitor


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser for the tests of a module."""
    with running_browser() as running:
        yield running


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with record view that runs for the tests of a module."""
    running = Server("--record-view", folder=tmp_path_factory.mktemp("web"))
    yield running
    running.stop()


@pytest.fixture
def a_server(tmp_path: Path) -> Iterator[AnyServer]:
    """A function that starts a server of its own; it is stopped at the end."""
    running: list[Server] = []

    def start(*arguments: str, folder: Path = tmp_path, **environment: str) -> Server:
        running.append(Server(*arguments, folder=folder, **environment))
        return running[-1]

    yield start
    for one in running:
        one.stop()


@pytest.fixture
def visit(browser: Any) -> Iterator[Visit]:
    """A function that opens a server as a new user; what it opened is closed at the end."""
    yield from _visiting(browser)


@pytest.fixture(scope="module")
def visits(browser: Any) -> Iterator[Visit]:
    """The same for users that the tests of a module share."""
    yield from _visiting(browser)


def _visiting(browser: Any) -> Iterator[Visit]:
    contexts = []

    def open_page(
        server: Server,
        *,
        width: int = DESKTOP,
        scheme: str = "light",
        language: str = "en-GB",
        **options: Any,
    ) -> Visitor:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            locale=language,
            **options,
        )
        contexts.append(context)
        visitor = Visitor(context.new_page())
        visitor.base = server.base
        visitor.page.goto(server.url)
        return visitor

    yield open_page
    for context in contexts:
        context.close()
