"""The repository itself: what it is, whether it answers, and numbers for its operator."""

from __future__ import annotations

import base64

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from singleout.repository.gate.tiers import TIERS
from singleout.repository.service.answered import DemandAnswer, HealthAnswer, RepositoryFacts
from singleout.repository.service.routes.route import (
    answers,
    new_router,
    refused_as,
    service_of,
)
from singleout.repository.service.service import as_json

__all__ = ["router"]

router: APIRouter = new_router("repository")


@router.get("", summary="The repository", response_model=None, responses=answers(RepositoryFacts))
async def repository(request: Request) -> Response:
    """Return what the repository says of itself."""
    service = service_of(request)
    store, size = service.store, await service.size()
    facts = {
        "name": store.name,
        "api": "v1",
        "personal": store.personal,
        "key": store.key_id,
        "public_key": base64.urlsafe_b64encode(store.public_key).rstrip(b"=").decode(),
        "size": size,
        "tiers": {
            tier.name: {"people": tier.least_people, "price": tier.price, "total": tier.total}
            for tier in TIERS.values()
        },
        "requires_vocabulary": bool(service.settings.require_vocabulary),
        "limits": service.settings.limits.model_dump(),
    }
    return as_json(facts, size)


@router.get(
    "/demand",
    summary="What is asked for without an answer",
    response_model=None,
    responses=answers(DemandAnswer),
)
async def demand(request: Request) -> Response:
    """Return combinations that no record answers and many asked for."""
    service = service_of(request)
    return as_json(await service.read(service.demand.to_dict), await service.size())


@router.get(
    "/health",
    summary="Whether the store answers",
    response_model=None,
    responses=answers(HealthAnswer),
)
async def health(request: Request) -> Response:
    """Return that the store answers."""
    return as_json({"status": "ok"}, await service_of(request).size())


@router.get(
    "/metrics",
    summary="Numbers for an operator",
    response_model=None,
    responses={
        200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "Numbers."},
        **refused_as(),
    },
)
async def metrics(request: Request) -> Response:
    """Return counts and seconds of this process, without data."""
    service = service_of(request)
    text = service.metrics.text(await service.size())
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4")
