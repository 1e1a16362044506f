"""Encode a table on the cluster, so that small integers are sent, and each value only a few times.

Each worker encodes its records in chunks, each with a codebook; the driver merges the codebooks
with the encoder of files and data frames, so the table is the same as if it were read. One pass
over the data is enough, and the records keep the order of the frame. What may be too large to
collect at once is persisted on the cluster until its size is known, and fetched part by part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from singleout.core.memory import require_memory
from singleout.core.progress import working_on
from singleout.core.table import Table
from singleout.engines.chunks import Chunk, Gathered, coded
from singleout.engines.spark.session import ends_in_a_sentence, stopped_by_ctrl_c
from singleout.errors import UnreachableData

__all__ = ["Chunks", "encoded"]

_CHUNK = 1 << 18  # records encoded together
_CHUNKS = "width int, codes binary, book binary"  # one row for each chunk and column
_TOGETHER = 1 << 28  # bytes collected at once without knowing their size: drivers have 1 GB


@dataclass(frozen=True)
class Chunks:
    """Encode record batches on a worker: for each chunk and column its codes and its codebook."""

    records: int = _CHUNK

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield one row for each chunk and column, column by column."""
        import pyarrow as pa

        buffered: list[Any] = []
        for batch in batches:
            buffered.append(batch)
            if sum(map(len, buffered)) >= self.records:
                yield _chunk(pa.Table.from_batches(buffered))
                buffered = []
        if sum(map(len, buffered)):
            yield _chunk(pa.Table.from_batches(buffered))


def _chunk(table: Any) -> Any:
    import pyarrow as pa

    widths, codes, books = [], [], []
    for column in table.columns:
        whole = column.combine_chunks()
        chunk = coded(whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole)
        widths.append(chunk.codes.itemsize)
        codes.append(chunk.codes.tobytes())
        books.append(_as_bytes(chunk.book))
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
    """Columns encoded on the cluster, as a frame of chunks.

    ``bytes`` is the size of the codes, an upper bound unless they are persisted. In one table they
    may be wider: a chunk need not have all values of a column.
    """

    chunks: Any
    bytes: int
    persisted: bool

    def table(self, names: Sequence[str], source: str) -> Table:
        """Return the columns as a table in this process."""
        # the codes as received, the codes of the table, and one column of wider codes at a time
        require_memory(3 * self.bytes, f"Fetching {len(names)} columns of the {source}")
        parts = _Parts(names)
        with stopped_by_ctrl_c(self.chunks.sparkSession):
            if self.persisted:
                for row in self.chunks.toLocalIterator(prefetchPartitions=True):
                    parts.received([row[0]], [bytes(row[1])], [bytes(row[2])])
            else:
                for batch in self.chunks.toArrow().to_batches():
                    parts.received(*(batch.column(index).to_pylist() for index in range(3)))
        return parts.table(source)


@contextmanager
def encoded(
    frame: Any, inside: Sequence[str], source: str, most: int, limit: int = _TOGETHER
) -> Iterator[Coded]:
    """Encode the columns ``inside`` of a frame on the cluster.

    ``most`` is an upper bound on the bytes of the codes; if it is above ``limit``, their size is
    determined.
    """
    from pyspark import StorageLevel
    from pyspark.sql import functions

    working_on(f"Encoding the {source}")
    with ends_in_a_sentence():
        chunks = frame.select(*inside).mapInArrow(Chunks(), _CHUNKS)
    if most <= min(limit, _TOGETHER):
        yield Coded(chunks, most, persisted=False)
        return
    with ends_in_a_sentence():
        chunks = chunks.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        with stopped_by_ctrl_c(frame.sparkSession):
            (sizes,) = chunks.agg(functions.sum(functions.length("codes"))).collect()
        yield Coded(chunks, int(sizes[0] or 0), persisted=True)
    finally:
        with suppress(UnreachableData), ends_in_a_sentence():  # a lost cluster holds nothing
            chunks.unpersist()


class _Parts(Gathered):
    """The chunks of columns as they arrive: one of each column, then the next of each column."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self._width, self._seen = len(names), 0

    def received(self, widths: list[int], codes: list[bytes], books: list[bytes]) -> None:
        """Add chunks of the next columns."""
        import pyarrow as pa

        for width, some, book in zip(widths, codes, books, strict=True):
            values = pa.ipc.open_stream(book).read_all().column(0).combine_chunks()
            self.add(
                self._seen % self._width, Chunk(np.frombuffer(some, dtype=f"u{width}"), values)
            )
            self._seen += 1
