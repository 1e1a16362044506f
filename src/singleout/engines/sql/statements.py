"""Statements for counts of counts, distinct counts and ranks, whose answers hold no values.

Each takes a *base*: a SELECT of the records to count with their columns under the names ``k0``,
``k1`` …, so that the names of the table, whatever they are, occur only in the base.

Many column sets share a pass over the data by GROUPING SETS where the database has them. There a
NULL of the data must not be taken for the NULL of a column that is not in the set: GROUPING tells
them apart, and numbers the sets. Elsewhere the sets are asked about one after the other in one
statement. Where few combinations are expected, they are counted once for all the columns of a
statement and rolled up from there.

The text for SQL Server, Snowflake, BigQuery, Trino and Databricks is checked as text only: that it
parses and asks the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from singleout.engines.sql.parts import (
    BASE,
    COUNT,
    GROUPED,
    added,
    all_there,
    ascending,
    column,
    counted,
    if_,
    is_null,
    named,
    records_of,
    with_base,
)

if TYPE_CHECKING:
    import sqlglot.expressions as sge

__all__ = [
    "SetsStatement",
    "completeness",
    "joint_sizes",
    "ranks",
    "row_count",
    "sizes",
]

# by the names of ibis
_GROUPING_SETS = frozenset(
    ("duckdb", "postgres", "mssql", "snowflake", "bigquery", "trino", "databricks", "pyspark")
)
_GROUPING_OF_MANY = frozenset(("duckdb", "postgres", "trino", "snowflake"))
_IN_ONE_NUMBER = 30  # GROUPING gives 32 bits with a sign in PostgreSQL
_ROLLED, _SETS = "singleout_rolled", "singleout_sets"


@dataclass(frozen=True)
class SetsStatement:
    """Several column sets to be counted by one statement."""

    base: sge.Select  # the records, with the columns of all the sets
    sets: tuple[tuple[str, ...], ...]  # by the names of the base
    backend: str  # by its name in ibis
    drop: bool = False  # leave out of each set the records that lack a value in it
    rolled: bool = False  # count the combinations of all columns first, and roll up

    @property
    def shared(self) -> bool:
        """Whether the sets are asked about by GROUPING SETS."""
        return len(self.sets) > 1 and self.backend in _GROUPING_SETS

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of all the sets."""
        return tuple(sorted({name for names in self.sets for name in names}))

    @property
    def numbers(self) -> list[tuple[int, ...]]:
        """How the statement numbers each set: one number, or several where columns are many."""
        if not self.shared:
            return [(index,) for index in range(len(self.sets))]
        return [
            tuple(
                int("".join("0" if name in names else "1" for name in part), 2)
                for part in self._parts
            )
            for names in map(set, self.sets)
        ]

    @property
    def _parts(self) -> list[tuple[str, ...]]:
        names = self.columns
        starts = range(0, len(names), _IN_ONE_NUMBER)
        return [names[start : start + _IN_ONE_NUMBER] for start in starts]

    def profiles(self) -> sge.Select:
        """Return the statement for: number of the set, size, how many combinations have it."""
        return self._statement(["n"])

    def distinct(self) -> sge.Select:
        """Return the statement for: number of the set, how many combinations it has."""
        return self._statement([])

    def _statement(self, others: list[str]) -> sge.Select:
        """Count rows by the number of the set and other columns."""
        import sqlglot as sg

        by = [column(name) for name in [*(f"g{i}" for i in range(len(self.numbers[0]))), *others]]
        grouped = self._by_grouping_sets() if self.shared else self._by_union()
        outer = sg.select(*by, counted("m")).from_(_SETS).group_by(*by)
        if self.shared and self.drop:
            outer = outer.where(column("d").eq(0))
        return self._with(outer.with_(_SETS, as_=grouped))

    def _with(self, statement: sge.Select) -> sge.Select:
        """Put the base and its combinations before a statement."""
        import sqlglot as sg

        parts: list[tuple[str, sge.Select, bool | None]] = []
        if self.rolled:
            names = [column(name) for name in self.columns]
            rolled = sg.select(*names, records_of(self.base)).from_(BASE).group_by(*names)
            parts = [(_ROLLED, rolled, True if self.backend == "sqlite" else None)]
        # or SQLite would copy the records once for each set
        several = not self.rolled and not self.shared and self.backend == "sqlite"
        return with_base(self.base, statement, parts, materialized=False if several else None)

    @property
    def _from(self) -> str:
        return _ROLLED if self.rolled else BASE

    def _size(self) -> sge.Expression:
        return added("n", "n") if self.rolled else records_of(self.base)

    def _by_grouping_sets(self) -> sge.Select:
        import sqlglot as sg
        import sqlglot.expressions as sge

        ids = [
            named(_grouping(part, self.backend), f"g{index}")
            for index, part in enumerate(self._parts)
        ]
        sets = [sge.Tuple(expressions=[column(name) for name in names]) for names in self.sets]
        grouped = sg.select(*ids, self._size()).from_(self._from)
        grouped.set("group", sge.Group(expressions=[sge.GroupingSets(expressions=sets)]))
        if self.drop:
            # a column of the set that is NULL in the data
            missing = [
                sge.and_(sge.Grouping(expressions=[column(name)]).eq(0), is_null(name))
                for name in self.columns
            ]
            # a column for the outer WHERE: Spark does not find the columns in a HAVING
            flag = if_(sge.or_(*missing), 1, sge.Literal.number(0))
            grouped = grouped.select(named(flag, "d"))
        return grouped

    def _by_union(self) -> sge.Select:
        import sqlglot as sg
        import sqlglot.expressions as sge

        parts = []
        for index, names in enumerate(self.sets):
            number = named(sge.Literal.number(index), "g0")
            part = sg.select(number, self._size()).from_(self._from)
            if self.drop:
                part = part.where(*all_there(names))
            parts.append(part.group_by(*[column(name) for name in names]))
        whole = parts[0]
        for part in parts[1:]:
            whole = sge.union(whole, part, distinct=False, copy=False)
        return whole


def row_count(base: sge.Select) -> sge.Select:
    """Return the statement for: how many records there are."""
    import sqlglot as sg

    return with_base(base, sg.select(_or_none(records_of(base))).from_(BASE))


def completeness(base: sge.Select, columns: Sequence[str]) -> sge.Select:
    """Return the statement for: records, those with a value in all columns, and in each."""
    import sqlglot as sg
    import sqlglot.expressions as sge

    each = column(COUNT) if COUNT in base.named_selects else sge.Literal.number(1)
    lacking = [sge.or_(*map(is_null, columns)), *map(is_null, columns)]
    there = [sge.Sum(this=if_(unknown, 0, each)) for unknown in lacking]
    counts = [
        _or_none(named(sge.cast(one, "BIGINT"), f"m{index}")) for index, one in enumerate(there)
    ]
    return with_base(base, sg.select(_or_none(records_of(base)), *counts).from_(BASE))


def _or_none(number: sge.Alias) -> sge.Alias:
    """Return a number that is 0 where there is no row to add up."""
    import sqlglot.expressions as sge

    zero = sge.Literal.number(0)
    return named(sge.Coalesce(this=number.this, expressions=[zero]), number.alias)


def sizes(base: sge.Select, columns: Sequence[str]) -> sge.Select:
    """Return the statement for: how many records each combination has, without its values."""
    import sqlglot as sg

    asked = sg.select(records_of(base)).from_(BASE).group_by(*map(column, columns))
    return with_base(base, asked)


def joint_sizes(base: sge.Select, columns: Sequence[str], sensitive: str) -> sge.Select:
    """Return the statement for: the number of each y, from 1, and the size of each pair."""
    import sqlglot as sg
    import sqlglot.expressions as sge

    keys = [column(name) for name in dict.fromkeys([*columns, sensitive])]
    pairs = sg.select(*keys, records_of(base)).from_(BASE).group_by(*keys)
    number = sge.Window(
        this=sge.DenseRank(), order=sge.Order(expressions=[ascending(name) for name in columns])
    )
    asked = sg.select(named(number, "y"), column("n")).from_(GROUPED)
    return with_base(base, asked, [(GROUPED, pairs, None)])


def ranks(base: sge.Select, columns: Sequence[str], *, weighted: bool = False) -> sge.Select:
    """Return the statement for: each combination as ranks from 1, missing as 0, and its size.

    The sum of its weights follows if the base has them.
    """
    import sqlglot as sg
    import sqlglot.expressions as sge

    keys = [column(name) for name in columns]
    weight = [named(sge.Sum(this=column("w")), "t")] if weighted else []
    grouped = sg.select(*keys, records_of(base), *weight).from_(BASE).group_by(*keys)
    ranked = []
    for index, name in enumerate(columns):
        rank = sge.Window(
            this=sge.DenseRank(),
            # without missing values, which would take the first rank in some databases
            partition_by=[if_(is_null(name), 0, sge.Literal.number(1))],
            order=sge.Order(expressions=[ascending(name)]),
        )
        ranked.append(named(if_(is_null(name), 0, rank), f"r{index}"))
    sums = [column("t")] if weighted else []
    asked = sg.select(*ranked, column("n"), *sums).from_(GROUPED)
    return with_base(base, asked, [(GROUPED, grouped, None)])


def _grouping(columns: Sequence[str], backend: str) -> sge.Expression:
    """Return a number with a bit for each column that is not in the set, the first the highest."""
    import sqlglot.expressions as sge

    if backend in _GROUPING_OF_MANY:
        return sge.Grouping(expressions=[column(name) for name in columns])
    total: sge.Expression | None = None
    for index, name in enumerate(reversed(columns)):
        bit: sge.Expression = sge.Grouping(expressions=[column(name)])
        if index:
            bit = sge.Mul(this=bit, expression=sge.Literal.number(1 << index))
        total = bit if total is None else sge.Add(this=total, expression=bit)
    assert total is not None
    return total
