"""Answer for many new records at once what deciding on each of them would ask.

Records that are published together are mostly of different people: of one city each. Then none of
them changes what is decided on another, and a handful of statements finds out for all of them that
nothing like it is there yet. What is there is asked for in the usual way, one record at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, bindparam, select

from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission
from singleout.repository.store.admitted import budget, differences
from singleout.repository.store.admitted.decide import RECEIVED
from singleout.repository.store.admitted.determined import REGISTERED, determined
from singleout.repository.store.admitted.foreseen_siblings import ForeseenSiblings
from singleout.repository.store.admitted.neighbours import keys_with
from singleout.repository.store.admitted.new_records import COMPARED, VOCABULARY
from singleout.repository.store.derived import ledger_tables
from singleout.repository.store.kept import reading, tables
from singleout.repository.store.kept.lookup import (
    Shape,
    address_of,
    keys_of_supersets,
    single_values,
)
from singleout.repository.store.kept.pending import PendingRows
from singleout.repository.store.kept.statements import Prepared, is_among, listed

__all__ = ["foresee"]

_Key = tuple[str, str, float | None, float | None]  # a shape, a hash, and bounds

_WANTED = "wanted"
_nonces, _records = tables.nonces, tables.records
_populations, _terms = tables.populations, tables.population_terms


def foresee(
    connection: Connection,
    pending: PendingRows,
    run: Sequence[Submission],
    *,
    has_ledger: bool,
) -> ForeseenSiblings:
    """Tell what deciding on the submissions of a `Run` asks, as far as nothing is there.

    Only siblings may be among the submissions themselves; those returned follow what is appended.
    Where a ledger is kept, records of whose people nothing is there are decided on by that alone.
    """
    _submitters(connection, pending, run)
    new = [_New.of(one.document) for one in run]
    _Foresight(connection, pending, new).tell(of_all=not has_ledger)
    return ForeseenSiblings(connection, pending, [one.record for one in new])


def _submitters(connection: Connection, pending: PendingRows, run: Sequence[Submission]) -> None:
    nonces: dict[str, list[str]] = {}
    for one in run:
        nonces.setdefault(one.by, []).append(one.nonce)
    for by, some in nonces.items():
        known = reading.HOLDER.rows(connection, wanted=by)
        pending.tell(reading.HOLDER, known, wanted=by)
        absent = _absent(connection, _NONCES, some, by=by)
        if len(nonces) == 1:
            pending.tell_none(RECEIVED, "nonce", absent)
        else:
            for nonce in absent:
                pending.tell(RECEIVED, [], by=by, nonce=nonce)


@dataclass(frozen=True)
class _New:
    """A record and the single values of its population."""

    record: Record
    single: Mapping[str, str]
    equal: str

    @classmethod
    def of(cls, record: Record) -> _New:
        single, _ = single_values(record.population)
        return cls(record, single, address_of(record.population).equal)


class _Foresight:
    def __init__(self, connection: Connection, pending: PendingRows, new: Sequence[_New]) -> None:
        self._connection = connection
        self._pending = pending
        self._new = new
        self._own = Shape.read(address_of(new[0].record.population).shape)
        self._names = set(self._own.single)
        self._met: set[str] = set()  # populations of whose people something may be there
        self._later: list[Callable[[Sequence[_New]], None]] = []

    def tell(self, *, of_all: bool) -> None:
        """Tell what is absent; in detail only of those who are not alone, unless of all."""
        self._records()
        for qid_key in {one.record.qid_key for one in self._new}:
            self._wider([one for one in self._new if one.record.qid_key == qid_key])
        self._vocabularies()
        without = self._without_parts()
        self._costs(without)
        self._sizes()
        # a vocabulary may say that other people are among them
        of_all = of_all or determined(self._connection).says_of(self._new[0].record.population)
        met = [one for one in self._new if one.record.population.key in self._met]
        keys = (one.record.population.key for one in self._new)
        self._pending.tell_alone(key for key in keys if key not in self._met)
        for tell in self._later:
            tell(self._new if of_all else met)

    def _meet(self, new: Iterable[_New]) -> None:
        self._met.update(one.record.population.key for one in new)

    def _records(self) -> None:
        """Tell whether records are there, or others of their key or of their people."""
        connection, tell_none = self._connection, self._pending.tell_none
        ids = _absent(connection, _IDS, (one.record.id for one in self._new))
        tell_none(reading.OF_ID, _WANTED, ids)
        keys = _absent(connection, _KEYS, (one.record.key for one in self._new))
        tell_none(reading.OF_KEY, _WANTED, keys)
        people = _absent(connection, _PEOPLE, (one.record.population.key for one in self._new))
        tell_none(reading.OF_PEOPLE, _WANTED, people)
        self._meet(one for one in self._new if one.record.population.key not in people)

    def _vocabularies(self) -> None:
        for one in {one.record.vocabulary for one in self._new if one.record.vocabulary}:
            self._ask(VOCABULARY, wanted=one)
        self._ask(REGISTERED)
        self._ask(reading.HOLDERS)  # who registered them

    def _wider(self, new: Sequence[_New]) -> None:
        """Tell whether records of one quasi-identifier are of populations that contain new ones."""
        qid_key = new[0].record.qid_key
        step = reading.steps(_records, of_one=True)
        found = step.rows(self._connection, qid_key=qid_key)
        self._pending.tell(step, found, qid_key=qid_key)
        for shape in map(Shape.read, _texts(found)):
            keys = {one.equal: self._keys(shape, one) for one in new}
            place = {"qid_key": qid_key, "shape": str(shape)}
            every = (key[1] for some in keys.values() for key in some)
            absent = _absent(self._connection, _RECORDS_AT, every, **place)
            for one in new:
                if not all(key[1] in absent for key in keys[one.equal]):
                    self._meet([one])
            self._later.append(partial(self._none_at, qid_key, keys, absent))

    def _none_at(
        self,
        qid_key: str,
        keys: Mapping[str, Sequence[_Key]],
        absent: set[str],
        new: Iterable[_New],
    ) -> None:
        """Tell of which populations that contain new ones no record is there."""
        for one in new:
            for key in keys.get(one.equal, ()):
                if key[1] in absent:
                    self._pending.tell(reading.AT, [], **reading.place(qid_key, key, COMPARED))

    def _keys(self, shape: Shape, new: _New) -> Sequence[_Key]:
        if shape == self._own:
            return [(str(shape), new.equal, None, None)]
        return keys_of_supersets([shape], new.single, new.record.population.sets)

    def _without_parts(self) -> set[tuple[str, str]]:
        """Tell of which populations no part is there; return the terms that none has."""
        absent = {
            (name, value)
            for name in self._own.single
            for value in _absent(
                self._connection, _TERMS, (one.single[name] for one in self._new), attribute=name
            )
        }
        self._meet(one for one in self._new if absent.isdisjoint(one.single.items()))
        self._later.append(partial(self._no_parts, absent))
        return absent

    def _no_parts(self, absent: set[tuple[str, str]], new: Iterable[_New]) -> None:
        statement = differences.largest_with(len(self._own.single))
        within = keys_with(len(self._own.single))
        for one in new:
            if not absent.isdisjoint(one.single.items()):
                given = differences.numbered(dict(one.single))
                self._pending.tell(statement, [], most=differences.PARTS, **given)
                self._pending.tell(within, [], most=COMPARED, **given)

    def _costs(self, absent: set[tuple[str, str]]) -> None:
        """Tell what was published about people of each shape who can be among the new ones."""
        step = reading.steps(_populations, of_one=False)
        found = step.rows(self._connection)
        self._pending.tell(step, found)
        for shape in map(Shape.read, _texts(found)):
            if self._names.issuperset(shape.single):
                self._costs_at(shape)
            else:
                self._costs_of_some(shape, absent)

    def _costs_at(self, shape: Shape) -> None:
        place = {"shape": str(shape)}
        keys: dict[str, list[_New]] = {}
        for one in self._new:
            key = one.equal if shape == self._own else shape.values_key(one.single)
            keys.setdefault(key, []).append(one)
        absent = _absent(self._connection, _POPULATIONS_AT, keys, **place)
        for key, some in keys.items():
            if key not in absent:
                self._meet(some)
        self._later.append(partial(self._costs_known, shape, keys, absent))

    def _costs_known(
        self,
        shape: Shape,
        keys: Mapping[str, Sequence[_New]],
        absent: set[str],
        new: Iterable[_New],
    ) -> None:
        place = {"shape": str(shape)}
        told = {one.equal for one in new}
        for key, some in keys.items():
            if told.isdisjoint(one.equal for one in some):
                continue
            costs = {**place, "most": budget.WEIGHED + 1, "equal": key}
            sizes = {**place, "most": differences.PARTS, "equal": key}
            if key in absent:
                self._pending.tell(budget.COSTS_AT, [], **costs)
                self._pending.tell(differences.SIZES_AT, [], **sizes)
            elif shape != self._own:  # the new ones do not change it
                self._ask(budget.COSTS_AT, **costs)
                self._ask(differences.SIZES_AT, **sizes)
                self._ask(ledger_tables.EXPOSED, **place)

    def _costs_of_some(self, shape: Shape, absent: set[tuple[str, str]]) -> None:
        shared = [name for name in shape.single if name in self._names]
        statement = budget.costs_with(len(shared))
        place = {"shape": str(shape), "most": budget.WEIGHED + 1}
        if not shared:
            self._ask(statement, **place)
            self._ask(ledger_tables.EXPOSED, shape=str(shape))
            self._meet(self._new)
        for one in self._new if shared else ():
            given = {name: one.single[name] for name in shared}
            if not absent.isdisjoint(given.items()):
                self._pending.tell(statement, [], **place, **differences.numbered(given))
            else:
                self._meet([one])

    def _sizes(self) -> None:
        """Tell whether the populations themselves are known."""
        equal = [one.equal for one in self._new]
        absent = _absent(self._connection, _POPULATIONS_AT, equal, shape=str(self._own))
        self._pending.tell_none(ledger_tables.COSTS, "equal", absent)
        keys = (one.record.population.key for one in self._new if one.equal in absent)
        self._pending.tell_none(ledger_tables.SIZES, _WANTED, keys)

    def _ask(self, statement: Prepared, **given: Any) -> None:
        self._pending.tell(statement, statement.rows(self._connection, **given), **given)


def _texts(rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    return (text for (text,) in rows if text is not None)


# ---- statements about many


def _absent(
    connection: Connection, statement: Prepared, wanted: Iterable[str], **given: str
) -> set[str]:
    """Return which of many values a column does not have."""
    every = set(wanted)
    if not every:
        return every
    return every.difference(_texts(statement.rows(connection, wanted=listed(every), **given)))


def _which(column: Column[Any], *conditions: ColumnElement[bool]) -> Prepared:
    return Prepared(select(column).where(*conditions, is_among(column, _WANTED)))


_NONCES = _which(_nonces.c.nonce, _nonces.c.by == bindparam("by"))
_IDS = _which(_records.c.id)
_KEYS = _which(_records.c.key)
_PEOPLE = _which(_records.c.population)
_TERMS = _which(_terms.c.value, _terms.c.attribute == bindparam("attribute"))
_POPULATIONS_AT = _which(_populations.c.equal, _populations.c.shape == bindparam("shape"))
_RECORDS_AT = _which(
    _records.c.equal,
    _records.c.qid_key == bindparam("qid_key"),
    _records.c.shape == bindparam("shape"),
)
