"""Stores, keys and records to test with."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from singleout.repository.documents.keys import HolderKey
from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission
from singleout.repository.gate.gate import cost_of, deviations
from singleout.repository.store.kept.stored import Receipt
from singleout.repository.store.store import Store

PRICE = {"public": 0.25, "registered": 0.5}


def key(number: int) -> HolderKey:
    """A key that is always the same."""
    return HolderKey(number.to_bytes(32, "big"))


REPOSITORY, ADMINISTRATOR, MODERATOR, ALICE, BOB, STRANGER = map(key, range(1, 7))


def record(
    population: Any = None,
    qid: Any = ("age", "sex"),
    *,
    holder: HolderKey | None = ALICE,
    size: int | None = None,
    cells: int = 100,
    tier: str = "public",
    price: float | None = None,
    day: date | None = date(2026, 1, 1),
    **fields: Any,
) -> Record:
    """A record of ``cells`` cells of ``size`` people each, as the gate would blur them at best.

    There are 2,000 people in a part of the population, and 200,000 in all.
    """
    size = (20 if population else 2000) if size is None else size
    people = size * cells
    numbers: dict[str, Any] = {
        "people": people,
        "cells": cells,
        "support": cells,
        "largest": 2 * size,
        "kappa": 0.0,
        "s2": (size - 1) / (people - 1),
        "s3": (size - 1) * (size - 2) / ((people - 1) * (people - 2)),
        "small": float(size < 10),
    }
    gate = {"tier": "none"}
    if tier != "none":
        price = PRICE[tier] if price is None else price
        numbers["sd"] = deviations(people, 2 * size, price, cells)
        gate = {"tier": tier, "price": price, "cost": cost_of(people, price, cells)}
    numbers.update(fields.pop("numbers", {}))
    return Record.of(
        {
            "quasi_identifier": [
                {"attribute": one} if isinstance(one, str) else dict(one) for one in qid
            ],
            "population": population or {},
            "reference_date": None if day is None else day.isoformat(),
            "numbers": numbers,
            "gate": gate,
            "holder": "" if holder is None else holder.id,
            "access": "registered" if tier == "registered" else "public",
            **fields,
        }
    )


def exact(counts: list[int], cells: int, **fields: Any) -> Record:
    """A record of a table as it is, without noise."""
    people = sum(counts)
    shares = [count / people for count in counts]
    entropy = -math.fsum(share * math.log(share) for share in shares)
    pairs = math.fsum(c * (c - 1) for c in counts) / (people * (people - 1))
    triples = math.fsum(c * (c - 1) * (c - 2) for c in counts)
    triples /= people * (people - 1) * (people - 2)
    numbers = {
        "people": people,
        "cells": cells,
        "support": len(counts),
        "largest": max(counts),
        "kappa": math.log(cells) - entropy,
        "s2": pairs,
        "s3": triples,
        "small": sum(c for c in counts if c < 10) / people,
    }
    gate = {"tier": "none"}
    return Record.of(
        {"quasi_identifier": [{"attribute": "age"}], "numbers": numbers, "gate": gate, **fields}
    )


def body(kind: str, **fields: Any) -> dict[str, Any]:
    return {"kind": f"{kind}/1", **fields}


@dataclass
class Place:
    """Where a store is, and how to make and open it there."""

    target: str | Path
    folder: Path
    _stores: list[Store] = field(default_factory=list)

    @property
    def key_file(self) -> Path:
        return self.folder / "repository.key"

    def create(self, **options: Any) -> Store:
        """A new store: public, with one of each role, unless told otherwise."""
        if not self.key_file.exists():
            REPOSITORY.save(self.key_file)
        personal = options.pop("personal", False)
        made = Store.create(
            self.target, name="Test", key_file=self.key_file, personal=personal, **options
        )
        self._stores.append(made)
        if not personal:
            made.register(ADMINISTRATOR.public_bytes, name="Admin", roles=("administrator",))
            made.register(MODERATOR.public_bytes, name="Moderator", roles=("moderator",))
            made.register(ALICE.public_bytes, name="Alice")
            made.register(BOB.public_bytes, name="Bob")
        return made

    def open(self, **options: Any) -> Store:
        options = {"key_file": self.key_file, **options}
        opened = Store.open(self.target, **options)
        self._stores.append(opened)
        return opened

    def close(self) -> None:
        for store in self._stores:
            store.close()


def send(store: Store, document: Any, by: HolderKey = ALICE, **options: Any) -> Receipt:
    """Sign and append."""
    return store.append(Submission.sign(document, by), **options)
