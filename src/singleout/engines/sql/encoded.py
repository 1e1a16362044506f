"""Records of a database encoded as they are received, so that their text is never held as a whole.

A few columns are encoded in each pass, in batches of records, so that what is in memory besides the
codes does not grow with the table.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from singleout.core.memory import available_memory
from singleout.core.table import Column, Table
from singleout.engines.chunks import Chunk, Gathered, coded
from singleout.engines.sql import groups
from singleout.engines.sql.copied import as_copied
from singleout.engines.sql.kinds import as_typed
from singleout.kernels.threads import in_parallel

if TYPE_CHECKING:
    import polars as pl

    from singleout.engines.sql.columns import Columns
    from singleout.engines.sql.session import Session

__all__ = ["encoded_records", "passes_over", "room_within"]

_LOG = logging.getLogger("singleout.engines")

_ROWS = 1 << 17  # of a batch, at the most
_CELLS = 1 << 21
_COLUMNS = 16  # of a pass
_BOOKS = 4  # times the bytes of codebooks are needed while they are merged
_OF_THE_DATABASE = 100_000_000  # bytes that reading takes beside the codes


def room_within(memory: int | None) -> int | None:
    """Return how many bytes codes may take: of the cap, if there is one, and of what is free."""
    free = available_memory()
    cap = None if memory is None else max(0, memory - _OF_THE_DATABASE)
    return min((size for size in (free, cap) if size is not None), default=None)


def passes_over(names: Sequence[str]) -> int:
    """Return how often records that keep their order are read to encode some columns."""
    return -(-len(names) // _COLUMNS)


def encoded_records(
    session: Session,
    columns: Columns,
    names: Sequence[str],
    room: int | None,
    *,
    in_order: bool,
    patience: float | None = None,
) -> Table | None:
    """Return some columns as a table; None if that needs more than ``room`` bytes of memory.

    None is also the answer where Arrow cannot encode a column. ``in_order`` says that records come
    in the same order whenever they are read, so that columns can be encoded a few at a time. It is
    given up if a record takes longer than ``patience`` nanoseconds.
    """
    at_once = _COLUMNS if in_order else len(names)
    done: list[Column] = []
    for begin in range(0, len(names), at_once):
        some = names[begin : begin + at_once]
        held = sum(column.codes.nbytes for column in done)
        gathered = _Pass(some, None if room is None else room - held, patience)
        rows = max(1, min(_ROWS, _CELLS // len(some)))
        if not session.stream(groups.records(columns, some), rows, gathered.take):
            _LOG.info("%d columns are not encoded here", len(names))
            return None
        kinds = {name: columns.kind(name) for name in some}
        done += gathered.columns(session.source, partial(_typed, session.name, kinds))
    return Table(done, source=session.source)


def _typed(backend: str, kinds: Mapping[str, Any], values: pl.Series, name: str) -> pl.Series:
    kind = kinds[name]
    return as_copied(values, kind) if backend == "postgres" else as_typed(values, kind)


class _Pass(Gathered):
    """The columns that are encoded in one pass."""

    def __init__(self, names: Sequence[str], room: int | None, patience: float | None) -> None:
        super().__init__(names)
        self._room, self._patience = room, patience
        self._begun, self._records = time.monotonic_ns(), 0

    def take(self, batch: Any) -> bool:
        """Encode a batch; return whether it could be encoded and there is room for more."""
        chunks = in_parallel(_coded_or_none, batch.columns)
        for index, chunk in enumerate(chunks):
            if chunk is None:
                return False
            self.add(index, chunk)
        self._records += batch.num_rows
        return (self._room is None or self.needed <= self._room) and not self._takes_too_long

    @property
    def _takes_too_long(self) -> bool:
        taken = time.monotonic_ns() - self._begun
        return self._patience is not None and taken > self._patience * self._records

    @property
    def needed(self) -> int:
        """How many bytes the columns so far need until they are put together."""
        return 2 * self.code_bytes + _BOOKS * self.book_bytes


def _coded_or_none(values: Any) -> Chunk | None:
    import pyarrow as pa

    try:
        return coded(values)
    except pa.ArrowNotImplementedError:
        return None
