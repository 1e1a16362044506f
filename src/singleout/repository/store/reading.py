"""Questions to the tables of a store."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, Table, and_, bindparam, func, or_, select

from singleout.errors import BadChoice
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import CodedAttribute, Record
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.store import tables
from singleout.repository.store.lookup import Shape, keys_of_supersets, single_values
from singleout.repository.store.states import ANSWERING, RecordState
from singleout.repository.store.stored import (
    RegisteredHolder,
    StateRow,
    StoredDocument,
    StoredEntry,
    StoredRecord,
    StoredToken,
)

__all__ = [
    "documents",
    "entries",
    "find_record",
    "find_token",
    "find_vocabulary",
    "history",
    "holders",
    "quasi_identifiers",
    "records_for",
    "records_of_key",
    "records_where",
    "shapes",
]

_entries, _records = tables.entries, tables.records
_RECORD = select(_records, _entries.c.leaf, _entries.c.submission).join(
    _entries, _entries.c["index"] == _records.c["index"]
)
_INFINITE = 1e308
_MOST = 2**31
# all columns of the index in one condition: an OR of several would make SQLite read every record
_AT = (
    _RECORD.where(
        _records.c.qid_key == bindparam("qid_key"),
        _records.c.shape == bindparam("shape"),
        _records.c.equal == bindparam("equal"),
        or_(
            _records.c.low.is_(None),
            and_(_records.c.low <= bindparam("low"), _records.c.high >= bindparam("high")),
        ),
    )
    .order_by(_records.c["index"])
    .limit(bindparam("most"))
)


def _stored(row: Row[Any]) -> StoredRecord:
    fields = row._mapping
    submission = fields["submission"]
    record = None
    if submission is not None:
        record = Record.model_validate(json.loads(submission)["body"])
    return StoredRecord(
        id=fields["id"],
        record=record,
        state=fields["state"],
        reasons=tuple(json.loads(fields["reasons"])),
        index=fields["index"],
        time=json.loads(fields["leaf"])["time"],
        holder=fields["holder"],
        access=fields["access"],
    )


def records_where(
    connection: Connection, *conditions: Any, most: int | None = None
) -> list[StoredRecord]:
    """Return records that meet conditions, the oldest first."""
    wanted = _RECORD.where(*conditions).order_by(_records.c["index"]).limit(most)
    return [_stored(row) for row in connection.execute(wanted)]


def find_record(connection: Connection, wanted: str) -> StoredRecord | None:
    """Return a record by its id."""
    found = records_where(connection, _records.c.id == wanted)
    return found[0] if found else None


def records_of_key(
    connection: Connection, key: str, states: Sequence[RecordState] = ANSWERING
) -> list[StoredRecord]:
    """Return the records of one quasi-identifier, population and date."""
    return records_where(connection, _records.c.key == key, _records.c.state.in_(states))


def records_for(
    connection: Connection,
    qid_key: str,
    containing: DeclaredPopulation,
    states: Sequence[RecordState] = ANSWERING,
    vocabulary: Vocabulary | None = None,
    most: int | None = None,
) -> list[StoredRecord]:
    """Return the records whose population contains another, the nearest first."""
    known = shapes(connection, _records, qid_key)
    held = []
    for key in keys_of_supersets(known, *single_values(containing, vocabulary)):
        for row in connection.execute(_AT, _place(qid_key, key, most)):
            if row.state in states and row.submission is not None:
                one = _stored(row)
                if _held(one).contains(containing, vocabulary):
                    held.append(one)
    return _nearest_first(held, vocabulary)[:most]


def _held(stored: StoredRecord) -> DeclaredPopulation:
    assert stored.record is not None
    return stored.record.population


def _place(
    qid_key: str, key: tuple[str, str, float | None, float | None], most: int | None
) -> dict[str, Any]:
    """Return where to look; bounds are wider by one, since whole numbers have gaps."""
    shape, equal, low, high = key
    bounded = low is not None and high is not None
    return {
        "qid_key": qid_key,
        "shape": shape,
        "equal": equal,
        "low": low + 1 if bounded and low is not None else _INFINITE,
        "high": high - 1 if bounded and high is not None else -_INFINITE,
        "most": _MOST if most is None else most,
    }


def _nearest_first(found: list[StoredRecord], vocabulary: Vocabulary | None) -> list[StoredRecord]:
    """Return records whose populations are nested, or overlap, with the narrowest first."""
    populations = {one.record.population for one in found if one.record is not None}
    depth = {
        inner: sum(outer.contains(inner, vocabulary) for outer in populations)
        for inner in populations
    }

    def order(one: StoredRecord) -> tuple[int, float, int]:
        assert one.record is not None
        people = one.record.people
        return -depth[one.record.population], people or float("inf"), one.index

    return sorted(found, key=order)


def shapes(connection: Connection, table: Table, qid_key: str | None = None) -> list[Shape]:
    """Return the distinct shapes of populations, each by one step through the index."""
    given = {} if qid_key is None else {"qid_key": qid_key}
    found = connection.scalars(_steps(table, of_one=qid_key is not None), given)
    return [Shape.read(text) for text in found if text is not None]


@cache
def _steps(table: Table, *, of_one: bool) -> Select[Any]:
    """Return the statement for `shapes`; written once, so that it is compiled once."""
    conditions = (table.c.qid_key == bindparam("qid_key"),) if of_one else ()
    column = table.c.shape
    first = select(func.min(column).label("shape")).where(*conditions)
    step = first.cte("shapes", recursive=True)
    following = select(func.min(column)).where(*conditions, column > step.c.shape).scalar_subquery()
    step = step.union_all(select(following).where(step.c.shape.is_not(None)))
    return select(step.c.shape)


# ---- everything else


def quasi_identifiers(connection: Connection) -> list[tuple[tuple[CodedAttribute, ...], int]]:
    """Return each quasi-identifier that has records which queries find, and how many."""
    table = tables.quasi_identifiers
    rows = connection.execute(
        select(table.c.attributes, table.c["count"]).order_by(table.c.attributes)
    )
    return [
        (
            tuple(
                CodedAttribute(attribute=name, coding=coding) for name, coding in json.loads(text)
            ),
            number,
        )
        for text, number in rows
    ]


def history(connection: Connection, record: str) -> list[StateRow]:
    """Return the states of a record, the first one first."""
    table = tables.states
    rows = connection.execute(
        select(table, _entries.c.leaf)
        .join(_entries, _entries.c["index"] == table.c["index"])
        .where(table.c.record == record)
        .order_by(table.c["index"])
    )
    found = []
    for row in rows.mappings():
        leaf = json.loads(row["leaf"])
        reasons = tuple(json.loads(row["reasons"]))
        found.append(StateRow(row["index"], leaf["time"], leaf["by"], row["state"], reasons))
    return found


def holders(connection: Connection, wanted: str | None = None) -> list[RegisteredHolder]:
    """Return everybody who is or was registered, or one."""
    table = tables.holders
    asked: Select[Any] = select(table).order_by(table.c["index"], table.c.id)
    if wanted is not None:
        asked = asked.where(table.c.id == wanted)
    return [
        RegisteredHolder(**{**row, "roles": tuple(json.loads(row["roles"]))})
        for row in connection.execute(asked).mappings()
    ]


def find_token(connection: Connection, wanted: str) -> StoredToken | None:
    """Return what the token of a hash opens."""
    table = tables.tokens
    row = connection.execute(select(table).where(table.c.hash == wanted)).mappings().first()
    return None if row is None else StoredToken(**{**row, "roles": tuple(json.loads(row["roles"]))})


def find_vocabulary(connection: Connection, wanted: str) -> Vocabulary | None:
    """Return a vocabulary by its hash."""
    table = tables.vocabularies
    submission = connection.scalar(
        select(_entries.c.submission)
        .join(table, table.c["index"] == _entries.c["index"])
        .where(table.c.hash == wanted)
    )
    if submission is None:
        return None
    return Vocabulary.model_validate(json.loads(submission)["body"]["vocabulary"])


def documents(
    connection: Connection, table: Table, wanted: str | None = None
) -> list[StoredDocument]:
    """Return the inventories or the decisions, or one of them."""
    asked = (
        select(table, _entries.c.leaf, _entries.c.submission)
        .join(_entries, _entries.c["index"] == table.c["index"])
        .order_by(table.c["index"])
    )
    if wanted is not None:
        asked = asked.where(table.c.id == wanted)
    return [
        StoredDocument(
            row["id"],
            row["holder"],
            row["index"],
            json.loads(row["leaf"])["time"],
            json.loads(row["submission"])["body"],
        )
        for row in connection.execute(asked).mappings()
    ]


def entries(connection: Connection, start: int, end: int) -> Generator[StoredEntry, None, None]:
    """Yield the entries from ``start`` up to ``end``."""
    if not 0 <= start <= end:
        raise BadChoice(f"There are no entries from {start} to {end}; give 0 <= first <= last.")
    place = _entries.c["index"]
    wanted = select(_entries).where(place >= start, place < end).order_by(place)
    with connection.execute(wanted.execution_options(yield_per=500)) as rows:
        for index, leaf_hash, leaf, outcome, submission in rows:
            yield StoredEntry(index, leaf_hash, leaf, outcome, submission)
