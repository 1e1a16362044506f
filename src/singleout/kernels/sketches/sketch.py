"""Sketches of many column sets at once: about how many combinations each has, in one pass.

HyperLogLog (Flajolet et al. 2007): the hash of a combination chooses a register by some of its
bits, and the register keeps the longest run of zeros seen in the others. Sketches of parts of a
table are put together by taking the larger of each register. The estimate from them is that of
Ertl (2017), which needs no tables of corrections and is good for few and for many combinations.

Here the hash of each value is made once, and those of a set are put together by a few instructions;
hashing the values of each set anew, as databases do, takes many times as long.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from singleout.core.arrays import I64, U8, U64
from singleout.kernels.bits import lowest
from singleout.kernels.compiling import inlined, kernel

__all__ = ["FEWEST_REGISTERS", "MOST_REGISTERS", "Sketches", "estimated_counts", "mixed"]

FEWEST_REGISTERS, MOST_REGISTERS = 7, 21  # of a sketch, as powers of two; with fewer it is biased
_ROWS = 1 << 13  # records added at a time, so that their hashes stay in the cache


class Sketches:
    """A sketch with ``2 ** power`` registers for each column set.

    The sets have one size and are in lexicographic order.
    """

    def __init__(self, sets: I64, power: int) -> None:
        self._sets = np.ascontiguousarray(sets, dtype=np.int64)
        self._shared = np.empty(_ROWS, dtype=np.uint64)
        self.registers: U8 = np.zeros((len(sets), 1 << power), dtype=np.uint8)

    def add(self, hashes: list[U64]) -> None:
        """Add records, as the hashes of their values, column by column."""
        for begin in range(0, len(hashes[0]), _ROWS):
            block = np.stack([column[begin : begin + _ROWS] for column in hashes])
            _add_to_sketches(block, self._sets, self.registers, self._shared)


def mixed(word: Any) -> Any:
    """Spread every bit of one word or of many over all others.

    The finaliser of SplitMix64 (Steele et al. 2014).
    """
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


_mixed = inlined(mixed)


@kernel
def _add_to_sketches(hashes: U64, sets: I64, registers: U8, shared: U64) -> None:
    """Add records to the sketch of each column set.

    ``hashes`` has a row for each column, ``sets`` the columns of each set, where sets with the same
    first columns are neighbours, ``registers`` a row for each set, whose length is a power of two.
    ``shared`` is room for a word for each record: the hash of all columns of a set but the last.
    """
    rows, size = hashes.shape[1], sets.shape[1]
    within = np.uint64(registers.shape[1] - 1)
    power = np.uint64(0)
    while registers.shape[1] >> power > 1:
        power += np.uint64(1)
    end = np.uint64(1) << (np.uint64(64) - power)
    for s in range(sets.shape[0]):
        alike = s > 0
        for member in range(size - 1):
            alike = alike and sets[s, member] == sets[s - 1, member]
        if not alike:
            for r in range(rows):
                shared[r] = 0
            for member in range(size - 1):
                column = sets[s, member]
                for r in range(rows):
                    shared[r] = _mixed(shared[r] + hashes[column, r])
        last = sets[s, size - 1]
        for r in range(rows):
            word = _mixed(shared[r] + hashes[last, r])
            register = word & within
            rank = np.uint8(lowest((word >> power) | end) + 1)
            if rank > registers[s, register]:  # noqa: PLR1730 - seldom; max() would always write
                registers[s, register] = rank


def estimated_counts(registers: U8) -> I64:
    """Return about how many combinations went into each sketch, by its registers.

    Algorithm 6 of O. Ertl, New cardinality estimation algorithms for HyperLogLog sketches (2017).
    """
    return np.array([_estimate(row) for row in registers], dtype=np.int64)


def _estimate(registers: U8) -> int:
    many = len(registers)
    longest = 64 - (many.bit_length() - 1)  # run of zeros in the bits left by the choice
    seen = np.bincount(registers, minlength=longest + 2).tolist()
    total = many * _tau(1 - seen[longest + 1] / many)
    for run in range(longest, 0, -1):
        total = (total + seen[run]) / 2
    total += many * _sigma(seen[0] / many)
    return 0 if math.isinf(total) else round(many * many / (2 * math.log(2) * total))


def _sigma(x: float) -> float:
    """Return x + sum of x^(2^k) 2^(k-1) over k = 1, 2 …: the part of empty registers."""
    if x == 1:
        return math.inf
    total, power, before = x, 1.0, -1.0
    while total != before:
        before, x = total, x * x
        total, power = total + x * power, 2 * power
    return total


def _tau(x: float) -> float:
    """Return (1 - x - sum of (1 - x^(2^-k))^2 2^-k over k = 1, 2 …) / 3: the part of full ones."""
    if x in (0, 1):
        return 0.0
    total, power, before = 1 - x, 1.0, -1.0
    while total != before:
        before, x, power = total, math.sqrt(x), power / 2
        total -= (1 - x) ** 2 * power
    return total / 3
