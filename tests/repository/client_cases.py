"""A repository in a file, and the same behind a real service on loopback."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import uvicorn
from service_cases import FAST

from singleout.core.counts import SizeProfile
from singleout.repository.client.repository import Repository
from singleout.repository.documents.bodies import HolderEntry
from singleout.repository.documents.keys import HolderKey
from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission
from singleout.repository.publishing.publishable import publishable
from singleout.repository.service.app import create_app
from singleout.repository.service.settings import ServiceSettings
from singleout.repository.store.store import Store

KEYS = {
    role: HolderKey(bytes([number]) * 32)
    for number, role in enumerate(("administrator", "holder", "other", "moderator"), 1)
}


def record(holder: HolderKey, city: str = "Urk", step: float = 2.0, **changes: Any) -> Record:
    """Make a record of 20,000 people in 100 cells; cells differ the more, the larger the step."""
    sizes = np.array([round(200 + step * (index - 49.5)) for index in range(100)])
    different, cells = np.unique(sizes, return_counts=True)
    made = publishable(
        SizeProfile(different.astype(np.int64), cells.astype(np.int64)),
        ["age:width=5", "sex"],
        {"City": city},
        cells=100,
        key=holder,
        reference_date="2025-01-01",
    )
    assert isinstance(made, Record)
    return Record.of({**made.to_dict(), **changes})


def for_others(path: Path) -> Path:
    """Make a repository for others, with somebody of each role."""
    owner = KEYS["administrator"]
    with Store.create(path, name="A test", personal=False, owner=owner) as store:
        for role in ("holder", "other", "moderator"):
            roles = ("moderator",) if role == "moderator" else ("holder",)
            entry = HolderEntry(name=role, public_key=KEYS[role].public, roles=roles)
            store.append(Submission.sign(entry, owner))
    return path


@contextmanager
def served(path: Path, *, port: int = 0, **settings: Any) -> Iterator[str]:
    """Serve a repository on a free port of this machine, and give its URL."""
    chosen = ServiceSettings(**{"reading": FAST, "changing": FAST, **settings})
    config = uvicorn.Config(
        create_app(path, chosen), log_level="critical", lifespan="on", ws="none", access_log=False
    )
    server = uvicorn.Server(config)
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        _wait(server)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()


def _wait(server: uvicorn.Server) -> None:
    pause = threading.Event()
    for _ in range(500):
        if server.started:
            return
        pause.wait(0.01)
    raise AssertionError("the service did not start")


def as_role(target: str | Path, role: str) -> Repository:
    """Open a repository with the key of a role."""
    return Repository(target, key=KEYS[role])
