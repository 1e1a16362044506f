"""A table packed for counting many column sets: by row, by column, and in bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64, U8, U16, U32, U64
from singleout.kernels.bits import load
from singleout.kernels.compiling import kernel
from singleout.kernels.distinct.bit_loops import write_bits
from singleout.kernels.distinct.packing import TOGETHER, Packing, packing_of
from singleout.kernels.distinct.pair_loops import HALF
from singleout.kernels.threads import in_parallel, slices

__all__ = ["Prepared", "Scratch", "prepare", "record_bytes"]

_ROWS = 1 << 14  # records packed at a time, so that their codes stay in the cache
_NEAR = 1 << 9  # of these, written at a time
_PIECE = 1 << 17  # fewer records than this are not worth a thread
_KEPT = 1 << 17  # records whose bits are kept: those of more are made again whenever needed


class Scratch:
    """Work arrays by name, used by one thread at a time: fresh memory is slow to touch."""

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[Any]] = {}
        self.cached: dict[Any, tuple[NDArray[Any], ...]] = {}

    def array(self, name: str, size: int, kind: Any = np.int64) -> NDArray[Any]:
        """Return an array with at least so many elements, not initialised."""
        array = self._arrays.get(name)
        if array is None or len(array) < size:
            array = np.empty(size, dtype=kind)  # not zeros: numpy gives those small pages
            self._arrays[name] = array
        return array


class PackedCodes(NamedTuple):
    """The packed codes of a table, as the loops take them."""

    rows: U64  # the codes by record, in pairs of words
    bundled: U8  # the codes of each bundle, one bundle after the other
    hot: U64  # one-hot bits by record, the first four words of all, then the next; empty if large


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table whose column sets are counted; its columns are ordered by their number of values."""

    packing: Packing
    columns: I64  # the original column at each position, most values first
    unpacked: list[NDArray[Any]]  # the codes of the column at each position
    idle: list[Scratch] = field(default_factory=list)  # work arrays that no thread uses

    @property
    def records(self) -> int:
        """How many records there are."""
        return len(self.unpacked[0])

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.unpacked)

    @property
    def levels(self) -> I64:
        """How many values the column at each position has, most first."""
        return self.packing.levels

    @cached_property
    def bundle_starts(self) -> I64:
        """The index at which the codes of each bundle start; never empty."""
        return np.arange(len(self.packing.bundles) + 1, dtype=np.int64) * self.records

    @cached_property
    def packed(self) -> PackedCodes:
        """The packed codes, computed when first asked for; not by several threads at once."""
        return _packed_codes(self)

    def scratch(self) -> Scratch:
        """Return work arrays; put them back to ``idle`` when done."""
        return self.idle.pop() if self.idle else Scratch()

    def codes(self, position: int) -> U32:
        """Return the codes of one column in four bytes."""
        return self.unpacked[position].astype(np.uint32, copy=False)


def prepare(columns: Sequence[NDArray[Any]], levels: Sequence[int]) -> Prepared:
    """Order the columns of a table by their levels, which must be above their codes."""
    order = np.argsort(-np.asarray(levels, dtype=np.int64), kind="stable")
    packing = packing_of(tuple(int(levels[column]) for column in order.tolist()))
    return Prepared(packing, order, [columns[column] for column in order.tolist()])


def _packed_codes(table: Prepared) -> PackedCodes:
    """Pack the codes, some records at a time."""
    packing, unpacked, records = table.packing, table.unpacked, table.records
    four = TOGETHER // 64
    rows = np.empty((records, packing.row_bytes // 8), dtype=np.uint64)
    bundled = np.empty(len(packing.bundles) * records, dtype=np.uint8)
    hot = np.empty(four * packing.bits.fours * records if records <= _KEPT else 0, dtype=np.uint64)

    def pack_part(part: slice) -> None:
        room = min(_ROWS, part.stop - part.start)
        wide_codes = np.empty((packing.wide, room), dtype=np.uint32)
        narrow_codes = np.empty((table.width - packing.wide, room), dtype=np.uint8)
        for begin in range(part.start, part.stop, _ROWS):
            end = min(begin + _ROWS, part.stop)
            for position, codes in enumerate(unpacked):
                if position < packing.wide:
                    wide_codes[position, : end - begin] = codes[begin:end]
                else:
                    narrow_codes[position - packing.wide, : end - begin] = codes[begin:end]
            _pack(
                wide_codes.reshape(-1), narrow_codes.reshape(-1), room, packing.levels,
                packing.wide, packing.byte_of, packing.row_bytes, rows.reshape(-1).view(np.uint16),
                rows.reshape(-1).view(np.uint8), bundled, table.bundle_starts, *packing.code_bits,
                hot, records, begin, end,
            )  # fmt: skip

    in_parallel(pack_part, slices(records, _PIECE))
    return PackedCodes(rows, bundled, hot)


def record_bytes(levels: Sequence[int]) -> tuple[int, int]:
    """Return how many bytes a packed record takes, and how many more in each thread.

    A thread has the rows again in another order, with the record and the group of each. The bits
    are left out: only a small table has them.
    """
    packing = packing_of(tuple(sorted(levels, reverse=True)))
    return packing.row_bytes + len(packing.bundles), packing.row_bytes + 8


@kernel
def _pack(
    wide_codes: U32, narrow_codes: U8, room: int, levels: I64, wide: int, byte_of: I64, stride: int,
    halves: U16, codes: U8, bundled: U8, starts: I64, lit: U64, lit_from: I64, lit_by: I64,
    lit_end: I64, hot: U64, records: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Write the rows of some records, the codes of their bundles, and their bits if they are kept.

    ``wide_codes`` and ``narrow_codes`` have the codes of these records, ``room`` for each column.
    """
    # a literal as an argument would compile another version of the loop that is called
    next_, every = np.int64(1), np.int64(0)
    for chunk in range(begin, end, _NEAR):  # a few at a time, so that they stay in the cache
        stop = min(chunk + _NEAR, end)
        for i in range(chunk * stride, stop * stride):
            codes[np.uint64(i)] = 0
        for c in range(wide):
            at = byte_of[c] >> 1
            for r in range(chunk, stop):
                code = load(wide_codes, c * room + r - begin)
                index = np.uint64(r * (stride >> 1) + at)
                halves[index] = np.uint16(code & np.uint32(HALF - 1))
                if levels[c] > HALF:
                    halves[index + np.uint64(1)] = np.uint16(code >> np.uint32(16))
        bundle = -1
        for c in range(wide, levels.size):
            at = (c - wide) * room - begin
            k = np.uint8(levels[c] & 255)  # a column with 256 values has a byte of its own
            if c == wide or byte_of[c] != byte_of[c - 1]:
                bundle += 1
                k = np.uint8(0)
            here = starts[bundle]
            for r in range(chunk, stop):
                code = load(bundled, here + r) * k + load(narrow_codes, at + r)
                bundled[np.uint64(here + r)] = code
            if c + 1 == levels.size or byte_of[c + 1] != byte_of[c]:
                for r in range(chunk, stop):
                    codes[np.uint64(r * stride + byte_of[c])] = load(bundled, here + r)
        for four in range(lit_from.size - 1 if hot.size > 0 else 0):
            write_bits(
                bundled, next_, chunk, stop, starts, 4 * four, every, lit, lit_from, lit_by,
                lit_end, hot, 4 * (four * records + chunk),
            )  # fmt: skip
