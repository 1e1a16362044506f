"""Groups of records by the labels of a node: merged in a hash table when a column is raised."""

from __future__ import annotations

from typing import Any

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.kernels.compiling import inlined, inner, kernel

__all__ = ["Change", "Groups", "Tables", "merge", "number_groups", "raised"]

_MIX = -7046029254386353131  # 2**64 / golden ratio: multiplying spreads keys over the high bits
_LOW = (1 << 32) - 1
_LEAST = 1 << 4

# tuples of arrays, as in tables.py
Tables = Any
Groups = Any
# how the key of a group changes: word, shift and mask of the column; by its label, the bits of the
# key that change, and what is lost
Change = tuple[int, int, int, I64, F64]


@inlined
def _find(keys: I64, row: int, first: int, slots: I64, bits: int, stamp: int) -> int:
    """Return the row from ``first`` on that has the key of ``row``: itself, if no earlier one.

    A slot holds the stamp of the table that it belongs to, so that no table is ever cleared.
    """
    words = keys.shape[0]
    key = keys[0, row]
    mixed = key * np.int64(_MIX)
    for w in range(1, words):
        mixed = (mixed ^ (mixed >> 32) ^ keys[w, row]) * np.int64(_MIX)
    last = (np.int64(1) << bits) - 1
    slot = (mixed >> (64 - bits)) & last
    found = row
    while True:
        held = slots[slot]
        if held >> 32 != stamp:
            slots[slot] = (stamp << 32) | (row - first)
            break
        found = first + (held & _LOW)
        same = keys[0, found] == key
        for w in range(1, words):
            same &= keys[w, found] == keys[w, row]
        if same:
            break
        found = row
        slot = (slot + 1) & last
    return found


@inner
def _bits(groups: int) -> int:
    """Return the bits of a hash table's size: at least twice as many slots as groups."""
    bits, size = 4, _LEAST
    while size < 2 * groups:
        size *= 2
        bits += 1
    return bits


@kernel
def number_groups(keys: I64, room: I64, numbers: I64, slots: I64) -> int:
    """Write the distinct keys in order of appearance and the number of each; return how many."""
    distinct = 0
    bits = _bits(keys.shape[1])
    for i in range(keys.shape[1]):
        for w in range(keys.shape[0]):
            room[w, distinct] = keys[w, i]
        numbers[i] = _find(room, distinct, 0, slots, bits, 1)
        if numbers[i] == distinct:
            distinct += 1
    return distinct


@inner
def merge(
    g: Groups,
    start: int,
    size: int,
    first: int,
    column: Change,
    kept_bits: I64,
    slots: I64,
    stamp: int,
    of_group: I64,
) -> int:
    """Write groups with changed keys to row ``first`` on, equal ones as one; return how many.

    A new key has the bits of ``kept_bits``, and another label in one column. ``of_group`` receives
    the new group of each.
    """
    keys, counts, losses, extra = g.keys, g.counts, g.losses, g.extra
    word, shift, mask, change, lost = column
    words, values = keys.shape[0], extra.shape[1]
    bits = _bits(size)
    groups = 0
    if words == 1:  # the same as below, in half the time
        single = keys[0]
        kept = kept_bits[0]
        last = (np.int64(1) << bits) - 1
        down = 64 - bits
        for i in range(size):
            key = single[start + i]
            label = (key >> shift) & mask
            key = (key & kept) ^ change[label]
            slot = ((key * np.int64(_MIX)) >> down) & last
            while True:
                held = slots[slot]
                if held >> 32 != stamp:
                    slots[slot] = (stamp << 32) | groups
                    single[first + groups] = key
                    counts[first + groups] = counts[start + i]
                    losses[first + groups] = losses[start + i] + lost[label]
                    of_group[i] = groups
                    groups += 1
                    break
                row = held & _LOW
                if single[first + row] == key:
                    counts[first + row] += counts[start + i]
                    of_group[i] = row
                    break
                slot = (slot + 1) & last
    else:
        for i in range(size):
            end = first + groups
            for w in range(words):
                keys[w, end] = keys[w, start + i] & kept_bits[w]
            label = (keys[word, start + i] >> shift) & mask
            keys[word, end] ^= change[label]
            row = _find(keys, end, first, slots, bits, stamp)
            if row == end:
                counts[row] = 0
                losses[row] = losses[start + i] + lost[label]
                groups += 1
            counts[row] += counts[start + i]
            of_group[i] = row - first
    if values:
        extra[first : first + groups] = 0
        for i in range(size):
            for v in range(values):
                extra[first + of_group[i], v] += extra[start + i, v]
    return groups


@inner
def raised(t: Tables, column: int, low: int, high: int) -> Change:
    """Return how raising a column changes the keys and the losses of its labels."""
    labels = t.at[column, low + 1] - t.at[column, low]
    change = np.empty(labels, dtype=np.int64)
    lost = np.empty(labels)
    for label in range(labels):
        above = np.int64(label)
        for level in range(low, high):
            above = t.up[t.at[column, level] + above]
        change[label] = (label ^ above) << t.shift[column]
        lost[label] = t.weight[t.at[column, high] + above] - t.weight[t.at[column, low] + label]
    return t.word[column], t.shift[column], t.mask[column], change, lost
