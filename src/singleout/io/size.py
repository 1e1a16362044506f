"""How much memory a file takes while it is read, from its size and its first lines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from singleout.core.paths import expanded

__all__ = ["PARQUET", "memory_to_read"]

PARQUET = (".parquet", ".pq")
_TEXT = (".csv", ".tsv", ".tab", ".txt")

_COMPRESSED = 4  # how many times larger a Parquet file is in memory, at least
_SAMPLE = 1 << 16  # bytes of a text that are looked at
_DELIMITERS = b",;\t|"
_CELL = 20  # bytes of a cell of text while it is read and encoded, as measured


def memory_to_read(data: Any, columns: Sequence[str] | str | None = None) -> int | None:
    """Return about how many bytes reading a file takes; None for what is no such file.

    Parameters
    ----------
    data
        Whatever a user gives as data.
    columns
        The columns to read; all if not given.
    """
    if not isinstance(data, str | os.PathLike):
        return None
    path = Path(os.fsdecode(data))
    kind = path.suffix.lower()
    if kind not in (*PARQUET, *_TEXT):
        return None
    try:
        path = expanded(path)
        size = path.stat().st_size
        if not path.is_file():  # opening a pipe would wait for who writes to it
            return None
        if kind in PARQUET:
            return size * _COMPRESSED
        with path.open("rb") as file:
            sample = file.read(_SAMPLE)
    except (OSError, RuntimeError, ValueError):  # the reader says what is wrong with it
        return None
    return _of_text(size, sample, columns)


def _of_text(size: int, sample: bytes, columns: Sequence[str] | str | None) -> int:
    lines = max(1, sample.count(b"\n"))
    # marks within quotes count as well: the estimate errs on the safe side
    cells = lines + max(sample.count(mark) for mark in (bytes([d]) for d in _DELIMITERS))
    wanted = cells
    if columns is not None:
        wanted = min(cells, lines * (1 if isinstance(columns, str) else len(columns)))
    return size + _CELL * size * wanted // max(1, len(sample))
