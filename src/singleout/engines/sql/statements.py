"""The questions as SQL: counts of counts, distinct counts, ranks. No statement here gives values.

Each takes a *base*: a SELECT that gives the records to count with their columns under plain names
(``k0``, ``k1`` …), so that the names of the table, whatever they are, occur in the base only.

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
    GROUPED,
    all_there,
    ascending,
    column,
    counted,
    is_null,
    named,
    with_base,
)

if TYPE_CHECKING:
    import sqlglot.expressions as sge

__all__ = [
    "SetQuestion",
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
class SetQuestion:
    """Several column sets to be counted by one statement.

    Parameters
    ----------
    base
        The records, with the columns of all the sets.
    sets
        The columns of each set, by the names of the base.
    backend
        The database, by its name in ibis.
    drop
        Leave out of each set the records that lack a value in it.
    rolled
        Count the combinations of all columns first, and go on from there.
    """

    base: sge.Select
    sets: tuple[tuple[str, ...], ...]
    backend: str
    drop: bool = False
    rolled: bool = False

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
            return [(place,) for place in range(len(self.sets))]
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
        return [names[at : at + _IN_ONE_NUMBER] for at in range(0, len(names), _IN_ONE_NUMBER)]

    def profiles(self) -> sge.Select:
        """Return the statement for: number of the set, size, how many combinations have it."""
        return self._asked(["n"])

    def distinct(self) -> sge.Select:
        """Return the statement for: number of the set, how many combinations it has."""
        return self._asked([])

    def _asked(self, kept: list[str]) -> sge.Select:
        import sqlglot as sg

        places = [f"g{part}" for part in range(len(self.numbers[0]))]
        grouped = self._by_grouping_sets() if self.shared else self._one_after_the_other()
        outer = (
            sg.select(*map(column, [*places, *kept]), counted("m"))
            .from_(_SETS)
            .group_by(*map(column, [*places, *kept]))
        )
        if self.shared and self.drop:
            outer = outer.where(column("d").eq(0))
        return self._with(outer.with_(_SETS, as_=grouped))

    def _with(self, statement: sge.Select) -> sge.Select:
        """Put the base, and what is rolled up from it, before everything else."""
        import sqlglot as sg

        parts: list[tuple[str, sge.Select, bool | None]] = []
        if self.rolled:
            names = [column(name) for name in self.columns]
            rolled = sg.select(*names, counted("n")).from_(BASE).group_by(*names)
            parts = [(_ROLLED, rolled, True if self.backend == "sqlite" else None)]
        # SQLite would copy the records once for each statement
        several = not self.rolled and not self.shared and self.backend == "sqlite"
        return with_base(self.base, statement, parts, materialized=False if several else None)

    @property
    def _from(self) -> str:
        return _ROLLED if self.rolled else BASE

    def _size(self) -> sge.Expression:
        import sqlglot.expressions as sge

        if not self.rolled:
            return counted("n")
        return named(sge.cast(sge.Sum(this=column("n")), "BIGINT"), "n")

    def _by_grouping_sets(self) -> sge.Select:
        import sqlglot as sg
        import sqlglot.expressions as sge

        ids = [
            named(_grouping(part, self.backend), f"g{place}")
            for place, part in enumerate(self._parts)
        ]
        sets = [sge.Tuple(expressions=[column(name) for name in names]) for names in self.sets]
        grouped = sg.select(*ids, self._size()).from_(self._from)
        grouped.set("group", sge.Group(expressions=[sge.GroupingSets(expressions=sets)]))
        if self.drop:
            # a column that is in the set and NULL all the same
            lacking = [
                sge.and_(sge.Grouping(expressions=[column(name)]).eq(0), is_null(name))
                for name in self.columns
            ]
            # shown and looked at outside: Spark does not find the columns in a HAVING
            flag = sge.Case(
                ifs=[sge.If(this=sge.or_(*lacking), true=sge.Literal.number(1))],
                default=sge.Literal.number(0),
            )
            grouped = grouped.select(named(flag, "d"))
        return grouped

    def _one_after_the_other(self) -> sge.Select:
        import sqlglot as sg
        import sqlglot.expressions as sge

        parts = []
        for place, names in enumerate(self.sets):
            number = named(sge.Literal.number(place), "g0")
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

    return with_base(base, sg.select(counted("n")).from_(BASE))


def completeness(base: sge.Select, columns: Sequence[str]) -> sge.Select:
    """Return the statement for: records, those with a value in all columns, and in each."""
    import sqlglot as sg
    import sqlglot.expressions as sge

    anyone = sge.or_(*map(is_null, columns))
    whole = sge.Case(ifs=[sge.If(this=anyone, true=sge.null())], default=sge.Literal.number(1))
    there = [whole, *map(column, columns)]
    return with_base(
        base,
        sg.select(
            counted("n"),
            *[
                named(sge.Count(this=what, big_int=True), f"m{place}")
                for place, what in enumerate(there)
            ],
        ).from_(BASE),
    )


def sizes(base: sge.Select, columns: Sequence[str]) -> sge.Select:
    """Return the statement for: how many records each combination has, without its values."""
    import sqlglot as sg

    asked = sg.select(counted("n")).from_(BASE).group_by(*map(column, columns))
    return with_base(base, asked)


def joint_sizes(base: sge.Select, columns: Sequence[str], sensitive: str) -> sge.Select:
    """Return the statement for: the number of each y, from 1, and the size of each pair."""
    import sqlglot as sg
    import sqlglot.expressions as sge

    keys = [column(name) for name in dict.fromkeys([*columns, sensitive])]
    pairs = sg.select(*keys, counted("n")).from_(BASE).group_by(*keys)
    number = sge.Window(
        this=sge.DenseRank(), order=sge.Order(expressions=[ascending(name) for name in columns])
    )
    asked = sg.select(named(number, "y"), column("n")).from_(GROUPED)
    return with_base(base, asked, [(GROUPED, pairs, None)])


def ranks(base: sge.Select, columns: Sequence[str]) -> sge.Select:
    """Return the statement for: each combination as ranks from 1, missing as 0, and its size."""
    import sqlglot as sg
    import sqlglot.expressions as sge

    keys = [column(name) for name in columns]
    grouped = sg.select(*keys, counted("n")).from_(BASE).group_by(*keys)
    ranked = []
    for place, name in enumerate(columns):
        # apart from the missing, which would take the first rank in some databases
        there = sge.Case(
            ifs=[sge.If(this=is_null(name), true=sge.Literal.number(0))],
            default=sge.Literal.number(1),
        )
        rank = sge.Window(
            this=sge.DenseRank(),
            partition_by=[there],
            order=sge.Order(expressions=[ascending(name)]),
        )
        shown = sge.Case(ifs=[sge.If(this=is_null(name), true=sge.Literal.number(0))], default=rank)
        ranked.append(named(shown, f"r{place}"))
    asked = sg.select(*ranked, column("n")).from_(GROUPED)
    return with_base(base, asked, [(GROUPED, grouped, None)])


def _grouping(columns: Sequence[str], backend: str) -> sge.Expression:
    """Return a number with a bit for each column that is not in the set, the first highest."""
    import sqlglot.expressions as sge

    if backend in _GROUPING_OF_MANY:
        return sge.Grouping(expressions=[column(name) for name in columns])
    total: sge.Expression | None = None
    for place, name in enumerate(reversed(columns)):
        bit: sge.Expression = sge.Grouping(expressions=[column(name)])
        if place:
            bit = sge.Mul(this=bit, expression=sge.Literal.number(1 << place))
        total = bit if total is None else sge.Add(this=total, expression=bit)
    assert total is not None
    return total
