"""A repository with people of every role, and an HTTP client for its service."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import httpx

from singleout.repository.documents.bodies import HolderEntry, TokenEntry
from singleout.repository.documents.keys import HolderKey
from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission
from singleout.repository.service.access import new_token, token_hash
from singleout.repository.service.app import create_app
from singleout.repository.service.settings import RateLimit, ServiceSettings
from singleout.repository.store.store import Store

FAST = RateLimit(burst=1_000_000, per_second=1_000_000)
ROLES = ("reader", "holder", "moderator", "administrator")


def record(holder: HolderKey, city: str = "Urk", **changes: Any) -> Record:
    """A plausible record of 20,000 people in 100 cells."""
    given: dict[str, Any] = {
        "quasi_identifier": [{"attribute": "age", "coding": "width=5"}, {"attribute": "sex"}],
        "population": {"City": city},
        "reference_date": "2025-01-01",
        "numbers": {
            "people": 20_000,
            "cells": 100,
            "cells_from": "stated",
            "support": 100,
            "largest": 500,
            "kappa": 0.1,
            "s2": 0.0122,
            "s3": 0.00018,
            "small": 0.0,
            "sd": {"people": 10.0, "support": 5.0, "kappa": 0.002, "s2": 0.0001, "s3": 0.00001},
        },
        "gate": {"tier": "public", "price": 0.25, "cost": 0.25},
        "holder": holder.id,
    }
    return Record.of({**given, **changes})


@dataclass
class People:
    """A key and a token for each role; a second holder; all registered in one repository."""

    keys: dict[str, HolderKey] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)

    def submission(self, body: Any, by: str = "holder", **options: Any) -> dict[str, Any]:
        """A signed submission as plain values."""
        signed = Submission.sign(body, self.keys[by], **options)
        return dict(json.loads(signed.model_dump_json()))

    def headers(self, role: str, purpose: str | None = "a test of the service") -> dict[str, str]:
        """The headers of who has a token."""
        sent = {"Authorization": f"Bearer {self.tokens[role]}"}
        return sent if purpose is None else {**sent, "Purpose": purpose}


def registered(store: Store, owner: HolderKey) -> People:
    """Everybody, registered by the owner."""
    people = People()
    for role in (*ROLES, "other"):
        key = HolderKey.make()
        people.keys[role] = key
        people.tokens[role] = new_token()
        roles = ("holder",) if role == "other" else (role,)
        store.append(
            Submission.sign(HolderEntry(name=role, public_key=key.public, roles=roles), owner)
        )
        store.append(
            Submission.sign(
                TokenEntry(
                    token_hash=token_hash(people.tokens[role]),
                    name=role,
                    roles=roles,
                    holder=key.id,
                ),
                owner,
            )
        )
    return people


def made(target: str | Path, folder: Path) -> People:
    """A new repository for others, with everybody in it."""
    owner = HolderKey.make()
    with Store.create(
        target,
        name="A test",
        key_file=folder / "repository.key",
        personal=False,
        owner=owner,
    ) as store:
        people = registered(store, owner)
    people.keys["owner"] = owner
    return people


def relaxed(folder: Path, **changes: Any) -> ServiceSettings:
    """Settings without limits of rate, and with an audit log."""
    given = {
        "reading": FAST,
        "changing": FAST,
        "audit": folder / "audit.jsonl",
        "key_file": folder / "repository.key",
    }
    return ServiceSettings(**{**given, **changes})


class Client:
    """Asks a service in this process, without a network."""

    def __init__(self, portal: Any, client: httpx.AsyncClient, app: Any) -> None:
        self._portal = portal
        self._client = client
        self.app = app

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        content: bytes | None = None,
        headers: Mapping[str, str | bytes] | None = None,
    ) -> httpx.Response:
        sent = dict(headers or {})
        if body is not None:
            content = json.dumps(body).encode()
        if content is not None:
            sent.setdefault("Content-Type", "application/json")

        async def ask() -> httpx.Response:
            return await self._client.request(method, f"/v1{path}", content=content, headers=sent)

        found: httpx.Response = self._portal.call(ask)
        return found

    def get(self, path: str, **headers: str) -> httpx.Response:
        return self("GET", path, headers=headers)

    def post(self, path: str, body: Any, **options: Any) -> httpx.Response:
        return self("POST", path, body, **options)


@contextmanager
def client(target: str | Path | Store, settings: ServiceSettings) -> Iterator[Client]:
    """A client of a service that runs in this process."""
    app = create_app(target, settings)
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(app.running()),
    ):
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=True)
        asks = httpx.AsyncClient(transport=transport, base_url="http://service")
        try:
            yield Client(portal, asks, app)
        finally:
            portal.call(asks.aclose)
