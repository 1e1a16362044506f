"""Records that a new one is compared with: parts of its population, and siblings beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from sqlalchemy import Connection, bindparam, select

from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import Record
from singleout.repository.store.admitted.siblings import Sibling, Siblings, read_sibling
from singleout.repository.store.kept import tables
from singleout.repository.store.kept.lookup import Shape, address_of, single_values
from singleout.repository.store.kept.pending import pending_of
from singleout.repository.store.kept.reading import shape_of, shapes
from singleout.repository.store.kept.statements import Prepared

__all__ = [
    "AFTER",
    "BEFORE",
    "BESIDE",
    "asked_for_siblings",
    "keys_with",
    "read_siblings",
    "records_within",
    "siblings_key",
    "siblings_of",
]

BESIDE = 16  # siblings that are looked at on either side, and at the same single values
_SCANNED = 2_000  # records of a shape that are looked through in a store without a ledger

_entries, _records, _terms = tables.entries, tables.records, tables.population_terms
_VALID = (
    select(_entries.c.submission)
    .join(_records, _entries.c["index"] == _records.c["index"])
    .where(_records.c.qid_key == bindparam("qid_key"), _records.c.state == "valid")
)
_OF_SHAPE = _VALID.where(_records.c.shape == bindparam("shape")).limit(bindparam("most"))
_OF_PEOPLE = Prepared(_VALID.where(_records.c.population == bindparam("population")))
_SCAN = Prepared(_OF_SHAPE.order_by(_records.c["index"]))
_EQUAL, _INDEX = _records.c.equal, _records.c["index"]
_ORDER = _EQUAL, _records.c.low, _INDEX  # that of an index, so that few rows are read
_PLACED = _OF_SHAPE.add_columns(_EQUAL, _INDEX)
AFTER = Prepared(_PLACED.where(bindparam("equal") <= _EQUAL).order_by(*_ORDER))
BEFORE = Prepared(
    _PLACED.where(bindparam("equal") > _EQUAL).order_by(*(each.desc() for each in _ORDER))
)
_SAME = Prepared(_PLACED.where(bindparam("equal") == _EQUAL).order_by(*_ORDER))
_MIDDLES = {digit: "26ae"[int(digit, 16) // 4] for digit in "0123456789abcdef"}


def siblings_of(connection: Connection, record: Record) -> Siblings:
    """Return valid records of the same quasi-identifier whose populations have the same attributes.

    There may be millions. Their hashes are in no order, so that some of them are as good as a draw:
    those in the middle of the quarter of all hashes where the record's own is. Records that are
    published together have few quarters, so that few questions find the siblings of all of them.
    """
    pending = pending_of(connection)
    foreseen = None if pending is None else pending.made(siblings_key(record))
    if foreseen is not None:
        assert isinstance(foreseen, Siblings)
        return foreseen
    asked = asked_for_siblings(record)
    return read_siblings(statement.rows(connection, **given) for statement, given in asked)


def siblings_key(record: Record) -> tuple[str, str, str]:
    """Return what records have in common that have the same siblings, unless they are of ranges."""
    address = address_of(record.population)
    return record.qid_key, address.shape, _MIDDLES[address.equal[0]]


def read_siblings(sides: Iterable[Iterable[tuple[Any, ...]]]) -> Siblings:
    """Return the siblings of rows, of either side: one for each population."""
    found: dict[str, Sibling] = {}
    for rows in sides:
        for submission, *_ in rows:
            one = read_sibling(bytes(submission))
            found[one.key] = one
    return Siblings(found.values())


def asked_for_siblings(record: Record) -> list[tuple[Prepared, dict[str, Any]]]:
    """Return the statements for the siblings of a record, each with what it is given."""
    address = address_of(record.population)
    place = {"qid_key": record.qid_key, "shape": address.shape, "most": BESIDE}
    middle = {**place, "equal": _MIDDLES[address.equal[0]]}
    asked = [(AFTER, middle), (BEFORE, middle)]
    if shape_of(address.shape).several:  # others differ in a range
        asked.append((_SAME, {**place, "equal": address.equal}))
    return asked


def records_within(
    connection: Connection,
    qid_key: str,
    population: DeclaredPopulation,
    *,
    most: int,
    has_ledger: bool,
) -> list[Record]:
    """Return valid records of a quasi-identifier whose populations are part of another.

    A store with a ledger knows the terms of all its populations; in another one, all records are
    looked through, up to a number.
    """
    single, sets = single_values(population)
    found: list[Record] = []
    for shape in shapes(connection, _records, qid_key):
        if not _can_be_parts(shape, population):
            continue
        if has_ledger and single:
            rows = _with_terms(connection, qid_key, single, most)
        else:
            scan = {"qid_key": qid_key, "shape": str(shape), "most": _SCANNED}
            rows = (submission for (submission,) in _SCAN.rows(connection, **scan))
        for submission in rows:
            part = DeclaredPopulation.of(read_sibling(bytes(submission)).population)
            if part != population and set(sets) <= set(part.root) and population.contains(part):
                found.append(Record.model_validate(json.loads(submission)["body"]))
            if len(found) == most:
                return found
        if has_ledger and single:
            break  # of all shapes at once
    return found


def _can_be_parts(shape: Shape, population: DeclaredPopulation) -> bool:
    """Whether populations of a shape can be part of another, and not all the same as it."""
    names = {*shape.single, *shape.several}
    return names >= set(population.root) and (
        bool(shape.several) or len(names) > len(population.root) or population.is_everybody
    )


def _with_terms(
    connection: Connection, qid_key: str, single: dict[str, str], most: int
) -> Iterator[Any]:
    given: dict[str, Any] = {"most": most}
    for number, (name, value) in enumerate(single.items()):
        given[f"name{number}"], given[f"value{number}"] = name, value
    for (key,) in keys_with(len(single)).rows(connection, **given):
        for (submission,) in _OF_PEOPLE.rows(connection, qid_key=qid_key, population=key):
            yield submission


@cache
def keys_with(count: int) -> Prepared:
    """Return the statement for the populations that have so many terms."""
    first, *others = (
        select(_terms.c.population).where(
            _terms.c.attribute == bindparam(f"name{number}"),
            _terms.c.value == bindparam(f"value{number}"),
        )
        for number in range(count)
    )
    for other in others:
        first = first.where(_terms.c.population.in_(other))
    return Prepared(first.limit(bindparam("most")))
