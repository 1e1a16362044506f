"""Siblings of many new records, which become siblings of each other one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from operator import itemgetter

from sqlalchemy import Connection

from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission
from singleout.repository.store.admitted.neighbours import (
    AFTER,
    BEFORE,
    BESIDE,
    asked_for_siblings,
    read_siblings,
    siblings_key,
)
from singleout.repository.store.admitted.siblings import Siblings
from singleout.repository.store.kept.entries import EntryOutcome
from singleout.repository.store.kept.lookup import address_of
from singleout.repository.store.kept.pending import PendingRows, Rows
from singleout.repository.store.kept.statements import Prepared

__all__ = ["ForeseenSiblings"]

_PLACE = itemgetter(1, 2)  # the hash and the index, of a row


class ForeseenSiblings:
    """Answers to the questions for siblings, kept as the database would give them.

    Parameters
    ----------
    connection
        The connection of the one who writes.
    pending
        Where the answers are told.
    records
        New records, of populations of the same attributes with one value each.
    """

    def __init__(
        self, connection: Connection, pending: PendingRows, records: Iterable[Record]
    ) -> None:
        self._pending = pending
        self._sides: dict[str, dict[tuple[Prepared, str], Rows]] = {}  # by quasi-identifier
        self._made: dict[tuple[str, str, str], Siblings] = {}
        for record in records:
            key = siblings_key(record)
            sides = self._sides.setdefault(record.qid_key, {})
            if (AFTER, key[2]) in sides:
                continue
            for statement, given in asked_for_siblings(record):
                rows = statement.rows(connection, **given)
                sides[statement, key[2]] = rows
                pending.tell(statement, rows, **given)
            pending.tell_made(key, partial(self._siblings, key))

    def _siblings(self, key: tuple[str, str, str]) -> Siblings:
        found = self._made.get(key)
        if found is None:
            sides = self._sides[key[0]]
            found = read_siblings([sides[AFTER, key[2]], sides[BEFORE, key[2]]])
            self._made[key] = found
        return found

    def appended(self, index: int, submission: Submission, outcome: EntryOutcome) -> None:
        """Let a record that was appended be a sibling of those after it."""
        if outcome.changes:  # perhaps a sibling is no longer valid
            self._pending.forget(AFTER, BEFORE)
        if outcome.state != "valid":
            return
        record = submission.document
        equal = address_of(record.population).equal
        for (statement, middle), rows in self._sides.get(record.qid_key, {}).items():
            if (statement is AFTER) == (equal >= middle) and _is_near(statement, equal, rows):
                rows.append((submission.text, equal, index))
                rows.sort(key=_PLACE, reverse=statement is BEFORE)
                del rows[BESIDE:]
                self._made.clear()


def _is_near(statement: Prepared, equal: str, rows: Rows) -> bool:
    """Whether a record may be among those nearest to the middle."""
    if len(rows) < BESIDE:
        return True
    last: str = rows[-1][1]
    return equal <= last if statement is AFTER else equal >= last
