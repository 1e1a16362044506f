"""The web application in this process, without a browser: for tests of its answers."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from singleout.web.app import create_app
from singleout.web.settings import WebSettings

BASE = "http://127.0.0.1:8719"


class Caller:
    """Somebody who asks the application for pages: with cookies of their own."""

    def __init__(self, settings: WebSettings) -> None:
        self.settings = settings
        self._app = create_app(settings)
        self.cookies: dict[str, str] = {}

    def another(self) -> Caller:
        """Return somebody else who asks the same application."""
        other = Caller.__new__(Caller)
        other.settings, other._app, other.cookies = self.settings, self._app, {}
        return other

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Return the answer to a request."""

        async def asked() -> httpx.Response:
            transport = httpx.ASGITransport(self._app)  # type: ignore[arg-type]
            async with httpx.AsyncClient(
                transport=transport, base_url=BASE, cookies=self.cookies
            ) as client:
                answer = await client.request(method, path, **options)
                self.cookies |= {one.name: str(one.value) for one in answer.cookies.jar}
                for header in answer.headers.get_list("set-cookie"):
                    if "Max-Age=0" in header:
                        self.cookies.pop(header.partition("=")[0], None)
                return answer

        # in a thread of its own: a browser of the same module has a loop that runs in this one
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, asked()).result()

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.ask("GET", path, **options)

    @property
    def csrf(self) -> str:
        """The token of forms, as a page has it."""
        found = re.search(r'name="csrf" content="(\w+)"', self.get("/nowhere").text)
        assert found is not None
        return found[1]

    def post(self, path: str, data: dict[str, Any] | None = None, **options: Any) -> httpx.Response:
        """Send a form with its token."""
        headers = {"X-CSRF-Token": self.csrf, **options.pop("headers", {})}
        return self.ask("POST", path, data=data or {}, headers=headers, **options)

    def upload(self, name: str, content: bytes, path: str = "/data/upload") -> httpx.Response:
        """Send a file."""
        return self.post(path, files={"file": (name, content)})
