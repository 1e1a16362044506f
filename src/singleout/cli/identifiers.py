"""The column that names records, given beside their numbers in what is printed or written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singleout.core.choices import Role

if TYPE_CHECKING:
    import polars as pl

    from singleout.core.table import Table
    from singleout.engines.counter import Counter, Records

__all__ = ["needed_columns", "records_with_id", "with_ids"]


def needed_columns(wanted: list[str] | None, identifier: str | None) -> list[str] | None:
    """Return the columns to read: those combined and the one that names records; None for all."""
    if wanted is None or identifier is None:
        return wanted
    return list(dict.fromkeys([*wanted, identifier]))


def records_with_id(counter: Counter, wanted: list[str] | None, identifier: str | None) -> Records:
    """Return the records; the column that names them is not combined unless it is named."""
    records = counter.records(needed_columns(wanted, identifier))
    if identifier is None or (wanted is not None and identifier in wanted):
        return records
    return records.with_roles({identifier: Role.DIRECT_IDENTIFIER})


def with_ids(frame: pl.DataFrame, table: Table, identifier: str | None) -> pl.DataFrame:
    """Put the id of each record first, if one is asked for."""
    import polars as pl

    if identifier is None:
        return frame
    column = table[identifier]
    words = [column.label(column.value(code)) for code in range(column.levels)]
    codes = column.codes[frame["record"].to_numpy() - 1]
    ids = pl.Series("id", words, dtype=pl.String).gather(codes)
    return frame.select(ids, pl.all())
