"""Rows that a transaction writes later, many at once, and answers that it knows beforehand.

Whoever asks the database something else through the same connection, or changes it, makes the rows
be written first, so that every question is answered as if they had been written at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

if TYPE_CHECKING:
    from singleout.repository.store.kept.statements import Prepared

__all__ = ["PendingRows", "is_alone", "pending_of"]

_OPTION = "pending"
_MOST = 5_000  # rows that wait

Rows = list[tuple[Any, ...]]


class PendingRows:
    """Rows to insert, in one transaction. Use `PendingRows.of`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._rows: dict[Prepared, list[Mapping[str, Any]]] = {}
        self._count = 0
        self._told: dict[tuple[Prepared, frozenset[tuple[str, Any]]], Rows] = {}
        self._none: dict[Prepared, tuple[str, frozenset[Any]]] = {}
        self._made: dict[Any, Callable[[], object]] = {}
        self._alone: frozenset[str] = frozenset()
        self._before: list[Callable[[], None]] = []

    @classmethod
    def of(cls, connection: Connection) -> PendingRows:
        """Return those of the transaction of a connection."""
        found = pending_of(connection)
        if found is None:
            found = cls(connection)
            connection.execution_options(**{_OPTION: found})
        return found

    # ---- rows

    def add(self, statement: Prepared, row: Mapping[str, Any]) -> None:
        """Insert a row, later."""
        self._rows.setdefault(statement, []).append(row)
        self._count += 1
        if self._count >= _MOST:
            self.flush()

    def before_flush(self, call: Callable[[], None]) -> None:
        """Call something whenever rows are about to be written."""
        self._before.append(call)

    def flush(self) -> None:
        """Write the rows that wait."""
        for call in self._before:
            call()
        if self._count:
            rows, self._rows, self._count = self._rows, {}, 0
            for statement, some in rows.items():
                statement.many(self._connection, some)

    # ---- answers

    def tell(self, statement: Prepared, rows: Rows, **given: Any) -> None:
        """Know the answer to a statement, which the rows that wait do not change."""
        self._told[statement, frozenset(given.items())] = rows

    def tell_none(self, statement: Prepared, name: str, values: Iterable[Any]) -> None:
        """Know that a statement finds nothing for some values of one of its parameters.

        Whatever its other parameters are: they follow from this one, or are always the same.
        """
        self._none[statement] = name, frozenset(values)

    def forget(self, *statements: Prepared) -> None:
        """Know no answers any more, or none to some statements, nor anything made of answers."""
        kept = [key for key in self._told if statements and key[0] not in statements]
        self._told = {key: self._told[key] for key in kept}
        self._made = {}
        if not statements:
            self._alone, self._none = frozenset(), {}

    def tell_made(self, key: Any, make: Callable[[], object]) -> None:
        """Know what answers amount to; ``make`` returns it as of now."""
        self._made[key] = make

    def made(self, key: Any) -> object | None:
        """Return what answers amount to, if that is known."""
        make = self._made.get(key)
        return None if make is None else make()

    def tell_alone(self, populations: Iterable[str]) -> None:
        """Know of populations, by their keys, that nothing was published about their people."""
        self._alone = frozenset(populations)

    def is_alone(self, population: str) -> bool:
        """Return whether it is known that nothing was published about people of a population."""
        return population in self._alone

    def answer(self, statement: Prepared, given: Mapping[str, Any]) -> Rows | None:
        """Return what is known; without it, what waits is written, for the database to answer."""
        none = self._none.get(statement)
        if none is not None and given[none[0]] in none[1]:
            return []
        known = self._told.get((statement, frozenset(given.items()))) if self._told else None
        if known is None:
            self.flush()
        return known


def pending_of(connection: Connection) -> PendingRows | None:
    """Return the rows that wait in the transaction of a connection, if any may."""
    found: PendingRows | None = connection.get_execution_options().get(_OPTION)
    return found


def is_alone(connection: Connection, population: str) -> bool:
    """Return whether a transaction knows that nothing was published about a population's people."""
    pending = pending_of(connection)
    return pending is not None and pending.is_alone(population)
