"""A store filled with generated records, a million in a minute, to measure reading it.

The rows are written as a store would write them, but without signatures, tree and ledger: reading
records needs none of them. Such a store does not verify.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Any

from singleout.repository.documents.canonical import canonical
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import Record
from singleout.repository.store.kept.lookup import address_of
from singleout.repository.store.store import Store

__all__ = ["filled_store", "population", "quasi_identifier", "shares", "state_in"]

QUASI_IDENTIFIERS = 20
_ROWS = 20_000
_CACHE = 1_000_000  # kilobytes: rows go to random places of the indexes
_TIME = "2026-01-01T00:00:00Z"
_ENTRY = (
    'INSERT INTO entries ("index", leaf_hash, leaf, outcome, submission) VALUES (?, ?, ?, ?, ?)'
)
_QUASI_IDENTIFIER = 'INSERT INTO quasi_identifiers (qid_key, attributes, "count") VALUES (?, ?, ?)'
_RECORD = (
    'INSERT INTO records ("index", id, state, reasons, holder, "key", qid_key, population, shape,'
    ' "equal", low, high, access) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'
)


def quasi_identifier(number: int) -> list[str]:
    """Return one of the quasi-identifiers that records are about."""
    return ["PC4", "age", f"attribute{number % QUASI_IDENTIFIERS}"]


def population(number: int) -> dict[str, Any]:
    """Return the population of a record: all, a city, a quarter of it, or ages within a city."""
    place = number // QUASI_IDENTIFIERS
    if place == 0:
        return {}
    city = f"city{place // 8}"
    if place % 8 == 0:
        return {"City": city}
    if place % 8 < 5:
        return {"City": city, "Quarter": f"quarter{place % 8}"}
    return {"City": city, "age": {"from": 10 * (place % 8), "to": 10 * (place % 8) + 29}}


def filled_store(path: Path, count: int) -> Store:
    """Return a store of this many records."""
    store = Store.create(path, name="bench")
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA synchronous=OFF")
    raw.execute(f"PRAGMA cache_size=-{_CACHE}")
    start = store.size
    for first in range(0, count, _ROWS):
        numbers = range(first, min(first + _ROWS, count))
        rows = [_row(number, start + number) for number in numbers]
        raw.execute("BEGIN")
        raw.executemany(_ENTRY, [entry for entry, _ in rows])
        raw.executemany(_RECORD, [record for _, record in rows])
        raw.execute("COMMIT")
    counts = [_counted(number, count) for number in range(min(QUASI_IDENTIFIERS, count))]
    raw.executemany(_QUASI_IDENTIFIER, counts)
    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw.close()
    return store


def _counted(number: int, count: int) -> tuple[str, str, int]:
    attributes = json.dumps([[one, "identity"] for one in sorted(quasi_identifier(number))])
    return _templates()[number][1], attributes, count // QUASI_IDENTIFIERS


@contextmanager
def state_in(folder: Path) -> Iterator[None]:
    """Remember heads in a folder, not in the user's."""
    before = os.environ.get("SINGLEOUT_STATE")
    os.environ["SINGLEOUT_STATE"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["SINGLEOUT_STATE"]
        else:
            os.environ["SINGLEOUT_STATE"] = before


def shares(rates: dict[str, list[float]], raw: str) -> str:
    """Return rates of publishing as a table, each beside that of raw commits in the same run."""
    lines = ["| published | records a second | share of raw commits |", "|---|--:|--:|"]
    for name, each in sorted(rates.items(), key=lambda item: item[0] == raw):
        share = median(each) / median(rates[raw])
        lines.append(f"| {name} | {median(each):,.0f} | {share:.0%} |")
    return "\n".join(lines)


def _row(number: int, index: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    record, qid_key = _templates()[number % QUASI_IDENTIFIERS]
    people, place = _people(number // QUASI_IDENTIFIERS)
    body = {**record, "population": people.root}
    written = json.dumps(body, separators=(",", ":"), sort_keys=True)
    identity = "sha256:" + hashlib.sha256(written.encode()).hexdigest()
    text = f'{{"body":{written},"by":"bench"}}'
    key = hashlib.sha256(f"{number}".encode()).hexdigest()
    leaf = json.dumps(
        {"index": index, "record": identity, "time": _TIME}, separators=(",", ":")
    )  # fewer fields, written as a store writes them
    entry = (index, bytes(32), leaf.encode(), b"{}", text.encode())
    return entry, (index, identity, "valid", "[]", "bench", key, qid_key, *place, "public")


@lru_cache(maxsize=1)
def _people(place: int) -> tuple[DeclaredPopulation, tuple[Any, ...]]:
    """Return a population, which records of all quasi-identifiers share, and where it stands."""
    people = DeclaredPopulation.of(population(place * QUASI_IDENTIFIERS))
    address = address_of(people)
    return people, (people.key, address.shape, address.equal, address.low, address.high)


_known: list[tuple[dict[str, Any], str]] = []


def _templates() -> list[tuple[dict[str, Any], str]]:
    if not _known:
        _known.extend(_made())
    return _known


def _made() -> Iterator[tuple[dict[str, Any], str]]:
    for number in range(QUASI_IDENTIFIERS):
        record = Record.of(
            {
                "quasi_identifier": [{"attribute": one} for one in quasi_identifier(number)],
                "numbers": {"people": 20_000, "cells": 1_000, "kappa": 0.4, "s2": 0.002},
            }
        )
        yield json.loads(canonical(record)), record.qid_key  # 0 and not 0.0
