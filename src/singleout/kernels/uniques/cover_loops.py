"""All minimal uniques of one record, counted and not kept: depth first, in bounded memory.

A set of columns singles a record out if it has a column of every difference from another record: a
hitting set of these differences. The minimal ones are enumerated as in MMCS (Murakami and Uno
2014): branch on the columns of the open difference that has fewest left, and turn back as soon as a
column of the set is not needed for any difference.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64, U64
from singleout.kernels.bits import lowest, popcount
from singleout.kernels.compiling import kernel

__all__ = ["count_minimal_covers"]


@kernel
def count_minimal_covers(
    masks: U64, columns: int, largest: int, counts: I64, halt: NDArray[np.bool_]
) -> bool:
    """Count the minimal sets of bits that share one with every mask; return whether all were.

    ``counts`` is for each size (from 1) and bit how many minimal sets of that size have the bit.
    ``columns`` are the bits of the masks. The search ends when the one element of ``halt`` becomes
    true.
    """
    one = np.uint64(1)
    sets = np.zeros(largest + 1, dtype=np.uint64)
    allowed = np.zeros(largest + 1, dtype=np.uint64)
    branches = np.zeros(largest + 1, dtype=np.uint64)
    everything = np.uint64(0)
    for column in range(columns):
        everything |= one << np.uint64(column)
    # those that a set hits twice stay so in every larger set: they are not looked at again
    held = np.empty((largest + 1, masks.size), dtype=np.uint64)
    lengths = np.zeros(largest + 1, dtype=np.int64)
    lengths[0] = masks.size
    fewest = np.int64(65)
    for i in range(masks.size):
        mask = masks[i]
        held[0, i] = mask
        left = np.int64(popcount(mask))
        if left < fewest:
            fewest = left
            branches[0] = mask
    allowed[0] = everything & ~branches[0]
    depth = 0
    while depth >= 0:
        if halt[0]:
            return False
        if branches[depth] == 0:
            depth -= 1
            continue
        bit = branches[depth] & (~branches[depth] + one)
        branches[depth] ^= bit
        chosen = sets[depth] | bit
        needed = np.uint64(0)
        fewest = np.int64(65)
        narrow = np.uint64(0)
        to = 0
        for i in range(lengths[depth]):
            mask = held[depth, i]
            shared = mask & chosen
            if shared & (shared - one):
                continue
            held[depth + 1, to] = mask
            to += 1
            if shared == 0:
                left = np.int64(popcount(mask & allowed[depth]))
                if left < fewest:
                    fewest = left
                    narrow = mask
            else:
                needed |= shared
        if needed != chosen:
            continue
        if fewest == 65:  # nothing is open
            left_bits = chosen
            while left_bits:
                counts[depth, np.int64(lowest(left_bits))] += 1
                left_bits &= left_bits - one
        elif fewest > 0 and depth + 1 < largest:
            depth += 1
            sets[depth] = chosen
            lengths[depth] = to
            branches[depth] = narrow & allowed[depth - 1]
            allowed[depth] = allowed[depth - 1] & ~branches[depth]
            # for the branches still to come at the level above
            allowed[depth - 1] |= bit
            continue
        allowed[depth] |= bit
    return True
