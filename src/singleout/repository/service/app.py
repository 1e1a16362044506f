"""The application: FastAPI for routes and their document, behind the shield.

Run it with `singleout repository serve`, or give `create_app` to any ASGI server.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from singleout.errors import SingleoutError
from singleout.repository.service.openapi import DESCRIPTION, full_document
from singleout.repository.service.problems import MISTAKE, Refused, problem, problem_of
from singleout.repository.service.quick_routes import QuickRoutes
from singleout.repository.service.routes import about, changes, log, questions, reading, registers
from singleout.repository.service.service import RepositoryService
from singleout.repository.service.settings import ServiceSettings
from singleout.repository.service.shield import Shield

if TYPE_CHECKING:
    from singleout.repository.store.store import Store

__all__ = ["RepositoryApp", "create_app"]

PREFIX = "/v1"
_ROUTERS = (about, changes, questions, reading, registers, log)


class RepositoryApp:
    """An ASGI application that opens its store when it starts, and closes it when it stops."""

    def __init__(self, target: str | os.PathLike[str] | Store, settings: ServiceSettings) -> None:
        self._target = target
        self._settings = settings
        self.fastapi = _fastapi(self._lifespan)
        self._shield = Shield(QuickRoutes(self.fastapi, PREFIX, questions.router.routes))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        await self._shield(scope, receive, send)

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document."""
        return self.fastapi.openapi()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[RepositoryService]:
        """Open the store, answer requests, and close it again."""
        from singleout.repository.store.store import Store

        store = self._target
        if not isinstance(store, Store):
            store = Store.open(store, key_file=self._settings.key_file)
        service = RepositoryService(store, self._settings)
        self.fastapi.state.service = service
        self._shield.protect(service)
        try:
            yield service
        finally:
            self._shield.stop()
            service.close()

    @asynccontextmanager
    async def _lifespan(self, _: FastAPI) -> AsyncIterator[None]:
        async with self.running():
            yield


def create_app(
    target: str | os.PathLike[str] | Store, settings: ServiceSettings | None = None
) -> RepositoryApp:
    """Return the application that serves a repository.

    Parameters
    ----------
    target
        The path of an SQLite file, the URL of a PostgreSQL database, or a store that is open.
    settings
        Limits and the audit log; the defaults are for a service that anyone may reach.
    """
    return RepositoryApp(target, settings or ServiceSettings())


def _fastapi(lifespan: Any) -> FastAPI:
    app = FastAPI(
        title="Kullback-Leibler repository",
        version="1",
        description=DESCRIPTION,
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,  # they would load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
        exception_handlers={
            Refused: _refused,
            SingleoutError: _failed,
            HTTPException: _not_routed,
            RequestValidationError: _invalid,
            Exception: _mistake,
        },
    )
    for module in _ROUTERS:
        app.include_router(module.router, prefix=PREFIX)
    document = full_document(app)
    app.openapi = lambda: document  # type: ignore[method-assign] # as FastAPI's manual has it
    return app


# ---- errors


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return error.response()


async def _failed(_: Request, error: Exception) -> Response:
    assert isinstance(error, SingleoutError)
    return problem_of(error)


async def _not_routed(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers: Mapping[str, str] = error.headers or {}
    if error.status_code == 404:
        return problem(404, "There is nothing at this path; see /v1/openapi.json.")
    if error.status_code == 405:
        allowed = headers.get("Allow", "others")
        return problem(
            405, f"{request.method[:20]} is not offered here; use {allowed}.", headers=headers
        )
    return problem(error.status_code, "The request cannot be read.", headers=headers)


async def _mistake(_: Request, __: Exception) -> Response:
    return problem(500, MISTAKE, SingleoutError.__name__)


async def _invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    name = str(first["loc"][-1])
    return problem(422, f"The parameter {name} cannot be used: {_lowered(first['msg'])}.")


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
