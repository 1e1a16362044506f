"""The cheapest columns that have one in common with each of some sets: a minimum hitting set.

Exact, by branch and bound: of the sets that are not hit yet, branch on the columns of one with the
fewest; prune by the cheapest columns of sets that have none in common.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from singleout.core.arrays import F64, I64, Flags
from singleout.kernels.compiling import inner, kernel

__all__ = ["hitting_sets"]

_MOST_BRANCHES = 200_000  # for one record; far more than the uniques of a record ask for
_TINY = 1e-9


@kernel
def hitting_sets(
    starts: I64, sets: I64, weights: F64, order: I64, chosen: I64, proven: Flags
) -> None:
    """Write for each record the cheapest columns that hit its sets, as bits.

    ``sets`` from ``starts[r]`` on are those of record r, their columns as bits. ``order`` is the
    order in which columns of the same weight are preferred. ``proven`` becomes false for a record
    with too many branches; its columns hit all sets, but cheaper ones might too.
    """
    for r in range(starts.size - 1):
        chosen[r], proven[r] = _hit(sets[starts[r] : starts[r + 1]], weights, order)


@inner
def _hit(sets: I64, weights: F64, order: I64) -> tuple[Any, bool]:
    width = weights.size
    best, least = _greedily(sets, weights, order)
    # a stack of choices: the columns taken, those ruled out, and what was paid
    room = width * width + 1
    taken = np.zeros(room, dtype=np.int64)
    ruled_out = np.zeros(room, dtype=np.int64)
    paid = np.zeros(room, dtype=np.float64)
    branch_bits = np.empty(width, dtype=np.int64)
    depth, branches = 1, 0
    while depth > 0:
        branches += 1
        if branches > _MOST_BRANCHES:
            return best, False
        depth -= 1
        have, without, cost = taken[depth], ruled_out[depth], paid[depth]
        pick, fewest = np.int64(-1), np.int64(width + 1)
        apart, bound = np.int64(0), cost
        possible = True
        for x in range(sets.size):
            if sets[x] & have:
                continue
            open_columns = sets[x] & ~without
            if open_columns == 0:
                possible = False
                break
            number, cheapest = np.int64(0), np.inf
            for j in range(width):
                if (open_columns >> j) & 1:
                    number += 1
                    cheapest = min(cheapest, weights[j])
            if number < fewest:
                pick, fewest = open_columns, number
            if not open_columns & apart:
                apart |= open_columns
                bound += cheapest
        if not possible or bound >= least - _TINY:
            continue
        if pick < 0:
            best, least = have, cost
            continue
        choices = 0
        for j in order:
            if (pick >> j) & 1:
                branch_bits[choices] = j
                choices += 1
        # the last on the stack is looked at first
        for z in range(choices - 1, -1, -1):
            j = branch_bits[z]
            before = np.int64(0)
            for y in range(z):
                before |= np.int64(1) << branch_bits[y]
            taken[depth] = have | (np.int64(1) << j)
            ruled_out[depth] = without | before
            paid[depth] = cost + weights[j]
            depth += 1
    return best, True


@inner
def _greedily(sets: I64, weights: F64, order: I64) -> tuple[Any, float]:
    """Take the column that hits most sets for its weight, again and again."""
    have, cost = np.int64(0), 0.0
    while True:
        best, most = np.int64(-1), 0.0
        for j in order:
            hits = 0
            for x in range(sets.size):
                if not sets[x] & have and (sets[x] >> j) & 1:
                    hits += 1
            if hits > most * weights[j] * (1 + _TINY):
                best, most = j, hits / weights[j]
        if best < 0:
            return have, cost
        have |= np.int64(1) << best
        cost += weights[best]
