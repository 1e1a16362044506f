"""The application: FastAPI for the routes, behind the guard.

Run it with `singleout serve`, or give `create_app` to any ASGI server.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from singleout.errors import SingleoutError
from singleout.report.say import say
from singleout.web.companions import Unanswered
from singleout.web.errors import Refused, sentence_of
from singleout.web.guard import Guard
from singleout.web.jobs import end_all_beside
from singleout.web.pages import PAGES
from singleout.web.rendering import page, wants_fragment
from singleout.web.settings import WebSettings
from singleout.web.workspaces import Workspaces

__all__ = ["create_app"]

_STATIC = Path(__file__).parent / "static"
_SWEEP = 60.0  # seconds between two looks for workspaces that nobody uses
_logger = logging.getLogger("singleout.web")


def create_app(settings: WebSettings) -> ASGIApp:
    """Return the application.

    Parameters
    ----------
    settings
        Where its private folder is, what it offers, and its limits.
    """
    app = FastAPI(
        title="singleout",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lambda _: _sweeping(settings),
        exception_handlers={
            Refused: _refused,
            Unanswered: _unanswered,
            SingleoutError: _failed,
            HTTPException: _not_routed,
            RequestValidationError: _invalid,
            Exception: _mistake,
        },
    )
    for router in PAGES:
        app.include_router(router)
    app.mount("/static", _Static(directory=_STATIC), name="static")
    return Guard(GZipMiddleware(_Refusing(app), minimum_size=1024), settings)


class _Static(StaticFiles):
    """Files of the package, which a browser may keep: their URLs hold the version."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = "private, max-age=86400"
        return response


class _Refusing:
    """Answers what the guard has refused, with a page like any other."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refused: Refused | None = scope.get("state", {}).get("refused")
        if scope["type"] == "http" and refused is not None:
            response = await _refused(Request(scope, receive), refused)
            await response(scope, receive, send)
            return
        await self._app(scope, receive, send)


@asynccontextmanager
async def _sweeping(settings: WebSettings) -> AsyncIterator[None]:
    """Delete workspaces that nobody uses for as long as the application runs."""

    async def sweep() -> None:
        workspaces = Workspaces(settings)
        while True:
            await asyncio.sleep(min(_SWEEP, settings.idle))
            await asyncio.to_thread(workspaces.sweep)

    task = asyncio.create_task(sweep())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        end_all_beside()


# ---- errors


def _problem(request: Request, status: int, sentence: str) -> Response:
    """Return a sentence as a page, or as the part of a page that says what is wrong."""
    template = "problem.html.j2" if wants_fragment(request) else "error.html.j2"
    return page(request, template, status=status, sentence=sentence, status_code=status)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return _problem(request, error.status, error.sentence)


async def _unanswered(request: Request, error: Exception) -> Response:
    assert isinstance(error, Unanswered)
    return _problem(request, 422, error.sentence)


async def _failed(request: Request, error: Exception) -> Response:
    return _problem(request, 422, sentence_of(error))


async def _not_routed(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return _problem(request, 404, say("web.errors.not_found"))
    if error.status_code == 405:
        return _problem(request, 405, say("web.errors.method"))
    return _problem(request, error.status_code, say("web.errors.request"))


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first: dict[str, Any] = dict(error.errors()[0])
    return _problem(request, 422, say("web.errors.field", name=str(first["loc"][-1])))


async def _mistake(request: Request, error: Exception) -> Response:
    # the kind and the line are enough to find it; a message could hold values
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else "?"
    _logger.error("mistake at %s: %s in %s", _route(request), type(error).__name__, where)
    return _problem(request, 500, sentence_of(error))


def _route(request: Request) -> str:
    route = request.scope.get("route")
    return getattr(route, "path", "?")
