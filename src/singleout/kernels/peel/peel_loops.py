"""The compiled loop of peeling: at each node of the lattice, take off every class of k records.

Most nodes have nothing to take off, and few combinations go at any node. So keys are first counted
by their hash alone: where that stays below k, no class has k records. Only the others are compared.
"""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import I32, I64
from singleout.kernels.compiling import inlined, kernel

__all__ = ["peel"]

NODE, KEY, COUNT, WHO = 0, 1, 2, 3  # of a slot of the hash table


@inlined
def _hash(key, shift):  # type: ignore[no-untyped-def]
    return (np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> shift


@kernel
def peel(
    codes: I32, counts: I64, ids: I64, records: int, keys: I64, bases: I64, begin: int,
    k: int, enough: int, budget: int, of_group: I64, classes: int,
    compare: bool, nodes: I32, maps: I32, all_codes: I32,
) -> tuple[int, int, int, int, int]:  # fmt: skip
    """Go through nodes in their order; fix every class of at least k records, and remove it.

    ``codes``, ``counts`` and ``ids`` describe the combinations that remain, and are compacted.
    The key of a combination at a node is the sum of ``keys[bases[node, p] + codes[r, p]]`` over the
    parts p of its code; with ``compare``, different combinations may have the same key, and their
    labels are compared too. Stop once at most ``enough`` records remain or ``budget`` combinations
    were looked at. Return how many combinations and records remain, the next node, how many classes
    there are, and what remains of the budget.
    """
    left = ids.size
    parts = codes.shape[1]
    bits = 6
    while (1 << bits) < 4 * left:
        bits += 1
    counters = np.zeros(1 << bits, dtype=np.uint32)
    slots = np.full((1 << (bits - 1), 4), -1, dtype=np.int64)
    key_of = np.empty(left, dtype=np.int64)
    slot_of = np.empty(left, dtype=np.int32)
    base = np.empty(parts, dtype=np.int64)
    at = begin
    while at < bases.shape[0] and budget > 0 and left > 0 and records > enough:
        while bits > 6 and (1 << bits) >= 8 * left:
            bits -= 1
        shift = np.uint64(64 - bits)
        budget -= left
        counters[: 1 << bits] = 0
        for p in range(parts):
            base[p] = bases[at, p]
        hit = False
        for r in range(left):
            key = keys[base[0] + codes[r, 0]]
            for p in range(1, parts):
                key += keys[base[p] + codes[r, p]]
            key_of[r] = key
            h = _hash(key, shift)
            total = counters[h] + counts[r]
            counters[h] = np.uint32(total)
            hit |= total >= k
        if hit:
            mask = (1 << (bits - 1)) - 1
            for r in range(left):
                key = key_of[r]
                h = np.int64(_hash(key, shift))
                if counters[h] < k:
                    slot_of[r] = -1
                    continue
                h &= mask
                while True:
                    if slots[h, NODE] != at:
                        slots[h, NODE] = at
                        slots[h, KEY] = key
                        slots[h, COUNT] = counts[r]
                        slots[h, WHO] = ids[r]
                        break
                    if slots[h, KEY] == key:
                        same = True
                        if compare:
                            who = slots[h, WHO]
                            for j in range(nodes.shape[1]):
                                a, b = all_codes[who, j], all_codes[ids[r], j]
                                same &= maps[j, nodes[at, j], a] == maps[j, nodes[at, j], b]
                        if same:
                            slots[h, COUNT] += counts[r]
                            break
                    h = (h + 1) & mask
                slot_of[r] = h
            kept = 0
            for r in range(left):
                h = slot_of[r]
                if h >= 0 and slots[h, COUNT] >= k:
                    if slots[h, WHO] >= 0:  # from now on, the class, below 0
                        slots[h, WHO] = -1 - classes
                        classes += 1
                    of_group[ids[r]] = -1 - slots[h, WHO]
                    records -= counts[r]
                else:
                    if kept != r:
                        ids[kept] = ids[r]
                        counts[kept] = counts[r]
                        for p in range(parts):
                            codes[kept, p] = codes[r, p]
                    kept += 1
            left = kept
        at += 1
    return left, records, at, classes, budget
