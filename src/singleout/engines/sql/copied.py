"""Records of PostgreSQL by COPY, several times as fast as row by row.

COPY sends text. Its cells are encoded as text, batch by batch, and only the different values of a
column are converted to its type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import polars as pl

__all__ = ["as_copied", "can_be_copied", "copied"]


def can_be_copied(kind: Any) -> bool:
    """Whether the text that PostgreSQL writes for a type is the same under all its settings."""
    return bool(kind.is_string() or kind.is_integer() or kind.is_floating() or kind.is_boolean())


def as_copied(texts: pl.Series, kind: Any) -> pl.Series:
    """Return values that were sent as text with the type that they have in the database."""
    if kind.is_integer():
        return texts.cast(pl.Int64)
    if kind.is_boolean():
        return texts == "t"
    if kind.is_floating():
        numbers = [None if text is None else float(text) for text in texts.to_list()]
        return pl.Series(texts.name, numbers, dtype=pl.Float64)
    return texts


def copied(connection: Any, query: str, width: int, rows: int) -> Iterator[Any]:
    """Yield the records of a query of some columns as Arrow batches of text."""
    null = uuid4().hex  # no cell is equal to it, so that an empty text is not missing
    statement = f"COPY ({query}) TO STDOUT (FORMAT csv, NULL '{null}')"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        lines: list[bytes] = []
        open_quotes = 0
        for data in copy:
            line = bytes(data)
            lines.append(line)
            open_quotes ^= line.count(b'"') & 1
            # a line break within quotes does not end a record
            if len(lines) >= rows and not open_quotes and line.endswith(b"\n"):
                yield _batch(lines, width, null)
                lines = []
        if lines:
            yield _batch(lines, width, null)


def _batch(lines: list[bytes], width: int, null: str) -> Any:
    import pyarrow as pa
    from pyarrow import csv

    text, names = b"".join(lines), [f"c{index}" for index in range(width)]
    table = csv.read_csv(
        pa.BufferReader(text),
        csv.ReadOptions(column_names=names, block_size=len(text) + 1, use_threads=False),
        csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            null_values=[null],
            strings_can_be_null=True,
            check_utf8=False,  # the server has sent what the connection asked for
        ),
    )
    (batch,) = table.combine_chunks().to_batches()
    return batch
