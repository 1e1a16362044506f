"""Parts of SQL statements, with every name quoted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlglot.expressions as sge

__all__ = [
    "BASE",
    "COUNT",
    "GROUPED",
    "added",
    "all_there",
    "ascending",
    "column",
    "counted",
    "if_",
    "is_null",
    "named",
    "records_of",
    "with_base",
]

# names that no table has
BASE, GROUPED = "singleout_base", "singleout_grouped"
# what a base calls the number of records of a row, in a table of counts
COUNT = "c"


def with_base(
    base: sge.Select,
    statement: sge.Select,
    parts: Sequence[tuple[str, sge.Select, bool | None]] = (),
    *,
    materialized: bool | None = None,
) -> sge.Select:
    """Put the base and named parts before a statement in one WITH: SQL Server allows no other."""
    import sqlglot.expressions as sge

    base = base.copy()
    inner, own = base.args.get("with_"), statement.args.get("with_")
    base.set("with_", None)
    members = list(inner.expressions) if inner else []
    for name, select, keep in [(BASE, base, materialized), *parts]:
        alias = sge.TableAlias(this=sge.to_identifier(name))
        members.append(sge.CTE(this=select, alias=alias, materialized=keep))
    members += list(own.expressions) if own else []
    statement = statement.copy()
    statement.set("with_", sge.With(expressions=members))
    return statement


def column(name: str) -> sge.Column:
    """Return a column of a base or of a part."""
    import sqlglot.expressions as sge

    # quoted: Oracle and Snowflake change the case of other names
    return sge.column(name, quoted=True)


def counted(name: str) -> sge.Alias:
    """Return how many rows there are, under a name."""
    import sqlglot.expressions as sge

    return named(sge.Count(this=sge.Star(), big_int=True), name)


def records_of(base: sge.Select, name: str = "n") -> sge.Alias:
    """Return how many records of a base there are, under a name: its rows, or their counts."""
    return added(COUNT, name) if COUNT in base.named_selects else counted(name)


def added(numbers: str, name: str) -> sge.Alias:
    """Return the sum of a column of whole numbers, under a name."""
    import sqlglot.expressions as sge

    return named(sge.cast(sge.Sum(this=column(numbers)), "BIGINT"), name)


def named(what: sge.Expression, name: str) -> sge.Alias:
    """Return an expression under a name."""
    import sqlglot.expressions as sge

    return sge.Alias(this=what, alias=sge.to_identifier(name, quoted=True))


def is_null(name: str) -> sge.Is:
    """Return the condition that a column is NULL."""
    import sqlglot.expressions as sge

    return sge.Is(this=column(name), expression=sge.null())


def if_(condition: sge.Expression, number: int | None, otherwise: sge.Expression) -> sge.Case:
    """Return a number, or NULL, where a condition holds, and another expression elsewhere."""
    import sqlglot.expressions as sge

    value = sge.null() if number is None else sge.Literal.number(number)
    return sge.Case(ifs=[sge.If(this=condition, true=value)], default=otherwise)


def ascending(name: str) -> sge.Ordered:
    """Return an order without a position for NULL, which does not matter here."""
    import sqlglot.expressions as sge

    return sge.Ordered(this=column(name), desc=False, nulls_first=True)


def all_there(columns: Sequence[str]) -> list[sge.Expression]:
    """Return the conditions that no column is NULL."""
    import sqlglot.expressions as sge

    return [sge.not_(is_null(name)) for name in columns]
