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

import numpy as np

from singleout.core.arrays import F64, I64, U8
from singleout.kernels.compiling import inner, kernel
from singleout.kernels.lattice.groups import Groups, Tables, merge, raised
from singleout.kernels.lattice.scores import (
    ENTROPY,
    ceiling,
    charge_of_one,
    mark,
    plain_cost,
    score_of,
)

__all__ = ["DONE", "PAUSED", "TIE", "TOO_SHORT", "explore", "look"]

DONE, PAUSED, TOO_SHORT = 0, 1, 2  # why exploring ended
TIE = 1e-11  # scores that differ by less, relative to the score or to 1, are equal

_FEW = 2  # nodes, from which on bounding them is tried
_TRIALS = 8  # projections before their use is judged


@kernel
def look(
    t: Tables,
    g: Groups,
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
    change = raised(t, column, low, levels[column])
    groups = merge(g, start, size, first, change, all_bits, slots, stamp, of_group)
    marked = mark(g, first, groups, k, caps, flags)
    score = score_of(t, g, first, groups, levels, flags, marked, records, metric, tally)
    if metric == ENTROPY and marked == 1:
        score += charge_of_one(g, first, groups, flags)
    return groups, marked, score


@inner
def _project(
    g: Groups,
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
    groups = merge(g, start, size, first, same, kept_bits, slots, stamp, of_group)
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
    t: Tables, levels: I64, order: I64, top: I64, place: int, metric: int, reach: float
) -> int:
    """Return how many nodes one step up are within reach, by columns from a place on."""
    nodes = 0
    for p in range(place, order.size):
        j = order[p]
        if levels[j] < top[j]:
            levels[j] += 1
            nodes += plain_cost(t, levels, metric) <= reach
            levels[j] -= 1
    return nodes


@kernel
def explore(
    t: Tables,
    g: Groups,
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
                if not beyond and ceiling(t, levels, marked, records, metric) > reach:
                    for i in range(size):
                        flags[i] = g.losses[start + size + of_group[i]] > 0.0
                    beyond = reach < score_of(
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
        if plain_cost(t, levels, metric) > reach:
            levels[j] -= 1
            continue
        state[1] += 1
        state[2] += 1
        work -= size
        first = start + size
        change = raised(t, j, levels[j] - 1, levels[j])
        groups = merge(g, start, size, first, change, all_bits, slots, state[1], of_group)
        marked = mark(g, first, groups, k, caps, flags)
        if marked <= limit:
            score = score_of(t, g, first, groups, levels, flags, marked, records, metric, tally)
            if metric == ENTROPY and marked == 1:
                score += charge_of_one(g, first, groups, flags)
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
