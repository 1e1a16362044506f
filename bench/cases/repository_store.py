"""Publishing with full durability beside plain commits, and looking records up among many.

A published record is checked, signed for, put into the tree and derived into tables, and is on disk
when it is acknowledged; threads that publish at once share commits. The peer commits the same bytes
one by one, with nothing else. ``SINGLEOUT_BENCH_RECORDS=1000000`` looks up among a million.
"""

from __future__ import annotations

import atexit
import json
import os
import random
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

from bench.case import Contender, Prepared, case
from bench.stored_records import filled_store, population, quasi_identifier, shares
from singleout.repository.documents.keys import HolderKey
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission
from singleout.repository.store.store import Store

THREADS = 16
KEY = HolderKey(bytes(range(32)))
RECORDS = int(os.environ.get("SINGLEOUT_BENCH_RECORDS", "10000"))
ROUNDS = 8  # those that are timed, and one to compare
_numbers = count()
_signed: list[bytes] = []


def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="singleout-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


# ---- publishing


@case("repository/publish", "Records published, each on disk when it is acknowledged.")
def publish(quick: bool) -> Prepared:
    folder, records = _folder(), 400 if quick else 2_000
    os.environ.setdefault("SINGLEOUT_STATE", str(folder))
    store = Store.create(folder / "published.sqlite", name="bench", personal=False)
    store.register(KEY.public_bytes, name="bench")
    raw = sqlite3.connect(folder / "raw.sqlite", isolation_level=None, check_same_thread=False)
    raw.execute("PRAGMA journal_mode=WAL")
    raw.execute("PRAGMA synchronous=FULL")
    raw.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, body BLOB)")
    signed = Submission.sign(_record(next(_numbers)), KEY).model_dump_json().encode()
    _sign(3 * records * ROUNDS)
    rates: dict[str, list[float]] = {}

    def timed(name: str, run: Callable[[], int]) -> Callable[[], int]:
        def ran() -> int:
            started = time.perf_counter()
            answer = run()
            rates.setdefault(name, []).append(records / (time.perf_counter() - started))
            return answer

        return ran

    runs: dict[str, Callable[[], int]] = {
        f"singleout, {THREADS} threads": lambda: _published(store, records, THREADS),
        "singleout, 100 at once": lambda: _published_at_once(store, records),
        "singleout, 1 thread": lambda: _published(store, records, 1),
        _RAW: lambda: _committed(raw, records, signed),
    }
    contenders = [
        Contender(name, timed(name, run), ours=name != _RAW) for name, run in runs.items()
    ]
    return Prepared(
        (records, 1), contenders, int, _difference, findings=lambda: shares(rates, _RAW)
    )


_RAW = "SQLite, one row a commit"


def _record(number: int) -> Record:
    return Record.of(
        {
            "quasi_identifier": [{"attribute": "age"}, {"attribute": "sex"}],
            "population": {"City": f"city{number}"},
            "numbers": {
                "people": 2000,
                "cells": 100,
                "kappa": 0.2,
                "s2": 0.012,
                "sd": {"people": 10, "kappa": 0.02, "s2": 0.001},
            },
            "gate": {"tier": "public", "price": 0.25, "cost": 0.25},
            "holder": KEY.id,
        }
    )


def _published(store: Store, records: int, threads: int) -> int:
    before = store.size

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(store.append, _taken(records)))
    return store.size - before


def _taken(records: int) -> list[bytes]:
    if len(_signed) < records:
        _sign(records)
    return [_signed.pop() for _ in range(records)]


def _published_at_once(store: Store, records: int) -> int:
    before = store.size
    for _ in range(0, records, 100):
        store.append_all(_taken(100))
    return store.size - before


def _sign(records: int) -> None:
    """Sign as many records; holders do that, on their own machines."""
    for _ in range(records):
        made = Submission.sign(_record(next(_numbers)), KEY, lifetime=timedelta(hours=1))
        _signed.append(made.text)


def _committed(raw: sqlite3.Connection, records: int, body: bytes) -> int:
    for _ in range(records):
        raw.execute("BEGIN IMMEDIATE")
        raw.execute("INSERT INTO rows (body) VALUES (?)", [body])
        raw.execute("COMMIT")
    return records


def _difference(answer: int, ours: int) -> str:
    return "" if answer == ours else f"{answer:,} instead of {ours:,}"


# ---- looking up


@case("repository/records-for", "The records of the nearest super-populations, 100 questions.")
def records_for(quick: bool) -> Prepared:
    del quick
    folder = _folder()
    store = filled_store(folder / "records.sqlite", RECORDS)
    rng = random.Random(1)
    questions = [_question(rng.randrange(RECORDS)) for _ in range(100)]
    contenders = [Contender("singleout", lambda: _asked(store, questions), ours=True)]
    if RECORDS <= 10_000:
        contenders.append(
            Contender("every record tested", lambda: _tested(store, questions[:2]), scale=50)
        )
    return Prepared(
        (RECORDS, 1), contenders, lambda answer: answer[:2], _other, findings=_slowest(store, rng)
    )


def _question(number: int) -> tuple[str, DeclaredPopulation]:
    attributes = [{"attribute": one} for one in quasi_identifier(number)]
    asked = Record.of({"quasi_identifier": attributes, "numbers": {"kappa": 0}})
    return asked.qid_key, DeclaredPopulation.of({**population(number), "sex": "F"})


def _asked(store: Store, questions: list[tuple[str, DeclaredPopulation]]) -> list[set[str]]:
    return [{one.id for one in store.records_for(*question)} for question in questions]


def _tested(store: Store, questions: list[tuple[str, DeclaredPopulation]]) -> list[set[str]]:
    found = []
    for key, asked in questions:
        rows = (
            (entry, Record.model_validate(json.loads(entry.submission)["body"]))
            for entry in store.entries(1, RECORDS + 10)
            if entry.submission
        )
        found.append(
            {
                _identity(entry.leaf)
                for entry, one in rows
                if one.qid_key == key and one.population.contains(asked)
            }
        )
    return found


def _identity(leaf: bytes) -> str:
    return str(json.loads(leaf)["record"])


def _other(answer: Any, ours: Any) -> str:
    return "" if answer == ours else f"{answer} instead of {ours}"


def _slowest(store: Store, rng: random.Random) -> Callable[[], str]:
    def table() -> str:
        seconds = []
        for _ in range(1_000):
            question = _question(rng.randrange(RECORDS))
            start = time.perf_counter()
            store.records_for(*question)
            seconds.append(time.perf_counter() - start)
        seconds.sort()
        half, most = 1e3 * seconds[500], 1e3 * seconds[990]
        rows = ["| records | median, ms | p99, ms |", "| --- | --- | --- |"]
        return "\n".join([*rows, f"| {RECORDS:,} | {half:.2f} | {most:.2f} |"])

    return table
