"""The compiled loops of the lattice search.

A node is a level for each column. Its groups come from those of a node below by raising one column
at a time: keys that become equal are merged, in a hash table. The search goes depth first from the
bottom, in the order of the columns, and leaves out what cannot be best, by three bounds:

- records lose no less further up, so that a node whose generalisation alone costs more than the
  best node found ends the branch;
- above a node that suppresses nothing all nodes lose as much, or more;
- once the first columns of the order are fixed, groups of their projection are unions of groups of
  every node to come. One with fewer than k records is suppressed in all of them: whole groups count
  against the limit, and as lost. Of one with too large a share of a value at least as many records
  must go as bring the share down.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from singleout.core.arrays import F64, I64, U8
from singleout.kernels.compiling import inlined, inner, kernel

__all__ = [
    "DONE",
    "ENTROPY",
    "GEOMETRIC",
    "LOSS",
    "PAUSED",
    "TIE",
    "TOO_SHORT",
    "explore",
    "look",
    "number_groups",
]

LOSS, GEOMETRIC, ENTROPY = 0, 1, 2  # metrics
DONE, PAUSED, TOO_SHORT = 0, 1, 2  # why exploring ended
TIE = 1e-11  # scores that differ by less, relative to the score or to 1, are equal

_MIX = -7046029254386353131  # 2**64 / golden ratio: multiplying spreads keys over the high bits
_LOW = (1 << 32) - 1
_LEAST = 1 << 4
_FEW = 2  # nodes, from which on bounding them is tried
_TRIALS = 8  # projections before their use is judged

# tuples of arrays, as in tables.py
_Tables = Any
_Groups = Any
# how the key of a group changes: word, shift and mask of the column; by its label, the bits of the
# key that change, and what is lost
_Change = tuple[int, int, int, I64, F64]


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
def _merge(
    g: _Groups,
    start: int,
    size: int,
    first: int,
    column: _Change,
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
def _raised(t: _Tables, column: int, low: int, high: int) -> _Change:
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


@inner
def _mark(g: _Groups, start: int, size: int, k: int, caps: F64, flags: U8) -> int:
    """Flag the groups that break the policy; return how many records they have."""
    suppressed = 0
    for i in range(size):
        count = g.counts[start + i]
        breaks = count < k
        for v in range(caps.size):
            breaks |= g.extra[start + i, v] >= caps[v] * count
        flags[i] = breaks
        if breaks:
            suppressed += count
    return suppressed


@inner
def _plain(t: _Tables, levels: I64, metric: int) -> float:
    """Return what generalisation alone costs."""
    if metric == GEOMETRIC:
        product = 1.0
        for j in range(levels.size):
            product *= (1.0 + t.bound[j, levels[j]]) ** t.importance[j]
        return product - 1.0
    total = 0.0
    for j in range(levels.size):
        total += t.bound[j, levels[j]]
    return total


@inner
def _entropy(
    t: _Tables, g: _Groups, start: int, size: int, levels: I64, flags: U8, marked: int, tally: I64
) -> float:
    """Return what marking adds: the entropy of the labels of the marked records."""
    for i in range(size):
        if flags[i]:
            for j in range(levels.size):
                label = (g.keys[t.word[j], start + i] >> t.shift[j]) & t.mask[j]
                tally[t.at[j, levels[j]] + label] += g.counts[start + i]
    added = 0.0
    for j in range(levels.size):
        lost = 0.0
        for entry in range(t.at[j, levels[j]], t.at[j, levels[j] + 1]):
            count = tally[entry]
            if count:
                lost -= count * np.log2(count / marked)
                tally[entry] = 0
        added += lost * t.importance[j]
    return added * levels.size


@inner
def _score(
    t: _Tables,
    g: _Groups,
    start: int,
    size: int,
    levels: I64,
    flags: U8,
    marked: int,
    records: int,
    metric: int,
    tally: I64,
) -> float:
    """Return the score of a node whose flagged groups are suppressed.

    It falls nowhere when more groups are flagged or columns raised. That makes it a bound, too.
    """
    if marked == 0:
        return _plain(t, levels, metric)
    if metric == ENTROPY:
        return _plain(t, levels, metric) + _entropy(t, g, start, size, levels, flags, marked, tally)
    if metric == LOSS:
        added = 0.0
        for i in range(size):
            if flags[i]:
                added += g.counts[start + i] * (1.0 - g.losses[start + i])
        return _plain(t, levels, metric) + added / records
    lost = np.zeros(levels.size)
    for i in range(size):
        if flags[i]:
            for j in range(levels.size):
                label = (g.keys[t.word[j], start + i] >> t.shift[j]) & t.mask[j]
                kept_share = 1.0 - t.weight[t.at[j, levels[j]] + label]
                lost[j] += g.counts[start + i] * kept_share
    product = 1.0
    for j in range(levels.size):
        product *= (1.0 + t.bound[j, levels[j]] + lost[j] / records) ** t.importance[j]
    return product - 1.0


@inner
def _single(g: _Groups, start: int, size: int, flags: U8) -> float:
    """Return the charge for the only suppressed record, which has no distribution to hide in."""
    for i in range(size):
        if flags[i]:
            return g.losses[start + i]
    return 0.0


@kernel
def look(
    t: _Tables,
    g: _Groups,
    start: int,
    size: int,
    first: int,
    column: int,
    low: int,
    levels: I64,
    k: int,
    caps: F64,
    records: int,
    metric: int,
    slots: I64,
    stamp: int,
    flags: U8,
    tally: I64,
    of_group: I64,
) -> tuple[int, int, float]:
    """Raise a column from level ``low`` to that of a node; return groups, suppressed and score.

    ``of_group`` receives the new group of each.
    """
    all_bits = np.full(g.keys.shape[0], -1)
    change = _raised(t, column, low, levels[column])
    groups = _merge(g, start, size, first, change, all_bits, slots, stamp, of_group)
    marked = _mark(g, first, groups, k, caps, flags)
    score = _score(t, g, first, groups, levels, flags, marked, records, metric, tally)
    if metric == ENTROPY and marked == 1:
        score += _single(g, first, groups, flags)
    return groups, marked, score


@inner
def _project(
    g: _Groups,
    start: int,
    size: int,
    kept_bits: I64,
    k: int,
    caps: F64,
    slots: I64,
    stamp: int,
    of_group: I64,
) -> tuple[int, int]:
    """Find the groups of a projection that every node with its columns suppresses.

    Returns how many records they have, and how many records such a node suppresses at least. The
    groups of the projection are written after those of the node; the loss of these is 1, else 0.
    """
    counts, losses, extra = g.counts, g.losses, g.extra
    first = start + size
    same = (0, 0, 0, np.zeros(1, dtype=np.int64), np.zeros(1))
    groups = _merge(g, start, size, first, same, kept_bits, slots, stamp, of_group)
    marked = 0
    at_least = 0
    for row in range(first, first + groups):
        count = counts[row]
        need = 0
        for v in range(caps.size):
            excess = extra[row, v] - caps[v] * count
            if excess >= 0.0:
                # so many with the value must go that the others stay below the cap
                need = max(need, 1, int(np.ceil(excess / (1.0 - caps[v]) - 1e-6)))
        if count - need < k:
            need = count
            marked += count
        losses[row] = 1.0 if need == count else 0.0
        at_least += need
    return marked, at_least


@inner
def _first_of_ties(levels: I64, other: I64) -> bool:
    """Whether a node goes before another of the same score.

    The lower sum of levels goes first, then the lower level in the last column that differs.
    """
    total, others = levels.sum(), other.sum()
    if total != others:
        return total < others
    for j in range(levels.size - 1, -1, -1):
        if levels[j] != other[j]:
            return levels[j] < other[j]
    return False


@inner
def _is_worth(chances: I64, place: int, nodes: int) -> bool:
    """Whether to look at a projection: it costs as much as a node, and may save ``nodes`` or more.

    ``chances`` holds for each place how many were tried, how many of them saved nodes, and how many
    were left out since. Where they seldom do, one of 16 is tried.
    """
    if nodes < _FEW:
        return False
    tried, saved, omitted = chances[place, 0], chances[place, 1], chances[place, 2]
    if tried < _TRIALS or saved * nodes >= tried or omitted >= 15:
        chances[place, 0] += 1
        chances[place, 2] = 0
        return True
    chances[place, 2] += 1
    return False


@inner
def _next(
    t: _Tables, levels: I64, order: I64, top: I64, place: int, metric: int, reach: float
) -> int:
    """Return how many nodes one step up are within reach, by columns from a place on."""
    nodes = 0
    for p in range(place, order.size):
        j = order[p]
        if levels[j] < top[j]:
            levels[j] += 1
            nodes += _plain(t, levels, metric) <= reach
            levels[j] -= 1
    return nodes


@inner
def _ceiling(t: _Tables, levels: I64, marked: int, records: int, metric: int) -> float:
    """Return what a node costs at most if that many records are suppressed."""
    if metric == LOSS:
        return _plain(t, levels, metric) + marked / records
    total, product = 0.0, 1.0
    for j in range(levels.size):
        labels = t.at[j, levels[j] + 1] - t.at[j, levels[j]]
        total += t.importance[j] * marked * np.log2(min(labels, marked))
        product *= (1.0 + t.bound[j, levels[j]] + marked / records) ** t.importance[j]
    if metric == GEOMETRIC:
        return product - 1.0
    return _plain(t, levels, metric) + total * levels.size


@kernel
def explore(
    t: _Tables,
    g: _Groups,
    k: int,
    limit: int,
    caps: F64,
    records: int,
    metric: int,
    order: I64,
    top: I64,
    stack: I64,
    levels: I64,
    best_levels: I64,
    best: F64,
    state: I64,
    slots: I64,
    flags: U8,
    tally: I64,
    of_group: I64,
    chances: I64,
    work: int,
    most: int,
) -> int:
    """Go on with the search until it is done, has done its work, or has too little room.

    Parameters
    ----------
    t, g
        Tables and groups; the first rows are the groups of the lowest node.
    order
        The columns in the order in which they are raised.
    top
        The highest level of each column.
    stack
        For each node on the way: first row, groups, the place in ``order`` of the column that was
        raised last, and the place of the one to raise next.
    levels
        The node at hand.
    best_levels, best
        The best node and its score.
    state
        Depth (-1: done), stamp, nodes looked at, records suppressed at best (-1: none found).
    chances
        For each place in ``order``, what looking at projections brought; zeros at first.
    work
        How many groups to go through before a pause.
    most
        How many nodes to look at, in all, before a pause.
    """
    width = order.size
    all_bits = np.full(g.keys.shape[0], -1)
    kept_bits = np.empty(g.keys.shape[0], dtype=np.int64)
    while state[0] >= 0:
        d = state[0]
        start, size, last, p = stack[d, 0], stack[d, 1], stack[d, 2], stack[d, 3]
        if p >= width:
            if d > 0:
                levels[order[last]] -= 1
            state[0] -= 1
            continue
        if work <= 0 or state[2] >= most:
            return PAUSED
        if start + 2 * size + 1 > g.counts.size:
            return TOO_SHORT
        reach = best[0] + TIE * max(1.0, abs(best[0]))
        stack[d, 3] = p + 1
        if p > last and p > 0:
            nodes = _next(t, levels, order, top, p, metric, reach)
            if nodes == 0:
                stack[d, 3] = width
                continue
            if _is_worth(chances, p, nodes):
                kept_bits[:] = 0
                for q in range(p):
                    kept_bits[t.word[order[q]]] |= t.mask[order[q]] << t.shift[order[q]]
                state[1] += 1
                work -= size
                marked, at_least = _project(
                    g, start, size, kept_bits, k, caps, slots, state[1], of_group
                )
                beyond = at_least > limit
                if not beyond and _ceiling(t, levels, marked, records, metric) > reach:
                    for i in range(size):
                        flags[i] = g.losses[start + size + of_group[i]] > 0.0
                    beyond = reach < _score(
                        t, g, start, size, levels, flags, marked, records, metric, tally
                    )
                if beyond:
                    stack[d, 3] = width
                    chances[p, 1] += 1
                    continue
        j = order[p]
        if levels[j] >= top[j]:
            continue
        levels[j] += 1
        if _plain(t, levels, metric) > reach:
            levels[j] -= 1
            continue
        state[1] += 1
        state[2] += 1
        work -= size
        first = start + size
        change = _raised(t, j, levels[j] - 1, levels[j])
        groups = _merge(g, start, size, first, change, all_bits, slots, state[1], of_group)
        marked = _mark(g, first, groups, k, caps, flags)
        if marked <= limit:
            score = _score(t, g, first, groups, levels, flags, marked, records, metric, tally)
            if metric == ENTROPY and marked == 1:
                score += _single(g, first, groups, flags)
            slack = TIE * max(1.0, abs(best[0]))
            better = state[3] < 0 or score < best[0] - slack
            if better or (score <= best[0] + slack and _first_of_ties(levels, best_levels)):
                best_levels[:] = levels
                state[3] = marked
            best[0] = min(best[0], score)
        if marked == 0:
            levels[j] -= 1
            continue
        state[0] = d + 1
        stack[d + 1, 0], stack[d + 1, 1] = first, groups
        stack[d + 1, 2], stack[d + 1, 3] = p, p
    return DONE
