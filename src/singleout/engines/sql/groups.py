"""Statements whose answers hold values of cells: by group, by combination, and whole records.

They are sent only where a user asks for these values: results by the groups of a column, counts
with their combinations, and methods that need every record.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from singleout.engines.sql.columns import Columns
from singleout.engines.sql.parts import (
    BASE,
    GROUPED,
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

__all__ = ["combinations", "group_profiles", "group_weights", "records", "sampled_values"]

_ADDED = "singleout_added"


def records(columns: Columns, names: Sequence[str]) -> sge.Select:
    """Return the statement for: the values of some columns, record by record."""
    import sqlglot as sg

    base = columns.base((), names)
    return with_base(base, sg.select(*map(column, columns.values(names))).from_(BASE))


def combinations(
    columns: Columns, names: Sequence[str], weight: str | None = None, *, complete: bool = False
) -> sge.Select:
    """Return the statement for: the values of each combination, its size, the sum of weights."""
    import sqlglot as sg
    import sqlglot.expressions as sge

    keys = columns.keys(names)
    sums = [] if weight is None else [named(sge.Sum(this=column("w")), "t")]
    base = columns.base(names, names, weight=weight, complete=names if complete else ())
    asked = sg.select(*_shown(columns, names), records_of(base), *sums).from_(BASE)
    return with_base(base, asked.group_by(*map(column, keys)))


def sampled_values(columns: Columns, name: str, step: int, records: int) -> sge.Select:
    """Return the statement for: the values of every so many records in their order, and the last.

    A value that is sampled comes with the number of records that have it. Of those before it and
    with it, counted from 0, one has a number that ``step`` divides.
    """
    import sqlglot as sg
    import sqlglot.expressions as sge

    (key,) = columns.keys([name])
    values = columns.values([name])
    base = columns.base([name], [name], complete=[name])
    grouped = sg.select(column(key), *_shown(columns, [name]), records_of(base)).from_(BASE)
    running = sge.Window(
        this=sge.Sum(this=column("n")), order=sge.Order(expressions=[ascending(key)])
    )
    after = named(sge.cast(running, "BIGINT"), "c")
    added = sg.select(*map(column, values), column("n"), after).from_(GROUPED)
    rest = sge.Mod(
        this=sge.Paren(this=sge.Sub(this=column("c"), expression=sge.Literal.number(1))),
        expression=sge.Literal.number(step),
    )
    asked = (
        sg.select(*map(column, values), column("n"))
        .from_(_ADDED)
        .where(sge.or_(rest < column("n"), column("c").eq(records)))
    )
    parts: list[tuple[str, sge.Select, bool | None]] = [
        (GROUPED, grouped.group_by(column(key)), None),
        (_ADDED, added, None),
    ]
    return with_base(base, asked, parts)


def group_profiles(
    columns: Columns, names: Sequence[str], by: Sequence[str], *, drop: bool
) -> sge.Select:
    """Return the statement for: values of the group, size, how many combinations have it.

    The size is 0 for the combinations that are dropped, so that their group is in the answer.
    """
    import sqlglot as sg

    base = columns.base([*by, *names], by)
    size: sge.Expression = records_of(base).this
    if drop:
        size = if_(_any_missing(columns, names), 0, size)
    grouped = _by_combination(columns, names, by, named(size, "n"))
    outer = (
        sg.select(*_shown(columns, by), column("n"), counted("m"))
        .from_(GROUPED)
        .group_by(*map(column, columns.keys(by)), column("n"))
    )
    return with_base(base, outer, [(GROUPED, grouped, None)])


def group_weights(
    columns: Columns, names: Sequence[str], weight: str, by: Sequence[str], *, drop: bool
) -> sge.Select:
    """Return the statement for: values of the group, its total weight, and the least of a set."""
    import sqlglot as sg
    import sqlglot.expressions as sge

    total: sge.Expression = sge.Sum(this=column("w"))
    if drop:
        total = if_(_any_missing(columns, names), None, total)
    grouped = _by_combination(columns, names, by, named(total, "t"))
    outer = sg.select(
        *_shown(columns, by),
        named(sge.Sum(this=column("t")), "total"),
        named(sge.Min(this=column("t")), "least"),
    ).from_(GROUPED)
    if by:
        outer = outer.group_by(*map(column, columns.keys(by)))
    base = columns.base([*by, *names], by, weight=weight)
    return with_base(base, outer, [(GROUPED, grouped, None)])


def _by_combination(
    columns: Columns, names: Sequence[str], by: Sequence[str], measure: sge.Expression
) -> sge.Select:
    """Return the keys and values of the group, and a measure, of each combination in a group."""
    import sqlglot as sg

    keys = dict.fromkeys(columns.keys([*by, *names]))
    group = [*map(column, columns.keys(by)), *_shown(columns, by)]
    return sg.select(*group, measure).from_(BASE).group_by(*map(column, keys))


def _shown(columns: Columns, names: Sequence[str]) -> list[sge.Expression]:
    """Return the values of a group: its keys, or any value with that key if they differ."""
    import sqlglot.expressions as sge

    return [
        named(column(key) if columns.is_its_key(name) else sge.Min(this=column(value)), value)
        for name, key, value in zip(names, columns.keys(names), columns.values(names), strict=True)
    ]


def _any_missing(columns: Columns, names: Sequence[str]) -> sge.Expression:
    import sqlglot.expressions as sge

    missing: sge.Expression = sge.or_(*map(is_null, columns.keys(names)))
    return missing
