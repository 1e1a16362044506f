"""Read any data into memory: local files and frames, and remote tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from typing import Any

from singleout.core.choices import Role
from singleout.core.frame_kinds import framed
from singleout.core.table import Table
from singleout.engines.open import open_data
from singleout.engines.suspected import taken_as_said

__all__ = ["read"]


@framed
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
    header_row: int | None = None,
    skip_rows: Any = None,
    range: str | None = None,  # noqa: A002 - the word that users know
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
        Excel, OpenDocument, SPSS, Stata, SAS, R), a list of such paths for files of the same
        columns that are one table, a data frame (pandas, polars, pyarrow, DuckDB and others), a
        dict of columns, or a `Table`. Also data that is elsewhere, which is then
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
        The sheet of a workbook, by name or by number from 1; if not given, the only one that looks
        like a table.
    header_row
        The number of the row, or of the line of a text, that has the names of the columns, from 1;
        found if not given.
    skip_rows
        The rows to leave out: 3 for the first three, ``"1-3,57"`` or a list for rows by their
        numbers, 0 to keep all. If not given, titles above the names and totals and remarks below
        the records are left out where they are clearly no records, and a note says so.
    range
        The cells of a sheet that hold the table, as ``"B3:F20"``, or ``"B3:F"`` to the last row;
        the names are in the first row of it.
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
    options = {
        "missing_values": None if _is_empty(missing_values) else missing_values,
        "delimiter": delimiter,
        "quote": quote,
        "encoding": encoding,
        "sheet": sheet,
        "header_row": header_row,
        "skip_rows": skip_rows,
        "range": range,
        "name": name,
    }
    parsing: dict[str, Any] = {
        option: value for option, value in options.items() if value is not None
    }
    stated = (
        dict.fromkeys(data.with_role(Role.COUNT), Role.COUNT) if isinstance(data, Table) else {}
    )
    if stated:  # rows are read as they are, whatever they stand for
        data = data.with_roles(dict.fromkeys(stated, Role.OTHER))
    with taken_as_said(), open_data(data, engine, where, columns, **parsing) as counter:
        table = counter.records(columns).table
    table = table.with_roles({name: one for name, one in stated.items() if name in table.columns})
    table = table if missing is None else table.with_missing(missing)
    return table.with_roles(roles) if roles else table


def _is_empty(values: Any) -> bool:
    return isinstance(values, Sized) and len(values) == 0
