"""Who is at risk, and why: records by their scores, and the minimal uniques of single records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arguments import whole
from singleout.core.arrays import F64, I64
from singleout.core.choices import Role
from singleout.core.frame_kinds import framed
from singleout.core.table import Column
from singleout.errors import BadChoice
from singleout.kernels.uniques.exact import ExactCounts, exact_counts
from singleout.kernels.uniques.search import minimal_uniques_of
from singleout.methods.suda.exact import ExactUniques
from singleout.methods.suda.measure import weights
from singleout.methods.suda.missing import MissingCells, never_codes
from singleout.methods.suda.one_record import RecordUniques
from singleout.methods.suda.reasons import reason, reasons_in_words
from singleout.methods.suda.status import Statuses, kinds
from singleout.report.say import say

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Ranked"]

_LISTED = 10_000  # minimal uniques of one record that are listed


class Ranked(Statuses):
    """Records by their scores, with reasons in words, and one by one."""

    def _measures(self, indexes: I64 | slice) -> pl.DataFrame:
        """Return what there is to say about records."""
        raise NotImplementedError

    def risky(self, n: int = 10, reasons: int = 3) -> pl.DataFrame:
        """Return the records with the highest scores, and what singles them out, in words.

        Records that no MSU was found for are not among them. The words hold values of the record.

        Parameters
        ----------
        n
            How many records.
        reasons
            How many MSUs to put into words for each, the smallest first.
        """
        n, reasons = whole(n, "n", at_least=0, of="records"), whole(reasons, "reasons")
        from singleout.core.frames import pl

        indexes = self._order[:n]
        words = [self._because(index, reasons) for index in indexes.tolist()]
        return self._measures(indexes).with_columns(pl.Series("because", words, dtype=pl.String))

    @cached_property
    def _order(self) -> I64:
        """Indexes of records with an MSU, highest score first; ties by MSUs, then as in data."""
        uniques = self.counts_by_size.sum(axis=1)
        some = np.flatnonzero(uniques)
        return some[np.lexsort((-uniques[some], -self.score[some]))]

    @cached_property
    def _known_sets(self) -> dict[int, list[tuple[int, ...]]]:
        """The MSUs of the records that were asked about, for they can take long to find."""
        return {}

    def _sets_of(self, index: int) -> list[tuple[int, ...]]:
        """Return the MSUs of a record, small ones first."""
        sets = self._known_sets.get(index)
        if sets is None:
            sets = self._known_sets[index] = minimal_uniques_of(
                [column.codes for column in self.table],
                index,
                self.max_size,
                never=never_codes(self.table) if self.missing == MissingCells.NEVER else None,
            )
        return sets

    def _because(self, index: int, limit: int) -> str:
        columns, sets = list(self.table), self._sets_of(index)
        shown = [reason([columns[c] for c in members], index) for members in sets[:limit]]
        return reasons_in_words(shown, len(sets) - len(shown))

    # ---- the minimal uniques themselves

    def listed_uniques(self, at_once: int = 100_000) -> Iterator[pl.DataFrame]:
        """Yield all MSUs as frames: record, size, columns and their values, some at a time.

        Only if they were asked for with ``list_uniques``. The first frame is there even if there
        are none.

        Parameters
        ----------
        at_once
            About how many rows a frame has.
        """
        from singleout.core.frames import pl

        kinds = {"record": pl.Int64, "size": pl.Int64, "columns": pl.String, "values": pl.String}
        rows: list[tuple[Any, ...]] = []
        empty = True
        where = {number: index for index, number in enumerate(self.record.tolist())}
        for number, names in self.uniques:
            values = [_value(self.table[name], where[number]) for name in names]
            rows.append((number, len(names), " x ".join(names), " x ".join(values)))
            if len(rows) == at_once:
                yield pl.DataFrame(rows, schema=kinds, orient="row")
                rows, empty = [], False
        if rows or empty:
            yield pl.DataFrame(rows, schema=kinds, orient="row")

    # ---- one record

    @framed
    def of_record(self, number: int) -> RecordUniques:
        """Return which columns the MSUs of a record hold, by size: Table A.3 of the paper.

        Parameters
        ----------
        number
            The number of the record in the data, from 1.
        """
        index = self._index_of(number)
        counts = self.found.by_variable[:, index, :].astype(np.int64)
        few = int(self.counts_by_size[index].sum()) <= _LISTED
        sets = self._sets_of(index) if few else None
        names = self.table.columns
        return RecordUniques(
            number,
            names,
            tuple(_value(column, index) for column in self.table),
            counts,
            self.weights,
            self.max_size,
            str(self.kind[index]),
            uniques=None if sets is None else [tuple(names[c] for c in each) for each in sets],
        )

    @framed
    def exact(
        self, records: Sequence[int] | None = None, seconds: float | None = None
    ) -> ExactUniques:
        """Find all MSUs of some records, of every size, however many columns there are.

        Depth first, record by record: the memory does not grow with the number of sets, so that
        more than 28 columns can be searched, which is too much for all records together.

        Parameters
        ----------
        records
            The numbers of the records, from 1; if not given, all unique ones, highest score first.
        seconds
            When to stop; records that are not finished then are not complete. None for no limit.
        """
        if records is None:
            scored = set(self._order.tolist())
            rest = [k for k in np.flatnonzero(self.is_unique).tolist() if k not in scored]
            indexes = [*self._order.tolist(), *rest]
        else:
            indexes = [self._index_of(number) for number in records]
        if seconds is not None and (not isinstance(seconds, int | float) or seconds <= 0):
            raise BadChoice(
                f"seconds must be a number above 0, or None for no limit, not {seconds!r}."
            )
        width = len(self.columns)
        never = never_codes(self.table) if self.missing == MissingCells.NEVER else None
        found = exact_counts(
            [column.codes for column in self.table],
            indexes,
            width,
            never=never,
            seconds=seconds,
            what=say("progress.suda_exact"),
        )
        every = weights(width, width, self.scoring)
        return ExactUniques(
            [self._exactly(index, one, every) for index, one in zip(indexes, found, strict=True)],
            seconds,
        )

    def _exactly(self, index: int, found: ExactCounts, every: F64) -> RecordUniques:
        width = len(self.columns)
        held = found.counts.any(axis=1)
        smallest = np.array([int(held.argmax()) + 1 if held.any() else 0])
        reached = np.array([width if found.complete else self.max_size])
        kind = kinds(self.is_unique[[index]], smallest, reached, width)[0]
        return RecordUniques(
            int(self.record[index]),
            self.table.columns,
            tuple(_value(column, index) for column in self.table),
            found.counts,
            every,
            width,
            str(kind),
            complete=found.complete,
        )

    def _index_of(self, number: int) -> int:
        """Return the index of a record by its number; refuse one that was not compared."""
        number = whole(number, "record", of="the records")
        index = int(np.searchsorted(self.record, number))
        if index == len(self.record) or self.record[index] != number:
            raise BadChoice(
                f"There is no record {number:,}, or it was left out; records have the numbers "
                f"{int(self.record[0]):,} to {int(self.record[-1]):,}."
            )
        return index


def _value(column: Column, index: int) -> str:
    """Return the value of a record in words, but never one of a direct identifier."""
    if column.role == Role.DIRECT_IDENTIFIER:
        return ""
    return column.label(column.value(int(column.codes[index])))
