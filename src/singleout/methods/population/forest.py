"""Log-linear models with a closed form: main effects, and pairs of columns that make no circle.

The fitted counts are products of margins: the columns are independent but for the pairs, and each
column depends on at most one before it. No cell is stored but those that occur, and cells are
drawn from the model one column after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from singleout.core.arrays import F64, I64, sums

__all__ = ["Cells", "Forest", "Pair", "pairs_by_information"]

Pair = tuple[int, int]
PAIR_LIMIT = 4_000_000  # entries of the table of two columns


@dataclass(frozen=True, eq=False)
class Cells:
    """The value combinations that occur: codes by column, levels of each column, records."""

    codes: tuple[I64, ...]
    levels: tuple[int, ...]
    sizes: F64

    @property
    def records(self) -> float:
        """How many records there are."""
        return float(self.sizes.sum())

    @property
    def possible(self) -> float:
        """How many value combinations there could be."""
        return float(np.prod([float(count) for count in self.levels]))

    def margin(self, column: int) -> F64:
        """Return the records of each value of a column."""
        return sums(self.codes[column], self.sizes, self.levels[column])

    def table(self, pair: Pair) -> F64:
        """Return the records of each pair of values of two columns."""
        a, b = pair
        shape = self.levels[a], self.levels[b]
        keys = self.codes[a] * shape[1] + self.codes[b]
        return sums(keys, self.sizes, shape[0] * shape[1]).reshape(shape)


def pairs_by_information(cells: Cells) -> list[Pair]:
    """Return the pairs of columns by what one tells about the other, most first, without circles.

    The order is that in which each pair adds most to the likelihood.
    """
    known = []
    for a, b in combinations(range(len(cells.codes)), 2):
        if cells.levels[a] * cells.levels[b] > PAIR_LIMIT:
            continue
        joint = cells.table((a, b))
        apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0) / joint.sum()
        seen = joint > 0
        known.append((-float((joint[seen] * np.log(joint[seen] / apart[seen])).sum()), (a, b)))
    part = list(range(len(cells.codes)))
    chosen: list[Pair] = []
    for _, (a, b) in sorted(known):
        if part[a] != part[b]:
            part = [part[a] if of == part[b] else of for of in part]
            chosen.append((a, b))
    return chosen


class Forest:
    """A fitted model of main effects and pairs without circles."""

    def __init__(self, cells: Cells, pairs: Sequence[Pair]) -> None:
        self.records = cells.records
        self.levels = cells.levels
        self.steps: list[tuple[int, int | None, F64]] = []  # column, the one before it, chances
        waiting = list(range(len(cells.codes)))
        near: dict[int, list[int]] = {column: [] for column in waiting}
        for a, b in pairs:
            near[a].append(b)
            near[b].append(a)
        done: set[int] = set()
        for root in waiting:
            if root not in done:
                self._add(cells, root, near, done)

    def _add(self, cells: Cells, root: int, near: dict[int, list[int]], done: set[int]) -> None:
        self.steps.append((root, None, cells.margin(root) / self.records))
        done.add(root)
        waiting = [root]
        while waiting:
            parent = waiting.pop()
            for column in near[parent]:
                if column not in done:
                    joint = cells.table((parent, column))
                    total = np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)
                    self.steps.append((column, parent, joint / total))
                    done.add(column)
                    waiting.append(column)

    def expected(self, codes: Sequence[I64]) -> F64:
        """Return the fitted number of records in some cells."""
        fitted = np.full(len(codes[0]), self.records)
        for column, parent, chances in self.steps:
            at = codes[column] if parent is None else (codes[parent], codes[column])
            fitted *= chances[at]
        return fitted

    def draw(self, count: int, rng: np.random.Generator) -> list[I64]:
        """Draw the cells of some records."""
        codes: list[I64] = [np.empty(0, dtype=np.int64) for _ in self.levels]
        for column, parent, chances in self.steps:
            points = rng.random(count)
            if parent is None:
                limits, offset = np.cumsum(chances), np.zeros(count, dtype=np.int64)
            else:
                # the sums of each row lie between its number and the next
                sums = np.cumsum(chances, axis=1)
                limits = (sums + np.arange(len(sums))[:, None]).ravel()
                offset = codes[parent]
            found = np.searchsorted(limits, offset + points, side="right")
            drawn = found - offset * self.levels[column]
            codes[column] = np.clip(drawn, 0, self.levels[column] - 1)
        return codes
