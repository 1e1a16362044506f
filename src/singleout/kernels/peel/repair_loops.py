"""The compiled loop of repair: a class that lacks something merges until it holds.

It merges with the class that costs least loss for each record's worth of what is lacking that it
makes good.
"""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import F64, I32, I64
from singleout.kernels.compiling import inner, kernel
from singleout.kernels.peel.shared import add, lacking, meet

__all__ = ["lacks", "repair"]

SUPPRESSED = -2


@kernel
def lacks(
    histograms: I64, sizes: I64, starts: I64, caps: F64, usual: F64, limits: F64, found: F64
) -> None:
    """Write what each class lacks."""
    nothing = np.zeros(caps.size, dtype=np.int64)
    scratch = np.zeros(caps.size, dtype=np.int64)
    for c in range(sizes.size):
        found[c] = lacking(histograms[c], nothing, sizes[c], starts, caps, usual, limits, scratch)


@inner
def _meetings(
    x: int, columns: int, codes: I32, maps: I32, losses: F64, levels: I32, rows: F64
) -> None:
    """Write for each column, level and code what a class loses if it meets one with these."""
    for j in range(columns):
        a = codes[x, j]
        for level in range(maps.shape[1]):
            start = max(levels[x, j], level)
            for b in range(maps.shape[2]):
                rows[j, level, b] = losses[j, meet(maps, j, start, a, b), a]


@inner
def _together(y: int, columns: int, codes: I32, levels: I32, rows: F64, limit: float) -> float:
    """Return what a record of the union with a class loses; anything above a limit is enough."""
    total = 0.0
    for j in range(columns):
        total += rows[j, levels[y, j], codes[y, j]]
        if total >= limit:
            break
    return total


@inner
def _only_values(histogram: I64, starts: I64) -> int:
    """Return a number for the one value that a class has in each sensitive column; 0 if more.

    Two classes with the same values lack together what both lack: neither makes anything good.
    """
    number = 1
    for c in range(starts.size - 1):
        found = -1
        for v in range(starts[c], starts[c + 1]):
            if histogram[v] > 0:
                if found >= 0:
                    return 0
                found = v
        number = number * (starts[c + 1] - starts[c] + 1) + found - starts[c] + 1
        if number > 1 << 40:  # it would not fit
            return 0
    return number


@kernel
def repair(
    wanting: I64, begin: int, budget: int, alive: I64, living: int, into: I64, lack: F64,
    codes: I32, maps: I32, losses: F64,
    levels: I32, sizes: I64, per_record: F64, histograms: I64,
    starts: I64, caps: F64, usual: F64, limits: F64, allowance: int,
) -> tuple[int, int, int]:  # fmt: skip
    """Merge each wanting class in turn with others until it holds, or the budget is used up.

    ``codes`` has a member of each class. ``alive`` lists the classes that were not merged into
    another; ``into`` says into which. Where suppressing all records of a class costs less than
    merging it, and the allowance is not used up, that is done. Return the next wanting class, how
    many are alive, and the allowance left.
    """
    columns = codes.shape[1]
    nothing = np.zeros(caps.size, dtype=np.int64)
    scratch = np.zeros(caps.size, dtype=np.int64)
    fewer = np.zeros(caps.size, dtype=np.int64)
    total_of = np.zeros(caps.size, dtype=np.int64)  # all records that are not suppressed
    rows = np.zeros(maps.shape)
    alike = np.zeros(sizes.size, dtype=np.int64)
    records = 0
    for i in range(living):
        records += sizes[alive[i]]
        add(total_of, histograms[alive[i]])
        alike[alive[i]] = _only_values(histograms[alive[i]], starts)
    at = begin
    while at < wanting.size and budget > 0:
        x = wanting[at]
        if into[x] != x or lack[x] == 0 or living == 1:
            at += 1
            continue
        best, best_ratio, best_cost = -1, 1e300, 1e300
        budget -= living
        _meetings(x, columns, codes, maps, losses, levels, rows)
        for i in range(living):
            y = alive[i]
            if y == x or (alike[x] == alike[y] and alike[x] != 0):
                continue
            size = sizes[x] + sizes[y]
            before = sizes[x] * per_record[x] + sizes[y] * per_record[y]
            # the most that a record may lose if this is to be better: no pair makes good more
            limit = (best_ratio * (lack[x] + lack[y]) + before) / size
            total = _together(y, columns, codes, levels, rows, limit)
            if total >= limit:
                continue
            still = lacking(
                histograms[x], histograms[y], size, starts, caps, usual, limits, scratch
            )
            made_good = lack[x] + lack[y] - still
            cost = size * total - before
            if made_good > 1e-9 and cost < best_ratio * made_good:
                best, best_ratio, best_cost = y, cost / made_good, cost
        if best < 0:  # no class alone makes anything good: several together will
            for i in range(living):
                y = alive[i]
                if y != x:
                    size = sizes[x] + sizes[y]
                    before = sizes[x] * per_record[x] + sizes[y] * per_record[y]
                    limit = (best_cost + before) / size
                    total = _together(y, columns, codes, levels, rows, limit)
                    if total < limit:
                        best, best_cost = y, size * total - before
        spare = sizes[x] <= allowance and best_cost > sizes[x] * (1 - per_record[x])
        if spare:  # what remains must be able to hold
            for v in range(fewer.size):
                fewer[v] = -histograms[x, v]
            size = records - sizes[x]
            spare = lacking(total_of, fewer, size, starts, caps, usual, limits, scratch) == 0
        if spare:
            allowance -= sizes[x]
            records -= sizes[x]
            add(total_of, fewer)
            gone = x
            into[x] = SUPPRESSED
        else:
            y = best
            gone = y
            into[y] = x
            total = 0.0
            for j in range(columns):
                a, b = codes[x, j], codes[y, j]
                levels[x, j] = meet(maps, j, max(levels[x, j], levels[y, j]), a, b)
                total += losses[j, levels[x, j], a]
            per_record[x] = total
            sizes[x] += sizes[y]
            add(histograms[x], histograms[y])
            alike[x] = alike[x] if alike[x] == alike[y] else 0
            lack[x] = lacking(
                histograms[x], nothing, sizes[x], starts, caps, usual, limits, scratch
            )
        for i in range(living):
            if alive[i] == gone:
                living -= 1
                alive[i] = alive[living]
                break
    return at, living, allowance
