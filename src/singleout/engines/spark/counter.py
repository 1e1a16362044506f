"""A table on a Spark cluster, counted there: see `singleout.engines.counter` for what it is asked.

Counts of counts are the statements of the database engine, run by Spark. What Spark does better in
other ways is here: distinct counts of many sets, joint counts, the encoded table, and tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import combinations
from math import comb
from operator import and_
from typing import Any
from uuid import uuid4

import numpy as np
import polars as pl
from polars import selectors

from singleout.core.counts import Counts
from singleout.core.memory import in_words, require_memory
from singleout.core.progress import working_on
from singleout.core.table import Table
from singleout.engines.base import CounterBase
from singleout.engines.checkpoint import Checkpoint
from singleout.engines.counter import AnswerT, DistinctCounts, JointCounts, TaskT
from singleout.engines.spark.distinct import EncodedTable, count_block, in_order, tasks_of
from singleout.engines.spark.encode import encoded
from singleout.engines.spark.frame import SparkTable
from singleout.engines.spark.session import ends_in_a_sentence, stopped_by_ctrl_c
from singleout.engines.spark.sketch import error_of, registers, sketched_counts
from singleout.engines.spark.tasks import run_tasks
from singleout.engines.sql.columns import Columns
from singleout.engines.sql.counter import DatabaseCounter
from singleout.engines.sql.session import Session
from singleout.errors import BadChoice, UnreachableData

__all__ = ["SparkCounter"]

_SETS_AT_ONCE = 16  # in a statement: Spark repeats every record for each of them
_MOST_BYTES = 4  # of a code
_WIDEST = {"boolean": 1, "tinyint": 2, "smallint": 4}  # bytes of a code, missing included


class SparkCounter(DatabaseCounter):
    """A `Counter` that asks Spark, with the options of `Spark`."""

    spreads_tasks = True
    ranked_counts = CounterBase.ranked_counts

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
        super().__init__(
            statements, columns, sets_at_once=_SETS_AT_ONCE, notes=tuple(dict.fromkeys(table.notes))
        )
        self._spark_table = table
        self._checkpoint = checkpoint
        self._approximate = approximate
        self._largest_broadcast = largest_broadcast

    def __reduce__(self) -> Any:
        raise TypeError("a counter holds a Spark session; it cannot be pickled")

    def _note(self, sentence: str) -> None:
        """Note how something was counted, once."""
        self.notes = tuple(dict.fromkeys([*self.notes, sentence]))

    def counted_by(self, column: str, columns: Sequence[str] | None = None) -> DatabaseCounter:
        """Return a counter of a table of counts, whose combinations are counted exactly."""
        if self._approximate is not None:
            raise BadChoice(
                f"Counts cannot be approximate in a table of counts, as {column!r} makes this one: "
                "its combinations are counted exactly; leave --approximate out (in Python "
                "approximate)."
            )
        return super().counted_by(column, columns)

    # ---- distinct counts

    def distinct_counts(
        self, columns: Sequence[str], size: int, *, drop: bool = False
    ) -> DistinctCounts:
        """Return how many distinct combinations each set of ``size`` columns has."""
        inside = self._spark_table.inside(columns)
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
            needed = coded.bytes
            table = coded.table(columns, self.source) if needed <= limit else None
        if table is not None:
            needed = sum(column.codes.nbytes for column in table)
            if needed <= limit:
                return self._by_tasks(EncodedTable.of(table), size)
        return self._by_statements(columns, size, needed, drop=drop)

    def _by_statements(
        self, columns: Sequence[str], size: int, expected: int, *, drop: bool
    ) -> DistinctCounts:
        self._note(
            "The combinations were counted by Spark SQL: encoded, the columns would take about "
            f"{in_words(expected)}, more than the {in_words(self._largest_broadcast)} that may be "
            "sent to every worker."
        )
        return super().distinct_counts(columns, size, drop=drop)

    def _by_sketches(
        self, inside: list[str], size: int, records: int, *, drop: bool
    ) -> DistinctCounts:
        power = registers(self._approximate or 0)
        error = error_of(power)
        counts = sketched_counts(
            self._frame(inside, drop=drop), list(combinations(inside, size)), power
        )
        self._note(
            "The combinations were counted by sketches, with a relative standard error of "
            f"{100 * error:.2g} %."
        )
        return DistinctCounts(np.clip(counts, 1, records), error)

    def _by_tasks(self, table: EncodedTable, size: int) -> DistinctCounts:
        if size == 1:
            levels = np.empty(len(table.levels), dtype=np.int64)
            levels[list(table.order)] = table.levels
            return DistinctCounts(levels)
        tasks = tasks_of(table, size)
        answers = dict(
            self.run(count_block, table, tasks, name=f"qar {size}", what="Counting combinations")
        )
        self._note(
            f"The combinations were counted by tasks on Spark ({len(tasks):,}), each over the "
            "encoded columns."
        )
        blocks = [answers[number] for number, _ in tasks]
        return DistinctCounts(in_order(table, size, blocks))

    def _require_memory(self, width: int, records: int) -> None:
        """Refuse before encoding what is too much even with codes of one byte."""
        require_memory(3 * width * records, f"Fetching {width} columns of the {self.source}")

    def _most_bytes(self, columns: Sequence[str], records: int) -> int:
        """Return an upper bound on the bytes of the codes of some columns."""
        kinds = [self._spark_table.kinds[self._spark_table.names.index(name)] for name in columns]
        return records * sum(_WIDEST.get(kind, _MOST_BYTES) for kind in kinds)

    def _frame(self, inside: Sequence[str], *, drop: bool) -> Any:
        """Return some columns, without the records that lack a value if they are dropped."""
        from pyspark.sql import functions

        frame = self._spark_table.frame.select(*inside)
        if not drop:
            return frame
        present = (functions.col(name).isNotNull() for name in inside)
        return frame.filter(reduce(and_, present))

    # ---- counts

    def joint_counts(
        self, columns: Sequence[str], sensitive: str, *, drop: bool = False
    ) -> JointCounts:
        """Return the counts of the combinations of the columns, alone and with a sensitive one.

        The sizes of the pairs of each y arrive as a list, so no numbering or order is needed.
        """
        from pyspark.sql import functions

        working_on("Counting combinations")
        known, (target,) = self._spark_table.inside(columns), self._spark_table.inside([sensitive])
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

    def counts(self, columns: Sequence[str], weight: str | None = None) -> Counts:
        """Return the distinct combinations with their values, and the sums of their weights."""
        if weight is not None:
            return super().counts(columns, weight)
        from pyspark.sql import functions

        inside = self._spark_table.inside(columns)
        grouped = self._frame(inside, drop=False).groupBy(*inside)
        counted = grouped.agg(functions.count("*").alias("n"))
        most = _MOST_BYTES * self.rows * (len(inside) + 1)
        extra = "n" * (1 + max(map(len, columns)))  # a name that no column has
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

    # ---- the table itself, and work on it

    def fetch(self, columns: Sequence[str] | None = None) -> Table:
        """Return the encoded table, with these columns or all, in this process's memory."""
        names = self.columns if columns is None else tuple(columns)
        inside = self._spark_table.inside(names)
        self._require_memory(len(names), self.rows)
        most = self._most_bytes(names, self.rows)
        with encoded(self._spark_table.frame, inside, self.source, most) as coded:
            return coded.table(names, self.source)

    def run(
        self,
        work: Callable[[Any, TaskT], AnswerT],
        shared: Any,
        tasks: Sequence[TaskT],
        *,
        name: str,
        what: str,
    ) -> Iterator[AnswerT]:
        """Yield ``work(shared, task)`` for each task, as tasks of Spark."""
        return run_tasks(
            self._spark_table.session,
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
    """Return the rows of a Spark frame, with timestamps in UTC whatever the session's time zone."""
    with stopped_by_ctrl_c(frame.sparkSession):
        rows = pl.from_arrow(frame.toArrow())
    assert isinstance(rows, pl.DataFrame)
    return rows.with_columns(selectors.datetime(time_zone="*").dt.convert_time_zone("UTC"))
