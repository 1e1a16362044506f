"""What all routes share: the service and the caller of a request, and how errors are documented."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from singleout.errors import did_you_mean
from singleout.repository.documents.record import HASH
from singleout.repository.service.access import Caller
from singleout.repository.service.problems import PROBLEM, Refused
from singleout.repository.service.service import Answer, RepositoryService

__all__ = [
    "HASH_PATTERN",
    "HOLDER_PATTERN",
    "LARGEST_INDEX",
    "StrictRoute",
    "answers",
    "asks",
    "caller_of",
    "new_router",
    "refused_as",
    "respond",
    "service_of",
]

HASH_PATTERN = HASH
HOLDER_PATTERN = r"^ed25519:[0-9a-f]{32}$"
LARGEST_INDEX = 2**53 - 1

_REASONS = {
    400: "The body is not JSON.",
    401: "The token is unknown, expired or revoked.",
    403: "Not allowed.",
    404: "There is no such thing.",
    408: "The body did not arrive in time.",
    409: "It was submitted before, or the state of the record does not allow it.",
    410: "The record was withdrawn.",
    413: "The body is too large.",
    415: "The body is not application/json.",
    422: "The content cannot be used.",
    429: "Too many requests.",
    503: "The store does not answer, or the service is overloaded.",
}
_ALWAYS = (401, 422, 429, 503)
_WITH_BODY = (400, 408, 413, 415)


class StrictRoute(APIRoute):
    """A route that refuses parameters it does not know."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler of requests."""
        handler = super().get_route_handler()
        known = {field.alias for field in self.dependant.query_params}

        async def strict(request: Request) -> Response:
            if request.scope["query_string"]:
                _check_parameters(request, known)
            return await handler(request)

        return strict


def _check_parameters(request: Request, known: set[str]) -> None:
    names = [name for name, _ in request.query_params.multi_items()]
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        hint = did_you_mean(unknown, known)
        allowed = ", ".join(sorted(known)) or "none"
        raise Refused(
            422, f"There is no parameter {unknown[:60]!a} here; known are: {allowed}.{hint}"
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Refused(422, f"The parameter {twice} is given twice; give it once.")


def new_router(tag: str) -> APIRouter:
    """Return a router of strict routes."""
    return APIRouter(route_class=StrictRoute, tags=[tag])


def service_of(request: Request) -> RepositoryService:
    """Return the service that answers a request."""
    service: RepositoryService = request.app.state.service
    return service


def caller_of(request: Request) -> Caller:
    """Return who sent a request."""
    caller: Caller = request.state.caller
    return caller


def respond(request: Request, answer: Answer) -> Response:
    """Return the response of an answer; who reads what is not public is recorded first."""
    if answer.restricted:
        caller = caller_of(request)
        service_of(request).audit.write(
            {
                "event": "read",
                "caller": caller.name,
                "purpose": caller.purpose,
                "records": list(answer.restricted),
            }
        )
    return answer.response


# ---- for the OpenAPI document


def refused_as(*statuses: int, body: bool = False) -> dict[int | str, dict[str, Any]]:
    """Return how refusals of a route are documented."""
    content = {PROBLEM: {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}}
    wanted = {*_ALWAYS, *statuses, *(_WITH_BODY if body else ())}
    return {
        status: {"description": _REASONS[status], "content": content} for status in sorted(wanted)
    }


def answers(
    model: type[BaseModel], *statuses: int, status: int = 200, body: bool = False
) -> dict[int | str, dict[str, Any]]:
    """Return how the answer and the refusals of a route are documented."""
    return {status: {"model": model}, **refused_as(*statuses, body=body)}


def asks(model: type[BaseModel]) -> dict[str, Any]:
    """Return how the body of a request is documented."""
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
