"""Pairs that two measures put into the same order, or into the opposite one: Kendall's tau.

Points come in the order of the first measure. A Fenwick tree holds how many there were before, by
the second measure; points that tie in the first are added together, after all of them were asked.
"""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.kernels.compiling import kernel

__all__ = ["concordant_less_discordant"]


@kernel
def concordant_less_discordant(first: I64, second: I64, weights: F64) -> float:
    """Return how many more pairs agree than disagree, each as often as both points count.

    ``first`` and ``second`` are ranks from 0, and ``first`` ascends.
    """
    points = first.size
    levels = 0
    for point in range(points):
        levels = max(levels, second[point] + 1)
    tree = np.zeros(levels + 1)
    seen, signed = 0.0, 0.0
    begin = 0
    while begin < points:
        end = begin
        while end < points and first[end] == first[begin]:
            below = 0.0
            node = second[end]
            while node > 0:
                below += tree[node]
                node -= node & -node
            up_to = 0.0
            node = second[end] + 1
            while node > 0:
                up_to += tree[node]
                node -= node & -node
            signed += weights[end] * (below - (seen - up_to))
            end += 1
        for point in range(begin, end):
            node = second[point] + 1
            while node <= levels:
                tree[node] += weights[point]
                node += node & -node
            seen += weights[point]
        begin = end
    return signed
