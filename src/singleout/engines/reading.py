"""Read any data into memory: files and frames that are here, and tables that are elsewhere."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence, Sized
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.memory import require_memory
from singleout.core.progress import working_on
from singleout.core.table import Column, Table, smallest_codes
from singleout.engines.open import Home, condition_of, filtered_note, home_of, remote
from singleout.errors import BadChoice, UnusableTable
from singleout.io.fingerprint import fingerprint
from singleout.io.names import pick
from singleout.io.read import read as read_here
from singleout.io.size import memory_to_read

if TYPE_CHECKING:
    from singleout.engines.counter import Counter
    from singleout.where.condition import Condition

__all__ = ["fetched", "file_fingerprint", "kept_here", "read", "require_records"]


def read(
    data: Any,
    columns: Sequence[str] | None = None,
    *,
    missing_values: Sequence[Any] = (),
    missing: str | None = None,
    roles: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    name: str | None = None,
    engine: Any = None,
    where: Any = None,
) -> Table:
    """Read a table and encode it, ready for counting.

    Values stay as their source typed them: in a text file ``01`` and ``1`` are different.

    Parameters
    ----------
    data
        The path of a file (CSV or other delimited text, plain or gzip; Parquet, Arrow, JSON,
        Excel, OpenDocument, SPSS, Stata, SAS, R), a data frame (pandas, polars, pyarrow, DuckDB
        and others), a dict of columns, or a `Table`. Also data that is elsewhere, which is then
        fetched: the URL of a table in a database (``postgresql://host/database#table``), an ibis
        table, a Spark frame, a folder of Parquet files, or several files (``data/*.parquet``).
    columns
        The columns to read, in this order; all if not given.
    missing_values
        Values that mean missing in every column, such as ``NA`` or ``-9``. Empty cells are missing
        anyway.
    missing
        What a missing value means: ``value`` (a value like another), ``wildcard`` or ``drop``. If
        not given, ``value``, or the policy of the table that is given.
    roles
        What columns are for, by name.
    delimiter, quote, encoding
        How a text file is written; detected if not given. An empty quote: quote marks are ordinary
        characters. The encoding can also be given for SPSS, Stata, SAS and R files.
    sheet
        The sheet of a workbook, by name or by number from 1; the first if not given.
    name
        The data frame to take from an R file that has several.
    engine
        What fetches data that is elsewhere: ``database``, ``spark``, a `Database` or a `Spark`;
        chosen by the data if not given. ``local`` reads a file here, however large it is.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.

    Returns
    -------
    Table
        The encoded table.

    Examples
    --------
    >>> import singleout as so
    >>> so.read({"age": [30, 41, 41], "sex": ["f", "m", None]})
    Table(dict of columns: 3 records x 2 columns)
    """
    condition = condition_of(where)
    options = {
        "missing_values": None if _is_empty(missing_values) else missing_values,
        "delimiter": delimiter,
        "quote": quote,
        "encoding": encoding,
        "sheet": sheet,
        "name": name,
    }
    given = {option: value for option, value in options.items() if value is not None}
    # what is said on how to read a file is said to the reader of files, however large the file is
    counter = remote(data, "local" if given and engine is None else engine, condition)
    if counter is None:
        if engine is None:
            _require_room(data, columns)
        return _read_here(data, columns, condition, missing=missing, roles=roles, **given)
    try:
        if given:
            raise BadChoice(
                f"{next(iter(given))} has no meaning for {counter.source}: it is for files that "
                "are read here; leave it out, or give one file and engine='local'."
            )
        table = fetched(counter, columns, condition)
        table = table if missing is None else table.with_missing(missing)
        return table.with_roles(roles) if roles else table
    finally:
        if counter is not data:
            counter.close()


def _require_room(data: Any, columns: Sequence[str] | None) -> None:
    """Refuse a file that does not fit into memory, where nobody asked for it to be read here."""
    needed = memory_to_read(data, columns)
    if needed is not None:
        require_memory(needed, f"Reading {Path(os.fsdecode(data)).name}")


def _is_empty(given: Any) -> bool:
    return isinstance(given, Sized) and len(given) == 0


def fetched(counter: Counter, columns: Sequence[str] | None = None, where: Any = None) -> Table:
    """Return the table of a counter, with the notes of both.

    Parameters
    ----------
    counter, columns
        What is fetched from, and the columns in order; all if not given.
    where
        The condition that the counter filters by, to speak of it where nobody meets it.
    """
    names = None if columns is None else pick(columns, counter.columns)
    require_records(counter, where)
    working_on(f"Fetching {counter.source}")
    table = counter.fetch(names)
    notes = dict.fromkeys([*counter.notes, *table.notes])
    return Table(table, missing=table.missing, source=table.source, notes=notes)


def require_records(counter: Counter, where: Any = None) -> None:
    """Refuse a table without records."""
    if counter.rows == 0:
        if where is not None:
            raise _nobody_meets(counter.source, where)
        raise UnusableTable(f"{counter.source} has no rows: there is nobody to single out.")


def file_fingerprint(data: Any) -> str | None:
    """Return the SHA-256 of a file that is here; None for what is no file, or elsewhere."""
    return fingerprint(data) if home_of(data) == Home.LOCAL else None


# ---- here


def _read_here(
    data: Any, columns: Sequence[str] | None, condition: Condition | None, **options: Any
) -> Table:
    if condition is None:
        return read_here(data, columns, **options)
    wanted = None
    if columns is not None:
        wanted = [columns] if isinstance(columns, str) else list(columns)
        if not wanted:
            pick(wanted, ())  # says that no columns were asked for
    roles = options.pop("roles")
    both = None if wanted is None else list(dict.fromkeys([*wanted, *condition.columns]))
    table = read_here(data, both, **options)
    kept = _kept_by(condition, table)
    if wanted is not None:
        table = table.select(dict.fromkeys(wanted))
    found = Table(
        (_taken(column, kept) for column in table),
        missing=table.missing,
        source=table.source,
        notes=[*table.notes, filtered_note(condition)],
    )
    return found.with_roles(roles) if roles else found


def kept_here(data: Any, where: Any, **options: Any) -> NDArray[np.bool_]:
    """Return for each record of data that is here whether it meets a condition, if there is one."""
    condition = condition_of(where)
    if condition is None:
        return np.ones(read_here(data, **options).rows, dtype=np.bool_)
    return _kept_by(condition, read_here(data, condition.columns, **options))


def _kept_by(condition: Condition, table: Table) -> NDArray[np.bool_]:
    """Return which records meet a condition; at least one must."""
    kept = condition.mask(table)
    if not kept.any():
        raise _nobody_meets(table.source, condition)
    return kept


def _nobody_meets(source: str, condition: Any) -> UnusableTable:
    return UnusableTable(
        f"No record of {source} meets the condition {condition}: there is nobody to single out."
    )


def _taken(column: Column, kept: NDArray[np.bool_]) -> Column:
    """Return a column for some records, with the values that they have and no others."""
    codes = column.codes[kept]
    there = np.bincount(codes, minlength=column.levels) > 0
    new = (np.cumsum(there) - 1).astype(np.uint32)
    held = np.flatnonzero(there[: len(column.values)])
    book = list(column.values)
    has_missing = column.has_missing and bool(there[-1])
    return Column(
        column.name,
        smallest_codes(new[codes], len(held) + has_missing),
        [book[code] for code in held.tolist()],
        has_missing,
        role=column.role,
        labels=column.labels,
        description=column.description,
    )
