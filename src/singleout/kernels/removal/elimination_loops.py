"""The compiled loops behind elimination: number groups, take records out, score the others."""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import F64, I64, U32, U64
from singleout.kernels.bits import lowest
from singleout.kernels.compiling import kernel

__all__ = ["group_shares", "removable_groups", "remove", "score", "split", "tally"]


SIZE, MEMBERS = 0, 1  # of a group: how many records it has, and their numbers combined by xor


@kernel
def split(parents: U32, codes: U32, levels: int, cells: U32, ids: U32) -> int:
    """Give numbers to the different pairs of a parent group and a code; return how many there are.

    ``cells`` is zero before and after, and longer than the number of parents times the levels.
    """
    pairs = 0
    for r in range(parents.size):
        cell = np.int64(parents[r]) * levels + codes[r]
        if cells[cell] == 0:
            pairs += 1
            cells[cell] = np.uint32(pairs)
        ids[r] = cells[cell] - np.uint32(1)
    for r in range(parents.size):
        cells[np.int64(parents[r]) * levels + codes[r]] = 0
    return pairs


@kernel
def tally(ids: U32, people: U32, groups: U32, bits: U64) -> None:
    """Count the members of each group, combine their numbers by xor, and mark who is alone.

    ``people`` is how many records each row stands for; empty if each is one record. The number of a
    row is combined once for each of them, so that an even number of them leaves nothing.
    """
    for r in range(ids.size):
        many = people[r] if people.size else np.uint32(1)
        groups[ids[r], SIZE] += many
        if many & np.uint32(1):
            groups[ids[r], MEMBERS] ^= np.uint32(r)
    for g in range(groups.shape[0]):
        if groups[g, SIZE] == 1:
            r = groups[g, MEMBERS]
            bits[r >> 6] |= np.uint64(1) << np.uint64(r & 63)


@kernel
def remove(
    rows: I64, times: I64, ids: U32, starts: I64, groups: U32, distinct: I64, bits: U64
) -> None:
    """Remove rows from every column set, each so many times; once if ``times`` is empty.

    A group of one that loses its member vanishes; a group that is left with one leaves a record
    that is now unique, and the combined numbers name it.
    """
    for i in range(rows.size):
        r = rows[i]
        many = np.uint32(times[i]) if times.size else np.uint32(1)
        own = np.uint64(1) << np.uint64(r & 63)
        for q in range(distinct.size):
            g = starts[q] + ids[r, q]
            left = groups[g, SIZE] - many
            members = groups[g, MEMBERS]
            if many & np.uint32(1):
                members ^= np.uint32(r)
            groups[g, SIZE] = left
            groups[g, MEMBERS] = members
            if left == 0:
                distinct[q] -= 1
                bits[q, r >> 6] &= ~own
            elif left == 1:
                bits[q, members >> 6] |= np.uint64(1) << np.uint64(members & 63)


@kernel
def score(bits: U64, weights: I64, total: I64) -> None:
    """Add to each record the weights of the column sets for which it is unique."""
    for q in range(weights.size):
        weight = weights[q]
        if weight == 0:
            continue
        for w in range(bits.shape[1]):
            word = bits[q, w]
            while word != 0:
                total[64 * w + lowest(word)] += weight
                word &= word - np.uint64(1)


@kernel
def group_shares(ids: U32, starts: I64, groups: U32, chosen: I64, share: F64) -> None:
    """Write the sum of one over the size of a row's group, over the chosen column sets."""
    for r in range(share.size):
        total = 0.0
        for q in chosen:
            total += 1.0 / groups[starts[q] + ids[r, q], SIZE]
        share[r] = total


@kernel
def removable_groups(groups: U32, removed: I64, most: I64) -> None:
    """Write how many groups can vanish at most for each number of removed records, ascending.

    The smallest groups are the cheapest to remove.
    """
    limit = removed[-1]
    times = np.zeros(limit + 1, np.int64)
    for g in range(groups.shape[0]):
        if groups[g, SIZE] <= limit:
            times[groups[g, SIZE]] += 1
    size = 1
    spent = 0
    gone = 0
    for e in range(removed.size):
        while size <= limit and spent + size * times[size] <= removed[e]:
            spent += size * times[size]
            gone += times[size]
            size += 1
        more = (removed[e] - spent) // size if size <= limit else 0
        most[e] = gone + more
