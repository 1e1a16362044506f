"""Classes of combinations under construction, and what is known of each."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from singleout.core.arrays import F64, I32, I64
from singleout.kernels.grouping.group import group_records
from singleout.kernels.peel import class_loops
from singleout.treatment.lattice import Lattice

__all__ = ["Classes", "Ground", "numbered", "same_published", "tightened"]


@dataclass(frozen=True, eq=False)
class Ground:
    """A lattice as arrays that loops take, made once."""

    codes: I32 = field(repr=False)
    counts: I64 = field(repr=False)
    maps: I32 = field(repr=False)
    losses: F64 = field(repr=False)
    levels: I64 = field(repr=False)
    labels: I64 = field(repr=False)  # for each column and level, how many labels there are
    highest: I64 = field(repr=False)  # the highest level of each column that is wanted

    @classmethod
    def of(cls, lattice: Lattice) -> Ground:
        """Return the arrays of a lattice."""
        labels = np.zeros((len(lattice.trees), int(lattice.levels.max())), dtype=np.int64)
        for j, tree in enumerate(lattice.trees):
            labels[j, : tree.levels] = [len(level) for level in tree.labels]
        codes = np.ascontiguousarray(lattice.groups, dtype=np.int32)
        counts = np.ascontiguousarray(lattice.sizes, dtype=np.int64)
        top = lattice.levels - 1
        highest = top if lattice.highest is None else np.minimum(lattice.highest, top)
        maps, losses = lattice.maps(), lattice.losses()
        return cls(codes, counts, maps, losses, lattice.levels, labels, highest.astype(np.int64))

    @property
    def columns(self) -> int:
        """How many columns there are."""
        return int(self.codes.shape[1])

    @property
    def records(self) -> int:
        """How many records there are."""
        return int(self.counts.sum())


@dataclass(frozen=True, eq=False)
class Classes:
    """Classes, each on the lowest levels on which its members agree."""

    of_group: I64 = field(repr=False)  # -1 for suppressed combinations
    first: I64 = field(repr=False)  # a member of each class
    levels: I32 = field(repr=False)
    sizes: I64 = field(repr=False)
    per_record: F64 = field(repr=False)  # the loss of each record of the class

    def __len__(self) -> int:
        return len(self.sizes)


def numbered(of_group: I64) -> I64:
    """Return the classes of combinations numbered from 0 without gaps; below 0 is none."""
    has = of_group >= 0
    used = np.zeros(int(of_group.max(initial=-1)) + 1, dtype=np.bool_)
    used[of_group[has]] = True
    number_of = np.cumsum(used) - 1
    return np.where(has, number_of[np.where(has, of_group, 0)] if has.any() else -1, -1)


def tightened(ground: Ground, of_group: I64) -> Classes:
    """Return the classes on the lowest levels on which the members of each agree."""
    of_group = numbered(of_group)
    classes = int(of_group.max(initial=-1)) + 1
    first = np.full(classes, -1, dtype=np.int64)
    levels = np.zeros((classes, ground.columns), dtype=np.int32)
    sizes = np.zeros(classes, dtype=np.int64)
    per_record = np.zeros(classes)
    class_loops.tighten(
        ground.codes, ground.counts, of_group, ground.maps, ground.losses,
        first, levels, sizes, per_record,
    )  # fmt: skip
    return Classes(of_group, first, levels, sizes, per_record)


def same_published(ground: Ground, classes: Classes) -> I64:
    """Return for each class the number of what it publishes: the same for equal rows."""
    before = np.cumsum(ground.labels, axis=1) - ground.labels
    columns, levels = [], []
    for j in range(ground.columns):
        level = classes.levels[:, j]
        label = ground.maps[j, level, ground.codes[classes.first, j]]
        columns.append((before[j, level] + label).astype(np.uint32))
        levels.append(int(ground.labels[j].sum()))
    return group_records(columns, levels).ids.astype(np.int64)
