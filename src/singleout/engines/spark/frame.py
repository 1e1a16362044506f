"""A Spark frame prepared for counting: columns named by index, and equal values that are equal.

Columns are named ``c0``, ``c1`` … inside: Spark takes ``a`` and ``A`` for one name and interprets
dots and backticks in names, so the names of the source never reach it. NaN becomes NULL and minus
zero becomes zero, as in memory; text is compared byte by byte, whatever its collation.
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

_UNCHANGED = {
    "boolean", "tinyint", "smallint", "int", "bigint", "date", "timestamp", "timestamp_ntz",
    "binary",
}  # fmt: skip


@dataclass(frozen=True)
class SparkTable:
    """A frame whose columns are named by their index."""

    session: Any
    frame: Any  # with the columns ``c0``, ``c1`` …
    names: tuple[str, ...]  # of the columns in the source
    kinds: tuple[str, ...]  # the Spark types of the columns in the source
    source: str
    notes: tuple[str, ...] = ()

    def inside(self, names: Sequence[str]) -> list[str]:
        """Return the inside names of columns, which must exist and hold plain values."""
        wanted = [names] if isinstance(names, str) else list(names)
        absent = [name for name in wanted if name not in self.names]
        if absent:
            raise UnknownColumns(absent, self.names)
        if len(set(wanted)) < len(wanted):
            repeated = next(name for name in wanted if wanted.count(name) > 1)
            raise BadChoice(f"Column {repeated!r} is named more than once; name each column once.")
        indexes = [self.names.index(name) for name in wanted]
        for name, index in zip(wanted, indexes, strict=True):
            if not _is_plain(self.kinds[index]):
                raise UnusableColumn(
                    f"Column {name!r} holds lists or records ({self.kinds[index]}); "
                    "singleout needs one plain value in each cell."
                )
        return [f"c{index}" for index in indexes]

    def ibis(self, view: str) -> Any:
        """Return an ibis table with the name of a view; nothing is connected or run."""
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
    """The ibis columns of a table by their names in the source."""

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
        files = read_files(session, data)
        frame, names, source, notes = files.frame, files.names, files.source, files.notes
        as_text = is_text(os.fsdecode(data))
    else:
        raise BadChoice(
            f"Spark cannot count a {type(data).__name__}; give a Spark frame, or the path of "
            "Parquet files or delimited text that the cluster can read."
        )
    with ends_in_a_sentence():
        kinds = tuple(field.dataType.simpleString() for field in frame.schema.fields)
        renamed = frame.toDF(*(f"c{index}" for index in range(len(names))))
        comparable = [
            _comparable(functions.col(f"c{index}"), kind, as_text=as_text).alias(f"c{index}")
            for index, kind in enumerate(kinds)
        ]
        table = SparkTable(session, renamed.select(*comparable), names, kinds, source, notes)
        return table if condition is None else table.where(condition)


def _is_plain(kind: str) -> bool:
    nested = ("array", "map", "struct", "variant", "udt", "geo")
    return not kind.startswith(nested) and kind != "object"


def _comparable(column: Any, kind: str, *, as_text: bool) -> Any:
    """Return a column in which equal values are equal to Spark, and missing is NULL."""
    from pyspark.sql import functions

    if as_text:
        return functions.nullif(column, functions.lit(""))
    if kind in ("double", "float"):
        # adding zero turns minus zero into zero
        number = functions.when(~functions.isnan(column), column + functions.lit(0.0))
        return number.cast(kind)
    if kind in _UNCHANGED or kind.startswith("decimal") or not _is_plain(kind):
        return column
    return column.cast("string")  # also text with a collation, and intervals
