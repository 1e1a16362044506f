"""The service of a repository on loopback: publishing, querying, predicting, and its memory.

Publishing is compared with raw commits of SQLite in the same run: both are on disk when they are
answered. Questions are asked by several processes over connections that stay open, each question
once (nothing is answered from memory), and again (everything is).

``python -m bench.cases.repository_service --records 1000000`` measures a larger repository.
"""

from __future__ import annotations

import argparse
import asyncio
import atexit
import json
import multiprocessing
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from bench.case import Contender, Prepared, case

PUBLISHED, QUESTIONS, PREDICTIONS = 2_000, 6_000, 300
QUICK = 10  # times fewer
CONNECTIONS = 8
PUBLISHERS = 64
PAUSE = 0.01  # seconds between connections
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
    place = _kept(_place(0))
    address = _kept(_served(place, workers=1))
    supply = _Supply(place)
    rates: dict[str, list[float]] = {}

    def over_http() -> int:
        bodies = [supply.submission() for _ in range(number)]
        started = time.perf_counter()
        times = _asked(address, "/v1/submissions", bodies, expected=201, lanes=PUBLISHERS)
        rates.setdefault("published over HTTP", []).append(number / (time.perf_counter() - started))
        return len(times)

    def raw() -> int:
        with tempfile.TemporaryDirectory(dir=place.folder) as folder:
            started = time.perf_counter()
            _commit(Path(folder) / "raw.sqlite", supply.submission(), number)
            took = time.perf_counter() - started
            rates.setdefault("raw commits of SQLite", []).append(number / took)
        return number

    def findings() -> str:
        lines = ["| | records a second |", "|---|---|"]
        lines += [f"| {name} | {np.median(each):,.0f} |" for name, each in rates.items()]
        medians = [float(np.median(each)) for each in rates.values()]
        lines.append(f"| share of raw commits | {medians[0] / medians[1]:.0%} |")
        return "\n".join(lines)

    contenders = [
        Contender("signed records over HTTP", over_http, ours=True),
        Contender("raw commits of SQLite", raw),
    ]
    return Prepared((number, 1), contenders, lambda n: n, _same, findings=findings)


@case("repository-service/query", "Questions to a repository of 10,000 records over HTTP.")
def query(quick: bool) -> Prepared:
    return _questions(10_000 // (QUICK if quick else 1), quick=quick)


def _questions(records: int, *, quick: bool) -> Prepared:
    place = _kept(_place(records))
    address = _kept(_served(place, workers=2))
    number = QUESTIONS // (QUICK if quick else 1)
    fresh = iter(range(10**9))
    measured: dict[str, list[tuple[float, float, float]]] = {}
    _asked(address, "/v1/query", [_question(-index, records) for index in range(1_000)])
    _asked(address, "/v1/predict", [_question(-1, records, people=index) for index in range(2, 30)])
    before = _memory(address)

    def note(name: str, path: str, bodies: Sequence[bytes], lanes: int = CONNECTIONS) -> int:
        started = time.perf_counter()
        times = np.sort(_asked(address, path, bodies, lanes=lanes))
        took = time.perf_counter() - started
        p50, p99 = float(np.quantile(times, 0.5)), float(np.quantile(times, 0.99))
        measured.setdefault(name, []).append((len(times) / took, p50, p99))
        return len(times)

    def new_questions() -> int:
        bodies = [_question(next(fresh), records) for _ in range(number)]
        return note("queries, each a new one", "/v1/query", bodies)

    def same_questions() -> int:
        bodies = [_question(index % 500, records) for index in range(number)]
        return note("queries, 500 again and again", "/v1/query", bodies)

    def predictions() -> int:
        many = max(PREDICTIONS // (QUICK if quick else 1), 30)
        bodies = [_question(next(fresh), records, people=100) for _ in range(many)]
        return note("predictions, each a new one", "/v1/predict", bodies, 2) and number

    def findings() -> str:
        lines = ["| | a second | p50 ms | p99 ms |", "|---|---|---|---|"]
        for name, each in measured.items():
            rate, p50, p99 = np.median(np.array(each), axis=0)
            lines.append(f"| {name} | {rate:,.0f} | {p50 * 1e3:.1f} | {p99 * 1e3:.1f} |")
        after = _memory(address)
        lines.append("")
        lines.append(f"Memory of the service: {before:,.0f} MB before, {after:,.0f} MB after.")
        return "\n".join(lines)

    contenders = [
        Contender("new questions", new_questions, ours=True),
        Contender("the same questions again", same_questions, ours=True),
        Contender("predictions (a twentieth as many)", predictions, ours=True),
    ]
    return Prepared((records, 2), contenders, lambda n: n, _same, findings=findings)


def _same(one: int, other: int) -> str:
    return "" if one == other else f"{other} instead of {one} were answered"


def _question(index: int, records: int, people: int | None = None) -> bytes:
    """Return a question that a record answers exactly, or one of a larger population."""
    city = f"City {(index * 7919) % records}"
    population: dict[str, Any] = {"City": city}
    if index % 2:
        population["age"] = 20 + index // 2 % 40
    else:
        population["household"] = index
    asked: dict[str, Any] = {"quasi_identifier": QID, "population": population}
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
def _place(records: int) -> Iterator[_Repository]:
    from singleout.repository.documents.keys import HolderKey
    from singleout.repository.store.store import Store

    with tempfile.TemporaryDirectory(prefix="singleout-bench-") as name:
        place = _Repository(Path(name), HolderKey.make())
        with Store.create(
            place.target, name="bench", key_file=place.key_file, personal=False
        ) as store:
            store.register(place.holder.public_bytes, name="holder")
            _fill(store, place.holder, records)
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


def _fill(store: Any, holder: Any, records: int) -> None:
    """Append records without deciding on each: what is measured is how they are found."""
    from singleout.repository.documents.submission import Submission, time_text
    from singleout.repository.store.appending import Growth
    from singleout.repository.store.database import writing
    from singleout.repository.store.entries import BudgetCharge, EntryOutcome

    now = time_text(datetime.now(UTC))
    for start in range(0, records, 20_000):
        size = store.size
        with writing(store._engine) as connection:
            growth = Growth(connection, size)
            for index in range(start, min(start + 20_000, records)):
                population: dict[str, Any] = {"City": f"City {index}"}
                if index % 2:
                    population["age"] = {"from": 18, "to": 64}
                record = _record(holder, population)
                charge = BudgetCharge(
                    tier="public", cost=0.25, people=20_000, sd=10.0, population=population
                )
                outcome = EntryOutcome(state="valid", record=record.id, charge=charge)
                growth.append(Submission.sign(record, holder), outcome, now)
            growth.close(store._key, now)


@dataclass
class _Supply:
    """Signed submissions of records, each of another city."""

    place: _Repository
    made: int = 0

    def submission(self) -> bytes:
        from singleout.repository.documents.submission import Submission

        self.made += 1
        record = _record(self.place.holder, {"City": f"New {self.made}"})
        return Submission.sign(record, self.place.holder).model_dump_json().encode()


def _commit(path: Path, body: bytes, number: int) -> None:
    """Commit as many rows of the same size, each by itself, with full durability."""
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE entries (number INTEGER PRIMARY KEY, body BLOB)")
        for index in range(number):
            connection.execute("INSERT INTO entries VALUES (?, ?)", (index, body))
    connection.close()


# ---- the service


@contextmanager
def _served(place: _Repository, workers: int) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    fast = {"burst": 10**9, "per_second": 10**9}
    settings = {"reading": fast, "changing": fast, "key_file": str(place.key_file)}
    given = {"target": str(place.target), "port": port, "workers": workers, "settings": settings}
    script = place.folder / "run.py"
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


# ---- a client


def _asked(
    address: str,
    path: str,
    bodies: Sequence[bytes],
    *,
    expected: int = 200,
    lanes: int = CONNECTIONS,
) -> list[float]:
    """Send requests from two processes over open connections; return the seconds of each."""
    host, port, _ = address.split(":")
    pool = _clients()
    halves = [(host, int(port), path, bodies[part::2], expected, lanes) for part in range(2)]
    return [seconds for times in pool.map(_ask_half, halves) for seconds in times]


_pools: list[ProcessPoolExecutor] = []


def _clients() -> ProcessPoolExecutor:
    if not _pools:
        context = multiprocessing.get_context("spawn")
        _pools.append(ProcessPoolExecutor(2, mp_context=context))
        list(_pools[0].map(os.getpgid, [0, 0]))  # both are started
    return _pools[0]


def _ask_half(given: tuple[str, int, str, Sequence[bytes], int, int]) -> list[float]:
    return asyncio.run(_ask_all(*given))


async def _ask_all(
    host: str, port: int, path: str, bodies: Sequence[bytes], expected: int, connections: int
) -> list[float]:
    times: list[float] = []
    lanes = connections // 2
    await asyncio.gather(
        *(
            _lane(host, port, path, bodies[lane::lanes], expected, lane * PAUSE, times)
            for lane in range(lanes)
        )
    )
    return times


async def _lane(
    host: str,
    port: int,
    path: str,
    bodies: Sequence[bytes],
    expected: int,
    delay: float,
    times: list[float],
) -> None:
    """Send requests one after the other over one connection."""
    await asyncio.sleep(delay)  # whoever is idle accepts: all at once would go to one worker
    reader, writer = await asyncio.open_connection(host, port)
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
    for body in bodies:
        started = time.perf_counter()
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        lines = answer.lower().split(b"\r\n")
        length = next(line for line in lines if line.startswith(b"content-length:"))
        content = await reader.readexactly(int(length.split(b":")[1]))
        times.append(time.perf_counter() - started)
        if not answer.startswith(f"HTTP/1.1 {expected}".encode()):
            raise RuntimeError(f"{answer[:12]!r}: {content[:300]!r}")
    writer.close()


# ---- kept until the end


_stack = ExitStack()
atexit.register(_stack.close)


def _kept(context: Any) -> Any:
    return _stack.enter_context(context)


def main() -> None:
    """Measure one repository, without a comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    prepared = _questions(asked.records, quick=False)
    runs: list[Callable[[], Any]] = [contender.run for contender in prepared.contenders]
    for _ in range(asked.rounds):
        for run in runs:
            run()
    print(prepared.findings())


if __name__ == "__main__":
    main()
