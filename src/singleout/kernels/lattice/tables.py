"""The problem of a lattice search as flat arrays: packed keys, ways up, and what labels cost.

The labels of a column that occur get numbers on each level, and a group has one key: the numbers
of its labels, side by side in the bits of one word, or of several where one is too short.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64
from singleout.kernels.lattice.groups import number_groups
from singleout.kernels.lattice.scores import ENTROPY, LOSS

__all__ = ["Base", "Groups", "Tables", "base_of", "table_size"]

_BITS = 63  # of a word; the sign stays free


class Tables(NamedTuple):
    """What the loops look up. Entry ``at[column, level] + label`` is that of a label."""

    word: I64  # the word of each column's bits
    shift: I64  # where they begin
    mask: I64  # as many ones as bits
    at: I64
    up: I64  # the label one level up
    weight: F64  # what a record with the label has lost; entropy: its full charge
    bound: F64  # for each column and level, what all records lose together
    importance: F64


class Groups(NamedTuple):
    """Room for groups, a row each; those of several nodes follow each other."""

    keys: I64  # for each word and group
    counts: I64
    losses: F64  # the sum of the weights of the labels
    extra: I64  # for each group and capped value, how many records have it

    def longer(self) -> Groups:
        """Return twice the room, with the same groups at its beginning."""
        rows = 2 * len(self.counts)
        keys = np.empty((len(self.keys), rows), dtype=np.int64)
        keys[:, : len(self.counts)] = self.keys
        rest = (np.concatenate([part, np.empty_like(part)]) for part in self[1:])
        return Groups(keys, *rest)


@dataclass(frozen=True, eq=False)
class Base:
    """The groups of the lowest node, and the tables for all others.

    Parameters
    ----------
    tables
        What the loops look up.
    groups
        The groups of the lowest node.
    of_combination
        The group of each combination: two spellings of a value share one.
    levels
        How many levels each column has.
    labels
        How many labels each column has on level 0.
    records
        How many records there are.
    metric
        The number of the metric.
    """

    tables: Tables
    groups: Groups
    of_combination: I64
    levels: I64
    labels: I64
    records: int
    metric: int


def base_of(
    codes: NDArray[Any],
    sizes: I64,
    maps: Sequence[NDArray[Any]],
    losses: Sequence[F64],
    importance: F64,
    metric: int,
) -> Base:
    """Return the problem for combinations of codes.

    Parameters
    ----------
    codes
        The codes of each combination, a row each.
    sizes
        How many records have each combination.
    maps
        For each column: for each level and code the index of its label.
    losses
        For each column: for each level and code the loss of a cell, from 0 to 1.
    importance
        The weight of each column; they add up to 1.
    metric
        The number of the metric.
    """
    records = int(sizes.sum())
    width = len(maps)
    lowest = np.empty((len(codes), width), dtype=np.int64)
    most = max(len(levels) for levels in maps)
    at = np.zeros((width, most + 1), dtype=np.int64)
    bound = np.zeros((width, most))
    ups: list[I64] = []
    weights: list[F64] = []
    labels = np.zeros(width, dtype=np.int64)
    end = 0
    for j in range(width):
        column = _Column(codes[:, j], sizes, maps[j], losses[j])
        lowest[:, j], labels[j] = column.lowest, column.labels
        factor = float(importance[j]) * (width if metric == ENTROPY else 1)
        for level in range(len(maps[j])):
            at[j, level] = end
            up, weight, bound[j, level] = column.level(level, records, metric, factor)
            ups.append(up)
            weights.append(weight)
            end += len(up)
        at[j, len(maps[j]) :] = end
    word, shift, mask = _layout(labels)
    tables = Tables(
        word, shift, mask, at, np.concatenate(ups), np.concatenate(weights), bound, importance
    )
    keys, of_combination = _numbered(lowest, tables)
    counts = np.bincount(of_combination, sizes, minlength=keys.shape[1]).astype(np.int64)
    charged = np.zeros(len(counts))
    for j in range(width):
        label = (keys[word[j]] >> shift[j]) & mask[j]
        charged += tables.weight[at[j, 0] + label]
    groups = Groups(keys, counts, charged, np.zeros((len(counts), 0), dtype=np.int64))
    levels = np.array([len(each) for each in maps], dtype=np.int64)
    return Base(tables, groups, of_combination, levels, labels, records, metric)


class _Column:
    """One column: numbers for the labels that occur."""

    def __init__(self, codes: NDArray[Any], sizes: I64, maps: NDArray[Any], losses: F64) -> None:
        by_code = np.bincount(codes, sizes, minlength=maps.shape[1])
        some = np.flatnonzero(by_code)  # the codes that occur
        number = np.zeros(maps.shape[1], dtype=np.int64)
        number[some] = np.arange(len(some))
        self._of_code = number[codes]
        self._sizes = by_code[some].astype(np.int64)
        self._losses = losses[:, some]
        self._labels = [
            np.unique(maps[level, some], return_inverse=True)[1].astype(np.int64)
            for level in range(len(maps))
        ]

    @property
    def lowest(self) -> I64:
        """The label of each combination on level 0."""
        return np.asarray(self._labels[0][self._of_code])

    @property
    def labels(self) -> int:
        """How many labels level 0 has."""
        return int(self._labels[0].max()) + 1

    def level(self, level: int, records: int, metric: int, factor: float) -> tuple[I64, F64, float]:
        """Return the label above each label, what a record with it lost, and what all lost."""
        label = self._labels[level]
        size = np.bincount(label, self._sizes)
        up = np.zeros(len(size), dtype=np.int64)
        if level + 1 < len(self._labels):
            up[label] = self._labels[level + 1]
        if metric == ENTROPY:
            leaf = np.bincount(self._labels[0], self._sizes)
            leaf = leaf[self._labels[0]]  # of each code, the records with its value
            charge = np.log2(records / size) * factor
            lost = float(self._sizes @ np.log2(size[label] / leaf))
            return up, charge, lost * factor
        weight = np.zeros(len(size))
        weight[label] = self._losses[level]
        weight *= factor if metric == LOSS else 1.0
        return up, weight, float(size @ weight) / records


def _layout(labels: I64) -> tuple[I64, I64, I64]:
    """Return the word, the lowest bit and the mask of each column."""
    word, shift, mask = (np.zeros(len(labels), dtype=np.int64) for _ in range(3))
    current = used = 0
    for j, number in enumerate(labels.tolist()):
        bits = max(1, (number - 1).bit_length())
        if used + bits > _BITS:
            current, used = current + 1, 0
        word[j], shift[j], mask[j] = current, used, (1 << bits) - 1
        used += bits
    return word, shift, mask


def _numbered(lowest: I64, tables: Tables) -> tuple[I64, I64]:
    """Return the distinct keys, and which of them each combination has."""
    keys = np.zeros((int(tables.word[-1]) + 1, len(lowest)), dtype=np.int64)
    for j in range(lowest.shape[1]):
        keys[tables.word[j]] |= lowest[:, j] << tables.shift[j]
    room = np.empty_like(keys)
    numbers = np.empty(len(lowest), dtype=np.int64)
    slots = np.zeros(table_size(len(lowest)), dtype=np.int64)
    distinct = number_groups(keys, room, numbers, slots)
    order = np.lexsort(room[:, :distinct])  # groups that merge are near each other
    rank = np.empty(distinct, dtype=np.int64)
    rank[order] = np.arange(distinct)
    return np.ascontiguousarray(room[:, order]), rank[numbers]


def table_size(groups: int) -> int:
    """Return the size of a hash table for groups: a power of 2, at least twice as many."""
    return 1 << max(4, (2 * groups - 1).bit_length())
