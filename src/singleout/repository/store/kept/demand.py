"""How often combinations of attributes were asked for in vain, by all processes of a service.

These counts are no entry of the log: nobody signed them, and no copy or export has them. They hold
names of attributes only.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Engine, select
from sqlalchemy.dialects import postgresql, sqlite

from singleout.repository.store.kept import tables
from singleout.repository.store.kept.database import translated
from singleout.repository.store.kept.seal import void_seal

__all__ = [
    "LEAST_ASKED",
    "MOST_COMBINATIONS",
    "Combination",
    "add_demand",
    "read_demand",
    "shown_demand",
]

LEAST_ASKED = 5  # how often, before it is shown
MOST_COMBINATIONS = 1_000  # that are counted

Combination = tuple[tuple[str, ...], tuple[str, ...]]

_INSERTS: Mapping[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


def add_demand(engine: Engine, counts: Mapping[Combination, int]) -> None:
    """Add to the counts of all processes; new combinations as long as there is room."""
    rows = {json.dumps(wanted): number for wanted, number in counts.items()}
    if not rows:
        return
    with translated(engine), engine.connect() as connection:
        connection.execution_options(writes=True)
        with connection.begin():
            _add(connection, rows)
            void_seal(connection)


def _add(connection: Connection, rows: Mapping[str, int]) -> None:
    table = tables.demand
    known = set(connection.scalars(select(table.c.combination)))
    room = max(0, MOST_COMBINATIONS - len(known))
    new = sorted(rows.keys() - known)[:room]
    # in the order of the keys, so that two processes wait for each other one way only
    kept = sorted({*new, *(rows.keys() & known)})
    if not kept:
        return
    statement = _INSERTS[connection.dialect.name](table)
    added = statement.on_conflict_do_update(
        index_elements=[table.c.combination],
        set_={"asked": table.c.asked + statement.excluded.asked},
    )
    connection.execute(added, [{"combination": each, "asked": rows[each]} for each in kept])


def read_demand(connection: Connection) -> Counter[Combination]:
    """Return the counts of all processes."""
    found: Counter[Combination] = Counter()
    for combination, asked in connection.execute(select(tables.demand)).all():
        names, terms = json.loads(combination)
        found[tuple(names), tuple(terms)] = asked
    return found


def shown_demand(counts: Mapping[Combination, int]) -> list[dict[str, Any]]:
    """Return what was asked for often enough, the most asked for first."""
    often = (pair for pair in counts.items() if pair[1] >= LEAST_ASKED)
    return [
        {"quasi_identifier": list(names), "population": list(terms), "asked": asked}
        for (names, terms), asked in sorted(often, key=lambda pair: (-pair[1], pair[0]))
    ]
