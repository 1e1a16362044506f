"""Siblings of many new records, which become siblings of each other one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter

from sqlalchemy import Connection

from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission
from singleout.repository.store.admitted.neighbours import AFTER, BEFORE, BESIDE, asked_for_siblings
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
        for record in records:
            sides = self._sides.setdefault(record.qid_key, {})
            for statement, given in asked_for_siblings(record):
                side = statement, given["equal"]
                if side not in sides:
                    sides[side] = statement.rows(connection, **given)
                    pending.tell(statement, sides[side], **given)

    def appended(self, index: int, submission: Submission, outcome: EntryOutcome) -> None:
        """Let a record that was appended be a sibling of those after it."""
        if outcome.changes:  # perhaps a sibling is no longer valid
            self._pending.forget(AFTER, BEFORE)
        if outcome.state != "valid":
            return
        record = submission.document
        equal = address_of(record.population).equal
        row = submission.text, equal, index
        for (statement, middle), rows in self._sides.get(record.qid_key, {}).items():
            if (statement is AFTER) == (equal >= middle):
                rows.append(row)
                rows.sort(key=_PLACE, reverse=statement is BEFORE)
                del rows[BESIDE:]
