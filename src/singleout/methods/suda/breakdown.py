"""Where the risk of a file is: the sum of all scores by column and by value.

Elliot, Manning, Mayes, Gurd and Bane (2005), section 2.4.3. A minimal sample unique counts for each
of the columns, and of the values, that it holds: so shares of columns add up to more than 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64
from singleout.core.choices import Role
from singleout.core.table import Column, Table
from singleout.kernels.uniques.search import SetCounts

if TYPE_CHECKING:
    import polars as pl

__all__ = ["by_set", "by_value", "by_variable", "members"]


def by_variable(
    columns: Sequence[str], counts: NDArray[np.int64], weights: F64, total: float
) -> pl.DataFrame:
    """Return for each column its share of the sum of all scores, and its minimal uniques by size.

    ``counts`` are these uniques, a row for each column, and ``weights`` what one weighs by size.
    """
    from singleout.core.frames import pl

    shares = counts @ weights / (total or 1.0)
    by_size = {f"uniques_of_size_{size}": of_size for size, of_size in enumerate(counts.T, start=1)}
    return pl.DataFrame({"variable": list(columns), "share": shares, **by_size})


def members(mask: int, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a set that is written as bits."""
    return tuple(name for bit, name in enumerate(columns) if mask >> bit & 1)


def by_set(columns: Sequence[str], sets: SetCounts, weights: F64, total: float) -> pl.DataFrame:
    """Return for each set of columns its size, its records and its share of all scores.

    The largest share comes first; ties have the smaller set first, then the order of the columns.
    """
    from singleout.core.frames import pl

    sizes = np.bitwise_count(sets.masks).astype(np.int64)
    shares = weights[sizes - 1] * sets.counts / (total or 1.0)
    order = np.lexsort((sets.masks, sizes, -shares))
    names = [list(members(mask, columns)) for mask in sets.masks[order].tolist()]
    return pl.DataFrame(
        {
            "set": [" x ".join(each) for each in names],
            "size": sizes[order],
            "records": sets.counts[order],
            "share": shares[order],
            "columns": names,
        },
        schema_overrides={"set": pl.String, "columns": pl.List(pl.String)},
    )


def by_value(table: Table, weighted: F64, total: float, people: I64 | None = None) -> pl.DataFrame:
    """Return for each value its records, its share of all scores and its share of its column's.

    ``weighted`` is for each record (row) and column the weight of its minimal uniques that hold
    the column, and ``people`` how many records a row is for, if not one. Columns whose role is
    direct identifier are left out.
    """
    from singleout.core.frames import pl

    parts = np.ascontiguousarray(weighted.T)  # so that each column is read once
    rows = [
        row
        for column, part in zip(table, parts, strict=True)
        if column.role != Role.DIRECT_IDENTIFIER
        for row in _values(column, part, total, people)
    ]
    kinds: dict[str, Any] = {
        "variable": pl.String,
        "value": pl.String,
        "records": pl.Int64,
        "share": pl.Float64,
        "share_of_variable": pl.Float64,
    }
    return pl.DataFrame(rows, schema=kinds, orient="row")


def _values(column: Column, part: F64, total: float, people: I64 | None) -> list[tuple[Any, ...]]:
    totals = np.bincount(column.codes, part, minlength=column.levels)
    records = np.bincount(column.codes, people, minlength=column.levels)
    occurring = np.flatnonzero(records)
    return [
        (
            column.name,
            column.label(column.value(code)),
            int(records[code]),
            float(totals[code]) / (total or 1.0),
            float(totals[code]) / (float(totals.sum()) or 1.0),
        )
        for code in occurring.tolist()
    ]
