"""The compiled loops behind coverage: published rows as bits, a bitwise and for each person."""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import I32, I64, U64, Flags
from singleout.kernels.bits import lowest
from singleout.kernels.compiling import kernel

__all__ = ["add_covering", "rows_as_bits"]

_WORD = 64


@kernel
def rows_as_bits(
    published: I32, blank: Flags, starts: I64, members: I32, begins: I64, bits: U64
) -> None:
    """Set for each original value the bits of the published rows that are compatible with it.

    ``published`` has a row of codes for each published row; ``members[starts[p]:starts[p + 1]]``
    are the original values that a code p stands for, unless it is ``blank``. The original values
    of column c are those from ``begins[c]`` to ``begins[c + 1]``; ``bits`` has a row for each.
    """
    rows, columns = published.shape
    words = bits.shape[1]
    anything = np.zeros(words, dtype=np.uint64)
    for column in range(columns):
        anything[:] = 0
        for value in range(begins[column], begins[column + 1]):
            for word in range(words):
                bits[value, word] = 0
        for row in range(rows):
            code = published[row, column]
            word = row // _WORD
            bit = np.uint64(1) << np.uint64(row % _WORD)
            if blank[code]:
                anything[word] |= bit
            else:
                for at in range(starts[code], starts[code + 1]):
                    bits[members[at], word] |= bit
        for value in range(begins[column], begins[column + 1]):
            for word in range(words):
                bits[value, word] |= anything[word]


@kernel
def add_covering(original: I32, bits: U64, weights: I64, counts: I64, smallest: I64) -> None:
    """Add for each person the weights of the rows that may be hers, and keep the smallest one."""
    people, columns = original.shape
    words = bits.shape[1]
    for person in range(people):
        for word in range(words):
            common = bits[original[person, 0], word]
            for column in range(1, columns):
                if common == 0:
                    break
                common &= bits[original[person, column], word]
            while common != 0:
                row = word * _WORD + lowest(common)
                counts[person] += weights[row]
                smallest[person] = min(smallest[person], weights[row])
                common &= common - np.uint64(1)
