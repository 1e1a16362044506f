"""Routes that are asked most, answered without FastAPI's way to them.

They are the same functions, documented by FastAPI; what it would do besides is to try the other
routes first. A request that has parameters, which these routes refuse, goes the usual way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

__all__ = ["QuickRoutes"]


@dataclass(frozen=True)
class _Route:
    """What metrics and the audit log call it, and what answers."""

    path: str
    endpoint: Any


class QuickRoutes:
    """ASGI application before another.

    Parameters
    ----------
    app
        The application that has all routes.
    prefix
        Where these routes are in it.
    routes
        Routes of which the endpoint takes a request and nothing else.
    """

    def __init__(self, app: FastAPI, prefix: str, routes: Iterable[Any]) -> None:
        self._app = app
        self._routes = {
            (method, prefix + route.path): _Route(route.path, route.endpoint)
            for route in routes
            if isinstance(route, APIRoute) and "{" not in route.path
            for method in route.methods or ()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; errors are turned into answers by the shield."""
        route = None
        if scope["type"] == "http" and not scope["query_string"]:
            route = self._routes.get((scope["method"], scope["path"]))
        if route is None:
            await self._app(scope, receive, send)
            return
        scope["app"], scope["route"] = self._app, route
        response = await route.endpoint(Request(scope, receive, send))
        await response(scope, receive, send)
