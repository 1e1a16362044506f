"""Classes of records that are published alike: loops that find them and move records.

A class is a set of blanked columns, as bits, and one of its members, which has the values that are
published. Classes are found by a hash of the values that are not blank, and compared value by
value, so that the answer is exact. A piece is some of the records of one combination in one class.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from singleout.core.arrays import F64, I32, I64, U64
from singleout.kernels.compiling import inner

__all__ = [
    "TINY",
    "State",
    "add_piece",
    "class_of",
    "cost_of",
    "find_class",
    "move_piece",
    "same_values",
    "slot_of",
]

TINY = 1e-9  # gains below this come from rounding


class State(NamedTuple):
    """Combinations, and the classes that their records are in."""

    codes: I32  # of each combination and column
    hashes: U64  # of each combination and column: a random word for each value
    missing: I64  # of each combination: the columns without a value, as bits
    weights: F64  # what a blanked cell costs in each column
    masks: I64  # of each class: the blank columns, as bits
    heads: I64  # of each class: a combination that has its values
    totals: I64  # of each class: how many records it has
    slots: I64  # the hash table: a class, or -1
    used: I64  # how many classes there are, how many pieces, and k
    group: I64  # of each piece: its combination
    owner: I64  # of each piece: its class
    amount: I64  # of each piece: how many records


@inner
def cost_of(mask: int, weights: F64) -> float:
    """Return what it costs to blank some columns."""
    total = 0.0
    for j in range(weights.size):
        if (mask >> j) & 1:
            total += weights[j]
    return total


@inner
def slot_of(hashes: U64, g: int, mask: int, size: int) -> Any:
    """Return where to look for a combination with some columns blank."""
    word = np.uint64(0)
    for j in range(hashes.shape[1]):
        if not (mask >> j) & 1:
            word += hashes[g, j]
    word ^= word >> np.uint64(32)
    return np.int64(word & np.uint64(size - 1))


@inner
def same_values(codes: I32, a: int, b: int, mask: int) -> bool:
    """Whether two combinations have the same values where they are not blank."""
    for j in range(codes.shape[1]):
        if not (mask >> j) & 1 and codes[a, j] != codes[b, j]:
            return False
    return True


@inner
def find_class(s: Any, g: int, mask: int) -> int:
    """Return the class of a combination with these blanks; -1 less a free slot if there is none."""
    size = s.slots.size
    i = slot_of(s.hashes, g, mask, size)
    while s.slots[i] >= 0:
        c = s.slots[i]
        if s.masks[c] == mask and same_values(s.codes, s.heads[c], g, mask):
            return c
        i = (i + 1) & (size - 1)
    return -1 - i


@inner
def class_of(s: Any, g: int, mask: int) -> int:
    """Return the class of a combination with these blanks, new and empty if there was none."""
    c = find_class(s, g, mask)
    if c < 0:
        i = -1 - c
        c = s.used[0]
        s.used[0] += 1
        s.slots[i] = c
        s.masks[c] = mask
        s.heads[c] = g
        s.totals[c] = 0
    return c


@inner
def add_piece(s: Any, g: int, c: int, count: int) -> None:
    """Add records of a combination to a class."""
    p = s.used[1]
    s.used[1] += 1
    s.group[p] = g
    s.owner[p] = c
    s.amount[p] = count
    s.totals[c] += count


@inner
def move_piece(s: Any, p: int, c: int, count: int) -> None:
    """Move some records of a piece to another class."""
    s.totals[s.owner[p]] -= count
    if count == s.amount[p]:
        s.owner[p] = c
        s.totals[c] += count
    else:
        s.amount[p] -= count
        add_piece(s, s.group[p], c, count)
