"""The compiled loops over classes: tighten them, and find the class that a combination joins."""

from __future__ import annotations

from singleout.core.arrays import F64, I32, I64
from singleout.kernels.compiling import kernel
from singleout.kernels.peel.shared import meet

__all__ = ["join", "tighten"]


@kernel
def tighten(
    codes: I32, counts: I64, of_group: I64, maps: I32, losses: F64,
    first: I64, levels: I32, sizes: I64, per_record: F64,
) -> None:  # fmt: skip
    """Give each class the lowest levels on which all its members have the same labels.

    Write for each class its first combination (-1 before), its levels and its size (0 before),
    and the loss of each of its records.
    """
    columns = codes.shape[1]
    for g in range(of_group.size):
        c = of_group[g]
        if c < 0:
            continue
        sizes[c] += counts[g]
        if first[c] < 0:
            first[c] = g
            continue
        for j in range(columns):
            levels[c, j] = meet(maps, j, levels[c, j], codes[first[c], j], codes[g, j])
    for c in range(first.size):
        total = 0.0
        for j in range(columns):
            total += losses[j, levels[c, j], codes[first[c], j]]
        per_record[c] = total


@kernel
def join(
    codes: I32, g: int, count: int, maps: I32, losses: F64,
    first: I64, levels: I32, sizes: I64, per_record: F64,
) -> tuple[int, float]:  # fmt: skip
    """Return the class that loses least when a combination joins it, and how much is lost."""
    best, least = -1, 1e300
    for c in range(first.size):
        total = 0.0
        for j in range(codes.shape[1]):
            level = meet(maps, j, levels[c, j], codes[first[c], j], codes[g, j])
            total += losses[j, level, codes[g, j]]
        cost = sizes[c] * (total - per_record[c]) + count * total
        if cost < least:
            best, least = c, cost
    return best, least
