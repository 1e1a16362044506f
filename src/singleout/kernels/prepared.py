"""A table laid out for counting many column sets: by column, by row, and in bits.

Columns are taken with most values first. Those with up to 256 values are kept in one byte, the
others in four. Columns with up to 64 values are kept in bits as well, one for each value, so that
one pass over the records serves all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["Prepared", "prepare"]

_BYTE = 256
_WORD = 64
_ROWS = 1 << 12  # laid out at a time

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table laid out for counting many column sets.

    Parameters
    ----------
    columns
        The original column at each position, most values first.
    levels
        How many values the column at each position has.
    wide
        How many of the first positions have more than 256 values.
    wide_codes, narrow_codes
        The codes by column: the wide ones, then the others.
    rows
        The codes by record, in words of eight bytes: four bytes for each wide column, then one for
        each of the others.
    hot_from
        The first position with at most 64 values: from there on columns are kept in bits too.
    hot
        The bits by record: in each column exactly one is set, that of its code.
    word_of, mask_of
        For each of these columns the word that its bits are in, and which they are.
    """

    columns: I64
    levels: I64
    wide: int
    wide_codes: U32
    narrow_codes: U8
    rows: U64
    hot_from: int
    hot: U64
    word_of: I64
    mask_of: U64

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.rows.shape[0]

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.levels)

    def codes(self, position: int) -> U32:
        """Return the codes of one column in four bytes."""
        if position < self.wide:
            return self.wide_codes[position]
        return self.narrow_codes[position - self.wide].astype(np.uint32)


def prepare(columns: Sequence[NDArray[Any]], levels: Sequence[int]) -> Prepared:
    """Lay out a table; each column's codes must be below its number of levels."""
    order = np.argsort(-np.asarray(levels, dtype=np.int64), kind="stable")
    ordered = np.asarray(levels, dtype=np.int64)[order]
    wide = int((ordered > _BYTE).sum())
    records = len(columns[0])
    wide_codes = np.empty((wide, records), dtype=np.uint32)
    narrow_codes = np.empty((len(order) - wide, records), dtype=np.uint8)
    for position, column in enumerate(order.tolist()):
        if position < wide:
            wide_codes[position] = columns[column]
        else:
            narrow_codes[position - wide] = columns[column]
    rows = _by_row(wide_codes, narrow_codes)
    hot_from, hot, word_of, mask_of = _one_hot(narrow_codes, ordered, wide)
    return Prepared(
        order, ordered, wide, wide_codes, narrow_codes, rows, hot_from, hot, word_of, mask_of
    )


def _by_row(wide_codes: U32, narrow_codes: U8) -> U64:
    wide, records = wide_codes.shape
    width = 4 * wide + len(narrow_codes)
    words = max(1, -(-width // 8))
    packed = np.zeros((records, 8 * words), dtype=np.uint8)
    for begin in range(0, records, _ROWS):  # in blocks, so that the rows stay in the cache
        block = slice(begin, begin + _ROWS)
        for column in range(wide):
            packed.view(np.uint32)[block, column] = wide_codes[column, block]
        packed[block, 4 * wide : width] = narrow_codes[:, block].T
    return packed.view(np.uint64)


def _one_hot(narrow_codes: U8, levels: I64, wide: int) -> tuple[int, U64, I64, U64]:
    """Give each value of each column with few values a bit; no column straddles two words."""
    first = int((levels > _WORD).sum())
    word_of = np.zeros(len(levels), dtype=np.int64)
    mask_of = np.zeros(len(levels), dtype=np.uint64)
    shifts = {}
    word, used = 0, 0
    for position in range(first, len(levels)):
        count = int(levels[position])
        if used + count > _WORD:
            word, used = word + 1, 0
        word_of[position] = word
        mask_of[position] = np.uint64(((1 << count) - 1) << used)
        shifts[position] = np.uint64(used)
        used += count
    hot = np.zeros((narrow_codes.shape[1], word + 1), dtype=np.uint64)
    if shifts:
        used_words = word_of[first:]
        _set_bits(narrow_codes[first - wide :], np.array(list(shifts.values())), used_words, hot)
    return first, hot, word_of, mask_of


@njit(cache=True, nogil=True)
def _set_bits(codes: U8, shifts: U64, word_of: I64, hot: U64) -> None:
    """Set the bit of each record's code in each column."""
    for begin in range(0, hot.shape[0], _ROWS):  # in blocks, so that the rows stay in the cache
        for c in range(codes.shape[0]):
            for r in range(begin, min(begin + _ROWS, hot.shape[0])):
                hot[r, word_of[c]] |= np.uint64(1) << (np.uint64(codes[c, r]) + shifts[c])
