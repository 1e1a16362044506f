"""Encode a table on the cluster: what travels is small integers, and each value a few times.

Each worker encodes its records in chunks, with a codebook of its own for each; the driver puts the
codebooks together with the encoder of files and data frames, so the table is the one that would
have been read. One pass over the data is enough, and the records keep the order of the frame. What
may be too much to collect in one go stays on the cluster until its size is known and it was
fetched: part by part, but encoded by all workers at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from singleout.core.memory import require_memory
from singleout.core.progress import working_on
from singleout.core.table import Column, Table, smallest_codes
from singleout.engines.spark.session import ends_in_a_sentence, stopped_by_ctrl_c
from singleout.errors import UnreachableData
from singleout.io.encode import encode
from singleout.io.source import Source

__all__ = ["Chunks", "Coded", "encoded"]

_CHUNK = 1 << 18  # records encoded together
_CHUNKS = "width int, codes binary, book binary"  # one row for each chunk and column
_TOGETHER = 1 << 28  # bytes that are collected in one go, unseen: a driver of Spark has 1 GB


@dataclass(frozen=True)
class Chunks:
    """Encode record batches on a worker: for each chunk and column its codes and its codebook."""

    records: int = _CHUNK

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield one row for each chunk and column, column by column."""
        import pyarrow as pa

        held: list[Any] = []
        for batch in batches:
            held.append(batch)
            if sum(map(len, held)) >= self.records:
                yield _chunk(pa.Table.from_batches(held))
                held = []
        if sum(map(len, held)):
            yield _chunk(pa.Table.from_batches(held))


def _chunk(table: Any) -> Any:
    import pyarrow as pa

    widths, codes, books = [], [], []
    for column in table.columns:
        coded = column.combine_chunks()
        coded = coded.chunk(0) if isinstance(coded, pa.ChunkedArray) else coded
        coded = coded.dictionary_encode()
        missing = len(coded.dictionary)
        numbers = coded.indices.fill_null(missing).to_numpy(zero_copy_only=False)
        small = smallest_codes(numbers, missing + 1)
        widths.append(small.itemsize)
        codes.append(small.tobytes())
        books.append(_as_bytes(coded.dictionary))
    kinds = (pa.int32(), pa.binary(), pa.binary())
    arrays = [pa.array(v, k) for v, k in zip((widths, codes, books), kinds, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, ["width", "codes", "book"])


def _as_bytes(values: Any) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    batch = pa.RecordBatch.from_arrays([values], ["values"])
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())


@dataclass(frozen=True)
class Coded:
    """Columns encoded on the cluster.

    Parameters
    ----------
    chunks
        The frame of chunks.
    bytes
        How many bytes the codes take: at most, or, if they are kept on the cluster, as they are
        there. In one table they may be wider: a chunk need not have all values of a column.
    kept
        Whether they are kept.
    """

    chunks: Any
    bytes: int
    kept: bool

    def table(self, names: Sequence[str], source: str) -> Table:
        """Return the columns as a table in this process.

        Parameters
        ----------
        names
            What the columns will be called.
        source
            Where the data is, in words for people.
        """
        # the codes arrive, are put together, and one column is wider for a while
        require_memory(3 * self.bytes, f"Fetching {len(names)} columns of the {source}")
        parts = _Parts(len(names))
        with stopped_by_ctrl_c(self.chunks.sparkSession):
            if self.kept:
                for row in self.chunks.toLocalIterator(prefetchPartitions=True):
                    parts.add([row[0]], [bytes(row[1])], [bytes(row[2])])
            else:
                for batch in self.chunks.toArrow().to_batches():
                    parts.add(*(batch.column(place).to_pylist() for place in range(3)))
        return parts.table(names, source)


@contextmanager
def encoded(
    frame: Any, inside: Sequence[str], source: str, most: int, limit: int = _TOGETHER
) -> Iterator[Coded]:
    """Encode some columns of a frame on the cluster.

    Parameters
    ----------
    frame
        The frame, its columns made comparable.
    inside
        What the columns are called in the frame.
    source
        Where the data is, in words for people.
    most
        How many bytes the codes can take.
    limit
        If they can take more than this, find out how many they take.
    """
    from pyspark import StorageLevel
    from pyspark.sql import functions

    working_on(f"Encoding the {source}")
    with ends_in_a_sentence():
        chunks = frame.select(*inside).mapInArrow(Chunks(), _CHUNKS)
    if most <= min(limit, _TOGETHER):
        yield Coded(chunks, most, kept=False)
        return
    with ends_in_a_sentence():
        kept = chunks.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        with stopped_by_ctrl_c(frame.sparkSession):
            (sizes,) = kept.agg(functions.sum(functions.length("codes"))).collect()
        yield Coded(kept, int(sizes[0] or 0), kept=True)
    finally:
        with suppress(UnreachableData), ends_in_a_sentence():  # gone is as good as given up
            kept.unpersist()


class _Parts:
    """Chunks of columns as they arrive, one column after the other, again and again."""

    def __init__(self, width: int) -> None:
        self._codes: list[list[NDArray[Any]]] = [[] for _ in range(width)]
        self._books: list[list[Any]] = [[] for _ in range(width)]
        self._seen = 0

    def add(self, widths: list[int], codes: list[bytes], books: list[bytes]) -> None:
        import pyarrow as pa

        for width, some, book in zip(widths, codes, books, strict=True):
            column = self._seen % len(self._codes)
            self._codes[column].append(np.frombuffer(some, dtype=f"u{width}"))
            self._books[column].append(pa.ipc.open_stream(book).read_all().column(0))
            self._seen += 1

    def table(self, names: Sequence[str], source: str) -> Table:
        """Return the table; without records the sentence that there are none."""
        columns = [self._column(place, name, source) for place, name in enumerate(names)]
        return Table(columns, source=source)

    def _column(self, place: int, name: str, source: str) -> Column:
        chunks, books = self._codes[place], self._books[place]
        self._codes[place], self._books[place] = [], []
        if not chunks:
            return Column(name, np.empty(0, dtype=np.uint8), [])
        book = _whole_column(name, [_series(values) for values in books], source)
        missing = len(book.values)
        require_memory(5 * sum(map(len, chunks)), f"Putting together column {name!r}")
        has_missing = any((c == len(b)).any() for c, b in zip(chunks, books, strict=True))
        codes = smallest_codes(np.empty(sum(map(len, chunks)), dtype=np.uint32), missing + 1)
        begin = entry = 0
        for some, values in zip(chunks, books, strict=True):
            # what each code of the chunk becomes, the one for missing last
            new = np.append(book.codes[entry : entry + len(values)], missing)
            codes[begin : begin + len(some)] = new[some]
            begin, entry = begin + len(some), entry + len(values)
        levels = missing + bool(has_missing)
        return Column(name, smallest_codes(codes, levels), book.values, bool(has_missing))


def _series(values: Any) -> pl.Series:
    series = pl.Series(values)
    if isinstance(series.dtype, pl.Datetime) and series.dtype.time_zone:
        return series.dt.convert_time_zone("UTC")  # an instant, whatever the session's clock says
    return series


def _whole_column(name: str, books: Sequence[pl.Series], source: str) -> Column:
    """Return the codebooks of the chunks as one column: its codes say what each entry becomes."""
    entries = pl.concat([book.alias(name) for book in books])
    if len(entries) == 0:
        return Column(name, np.empty(0, dtype=np.uint8), [])
    return encode(Source(pl.DataFrame([entries]), source))[name]
