"""An estimate of the memory that reading a file takes, from its size and its first lines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from singleout.core.paths import expanded

__all__ = ["PARQUET", "memory_to_read"]

PARQUET = (".parquet", ".pq")
_TEXT = (".csv", ".tsv", ".tab", ".txt")

_COMPRESSED = 4  # a Parquet file is at least so many times larger in memory
_SAMPLE = 1 << 16  # bytes of text
_DELIMITERS = b",;\t|"
_CELL = 20  # bytes of a cell of text while it is read and encoded, as measured


def memory_to_read(data: Any, columns: Sequence[str] | str | None = None) -> int | None:
    """Return about how many bytes reading Parquet or text takes; None for any other data."""
    if not isinstance(data, str | os.PathLike):
        return None
    path = Path(os.fsdecode(data))
    kind = path.suffix.lower()
    if kind not in (*PARQUET, *_TEXT):
        return None
    try:
        path = expanded(path)
        size = path.stat().st_size
        if not path.is_file():  # opening a pipe would wait for its writer
            return None
        if kind in PARQUET:
            return size * _COMPRESSED
        with path.open("rb") as file:
            sample = file.read(_SAMPLE)
    except (OSError, RuntimeError, ValueError):  # the reader raises the error
        return None
    return _of_text(size, sample, columns)


def _of_text(size: int, sample: bytes, columns: Sequence[str] | str | None) -> int:
    lines = max(1, sample.count(b"\n"))
    # delimiters within quotes count as well: the estimate is an upper bound
    cells = lines + max(map(sample.count, _DELIMITERS))
    if columns is not None:
        cells = min(cells, lines * (1 if isinstance(columns, str) else len(columns)))
    return size + _CELL * size * cells // max(1, len(sample))
