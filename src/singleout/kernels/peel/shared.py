"""What several loops of local recoding ask: where values meet, and what a class lacks.

A class is judged by its histogram of sensitive values alone. What it lacks is told in records, so
that several criteria can be added up, and is 0 where all of them hold. Every criterion here holds
for a union of classes that hold it.
"""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import F64, I32, I64
from singleout.kernels.compiling import inner

__all__ = ["DISTINCT", "ENTROPY", "LIMITS", "ORDERED", "RECURSIVE_C", "RECURSIVE_L", "T"]
__all__ += ["add", "lacking", "meet"]

# what each row of the limits holds, for one sensitive column
DISTINCT, ENTROPY, RECURSIVE_C, RECURSIVE_L, T, ORDERED, LIMITS = range(7)

_ROUNDING = 1e-9


@inner
def add(to: I64, more: I64) -> None:
    """Add numbers to others; a plain loop compiles in a tenth of the time of an expression."""
    for i in range(to.size):
        to[i] += more[i]


@inner
def meet(maps: I32, j: int, level: int, a: int, b: int) -> int:
    """Return the lowest level from this one on where two codes have the same label."""
    while maps[j, level, a] != maps[j, level, b]:
        level += 1
    return level


@inner
def _recursive(
    left: I64, right: I64, size: int, begin: int, end: int, limits: F64, scratch: I64
) -> float:
    """Return by how much the most frequent value exceeds c times those from the l-th on."""
    largest = 0
    for v in range(begin, end):
        scratch[v] = left[v] + right[v]
        largest = max(largest, scratch[v])
    tail = size
    for _ in range(int(limits[RECURSIVE_L]) - 1):
        top = begin
        for v in range(begin, end):
            if scratch[v] > scratch[top]:
                top = v
        tail -= scratch[top]
        scratch[top] = 0
    excess = largest - limits[RECURSIVE_C] * tail
    if excess < -_ROUNDING:
        return 0.0
    return max(excess, 0.0) + 1e-3  # it must stay below the limit, not reach it


@inner
def lacking(
    left: I64, right: I64, size: int, starts: I64, caps: F64, usual: F64, limits: F64, scratch: I64
) -> float:
    """Return what the union of two classes lacks, from their histograms; 0 if all criteria hold.

    ``starts`` says where the values of each sensitive column begin. ``caps`` has for each value
    the largest share it may have, ``usual`` the share that it has in the table.
    """
    total = 0.0
    for c in range(limits.shape[0]):
        begin, end = starts[c], starts[c + 1]
        distinct = 0
        for v in range(begin, end):
            count = left[v] + right[v]
            over = count - caps[v] * size
            if over > _ROUNDING:
                total += over
            distinct += count > 0
        if distinct < limits[c, DISTINCT]:
            total += size * (limits[c, DISTINCT] - distinct) / limits[c, DISTINCT]
        if limits[c, ENTROPY] > 0:
            short = limits[c, ENTROPY] * size
            for v in range(begin, end):
                count = left[v] + right[v]
                if count > 0:
                    short += count * np.log(count / size)
            if short > _ROUNDING * size:
                total += short
        if limits[c, T] < 1:  # no distance is more
            distance, running = 0.0, 0.0
            for v in range(begin, end):
                apart = left[v] + right[v] - usual[v] * size
                running += apart
                distance += abs(running) if limits[c, ORDERED] > 0 else abs(apart)
            distance /= max(end - begin - 1, 1) if limits[c, ORDERED] > 0 else 2
            far = distance - limits[c, T] * size
            if far > _ROUNDING * size:
                total += far
        if limits[c, RECURSIVE_C] > 0:
            total += _recursive(left, right, size, begin, end, limits[c], scratch)
    return total
