"""Records that a new one is compared with: parts of its population, and siblings beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, bindparam, select

from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import Record
from singleout.repository.store import tables
from singleout.repository.store.lookup import address_of, single_values
from singleout.repository.store.reading import shapes
from singleout.repository.store.siblings import Sibling, read_sibling
from singleout.repository.store.statements import Prepared

if TYPE_CHECKING:
    from singleout.repository.store.lookup import Shape

__all__ = ["keys_with", "records_within", "siblings_of"]

_BESIDE = 16  # siblings that are looked at on either side, and at the same single values
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
_EQUAL = _records.c.equal
_NEXT = (
    Prepared(_OF_SHAPE.where(bindparam("equal") < _EQUAL).order_by(_EQUAL)),
    Prepared(_OF_SHAPE.where(bindparam("equal") > _EQUAL).order_by(_EQUAL.desc())),
    Prepared(_OF_SHAPE.where(bindparam("equal") == _EQUAL)),
)


def siblings_of(connection: Connection, record: Record) -> list[Sibling]:
    """Return valid records of the same quasi-identifier whose populations have the same attributes.

    There may be millions: those are taken that stand next to it in the order of a hash, which is as
    good as by chance, and the same each time.
    """
    address = address_of(record.population)
    place = {"qid_key": record.qid_key, "shape": address.shape, "equal": address.equal}
    found: dict[str, Sibling] = {}
    for side in _NEXT:
        for (submission,) in side.rows(connection, **place, most=_BESIDE):
            one = read_sibling(bytes(submission))
            found[json.dumps(one.population, sort_keys=True)] = one  # one for each population
    return list(found.values())


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
