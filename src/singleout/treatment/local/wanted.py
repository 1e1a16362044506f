"""Keep classes on wanted levels: who is in one that is not gets a place where that is possible.

Records can be in one class on wanted levels if and only if they have the same labels on the
highest wanted level of every column. Of those that do, at least k must be left.
"""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import I32, I64, Flags
from singleout.kernels.grouping.group import group_records
from singleout.kernels.peel import class_loops
from singleout.treatment.local.classes import Classes, Ground, tightened

__all__ = ["on_wanted_levels"]


def on_wanted_levels(ground: Ground, classes: Classes, k: int) -> I64 | None:
    """Return the class of each combination, -1 for those that none can hold; None if all hold."""
    unwanted = np.asarray((classes.levels > ground.highest).any(axis=1))
    if not unwanted.any():
        return None
    has = classes.of_group >= 0
    loose = has & unwanted[np.where(has, classes.of_group, 0)]
    part = _parts(ground)
    left = np.bincount(part[loose], ground.counts[loose], minlength=int(part.max()) + 1)
    enough = loose & (left[part] >= k)
    # as a class of their own, which is then split
    of_group = np.where(loose, -1, classes.of_group)
    of_group = np.where(enough, len(classes) + part, of_group)
    return _joined(ground, of_group, part, loose & ~enough)


def _parts(ground: Ground) -> I64:
    """Return the number of the labels of each combination on the highest wanted levels."""
    columns = [
        ground.maps[j, level, ground.codes[:, j]].astype(np.uint32)
        for j, level in enumerate(ground.highest.tolist())
    ]
    return group_records(columns, [int(column.max()) + 1 for column in columns]).ids.astype(
        np.int64
    )


def _joined(ground: Ground, of_group: I64, part: I64, loose: Flags) -> I64:
    """Return the classes after each combination joined the one of its part that it costs least."""
    classes = tightened(ground, of_group)
    of_group = classes.of_group.copy()
    part_of_class = part[classes.first]
    for number in np.unique(part[loose]).tolist():
        inside = np.flatnonzero(part_of_class == number)
        if not len(inside):
            continue  # all of the part together are fewer than k
        first, levels = classes.first[inside], classes.levels[inside]
        sizes, per_record = classes.sizes[inside], classes.per_record[inside]
        for g in np.flatnonzero(loose & (part == number)).tolist():
            count = int(ground.counts[g])
            best, _ = class_loops.join(
                ground.codes, g, count, ground.maps, ground.losses,
                first, levels, sizes, per_record,
            )  # fmt: skip
            of_group[g] = inside[best]
            levels[best] = _agreeing(ground, levels[best], int(first[best]), g)
            sizes[best] += count
            lost = ground.losses[range(ground.columns), levels[best], ground.codes[g]]
            per_record[best] = float(lost.sum())
    return of_group


def _agreeing(ground: Ground, levels: I32, one: int, other: int) -> I32:
    """Return the lowest levels, from some on, on which two combinations have the same labels."""
    found = levels.copy()
    for j in range(ground.columns):
        maps = ground.maps[j]
        while maps[found[j], ground.codes[one, j]] != maps[found[j], ground.codes[other, j]]:
            found[j] += 1
    return found
