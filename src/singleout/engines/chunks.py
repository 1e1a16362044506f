"""A table put together from chunks, each encoded where it is read: codes and a codebook a column.

Text is held for one chunk at a time only; what is kept of it are codes of a byte or two and the
values of its codebook. The codebooks are merged with the encoder of files and data frames, so the
table is the same as if it had been read at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from singleout.core.memory import require_memory
from singleout.core.table import Codes, Column, Table, smallest_codes
from singleout.io.encode import encode
from singleout.io.source import Source

__all__ = ["Chunk", "Gathered", "coded"]

_Typed = Callable[[pl.Series, str], pl.Series]


class Chunk(NamedTuple):
    """Some records of one column."""

    codes: Codes  # the number after the last of the codebook for missing
    book: Any  # an Arrow array of the different values


def coded(values: Any) -> Chunk:
    """Encode an Arrow array by the order in which its values occur."""
    import pyarrow as pa

    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()  # it may have values that do not occur
    numbered = values.dictionary_encode()
    missing = len(numbered.dictionary)
    numbers = numbered.indices.fill_null(missing).to_numpy(zero_copy_only=False)
    return Chunk(smallest_codes(numbers, missing + 1), numbered.dictionary)


class Gathered:
    """The chunks of columns, in the order of the records."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self._chunks: list[list[Chunk]] = [[] for _ in names]
        self.code_bytes = 0  # an estimate: in one table codes may be wider
        self.book_bytes = 0

    def add(self, index: int, chunk: Chunk) -> None:
        """Add the next records of a column."""
        self._chunks[index].append(chunk)
        self.code_bytes += chunk.codes.nbytes
        self.book_bytes += chunk.book.nbytes

    def columns(self, source: str, typed: _Typed = lambda series, _: series) -> list[Column]:
        """Return the columns; ``typed`` is given the values of a column, to correct their type."""
        return [self._column(index, name, source, typed) for index, name in enumerate(self._names)]

    def table(self, source: str) -> Table:
        """Return the table; a `Table` refuses to have no records."""
        return Table(self.columns(source), source=source)

    def _column(self, index: int, name: str, source: str, typed: _Typed) -> Column:
        chunks = self._chunks[index]
        self._chunks[index] = []  # or all columns are held twice
        if not chunks:
            return Column(name, np.empty(0, dtype=np.uint8), [])
        book = _whole(name, [_series(chunk.book) for chunk in chunks], source, typed)
        missing = len(book.values)
        records = sum(len(chunk.codes) for chunk in chunks)
        require_memory(5 * records, f"Putting together column {name!r}")
        has_missing = book.has_missing or any(
            (chunk.codes == len(chunk.book)).any() for chunk in chunks
        )
        codes = smallest_codes(np.empty(records, dtype=np.uint32), missing + bool(has_missing))
        begin = entry = 0
        for some, values in chunks:
            # the new code for each code of the chunk, the one for missing last
            new = np.append(book.codes[entry : entry + len(values)], missing)
            codes[begin : begin + len(some)] = new.astype(codes.dtype)[some]
            begin, entry = begin + len(some), entry + len(values)
        return Column(name, codes, book.values, bool(has_missing))


def _series(values: Any) -> pl.Series:
    series = pl.Series(values)
    if isinstance(series.dtype, pl.Datetime) and series.dtype.time_zone:
        return series.dt.convert_time_zone("UTC")  # whatever the session's time zone
    return series


def _whole(name: str, books: Sequence[pl.Series], source: str, typed: _Typed) -> Column:
    """Return the codebooks of all chunks, encoded as one column: its codes are the new ones."""
    entries = typed(pl.concat([book.alias(name) for book in books]), name)
    if len(entries) == 0:
        return Column(name, np.empty(0, dtype=np.uint8), [])
    return encode(Source(pl.DataFrame([entries]), source))[name]
