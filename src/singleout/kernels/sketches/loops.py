"""The compiled loop of sketches."""

from __future__ import annotations

from typing import Any

import numpy as np

from singleout.core.arrays import I64, U8, U64
from singleout.kernels.bits import lowest
from singleout.kernels.compiling import inlined, kernel

__all__ = ["add_to_sketches", "mixed"]


def mixed(word: Any) -> Any:
    """Spread every bit of one word or of many over all others.

    The finaliser of SplitMix64 (Steele et al. 2014).
    """
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


_mixed = inlined(mixed)


@kernel
def add_to_sketches(hashes: U64, sets: I64, registers: U8, shared: U64) -> None:
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
