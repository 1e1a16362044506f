"""Questions to the tables of a store."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any

from pydantic_core import from_json
from sqlalchemy import Connection, Table, and_, bindparam, func, or_, select

from singleout.errors import BadChoice
from singleout.repository.documents.canonical import hash_of
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import CodedAttribute, Record
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.store.admitted.states import ANSWERING, RecordState
from singleout.repository.store.kept import tables
from singleout.repository.store.kept.lookup import Shape, keys_of_supersets, single_values
from singleout.repository.store.kept.statements import Prepared
from singleout.repository.store.kept.stored import (
    RegisteredHolder,
    StateRow,
    StoredDocument,
    StoredEntry,
    StoredRecord,
    StoredToken,
)

__all__ = [
    "AT",
    "HOLDER",
    "HOLDERS",
    "OF_ID",
    "OF_KEY",
    "OF_PEOPLE",
    "documents",
    "entries",
    "few_records_for",
    "find_record",
    "find_token",
    "find_vocabulary",
    "history",
    "holders",
    "place",
    "quasi_identifiers",
    "records_for",
    "records_of_key",
    "records_of_people",
    "records_of_qid",
    "rotations",
    "shape_of",
    "shapes",
    "steps",
]

_entries, _records = tables.entries, tables.records
_RECORD = select(
    *(_records.c[name] for name in ("index", "id", "state", "reasons", "holder", "access")),
    _entries.c.leaf,
    _entries.c.submission,
).join(_entries, _entries.c["index"] == _records.c["index"])
_INFINITE = 1e308
_BODY, _AFTER_BODY = b'{"body":', b',"by":"'
_TIME = b'"time":"'
_TIME_LENGTH = len('2026-12-31T23:59:59Z"}')
_MOST = 2**31
_STATE, _SUBMISSION = 2, 7  # among the columns
_OLDEST_FIRST = _RECORD.order_by(_records.c["index"])
OF_ID = Prepared(_RECORD.where(_records.c.id == bindparam("wanted")))
OF_KEY = Prepared(_OLDEST_FIRST.where(_records.c.key == bindparam("wanted")))
OF_PEOPLE = Prepared(
    _OLDEST_FIRST.where(
        _records.c.population == bindparam("wanted"), _records.c.qid_key != bindparam("other")
    ).limit(bindparam("most"))
)
OF_QID = Prepared(_RECORD.where(_records.c.qid_key == bindparam("wanted")).limit(bindparam("most")))
# all columns of the index in one condition: an OR of several would make SQLite read every record
AT = Prepared(
    _OLDEST_FIRST.where(
        _records.c.qid_key == bindparam("qid_key"),
        _records.c.shape == bindparam("shape"),
        _records.c.equal == bindparam("equal"),
        or_(
            _records.c.low.is_(None),
            and_(_records.c.low <= bindparam("low"), _records.c.high >= bindparam("high")),
        ),
    ).limit(bindparam("most"))
)


def _stored(row: tuple[Any, ...]) -> StoredRecord:
    index, identity, state, reasons, holder, access, leaf, submission = row
    record = None
    if submission is not None:
        record = _read(bytes(submission), identity)
    return StoredRecord(
        id=identity,
        record=record,
        state=state,
        reasons=() if reasons == "[]" else tuple(json.loads(reasons)),
        index=index,
        time=_time_in(bytes(leaf)),
        holder=holder,
        access=access,
    )


def _time_in(leaf: bytes) -> str:
    """Return the timestamp of a leaf: its last field, of a fixed length."""
    before, field, time = leaf.rpartition(_TIME)
    if before and field and len(time) == _TIME_LENGTH:
        return time[:-2].decode()
    return str(json.loads(leaf)["time"])


@lru_cache(maxsize=1_000)
def _read(submission: bytes, identity: str) -> Record:
    """Return the record of a submission; those of large populations are asked for often."""
    record = Record.model_validate(from_json(submission)["body"])
    body = memoryview(submission)[len(_BODY) : submission.rfind(_AFTER_BODY)]
    if identity == hash_of(body):  # mostly: nothing was left out of what was signed
        record.__dict__["id"] = identity
    return record


def find_record(connection: Connection, wanted: str) -> StoredRecord | None:
    """Return a record by its id."""
    row = OF_ID.first(connection, wanted=wanted)
    return None if row is None else _stored(row)


def records_of_key(
    connection: Connection, key: str, states: Sequence[RecordState] = ANSWERING
) -> list[StoredRecord]:
    """Return the records of one quasi-identifier, population and date, the oldest first."""
    rows = OF_KEY.rows(connection, wanted=key)
    return [_stored(row) for row in rows if row[_STATE] in states]


def records_of_people(
    connection: Connection, record: Record, states: Sequence[RecordState], most: int
) -> list[StoredRecord]:
    """Return records of the same population as another and of other quasi-identifiers."""
    rows = OF_PEOPLE.rows(connection, wanted=record.population.key, other=record.qid_key, most=most)
    return [_stored(row) for row in rows if row[_STATE] in states]


def records_of_qid(connection: Connection, qid_key: str, most: int) -> list[StoredRecord]:
    """Return records of a quasi-identifier that queries find, of whatever people."""
    rows = OF_QID.rows(connection, wanted=qid_key, most=most)
    return [_stored(row) for row in rows if row[_STATE] in ANSWERING]


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
    keys = keys_of_supersets(known, *single_values(containing, vocabulary))
    rows = [AT.rows(connection, **place(qid_key, key, most)) for key in keys]
    return _containing(chain.from_iterable(rows), containing, states, vocabulary)[:most]


def few_records_for(
    connection: Connection, qid_key: str, containing: DeclaredPopulation, most: int
) -> list[StoredRecord] | None:
    """Return what `records_for` does; None if more than so many rows would have to be read."""
    known = shapes(connection, _records, qid_key)
    if len(known) > most:
        return None
    found: list[tuple[Any, ...]] = []
    for key in keys_of_supersets(known, *single_values(containing)):
        found += AT.rows(connection, **place(qid_key, key, most + 1 - len(found)))
        if len(found) > most:
            return None
    return _containing(found, containing, ANSWERING, None)


def _containing(
    rows: Iterable[tuple[Any, ...]],
    containing: DeclaredPopulation,
    states: Sequence[RecordState],
    vocabulary: Vocabulary | None,
) -> list[StoredRecord]:
    held = []
    for row in rows:
        if row[_STATE] in states and row[_SUBMISSION] is not None:
            one = _stored(row)
            if _held(one).contains(containing, vocabulary):
                held.append(one)
    return _nearest_first(held, vocabulary)


def _held(stored: StoredRecord) -> DeclaredPopulation:
    assert stored.record is not None
    return stored.record.population


def place(
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
    if len(found) < 2:
        return found
    populations = {repr(_held(one).root): _held(one) for one in found}  # in their normal form
    depth = {
        written: sum(outer.contains(inner, vocabulary) for outer in populations.values())
        for written, inner in populations.items()
    }

    def order(one: StoredRecord) -> tuple[int, float, int]:
        assert one.record is not None
        people = one.record.people
        return -depth[repr(_held(one).root)], people or float("inf"), one.index

    return sorted(found, key=order)


def shapes(connection: Connection, table: Table, qid_key: str | None = None) -> list[Shape]:
    """Return the distinct shapes of populations, each by one step through the index."""
    given = {} if qid_key is None else {"qid_key": qid_key}
    found = steps(table, of_one=qid_key is not None).rows(connection, **given)
    return [shape_of(text) for (text,) in found if text is not None]


shape_of = lru_cache(maxsize=10_000)(Shape.read)


@cache
def steps(table: Table, *, of_one: bool) -> Prepared:
    """Return the statement for `shapes`; written once, so that it is compiled once."""
    conditions = (table.c.qid_key == bindparam("qid_key"),) if of_one else ()
    column = table.c.shape
    first = select(func.min(column).label("shape")).where(*conditions)
    step = first.cte("shapes", recursive=True)
    following = select(func.min(column)).where(*conditions, column > step.c.shape).scalar_subquery()
    step = step.union_all(select(following).where(step.c.shape.is_not(None)))
    return Prepared(select(step.c.shape))


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
    one = {} if wanted is None else {"wanted": wanted}
    rows = (HOLDER if one else HOLDERS).rows(connection, **one)
    return [
        RegisteredHolder(
            identity, name, public_key, tuple(json.loads(roles)), contact, bool(active), index
        )
        for identity, name, public_key, roles, contact, active, index in rows
    ]


_holders = tables.holders
HOLDERS = Prepared(select(_holders).order_by(_holders.c["index"], _holders.c.id))
HOLDER = Prepared(select(_holders).where(_holders.c.id == bindparam("wanted")))


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


def rotations(connection: Connection) -> list[StoredEntry]:
    """Return the entries that announce a new key of the repository, the first one first."""
    table = tables.rotations
    wanted = select(_entries).join(table, table.c["index"] == _entries.c["index"])
    rows = connection.execute(wanted.order_by(table.c["index"]))
    return [StoredEntry(*row) for row in rows]


def entries(connection: Connection, start: int, end: int) -> Generator[StoredEntry, None, None]:
    """Yield the entries from ``start`` up to ``end``."""
    if not 0 <= start <= end:
        raise BadChoice(f"There are no entries from {start} to {end}; give 0 <= first <= last.")
    place = _entries.c["index"]
    wanted = select(_entries).where(place >= start, place < end).order_by(place)
    with connection.execute(wanted.execution_options(yield_per=500)) as rows:
        for index, leaf_hash, leaf, outcome, submission in rows:
            yield StoredEntry(index, leaf_hash, leaf, outcome, submission)
