"""The service of a repository on loopback: publishing, querying, predicting, and its memory.

One process serves, as `singleout repository serve` starts it, and a lean client (`bench.requests`)
runs beside it on the same cores. Connections are open before the clock starts.

Publishing is compared with raw commits of SQLite in the same run: rows of the same size, one a
commit, WAL and synchronous=FULL. Both are on disk when they are answered; the service also checks
the signature, the gate, the ledger and agreement with other records, and grows the tree. Questions
are asked over connections that stay open, each question once (nothing is answered from memory), and
again (everything is).
"""

from __future__ import annotations

import atexit
import json
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bench.case import Contender, Prepared, case
from bench.requests import Requests, Timed, ask
from bench.stored_records import filled_store, population, quasi_identifier, shares, state_in

PUBLISHED, QUESTIONS, PREDICTIONS = 2_000, 3_000, 150
QUICK = 10  # times fewer
CONNECTIONS = 8
PUBLISHERS = 64
BATCH = 100  # records in one request
BATCHES = 4  # connections
KEPT = 4_000_000  # bytes of answers that the service keeps
QID = [{"attribute": "age", "coding": "width=5"}, {"attribute": "sex"}]

_RUN = """
import json, sys
from singleout.repository.service.serve import serve
from singleout.repository.service.settings import ServiceSettings
if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    serve(given["target"], port=given["port"], workers=given["workers"],
          settings=ServiceSettings.model_validate(given["settings"]))
"""


# ---- cases


@case("repository-service/publish", "Publish records over HTTP; acknowledged is on disk.")
def publish(quick: bool) -> Prepared:
    number = PUBLISHED // (QUICK if quick else 1)
    place = _kept(_place())
    address = _kept(_served(place.target, place.key_file))
    supply = _Supply(place)
    supply.sign(number * (5 if quick else 17))
    rates: dict[str, list[float]] = {}

    def note(name: str, seconds: float) -> int:
        rates.setdefault(name, []).append(number / seconds)
        return number

    def one_by_one() -> int:
        bodies = supply.take(number)
        timed = _asked(address, "/v1/submissions", bodies, PUBLISHERS, expected=201)
        return note(f"one record a request, {PUBLISHERS} connections", timed.elapsed)

    def batches() -> int:
        bodies = supply.take(number)
        parts = [b"\n".join(bodies[start : start + BATCH]) for start in range(0, number, BATCH)]
        kind = "application/x-ndjson"
        timed = _asked(address, "/v1/submissions/batch", parts, BATCHES, kind=kind)
        return note(f"{BATCH} records a request, {BATCHES} connections", timed.elapsed)

    def raw() -> int:
        with tempfile.TemporaryDirectory(dir=place.folder) as folder:
            return note(_RAW, _commit(Path(folder) / "raw.sqlite", supply.signed[-1], number))

    contenders = [
        Contender("records over HTTP, in batches", batches, ours=True),
        Contender("records over HTTP, one by one", one_by_one, ours=True),
        Contender(_RAW, raw),
    ]
    return Prepared((number, 1), contenders, int, _same, findings=lambda: shares(rates, _RAW))


_RAW = "raw commits of SQLite"


@case("repository-service/query-10k", "Questions to a repository of 10,000 records over HTTP.")
def query(quick: bool) -> Prepared:
    return _questions(10_000 // (QUICK if quick else 1), quick=quick)


@case("repository-service/query-1m", "Questions to a repository of 1,000,000 records over HTTP.")
def query_many(quick: bool) -> Prepared:
    return _questions(1_000_000 // (QUICK if quick else 1), quick=quick)


def _questions(records: int, *, quick: bool) -> Prepared:
    folder = Path(_kept(tempfile.TemporaryDirectory(prefix="singleout-bench-")))
    target = folder / "store.sqlite"
    with state_in(folder):
        filled_store(target, records).close()
    address = _kept(_served(target, None))
    number = QUESTIONS // (QUICK if quick else 1)
    fresh = iter(range(10**9))
    measured: dict[str, list[tuple[float, float, float]]] = {}
    asked = 0

    def note(name: str, path: str, bodies: Sequence[bytes], lanes: int = CONNECTIONS) -> int:
        nonlocal asked
        timed = _asked(address, path, bodies, lanes)
        p50, p99 = np.quantile(timed.each, (0.5, 0.99))
        measured.setdefault(name, []).append((len(bodies) / timed.elapsed, float(p50), float(p99)))
        asked += len(timed.each)
        return number

    def new_questions() -> int:
        bodies = [_question(next(fresh), records) for _ in range(number)]
        return note("queries, each a new one", "/v1/query", bodies)

    def same_questions() -> int:
        bodies = [_question(index % 500, records) for index in range(number)]
        return note("queries, 500 again and again", "/v1/query", bodies)

    def predictions() -> int:
        many = max(PREDICTIONS // (QUICK if quick else 1), 30)
        bodies = [_question(next(fresh), records, people=100) for _ in range(many)]
        return note("predictions, each a new one", "/v1/predict", bodies, 2)

    for warm in (new_questions, same_questions, predictions):
        warm()
    measured.clear()
    asked = 0
    before = _memory(address)

    def findings() -> str:
        lines = ["| requests | a second | p50, ms | p99, ms |", "|---|--:|--:|--:|"]
        for name, each in sorted(measured.items()):
            rate, p50, p99 = np.median(np.array(each), axis=0)
            lines.append(f"| {name} | {rate:,.0f} | {p50 * 1e3:.1f} | {p99 * 1e3:.1f} |")
        after = _memory(address)
        memory = (
            f"Memory of the service: {before:,.0f} MB, and {after:,.0f} MB after {asked:,} more"
        )
        return "\n".join([f"{records:,} records:", "", *lines, "", f"{memory} requests."])

    contenders = [
        Contender("new questions", new_questions, ours=True),
        Contender("the same questions again", same_questions, ours=True),
        Contender("predictions (a twentieth as many)", predictions, ours=True),
    ]
    return Prepared((records, 2), contenders, int, _same, findings=findings)


def _same(one: int, other: int) -> str:
    return "" if one == other else f"{other} instead of {one} were answered"


def _question(index: int, records: int, people: int | None = None) -> bytes:
    """Return a question that a record answers, of the same population or of a larger one."""
    number = (index * 7919) % records
    asked: dict[str, Any] = {
        "quasi_identifier": quasi_identifier(number),
        "population": {**population(number), "household": index},
    }
    return json.dumps(asked if people is None else {**asked, "people": people}).encode()


# ---- a repository


@dataclass
class _Repository:
    """A repository in a folder, and the key of a holder in it."""

    folder: Path
    holder: Any

    @property
    def target(self) -> Path:
        return self.folder / "store.sqlite"

    @property
    def key_file(self) -> Path:
        return self.folder / "repository.key"


@contextmanager
def _place() -> Iterator[_Repository]:
    from singleout.repository.documents.keys import HolderKey
    from singleout.repository.store.store import Store

    with tempfile.TemporaryDirectory(prefix="singleout-bench-") as name:
        place = _Repository(Path(name), HolderKey.make())
        with state_in(place.folder):
            made = Store.create(place.target, name="bench", key_file=place.key_file, personal=False)
        with made as store:
            store.register(place.holder.public_bytes, name="holder")
        yield place


def _record(holder: Any, population: dict[str, Any]) -> Any:
    from singleout.repository.documents.record import Record

    return Record.of(
        {
            "quasi_identifier": QID,
            "population": population,
            "reference_date": "2025-01-01",
            "numbers": {
                **{"people": 20_000, "cells": 100, "support": 100, "largest": 500, "kappa": 0.1},
                **{"s2": 0.0122, "s3": 0.00018, "small": 0.0},
                "sd": {"people": 10.0, "support": 5.0, "kappa": 0.002, "s2": 1e-4, "s3": 1e-5},
            },
            "gate": {"tier": "public", "price": 0.25, "cost": 0.25},
            "holder": holder.id,
        }
    )


@dataclass
class _Supply:
    """Signed submissions of records, each of another city; holders sign on their own machines."""

    place: _Repository
    made: int = 0
    signed: list[bytes] = field(default_factory=list)

    def sign(self, number: int) -> None:
        from singleout.repository.documents.submission import LONGEST_LIFETIME, Submission

        for _ in range(number):
            self.made += 1
            record = _record(self.place.holder, {"City": f"New {self.made}"})
            made = Submission.sign(record, self.place.holder, lifetime=LONGEST_LIFETIME)
            self.signed.append(made.text)

    def take(self, number: int) -> list[bytes]:
        if len(self.signed) <= number:
            self.sign(number)
        taken, self.signed = self.signed[:number], self.signed[number:]
        return taken


def _commit(path: Path, body: bytes, number: int) -> float:
    """Commit as many rows of the same size, each by itself and durably; return the seconds."""
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE entries (number INTEGER PRIMARY KEY, body BLOB)")
        started = time.perf_counter()
        for index in range(number):
            connection.execute("INSERT INTO entries VALUES (?, ?)", (index, body))
        took = time.perf_counter() - started
    connection.close()
    return took


# ---- the service


@contextmanager
def _served(target: Path, key_file: Path | None) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    fast = {"burst": 10**9, "per_second": 10**9}
    settings = {"reading": fast, "changing": fast, "cache": KEPT}
    if key_file is not None:
        settings["key_file"] = str(key_file)
    given = {"target": str(target), "port": port, "workers": 1, "settings": settings}
    script = target.with_name("run.py")
    script.write_text(_RUN)
    process = subprocess.Popen([sys.executable, str(script), json.dumps(given)])
    address = f"127.0.0.1:{port}:{process.pid}"
    try:
        _wait(port)
        yield address
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _wait(port: int) -> None:
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
        else:
            time.sleep(1.0)  # every worker has opened the store
            return


def _memory(address: str) -> float:
    """Return the megabytes of all processes of the service."""
    first = int(address.rpartition(":")[2])
    children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
    total = 0
    for process in (first, *map(int, children)):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                total += int(line.split()[1])
    return total / 1024


def _asked(address: str, path: str, bodies: Sequence[bytes], lanes: int, **options: Any) -> Timed:
    """Send requests to the service; every one is answered as expected."""
    host, port, _ = address.split(":")
    timed = ask(Requests(host, int(port), path, bodies, lanes, **options))
    if len(timed.each) != len(bodies):
        raise RuntimeError(f"{len(timed.each):,} of {len(bodies):,} requests were answered")
    return timed


# ---- kept until the end


_stack = ExitStack()
atexit.register(_stack.close)


def _kept(context: Any) -> Any:
    return _stack.enter_context(context)
