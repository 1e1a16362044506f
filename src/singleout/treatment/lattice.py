"""The encoded problem of every search: distinct combinations, and a tree over each column.

A node of the lattice is a level for each column. Searches never look at records again: records
that share a combination share their treatment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I32, I64
from singleout.core.table import Table
from singleout.engines.local import counting as local
from singleout.treatment.hierarchies.hierarchy import Tree

__all__ = ["Lattice", "lattice_of"]

_UNWANTED = 1000.0  # the loss of a level that is not wanted: more than that of all columns


@dataclass(frozen=True, eq=False)
class Lattice:
    """Distinct combinations of codes, and the trees over their columns.

    Arrays with a place for each column are padded to the longest.

    Parameters
    ----------
    trees
        The tree over each column.
    groups
        The codes of each distinct combination, a row each.
    sizes
        How many records have each combination.
    of_record
        The combination of each record.
    importance
        The weight of each column in the loss; they add up to 1.
    highest
        The highest level of each column that is wanted; higher ones count as a great loss.
    """

    trees: tuple[Tree, ...]
    groups: I32 = field(repr=False)
    sizes: I64 = field(repr=False)
    of_record: I64 = field(repr=False)
    importance: F64 = field(repr=False)
    highest: tuple[int, ...] | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(tree.name for tree in self.trees)

    @property
    def records(self) -> int:
        """How many records there are."""
        return len(self.of_record)

    @property
    def levels(self) -> I64:
        """How many levels each column has, the values themselves included."""
        return np.array([tree.levels for tree in self.trees], dtype=np.int64)

    @property
    def nodes(self) -> int:
        """How many nodes the lattice has."""
        return int(np.prod(self.levels.astype(object)))

    def maps(self) -> I32:
        """Return for each column, level and code the index of its label."""
        return _padded([tree.maps for tree in self.trees], np.int32)

    def losses(self) -> F64:
        """Return for each column, level and code the loss of a cell, importance included.

        The losses of a row add up to the share of 1 that it gives up.
        """
        by_code = [
            np.stack([tree.losses(level)[tree.maps[level]] for level in range(tree.levels)])
            for tree in self.trees
        ]
        padded: F64 = _padded(by_code, np.float64) * self.importance[:, None, None]
        for j, level in enumerate(self.highest or ()):
            padded[j, level + 1 : self.trees[j].levels] += _UNWANTED
        return padded


def _padded(rows: Sequence[NDArray[Any]], kind: type) -> NDArray[Any]:
    """Return arrays of levels and codes as one, filled up with 0."""
    shape = (len(rows), max(row.shape[0] for row in rows), max(row.shape[1] for row in rows))
    padded = np.zeros(shape, dtype=kind)
    for j, row in enumerate(rows):
        padded[j, : row.shape[0], : row.shape[1]] = row
    return padded


def lattice_of(
    table: Table,
    trees: Sequence[Tree],
    importance: Mapping[str, float] | None = None,
    highest: Mapping[str, int] | None = None,
) -> Lattice:
    """Return the lattice over some columns of a table, each with its tree.

    ``importance`` is 1 for columns that it does not name; ``highest`` is the highest level that is
    wanted of those that it names.
    """
    names = [tree.name for tree in trees]
    groups = local.group(table, names)
    codes = np.stack([table[name].codes[groups.first] for name in names], axis=1)
    weights = np.array([(importance or {}).get(name, 1.0) for name in names], dtype=np.float64)
    return Lattice(
        tuple(trees),
        codes.astype(np.int32),
        groups.sizes,
        groups.ids.astype(np.int64),
        weights / weights.sum(),
        tuple((highest or {}).get(tree.name, tree.levels - 1) for tree in trees) or None,
    )
