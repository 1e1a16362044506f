"""Reading records, their history and what was said against them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from singleout.repository.service import answered
from singleout.repository.service.problems import Refused
from singleout.repository.service.readable import ReadableStore
from singleout.repository.service.routes.route import (
    HASH_PATTERN,
    answers,
    caller_of,
    new_router,
    respond,
    service_of,
)
from singleout.repository.service.service import Answer, as_json

__all__ = ["router"]

router: APIRouter = new_router("reading")

_Id = Annotated[str, Path(pattern=HASH_PATTERN)]


async def _read(request: Request, compute: Callable[[ReadableStore], Any]) -> Response:
    """Read from the store in a thread, as far as the caller may."""
    service, caller = service_of(request), caller_of(request)
    size = await service.size()
    readable = ReadableStore(service.store, caller)
    document = await service.read(compute, readable)
    return respond(request, Answer(as_json(document, size), readable.restricted))


# ---- records


@router.get(
    "/records/{id}",
    summary="A record",
    response_model=None,
    responses=answers(answered.FoundRecord, 403, 404, 410),
)
async def record(request: Request, id: _Id) -> Response:  # noqa: A002
    """Return a stored record."""
    return await _read(request, lambda store: store.record(id).to_dict())


@router.get(
    "/records/{id}/history",
    summary="The states of a record",
    response_model=None,
    responses=answers(answered.RecordHistory, 403, 404),
)
async def history(request: Request, id: _Id) -> Response:  # noqa: A002
    """Return all states of a record, also of one that was withdrawn."""

    def read(store: ReadableStore) -> dict[str, Any]:
        return {"id": id, "history": [one.to_dict() for one in _history(store, id)]}

    return await _read(request, read)


def _history(store: ReadableStore, wanted: str) -> list[Any]:
    try:
        store.record(wanted)
    except Refused as refused:
        if refused.status != 410:  # the hash and the states of a withdrawn record are kept
            raise
    return store.history(wanted)


@router.get(
    "/records/{id}/disputes",
    summary="What was said against a record",
    response_model=None,
    responses=answers(answered.RecordDisputes, 403, 404, 410),
)
async def disputes(request: Request, id: _Id) -> Response:  # noqa: A002
    """Return the disputes of a record."""

    def read(store: ReadableStore) -> dict[str, Any]:
        found = [one for one in _history(store, id) if one.state == "disputed"]
        return {
            "id": id,
            "disputes": [
                {
                    "index": one.index,
                    "time": one.time,
                    "by": one.by,
                    "reason": " ".join(one.reasons),
                }
                for one in found
            ],
        }

    return await _read(request, read)


@router.get(
    "/quasi-identifiers",
    summary="Quasi-identifiers that have records",
    response_model=None,
    responses=answers(answered.QuasiIdentifierList),
)
async def quasi_identifiers(request: Request) -> Response:
    """Return each quasi-identifier and how many records it has."""
    return await _read(request, lambda store: {"quasi_identifiers": store.counted()})
