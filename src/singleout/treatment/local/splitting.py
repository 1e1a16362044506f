"""Split classes wherever that is allowed, so that none can be generalised less in a column."""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import I64
from singleout.core.progress import working_on
from singleout.kernels.peel import split_loops
from singleout.report.say import say
from singleout.treatment.local.classes import Classes, Ground, same_published, tightened
from singleout.treatment.local.sensitive import Criteria

__all__ = ["split", "split_and_unite"]

_AT_ONCE = 50_000_000  # combinations times columns before the loop returns


def split(ground: Ground, of_group: I64, k: int, criteria: Criteria) -> I64:
    """Return the classes after splitting each as long as a column can be generalised less."""
    order = np.argsort(of_group, kind="stable")
    order = order[np.searchsorted(of_group[order], 0) :]
    classes = of_group[order]
    edges = np.flatnonzero(np.diff(classes, prepend=-1, append=-1))
    # the stack never holds more stretches than there are combinations
    begins = np.zeros(len(order) + 1, dtype=np.int64)
    ends = np.zeros(len(order) + 1, dtype=np.int64)
    top = len(edges) - 1
    begins[:top] = edges[:-1][::-1]
    ends[:top] = edges[1:][::-1]
    found = np.full(len(of_group), -1, dtype=np.int64)
    done, width = 0, int(ground.labels.max())
    while top > 0:
        working_on(say("local_recoding.splitting"))
        top, done = split_loops.split(
            order, begins, ends, top, _AT_ONCE,
            ground.codes, ground.counts, ground.maps, ground.losses, width, k, found, done,
            criteria.value_starts, criteria.values, criteria.value_counts, *criteria.arrays,
        )  # fmt: skip
    return found


def split_and_unite(ground: Ground, of_group: I64, k: int, criteria: Criteria) -> Classes:
    """Return the classes after splitting, where no two publish the same row.

    Classes that publish the same are one to a reader. Together they may be split again.
    """
    classes = tightened(ground, split(ground, of_group, k, criteria))
    while True:
        published = same_published(ground, classes)
        times = np.bincount(published)
        if times.max(initial=0) <= 1:
            return classes
        has = classes.of_group >= 0
        united = np.where(has, published[np.where(has, classes.of_group, 0)], -1)
        again = has & (times[np.where(has, united, 0)] > 1)
        apart = split(ground, np.where(again, united, -1), k, criteria)
        classes = tightened(ground, np.where(again, len(times) + apart, united))
