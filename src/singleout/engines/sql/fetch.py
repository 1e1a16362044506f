"""Values that came from a database, as an encoded table that equals the same data read here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from singleout.core.memory import require_memory
from singleout.core.table import Table
from singleout.engines.sql.columns import Columns
from singleout.io.encode import encode
from singleout.io.source import Source

__all__ = ["fetched", "require_room"]

_BYTES_OF_TEXT = 40  # in memory, with what points to it
_BYTES_OF_NUMBER = 10


def require_room(columns: Columns, names: Sequence[str], rows: int) -> None:
    """Say so if some columns of all records do not fit into memory."""
    per_row = sum(
        _BYTES_OF_NUMBER
        if columns.kind(name).is_primitive() or columns.kind(name).is_temporal()
        else _BYTES_OF_TEXT
        for name in names
    )
    require_memory(rows * per_row, f"Fetching {rows:,} records of {len(names)} columns")


def fetched(
    values: pl.DataFrame,
    columns: Columns,
    names: Sequence[str],
    source: str,
    notes: tuple[str, ...] = (),
) -> Table:
    """Encode values that came under the names of a base.

    Parameters
    ----------
    values
        The values, one column for each name.
    columns
        The columns of the table.
    names
        The names that users know.
    source, notes
        Where the values came from, and what a reader should know.
    """
    typed = [
        _typed(series.alias(name), columns.kind(name))
        for series, name in zip(values.get_columns(), names, strict=True)
    ]
    return encode(Source(pl.DataFrame(typed), source, notes=notes))


def _typed(series: pl.Series, kind: Any) -> pl.Series:
    """Return a column with the type that its database means, where the driver gave another."""
    if series.dtype == pl.String and kind.is_date():
        return _read_exactly(series, "%Y-%m-%d", pl.Date)
    if series.dtype == pl.String and kind.is_timestamp():
        return _read_exactly(series, "%Y-%m-%d %H:%M:%S%.f", pl.Datetime("us"))
    if isinstance(series.dtype, pl.Enum):
        return series.cast(pl.String)  # by the alphabet, as other text
    return series


def _read_exactly(series: pl.Series, pattern: str, kind: Any) -> pl.Series:
    """Return moments that SQLite keeps as text, if all of it reads as moments."""
    moments = series.str.strptime(kind, pattern, strict=False)
    merged = moments.n_unique() < series.n_unique()
    return series if merged or moments.null_count() > series.null_count() else moments
