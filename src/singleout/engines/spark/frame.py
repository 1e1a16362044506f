"""A Spark frame made ready for counting: columns by place, and equal values that are equal.

Columns are called ``c0``, ``c1`` … inside: Spark takes ``a`` and ``A`` for one name and reads dots
and backticks in names, so theirs never reach it. NaN becomes NULL and minus zero becomes zero, as
in memory; text is compared byte by byte, whatever its collation.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from singleout.engines.spark.files import is_text, read_files
from singleout.engines.spark.session import ends_in_a_sentence, is_frame
from singleout.errors import BadChoice, UnknownColumns, UnusableColumn
from singleout.io.names import all_different

if TYPE_CHECKING:
    from singleout.where.condition import Condition

__all__ = ["SparkTable", "open_table"]

_AS_IT_IS = {
    "boolean", "tinyint", "smallint", "int", "bigint", "date", "timestamp", "timestamp_ntz",
    "binary",
}  # fmt: skip


@dataclass(frozen=True)
class SparkTable:
    """A frame whose columns are called by their place.

    Parameters
    ----------
    session
        The session it belongs to.
    frame
        The columns ``c0``, ``c1`` …
    names
        What the columns are called in the source.
    kinds
        The Spark type of each column in the source.
    source
        Where the data is, in words for people.
    notes
        What a reader should know about how it was read.
    """

    session: Any
    frame: Any
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    source: str
    notes: tuple[str, ...] = ()

    def inside(self, names: Sequence[str]) -> list[str]:
        """Return what columns are called inside, if the table has them and they can be counted."""
        wanted = [names] if isinstance(names, str) else list(names)
        absent = [name for name in wanted if name not in self.names]
        if absent:
            raise UnknownColumns(absent, self.names)
        if len(set(wanted)) < len(wanted):
            repeated = next(name for name in wanted if wanted.count(name) > 1)
            raise BadChoice(f"Column {repeated!r} is named more than once; name each column once.")
        for name in wanted:
            self._require_plain(name)
        return [f"c{self.names.index(name)}" for name in wanted]

    def _require_plain(self, name: str) -> None:
        kind = self.kinds[self.names.index(name)]
        if not _is_plain(kind):
            raise UnusableColumn(
                f"Column {name!r} holds lists or records ({kind}); "
                "singleout needs one plain value in each cell."
            )

    def ibis(self, view: str) -> Any:
        """Return the table to ibis, under the name of a view; nothing is connected or run."""
        import ibis
        from ibis.backends.pyspark.datatypes import PySparkType

        _ = ibis.pyspark  # loads what compiles for Spark
        with ends_in_a_sentence():
            fields = self.frame.schema.fields
        # ibis does not know every kind of list and record, and none of them can be counted
        kinds = {
            field.name: PySparkType.to_ibis(field.dataType) if _is_plain(kind) else "array<int8>"
            for field, kind in zip(fields, self.kinds, strict=True)
        }
        return ibis.table(kinds, name=view)

    def where(self, condition: Condition) -> SparkTable:
        """Return the table with the records that meet a condition."""
        import ibis
        import sqlglot

        from singleout.where.sql.expression import as_ibis

        self.inside(condition.columns)
        table = self.ibis("t")
        met = as_ibis(condition, _Named(self, table), backend="pyspark")
        statement = sqlglot.parse_one(
            ibis.to_sql(table.filter(met), dialect="pyspark"), read="spark"
        )
        (of,) = statement.find_all(sqlglot.exp.Table)
        test = statement.args["where"].this.sql(dialect="spark")
        return replace(self, frame=self.frame.alias(of.alias).filter(test))


@dataclass(frozen=True)
class _Named:
    """The columns of a table as ibis has them, by their names in the source."""

    table: SparkTable
    inside: Any

    @property
    def columns(self) -> tuple[str, ...]:
        return self.table.names

    def __getitem__(self, name: str) -> Any:
        return self.inside[self.table.inside([name])[0]]


def open_table(session: Any, data: Any, condition: Condition | None = None) -> SparkTable:
    """Return a frame, or the frame over files, ready for counting."""
    from pyspark.sql import functions

    notes: tuple[str, ...] = ()
    if is_frame(data):
        if data.isStreaming:
            raise BadChoice("A streaming frame has no end and cannot be counted; give a table.")
        with ends_in_a_sentence():
            frame, names = data, all_different(data.columns, "Spark frame")
        source, as_text = "Spark frame", False
    elif isinstance(data, str | os.PathLike):
        found = read_files(session, data)
        frame, names, source, notes = found.frame, found.names, found.source, found.notes
        as_text = is_text(os.fsdecode(data))
    else:
        raise BadChoice(
            f"Spark cannot count a {type(data).__name__}; give a Spark frame, or the path of "
            "Parquet files or delimited text that the cluster can read."
        )
    with ends_in_a_sentence():
        kinds = tuple(field.dataType.simpleString() for field in frame.schema.fields)
        placed = frame.toDF(*(f"c{place}" for place in range(len(names))))
        ready = [
            _comparable(functions.col(f"c{place}"), kind, as_text=as_text).alias(f"c{place}")
            for place, kind in enumerate(kinds)
        ]
        table = SparkTable(session, placed.select(*ready), names, kinds, source, notes)
        return table if condition is None else table.where(condition)


def _is_plain(kind: str) -> bool:
    return not kind.startswith(("array", "map", "struct", "variant", "udt", "geo")) and (
        kind != "object"
    )


def _comparable(column: Any, kind: str, *, as_text: bool) -> Any:
    """Return a column in which equal values are equal to Spark, and missing is NULL."""
    from pyspark.sql import functions

    if as_text:
        return functions.nullif(column, functions.lit(""))
    if kind in ("double", "float"):
        # adding zero turns minus zero into zero
        there = functions.when(~functions.isnan(column), column + functions.lit(0.0))
        return there.cast(kind)
    if kind in _AS_IT_IS or kind.startswith("decimal") or not _is_plain(kind):
        return column
    return column.cast("string")  # also text with a collation, and intervals
