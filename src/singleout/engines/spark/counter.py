"""A table on a Spark cluster, counted there: see `singleout.engines.counter` for what it is asked.

Counts of counts are the statements of the database engine, run by Spark. What Spark does better in
other ways is here: distinct counts of many sets, joint counts, the encoded table, and tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import combinations
from math import comb
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np
import polars as pl

from singleout.core.counts import Counts
from singleout.core.memory import in_words, require_memory
from singleout.core.progress import working_on
from singleout.core.table import Table
from singleout.engines.counter import DistinctCounts, JointCounts
from singleout.engines.spark.checkpoint import Checkpoint
from singleout.engines.spark.distinct import EncodedTable, count_block, in_order, tasks_of
from singleout.engines.spark.encode import encoded
from singleout.engines.spark.frame import SparkTable
from singleout.engines.spark.session import ends_in_a_sentence, stopped_by_ctrl_c
from singleout.engines.spark.sketch import error_of, registers, sketched_counts
from singleout.engines.spark.tasks import run_tasks
from singleout.engines.sql.columns import Columns
from singleout.engines.sql.counter import DatabaseCounter
from singleout.engines.sql.session import Session
from singleout.errors import UnreachableData

__all__ = ["SparkCounter"]

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")

_SETS_AT_ONCE = 16  # in a statement: Spark repeats every record for each of them
_MOST_BYTES = 4  # of a code
_WIDEST = {"boolean": 1, "tinyint": 2, "smallint": 4}  # bytes of a code, missing included


class SparkCounter(DatabaseCounter):
    """A `Counter` that asks Spark.

    Parameters
    ----------
    table
        The frame, made ready for counting.
    checkpoint
        Where finished tasks are kept; None for nowhere.
    approximate
        The relative error that distinct counts may have; None for exact ones.
    largest_broadcast
        How many bytes of codes may be sent to every worker.
    """

    spreads_tasks = True  # `run` has other workers than the threads of this machine

    def __init__(
        self,
        table: SparkTable,
        *,
        checkpoint: Checkpoint | None = None,
        approximate: float | None = None,
        largest_broadcast: int,
    ) -> None:
        view = f"singleout_{uuid4().hex}"
        statements = _Statements(table, view)
        columns = Columns(table.ibis(view), statements.backend, table.names)
        super().__init__(statements, columns, sets_at_once=_SETS_AT_ONCE)
        self._table = table
        self._checkpoint = checkpoint
        self._approximate = approximate
        self._largest_broadcast = largest_broadcast
        self._said: dict[str, None] = dict.fromkeys(table.notes)

    def __repr__(self) -> str:
        return f"SparkCounter({self.source})"

    def __reduce__(self) -> Any:
        raise TypeError("a counter holds a Spark session; it cannot be pickled")

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, how things were counted among it."""
        return (*self._notes, *self._said)

    # ---- distinct counts

    def distinct_counts(
        self, columns: Sequence[str], size: int, *, drop: bool = False
    ) -> DistinctCounts:
        """Return how many distinct combinations each set of ``size`` columns has."""
        inside = self._table.inside(columns)
        records = self.complete(columns) if drop else self.rows
        if records == 0:
            return DistinctCounts(np.zeros(comb(len(inside), size), dtype=np.int64))
        if self._approximate is not None:
            return self._by_sketches(inside, size, records, drop=drop)
        limit = self._largest_broadcast
        least, most = records * len(inside), self._most_bytes(columns, records)
        if least > limit:
            return self._by_statements(columns, size, least, drop=drop)
        self._require_memory(len(columns), records)
        with encoded(self._frame(inside, drop=drop), inside, self.source, most, limit) as coded:
            found = coded.bytes
            table = coded.table(columns, self.source) if found <= limit else None
        if table is not None:
            found = sum(column.codes.nbytes for column in table)
            if found <= limit:
                return self._by_tasks(EncodedTable.of(table), size)
        return self._by_statements(columns, size, found, drop=drop)

    def _by_statements(
        self, columns: Sequence[str], size: int, expected: int, *, drop: bool
    ) -> DistinctCounts:
        self._said[
            "The combinations were counted by Spark SQL: encoded, the columns would take about "
            f"{in_words(expected)}, more than the {in_words(self._largest_broadcast)} that may be "
            "sent to every worker."
        ] = None
        return super().distinct_counts(columns, size, drop=drop)

    def _by_sketches(
        self, inside: list[str], size: int, records: int, *, drop: bool
    ) -> DistinctCounts:
        power = registers(self._approximate or 0)
        error = error_of(power)
        found = sketched_counts(
            self._frame(inside, drop=drop), list(combinations(inside, size)), power
        )
        self._said[
            "The combinations were counted by sketches, with a relative standard error of "
            f"{100 * error:.2g} %."
        ] = None
        return DistinctCounts(np.clip(found, 1, records), error)

    def _by_tasks(self, table: EncodedTable, size: int) -> DistinctCounts:
        if size == 1:
            levels = np.empty(len(table.levels), dtype=np.int64)
            levels[list(table.order)] = table.levels
            return DistinctCounts(levels)
        tasks = tasks_of(table, size)
        found = dict(
            self.run(count_block, table, tasks, name=f"qar {size}", what="Counting combinations")
        )
        self._said[
            f"The combinations were counted by tasks on Spark ({len(tasks):,}), each over the "
            "encoded columns."
        ] = None
        blocks = [found[number] for number, _ in tasks]
        return DistinctCounts(in_order(table, size, blocks))

    def _require_memory(self, width: int, records: int) -> None:
        """Say so if codes of one byte are too many already, before anything is encoded."""
        require_memory(3 * width * records, f"Fetching {width} columns of the {self.source}")

    def _most_bytes(self, columns: Sequence[str], records: int) -> int:
        """Return how many bytes the codes of some columns can take."""
        kinds = [self._table.kinds[self._table.names.index(name)] for name in columns]
        return records * sum(_WIDEST.get(kind, _MOST_BYTES) for kind in kinds)

    def _frame(self, inside: Sequence[str], *, drop: bool) -> Any:
        """Return some columns, without the records that lack a value if they are dropped."""
        from pyspark.sql import functions

        frame = self._table.frame.select(*inside)
        if not drop:
            return frame
        there = (functions.col(name).isNotNull() for name in inside)
        return frame.filter(reduce(lambda some, more: some & more, there))

    # ---- counts

    def joint_counts(
        self, columns: Sequence[str], sensitive: str, *, drop: bool = False
    ) -> JointCounts:
        """Return the counts of the combinations of the columns, alone and with a sensitive one.

        The pairs of each y come as a list of sizes, so that nothing need be numbered or ordered.
        """
        from pyspark.sql import functions

        working_on("Counting combinations")
        known, (target,) = self._table.inside(columns), self._table.inside([sensitive])
        both = list(dict.fromkeys([*known, target]))
        frame = self._frame(both, drop=drop)
        pairs = frame.groupBy(*both).agg(functions.count("*").alias("n"))
        lists = pairs.groupBy(*known).agg(functions.collect_list("n").alias("n")).select("n")
        sizes = frame.groupBy(target).agg(functions.count("*").alias("n")).select("n")
        of_each = _received(lists)["n"]
        if not len(of_each):
            none = np.empty(0, dtype=np.int64)
            return JointCounts(none, none, none, none)
        joint = of_each.explode().cast(pl.Int64).to_numpy()
        parents = np.repeat(np.arange(len(of_each)), of_each.list.len().to_numpy())
        # sums of whole numbers below 2**53 are exact
        totals = np.bincount(parents, joint).astype(np.int64)
        return JointCounts(totals, joint, parents, _received(sizes)["n"].cast(pl.Int64).to_numpy())

    def counts(self, columns: Sequence[str]) -> Counts:
        """Return the distinct combinations with their values."""
        from pyspark.sql import functions

        inside = self._table.inside(columns)
        grouped = self._frame(inside, drop=False).groupBy(*inside)
        counted = grouped.agg(functions.count("*").alias("n"))
        most = _MOST_BYTES * self.rows * (len(inside) + 1)
        # a name that no column has
        extra = "n" * (1 + max(map(len, columns)))
        with encoded(counted, [*inside, "n"], self.source, most) as coded:
            table = coded.table([*columns, extra], self.source)
        sizes = np.asarray(table[extra].values, dtype=np.int64)[table[extra].codes]
        chosen = [table[name] for name in columns]
        return Counts(
            tuple(columns),
            tuple(column.values for column in chosen),
            tuple(column.codes for column in chosen),
            sizes,
        )

    def ranked_counts(self, columns: Sequence[str]) -> Counts:
        """Return the distinct combinations with each value replaced by its rank."""
        found = self.counts(columns)
        ranks = tuple(range(len(values)) for values in found.values)
        return Counts(found.columns, ranks, found.codes, found.sizes)

    # ---- the table itself, and work on it

    def fetch(self, columns: Sequence[str] | None = None) -> Table:
        """Return the encoded table, with these columns or all, in this process's memory."""
        names = self.columns if columns is None else tuple(columns)
        inside = self._table.inside(names)
        self._require_memory(len(names), self.rows)
        most = self._most_bytes(names, self.rows)
        with encoded(self._table.frame, inside, self.source, most) as coded:
            return coded.table(names, self.source)

    def run(
        self,
        work: Callable[[Any, _Task], _Answer],
        shared: Any,
        tasks: Sequence[_Task],
        *,
        name: str,
        what: str,
    ) -> Iterator[_Answer]:
        """Yield ``work(shared, task)`` for each task, as tasks of Spark."""
        return run_tasks(
            self._table.session,
            work,
            shared,
            tasks,
            name=name,
            what=what,
            checkpoint=self._checkpoint,
        )


class _Statements(Session):
    """Statements for a Spark session, over a view of the frame that only this counter knows."""

    def __init__(self, table: SparkTable, view: str) -> None:
        from ibis.backends.pyspark import Backend

        # it compiles, and is not connected: connecting would change settings of the session
        super().__init__(Backend(), table.source)
        self._spark, self._view = table.session, view
        with ends_in_a_sentence():
            table.frame.createOrReplaceTempView(view)

    def frame(self, statement: Any) -> pl.DataFrame:
        """Return an answer, with its values as Spark typed them."""
        return self.receive(statement.sql(dialect=self.backend.dialect))

    def receive(self, text: str) -> pl.DataFrame:
        """Send a statement and return what comes back."""
        if self._closed:
            raise UnreachableData("The counter is closed; count anew.")
        with ends_in_a_sentence():
            return _received(self._spark.sql(text))

    def close(self) -> None:
        """Drop the view; a second time does nothing. The session is the user's."""
        if not self._closed:
            self._closed = True
            with ends_in_a_sentence():
                self._spark.catalog.dropTempView(self._view)


def _received(frame: Any) -> pl.DataFrame:
    """Return the rows of a Spark frame; moments are instants, whatever the session's clock says."""
    with stopped_by_ctrl_c(frame.sparkSession):
        arrow = frame.toArrow()
    found = pl.from_arrow(arrow)
    assert isinstance(found, pl.DataFrame)
    zoned = [
        name
        for name, kind in found.schema.items()
        if isinstance(kind, pl.Datetime) and kind.time_zone
    ]
    return found.with_columns(pl.col(zoned).dt.convert_time_zone("UTC")) if zoned else found
