"""The compiled loop behind Mdav: groups of the records nearest to the farthest ones."""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.kernels.compiling import kernel

__all__ = ["next_groups"]


@kernel
def next_groups(points: F64, left: I64, groups: I64, progress: I64, k: int, rounds: int) -> None:
    """Take some more groups out of the records that are left.

    ``left`` holds the records that have no group yet, ascending, in its first ``progress[0]``
    places. Of records at the same distance the first counts.
    """
    columns = points.shape[1]
    distances = np.empty(left.size, dtype=np.float64)
    centre = np.empty(columns, dtype=np.float64)
    chosen = np.empty(left.size, dtype=np.bool_)
    for _ in range(rounds):
        count = progress[0]
        if count == 0:
            return
        if count < 2 * k:
            for i in range(count):
                groups[left[i]] = progress[1]
            progress[0] = 0
            progress[1] += 1
            return
        for c in range(columns):
            sum_ = 0.0
            for i in range(count):
                sum_ += points[left[i], c]
            centre[c] = sum_ / count
        far = -1
        largest = -1.0
        for i in range(count):
            d = 0.0
            for c in range(columns):
                x = points[left[i], c] - centre[c]
                d += x * x
            if d > largest:
                largest = d
                far = i
        second = -1
        start = left[far]
        for half in range(2):
            if half == 1:
                if count < 3 * k:
                    break
                start = second
            count = progress[0]
            largest = -1.0
            next_far = -1
            for i in range(count):
                d = 0.0
                for c in range(columns):
                    x = points[left[i], c] - points[start, c]
                    d += x * x
                distances[i] = d
                if d > largest:
                    largest = d
                    next_far = left[i]
            if half == 0:
                second = next_far
            # the k nearest: all below the k-th distance, then the first at it
            limit = np.partition(distances[:count], k - 1)[k - 1]
            taken = 0
            for i in range(count):
                chosen[i] = distances[i] < limit
                if chosen[i]:
                    taken += 1
            for i in range(count):
                if taken == k:
                    break
                if not chosen[i] and distances[i] == limit:
                    chosen[i] = True
                    taken += 1
            kept = 0
            for i in range(count):
                record = left[i]
                if chosen[i]:
                    groups[record] = progress[1]
                else:
                    left[kept] = record
                    kept += 1
            progress[0] = kept
            progress[1] += 1
