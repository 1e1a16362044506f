"""What stands before every route: limits, who asks, headers, time, and errors as sentences.

This is plain ASGI: nothing of it needs FastAPI, and every response passes through it.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import MutableMapping
from functools import partial
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from singleout.errors import NotAllowed, SingleoutError, UnreachableData
from singleout.repository.service.access import Caller
from singleout.repository.service.problems import MISTAKE, Refused, problem, problem_of
from singleout.repository.service.rates import Buckets, address_key
from singleout.repository.service.service import RepositoryService
from singleout.repository.service.settings import RateLimit

__all__ = ["SECURITY_HEADERS", "Shield"]

SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "interest-cohort=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_RAW_HEADERS = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
_NO_STORE = (b"cache-control", b"no-store")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_QUESTIONS = ("/query", "/predict", "/compose", "/search", "/charge")
_GUESSES = RateLimit(burst=20, per_second=0.5)  # tokens that are unknown
_logger = logging.getLogger("singleout.repository.service")


class Shield:
    """ASGI middleware around the application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._service: RepositoryService | None = None

    def protect(self, service: RepositoryService) -> None:
        """Begin to answer for this service."""
        self._service = service
        self._reading = Buckets(service.settings.reading)
        self._changing = Buckets(service.settings.changing)
        self._guesses = Buckets(_GUESSES)

    def stop(self) -> None:
        """Answer that the service is not there."""
        self._service = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        headers = _headers(scope)
        response = _Sent(send, _request_id(headers))
        service = self._service
        if service is None:
            starting = problem(
                503, "The service is starting or stopping.", UnreachableData.__name__
            )
            await starting(scope, receive, response)
            return
        metrics = service.metrics
        metrics.in_flight += 1
        try:
            await self._answered(service, scope, receive, response, headers)
        finally:
            metrics.in_flight -= 1
            route = getattr(scope.get("route"), "path", "none")
            metrics.answered(route, response.status, time.perf_counter() - started)
            self._record(service, scope, response, route)

    async def _answered(
        self,
        service: RepositoryService,
        scope: Scope,
        receive: Receive,
        send: _Sent,
        headers: MutableMapping[str, str],
    ) -> None:
        try:
            async with asyncio.timeout(service.settings.patience):
                caller = await self._let_in(service, scope, headers)
                scope.setdefault("state", {})["caller"] = caller
                await self._app(scope, receive, send)
            return
        except TimeoutError:
            failed = problem(
                503,
                f"This took longer than {service.settings.patience:g} s; a submission may have "
                "been stored nevertheless, so look before sending it again.",
                UnreachableData.__name__,
                headers={"Retry-After": "5"},
            )
        except Refused as refused:
            failed = refused.response()
        except SingleoutError as error:
            failed = problem_of(error)
        except Exception:
            _logger.exception("request %s failed", send.request_id)
            if send.is_complete:
                return
            failed = problem(500, MISTAKE, SingleoutError.__name__)
        await _sent_instead(failed, scope, receive, send)

    # ---- limits

    async def _let_in(
        self, service: RepositoryService, scope: Scope, headers: MutableMapping[str, str]
    ) -> Caller:
        if service.metrics.in_flight > service.settings.in_flight:
            service.metrics.refusals["overload"] += 1
            raise Refused(
                503, "The service is overloaded; try again.", UnreachableData, {"Retry-After": "1"}
            )
        address = address_key((scope.get("client") or ("unknown", 0))[0])
        authorization = headers.get("authorization")
        if authorization is not None:
            caller = await self._with_token(service, authorization, headers, address)
        else:
            caller = await service.caller(None, None, address)
        changes = scope["method"] == "POST" and not scope["path"].endswith(_QUESTIONS)
        buckets = self._changing if changes else self._reading
        limited = caller.name if caller.rank else address
        self._wait(service, buckets.take(limited), "rate")
        # for a request that stands for several
        scope.setdefault("state", {})["take_more"] = partial(buckets.take, limited)
        return caller

    async def _with_token(
        self,
        service: RepositoryService,
        authorization: str,
        headers: MutableMapping[str, str],
        address: str,
    ) -> Caller:
        self._wait(service, self._guesses.wait(address), "tokens")
        try:
            return await service.caller(authorization, headers.get("purpose"), address)
        except Refused:
            self._guesses.take(address)
            raise

    @staticmethod
    def _wait(service: RepositoryService, seconds: int, reason: str) -> None:
        if seconds:
            service.metrics.refusals[reason] += 1
            raise Refused(
                429,
                f"Too many requests; wait {seconds} s.",
                NotAllowed,
                {"Retry-After": str(seconds)},
            )

    # ---- audit

    @staticmethod
    def _record(service: RepositoryService, scope: Scope, response: _Sent, route: str) -> None:
        """Write to the audit log who changed something, who used a token and who was refused."""
        state: dict[str, Any] = scope.get("state", {})
        caller: Caller | None = state.get("caller")
        facts: dict[str, Any] = state.get("audit", {})
        with_token = caller is not None and caller.rank > 0
        if not (with_token or facts or response.status in (401, 403, 429)):
            return
        event: dict[str, Any] = {
            "request": response.request_id,
            "method": scope["method"],
            "route": route,
            "status": response.status,
            "caller": caller.name if caller is not None else None,
            **facts,
        }
        if caller is not None and caller.purpose is not None:
            event["purpose"] = caller.purpose
        try:
            service.audit.write(event)
        except SingleoutError:
            _logger.exception("the audit log misses request %s", response.request_id)


class _Sent:
    """Sends a response with the headers that every response has, and remembers its status."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self.request_id = request_id
        self.status = 0
        self.is_complete = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = list(message.get("headers", ()))
            if not any(name == b"cache-control" for name, _ in given):
                given.append(_NO_STORE)
            given.append((b"request-id", self.request_id.encode()))
            message = {**message, "headers": [*given, *_RAW_HEADERS]}
        await self._send(message)
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self.is_complete = True


async def _sent_instead(failed: Response, scope: Scope, receive: Receive, send: _Sent) -> None:
    """Send an error, unless an answer has begun: then the connection ends within it."""
    if send.status:
        raise ConnectionError("the answer was interrupted")
    await failed(scope, receive, send)


def _headers(scope: Scope) -> MutableMapping[str, str]:
    """Return the headers that are looked at here; of one given twice, nothing is believed."""
    found: dict[str, str] = {}
    for raw, value in scope["headers"]:
        name = raw.decode("latin-1").lower()
        if name in ("authorization", "purpose", "request-id"):
            text = _text(value)
            found[name] = text if name not in found else "\0"
    return found


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _request_id(headers: MutableMapping[str, str]) -> str:
    given = headers.get("request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
