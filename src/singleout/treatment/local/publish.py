"""What a local recoding publishes, column by column."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.errors import BadChoice
from singleout.treatment.lattice import Lattice
from singleout.treatment.local.recode import LocalRecoding

__all__ = ["PublishedColumn", "publish"]


@dataclass(frozen=True, eq=False)
class PublishedColumn:
    """A column as it is published.

    Parameters
    ----------
    name
        The column.
    codes
        The label of each record, as a number from 0.
    labels
        The labels; None for missing values, and for the cells of suppressed records.
    shares
        For each label the share of the hierarchy's values that it covers; 1 if suppressed.
    levels
        For each label its level; -1 if suppressed.
    """

    name: str
    codes: I64 = field(repr=False)
    labels: tuple[Any, ...] = field(repr=False)
    shares: F64 = field(repr=False)
    levels: I64 = field(repr=False)


def publish(
    lattice: Lattice, recoding: LocalRecoding, *, narrow: bool = False
) -> list[PublishedColumn]:
    """Return each column as it is published: the hierarchy's labels on the levels of each class.

    ``narrow`` asks for labels made of the members of each class instead, for columns whose
    hierarchy was proposed.
    """
    if narrow:
        raise BadChoice("Labels narrower than a hierarchy's are not made yet; leave narrow out.")
    return [_published(lattice, recoding, j) for j in range(len(lattice.trees))]


def _published(lattice: Lattice, recoding: LocalRecoding, j: int) -> PublishedColumn:
    tree = lattice.trees[j]
    sizes = np.array([len(level) for level in tree.labels])
    before = np.cumsum(sizes) - sizes  # all labels of all levels in one row
    kept = recoding.of_group >= 0
    levels = recoding.levels[np.maximum(recoding.of_group, 0), j] if len(recoding) else 0
    cells = before[levels] + tree.maps[levels, lattice.groups[:, j]]
    cells = np.where(kept, cells, sizes.sum())  # the last one is for suppressed records
    is_used = np.zeros(int(sizes.sum()) + 1, dtype=np.bool_)
    is_used[cells] = True
    used = np.flatnonzero(is_used)
    of_group = (np.cumsum(is_used) - 1)[cells]
    labels = [label for level in tree.labels for label in level] + [None]
    shares = np.concatenate([tree.shares(level) for level in range(tree.levels)] + [np.ones(1)])
    level_of = np.append(np.repeat(np.arange(tree.levels), sizes), -1)
    return PublishedColumn(
        tree.name,
        of_group[lattice.of_record],
        tuple(labels[cell] for cell in used.tolist()),
        shares[used],
        level_of[used],
    )
